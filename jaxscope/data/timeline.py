"""The relation of stored samples to seconds, across gaps.

A gap takes time but no samples. ``Timeline`` cuts the stored samples of any rate into continuous segments and
translates both ways. The invariant, for every rate, also where a gap does not begin on a sample: the first segment
begins at 0 s, each later one exactly where its gap stops, and no stored sample has a time inside a gap.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from jaxscope.data.annotations import Gap
from jaxscope.data.span import Span, first_sample_from


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Continuous stored samples ``first_sample`` to ``stop_sample`` (half-open) that begin at ``start_s``."""

    first_sample: int
    stop_sample: int
    start_s: float

    @property
    def span(self) -> Span:
        """The samples of the segment."""
        return Span(self.first_sample, self.stop_sample)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Seconds to samples and back, for any rate; gaps are in order and do not overlap.

    Examples
    --------
    >>> timeline = Timeline(gaps=(Gap(start_s=100.0, stop_s=150.0),))
    >>> timeline.second_of(12800, 128.0), timeline.sample_at(120.0, 128.0)
    (150.0, 12800)
    """

    gaps: tuple[Gap, ...] = ()
    #: Rate to the first samples and the times of its segments: some recordings have a gap after every record.
    _starts: dict[float, tuple[list[int], list[float]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def segments(self, rate_hz: float, n_samples: int) -> tuple[Segment, ...]:
        """Return the continuous segments of a channel of this rate and length, in order, none empty."""
        firsts, starts_s = self._starts_at(rate_hz)
        stops = [min(stop, n_samples) for stop in (*firsts[1:], n_samples)]
        return tuple(
            Segment(first_sample=first, stop_sample=stop, start_s=start_s)
            for first, stop, start_s in zip(firsts, stops, starts_s, strict=True)
            if stop > first
        )

    def second_of(self, sample: int, rate_hz: float) -> float:
        """Return the time of a stored sample; ``sample_at`` is its inverse."""
        firsts, starts_s = self._starts_at(rate_hz)
        segment = max(bisect_right(firsts, sample) - 1, 0)
        return starts_s[segment] + (sample - firsts[segment]) / rate_hz

    def seconds_of(self, samples: npt.ArrayLike, rate_hz: float) -> npt.NDArray[np.float64]:
        """Return the times of many stored samples.

        Parameters
        ----------
        samples : array_like of int, any shape
        rate_hz : float

        Returns
        -------
        ndarray of float64, of the same shape
        """
        numbers = np.asarray(samples, dtype=np.int64)
        known = self._starts_at(rate_hz)
        firsts, seconds = np.array(known[0], dtype=np.int64), np.array(known[1], dtype=np.float64)
        segment = np.maximum(np.searchsorted(firsts, numbers, side="right") - 1, 0)
        times: npt.NDArray[np.float64] = seconds[segment] + (numbers - firsts[segment]) / rate_hz
        return times

    def sample_at(self, second: float, rate_hz: float) -> int:
        """Return the first stored sample that is not before ``second`` (within a thousandth of a sample).

        A time inside a gap gives the first sample after it. Times before 0 s give negative numbers and times after
        the end go on counting: the timeline does not know how many samples there are.
        """
        firsts, starts_s = self._starts_at(rate_hz)
        segment = max(bisect_right(starts_s, second) - 1, 0)
        sample = firsts[segment] + first_sample_from(second - starts_s[segment], rate_hz)
        # In the last sample period before a gap, and in the gap, the next stored sample is the one after it.
        return min(sample, firsts[segment + 1]) if segment + 1 < len(firsts) else sample

    def span_between(self, start_s: float, stop_s: float, rate_hz: float) -> Span:
        """Return the stored samples whose times lie in ``start_s`` to ``stop_s`` (half-open)."""
        start = self.sample_at(start_s, rate_hz)
        return Span(start, max(start, self.sample_at(stop_s, rate_hz)))

    def stop_s(self, rate_hz: float, n_samples: int) -> float:
        """Return the time at which the last of ``n_samples`` ends, one sample period after it began."""
        return self.second_of(n_samples - 1, rate_hz) + 1.0 / rate_hz if n_samples else 0.0

    def _starts_at(self, rate_hz: float) -> tuple[list[int], list[float]]:
        """Return the first sample and the time of each segment, also of empty ones, in order."""
        if rate_hz not in self._starts:
            firsts, starts_s = [0], [0.0]
            for gap in self.gaps:
                firsts.append(firsts[-1] + max(0, first_sample_from(gap.start_s - starts_s[-1], rate_hz)))
                starts_s.append(gap.stop_s)
            self._starts[rate_hz] = (firsts, starts_s)
        return self._starts[rate_hz]
