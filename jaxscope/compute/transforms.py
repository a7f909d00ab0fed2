"""Transforms of the parts of a signal, and those of Before, which stay the same while a filter is tuned."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.floating]
Transforms = npt.NDArray[np.complexfloating]
Found = npt.NDArray[np.bool_]
#: Samples of which transforms are kept at most: those of a window that is tuned.
MOST_KEPT = 1 << 20


def transforms(x: Samples, length: int) -> tuple[Transforms, Found]:
    """Return the transforms of the parts of ``x`` that hold no missing sample, and which parts those are.

    Parameters
    ----------
    x : ndarray, shape (n_channels, n_samples)
    length : int
        Samples of a part.

    Returns
    -------
    transforms : ndarray of complex, shape (n_found, length // 2 + 1)
    found : ndarray of bool, shape (n_parts,)
    """
    if x.shape[1] < length:
        return np.zeros((0, length // 2 + 1), complex), np.zeros(0, bool)
    parts = np.lib.stride_tricks.sliding_window_view(x, length, axis=1)[:, :: length // 2]
    parts = parts.reshape(-1, length)
    found: Found = np.asarray(np.isfinite(parts).all(axis=1))
    parts = parts if found.all() else parts[found]
    window = np.hanning(length + 1)[:-1]
    return np.fft.rfft((parts - parts.mean(axis=1, keepdims=True, dtype=np.float64)) * window, axis=1), found


class KeptTransforms:
    """The transforms that were made last, for samples that are the same again."""

    def __init__(self) -> None:
        self._length = 0
        self._samples: list[Samples] = []
        self._made: list[tuple[Transforms, Found]] = []

    def of(self, samples: Sequence[Samples], length: int) -> list[tuple[Transforms, Found]]:
        """Return what ``transforms`` gives for each of some signals."""
        if length != self._length or not self._holds(samples):
            self._length, self._samples, self._made = length, [], []
            made = [transforms(x, length) for x in samples]
            if sum(x.size for x in samples) > MOST_KEPT:
                return made
            self._samples, self._made = list(samples), made
        return self._made

    def _holds(self, samples: Sequence[Samples]) -> bool:
        return len(samples) == len(self._samples) and all(
            np.array_equal(one, other, equal_nan=True) for one, other in zip(samples, self._samples, strict=True)
        )
