"""The data records of an EDF or BDF file: bytes on disk to integers, a few at a time.

A record holds a piece of every signal one after the other, so the samples of one channel lie scattered. Two ways of
reading keep both a wide window over all channels and a single channel of a huge file quick: whole runs of records
that are cut apart in memory, or only the bytes of the signals that are wanted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.readers.byte_file import ByteArray, ByteFile, int24

#: How many bytes are taken from the file at a time: what is made of them stays near a processor.
CHUNK_BYTES = 1 << 20
#: Records larger than this are not read whole.
_LARGE_RECORD_BYTES = 1 << 20
#: Below this, skipping bytes costs more than reading them.
_PAGE_BYTES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """Where one signal lies in each record: ``offset`` and ``width`` in bytes."""

    offset: int
    width: int


class RecordFile:
    """The data records of an open file. Safe from several threads.

    Parameters
    ----------
    path : Path
    first_byte : int
        Where the first record begins.
    record_bytes : int
    n_records : int
        Whole records that the file is known to hold.
    """

    def __init__(self, path: Path, *, first_byte: int, record_bytes: int, n_records: int) -> None:
        self._file = ByteFile(path)
        self._first_byte = first_byte
        self._record_bytes = record_bytes
        self.n_records = n_records

    def close(self) -> None:
        """Close the file; reading afterwards raises ``ReadError``."""
        self._file.close()

    def bytes_at(self, record: int, offset: int, size: int) -> ByteArray:
        """Return ``size`` bytes that begin ``offset`` bytes after the start of a record."""
        result: ByteArray = np.empty(size, dtype=np.uint8)
        self._fill(result[np.newaxis], record, offset)
        return result

    def _fill(self, rows: ByteArray, record: int, offset: int) -> None:
        """Fill row after row with what lies at ``offset`` in record after record."""
        self._file.fill(rows, self._first_byte + record * self._record_bytes + offset, self._record_bytes)

    def expect(self, first: int, stop: int, columns: Sequence[Column]) -> None:
        """Tell the system that ``columns`` follows with the same: few bytes of many records come at once then."""
        if self._record_bytes and self.is_sparse(columns):
            for column in columns:
                position = self._first_byte + first * self._record_bytes + column.offset
                self._file.expect(position, self._record_bytes, stop - first, column.width)

    def columns(self, first: int, stop: int, columns: Sequence[Column]) -> Iterator[tuple[int, list[ByteArray]]]:
        """Yield runs of whole records ``first`` to ``stop`` (half-open), cut into columns.

        Yields
        ------
        int
            The first record of the run.
        list of ndarray of uint8, each of shape (n_records, width)
            The bytes of each column.
        """
        low, high, _ = _extent(columns)
        reads_whole = not self.is_sparse(columns)
        step = self.n_at_once(columns)
        for record in range(first, stop, step):
            n_records = min(step, stop - record)
            if reads_whole:
                size = (n_records - 1) * self._record_bytes + high - low
                run = np.empty(n_records * self._record_bytes, dtype=np.uint8)
                self._fill(run[np.newaxis, :size], record, low)
                table = run.reshape(n_records, self._record_bytes)
                yield record, [table[:, column.offset - low : column.offset - low + column.width] for column in columns]
            else:
                cut = [np.empty((n_records, column.width), dtype=np.uint8) for column in columns]
                for column, part in zip(columns, cut, strict=True):
                    self._fill(part, record, column.offset)
                yield record, cut

    def n_at_once(self, columns: Sequence[Column]) -> int:
        """Return how many records make a run."""
        _, _, wanted = _extent(columns)
        return max(1, CHUNK_BYTES // max(1, wanted if self.is_sparse(columns) else self._record_bytes))

    @property
    def has_large_records(self) -> bool:
        """Whether even one record is too much to be read for a few samples; some files are a single record."""
        return self._record_bytes > _LARGE_RECORD_BYTES

    def is_sparse(self, columns: Sequence[Column]) -> bool:
        """Say whether these columns are better read by themselves than with all that lies between them."""
        low, high, wanted = _extent(columns)
        return (
            self.has_large_records
            or (high - low > _PAGE_BYTES and 4 * wanted < high - low)
            or (self._record_bytes - (high - low) > _PAGE_BYTES and 4 * wanted < self._record_bytes)
        )


def _extent(columns: Sequence[Column]) -> tuple[int, int, int]:
    """Return the first byte, the byte after the last, and how many bytes the columns themselves take."""
    low = min((column.offset for column in columns), default=0)
    high = max((column.offset + column.width for column in columns), default=0)
    return low, high, sum(column.width for column in columns)


def integers(raw: ByteArray, sample_bytes: int, *, unsigned: bool) -> npt.NDArray[np.integer[Any]]:
    """Decode little-endian samples of 2 or 3 bytes, where they lie if that can be.

    Parameters
    ----------
    raw : ndarray of uint8, shape (..., n_samples * sample_bytes)
    sample_bytes : int
        2 (EDF) or 3 (BDF).
    unsigned : bool
        Read the bits as a code and not in two's complement.

    Returns
    -------
    ndarray of integers, shape (..., n_samples)
    """
    if sample_bytes == 2:
        return raw.view("<u2" if unsigned else "<i2")
    values = int24(raw)
    return values & 0xFFFFFF if unsigned else values
