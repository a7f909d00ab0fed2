"""Every format of the table: block by block equals at once, nothing half-written stays, and errors are sentences."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from jaxscope.data.annotations import Annotation, Gap
from jaxscope.data.recording import Channel
from jaxscope.errors import WriteError
from jaxscope.readers import open_recording
from jaxscope.writers import SUFFIXES, WRITERS, WriteRequest, format_for, open_writer

N_SAMPLES = 5000
NAMES = list(WRITERS)
#: What keeps samples alone, as its warnings say.
WITHOUT_NAMES = (".wav", ".npy")


def samples_of(n_channels: int = 3, n_samples: int = N_SAMPLES) -> np.ndarray:
    return np.random.default_rng(4).standard_normal((n_channels, n_samples)) * [[100.0], [1.0], [1e-3]][:n_channels]


def request_for(samples: np.ndarray, rate_hz: float = 250.0, **changes: object) -> WriteRequest:
    names = ("Fp1", "resp", "x, y")
    channels = tuple(
        Channel(name=names[index], unit="uV", kind="eeg", rate_hz=rate_hz, n_samples=samples.shape[1])
        for index in range(samples.shape[0])
    )
    ranges = tuple((float(row.min()), float(row.max())) for row in samples)
    return WriteRequest(channels=channels, ranges=ranges, **changes)  # type: ignore[arg-type]


#: What each format keeps beside samples, names and rates.
START = datetime(2024, 5, 6, 7, 8, 9)
KEEPS_UNITS = (".edf", ".bdf", ".vhdr", ".h5", ".mat", ".flac", ".npz", ".parquet")


def told_request(samples: np.ndarray, **changes: object) -> WriteRequest:
    notes = (Annotation(onset_s=1.0, duration_s=0.5, text="Stimulus/S 1"), Annotation(onset_s=3.0, text="Comment/äöü"))
    return request_for(samples, start=START, annotations=notes, history="Butterworth, 40 Hz", **changes)


@pytest.fixture(params=NAMES)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (suffix,) = [suffix for suffix, name in SUFFIXES.items() if name == request.param][:1]
    return tmp_path / f"out{suffix}"


def tolerance(path: Path, samples: np.ndarray) -> np.ndarray:
    span = samples.max(axis=1, keepdims=True) - samples.min(axis=1, keepdims=True)
    return {
        ".edf": 0.51 * span / 65000,
        ".bdf": 0.51 * span / (65000 * 256),
        ".wav": np.abs(samples) * 2.0**-24,
        ".vhdr": np.abs(samples) * 2.0**-24,
        ".flac": 0.51 * 2.0**-23 * 2.0 ** np.ceil(np.log2(np.abs(samples).max())) + 0.0 * span,
    }.get(path.suffix, 0.0 * span)


def test_what_is_written_reads_back(path: Path) -> None:
    samples = samples_of()
    with open_writer(path, request_for(samples)) as writer:
        writer.write(samples)
    recording = open_recording(path, rate_hz=250.0)
    assert {channel.rate_hz for channel in recording.info.channels} == {250.0}
    read = recording.read(0, 10**9)
    assert read.shape == samples.shape
    assert np.all(np.abs(read - samples) <= tolerance(path, samples))
    if path.suffix not in WITHOUT_NAMES:
        assert [channel.name for channel in recording.info.channels] == ["Fp1", "resp", "x, y"]


def test_units_start_and_events_come_back_where_the_format_keeps_them_and_are_missed_aloud_elsewhere(
    path: Path,
) -> None:
    samples = samples_of()
    request = told_request(samples)
    with open_writer(path, request) as writer:
        writer.write(samples)
    info = open_recording(path, rate_hz=250.0).info
    if path.suffix not in KEEPS_UNITS:
        assert any("keeps no" in warning for warning in writer.warnings)
        return
    assert [channel.unit for channel in info.channels] == ["uV"] * 3
    assert info.start == START
    assert [note.text for note in info.annotations] == ["Stimulus/S 1", "Comment/äöü"]
    assert [note.onset_s for note in info.annotations] == [1.0, 3.0]
    assert info.annotations[0].duration_s == 0.5
    assert not [warning for warning in info.warnings if "jaxscope" in warning or "left out" in warning]


def test_gaps_come_back_or_are_told(path: Path) -> None:
    samples = samples_of()
    with open_writer(path, told_request(samples, gaps=(Gap(start_s=4.0, stop_s=9.0),))) as writer:
        writer.write(samples)
    info = open_recording(path, rate_hz=250.0).info
    if info.gaps:
        ((start_s, stop_s),) = [(gap.start_s, gap.stop_s) for gap in info.gaps]
        assert (start_s, stop_s) == (pytest.approx(4.0), pytest.approx(9.0))
        assert info.duration_s == pytest.approx(25.0)
    else:
        assert any("keeps no times" in warning for warning in writer.warnings)


def test_missing_samples_are_missing_or_counted(path: Path) -> None:
    samples = samples_of()
    samples[1, 40:45] = np.nan
    ranges = tuple((float(np.nanmin(row)), float(np.nanmax(row))) for row in samples)
    with open_writer(path, replace(request_for(samples), ranges=ranges)) as writer:
        writer.write(samples)
    read = open_recording(path, rate_hz=250.0).read(0, N_SAMPLES)
    if np.isnan(read[1, 40:45]).all():
        assert np.count_nonzero(np.isnan(read)) == 5
    else:
        assert any("5 missing samples" in warning for warning in writer.warnings)


def test_what_is_written_is_what_others_read(path: Path) -> None:
    samples = samples_of()
    with open_writer(path, told_request(samples)) as writer:
        writer.write(samples)
    found = OTHERS[path.suffix](path)
    assert found.shape == samples.shape
    assert np.all(np.abs(found - samples) <= tolerance(path, samples) + 1e-12 * np.abs(samples))


def _by_mne(path: Path) -> np.ndarray:
    mne = pytest.importorskip("mne", reason="MNE is not installed (the extra eeg)")
    readers = {".edf": "read_raw_edf", ".bdf": "read_raw_bdf", ".vhdr": "read_raw_brainvision"}
    raw = getattr(mne.io, readers[path.suffix])(path, verbose="ERROR")
    return raw.get_data()[:3] * 1e6  # type: ignore[no-any-return]


def _by_soundfile(path: Path) -> np.ndarray:
    import json

    import soundfile

    with soundfile.SoundFile(path) as file:
        scale = json.loads(file.comment)["full_scale"] if path.suffix == ".flac" else [1.0] * 3
        return file.read(always_2d=True).T * np.array(scale)[:, np.newaxis]  # type: ignore[no-any-return]


def _by_h5py(path: Path) -> np.ndarray:
    h5py = pytest.importorskip("h5py", reason="HDF5 needs h5py")
    with h5py.File(path) as file:
        assert file["data"].attrs["rate_hz"] == 250.0
        assert list(file["data"].attrs["labels"]) == ["Fp1", "resp", "x, y"]
        return file["data"][:]  # type: ignore[no-any-return]


def _by_scipy(path: Path) -> np.ndarray:
    import scipy.io

    content = scipy.io.loadmat(path)
    assert content["fs"].item() == 250.0
    assert [cell[0].item() for cell in content["labels"]] == ["Fp1", "resp", "x, y"]
    return content["data"]  # type: ignore[no-any-return]


def _by_numpy(path: Path) -> np.ndarray:
    content = np.load(path)
    if path.suffix == ".npy":
        return content  # type: ignore[no-any-return]
    assert content["rate_hz"].item() == 250.0
    assert content["names"].tolist() == ["Fp1", "resp", "x, y"]
    return content["data"]  # type: ignore[no-any-return]


def _by_polars(path: Path) -> np.ndarray:
    import polars as pl

    frame = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path)
    assert frame.columns == ["time_s", "Fp1", "resp", "x, y"]
    np.testing.assert_array_equal(frame["time_s"].to_numpy(), np.arange(N_SAMPLES) / 250.0)
    return frame.drop("time_s").to_numpy().T


OTHERS: dict[str, Callable[[Path], np.ndarray]] = {
    ".edf": _by_mne,
    ".bdf": _by_mne,
    ".vhdr": _by_mne,
    ".h5": _by_h5py,
    ".mat": _by_scipy,
    ".wav": _by_soundfile,
    ".flac": _by_soundfile,
    ".npy": _by_numpy,
    ".npz": _by_numpy,
    ".parquet": _by_polars,
    ".csv": _by_polars,
}


def test_blocks_of_any_length_write_the_same_bytes(path: Path) -> None:
    samples = samples_of()
    with open_writer(path, request_for(samples)) as writer:
        writer.write(samples)
    whole = path.read_bytes()
    rng = np.random.default_rng(6)
    with open_writer(path, request_for(samples), overwrite=True) as writer:
        place = 0
        while place < N_SAMPLES:
            n_samples = int(rng.integers(0, 700))
            writer.write(samples[:, place : place + n_samples])
            place += n_samples
    pieces = path.read_bytes()
    if path.suffix == ".wav":  # its peak chunk holds the time of writing
        whole, pieces = whole[-samples.size * 4 :], pieces[-samples.size * 4 :]
    assert pieces == whole


def test_channels_that_come_in_turn_write_the_same_bytes(path: Path) -> None:
    samples = samples_of()
    with open_writer(path, request_for(samples)) as writer:
        writer.write(samples)
    whole = path.read_bytes()
    with open_writer(path, request_for(samples), overwrite=True) as writer:
        for start in range(0, N_SAMPLES, 700):
            writer.write(samples[[2, 0], start : start + 700], [2, 0])
            writer.write(samples[1, start : start + 350], [1])
            writer.write(samples[1, start + 350 : start + 700], [1])
    pieces = path.read_bytes()
    if path.suffix == ".wav":
        whole, pieces = whole[-samples.size * 4 :], pieces[-samples.size * 4 :]
    assert pieces == whole


def test_nothing_stays_when_writing_fails(path: Path) -> None:
    samples = samples_of()

    def write_and_stop() -> None:
        with open_writer(path, request_for(samples)) as writer:
            writer.write(samples[:, :100])
            assert len(list(path.parent.iterdir())) == 1 + len(format_for(path).companions)
            assert not path.exists()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_and_stop()
    assert list(path.parent.iterdir()) == []


def test_the_old_file_stays_until_the_new_one_is_whole(path: Path) -> None:
    samples = samples_of()
    path.write_bytes(b"old")
    with pytest.raises(WriteError, match="exists"):
        open_writer(path, request_for(samples))
    with (
        pytest.raises(WriteError, match="100 of 5,000 samples"),
        open_writer(path, request_for(samples), overwrite=True) as writer,
    ):
        writer.write(samples[:, :100])
    assert path.read_bytes() == b"old"
    with open_writer(path, request_for(samples), overwrite=True) as writer:
        writer.write(samples)
        assert path.read_bytes() == b"old"
    files = {path, *(path.with_suffix(suffix) for suffix in format_for(path).companions)}
    assert sum(len(file.read_bytes()) for file in files) > 1000
    assert set(path.parent.iterdir()) == files


def test_the_output_has_the_rights_of_a_new_file(path: Path) -> None:
    plain = path.with_name("plain")
    plain.touch()
    samples = samples_of()
    with open_writer(path, request_for(samples)) as writer:
        writer.write(samples)
    assert path.stat().st_mode == plain.stat().st_mode


def test_too_many_samples_are_refused(path: Path) -> None:
    samples = samples_of()
    with pytest.raises(WriteError, match="More samples"), open_writer(path, request_for(samples)) as writer:
        writer.write(np.hstack([samples, samples[:, :1]]))
    assert not path.exists()


def test_a_full_disk_is_a_sentence_before_a_byte_is_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 9, 1))  # type: ignore[attr-defined]
    with pytest.raises(WriteError, match="Not enough room"):
        open_writer(path, request_for(samples_of()))
    assert list(path.parent.iterdir()) == []


def test_a_disk_that_fills_while_writing_is_a_sentence(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = samples_of()
    writer = open_writer(path, request_for(samples))

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writer, "_write", refuse)
    with pytest.raises(WriteError, match="No space left on device"), writer:
        writer.write(samples)
    assert list(path.parent.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_no_permission_is_a_sentence(path: Path) -> None:
    path.parent.chmod(0o500)
    with pytest.raises(WriteError, match="No permission"):
        open_writer(path, request_for(samples_of()))


def test_places_that_cannot_be(path: Path) -> None:
    samples = samples_of()
    with pytest.raises(WriteError, match="is not there"):
        open_writer(path.parent / "none" / path.name, request_for(samples))
    path.mkdir()
    with pytest.raises(WriteError, match="is a folder"):
        open_writer(path, request_for(samples))


def test_the_size_that_is_announced_is_enough(path: Path) -> None:
    samples = samples_of()
    request = request_for(samples, annotations=(Annotation(onset_s=1.0, text="a" * 300),))
    with open_writer(path, request) as writer:
        writer.write(samples)
    assert path.stat().st_size <= format_for(path).n_bytes(request) * 1.1


def test_channels_without_a_rate_or_none_at_all_are_refused(path: Path) -> None:
    with pytest.raises(WriteError, match="no channel"):
        open_writer(path, WriteRequest(channels=(), ranges=()))
    empty = Channel(name="a", rate_hz=10.0, n_samples=0)
    with pytest.raises(WriteError, match="no samples"):
        open_writer(path, WriteRequest(channels=(empty,), ranges=((0.0, 1.0),)))
    channel = Channel(name="a", rate_hz=None, n_samples=3)
    with pytest.raises(WriteError, match="not known") as caught:
        open_writer(path, WriteRequest(channels=(channel,), ranges=((0.0, 1.0),)))
    assert "--rate" in caught.value.hint


def test_mixed_rates_say_what_to_choose(path: Path) -> None:
    channels = tuple(
        Channel(name=name, rate_hz=rate, n_samples=int(10 * rate))
        for name, rate in (("a", 8.0), ("b", 8.0), ("c", 2.0))
    )
    request = WriteRequest(channels=channels, ranges=((0.0, 1.0),) * 3)
    if format_for(path).keeps_rates:
        with open_writer(path, request) as writer:
            writer.write(np.ones((1, 20)), [2])
            writer.write(np.zeros((2, 80)), [0, 1])
        recording = open_recording(path)
        assert [channel.rate_hz for channel in recording.info.channels] == [8.0, 8.0, 2.0]
        assert [channel.n_samples for channel in recording.info.channels] == [80, 80, 20]
        return
    with pytest.raises(WriteError) as caught:
        open_writer(path, request)
    assert "2 channels at 8 Hz and 1 channel at 2 Hz" in caught.value.message
    assert "--channels a,b or --channels c" in caught.value.hint


def test_unknown_suffixes_name_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"\.xyz") as caught:
        format_for(tmp_path / "a.xyz")
    assert ".edf" in caught.value.hint


def test_npy_keeps_the_precision(tmp_path: Path) -> None:
    samples = samples_of()
    for precision in ("float32", "float64"):
        request = request_for(samples, precision=precision)
        with open_writer(tmp_path / "a.npy", request, overwrite=True) as writer:
            writer.write(samples[:, :2000], [0, 1, 2])
            writer.write(samples[1:, 2000:], [1, 2])
            writer.write(samples[:1, 2000:], [0])
        loaded = np.load(tmp_path / "a.npy")
        assert loaded.dtype == precision
        np.testing.assert_array_equal(loaded, samples.astype(precision))


def test_wav_tells_how_much_it_rounds_and_takes_whole_rates_only(tmp_path: Path) -> None:
    samples = samples_of()
    with open_writer(tmp_path / "a.wav", request_for(samples)) as writer:
        writer.write(samples)
    largest = np.abs(samples - samples.astype(np.float32)).max()
    assert any(f"by {largest:.2g} at most" in warning for warning in writer.warnings)
    with open_writer(tmp_path / "b.wav", request_for(samples)) as writer:
        writer.write(samples.astype(np.float32))
    assert not any("rounded" in warning for warning in writer.warnings)
    with pytest.raises(WriteError, match=r"250\.5 Hz"):
        open_writer(tmp_path / "c.wav", request_for(samples, 250.5))


def test_a_wav_too_large_for_wav_is_rf64(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from jaxscope.writers import wav

    monkeypatch.setattr(wav, "_WAV_LIMIT_BYTES", 1000)
    samples = samples_of()
    with open_writer(tmp_path / "a.wav", request_for(samples)) as writer:
        writer.write(samples)
    assert (tmp_path / "a.wav").read_bytes()[:4] == b"RF64"
    assert any("RF64" in warning for warning in writer.warnings)
    assert open_recording(tmp_path / "a.wav").info.channels[0].n_samples == N_SAMPLES


def test_csv_has_times_over_gaps_round_trip_digits_and_empty_cells(tmp_path: Path) -> None:
    samples = samples_of(2, 1000)
    samples[0, 5] = np.nan
    request = request_for(samples[:, :], gaps=(Gap(start_s=2.0, stop_s=7.5),), start=datetime(2024, 1, 1))
    with open_writer(tmp_path / "a.csv", request) as writer:
        writer.write(samples)
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[0] == "time_s,Fp1,resp"
    assert lines[1] == f"0.0,{samples[0, 0]!r},{samples[1, 0]!r}".replace("np.float64(", "").replace(")", "")
    assert lines[6].split(",")[1] == ""
    assert lines[501].startswith("7.5,")
    recording = open_recording(tmp_path / "a.csv")
    np.testing.assert_array_equal(recording.read(0, 1000), samples)
    (gap,) = recording.info.gaps
    assert (gap.start_s, gap.stop_s) == (pytest.approx(2.0), pytest.approx(7.5))
    assert recording.info.channels[0].rate_hz == 250.0


@pytest.mark.parametrize("suffix", [".wav", ".npy"])
def test_gaps_that_a_format_cannot_keep_are_told(suffix: str, tmp_path: Path) -> None:
    samples = samples_of()
    for gaps, words in (((), ""), ((Gap(start_s=1.0, stop_s=2.0),), "a gap in")):
        with open_writer(tmp_path / f"a{suffix}", request_for(samples, gaps=gaps), overwrite=True) as writer:
            writer.write(samples)
        told = [warning for warning in writer.warnings if "keeps no times" in warning]
        assert len(told) == bool(words)
        assert all(words in warning for warning in told)


def test_nothing_stays_when_beginning_fails(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = open_writer(path, request_for(samples_of()))
    writer.abort()
    kind = type(writer)
    begin = kind._begin

    def fill_the_disk(self: object) -> None:
        begin(self)  # type: ignore[arg-type]
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kind, "_begin", fill_the_disk)
    with pytest.raises(WriteError, match="No space left on device"):
        open_writer(path, request_for(samples_of()))
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("suffix", [".wav", ".npy"])
def test_what_float32_cannot_hold_is_refused_and_infinity_is_kept(suffix: str, tmp_path: Path) -> None:
    samples = np.array([[1.0, np.inf, np.nan, -2.0]])
    path = tmp_path / f"a{suffix}"
    with open_writer(path, request_for(samples, precision="float32")) as writer:
        writer.write(samples)
    np.testing.assert_array_equal(open_recording(path, rate_hz=250.0).read(0, 4), samples)
    with (
        pytest.raises(WriteError, match=r"1e\+300 is too large for float32") as caught,
        open_writer(path, request_for(samples, precision="float32"), overwrite=True) as writer,
    ):
        writer.write([[1.0, 1e300, 0.0, 0.0]])
    assert "float64" in caught.value.hint
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform != "linux", reason="a folder that takes no files and has no size")
def test_a_folder_that_takes_no_files_says_so_and_not_that_it_is_full() -> None:
    with pytest.raises(WriteError) as told:
        open_writer(Path("/proc/x.npy"), request_for(samples_of()))
    assert "/proc" in told.value.message
    assert "room" not in told.value.message


@pytest.mark.parametrize(
    ("free", "words"), [(10, "No space left on device"), (10**9, "cannot be written: System error;")]
)
def test_a_full_disk_is_named_where_the_library_for_sound_does_not(
    free: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = samples_of()
    writer = open_writer(tmp_path / "x.wav", request_for(samples))

    def refuse(*_: object) -> None:
        raise RuntimeError("System error.")

    monkeypatch.setattr(writer._file, "write", refuse)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**9, 0, free))  # type: ignore[attr-defined]
    with pytest.raises(WriteError) as told, writer:
        writer.write(samples)
    assert words in told.value.sentence()
    assert list(tmp_path.iterdir()) == []


def test_a_matlab_file_beyond_two_gigabytes_is_of_version_73(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("h5py", reason="version 7.3 needs h5py")
    from jaxscope.writers import matlab

    monkeypatch.setattr(matlab, "_LIMIT_BYTES", 1000)
    samples = samples_of()
    with open_writer(tmp_path / "a.mat", told_request(samples)) as writer:
        writer.write(samples[:, :1000])
        writer.write(samples[:, 1000:])
    assert (tmp_path / "a.mat").read_bytes()[:10] == b"MATLAB 7.3"
    recording = open_recording(tmp_path / "a.mat")
    np.testing.assert_array_equal(recording.read(0, N_SAMPLES), samples)
    info = recording.info
    assert [(channel.name, channel.unit) for channel in info.channels] == [
        ("Fp1", "uV"),
        ("resp", "uV"),
        ("x, y", "uV"),
    ]
    assert (info.start, info.warnings) == (START, ())


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_times_of_a_part_are_those_of_the_whole(suffix: str, tmp_path: Path) -> None:
    import polars as pl

    samples = samples_of(2, 1000)
    path = tmp_path / f"a{suffix}"
    with open_writer(path, request_for(samples, rate_hz=256.0, first_s=2560 / 256.0)) as writer:
        writer.write(samples)
    frame = pl.read_csv(path) if suffix == ".csv" else pl.read_parquet(path)
    np.testing.assert_array_equal(frame["time_s"].to_numpy(), (2560 + np.arange(1000)) / 256.0)


def test_a_brainvision_header_without_its_samples_is_never_there(tmp_path: Path) -> None:
    path = tmp_path / "a.vhdr"
    (tmp_path / "a.eeg").write_bytes(b"someone's")
    with pytest.raises(WriteError, match=r"a\.eeg exists"):
        open_writer(path, request_for(samples_of()))
    assert [file.name for file in tmp_path.iterdir()] == ["a.eeg"]


def test_loud_channels_of_one_unit_share_a_divisor_in_flac_and_quiet_ones_have_none(tmp_path: Path) -> None:
    from jaxscope.writers.flac import full_scales

    samples = np.array([[0.5, -1.0, 0.0], [0.2, 1.0, 0.0], [3.0, -100.0, 0.0]])
    request = request_for(samples)
    assert full_scales(request) == (128.0,) * 3
    units = ("", "", "uV")
    channels = tuple(replace(channel, unit=unit) for channel, unit in zip(request.channels, units, strict=True))
    assert full_scales(replace(request, channels=channels)) == (2.0, 2.0, 128.0)
    quiet = replace(request, channels=channels, ranges=((-1.0, 0.9), (0.0, 0.5), (-1.0, 0.0)))
    assert full_scales(quiet) == (1.0,) * 3
    with open_writer(tmp_path / "a.flac", request) as writer:
        writer.write(samples)
    assert any("divided by 128" in warning for warning in writer.warnings)


@pytest.mark.parametrize("suffix", [".edf", ".bdf", ".vhdr", ".npz", ".h5", ".mat", ".flac", ".parquet"])
def test_bad_spans_and_the_channels_of_events_come_back(suffix: str, tmp_path: Path) -> None:
    events = (
        Annotation(onset_s=0.5, duration_s=0.5, text="BAD_all, with a comma"),
        Annotation(onset_s=1.0, duration_s=0.5, text="BAD one", channels=("resp",)),
        Annotation(onset_s=1.0, duration_s=0.5, text="bad two", channels=("Fp1", "resp")),
        Annotation(onset_s=2.0, duration_s=0.0, text="Comment/twice"),
        Annotation(onset_s=2.0, duration_s=0.0, text="Comment/twice"),
        Annotation(onset_s=2.5, duration_s=0.252, text="pop", channels=("Fp1",), is_bad=True),
    )
    samples = samples_of()
    path = tmp_path / f"out{suffix}"
    with open_writer(path, request_for(samples, start=START, annotations=events)) as writer:
        writer.write(samples, tuple(range(len(samples))))
    with open_recording(path) as recording:
        found = recording.info.annotations
    flagged = {".edf": "BAD_pop", ".bdf": "BAD_pop", ".vhdr": "Bad Interval/pop"}.get(suffix)
    last = events[-1] if flagged is None else replace(events[-1], text=flagged, is_bad=False)
    assert sorted(found, key=str) == sorted((*events[:-1], last), key=str)
    assert [event.marks_bad for event in found].count(True) == 4
    told = any("begin with BAD_" in words for words in writer.warnings)
    assert told == (suffix in (".edf", ".bdf"))


@pytest.mark.parametrize("suffix", [".edf", ".vhdr"])
def test_bad_spans_and_channels_are_what_mne_reads(suffix: str, tmp_path: Path) -> None:
    mne = pytest.importorskip("mne", reason="MNE is not installed (the extra eeg)")
    events = (
        Annotation(onset_s=1.0, duration_s=0.5, text="BAD one", channels=("resp",)),
        Annotation(onset_s=2.0, duration_s=0.252, text="pop", is_bad=True),
    )
    samples = samples_of()
    path = tmp_path / f"out{suffix}"
    with open_writer(path, request_for(samples, start=START, annotations=events)) as writer:
        writer.write(samples, tuple(range(len(samples))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notes = mne.io.read_raw(path, verbose="ERROR").annotations
    bad = [index for index, text in enumerate(notes.description) if text.upper().startswith("BAD")]
    assert [(notes.onset[index], notes.duration[index]) for index in bad] == [(1.0, 0.5), (2.0, 0.252)]
    if suffix == ".edf":
        assert notes.ch_names[bad[0]] == ("resp",)
