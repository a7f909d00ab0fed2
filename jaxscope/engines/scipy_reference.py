"""The oracle: the same chain through scipy.signal in float64, sample by sample and without jax.

Slow, always there, and what every other method is measured against.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import ndimage, signal

from jaxscope.engines.base import AbstractProgram, NotFiniteError
from jaxscope.engines.edges import pad_length, padded, start_levels, steady_sections
from jaxscope.engines.precision import narrowed
from jaxscope.engines.segments import Rows
from jaxscope.engines.settling import cascade_settling
from jaxscope.filters.coefficients import ChainDesign, Realisation, RunningMedian, Sections, Taps

Array = npt.NDArray[Any]


class ScipyProgram(AbstractProgram):
    """A chain through ``sosfilt``, ``lfilter`` and ``ndimage``; float32 only rounds the result."""

    method: ClassVar[str] = "scipy"

    def _design(self, row: int) -> ChainDesign:
        return self.designs[row if len(self.designs) > 1 else 0]

    def _begin(self, first: Array, rows: Rows) -> list[dict[str, Array]]:
        first = np.where(np.isfinite(first), first, 0.0)
        states: list[list[Array]] = []
        for value, row in zip(first, rows, strict=True):
            design = self._design(int(row))
            states.append(
                [
                    part_start(part, float(level) * float(value))
                    for part, level in zip(design.parts, start_levels(design), strict=True)
                ]
            )
        return [{"state": np.stack(column)} for column in zip(*states, strict=True)]

    def _advance(self, x: Array, parts: list[dict[str, Array]], rows: Rows) -> tuple[Array, list[dict[str, Array]]]:
        y = finite_copy(x)
        after = [{"state": np.array(part["state"])} for part in parts]
        for k, row in enumerate(rows):
            for part, state in zip(self._design(int(row)).parts, after, strict=True):
                y[k], state["state"][k] = part_step(part, y[k], state["state"][k])
        return narrowed(y, self.dtype), after

    def _both_ways(self, x: Array, rows: Rows) -> Array:
        y = finite_copy(x)
        for k, row in enumerate(rows):
            for part in self._design(int(row)).parts:
                y[k] = part_both_ways(part, y[k], self.structure.padding_kind, self.structure.padding_samples)
        return narrowed(y, self.dtype)


def finite_copy(x: Array) -> Array:
    """Return a float64 copy; raise where a sample is not finite."""
    if not np.isfinite(x).all():
        raise NotFiniteError
    return np.array(x, dtype=np.float64)


def part_start(part: Realisation, level: float) -> Array:
    """Return the state of one part after an endless past of the constant ``level`` (0: at rest)."""
    match part:
        case Sections():
            if level == 0.0:
                return np.zeros((len(part.rows), 2))
            with np.errstate(over="ignore"):
                return steady_sections(part) * level
        case Taps():
            return np.full(len(part.values) - 1, level)
        case RunningMedian():
            return np.full(part.window - 1, level)


def part_step(part: Realisation, x: Array, state: Array) -> tuple[Array, Array]:
    """Advance one part over one channel ``x``, (n,); an FIR and a median keep the last samples as their state."""
    match part:
        case Sections():
            if not part.rows:
                return x, state
            return signal.sosfilt(part.to_array(), x, zi=state)
        case Taps():
            joined = np.concatenate((state, x))
            y = signal.lfilter(part.to_array(), [1.0], joined)[len(state) :]
            return y, joined[len(joined) - len(state) :]
        case RunningMedian():
            joined = np.concatenate((state, x))
            return running_median(joined, part.window), joined[len(joined) - len(state) :]


def running_median(joined: Array, window: int) -> Array:
    """Return the median of each full window of ``joined``, (n + window − 1,): (n,), NaN where one holds a NaN."""
    n = len(joined) - window + 1
    half = (window - 1) // 2
    centred = ndimage.median_filter(joined, size=window, mode="nearest")[half : half + n]
    holes = ~np.isfinite(joined)
    if holes.any():
        touched = np.convolve(holes, np.ones(window), mode="valid") > 0
        centred = np.where(touched, np.nan, centred)
    return centred


def part_both_ways(part: Realisation, x: Array, kind: str, samples: int | None) -> Array:
    """Run one part with zero phase over one channel ``x``, (n,)."""
    if x.size == 0:
        return x
    edge = pad_length(part, kind, samples, x.size)
    joined = padded(x[np.newaxis], edge, kind)[0]
    match part:
        case RunningMedian():
            return running_median(joined, part.window)
        case Taps(runs_once=True):
            return np.asarray(signal.lfilter(part.to_array(), [1.0], joined)[len(part.values) - 1 :])
    if kind == "gustafsson":
        return gustafsson(part, x)
    forward, _ = part_step(part, joined, part_start(part, float(joined[0])))
    backward, _ = part_step(part, forward[::-1], part_start(part, float(forward[-1])))
    return backward[::-1][edge : joined.size - edge]


def _states_in_use(part: Sections | Taps) -> npt.NDArray[np.intp]:
    """Return the numbers of the states that are ever other than 0: a section of first order has one, not two."""
    if isinstance(part, Taps):
        return np.arange(len(part.values) - 1)
    second = [bool(row[2] or row[5]) for row in part.rows]
    first = [bool(row[1] or row[4]) or later for row, later in zip(part.rows, second, strict=True)]
    return np.flatnonzero(np.stack([first, second], axis=1).ravel()) if part.rows else np.arange(0)


def gustafsson(part: Sections | Taps, x: Array) -> Array:
    """Zero phase with the initial states for which forward-backward equals backward-forward (Gustafsson 1996).

    The same least squares as ``scipy.signal.filtfilt(method="gust")``, over the states of the cascade instead of those
    of the polynomials. Only the ends matter once the filter has forgotten, so only they are solved for.
    """
    rest = part_start(part, 0.0)
    used = _states_in_use(part)
    basis = np.eye(rest.size)[used].reshape((used.size, *rest.shape))
    settled = 2 * cascade_settling(part) if isinstance(part, Sections) else len(part.values)
    m = x.size if x.size <= 2 * settled else settled
    free = np.stack([part_step(part, np.zeros(m), state)[0] for state in basis], axis=1) if used.size else None

    def run(samples: Array) -> Array:
        return part_step(part, samples, rest)[0]

    there_and_back = run(run(x)[::-1])[::-1]
    if free is None:
        return there_and_back
    back_and_there = run(run(x[::-1])[::-1])
    observed, reversed_observed = free, free[::-1]
    answered = np.stack([run(column) for column in reversed_observed.T], axis=1)
    reversed_answered = answered[::-1]
    gap = back_and_there - there_and_back
    if m == x.size:
        matrix = np.hstack((reversed_answered - observed, reversed_observed - answered))
        states = np.linalg.lstsq(matrix, gap)[0]
        fitted: Array = there_and_back + np.hstack((reversed_answered, reversed_observed)) @ states
        return fitted
    order = used.size
    y: Array = there_and_back.copy()
    y[:m] += reversed_answered @ np.linalg.lstsq(reversed_answered - observed, gap[:m])[0][:order]
    y[-m:] += reversed_observed @ np.linalg.lstsq(reversed_observed - answered, gap[-m:])[0][:order]
    return y
