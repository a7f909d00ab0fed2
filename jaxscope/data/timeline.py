"""The relation of stored samples to seconds, across gaps.

A gap takes time but no samples. ``Timeline`` cuts the stored samples of any rate into continuous segments, and
translates both ways. Without gaps it is ``sample / rate``.
"""

from __future__ import annotations

from dataclasses import dataclass

from jaxscope.data.annotations import Gap


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Continuous stored samples ``first_sample`` to ``stop_sample`` (half-open) that begin at ``start_s``."""

    first_sample: int
    stop_sample: int
    start_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Seconds to samples and back, for any rate; gaps are in order and do not overlap."""

    gaps: tuple[Gap, ...] = ()

    def segments(self, rate_hz: float, n_samples: int) -> tuple[Segment, ...]:
        """Return the continuous segments of a channel of this rate and length, in order, none empty."""
        edges = [0]
        starts = [0.0]
        missing_s = 0.0
        for gap in self.gaps:
            edges.append(min(n_samples, max(edges[-1], round((gap.start_s - missing_s) * rate_hz))))
            starts.append(gap.stop_s)
            missing_s += gap.stop_s - gap.start_s
        edges.append(n_samples)
        return tuple(
            Segment(first_sample=first, stop_sample=stop, start_s=start_s)
            for first, stop, start_s in zip(edges[:-1], edges[1:], starts, strict=True)
            if stop > first
        )

    def second_of(self, sample: int, rate_hz: float) -> float:
        """Return the time of a stored sample; the inverse of ``sample_at`` on stored samples."""
        missing_s = 0.0
        for gap in self.gaps:
            if sample < round((gap.start_s - missing_s) * rate_hz):
                break
            missing_s += gap.stop_s - gap.start_s
        return sample / rate_hz + missing_s

    def sample_at(self, second: float, rate_hz: float) -> int:
        """Return the first stored sample that is not before ``second`` (within a thousandth of a sample)."""
        missing_s = 0.0
        for gap in self.gaps:
            if second < gap.start_s:
                break
            if second < gap.stop_s:
                second = gap.stop_s
            missing_s += gap.stop_s - gap.start_s
        position = (second - missing_s) * rate_hz
        return -int(-(position - 1e-3) // 1)
