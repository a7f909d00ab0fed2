"""Every format of the table: block by block equals at once, nothing half-written stays, and errors are sentences."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from jaxscope.data.annotations import Annotation, Gap
from jaxscope.data.recording import Channel
from jaxscope.errors import WriteError
from jaxscope.readers import open_recording
from jaxscope.writers import SUFFIXES, TITLES, WRITERS, WriteRequest, format_for, open_writer

#: Functions of the shape and of the samples.
Samples = Callable[..., np.ndarray]
Request = Callable[..., WriteRequest]
NAMES = list(WRITERS)
#: What keeps samples alone, as its warnings say.
WITHOUT_NAMES = (".wav", ".npy")
#: What keeps units, start and events.
KEEPS_UNITS = (".edf", ".bdf", ".vhdr", ".h5", ".mat", ".flac", ".npz", ".parquet")


@pytest.fixture(params=NAMES)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (suffix,) = [suffix for suffix, name in SUFFIXES.items() if name == request.param][:1]
    return tmp_path / f"out{suffix}"


def test_formats_are_listed_without_importing_any() -> None:
    told = {name: (WRITERS[name].suffixes[0], WRITERS[name].title) for name in WRITERS}
    assert told == TITLES
    listing = "from jaxscope.compute.formats import short_titles, writable_titles; short_titles(), writable_titles()"
    look = "import sys; print({'jaxscope.readers.edf', 'jaxscope.writers.edf'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", f"{listing}; {look}"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_format_is_told_by_its_suffix_without_importing_another() -> None:
    look = "import sys; from jaxscope.compute.formats import writable_format as find; "
    look += "print(find('.npy').title, find('.odd'), *sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    title, nothing, *modules = done.stdout.splitlines()
    assert (title, nothing) == ("NPY", "None")
    imported = {f"jaxscope.writers.{name}" for name in ("npy", "edf", "csv", "wav", "parquet")} & set(modules)
    assert imported == {"jaxscope.writers.npy"}


def tolerance(path: Path, samples: np.ndarray) -> np.ndarray:
    span = samples.max(axis=1, keepdims=True) - samples.min(axis=1, keepdims=True)
    return {
        ".edf": 0.51 * span / 65000,
        ".bdf": 0.51 * span / (65000 * 256),
        ".wav": np.abs(samples) * 2.0**-24,
        ".vhdr": np.abs(samples) * 2.0**-24,
        ".flac": 0.51 * 2.0**-23 * 2.0 ** np.ceil(np.log2(np.abs(samples).max())) + 0.0 * span,
    }.get(path.suffix, 0.0 * span)


def test_what_is_written_reads_back(path: Path, samples_of: Samples, request_for: Request) -> None:
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
    path: Path, samples_of: Samples, told_request: Request
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
    assert info.start == request.start
    assert [note.text for note in info.annotations] == ["Stimulus/S 1", "Comment/äöü"]
    assert [note.onset_s for note in info.annotations] == [1.0, 3.0]
    assert info.annotations[0].duration_s == 0.5
    assert not [warning for warning in info.warnings if "jaxscope" in warning or "left out" in warning]


def test_gaps_come_back_or_are_told(path: Path, samples_of: Samples, told_request: Request) -> None:
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


def test_missing_samples_are_missing_or_counted(path: Path, samples_of: Samples, request_for: Request) -> None:
    samples = samples_of()
    samples[1, 40:45] = np.nan
    ranges = tuple((float(np.nanmin(row)), float(np.nanmax(row))) for row in samples)
    with open_writer(path, replace(request_for(samples), ranges=ranges)) as writer:
        writer.write(samples)
    read = open_recording(path, rate_hz=250.0).read(0, samples.shape[1])
    if np.isnan(read[1, 40:45]).all():
        assert np.count_nonzero(np.isnan(read)) == 5
    else:
        assert any("5 missing samples" in warning for warning in writer.warnings)


def test_what_is_written_is_what_others_read(path: Path, samples_of: Samples, told_request: Request) -> None:
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
    np.testing.assert_array_equal(frame["time_s"].to_numpy(), np.arange(frame.height) / 250.0)
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


def test_blocks_of_any_length_write_the_same_bytes(path: Path, samples_of: Samples, request_for: Request) -> None:
    samples = samples_of()
    with open_writer(path, request_for(samples)) as writer:
        writer.write(samples)
    whole = path.read_bytes()
    rng = np.random.default_rng(6)
    with open_writer(path, request_for(samples), overwrite=True) as writer:
        place = 0
        while place < samples.shape[1]:
            n_samples = int(rng.integers(0, 700))
            writer.write(samples[:, place : place + n_samples])
            place += n_samples
    pieces = path.read_bytes()
    if path.suffix == ".wav":  # its peak chunk holds the time of writing
        whole, pieces = whole[-samples.size * 4 :], pieces[-samples.size * 4 :]
    assert pieces == whole


def test_channels_that_come_in_turn_write_the_same_bytes(path: Path, samples_of: Samples, request_for: Request) -> None:
    samples = samples_of()
    with open_writer(path, request_for(samples)) as writer:
        writer.write(samples)
    whole = path.read_bytes()
    with open_writer(path, request_for(samples), overwrite=True) as writer:
        for start in range(0, samples.shape[1], 700):
            writer.write(samples[[2, 0], start : start + 700], [2, 0])
            writer.write(samples[1, start : start + 350], [1])
            writer.write(samples[1, start + 350 : start + 700], [1])
    pieces = path.read_bytes()
    if path.suffix == ".wav":
        whole, pieces = whole[-samples.size * 4 :], pieces[-samples.size * 4 :]
    assert pieces == whole


def test_nothing_stays_when_writing_fails(path: Path, samples_of: Samples, request_for: Request) -> None:
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


def test_the_old_file_stays_until_the_new_one_is_whole(path: Path, samples_of: Samples, request_for: Request) -> None:
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


def test_the_output_has_the_rights_of_a_new_file(path: Path, samples_of: Samples, request_for: Request) -> None:
    plain = path.with_name("plain")
    plain.touch()
    samples = samples_of()
    with open_writer(path, request_for(samples)) as writer:
        writer.write(samples)
    assert path.stat().st_mode == plain.stat().st_mode


def test_too_many_samples_are_refused(path: Path, samples_of: Samples, request_for: Request) -> None:
    samples = samples_of()
    with pytest.raises(WriteError, match="More samples"), open_writer(path, request_for(samples)) as writer:
        writer.write(np.hstack([samples, samples[:, :1]]))
    assert not path.exists()


def test_a_full_disk_is_a_sentence_before_a_byte_is_written(
    path: Path, monkeypatch: pytest.MonkeyPatch, samples_of: Samples, request_for: Request
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 9, 1))  # type: ignore[attr-defined]
    with pytest.raises(WriteError, match="Not enough room"):
        open_writer(path, request_for(samples_of()))
    assert list(path.parent.iterdir()) == []


def test_a_disk_that_fills_while_writing_is_a_sentence(
    path: Path, monkeypatch: pytest.MonkeyPatch, samples_of: Samples, request_for: Request
) -> None:
    samples = samples_of()
    writer = open_writer(path, request_for(samples))

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writer, "_write", refuse)
    with pytest.raises(WriteError, match="No space left on device"), writer:
        writer.write(samples)
    assert list(path.parent.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_no_permission_is_a_sentence(path: Path, samples_of: Samples, request_for: Request) -> None:
    path.parent.chmod(0o500)
    with pytest.raises(WriteError, match="No permission"):
        open_writer(path, request_for(samples_of()))


def test_places_that_cannot_be(path: Path, samples_of: Samples, request_for: Request) -> None:
    samples = samples_of()
    with pytest.raises(WriteError, match="is not there"):
        open_writer(path.parent / "none" / path.name, request_for(samples))
    path.mkdir()
    with pytest.raises(WriteError, match="is a folder"):
        open_writer(path, request_for(samples))


def test_the_size_that_is_announced_is_enough(path: Path, samples_of: Samples, request_for: Request) -> None:
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


def test_nothing_stays_when_beginning_fails(
    path: Path, monkeypatch: pytest.MonkeyPatch, samples_of: Samples, request_for: Request
) -> None:
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
