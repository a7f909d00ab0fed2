"""Many samples to few points: the lowest and the highest value in each bin.

A bin covers the samples ``k * bin_samples`` to ``(k + 1) * bin_samples`` of the *recording*, not of the array that was
read, so the same sample falls into the same bin wherever the window begins and peaks do not crawl while panning. No
sample is ever skipped: a spike of one sample is drawn at its full height. NaN values are left out of a bin; a bin of
nothing but NaN is NaN, which is a break in the line.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Samples = npt.NDArray[np.floating]
#: Longest bin that is reduced sample by sample.
SHORT_BIN = 32
#: Bins that decide a centre, at least: with more, every n-th is looked at.
CENTRE_BINS = 96
#: Samples that are reduced at a time.
CACHE_VALUES = 32_768
#: The largest height that is told: a scale of it can still be drawn.
MOST_HEIGHT = 1e308


def bin_size(n_samples: float, width_px: int) -> int:
    """Return the samples per bin for a window: the largest power of two not above samples per pixel, at least 1.

    Parameters
    ----------
    n_samples : float
        Samples in the window.
    width_px : int
        Device pixels in the window, at least 1.
    """
    per_pixel = int(n_samples // max(1, width_px))
    return 1 if per_pixel < 2 else 1 << (per_pixel.bit_length() - 1)


def first_bin(first_sample: int, bin_samples: int) -> int:
    """Return the number of the bin that holds ``first_sample``."""
    return first_sample // bin_samples


def n_bins(first_sample: int, n_samples: int, bin_samples: int) -> int:
    """Return how many bins the samples touch."""
    if n_samples <= 0:
        return 0
    return -(-(first_sample + n_samples) // bin_samples) - first_sample // bin_samples


def min_max(x: Samples, *, first_sample: int, bin_samples: int) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and the highest value per bin.

    Parameters
    ----------
    x : ndarray, shape (n_channels, n_samples)
        NaN where a sample is missing.
    first_sample : int
        Number of the first column in the recording.
    bin_samples : int
        Samples per bin, 1 or more. With 1 both results are ``x`` itself.

    Returns
    -------
    low, high : ndarray of float64, shape (n_channels, n_bins)
        Point ``i`` is bin ``first_sample // bin_samples + i``; the first and the last may be cut by the ends of ``x``.
    """
    if bin_samples <= 1:
        same = np.asarray(x, dtype=np.float64)
        return same, same
    values = np.asarray(x)
    n_channels, n_samples = values.shape
    points = n_bins(first_sample, n_samples, bin_samples)
    low = np.empty((n_channels, points))
    high = np.empty((n_channels, points))
    if points == 0:
        return low, high
    offset = first_sample % bin_samples
    head = min(n_samples, (bin_samples - offset) % bin_samples)
    whole = (n_samples - head) // bin_samples
    at = 0
    if head:
        _fill(values[:, :head], low[:, 0], high[:, 0])
        at = 1
    if whole:
        body = values[:, head : head + whole * bin_samples].reshape(n_channels, whole, bin_samples)
        _fill(body, low[:, at : at + whole], high[:, at : at + whole])
        at += whole
    if head + whole * bin_samples < n_samples:
        _fill(values[:, head + whole * bin_samples :], low[:, at], high[:, at])
    return low, high


def merge(low: FloatArray, high: FloatArray, *, first: int, factor: int) -> tuple[FloatArray, FloatArray]:
    """Return the same envelope with ``factor`` bins joined to one, anchored to bin 0 of the recording.

    Parameters
    ----------
    low, high : ndarray, shape (n_channels, n_bins)
    first : int
        Number of the first bin.
    factor : int
        Bins per new bin.
    """
    if factor <= 1 or low.shape[1] == 0:
        return low, high
    borders = np.arange(first // factor + 1, -(-(first + low.shape[1]) // factor)) * factor - first
    starts = np.concatenate(([0], borders))
    return np.fmin.reduceat(low, starts, axis=1), np.fmax.reduceat(high, starts, axis=1)


def robust_centre(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the median of the bin middles per channel, shape (n_channels,); 0 where there is no value.

    An offset for display that one artefact does not move.
    """
    step = max(1, low.shape[1] // CENTRE_BINS)
    # quarters: the sum of two values, and of two middles in the median, may be more than a float holds
    middle = 0.25 * low[:, ::step] + 0.25 * high[:, ::step]
    if middle.shape[1] and np.isfinite(middle).all():
        # a whole sort of so few takes a third of the time of a median, which looks for NaN once more
        middle.sort(axis=1)
        half = middle.shape[1] // 2
        return middle[:, half] + middle[:, half if middle.shape[1] % 2 else half - 1]
    centre = np.zeros(middle.shape[0])
    for row, values in enumerate(middle):
        finite = values[np.isfinite(values)]
        if finite.size:
            centre[row] = 2.0 * np.median(finite)
    return centre


def robust_height(low: FloatArray, high: FloatArray, *, share: float = 0.98) -> float:
    """Return the height that holds ``share`` of the bins of the typical channel, around their centres; 0 where empty.

    The median over channels, so that neither one artefact nor one loud channel sets the scale for all.
    """
    # quarters: the difference of two values may be more than a float holds
    centre = 0.25 * robust_centre(low, high)[:, None]
    reach = np.fmax(np.abs(0.25 * low - centre), np.abs(0.25 * high - centre))
    heights = []
    for values in reach:
        finite = values[np.isfinite(values)]
        if finite.size:
            heights.append(float(np.quantile(finite, share)))
    return min(8.0 * float(np.median(heights)), MOST_HEIGHT) if heights else 0.0


def _fill(samples: Samples, low: FloatArray, high: FloatArray) -> None:
    """Reduce the last axis into ``low`` and ``high``, a few rows at a time so that they stay in cache."""
    values_per_row = max(1, samples[0].size) if samples.shape[0] else 1
    step = max(1, CACHE_VALUES // values_per_row)
    for row in range(0, samples.shape[0], step):
        _fill_rows(samples[row : row + step], low[row : row + step], high[row : row + step])


def _fill_rows(samples: Samples, low: FloatArray, high: FloatArray) -> None:
    """Reduce the last axis, the quick way where nothing is NaN."""
    _reduce(samples, np.minimum, low)
    if np.isnan(low).any():
        _reduce(samples, np.fmin, low)
        _reduce(samples, np.fmax, high)
    else:
        _reduce(samples, np.maximum, high)


def _reduce(samples: Samples, how: np.ufunc, out: FloatArray) -> None:
    """Reduce the last axis: sample by sample of all bins where bins are short, for numpy is slow along short axes."""
    if samples.shape[-1] > SHORT_BIN:
        how.reduce(samples, axis=-1, out=out)
        return
    found = samples[..., 0].copy()  # numpy is slow where types are mixed
    for place in range(1, samples.shape[-1]):
        how(found, samples[..., place], out=found)
    out[...] = found
