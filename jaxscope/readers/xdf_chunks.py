"""The chunks of an XDF file: which streams there are, where their samples lie, and what their stamps are.

An XDF file is a row of chunks without a table of contents, so all of them are visited once at opening; samples are
passed over and read later, where they are asked for. Damage is stepped over up to the next boundary chunk and told.
A length is believed only as far as the file goes.

Source: the XDF 1.0 specification (sccn/xdf wiki).
"""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from jaxscope.data.recording import FloatArray
from jaxscope.errors import ReadError
from jaxscope.readers.xdf_streams import Stream, as_found

MAGIC = b"XDF:"
_BOUNDARY = bytes.fromhex("43a546dccbf5410fb30ed5467383cbe4")
_FILE_HEADER, _STREAM_HEADER, _SAMPLES, _CLOCK_OFFSET, _BOUNDARY_TAG, _FOOTER = 1, 2, 3, 4, 5, 6
_TYPES = {"double64": "f8", "float32": "f4", "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8"}
_MOST_CHANNELS = 1 << 16
#: A header of this size is damage.
_HEADER_LIMIT = 64 << 20


@dataclass(slots=True, kw_only=True)
class XdfContent:
    """Everything that was found."""

    streams: dict[int, Stream] = field(default_factory=dict)
    start: datetime | None = None
    warnings: list[str] = field(default_factory=list)


class _DamageError(Exception):
    """A chunk makes no sense."""


class ChunkWalk:
    """Visits the chunks of a file one after the other.

    Parameters
    ----------
    path : Path

    Raises
    ------
    ReadError
        If it is no XDF file.
    """

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self.n_bytes = path.stat().st_size
        self._file = path.open("rb", buffering=1 << 20)
        self._content = XdfContent()
        self._n_damaged = 0
        self._n_left_out = 0
        if self._file.read(4) != MAGIC:
            self._file.close()
            raise ReadError(f"{path.name} is not an XDF file", hint="choose another file, or correct its suffix")
        #: how far it has come
        self.position = self._file.tell()

    def go_on(self, n_bytes: int) -> bool:
        """Visit the chunks that begin in the next bytes; return False once there are no more.

        Raises
        ------
        ReadError
            If the drive does not give them.
        """
        try:
            self._visit_until(min(self.n_bytes, self.position + n_bytes))
        except OSError as error:
            raise ReadError(
                f"{self._name} cannot be read: {error.strerror or error}", hint="check the drive"
            ) from error
        return self.position < self.n_bytes

    def _visit_until(self, stop: int) -> None:
        while self.position < stop:
            try:
                after = _visit(self._file, self.position, self.n_bytes, self._content)
                if after is None:
                    self._n_left_out = self.n_bytes - self.position
                self.position = self.n_bytes if after is None else after
            except (_DamageError, struct.error, UnicodeDecodeError, ElementTree.ParseError, ValueError, KeyError):
                self._n_damaged += 1
                self._file.seek(self.position + 1)
                self.position = self._file.tell() if _to_boundary(self._file) else self.n_bytes

    def content(self) -> XdfContent:
        """Return what has been found, as something of its own: going on changes nothing in it.

        Raises
        ------
        ReadError
            If there is no stream.
        """
        found = self._content
        warnings = list(found.warnings)
        if self._n_left_out:
            warnings.append(f"{self._name} stops inside a chunk: the last {self._n_left_out:,} bytes are left out")
        if self._n_damaged:
            places = (
                "One place in the file is" if self._n_damaged == 1 else f"{self._n_damaged:,} places in the file are"
            )
            warnings.append(f"{places} damaged: all from there to the next mark is left out")
        if not found.streams:
            raise ReadError(f"{self._name} holds no stream", hint="copy the file again, or choose another")
        return XdfContent(
            streams={number: as_found(stream) for number, stream in found.streams.items()},
            start=found.start,
            warnings=warnings,
        )

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


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


#: By the first byte of a length: how it is stored.
_LENGTHS = {1: struct.Struct("<B"), 4: struct.Struct("<I"), 8: struct.Struct("<Q")}
_CHUNK_HEAD_BYTES = 9


def _length(data: bytes, at: int) -> tuple[int, int]:
    """Return the length that is told at a place of some bytes, and the place after it."""
    stored = _LENGTHS.get(data[at])
    if stored is None:
        raise _DamageError
    return stored.unpack_from(data, at + 1)[0], at + 1 + stored.size


def _visit(file: BinaryIO, begin: int, size: int, content: XdfContent) -> int | None:
    """Take in the chunk at the place of the file; return where the next one begins, None where the file ends inside it.

    The file is left there.
    """
    head = file.read(_CHUNK_HEAD_BYTES)
    try:
        length, n_head = _length(head, 0)
    except (IndexError, struct.error):
        return None
    if length < 2:
        raise _DamageError
    stop = begin + n_head + length
    if stop > size:
        file.seek(begin + 1)
        # A length that leads past the end is damage if there is more to be found, and the end of the file otherwise.
        if _to_boundary(file):
            file.seek(begin)
            raise _DamageError
        return None
    file.seek(n_head - len(head), 1)
    (tag,) = struct.unpack("<H", file.read(2))
    if tag == _SAMPLES:
        _take_samples(file.read(length - 2), begin + n_head + 2, content)
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
    return stop


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


def _take_samples(data: bytes, begin: int, content: XdfContent) -> None:
    """Take in the samples of a chunk, which begin at a place of the file with the number of their stream."""
    stream = content.streams[struct.unpack_from("<I", data)[0]]
    try:
        count, at = _length(data, 4)
    except IndexError as error:
        raise _DamageError from error
    position = begin + at
    raw = np.frombuffer(data, dtype=np.uint8, offset=at)
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
