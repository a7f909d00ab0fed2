"""Devices: all of them listed with why some are absent, measured one by one, cancelled; what ran is what is said."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.compute.conductor import Conductor
from jaxscope.compute.device_frames import Devices
from jaxscope.compute.frames import Busy, Frame, Opened, Outcome
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.filters import FAMILIES
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session import actions as act
from jaxscope.session.state import Document, RecordingRef, SessionState
from jaxscope.session.store import Store

CHAIN = FilterChain(stages=(Stage(spec=FAMILIES["butterworth"](band="lowpass", order=2, cutoff_hz=20.0)),))


class Room:
    """An inline conductor on a small recording, and what it delivered."""

    def __init__(self) -> None:
        self.heard: list[Outcome] = []
        self.store = Store(SessionState(document=Document(chains=(CHAIN,))))
        self.conductor = Conductor(self.store, self.heard.append, run_inline=True)
        samples = np.random.default_rng(3).normal(size=(4, 2000))
        recording = ArrayRecording.from_array(samples, rate_hz=100.0, kinds=["eeg"] * 4)
        self.conductor._bench.recordings.add(recording, "a.edf")
        self.store.dispatch(act.OpenedRecording(recording=RecordingRef(path="a.edf"), duration_s=20.0))

    def of(self, kind: type) -> list:
        return [outcome for outcome in self.heard if isinstance(outcome, kind)]


@pytest.fixture
def room():
    made = Room()
    yield made
    made.conductor.shut_down()


def test_every_backend_is_listed_and_what_is_absent_says_why(room):
    room.conductor.ask_devices(measure=False)
    (devices,) = room.of(Devices)
    by_id = {choice.id: choice for choice in devices.devices}
    assert {"cpu:0", "cpu:1", "cpu:all", "gpu:0", "tpu:0", "metal:0"} <= set(by_id)
    assert "GiB" in by_id["cpu:0"].detail
    assert by_id["cpu:all"].title == "All 2 CPUs"
    for choice in devices.devices:
        assert choice.available or choice.reason


def test_each_device_is_measured_in_turn_and_the_progress_is_told(room):
    room.conductor.ask_devices(measure=True)
    last = room.of(Devices)[-1]
    there = [choice for choice in last.devices if choice.available]
    assert all(choice.measured_ms is not None and choice.measured_ms > 0 for choice in there)
    told = [busy for busy in room.of(Busy) if busy.what == "measuring"]
    assert [busy.label for busy in told[:-1]] == [
        f"Measuring {choice.title}, {number} of {len(there)}" for number, choice in enumerate(there, start=1)
    ]
    assert told[-1].done
    counts = [sum(choice.measured_ms is not None for choice in devices.devices) for devices in room.of(Devices)]
    assert counts == [0, 1, 2, 3]


def test_every_run_that_counts_filters_and_the_tiles_of_the_window_stay(room, monkeypatch):
    from jaxscope.compute import device_choices, render

    steps, counts = [], []
    real_step, real_render = render.step_rows, device_choices.render
    monkeypatch.setattr(render, "step_rows", lambda *given: (steps.append(None), real_step(*given))[1])

    def counting(*given):
        before = len(steps)
        rendered = real_render(*given)
        counts.append(len(steps) - before)
        return rendered

    monkeypatch.setattr(device_choices, "render", counting)
    (entry,) = room.conductor._bench.recordings._open.values()
    kept = tuple(entry.cache._filtered[0, 1, 2, 3].tiles)
    assert kept
    room.conductor.ask_devices(measure=True)
    assert len(counts) > device_choices.RUNS
    assert min(counts) > 0
    assert tuple(entry.cache._filtered[0, 1, 2, 3].tiles) == kept


def test_measuring_that_is_cancelled_measures_no_further_device(room):
    room.conductor._bench.deliver = lambda outcome: _cancel_at_first_time(room, outcome)
    room.conductor.ask_devices(measure=True)
    measured = [choice for choice in room.of(Devices)[-1].devices if choice.measured_ms is not None]
    assert len(measured) == 1
    assert room.of(Busy)[-1].done


def _cancel_at_first_time(room: Room, outcome: Outcome) -> None:
    room.heard.append(outcome)
    if isinstance(outcome, Devices) and any(choice.measured_ms is not None for choice in outcome.devices):
        room.conductor.stop_measuring()


def test_a_device_that_has_no_room_says_so_and_the_others_are_measured(room, monkeypatch):
    from jaxscope.compute import device_choices

    real = device_choices.measured_ms

    def full(bench, wish, request):
        if request.device == "cpu:1":
            raise MemoryError
        return real(bench, wish, request)

    monkeypatch.setattr(device_choices, "measured_ms", full)
    room.conductor.ask_devices(measure=True)
    by_id = {choice.id: choice for choice in room.of(Devices)[-1].devices}
    assert (by_id["cpu:1"].measured_ms, by_id["cpu:1"].reason) == (None, "CPU 1 has no room for this view")
    assert by_id["cpu:0"].measured_ms is not None
    assert by_id["cpu:all"].measured_ms is not None


@pytest.mark.parametrize(
    ("device", "ran_on"), [("cpu:0", ("cpu:0",)), ("cpu:1", ("cpu:1",)), ("cpu:all", ("cpu:0", "cpu:1"))]
)
def test_what_ran_is_what_the_results_tell(room, device, ran_on):
    room.store.dispatch(act.ChooseEngine(device=device))
    frame = room.of(Frame)[-1]
    assert (frame.device, frame.ran_on) == (device, ran_on)
    assert room.of(Opened) == []


def test_scipy_ran_on_no_device(room):
    room.store.dispatch(act.ChooseEngine(method="scipy"))
    frame = room.of(Frame)[-1]
    assert (frame.method, frame.ran_on) == ("scipy", ())
