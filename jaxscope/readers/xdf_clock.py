"""From the stamps of a stream to times on the clock of the recording, and to its true rate.

Each stream is stamped by the clock of its own computer. Offsets between that clock and the recorder's, measured every
few seconds, tell how one runs against the other; a line through them, which single bad measurements do not move,
brings the stamps together. A clock that was reset begins a new line. Stamps jitter, so a stream with a rate is taken
to be even between breaks: its rate is the one that its stamps show, and not the one that the device claims.

The thresholds are those of the reference reader, so that the same file gives the same segments everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from jaxscope.data.recording import FloatArray

_RESET_S, _RESET_SPREADS = 5.0, 5.0
_RESET_OFFSET_S, _RESET_OFFSET_SPREADS = 1.0, 10.0
#: Offsets further from the line than this, in seconds, count less.
_OUTLIER_S = 1e-4
_BREAK_S, _BREAK_SAMPLES = 1.0, 500
_STEPS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class EvenRun:
    """Samples ``first`` to ``stop`` (half-open), the first at ``start_s``, one each ``period_s``."""

    first: int
    stop: int
    start_s: float
    period_s: float


def on_recorder_clock(stamps: FloatArray, times: Sequence[float], offsets: Sequence[float]) -> tuple[FloatArray, int]:
    """Return the stamps on the clock of the recorder, and how often the clock of the stream was reset."""
    if not len(stamps) or not times:
        return stamps, 0
    clock, offset = np.array(times), np.array(offsets)
    good = np.isfinite(clock) & np.isfinite(offset)
    clock, offset = clock[good], offset[good]
    if not len(clock):
        return stamps, 0
    edges = [0, *(np.flatnonzero(_resets(clock, offset)) + 1).tolist(), len(clock)]
    result = stamps.copy()
    begin = 0
    for start, stop in pairwise(edges):
        if stop == len(clock):
            end = len(stamps)
        else:
            nearer = np.abs(stamps[begin:] - clock[stop - 1]) < np.abs(stamps[begin:] - clock[stop])
            end = begin + (len(nearer) if nearer.all() else int(np.argmin(nearer)))
        with np.errstate(over="ignore", invalid="ignore"):  # damaged offsets may be of any size
            level, slope = _line(clock[start:stop], offset[start:stop])
            moved = stamps[begin:end] + (level + slope * stamps[begin:end])
        if np.isfinite(moved).all():
            result[begin:end] = moved
        begin = end
    return result, len(edges) - 2


def _resets(clock: FloatArray, offset: FloatArray) -> npt.NDArray[np.bool_]:
    if len(clock) < 2:
        return np.zeros(0, dtype=np.bool_)
    with np.errstate(over="ignore", invalid="ignore"):  # damaged offsets may be of any size
        steps, jumps = np.diff(clock), np.diff(offset)
        late = _stands_out(steps, _RESET_SPREADS, _RESET_S)
        moved = _stands_out(jumps, _RESET_OFFSET_SPREADS, _RESET_OFFSET_S)
    result: npt.NDArray[np.bool_] = (steps < 0) | (late & moved)
    return result


def _stands_out(values: FloatArray, spreads: float, least: float) -> npt.NDArray[np.bool_]:
    distance = np.abs(values - np.median(values))
    spread = float(np.median(distance)) + np.finfo(np.float64).eps
    result: npt.NDArray[np.bool_] = (distance > spreads * spread) & (distance > least)
    return result


def _line(clock: FloatArray, offset: FloatArray) -> tuple[float, float]:
    """Return level and slope of the line that is least far from the offsets in the sense of Huber."""
    if len(clock) < 2 or np.ptp(clock) == 0:
        return float(np.median(offset)), 0.0
    middle = float(clock.mean())
    x = clock - middle
    weights = np.ones(len(x))
    level = slope = 0.0
    for _ in range(_STEPS):
        total = weights.sum()
        mean_x, mean_y = (weights * x).sum() / total, (weights * offset).sum() / total
        spread = (weights * (x - mean_x) ** 2).sum()
        new_slope = float((weights * (x - mean_x) * (offset - mean_y)).sum() / spread) if spread > 0 else 0.0
        new_level = float(mean_y - new_slope * mean_x)
        moved = abs(new_level - level) + abs(new_slope - slope) * float(np.ptp(x))
        level, slope = new_level, new_slope
        distance = np.abs(offset - level - slope * x) / _OUTLIER_S
        weights = 1.0 / np.maximum(distance, 1.0)
        if moved < 1e-12:
            break
    return level - slope * middle, slope


def even_runs(stamps: FloatArray, nominal_hz: float) -> list[EvenRun]:
    """Return the runs between breaks, each with the line through its stamps.

    Parameters
    ----------
    stamps : ndarray of float64, shape (n_samples,), n_samples > 0
    nominal_hz : float
    """
    limit = max(_BREAK_S, _BREAK_SAMPLES / nominal_hz)
    breaks = np.flatnonzero(~(np.abs(np.diff(stamps)) <= limit)) + 1
    edges = [0, *breaks.tolist(), len(stamps)]
    runs = []
    for first, stop in pairwise(edges):
        start_s, period_s = _even(stamps[first:stop], 1.0 / nominal_hz)
        runs.append(EvenRun(first=first, stop=stop, start_s=start_s, period_s=period_s))
    return runs


def _even(stamps: FloatArray, nominal_s: float) -> tuple[float, float]:
    """Return the first time and the period of the line through the stamps."""
    n_samples = len(stamps)
    if n_samples < 2:
        return float(stamps[0]), nominal_s
    origin = float(stamps[0])
    index = np.arange(n_samples) - (n_samples - 1) / 2
    relative = stamps - origin
    period_s = float((index * relative).sum() / (index**2).sum())
    return origin + float(relative.mean()) - period_s * (n_samples - 1) / 2, period_s


def effective_rate(runs: Sequence[EvenRun]) -> float | None:
    """Return the rate that the stamps show over all runs, None where they show none."""
    n_steps = sum(run.stop - run.first - 1 for run in runs)
    seconds = sum((run.stop - run.first - 1) * run.period_s for run in runs)
    return n_steps / seconds if n_steps and seconds > 0 and np.isfinite(seconds) else None


def stray_s(stamps: FloatArray, runs: Sequence[EvenRun]) -> float:
    """Return how far a stamp is from its even time at most, in seconds."""
    most = 0.0
    for run in runs:
        even = run.start_s + np.arange(run.stop - run.first) * run.period_s
        most = max(most, float(np.abs(stamps[run.first : run.stop] - even).max()))
    return most


def is_sparse(stamps: FloatArray, nominal_hz: float) -> bool:
    """Say whether a stream that claims a rate sends events now and then."""
    if len(stamps) < 2:
        return False
    usual = float(np.median(np.diff(stamps)))
    return usual * nominal_hz > 5 and float(np.ptp(stamps)) * nominal_hz > 5 * len(stamps)
