"""The conductor: what a window sees of it, inline and on its real threads."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from jaxscope.compute.conductor import Conductor, ExportRequest
from jaxscope.compute.device_frames import Devices
from jaxscope.compute.export_job import export_work
from jaxscope.compute.frames import (
    AgreementFrame,
    Blocked,
    DesignFrame,
    ExportProgress,
    Failure,
    Frame,
    Opened,
    OverviewFrame,
    SpectrumFrame,
)
from jaxscope.compute.scheduler import Cancelled, CancelToken
from jaxscope.errors import WriteError
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.manual import SectionsSpec, TapsSpec
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.actions import (
    ChooseEngine,
    ClosedRecording,
    LookAt,
    OpenedRecording,
    ReplaceSpec,
    SelectChannels,
    SetChains,
    ToggleFilter,
    TurnKnob,
)
from jaxscope.session.state import RecordingRef
from jaxscope.session.store import Store

RATE = 100.0
UNSTABLE = SectionsSpec(rows=((1.0, 0.0, 0.0, 1.0, -2.1, 1.2),))


def low_pass(cutoff_hz=10.0, phase="causal"):
    return FilterChain(phase=phase, stages=(Stage(spec=Butterworth(band="lowpass", order=2, cutoff_hz=cutoff_hz)),))


@pytest.fixture
def npz(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "noise.npz"
    np.savez(path, a=rng.standard_normal(6000), b=rng.standard_normal(6000), rate_hz=RATE)
    return str(path)


class Desk:
    """A store, an inline conductor and what it delivered."""

    def __init__(self, **options):
        self.store, self.got = Store(), []
        self.conductor = Conductor(self.store, self.got.append, run_inline=True, **options)
        self.conductor.set_width_px(400, 300)

    def open(self, path):
        self.conductor.open(path)
        opened = self.last(Opened)
        self.store.dispatch(OpenedRecording(recording=RecordingRef(path=path), duration_s=opened.info.duration_s))
        return opened

    def all(self, kind):
        return [outcome for outcome in self.got if isinstance(outcome, kind)]

    def last(self, kind):
        found = self.all(kind)
        assert found, [type(outcome).__name__ for outcome in self.got]
        return found[-1]


@pytest.fixture
def desk():
    made = Desk()
    yield made
    made.conductor.shut_down()


def test_opening_shows_before_and_then_everything_else(desk, npz):
    desk.store.dispatch(SetChains(chains=(low_pass(),)))
    opened = desk.open(npz)
    frames = desk.all(Frame)
    assert frames[0].blocks[0].after is None
    last = frames[-1]
    assert last.recording_id == opened.recording_id
    assert last.revision == desk.store.revision
    assert last.settled
    assert last.n_channels == 2
    assert last.method
    assert last.settling_99_s > 0
    assert set(last.scales) == {channel.kind for channel in opened.info.channels}
    assert desk.last(SpectrumFrame).after_db is not None
    assert desk.last(DesignFrame).rate_hz == RATE
    overview = desk.last(OverviewFrame)
    assert overview.read_share == 1.0
    assert overview.filtered_share == 1.0
    assert np.isfinite(overview.after.low).all()
    assert overview.edges_s[-1] == pytest.approx(60.0)
    assert not desk.all(Failure)


def test_agreement_is_measured_against_scipy(desk, npz):
    desk.store.dispatch(ChooseEngine(precision="float32"))
    desk.store.dispatch(SetChains(chains=(low_pass(),)))
    desk.open(npz)
    agreement = desk.last(AgreementFrame)
    assert 0 < agreement.relative_error < 1e-5
    assert "SciPy" in agreement.checked


def test_agreement_is_not_measured_where_the_reference_would_take_too_long(desk, npz, monkeypatch):
    monkeypatch.setattr("jaxscope.compute.agreement.MOST_PRODUCTS", 3_000)
    desk.store.dispatch(SetChains(chains=(FilterChain(stages=(Stage(spec=TapsSpec(values=(0.25,) * 4)),)),)))
    desk.open(npz)
    assert desk.last(AgreementFrame).relative_error is None
    desk.store.dispatch(SetChains(chains=(low_pass(),)))
    assert desk.last(AgreementFrame).relative_error < 1e-9


def test_a_knob_makes_a_newer_frame_and_a_curve(desk, npz):
    desk.store.dispatch(SetChains(chains=(low_pass(),)))
    desk.open(npz)
    before = desk.last(Frame)
    desk.store.dispatch(TurnKnob(chain=0, stage=0, name="cutoff_hz", value=20.0))
    frame = desk.last(Frame)
    assert frame.revision == desk.store.revision > before.revision
    assert not np.array_equal(frame.blocks[0].after.low, before.blocks[0].after.low)
    np.testing.assert_array_equal(frame.blocks[0].before.low, before.blocks[0].before.low)
    design = desk.last(DesignFrame)
    assert design.handles[0][0] == 20.0
    assert design.handles[0][1] == pytest.approx(-3.01, abs=0.01)
    assert design.stages[0].facts
    assert design.report


def test_looking_elsewhere_keeps_the_filter_and_designs_nothing(desk, npz):
    desk.store.dispatch(SetChains(chains=(low_pass(),)))
    desk.open(npz)
    designs = len(desk.all(DesignFrame))
    desk.store.dispatch(LookAt(start_s=30.0, duration_s=2.0))
    frame = desk.last(Frame)
    assert (frame.start_s, frame.stop_s) == (30.0, 32.0)
    assert frame.blocks[0].times_s[0] <= 30.0
    assert len(desk.all(DesignFrame)) == designs


def test_the_dock_stays_at_one_rate_through_a_drag_and_follows_the_selected_channel(desk, shared_data):
    desk.store.dispatch(SetChains(chains=(low_pass(0.3),)))
    desk.open(str(shared_data / "edf" / "edfio_short_psg.edf"))
    opened = desk.last(DesignFrame)
    assert (opened.rate_hz, opened.other_rates_hz) == (100.0, (1.0,))
    assert opened.stages[0].facts
    assert desk.last(SpectrumFrame).frequencies_hz[-1] == pytest.approx(50.0)
    for cutoff_hz in (0.4, 0.45):
        desk.store.dispatch(TurnKnob(chain=0, stage=0, name="cutoff_hz", value=cutoff_hz, merge_key="drag"))
    desk.store.undo()
    assert desk.last(DesignFrame).stages[0].facts == opened.stages[0].facts
    desk.store.dispatch(SelectChannels(names=("Temp rectal",)))
    assert desk.last(DesignFrame).rate_hz == 1.0
    assert desk.last(DesignFrame).stages[0].facts != opened.stages[0].facts
    assert desk.last(SpectrumFrame).frequencies_hz[-1] == pytest.approx(0.5)


def test_an_unstable_filter_blocks_with_its_stage_and_radius(desk, npz):
    desk.store.dispatch(SetChains(chains=(low_pass(),)))
    desk.open(npz)
    frames = len(desk.all(Frame))
    desk.store.dispatch(ReplaceSpec(chain=0, stage=0, spec=UNSTABLE))
    blocked = desk.last(Blocked)
    assert (blocked.kind, blocked.chain, blocked.stage) == ("unstable", 0, 0)
    assert blocked.pole_radius > 1
    assert blocked.revision == desk.store.revision
    assert len(desk.all(Frame)) == frames
    assert not desk.last(DesignFrame).is_stable


def test_a_cutoff_over_nyquist_blocks_at_its_field(desk, npz):
    desk.store.dispatch(SetChains(chains=(low_pass(),)))
    desk.open(npz)
    desk.store.dispatch(TurnKnob(chain=0, stage=0, name="cutoff_hz", value=60.0))
    blocked = desk.last(Blocked)
    assert (blocked.kind, blocked.field, blocked.stage) == ("design", "cutoff_hz", 0)
    assert "50" in blocked.reason
    assert desk.last(DesignFrame).stages[0].problem


def test_a_device_that_is_not_there_blocks(desk, npz):
    desk.store.dispatch(SetChains(chains=(low_pass(),)))
    desk.open(npz)
    desk.store.dispatch(ChooseEngine(device="cpu:77"))
    assert desk.last(Blocked).kind == "device"


def test_filter_off_shows_before_alone(desk, npz):
    desk.store.dispatch(SetChains(chains=(low_pass(),)))
    desk.open(npz)
    desk.store.dispatch(ToggleFilter(on=False))
    assert desk.last(Frame).blocks[0].after is None
    assert desk.last(Frame).revision == desk.store.revision


def test_a_file_that_cannot_be_read_is_a_failure(desk, tmp_path):
    path = tmp_path / "lecture.edf"
    path.write_bytes(b"%PDF-1.4 nothing else")
    desk.conductor.open(str(path))
    failure = desk.last(Failure)
    assert failure.what == "open"
    assert failure.sentence
    assert not failure.details
    desk.conductor.open(str(tmp_path / "absent.edf"))
    assert "not there" in desk.last(Failure).sentence


def test_a_bug_in_a_job_is_told_and_the_rest_goes_on(desk, npz, monkeypatch):
    desk.store.dispatch(SetChains(chains=(low_pass(),)))
    desk.open(npz)
    with monkeypatch.context() as patch:
        patch.setattr("jaxscope.compute.trace_job.plan", lambda *a, **k: 1 / 0)
        desk.store.dispatch(LookAt(start_s=1.0, duration_s=2.0))
    failure = desk.last(Failure)
    assert failure.what == "part"
    assert "ZeroDivisionError" in failure.details
    desk.store.dispatch(LookAt(start_s=2.0, duration_s=2.0))
    assert desk.last(Frame).start_s == 2.0


def test_an_unsettled_frame_is_followed_by_a_settled_one(desk, npz, monkeypatch):
    desk.store.dispatch(SetChains(chains=(FilterChain(stages=(Stage(spec=slow_high_pass()),)),)))
    desk.open(npz)
    desk.store.dispatch(LookAt(start_s=50.0, duration_s=5.0))
    exact = desk.last(Frame).blocks[0].after.low
    monkeypatch.setattr("jaxscope.compute.plan.LIVE_VALUES", 4000)
    for name in ("LEAST_TILE", "MOST_TILE"):  # short tiles, so that a frame does not begin where the recording does
        monkeypatch.setattr(f"jaxscope.compute.plan.{name}", 256)
    monkeypatch.setattr("jaxscope.compute.plan.plan.__kwdefaults__", {"revision": 0, "live_values": 4000})
    count = len(desk.all(Frame))
    desk.store.dispatch(LookAt(start_s=50.01, duration_s=5.0))
    desk.store.dispatch(LookAt(start_s=50.0, duration_s=5.0))
    frames = desk.all(Frame)[count:]
    assert [frame.settled for frame in frames] == [False, True, False, True]
    assert np.abs(frames[2].blocks[0].after.low - exact).max() > 1e-6
    np.testing.assert_allclose(frames[3].blocks[0].after.low, exact, atol=1e-9, rtol=0)


def slow_high_pass():
    return Butterworth(band="highpass", order=2, cutoff_hz=0.05)


def test_devices_are_listed_and_measured(desk, npz):
    desk.store.dispatch(SetChains(chains=(low_pass(),)))
    desk.open(npz)
    desk.conductor.ask_devices(measure=True)
    devices = desk.last(Devices)
    cpu = [choice for choice in devices.devices if choice.id.startswith("cpu")]
    assert [choice.id for choice in cpu] == ["cpu:0", "cpu:1", "cpu:all"]
    assert all(choice.measured_ms > 0 for choice in cpu)
    assert all(choice.reason for choice in devices.devices if not choice.available)
    assert "auto" in devices.methods


def test_export_writes_what_is_shown(desk, npz, tmp_path):
    desk.store.dispatch(SetChains(chains=(low_pass(),)))
    desk.open(npz)
    target = tmp_path / "out.npy"
    job = desk.conductor.export(ExportRequest(path=str(target)))
    done = desk.last(ExportProgress)
    assert (done.job, done.done, done.path) == (job, True, str(target))
    written = np.load(target)
    desk.store.dispatch(LookAt(start_s=10.0, duration_s=3.0))
    block = desk.last(Frame).blocks[0]
    first = round(block.times_s[0] * RATE)
    np.testing.assert_allclose(block.after.low, written[:, first : first + block.times_s.size], atol=1e-9, rtol=0)
    desk.conductor.export(ExportRequest(path=str(target)))
    assert desk.last(Failure).what == "export"


def test_closing_forgets_the_recording(desk, npz):
    desk.open(npz)
    desk.store.dispatch(ClosedRecording())
    count = len(desk.got)
    desk.store.dispatch(LookAt(start_s=1.0, duration_s=1.0))
    assert not [outcome for outcome in desk.got[count:] if isinstance(outcome, Frame)]
    desk.open(npz)
    assert desk.last(Frame).blocks[0].before.low.size


def test_the_same_path_opened_again_is_drawn_anew_and_the_old_file_is_let_go(desk, npz):
    desk.open(npz)
    np.savez(npz, a=np.zeros(3000), rate_hz=RATE)
    opened = desk.open(npz)
    frame = desk.last(Frame)
    assert frame.recording_id == opened.recording_id
    assert frame.revision == desk.store.revision
    assert frame.blocks[0].channels == (0,)
    assert list(desk.conductor._bench.recordings._open) == [opened.recording_id]


def test_a_recording_that_opens_while_another_is_taken_in_stays_open(desk, npz, tmp_path):
    other = str(tmp_path / "other.npz")
    np.savez(other, a=np.ones(3000), rate_hz=RATE)
    desk.conductor.open(npz)
    desk.conductor.open(other)
    for path in (npz, other):
        desk.store.dispatch(OpenedRecording(recording=RecordingRef(path=path), duration_s=30.0))
    frame = desk.last(Frame)
    assert frame.recording_id == desk.last(Opened).recording_id
    assert np.nanmax(frame.blocks[0].before.high) == 1.0


@pytest.mark.parametrize("is_closed", [False, True])
def test_an_export_that_ends_before_it_begins_is_told(desk, npz, tmp_path, is_closed):
    desk.open(npz)
    desk.got.clear()
    work = export_work(desk.conductor._bench, desk.conductor._wish(), ExportRequest(path=str(tmp_path / "a.npy")), 7)
    if is_closed:
        desk.conductor._bench.recordings.keep_only(None)
        with pytest.raises(Cancelled):
            work(CancelToken())
    else:
        work(CancelToken()).close()
    done = desk.last(ExportProgress)
    assert (done.job, done.done, done.cancelled) == (7, True, True)
    assert not list(tmp_path.glob("a.npy*"))


def test_a_recording_that_is_closed_at_once_is_not_open_any_more(desk, npz):
    desk.conductor.open(npz)
    opened = desk.last(Opened)
    assert desk.conductor.is_open(opened.recording_id)
    desk.conductor.close_recording()
    assert not desk.conductor.is_open(opened.recording_id)


def test_two_exports_never_write_one_file(desk, npz, tmp_path):
    desk.open(npz)
    bench, wish = desk.conductor._bench, desk.conductor._wish()
    request = ExportRequest(path=str(tmp_path / "a.npy"))
    first = export_work(bench, wish, request, 1)(CancelToken())
    with pytest.raises(WriteError, match="another export"):
        export_work(bench, wish, request, 2)(CancelToken())
    for _ in first:
        pass
    assert desk.last(ExportProgress).path == request.path
    assert not bench.writing


def test_a_recording_without_a_rate_needs_one(desk, tmp_path):
    path = tmp_path / "plain.npy"
    np.save(path, np.random.default_rng(0).standard_normal((2, 1000)))
    desk.conductor.open(str(path))
    assert "rate" in desk.last(Failure).sentence
    desk.conductor.open(str(path), rate_hz=50.0)
    assert desk.last(Opened).info.channels[0].rate_hz == 50.0


def test_a_hundred_knob_moves_on_real_threads_compile_nothing(npz, inbox):
    store = Store()
    conductor = Conductor(store, inbox)
    try:
        conductor.set_width_px(400, 300)
        conductor.open(npz)
        opened = inbox.wait_opened()
        store.dispatch(SetChains(chains=(low_pass(),)))
        store.dispatch(OpenedRecording(recording=RecordingRef(path=npz), duration_s=opened.info.duration_s))
        inbox.wait_frame(store.revision)
        store.dispatch(TurnKnob(chain=0, stage=0, name="cutoff_hz", value=11.0))
        inbox.wait_frame(store.revision)
        compiled = conductor.compilations()
        for move in range(100):
            store.dispatch(TurnKnob(chain=0, stage=0, name="cutoff_hz", value=12.0 + move / 10, merge_key="drag"))
        frame = inbox.wait_frame(store.revision)
        assert frame.revision == store.revision
        assert conductor.compilations() == compiled
    finally:
        conductor.shut_down()


def test_fifty_conductors_end_at_any_moment(npz):
    for number in range(50):
        store = Store()
        conductor = Conductor(store, lambda outcome: None)
        conductor.set_width_px(300, 300)
        conductor.open(npz)
        if number % 2:
            store.dispatch(SetChains(chains=(low_pass(10.0 + number / 10),)))
            store.dispatch(OpenedRecording(recording=RecordingRef(path=npz), duration_s=60.0))
        conductor.shut_down()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("jaxscope")]
