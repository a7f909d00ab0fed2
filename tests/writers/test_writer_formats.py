"""What is one format's own: precision, rounding, limits, times, and what other programs find in it."""

from __future__ import annotations

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
from jaxscope.writers import WriteRequest, format_for, open_writer

#: Functions of the shape and of the samples.
Samples = Callable[..., np.ndarray]
Request = Callable[..., WriteRequest]


def test_unknown_suffixes_name_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"\.xyz") as caught:
        format_for(tmp_path / "a.xyz")
    assert ".edf" in caught.value.hint


def test_npy_keeps_the_precision(tmp_path: Path, samples_of: Samples, request_for: Request) -> None:
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


def test_wav_tells_how_much_it_rounds_and_takes_whole_rates_only(
    tmp_path: Path, samples_of: Samples, request_for: Request
) -> None:
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


def test_a_wav_too_large_for_wav_is_rf64(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, samples_of: Samples, request_for: Request
) -> None:
    from jaxscope.writers import wav

    monkeypatch.setattr(wav, "_WAV_LIMIT_BYTES", 1000)
    samples = samples_of()
    with open_writer(tmp_path / "a.wav", request_for(samples)) as writer:
        writer.write(samples)
    assert (tmp_path / "a.wav").read_bytes()[:4] == b"RF64"
    assert any("RF64" in warning for warning in writer.warnings)
    assert open_recording(tmp_path / "a.wav").info.channels[0].n_samples == samples.shape[1]


def test_csv_has_times_over_gaps_round_trip_digits_and_empty_cells(
    tmp_path: Path, samples_of: Samples, request_for: Request
) -> None:
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
def test_gaps_that_a_format_cannot_keep_are_told(
    suffix: str, tmp_path: Path, samples_of: Samples, request_for: Request
) -> None:
    samples = samples_of()
    for gaps, words in (((), ""), ((Gap(start_s=1.0, stop_s=2.0),), "a gap in")):
        with open_writer(tmp_path / f"a{suffix}", request_for(samples, gaps=gaps), overwrite=True) as writer:
            writer.write(samples)
        told = [warning for warning in writer.warnings if "keeps no times" in warning]
        assert len(told) == bool(words)
        assert all(words in warning for warning in told)


@pytest.mark.parametrize("suffix", [".wav", ".npy"])
def test_what_float32_cannot_hold_is_refused_and_infinity_is_kept(
    suffix: str, tmp_path: Path, request_for: Request
) -> None:
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
def test_a_folder_that_takes_no_files_says_so_and_not_that_it_is_full(
    samples_of: Samples, request_for: Request
) -> None:
    with pytest.raises(WriteError) as told:
        open_writer(Path("/proc/x.npy"), request_for(samples_of()))
    assert "/proc" in told.value.message
    assert "room" not in told.value.message


@pytest.mark.parametrize(
    ("free", "words"), [(10, "No space left on device"), (10**9, "cannot be written: System error;")]
)
def test_a_full_disk_is_named_where_the_library_for_sound_does_not(
    free: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, samples_of: Samples, request_for: Request
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


def test_a_matlab_file_beyond_two_gigabytes_is_of_version_73(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, samples_of: Samples, told_request: Request
) -> None:
    pytest.importorskip("h5py", reason="version 7.3 needs h5py")
    from jaxscope.writers import matlab

    monkeypatch.setattr(matlab, "_LIMIT_BYTES", 1000)
    samples = samples_of()
    request = told_request(samples)
    with open_writer(tmp_path / "a.mat", request) as writer:
        writer.write(samples[:, :1000])
        writer.write(samples[:, 1000:])
    assert (tmp_path / "a.mat").read_bytes()[:10] == b"MATLAB 7.3"
    recording = open_recording(tmp_path / "a.mat")
    np.testing.assert_array_equal(recording.read(0, samples.shape[1]), samples)
    info = recording.info
    assert [(channel.name, channel.unit) for channel in info.channels] == [
        ("Fp1", "uV"),
        ("resp", "uV"),
        ("x, y", "uV"),
    ]
    assert (info.start, info.warnings) == (request.start, ())


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_times_of_a_part_are_those_of_the_whole(
    suffix: str, tmp_path: Path, samples_of: Samples, request_for: Request
) -> None:
    import polars as pl

    samples = samples_of(2, 1000)
    path = tmp_path / f"a{suffix}"
    with open_writer(path, request_for(samples, rate_hz=256.0, first_s=2560 / 256.0)) as writer:
        writer.write(samples)
    frame = pl.read_csv(path) if suffix == ".csv" else pl.read_parquet(path)
    np.testing.assert_array_equal(frame["time_s"].to_numpy(), (2560 + np.arange(1000)) / 256.0)


def test_a_brainvision_header_without_its_samples_is_never_there(
    tmp_path: Path, samples_of: Samples, request_for: Request
) -> None:
    path = tmp_path / "a.vhdr"
    (tmp_path / "a.eeg").write_bytes(b"someone's")
    with pytest.raises(WriteError, match=r"a\.eeg exists"):
        open_writer(path, request_for(samples_of()))
    assert [file.name for file in tmp_path.iterdir()] == ["a.eeg"]


def test_loud_channels_of_one_unit_share_a_divisor_in_flac_and_quiet_ones_have_none(
    tmp_path: Path, request_for: Request
) -> None:
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
def test_bad_spans_and_the_channels_of_events_come_back(
    suffix: str, tmp_path: Path, samples_of: Samples, request_for: Request
) -> None:
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
    with open_writer(path, request_for(samples, start=datetime(2024, 5, 6, 7, 8, 9), annotations=events)) as writer:
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
def test_bad_spans_and_channels_are_what_mne_reads(
    suffix: str, tmp_path: Path, samples_of: Samples, request_for: Request
) -> None:
    mne = pytest.importorskip("mne", reason="MNE is not installed (the extra eeg)")
    events = (
        Annotation(onset_s=1.0, duration_s=0.5, text="BAD one", channels=("resp",)),
        Annotation(onset_s=2.0, duration_s=0.252, text="pop", is_bad=True),
    )
    samples = samples_of()
    path = tmp_path / f"out{suffix}"
    with open_writer(path, request_for(samples, start=datetime(2024, 5, 6, 7, 8, 9), annotations=events)) as writer:
        writer.write(samples, tuple(range(len(samples))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notes = mne.io.read_raw(path, verbose="ERROR").annotations
    bad = [index for index, text in enumerate(notes.description) if text.upper().startswith("BAD")]
    assert [(notes.onset[index], notes.duration[index]) for index in bad] == [(1.0, 0.5), (2.0, 0.252)]
    if suffix == ".edf":
        assert notes.ch_names[bad[0]] == ("resp",)


@pytest.mark.parametrize("suffix", [".h5", ".mat"])
def test_a_disk_that_fills_under_the_hdf5_library_is_a_sentence(
    suffix: str,
    tmp_path: Path,
    samples_of: Samples,
    request_for: Request,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # the library ends the process where it cannot close what it could not write
    pytest.importorskip("h5py", reason="h5py is not installed (the extra formats)")
    from jaxscope.writers import hdf5, matlab

    class Small(hdf5.KeptErrors):
        def __init__(self, path: Path) -> None:
            super().__init__(path)
            self._room = 60_000

        def write(self, data: object) -> int:
            self._room -= memoryview(data).nbytes  # type: ignore[arg-type]
            if self._room < 0:
                self._do(self._refuse)
            return super().write(data)

        def _refuse(self) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(hdf5, "KeptErrors", Small)
    monkeypatch.setattr(matlab, "KeptErrors", Small)
    samples = samples_of()
    request = request_for(samples)
    writer = (hdf5.Hdf5Writer if suffix == ".h5" else matlab.Mat73Writer)(tmp_path / f"x{suffix}", request)
    with pytest.raises(WriteError, match="No space left on device"), writer:
        writer.write(samples)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("unit", "size"), [("V", 2e-5), ("m/s", 3e-9), ("", 1e-3), ("V", 1e-310)])
def test_small_numbers_keep_their_bits_in_flac(unit: str, size: float, tmp_path: Path) -> None:
    x = np.sin(np.arange(2000.0))[np.newaxis] * size
    channels = (Channel(name="a", unit=unit, kind="eeg", rate_hz=250.0, n_samples=2000),)
    request = WriteRequest(channels=channels, ranges=((float(x.min()), float(x.max())),))
    with open_writer(tmp_path / "a.flac", request) as writer:
        writer.write(x)
    with open_recording(tmp_path / "a.flac") as found:
        np.testing.assert_allclose(found.read(0, 2000), x, rtol=0, atol=max(size * 2.0**-22, 2.0**-520))
    assert "other programs show them divided by" in " ".join(writer.warnings)


def test_soft_sound_is_stored_as_it_is_in_flac(tmp_path: Path) -> None:
    from jaxscope.writers.flac import full_scales

    channels = (Channel(name="a", unit="", kind="audio", rate_hz=8000.0, n_samples=2),)
    assert full_scales(WriteRequest(channels=channels, ranges=((-1e-4, 1e-4),))) == (1.0,)


def test_sound_of_24_bits_is_the_same_in_flac(tmp_path: Path) -> None:
    x = np.array([[-(2.0**23), 2**23 - 1, 1, 0, -3], [1.0, -1, 2, -2, 0]]) / 2**23
    channels = tuple(Channel(name=name, kind="audio", rate_hz=8000.0, n_samples=5) for name in "ab")
    request = WriteRequest(channels=channels, ranges=tuple((float(row.min()), float(row.max())) for row in x))
    with open_writer(tmp_path / "a.flac", request) as writer:
        writer.write(x)
    with open_recording(tmp_path / "a.flac") as found:
        np.testing.assert_array_equal(found.read(0, 5), x)
    assert writer.warnings == ()


@pytest.mark.parametrize("high", [1 - 2.0**-24, 1 - 2.0**-23, 1.0, 127.99999999, 128.0])
def test_no_sample_is_clipped_in_flac(high: float, tmp_path: Path) -> None:
    channels = (Channel(name="a", rate_hz=8000.0, n_samples=2),)
    with open_writer(tmp_path / "a.flac", WriteRequest(channels=channels, ranges=((-high, high),))) as writer:
        writer.write([[high, -high]])
    assert "clipped" not in " ".join(writer.warnings)
    with open_recording(tmp_path / "a.flac") as found:
        np.testing.assert_allclose(found.read(0, 2), [[high, -high]], rtol=2.0**-22)
