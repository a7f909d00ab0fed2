"""The envelope of traces, in the parts in which it was made.

Tiles and segments each bring a part, and to join the parts of a few hundred channels takes longer than to draw them.
So the painter takes them as they are, and they are joined when somebody asks for all values of a channel.

Invariant: the arrays are never changed; parts that were joined are replaced in one step, so any thread may read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


class Envelope:
    """Lowest and highest value per bin, shapes (n_channels, n_points); NaN is a break.

    Where a bin is one sample both are the same array, and ``is_exact``.
    """

    __slots__ = ("_high", "_low", "is_exact")

    def __init__(self, *, low: FloatArray, high: FloatArray) -> None:
        self._low: tuple[FloatArray, ...] = (low,)
        self._high: tuple[FloatArray, ...] = (high,)
        self.is_exact = high is low

    @classmethod
    def of_parts(cls, low: Sequence[FloatArray], high: Sequence[FloatArray] | None) -> Envelope:
        """Return the envelope of parts that follow one another, at least one; no ``high`` where it is the same."""
        made = cls(low=low[0], high=low[0] if high is None else high[0])
        made._low = tuple(low)
        made._high = made._low if high is None else tuple(high)
        return made

    @property
    def low(self) -> FloatArray:
        """The lowest values."""
        if len(self._low) > 1:
            self._low = (np.concatenate(self._low, axis=1),)
        return self._low[0]

    @property
    def high(self) -> FloatArray:
        """The highest values."""
        if self.is_exact:
            return self.low
        if len(self._high) > 1:
            self._high = (np.concatenate(self._high, axis=1),)
        return self._high[0]

    @property
    def n_channels(self) -> int:
        """Channels."""
        return len(self._low[0])

    @property
    def n_points(self) -> int:
        """Points of a channel."""
        return sum(part.shape[1] for part in self._low)

    def row(self, place: int) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and the highest values of one channel, shape (n_points,)."""
        low, high = self._low, self._low if self.is_exact else self._high
        return np.concatenate([part[place] for part in low]), np.concatenate([part[place] for part in high])

    def at(self, place: int, point: int) -> tuple[float, float]:
        """Return the lowest and the highest value of one channel in one bin."""
        bins = slice(point, point + 1)
        low, high = next(self.lows(bins)), next(self.highs(bins))
        return float(low[place, 0]), float(high[place, 0])

    def lows(self, bins: slice) -> Iterator[FloatArray]:
        """Yield the lowest values of some points, in parts."""
        return _cut(self._low, bins)

    def highs(self, bins: slice) -> Iterator[FloatArray]:
        """Yield the highest values of some points, in parts."""
        return _cut(self._low if self.is_exact else self._high, bins)

    def every(self, step: int) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and the highest values of every ``step``-th point."""
        low = _thinned(self._low, step)
        return low, low if self.is_exact else _thinned(self._high, step)


def _cut(parts: tuple[FloatArray, ...], bins: slice) -> Iterator[FloatArray]:
    at = 0
    for part in parts:
        first, stop = max(0, bins.start - at), min(part.shape[1], bins.stop - at)
        if stop > first:
            yield part[:, first:stop]
        at += part.shape[1]


def _thinned(parts: tuple[FloatArray, ...], step: int) -> FloatArray:
    at, found = 0, []
    for part in parts:
        found.append(part[:, -at % step :: step])
        at += part.shape[1]
    return found[0] if len(found) == 1 else np.concatenate(found, axis=1)
