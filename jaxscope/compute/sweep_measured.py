"""How much of each measure of a sweep After has: of many channels at once, as the mean of their shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.session.sweep_measures import SweepMeasure

FloatArray = npt.NDArray[np.float64]


def measurable(measures: Sequence[SweepMeasure], n_samples: int, rate_hz: float) -> tuple[SweepMeasure, ...]:
    """Return the measures that can be worked out: a band needs a line of the spectrum at this rate and length."""
    frequencies_hz = np.fft.rfftfreq(n_samples, 1 / rate_hz)
    return tuple(item for item in measures if item.kind != "band" or _lines(item, frequencies_hz).any())


class Sizes:
    """The sizes of measures of signals of one length.

    Parameters
    ----------
    measures : sequence of SweepMeasure
    n_samples : int
    rate_hz : float
    """

    def __init__(self, measures: Sequence[SweepMeasure], n_samples: int, rate_hz: float) -> None:
        self._measures = tuple(measures)
        frequencies_hz = np.fft.rfftfreq(n_samples, 1 / rate_hz)
        self._lines = {item: _lines(item, frequencies_hz) for item in measures if item.kind == "band"}
        self._window = np.hanning(n_samples)

    def of(self, x: FloatArray) -> FloatArray:
        """Return the sizes (n_measures, n_channels) of signals (n_channels, n_samples); what is missing is left out.

        Bands are of the power under a Hann window about the mean, where a missing sample counts as the mean.
        """
        known = np.isfinite(x)
        count = np.maximum(known.sum(axis=1), 1)
        mean = np.where(known, x, 0.0).sum(axis=1) / count
        level = np.where(known, x - mean[:, np.newaxis], 0.0)
        power = np.abs(np.fft.rfft(level * self._window, axis=1)) ** 2 if self._lines else np.zeros((len(x), 0))
        found = np.zeros((len(self._measures), len(x)))
        for place, item in enumerate(self._measures):
            if item.kind == "band":
                found[place] = power[:, self._lines[item]].sum(axis=1)
            elif item.kind == "rms":
                found[place] = np.sqrt((level**2).sum(axis=1) / count)
            else:
                found[place] = level.max(axis=1) - level.min(axis=1)
        return found


def mean_share(after: FloatArray, before: FloatArray) -> FloatArray:
    """Return the mean share (n_measures,) of sizes (n_measures, n_channels), of the channels that had any.

    A measure that no channel had any of is NaN.
    """
    has_any = before > 0
    shares = np.where(has_any, after / np.where(has_any, before, 1.0), 0.0).sum(axis=1)
    count = has_any.sum(axis=1)
    return np.where(count > 0, shares / np.maximum(count, 1), np.nan)


def _lines(item: SweepMeasure, frequencies_hz: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.bool_]:
    return (frequencies_hz >= item.low_hz) & (frequencies_hz < item.high_hz)
