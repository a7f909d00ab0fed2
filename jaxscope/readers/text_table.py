"""Tables of text (CSV, TSV, TXT): each column of numbers is a channel, a time column gives the rate.

The layout is found from the first lines, then every cell is read as text and turned into numbers here, so that each
cell that is no number is counted and told, instead of turning a whole column into something else.
"""

from __future__ import annotations

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
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.options import ReaderOption
from jaxscope.readers.text_table_cells import Column, add_numbers, pieces_of, ragged_words
from jaxscope.readers.text_table_layout import (
    SAMPLE_LINES,
    TableLayout,
    decode,
    find_layout,
    is_number,
    split_rows,
)
from jaxscope.readers.text_table_time import Stamps, Timing, find_stamps, find_timing

if TYPE_CHECKING:
    import polars as pl

_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "blanks": " "}
_DECIMALS = {"point": ".", "comma": ","}
OPTIONS = (
    ReaderOption(name="time", title="Time column", help="Its name or number; none where there is none"),
    ReaderOption(name="separator", title="Separator", kind="choice", choices=("found", *_SEPARATORS)),
    ReaderOption(name="decimal", title="Decimal mark", kind="choice", choices=("found", *_DECIMALS)),
    ReaderOption(name="header", title="Rows of header", kind="whole", help="How many come before the numbers"),
)
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
    layout = _layout(_first_lines(data), path.name, options)
    chosen = _time_column(layout, options, path.name)
    body, n_empty = _body(data, layout)
    if n_empty:
        warnings.append(f"{n_empty:,} empty {'line is' if n_empty == 1 else 'lines are'} left out")
    warnings += ragged_words(body, layout)
    columns, stamps = _read_columns(body, layout, path.name, chosen)
    if stamps is None and chosen is not None and chosen >= 0:
        raise ReadError(f"{options.value('time')} holds no times", hint="choose another column, or none")
    timing = Timing(rate_hz=layout.rate_hz) if stamps is None else find_timing(stamps)
    numbers = _numbers(columns, layout, () if stamps is None else stamps.columns)
    if not numbers.values and not _is_summary(body, layout):
        raise ReadError(f"{path.name} holds no column of numbers", hint="save each channel as a column of numbers")
    rate_hz = timing.rate_hz or layout.rate_hz or options.rate_hz
    if rate_hz is not None:
        warnings += own_rate_words([rate_hz], options)
    elif numbers.values:
        warnings.append(NO_RATE)
    warnings += [*(stamps.notes if stamps is not None else ()), *timing.warnings, *numbers.warnings]
    return _recording(layout, numbers, stamps, timing, rate_hz, warnings)


def _layout(lines: list[str], name: str, options: OpenOptions) -> TableLayout:
    header = options.value("header")
    return find_layout(
        lines,
        name,
        separator=_SEPARATORS.get(options.value("separator")),
        decimal=_DECIMALS.get(options.value("decimal")),
        n_header=int(float(header)) if header else None,
    )


def _time_column(layout: TableLayout, options: OpenOptions, name: str) -> int | None:
    """Return the column that was chosen to be time, -1 for none of them; None where nothing was told."""
    wanted = options.value("time").strip()
    if not wanted:
        return None
    if wanted.lower() == "none":
        return -1
    if wanted in layout.names:
        return layout.names.index(wanted)
    if wanted.isdigit() and 1 <= int(wanted) <= layout.n_columns:
        return int(wanted) - 1
    named = ", ".join(filter(None, layout.names)) or f"1 to {layout.n_columns}"
    raise ReadError(f"{name} has no column {wanted}", hint=f"there are {named}")


def _is_summary(body: bytes, layout: TableLayout) -> bool:
    """Say whether rows without a column of numbers are a table all the same: even, most with a number in their text."""
    rows = split_rows(_first_lines(body), layout.separator)
    n_even = sum(len(row) == layout.n_columns for row in rows)
    n_telling = sum(any(sign.isdigit() for cell in row for sign in cell) for row in rows)
    return layout.n_columns > 1 and n_even >= 0.9 * len(rows) and 2 * n_telling >= len(rows)


def _first_lines(data: bytes) -> list[str]:
    end = -1
    for _ in range(SAMPLE_LINES):
        following = data.find(b"\n", end + 1)
        if following < 0:
            end = len(data)
            break
        end = following
    return data[:end].decode("utf-8", "replace").split("\n")


def _body(data: bytes, layout: TableLayout) -> tuple[bytes, int]:
    """Return the rows of data (no preamble, no empty lines, runs of blanks made one tab) and the empty lines in it."""
    start = 0
    for _ in range(layout.first_line):
        start = data.find(b"\n", start) + 1
    body = data[start:].strip(b"\n")
    n_empty = 0
    if b"\n\n" in body or re.search(rb"\n[ \t]+\n", body):
        body, n_empty = re.subn(rb"\n[ \t]*(?=\n)", b"", body)
    if b"\n#" in body:
        body = re.sub(rb"\n#[^\n]*", b"", body)
    if layout.separator == " ":
        body = re.sub(rb"[ \t]+", b"\t", re.sub(rb"(?m)^[ \t]+|[ \t]+$", b"", body))
    return body, n_empty


def _read_columns(
    body: bytes, layout: TableLayout, name: str, chosen: int | None
) -> tuple[list[Column], Stamps | None]:
    """Return all columns as numbers, and the times if there is a column of them."""
    columns = [Column() for _ in range(layout.n_columns)]
    names, units = list(layout.names), list(layout.units)
    time_columns: tuple[int, ...] | None = None
    stamp_cells: list[list[pl.Series]] = []
    n_rows = 0
    for cells in pieces_of(body, layout, name):
        if time_columns is None and chosen is not None:
            time_columns = () if chosen < 0 else (chosen,)
        if time_columns is None:
            found = find_stamps(cells, names, units, layout.decimal)
            time_columns = () if found is None else found.columns
        stamp_cells.append([cells[index] for index in time_columns])
        for column, part in zip(columns, cells, strict=True):
            add_numbers(column, part, layout.decimal, n_rows + 1)
        n_rows += len(cells[0])
    return columns, _all_stamps(time_columns or (), stamp_cells, layout, chosen)


def _all_stamps(
    time_columns: tuple[int, ...], stamp_cells: list[list[pl.Series]], layout: TableLayout, chosen: int | None
) -> Stamps | None:
    """Read the time columns that were found in the first piece over all rows."""
    import polars as pl

    if not time_columns:
        return None
    joined = [pl.concat([piece[place] for piece in stamp_cells]) for place in range(len(time_columns))]
    cells = [pl.Series(dtype=pl.String)] * layout.n_columns
    names = [""] * layout.n_columns
    for index, series in zip(time_columns, joined, strict=True):
        cells[index], names[index] = series, layout.names[index]
    return find_stamps(cells, names, list(layout.units), layout.decimal, chosen=chosen)


def _numbers(columns: list[Column], layout: TableLayout, time_columns: tuple[int, ...]) -> _Columns:
    values: list[npt.NDArray[np.float64]] = []
    places: list[int] = []
    warnings: list[str] = []
    left_out: dict[str, list[str]] = {"text": [], "nothing": []}
    for index, column in enumerate(columns):
        label = layout.names[index] or f"column {index + 1}"
        if index in time_columns:
            continue
        if not column.n_filled and len(columns) > 1:
            if layout.names[index] or index < len(columns) - 1:
                left_out["nothing"].append(label)
        elif column.is_text:
            left_out["text"].append(label)
        else:
            values.append(column.take_values())
            places.append(index)
            warnings += column.words(label)
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
        start=(stamps.start if stamps is not None else None) or layout.start,
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
    name="text",
    title="CSV",
    suffixes=(".csv", ".tsv", ".txt", ".log", ".asc"),
    sniff=_sniff,
    open=read_table,
    options=OPTIONS,
)
