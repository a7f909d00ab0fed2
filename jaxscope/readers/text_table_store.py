"""The numbers of a table of text, kept piece by piece: in memory while they are few, in a file without a name beyond.

Text says how long a table is only at its end, so columns cannot lie in one stretch; each piece is kept as it came, its
columns one after the other, and a window reads the parts of pieces that it needs. Invariant: of a large table no more
than ``HELD_BYTES`` of numbers are in memory; the file lies in the cache folder, is never larger than four times the
text (a cell takes two bytes there and eight here), and goes with whoever reads it, also where that is killed.
"""

from __future__ import annotations

import tempfile
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import IO

import numpy as np
import numpy.typing as npt
from platformdirs import user_cache_path

from jaxscope.data.recording import FloatArray
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.scans import SharedFile

#: Numbers of a table that are kept in memory.
HELD_BYTES = 32 << 20
_ITEM = np.dtype(np.float64)


@dataclass(slots=True)
class RowRuns:
    """Row numbers, counted all and kept as far as sentences name them: the first runs of neighbours."""

    n_rows: int = 0
    n_runs: int = 0
    first: list[tuple[int, int]] = field(default_factory=list)
    _last: int = -2

    def add(self, rows: npt.NDArray[np.integer]) -> None:
        """Take in further rows, which rise and lie behind those before."""
        if not len(rows):
            return
        begins = np.flatnonzero(np.diff(rows, prepend=self._last) != 1)
        goes_on = not (len(begins) and begins[0] == 0)
        if goes_on:
            stop = int(rows[begins[0] - 1] if len(begins) else rows[-1])
            if self.n_runs == len(self.first):
                self.first[-1] = (self.first[-1][0], stop)
        ends = np.append(begins[1:], len(rows))[: len(begins)] - 1
        room = max(0, _MOST_RUNS - len(self.first))
        self.first += [(int(rows[a]), int(rows[b])) for a, b in zip(begins[:room], ends[:room], strict=True)]
        self.n_runs += len(begins)
        self.n_rows += len(rows)
        self._last = int(rows[-1])

    def __bool__(self) -> bool:
        return self.n_rows > 0

    def __str__(self) -> str:
        text = [str(first) if first == last else f"{first}–{last}" for first, last in self.first]
        return ", ".join(text) + (f" and {self.n_runs - len(text):,} more" if self.n_runs > len(text) else "")


#: Runs of rows that a sentence names.
_MOST_RUNS = 5


@dataclass(frozen=True, slots=True)
class _Piece:
    """Rows of all columns: values, or where they lie in the file; -1 for a column without a number in it."""

    n_rows: int
    values: tuple[FloatArray, ...] = ()
    offsets: tuple[int, ...] = ()


class ColumnStore:
    """Takes the pieces of a table, and gives them back as a source of samples.

    Parameters
    ----------
    name : str
        What sentences call the table.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._pieces: list[_Piece] = []
        self._n_held = 0
        self._spill: _Spill | None = None
        self._let_go: Callable[[], None] = _nothing

    def add(self, columns: Sequence[FloatArray]) -> None:
        """Keep the numbers of the next rows, one array a column.

        Raises
        ------
        ReadError
            If the cache folder has no room for them.
        """
        self._pieces.append(_Piece(len(columns[0]) if columns else 0, values=tuple(columns)))
        self._n_held += sum(column.nbytes for column in columns)
        if self._n_held > HELD_BYTES:
            self._spill_held()

    def source(self, places: Sequence[int]) -> tuple[StoredColumns, Callable[[], None]]:
        """Return the columns at ``places``, as far as they are known, and what lets go of them."""
        let_go = _nothing if self._spill is None else self._spill.shared.take()
        return StoredColumns(tuple(self._pieces), tuple(places), self._spill), let_go

    @property
    def n_rows(self) -> int:
        """How many rows have been taken."""
        return sum(piece.n_rows for piece in self._pieces)

    def close(self) -> None:
        """Take no more; what has been given stays."""
        self._let_go()

    def _spill_held(self) -> None:
        if self._spill is None:
            self._spill = _Spill(self._name)
            self._let_go = self._spill.shared.take()
        for index, piece in enumerate(self._pieces):
            if piece.values:
                offsets = tuple(map(self._spill.append, piece.values))
                self._pieces[index] = _Piece(piece.n_rows, offsets=offsets)
        self._n_held = 0


class StoredColumns:
    """Some columns of a table as a source of samples."""

    def __init__(self, pieces: tuple[_Piece, ...], places: tuple[int, ...], spill: _Spill | None) -> None:
        self._pieces, self._places, self._spill = pieces, places, spill
        self._starts = np.cumsum([0, *(piece.n_rows for piece in pieces)]).tolist()

    def read(self, span: Span, rows: Sequence[int]) -> FloatArray:
        result = np.empty((len(rows), len(span)), dtype=_ITEM)
        number = bisect_right(self._starts, span.start) - 1
        while number < len(self._pieces) and self._starts[number] < span.stop:
            piece, begin = self._pieces[number], self._starts[number]
            part = Span(begin, begin + piece.n_rows).intersect(span)
            target = result[:, part.start - span.start : part.stop - span.start]
            for into, row in zip(target, rows, strict=True):
                self._fill(into, piece, self._places[row], part.start - begin)
            number += 1
        return result

    def _fill(self, into: FloatArray, piece: _Piece, column: int, start: int) -> None:
        if piece.values:
            into[...] = piece.values[column][start : start + len(into)]
        elif piece.offsets[column] < 0:
            into[...] = np.nan
        elif self._spill is not None:
            self._spill.read(piece.offsets[column] + _ITEM.itemsize * start, into)


class _Spill:
    """A file of numbers in the cache folder that nobody else sees, and that is gone once nobody holds it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = Lock()
        self._end = 0
        self._file = self._made()
        self.shared = SharedFile(self._file.close)

    def _made(self) -> IO[bytes]:
        folder = cache_folder()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return tempfile.TemporaryFile(dir=folder, prefix="table-")
        except OSError as error:
            raise self._full(folder, error) from error

    def append(self, values: FloatArray) -> int:
        """Write numbers at the end; return where they lie, -1 where none of them is one."""
        if np.isnan(values).all():
            return -1
        with self._lock:
            begin = self._end
            try:
                self._file.seek(begin)
                self._file.write(values.tobytes())
                self._file.flush()
            except OSError as error:
                raise self._full(cache_folder(), error) from error
            self._end += values.nbytes
        return begin

    def read(self, offset: int, into: FloatArray) -> None:
        """Read numbers into a row."""
        with self._lock:
            self._file.seek(offset)
            data = self._file.read(into.nbytes)
        if len(data) != into.nbytes:
            raise ReadError(f"What was read of {self._name} is gone from the cache folder", hint="open it again")
        into[...] = np.frombuffer(data, _ITEM)

    def _full(self, folder: Path, error: OSError) -> ReadError:
        return ReadError(
            f"The numbers of {self._name} find no room in {folder}: {error.strerror or error}",
            hint="make room there, or save the table as Parquet, which is read where it lies",
        )


def cache_folder() -> Path:
    """Return the folder for numbers of large tables."""
    return user_cache_path("jaxscope", appauthor=False) / "tables"


def _nothing() -> None:
    """Let go of nothing: what is in memory goes by itself."""
