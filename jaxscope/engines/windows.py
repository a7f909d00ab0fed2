"""From samples to minimum and maximum per bin on the host: the slow, obvious way that the fused programs must equal.

Bins are anchored to absolute sample numbers, so a peak stays in its bin while the view pans.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Envelopes(NamedTuple):
    """Minimum and maximum per bin, each float64 (n_channels, n_bins). Difference is before − after."""

    before_min: Array
    before_max: Array
    after_min: Array
    after_max: Array
    difference_min: Array
    difference_max: Array


def bin_span(first_sample: int, bin_size: int, cut: slice, n_samples: int) -> tuple[int, int, int, int]:
    """Return start and stop of ``cut`` within ``x``, the samples missing before its first bin, and the bin count."""
    start, stop, _ = cut.indices(n_samples)
    stop = max(start, stop)
    if stop == start:
        return start, stop, 0, 0
    missing = (first_sample + start) % bin_size
    return start, stop, missing, -(-(missing + stop - start) // bin_size)


def envelope(x: Array, missing: int, bin_size: int) -> tuple[Array, Array]:
    """Return the NaN-aware minimum and maximum per bin of ``x``, (n_channels, n), whose first bin lacks ``missing``."""
    n_channels, n = x.shape
    tail = -(missing + n) % bin_size
    padded = np.pad(np.asarray(x, dtype=np.float64), ((0, 0), (missing, tail)), constant_values=np.nan)
    bins = padded.reshape(n_channels, -1, bin_size)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All-NaN", RuntimeWarning)  # a bin within a gap is NaN, which is meant
        return np.nanmin(bins, axis=2), np.nanmax(bins, axis=2)


def view_on_host(x: Array, y: Array, first_sample: int, bin_size: int, cut: slice) -> Envelopes:
    """Return the envelopes of ``x``, ``y`` and ``x − y`` over ``cut``."""
    start, stop, missing, n_bins = bin_span(first_sample, bin_size, cut, x.shape[1])
    if n_bins == 0:
        return Envelopes(*(np.zeros((x.shape[0], 0)) for _ in range(6)))
    before = np.asarray(x[:, start:stop], dtype=np.float64)
    after = np.asarray(y[:, start:stop], dtype=np.float64)
    return Envelopes(
        *envelope(before, missing, bin_size),
        *envelope(after, missing, bin_size),
        *envelope(before - after, missing, bin_size),
    )
