"""Parquet and Arrow tables: each column of numbers is a channel, a time column gives the rate, read in slices.

Columns have types here, so nothing is guessed but which column is time: one of stamps, or one of numbers with a name
of time, judged by the same rules as in tables of text. Only that column is read at opening.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from jaxscope.data.kinds import kind_of
from jaxscope.data.labels import plain_unit, unique_names
from jaxscope.data.notes import KEY, with_notes
from jaxscope.data.recording import CODE_KINDS, Channel, FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.foreign import foreign
from jaxscope.readers.parquet_footer import check_footer
from jaxscope.readers.sources import Place, SourcedRecording
from jaxscope.readers.text_table_time import Stamps, Timing, find_stamps, find_timing

if TYPE_CHECKING:
    import polars as pl

_PARQUET, _ARROW = b"PAR1", b"ARROW1"
#: Rows of the time column that decide whether it is one.
_SAMPLE_ROWS = 2000
#: A table that claims more rows than this, and more than this many a byte, is damaged.
_PLAUSIBLE_ROWS, _PLAUSIBLE_ROWS_PER_BYTE = 1 << 23, 64
NO_RATE = "The file tells no sampling rate: give one to filter it"


class _TableSource:
    """All columns of numbers. The scan is immutable, so readings need not take turns."""

    def __init__(self, table: pl.LazyFrame, columns: Sequence[str], name: str) -> None:
        self._table, self._columns, self._name = table, tuple(columns), name

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


def open_table(path: Path, options: OpenOptions) -> Recording:
    """Open a Parquet or Arrow file.

    Raises
    ------
    ReadError
        If it is none, is damaged, or holds no column of numbers.
    """
    import polars as pl

    with path.open("rb") as opened:
        head = opened.read(len(_ARROW))
    if not sniff_table(head):
        raise ReadError(
            f"{path.name} is neither a Parquet nor an Arrow file", hint="choose another file, or correct its suffix"
        )
    is_parquet = head.startswith(_PARQUET)
    if is_parquet:
        check_footer(path)
    with foreign(path.name):
        table = pl.scan_parquet(path) if is_parquet else pl.scan_ipc(path)
        schema = dict(table.collect_schema())
        n_rows = int(table.select(pl.len()).collect().item())
    if n_rows > max(_PLAUSIBLE_ROWS, _PLAUSIBLE_ROWS_PER_BYTE * path.stat().st_size):
        raise ReadError(f"{path.name} claims {n_rows:,} rows, which makes no sense", hint="copy the file again")
    with foreign(path.name):
        stamps = _stamps(table, schema)
    timing = Timing(rate_hz=None) if stamps is None else find_timing(stamps[1])
    time_column = None if stamps is None else stamps[0]
    columns = [
        name for name, kind in schema.items() if name != time_column and (kind.is_numeric() or kind == pl.Boolean)
    ]
    left_out = [name for name in schema if name not in columns and name != time_column]
    if not columns:
        raise ReadError(f"{path.name} holds no column of numbers", hint="save each channel as a column")
    warnings = [f"Columns that hold no numbers are left out: {', '.join(left_out)}"] if left_out else []
    warnings += [*(stamps[1].notes if stamps is not None else ()), *timing.warnings]
    info = _describe(columns, n_rows, stamps, timing, options, "Parquet" if is_parquet else "Arrow", warnings)
    if is_parquet:
        with foreign(path.name):
            notes = pl.read_parquet_metadata(path).get(KEY, "")
        info = with_notes(info, notes) if notes else info
    source = _TableSource(table, columns, path.name)
    return SourcedRecording(info, [Place(source=source, row=row) for row in range(len(columns))], _nothing)


def _nothing() -> None:
    """Let go of nothing: each reading opens the file."""


def _stamps(table: pl.LazyFrame, schema: dict[str, pl.DataType]) -> tuple[str, Stamps] | None:
    """Return the name of the time column and its times, None where there is none."""
    import polars as pl

    for name, kind in schema.items():
        if kind.is_temporal():
            return name, _typed_stamps(table.select(name).collect()[name])
    numbers = [name for name, kind in schema.items() if kind.is_integer() or kind.is_float()]
    if not numbers:
        return None
    head = table.select(numbers).head(_SAMPLE_ROWS).collect()
    for name in numbers:
        found = find_stamps([head[name].cast(pl.String)], [name], [""], ".")
        if found is not None:
            return name, _numeric_stamps(table.select(name).collect()[name], head[name], found)
    return None


def _typed_stamps(column: pl.Series) -> Stamps:
    """Return times of a column of dates, clock times or durations."""
    import polars as pl

    if column.dtype == pl.Date:
        column = column.cast(pl.Datetime("us"))
    unit = getattr(column.dtype, "time_unit", "ns")
    scale = {"ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]
    whole = column.cast(pl.Int64)
    known = whole.drop_nulls()
    first = int(known[0]) if len(known) else 0
    start = None
    if isinstance(column.dtype, pl.Datetime) and len(known):
        zone = None if column.dtype.time_zone is None else UTC
        start = datetime(1970, 1, 1, tzinfo=zone) + timedelta(microseconds=first * round(scale * 1e9) // 1000)
    seconds = (whole - first).cast(pl.Float64).fill_null(float("nan")).to_numpy() * scale
    return Stamps(seconds=seconds, start=start, resolution_s=scale, columns=(0,))


def _numeric_stamps(column: pl.Series, head: pl.Series, found: Stamps) -> Stamps:
    """Return the times of all rows at the scale that was found in the first of them."""
    import polars as pl

    relative = (column - head[0]).cast(pl.Float64).fill_null(float("nan")).to_numpy()
    moved = np.flatnonzero((relative[: len(head)] != 0) & np.isfinite(relative[: len(head)]))
    scale = float(found.seconds[moved[-1]] / relative[moved[-1]]) if len(moved) else 1.0
    return Stamps(
        seconds=relative * scale,
        start=found.start,
        resolution_s=found.resolution_s,
        columns=found.columns,
        notes=found.notes,
    )


def _describe(
    columns: Sequence[str],
    n_rows: int,
    stamps: tuple[str, Stamps] | None,
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
        kind = kind_of(label, unit)
        kind = "misc" if kind in CODE_KINDS else kind  # a table does not say that a column is raw
        channels.append(Channel(name=label, unit=unit, kind=kind, rate_hz=rate_hz, n_samples=n_rows))
    missing_s = sum(gap.stop_s - gap.start_s for gap in timing.gaps)
    return RecordingInfo(
        format=title,
        start=None if stamps is None else stamps[1].start,
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
)
