"""What lies around a window is worked out before the window goes there, and is what its own frame would be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jaxscope.compute import ahead_job
from jaxscope.compute.conductor import Conductor
from jaxscope.compute.fit_job import FitRequest
from jaxscope.compute.frames import Frame
from jaxscope.compute.library import WindowCache
from jaxscope.compute.surroundings import Surroundings
from jaxscope.errors import ReadError
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session import actions as act
from jaxscope.session.state import Document, RecordingRef, SessionState, Viewport
from jaxscope.session.store import Store

RATE_HZ, WIDTH_PX = 200.0, 300


@pytest.fixture
def path(tmp_path):
    """Write two channels of two minutes, with a gap of five missing samples."""
    rng = np.random.default_rng(4)
    x = np.cumsum(rng.standard_normal((2, 24_000)), axis=1)
    x[1, 9_000:9_005] = np.nan
    file = tmp_path / "noise.npz"
    np.savez(file, x=x, rate_hz=RATE_HZ)
    return str(file)


class Desk:
    """A conductor without threads, the outcomes it told, and what was dispatched."""

    def __init__(self, path: str, phase: str = "causal") -> None:
        chain = FilterChain(phase=phase, stages=(Stage(spec=Butterworth(cutoff_hz=20.0)),))
        self.store = Store(
            SessionState(document=Document(chains=(chain,)), viewport=Viewport(start_s=30.0, duration_s=5.0))
        )
        self.told: list[object] = []
        self.conductor = Conductor(self.store, self.told.append, run_inline=True)
        self.conductor.set_width_px(WIDTH_PX, WIDTH_PX)
        self.conductor.open(path)
        self.store.dispatch(act.OpenedRecording(recording=RecordingRef(path=path), duration_s=120.0))
        self.look(30.0)

    def look(self, start_s: float, duration_s: float = 5.0) -> None:
        self.store.dispatch(act.LookAt(start_s=start_s, duration_s=duration_s))

    def newest(self, kind: type) -> object:
        return [one for one in self.told if isinstance(one, kind)][-1]

    def frames(self) -> list[Frame]:
        return [one for one in self.told if isinstance(one, Frame)]


@pytest.fixture(params=["causal", "zero"])
def desk(path, request):
    made = Desk(path, request.param)
    yield made
    made.conductor.shut_down()


def test_surroundings_reach_two_windows_to_either_side(desk):
    around = desk.newest(Surroundings)
    assert (around.start_s, around.stop_s) == (20.0, 45.0)
    assert around.has(desk.store.state, spare_left=2.0, spare_right=2.0)
    assert not around.reaches(19.0, 24.0)


@pytest.mark.parametrize(("start_s", "duration_s"), [(20.0, 5.0), (27.315, 5.0), (40.0, 5.0), (31.2, 4.1), (24.0, 5.9)])
def test_surroundings_show_what_the_frame_of_a_window_within_shows(desk, start_s, duration_s):
    around = desk.newest(Surroundings).frame.blocks[0]
    desk.look(start_s, duration_s)
    own = desk.newest(Frame).blocks[0]
    assert own.bin_samples == around.bin_samples
    places = np.searchsorted(around.times_s, own.times_s - 1e-9)
    np.testing.assert_allclose(around.times_s[places], own.times_s, atol=1e-9)
    inner = slice(1, -1)  # the bins at the ends of a frame may be cut
    for name in ("before", "after"):
        ours, theirs = getattr(around, name), getattr(own, name)
        for low in (True, False):
            one = (ours.low if low else ours.high)[:, places][:, inner]
            other = (theirs.low if low else theirs.high)[:, inner]
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def test_nothing_but_another_window_in_the_same_bins_suits(desk):
    around, state = desk.newest(Surroundings), desk.store.state
    moved = replace(state, viewport=replace(state.viewport, start_s=33.0, cursors_s=(31.0,)))
    assert around.suits(moved, around.frame.recording_id, WIDTH_PX)
    assert not around.suits(moved, "recording-99", WIDTH_PX)
    assert not around.suits(moved, around.frame.recording_id, WIDTH_PX + 1)
    for choice in (
        {"duration_s": 6.0},
        {"duration_s": 2.9},
        {"mode": "difference"},
        {"lock_scales": False},
        {"lane_count": 1},
    ):
        other = replace(moved, viewport=replace(moved.viewport, **choice))
        assert not around.suits(other, around.frame.recording_id, WIDTH_PX), choice
    longer = replace(moved, viewport=replace(moved.viewport, duration_s=5.5))  # in the same bins
    assert around.suits(longer, around.frame.recording_id, WIDTH_PX)
    assert not around.is_as_long(longer)
    edited = replace(moved, document=replace(moved.document, filter_on=False))
    assert not around.suits(edited, around.frame.recording_id, WIDTH_PX)


def test_those_that_are_no_longer_wanted_once_they_are_made_are_told_to_nobody(desk, monkeypatch):
    made, ended = ahead_job.made_frame, []

    def overtaken(bench, shown):
        frame = made(bench, shown)
        bench.around = None  # as where the recording grows
        ended.extend(desk.conductor._scheduler.cancel(lane) for lane in ("ahead", "around"))
        return frame

    monkeypatch.setattr(ahead_job, "made_frame", overtaken)
    desk.told.clear()
    desk.look(90.0)
    assert ended
    assert not [one for one in desk.told if isinstance(one, Surroundings)]


def test_there_are_none_where_scales_follow_the_window(desk):
    desk.store.dispatch(act.SetDisplay(name="lock_scales", value=False))
    desk.told.clear()
    desk.look(60.0)
    assert desk.frames()
    assert not [one for one in desk.told if isinstance(one, Surroundings)]


def test_none_are_made_where_they_would_be_large(path, monkeypatch):
    monkeypatch.setattr(ahead_job, "MOST_VALUES", 1000)
    desk = Desk(path)
    try:
        assert not [one for one in desk.told if isinstance(one, Surroundings)]
        assert desk.frames()
    finally:
        desk.conductor.shut_down()


def test_what_cannot_be_read_around_a_window_is_said_when_somebody_goes_there(path, monkeypatch):
    desk = Desk(path)
    try:
        desk.told.clear()
        original = WindowCache.tile

        def read(self, start, stop, length, channels):
            if start >= 40 * RATE_HZ:
                raise ReadError("the disk is gone", hint="plug it in")
            return original(self, start, stop, length, channels)

        monkeypatch.setattr(WindowCache, "tile", read)
        desk.look(10.0, 4.0)
        assert [type(one).__name__ for one in desk.told if type(one).__name__ == "Failure"] == []
        desk.look(85.0, 4.0)
        assert [one.sentence for one in desk.told if type(one).__name__ == "Failure"][:1] == ["the disk is gone"]
    finally:
        desk.conductor.shut_down()


def test_a_window_that_was_left_is_not_drawn_after_one_far_away(path):
    desk = Desk(path)
    try:
        scheduler, bench = desk.conductor._scheduler, desk.conductor._bench
        scheduler._inline = False  # what is asked for waits
        desk.look(31.0)
        assert scheduler._lanes["still"].pending is not None
        desk.look(90.0)
        scheduler._inline = True
        scheduler._drain()
        assert bench.shown.wish.state.viewport.start_s == 90.0
    finally:
        desk.conductor.shut_down()


def test_what_was_known_before_a_signal_ran_is_forgotten(path, monkeypatch):
    desk = Desk(path)
    try:
        assert desk.conductor._bench.around is not None
        with monkeypatch.context() as patch:
            patch.setattr(desk.conductor._live, "work", lambda *given: lambda token: None)
            desk.look(31.0)
        assert desk.conductor._bench.around is None
    finally:
        desk.conductor.shut_down()


def test_surroundings_too_large_for_the_memory_are_no_failure(path, monkeypatch):
    def none(*given):
        raise MemoryError

    monkeypatch.setattr(ahead_job, "render_steps", none)
    desk = Desk(path)
    try:
        assert desk.frames()
        assert [one for one in desk.told if type(one).__name__ in ("Failure", "Surroundings")] == []
    finally:
        desk.conductor.shut_down()


def test_a_pin_that_is_shown_has_surroundings_too(desk):
    desk.store.dispatch(act.PinChain(chain=0, name="own"))
    desk.store.dispatch(act.SetChains(chains=(FilterChain(stages=(Stage(spec=Butterworth(cutoff_hz=9.0)),)),)))
    own = desk.newest(Surroundings)
    desk.store.dispatch(act.ShowPin(on=True))
    around, state = desk.newest(Surroundings), desk.store.state
    moved = replace(state, viewport=replace(state.viewport, start_s=33.0))
    assert around.suits(moved, around.frame.recording_id, WIDTH_PX)
    assert not own.suits(moved, around.frame.recording_id, WIDTH_PX)


def test_what_is_prepared_for_a_fit_ends_with_its_recording(path):
    desk = Desk(path)
    try:
        conductor = desk.conductor
        lane = conductor._scheduler._lanes["fit-ahead"]
        conductor._scheduler._inline = False  # what is asked for waits
        for leave in (
            lambda: desk.store.dispatch(act.OpenedRecording(recording=RecordingRef(path="other"), duration_s=1.0)),
            conductor.close_recording,
        ):
            conductor.fits.prepare(FitRequest(run=0, state=desk.store.state, chain=0))
            assert lane.pending is not None
            leave()
            assert lane.pending is None
            desk.store.dispatch(act.OpenedRecording(recording=RecordingRef(path=path), duration_s=120.0))
            conductor._bench.shown = object()
    finally:
        conductor._scheduler._inline = True
        desk.conductor.shut_down()


def test_a_filter_that_is_turned_back_to_what_it_was_has_its_frame_without_waiting(path, monkeypatch):
    desk = Desk(path)
    assert desk.newest(Surroundings)
    asked: list[str] = []
    submit = desk.conductor._scheduler.submit
    monkeypatch.setattr(
        desk.conductor._scheduler, "submit", lambda lane, work: asked.append(lane) or submit(lane, work)
    )
    # while a hand is at work nothing is made around a window: what is known is of the filter before
    monkeypatch.setattr(desk.conductor._bench, "around", around := desk.newest(Surroundings))
    for value in (21.0, 20.0):
        desk.store.dispatch(act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=value, merge_key="drag"))
        desk.conductor._bench.around = around
    assert around.suits(desk.store.state, desk.newest(Frame).recording_id, WIDTH_PX)
    assert asked.count("traces") == 2
    assert "still" not in asked
    desk.conductor.shut_down()
