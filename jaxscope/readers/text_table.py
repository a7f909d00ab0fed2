"""Tables of text (CSV, TSV, TXT): each column of numbers is a channel, a time column gives the rate.

The layout is found from the first lines, then every cell is read as text and turned into numbers here, so that each
cell that is no number is counted and told, instead of turning a whole column into something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jaxscope.data.kinds import kind_of
from jaxscope.data.labels import plain_unit, unique_names
from jaxscope.data.recording import CODE_KINDS, Channel, ChannelKind, Recording, RecordingInfo
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.byte_file import ByteFile
from jaxscope.readers.options import ReaderOption
from jaxscope.readers.scans import Scan, scanned_whole
from jaxscope.readers.sources import Place, SourcedRecording
from jaxscope.readers.text_table_cells import (
    Column,
    UnevenRows,
    add_numbers,
    add_plain_numbers,
    add_uneven,
    number_columns,
    text_columns,
)
from jaxscope.readers.text_table_layout import (
    SAMPLE_LINES,
    TableLayout,
    find_layout,
    is_number,
    split_rows,
)
from jaxscope.readers.text_table_pieces import NotUtf8Error, RowCleaner, RowPieces, decode
from jaxscope.readers.text_table_store import ColumnStore
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
    """The columns that hold numbers, by their place in the file."""

    places: list[int]
    warnings: list[str]


class TextScan(Scan):
    """Reads a table of text, some megabytes of rows at a time.

    Parameters
    ----------
    path : Path
    options : OpenOptions

    Raises
    ------
    ReadError
        If the file is no text or no table.
    """

    def __init__(self, path: Path, options: OpenOptions) -> None:
        self._file = ByteFile(path)
        super().__init__(self._file.n_bytes)
        self._options = options
        self._pieces = RowPieces(self._file)
        self._table: _Table | None = None

    def step(self) -> bool:
        try:
            self._take_next()
        except NotUtf8Error:
            self._pieces.begin_again()
            if self._table is not None:
                self._table.store.close()
            self._table = None
        self.position = self._pieces.position
        return not self._pieces.is_over or self._table is None

    def _take_next(self) -> None:
        if self._table is None:
            self._table = self._begin()
        else:
            self._pieces.read_on()
        self._table.add(self._pieces.take())

    def _begin(self) -> _Table:
        """Find out how the table is written, and leave out what comes before its rows."""
        lines = _first_lines(self._pieces.first_lines())
        layout = _layout(lines, self._file.name, self._options)
        self._pieces.drop_lines(layout.first_line)
        return _Table(layout, self._file.name, _time_column(layout, self._options, self._file.name))

    def recording(self) -> Recording:
        if self._table is None:
            raise ReadError(f"{self._file.name} holds no table", hint="check that its suffix is right")
        return _recording_of(self._table, list(self._pieces.notes), self._options)

    def close(self) -> None:
        self._file.close()
        if self._table is not None:
            self._table.store.close()


class _Table:
    """What is known of the rows that have been read.

    Parameters
    ----------
    layout : TableLayout
    name : str
        What sentences call the file.
    chosen : int or None
        The column that is time, as told; -1 for none, None where nothing was told.
    """

    def __init__(self, layout: TableLayout, name: str, chosen: int | None) -> None:
        self.layout, self.name, self.chosen = layout, name, chosen
        self.columns = [Column() for _ in range(layout.n_columns)]
        self.uneven = UnevenRows()
        self.cleaner = RowCleaner(has_blanks=layout.separator == " ")
        self.first_lines: list[str] = []
        self._times: tuple[int, ...] | None = None if chosen is None else () if chosen < 0 else (chosen,)
        self._stamps: list[list[pl.Series]] = []
        self._n_rows = 0
        self.store = ColumnStore(name)

    def add(self, text: bytes) -> None:
        """Take in the next rows."""
        piece = self.cleaner.clean(text)
        if not piece:
            return
        self.first_lines = self.first_lines or _first_lines(piece)
        cells = None if self._times is None else number_columns(piece, self.layout, self._times)
        if cells is None:
            add_uneven(self.uneven, piece, self.layout, self._n_rows + 1)
            cells = text_columns(piece, self.layout, self.name)
        if self._times is None:
            found = find_stamps(cells, list(self.layout.names), list(self.layout.units), self.layout.decimal)
            self._times = () if found is None else found.columns
        self._stamps.append([cells[index] for index in self._times])
        first_row = self._n_rows + 1
        self.store.add(
            [
                add_plain_numbers(column, part, first_row)
                if part.dtype.is_float()
                else add_numbers(column, part, self.layout.decimal, first_row)
                for column, part in zip(self.columns, cells, strict=True)
            ]
        )
        self._n_rows += len(cells[0])

    def stamps(self) -> Stamps | None:
        """Return the times of all rows, None where there is no column of them."""
        times = self._times or ()
        if len(self._stamps) > 1 and times:
            import polars as pl

            self._stamps = [[pl.concat(parts) for parts in zip(*self._stamps, strict=True)]]
        return _all_stamps(times, self._stamps, self.layout, self.chosen)


def read_table(path: Path, options: OpenOptions) -> Recording:
    """Read a table of text whole.

    Raises
    ------
    ReadError
        If the file is no text or no table.
    """
    return scanned_whole(TextScan(path, options))


def _recording_of(table: _Table, warnings: list[str], options: OpenOptions) -> Recording:
    layout, n_empty = table.layout, table.cleaner.n_empty
    if n_empty:
        warnings.append(f"{n_empty:,} empty {'line is' if n_empty == 1 else 'lines are'} left out")
    warnings += table.uneven.words()
    stamps = table.stamps()
    if stamps is None and table.chosen is not None and table.chosen >= 0:
        raise ReadError(f"{options.value('time')} holds no times", hint="choose another column, or none")
    timing = Timing(rate_hz=layout.rate_hz) if stamps is None else find_timing(stamps)
    numbers = _numbers(table.columns, layout, () if stamps is None else stamps.columns)
    if not numbers.places and not _is_summary(table.first_lines, layout):
        raise ReadError(f"{table.name} holds no column of numbers", hint="save each channel as a column of numbers")
    rate_hz = timing.rate_hz or layout.rate_hz or options.rate_hz
    if rate_hz is not None:
        warnings += own_rate_words([rate_hz], options)
    elif numbers.places:
        warnings.append(NO_RATE)
    warnings += [*(stamps.notes if stamps is not None else ()), *timing.warnings, *numbers.warnings]
    return _recording(table, numbers, stamps, timing, rate_hz, warnings)


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


def _is_summary(lines: list[str], layout: TableLayout) -> bool:
    """Say whether rows without a column of numbers are a table all the same: even, most with a number in their text."""
    rows = split_rows(lines, layout.separator)
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
            places.append(index)
            warnings += column.words(label)
    for what, labels in left_out.items():
        if labels:
            word = "Columns with text are" if what == "text" else "Columns with nothing in them are"
            warnings.append(f"{word} left out: {', '.join(labels)}")
    return _Columns(places=places, warnings=warnings)


def _recording(
    table: _Table,
    numbers: _Columns,
    stamps: Stamps | None,
    timing: Timing,
    rate_hz: float | None,
    warnings: list[str],
) -> Recording:
    layout, n_samples = table.layout, table.store.n_rows
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
    source, let_go = table.store.source(numbers.places)
    return SourcedRecording(info, [Place(source=source, row=row) for row in range(len(channels))], let_go)


def _data_kind(name: str, unit: str) -> ChannelKind:
    """Guess the kind of a column. Columns of codes stay signals: a table does not say that they are raw."""
    kind = kind_of(name, unit)
    return "misc" if kind in CODE_KINDS else kind


def _sniff(head: bytes) -> bool:
    """Say whether these bytes are the beginning of a table of numbers."""
    try:
        lines = decode(head, "this file").decode("utf-8", "ignore").split("\n")[:-1]
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
    scan=TextScan,
    options=OPTIONS,
)
