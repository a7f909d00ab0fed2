"""The rows of a table of text, taken in piece by piece: numbers to the store, times to their judge, the rest counted.

The first piece decides which column is time; what follows is read in the same way. Invariant: of the text itself no
more than a piece is in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from jaxscope.data.recording import FloatArray
from jaxscope.data.span import Span
from jaxscope.readers.steady_times import TimeJudge
from jaxscope.readers.text_table_cells import (
    Column,
    UnevenRows,
    add_numbers,
    add_plain_numbers,
    add_uneven,
    note_counting,
    number_columns,
    text_columns,
)
from jaxscope.readers.text_table_layout import SAMPLE_LINES, TableLayout
from jaxscope.readers.text_table_pieces import RowCleaner
from jaxscope.readers.text_table_store import ColumnStore
from jaxscope.readers.text_table_time import Stamps, find_stamps
from jaxscope.readers.time_steps import Timing

if TYPE_CHECKING:
    import polars as pl

#: In place of the number of a time column: there is none.
NO_TIMES = -1
#: Times that are gone through at once.
_PIECE_ROWS = 1 << 17


class TableRows:
    """What is known of the rows that have been read.

    Parameters
    ----------
    layout : TableLayout
    name : str
        What sentences call the file.
    chosen : int or None
        The column that is time, as told; ``NO_TIMES`` for none, None where nothing was told.
    """

    def __init__(self, layout: TableLayout, name: str, chosen: int | None) -> None:
        self.layout, self.name, self.chosen = layout, name, chosen
        self.columns = [Column() for _ in range(layout.n_columns)]
        self.uneven = UnevenRows()
        self.cleaner = RowCleaner(has_blanks=layout.separator == " ")
        self.first_lines: list[str] = []
        self.times: Stamps | None = None
        self.store = ColumnStore(name)
        self._judge: TimeJudge | None = None
        self._is_looked_at = chosen == NO_TIMES
        self._n_rows = 0
        self._may_count = not layout.names[0] and len(layout.names) > 1 and all(layout.names[1:])

    def add(self, text: bytes) -> None:
        """Take in the next rows."""
        piece = self.cleaner.clean(text)
        if not piece:
            return
        self.first_lines = self.first_lines or first_lines(piece)
        cells = number_columns(piece, self.layout, self.time_columns) if self._is_looked_at else None
        if cells is None:
            add_uneven(self.uneven, piece, self.layout, self._n_rows + 1)
            cells = text_columns(piece, self.layout, self.name)
        seconds = self._seconds(cells)
        self.store.add([self._numbers(index, part, seconds) for index, part in enumerate(cells)])
        self._n_rows += len(cells[0])

    @property
    def time_columns(self) -> tuple[int, ...]:
        """The columns that are time."""
        return () if self.times is None else self.times.columns

    @property
    def are_times_wrong(self) -> bool:
        """Whether the column that the first rows took for time is none after all."""
        return self.times is not None and self._judge is not None and not self.times.holds(self._judge.seen)

    def timing(self) -> Timing:
        """Return the rate that the times give, or that the header tells."""
        times, judge = self.times, self._judge
        if times is None or judge is None:
            return Timing(rate_hz=self.layout.rate_hz)
        source, let_go = self.store.source(times.columns[:1])

        def pieces() -> Iterator[FloatArray]:
            for first in range(0, self._n_rows, _PIECE_ROWS):
                yield source.read(Span(first, min(first + _PIECE_ROWS, self._n_rows)), [0])[0]

        try:
            return judge.timing(pieces)
        finally:
            let_go()

    def _seconds(self, cells: list[pl.Series]) -> FloatArray | None:
        """Return the times of the next rows; which columns hold them is found in the first ones."""
        if not self._is_looked_at:
            layout = self.layout
            self._is_looked_at = True
            names, units = list(layout.names), list(layout.units)
            self.times = find_stamps(cells, names, units, layout.decimal, chosen=self.chosen)
            seconds = None if self.times is None else self.times.seconds
        else:
            seconds = None if self.times is None else self.times.cells.seconds([cells[k] for k in self.time_columns])
        if self.times is not None and seconds is not None:
            self._judge = self._judge or TimeJudge(self.times.resolution_s)
            self._judge.add(seconds)
        return seconds

    def _numbers(self, index: int, part: pl.Series, seconds: FloatArray | None) -> FloatArray:
        """Return the numbers of a column; in place of the first column of time the seconds, of the other nothing."""
        if seconds is not None and index in self.time_columns:
            return seconds if index == self.time_columns[0] else np.full(len(part), np.nan)
        column, first_row = self.columns[index], self._n_rows + 1
        if part.dtype.is_float():
            values = add_plain_numbers(column, part, first_row)
        else:
            values = add_numbers(column, part, self.layout.decimal, first_row)
        if index == 0 and self._may_count:
            note_counting(column, values, first_row)
        return values

    @property
    def has_counter(self) -> bool:
        """Whether the first column, alone without a name, only counts the rows, from 0 or 1 on."""
        return self._may_count and self.columns[0].ahead_of_row in (-1.0, 0.0)


def first_lines(data: bytes) -> list[str]:
    """Return as many lines as tell how a table is written."""
    end = -1
    for _ in range(SAMPLE_LINES):
        following = data.find(b"\n", end + 1)
        if following < 0:
            end = len(data)
            break
        end = following
    return data[:end].decode("utf-8", "replace").split("\n")
