"""How much of a channel is lost in whole numbers, measured while it is written.

A few large samples, such as an artefact or a drift that was not filtered, make the steps of 16 bits coarse for
everything between them. So the rounding is held against the spread that short stretches of the channel usually have,
and where it is not small beside it, the 24 bits of BDF are named.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import numpy.typing as npt

from jaxscope.data.recording import Channel
from jaxscope.writers.edf_numbers import PhysicalRange

#: Rounding above this part of the spread is told: 60 dB below the signal.
_TOLD = 1e-3
#: Samples of a stretch.
_STRETCH = 256
#: What 24 bits have more of than 16.
_FINER = 256


class Spread:
    """Sums over the samples of a channel and over what they are rounded by, both in steps."""

    def __init__(self) -> None:
        self._count = 0
        self._lost = 0.0
        #: The middle one of the variances of the stretches of each block.
        self._variances: list[float] = []

    def add(self, exact: npt.NDArray[np.float64], digital: npt.NDArray[np.float64]) -> None:
        """Take in samples before and after rounding; what is missing or infinite is left out."""
        known = np.isfinite(exact)
        if not known.all():
            exact, digital = exact[known], digital[known]
        if not len(exact):
            return
        self._count += len(exact)
        self._lost += float(((exact - digital) ** 2).sum())
        n_whole = len(exact) // _STRETCH * _STRETCH
        stretches = exact[:n_whole].reshape(-1, _STRETCH) if n_whole else exact[np.newaxis]
        self._variances.append(float(np.median(stretches.var(axis=1))))

    def words(self, channel: Channel, limits: PhysicalRange, title: str, high: int) -> list[str]:
        """Return the sentence about a loss that is not small; none for 24 bits, of which there are no more."""
        if not self._count or high > 1 << 16:
            return []
        lost = sqrt(self._lost / self._count)
        spread = sqrt(float(np.median(self._variances)))
        if not lost or lost <= _TOLD * spread:
            return []
        step = (limits.high - limits.low) / (2 * high)
        unit = f" {channel.unit}".rstrip()
        part = f"{100 * lost / spread:.2g} % of its spread" if spread else "all of its spread"
        error = f"{lost * step:.2g}{unit} or {part}"
        return [
            f"{title} rounds {channel.name} to steps of {step:.2g}{unit}, an error of {error}: "
            f"BDF keeps it {_FINER} times finer"
        ]
