"""Tables of text (CSV, TSV, TXT): each column of numbers is a channel, a time column gives the rate.

The layout is found from the first lines, then every cell is read as text and turned into numbers here, so that each
cell that is no number is counted and told, instead of turning a whole column into something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jaxscope.data.kinds import signal_kind_of
from jaxscope.data.labels import plain_unit, unique_names
from jaxscope.data.recording import Channel, Recording, RecordingInfo
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.byte_file import ByteFile
from jaxscope.readers.options import ReaderOption
from jaxscope.readers.scans import Scan, scanned_whole
from jaxscope.readers.side_notes import with_side_notes
from jaxscope.readers.soundness import MendedRecording
from jaxscope.readers.sources import Place, SourcedRecording
from jaxscope.readers.text_table_cells import Column
from jaxscope.readers.text_table_layout import TableLayout, find_layout, is_number, split_rows
from jaxscope.readers.text_table_pieces import NotUtf8Error, RowPieces, decode
from jaxscope.readers.text_table_rows import NO_TIMES, TableRows, first_lines
from jaxscope.readers.time_steps import Timing

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
        self._path = path
        self._file = ByteFile(path)
        super().__init__(self._file.n_bytes)
        self._options = options
        self._pieces = RowPieces(self._file)
        self._has_no_times = False
        self._table: TableRows | None = None

    def step(self) -> bool:
        try:
            self._take_next()
        except NotUtf8Error:
            self._pieces.fall_back()
            self._forget()
        if self._pieces.is_over and self._table is not None and self._table.are_times_wrong:
            if self._table.chosen is not None:
                raise self._no_times()
            self._has_no_times = True
            self._pieces.begin_again()
            self._forget()
        self.position = self._pieces.position
        return not self._pieces.is_over or self._table is None

    def _take_next(self) -> None:
        if self._table is None:
            self._table = self._begin()
        else:
            self._pieces.read_on()
        self._table.add(self._pieces.take())

    def _begin(self) -> TableRows:
        """Find out how the table is written, and leave out what comes before its rows."""
        lines = first_lines(self._pieces.first_lines())
        layout = _layout(lines, self._file.name, self._options)
        self._pieces.drop_lines(layout.first_line)
        chosen = NO_TIMES if self._has_no_times else _time_column(layout, self._options, self._file.name)
        return TableRows(layout, self._file.name, chosen)

    def _forget(self) -> None:
        """Let go of what has been read: reading begins again."""
        if self._table is not None:
            self._table.store.close()
        self._table = None

    def _no_times(self) -> ReadError:
        return ReadError(f"{self._options.value('time')} holds no times", hint="choose another column, or none")

    def recording(self) -> Recording:
        if self._table is None:
            raise ReadError(f"{self._file.name} holds no table", hint="check that its suffix is right")
        if self._table.times is None and self._table.chosen not in (None, NO_TIMES):
            raise self._no_times()
        found = _recording_of(self._table, list(self._pieces.notes), self._options)
        info = with_side_notes(found.info, self._path) if self._pieces.is_over else found.info
        return found if info is found.info else MendedRecording(found, info)

    def close(self) -> None:
        self._file.close()
        if self._table is not None:
            self._table.store.close()


def read_table(path: Path, options: OpenOptions) -> Recording:
    """Read a table of text whole.

    Raises
    ------
    ReadError
        If the file is no text or no table.
    """
    return scanned_whole(TextScan(path, options))


def _recording_of(table: TableRows, warnings: list[str], options: OpenOptions) -> Recording:
    layout, n_empty = table.layout, table.cleaner.n_empty
    if n_empty:
        warnings.append(f"{n_empty:,} empty {'line is' if n_empty == 1 else 'lines are'} left out")
    warnings += table.uneven.words()
    timing = table.timing()
    numbers = _numbers(table.columns, layout, table.time_columns)
    if table.has_counter and len(numbers.places) > 1 and numbers.places[0] == 0:
        del numbers.places[0]
        warnings.append("The first column has no name and counts the rows: it is left out")
    if not numbers.places and not _is_summary(table.first_lines, layout):
        raise ReadError(f"{table.name} holds no column of numbers", hint="save each channel as a column of numbers")
    rate_hz = timing.rate_hz or layout.rate_hz or options.rate_hz
    if rate_hz is not None:
        warnings += own_rate_words([rate_hz], options)
    elif numbers.places:
        warnings.append(NO_RATE)
    warnings += [*(table.times.notes if table.times is not None else ()), *timing.warnings, *numbers.warnings]
    return _recording(table, numbers, timing, rate_hz, warnings)


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
    """Return the column that was chosen to be time, ``NO_TIMES`` for none; None where nothing was told."""
    wanted = options.value("time").strip()
    if not wanted:
        return None
    if wanted.lower() == "none":
        return NO_TIMES
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
    table: TableRows,
    numbers: _Columns,
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
            kind=signal_kind_of(name, unit),
            rate_hz=rate_hz,
            n_samples=n_samples,
        )
        for name, unit in zip(names, units, strict=True)
    )
    missing_s = sum(gap.stop_s - gap.start_s for gap in timing.gaps)
    info = RecordingInfo(
        format="text",
        start=(table.times.start if table.times is not None else None) or layout.start,
        duration_s=n_samples / rate_hz + missing_s if rate_hz else None,
        channels=channels,
        gaps=timing.gaps,
        warnings=tuple(warnings),
    )
    source, let_go = table.store.source(numbers.places)
    return SourcedRecording(info, [Place(source=source, row=row) for row in range(len(channels))], let_go)


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
