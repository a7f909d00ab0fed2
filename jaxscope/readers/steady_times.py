"""Times of a table that come piece by piece: while they are even, their first and last and their jumps tell it all.

A column of a hundred million times takes a gigabyte, and several to judge; nearly every such column goes on by the same
step. Invariant: what comes out is what ``find_timing`` finds in all of them; where steps are uneven, or times are
missing, they are gone through again, a piece at a time.
"""

from __future__ import annotations

import numpy as np

from jaxscope.data.annotations import Gap
from jaxscope.data.recording import FloatArray
from jaxscope.readers.time_steps import (
    MOST_JUMPS,
    StepsSeen,
    TimePieces,
    Timing,
    allowed_s,
    find_timing,
    tidy_rate,
)

#: Jumps that are kept whatever their share may become.
_MANY_JUMPS = 1 << 16


class SteadyTimes:
    """Takes times in order.

    Parameters
    ----------
    resolution_s : float
        The smallest step that the file can write.
    """

    def __init__(self, resolution_s: float) -> None:
        self._resolution_s = resolution_s
        self.is_steady = True
        self._usual = 0.0
        self._last = float("nan")
        self._n_steps = self._n_even = 0
        self._span_s = 0.0
        #: last second before, and first second after each
        self._jumps: list[tuple[float, float]] = []

    def add(self, seconds: FloatArray) -> None:
        """Take in the next times."""
        if not self.is_steady or not len(seconds):
            return
        joined = seconds if np.isnan(self._last) else np.concatenate([[self._last], seconds])
        steps = np.diff(joined)
        self.is_steady = bool(np.isfinite(seconds).all()) and bool((steps > 0).all())
        if not self.is_steady:
            return
        self._usual = self._usual or (float(np.median(steps)) if len(steps) else 0.0)
        even = np.abs(steps - self._usual) <= allowed_s(self._usual, self._resolution_s)
        jumps = np.flatnonzero(~even)
        self.is_steady = bool((steps[jumps] > 1.5 * self._usual).all())
        self._jumps += [(float(joined[k]), float(joined[k + 1])) for k in jumps]
        self.is_steady &= len(self._jumps) <= max(_MANY_JUMPS, MOST_JUMPS * (self._n_steps + len(steps)))
        self._n_steps += len(steps)
        self._n_even += int(np.count_nonzero(even))
        self._span_s += float(steps[even].sum())
        self._last = float(seconds[-1])

    def timing(self) -> Timing | None:
        """Return the rate and the gaps; None where the times are not even, or are too few."""
        if not self.is_steady or not self._n_even or len(self._jumps) > MOST_JUMPS * self._n_steps:
            return None
        rate_hz = tidy_rate(self._n_even / self._span_s, self._resolution_s / self._span_s)
        gaps = tuple(Gap(start_s=before + 1 / rate_hz, stop_s=after) for before, after in self._jumps)
        return Timing(rate_hz=rate_hz, gaps=gaps)


class TimeJudge:
    """Looks at times while they come, and once more only where they are uneven.

    Parameters
    ----------
    resolution_s : float
        The smallest step that the file can write.
    """

    def __init__(self, resolution_s: float) -> None:
        self._resolution_s = resolution_s
        self._steady = SteadyTimes(resolution_s)
        self.seen = StepsSeen()

    def add(self, seconds: FloatArray) -> None:
        """Take in the next times, NaN where there is none."""
        self._steady.add(seconds)
        self.seen.add(seconds)

    def timing(self, pieces: TimePieces) -> Timing:
        """Return the rate and the gaps of what was taken in; ``pieces`` gives it again."""
        return self._steady.timing() or find_timing(self.seen, pieces, self._resolution_s)
