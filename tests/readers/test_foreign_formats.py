"""What formats of other libraries need beside them: which file is whose, how samples are kept, and what they say."""

from __future__ import annotations

import logging
import struct
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from jaxscope.errors import ReadError
from jaxscope.readers import format_of, open_recording
from jaxscope.readers.axon_tags import axon_tags
from jaxscope.readers.foreign import foreign
from jaxscope.readers.neuroscan import how_stored

STORED = np.random.default_rng(3).integers(-30000, 30000, (3, 500))


def write_cnt(
    path: Path, *, dtype: str = "<i2", n_told: int = 0, says_size: bool = True, n_lost: int = 0, rate: int = 400
) -> Path:
    """Write three channels of a Neuroscan recording with an empty table of events."""
    head = bytearray(900)
    head[:12] = b"Version 3.0\0"
    struct.pack_into("<H", head, 370, len(STORED))
    struct.pack_into("<H", head, 376, rate)
    struct.pack_into("<i", head, 864, n_told)
    head[225:243] = b"05/10/20\0 17:35:31"[:18]
    for number, name in enumerate((b"Fz", b"Cz", b"Pz")):
        channel = bytearray(75)
        channel[:2] = name
        struct.pack_into("<f", channel, 59, 1.0)
        struct.pack_into("<f", channel, 71, 204.8)
        head += channel
        assert len(head) == 900 + 75 * (number + 1)
    samples = STORED.T.astype(dtype).tobytes()[: STORED.size * np.dtype(dtype).itemsize - n_lost]
    events_at = len(head) + len(samples)
    struct.pack_into("<i", head, 886, events_at)
    events = struct.pack("<Bll", 1, 0, 0)
    last = bytearray(64)
    last[52] = dtype == "<i4"
    if says_size:
        struct.pack_into("<i", head, 12, events_at + len(events))
    path.write_bytes(bytes(head) + samples + events + bytes(last))
    return path


@pytest.mark.parametrize("dtype", ["<i2", "<i4"])
@pytest.mark.parametrize(("n_told", "says_size"), [(0, True), (500, False), (500, True)])
def test_the_size_of_a_neuroscan_sample_is_found(tmp_path: Path, dtype: str, n_told: int, *, says_size: bool) -> None:
    found = how_stored(write_cnt(tmp_path / "x.cnt", dtype=dtype, n_told=n_told, says_size=says_size), "")
    assert (found.n_bits, found.is_count_told, found.warnings) == (8 * np.dtype(dtype).itemsize, n_told > 0, ())


def test_where_nothing_tells_the_size_it_is_assumed_and_can_be_told(tmp_path: Path) -> None:
    path = write_cnt(tmp_path / "x.cnt", dtype="<i4", says_size=False)
    found = how_stored(path, "")
    assert found.n_bits == 16
    assert "16 are assumed" in found.warnings[0]
    assert how_stored(path, "32").n_bits == 32


def test_more_samples_than_the_file_holds_are_not_believed(tmp_path: Path) -> None:
    found = how_stored(write_cnt(tmp_path / "x.cnt", n_told=500, n_lost=60), "")
    assert not found.is_count_told
    assert found.warnings == ("The header promises 500 samples; the file holds 490",)


def test_a_header_that_breaks_off_is_refused(tmp_path: Path) -> None:
    path = write_cnt(tmp_path / "x.cnt")
    path.write_bytes(path.read_bytes()[:950])
    with pytest.raises(ReadError, match="ends within its header"):
        how_stored(path, "")


@pytest.mark.parametrize("dtype", ["<i2", "<i4"])
def test_neuroscan_samples_are_volts_by_their_calibration(tmp_path: Path, dtype: str) -> None:
    pytest.importorskip("mne", reason="MNE is not installed (the extra eeg)")
    with open_recording(write_cnt(tmp_path / "x.cnt", dtype=dtype)) as recording:
        rows = [(c.name, c.unit, c.rate_hz, c.n_samples) for c in recording.info.channels]
        assert rows == [(name, "V", 400, 500) for name in ("Fz", "Cz", "Pz")]
        # 204.8 is the step of the converter: a calibration of 1 then gives microvolts
        np.testing.assert_allclose(recording.read(7, 90), STORED[:, 7:90] * 1e-6, rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("a.cnt", b"RIFF H\x03\x00CNT LIST", "mne"),
        ("a.cnt", b"RF64DH\x03\x00\x00\x00\x00\x00CNT ", "mne"),
        ("a.eeg", b"EEG-1100C V01.00", "mne"),
        ("a.eeg", b"\x01\x02\x03\x04" * 9, "brainvision"),
        ("a.snirf", b"\x89HDF\r\n\x1a\n", "mne"),
        ("a.h5", b"\x89HDF\r\n\x1a\n", "hdf5"),
    ],
)
def test_the_content_tells_whose_a_shared_suffix_is(tmp_path: Path, name: str, head: bytes, expected: str) -> None:
    path = tmp_path / name
    path.write_bytes(head.ljust(2000, b"\0"))
    assert format_of(path).name == expected


def test_what_a_format_needs_beside_the_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mne", reason="MNE is not installed (the extra eeg)")
    path = tmp_path / "a.cnt"
    path.write_bytes(b"RIFF H\x03\x00CNT LIST".ljust(2000, b"\0"))
    monkeypatch.setitem(sys.modules, "antio", None)
    with pytest.raises(ReadError, match="ANT CNT files need the library antio") as caught:
        open_recording(path)
    assert caught.value.hint == 'pip install "jaxscope[eeg]"'


def test_what_a_library_says_is_told_and_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    told: list[str] = []
    with foreign("x.abf", told):
        logging.getLogger("neo").warning("one, %s", "logged")
        logging.getLogger("neo").info("no news")
        warnings.warn("two, warned.", UserWarning, stacklevel=1)
        warnings.warn("a file is left open", ResourceWarning, stacklevel=1)
        print("three, printed")  # noqa: T201  (as libraries do)
    before = "The library that reads this format says: "
    assert told == [f"{before}one, logged", f"{before}three, printed", f"{before}two, warned"]
    assert capfd.readouterr().out == ""


def test_where_in_a_library_it_failed_is_no_part_of_the_sentence() -> None:
    words = 'File "/lib/x.py", line 154, in _sizes\n    raise RuntimeError(\nRuntimeError: the table is too large.'
    with pytest.raises(ReadError) as caught, foreign("x.cnt", []):
        raise OSError(words)
    assert caught.value.message == "x.cnt cannot be read: RuntimeError: the table is too large"


def axon_file(path: Path, tags: list[tuple[int, bytes]], block: int) -> Path:
    packed = b"".join(struct.pack("<i56shh", time, text.ljust(56), 1, 0) for time, text in tags)
    path.write_bytes(bytes(512 * block) + packed)
    return path


def test_tags_of_axon_files_are_comments_at_seconds(tmp_path: Path) -> None:
    path = axon_file(tmp_path / "x.abf", [(14430208, b"+drug at 3min"), (0, "r\xe9sultat".encode("cp1252"))], 3)
    section = {"TagSection": {"llNumEntries": 2, "uBlockIndex": 3}}
    second = {"sections": section, "protocol": {"fSynchTimeUnit": 12.5}}
    first = {"lNumTagEntries": 2, "lTagSectionPtr": 3, "fSynchTimeUnit": 12.5}
    for header in (first, second):
        notes = axon_tags(path, header, 20_000.0, 1)
        assert [(note.onset_s, note.text) for note in notes] == [(180.3776, "+drug at 3min"), (0.0, "r\xe9sultat")]


def test_tags_without_a_unit_of_time_count_the_samples_of_all_channels(tmp_path: Path) -> None:
    path = axon_file(tmp_path / "x.abf", [(8000, b"")], 1)
    header = {"lNumTagEntries": 5, "lTagSectionPtr": 1, "fSynchTimeUnit": 0.0}
    (note,) = axon_tags(path, header, 1000.0, 2)
    assert (note.onset_s, note.text) == (4.0, "tag")
