"""Pictures of power over time and frequency: numbers of colours, built on the compute thread."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jaxscope.compute.analysis_frames import Plane, TimeFrequency
from jaxscope.compute.analysis_lengths import MOST_COLUMNS, FrequencyAxis
from jaxscope.compute.analysis_samples import Stretch

FloatArray = npt.NDArray[np.float64]
#: What the scale of colours leaves out at its lower and upper end, as shares, and its steps and least height in dB.
_OUTER, _STEP_DB, _LEAST_DB, _MOST_DB = (0.05, 0.998), 5.0, 20.0, 80.0
#: How far the scale of a difference reaches at least and at most in dB.
_LEAST_REACH_DB, _MOST_REACH_DB = 5.0, 40.0
FLOOR = 1e-300


def picture_of(
    power: FloatArray, frequencies_hz: FloatArray, places: FloatArray, stretch: Stretch, axis: FrequencyAxis,
    *, width_s: float, spacing: float, has_after: bool,
) -> TimeFrequency:  # fmt: skip
    """Return the pictures of powers.

    Parameters
    ----------
    power : ndarray, shape (2, n_frequencies, n_columns)
        Before and after, in squared units per Hz; NaN is not known.
    frequencies_hz : ndarray, shape (n_frequencies,)
        Rising.
    places : ndarray, shape (n_columns,)
        Where the middle of each column is in the stretch, in samples.
    stretch : Stretch
    axis : FrequencyAxis
    width_s : float
        How far in time a column looks.
    spacing : float
        Samples from one column to the next.
    has_after : bool
    """
    columns = _columns(places, stretch, spacing)
    with np.errstate(divide="ignore"):
        levels_db = 10 * np.log10(np.maximum(power, FLOOR))
    rows = np.stack([_rows(side, frequencies_hz, axis) for side in levels_db])
    blank = np.full((*rows.shape[:-1], 1), np.nan)
    seen = np.concatenate([rows, blank], axis=-1)[..., columns].astype(np.float32)
    low_db, high_db = limits_of(seen[0])
    difference = seen[1] - seen[0] if has_after else None
    reach_db = _reach_of(difference)
    return TimeFrequency(
        before=Plane(levels=coloured(seen[0], low_db, high_db), values_db=seen[0]),
        after=Plane(levels=coloured(seen[1], low_db, high_db), values_db=seen[1]) if has_after else None,
        difference=None
        if difference is None
        else Plane(levels=coloured(difference, -reach_db, reach_db), values_db=difference),
        low_hz=axis.low_hz,
        high_hz=axis.high_hz,
        is_log=axis.is_log,
        low_db=low_db,
        high_db=high_db,
        reach_db=reach_db,
        width_s=width_s,
    )


def _columns(places: FloatArray, stretch: Stretch, spacing: float) -> npt.NDArray[np.intp]:
    """Return which column of powers each column of pixels shows; the last, which is blank, where none is near."""
    inside = places < stretch.times_s.size
    times_s = np.interp(places, np.arange(stretch.times_s.size), stretch.times_s)
    # a column whose middle lies in a hole belongs to no time
    times_s = np.where(inside, times_s, np.inf)
    span_s = stretch.stop_s - stretch.start_s
    count = int(min(MOST_COLUMNS, max(1, round(span_s * stretch.rate_hz / spacing))))
    wanted_s = stretch.start_s + (np.arange(count) + 0.5) / count * span_s
    right = np.clip(np.searchsorted(times_s, wanted_s), 1, max(1, times_s.size - 1))
    nearest = np.where(
        np.abs(times_s[np.minimum(right, times_s.size - 1)] - wanted_s) < np.abs(times_s[right - 1] - wanted_s),
        np.minimum(right, times_s.size - 1),
        right - 1,
    )
    far = np.abs(times_s[nearest] - wanted_s) > max(spacing / stretch.rate_hz, span_s / count) * 0.75
    return np.asarray(np.where(far, places.size, nearest), dtype=np.intp)


def _rows(levels_db: FloatArray, frequencies_hz: FloatArray, axis: FrequencyAxis) -> FloatArray:
    """Return levels at the frequencies of the rows of pixels, straight between lines; NaN stays what it is."""
    wanted_hz = axis.rows_hz()
    place = np.interp(wanted_hz, frequencies_hz, np.arange(frequencies_hz.size))
    left = np.minimum(place.astype(int), frequencies_hz.size - 2) if frequencies_hz.size > 1 else np.zeros(1, int)
    share = (place - left)[:, None]
    right = np.minimum(left + 1, frequencies_hz.size - 1)
    known = np.where(share > 0, levels_db[right], levels_db[left])
    return np.asarray(levels_db[left] * (1 - share) + known * share)


def limits_of(levels_db: npt.NDArray[np.float32]) -> tuple[float, float]:
    """Return the ends of the scale of colours: what is usual in Before, in whole steps, so that they seldom move."""
    known = levels_db[np.isfinite(levels_db) & (levels_db > 10 * np.log10(FLOOR) + 1)]
    if not known.size:
        return -60.0, 0.0
    low, high = (float(value) for value in np.quantile(known, _OUTER))
    top = float(np.ceil(high / _STEP_DB) * _STEP_DB)
    bottom = float(np.floor(low / _STEP_DB) * _STEP_DB)
    return float(min(top - _LEAST_DB, max(bottom, top - _MOST_DB))), top


def _reach_of(difference: npt.NDArray[np.float32] | None) -> float:
    if difference is None or not np.isfinite(difference).any():
        return _LEAST_REACH_DB
    reach = float(np.quantile(np.abs(difference[np.isfinite(difference)]), 0.95))
    return float(min(_MOST_REACH_DB, max(_LEAST_REACH_DB, np.ceil(reach / _STEP_DB) * _STEP_DB)))


def coloured(levels_db: npt.NDArray[np.float32], low_db: float, high_db: float) -> npt.NDArray[np.uint8]:
    """Return numbers of colours from 1 to 255; 0 is what is not known."""
    share = np.clip((levels_db - low_db) / (high_db - low_db), 0.0, 1.0)
    number = 1 + np.nan_to_num(share, nan=0.0) * 254
    return np.where(np.isfinite(levels_db), np.round(number), 0).astype(np.uint8)
