"""SAC, the seismic analysis code: one trace a file, binary in either byte order, or written as text.

The header is a fixed block of numbers and names, and its version number shows the byte order. Version 7 repeats the
sample interval in double precision after the samples. Samples are read from the file where they are asked for; text
is read whole. A value that is not told is -12345 in the file and nothing here.

Source: SAC manual, "SAC data file format" (IRIS/EarthScope).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from jaxscope.data.annotations import Annotation
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.data.recording import Channel, Recording, RecordingInfo
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.byte_file import ByteFile, SampleTable
from jaxscope.readers.grids import FileGrid
from jaxscope.readers.sources import Place, SourcedRecording

_N_FLOATS, _N_INTEGERS, _TEXT_BYTES = 70, 40, 192
_HEADER_BYTES = 4 * (_N_FLOATS + _N_INTEGERS) + _TEXT_BYTES
#: Version 7 repeats 22 values in double precision after the samples.
_FOOTER_BYTES = 8 * 22
_UNKNOWN = -12345
# Places of fields, by the words of the header.
_DELTA, _BEGIN, _ORIGIN, _FIRST_PICK = 0, 5, 7, 10
_VERSION, _N_POINTS, _KIND, _EVEN = 6, 9, 15, 35
_VERSIONS = (6, 7)
#: What a file may hold (field IFTYPE); only a series over time has samples at a rate.
_KINDS = {1: "a time series", 2: "a spectrum", 3: "a spectrum", 4: "pairs of x and y", 51: "a grid of x, y and z"}
#: Kinds of data (field IDEP) that tell a unit.
_DEPENDENT = 16
#: Intervals are stored in 7 digits, and programs let them drift: so near to whole microseconds, those are meant.
_NEAR_MICROSECONDS, _FLOAT32_STEP = 5e-6, 1.2e-7
_UNITS = {6: "nm", 7: "nm/s", 8: "nm/s^2", 50: "V"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SacHeader:
    """What the header says. ``texts`` are 8 bytes each, the second of them (16 bytes) counted as two."""

    floats: tuple[float, ...]
    integers: tuple[int, ...]
    texts: tuple[str, ...]

    @property
    def name(self) -> str:
        """Network, station, location and channel, joined by full stops as seismologists write them."""
        return ".".join(self.texts[place] for place in (21, 0, 3, 20))

    @property
    def reference(self) -> datetime | None:
        """The time that all times in the header count from, where it is told and makes sense."""
        year, day, hour, minute, second, millisecond = self.integers[:6]
        if _UNKNOWN in (year, day, hour, minute, second):
            return None
        try:
            return datetime(year, 1, 1, tzinfo=UTC) + timedelta(
                days=day - 1,
                hours=hour,
                minutes=minute,
                seconds=second,
                milliseconds=0 if millisecond == _UNKNOWN else millisecond,
            )
        except (ValueError, OverflowError):
            return None

    def seconds(self, place: int) -> float | None:
        """Return a time of the header, None where it is not told."""
        value = self.floats[place]
        return None if value == _UNKNOWN or not math.isfinite(value) else value


def sniff_sac(head: bytes) -> bool:
    """Say whether these bytes can only be a binary SAC file."""
    return _byte_order(head) is not None


def _byte_order(head: bytes) -> str | None:
    if len(head) < _HEADER_BYTES:
        return None
    for order in "<>":
        delta = float(np.frombuffer(head, f"{order}f4", 1)[0])
        integers = np.frombuffer(head, f"{order}i4", _N_INTEGERS, 4 * _N_FLOATS)
        if integers[_VERSION] in _VERSIONS and integers[_N_POINTS] >= 0 and (delta == _UNKNOWN or 0 < delta < 1e9):
            return order
    return None


def open_sac(path: Path, options: OpenOptions) -> Recording:
    """Open a SAC file.

    Raises
    ------
    ReadError
        If it is none, holds no time series, or its header makes no sense.
    """
    with path.open("rb") as opened:
        head = opened.read(_HEADER_BYTES)
    order = _byte_order(head)
    if order is None:
        return _open_text(path, options, head)
    header = SacHeader(
        floats=tuple(_short(value) for value in np.frombuffer(head, f"{order}f4", _N_FLOATS)),
        integers=tuple(np.frombuffer(head, f"{order}i4", _N_INTEGERS, 4 * _N_FLOATS).tolist()),
        texts=tuple(_text(head[at : at + 8]) for at in range(4 * (_N_FLOATS + _N_INTEGERS), _HEADER_BYTES, 8)),
    )
    _check_kind(path, header)
    warnings: list[str] = []
    file = ByteFile(path)
    try:
        n_samples = _count(file, header, warnings)
        delta_s, begin_s = _exact(file, header, order, n_samples)
        info = _describe(header, options, n_samples, delta_s, begin_s, warnings)
    except BaseException:
        file.close()
        raise
    table = SampleTable.vectorised(f"{order}f4", n_samples, _HEADER_BYTES)
    return SourcedRecording(info, [Place(source=FileGrid(file=file, table=table), row=0)], file.close)


def _short(value: np.float32) -> float:
    """Return a float32 as the decimal that was meant: an interval of 0.01 s is 100 Hz and not 100.00000223 Hz."""
    return float(str(value))


def _text(raw: bytes) -> str:
    text = raw.split(b"\0")[0].decode("ascii", "replace").replace("\ufffd", "?").strip()
    return "" if text == str(_UNKNOWN) else text


def _check_kind(path: Path, header: SacHeader) -> None:
    kind = header.integers[_KIND]
    if kind not in (1, _UNKNOWN):
        raise ReadError(
            f"{path.name} holds {_KINDS.get(kind, 'something else than a time series')}",
            hint="save it from SAC as an evenly spaced time series",
        )
    if header.integers[_EVEN] == 0:
        raise ReadError(f"{path.name} has uneven sample times", hint="interpolate it in SAC and save it again")


def _count(file: ByteFile, header: SacHeader, warnings: list[str]) -> int:
    told, held = header.integers[_N_POINTS], (file.n_bytes - _HEADER_BYTES) // 4
    if told > held:
        warnings.append(
            f"{file.name} stops too early: the header promises {told:,} samples, the file holds {held:,} "
            f"({told - held:,} are missing)"
        )
    known_bytes = _HEADER_BYTES + 4 * told + (_FOOTER_BYTES if header.integers[_VERSION] == 7 else 0)
    if file.n_bytes > known_bytes:
        warnings.append(f"{file.n_bytes - known_bytes:,} bytes after the last sample of {file.name} are left out")
    return min(told, held)


def _exact(file: ByteFile, header: SacHeader, order: str, n_samples: int) -> tuple[float, float]:
    """Return interval and begin, in double precision where the file has them so."""
    after = _HEADER_BYTES + 4 * n_samples
    if header.integers[_VERSION] == 7 and n_samples == header.integers[_N_POINTS] and after + 16 <= file.n_bytes:
        delta_s, begin_s = np.frombuffer(file.read(after, 16).tobytes(), f"{order}f8").tolist()
        if delta_s > 0 and abs(delta_s - header.floats[_DELTA]) < 1e-5 * delta_s:
            return delta_s, begin_s
    return header.floats[_DELTA], header.floats[_BEGIN]


def _describe(
    header: SacHeader,
    options: OpenOptions,
    n_samples: int,
    delta_s: float,
    begin_s: float,
    warnings: list[str],
) -> RecordingInfo:
    delta_s = _meant(delta_s, warnings)
    is_rate = 0 < delta_s < math.inf and math.isfinite(1.0 / delta_s)
    rate_hz = 1.0 / delta_s if is_rate else options.rate_hz
    if rate_hz is None:
        warnings.append("The file tells no sampling rate: give one to filter it")
    else:
        warnings += own_rate_words([rate_hz], options)
    if not math.isfinite(begin_s) or begin_s == _UNKNOWN:
        begin_s = 0.0
    reference, start = header.reference, None
    if reference is not None:
        try:
            start = reference + timedelta(seconds=begin_s)
        except OverflowError:
            warnings.append(f"The file begins {begin_s:g} s after its reference time, which makes no sense")
    elif _UNKNOWN not in header.integers[:5]:
        warnings.append("The date in the header makes no sense: the start is not known")
    channel = Channel(
        name=header.name,
        unit=_UNITS.get(header.integers[_DEPENDENT], ""),
        kind="seismic",
        rate_hz=rate_hz,
        n_samples=n_samples,
    )
    return RecordingInfo(
        format="SAC",
        start=start,
        duration_s=None if rate_hz is None else n_samples / rate_hz,
        channels=(channel,),
        annotations=_picks(header, begin_s),
        warnings=tuple(warnings),
    )


def _meant(delta_s: float, warnings: list[str]) -> float:
    """Return the interval in whole microseconds where it is next to that, and tell where it is not next enough."""
    rounded = round(delta_s, 6) if math.isfinite(delta_s) else 0.0
    if rounded <= 0 or abs(rounded - delta_s) > _NEAR_MICROSECONDS * delta_s:
        return delta_s
    if abs(rounded - delta_s) > _FLOAT32_STEP * delta_s:
        warnings.append(f"The sample interval of {delta_s:.9g} s is taken to mean {rounded:g} s ({1 / rounded:g} Hz)")
    return rounded


def _picks(header: SacHeader, begin_s: float) -> tuple[Annotation, ...]:
    """Return origin, first arrival and the picks T0 to T9, in seconds from the first sample."""
    marks = [(_ORIGIN, header.texts[4], "origin"), (8, header.texts[5], "first arrival")]
    marks += [(_FIRST_PICK + number, header.texts[6 + number], f"T{number}") for number in range(10)]
    notes = []
    for place, text, otherwise in marks:
        second = header.seconds(place)
        if second is not None:
            notes.append(Annotation(onset_s=round(second - begin_s, 6), text=text or otherwise))
    return tuple(sorted(notes, key=lambda note: note.onset_s))


def _open_text(path: Path, options: OpenOptions, head: bytes) -> Recording:
    """Open the form of SAC that is written as text: 14 lines of 5 numbers, 8 of 5 whole numbers, 8 of names."""
    not_sac = ReadError(f"{path.name} is not a SAC file", hint="its header makes no sense: copy the file again")
    if b"\0" in head or any(byte > 127 for byte in head):
        raise not_sac
    lines = path.read_text("ascii", "replace").splitlines()
    try:
        floats = [float(word) for line in lines[:14] for word in line.split()]
        integers = [int(word) for line in lines[14:22] for word in line.split()]
        values = np.array(" ".join(lines[30:]).split(), dtype=np.float64)
    except ValueError as error:
        raise not_sac from error
    if (len(floats), len(integers)) != (_N_FLOATS, _N_INTEGERS) or integers[_VERSION] not in _VERSIONS:
        raise not_sac
    raw = "".join(line[:24].ljust(24) for line in lines[22:30])
    texts = tuple(_text(raw[at : at + 8].encode("ascii", "replace")) for at in range(0, _TEXT_BYTES, 8))
    header = SacHeader(floats=tuple(floats), integers=tuple(integers), texts=texts)
    _check_kind(path, header)
    told, warnings = integers[_N_POINTS], []
    if told != len(values):
        warnings.append(f"The header promises {told:,} samples, the file holds {len(values):,}, and these are read")
    info = _describe(header, options, len(values), floats[_DELTA], floats[_BEGIN], warnings)
    return ArrayRecording(info, [values])


FORMAT = ReaderFormat(name="sac", title="SAC", suffixes=(".sac",), sniff=sniff_sac, open=open_sac)
