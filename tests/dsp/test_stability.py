"""What grows without bound is run, as in SciPy, and told where it can be seen."""

from __future__ import annotations

import warnings

import jax
import numpy as np
import pytest
from scipy import signal

from jaxscope import FilterChain, Stage, dsp, filter_array
from jaxscope.filters.manual import SectionsSpec

UNSTABLE = np.array([[1.0, 0.0, 0.0, 1.0, -1.5, 0.8], [1.0, 0.0, 0.0, 1.0, -2.1, 1.1025]])  # a double pole at 1.05
X = np.ones(40)


@pytest.mark.parametrize(
    "run",
    [
        lambda: dsp.sosfilt(UNSTABLE, X),
        lambda: dsp.sosfiltfilt(UNSTABLE, X),
        lambda: dsp.lfilter([1.0], [1.0, -1.05], X),
        lambda: dsp.filtfilt([1.0], [1.0, -1.05], X),
        lambda: dsp.sosfilt([[2, 0, 0, 2, 0, 2.205]], X),
        lambda: filter_array(
            X, FilterChain(stages=(Stage(spec=SectionsSpec(rows=((1, 0, 0, 1, -1.05, 0),))),)), rate_hz=1.0
        ),
    ],
)
def test_an_unstable_filter_is_told_with_its_radius_at_the_call(run) -> None:
    with pytest.warns(RuntimeWarning, match=r"at radius 1\.05") as told:
        run()
    assert [one.filename for one in told] == [__file__]


def test_on_the_circle_is_unstable_but_a_running_sum_is_not() -> None:
    with pytest.warns(RuntimeWarning, match="on the unit circle, at radius 1,"):
        dsp.sosfilt([[1.0, 0, 0, 1, 0, 1]], X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dsp.sosfilt([[1.0, 0, 0, 1, -1, 0]], X)
        dsp.lfilter([1.0], [1.0, -1.0], X)


def test_a_stable_filter_whose_roots_round_beyond_the_circle_is_not_told() -> None:
    b, a = signal.butter(8, 0.002)
    assert np.abs(np.roots(a)).max() > 1 - 1e-3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dsp.lfilter(b, a, X)
        dsp.sosfilt(signal.butter(8, 0.002, output="sos").astype(np.float32), X.astype(np.float32))


def test_nothing_is_said_under_a_transformation() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jax.jit(dsp.sosfilt)(UNSTABLE, X)
        jax.jit(lambda x: dsp.sosfilt(UNSTABLE, x))(X)
        jax.vmap(lambda x: dsp.lfilter(np.array([1.0]), np.array([1.0, -1.05]), x))(X[None])
        jax.grad(lambda rows: dsp.sosfilt(rows, X).sum())(UNSTABLE)
