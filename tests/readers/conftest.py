"""Small files with known content, written after the specifications and not by the package."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.data.recording import Recording, RecordingInfo
from jaxscope.readers import (
    brainvision_text,
    edf_records,
    mseed_records,
    open_first_part,
    open_recording,
    scans,
    text_table_pieces,
    xdf,
)


@dataclass(frozen=True, kw_only=True)
class Signal:
    """One signal: its header fields, and its stored integers (n_records * per_record)."""

    label: str = "EEG Fz"
    unit: bytes = b"uV"
    physical: tuple[Any, Any] = (-100, 100)
    digital: tuple[Any, Any] = (-32768, 32767)
    transducer: str = ""
    stored: Sequence[int] = field(default_factory=list)
    per_record: int = 4


@dataclass(frozen=True, kw_only=True)
class EdfFile:
    """Everything in a file; ``tals`` holds the bytes of the annotation signal for each record."""

    bdf: bool = False
    signals: tuple[Signal, ...] = ()
    reserved: str = ""
    record_s: Any = 1
    n_records: Any = None
    date: str = "02.03.21"
    time: str = "04.05.06"
    recording: str = "Startdate 02-MAR-2021 X X X"
    patient: str = "MCH-0234567 F 02-MAY-1951 Secretname"
    header_bytes: Any = None
    tals: tuple[bytes, ...] = ()
    tal_samples: int = 30

    def with_changes(self, **changes: Any) -> EdfFile:
        return replace(self, **changes)

    def to_bytes(self) -> bytes:
        sample_bytes = 3 if self.bdf else 2
        n_records = len(self.signals[0].stored) // self.signals[0].per_record if self.signals else len(self.tals)
        signals = list(self.signals)
        if self.tals:
            label = "BDF Annotations" if self.bdf else "EDF Annotations"
            signals.append(Signal(label=label, unit=b"", physical=(-1, 1), per_record=self.tal_samples))
        told = n_records if self.n_records is None else self.n_records
        size = 256 * (len(signals) + 1) if self.header_bytes is None else self.header_bytes
        head = b"\xffBIOSEMI" if self.bdf else b"0".ljust(8)
        widths = ((self.patient, 80), (self.recording, 80), (self.date, 8), (self.time, 8), (size, 8))
        head += b"".join(_pad(value, width) for value, width in widths)
        widths = ((self.reserved, 44), (told, 8), (self.record_s, 8), (len(signals), 4))
        head += b"".join(_pad(value, width) for value, width in widths)
        for width, of in _FIELDS:
            head += b"".join(_pad(of(signal), width) for signal in signals)
        return head + b"".join(self._record(record, sample_bytes) for record in range(n_records))

    def _record(self, record: int, sample_bytes: int) -> bytes:
        parts = [
            int(value).to_bytes(sample_bytes, "little", signed=True)
            for signal in self.signals
            for value in signal.stored[record * signal.per_record : (record + 1) * signal.per_record]
        ]
        if self.tals:
            parts.append(self.tals[record].ljust(self.tal_samples * sample_bytes, b"\0"))
        return b"".join(parts)


_FIELDS: tuple[tuple[int, Callable[[Signal], Any]], ...] = (
    (16, lambda signal: signal.label),
    (80, lambda signal: signal.transducer),
    (8, lambda signal: signal.unit),
    (8, lambda signal: signal.physical[0]),
    (8, lambda signal: signal.physical[1]),
    (8, lambda signal: signal.digital[0]),
    (8, lambda signal: signal.digital[1]),
    (80, lambda signal: ""),
    (8, lambda signal: signal.per_record),
    (32, lambda signal: ""),
)


def _pad(value: Any, width: int) -> bytes:
    text = value if isinstance(value, bytes) else str(value).encode("latin-1")
    assert len(text) <= width, text
    return text.ljust(width)


@pytest.fixture
def plain_edf() -> EdfFile:
    """Five records of 1 s: two EEG channels of 8 Hz, one of 4 Hz, all within their digital range."""
    noise = np.random.default_rng(5).integers(-30000, 30000, (3, 40)).tolist()
    return EdfFile(
        signals=(
            Signal(label="EEG Fz", stored=noise[0], per_record=8),
            Signal(label="EEG Cz", stored=noise[1], per_record=8, physical=(-50, 150), digital=(-2048, 2047)),
            Signal(label="Temp rectal", unit=b"DegC", stored=noise[2][:20], per_record=4, physical=(34, 40)),
        )
    )


@pytest.fixture
def plain_bdf(plain_edf: EdfFile) -> EdfFile:
    """The same samples as 24 bit, scaled up to use them, with a status channel of codes."""
    signals = [
        replace(signal, stored=[value * 256 + 7 for value in signal.stored], digital=(-8388608, 8388607))
        for signal in plain_edf.signals
    ]
    codes = [0x980000 - (1 << 24), 0x980001 - (1 << 24), 3, 4] * 10
    status = Signal(label="Status", unit=b"Boolean", stored=codes, per_record=8, transducer="Triggers and Status")
    return replace(plain_edf, bdf=True, signals=(*signals, status))


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes bytes, or an ``EdfFile``, to a new file of a name."""

    def write_file(content: bytes | EdfFile, name: str | None = None) -> Path:
        if isinstance(content, EdfFile):
            path = tmp_path / (name or ("x.bdf" if content.bdf else "x.edf"))
            path.write_bytes(content.to_bytes())
        else:
            path = tmp_path / (name or "x.edf")
            path.write_bytes(content)
        return path

    return write_file


def write_mat73(path: Path, variables: dict[str, Any]) -> Path:
    """Write a file of version 7.3 as MATLAB does: HDF5 behind 512 bytes, dimensions in reverse."""
    h5py = pytest.importorskip("h5py")

    with h5py.File(path, "w", userblock_size=512) as file:
        references = file.create_group("#refs#")
        for name, value in variables.items():
            put73(file, references, name, value)
    with path.open("r+b") as stream:
        stream.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
    return path


def put73(group: Any, references: Any, name: str, value: Any) -> Any:
    import h5py

    if isinstance(value, str):
        codes = np.array([[ord(letter)] for letter in value], dtype="<u2")
        item = group.create_dataset(name, data=codes)
        item.attrs["MATLAB_class"] = np.bytes_("char")
    elif isinstance(value, dict):
        item = group.create_group(name)
        for key, inner in value.items():
            put73(item, references, key, inner)
    elif isinstance(value, list):  # an array of structs where its elements are, a cell otherwise
        is_struct = isinstance(value[0], dict)
        columns = {key: [row[key] for row in value] for key in value[0]} if is_struct else {"": value}
        item = group.create_group(name) if is_struct else group
        for key, inner in columns.items():
            made = [put73(references, references, f"r{len(references)}", one).ref for one in inner]
            cell = item.create_dataset(key or name, data=np.array([[ref] for ref in made], dtype=h5py.ref_dtype))
            if not is_struct:
                cell.attrs["MATLAB_class"] = np.bytes_("cell")
    else:
        array = np.atleast_2d(np.asarray(value))
        item = group.create_dataset(name, data=array.transpose(*reversed(range(array.ndim))))
        item.attrs["MATLAB_class"] = np.bytes_("double")
    return item


@pytest.fixture
def mat73() -> Callable[[Path, dict[str, Any]], Path]:
    """Return a function that writes a MATLAB file of version 7.3, or skip where h5py is not installed."""
    return write_mat73


#: Bytes of a first part, and of a step, in the tests.
PART_BYTES = 4096


@pytest.fixture
def opened_in_parts(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[RecordingInfo, RecordingInfo]]:
    """Return a function that opens a file by its first part, and the rest behind it, and compares with the whole.

    It returns what the first part told, and what the whole tells.
    """
    for module, name in (
        (mseed_records, "_BUFFER_BYTES"),
        (xdf, "_STEP_BYTES"),
        (text_table_pieces, "PIECE_BYTES"),
        (brainvision_text, "PIECE_BYTES"),
        (scans, "FIRST_BYTES"),
    ):
        monkeypatch.setattr(module, name, PART_BYTES)
    monkeypatch.setattr(scans, "WHOLE_UP_TO_BYTES", 2 * PART_BYTES)
    monkeypatch.setattr(scans, "PATIENCE_S", 0.0)
    monkeypatch.setattr(edf_records, "CHUNK_BYTES", PART_BYTES)

    def opened(path: Path, **told: Any) -> tuple[RecordingInfo, RecordingInfo]:
        first = open_first_part(path, **told)
        assert first.indexing is not None, "it was read whole at once"
        shown, indexing = first.recording.info, first.indexing
        share = next(indexing)
        assert share < 0.5, "more than a part was read"
        assert shown.warnings == ()
        before = [first.recording.read(0, 10, [channel]) for channel in range(len(shown.channels))]
        ended: list[Recording] = []

        def steps() -> Iterator[float]:
            ended.append((yield from indexing))

        shares = list(steps())
        assert shares
        assert all(0 <= following <= 1 for following in shares)
        (found,) = ended
        for channel, samples in enumerate(before):  # the first part stays what it was
            np.testing.assert_array_equal(first.recording.read(0, 10, [channel]), samples)
        first.recording.close()
        with open_recording(path, **told) as whole, found:
            assert found.info == whole.info
            for channel in range(len(whole.info.channels)):
                np.testing.assert_array_equal(found.read(0, 10**9, [channel]), whole.read(0, 10**9, [channel]))
            return shown, whole.info

    return opened
