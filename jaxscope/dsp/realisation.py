"""From second-order sections to a state space whose rounding errors are small: each section balanced, then cascaded.

In direct form a section with poles close to z = 1 loses seven digits and more; in balanced form (equal Gramians) it
loses none (Mullis and Roberts 1976). The change of coordinates itself may be approximate (float64), as long as the
matrices in the new coordinates are then worked out exactly from it: that is done in integers, which Python has in any
length on every machine. A section that is not stable has no Gramians; it gets normal form (a scaled rotation).

Invariant: ``balanced_section`` is exact to 2**-200 in the given float64 coefficients; only a change of a section
recomputes it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from jaxscope.dsp.extended import Array, Pair, each, joined

#: fixed-point numbers here are integers in units of 2**-_BITS
_BITS = 320
_ONE = 1 << _BITS
#: below this a float64 can be moved by _BITS and stay one
_SHIFTED = 2.0 ** (1023 - _BITS)
Row = tuple[float, float, float, float, float, float]
Fixed = int


@dataclass(frozen=True, slots=True)
class FixedSection:
    """A section ``x' = A x + B u, y = C x + D u`` in fixed point, its output in units of ``2**exponent``."""

    a: tuple[Fixed, Fixed, Fixed, Fixed]
    b: tuple[Fixed, Fixed]
    c: tuple[Fixed, Fixed]
    d: Fixed
    exponent: int
    is_stable: bool
    #: steady state for a constant input of 1, and the output then; None with a pole at z = 1
    steady: tuple[Fixed, Fixed] | None
    gain: Fixed


def to_fixed(value: float) -> Fixed:
    """Return a float64 as an exact fixed-point number (smaller than 2**-_BITS is cut)."""
    if -_SHIFTED < value < _SHIFTED:
        return int(math.ldexp(value, _BITS))
    numerator, denominator = value.as_integer_ratio()
    return (numerator << _BITS) // denominator


#: one plus the coefficients of a section that is taken to have a pole at z = 1
_NOTHING = to_fixed(1e-15)


def times(left: Fixed, right: Fixed) -> Fixed:
    """Multiply two fixed-point numbers."""
    return (left * right) >> _BITS


def over(left: Fixed, right: Fixed) -> Fixed:
    """Divide two fixed-point numbers."""
    return (left << _BITS) // right


def to_float(value: Fixed) -> float:
    """Round a fixed-point number to float64."""
    return value / _ONE


@lru_cache(maxsize=4096)
def balanced_section(row: Row) -> FixedSection:
    """Return one section (b0 b1 b2 1 a1 a2) in balanced form, or in normal form where it is not stable."""
    exponent = _numerator_exponent(row)
    b0, b1, b2 = (to_fixed(math.ldexp(value, -exponent)) for value in row[:3])
    a1, a2 = to_fixed(row[4]), to_fixed(row[5])
    c1, c2 = b1 - times(a1, b0), b2 - times(a2, b0)
    near, far, inside = _ONE + a1 + a2, _ONE - a1 + a2, _ONE - a2
    is_stable = near > 0 and far > 0 and inside > 0
    if is_stable:
        change = _balancing(a1, a2, c1, c2, near, far, inside)
    else:
        change = _normal_form(row[4], row[5], to_float(c1), to_float(c2))
    p, q, r, s = (to_fixed(value) for value in change)
    inverse = over(_ONE, times(p, s) - times(q, r))
    # A T, with A = [[-a1, -a2], [1, 0]]; then adj(T) A T / det(T)
    top = (-times(a1, p) - times(a2, r), -times(a1, q) - times(a2, s))
    matrix = (
        times(times(s, top[0]) - times(q, p), inverse),
        times(times(s, top[1]) - times(q, q), inverse),
        times(times(p, p) - times(r, top[0]), inverse),
        times(times(p, q) - times(r, top[1]), inverse),
    )
    gain = 0
    steady = None
    if abs(near) > _NOTHING:
        level = over(_ONE, near)
        gain = times(b0 + b1 + b2, level)
        steady = (times(times(s - q, level), inverse), times(times(p - r, level), inverse))
    return FixedSection(
        a=matrix,
        b=(times(s, inverse), -times(r, inverse)),
        c=(times(c1, p) + times(c2, r), times(c1, q) + times(c2, s)),
        d=b0,
        exponent=exponent,
        is_stable=is_stable,
        steady=steady,
        gain=gain,
    )


def _numerator_exponent(row: Row) -> int:
    """Return the power of two nearest to the largest gain of the section, so that inner signals are near 1."""
    peak = max(abs(row[0]), abs(row[1]), abs(row[2]))
    if peak == 0.0:
        return 0
    near, far, inside = math.fsum((1.0, row[4], row[5])), math.fsum((1.0, -row[4], row[5])), 1.0 - row[5]
    gains = [peak]
    for sign, below in ((1.0, near), (-1.0, far)):
        if below > 0:
            gains.append(abs(math.fsum((row[0], sign * row[1], row[2]))) / below)
    if near > 0 and far > 0 and inside > 0:
        # gain at the resonance of the poles, about
        cosine = max(-1.0, min(1.0, -row[4] / (1.0 + row[5])))
        z = complex(cosine, math.sqrt(1.0 - cosine * cosine))
        below_z = abs(1.0 + row[4] / z + row[5] / (z * z))
        if below_z > 0:
            gains.append(abs(row[0] + row[1] / z + row[2] / (z * z)) / below_z)
    return math.frexp(max(gains))[1]


def _balancing(
    a1: Fixed, a2: Fixed, c1: Fixed, c2: Fixed, near: Fixed, far: Fixed, inside: Fixed
) -> tuple[float, float, float, float]:
    """Return float64 coordinates (columns of T) in which both Gramians of a stable section are about equal.

    The Gramians in closed form. In coordinates (x1 + x2, x1 − x2) / √2 that of control is diagonal,
    1 / (inside · near) and 1 / (inside · far).
    """
    sum_, difference = c1 + c2, c1 - c2
    squares = (times(times(sum_, sum_), far) + times(times(difference, difference), near)) >> 1
    w11 = over(over(squares, inside), times(near, far))
    w22 = times(times(a2, a2), w11) + times(c2, c2)
    w12 = over(times(times(a1, a2), w11) + times(c1, c2), _ONE + a2)
    # observation, rotated
    o11, o22, o12 = (w11 + w22 + 2 * w12) / (2 * _ONE), (w11 + w22 - 2 * w12) / (2 * _ONE), (w11 - w22) / (2 * _ONE)
    l1 = 1.0 / math.sqrt(to_float(times(inside, near)))
    l2 = 1.0 / math.sqrt(to_float(times(inside, far)))
    m11, m22, m12 = l1 * l1 * o11, l2 * l2 * o22, l1 * l2 * o12
    angle = 0.5 * math.atan2(2.0 * m12, m11 - m22)
    cosine, sine = math.cos(angle), math.sin(angle)
    largest = m11 * cosine * cosine + 2.0 * m12 * cosine * sine + m22 * sine * sine
    smallest = m11 * sine * sine - 2.0 * m12 * cosine * sine + m22 * cosine * cosine
    if largest <= 0.0:
        first = second = 1.0
    else:
        # a state that is hardly seen (a first-order section) is not blown up to be seen
        first = largest**-0.125 * largest**-0.125
        second = max(smallest, 1e-10 * largest) ** -0.25
    r11, r12 = l1 * cosine * first, -l1 * sine * second
    r21, r22 = l2 * sine * first, l2 * cosine * second
    half = math.sqrt(0.5)
    return half * (r11 + r21), half * (r12 + r22), half * (r11 - r21), half * (r12 - r22)


def _normal_form(a1: float, a2: float, c1: float, c2: float) -> tuple[float, float, float, float]:
    """Return float64 coordinates in which the matrix of an unstable section is a scaled rotation, or triangular."""
    discriminant = a1 * a1 / 4.0 - a2
    if discriminant < 0:
        real, imaginary = -a1 / 2.0, math.sqrt(-discriminant)
        change = (real, imaginary, 1.0, 0.0)
    else:
        root = math.sqrt(discriminant)
        pole = -a1 / 2.0 + math.copysign(root, -a1)
        length = math.hypot(pole, 1.0)
        change = (pole / length, -1.0 / length, 1.0 / length, pole / length)
    seen = math.hypot(c1, c2)
    scale = 1.0 if seen == 0.0 else seen**-0.5
    p, q, r, s = (value * scale for value in change)
    return p, q, r, s


@dataclass(frozen=True, slots=True)
class StateSpace:
    """Cascades of one size as pairs: a (…, n, n), b (…, n, 1), c (…, 1, n), d (…, 1, 1); n is twice the sections.

    ``steady`` (…, n) is the state after an endless past of 1 at the input; ``gain`` (…,) what comes out then.
    """

    a: Pair
    b: Pair
    c: Pair
    d: Pair
    steady: Array
    gain: Array
    is_stable: bool


def _cascade(rows: tuple[Row, ...]) -> tuple[list[list[Fixed]], list[Fixed], list[Fixed], Fixed, list[Fixed], Fixed]:
    """Return a, b, c, d, steady and gain of one cascade in fixed point."""
    n = 2 * len(rows)
    a = [[0] * n for _ in range(n)]
    b, steady = [0] * n, [0] * n
    reads: list[Fixed] = [0] * n  # how the next section's input reads the states so far
    direct, level = _ONE, _ONE
    has_level = True
    for k, row in enumerate(rows):
        section = balanced_section(row)
        i, j = 2 * k, 2 * k + 1
        b1, b2 = section.b
        a[i][:i] = [(b1 * read) >> _BITS for read in reads[:i]]
        a[j][:i] = [(b2 * read) >> _BITS for read in reads[:i]]
        a[i][i], a[i][j], a[j][i], a[j][j] = section.a
        b[i], b[j] = times(b1, direct), times(b2, direct)
        has_level = has_level and section.steady is not None
        if has_level and section.steady is not None:
            steady[i], steady[j] = times(section.steady[0], level), times(section.steady[1], level)
            level = times(section.gain, level)
        reads[:i] = [(section.d * read) >> _BITS for read in reads[:i]]
        reads[i], reads[j] = section.c
        direct = times(section.d, direct)
    return a, b, reads, direct, steady, level if has_level else 0


def _pairs(values: Sequence[Fixed]) -> Array:
    """Round fixed-point numbers to pairs, (2, n_values): what they are rounded to, and the rest."""
    # in units of 2**-_BITS first, in which what a float64 holds of them is a whole number
    high = [float(value) for value in values]
    low = [float(value - int(rounded)) if value else 0.0 for value, rounded in zip(values, high, strict=True)]
    rounded: Array = np.ldexp(np.array((high, low)), -_BITS)
    return rounded


@lru_cache(maxsize=512)
def cascade_state_space(rows: tuple[Row, ...]) -> StateSpace:
    """Return one cascade of normalised sections as a state space, without batch axes."""
    a, b, c, d, steady, gain = _cascade(rows)
    n = 2 * len(rows)
    # a call of numpy costs more than its arithmetic here, so all are rounded in one go
    rounded = _pairs([*(value for line in a for value in line), *b, *steady, *c, d, gain])
    seen = rounded[:, n * n + 2 * n :]
    np.ldexp(seen, sum(balanced_section(row).exponent for row in rows), out=seen)

    def pair(first: int, *shape: int) -> Pair:
        part = rounded[:, first : first + math.prod(shape)]
        return Pair(part[0].reshape(shape), part[1].reshape(shape))

    return StateSpace(
        a=pair(0, n, n),
        b=pair(n * n, n, 1),
        c=pair(n * n + 2 * n, 1, n),
        d=pair(n * n + 3 * n, 1, 1),
        steady=rounded[0, n * n + n : n * n + 2 * n],
        gain=rounded[0, -1],
        is_stable=all(balanced_section(row).is_stable for row in rows),
    )


def stacked(spaces: list[StateSpace]) -> StateSpace:
    """Return several cascades of one size with a batch axis in front."""

    def join(pairs: list[Pair]) -> Pair:
        return joined([each(lambda part: part[np.newaxis], pair) for pair in pairs], 0)

    return StateSpace(
        a=join([s.a for s in spaces]),
        b=join([s.b for s in spaces]),
        c=join([s.c for s in spaces]),
        d=join([s.d for s in spaces]),
        steady=np.stack([s.steady for s in spaces]),
        gain=np.stack([s.gain for s in spaces]),
        is_stable=all(s.is_stable for s in spaces),
    )
