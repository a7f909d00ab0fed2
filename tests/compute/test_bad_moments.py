"""Bad moments on the workers: no room on a device, a file that is gone or does not answer, a long compilation."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import jax
import numpy as np
import pytest

from jaxscope.compute.conductor import Conductor
from jaxscope.compute.failures import failure_of
from jaxscope.compute.frames import Blocked, Failure, Frame, Opened, Outcome, Stalled
from jaxscope.compute.read_watch import ReadWatch
from jaxscope.compute.scheduler import Lane, Scheduler
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.engines.trouble import device_trouble
from jaxscope.errors import ReadError
from jaxscope.filters import FAMILIES
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.readers.scans import FirstPart
from jaxscope.session import actions as act
from jaxscope.session.state import Document, RecordingRef, SessionState
from jaxscope.session.store import Store

CHAIN = FilterChain(stages=(Stage(spec=FAMILIES["butterworth"](band="lowpass", order=2, cutoff_hz=20.0)),))


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)


class SlowDisk(ArrayRecording):
    """A recording whose reads hang while the gate is shut."""

    gate: threading.Event
    waiting: threading.Event

    def read(self, start, stop, channels=None):
        if not self.gate.is_set():
            self.waiting.set()
            self.gate.wait(30)
        return super().read(start, stop, channels)


@pytest.fixture
def slow_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowDisk]:
    """Return a recording that opens from any path and answers until its gate is shut."""
    samples = np.random.default_rng(5).normal(size=(3, 60_000))
    made = SlowDisk.from_array(samples, rate_hz=100.0, kinds=["eeg"] * 3)
    made.gate, made.waiting = threading.Event(), threading.Event()
    made.gate.set()
    monkeypatch.setattr("jaxscope.readers.open_first_part", lambda *_, **__: FirstPart(recording=made))
    monkeypatch.setattr("jaxscope.compute.read_watch.STALLED_AFTER_S", 0.05)
    yield made
    made.gate.set()


class Room:
    """A conductor with what it delivered; opens like a window does."""

    def __init__(self) -> None:
        self.heard: list[Outcome] = []
        self.store = Store(SessionState(document=Document(chains=(CHAIN,))))
        self.conductor = Conductor(self.store, self.heard.append)
        self.conductor._watch._after_s = 0.05

    def open(self, path: str) -> None:
        count = len(self.of(Opened))
        self.conductor.open(path)
        wait_until(lambda: len(self.of(Opened)) > count)
        self.store.dispatch(act.OpenedRecording(recording=RecordingRef(path=path), duration_s=600.0))
        wait_until(lambda: bool(self.of(Frame)))
        assert self.conductor.wait_idle(30)

    def stall(self, disk: SlowDisk) -> None:
        """Open, then look where the disk does not answer, until that is told."""
        self.open("a.edf")
        disk.gate.clear()
        count = len(self.of(Stalled))
        self.store.dispatch(act.LookAt(start_s=400.0, duration_s=5.0))
        assert disk.waiting.wait(30)
        wait_until(lambda: len(self.of(Stalled)) > count)

    def of(self, kind: type) -> list:
        return [outcome for outcome in self.heard if isinstance(outcome, kind)]


@pytest.fixture
def room() -> Iterator[Room]:
    made = Room()
    yield made
    made.conductor.shut_down()


@pytest.mark.parametrize(
    ("error", "device", "sentence"),
    [
        (
            jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 3200000000 bytes."),
            "gpu:0",
            "GPU 0 has no room for this view: 3.2 GB needed",
        ),
        (MemoryError(), "cpu:0", "the CPU has no room for this view"),
        (jax.errors.JaxRuntimeError("UNAVAILABLE: device lost"), "gpu:1", "GPU 1 stopped answering"),
        (jax.errors.JaxRuntimeError("INTERNAL: bad thing"), "tpu:0", "JAX could not run this filter on TPU 0"),
    ],
)
def test_trouble_of_a_device_is_one_sentence(error, device, sentence):
    trouble = device_trouble(error, device)
    assert trouble.message == sentence
    assert trouble.hint


def test_other_errors_are_no_trouble_of_a_device():
    assert device_trouble(ValueError("no"), "cpu:0") is None
    assert device_trouble(RuntimeError("RESOURCE_EXHAUSTED"), "cpu:0") is None


def test_while_another_thread_imports_jax_no_error_is_taken_for_one_of_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", ModuleType("jax"))  # as far as its import has come
    assert device_trouble(RuntimeError("RESOURCE_EXHAUSTED"), "cpu:0") is None


def test_a_device_without_room_blocks_and_goes_on_when_there_is_some(room, slow_disk, monkeypatch):
    room.open("a.edf")
    full = jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 9000000000 bytes.")

    def fail(*_: object, **__: object) -> None:
        raise full

    with monkeypatch.context() as patched:
        patched.setattr("jaxscope.compute.trace_job.render_steps", fail)
        room.store.dispatch(act.LookAt(start_s=3.0, duration_s=5.0))
        wait_until(lambda: bool(room.of(Blocked)))
    (blocked,) = room.of(Blocked)
    assert (blocked.kind, blocked.field) == ("device", "memory")
    assert blocked.reason == "the CPU has no room for this view: 9.0 GB needed"
    assert room.of(Failure) == []
    frames = len(room.of(Frame))
    room.conductor.take_up()
    wait_until(lambda: len(room.of(Frame)) > frames)


def test_a_file_that_is_gone_is_named_with_its_path(tmp_path):
    state = SessionState(document=Document(recording=RecordingRef(path=str(tmp_path / "night.edf"))))
    failure = failure_of("traces", ReadError("Input/output error"), state, 4)
    assert (failure.sentence, failure.what) == ("night.edf is not there any more", "frame")
    assert failure.path == str(tmp_path / "night.edf")
    Path(failure.path).write_bytes(b"x")
    assert failure_of("traces", ReadError("it is short"), state, 4).sentence == "it is short"
    assert failure_of("open", ReadError("it is short"), state, 4).path is None
    assert failure_of("after", ValueError("x"), state, 4).details


def test_a_read_that_hangs_is_told_and_told_again_when_it_is_back(room, slow_disk):
    room.stall(slow_disk)
    assert room.of(Stalled)[-1] == Stalled(path="a.edf", seconds=0.05)
    frames = len(room.of(Frame))
    slow_disk.gate.set()
    wait_until(lambda: room.of(Stalled)[-1].over)
    wait_until(lambda: len(room.of(Frame)) > frames)


def test_a_recording_that_does_not_answer_can_be_closed_and_another_opened(room, slow_disk):
    room.stall(slow_disk)
    room.conductor.give_up_reading()
    room.store.dispatch(act.ClosedRecording())
    assert room.conductor.has_lost_threads
    frames = len(room.of(Frame))
    other = ArrayRecording.from_array(np.ones((2, 60_000)), rate_hz=100.0)
    room.conductor._bench.recordings.add(other, "b.edf")
    room.store.dispatch(act.OpenedRecording(recording=RecordingRef(path="b.edf"), duration_s=600.0))
    wait_until(lambda: len(room.of(Frame)) > frames)
    slow_disk.gate.set()
    wait_until(lambda: not room.conductor.has_lost_threads)
    assert room.of(Failure) == []


def test_a_file_that_does_not_even_open_is_told(room, monkeypatch):
    gate = threading.Event()
    monkeypatch.setattr("jaxscope.readers.open_first_part", lambda *_, **__: gate.wait(30))
    room.conductor.open("far.edf")
    wait_until(lambda: bool(room.of(Stalled)))
    assert room.of(Stalled)[0].path == "far.edf"
    room.conductor.give_up_reading()
    gate.set()
    wait_until(lambda: not room.conductor.has_lost_threads)
    assert room.of(Opened) == room.of(Failure) == []


def test_reads_that_come_back_in_time_are_not_told():
    told: list[Stalled] = []
    watch = ReadWatch(told.append, after_s=60.0)
    with watch.reading("a"):
        watch.look()
    watch.shut_down()
    assert told == []


def test_a_thread_that_is_given_up_keeps_what_waits_and_ends_without_a_word():
    gate, begun, done, errors = threading.Event(), threading.Event(), threading.Event(), []
    scheduler = Scheduler((Lane(name="one"), Lane(name="two")), on_error=lambda *told: errors.append(told))

    def hang(token):
        begun.set()
        gate.wait(30)
        raise ValueError("too late")

    scheduler.submit("one", hang)
    assert begun.wait(30)
    scheduler.submit("two", lambda token: done.set())
    scheduler.abandon("compute")
    assert done.wait(30)
    assert scheduler.wait_idle(30)
    assert scheduler.has_lost
    gate.set()
    wait_until(lambda: not scheduler.has_lost)
    assert errors == []
    assert scheduler.shut_down()
