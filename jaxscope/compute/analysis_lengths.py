"""Lengths of segments and of what is handed to the compiled estimates: a handful serves every window.

They follow from the length of the span alone, never from where it is, so panning compiles nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
SHORTEST = 8
#: Longest segment of a spectrum in seconds and samples; of a coherence the span over this many at least.
LONGEST_S, LONGEST = 8.0, 1 << 15
LEAST_SEGMENTS = 8
#: Columns of a picture at most, and rows.
MOST_COLUMNS, ROWS = 512, 224
#: Cycles of a wavelet, and where its envelope ends in standard deviations.
CYCLES, REACH = 5.0, 3.0
N_WAVELETS = 48
#: Samples of a time-frequency picture at most, and channels.
MOST_WAVELET_SAMPLES, MOST_WAVELET_CHANNELS = 1 << 16, 4


def below(number: float) -> int:
    """Return the largest power of two that is not above ``number``, at least 1."""
    return 1 << (max(1, int(number)).bit_length() - 1)


def bucket(n_samples: int) -> int:
    """Return the least power of two, or half more than one, that is not below ``n_samples``; 64 at least.

    Examples
    --------
    >>> bucket(1000), bucket(1100), bucket(1600)
    (1024, 1536, 2048)
    """
    power = below(max(64, n_samples))
    return next(size for size in (power, power * 3 // 2, power * 2) if size >= n_samples)


def filled(values: FloatArray, size: int) -> FloatArray:
    """Return samples with NaN behind them up to ``size``."""
    if values.shape[-1] >= size:
        return values[..., :size]
    more = np.full((*values.shape[:-1], size - values.shape[-1]), np.nan)
    return np.concatenate([values, more], axis=-1)


def spectrum_length(nominal: int, rate_hz: float) -> int:
    """Return the samples of a segment of a spectrum: at most half of the span, and some seconds."""
    return below(max(SHORTEST, min(nominal // 2, LONGEST_S * rate_hz, LONGEST)))


def coherence_length(nominal: int, rate_hz: float) -> int:
    """Return the samples of a segment of a coherence, which needs many."""
    return below(max(SHORTEST, min(nominal // LEAST_SEGMENTS, 2.0 * rate_hz, LONGEST // 8)))


def picture_lengths(nominal: int, rate_hz: float) -> tuple[int, int]:
    """Return the samples of a segment of a spectrogram and from one to the next."""
    length = below(max(SHORTEST, min(nominal // 12, LONGEST_S * rate_hz, 1 << 13)))
    hop = max(1, length // 8, below(max(1, nominal // MOST_COLUMNS)))
    return max(length, 2 * hop), hop


@dataclass(frozen=True, slots=True, kw_only=True)
class FrequencyAxis:
    """Rows of a picture: from the highest frequency down, by octaves or by hertz."""

    low_hz: float
    high_hz: float
    is_log: bool

    def rows_hz(self) -> FloatArray:
        """Return the frequency in the middle of each row."""
        share = 1 - (np.arange(ROWS) + 0.5) / ROWS
        if self.is_log:
            return np.asarray(self.low_hz * (self.high_hz / self.low_hz) ** share)
        return np.asarray(self.low_hz + (self.high_hz - self.low_hz) * share)


def lowest_wavelet_hz(span_s: float, rate_hz: float) -> float:
    """Return the lowest frequency whose wavelet covers at most half of a span."""
    return min(rate_hz / 8, 2 * REACH * CYCLES / (2 * np.pi) / (span_s / 2))
