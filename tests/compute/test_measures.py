"""Between two cursors: sizes of true samples, from the frame's own or read again, with missing samples left out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import butter, sosfilt, sosfilt_zi

from jaxscope.compute.conductor import Conductor
from jaxscope.compute.frames import Opened
from jaxscope.compute.measure_frames import MeasureFrame
from jaxscope.compute.measures import Tally
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.actions import LookAt, OpenedRecording, SetChains, SetCursors, TurnKnob
from jaxscope.session.state import RecordingRef
from jaxscope.session.store import Store

RATE = 100.0


@pytest.fixture
def samples() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((2, 6000)) + 1e5


@pytest.fixture
def told(tmp_path, samples):
    """Return a store on a filtered recording, and the list of what was measured."""
    path = str(tmp_path / "noise.npz")
    np.savez(path, a=samples[0], b=samples[1], rate_hz=RATE)
    store, got = Store(), []
    conductor = Conductor(store, got.append, run_inline=True)
    conductor.open(path)
    opened = next(outcome for outcome in got if isinstance(outcome, Opened))
    store.dispatch(SetChains(chains=(FilterChain(stages=(Stage(spec=Butterworth(order=2, cutoff_hz=10.0)),)),)))
    store.dispatch(OpenedRecording(recording=RecordingRef(path=path), duration_s=opened.info.duration_s))

    def measured() -> list[MeasureFrame]:
        return [outcome for outcome in got if isinstance(outcome, MeasureFrame)]

    yield store, measured
    conductor.shut_down()


def filtered(x: np.ndarray, cutoff_hz: float = 10.0) -> np.ndarray:
    sos = butter(2, cutoff_hz, fs=RATE, output="sos")
    return np.stack([sosfilt(sos, row, zi=sosfilt_zi(sos) * row[0])[0] for row in x])


def assert_measures(frame: MeasureFrame, x: np.ndarray, y: np.ndarray) -> None:
    for found, wanted in ((frame.before, x), (frame.after, y), (frame.removed, x - y)):
        # the offset of 1e5 leaves 1e-11 of what is taken away
        np.testing.assert_allclose(found.first, wanted[:, 0], rtol=1e-12, atol=1e-9)
        np.testing.assert_allclose(found.last, wanted[:, -1], rtol=1e-12, atol=1e-9)
        np.testing.assert_allclose(found.rms, np.sqrt((wanted**2).mean(axis=1)), rtol=1e-12, atol=1e-9)
        np.testing.assert_allclose(found.deviation, wanted.std(axis=1), rtol=1e-7)
        np.testing.assert_allclose(found.peak_to_peak, np.ptp(wanted, axis=1), rtol=1e-7)


@pytest.mark.parametrize(
    ("window", "cursors_s"),
    [((0.0, 10.0), (2.0, 7.5)), ((30.0, 10.0), (39.0, 31.0)), ((0.0, 2.0), (20.0, 50.0)), ((5.0, 10.0), (1.0, 9.0))],
)
def test_sizes_are_those_of_the_samples_inside_and_outside_of_the_window(told, samples, window, cursors_s):
    store, measured = told
    store.dispatch(LookAt(start_s=window[0], duration_s=window[1]))
    store.dispatch(SetCursors(cursors_s=cursors_s))
    frame = measured()[-1]
    first, last = round(min(cursors_s) * RATE), round(max(cursors_s) * RATE)
    assert (frame.start_s, frame.stop_s) == (min(cursors_s), max(cursors_s))
    assert frame.filtered == (True, True)
    assert_measures(frame, samples[:, first : last + 1], filtered(samples)[:, first : last + 1])


def test_the_nearest_samples_count(told, samples):
    store, measured = told
    store.dispatch(SetCursors(cursors_s=(1.004, 2.006)))
    np.testing.assert_allclose(measured()[-1].before.first, samples[:, 100])
    np.testing.assert_allclose(measured()[-1].before.last, samples[:, 201])


def test_a_turned_knob_measures_again_and_one_cursor_measures_nothing(told, samples):
    store, measured = told
    store.dispatch(SetCursors(cursors_s=(1.0,)))
    assert measured() == []
    store.dispatch(SetCursors(cursors_s=(1.0, 2.0)))
    store.dispatch(TurnKnob(chain=0, stage=0, name="cutoff_hz", value=5.0))
    assert_measures(measured()[-1], samples[:, 100:201], filtered(samples, 5.0)[:, 100:201])


def test_missing_samples_are_left_out_of_the_sizes():
    x = np.array([[1.0, np.nan, 3.0, 5.0], [np.nan, np.nan, np.nan, np.nan]])
    tally = Tally(2)
    for part in (x[:, :1], x[:, 1:]):
        tally.add(part)
    found = tally.finish()
    np.testing.assert_allclose(found.rms, [np.sqrt(35 / 3), np.nan])
    np.testing.assert_allclose(found.peak_to_peak, [4.0, np.nan])
    np.testing.assert_allclose(found.deviation, [np.std([1.0, 3.0, 5.0]), np.nan])
    assert (found.first[0], found.last[0]) == (1.0, 5.0)
