"""How a segment begins and ends: steady starts, and padding for zero phase.

The one place that knows SciPy's rules for both, so that no method can differ in them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.engines.precision import held_by
from jaxscope.filters.coefficients import ChainDesign, Realisation, Row, RunningMedian, Sections, Taps
from jaxscope.filters.stability import integrates

Array = npt.NDArray[Any]


def section_gain(row: Row) -> float | None:
    """Return the gain of a section for a constant, or None where it has a pole at z = 1."""
    return None if integrates(row) else (row[0] + row[1] + row[2]) / (1.0 + row[4] + row[5])


@lru_cache(maxsize=1024)
def part_gain(part: Realisation) -> float | None:
    """Return the gain of a part for a constant, or None where it has no steady state."""
    match part:
        case Sections():
            gain = 1.0
            for row in part.rows:
                own = section_gain(row)
                if own is None:
                    return None
                gain *= own
            return gain
        case Taps():
            return float(np.sum(part.to_array()))
        case RunningMedian():
            return 1.0


def section_levels(part: Sections) -> list[float]:
    """Return the constant input of each section for a constant 1 at the front, 0 from a pole at z = 1 on."""
    levels: list[float] = []
    level = 1.0
    for row in part.rows:
        gain = section_gain(row)
        levels.append(0.0 if gain is None else level)
        level = 0.0 if gain is None else level * gain
    return levels


def steady_sections(part: Sections) -> Array:
    """Return the states of a cascade after an endless past of 1, (n_sections, 2), as ``scipy.signal.sosfilt_zi``.

    Sections from the first pole at z = 1 on have no such state and are at rest.
    """
    states = np.zeros((len(part.rows), 2))
    for k, (row, level) in enumerate(zip(part.rows, section_levels(part), strict=True)):
        out = (section_gain(row) or 0.0) * level
        states[k] = out - row[0] * level, row[2] * level - row[5] * out
    return states


def start_levels(design: ChainDesign) -> list[float]:
    """Return the constant past of each part for a first sample of 1: 0 where the chain starts at rest."""
    levels: list[float] = []
    level = 1.0 if design.initial == "steady" or design.phase == "zero" else 0.0
    for part in design.parts:
        levels.append(level)
        level *= part_gain(part) or 0.0
    return levels


def pad_length(part: Realisation, padding_kind: str, padding_samples: int | None, n_samples: int) -> int:
    """Return how many samples are added on each side of a segment for one zero-phase part.

    ``padding_samples`` None is SciPy's rule: three times the order of the cascade plus one, less its sections without
    second-order terms; for an FIR three times its taps. Where the segment is too short, what fits.
    """
    if n_samples == 0:
        return 0
    match part:
        case RunningMedian():
            return (part.window - 1) // 2
        case Taps(runs_once=True):
            return (len(part.values) - 1) // 2
    if padding_kind in ("none", "gustafsson"):
        return 0
    if padding_samples is not None:
        wanted = padding_samples
    elif isinstance(part, Taps):
        wanted = 3 * len(part.values)
    else:
        rows = part.to_array()
        short = min(int((rows[:, 2] == 0).sum()), int((rows[:, 5] == 0).sum()))
        wanted = 3 * (2 * len(rows) + 1 - short)
    return wanted if padding_kind == "constant" else min(wanted, n_samples - 1)


def padded(x: Array, edge: int, kind: str) -> Array:
    """Extend ``x``, (n_channels, n_samples), by ``edge`` samples on both sides.

    ``odd`` turns the signal about its end points, ``even`` mirrors it, everything else repeats the end points.
    """
    if edge == 0 or x.shape[1] == 0:
        return x
    if kind == "odd" and edge < x.shape[1]:
        with held_by(x.dtype):  # what is turned about may lie three times as far out
            return np.pad(x, ((0, 0), (edge, edge)), mode="reflect", reflect_type="odd")
    if kind == "even" and edge < x.shape[1]:
        return np.pad(x, ((0, 0), (edge, edge)), mode="reflect")
    return np.pad(x, ((0, 0), (edge, edge)), mode="edge")


def paddings(x: Array, edge: int, kind: str) -> tuple[Array, Array]:
    """Return what precedes and what follows ``x`` in its padded form."""
    reach = min(edge + 1, x.shape[1])
    left = padded(x[:, :reach], edge, kind)[:, :edge]
    right = padded(x[:, -reach:], edge, kind)
    return left, right[:, right.shape[1] - edge :]
