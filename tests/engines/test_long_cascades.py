"""Cascades of hundreds of sections, as a comb for the mains in audio has them, run in pieces and stay exact."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.signal

from jaxscope.engines.program import make_program
from jaxscope.engines.settling import NEVER, cascade_settling
from jaxscope.filters.coefficients import Sections
from jaxscope.filters.resonators import Comb

RNG = np.random.default_rng(5)
#: combs of 18 sections, so that the last piece is not full
HUM, NARROW = (Comb(frequency_hz=50, q=q).design(1800).to_array() for q in (30, 60))
FLAT = np.array([[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]])


def noise(n: int) -> np.ndarray:
    return RNG.standard_normal((3, n)) + 100


@pytest.mark.parametrize("kind", ["notch", "peak"])
@pytest.mark.parametrize("method", ["auto", "block"])
def test_a_comb_of_audio_equals_its_own_recursion(method: str, kind: str, chain) -> None:
    x = RNG.standard_normal((1, 44_100))
    design = chain(Comb(frequency_hz=50, q=30, kind=kind).design(44_100), initial="rest")
    b, a = scipy.signal.iircomb(50, 30, ftype=kind, fs=44_100, pass_zero=kind == "peak")
    y = make_program(design, n_channels=1, method=method).run(x)
    np.testing.assert_allclose(y, scipy.signal.lfilter(b, a, x), rtol=0, atol=1e-10)


@pytest.mark.parametrize("n", [900, 6000])
@pytest.mark.parametrize("phase", ["causal", "zero"])
@pytest.mark.parametrize(("precision", "limit"), [("float64", 1e-12), ("float32", 1e-5)])
@pytest.mark.parametrize("by_channel", [False, True])
def test_long_cascades_equal_scipy(n, phase, precision, limit, by_channel, chain, sections) -> None:
    x = noise(n)
    x[1, 400:440] = np.nan
    of_channels = [HUM, NARROW, HUM] if by_channel else [HUM]
    designs = [chain(sections(own), phase=phase) for own in of_channels]
    y = make_program(designs, n_channels=3, precision=precision, method="block").run(x)
    expected = make_program(designs, n_channels=3, method="scipy").run(x)
    np.testing.assert_array_equal(np.isnan(y), np.isnan(expected))
    np.testing.assert_allclose(y, expected, rtol=0, atol=limit * 100)


def test_long_cascades_start_where_an_endless_past_leaves_them(chain, sections) -> None:
    rising = np.vstack([HUM, FLAT])
    rising[-1] = 1.0, 0.0, 0.0, 1.0, -1.0, 0.0
    for rows in (HUM[1:], rising):
        design, x = chain(sections(rows)), noise(5000)
        expected = make_program(design, n_channels=3, method="scipy").run(x)
        np.testing.assert_allclose(
            make_program(design, n_channels=3, method="block").run(x), expected, rtol=0, atol=1e-9
        )


@pytest.mark.parametrize("lengths", [(1, 40, 4100, 859), (5000,)])
def test_blocks_of_a_long_cascade_equal_the_whole(lengths: tuple[int, ...], chain, sections) -> None:
    x = noise(sum(lengths))
    program = make_program(chain(sections(HUM)), n_channels=3, method="block")
    state, found, start = program.start(), [], 0
    for length in lengths:
        y, state = program.step(x[:, start : start + length], state)
        found.append(y)
        start += length
    np.testing.assert_allclose(np.concatenate(found, axis=1), program.run(x), rtol=0, atol=1e-11)


@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_a_view_of_a_long_cascade_is_the_whole(phase: str, chain, sections) -> None:
    x = noise(3000)
    program = make_program(chain(sections(HUM), phase=phase), n_channels=3, method="block")
    after = program.view(x, 0, 1, slice(1000, 2000)).after_min
    np.testing.assert_allclose(after, program.run(x)[:, 1000:2000], rtol=0, atol=1e-10)


@pytest.mark.parametrize(("rate_hz", "q", "kind"), [(44_100, 30, "notch"), (44_100, 30, "peak"), (8000, 3, "peak")])
def test_a_long_cascade_tells_when_it_has_settled(rate_hz: int, q: float, kind: str) -> None:
    part = Comb(frequency_hz=50, q=q, kind=kind).design(rate_hz)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        settled = cascade_settling(part)
    impulse = np.zeros(settled + rate_hz)
    impulse[0] = 1.0
    b, a = scipy.signal.iircomb(50, q, ftype=kind, fs=rate_hz, pass_zero=kind == "peak")
    left = np.cumsum(np.abs(scipy.signal.lfilter(b, a, impulse))[::-1])[::-1]
    needed = int(np.count_nonzero(left > 1e-9))
    assert needed <= settled <= 3 * needed


def test_repeated_poles_of_a_long_cascade_settle_too() -> None:
    rows = np.tile(scipy.signal.butter(2, 40, fs=500, output="sos"), (20, 1))
    settled = cascade_settling(Sections(tuple(map(tuple, rows.tolist()))))
    response = scipy.signal.sosfilt(rows, np.eye(1, 4000)[0])
    needed = int(np.count_nonzero(np.cumsum(np.abs(response)[::-1])[::-1] > 1e-9))
    assert needed <= settled <= 3 * needed < NEVER
