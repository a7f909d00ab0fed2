"""A running signal of a window without a window: what it draws, what it tells, and that it begins and ends cleanly."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from jaxscope.compute import live_desk
from jaxscope.compute.conductor import Conductor
from jaxscope.compute.frames import Blocked, Failure, Frame, Grown, LivePosition, Opened
from jaxscope.compute.montaged import montaged
from jaxscope.engines.filter_array import filter_array
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.manual import SectionsSpec
from jaxscope.filters.montage import Montage
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.readers import open_recording
from jaxscope.resource_files import resource_path
from jaxscope.session import actions as act
from jaxscope.session.state import Document, RecordingRef, SessionState
from jaxscope.session.store import Store

LOW = FilterChain(name="low", stages=(Stage(spec=Butterworth(band="lowpass", order=4, cutoff_hz=30.0)),))
UNSTABLE = SectionsSpec(rows=((1.0, 0.0, 0.0, 1.0, -2.2, 1.3),))


class Desk:
    """A conductor on the demonstration (or another file), with a clock for what runs that the test sets."""

    def __init__(self, path: str, chains: tuple[FilterChain, ...], monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        make_file, make_growing = live_desk.FileSource, live_desk.GrowingFileSource
        clock: Callable[[], float] = lambda: self.now  # noqa: E731
        monkeypatch.setattr(live_desk, "FileSource", lambda *args, **how: make_file(*args, clock=clock, **how))
        monkeypatch.setattr(
            live_desk, "GrowingFileSource", lambda *args, **how: make_growing(*args, clock=clock, **how)
        )
        self.told: list[object] = []
        self.path = path
        self.store = Store(SessionState(document=Document(chains=chains)))
        self.conductor = Conductor(self.store, self.told.append, run_inline=True)
        self.conductor.open(path)
        opened = self.of(Opened)[0]
        recording = RecordingRef(path=path)
        self.do(act.OpenedRecording(recording=recording, duration_s=opened.info.duration_s))

    def do(self, action: act.Action) -> None:
        self.store.dispatch(action)

    def go(self, seconds: float, steps: int = 1) -> None:
        for _ in range(steps):
            self.now += seconds / steps
            self.conductor.run_on()

    def of(self, kind: type) -> list:
        return [outcome for outcome in self.told if isinstance(outcome, kind)]

    def after(self, channel: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Return times and After of a channel of the newest frame."""
        block = next(block for block in self.of(Frame)[-1].blocks if channel in block.channels)
        assert block.bin_samples == 1
        assert block.after is not None
        return block.times_s, block.after.low[block.channels.index(channel)]


@pytest.fixture
def open_desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Desk]]:
    made: list[Desk] = []

    def make(path: str = "", chains: tuple[FilterChain, ...] = (LOW,)) -> Desk:
        made.append(Desk(path or str(resource_path("demo.edf")), chains, monkeypatch))
        made[-1].conductor.set_width_px(4000, 400)
        return made[-1]

    yield make
    for desk in made:
        desk.conductor.shut_down()


def offline(path: str, chain: FilterChain, channel: int) -> np.ndarray:
    with open_recording(path) as recording:
        x = recording.read(0, 10**9, [channel])
        return filter_array(x, chain, rate_hz=recording.info.channels[channel].rate_hz or 1.0)[0]


def test_what_is_drawn_is_the_offline_causal_result_up_to_where_it_has_run(open_desk):
    desk = open_desk()
    desk.do(act.LookAt(start_s=20.0, duration_s=5.0, total_s=140.0))
    desk.do(act.Play(start_s=20.0))
    desk.go(3.0, steps=40)
    times_s, after = desk.after()
    position = desk.of(LivePosition)[-1]
    assert position.position_s == pytest.approx(23.0)
    has_run = np.isfinite(after)
    assert times_s[has_run].max() == pytest.approx(23.0, abs=0.1)
    assert times_s[has_run].min() == pytest.approx(20.0, abs=0.05)
    whole = offline(desk.path, LOW, 0)
    samples = np.round(times_s[has_run] * 256).astype(int)
    assert np.abs(after[has_run] - whole[samples]).max() < 1e-7 * np.abs(whole).max()


def test_a_frame_tells_how_far_a_signal_has_run_and_a_picture_of_less_is_not_one_of_the_same_traces(open_desk):
    desk = open_desk()
    desk.do(act.LookAt(start_s=20.0, duration_s=5.0, total_s=140.0))
    still = desk.of(Frame)[-1]
    desk.do(act.Play(start_s=20.0))
    desk.go(2.0, steps=2)
    earlier, later = desk.of(Frame)[-2:]
    assert still.has_run == ()
    assert earlier.made_of == later.made_of, "offsets stand still while it runs"
    assert earlier.has_run != later.has_run
    assert earlier.n_recorded == later.n_recorded == tuple(140 * round(one.rate_hz) for one in later.blocks)


def test_it_plays_at_its_speed_and_ends_where_the_recording_ends(open_desk):
    desk = open_desk()
    desk.do(act.SetSpeed(speed=20.0))
    desk.do(act.Play(start_s=0.0))
    desk.go(2.0)
    assert desk.of(LivePosition)[-1].position_s == pytest.approx(40.0)
    desk.do(act.SetSpeed(speed=0.5))
    desk.go(2.0)
    assert desk.of(LivePosition)[-1].position_s == pytest.approx(41.0)
    desk.do(act.SetSpeed(speed=100.0))
    desk.go(10.0, steps=10)
    assert desk.of(LivePosition)[-1].over


def test_stopping_draws_the_whole_window_again(open_desk):
    desk = open_desk()
    desk.do(act.Play(start_s=0.0))
    desk.go(1.0)
    assert not np.isfinite(desk.after()[1]).all()
    desk.do(act.StopRunning())
    assert np.isfinite(desk.after()[1]).all()


def test_tuning_goes_on_without_a_hole_and_ends_with_the_new_filter(open_desk):
    desk = open_desk()
    desk.do(act.Play(start_s=0.0))
    desk.go(2.0, steps=20)
    for cutoff_hz in (28.0, 20.0, 12.0):
        desk.do(act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=cutoff_hz, merge_key="drag"))
        desk.go(0.1, steps=2)
    desk.go(3.0, steps=20)
    times_s, after = desk.after()
    has_run = np.isfinite(after)
    assert np.all(np.diff(np.flatnonzero(has_run)) == 1)
    chain = replace(LOW, stages=(Stage(spec=Butterworth(band="lowpass", order=4, cutoff_hz=12.0)),))
    old, new = offline(desk.path, LOW, 0), offline(desk.path, chain, 0)
    samples = np.round(times_s * 256).astype(int)
    early, late = has_run & (times_s < 1.9), has_run & (times_s > 2.8)
    assert np.abs(after[early] - old[samples[early]]).max() < 1e-6 * np.abs(old).max()
    assert np.abs(after[late] - new[samples[late]]).max() < 1e-6 * np.abs(new).max()


def test_an_unstable_filter_is_said_once_and_the_last_stable_one_runs_on(open_desk):
    desk = open_desk()
    desk.do(act.Play(start_s=0.0))
    desk.go(1.0, steps=5)
    desk.do(act.ReplaceSpec(chain=0, stage=0, spec=UNSTABLE))
    desk.go(2.0, steps=10)
    assert [blocked.kind for blocked in desk.of(Blocked)] == ["unstable"]
    assert desk.of(Frame)[-1].held
    times_s, after = desk.after()
    has_run = np.isfinite(after)
    assert times_s[has_run].max() > 2.8
    old = offline(desk.path, LOW, 0)
    samples = np.round(times_s[has_run] * 256).astype(int)
    assert np.abs(after[has_run] - old[samples]).max() < 1e-6 * np.abs(old).max()
    desk.do(act.ReplaceSpec(chain=0, stage=0, spec=LOW.stages[0].spec))
    desk.go(0.2, steps=2)
    assert not desk.of(Frame)[-1].held


def test_zero_phase_waits_until_it_may_run_as_causal(open_desk):
    desk = open_desk(chains=(replace(LOW, phase="zero"),))
    desk.do(act.Play(start_s=0.0))
    desk.go(1.0, steps=5)
    position = desk.of(LivePosition)[-1]
    assert (position.future, position.as_causal) == ((0,), False)
    assert desk.of(Frame)[-1].blocks[0].after is None
    desk.do(act.RunAsCausal(on=True))
    desk.go(1.0, steps=5)
    assert desk.of(LivePosition)[-1].as_causal
    times_s, after = desk.after()
    has_run = np.isfinite(after)
    assert times_s[has_run].min() >= 0.9
    causal = offline(desk.path, LOW, 0)
    samples = np.round(times_s[has_run] * 256).astype(int)
    assert np.abs(after[has_run] - causal[samples]).max() < 1e-6 * np.abs(causal).max()
    assert desk.store.state.document.chains[0].phase == "zero"


def growing(tmp_path: Path) -> tuple[Path, Callable[[float], None]]:
    """Return a file that holds ten seconds of the demonstration, and what lets it grow to another length."""
    data = Path(resource_path("demo.edf")).read_bytes()
    header, records = int(data[184:192]), int(data[236:244])
    record, record_s = (len(data) - header) // records, float(data[244:252])
    path = tmp_path / "growing.edf"

    def grow(seconds: float) -> None:
        with path.open("ab") as file:
            file.write(data[path.stat().st_size : header + int(seconds / record_s) * record])

    path.write_bytes(data[:236] + b"-1      " + data[244:header])
    grow(10.0)
    return path, grow


def test_a_file_that_grows_is_followed_and_stays_open_with_its_new_length(open_desk, tmp_path):
    path, grow = growing(tmp_path)
    desk = open_desk(str(path))
    desk.do(act.LookAt(start_s=8.0, duration_s=10.0, total_s=None))
    desk.do(act.FollowFile())
    desk.go(1.0)
    for seconds in (12.0, 15.0, 16.0):
        grow(seconds)
        desk.go(1.0)
        assert desk.of(Grown)[-1].info.duration_s == pytest.approx(seconds)
        assert desk.of(Frame)[-1].n_recorded[0] == round(256 * seconds)
        assert desk.of(LivePosition)[-1].position_s == pytest.approx(seconds)
    times_s, after = desk.after()
    has_run = np.isfinite(after)
    assert times_s[has_run].max() == pytest.approx(16.0, abs=0.1)
    whole = offline(str(path), LOW, 0)
    samples = np.round(times_s[has_run] * 256).astype(int)
    assert np.abs(after[has_run] - whole[samples]).max() < 1e-6 * np.abs(whole).max()
    desk.do(act.StopRunning())
    assert np.isfinite(desk.after()[1]).sum() > 7 * 256


def test_a_file_that_begins_anew_ends_the_following_with_a_sentence(open_desk, tmp_path):
    path, _ = growing(tmp_path)
    desk = open_desk(str(path))
    desk.do(act.FollowFile())
    desk.go(1.0)
    os.truncate(path, path.stat().st_size // 2)
    desk.go(1.0)
    assert "has become shorter" in desk.of(Failure)[-1].sentence
    assert desk.of(LivePosition)[-1].over


def test_it_goes_on_where_it_was_through_another_montage(open_desk):
    desk = open_desk()
    desk.do(act.Play(start_s=0.0))
    desk.go(3.0, steps=6)
    desk.do(act.SetMontage(montage=Montage(kind="average")))
    desk.go(1.0, steps=4)
    assert desk.of(LivePosition)[-1].position_s == pytest.approx(4.0, abs=0.05)
    with open_recording(desk.path) as recording:
        x = montaged(recording, Montage(kind="average")).read(0, 10**9, [0])
    whole = filter_array(x, LOW, rate_hz=256.0)[0]
    times_s, after = desk.after()
    has_run = np.isfinite(after)
    samples = np.round(times_s[has_run] * 256).astype(int)
    assert times_s[has_run].max() > 3.9
    late = times_s[has_run] > 3.0
    assert np.abs(after[has_run] - whole[samples])[late].max() < 1e-6 * np.abs(whole).max()


def test_what_runs_ends_with_its_recording(open_desk):
    desk = open_desk()
    desk.do(act.Play(start_s=0.0))
    desk.go(0.5)
    desk.do(act.OpenedRecording(recording=RecordingRef(path=desk.path), duration_s=140.0))
    told = len(desk.of(LivePosition))
    desk.go(1.0, steps=3)
    assert desk.store.state.live.running == ""
    assert len(desk.of(LivePosition)) == told


def test_it_starts_and_stops_fifty_times_and_closes_while_it_plays():
    told: list[object] = []
    store = Store(SessionState(document=Document(chains=(LOW,))))
    conductor = Conductor(store, told.append)
    path = str(resource_path("demo.edf"))
    conductor.open(path)
    assert conductor.wait_idle(60.0)
    store.dispatch(act.OpenedRecording(recording=RecordingRef(path=path), duration_s=140.0))
    for number in range(50):
        store.dispatch(act.Play(start_s=float(number)))
        conductor.run_on()
        if number % 3:
            time.sleep(0.002)
        store.dispatch(act.StopRunning())
    assert conductor.wait_idle(60.0)
    assert [outcome for outcome in told if isinstance(outcome, Failure)] == []
    store.dispatch(act.Play(start_s=3.0))
    conductor.run_on()
    conductor.shut_down()
    count = len(told)
    conductor.run_on()
    assert len(told) == count
    assert not conductor.has_lost_threads
