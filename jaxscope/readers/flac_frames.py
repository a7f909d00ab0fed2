"""Where a FLAC file really ends.

The header of a FLAC file may say nothing about its length, or something wrong, and libsndfile believes it: it stops
early, or promises samples that are not there. Every FLAC frame, however, carries its own number and two checksums, so
the last whole frame in the last part of the file tells the true length without decoding anything.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from io import SEEK_END, RawIOBase
from pathlib import Path
from typing import BinaryIO

_TAIL_BYTES = 1 << 20
_FIXED_SIZES = {1: 192, 2: 576, 3: 1152, 4: 2304, 5: 4608, **{8 + k: 256 << k for k in range(8)}}


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamInfo:
    """The first metadata block of a FLAC file. ``n_samples`` is 0 where the file does not say.

    ``offset`` is the place of the 34 bytes of the block in the file.
    """

    offset: int
    min_block: int
    max_block: int
    rate_hz: int
    n_channels: int
    bits: int
    n_samples: int
    first_frame: int

    def patch(self) -> tuple[int, bytes]:
        """Return where in the file the 8 bytes with rate, channels, bits and length lie, and what they should be."""
        word = self.rate_hz << 44 | (self.n_channels - 1) << 41 | (self.bits - 1) << 36 | self.n_samples
        return self.offset + 10, struct.pack(">Q", word)


def read_stream_info(file: BinaryIO) -> StreamInfo | None:
    """Read the stream information and the place of the first frame; None where the blocks make no sense."""
    file.seek(0)
    start = _after_id3(file.read(10))
    file.seek(start)
    if file.read(4) != b"fLaC":
        return None
    info: StreamInfo | None = None
    is_last = False
    while not is_last:
        header = file.read(4)
        if len(header) < 4:
            return None
        is_last = bool(header[0] & 0x80)
        size = int.from_bytes(header[1:4], "big")
        here = file.tell()
        if header[0] & 0x7F == 0 and info is None:
            info = _parse_stream_info(file.read(34), here)
        file.seek(here + size)
    return replace(info, first_frame=file.tell()) if info is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEnd:
    """The last whole frame: how many samples there are up to its end, of how many channels, and the bytes after it."""

    n_samples: int
    n_channels: int
    n_bytes_after: int


def find_end(path: Path, info: StreamInfo) -> StreamEnd | None:
    """Find the last whole frame of a FLAC file, or None if its tail holds none.

    A frame counts as whole when its checksum fits up to the next frame or the end of the file.
    """
    with path.open("rb") as file:
        n_bytes = file.seek(0, SEEK_END)
        start = max(info.first_frame, n_bytes - _TAIL_BYTES)
        file.seek(start)
        tail = file.read()
    end = len(tail) - (128 if tail[-128:-125] == b"TAG" else 0)
    there = position = end
    while (position := tail.rfind(b"\xff", 0, position)) >= 0:
        found = _frame_span(tail, position, info)
        if found is None:
            continue
        if _crc16_fits(tail, position, end):
            return StreamEnd(n_samples=found[0] + found[1], n_channels=found[2], n_bytes_after=there - end)
        # Either chance bytes that look like a frame, or a frame that the file cuts off: look further to the left,
        # where the frame before it must end exactly here.
        end = position if _has_frame_ending_at(tail, position, info) else end
    return None


class PatchedFile(RawIOBase):
    """A file of which some bytes, a count in its header, are replaced by the true ones while it is read."""

    def __init__(self, path: Path, at: int, true_bytes: bytes) -> None:
        super().__init__()
        self._file = path.open("rb")
        self._at = at
        self._bytes = true_bytes

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int = -1) -> bytes:
        start = self._file.tell()
        data = self._file.read(size)
        first, last = max(start, self._at), min(start + len(data), self._at + len(self._bytes))
        if first >= last:
            return data
        new = self._bytes[first - self._at : last - self._at]
        return data[: first - start] + new + data[last - start :]

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def _after_id3(head: bytes) -> int:
    if head[:3] != b"ID3" or len(head) < 10:
        return 0
    return 10 + (head[6] << 21 | head[7] << 14 | head[8] << 7 | head[9])


def _parse_stream_info(block: bytes, offset: int) -> StreamInfo | None:
    if len(block) < 34:
        return None
    min_block, max_block = struct.unpack(">HH", block[:4])
    word = int.from_bytes(block[10:18], "big")
    return StreamInfo(
        offset=offset,
        min_block=min_block,
        max_block=max_block,
        rate_hz=word >> 44,
        n_channels=(word >> 41 & 7) + 1,
        bits=(word >> 36 & 31) + 1,
        n_samples=word & (1 << 36) - 1,
        first_frame=0,
    )


def _has_frame_ending_at(tail: bytes, end: int, info: StreamInfo) -> bool:
    position = end
    limit = max(0, end - (1 << 17))
    while (position := tail.rfind(b"\xff", limit, position)) >= 0:
        if _frame_span(tail, position, info) is not None and _crc16_fits(tail, position, end):
            return True
    return False


def _frame_span(data: bytes, at: int, info: StreamInfo) -> tuple[int, int, int] | None:
    """Return (first sample, samples, channels) of the frame whose header begins here, or None if none does."""
    if len(data) - at < 6 or data[at + 1] & 0xFE != 0xF8 or data[at + 3] & 1:
        return None
    size_code, channel_code = data[at + 2] >> 4, data[at + 3] >> 4
    n_channels = channel_code + 1 if channel_code < 8 else 2
    if size_code == 0 or channel_code > 10:
        return None
    number, place = _coded_number(data, at + 4)
    if number is None:
        return None
    extra = {6: 1, 7: 2}.get(size_code, 0)
    n_samples = int.from_bytes(data[place : place + extra], "big") + 1 if extra else _FIXED_SIZES[size_code]
    place += extra + {12: 1, 13: 2, 14: 2}.get(data[at + 2] & 15, 0)
    if place >= len(data) or _crc8(data[at:place]) != data[place]:
        return None
    is_variable = bool(data[at + 1] & 1)
    return (number if is_variable else number * info.max_block), n_samples, n_channels


def _coded_number(data: bytes, at: int) -> tuple[int | None, int]:
    first = data[at]
    if first < 0x80:
        return first, at + 1
    n_bytes = 8 - (first ^ 0xFF).bit_length()
    rest = data[at + 1 : at + n_bytes]
    if n_bytes < 2 or len(rest) < n_bytes - 1 or any(byte & 0xC0 != 0x80 for byte in rest):
        return None, at
    number = first & (0x7F >> n_bytes)
    for byte in rest:
        number = number << 6 | byte & 0x3F
    return number, at + n_bytes


def _crc8(data: bytes) -> int:
    crc = 0
    for byte in data:
        crc = _CRC8[crc ^ byte]
    return crc


def _crc16_fits(data: bytes, start: int, stop: int) -> bool:
    crc = 0
    for byte in data[start:stop]:
        crc = (crc << 8 & 0xFFFF) ^ _CRC16[crc >> 8 ^ byte]
    return crc == 0 and stop - start > 8


def _table(polynomial: int, bits: int) -> list[int]:
    top, mask = 1 << bits - 1, (1 << bits) - 1
    table = []
    for value in range(256):
        crc = value << bits - 8
        for _ in range(8):
            crc = (crc << 1 ^ polynomial if crc & top else crc << 1) & mask
        table.append(crc)
    return table


_CRC8 = _table(0x07, 8)
_CRC16 = _table(0x8005, 16)
