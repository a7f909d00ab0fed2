"""Bytes of an open file by position, safe from several threads, and samples that lie at a fixed distance.

The formats that keep their samples in a plain table (one type, channels side by side or one after the other) share
this one way to disk. Nothing is mapped into memory: a file that shrinks while it is open gives an error here, where a
memory map would end the process. Positions are checked by the readers before; what is missing all the same is told.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from jaxscope import arena
from jaxscope.data.recording import FloatArray
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.read_ahead import ReadAhead
from jaxscope.readers.tiles import each_part, turn, turn24

ByteArray = npt.NDArray[np.uint8]

#: So much of a file is read and made into values at a time: both stay in the cache of a processor. Rows shorter than
#: so many samples would cost more in turning to the next than they save; many channels take more bytes, within limits.
TILE_BYTES, TILE_SAMPLES, MOST_TILE_BYTES = 1 << 20, 4096, 4 << 20
#: Integers of three bytes, which NumPy does not know, as the type of a table.
INT24 = np.dtype("V3")


class ByteFile:
    """An open file that is read by position.

    Parameters
    ----------
    path : Path

    Raises
    ------
    ReadError
        If the file is not there or may not be read; the sentence names it.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._lock = Lock()
        self._n_reading, self._is_closed = 0, False
        try:
            self._file = path.open("rb", buffering=0)
        except FileNotFoundError as error:
            raise ReadError(f"{path.name} is not there", hint="keep the files of a recording together") from error
        except OSError as error:
            raise ReadError(
                f"{path.name} cannot be read: {error.strerror or error}", hint="copy it to a folder of your own"
            ) from error
        # A recording that is dropped without being closed lets go of its file all the same.
        weakref.finalize(self, self._file.close)
        self.n_bytes = self._file.seek(0, 2)
        self._ahead = ReadAhead(self._file.fileno(), self.n_bytes)

    def close(self) -> None:
        """Close the file, when nobody reads any more; reading afterwards raises ``ReadError``."""
        with self._lock:
            self._is_closed = True
            if not self._n_reading:
                self._file.close()

    def read(self, position: int, n_bytes: int) -> ByteArray:
        """Return the bytes ``position`` to ``position + n_bytes``.

        Raises
        ------
        ReadError
            If the file is closed, broken, or ends before.
        """
        if position + n_bytes > self.n_bytes:  # before memory is taken for what is not there
            raise ReadError(f"{self.name} ends too early", hint="copy the file again")
        result: ByteArray = np.empty(n_bytes, dtype=np.uint8)
        self.fill(result[np.newaxis], position, 0)
        return result

    def fill(self, rows: ByteArray, position: int, step_bytes: int) -> None:
        """Fill row after row with what lies at ``position`` and every ``step_bytes`` after it.

        This is the one place that reads. Several threads read at once, and the file stays open until they have.

        Raises
        ------
        ReadError
            If the file is closed, broken, or has lost what it held when it was opened.
        """
        with self._lock:
            if self._is_closed:
                raise ReadError(f"{self.name} is closed", hint="open it again")
            self._n_reading += 1
        try:
            for row in rows:
                self._fill_one(row, position)
                position += step_bytes
            if len(rows) == 1:
                self._ahead.note(position - step_bytes, position - step_bytes + rows.shape[1])
        except OSError as error:
            raise ReadError(f"{self.name} cannot be read: {error.strerror or error}", hint="check the drive") from error
        finally:
            self._end_reading()

    def expect(self, position: int, step_bytes: int, n_rows: int, n_bytes: int) -> None:
        """Tell the system of the few bytes of many rows, which ``fill`` reads next; what it reads stays the same."""
        with self._lock:
            if self._is_closed:
                return  # whoever reads then is told
            self._n_reading += 1
        try:
            self._ahead.tell_rows(position, step_bytes, n_rows, n_bytes)
        finally:
            self._end_reading()

    def _end_reading(self) -> None:
        with self._lock:
            self._n_reading -= 1
            if self._is_closed and not self._n_reading:
                self._file.close()

    def _fill_one(self, row: ByteArray, position: int) -> None:
        done = 0
        while done < len(row):  # a single read may bring less than was asked for
            count = self._read_into(row[done:].data, position + done)
            if not count:
                raise ReadError(f"{self.name} has become shorter while it was open", hint="open it again")
            done += count

    def _read_into(self, memory: memoryview, position: int) -> int:
        if sys.platform != "win32":
            return os.preadv(self._file.fileno(), [memory], position)
        else:
            with self._lock:  # there the place to read from belongs to the file
                self._file.seek(position)
                return self._file.readinto(memory)


class ByteSource(Protocol):
    """Bytes by position: those of a file, or what is unpacked from it."""

    @property
    def name(self) -> str:
        """What sentences call it."""
        ...

    @property
    def n_bytes(self) -> int:
        """How many there are."""
        ...

    def read(self, position: int, n_bytes: int) -> ByteArray:
        """Return bytes; raises ``ReadError`` where they are not there."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleTable:
    """Where samples of one type lie in a file.

    The sample ``s`` of channel ``c`` begins at ``first_byte + c * channel_bytes + s * sample_bytes``.
    Where ``dtype`` is ``INT24``, a sample is a little-endian integer of three bytes.
    """

    dtype: np.dtype[Any]
    first_byte: int
    channel_bytes: int
    sample_bytes: int

    @classmethod
    def multiplexed(cls, dtype: npt.DTypeLike, n_channels: int, first_byte: int = 0) -> SampleTable:
        """Return the layout that stores all channels of a sample, then those of the next."""
        kind = np.dtype(dtype)
        return cls(
            dtype=kind, first_byte=first_byte, channel_bytes=kind.itemsize, sample_bytes=kind.itemsize * n_channels
        )

    @classmethod
    def vectorised(cls, dtype: npt.DTypeLike, n_samples: int, first_byte: int = 0) -> SampleTable:
        """Return the layout that stores all samples of a channel, then those of the next."""
        kind = np.dtype(dtype)
        return cls(
            dtype=kind, first_byte=first_byte, channel_bytes=kind.itemsize * n_samples, sample_bytes=kind.itemsize
        )

    def read(
        self, file: ByteSource, span: Span, channels: Sequence[int], gains: Sequence[float] | None = None
    ) -> FloatArray:
        """Return samples, as they are stored or multiplied.

        Parameters
        ----------
        file : ByteSource
        span : Span
            Samples that the file is known to hold.
        channels : sequence of int
        gains : sequence of float, or None
            What the samples of each of the channels are multiplied by.

        Returns
        -------
        ndarray of float64, shape (n_channels, n_samples)
        """
        result = arena.empty((len(channels), len(span)), np.float64)
        if not result.size:
            return result

        def fetch(part: tuple[slice, Span]) -> ByteArray | None:
            rows, block = part
            if in_place is not None:
                return None
            first, width = self._extent(block, channels[rows])
            return file.read(first, (len(block) - 1) * self.sample_bytes + width)

        def make(part: tuple[slice, Span], raw: ByteArray | None) -> None:
            rows, block = part
            tile = result[rows, block.start - span.start : block.stop - span.start]
            if raw is not None:
                self._convert_all(raw, channels[rows], tile)
            elif in_place is not None:
                in_place.fill(tile.view(np.uint8), self._extent(block, channels[rows])[0], 0)
            _multiply(tile, None if gains is None else gains[rows])

        in_place = file if self._is_as_result and isinstance(file, ByteFile) else None
        each_part(self._parts(span, channels, in_place=in_place is not None), result.size, fetch, make)
        return result

    def _extent(self, span: Span, channels: Sequence[int]) -> tuple[int, int]:
        """Return where the first sample of channels that lie side by side begins, and how many bytes they take."""
        low = min(channels) * self.channel_bytes
        width = max(channels) * self.channel_bytes + self.dtype.itemsize - low
        return self.first_byte + low + span.start * self.sample_bytes, width

    def _parts(self, span: Span, channels: Sequence[int], *, in_place: bool) -> list[tuple[slice, Span]]:
        """Return which rows and samples are read together."""
        low, high = min(channels) * self.channel_bytes, max(channels) * self.channel_bytes + self.dtype.itemsize
        if self.sample_bytes > self.dtype.itemsize and high - low <= self.sample_bytes:
            groups = [slice(0, len(channels))]
        else:
            groups = [slice(row, row + 1) for row in range(len(channels))]
        if in_place:
            return [(rows, span) for rows in groups]
        # Samples of three bytes take four on their way.
        near = TILE_BYTES // 3 if self.dtype == INT24 else TILE_BYTES
        least, most = near // self.sample_bytes, MOST_TILE_BYTES // self.sample_bytes
        blocks = list(span.blocks(max(1, least, min(TILE_SAMPLES, most))))
        return [(rows, block) for rows in groups for block in blocks]

    def _convert_all(self, raw: ByteArray, channels: Sequence[int], into: FloatArray) -> None:
        """Make values of the samples of channels that lie side by side, the first of which is at 0."""
        low = min(channels) * self.channel_bytes
        for rows, channel in _runs(channels):
            self._convert(raw, channel * self.channel_bytes - low, into[rows])

    def _convert(self, raw: ByteArray, offset: int, into: FloatArray) -> None:
        """Make values of the samples of channels in a row, the first of which is at ``offset``."""
        if self.dtype != INT24:
            if len(into) > 1 and self.channel_bytes == self.dtype.itemsize:
                turn(raw, self.dtype, offset, self.sample_bytes, into)
            else:
                strides = (self.channel_bytes, self.sample_bytes)
                into[...] = np.ndarray(into.shape, self.dtype, raw.data, offset, strides)
        elif self.sample_bytes == 3:
            into[...] = int24(raw[offset : offset + 3 * into.size])
        else:
            turn24(raw, offset, self.sample_bytes, into)

    @property
    def _is_as_result(self) -> bool:
        """Whether the samples of a channel lie in the file as they do in memory."""
        return self.dtype == np.float64 and self.sample_bytes == self.dtype.itemsize


def int24(raw: ByteArray) -> npt.NDArray[np.int32]:
    """Decode little-endian integers of three bytes.

    Parameters
    ----------
    raw : ndarray of uint8, shape (..., 3 * n_samples)
        The last axis must be contiguous.

    Returns
    -------
    ndarray of int32, shape (..., n_samples)
    """
    values = np.empty((*raw.shape[:-1], raw.shape[-1] // 3), dtype=np.int32)
    if values.shape[-1] > 1:
        # Read with the byte before them, samples are the upper three bytes of integers that overlap, and a shift keeps
        # the sign: many times faster than copying bytes into place.
        second = raw[..., 2:6].view("<i4")[..., 0]
        overlapping = np.lib.stride_tricks.as_strided(
            second, (*second.shape, values.shape[-1] - 1), (*second.strides, 3), writeable=False
        )
        values[..., 1:] = overlapping
        values >>= 8
    if values.size:
        low, middle, high = (raw[..., place].astype(np.int32) for place in range(3))
        values[..., 0] = low | middle << 8 | (high - ((high & 0x80) << 1)) << 16
    return values


def _multiply(values: FloatArray, gains: Sequence[float] | None) -> None:
    if gains is None:
        return
    if all(gain == gains[0] for gain in gains):
        if gains[0] != 1.0:
            values *= gains[0]
        return
    values *= np.array(gains)[:, np.newaxis]


def _runs(channels: Sequence[int]) -> Iterator[tuple[slice, int]]:
    """Yield rows whose channels follow each other, with the first of these channels."""
    begin = 0
    for row in range(1, len(channels) + 1):
        if row == len(channels) or channels[row] != channels[row - 1] + 1:
            yield slice(begin, row), channels[begin]
            begin = row
