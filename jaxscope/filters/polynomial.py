"""The interchange form b / a: multiplied out of sections, and how many digits of the filter that form loses.

Sections are the working form. A polynomial of the same filter moves its poles by its rounding, the more the closer they
crowd: whoever wants b / a is told by how much.
"""

from __future__ import annotations

import math

import numpy as np

from jaxscope.filters.coefficients import Realisation, RunningMedian, Sections, Taps
from jaxscope.filters.stability import monic_roots

#: a float64 has no more digits to lose
ALL_DIGITS = 16.0


def polynomials(parts: tuple[Realisation, ...]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return numerator and denominator of one pass in rising powers of z⁻¹; a running median counts as nothing."""
    b, a = np.ones(1), np.ones(1)
    for part in parts:
        match part:
            case Sections():
                for row in part.rows:
                    b, a = np.convolve(b, row[:3]), np.convolve(a, row[3:])
            case Taps():
                b = np.convolve(b, part.to_array())
            case RunningMedian():
                continue
    return tuple(b.tolist()), tuple(a.tolist())


def digits_lost(parts: tuple[Realisation, ...]) -> float:
    """Return about how many of 16 digits the filter loses where its denominator is stored as one polynomial.

    The first-order shift of a pole p for a relative change of every coefficient is Σ|aₖ||p|ⁿ⁻ᵏ / |Π(p - q)| (Wilkinson,
    Rounding Errors in Algebraic Processes, 1963); it is measured by the pole's distance to the circle, for that is
    what decides ringing and stability.

    Examples
    --------
    >>> digits_lost((Sections(((1.0, 0.0, 0.0, 1.0, -0.5, 0.0),)),)) < 1
    True
    """
    poles = np.array(
        [
            root
            for part in parts
            if isinstance(part, Sections)
            for row in part.rows
            for root in monic_roots(row[4], row[5])
            if root != 0
        ]
    )
    if poles.size == 0:
        return 0.0
    a = np.abs(np.array(polynomials(parts)[1]))[: poles.size + 1]
    powers = np.abs(poles)[:, None] ** (poles.size - np.arange(a.size))
    gaps = np.abs(poles[:, None] - poles[None, :]) + np.eye(poles.size)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        shift = (powers * a).sum(axis=1) / np.prod(gaps, axis=1)
        relative = shift / np.maximum(np.abs(1 - np.abs(poles)), np.finfo(np.float64).eps)
    worst = float(np.max(relative))
    if not math.isfinite(worst):
        return ALL_DIGITS
    return min(max(math.log10(worst), 0.0), ALL_DIGITS)
