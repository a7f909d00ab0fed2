"""The header and the table of events of GDF, versions 1.x and 2.x.

Both versions keep a fixed part of 256 bytes and as much for each signal, but in other fields: dates, units, limits and
the number of signals moved and changed their types. What the header promises is held against the size of the file
before memory is taken; who was recorded is read over and kept nowhere.

Source: A. Schloegl, GDF - A general dataformat for biosignals, arXiv cs/0608052, versions 1.25 to 2.51.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.errors import ReadError
from jaxscope.readers.base import describe_content
from jaxscope.readers.byte_file import ByteFile
from jaxscope.readers.edf_header import BLOCK_BYTES, Calibration

#: GDF's numbers for types to NumPy types; integers of 24 bits have none.
TYPES: dict[int, str] = {
    1: "<i1", 2: "<u1", 3: "<i2", 4: "<u2", 5: "<i4", 6: "<u4", 7: "<i8", 8: "<u8", 16: "<f4", 17: "<f8"
}  # fmt: skip
INT24, UINT24 = 255 + 24, 511 + 24
#: Units of ISO/IEEE 11073 without their decimal prefix, and the prefixes.
_UNITS = {
    512: "", 544: "%", 736: "deg", 1280: "m", 1600: "l", 1728: "g", 2176: "s", 2496: "Hz", 2720: "bpm", 3840: "Pa",
    3872: "mmHg", 3904: "cmH2O", 4160: "A", 4256: "V", 4288: "Ohm", 6048: "degC",
}  # fmt: skip
_PREFIXES = {
    0: "", 1: "da", 2: "h", 3: "k", 4: "M", 5: "G", 6: "T", 7: "P", 8: "E", 9: "Z", 10: "Y",
    16: "d", 17: "c", 18: "m", 19: "u", 20: "n", 21: "p", 22: "f", 23: "a", 24: "z", 25: "y",
}  # fmt: skip
#: Per-signal fields in their order: name, NumPy type, how many.
_FIELDS_1: tuple[tuple[str, str], ...] = (
    ("label", "S16"), ("transducer", "S80"), ("unit", "S8"), ("physical_min", "<f8"), ("physical_max", "<f8"),
    ("digital_min", "<i8"), ("digital_max", "<i8"), ("prefilter", "S80"), ("samples", "<u4"), ("type", "<u4"),
    ("reserved", "S32"),
)  # fmt: skip
_FIELDS_2: tuple[tuple[str, str], ...] = (
    ("label", "S16"), ("transducer", "S80"), ("unit", "S6"), ("unit_code", "<u2"), ("physical_min", "<f8"),
    ("physical_max", "<f8"), ("digital_min", "<f8"), ("digital_max", "<f8"), ("prefilter", "S80"),
    ("samples", "<u4"), ("type", "<u4"), ("reserved", "S32"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalHeader:
    """What the header says of one signal. ``calibration`` is None where there is none to be had."""

    label: str
    transducer: str
    unit: str
    samples_per_record: int
    type: int
    calibration: Calibration | None

    @property
    def sample_bytes(self) -> int:
        """Size of one sample."""
        return 3 if self.type in (INT24, UINT24) else np.dtype(TYPES[self.type]).itemsize


@dataclass(frozen=True, slots=True, kw_only=True)
class GdfHeader:
    """What the header says. ``record_s`` is 0 where it is not known; ``n_records`` is -1 where it is not told."""

    version: float
    start: datetime | None
    header_bytes: int
    n_records: int
    record_s: float
    signals: tuple[SignalHeader, ...]
    problems: tuple[str, ...]

    @property
    def record_bytes(self) -> int:
        """Size of one data record."""
        return sum(signal.sample_bytes * signal.samples_per_record for signal in self.signals)


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """The table of events: samples at ``rate_hz`` from 0, codes, and durations in samples where they are told."""

    rate_hz: float
    positions: npt.NDArray[np.int64]
    codes: npt.NDArray[np.int64]
    durations: npt.NDArray[np.int64] | None


def sniff_gdf(head: bytes) -> bool:
    """Say whether these first bytes begin a GDF file."""
    return head[:4] == b"GDF " and _version(head) is not None


def _version(head: bytes) -> float | None:
    try:
        version = float(head[4:8].decode("ascii"))
    except ValueError:
        return None
    return version if 1 <= version < 3 else None


def parse_header(path: Path, file: ByteFile) -> GdfHeader:
    """Read the header of an open file.

    Raises
    ------
    ReadError
        If the file is something else, or its header is cut off or has no meaning.
    """
    fixed = file.read(0, min(BLOCK_BYTES, file.n_bytes)).tobytes()
    version = _version(fixed) if fixed[:4] == b"GDF " else None
    if version is None:
        raise ReadError(f"{path.name} is not a GDF file", hint=describe_content(fixed))
    if len(fixed) < BLOCK_BYTES:
        raise ReadError(f"{path.name} stops inside its header", hint="copy the file again")
    is_new = version >= 1.9
    n_signals = _integer(fixed, 252, "<u2" if is_new else "<u4")
    if BLOCK_BYTES * (1 + n_signals) > file.n_bytes:
        raise ReadError(
            f"{path.name} stops inside its header, which tells of {n_signals} signals", hint="copy the file again"
        )
    told_bytes = _integer(fixed, 184, "<u2") * BLOCK_BYTES if is_new else _integer(fixed, 184, "<i8")
    problems: list[str] = []
    least = BLOCK_BYTES * (1 + n_signals)
    if not least <= told_bytes <= file.n_bytes:
        problems.append(f"The header says that it is {told_bytes} bytes long; {least} are read, as its signals take")
        told_bytes = least
    rest = file.read(BLOCK_BYTES, BLOCK_BYTES * n_signals).tobytes()
    return GdfHeader(
        version=version,
        start=_start(fixed, problems, is_new=is_new),
        header_bytes=told_bytes,
        n_records=_integer(fixed, 236, "<i8"),
        record_s=_record_seconds(fixed, version),
        signals=_signals(path.name, rest, n_signals, problems, is_new=is_new),
        problems=tuple(problems),
    )


def _integer(raw: bytes, offset: int, dtype: str) -> int:
    return int(np.frombuffer(raw, dtype, 1, offset)[0])


def _record_seconds(fixed: bytes, version: float) -> float:
    if version >= 2.21:
        seconds = float(np.frombuffer(fixed, "<f8", 1, 244)[0])
    else:
        over, under = np.frombuffer(fixed, "<u4", 2, 244).tolist()
        seconds = over / under if under else 0.0
    return seconds if math.isfinite(seconds) and seconds > 0 else 0.0


def _start(fixed: bytes, problems: list[str], *, is_new: bool) -> datetime | None:
    try:
        if is_new:
            # Days since the year 0 as a fixed-point number with 32 bits after the point.
            days = _integer(fixed, 168, "<u8")
            if days == 0:
                return None
            milliseconds = (days * 86_400_000 + (1 << 31)) >> 32
            return datetime(1, 1, 1) + timedelta(milliseconds=milliseconds - 367 * 86_400_000)
        text = fixed[168:184].decode("ascii").strip(" \0")
        if not text:
            return None
        hundredths = int(text[14:]) if text[14:].isdigit() else 0
        return datetime.strptime(text[:14], "%Y%m%d%H%M%S").replace(microsecond=10_000 * hundredths)
    except (ValueError, OverflowError):
        problems.append("The start is not known: the header has no valid date")
        return None


def _signals(name: str, rest: bytes, n_signals: int, problems: list[str], *, is_new: bool) -> tuple[SignalHeader, ...]:
    columns: dict[str, list[Any]] = {}
    offset = 0
    for field, dtype in _FIELDS_2 if is_new else _FIELDS_1:
        columns[field] = np.frombuffer(rest, dtype, n_signals, offset).tolist()
        offset += np.dtype(dtype).itemsize * n_signals
    signals = []
    for index in range(n_signals):
        entry = {field: values[index] for field, values in columns.items()}
        label = _text(entry["label"]) or f"Signal {index + 1}"
        if entry["type"] not in TYPES and entry["type"] not in (INT24, UINT24):
            raise ReadError(
                f'{name} stores "{label}" as numbers of type {entry["type"]}, which jaxscope does not read',
                hint="convert it with BioSig's save2gdf",
            )
        signals.append(
            SignalHeader(
                label=label,
                transducer=_text(entry["transducer"]),
                unit=_unit(label, entry, problems),
                samples_per_record=entry["samples"],
                type=entry["type"],
                calibration=_calibration(entry),
            )
        )
    return tuple(signals)


def _unit(label: str, entry: dict[str, Any], problems: list[str]) -> str:
    code = entry.get("unit_code", 0)
    written = _text(entry["unit"])
    if not code:
        return written
    if code & 31 in _PREFIXES and code & ~31 in _UNITS:
        return _PREFIXES[code & 31] + _UNITS[code & ~31]
    if not written:
        problems.append(f"{label} has a unit of code {code}, which is not known: it is shown without one")
    return written


def _calibration(entry: dict[str, Any]) -> Calibration | None:
    low, high = entry["digital_min"], entry["digital_max"]
    least, most = entry["physical_min"], entry["physical_max"]
    if not all(math.isfinite(value) for value in (low, high, least, most)) or low == high or least == most:
        return None
    gain = (most - least) / (high - low)
    return Calibration(origin=float(low), gain=gain, offset=least) if math.isfinite(gain) else None


def _text(raw: bytes) -> str:
    clean = raw.split(b"\0", 1)[0]
    try:
        return clean.decode("utf-8").strip()
    except UnicodeDecodeError:
        return clean.decode("latin-1").strip()


def read_events(file: ByteFile, position: int, version: float, rate_hz: float) -> Events | None:
    """Read the table of events at the end of a file, None where there is none.

    Parameters
    ----------
    file : ByteFile
    position : int
        Where the data records end.
    version : float
    rate_hz : float
        Counts where the table tells no rate of its own.

    Raises
    ------
    ReadError
        If the table is cut off.
    """
    if file.n_bytes - position < 8:
        return None
    head = file.read(position, 8).tobytes()
    mode = head[0]
    if mode not in (1, 3, 5, 7):
        return None
    if version < 1.94:
        own_rate, count = float(int.from_bytes(head[1:4], "little")), int.from_bytes(head[4:8], "little")
    else:
        count, own_rate = int.from_bytes(head[1:4], "little"), float(np.frombuffer(head, "<f4", 1, 4)[0])
    n_bytes = count * (12 if mode & 2 else 6)
    if position + 8 + n_bytes > file.n_bytes:
        raise ReadError(f"The table of {count} events of {file.name} is cut off", hint="copy the file again")
    body = file.read(position + 8, n_bytes).tobytes()
    durations = np.frombuffer(body, "<u4", count, 8 * count).astype(np.int64) if mode & 2 else None
    return Events(
        rate_hz=own_rate if math.isfinite(own_rate) and own_rate > 0 else rate_hz,
        positions=np.frombuffer(body, "<u4", count).astype(np.int64) - 1,
        codes=np.frombuffer(body, "<u2", count, 4 * count).astype(np.int64),
        durations=durations,
    )
