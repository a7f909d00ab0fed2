"""Whole files through chains: the numbers of the whole, the formats, the refusals, and nothing left behind."""

from __future__ import annotations

import hashlib
import json
from contextlib import closing

import numpy as np
import pytest

from jaxscope.compute.batch import BatchOptions, filter_file, run_batch
from jaxscope.compute.designs import design_or_refusal
from jaxscope.compute.spot_check import SpotCheck
from jaxscope.data.annotations import Annotation, Gap
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.engines import scipy_stretch
from jaxscope.engines.program import make_program
from jaxscope.errors import ReadError, SpecError, UsageError, WriteError
from jaxscope.filters.fir import FirWindow
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.simple import Gain
from jaxscope.filters.smoothing import Median, SavitzkyGolay
from jaxscope.filters.spec import FilterChain, Padding, Stage
from jaxscope.readers import open_recording

RATE = 200.0
BAND = (Stage(spec=Butterworth(band="bandpass", order=4, cutoff_hz=(1.0, 40.0))),)


def noise(n_samples=20_000, n_channels=3, seed=0):
    rng = np.random.default_rng(seed)
    return 500.0 + rng.standard_normal((n_channels, n_samples)).cumsum(axis=1) * 0.1


def oracle(x, chain, rate=RATE):
    return make_program(design_or_refusal(chain, rate), n_channels=x.shape[0], method="scipy").run(x)


@pytest.fixture
def npz(tmp_path):
    path = tmp_path / "in.npz"
    x = noise()
    np.savez(path, x=x, rate_hz=RATE)
    return path, x


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(
        "jaxscope.compute.stream.filtered_blocks.__kwdefaults__",
        {
            "first_sample": 0,
            "stop_sample": None,
            "grain": 1024,
            "block_values": 6_144,
            "tick": False,
            "spill_folder": None,
            "exact": False,
        },
    )


@pytest.mark.parametrize(
    ("suffix", "phase"),
    [(".npy", "causal"), (".npy", "zero"), (".csv", "causal"), (".wav", "zero"), (".edf", "zero"), (".bdf", "causal")],
)
def test_every_format_holds_the_filtered_whole(npz, tmp_path, suffix, phase, small_blocks):
    path, x = npz
    chain = FilterChain(phase=phase, stages=BAND)
    target = tmp_path / f"out{suffix}"
    result = filter_file(str(path), str(target), [chain])
    assert set(result) == {
        *("path", "seconds", "n_channels", "n_samples", "method", "device", "precision"),
        *("max_abs_vs_reference", "warnings"),
    }
    y = oracle(x, chain)
    recording = open_recording(target, rate_hz=RATE)
    channels = [n for n, channel in enumerate(recording.info.channels) if channel.name != "time_s"]
    written = recording.read(0, x.shape[1], channels)
    recording.close()
    kept = {".npy": 1e-9, ".csv": 1e-9, ".wav": 1e-6, ".edf": 5e-5, ".bdf": 1e-6}[suffix]
    np.testing.assert_allclose(written, y, atol=kept * np.abs(y).max(), rtol=0)
    assert (result["n_channels"], result["n_samples"]) == x.shape
    assert 0 <= result["max_abs_vs_reference"] < 1e-8


def test_provenance_names_input_chain_and_engine(npz, tmp_path):
    path, _ = npz
    target = tmp_path / "out.npy"
    chain = FilterChain(name="mine", stages=BAND)
    result = filter_file(str(path), str(target), [chain], precision="float32")
    content = json.loads((tmp_path / "out.npy.json").read_text())
    assert content["input"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert content["chains"][0]["name"] == "mine"
    assert content["precision"] == "float32"
    assert content["max_abs_vs_reference"] == result["max_abs_vs_reference"] > 0
    assert [channel["name"] for channel in content["output"]["channels"]]
    assert np.load(target).dtype == np.float32


def test_a_part_has_the_numbers_of_the_whole(npz, tmp_path, small_blocks):
    path, x = npz
    for phase in ("causal", "zero"):
        chain = FilterChain(phase=phase, stages=BAND)
        part, whole = tmp_path / f"part-{phase}.npy", tmp_path / f"whole-{phase}.npy"
        filter_file(str(path), str(whole), [chain])
        filter_file(str(path), str(part), [chain], start_s=30.003, stop_s=42.5)
        np.testing.assert_array_equal(np.load(part), np.load(whole)[:, 6001:8500])
        np.testing.assert_allclose(np.load(part), oracle(x, chain)[:, 6001:8500], atol=1e-6, rtol=0)


def test_scipy_has_no_error_against_itself(npz, tmp_path):
    path, _ = npz
    result = filter_file(str(path), str(tmp_path / "out.npy"), [FilterChain(stages=BAND)], method="scipy")
    assert result["method"] == "scipy"
    assert result["max_abs_vs_reference"] is None


def test_long_taps_are_measured_over_no_more_than_is_compared(npz, tmp_path, monkeypatch):
    path, _ = npz
    summed = []
    products = scipy_stretch._products
    monkeypatch.setattr(scipy_stretch, "_products", lambda taps, x: summed.append(len(x)) or products(taps, x))
    chain = FilterChain(stages=(Stage(spec=FirWindow(band="lowpass", taps=6001, cutoff_hz=20.0)),))
    result = filter_file(str(path), str(tmp_path / "out.npy"), [chain])
    assert 0 < result["max_abs_vs_reference"] < 1e-9
    assert summed == [6000 + 400] * 9  # three spots of two seconds of three channels


def test_missing_samples_in_other_places_are_told(npz, tmp_path, monkeypatch):
    path, _ = npz
    catch = SpotCheck.catch

    def blind(check, group, block):
        catch(check, group, block)
        check._spots[0].values[0] = np.nan

    monkeypatch.setattr(SpotCheck, "catch", blind)
    result = filter_file(str(path), str(tmp_path / "out.npy"), [FilterChain(stages=BAND)])
    assert result["max_abs_vs_reference"] is None
    assert any("differs from SciPy in float64" in sentence for sentence in result["warnings"])


SLOW = {
    "high-pass": (Stage(spec=Butterworth(band="highpass", order=4, cutoff_hz=0.1)),),
    "mixed": (
        Stage(spec=FirWindow(band="lowpass", taps=101)),
        Stage(spec=SavitzkyGolay(window=31, polynomial=3)),
        *BAND,
    ),
    "median": (Stage(spec=Median(window=5)), *BAND),
}


@pytest.mark.parametrize(
    ("name", "padding"),
    [*(("high-pass", kind) for kind in ("odd", "even", "constant", "none")), ("mixed", "odd"), ("median", "even")],
)
def test_zero_phase_through_the_disk_equals_the_whole(monkeypatch, tmp_path, name, padding):
    monkeypatch.setattr("jaxscope.compute.stream.SPILL_VALUES", 10)
    monkeypatch.setattr("jaxscope.compute.zero_spill.PIECE_VALUES", 2_100)
    made = []
    original = __import__("jaxscope.compute.zero_spill", fromlist=["ZeroPhaseSpill"]).ZeroPhaseSpill
    monkeypatch.setattr("jaxscope.compute.stream.ZeroPhaseSpill", lambda *a: made.append(a) or original(*a))
    x = noise(6_000)
    x[1, 2_000:2_050] = np.nan
    path = tmp_path / "in.npz"
    np.savez(path, x=x, rate_hz=RATE)
    chain = FilterChain(phase="zero", padding=Padding(kind=padding), stages=SLOW[name])
    filter_file(str(path), str(tmp_path / "out.npy"), [chain])
    assert made
    written, y = np.load(tmp_path / "out.npy"), oracle(x, chain)
    assert np.array_equal(np.isnan(written), np.isnan(y))
    np.testing.assert_allclose(written, y, atol=1e-7, rtol=0)
    assert not list(tmp_path.glob(".jaxscope*"))


def test_mixed_rates_keep_their_own_rate_in_edf_and_are_refused_elsewhere(tmp_path):
    rng = np.random.default_rng(1)
    arrays = [rng.standard_normal(6000), rng.standard_normal(3000), np.arange(6000) % 2 * 7.0]
    channels = (
        Channel(name="fast", unit="uV", kind="eeg", rate_hz=200.0, n_samples=6000),
        Channel(name="slow", unit="uV", kind="resp", rate_hz=100.0, n_samples=3000),
        Channel(name="STATUS", kind="status", rate_hz=200.0, n_samples=6000),
    )
    recording = ArrayRecording(RecordingInfo(format="test", duration_s=30.0, channels=channels), arrays)
    chain = FilterChain(stages=(Stage(spec=Butterworth(band="lowpass", order=2, cutoff_hz=20.0)),))
    finish(recording, [chain], tmp_path / "out.bdf")
    written = open_recording(tmp_path / "out.bdf")
    rates = {channel.name: (channel.rate_hz, channel.n_samples) for channel in written.info.channels}
    assert rates["fast"] == (200.0, 6000)
    assert rates["slow"] == (100.0, 3000)
    for number, rate in ((0, 200.0), (1, 100.0)):
        y = oracle(arrays[number][None], chain, rate)
        np.testing.assert_allclose(written.read(0, y.shape[1], [number]), y, atol=1e-5, rtol=0)
    np.testing.assert_array_equal(written.read(0, 6000, [2])[0], arrays[2])
    with pytest.raises(WriteError, match="rate"):
        finish(recording, [chain], tmp_path / "out.wav")
    finish(recording, [chain], tmp_path / "out.wav", channels=("slow",))
    assert sorted(item.name for item in tmp_path.glob("out.wav*")) == ["out.wav", "out.wav.json"]


def finish(recording, chains, target, **options):
    steps = run_batch(recording, chains, BatchOptions(source="made", target=str(target), **options))
    shares = []
    try:
        while True:
            shares.append(next(steps))
    except StopIteration as end:
        assert shares == sorted(shares)
        return end.value


@pytest.fixture(autouse=True)
def made_inputs_have_no_hash(monkeypatch):
    def steps(path):
        yield
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""

    monkeypatch.setattr("jaxscope.compute.provenance.hash_steps", steps)
    monkeypatch.setattr("jaxscope.compute.provenance.size_of", lambda path: path.stat().st_size if path.exists() else 0)


def test_gaps_and_events_move_with_the_written_time(tmp_path):
    x = noise(4000, 2)
    recording = ArrayRecording.from_array(
        x,
        rate_hz=RATE,
        kinds=["eeg", "eeg"],
        units="uV",
        gaps=[Gap(start_s=10.0, stop_s=14.0)],
        annotations=[Annotation(onset_s=3.0, text="before"), Annotation(onset_s=8.0, duration_s=1.0, text="inside")],
    )
    chain = FilterChain(stages=BAND)
    finish(recording, [chain], tmp_path / "out.edf", start_s=5.0, stop_s=20.0)
    written = open_recording(tmp_path / "out.edf")
    (gap,) = written.info.gaps
    assert (gap.start_s, gap.stop_s) == pytest.approx((5.0, 9.0))
    assert [(item.onset_s, item.text) for item in written.info.annotations] == [(3.0, "inside")]
    y = np.concatenate([oracle(x[:, :2000], chain), oracle(x[:, 2000:], chain)], axis=1)
    span = y[:, 1000 : 1000 + written.info.channels[0].n_samples]
    np.testing.assert_allclose(written.read(0, span.shape[1], [0, 1]), span, atol=1e-2, rtol=0)


def test_channels_without_a_chain_pass_through(npz, tmp_path):
    path, x = npz
    names = [channel.name for channel in open_recording(path).info.channels]
    filter_file(str(path), str(tmp_path / "out.npy"), [FilterChain(channels=(names[1],), stages=BAND)])
    written = np.load(tmp_path / "out.npy")
    np.testing.assert_array_equal(written[[0, 2]], x[[0, 2]])
    assert np.abs(written[1] - x[1]).max() > 100


def test_no_chain_for_any_channel_is_a_warning(npz, tmp_path):
    path, _ = npz
    result = filter_file(str(path), str(tmp_path / "out.npy"), [FilterChain(channels=("absent",), stages=BAND)])
    assert any("no chain" in sentence for sentence in result["warnings"])


def test_a_recording_without_rate_or_signal_is_refused(tmp_path):
    path = tmp_path / "plain.npy"
    np.save(path, noise(500))
    with pytest.raises(UsageError, match="rate"):
        filter_file(str(path), str(tmp_path / "out.npy"), [FilterChain(stages=BAND)])
    empty = ArrayRecording(RecordingInfo(format="test", duration_s=1.0, channels=()), [])
    with pytest.raises(ReadError, match="no signal"):
        finish(empty, [FilterChain(stages=BAND)], tmp_path / "out.edf")


def test_closing_half_way_leaves_nothing_behind(npz, tmp_path, small_blocks):
    path, _ = npz
    for suffix in (".npy", ".edf"):
        target = tmp_path / f"out{suffix}"
        recording = open_recording(path)
        options = BatchOptions(source=str(path), target=str(target))
        with closing(run_batch(recording, [FilterChain(phase="zero", stages=BAND)], options)) as steps:
            for _ in range(6):
                next(steps)
        recording.close()
    assert [item.name for item in tmp_path.iterdir()] == ["in.npz"]


def test_c045_missing_samples_stay_as_few_as_the_policy_says(tmp_path):
    x = np.random.default_rng(0).standard_normal((1, 6250))
    x[0, :250] = np.nan
    path = tmp_path / "in.npz"
    np.savez(path, x=x, rate_hz=250.0)
    counts = {}
    for gaps in ("propagate", "segment"):
        for kind, spec in (
            ("iir", Butterworth(band="highpass", order=4, cutoff_hz=5.0)),
            ("fir", FirWindow(band="highpass", taps=413, cutoff_hz=5.0)),
        ):
            target = tmp_path / f"{gaps}-{kind}.npy"
            filter_file(str(path), str(target), [FilterChain(gaps=gaps, stages=(Stage(spec=spec),))])
            counts[gaps, kind] = int(np.isnan(np.load(target)).sum())
    assert counts == {
        ("propagate", "iir"): 6250,
        ("propagate", "fir"): 662,
        ("segment", "iir"): 250,
        ("segment", "fir"): 250,
    }


def test_a_refusal_names_the_channel_and_a_short_segment_is_told(tmp_path):
    slow = ArrayRecording.from_array(noise(20, 1), rate_hz=2.0, names=["Temp"], kinds=["misc"])
    with pytest.raises(SpecError, match="Temp"):
        finish(slow, [FilterChain(stages=BAND)], tmp_path / "out.npy")
    short = ArrayRecording.from_array(noise(12, 1), rate_hz=RATE)
    result = finish(short, [FilterChain(phase="zero", stages=BAND)], tmp_path / "out.npy")
    assert any("too short" in sentence for sentence in result["warnings"])
    enough = ArrayRecording.from_array(noise(200, 1), rate_hz=RATE)
    result = finish(enough, [FilterChain(phase="zero", stages=BAND)], tmp_path / "out2.npy")
    assert not any("too short" in sentence for sentence in result["warnings"])


def test_samples_that_become_infinite_are_told_by_their_channel(tmp_path):
    x = np.ones((2, 500))
    x[1, 100:103] = 1.5e308
    x[1, 200] = np.inf
    np.savez(tmp_path / "x.npz", a=x[0], b=x[1], rate_hz=RATE)
    chain = FilterChain(stages=(Stage(spec=Gain(gain=2.0)),))
    for method in ("auto", "scipy"):
        result = filter_file(str(tmp_path / "x.npz"), str(tmp_path / "y.npy"), [chain], overwrite=True, method=method)
        told = [words for words in result["warnings"] if "infinite" in words]
        assert told == ["3 samples of b are infinite after the filter: they are larger than a number can be"]
