"""The steps between the times of a table: the rate and the gaps that they give, and what is said of uneven ones.

Times come piece by piece, and uneven ones are gone through as often as it takes, so that of a column of any length one
piece is in memory. Invariant: what comes out does not depend on where the pieces were cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from jaxscope.data.annotations import Gap
from jaxscope.readers.text_table_store import RowRuns

FloatArray = npt.NDArray[np.float64]
#: Begins anew, at the first piece, whenever it is called.
TimePieces = Callable[[], Iterable[FloatArray]]

_JITTER = 0.01
#: Steps that may be gaps, for times to be even otherwise.
MOST_JUMPS = 0.02
#: Rows at which time goes back that a sentence names.
_MOST_ROWS = 5
#: Bits of a number that are told apart in one pass of the search for the median.
_BITS = 16
NO_ADVANCE = "The time column does not advance: no rate follows from it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The rate that the stamps give, None where they give none, and gaps in them."""

    rate_hz: float | None
    gaps: tuple[Gap, ...] = ()
    warnings: tuple[str, ...] = ()


class _Stretches:
    """Joins pieces: known times, each time with the last one of the piece before."""

    def __init__(self) -> None:
        self.n_rows = 0
        self._row = np.empty(0, dtype=np.intp)
        self._second = np.empty(0)

    @property
    def last_row(self) -> int:
        """Row of the last known time, 0 before the first."""
        return int(self._row[0]) if len(self._row) else 0

    def of(self, seconds: FloatArray) -> tuple[npt.NDArray[np.intp], FloatArray]:
        """Return rows, which count from 1, and their times."""
        places = np.flatnonzero(np.isfinite(seconds))
        rows = np.concatenate([self._row, places + self.n_rows + 1])
        known = np.concatenate([self._second, seconds[places]])
        self.n_rows += len(seconds)
        self._row, self._second = rows[-1:], known[-1:]
        return rows, known


@dataclass(slots=True)
class StepsSeen:
    """What one pass over times tells: how many there are, between what they lie, and where they do not advance."""

    n_known: int = 0
    n_forward: int = 0
    n_positive: int = 0
    n_back: int = 0
    low_s: float = np.inf
    high_s: float = -np.inf
    least_s: float = np.inf
    most_s: float = -np.inf
    sum_s: float = 0.0
    back: list[int] = field(default_factory=list)
    same: RowRuns = field(default_factory=RowRuns)
    _first_row: int = 0
    _stretches: _Stretches = field(default_factory=_Stretches)

    def add(self, seconds: FloatArray) -> None:
        """Take in the next times, NaN where there is none."""
        rows, known = self._stretches.of(seconds)
        self.n_known += int(np.count_nonzero(np.isfinite(seconds)))
        if len(known):
            self._first_row = self._first_row or int(rows[0])
            self.low_s, self.high_s = min(self.low_s, float(known.min())), max(self.high_s, float(known.max()))
        steps = np.diff(known)
        if not len(steps):
            return
        self.least_s, self.most_s = min(self.least_s, float(steps.min())), max(self.most_s, float(steps.max()))
        self.sum_s += float(known[-1] - known[0])
        is_back = steps < 0
        n_back = int(np.count_nonzero(is_back))
        self.n_back += n_back
        self.n_forward += len(steps) - n_back
        self.n_positive += int(np.count_nonzero(steps > 0))
        self.back += rows[1:][is_back][: _MOST_ROWS - len(self.back)].tolist()
        self.same.add(rows[1:][steps == 0])

    @property
    def n_between(self) -> int:
        """Rows from the first known time to the last."""
        return self._stretches.last_row - self._first_row

    @property
    def n_rows(self) -> int:
        """How many times came, those among them that are none too."""
        return self._stretches.n_rows

    @property
    def n_steps(self) -> int:
        """From one known time to the next."""
        return max(self.n_known - 1, 0)

    @property
    def runs_forward(self) -> bool:
        """Whether nearly all times follow those before them; one by itself does."""
        if self.n_rows == self.n_known == 1:
            return True
        return self.n_steps > 0 and self.n_forward >= 0.9 * self.n_steps and self.sum_s > 0


@dataclass(slots=True)
class _Even:
    """The even steps, and the longer ones among them."""

    n_steps: int = 0
    sum_s: float = 0.0
    n_jumps: int = 0
    #: last second before each of them, and first second after it; empty where there are too many
    jumps: list[FloatArray] = field(default_factory=list)


def find_timing(seen: StepsSeen, pieces: TimePieces, resolution_s: float) -> Timing:
    """Find the rate and the gaps, and what the user must know about uneven times.

    Parameters
    ----------
    seen : StepsSeen
        What a pass over all of them told.
    pieces : callable
        Gives the times again, from the first on.
    resolution_s : float
        The smallest step that the file can write.
    """
    span_s = seen.high_s - seen.low_s
    if not seen.n_positive or not np.isfinite(span_s):
        return Timing(rate_hz=None, warnings=(NO_ADVANCE,))
    usual_s = median_step(pieces, seen.n_positive)
    most_jumps = int(MOST_JUMPS * seen.n_steps)
    even = _even_steps(pieces, usual_s, resolution_s, most=most_jumps)
    n_unread, n_uneven = seen.n_rows - seen.n_known, seen.n_steps - even.n_steps
    if not n_unread and n_uneven == even.n_jumps and even.n_jumps <= most_jumps:
        rate_hz = tidy_rate(even.n_steps / even.sum_s, resolution_s / even.sum_s)
        jumps = [pair for part in even.jumps for pair in part.tolist()]
        return Timing(rate_hz=rate_hz, gaps=tuple(Gap(start_s=last + 1 / rate_hz, stop_s=stop) for last, stop in jumps))
    # rows between whose time cannot be read count too
    rate_hz = tidy_rate(seen.n_between / span_s, resolution_s / span_s)
    warnings = [f"{n_unread:,} {'times' if n_unread > 1 else 'time'} cannot be read"] if n_unread else []
    return Timing(rate_hz=rate_hz, warnings=(*warnings, _uneven_words(seen, n_uneven, rate_hz)))


def median_step(pieces: TimePieces, n_positive: int) -> float:
    """Return the median of the steps forward, exactly, whatever room they would take.

    The bits of positive numbers are in the order of the numbers, so the two in the middle are found by counting, some
    leading bits after the other.
    """
    prefixes, ranks = [0, 0], [(n_positive - 1) // 2, n_positive // 2]
    for shift in range(64 - _BITS, -1, -_BITS):
        counts = np.zeros((2, 1 << _BITS), dtype=np.int64)
        for steps in _positive_steps(pieces):
            bits = steps.view(np.uint64)
            for which, prefix in enumerate(prefixes):
                own = bits if shift == 64 - _BITS else bits[bits >> np.uint64(shift + _BITS) == np.uint64(prefix)]
                digits = (own >> np.uint64(shift)) & np.uint64((1 << _BITS) - 1)
                counts[which] += np.bincount(digits.astype(np.int64), minlength=1 << _BITS)
        for which in range(2):
            below = np.cumsum(counts[which])
            digit = int(np.searchsorted(below, ranks[which], side="right"))
            ranks[which] -= int(below[digit - 1]) if digit else 0
            prefixes[which] = prefixes[which] << _BITS | digit
    return float(np.array(prefixes, dtype=np.uint64).view(np.float64).mean())


def _positive_steps(pieces: TimePieces) -> Iterator[FloatArray]:
    stretches = _Stretches()
    for piece in pieces():
        steps = np.diff(stretches.of(piece)[1])
        yield steps[steps > 0]


def _even_steps(pieces: TimePieces, usual_s: float, resolution_s: float, *, most: int) -> _Even:
    """Go through the steps; of longer ones no more than ``most`` are kept."""
    found, stretches, allowed = _Even(), _Stretches(), allowed_s(usual_s, resolution_s)
    for piece in pieces():
        known = stretches.of(piece)[1]
        steps = np.diff(known)
        even = (np.abs(steps - usual_s) <= allowed) & (steps > 0)
        found.n_steps += int(np.count_nonzero(even))
        found.sum_s += float(steps[even].sum())
        jumps = np.flatnonzero(~even & (steps > 1.5 * usual_s))
        found.n_jumps += len(jumps)
        found.jumps = (
            [*found.jumps, np.stack([known[jumps], known[jumps + 1]], axis=1)] if found.n_jumps <= most else []
        )
    return found


def allowed_s(usual_s: float, resolution_s: float) -> float:
    """Return how far a step may be off the usual one and be even."""
    return max(min(1.01 * resolution_s, 0.6 * usual_s), _JITTER * usual_s) + 1e-9 * usual_s


def _uneven_words(seen: StepsSeen, n_uneven: int, rate_hz: float) -> str:
    words = []
    if seen.n_back:
        more = [f"{seen.n_back - _MOST_ROWS:,} more"] * (seen.n_back > _MOST_ROWS)
        words.append(f"time goes back at rows {', '.join([*(f'{row - 1}/{row}' for row in seen.back), *more])}")
    if seen.same:
        n_same = seen.same.n_rows
        words.append(f"{n_same:,} {'times repeat' if n_same > 1 else 'time repeats'} (row {seen.same})")
    if not words:
        words.append(f"steps are between {seen.least_s:.4g} s and {seen.most_s:.4g} s")
    return (
        f"Times are uneven at {n_uneven:,} of {seen.n_steps:,} steps: {'; '.join(words)}. "
        f"Rows are kept in file order, at the mean rate of {rate_hz:.6g} Hz"
    )


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
