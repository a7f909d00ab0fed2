"""Time columns of tables: which they are, and what their numbers or stamps mean.

A time column may hold seconds, milliseconds, an epoch in any unit down to nanoseconds, ISO stamps, or a date and a
clock time in two columns. Whole numbers stay whole until the first is subtracted, because nanoseconds since 1970 do
not fit a float. The first rows decide; how they are read is kept, for the rows that follow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from jaxscope.data.recording import FloatArray
from jaxscope.readers.text_table_layout import is_number, is_stamp
from jaxscope.readers.time_steps import StepsSeen

if TYPE_CHECKING:
    import polars as pl

_NAME = re.compile(
    r"[%_#/. ]*(?:rel\w*|abs\w*|local|elapsed|recording|sample|unix|utc|epoch|system|lsl|device)?[ _.-]*"
    r"(?:times?(?:[ _-]?stamps?)?|timer|date[ _-]?time|datetime|stamps?|seconds?|secs?|millis(?:econds?)?|zeit|temps|"
    r"tiempo|tempo|epoch|unix|t|date)",
    re.IGNORECASE,
)
_SCALES = {
    "s": 1.0,
    "sec": 1.0,
    "seconds": 1.0,
    "ms": 1e-3,
    "msec": 1e-3,
    "us": 1e-6,
    "ns": 1e-9,
    "min": 60.0,
    "h": 3600.0,
}
_UNIT_IN_NAME = re.compile(r"[ _.]*[(\[]?\b(s|sec|seconds|ms|msec|us|ns|min|h)[)\]]?", re.IGNORECASE)
_DAYS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d-%m-%Y", "%m/%d/%Y", "%d/%m/%Y", "%m-%d-%Y", "%Y%m%d")
_CLOCKS = ("%H:%M:%S%.f", "%I:%M:%S%.f %p", "%H:%M")
#: Day and month first cannot be told apart where every day is 12 or less.
_AMBIGUOUS = {"%d-%m-%Y": "day first", "%d.%m.%Y": "day first", "%m/%d/%Y": "month first"}
#: Least magnitude of epoch stamps, by the unit that they must then be in: all these are years after 2001.
_EPOCHS = ((1e18, 1e-9), (1e15, 1e-6), (1e12, 1e-3), (1e9, 1.0))
#: Shorter steps than this are those of times that nobody has named, where they are even.
_UNNAMED_STEP_S = 1.0
#: Seconds since 1970 that are still a date: the year 9000.
_LATEST_S = 2.2e11
_DAY_S = 86400.0


class TimeCells(Protocol):
    """How the cells of time columns are read."""

    @property
    def are_times(self) -> bool:
        """Whether as many of those that were read are times as there must be."""

    def seconds(self, cells: Sequence[pl.Series]) -> FloatArray:
        """Return the times of the next rows, NaN where a cell is none; pieces come in order, each once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamps:
    """Times of the first rows. ``seconds`` counts from the first row and is NaN where a stamp cannot be read.

    ``resolution_s`` is the smallest step that the file can write. ``columns`` are those that held the stamps, ``cells``
    reads the rows that follow. ``proof`` is what all times must be, for the column to be one: running forward, even as
    well, or nothing more than readable.
    """

    seconds: FloatArray
    start: datetime | None
    resolution_s: float
    columns: tuple[int, ...]
    cells: TimeCells
    proof: Literal["readable", "forward", "even"] = "readable"
    notes: tuple[str, ...] = ()

    def holds(self, seen: StepsSeen) -> bool:
        """Say whether a column is one of time, after a look at all of it."""
        if not self.cells.are_times:
            return False
        if self.proof == "even":
            is_even = seen.most_s - seen.least_s <= 2.01 * self.resolution_s
            return seen.n_steps > 4 and is_even and seen.least_s > 0 and seen.most_s < _UNNAMED_STEP_S
        return self.proof == "readable" or seen.runs_forward


def find_stamps(
    columns: list[pl.Series], names: list[str], units: list[str], decimal: str, *, chosen: int | None = None
) -> Stamps | None:
    """Find the time column, or the pair of a date and a clock column, and read it; None where there is none.

    Parameters
    ----------
    columns : list of polars Series of str
        All cells of each column.
    names, units : list of str
        "" where the file has none.
    decimal : str
        The decimal mark of numbers.
    chosen : int or None
        The column that is time, whatever it is called; None looks for it.
    """
    if chosen is not None:
        name, unit = names[chosen], units[chosen]
        numbers = _numeric_stamps(columns[chosen], name, unit, decimal, chosen)
        return numbers or _text_stamps([columns[chosen]], (chosen,))
    pair = _date_and_clock(columns, names)
    if pair is not None:
        day, clock = pair
        return _text_stamps([columns[day], columns[clock]], (day, clock))
    for index, name in enumerate(names):
        if _scale_of_name(name, units[index]) is None:
            continue
        found = _numeric_stamps(columns[index], name, units[index], decimal, index) or _text_stamps(
            columns[index : index + 1], (index,)
        )
        found = None if found is None else replace(found, proof="forward")
        if found is not None and found.holds(steps_of(found.seconds)):
            return found
    return _unnamed_stamps(columns, names, decimal)


def steps_of(seconds: FloatArray) -> StepsSeen:
    """Return what these times tell."""
    seen = StepsSeen()
    seen.add(seconds)
    return seen


def _scale_of_name(name: str, unit: str) -> float | None:
    """Return seconds per unit for a time column, 0 where the unit is open, None where the name is not of time."""
    unit = unit.strip().lower()
    if _NAME.fullmatch(name):
        return _SCALES.get(unit, 0.0)
    if name.lower() in ("ms", "us", "ns", "s", "sec", "seconds"):
        return _SCALES[name.lower()]
    found = _UNIT_IN_NAME.search(name)
    if found is not None and found.end() == len(name) and _NAME.fullmatch(name[: found.start()]):
        return _SCALES[found[1].lower()]
    end = re.fullmatch(r"(.+?)_(s|ms|us|ns|sec|min|h)", name, re.IGNORECASE)
    return _SCALES[end[2].lower()] if end is not None and _NAME.fullmatch(end[1]) else None


@dataclass(slots=True, kw_only=True)
class _NumberCells:
    """Cells with numbers: what the first of them is, and how many seconds one is."""

    decimal: str
    first: float
    #: the first where it is a whole number
    whole: int | None
    scale: float = 1.0
    n_rows: int = 0
    n_unread: int = 0

    @property
    def are_times(self) -> bool:
        """Whether nearly all are numbers."""
        return self.n_unread <= 0.1 * self.n_rows + 0.5

    def seconds(self, cells: Sequence[pl.Series]) -> FloatArray:
        scaled: FloatArray = self.relative(*cells) * self.scale
        return scaled

    def relative(self, column: pl.Series) -> FloatArray:
        """Return how far each number is from the first."""
        import polars as pl

        text = _with_points(column, self.decimal)
        self.n_rows += len(text)
        exact = None if self.whole is None else text.cast(pl.Int64, strict=False) - self.whole
        if exact is not None and exact.null_count() == 0:
            return exact.to_numpy().astype(np.float64)
        floats = text.cast(pl.Float64, strict=False)
        self.n_unread += floats.null_count()
        relative = floats - self.first
        # beside a cell that is no whole number the others are as exact as elsewhere
        told = relative if exact is None else exact.cast(pl.Float64).fill_null(relative)
        return told.fill_null(float("nan")).to_numpy()


def _with_points(column: pl.Series, decimal: str) -> pl.Series:
    text = column.str.strip_chars()
    return text.str.replace(",", ".", literal=True) if decimal == "," else text


def _numeric_stamps(column: pl.Series, name: str, unit: str, decimal: str, index: int) -> Stamps | None:
    import polars as pl

    text = _with_points(column, decimal)
    floats = text.cast(pl.Float64, strict=False)
    if len(floats) == 0 or floats.null_count() > 0.1 * len(floats) + 0.5:
        return None
    first_index = int(floats.is_not_null().arg_max() or 0)
    first = float(floats[first_index])
    if not np.isfinite(first):
        return None
    whole = text[first_index : first_index + 1].cast(pl.Int64, strict=False)[0]
    cells = _NumberCells(decimal=decimal, first=first, whole=whole)
    values = cells.relative(column)
    scale, notes = _scale(first, values, _scale_of_name(name, unit) or 0.0, name)
    cells.scale = scale
    start = None
    if 1e9 <= abs(first * scale) < _LATEST_S:
        # Whole numbers of microseconds, so that the nanoseconds of a stamp are not rounded twice.
        micro = round(first * scale * 1e6) if whole is None else whole * round(scale * 1e9) // 1000
        start = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=micro)
    return Stamps(
        seconds=values * scale,
        start=start,
        resolution_s=scale * 10.0 ** -_n_digits(text, r"\.(\d+)"),
        columns=(index,),
        cells=cells,
        notes=tuple(notes),
    )


def _scale(first: float, values: FloatArray, named: float, name: str) -> tuple[float, list[str]]:
    for least, scale in _EPOCHS:
        if abs(first) >= least:
            return named if named and least == 1e9 else scale, []
    if named:
        return named, []
    steps = np.diff(values[np.isfinite(values)])
    steps = steps[steps > 0]
    usual = float(np.median(steps)) if len(steps) else 1.0
    column = f'The time column "{name}"' if name else "The first column"
    if usual > 1:
        return 1e-3, [f"{column} tells no unit: its steps of {usual:.6g} are read as milliseconds"]
    if usual == 1:
        return 1.0, [f"{column} tells no unit: its steps of 1 are read as seconds"]
    return 1.0, []


def _date_and_clock(columns: list[pl.Series], names: list[str]) -> tuple[int, int] | None:
    """Return a column of dates and one of clock times; both must look like that, whatever they are called."""
    lower = [name.strip().lower() for name in names]
    if "date" not in lower or "time" not in lower:
        return None
    day, clock = lower.index("date"), lower.index("time")
    first_day, first_clock = (str(columns[k].drop_nulls().head(1).to_list()[:1]) for k in (day, clock))
    looks_right = re.search(r"\d[-/.]\d", first_day) and ":" in first_clock and not re.search(r"\d:\d", first_day)
    return (day, clock) if looks_right else None


class _TextCells:
    """Stamps of one pattern; clock times alone go on where midnight is passed."""

    #: those that are none are told
    are_times = True

    def __init__(self, pattern: str, cells: Sequence[pl.Series]) -> None:
        self.pattern = pattern
        self._has_date = "%d" in pattern
        self._n_days = 0
        self._last = float("nan")
        #: nanoseconds of the first stamp that can be read
        self.first = int(self._parsed(cells).drop_nulls()[0])

    def seconds(self, cells: Sequence[pl.Series]) -> FloatArray:
        import polars as pl

        relative = (self._parsed(cells) - self.first).cast(pl.Float64).fill_null(float("nan"))
        seconds = np.array(relative.to_numpy() * 1e-9)
        return seconds if self._has_date else self._past_midnight(seconds)

    def _parsed(self, cells: Sequence[pl.Series]) -> pl.Series:
        import polars as pl

        kind = pl.Datetime("ns") if self._has_date else pl.Time
        return _stamp_text(cells).str.strptime(kind, self.pattern, strict=False).cast(pl.Int64)

    def _past_midnight(self, seconds: FloatArray) -> FloatArray:
        """Add a day after each step back of more than half a day: clock times that pass midnight."""
        known = np.isfinite(seconds)
        times = seconds[known]
        if len(times):
            before = times[:1] if np.isnan(self._last) else np.array([self._last])
            n_days = self._n_days + np.cumsum(np.diff(times, prepend=before) < -_DAY_S / 2)
            self._last, self._n_days = float(times[-1]), int(n_days[-1])
            seconds[known] += _DAY_S * n_days
        return seconds


def _stamp_text(cells: Sequence[pl.Series]) -> pl.Series:
    """Return stamps as their patterns are written: date and clock with a blank between, no zone, a decimal point."""
    text = cells[0].str.strip_chars()
    for further in cells[1:]:
        text = text + " " + further.str.strip_chars()
    text = text.str.replace(r"[zZ]$", "").str.replace("T", " ", literal=True)
    return text.str.replace(r",(\d+)$", ".${1}")


def _text_stamps(cells: Sequence[pl.Series], indices: tuple[int, ...]) -> Stamps | None:
    text = _stamp_text(cells)
    sample = text.drop_nulls().head(2000)
    if len(sample) == 0 or not is_stamp(str(sample[0])):
        return None
    formats = [f"{day} {clock}" for day in _DAYS for clock in _CLOCKS] + [f"{day} {_CLOCKS[0]}%z" for day in _DAYS[:2]]
    scores = {pattern: _n_parsed(sample, pattern) for pattern in formats}
    best = max(scores, key=lambda pattern: scores[pattern])
    has_date = scores[best] >= 0.9 * len(sample)
    if not has_date:
        best = max(_CLOCKS, key=lambda pattern: _n_parsed(sample, pattern))
        if _n_parsed(sample, best) < 0.9 * len(sample):
            return None
    reading = _TextCells(best, cells)
    start: datetime | None = None
    if has_date:
        told = str(cells[-1].drop_nulls().head(1).to_list()[:1])
        zone = UTC if told.rstrip("']").upper().endswith("Z") or "%z" in best else None
        start = datetime(1970, 1, 1, tzinfo=zone) + timedelta(microseconds=reading.first // 1000)
    return Stamps(
        seconds=reading.seconds(cells),
        start=start,
        resolution_s=10.0 ** -_n_digits(text, r"\.(\d+)$"),
        columns=indices,
        cells=reading,
        notes=_date_notes(best, scores, sample),
    )


def _date_notes(best: str, scores: dict[str, int], sample: pl.Series) -> tuple[str, ...]:
    """Return a sentence where days and months could be read the other way round as well."""
    pattern = best.split(" ")[0]
    if (
        pattern in _AMBIGUOUS
        and not re.search(r"(?:^|\D)(?:1[3-9]|2\d|3[01])[-/.]", "\n".join(sample.to_list()))
        and scores.get(best.replace(pattern, _other_way(pattern)), 0) == scores[best]
    ):
        return (f"Dates are read {_AMBIGUOUS[pattern]}",)
    return ()


def _n_digits(text: pl.Series, pattern: str) -> int:
    """Return how many digits the first thousand stamps have after their point, at most."""
    return max((len(digits) for digits in text.head(1000).str.extract(pattern, 1).drop_nulls().to_list()), default=0)


def _other_way(pattern: str) -> str:
    return {"%d-%m-%Y": "%m-%d-%Y", "%m/%d/%Y": "%d/%m/%Y"}.get(pattern, pattern)


def _n_parsed(sample: pl.Series, pattern: str) -> int:
    import polars as pl

    kind = pl.Datetime("ns") if "%d" in pattern else pl.Time
    parsed = sample.str.strptime(kind, pattern, strict=False)
    return len(parsed) - parsed.null_count()


def _unnamed_stamps(columns: list[pl.Series], names: list[str], decimal: str) -> Stamps | None:
    """Find a first column that can only be time: ISO stamps, or, without a header, small even steps of a fraction."""
    if not columns:
        return None
    first = str((columns[0].drop_nulls().head(1).to_list() or [""])[0])
    if not is_number(first, decimal):
        found = _text_stamps(columns[:1], (0,))
        return found if found is not None and found.start is not None else None
    if any(names) or len(columns) < 2:
        return None
    found = _numeric_stamps(columns[0], "", "", decimal, 0)
    if found is None or found.notes or found.resolution_s >= _UNNAMED_STEP_S:
        return None
    found = replace(found, proof="even")
    return found if found.holds(steps_of(found.seconds)) else None
