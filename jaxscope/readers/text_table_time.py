"""Time columns of tables: which they are, what their numbers or stamps mean, and the rate that follows.

A time column may hold seconds, milliseconds, an epoch in any unit down to nanoseconds, ISO stamps, or a date and a
clock time in two columns. Whole numbers stay whole until the first is subtracted, because nanoseconds since 1970 do
not fit a float. Uneven stamps give the mean rate, and a sentence that says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jaxscope.data.annotations import Gap
from jaxscope.readers.text_table_layout import is_number, is_stamp, row_list

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
_JITTER = 0.01
#: Steps that may be gaps, for times to be even otherwise.
MOST_JUMPS = 0.02
#: Seconds since 1970 that are still a date: the year 9000.
_LATEST_S = 2.2e11


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamps:
    """Times of all rows. ``seconds`` counts from the first row and is NaN where a stamp cannot be read.

    ``resolution_s`` is the smallest step that the file can write. ``columns`` are those that held the stamps.
    """

    seconds: npt.NDArray[np.float64]
    start: datetime | None
    resolution_s: float
    columns: tuple[int, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The rate that the stamps give, None where they give none, and gaps in them."""

    rate_hz: float | None
    gaps: tuple[Gap, ...] = ()
    warnings: tuple[str, ...] = ()


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
        return _numeric_stamps(columns[chosen], name, unit, decimal, chosen) or _text_stamps(columns[chosen], (chosen,))
    pair = _date_and_clock(columns, names)
    if pair is not None:
        day, clock = pair
        joined = columns[day].str.strip_chars() + " " + columns[clock].str.strip_chars()
        return _text_stamps(joined, (day, clock))
    for index, name in enumerate(names):
        if _scale_of_name(name, units[index]) is None:
            continue
        found = _numeric_stamps(columns[index], name, units[index], decimal, index) or _text_stamps(
            columns[index], (index,)
        )
        if found is not None and _runs_forward(found.seconds):
            return found
    return _unnamed_stamps(columns, names, decimal)


def find_timing(stamps: Stamps) -> Timing:
    """Find the rate and the gaps, and what the user must know about uneven stamps."""
    known = np.flatnonzero(np.isfinite(stamps.seconds))
    seconds = stamps.seconds[known]
    if len(seconds) < 2 or np.ptp(seconds) == 0:
        return Timing(rate_hz=None, warnings=("The time column does not advance: no rate follows from it",))
    unread = len(stamps.seconds) - len(known)
    warnings = [f"{unread:,} times cannot be read"] if unread else []
    steps = np.diff(seconds)
    usual = float(np.median(steps[steps > 0]))
    even = (np.abs(steps - usual) <= allowed_s(usual, stamps.resolution_s)) & (steps > 0)
    jumps = np.flatnonzero(~even & (steps > 1.5 * usual))
    is_even = bool(even.all()) or (len(jumps) == np.count_nonzero(~even) and len(jumps) <= MOST_JUMPS * len(steps))
    if is_even and not unread:
        span = float(steps[even].sum())
        rate = tidy_rate(int(np.count_nonzero(even)) / span, stamps.resolution_s / span)
        gaps = tuple(Gap(start_s=float(seconds[k]) + 1 / rate, stop_s=float(seconds[k + 1])) for k in jumps)
        return Timing(rate_hz=rate, gaps=gaps, warnings=tuple(warnings))
    span = float(np.ptp(seconds))
    rate = tidy_rate((len(seconds) - 1) / span, stamps.resolution_s / span)
    return Timing(rate_hz=rate, warnings=(*warnings, *_uneven_words(steps, known, even, rate)))


def allowed_s(usual_s: float, resolution_s: float) -> float:
    """Return how far a step may be off the usual one and be even."""
    return max(min(1.01 * resolution_s, 0.6 * usual_s), _JITTER * usual_s) + 1e-9 * usual_s


def _uneven_words(
    steps: npt.NDArray[np.float64], known: npt.NDArray[np.intp], even: npt.NDArray[np.bool_], rate_hz: float
) -> list[str]:
    back = [int(known[k + 1]) + 1 for k in np.flatnonzero(steps < 0)]
    same = [int(known[k + 1]) + 1 for k in np.flatnonzero(steps == 0)]
    words = []
    if back:
        places = [f"{row - 1}/{row}" for row in back[:5]] + [f"{len(back) - 5:,} more"] * (len(back) > 5)
        words.append(f"time goes back at rows {', '.join(places)}")
    if same:
        words.append(f"{len(same):,} {'times repeat' if len(same) > 1 else 'time repeats'} (row {row_list(same)})")
    if not back and not same:
        words.append(f"steps are between {steps.min():.4g} s and {steps.max():.4g} s")
    n_uneven = np.count_nonzero(~even)
    return [
        f"Times are uneven at {n_uneven:,} of {len(steps):,} steps: {'; '.join(words)}. "
        f"Rows are kept in file order, at the mean rate of {rate_hz:.6g} Hz"
    ]


def tidy_rate(rate_hz: float, uncertainty: float) -> float:
    """Return the roundest rate that the stamps allow: a whole number, a whole period, or few digits."""
    allowed = rate_hz * max(uncertainty, 1e-9)
    for digits in range(4):
        if abs(round(rate_hz, digits) - rate_hz) <= allowed and round(rate_hz, digits) > 0:
            return round(rate_hz, digits)
        period = round(1 / rate_hz)
        if digits == 0 and period and abs(1 / period - rate_hz) <= allowed:
            return 1 / period
    return rate_hz


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


def _numeric_stamps(column: pl.Series, name: str, unit: str, decimal: str, index: int) -> Stamps | None:
    import polars as pl

    text = column.str.strip_chars()
    if decimal == ",":
        text = text.str.replace(",", ".", literal=True)
    floats = text.cast(pl.Float64, strict=False)
    if len(floats) == 0 or floats.null_count() > 0.1 * len(floats) + 0.5:
        return None
    whole = text.cast(pl.Int64, strict=False)
    first_index = int(floats.is_not_null().arg_max() or 0)
    first = float(floats[first_index])
    if not np.isfinite(first):
        return None
    if whole.null_count() == 0:
        values = (whole - whole[first_index]).to_numpy().astype(np.float64)
    else:
        values = floats.fill_null(float("nan")).to_numpy() - first
    scale, notes = _scale(first, values, _scale_of_name(name, unit) or 0.0, name)
    start = None
    if 1e9 <= abs(first * scale) < _LATEST_S:
        # Whole numbers of microseconds, so that the nanoseconds of a stamp are not rounded twice.
        micro = (
            int(whole[first_index]) * round(scale * 1e9) // 1000
            if whole.null_count() == 0
            else round(first * scale * 1e6)
        )
        start = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=micro)
    resolution = scale * 10.0 ** -_n_digits(text, r"\.(\d+)")
    return Stamps(seconds=values * scale, start=start, resolution_s=resolution, columns=(index,), notes=tuple(notes))


def _scale(first: float, values: npt.NDArray[np.float64], named: float, name: str) -> tuple[float, list[str]]:
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


def _text_stamps(column: pl.Series, indices: tuple[int, ...]) -> Stamps | None:
    import polars as pl

    has_zone = str(column.drop_nulls().head(1).to_list()[:1]).rstrip("']").upper().endswith("Z")
    text = column.str.strip_chars().str.replace(r"[zZ]$", "").str.replace("T", " ", literal=True)
    text = text.str.replace(r",(\d+)$", ".${1}")
    sample = text.drop_nulls().head(2000)
    if len(sample) == 0 or not is_stamp(str(sample[0])):
        return None
    formats = [f"{day} {clock}" for day in _DAYS for clock in _CLOCKS] + [f"{day} {_CLOCKS[0]}%z" for day in _DAYS[:2]]
    scores = {pattern: _n_parsed(sample, pattern) for pattern in formats}
    best = max(scores, key=lambda pattern: scores[pattern])
    start: datetime | None = None
    if scores[best] >= 0.9 * len(sample):
        parsed = text.str.strptime(pl.Datetime("ns"), best, strict=False).cast(pl.Int64)
        first = int(parsed.drop_nulls()[0])
        zone = UTC if has_zone or "%z" in best else None
        start = datetime(1970, 1, 1, tzinfo=zone) + timedelta(microseconds=first // 1000)
    else:
        best = max(_CLOCKS, key=lambda pattern: _n_parsed(sample, pattern))
        if _n_parsed(sample, best) < 0.9 * len(sample):
            return None
        parsed = text.str.strptime(pl.Time, best, strict=False).cast(pl.Int64)
        first = int(parsed.drop_nulls()[0])
    relative = parsed - first
    seconds = relative.cast(pl.Float64).fill_null(float("nan")).to_numpy() * 1e-9
    if start is None:
        seconds = _past_midnight(seconds)
    notes = []
    pattern = best.split(" ")[0]
    if (
        pattern in _AMBIGUOUS
        and not re.search(r"(?:^|\D)(?:1[3-9]|2\d|3[01])[-/.]", "\n".join(sample.to_list()))
        and (scores.get(best.replace(pattern, _other_way(pattern)), 0) == scores[best])
    ):
        notes.append(f"Dates are read {_AMBIGUOUS[pattern]}")
    resolution = 10.0 ** -_n_digits(text, r"\.(\d+)$")
    return Stamps(seconds=seconds, start=start, resolution_s=resolution, columns=indices, notes=tuple(notes))


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


def _past_midnight(seconds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Add a day after each step back of more than half a day: clock times that pass midnight."""
    steps = np.nan_to_num(np.diff(seconds, prepend=seconds[:1]))
    return seconds + 86400.0 * np.cumsum(steps < -43200.0)


def _unnamed_stamps(columns: list[pl.Series], names: list[str], decimal: str) -> Stamps | None:
    """Find a first column that can only be time: ISO stamps, or, without a header, small even steps of a fraction."""
    if not columns:
        return None
    first = str((columns[0].drop_nulls().head(1).to_list() or [""])[0])
    if not is_number(first, decimal):
        found = _text_stamps(columns[0], (0,))
        return found if found is not None and found.start is not None else None
    if any(names) or len(columns) < 2:
        return None
    found = _numeric_stamps(columns[0], "", "", decimal, 0)
    if found is None:
        return None
    steps = np.diff(found.seconds)
    is_time = len(steps) > 4 and steps.min() > 0 and np.ptp(steps) <= 2.01 * found.resolution_s and steps.max() < 1
    return found if is_time and found.resolution_s < 1 and not found.notes else None


def _runs_forward(seconds: npt.NDArray[np.float64]) -> bool:
    steps = np.diff(seconds[np.isfinite(seconds)])
    return bool(len(steps)) and float(np.mean(steps >= 0)) >= 0.9 and float(steps.sum()) > 0
