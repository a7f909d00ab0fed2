"""Parquet and Arrow tables: each column of numbers is a channel, a time column gives the rate, read in slices.

Columns have types here, so nothing is guessed but which column is time: one of stamps, or one of numbers with a name
of time, judged by the same rules as in tables of text. Only that column is gone through, behind the part that is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from jaxscope.data.kinds import signal_kind_of
from jaxscope.data.labels import plain_unit, unique_names
from jaxscope.data.notes import KEY, with_notes
from jaxscope.data.recording import Channel, FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.foreign import foreign
from jaxscope.readers.parquet_footer import check_footer
from jaxscope.readers.parquet_times import TypedTimes, find_times
from jaxscope.readers.scans import Scan, scanned_whole
from jaxscope.readers.sources import Place, SourcedRecording, with_rounding_told
from jaxscope.readers.steady_times import TimeJudge
from jaxscope.readers.time_steps import Timing

if TYPE_CHECKING:
    import polars as pl

_PARQUET, _ARROW, _ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
#: Rows of the time column that are read at a time; the library takes several times their bytes meanwhile.
PIECE_ROWS = 1 << 18
#: A table that claims more rows than this, and more than this many a byte, is damaged.
_PLAUSIBLE_ROWS, _PLAUSIBLE_ROWS_PER_BYTE = 1 << 23, 64
NO_RATE = "The file tells no sampling rate: give one to filter it"


class _TableSource:
    """All columns of numbers. The scan is immutable, so readings need not take turns."""

    def __init__(
        self, table: pl.LazyFrame, schema: Mapping[str, pl.DataType], columns: Sequence[str], name: str
    ) -> None:
        self._table, self._schema, self._columns, self._name = table, schema, tuple(columns), name

    def read(self, span: Span, rows: Sequence[int]) -> FloatArray:
        import polars as pl

        wanted = list(dict.fromkeys(self._columns[row] for row in rows))
        with foreign(self._name):
            part = self._table.slice(span.start, len(span)).select(pl.col(wanted).cast(pl.Float64)).collect()
        if part.height != len(span):
            raise ReadError(f"{self._name} ends too early", hint="copy the file again")
        result = np.empty((len(rows), len(span)), dtype=np.float64)
        for place, row in enumerate(rows):
            result[place] = part[self._columns[row]].to_numpy()
        return result

    def is_wide(self, row: int) -> bool:
        """Say what ``sources.MayBeWide`` does."""
        import polars as pl

        return self._schema[self._columns[row]] in (pl.Int64, pl.UInt64, pl.Int128)


class TableScan(Scan):
    """A table whose times are gone through a piece at a time; the values are read where they lie.

    Parameters
    ----------
    path : Path
    options : OpenOptions

    Raises
    ------
    ReadError
        If the file is none, is damaged, or holds no column of numbers.
    """

    def __init__(self, path: Path, options: OpenOptions) -> None:
        super().__init__(path.stat().st_size)
        self._path, self._options = path, options
        self._table, self._schema, self._n_rows = _table_of(path)
        with foreign(path.name):
            self._times = find_times(self._table, self._schema)
        self._judge = TimeJudge(self._times.resolution_s if self._times is not None else 0.0)
        self._n_known = 0 if self._times is not None else self._n_rows

    @property
    def is_long(self) -> bool:
        """Whether there are more times than are read at once."""
        return self._times is not None and self._n_rows > PIECE_ROWS

    def step(self) -> bool:
        if self._n_known < self._n_rows and self._times is not None:
            seconds = self._seconds(self._times, self._n_known)
            if not len(seconds):
                raise ReadError(f"{self._path.name} ends too early", hint="copy the file again")
            self._judge.add(seconds)
            self._n_known += len(seconds)
        self.position = self.n_bytes * self._n_known // max(self._n_rows, 1)
        return self._n_known < self._n_rows

    def _seconds(self, times: TypedTimes, first: int) -> FloatArray:
        """Read the times of a piece."""
        with foreign(self._path.name):
            part = self._table.slice(first, PIECE_ROWS).select(times.name).collect()
        return times.seconds(part[times.name])

    def _timing(self) -> Timing:
        times = self._times
        if times is None:
            return Timing(rate_hz=None)

        def pieces() -> Iterator[FloatArray]:
            for first in range(0, self._n_known, PIECE_ROWS):
                yield self._seconds(times, first)

        return self._judge.timing(pieces)

    def recording(self) -> Recording:
        import polars as pl

        times, timing = self._times, self._timing()
        time_column = None if times is None else times.name
        columns = [
            name
            for name, kind in self._schema.items()
            if name != time_column and (kind.is_numeric() or kind == pl.Boolean)
        ]
        left_out = [name for name in self._schema if name not in columns and name != time_column]
        if not columns:
            raise ReadError(f"{self._path.name} holds no column of numbers", hint="save each channel as a column")
        warnings = [f"Columns that hold no numbers are left out: {', '.join(left_out)}"] if left_out else []
        warnings += [*(times.notes if times is not None else ()), *timing.warnings]
        is_parquet = self._is_parquet
        start = None if times is None else times.start
        title = "Parquet" if is_parquet else "Arrow"
        info = _describe(columns, self._n_known, start, timing, self._options, title, warnings)
        if is_parquet:
            with foreign(self._path.name):
                notes = pl.read_parquet_metadata(self._path).get(KEY, "")
            info = with_notes(info, notes) if notes else info
        source = _TableSource(self._table, self._schema, columns, self._path.name)
        places = [Place(source=source, row=row) for row in range(len(columns))]
        return SourcedRecording(with_rounding_told(info, places), places, _nothing)

    @property
    def _is_parquet(self) -> bool:
        return _begins_with(self._path, _PARQUET)


def open_table(path: Path, options: OpenOptions) -> Recording:
    """Open a Parquet or Arrow file.

    Raises
    ------
    ReadError
        If it is none, is damaged, or holds no column of numbers.
    """
    return scanned_whole(TableScan(path, options))


def scan_table(path: Path, options: OpenOptions) -> Scan | None:
    """Return the way through a file with many times, None for one that is opened at once."""
    scan = TableScan(path, options)
    return scan if scan.is_long else None


def _begins_with(path: Path, magic: bytes) -> bool:
    with path.open("rb") as opened:
        return opened.read(len(magic)) == magic


def _table_of(path: Path) -> tuple[pl.LazyFrame, dict[str, pl.DataType], int]:
    """Return the table, the types of its columns and how many rows it has."""
    import polars as pl

    is_parquet = _begins_with(path, _PARQUET)
    if not is_parquet and _begins_with(path, _ARROW_STREAM):
        raise ReadError(
            f"{path.name} is a stream of Arrow, which has no index", hint="save it as an Arrow file (Feather)"
        )
    if not is_parquet and not _begins_with(path, _ARROW):
        raise ReadError(
            f"{path.name} is neither a Parquet nor an Arrow file", hint="choose another file, or correct its suffix"
        )
    if is_parquet:
        check_footer(path)
    with foreign(path.name):
        table = pl.scan_parquet(path) if is_parquet else pl.scan_ipc(path)
        schema = dict(table.collect_schema())
        n_rows = int(table.select(pl.len()).collect().item())
    if n_rows > max(_PLAUSIBLE_ROWS, _PLAUSIBLE_ROWS_PER_BYTE * path.stat().st_size):
        raise ReadError(f"{path.name} claims {n_rows:,} rows, which makes no sense", hint="copy the file again")
    return table, schema, n_rows


def _nothing() -> None:
    """Let go of nothing: each reading opens the file."""


def _describe(
    columns: Sequence[str],
    n_rows: int,
    start: datetime | None,
    timing: Timing,
    options: OpenOptions,
    title: str,
    warnings: list[str],
) -> RecordingInfo:
    rate_hz = timing.rate_hz or options.rate_hz
    if rate_hz is None:
        warnings.append(NO_RATE)
    else:
        warnings += own_rate_words([rate_hz], options)
    channels = []
    pairs = [_split_unit(name) for name in columns]
    for label, (_, unit) in zip(unique_names(label for label, _ in pairs), pairs, strict=True):
        kind = signal_kind_of(label, unit)
        channels.append(Channel(name=label, unit=unit, kind=kind, rate_hz=rate_hz, n_samples=n_rows))
    missing_s = sum(gap.stop_s - gap.start_s for gap in timing.gaps)
    return RecordingInfo(
        format=title,
        start=start,
        duration_s=None if rate_hz is None else n_rows / rate_hz + missing_s,
        channels=tuple(channels),
        gaps=timing.gaps,
        warnings=tuple(warnings),
    )


def _split_unit(name: str) -> tuple[str, str]:
    """Return label and unit of a column that is named such as ``Fz [uV]`` or ``Fz (uV)``."""
    for opening, closing in ("[]", "()"):
        if name.endswith(closing) and opening in name[1:]:
            label, _, unit = name[:-1].rpartition(opening)
            if label.strip() and 0 < len(unit.strip()) <= 8:
                return label.strip(), plain_unit(unit)
    return name, ""


def sniff_table(head: bytes) -> bool:
    """Say whether these bytes can only be a Parquet or an Arrow file."""
    return head.startswith((_PARQUET, _ARROW))


FORMAT = ReaderFormat(
    name="parquet",
    title="Parquet",
    suffixes=(".parquet", ".pq", ".arrow", ".feather", ".ipc"),
    sniff=sniff_table,
    open=open_table,
    scan=scan_table,
)
