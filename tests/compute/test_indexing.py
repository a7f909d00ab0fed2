"""A file whose first part is shown while the rest is gone through: nothing of the part is taken for the whole."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from jaxscope import readers
from jaxscope.compute import overview_jobs
from jaxscope.compute.conductor import Conductor, ExportRequest
from jaxscope.compute.frames import (
    Busy,
    ExportProgress,
    Failure,
    Frame,
    Grown,
    Indexed,
    LivePosition,
    Opened,
    OverviewFrame,
)
from jaxscope.compute.pyramid_cache import cache_folder
from jaxscope.data.annotations import Annotation
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.errors import ReadError
from jaxscope.filters.montage import Montage
from jaxscope.readers.scans import FirstPart
from jaxscope.session.actions import LookAt, OpenedRecording, SetMontage
from jaxscope.session.actions_live import Play
from jaxscope.session.state import RecordingRef
from jaxscope.session.store import Store

RATE_HZ = 100.0
RNG = np.random.default_rng(0)
WHOLE = RNG.standard_normal((2, 6000))
PART = 1500


def recording(samples: np.ndarray, names: tuple[str, ...] = ("a", "b"), **told: object) -> ArrayRecording:
    return ArrayRecording.from_array(samples, rate_hz=RATE_HZ, names=names, **told)


class Rest:
    """The rest of a file: it comes when the gate is opened."""

    def __init__(self, whole: ArrayRecording | ReadError) -> None:
        self.whole = whole
        self.gate = threading.Event()
        self.is_over = threading.Event()

    def indexing(self):
        try:
            while not self.gate.is_set():
                yield 0.25
                self.gate.wait(0.002)
            if isinstance(self.whole, ReadError):
                raise self.whole
            return self.whole
        finally:
            self.is_over.set()


class Desk:
    """A store and a conductor on its threads, with a file of which the first part is known."""

    def __init__(self, inbox, rest: Rest, path: Path) -> None:
        self.store, self.inbox, self.rest, self.path = Store(), inbox, rest, str(path)
        self.conductor = Conductor(self.store, inbox)
        self.conductor.set_width_px(400, 300)

    def open(self) -> Opened:
        self.conductor.open(self.path)
        opened = self.inbox.wait_opened()
        self.store.dispatch(OpenedRecording(recording=RecordingRef(path=self.path), duration_s=opened.info.duration_s))
        return opened

    def finish(self) -> None:
        self.rest.gate.set()
        self.inbox.wait(Busy, lambda busy: busy.what == "indexing" and busy.done)
        assert self.conductor.wait_idle(30)


@pytest.fixture
def rest():
    """The rest of the file of the desk; a test may put another one in its place before it opens."""
    return Rest(recording(WHOLE, annotations=(Annotation(onset_s=40.0, text="late"),)))


@pytest.fixture
def desk(inbox, rest, tmp_path, monkeypatch):
    path = tmp_path / "night.mseed"
    path.write_bytes(b"x" * 100)

    def open_first_part(_path, **_told):
        return FirstPart(recording=recording(WHOLE[:, :PART]), indexing=rest.indexing())

    monkeypatch.setattr(readers, "open_first_part", open_first_part)
    made = Desk(inbox, rest, path)
    yield made
    made.conductor.shut_down()


def test_the_first_part_is_drawn_before_the_rest_is_known(desk, inbox):
    opened = desk.open()
    assert opened.info.duration_s == PART / RATE_HZ
    inbox.wait(Frame)
    busy = inbox.wait(Busy, lambda one: one.what == "indexing")
    assert (busy.label, busy.share) == ("Indexing night.mseed", 0.25)
    assert not inbox.all(Indexed)
    desk.finish()
    (indexed,), (grown,) = inbox.all(Indexed), inbox.all(Grown)
    assert indexed.recording_id == grown.recording_id == opened.recording_id
    assert indexed.info == grown.info == desk.rest.whole.info
    assert inbox.all(OverviewFrame)[-1].edges_s[-1] == pytest.approx(WHOLE.shape[1] / RATE_HZ)
    assert not inbox.all(Failure)


def test_what_is_read_after_it_comes_from_the_whole(desk, inbox):
    desk.open()
    desk.finish()
    n_frames = len(inbox.all(Frame))

    desk.store.dispatch(LookAt(start_s=50.0, duration_s=2.0))
    assert desk.conductor.wait_idle(30)
    block = inbox.all(Frame)[n_frames:][-1].blocks[0]
    assert block.before.low.max() == pytest.approx(WHOLE[:, 5000:5200].max(), abs=1e-6)


@pytest.mark.parametrize("way", ["close_recording", "give_up_reading", "shut_down"])
def test_closing_in_the_middle_ends_it(desk, inbox, way):
    desk.open()
    inbox.wait(Busy, lambda one: one.what == "indexing")
    getattr(desk.conductor, way)()
    assert desk.rest.is_over.wait(30)
    assert way == "shut_down" or desk.conductor.wait_idle(30)
    desk.conductor.shut_down()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("jaxscope-")]
    assert not inbox.all(Indexed)
    assert inbox.all(Busy)[-1].done


def test_another_recording_ends_it(desk, inbox, tmp_path):
    desk.open()
    inbox.wait(Busy, lambda one: one.what == "indexing")
    first, desk.path = desk.rest, str(tmp_path / "other.mseed")
    desk.conductor.open(desk.path)
    opened = inbox.wait(Opened, lambda one: one.path == desk.path)
    desk.store.dispatch(OpenedRecording(recording=RecordingRef(path=desk.path), duration_s=opened.info.duration_s))
    desk.finish()
    assert first.is_over.is_set()
    assert [one.recording_id for one in inbox.all(Indexed)] == [opened.recording_id]


def test_an_export_waits_for_the_whole(desk, inbox, tmp_path):
    desk.open()
    target = tmp_path / "out.npz"
    job = desk.conductor.export(ExportRequest(path=str(target)))
    inbox.wait(ExportProgress, lambda one: one.job == job)
    inbox.wait(Frame)
    assert not target.exists()
    desk.finish()
    assert inbox.wait(ExportProgress, lambda one: one.done).path == str(target)
    with readers.open_recording(target) as written:
        np.testing.assert_allclose(written.read(0, 10**6), WHOLE, rtol=1e-6)


def test_an_export_that_waits_can_be_given_up(desk, inbox, tmp_path):
    desk.open()
    target = tmp_path / "out.npz"
    jobs = [desk.conductor.export(ExportRequest(path=str(target))) for _ in range(2)]
    desk.conductor.cancel(jobs[0])
    assert [one.cancelled for one in inbox.all(ExportProgress) if one.done] == [True]
    desk.conductor.close_recording()
    assert {one.job for one in inbox.all(ExportProgress) if one.cancelled} == set(jobs)
    assert desk.conductor.wait_idle(30)
    assert not target.exists()


def test_a_rest_that_cannot_be_read_is_said_and_the_part_not_exported_as_the_whole(desk, inbox, tmp_path):
    desk.rest.whole = ReadError("Line 7 holds no number", hint="save it again")
    desk.open()
    target = tmp_path / "out.npz"
    waiting = desk.conductor.export(ExportRequest(path=str(target)))
    desk.finish()
    failure = inbox.wait(Failure)
    assert (failure.sentence, failure.hint) == ("Only the first part is shown: Line 7 holds no number", "save it again")
    later = desk.conductor.export(ExportRequest(path=str(target)))
    refused = inbox.wait(Failure, lambda one: one.what == "export")
    assert refused.sentence.startswith("Only the first part of night.mseed could be read")
    assert {one.job for one in inbox.all(ExportProgress) if one.cancelled} == {waiting, later}
    assert not target.exists()
    assert desk.conductor.is_open(inbox.all(Opened)[0].recording_id)


@pytest.mark.parametrize("names", [("a", "b", "c"), ("c", "a", "b")])
def test_channels_that_come_later_are_told(desk, inbox, names):
    samples = np.vstack([WHOLE, WHOLE[:1] * 2]) if names[0] == "a" else np.vstack([WHOLE[:1] * 2, WHOLE])
    desk.rest.whole = recording(samples, names)
    opened = desk.open()
    inbox.wait(Frame)
    desk.finish()
    again = inbox.all(Opened)[-1]
    assert (again.recording_id, again.is_same) == (opened.recording_id, True)
    assert [one.name for one in again.info.channels] == list(names)
    assert not inbox.all(Grown)
    assert inbox.all(Frame)[-1].blocks[0].channels == (0, 1, 2)
    assert not inbox.all(Failure)


def test_what_a_montage_makes_of_it_is_told(desk, inbox):
    opened = desk.open()
    montage = Montage(kind="formulas", name="two", rows=(("a-b", "a - b"),), others="none")
    desk.store.dispatch(SetMontage(montage=montage))
    shown = inbox.wait(Opened, lambda one: one.is_same)
    assert shown.info.duration_s == PART / RATE_HZ
    desk.finish()
    again = inbox.all(Opened)[-1]
    assert again.recording_id.startswith(opened.recording_id)
    assert [(one.name, one.n_samples) for one in again.info.channels] == [("a-b", WHOLE.shape[1])]
    assert inbox.all(Indexed)[0].info == desk.rest.whole.info


def test_a_signal_that_is_played_goes_on_in_the_whole(desk, inbox):
    desk.open()
    desk.store.dispatch(Play(start_s=0.0))
    desk.conductor.run_on()
    inbox.wait(LivePosition)
    desk.finish()
    desk.conductor.run_on()
    assert desk.conductor.wait_idle(30)
    assert not inbox.all(Failure)
    assert inbox.all(LivePosition)[-1].recording_id == inbox.all(Indexed)[0].recording_id


def test_an_overview_of_a_part_is_not_kept_as_that_of_the_file(desk, inbox, monkeypatch):
    monkeypatch.setattr(overview_jobs, "KEPT_FROM_VALUES", 1)
    desk.open()
    inbox.wait(OverviewFrame, lambda one: one.read_share == 1)
    assert not list(cache_folder().glob("*.npz"))
    desk.finish()
    assert len(list(cache_folder().glob("*.npz"))) == 1


def test_a_file_that_is_followed_needs_no_index_any_more(desk, inbox, tmp_path):
    opened = desk.open()
    target = tmp_path / "out.npz"
    desk.conductor.export(ExportRequest(path=str(target)))
    library = desk.conductor._bench.recordings
    entry = library.get(opened.recording_id)
    assert entry is not None
    entry.recording.replace(recording(WHOLE))
    assert desk.rest.is_over.wait(30)
    assert inbox.wait(ExportProgress, lambda one: one.done).path == str(target)
    assert not inbox.all(Indexed)
    with readers.open_recording(target) as written:
        assert written.info.channels[0].n_samples == WHOLE.shape[1]
