"""An envelope of a whole recording at several coarsenesses, filled block by block.

The finest level has bins of ``base_samples`` (a power of two, chosen so that the whole pyramid stays within a fixed
number of bytes however long the recording is); each further level joins four bins. Blocks may arrive in any order as
long as their borders are whole bins; what has not arrived is NaN and counted in ``share``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import numpy as np
import numpy.typing as npt

from jaxscope.display.envelope import merge, min_max

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
FACTOR = 4
DEFAULT_BYTES = 32 << 20


def base_for(n_channels: int, n_samples: int, *, max_bytes: int = DEFAULT_BYTES, least: int = 16) -> int:
    """Return the finest bin (a power of two) whose pyramid fits into ``max_bytes``."""
    base = least
    # two float64 per bin, and a third more for the coarser levels
    while n_channels * (n_samples // base + 1) * 16 * 4 // 3 > max_bytes:
        base *= 2
    return base


class Pyramid:
    """The envelope of channels of one rate.

    Parameters
    ----------
    n_channels, n_samples : int
        Size of what will be added.
    max_bytes : int
        Upper bound of the memory of all levels.
    """

    def __init__(self, n_channels: int, n_samples: int, *, max_bytes: int = DEFAULT_BYTES) -> None:
        self._make(n_channels, n_samples, base_for(n_channels, n_samples, max_bytes=max_bytes))

    @classmethod
    def restored(cls, n_samples: int, base_samples: int, low: FloatArray, high: FloatArray) -> Self:
        """Return a complete pyramid from its finest level; see ``finest``.

        Raises
        ------
        ValueError
            If the level does not fit the samples.
        """
        count = -(-n_samples // base_samples) if base_samples > 0 else 0
        if low.ndim != 2 or low.shape != high.shape or low.shape[1] != max(1, count) or low.dtype.kind != "f":
            raise ValueError(f"a level of {low.shape} is not of {n_samples} samples in bins of {base_samples}")
        made = cls.__new__(cls)
        made._make(low.shape[0], n_samples, base_samples)
        made._low[0][:], made._high[0][:] = low, high
        made._known[:] = True
        made._lift(0, max(1, count))
        return made

    def finest(self) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest values of the finest bins, shape (n_channels, n_bins)."""
        return self._low[0], self._high[0]

    @property
    def n_channels(self) -> int:
        """Number of channels."""
        return len(self._low[0])

    def _make(self, n_channels: int, n_samples: int, base_samples: int) -> None:
        self.n_samples, self.base_samples = n_samples, base_samples
        self._low: list[FloatArray] = []
        self._high: list[FloatArray] = []
        size = max(1, -(-n_samples // self.base_samples))
        self._known = np.zeros(size, dtype=bool)
        while True:
            self._low.append(np.full((n_channels, size), np.nan))
            self._high.append(np.full((n_channels, size), np.nan))
            if size <= FACTOR:
                break
            size = -(-size // FACTOR)

    @property
    def share(self) -> float:
        """How much of the recording has been added, 0 to 1."""
        return float(self._known.mean()) if self.n_samples else 1.0

    @property
    def nbytes(self) -> int:
        """Memory of all levels in bytes."""
        return sum(level.nbytes for level in (*self._low, *self._high))

    def clear(self) -> None:
        """Forget everything that was added."""
        self._known[:] = False
        for level in (*self._low, *self._high):
            level[:] = np.nan

    def add(self, first_sample: int, x: npt.NDArray[np.floating]) -> None:
        """Add a block, shape (n_channels, n_samples).

        Parameters
        ----------
        first_sample : int
            Number of its first sample, a multiple of ``base_samples``. The block ends at a multiple, or at the end of
            the recording.

        Raises
        ------
        ValueError
            If the block does not begin and end at bin borders.
        """
        stop = first_sample + x.shape[1]
        if first_sample % self.base_samples or (stop % self.base_samples and stop != self.n_samples):
            raise ValueError(f"a block from {first_sample} to {stop} does not keep to bins of {self.base_samples}")
        if x.shape[1] == 0:
            return
        low, high = min_max(x, first_sample=first_sample, bin_samples=self.base_samples)
        first = first_sample // self.base_samples
        self._known[first : first + low.shape[1]] = True
        self._low[0][:, first : first + low.shape[1]] = low
        self._high[0][:, first : first + low.shape[1]] = high
        self._lift(first, first + low.shape[1])

    def _lift(self, first: int, stop: int) -> None:
        """Bring bins ``first`` to ``stop`` of the finest level up through the others."""
        for level in range(1, len(self._low)):
            first, stop = first // FACTOR, -(-stop // FACTOR)
            below = slice(first * FACTOR, stop * FACTOR)
            low, high = merge(self._low[level - 1][:, below], self._high[level - 1][:, below], first=0, factor=FACTOR)
            self._low[level][:, first:stop] = low
            self._high[level][:, first:stop] = high

    def overview(self, edges: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the envelope between sample numbers ``edges``, shape (n_channels, len(edges) - 1) each.

        Bins of the pyramid that straddle an edge belong to the side that holds their first sample, so nothing is left
        out; taken from the coarsest level that is at least twice as fine as the narrowest interval.
        """
        width = int(np.diff(edges).min()) if len(edges) > 1 else 1
        level = 0
        while level + 1 < len(self._low) and self.base_samples * FACTOR ** (level + 1) * 2 <= width:
            level += 1
        size = self.base_samples * FACTOR**level
        count = self._low[level].shape[1]
        starts = np.clip(-(-edges[:-1] // size), 0, count - 1)
        stops = np.clip(-(-edges[1:] // size), 1, count)
        return _reduce(self._low[level], starts, stops, np.fmin), _reduce(self._high[level], starts, stops, np.fmax)


def overview_edges(n_samples: int, width_px: int) -> IntArray:
    """Return sample numbers that cut ``n_samples`` into at most ``width_px`` intervals, none empty."""
    count = max(1, min(width_px, n_samples))
    return np.linspace(0, n_samples, count + 1).round().astype(np.int64)


def spread_order(count: int) -> Iterator[int]:
    """Yield 0 to ``count - 1`` each once, first far apart and then filling up: coarse to fine."""
    stride = 1
    while stride * 2 <= count:
        stride *= 2
    yield from range(0, count, stride)
    while stride > 1:
        yield from range(stride // 2, count, stride)
        stride //= 2


def _reduce(values: FloatArray, starts: IntArray, stops: IntArray, how: np.ufunc) -> FloatArray:
    """Reduce columns ``starts[i]`` to ``stops[i]`` (at least one) for every i."""
    stops = np.maximum(stops, starts + 1)
    out = np.empty((values.shape[0], starts.size))
    if np.array_equal(stops[:-1], starts[1:]) and (np.diff(starts) > 0).all():
        reduced: FloatArray = how.reduceat(values[:, : stops[-1]], starts, axis=1)
        return reduced
    for index, (start, stop) in enumerate(zip(starts, stops, strict=True)):
        out[:, index] = how.reduce(values[:, start:stop], axis=1)
    return out
