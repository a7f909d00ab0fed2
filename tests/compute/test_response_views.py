"""The views of a chain besides its magnitude, against SciPy and by arithmetic; zeros and poles of a stage."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

from jaxscope.compute.design_job import design_frame
from jaxscope.compute.response_views import MOST_ROOTED_TAPS, plane_or_none, response_curve
from jaxscope.filters import FAMILIES
from jaxscope.filters.coefficients import RunningMedian, Sections, Taps
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.state import Document, SessionState, Viewport

RATE_HZ = 500.0
HZ = np.geomspace(0.5, 249.0, 400)
SOS = scipy.signal.butter(4, 40, fs=RATE_HZ, output="sos")
PARTS = (Sections(tuple(tuple(map(float, row)) for row in SOS)),)


def _curve(view, phase="causal", parts=PARTS):
    return response_curve(view, phase, parts, HZ, RATE_HZ)


def test_the_magnitude_is_no_view_of_its_own() -> None:
    assert _curve("magnitude") is None


def test_the_phase_is_that_of_scipy_and_none_in_zero_phase() -> None:
    _, response = scipy.signal.sosfreqz(SOS, HZ, fs=RATE_HZ)
    curve = _curve("phase")
    np.testing.assert_allclose(curve.y, np.degrees(np.unwrap(np.angle(response))), atol=1e-6)
    assert np.all(_curve("phase", "zero").y == 0)


def test_the_gain_is_that_of_scipy_for_the_passes_in_use() -> None:
    _, response = scipy.signal.sosfreqz(SOS, HZ, fs=RATE_HZ)
    np.testing.assert_allclose(_curve("gain").y, np.abs(response), atol=1e-9)
    np.testing.assert_allclose(_curve("gain", "zero").y, np.abs(response) ** 2, atol=1e-9)


def test_the_step_is_that_of_scipy() -> None:
    step = _curve("step")
    np.testing.assert_allclose(step.y, scipy.signal.sosfilt(SOS, np.ones(step.x.size)), atol=1e-10)
    both = _curve("step", "zero")
    padded = np.r_[np.zeros(4000), np.ones(4000)]
    expected = scipy.signal.sosfilt(SOS, scipy.signal.sosfilt(SOS, padded)[::-1])[::-1]
    middle = both.x.size // 2
    # SciPy's backward pass starts at rest at the far end, whose echo has died away here
    np.testing.assert_allclose(both.y, expected[4000 - middle : 4000 + middle + 1], atol=1e-4)


def test_the_phase_breaks_at_zeros_on_the_circle_only() -> None:
    notch = FAMILIES["notch"](frequency_hz=50.0).parts(RATE_HZ)
    curve = response_curve("phase", "causal", (*notch, *PARTS), np.array([10.0, 50.0, 240.0, 250.0]), RATE_HZ)
    assert list(np.isnan(curve.y)) == [False, True, False, True]


def test_the_phase_of_many_taps_does_not_fold() -> None:
    taps = scipy.signal.firwin(801, 200, fs=RATE_HZ)
    curve = _curve("phase", parts=(Taps(tuple(taps.tolist())),))
    passed = HZ < 190
    np.testing.assert_allclose(curve.y[passed], -360 * HZ[passed] * 400 / RATE_HZ, rtol=1e-6, atol=1e-6)


def test_the_group_delay_is_in_seconds() -> None:
    b, a = scipy.signal.butter(4, 40, fs=RATE_HZ)
    _, samples = scipy.signal.group_delay((b, a), HZ, fs=RATE_HZ)
    np.testing.assert_allclose(_curve("group_delay").y[HZ < 100], samples[HZ < 100] / RATE_HZ, rtol=1e-4)
    assert np.all(_curve("group_delay", "zero").y == 0)


def test_impulse_and_step_end_where_the_filter_has_settled() -> None:
    impulse, step = _curve("impulse"), _curve("step")
    pulse = np.zeros(impulse.x.size)
    pulse[0] = 1
    np.testing.assert_allclose(impulse.y, scipy.signal.sosfilt(SOS, pulse), atol=1e-12)
    assert impulse.x[1] == 1 / RATE_HZ
    assert step.y[-1] == pytest.approx(1.0, abs=0.02)
    both = _curve("impulse", "zero")
    assert both.x[0] == -both.x[-1]
    np.testing.assert_allclose(both.y, both.y[::-1], atol=1e-6)


def test_an_unstable_chain_has_no_impulse_but_a_phase() -> None:
    unstable = (Sections(((1.0, 0.0, 0.0, 1.0, -2.0, 1.1),)),)
    assert _curve("impulse", parts=unstable) is None
    assert _curve("phase", parts=unstable).y.size == HZ.size


def test_zeros_and_poles_are_told_except_where_there_are_none() -> None:
    plane = plane_or_none(PARTS)
    z, p, k = scipy.signal.sos2zpk(SOS)
    np.testing.assert_allclose(np.sort_complex(plane.poles), np.sort_complex(p), atol=1e-12)
    assert len(plane.zeros) == len(z)
    assert plane.gain == pytest.approx(k)
    assert plane_or_none((RunningMedian(5),)) is None
    assert plane_or_none((Taps((1.0,) * (MOST_ROOTED_TAPS + 1)),)) is None


@pytest.mark.parametrize("view", ["magnitude", "gain", "phase", "group_delay", "impulse", "step"])
def test_the_frame_carries_the_view_that_is_looked_at(view: str) -> None:
    stages = (Stage(spec=FAMILIES["butterworth"](cutoff_hz=40.0)), Stage(spec=FAMILIES["notch"](), enabled=False))
    state = SessionState(
        document=Document(chains=(FilterChain(stages=stages),)),
        viewport=Viewport(response_view=view),  # type: ignore[arg-type]
    )
    frame = design_frame(state, 1, None)
    assert frame is not None
    assert (frame.curve is None) if view == "magnitude" else (frame.curve.view == view)
    assert all(curve.plane is not None for curve in frame.stages)


def test_every_notch_of_a_long_comb_is_seen_and_what_lies_between() -> None:
    chain = FilterChain(stages=(Stage(spec=FAMILIES["comb"](frequency_hz=1.0, q=30.0)),))
    frame = design_frame(SessionState(document=Document(chains=(chain,))), 1, None)
    assert frame is not None
    nearest = np.rint(frame.frequencies_hz)
    for multiple in range(1, 128):
        levels = frame.magnitude_db[nearest == multiple]
        assert levels.min() < -100
        assert levels.max() > -0.1


def test_the_curve_reaches_below_every_edge() -> None:
    stages = (Stage(spec=FAMILIES["butterworth"](band="bandpass", cutoff_hz=(0.01, 0.1))),)
    frame = design_frame(SessionState(document=Document(chains=(FilterChain(stages=stages),))), 1, None)
    assert frame is not None
    assert frame.frequencies_hz[0] == pytest.approx(0.0012)
    at_edges = np.interp([0.01, 0.1], frame.frequencies_hz, frame.magnitude_db)
    np.testing.assert_allclose(at_edges, -3.01, atol=0.1)
