"""What goes with a frame: spectra, agreement, curves, scales, overview, held recordings, devices."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from scipy import signal

from jaxscope.compute.agreement import errors, measure
from jaxscope.compute.demo import demo_chains
from jaxscope.compute.design_job import design_frame
from jaxscope.compute.frames import Blocked
from jaxscope.compute.library import HeldRecording, ProgramLibrary, RecordingLibrary, WindowCache
from jaxscope.compute.overview_jobs import overview_channels
from jaxscope.compute.plan import bucket, plan, visible_channels
from jaxscope.compute.render import render, row_groups
from jaxscope.compute.scales import automatic_scales
from jaxscope.compute.scheduler import Cancelled
from jaxscope.compute.selftest import run_checks
from jaxscope.compute.spectrum import part_length, spectrum_of, sum_of_powers
from jaxscope.compute.workbench import Shown, Wish
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.manual import SectionsSpec
from jaxscope.filters.resonators import Notch
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.state import ChannelLook, Document, SessionState, Viewport

RATE = 256.0
LOW_PASS = FilterChain(stages=(Stage(spec=Butterworth(band="lowpass", order=4, cutoff_hz=30.0)),))


def noise(n_channels=3, n_samples=8000, seed=0):
    return np.random.default_rng(seed).standard_normal((n_channels, n_samples))


def made(x, **options):
    return ArrayRecording.from_array(x, rate_hz=RATE, kinds=["eeg"] * len(x), units="uV", **options)


def shown_of(recording, state, programs):
    entry = RecordingLibrary().add(recording, "made")
    request = plan(state, recording.info, 500)
    rendered = render(request, WindowCache(recording), programs)
    return Shown(wish=Wish(state=state, revision=1, entry=entry, asked_at=0.0), request=request, rendered=rendered)


# --- spectra


def test_powers_equal_welch():
    x = noise(2, 4096)
    length = 512
    total, parts = sum_of_powers(x, length)
    frequencies, welch = signal.welch(x, fs=1.0, nperseg=length, scaling="spectrum", axis=1)
    scale = np.hanning(length + 1)[:-1].sum() ** 2
    own = total / parts / scale * np.where((frequencies == 0) | (frequencies == 0.5), 1, 2)
    np.testing.assert_allclose(own[1:], welch.mean(axis=0)[1:], rtol=1e-9)


def test_parts_with_missing_samples_are_left_out():
    x = noise(1, 4096)
    clean = sum_of_powers(x[:, 1024:], 512)
    x[0, 300] = np.nan
    total, parts = sum_of_powers(x, 512)
    assert np.isfinite(total).all()
    assert parts == 15 - 2
    assert clean[1] == 11


@pytest.mark.parametrize(("n_samples", "rate"), [(10, 1.0), (2560, 256.0), (10**7, 44100.0), (300, 1e4)])
def test_a_part_is_a_power_of_two_not_above_half_the_window(n_samples, rate):
    length = part_length(n_samples, rate)
    assert length & (length - 1) == 0
    assert 8 <= length <= max(8, n_samples // 2)


def test_the_spectra_show_what_the_filter_took_away():
    state = SessionState(document=Document(chains=(LOW_PASS,)), viewport=Viewport(duration_s=20.0))
    frame = spectrum_of(shown_of(made(noise()), state, ProgramLibrary()))
    high = frame.frequencies_hz > 90
    low = (frame.frequencies_hz > 1) & (frame.frequencies_hz < 15)
    assert frame.before_db[1:].max() == 0.0
    assert (frame.before_db - frame.after_db)[high].min() > 30
    assert np.abs(frame.before_db - frame.after_db)[low].max() < 0.5
    assert np.abs(frame.difference_db - frame.before_db)[high].max() < 0.5


# --- agreement


def test_agreement_sees_an_error_of_the_engine():
    recording, programs = made(noise()), ProgramLibrary()
    state = SessionState(document=Document(chains=(LOW_PASS,)), viewport=Viewport(start_s=5.0, duration_s=10.0))
    shown = shown_of(recording, state, programs)
    relative, largest, checked = measure(recording, shown.rendered.samples, programs)
    assert relative < 1e-12
    assert "2 s of 3 channels" in checked
    (part,) = shown.rendered.samples
    wrong = part.after.copy()
    wrong[1, wrong.shape[1] // 2] += 0.5
    relative, largest, _ = measure(recording, (replace(part, after=wrong),), programs)
    assert largest == pytest.approx(0.5)
    assert 0.05 < relative < 0.5


def test_a_number_where_the_reference_has_none_is_infinitely_wrong():
    reference = np.array([[1.0, np.nan, 2.0]])
    assert errors(np.array([[1.0, 3.0, 2.0]]), reference, reference) == (np.inf, np.inf)
    assert errors(reference, reference, reference) == (0.0, 0.0)


# --- curves


def test_a_notch_keeps_its_depth_and_its_handle_lies_on_the_curve():
    chain = FilterChain(
        phase="zero",
        stages=(
            Stage(spec=Notch(frequency_hz=50.0, q=30.0)),
            Stage(spec=Butterworth(band="bandpass", order=4, cutoff_hz=(0.5, 40.0))),
            Stage(spec=Butterworth(band="lowpass", order=2, cutoff_hz=10.0), enabled=False),
        ),
    )
    frame = design_frame(SessionState(document=Document(chains=(chain,))), 7, None)
    assert frame.revision == 7
    assert frame.stages[0].magnitude_db.min() < -60
    assert (np.diff(frame.frequencies_hz) > 0).all()
    handles = {(stage, knob, index): (hertz, level) for hertz, level, stage, knob, index in frame.handles}
    assert set(handles) == {(0, "frequency_hz", None), (1, "cutoff_hz", 0), (1, "cutoff_hz", 1)}
    assert handles[1, "cutoff_hz", 0][1] == pytest.approx(-6.02, abs=0.01)
    hertz, level = handles[1, "cutoff_hz", 1]
    assert np.interp(hertz, frame.frequencies_hz, frame.magnitude_db) == pytest.approx(level, abs=0.1)
    expected = 2 * (frame.stages[0].magnitude_db + frame.stages[1].magnitude_db)
    np.testing.assert_allclose(frame.magnitude_db, np.maximum(expected, -300), atol=1e-6)
    assert frame.delay_text == "No delay"
    assert frame.is_stable


def test_b_and_a_are_the_polynomials_of_the_stage():
    frame = design_frame(SessionState(document=Document(chains=(LOW_PASS,))), 1, None)
    b, a = signal.butter(4, 30.0, fs=256.0)
    np.testing.assert_allclose(frame.stages[0].b, b, rtol=1e-9)
    np.testing.assert_allclose(frame.stages[0].a, a, rtol=1e-9)


def test_a_stage_that_does_not_fit_says_so_and_the_others_have_curves():
    chain = replace(LOW_PASS, stages=(*LOW_PASS.stages, Stage(spec=Notch(frequency_hz=500.0, q=30.0))))
    frame = design_frame(SessionState(document=Document(chains=(chain,))), 1, None)
    assert frame.stages[1].problem
    assert frame.stages[1].problem_field == "frequency_hz"
    assert frame.stages[0].magnitude_db.size == frame.frequencies_hz.size


def test_an_unstable_stage_still_has_a_curve_and_its_radius():
    unstable = Stage(spec=SectionsSpec(rows=((1.0, 0.0, 0.0, 1.0, -2.1, 1.2),)))
    frame = design_frame(SessionState(document=Document(chains=(FilterChain(stages=(unstable,)),))), 1, None)
    assert not frame.is_stable
    assert frame.pole_radius == pytest.approx(np.sqrt(1.2))
    assert np.isfinite(frame.magnitude_db).all()


# --- plan, scales, overview


def test_channels_are_shown_in_order_without_hidden_ones():
    info = made(noise(5, 100)).info
    names = [channel.name for channel in info.channels]
    document = Document(channel_order=(names[3],), looks=((names[0], ChannelLook(hidden=True)),))
    assert visible_channels(SessionState(document=document), info) == (3, 1, 2, 4)
    some = SessionState(document=document, viewport=Viewport(first_lane=9, lane_count=2))
    assert visible_channels(some, info) == (2, 4)


def test_a_bucket_is_never_shorter_and_few():
    lengths = {bucket(n, 1000) for n in range(1, 20_000)}
    assert all(bucket(n, 1000) >= n for n in range(1, 20_000))
    assert len(lengths) <= 42


def test_a_plan_is_a_value():
    info = made(noise()).info
    state = SessionState(document=Document(chains=(LOW_PASS,)))
    assert plan(state, info, 500) == plan(state, info, 500)
    assert not isinstance(plan(state, info, 500), Blocked)


def test_scales_follow_the_typical_channel_not_the_artefact():
    x = 10 * noise(5, 5000)
    x[4] *= 1000
    x[0, 2000] = 1e9
    x += np.linspace(0, 1e3, 5000)
    (scale,) = automatic_scales(made(x)).values()
    assert 40 <= scale <= 200


def test_what_comes_now_and_then_stays_near_its_lane():
    wave = np.sin(np.arange(60 * RATE) * 2 * np.pi / RATE)
    (steady,) = automatic_scales(made(wave[None])).values()
    blinks = wave.copy()
    blinks.reshape(60, -1)[::2, 40:60] *= 10
    (scale,) = automatic_scales(made(blinks[None])).values()
    assert 5 * steady < scale <= 10.1 * steady


def test_a_slow_channel_has_a_scale_of_many_samples_and_units_keep_theirs():
    breath, heat = 900 * np.sin(np.arange(300) * 2 * np.pi / 20), 37 + 0.1 * np.sin(np.arange(300))
    channels = tuple(
        Channel(name=name, unit=unit, kind=kind, rate_hz=1.0, n_samples=300)
        for name, unit, kind in (("Resp", "", "resp"), ("Temp", "DegC", "misc"), ("Marker", "", "misc"))
    )
    info = RecordingInfo(format="test", duration_s=300.0, channels=channels)
    scales = automatic_scales(ArrayRecording(info, [breath, heat, 400 + breath]))
    assert scales["resp"] == pytest.approx(1800, rel=0.4)
    assert scales["misc DegC"] == pytest.approx(0.2, rel=0.2)
    assert scales["misc"] == pytest.approx(1800, rel=0.4)


# --- several rates


def mixed():
    """Return two fast and three slow channels of the same minute."""
    channels = tuple(
        Channel(name=name, kind="eeg", rate_hz=rate_hz, n_samples=int(60 * rate_hz))
        for name, rate_hz in (("fast1", 100.0), ("fast2", 100.0), ("slow1", 1.0), ("slow2", 1.0), ("slow3", 1.0))
    )
    return RecordingInfo(format="test", duration_s=60.0, channels=channels)


def test_the_dock_is_about_the_selected_channel_else_about_the_highest_rate():
    chain = FilterChain(stages=(Stage(spec=Butterworth(order=4, cutoff_hz=0.3)),))
    state = SessionState(document=Document(chains=(chain,)))
    fast = design_frame(state, 1, mixed())
    assert (fast.rate_hz, fast.other_rates_hz) == (100.0, (1.0,))
    assert fast.frequencies_hz[-1] == pytest.approx(50.0)
    chosen = replace(state, viewport=Viewport(selected_channels=("slow2",)))
    slow = design_frame(chosen, 1, mixed())
    assert (slow.rate_hz, slow.other_rates_hz) == (1.0, (100.0,))
    assert slow.stages[0].facts != fast.stages[0].facts


def test_a_curve_does_not_take_over_facts_of_another_rate():
    chain = FilterChain(stages=(Stage(spec=Butterworth(order=4, cutoff_hz=0.3)),))
    state = SessionState(document=Document(chains=(chain,)))
    known = {(0, 0, 256.0): (("Settles within", "of another rate"),)}
    assert design_frame(state, 1, mixed(), words=False, known=known).stages[0].facts == ()
    assert design_frame(state, 1, None, words=False, known=known).stages[0].facts == known[0, 0, 256.0]


def test_the_overview_shows_the_highest_rate():
    state = SessionState(document=Document(chains=(FilterChain(stages=LOW_PASS.stages),)))
    assert overview_channels(state, mixed()) == (100.0, (0, 1))


def test_the_overview_shows_channels_of_the_active_chain():
    info = made(noise(4, 100)).info
    names = [channel.name for channel in info.channels]
    chains = (replace(LOW_PASS, channels=(names[0],)), replace(LOW_PASS, channels=tuple(names[1:])))
    for active, expected in ((0, (0,)), (1, (1, 2, 3))):
        state = SessionState(document=Document(chains=chains), viewport=Viewport(active_chain=active))
        assert overview_channels(state, info) == (RATE, expected)


def test_all_devices_share_the_rows():
    state = SessionState(document=Document(chains=(LOW_PASS,)))
    designs = plan(state, made(noise(5)).info, 100).groups[0].designs
    groups = row_groups(designs, device="cpu:all", precision="float64", method="auto")
    assert [(group.rows, group.key.device) for group in groups] == [((0, 1, 2, 3, 4), "cpu:all")]
    assert ProgramLibrary().get(groups[0].key).device == "cpu:all"


# --- library, demonstration, self-test


def test_a_recording_is_closed_only_when_nobody_reads_it():
    class Slow(ArrayRecording):
        def read(self, start, stop, channels=None):
            reading.set()
            assert go.wait(10)
            return super().read(start, stop, channels)

        def close(self):
            closed.set()

    reading, go, closed = threading.Event(), threading.Event(), threading.Event()
    channel = Channel(name="a", rate_hz=1.0, n_samples=4)
    held = HeldRecording(Slow(RecordingInfo(format="test", duration_s=4.0, channels=(channel,)), [np.arange(4.0)]))
    thread = threading.Thread(target=held.read, args=(0, 4))
    thread.start()
    assert reading.wait(10)
    held.close()
    assert not closed.is_set()
    go.set()
    thread.join(10)
    assert closed.is_set()
    with pytest.raises(Cancelled):
        held.read(0, 1)


def test_the_cache_reads_a_window_once():
    class Counting(ArrayRecording):
        reads = 0

        def read(self, start, stop, channels=None):
            self.reads += 1
            return super().read(start, stop, channels)

    x = noise(2, 1000)
    info = made(x).info
    recording = Counting(info, list(x))
    cache = WindowCache(recording)
    cache.read(100, 500, (0, 1))
    np.testing.assert_array_equal(cache.read(150, 400, (0, 1)), x[:, 150:400])
    assert recording.reads == 1
    np.testing.assert_array_equal(cache.read(50, 400, (0, 1)), x[:, 50:400])
    assert recording.reads == 2
    with pytest.raises(ValueError, match="read-only"):
        cache.read(50, 60, (0, 1))[0, 0] = 1.0


def test_the_demonstration_fits_any_recording():
    slow = ArrayRecording.from_array(noise(2, 100), rate_hz=30.0, kinds=["misc", "ecg"]).info
    chains = demo_chains(slow)
    assert [chain.name for chain in chains] == ["EEG", "ECG"]
    state = SessionState(document=Document(chains=chains))
    assert not isinstance(plan(state, slow, 100), Blocked)
    assert {chain.name for chain in demo_chains()} == {"EEG", "ECG", "EMG"}


def test_the_self_test_passes_here_and_tells_what_failed(monkeypatch):
    from jaxscope.compute import selftest

    def broken(_folder):
        raise OSError("no such library")

    kept = ("resources", "demonstration recording", "filter families", "engine, float32", "EDF", "FLAC", "view")
    monkeypatch.setattr(selftest, "CHECKS", {**{name: selftest.CHECKS[name] for name in kept}, "broken": broken})
    seen = []
    checks = run_checks(lambda share, name: seen.append((share, name)))
    assert [check["name"] for check in checks if not check["passed"]] == ["broken"]
    assert "no such library" in checks[-1]["detail"]
    assert seen[-1] == (1.0, "")
