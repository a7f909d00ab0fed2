"""Goals as arrays of a few fixed shapes, and where a fit begins.

Goals with other numbers are other arguments of a program that is compiled already; only another bucket of shapes is
compiled anew. The start places a notch, a high-pass or a low-pass where something is to be removed and leaves all else
alone: descent finds the rest, but not from where every slope is flat.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from jaxscope.learn.fit import Targets
from jaxscope.learn.pole_pairs import Pairs, least_decay, place_of

FloatArray = npt.NDArray[np.float64]
MOST_GOALS, POINTS, REST_POINTS = 12, 96, 160
#: Rows and samples of marked spans: what a step costs grows with them.
ROW_BUCKETS, LENGTH_BUCKETS = (4, 8, 16), (1024, 2048, 4096)
SECTION_BUCKETS = (4, 8)
MOST_ROWS, MOST_LENGTH = ROW_BUCKETS[-1], LENGTH_BUCKETS[-1]
#: Where points of a band begin that reaches down to 0 Hz, as a share of its upper limit.
_LOWEST_SHARE = 1e-3
_SHARPEST, _FLAT = 0.08, 0.7
#: Damping of the first zeros: at 0 they would have no slope to leave the circle by.
_EDGE = 0.01
#: A band of which the other stages leave less than this share of the amplitude needs no section.
_DONE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class BandGoal:
    """One goal: the bands that it is about, in Hz, none where it is about spans."""

    is_keep: bool
    bands_hz: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpanRow:
    """A marked span of one channel, with context on both sides that is twice as long as any pole may ring.

    ``before`` (n_samples,) goes into the filter, ``wanted`` (n_samples,) is how a keep should look; the span itself is
    from ``first`` to ``stop``, half-open. Both are finite.
    """

    goal: int
    before: FloatArray
    wanted: FloatArray
    first: int
    stop: int


def make_targets(
    goals: Sequence[BandGoal],
    rows: Sequence[SpanRow],
    *,
    n_sections: int,
    rate_hz: float,
    ringing_s: float,
    others: Callable[[FloatArray], FloatArray] | None = None,
) -> Targets:
    """Return goals as arrays.

    Parameters
    ----------
    goals : sequence of BandGoal
        ``MOST_GOALS`` at most.
    rows : sequence of SpanRow
        ``MOST_ROWS`` at most, of ``MOST_LENGTH`` samples at most.
    n_sections : int
        Pairs of poles, ``SECTION_BUCKETS[-1]`` at most.
    rate_hz : float
    ringing_s : float
        How long a pole may ring until it has fallen to 1 %.
    others : callable or None
        From frequencies in Hz to the magnitude of the stages that stay as they are; None is 1 everywhere.

    Returns
    -------
    Targets
    """
    nyquist_hz, reach_hz = rate_hz / 2, least_decay(ringing_s, rate_hz) * rate_hz / (2 * math.pi)
    removed = [band for goal in goals if not goal.is_keep for band in goal.bands_hz]
    points, share = np.zeros((MOST_GOALS, POINTS)), np.zeros((MOST_GOALS, POINTS))
    for at, goal in enumerate(goals):
        if goal.bands_hz:
            points[at] = _points(goal.bands_hz, nyquist_hz)
            share[at] = 1.0
            if goal.is_keep:
                share[at] = _beside(points[at], removed, reach_hz)
    share /= np.maximum(share.sum(axis=1, keepdims=True), 1e-30)
    rest = np.geomspace(nyquist_hz * _LOWEST_SHARE, nyquist_hz * 0.999, REST_POINTS)
    rest_share = np.maximum(_beside(rest, removed, 2 * reach_hz), 1e-6)
    weight = np.zeros(MOST_GOALS)
    for at, goal in enumerate(goals):
        weight[at] = float(share[at].any() or any(row.goal == at for row in rows) or not goal.is_keep)
    to_omega = 2 * math.pi / rate_hz
    base = np.ones_like(points) if others is None else others(points.reshape(-1)).reshape(points.shape)
    made: dict[str, npt.NDArray[Any]] = {
        "is_keep": np.array([float(goal.is_keep) for goal in goals] + [0.0] * (MOST_GOALS - len(goals))),
        "weight": weight,
        "omega": points * to_omega,
        "share": share,
        "base": base,
        "rest_omega": rest * to_omega,
        "rest_share": rest_share / rest_share.sum(),
        "decay": np.array(least_decay(ringing_s, rate_hz)),
        "used": (np.arange(bucket_of(n_sections)) < n_sections).astype(np.float64),
        **_row_arrays(goals, rows, rate_hz),
    }
    return Targets(**{name: jnp.asarray(values) for name, values in made.items()})


def bucket_of(n_sections: int) -> int:
    """Return how many sections a program has that fits so many."""
    return next(size for size in SECTION_BUCKETS if size >= n_sections)


def is_left(goal: BandGoal, goals: Sequence[BandGoal]) -> bool:
    """Return whether of the bands of a keep anything is left that no other goal removes.

    Examples
    --------
    >>> hum = BandGoal(is_keep=False, bands_hz=((49.0, 51.0),))
    >>> is_left(BandGoal(is_keep=True, bands_hz=((40.0, 60.0),)), [hum])
    True
    >>> is_left(BandGoal(is_keep=True, bands_hz=((49.5, 50.5),)), [hum])
    False
    """
    removed = [band for other in goals if not other.is_keep for band in other.bands_hz]
    points = np.concatenate([np.linspace(low, high, POINTS) for low, high in goal.bands_hz])
    return bool(_beside(points, removed, 0.0).any())


def _points(bands_hz: Sequence[tuple[float, float]], nyquist_hz: float) -> FloatArray:
    """Return ``POINTS`` frequencies, as many in each band, by ratio where a band is wide."""
    counts = [len(part) for part in np.array_split(np.arange(POINTS), len(bands_hz))]
    found = []
    for (low, high), count in zip(bands_hz, counts, strict=True):
        high = min(high, nyquist_hz)
        found.append(np.geomspace(max(low, high * _LOWEST_SHARE), high, count))
    return np.concatenate(found)


def _beside(points: FloatArray, removed: Sequence[tuple[float, float]], reach_hz: float) -> FloatArray:
    """Return 1 for frequencies that are farther than ``reach_hz`` from every removed band, else 0.

    Where nothing would be left the reach is shorter, for the goals come before what a filter can do.
    """
    for reach in (reach_hz, reach_hz / 2, reach_hz / 4, 0.0):
        share = np.ones_like(points)
        for low, high in removed:
            share[(points >= low - reach) & (points <= high + reach)] = 0.0
        if share.any():
            break
    return share


def _row_arrays(goals: Sequence[BandGoal], rows: Sequence[SpanRow], rate_hz: float) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of the rows, padded to their bucket; none of them where nothing is marked."""
    count = next((size for size in ROW_BUCKETS if size >= len(rows)), MOST_ROWS) if rows else 0
    longest = max((row.before.size for row in rows), default=0)
    length = next((size for size in LENGTH_BUCKETS if size >= longest), MOST_LENGTH)
    before, wanted, scored, slope = (np.zeros((count, length)) for _ in range(4))
    row_is_keep, of_goal = np.zeros(count), np.zeros((MOST_GOALS, count))
    for at, row in enumerate(rows):
        is_keep = goals[row.goal].is_keep
        before[at], wanted[at] = _tapered(row, row.before, length), _tapered(row, row.wanted, length)
        scored[at, row.first : row.stop] = 1.0
        if is_keep:
            ramp = np.arange(row.first, row.stop) - (row.first + row.stop - 1) / 2
            slope[at, row.first : row.stop] = ramp / max(math.sqrt(float((ramp**2).sum())), 1e-30)
        row_is_keep[at] = float(is_keep)
        part = (row.wanted if is_keep else row.before)[row.first : row.stop]
        of_goal[row.goal, at] = 1 / max(sizes_of(part, is_keep=is_keep)[0], 1e-300)
    mates = [sum(other.goal == row.goal for other in rows) for row in rows]
    of_goal[:, : len(rows)] /= np.array(mates, dtype=np.float64) if rows else 1.0
    # what is to go need not stay where something else is kept; a line of a spectrum is three wide
    lines_hz = np.linspace(0.0, rate_hz / 2, length // 2 + 1)
    removed = [band for goal in goals if not goal.is_keep for band in goal.bands_hz]
    asked = _beside(lines_hz, removed, 3 * float(lines_hz[1]))
    return {
        "before": np.fft.rfft(before),
        "wanted": np.fft.rfft(wanted) * asked,
        "scored": scored,
        "slope": slope,
        "row_is_keep": row_is_keep,
        "of_goal": of_goal,
    }


def _tapered(row: SpanRow, x: FloatArray, length: int) -> FloatArray:
    """Return samples about the mean of the span that fade in the outer half of the context: they go round smoothly."""
    taper = np.ones(x.size)
    for count, outer in ((row.first // 2, slice(None)), ((x.size - row.stop) // 2, slice(None, None, -1))):
        taper[outer][:count] = 0.5 - 0.5 * np.cos(math.pi * (np.arange(count) + 0.5) / max(count, 1))
    return np.pad((x - x[row.first : row.stop].mean()) * taper, (0, length - x.size))


def sizes_of(part: FloatArray, *, is_keep: bool) -> tuple[float, float]:
    """Return power and height of a marked span (n_samples,) about its mean, of a keep about its trend."""
    part = part - part.mean()
    if is_keep:
        ramp = np.arange(part.size) - (part.size - 1) / 2
        part = part - ramp * float(part @ ramp) / max(float(ramp @ ramp), 1e-30)
    return float(part @ part), float(np.ptp(part))


# --- where a fit begins


def make_start(
    goals: Sequence[BandGoal],
    rows: Sequence[SpanRow],
    *,
    n_sections: int,
    rate_hz: float,
    ringing_s: float,
    others: Callable[[FloatArray], FloatArray] | None = None,
) -> Pairs:
    """Return the numbers that a fit of ``n_sections`` begins with, and others that fill up.

    Takes what ``make_targets`` takes; no section is spent on what the other stages have removed already.
    """
    nyquist_hz, floor_hz = rate_hz / 2, least_decay(ringing_s, rate_hz) * rate_hz / (2 * math.pi)
    removed = [band for goal in goals if not goal.is_keep for band in goal.bands_hz]
    if others is not None:
        removed = [band for band in removed if others(_points([band], nyquist_hz)).max() > _DONE]
    removed += _strong_bands(goals, rows, rate_hz)
    kept = [band for goal in goals if goal.is_keep for band in goal.bands_hz]
    found = [pair for band in removed for pair in _first_pair(band, kept, nyquist_hz)][:n_sections]
    again = [pair for band in removed for pair in _second_pair(band, nyquist_hz)]
    found = (found + again)[:n_sections]
    idle = bucket_of(n_sections) - len(found)
    for place in range(idle):  # those that do nothing yet stand between all others
        middle_hz = nyquist_hz * 0.02 ** ((place + 1) / (idle + 1))
        found.append((middle_hz, _FLAT, middle_hz, _FLAT))
    to_omega = 2 * math.pi / rate_hz
    numbers = [
        (
            place_of(max(pole_hz, floor_hz * 0.05) * to_omega),
            math.log(pole_damping),
            place_of(zero_hz * to_omega),
            math.sqrt(zero_damping),
        )
        for pole_hz, pole_damping, zero_hz, zero_damping in found
    ]
    places, dampings, zeros, zero_dampings = jnp.asarray(np.array(numbers, dtype=np.float64).T)
    return Pairs(places, dampings, zeros, zero_dampings, gain=jnp.float64(0.0), delay=jnp.float64(0.5))


#: frequency and damping of a pair of poles, then of a pair of zeros
_Pair = tuple[float, float, float, float]


def _first_pair(band: tuple[float, float], kept: Sequence[tuple[float, float]], nyquist_hz: float) -> Iterator[_Pair]:
    low, high = band
    if low <= 0:
        above = min((keep[0] for keep in kept if keep[0] >= high), default=4 * high)
        yield (min(math.sqrt(high * above), 0.8 * nyquist_hz), _FLAT, high / 4, _EDGE)
    elif high >= nyquist_hz:
        below = max((keep[1] for keep in kept if keep[1] <= low), default=low / 2)
        yield (math.sqrt(low * below), _FLAT, min(1.5 * low, 0.97 * nyquist_hz), _EDGE)
    else:
        middle_hz = math.sqrt(low * high)
        width = max((high - low) / middle_hz, _SHARPEST)
        yield (middle_hz, min(width, _FLAT), middle_hz, _EDGE)


def _second_pair(band: tuple[float, float], nyquist_hz: float) -> Iterator[_Pair]:
    low, high = band
    if low <= 0:
        yield (1.5 * high, _FLAT, high / 1.5, _EDGE)
    elif high >= nyquist_hz:
        yield (0.8 * low, 0.3, min(1.1 * low, 0.97 * nyquist_hz), _EDGE)
    elif high > 1.1 * low:
        yield (low, min(_FLAT, (high - low) / low), high, _EDGE)


def _strong_bands(goals: Sequence[BandGoal], rows: Sequence[SpanRow], rate_hz: float) -> list[tuple[float, float]]:
    """Return where spans that are to be removed stand out most from those that are kept: a peak for each such goal."""
    kept = [row for row in rows if goals[row.goal].is_keep]
    found = []
    for at in dict.fromkeys(row.goal for row in rows if not goals[row.goal].is_keep):
        own = [row for row in rows if row.goal == at]
        frequencies, power = _mean_spectrum(own, rate_hz)
        other = _mean_spectrum(kept, rate_hz)[1] if kept else np.ones_like(power)
        excess = power / (other / max(float(other.sum()), 1e-300) + 1e-6)
        peak = int(np.argmax(excess * power))
        width_hz = 2 * float(frequencies[1])
        if peak > 0:
            found.append((max(0.0, float(frequencies[peak]) - width_hz), float(frequencies[peak]) + width_hz))
    return found


def _mean_spectrum(rows: Sequence[SpanRow], rate_hz: float) -> tuple[FloatArray, FloatArray]:
    """Return frequencies and the mean power of spans, each counting alike, on one axis of lines."""
    lines = 257
    total = np.zeros(lines)
    for row in rows:
        part = row.before[row.first : row.stop]
        part = (part - part.mean()) * np.hanning(part.size)
        power = np.abs(np.fft.rfft(part, max(512, part.size))) ** 2
        own = np.interp(np.linspace(0, power.size - 1, lines), np.arange(power.size), power)
        total += own / max(float(own.sum()), 1e-300)
    return np.linspace(0, rate_hz / 2, lines), total
