"""Tables of text (CSV, TSV, TXT): each column of numbers is a channel, a time column gives the rate.

The layout is found from the first lines, then every cell is read as text and turned into numbers here, so that each
cell that is no number is counted and told, instead of turning a whole column into something else.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jaxscope.data.array_recording import ArrayRecording
from jaxscope.data.kinds import kind_of
from jaxscope.data.labels import plain_unit, unique_names
from jaxscope.data.recording import CODE_KINDS, Channel, ChannelKind, Recording, RecordingInfo
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat
from jaxscope.readers.text_table_layout import (
    MISSING,
    SAMPLE_LINES,
    TableLayout,
    decode,
    find_layout,
    is_number,
    row_list,
    split_rows,
)
from jaxscope.readers.text_table_time import Stamps, Timing, find_stamps, find_timing

if TYPE_CHECKING:
    import polars as pl

NO_RATE = "The file tells no sampling rate: give one to filter it"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Columns:
    """The columns that hold numbers, as float64, with their place in the file."""

    values: list[npt.NDArray[np.float64]]
    places: list[int]
    warnings: list[str]


def read_table(path: Path, options: OpenOptions) -> Recording:
    """Read a table of text whole.

    Raises
    ------
    ReadError
        If the file is no text or no table.
    """
    data, warnings = decode(path.read_bytes(), path.name)
    layout = find_layout(_first_lines(data), path.name)
    body = _body(data, layout)
    cells = _parse(body, layout, path.name)
    warnings += _ragged_words(body, layout)
    stamps = find_stamps(cells, list(layout.names), list(layout.units), layout.decimal)
    timing = Timing(rate_hz=layout.rate_hz) if stamps is None else find_timing(stamps)
    numbers = _numbers(cells, layout, () if stamps is None else stamps.columns)
    rate_hz = timing.rate_hz or layout.rate_hz or options.rate_hz
    if rate_hz is None and numbers.values:
        warnings.append(NO_RATE)
    elif options.rate_hz is not None and options.rate_hz != rate_hz:
        warnings.append(f"The file's own rate, {rate_hz:g} Hz, is used and not {options.rate_hz:g} Hz")
    warnings += [*(stamps.notes if stamps is not None else ()), *timing.warnings, *numbers.warnings]
    return _recording(layout, numbers, stamps, timing, rate_hz, warnings)


def _first_lines(data: bytes) -> list[str]:
    end = -1
    for _ in range(SAMPLE_LINES):
        following = data.find(b"\n", end + 1)
        if following < 0:
            end = len(data)
            break
        end = following
    return data[:end].decode("utf-8", "replace").split("\n")


def _body(data: bytes, layout: TableLayout) -> bytes:
    """Return the rows of data: no preamble, no empty lines, runs of blanks made one tab."""
    start = 0
    for _ in range(layout.first_line):
        start = data.find(b"\n", start) + 1
    body = data[start:].strip(b"\n")
    if b"\n\n" in body or re.search(rb"\n[ \t]+\n", body):
        body = re.sub(rb"\n[ \t]*(?=\n)", b"", body)
    if b"\n#" in body:
        body = re.sub(rb"\n#[^\n]*", b"", body)
    if layout.separator == " ":
        body = re.sub(rb"[ \t]+", b"\t", re.sub(rb"(?m)^[ \t]+|[ \t]+$", b"", body))
    return body


def _separator(layout: TableLayout) -> str:
    # A single column is parsed with a separator that text does not contain.
    return {"": "\x1f", " ": "\t"}.get(layout.separator, layout.separator)


def _parse(body: bytes, layout: TableLayout, name: str) -> list[pl.Series]:
    import polars as pl

    if not body:
        return [pl.Series(dtype=pl.String) for _ in range(layout.n_columns)]
    try:
        table = pl.read_csv(
            io.BytesIO(body),
            has_header=False,
            separator=_separator(layout),
            schema={f"c{index}": pl.String for index in range(layout.n_columns)},
            truncate_ragged_lines=True,
        )
    except (pl.exceptions.PolarsError, ValueError) as error:
        raise ReadError(f"{name} cannot be read as a table: {str(error).splitlines()[0]}", hint="check it") from error
    return table.get_columns()


def _ragged_words(body: bytes, layout: TableLayout) -> list[str]:
    """Return a sentence about rows with too few or too many cells."""
    if layout.n_columns < 2 or not body:
        return []
    separator = _separator(layout)
    if b'"' in body:
        rows = csv.reader(io.StringIO(body.decode("utf-8", "replace")), delimiter=separator)
        counts = np.fromiter((len(row) for row in rows), np.int64)
    else:
        array = np.frombuffer(body, np.uint8)
        starts = np.concatenate([[0], np.flatnonzero(array == ord("\n")) + 1])
        counts = np.add.reduceat(array == ord(separator), starts[starts < len(array)], dtype=np.int64) + 1
    words = []
    short = np.flatnonzero(counts < layout.n_columns) + 1
    long = np.flatnonzero(counts > layout.n_columns) + 1
    if len(short):
        words.append(f"Row {row_list(short.tolist())} has too few cells: the missing ones are read as missing")
    if len(long):
        words.append(f"Row {row_list(long.tolist())} has more cells than columns: the last ones are not read")
    return words


def _numbers(cells: list[pl.Series], layout: TableLayout, time_columns: tuple[int, ...]) -> _Columns:
    import polars as pl

    values: list[npt.NDArray[np.float64]] = []
    places: list[int] = []
    warnings: list[str] = []
    left_out: dict[str, list[str]] = {"text": [], "nothing": []}
    for index, column in enumerate(cells):
        if index in time_columns:
            continue
        text = column.str.strip_chars().str.replace_all('"', "", literal=True)
        if layout.decimal == ",":
            text = text.str.replace(",", ".", literal=True)
        floats = text.cast(pl.Float64, strict=False)
        filled = text.is_not_null() & ~text.str.to_lowercase().is_in(list(MISSING))
        bad = filled & floats.is_null()
        label = layout.names[index] or f"column {index + 1}"
        if not filled.any() and len(cells) > 1:
            if layout.names[index] or index < len(cells) - 1:
                left_out["nothing"].append(label)
            continue
        if int(bad.sum()) > int(filled.sum()) / 2:
            left_out["text"].append(label)
            continue
        array = floats.fill_null(float("nan")).to_numpy().astype(np.float64)
        infinite = np.isinf(array)
        if infinite.any():
            array[infinite] = np.nan
            rows = row_list((np.flatnonzero(infinite) + 1).tolist())
            warnings.append(f"{label}: infinite values are read as missing (row {rows})")
        if bad.any():
            rows = row_list((np.flatnonzero(bad.to_numpy()) + 1).tolist())
            warnings.append(f"{label}: {bad.sum():,} cells are no numbers and are read as missing (row {rows})")
        values.append(array)
        places.append(index)
    for what, labels in left_out.items():
        if labels:
            word = "Columns with text are" if what == "text" else "Columns with nothing in them are"
            warnings.append(f"{word} left out: {', '.join(labels)}")
    return _Columns(values=values, places=places, warnings=warnings)


def _recording(
    layout: TableLayout,
    numbers: _Columns,
    stamps: Stamps | None,
    timing: Timing,
    rate_hz: float | None,
    warnings: list[str],
) -> Recording:
    n_samples = len(numbers.values[0]) if numbers.values else 0
    names = unique_names([layout.names[place] or f"ch{order}" for order, place in enumerate(numbers.places)])
    units = [plain_unit(layout.units[place]) for place in numbers.places]
    channels = tuple(
        Channel(
            name=name,
            unit=unit,
            kind=_data_kind(name, unit),
            rate_hz=rate_hz,
            n_samples=n_samples,
        )
        for name, unit in zip(names, units, strict=True)
    )
    missing_s = sum(gap.stop_s - gap.start_s for gap in timing.gaps)
    info = RecordingInfo(
        format="text",
        start=stamps.start if stamps is not None else None,
        duration_s=n_samples / rate_hz + missing_s if rate_hz else None,
        channels=channels,
        gaps=timing.gaps,
        warnings=tuple(warnings),
    )
    return ArrayRecording(info, numbers.values)


def _data_kind(name: str, unit: str) -> ChannelKind:
    """Guess the kind of a column. Columns of codes stay signals: a table does not say that they are raw."""
    kind = kind_of(name, unit)
    return "misc" if kind in CODE_KINDS else kind


def _sniff(head: bytes) -> bool:
    """Say whether these bytes are the beginning of a table of numbers."""
    try:
        data, _ = decode(head, "this file")
        lines = data.decode("utf-8", "ignore").split("\n")[:-1]
        if any(not (sign.isprintable() or sign == "\t") for line in lines for sign in line):
            return False
        layout = find_layout(lines, "this file")
    except ReadError:
        return False
    rows = split_rows(lines[layout.first_line :], layout.separator)
    cells = [cell for row in rows for cell in row if cell.strip()]
    return len(rows) > 2 and sum(is_number(cell, layout.decimal) for cell in cells) >= 0.5 * len(cells)


FORMAT = ReaderFormat(
    name="text", title="CSV", suffixes=(".csv", ".tsv", ".txt", ".log", ".asc"), sniff=_sniff, open=read_table
)
