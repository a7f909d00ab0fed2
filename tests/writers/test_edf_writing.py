"""EDF and BDF: limits that never clip, records, gaps, annotations, codes, and what other programs read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import edfio
import numpy as np
import pytest

from jaxscope.data.annotations import Annotation, Gap
from jaxscope.data.recording import Channel, Recording
from jaxscope.errors import WriteError
from jaxscope.readers import open_recording
from jaxscope.writers import WriteRequest, open_writer
from jaxscope.writers.edf_layout import plan_records
from jaxscope.writers.edf_notes import plan_notes


def write(
    path: Path, rows: Sequence[np.ndarray], channels: Sequence[Channel], **changes: object
) -> tuple[Recording, tuple[str, ...]]:
    ranges = tuple((float(np.nanmin(row)), float(np.nanmax(row))) for row in rows)
    request = WriteRequest(channels=tuple(channels), ranges=ranges, **changes)  # type: ignore[arg-type]
    with open_writer(path, request, overwrite=True) as writer:
        for index, row in enumerate(rows):
            writer.write(row, [index])
    return open_recording(path), writer.warnings


def channel(n_samples: int, rate_hz: float = 100.0, **changes: object) -> Channel:
    return Channel(**{"name": "a", "unit": "uV", "rate_hz": rate_hz, "n_samples": n_samples, **changes})  # type: ignore[arg-type]


SIGNALS = {
    "the one that clipped": (-1000.0, 1234.56789),
    "negative": (-987654.321, -987654.0),
    "tiny": (-3.3e-9, 2.2e-9),
    "huge": (-4.4e11, 4.4e11),
    "far from zero": (175927.11, 175952.63),
    "constant": (5.123456789, 5.123456789),
    "zero": (0.0, 0.0),
    "lopsided": (-0.001, 12345.678),
}


@pytest.mark.parametrize("suffix", [".edf", ".bdf"])
@pytest.mark.parametrize("name", list(SIGNALS))
def test_c072_values_come_back_within_a_step_and_unclipped(name: str, suffix: str, tmp_path: Path) -> None:
    low, high = SIGNALS[name]
    row = np.random.default_rng(0).uniform(low, high, 1000)
    row[[10, 20]] = low, high
    recording, warnings = write(tmp_path / f"a{suffix}", [row], [channel(1000)])
    reference = (edfio.read_edf if suffix == ".edf" else edfio.read_bdf)(tmp_path / f"a{suffix}").signals[0]
    bits = 16 if suffix == ".edf" else 24
    step = (reference.physical_max - reference.physical_min) / (2**bits - 2)
    read = recording.read(0, 1000)[0]
    assert np.abs(read - row).max() <= 0.5001 * step + 1e-12 * max(abs(low), abs(high))
    np.testing.assert_allclose(reference.data, read, rtol=1e-12, atol=step * 1e-6)
    assert reference.physical_min <= low <= high <= reference.physical_max
    assert not any("clipped" in warning for warning in warnings)
    if high > low and name not in ("far from zero", "negative"):
        assert step <= 1.4 * (high - low) / (2**bits - 2)


@pytest.mark.parametrize("suffix", [".edf", ".bdf"])
def test_gaps_annotations_start_and_codes_come_back(suffix: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    eeg, slow = rng.standard_normal(2560) * 50, rng.standard_normal(320)
    codes = rng.integers(0, 65536 if suffix == ".edf" else 1 << 24, 2560).astype(float)
    channels = [
        channel(2560, 256.0, name="Fp1", kind="eeg"),
        channel(320, 32.0, name="Temp", unit="C"),
        channel(2560, 256.0, name="Status", unit="", kind="status"),
    ]
    notes = (
        Annotation(onset_s=0.5, duration_s=None, text="eyes open"),
        Annotation(onset_s=3.0, duration_s=2.0, text="Grüße, Ω"),
        Annotation(onset_s=9.75, duration_s=0.0, text="end"),
    )
    gaps = (Gap(start_s=4.0, stop_s=5.125), Gap(start_s=8.125, stop_s=60.0))
    start = datetime(2031, 12, 31, 23, 59, 58, 250000)
    recording, warnings = write(
        tmp_path / f"a{suffix}", [eeg, slow, codes], channels, annotations=notes, gaps=gaps, start=start
    )
    info = recording.info
    assert warnings == ()
    assert info.warnings == ()
    assert info.format == f"{suffix[1:].upper()}+D"
    assert info.start == start
    assert info.annotations == notes
    assert info.gaps == gaps
    assert info.channels == tuple(channels)
    np.testing.assert_array_equal(recording.read(0, 2560, [2])[0], codes)
    assert np.abs(recording.read(0, 2560, [0])[0] - eeg).max() < 0.01


def test_without_gaps_the_file_is_continuous_and_others_read_it(tmp_path: Path) -> None:
    row = np.sin(np.arange(3000) / 10)
    notes = (Annotation(onset_s=1.25, duration_s=2.0, text="é"),)
    recording, _ = write(
        tmp_path / "a.edf", [row], [channel(3000)], annotations=notes, start=datetime(1999, 5, 6, 7, 8, 9)
    )
    assert recording.info.format == "EDF+C"
    other = edfio.read_edf(tmp_path / "a.edf")
    assert other.startdate.isoformat() == "1999-05-06"
    assert other.starttime.isoformat() == "07:08:09"
    assert [(note.onset, note.duration, note.text) for note in other.annotations] == [(1.25, 2.0, "é")]
    assert other.signals[0].sampling_frequency == 100.0
    np.testing.assert_allclose(other.signals[0].data, row, atol=2e-5)


def test_many_and_long_annotations_all_fit(tmp_path: Path) -> None:
    notes = tuple(Annotation(onset_s=index / 7, text=f"{index} " + "x" * (index % 90)) for index in range(700))
    recording, _ = write(tmp_path / "a.edf", [np.zeros(1000)], [channel(1000)], annotations=notes)
    assert [note.text for note in recording.info.annotations] == [note.text for note in notes]
    np.testing.assert_allclose(
        [note.onset_s for note in recording.info.annotations], [note.onset_s for note in notes], atol=1e-9
    )


def test_annotations_before_the_first_sample_and_with_separators_in_them(tmp_path: Path) -> None:
    notes = (Annotation(onset_s=-1.5, text="before"), Annotation(onset_s=2.0, text="a\x14b\0c"))
    recording, _ = write(tmp_path / "a.edf", [np.zeros(1000)], [channel(1000)], annotations=notes)
    assert [(note.onset_s, note.text) for note in recording.info.annotations] == [(-1.5, "before"), (2.0, "a b c")]


def test_an_unknown_start_is_marked_as_unknown(tmp_path: Path) -> None:
    write(tmp_path / "a.edf", [np.zeros(100)], [channel(100)])
    assert (tmp_path / "a.edf").read_bytes()[88:168].startswith(b"Startdate X X X")


def test_a_time_zone_is_left_out_and_told(tmp_path: Path) -> None:
    recording, warnings = write(
        tmp_path / "a.edf", [np.zeros(100)], [channel(100)], start=datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    )
    assert recording.info.start == datetime(2024, 5, 6, 7, 8, 9)
    assert any("time zone" in warning for warning in warnings)


def test_missing_samples_are_lowest_and_told(tmp_path: Path) -> None:
    row = np.sin(np.arange(1000.0))
    row[100:110] = np.nan
    recording, warnings = write(tmp_path / "a.edf", [row], [channel(1000)])
    read = recording.read(0, 1000)[0]
    assert read[100:110].max() < np.nanmin(row)
    np.testing.assert_allclose(np.delete(read, range(100, 110)), row[~np.isnan(row)], atol=2e-5)
    assert any("10 missing samples of a" in warning for warning in warnings)


def test_a_channel_without_any_value_is_written(tmp_path: Path) -> None:
    request = WriteRequest(channels=(channel(100),), ranges=((math.inf, -math.inf),))
    with open_writer(tmp_path / "a.edf", request) as writer:
        writer.write(np.full((1, 100), np.nan))
    assert any("100 missing" in warning for warning in writer.warnings)
    assert open_recording(tmp_path / "a.edf").info.channels[0].n_samples == 100


def test_values_outside_the_range_found_before_are_told(tmp_path: Path) -> None:
    request = WriteRequest(channels=(channel(100),), ranges=((-1.0, 1.0),))
    with open_writer(tmp_path / "a.edf", request) as writer:
        writer.write(np.linspace(-1, 2, 100))
    assert any("33 samples of a lie outside" in warning for warning in writer.warnings)


def test_codes_too_wide_for_edf_keep_their_lower_bits(tmp_path: Path) -> None:
    codes = np.array([0, 1, 0x980001, 65535] * 25, float)
    recording, warnings = write(tmp_path / "a.edf", [codes], [channel(100, name="Status", kind="status", unit="")])
    np.testing.assert_array_equal(recording.read(0, 4)[0], [0, 1, 1, 65535])
    assert any("25 codes of Status need more than 16 bits" in warning for warning in warnings)


def test_names_and_units_that_do_not_fit(tmp_path: Path) -> None:
    names = ["a name of more than sixteen signs 1", "a name of more than sixteen signs 2", "Füße", "x", "x #2"]
    channels = [channel(100, name=name, unit="a unit that is long" if name == "x" else "uV") for name in names]
    recording, warnings = write(tmp_path / "a.edf", [np.zeros(100)] * 5, channels)
    read = [item.name for item in recording.info.channels]
    assert read == ["a name of more t", "a name of more~2", "Fusse", "x", "x #2"]
    (warning,) = [text for text in warnings if "16 plain characters" in text]
    assert "x #2" not in warning


@pytest.mark.parametrize(
    ("rate_hz", "n_samples", "duration", "per_record"),
    [
        (256.0, 256 * 140, "1", 256),
        (256.0, 10_000, "0.78125", 200),
        (100.0, 7, "0.07", 7),
        (0.5, 12, "2", 1),
        (44_100.0, 441_000, "0.5", 22_050),
    ],
)
def test_records_divide_the_recording_where_they_can(
    rate_hz: float, n_samples: int, duration: str, per_record: int
) -> None:
    layout = plan_records([channel(n_samples, rate_hz)], (), 2)
    assert layout.n_filled == 0
    assert layout.rate_error == 0
    assert layout.n_records * layout.samples_per_record[0] == n_samples
    assert Fraction(layout.duration_text) * Fraction(rate_hz) == layout.samples_per_record[0]
    assert len(layout.duration_text) <= 8
    if rate_hz != 256.0 or n_samples != 10_000:
        assert (layout.duration_text, layout.samples_per_record[0]) == (duration, per_record)


def test_a_recording_of_prime_length_is_filled_and_says_so(tmp_path: Path) -> None:
    row = np.sin(np.arange(10_007) / 9)
    recording, warnings = write(tmp_path / "a.edf", [row], [channel(10_007, 256.0)])
    assert recording.info.channels[0].rate_hz == 256.0
    n_samples = recording.info.channels[0].n_samples
    assert n_samples > 10_007
    read = recording.read(0, n_samples)[0]
    np.testing.assert_array_equal(read[10_007:], read[10_006])
    np.testing.assert_allclose(read[:10_007], row, atol=2e-5)
    (note,) = recording.info.annotations
    assert note.text == "filled: last value repeated"
    assert note.onset_s == pytest.approx(10_007 / 256)
    assert note.duration_s == pytest.approx((n_samples - 10_007) / 256)
    assert any(f"up to {n_samples - 10_007:,} samples" in warning for warning in warnings)


@pytest.mark.parametrize(("rate_hz", "n_samples"), [(7000.0, 2599), (48_000.0, 2), (44_100.0, 4), (256.0, 300)])
def test_short_recordings_are_filled_little(rate_hz: float, n_samples: int) -> None:
    layout = plan_records([channel(n_samples, rate_hz)], (), 2)
    assert layout.rate_error == 0
    # 441 samples are the least at 44,100 Hz whose duration is a finite decimal.
    assert layout.n_filled <= (437 if rate_hz == 44_100.0 else max(5, n_samples // 100))


def test_kinds_that_names_do_not_tell_come_back(tmp_path: Path) -> None:
    kinds = ["eeg", "eog", "ecg", "emg", "resp", "audio", "misc"]
    channels = [channel(100, name=f"k{index}", kind=kind) for index, kind in enumerate(kinds)]
    recording, _ = write(tmp_path / "a.edf", [np.zeros(100)] * len(kinds), channels)
    assert [item.kind for item in recording.info.channels] == kinds


def test_a_range_that_eight_characters_cannot_tell_closely_is_told(tmp_path: Path) -> None:
    row = 1.4e18 + np.arange(100) * 1e7
    _, warnings = write(tmp_path / "a.edf", [row], [channel(100)])
    assert any("keeps a in steps of" in warning for warning in warnings)


@pytest.mark.shared
@pytest.mark.parametrize("suffix", [".edf", ".bdf"])
@pytest.mark.parametrize(
    "name",
    [
        "edf/mne_test_uneven_samp.edf",
        "edf/pyedflib_test_subsecond.edf",
        "derived/edfplusD_gap_50s_at_100s.edf",
        "bdf/eeglab_test.bdf",
        "bdf/pyedflib_test_generator_datarec_generator_2.bdf",
    ],
)
def test_real_recordings_come_back(name: str, suffix: str, shared_data: Path, tmp_path: Path) -> None:
    original = open_recording(shared_data / name)
    info = original.info
    rows = [original.read(0, item.n_samples, [index])[0] for index, item in enumerate(info.channels)]
    recording, warnings = write(
        tmp_path / f"a{suffix}", rows, info.channels, annotations=info.annotations, gaps=info.gaps, start=info.start
    )
    copy = recording.info
    assert copy.channels == info.channels
    assert copy.gaps == info.gaps
    assert copy.start == info.start
    assert [(note.onset_s, note.text) for note in copy.annotations] == [
        (pytest.approx(note.onset_s, abs=1e-6), note.text) for note in info.annotations
    ]
    is_cut = suffix == ".edf" and any(
        not item.is_data and row.max() > 65535 for item, row in zip(info.channels, rows, strict=True)
    )
    assert bool(warnings) is is_cut
    for index, (item, row) in enumerate(zip(info.channels, rows, strict=True)):
        read = recording.read(0, item.n_samples, [index])[0]
        if item.is_data:
            assert np.abs(read - row).max() <= np.ptp(row) / (65534 if suffix == ".edf" else 2**24 - 2)
        else:
            np.testing.assert_array_equal(read, row % (65536 if suffix == ".edf" else 1 << 24))


def test_filling_before_a_gap_keeps_both_sides_in_their_place(tmp_path: Path) -> None:
    row = np.arange(35_763) % 1000.0
    gap = Gap(start_s=19_793 / 256, stop_s=81.0)
    recording, _ = write(tmp_path / "a.edf", [row], [channel(35_763, 256.0)], gaps=(gap,))
    (read_gap,) = recording.info.gaps
    assert read_gap.stop_s == 81.0
    assert read_gap.start_s >= gap.start_s
    second = recording.info.timeline.sample_at(81.0, 256.0)
    np.testing.assert_allclose(recording.read(0, 19_793)[0], row[:19_793], atol=0.01)
    np.testing.assert_allclose(recording.read(second, second + 15_970)[0], row[19_793:], atol=0.01)


@pytest.mark.parametrize("rate_hz", [116.98775446533, 1000 / 3, 487.5, 99.97, 1e-3 * 37])
def test_odd_rates_come_back(rate_hz: float, tmp_path: Path) -> None:
    n_samples = 2000
    recording, warnings = write(tmp_path / "a.edf", [np.arange(2000.0)], [channel(n_samples, rate_hz)])
    assert recording.info.channels[0].rate_hz == pytest.approx(rate_hz, rel=1.01e-7)
    assert any("rounds the rates" in text for text in warnings) is (
        abs(recording.info.channels[0].rate_hz / rate_hz - 1) > 1e-9  # type: ignore[operator]
    )


def test_five_rates_in_one_file(tmp_path: Path) -> None:
    rates = [500.0, 250.0, 400.0, 487.5, 499.5]
    rng = np.random.default_rng(2)
    rows = [rng.standard_normal(int(30 * rate)) for rate in rates]
    channels = [channel(len(row), rate, name=f"r{rate}") for row, rate in zip(rows, rates, strict=True)]
    recording, warnings = write(tmp_path / "a.bdf", rows, channels)
    assert warnings == ()
    assert recording.info.channels == tuple(channels)
    for index, row in enumerate(rows):
        np.testing.assert_allclose(recording.read(0, len(row), [index])[0], row, atol=1e-6)


def test_rates_without_a_common_record_are_refused(tmp_path: Path) -> None:
    channels = (channel(1000, 99.9371), channel(1000, 127.1931))
    with pytest.raises(WriteError, match=r"99\.9371, 127\.193 Hz"):
        open_writer(tmp_path / "a.edf", WriteRequest(channels=channels, ranges=((0.0, 1.0),) * 2))
    assert list(tmp_path.iterdir()) == []


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    import tracemalloc

    n_samples = 2_000_000
    request = WriteRequest(channels=(channel(n_samples, 1000.0),), ranges=((-1.0, 1.0),))
    block = np.zeros((1, 50_000))
    with open_writer(tmp_path / "a.bdf", request) as writer:
        tracemalloc.start()
        for _ in range(n_samples // 50_000):
            writer.write(block)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 8_000_000


def test_notes_take_no_more_room_than_they_need() -> None:
    notes = plan_notes([Annotation(onset_s=1.0, text="a")], [0.0, 1.0, 2.0], 3, 2, 0.0)
    assert notes.n_bytes == 30
    assert notes.record(0) == b"+0\x14\x14\0+1\x14a\x14\0".ljust(30, b"\0")
    assert notes.record(2) == b"+2\x14\x14\0".ljust(30, b"\0")


def test_a_loss_in_16_bits_is_measured_and_bdf_named(tmp_path: Path) -> None:
    calm = np.random.default_rng(2).standard_normal(5000)
    spoilt = calm.copy()
    spoilt[100] = 1e6
    for values, suffix, n_told in ((calm, ".edf", 0), (spoilt, ".edf", 1), (spoilt, ".bdf", 0)):
        channel = Channel(name="Fz", unit="uV", kind="eeg", rate_hz=250.0, n_samples=5000)
        request = WriteRequest(channels=(channel,), ranges=((values.min(), values.max()),))
        with open_writer(tmp_path / f"x{suffix}", request, overwrite=True) as writer:
            writer.write(values)
        told = [warning for warning in writer.warnings if "BDF keeps it 256 times finer" in warning]
        assert len(told) == n_told, suffix
    error = open_recording(tmp_path / "x.bdf").read(0, 5000)[0] - spoilt
    assert np.abs(error).max() <= 0.51 * 1e6 / (1 << 24)


def test_what_the_filter_was_is_in_the_header(tmp_path: Path) -> None:
    channel = Channel(name="Fz", rate_hz=250.0, n_samples=500)
    request = WriteRequest(channels=(channel,), ranges=((0.0, 1.0),), filters=("HP:1Hz LP:40Hz N:50Hz",))
    with open_writer(tmp_path / "x.edf", request) as writer:
        writer.write(np.linspace(0, 1, 500))
    import edfio

    assert edfio.read_edf(tmp_path / "x.edf").signals[0].prefiltering == "HP:1Hz LP:40Hz N:50Hz"
