"""Bytes of an open file by position, safe from several threads, and samples that lie at a fixed distance.

The formats that keep their samples in a plain table (one type, channels side by side or one after the other) share
this one way to disk. Nothing is mapped into memory: a file that shrinks while it is open gives an error here, where a
memory map would end the process. Positions are checked by the readers before; what is missing all the same is told.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from jaxscope.data.recording import FloatArray
from jaxscope.data.span import Span
from jaxscope.errors import ReadError

ByteArray = npt.NDArray[np.uint8]

#: How many bytes are taken from a file at a time.
CHUNK_BYTES = 8 << 20
#: Samples that lie closer together than this are read with what lies between them.
_PAGE_BYTES = 4096


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

    def close(self) -> None:
        """Close the file; reading afterwards raises ``ReadError``."""
        with self._lock:
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

        This is the one place that reads, under one lock for all rows.

        Raises
        ------
        ReadError
            If the file is closed, broken, or has lost what it held when it was opened.
        """
        with self._lock:
            if self._file.closed:
                raise ReadError(f"{self.name} is closed", hint="open it again")
            seek, read_into = self._file.seek, self._file.readinto
            try:
                for row in rows:
                    seek(position)
                    position += step_bytes
                    done = read_into(row.data)
                    while done < len(row):  # a single read may bring less than was asked for
                        count = read_into(row[done:].data)
                        if not count:
                            raise ReadError(f"{self.name} has become shorter while it was open", hint="open it again")
                        done += count
            except OSError as error:
                raise ReadError(
                    f"{self.name} cannot be read: {error.strerror or error}", hint="check the drive"
                ) from error


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

    def read(self, file: ByteSource, span: Span, channels: Sequence[int]) -> FloatArray:
        """Return samples as they are stored.

        Parameters
        ----------
        file : ByteSource
        span : Span
            Samples that the file is known to hold.
        channels : sequence of int

        Returns
        -------
        ndarray of float64, shape (n_channels, n_samples)
        """
        result = np.empty((len(channels), len(span)), dtype=np.float64)
        if not result.size:
            return result
        # Some NaNs, cast to float64, raise a flag that means nothing here.
        with np.errstate(invalid="ignore"):
            self._fill(file, span, channels, result)
        return result

    def _fill(self, file: ByteSource, span: Span, channels: Sequence[int], result: FloatArray) -> None:
        low, high = min(channels) * self.channel_bytes, max(channels) * self.channel_bytes + self.dtype.itemsize
        if self.sample_bytes > self.dtype.itemsize and high - low <= self.sample_bytes:
            self._read_side_by_side(file, span, channels, result)
        else:
            for row, channel in enumerate(channels):
                self._read_one(file, span, channel, result[row])

    def _read_side_by_side(self, file: ByteSource, span: Span, channels: Sequence[int], result: FloatArray) -> None:
        low = min(channels) * self.channel_bytes
        high = max(channels) * self.channel_bytes + self.dtype.itemsize
        for block in span.blocks(max(1, CHUNK_BYTES // self.sample_bytes)):
            n_bytes = (len(block) - 1) * self.sample_bytes + high - low
            raw = file.read(self.first_byte + block.start * self.sample_bytes + low, n_bytes)
            for row, channel in enumerate(channels):
                result[row, block.start - span.start : block.stop - span.start] = np.ndarray(
                    (len(block),),
                    self.dtype,
                    raw.data,
                    channel * self.channel_bytes - low,
                    (self.sample_bytes,),
                )

    def _read_one(self, file: ByteSource, span: Span, channel: int, row: FloatArray) -> None:
        for block in span.blocks(max(1, CHUNK_BYTES // self.sample_bytes)):
            n_bytes = (len(block) - 1) * self.sample_bytes + self.dtype.itemsize
            raw = file.read(self.first_byte + channel * self.channel_bytes + block.start * self.sample_bytes, n_bytes)
            row[block.start - span.start : block.stop - span.start] = np.ndarray(
                (len(block),), self.dtype, raw.data, 0, (self.sample_bytes,)
            )
