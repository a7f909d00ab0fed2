"""savgol, welch, hilbert, group_delay and Gustafsson's edges follow SciPy, and have slopes."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.signal

from jaxscope import dsp
from jaxscope.dsp.polynomials import sections_of

X = np.random.default_rng(0).standard_normal((2, 150)) + 5
B, A = scipy.signal.butter(4, 0.3)


@pytest.mark.parametrize("mode", ["interp", "mirror", "nearest", "wrap", "constant"])
def test_savgol_equals_scipy(mode: str) -> None:
    for fit in ((11, 3, 0, 1.0), (11, 3, 1, 0.5)):
        y = dsp.savgol(X, *fit, -1, mode, 2.0)
        np.testing.assert_allclose(y, scipy.signal.savgol_filter(X, *fit, -1, mode, 2.0), atol=1e-11)


@pytest.mark.parametrize(
    "wishes",
    [
        {"nperseg": 64},
        {"nperseg": 65, "noverlap": 10, "nfft": 80, "scaling": "spectrum", "detrend": "linear"},
        {"nperseg": 50, "average": "median", "window": ("kaiser", 5.0), "return_onesided": False},
    ],
    ids=["plain", "spectrum", "median"],
)
def test_welch_equals_scipy(wishes: dict) -> None:
    expected = scipy.signal.welch(X, 100.0, **wishes)
    for ours, theirs in zip(dsp.welch(X, 100.0, **wishes), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("window", ["hann", "bartlett", ("tukey", 0.25), ("kaiser", 5.0), "flattop"])
def test_segments_of_one_sample_have_a_spectrum(window: str | tuple) -> None:
    wishes = {"window": window, "nperseg": 1, "noverlap": 0, "detrend": False}
    expected = scipy.signal.welch(X, 100.0, **wishes)[1]
    np.testing.assert_allclose(dsp.welch(X, 100.0, **wishes)[1], expected, rtol=1e-12)
    with pytest.raises(ValueError, match="unknown"):
        dsp.welch(X, 100.0, "hanning", 1)


@pytest.mark.parametrize("mode", ["mirror", "nearest", "wrap", "constant"])
def test_savgol_of_no_samples_is_none(mode: str) -> None:
    assert dsp.savgol(np.ones((2, 0), np.float32), 5, 2, mode=mode).shape == (2, 0)


def test_hilbert_equals_scipy_and_gives_the_envelope() -> None:
    np.testing.assert_allclose(dsp.hilbert(X, 31, 0), scipy.signal.hilbert(X, 31, 0), atol=1e-12)
    carrier = np.cos(2 * np.pi * 0.2 * np.arange(150))
    np.testing.assert_allclose(np.abs(dsp.hilbert(carrier)), 1, atol=1e-12)


def test_gustafsson_edges_equal_scipy() -> None:
    for irlen in (None, 40):
        expected = scipy.signal.filtfilt(B, A, X, method="gust", irlen=irlen)
        np.testing.assert_allclose(dsp.filtfilt(B, A, X, method="gust", irlen=irlen), expected, atol=1e-11)


def test_lfilter_is_factored_only_where_nothing_is_lost() -> None:
    assert sections_of(B, A) is not None
    narrow = scipy.signal.butter(4, [1, 40], "band", fs=1000)
    assert sections_of(*narrow) is None
    # SciPy's own error here is 1e-4
    np.testing.assert_allclose(dsp.lfilter(*narrow, X), scipy.signal.lfilter(*narrow, X), rtol=0, atol=1e-4)
    b, a = B * (1 + 0.2j), A * np.exp(0.1j * np.arange(5))
    np.testing.assert_allclose(dsp.lfilter(b, a, X), scipy.signal.lfilter(b, a, X), atol=1e-11)


def test_slopes_equal_finite_differences() -> None:
    x = jnp.asarray(X[0, :64])
    functions = {
        "savgol": lambda v: jnp.sum(dsp.savgol(v, 7, 2) ** 3),
        "welch": lambda v: jnp.sum(dsp.welch(v, nperseg=32)[1] ** 2),
        "hilbert": lambda v: jnp.sum(jnp.abs(dsp.hilbert(v)) ** 3),
        "lfilter": lambda v: jnp.sum(dsp.lfilter(B, A, v) ** 2),
    }
    direction = jnp.asarray(np.random.default_rng(4).standard_normal(64))
    for name, function in functions.items():
        run = jax.jit(jax.value_and_grad(function))
        slope = run(x)[1] @ direction
        expected = (run(x + 1e-5 * direction)[0] - run(x - 1e-5 * direction)[0]) / 2e-5
        np.testing.assert_allclose(slope, expected, rtol=1e-6, err_msg=name)


def test_the_slope_of_a_group_delay_by_a_coefficient() -> None:
    run = jax.jit(lambda a: dsp.group_delay((B, a), jnp.array([0.3, 0.8]))[1].sum())
    slope = jax.grad(run)(jnp.asarray(A))
    for k in range(1, 5):
        step = np.zeros(5)
        step[k] = 1e-6
        np.testing.assert_allclose(slope[k], (run(A + step) - run(A - step)) / 2e-6, rtol=1e-5)
