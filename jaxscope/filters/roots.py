"""Zeros, poles and a gain: prototypes moved to a band, mapped to the z-plane, paired to second-order sections.

Roots are kept by half: of each conjugate pair only the one above the real axis, so that conjugates stay exactly
paired through every step. Formulas: Oppenheim and Schafer, Discrete-Time Signal Processing, chapter 7; the pairing and
the order of the rows are those of ``scipy.signal.zpk2sos`` (nearest), so the rows agree with SciPy's to rounding.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jaxscope.filters.coefficients import Row, Sections


@dataclass(frozen=True, slots=True)
class Roots:
    """Zeros and poles by half (imaginary part 0 or above) and the real gain."""

    zeros: tuple[complex, ...]
    poles: tuple[complex, ...]
    gain: float


def upper(root: complex) -> complex:
    """Return the root of a conjugate pair that lies above the real axis."""
    return root if root.imag >= 0 else root.conjugate()


def count(half: Iterable[complex]) -> int:
    """Return how many roots a half list stands for."""
    return sum(1 if root.imag == 0 else 2 for root in half)


def both(half: Iterable[complex]) -> tuple[complex, ...]:
    """Return all roots: the conjugates added."""
    result: list[complex] = []
    for root in half:
        result.append(root)
        if root.imag != 0:
            result.append(root.conjugate())
    return tuple(result)


def _product(half: Iterable[complex], offset: float) -> float:
    """Return the product of ``offset - root`` over all roots, which is real."""
    result = 1.0
    for root in half:
        if root.imag == 0:
            result *= offset - root.real
        else:
            result *= (offset - root.real) ** 2 + root.imag**2
    return result


def to_lowpass(prototype: Roots, edge: float) -> Roots:
    """Move an analog low-pass prototype of edge 1 rad/s to ``edge``."""
    degree = count(prototype.poles) - count(prototype.zeros)
    return Roots(
        tuple(edge * zero for zero in prototype.zeros),
        tuple(edge * pole for pole in prototype.poles),
        prototype.gain * edge**degree,
    )


def to_highpass(prototype: Roots, edge: float) -> Roots:
    """Turn an analog low-pass prototype into a high-pass."""
    degree = count(prototype.poles) - count(prototype.zeros)
    gain = prototype.gain * _product(prototype.zeros, 0.0) / _product(prototype.poles, 0.0)
    zeros = tuple(upper(edge / zero) for zero in prototype.zeros) + (0j,) * degree
    return Roots(zeros, tuple(upper(edge / pole) for pole in prototype.poles), gain)


def _split(root: complex, half_width: complex, centre: float) -> list[complex]:
    """Return both solutions of s + centre²/s = 2 half_width, the smaller one without cancellation."""
    distance = cmath.sqrt(half_width * half_width - centre * centre)
    if (half_width.conjugate() * distance).real < 0:
        distance = -distance
    large = half_width + distance
    small = centre * centre / large
    if root.imag != 0:
        return [upper(large), upper(small)]
    if large.imag != 0:
        return [upper(large)]
    return [complex(large.real), complex(small.real)]


def to_bandpass(prototype: Roots, low: float, high: float) -> Roots:
    """Turn an analog low-pass prototype into a band-pass with edges ``low`` and ``high``."""
    degree = count(prototype.poles) - count(prototype.zeros)
    width, centre = high - low, math.sqrt(low * high)
    zeros = [new for zero in prototype.zeros for new in _split(zero, zero * width / 2, centre)]
    poles = [new for pole in prototype.poles for new in _split(pole, pole * width / 2, centre)]
    return Roots((*zeros, *(0j,) * degree), tuple(poles), prototype.gain * width**degree)


def to_bandstop(prototype: Roots, low: float, high: float) -> Roots:
    """Turn an analog low-pass prototype into a band-stop with edges ``low`` and ``high``."""
    degree = count(prototype.poles) - count(prototype.zeros)
    width, centre = high - low, math.sqrt(low * high)
    zeros = [new for zero in prototype.zeros for new in _split(zero, width / 2 / zero, centre)]
    poles = [new for pole in prototype.poles for new in _split(pole, width / 2 / pole, centre)]
    gain = prototype.gain * _product(prototype.zeros, 0.0) / _product(prototype.poles, 0.0)
    return Roots((*zeros, *(complex(0.0, centre),) * degree), tuple(poles), gain)


def bilinear(analog: Roots, doubled_rate: float) -> Roots:
    """Map the s-plane to the z-plane, ``z = (c + s) / (c - s)`` with ``c`` twice the rate."""
    degree = count(analog.poles) - count(analog.zeros)
    gain = analog.gain * _product(analog.zeros, doubled_rate) / _product(analog.poles, doubled_rate)
    zeros = tuple(upper((doubled_rate + zero) / (doubled_rate - zero)) for zero in analog.zeros)
    poles = tuple(upper((doubled_rate + pole) / (doubled_rate - pole)) for pole in analog.poles)
    return Roots(zeros + (complex(-1.0),) * degree, poles, gain)


def _sorted_half(half: Sequence[complex], padding: int) -> list[complex]:
    """Return pairs first, then reals, each by real part (SciPy's order); zeros at the origin added."""
    padded = [*half, *(0j,) * padding]
    return sorted(padded, key=lambda root: (root.imag == 0, root.real, abs(root.imag)))


def _take(half: list[complex], distance: Sequence[float], *, real: bool) -> complex:
    """Remove and return the root of least distance, among the real ones if ``real``."""
    best = min((i for i in range(len(half)) if not real or half[i].imag == 0), key=lambda i: distance[i])
    return half.pop(best)


def _quadratic(first: complex, second: complex | None) -> tuple[float, float]:
    """Return the two lower coefficients of a monic quadratic; ``second`` None is the conjugate."""
    if second is None:
        return -2.0 * first.real, first.real**2 + first.imag**2
    return -(first.real + second.real), first.real * second.real


def _next_section(zeros: list[complex], poles: list[complex]) -> Row:
    pole = _take(poles, [abs(1 - abs(root)) for root in poles], real=False)
    partner = None if pole.imag != 0 else _take(poles, [abs(1 - abs(root)) for root in poles], real=True)
    zero = _take(zeros, [abs(root - pole) for root in zeros], real=False)
    mate = None if zero.imag != 0 else _take(zeros, [abs(root - pole) for root in zeros], real=True)
    a1, a2 = _quadratic(pole, partner)
    b1, b2 = _quadratic(zero, mate)
    return (1.0, b1, b2, 1.0, a1, a2)


def to_sections(roots: Roots) -> Sections:
    """Pair zeros and poles to second-order sections; the gain goes to the first row.

    The pole nearest to the circle comes last, each with the zero nearest to it.
    """
    n_zeros, n_poles = count(roots.zeros), count(roots.poles)
    degree = max(n_zeros, n_poles)
    degree += degree % 2
    if degree == 0:
        return Sections(((roots.gain, 0.0, 0.0, 1.0, 0.0, 0.0),))
    zeros = _sorted_half(roots.zeros, degree - n_zeros)
    poles = _sorted_half(roots.poles, degree - n_poles)
    rows = [_next_section(zeros, poles) for _ in range(degree // 2)][::-1]
    b0, b1, b2, *a = rows[0]
    rows[0] = (b0 * roots.gain, b1 * roots.gain, b2 * roots.gain, a[0], a[1], a[2])
    return Sections(tuple(rows))
