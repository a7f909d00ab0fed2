"""The time column of a typed table: which it is, and what its numbers or stamps mean.

The first rows decide, by the same rules as in tables of text; what follows is read at the scale that was found there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from jaxscope.data.recording import FloatArray
from jaxscope.readers.text_table_time import Stamps, find_stamps

if TYPE_CHECKING:
    import polars as pl

#: Rows of the time column that decide whether it is one.
_SAMPLE_ROWS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedTimes:
    """A time column: seconds are (value - ``first``) times ``scale``; stamps of any type count whole units first."""

    name: str
    first: int | float
    scale: float
    start: datetime | None
    resolution_s: float
    is_stamp: bool
    notes: tuple[str, ...] = ()

    def seconds(self, column: pl.Series) -> FloatArray:
        """Return seconds since the first row, NaN where there is none."""
        import polars as pl

        values = whole_units(column) if self.is_stamp else column
        relative = (values - self.first).cast(pl.Float64).fill_null(float("nan")).to_numpy()
        with np.errstate(invalid="ignore", over="ignore"):  # what is no time is found by whoever judges them
            scaled: FloatArray = relative * self.scale
        return scaled


def whole_units(column: pl.Series) -> pl.Series:
    """Return dates, clock times or durations as whole numbers of their unit."""
    import polars as pl

    return (column.cast(pl.Datetime("us")) if column.dtype == pl.Date else column).cast(pl.Int64)


def find_times(table: pl.LazyFrame, schema: dict[str, pl.DataType]) -> TypedTimes | None:
    """Return the time column of a table, None where there is none."""
    import polars as pl

    for name, kind in schema.items():
        if kind.is_temporal():
            return _of_stamps(name, kind, table)
    numbers = [name for name, kind in schema.items() if kind.is_integer() or kind.is_float()]
    if not numbers:
        return None
    head = table.select(numbers).head(_SAMPLE_ROWS).collect()
    for name in numbers:
        found = find_stamps([head[name].cast(pl.String)], [name], [""], ".")
        if found is not None:
            return _of_numbers(name, head[name], found)
    return None


def _of_stamps(name: str, kind: pl.DataType, table: pl.LazyFrame) -> TypedTimes:
    import polars as pl

    unit = "us" if kind == pl.Date else getattr(kind, "time_unit", "ns")
    scale = {"ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]
    known = table.select(pl.col(name).drop_nulls().first()).collect()[name].drop_nulls()
    first = int(whole_units(known)[0]) if len(known) else 0
    start = None
    if isinstance(kind, pl.Datetime | pl.Date) and len(known):
        zone = UTC if isinstance(kind, pl.Datetime) and kind.time_zone is not None else None
        start = datetime(1970, 1, 1, tzinfo=zone) + timedelta(microseconds=first * round(scale * 1e9) // 1000)
    return TypedTimes(name=name, first=first, scale=scale, start=start, resolution_s=scale, is_stamp=True)


def _of_numbers(name: str, head: pl.Series, found: Stamps) -> TypedTimes:
    import polars as pl

    first = head[0]
    relative = (head - first).cast(pl.Float64).fill_null(float("nan")).to_numpy()
    moved = np.flatnonzero((relative != 0) & np.isfinite(relative))
    scale = float(found.seconds[moved[-1]] / relative[moved[-1]]) if len(moved) else 1.0
    return TypedTimes(
        name=name,
        first=first,
        scale=scale,
        start=found.start,
        resolution_s=found.resolution_s,
        is_stamp=False,
        notes=found.notes,
    )
