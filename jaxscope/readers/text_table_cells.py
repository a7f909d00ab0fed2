"""The cells of a table as numbers, read piece by piece.

Cells are parsed as text, a few megabytes at a time, and only their numbers are kept: the text of a whole table would
take ten times the room of the file. Each cell that is no number is counted, with its row, so that nothing goes unsaid.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jaxscope.errors import ReadError
from jaxscope.readers.text_table_layout import MINUS, MISSING, TableLayout, quotes_told, row_list

if TYPE_CHECKING:
    import polars as pl

_PIECE_BYTES = 1 << 23


@dataclass(slots=True)
class Column:
    """What was found in one column. Rows count from 1."""

    parts: list[npt.NDArray[np.float64]] = field(default_factory=list)
    n_filled: int = 0
    bad_rows: list[int] = field(default_factory=list)
    infinite_rows: list[int] = field(default_factory=list)
    n_grouped: int = 0
    n_other_mark: int = 0

    @property
    def is_text(self) -> bool:
        """Whether most cells are no numbers."""
        return len(self.bad_rows) > self.n_filled / 2

    def take_values(self) -> npt.NDArray[np.float64]:
        """Return all numbers, NaN where there is none, and let go of the parts."""
        values = np.concatenate(self.parts) if self.parts else np.empty(0)
        self.parts = []
        return values

    def words(self, label: str) -> list[str]:
        """Return sentences about the cells that hold no number."""
        words = []
        if self.infinite_rows:
            words.append(f"{label}: infinite values are read as missing (row {row_list(self.infinite_rows)})")
        if self.n_grouped:
            words.append(f"{label}: marks between thousands are read as such in {self.n_grouped:,} cells")
        if self.n_other_mark:
            words.append(
                f"{label}: {self.n_other_mark:,} cells have a decimal point and not the decimal comma of the file"
            )
        if self.bad_rows:
            n_bad = len(self.bad_rows)
            what = "cell is no number and is" if n_bad == 1 else "cells are no numbers and are"
            words.append(f"{label}: {n_bad:,} {what} read as missing (row {row_list(self.bad_rows)})")
        return words


def pieces_of(body: bytes, layout: TableLayout, name: str) -> Iterator[list[pl.Series]]:
    """Yield the cells of some thousand rows at a time as text, one series a column.

    Raises
    ------
    ReadError
        If the rows cannot be told apart.
    """
    import polars as pl

    schema = {f"c{index}": pl.String for index in range(layout.n_columns)}
    for piece in _pieces(body):
        try:
            table = pl.read_csv(
                io.BytesIO(piece),
                has_header=False,
                separator=_separator(layout),
                schema=schema,
                truncate_ragged_lines=True,
            )
        except (pl.exceptions.PolarsError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise ReadError(f"{name} cannot be read as a table: {reason}", hint="check its rows") from error
        yield table.get_columns()


def add_numbers(column: Column, cells: pl.Series, decimal: str, first_row: int) -> None:
    """Turn cells into numbers and add them to what is known of their column."""
    import polars as pl

    text = cells.str.strip_chars().str.replace_all('"', "", literal=True).str.replace_all(MINUS, "-", literal=True)
    text = _plain_numbers(column, text, decimal)
    floats = text.cast(pl.Float64, strict=False)
    filled = text.is_not_null() & ~text.str.to_lowercase().is_in(list(MISSING))
    bad = filled & floats.is_null()
    values = floats.fill_null(float("nan")).to_numpy().astype(np.float64)
    infinite = np.isinf(values)
    if infinite.any():
        values[infinite] = np.nan
        column.infinite_rows += (np.flatnonzero(infinite) + first_row).tolist()
    column.parts.append(values)
    column.n_filled += int(filled.sum())
    column.bad_rows += (np.flatnonzero(bad.to_numpy()) + first_row).tolist()


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


def ragged_words(body: bytes, layout: TableLayout) -> list[str]:
    """Return sentences about rows with too few or too many cells."""
    if layout.n_columns < 2:
        return []
    short: list[int] = []
    long: list[int] = []
    n_rows = 0
    for piece in _pieces(body):
        counts = _cell_counts(piece, _separator(layout))
        short += (np.flatnonzero(counts < layout.n_columns) + n_rows + 1).tolist()
        long += (np.flatnonzero(counts > layout.n_columns) + n_rows + 1).tolist()
        n_rows += len(counts)
    words = []
    if short:
        words.append(f"Row {row_list(short)} has too few cells: those that lack are read as missing")
    if long:
        words.append(f"Row {row_list(long)} has more cells than columns: the last ones are not read")
    return words


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


def _pieces(body: bytes) -> Iterator[bytes]:
    """Cut between rows; a line end inside quotes is none."""
    start = 0
    while start < len(body):
        end = _next_line(body, start + _PIECE_BYTES)
        while body.count(b'"', start, end) % 2 and end < len(body):
            end = _next_line(body, end)
        yield body[start:end]
        start = end


def _next_line(body: bytes, place: int) -> int:
    found = body.find(b"\n", place)
    return len(body) if found < 0 else found + 1


def _separator(layout: TableLayout) -> str:
    # A single column is parsed with a separator that text does not contain.
    return {"": "\x1f", " ": "\t"}.get(layout.separator, layout.separator)
