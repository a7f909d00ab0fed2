"""The chunks of an XDF file: which streams there are, where their samples lie, and what their stamps are.

An XDF file is a row of chunks without a table of contents, so all of them are visited once at opening; samples are
passed over and read later, where they are asked for. Damage is stepped over up to the next boundary chunk and told.
A length is believed only as far as the file goes.

Source: the XDF 1.0 specification (sccn/xdf wiki).
"""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from jaxscope.data.recording import FloatArray
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.byte_file import ByteFile

MAGIC = b"XDF:"
_BOUNDARY = bytes.fromhex("43a546dccbf5410fb30ed5467383cbe4")
_FILE_HEADER, _STREAM_HEADER, _SAMPLES, _CLOCK_OFFSET, _BOUNDARY_TAG, _FOOTER = 1, 2, 3, 4, 5, 6
_TYPES = {"double64": "f8", "float32": "f4", "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8"}
_MOST_CHANNELS = 1 << 16
_WINDOW_BYTES = 4 << 20
#: A header of this size is damage.
_HEADER_LIMIT = 64 << 20


@dataclass(slots=True, kw_only=True)
class Stream:
    """One stream as it was found. ``stamps`` and ``texts`` grow while the file is visited."""

    number: int
    name: str
    content: str
    n_channels: int
    nominal_hz: float
    dtype: np.dtype[np.generic] | None
    labels: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    drops_samples: bool = False
    stamps: list[FloatArray] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    clock_times: list[float] = field(default_factory=list)
    clock_offsets: list[float] = field(default_factory=list)
    told_samples: int | None = None
    last_stamp: float = 0.0
    positions: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    #: Bytes from one sample to the next, and to the values of the first; 0 where ``offsets`` tells all of them.
    strides: list[int] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    offsets: dict[int, npt.NDArray[np.int64]] = field(default_factory=dict)

    @property
    def n_samples(self) -> int:
        """How many samples have been found."""
        return sum(self.counts) if self.dtype is not None else len(self.texts)


@dataclass(slots=True, kw_only=True)
class XdfContent:
    """Everything that was found."""

    streams: dict[int, Stream] = field(default_factory=dict)
    start: datetime | None = None
    warnings: list[str] = field(default_factory=list)


class _DamageError(Exception):
    """A chunk makes no sense."""


class StreamSource:
    """The values of a stream.

    Parameters
    ----------
    file : ByteFile
    stream : Stream
    """

    def __init__(self, file: ByteFile, stream: Stream) -> None:
        assert stream.dtype is not None
        self._file = file
        self._dtype = stream.dtype.newbyteorder("<")
        self._width = self._dtype.itemsize * stream.n_channels
        self._positions = np.array(stream.positions, dtype=np.int64)
        self._strides = np.array(stream.strides, dtype=np.int64)
        self._firsts = np.array(stream.firsts, dtype=np.int64)
        self._offsets = stream.offsets
        self._counts = np.array(stream.counts, dtype=np.int64)
        self._stops = np.cumsum(self._counts)

    def read(self, span: Span, rows: Sequence[int]) -> FloatArray:
        result = np.empty((len(rows), len(span)), dtype=np.float64)
        first = int(np.searchsorted(self._stops, span.start, side="right"))
        last = int(np.searchsorted(self._stops, span.stop, side="left")) + 1
        chosen = list(rows)
        at = first
        with np.errstate(invalid="ignore"):
            while at < last:
                stop = self._window(at, last)
                begin = int(self._positions[at])
                raw = self._file.read(begin, self._end(stop - 1) - begin)
                for chunk in range(at, stop):
                    self._copy(chunk, raw[int(self._positions[chunk]) - begin :], span, chosen, result)
                at = stop
        return result

    def _end(self, chunk: int) -> int:
        """Return where the values of the last sample of a chunk end."""
        n_samples = int(self._counts[chunk])
        if not self._strides[chunk]:
            return int(self._positions[chunk] + self._offsets[chunk][-1]) + self._width
        last = int(self._firsts[chunk] + (n_samples - 1) * self._strides[chunk])
        return int(self._positions[chunk]) + last + self._width

    def _window(self, at: int, last: int) -> int:
        """Return up to which chunk one reading goes."""
        limit = int(np.searchsorted(self._positions[at:last], self._positions[at] + _WINDOW_BYTES)) + at
        steps = np.diff(self._positions[at:limit])
        size = int(self._counts[at]) * (self._width + 9) + 65536
        far = np.flatnonzero(steps > 4 * size)
        return max(at + 1, at + 1 + int(far[0]) if len(far) else limit)

    def _copy(self, chunk: int, raw: npt.NDArray[np.uint8], span: Span, rows: list[int], result: FloatArray) -> None:
        n_samples = int(self._counts[chunk])
        run = Span(int(self._stops[chunk]) - n_samples, int(self._stops[chunk]))
        part = run.intersect(span)
        stride = int(self._strides[chunk])
        n_channels = self._width // self._dtype.itemsize
        values: npt.NDArray[np.generic]
        if stride:
            shape, steps = (n_samples, n_channels), (stride, self._dtype.itemsize)
            values = np.ndarray(shape, self._dtype, raw.data, int(self._firsts[chunk]), steps)
        else:
            places = self._offsets[chunk][:, np.newaxis] + np.arange(self._width)
            values = raw[places].view(self._dtype)
        block = values[part.start - run.start : part.stop - run.start]
        result[:, part.start - span.start : part.stop - span.start] = block.T[rows]


def scan_file(path: Path) -> XdfContent:
    """Visit all chunks of a file.

    Raises
    ------
    ReadError
        If it is no XDF file or holds no stream.
    """
    content = XdfContent()
    size = path.stat().st_size
    with path.open("rb", buffering=1 << 20) as file:
        if file.read(4) != MAGIC:
            raise ReadError(f"{path.name} is not an XDF file", hint="choose another file, or correct its suffix")
        n_damaged = 0
        while (begin := file.tell()) < size:
            try:
                if not _visit(file, size, content):
                    content.warnings.append(
                        f"{path.name} stops inside a chunk: the last {size - begin:,} bytes are left out"
                    )
                    break
            except (_DamageError, struct.error, UnicodeDecodeError, ElementTree.ParseError, ValueError, KeyError):
                n_damaged += 1
                file.seek(begin + 1)
                if not _to_boundary(file):
                    break
    if n_damaged:
        places = "One place in the file is" if n_damaged == 1 else f"{n_damaged:,} places in the file are"
        content.warnings.append(f"{places} damaged: all from there to the next mark is left out")
    if not content.streams:
        raise ReadError(f"{path.name} holds no stream", hint="copy the file again, or choose another")
    return content


def _to_boundary(file: BinaryIO) -> bool:
    """Move behind the next boundary chunk; say whether there is one."""
    tail = b""
    while block := file.read(1 << 20):
        found = (tail + block).find(_BOUNDARY)
        if found >= 0:
            file.seek(found + len(_BOUNDARY) - len(tail) - len(block), 1)
            return True
        tail = (tail + block)[-len(_BOUNDARY) + 1 :]
    return False


def _length(file: BinaryIO) -> int:
    head = file.read(1)
    if head == b"\x01":
        return file.read(1)[0]
    if head == b"\x04":
        return int(struct.unpack("<I", file.read(4))[0])
    if head == b"\x08":
        return int(struct.unpack("<Q", file.read(8))[0])
    raise _DamageError


def _visit(file: BinaryIO, size: int, content: XdfContent) -> bool:
    """Take in the chunk at the place of the file; return False where the file ends inside it."""
    begin = file.tell()
    try:
        length = _length(file)
    except (IndexError, struct.error):
        return False
    if length < 2:
        raise _DamageError
    if file.tell() + length > size:
        file.seek(begin + 1)
        # A length that leads past the end is damage if there is more to be found, and the end of the file otherwise.
        if _to_boundary(file):
            file.seek(begin)
            raise _DamageError
        return False
    (tag,) = struct.unpack("<H", file.read(2))
    if tag == _SAMPLES:
        _take_samples(file, length - 2, content)
    elif tag in (_FILE_HEADER, _STREAM_HEADER, _FOOTER):
        if length > _HEADER_LIMIT:
            raise _DamageError
        _take_header(tag, file.read(length - 2), content)
    elif tag == _CLOCK_OFFSET:
        number, time, offset = struct.unpack("<Idd", file.read(length - 2))
        content.streams[number].clock_times.append(time)
        content.streams[number].clock_offsets.append(offset)
    elif tag == _BOUNDARY_TAG:
        file.seek(length - 2, 1)
    else:
        raise _DamageError
    return True


def _xml(raw: bytes) -> ElementTree.Element:
    text = raw.decode("utf-8", "replace").strip("\0")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise _DamageError
    return ElementTree.fromstring(text)


def _take_header(tag: int, raw: bytes, content: XdfContent) -> None:
    if tag == _FILE_HEADER:
        told = _xml(raw).findtext("datetime")
        try:
            content.start = datetime.fromisoformat(told.strip()) if told else None
        except ValueError:
            content.warnings.append(f'The date of the file, "{told}", makes no sense: the start is not known')
        return
    (number,) = struct.unpack("<I", raw[:4])
    header = _xml(raw[4:])
    if tag == _FOOTER:
        count = header.findtext("sample_count")
        content.streams[number].told_samples = int(count) if count else None
    elif number not in content.streams:
        content.streams[number] = _stream(number, header)


def _stream(number: int, header: ElementTree.Element) -> Stream:
    n_channels = int(header.findtext("channel_count") or "")
    nominal_hz = float(header.findtext("nominal_srate") or 0)
    kind = (header.findtext("channel_format") or "").strip()
    if not 0 < n_channels <= _MOST_CHANNELS or not 0 <= nominal_hz < 1e12 or kind not in (*_TYPES, "string"):
        raise _DamageError
    described = header.findall("desc/channels/channel")
    words = {
        key: tuple((channel.findtext(key) or "").strip() for channel in described) for key in ("label", "unit", "type")
    }
    fits = len(described) == n_channels
    return Stream(
        number=number,
        name=(header.findtext("name") or "").strip() or f"stream {number}",
        content=(header.findtext("type") or "").strip(),
        n_channels=n_channels,
        nominal_hz=nominal_hz,
        dtype=None if kind == "string" else np.dtype(_TYPES[kind]),
        labels=words["label"] if fits else (),
        units=words["unit"] if fits else (),
        kinds=words["type"] if fits else (),
        drops_samples=(header.findtext("desc/synchronization/can_drop_samples") or "").lower() == "true",
    )


def _take_samples(file: BinaryIO, length: int, content: XdfContent) -> None:
    begin = file.tell()
    stream = content.streams[struct.unpack("<I", file.read(4))[0]]
    try:
        count = _length(file)
    except IndexError as error:
        raise _DamageError from error
    position = file.tell()
    raw = np.frombuffer(file.read(length - (position - begin)), dtype=np.uint8)
    if stream.dtype is None:
        _take_texts(stream, raw.tobytes(), count)
        return
    if not count:
        return
    width = stream.n_channels * stream.dtype.itemsize
    n_stamped, rest = divmod(len(raw) - count * (1 + width), 8)
    if rest or not 0 <= n_stamped <= count:
        raise _DamageError
    if n_stamped == count:
        stride, first = 9 + width, 9
        flags = raw[::stride]
        stamps = np.ndarray((count,), "<f8", raw.data, 1, (stride,)).astype(np.float64)
        is_even = bool((flags == 8).all())
    else:
        stride, first = 1 + width, 1 + 8 * n_stamped
        flags = raw[8 * n_stamped :: stride]
        is_even = n_stamped <= 1 and bool((flags[1:] == 0).all()) and raw[0] == 8 * n_stamped
        begins = float(np.frombuffer(raw[1:9].tobytes(), "<f8")[0]) if n_stamped == 1 else _next(stream)
        stamps = begins + np.arange(count, dtype=np.float64) * _period(stream)
    if not is_even:
        stamps, offsets = _walk(stream, raw, count, width)
        stream.offsets[len(stream.counts)] = offsets
        stride = first = 0
    stream.positions.append(position)
    stream.counts.append(count)
    stream.strides.append(stride)
    stream.firsts.append(first)
    stream.stamps.append(stamps)
    stream.last_stamp = float(stamps[-1])


def _period(stream: Stream) -> float:
    return 1.0 / stream.nominal_hz if stream.nominal_hz else 0.0


def _next(stream: Stream) -> float:
    return stream.last_stamp + _period(stream)


def _walk(
    stream: Stream, raw: npt.NDArray[np.uint8], count: int, width: int
) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """Return stamps, and offsets of values, of a chunk in which only some samples have a stamp."""
    data, at, stamp = raw.tobytes(), 0, stream.last_stamp
    stamps, offsets = np.empty(count), np.empty(count, dtype=np.int64)
    for number in range(count):
        flag = data[at] if at < len(data) else -1
        if flag not in (0, 8):
            raise _DamageError
        stamp = struct.unpack_from("<d", data, at + 1)[0] if flag else stamp + _period(stream)
        stamps[number], offsets[number] = stamp, at + 1 + flag
        at += 1 + flag + width
    if at != len(data):
        raise _DamageError
    return stamps, offsets


def _take_texts(stream: Stream, data: bytes, count: int) -> None:
    at, stamps, texts, stamp = 0, [], [], stream.last_stamp
    for _ in range(count):
        if at >= len(data) or data[at] not in (0, 8):
            raise _DamageError
        flag = data[at]
        stamp = struct.unpack_from("<d", data, at + 1)[0] if flag else stamp + _period(stream)
        at += 1 + flag
        words = []
        for _ in range(stream.n_channels):
            n_bytes = data[at] if at < len(data) else 0
            if n_bytes not in (1, 4, 8) or at + 1 + n_bytes > len(data):
                raise _DamageError
            length = int.from_bytes(data[at + 1 : at + 1 + n_bytes], "little")
            at += 1 + n_bytes
            if at + length > len(data):
                raise _DamageError
            words.append(data[at : at + length].decode("utf-8", "replace").strip("\0"))
            at += length
        stamps.append(stamp)
        texts.append(", ".join(word for word in words if word))
    stream.stamps.append(np.array(stamps, dtype=np.float64))
    stream.texts += texts
    stream.last_stamp = stamp
