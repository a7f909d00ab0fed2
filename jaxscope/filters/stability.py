"""Zeros and poles of what runs, and whether it stays bounded.

Roots come from the sections as they are run, each quadratic by itself, with its discriminant exact to the last bit
(two-product after Dekker 1971): poles of a low cutoff crowd at z = 1, where a plain discriminant keeps half the digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jaxscope.errors import UnstableError
from jaxscope.filters.coefficients import ChainDesign, Realisation, Row, RunningMedian, Sections, Taps

#: taps above this have no roots worth their time: eigenvalues cost its cube
MAX_ROOTED_TAPS = 1025
#: part of the largest coefficient below which a leading one counts as 0
NEGLIGIBLE = 2.0**-100
#: a(1) at or below this is a pole at z = 1
POLE_AT_ONE = 1e-15
_SPLITTER = 134217729.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """Zeros, poles and gain: ``H(z) = gain · Π(z - zero) / Π(z - pole)``.

    ``zeros`` is None where there are too many taps to root, or they lie too far apart.
    """

    zeros: tuple[complex, ...] | None
    poles: tuple[complex, ...]
    gain: float


def _square_less(half: float, other: float) -> float:
    """Return half² - other, rounded once."""
    high = half * half
    upper = _SPLITTER * half
    upper = upper - (upper - half)
    lower = half - upper
    return math.fsum((high, ((upper * upper - high) + 2 * upper * lower) + lower * lower, -other))


def monic_roots(c1: float, c2: float) -> tuple[complex, complex]:
    """Return both roots of z² + c1 z + c2."""
    half = -c1 / 2
    discriminant = _square_less(half, c2)
    if discriminant < 0:
        imaginary = math.sqrt(-discriminant)
        return complex(half, imaginary), complex(half, -imaginary)
    large = half + math.copysign(math.sqrt(discriminant), half)
    return complex(large), complex(c2 / large if large != 0 else 0.0)


def quadratic_roots(c0: float, c1: float, c2: float) -> tuple[list[complex], float]:
    """Return the roots of c0 z² + c1 z + c2 and the leading coefficient; 0 and [] where all are 0.

    Leading coefficients below all rounding count as 0: their roots lie beyond what float64 can hold.
    """
    least = NEGLIGIBLE * max(abs(c0), abs(c1), abs(c2))
    if abs(c0) > least:
        return list(monic_roots(c1 / c0, c2 / c0)), c0
    if abs(c1) > least:
        return [complex(-c2 / c1)], c1
    return [], c2


def _row_roots(row: Row) -> tuple[list[complex], list[complex], float]:
    """Return zeros, poles and gain of a section."""
    b0, b1, b2, _, a1, a2 = row
    poles = list(monic_roots(a1, a2))
    zeros, gain = quadratic_roots(b0, b1, b2)
    if gain == 0:
        return [], [], 0.0
    return zeros, poles, gain


def _part_plane(part: Realisation) -> Plane:
    match part:
        case Sections():
            zeros: list[complex] = []
            poles: list[complex] = []
            gain = 1.0
            for row in part.rows:
                more_zeros, more_poles, factor = _row_roots(row)
                zeros, poles, gain = zeros + more_zeros, poles + more_poles, gain * factor
            return Plane(zeros=tuple(zeros), poles=tuple(poles), gain=gain)
        case Taps():
            return _taps_plane(part)
        case RunningMedian():
            return Plane(zeros=(), poles=(), gain=1.0)


def _taps_plane(part: Taps) -> Plane:
    taps = np.trim_zeros(part.to_array(), "b")
    if taps.size == 0:
        return Plane(zeros=(), poles=(), gain=0.0)
    poles = (0j,) * (taps.size - 1)
    core = np.trim_zeros(taps, "f")
    if core.size > MAX_ROOTED_TAPS:
        return Plane(zeros=None, poles=poles, gain=float(core[0]))
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            zeros = np.roots(core).astype(complex)
    except (FloatingPointError, np.linalg.LinAlgError):
        # coefficients too far apart: there are zeros, but beyond what float64 can hold
        return Plane(zeros=None, poles=poles, gain=float(core[0]))
    return Plane(zeros=tuple(zeros.tolist()), poles=poles, gain=float(core[0]))


def plane_of(parts: tuple[Realisation, ...]) -> Plane:
    """Return zeros, poles and gain of one pass of the linear parts."""
    zeros: tuple[complex, ...] | None = ()
    poles: tuple[complex, ...] = ()
    gain = 1.0
    for part in parts:
        plane = _part_plane(part)
        zeros = None if zeros is None or plane.zeros is None else zeros + plane.zeros
        poles, gain = poles + plane.poles, gain * plane.gain
    if zeros is None:
        return Plane(zeros=None, poles=poles, gain=gain)
    # the pairing of an odd order puts the spare zero and the spare pole at the origin in different sections
    n_both = min(zeros.count(0j), poles.count(0j))
    return Plane(zeros=_without_origin(zeros, n_both), poles=_without_origin(poles, n_both), gain=gain)


def _without_origin(roots: tuple[complex, ...], count: int) -> tuple[complex, ...]:
    """Return the roots without ``count`` of those at the origin."""
    away = tuple(root for root in roots if root != 0)
    return away + (0j,) * (len(roots) - len(away) - count)


def _row_radius(row: Row) -> float:
    first, second = monic_roots(row[4], row[5])
    if first.imag != 0:
        return math.sqrt(row[5])
    return max(abs(first), abs(second))


def _row_is_stable(row: Row) -> bool:
    """Return whether both poles are inside the circle: the triangle |a2| < 1, |a1| < 1 + a2, without rounding."""
    a1, a2 = row[4], row[5]
    return abs(a2) < 1 and math.fsum((1.0, a2, -abs(a1))) > 0


def pole_radius(parts: tuple[Realisation, ...]) -> float:
    """Return the radius of the outermost pole, 0 where there is none but at the origin."""
    rows = [row for part in parts if isinstance(part, Sections) for row in part.rows]
    return max(map(_row_radius, rows), default=0.0)


def is_stable(parts: tuple[Realisation, ...]) -> bool:
    """Return whether every pole lies inside the unit circle."""
    return all(_row_is_stable(row) for part in parts if isinstance(part, Sections) for row in part.rows)


def stability_margin(parts: tuple[Realisation, ...]) -> float:
    """Return 1 less the radius of the outermost pole; 0 or below is unstable."""
    return 1.0 - pole_radius(parts)


def integrates(row: Row) -> bool:
    """Return whether a section has a pole at z = 1, so that a constant has no steady state."""
    # a sum of float64 near 1, -2, 1 that should be 0 is off by a few of their distances
    return abs(math.fsum(row[3:])) <= POLE_AT_ONE


def _is_bounded(parts: tuple[Realisation, ...]) -> bool:
    """Return whether the output stays as bounded as a running sum: all stable but for one simple pole at z = 1."""
    rows = [row for part in parts if isinstance(part, Sections) for row in part.rows]
    restless = [row for row in rows if not _row_is_stable(row)]
    return not restless or (len(restless) == 1 and integrates(restless[0]) and abs(restless[0][5]) < 1)


def radius_words(radius: float, digits: int = 4) -> str:
    """Return a radius with so many digits after the point, or as many more as tell it from 1.

    Examples
    --------
    >>> radius_words(1.024695077, 3), radius_words(1.0000012, 3)
    ('1.025', '1.000001')
    """
    for count in range(digits, 12):
        text = f"{radius:.{count}f}"
        if radius == 1 or float(text) != 1.0:
            return text
    return f"{radius:.12g}"


def require_stable(design: ChainDesign) -> None:
    """Raise UnstableError, with the radius in the sentence, where a pole is on the circle or outside.

    One integrator (a simple pole at z = 1) may run: it is a running sum, which people ask for.
    """
    if _is_bounded(design.parts):
        return
    radius = pole_radius(design.parts)
    where = "outside" if radius > 1 else "on"
    raise UnstableError(
        f"Unstable: a pole is {where} the unit circle, at radius {radius_words(radius, 3)}",
        pole_radius=radius,
        hint=f"move it inside, for example to {1 / radius if radius > 1 else 0.999:.4g}",
    )


def as_float32(parts: tuple[Realisation, ...]) -> tuple[Realisation, ...]:
    """Return sections and taps rounded to float32, as they would be stored on a small device."""
    rounded: list[Realisation] = []
    for part in parts:
        match part:
            case Sections():
                rounded.append(Sections(tuple(map(_row32, part.rows))))
            case Taps():
                rounded.append(Taps(tuple(to_float32(part.values)), runs_once=part.runs_once))
            case RunningMedian():
                rounded.append(part)
    return tuple(rounded)


def to_float32(values: Sequence[float]) -> list[float]:
    """Return numbers rounded to float32; what is beyond it becomes the largest number that it has."""
    largest = np.finfo(np.float32).max
    rounded: list[float] = np.clip(values, -largest, largest).astype(np.float32).tolist()
    return rounded


def _row32(row: Row) -> Row:
    b0, b1, b2, a0, a1, a2 = to_float32(row)
    return (b0, b1, b2, a0, a1, a2)
