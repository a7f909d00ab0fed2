"""Half-open spans of samples, and how they relate to seconds.

Everything that reads, filters or draws names its samples by a ``Span``: ``start`` is in, ``stop`` is not, and an empty
span has ``stop == start``. Seconds become samples in one way only, here (without gaps) and in ``timeline`` (with gaps).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

#: How far a time may miss a sample and still mean it, in samples: times are typed and stored as decimals.
SAMPLE_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Samples ``start`` to ``stop`` (half-open).

    Raises
    ------
    ValueError
        If ``stop`` is before ``start``.
    """

    start: int
    stop: int

    def __post_init__(self) -> None:
        if self.stop < self.start:
            raise ValueError(f"a span cannot stop at {self.stop}, before its start at {self.start}")

    def __len__(self) -> int:
        return self.stop - self.start

    def __contains__(self, sample: int) -> bool:
        return self.start <= sample < self.stop

    def clip(self, n_samples: int) -> Span:
        """Return what of this span lies in a recording of ``n_samples`` (maybe an empty span at its edge)."""
        return self.intersect(Span(0, n_samples))

    def intersect(self, other: Span) -> Span:
        """Return what both spans share; empty, at the nearest edge of ``other``, where they share nothing."""
        start = min(max(self.start, other.start), other.stop)
        return Span(start, max(start, min(self.stop, other.stop)))

    def pad(self, left: int, right: int | None = None) -> Span:
        """Return the span with ``left`` samples more before it and ``right`` (default: as many) after it."""
        return Span(self.start - left, self.stop + (left if right is None else right))

    def align(self, step: int) -> Span:
        """Return the smallest span around this one whose edges are multiples of ``step`` (absolute, not relative)."""
        return Span(self.start // step * step, -(-self.stop // step) * step)

    def shift(self, n_samples: int) -> Span:
        """Return the span moved to the right by ``n_samples``."""
        return Span(self.start + n_samples, self.stop + n_samples)

    def blocks(self, n_samples: int) -> Iterator[Span]:
        """Yield the span in order as pieces of ``n_samples``; the last may be shorter."""
        if n_samples < 1:
            raise ValueError(f"a block needs at least 1 sample, not {n_samples}")
        for start in range(self.start, self.stop, n_samples):
            yield Span(start, min(start + n_samples, self.stop))

    def seconds(self, rate_hz: float) -> tuple[float, float]:
        """Return the time of the first sample, and of the first sample after the span, in seconds."""
        return self.start / rate_hz, self.stop / rate_hz


def first_sample_from(second: float, rate_hz: float) -> int:
    """Return the first sample that is not before ``second``, within ``SAMPLE_TOLERANCE``."""
    return math.ceil(second * rate_hz - SAMPLE_TOLERANCE)


def span_of_seconds(start_s: float, stop_s: float, rate_hz: float) -> Span:
    """Return the samples whose times lie in ``start_s`` to ``stop_s`` (half-open), without gaps.

    Examples
    --------
    >>> span_of_seconds(0.1, 0.3, 100.0)
    Span(start=10, stop=30)
    """
    start = first_sample_from(start_s, rate_hz)
    return Span(start, max(start, first_sample_from(stop_s, rate_hz)))
