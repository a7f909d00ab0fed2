"""The cells of a table as numbers, read piece by piece.

Cells are parsed a few megabytes at a time, and only their numbers are kept: the text of a whole table would take ten
times the room of the file. A piece in which nothing but digits can be is parsed as numbers at once; where that fails,
and in every other piece, cells are read as text, and each that is no number is counted, with its row, so that nothing
goes unsaid. Invariant: both ways give the same numbers and the same counts.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jaxscope.data.recording import FloatArray
from jaxscope.errors import ReadError
from jaxscope.readers.text_table_layout import MINUS, MISSING, TableLayout, quotes_told
from jaxscope.readers.text_table_store import RowRuns

if TYPE_CHECKING:
    import polars as pl

#: What a number is written with; a mark between thousands, a quote or a word is none of it.
_PLAIN = b"0123456789+-.eE\n"
#: What the library says may hold a whole cell.
_MOST_WORDS = 160


@dataclass(slots=True)
class Column:
    """What was found in one column, beside its numbers. Rows count from 1."""

    n_filled: int = 0
    bad_rows: RowRuns = field(default_factory=RowRuns)
    infinite_rows: RowRuns = field(default_factory=RowRuns)
    n_grouped: int = 0
    n_other_mark: int = 0
    #: what the numbers are more than the place of their row, while that is the same for all; None once it is not
    ahead_of_row: float | None = float("nan")

    @property
    def is_text(self) -> bool:
        """Whether most cells are no numbers."""
        return self.bad_rows.n_rows > self.n_filled / 2

    def words(self, label: str) -> list[str]:
        """Return sentences about the cells that hold no number."""
        words = []
        if self.infinite_rows:
            words.append(f"{label}: infinite values are read as missing (row {self.infinite_rows})")
        if self.n_grouped:
            words.append(f"{label}: marks between thousands are read as such in {self.n_grouped:,} cells")
        if self.n_other_mark:
            words.append(
                f"{label}: {self.n_other_mark:,} cells have a decimal point and not the decimal comma of the file"
            )
        if self.bad_rows:
            n_bad = self.bad_rows.n_rows
            what = "cell is no number and is" if n_bad == 1 else "cells are no numbers and are"
            words.append(f"{label}: {n_bad:,} {what} read as missing (row {self.bad_rows})")
        return words


@dataclass(slots=True)
class UnevenRows:
    """Rows with too few or too many cells. Rows count from 1."""

    short: RowRuns = field(default_factory=RowRuns)
    long: RowRuns = field(default_factory=RowRuns)

    def words(self) -> list[str]:
        """Return sentences about them."""
        words = []
        if self.short:
            words.append(f"Row {self.short} has too few cells: those that lack are read as missing")
        if self.long:
            words.append(f"Row {self.long} has more cells than columns: the last ones are not read")
        return words


def number_columns(piece: bytes, layout: TableLayout, as_text: Sequence[int]) -> list[pl.Series] | None:
    """Return the columns of a piece as numbers, those that are wanted ``as_text`` as text; None where that is not sure.

    It is sure where nothing but plain numbers can be in the piece, all of them are, and every row is whole.
    """
    import polars as pl

    separator = _separator(layout).encode()
    if layout.decimal != "." or separator in _PLAIN or piece.translate(None, _PLAIN + separator):
        return None
    kinds = {f"c{index}": pl.String if index in as_text else pl.Float64 for index in range(layout.n_columns)}
    try:
        table = pl.read_csv(io.BytesIO(piece), has_header=False, separator=separator.decode(), schema=kinds)
    except (pl.exceptions.PolarsError, ValueError):
        return None  # a cell such as "-", or a row that is too long: it is looked at cell by cell
    columns = table.get_columns()
    return None if any(column.null_count() for column in columns) else columns


def text_columns(piece: bytes, layout: TableLayout, name: str) -> list[pl.Series]:
    """Return the cells of a piece as text, one series a column.

    Raises
    ------
    ReadError
        If the rows cannot be told apart.
    """
    import polars as pl

    schema = {f"c{index}": pl.String for index in range(layout.n_columns)}
    separator = _separator(layout)
    # a row before the others that is whole: the first one tells how many columns there are, whatever is asked for
    whole_row = f"{separator * (layout.n_columns - 1)}\n".encode() if layout.n_columns > 1 else b""
    try:
        table = pl.read_csv(
            io.BytesIO(whole_row + piece),
            has_header=False,
            separator=separator,
            schema=schema,
            truncate_ragged_lines=True,
        )
    except (pl.exceptions.PolarsError, ValueError) as error:
        reason = str(error).splitlines()[0][:_MOST_WORDS]
        raise ReadError(f"{name} cannot be read as a table: {reason}", hint="check its rows") from error
    return table.slice(1 if whole_row else 0).get_columns()


def add_plain_numbers(column: Column, numbers: pl.Series, first_row: int) -> FloatArray:
    """Add numbers, none of which is missing, to what is known of their column; return them."""
    column.n_filled += len(numbers)
    return _values(column, numbers.to_numpy(), first_row)


def note_counting(column: Column, values: FloatArray, first_row: int) -> None:
    """Note whether a column goes on counting rows."""
    if column.ahead_of_row is None or not len(values):
        return
    ahead = values - (np.arange(len(values)) + first_row)
    known = ahead[0] if np.isnan(column.ahead_of_row) else column.ahead_of_row
    column.ahead_of_row = float(known) if bool((ahead == known).all()) else None


def add_numbers(column: Column, cells: pl.Series, decimal: str, first_row: int) -> FloatArray:
    """Turn cells into numbers, NaN where there is none, and add them to what is known of their column."""
    import polars as pl

    if decimal == "." and (numbers := _if_plain(cells)) is not None:
        column.n_filled += len(numbers) - cells.null_count()
        return _values(column, numbers, first_row)
    text = cells.str.strip_chars().str.replace_all('"', "", literal=True).str.replace_all(MINUS, "-", literal=True)
    text = _plain_numbers(column, text, decimal)
    floats = text.cast(pl.Float64, strict=False)
    filled = text.is_not_null() & ~text.str.to_lowercase().is_in(list(MISSING))
    bad = filled & floats.is_null()
    column.n_filled += int(filled.sum())
    column.bad_rows.add(np.flatnonzero(bad.to_numpy()) + first_row)
    return _values(column, floats.fill_null(float("nan")).to_numpy(), first_row)


def _if_plain(cells: pl.Series) -> FloatArray | None:
    """Return numbers, NaN for empty cells, where all others are finite and written plainly; None else.

    Most columns are so, and looking at cells as text takes twenty times as long, for each column of each piece.
    """
    import polars as pl

    read = cells.cast(pl.Float64, strict=False)
    if read.null_count() != cells.null_count():
        return None
    numbers: FloatArray = read.to_numpy()
    return numbers if np.isfinite(numbers).sum() == len(numbers) - read.null_count() else None


def _values(column: Column, numbers: FloatArray, first_row: int) -> FloatArray:
    values = np.array(numbers, dtype=np.float64)
    infinite = np.isinf(values)
    if infinite.any():
        values[infinite] = np.nan
        column.infinite_rows.add(np.flatnonzero(infinite) + first_row)
    return values


def _plain_numbers(column: Column, text: pl.Series, decimal: str) -> pl.Series:
    """Take marks between thousands out of cells and write the decimal mark as a point.

    A cell such as 1.234 in a table with decimal commas is 1234, unless its column has cells such as 1.5 too.
    """
    other = "," if decimal == "." else "."
    marked = text.str.contains(rf"\d[{other}'’ \xa0\u202f]\d{{3}}").fill_null(value=False)
    if marked.any():
        pattern = rf"^[+-]?[1-9]\d{{0,2}}(?:[{other}'’ \xa0\u202f]\d{{3}})+(?:[{decimal}]\d*)?$"
        grouped = text.str.contains(pattern).fill_null(value=False)
        with_other = text.str.contains(other, literal=True).fill_null(value=False)
        if decimal == "," and (column.n_other_mark or (with_other & ~grouped).any()):
            grouped &= ~with_other | text.str.contains(decimal, literal=True)
        column.n_grouped += int(grouped.sum())
        text = text.zip_with(~grouped, text.str.replace_all(rf"[{other}'’ \xa0\u202f]", ""))
    if decimal == ",":
        column.n_other_mark += int(text.str.contains(r"^[+-]?\d*\.\d").fill_null(value=False).sum())
        text = text.str.replace(",", ".", literal=True)
    return text


def add_uneven(uneven: UnevenRows, piece: bytes, layout: TableLayout, first_row: int) -> None:
    """Note the rows of a piece with too few or too many cells."""
    if layout.n_columns < 2:
        return
    counts = _cell_counts(piece, _separator(layout))
    uneven.short.add(np.flatnonzero(counts < layout.n_columns) + first_row)
    uneven.long.add(np.flatnonzero(counts > layout.n_columns) + first_row)


def _cell_counts(piece: bytes, separator: str) -> npt.NDArray[np.int64]:
    if b'"' in piece:
        with quotes_told():
            rows: Sequence[Sequence[str]] = list(
                csv.reader(io.StringIO(piece.decode("utf-8", "replace")), delimiter=separator)
            )
        return np.fromiter((len(row) for row in rows), np.int64, len(rows))
    array = np.frombuffer(piece, np.uint8)
    starts = np.concatenate([[0], np.flatnonzero(array == ord("\n")) + 1])
    counts: npt.NDArray[np.int64] = np.add.reduceat(
        array == ord(separator), starts[starts < len(array)], dtype=np.int64
    )
    return counts + 1


def _separator(layout: TableLayout) -> str:
    # A single column is parsed with a separator that text does not contain.
    return {"": "\x1f", " ": "\t"}.get(layout.separator, layout.separator)
