"""How long a design rings: the time until a given part of its impulse response's energy has passed.

Sections: the cascade as a state space of one rotation (or triangle) a section, its observability Gramian by doubling,
and a search over powers of two, so that a 0.001 Hz high-pass costs no more than any other. Zero phase: the same for the
autocorrelation, on both sides. Taps: by adding up. Where both occur the times are added, to be on the safe side.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from jaxscope.filters.coefficients import ChainDesign, Realisation, Row, RunningMedian, Sections, Taps
from jaxscope.filters.stability import is_stable, monic_roots, pole_radius

#: energy still to come when the strong and the faint part of the settling zone end (99 % and 99.99 % have passed)
STRONG_TAIL = 1e-2
FAINT_TAIL = 1e-4

MAX_DOUBLINGS = 52
#: above this (a comb) a state space costs more than the answer is worth; its poles are all alike anyway
MAX_SPACE_SECTIONS = 128

Floats = npt.NDArray[np.float64]
_Section = tuple[Floats, Floats, Floats, float]


def _section_space(row: Row) -> _Section:
    """Return A (2, 2), B (2,), C (2,) and D of one section, its state scaled like its ringing."""
    b0, b1, b2, _, a1, a2 = row
    beta1, beta2 = b1 - b0 * a1, b2 - b0 * a2
    first, second = monic_roots(a1, a2)
    if first.imag > 0:
        sigma, omega = first.real, first.imag
        a = np.array([[sigma, omega], [-omega, sigma]])
        return a, np.array([1.0, 0.0]), np.array([beta1, -(beta2 + sigma * beta1) / omega]), b0
    p1, p2 = first.real, second.real
    # 1 where a pole is inside the circle by less than rounding
    coupling = math.sqrt((1 - p1 * p1) * (1 - p2 * p2)) or 1.0
    a = np.array([[p1, coupling], [0.0, p2]])
    return a, np.array([0.0, 1.0]), np.array([(beta2 + p1 * beta1) / coupling, beta1]), b0


def _cascade_space(rows: tuple[Row, ...]) -> _Section:
    size = 2 * len(rows)
    a, b, c, d = np.zeros((size, size)), np.zeros(size), np.zeros(size), 1.0
    for index, row in enumerate(rows):
        a_i, b_i, c_i, d_i = _section_space(row)
        here = slice(2 * index, 2 * index + 2)
        a[here, : 2 * index] = np.outer(b_i, c[: 2 * index])
        a[here, here] = a_i
        b[here] = b_i * d
        c *= d_i
        c[here] = c_i
        d *= d_i
    return a, b, c, d


def _powers(a: Floats) -> list[Floats]:
    """Return A, A², A⁴ … until nothing is left of it."""
    powers = [a]
    while len(powers) < MAX_DOUBLINGS and np.abs(powers[-1]).max() > 1e-150:
        powers.append(powers[-1] @ powers[-1])
    return powers


def _gramian(powers: list[Floats], vector: Floats) -> Floats:
    """Return the sum over n of (Aⁿ)ᵀ v vᵀ Aⁿ."""
    total = np.outer(vector, vector)
    for power in powers:
        total = total + power.T @ total @ power
    return total


def _search(powers: list[Floats], gramian: Floats, state: Floats, limit: float) -> int:
    """Return the first n at which the energy left, from ``Aⁿ state`` on, is not above ``limit``."""
    if float(state @ gramian @ state) <= limit:
        return 0
    n = 0
    for exponent in range(len(powers) - 1, -1, -1):
        later = powers[exponent] @ state
        if float(later @ gramian @ later) > limit:
            state, n = later, n + (1 << exponent)
    return n + 1


def _by_slowest_pole(rows: tuple[Row, ...], tail: float) -> float:
    """Return when the slowest pole alone has decayed to ``tail`` of its energy."""
    radius = pole_radius((Sections(rows),))
    if radius >= 1:
        return math.inf
    return 1 if radius == 0 else 1 + math.ceil(math.log(tail) / (2 * math.log(radius)))


def _sections_settling(rows: tuple[Row, ...], tail: float, *, zero_phase: bool) -> float:
    if len(rows) > MAX_SPACE_SECTIONS:
        return _by_slowest_pole(rows, tail)
    a, b, c, d = _cascade_space(rows)
    powers = _powers(a)
    observability = _gramian(powers, c)
    if not np.isfinite(observability).all() or not np.isfinite(b @ observability @ b):
        # a cascade of so high an order at so low a cutoff that its states leave the range of float64
        return _by_slowest_pole(rows, tail)
    if zero_phase:
        controllability = _gramian([power.T for power in powers], b)
        middle = float(c @ controllability @ c) + d * d
        start = a @ controllability @ c + b * d
        both = 2 * float(start @ observability @ start)
        return 1 + _search(powers, observability, start, tail * (middle * middle + both) / 2)
    total = d * d + float(b @ observability @ b)
    return 1 + _search(powers, observability, b, tail * total)


def _taps_settling(part: Taps, tail: float, *, zero_phase: bool) -> int:
    taps = part.to_array()
    taps = taps / max(float(np.abs(taps).max()), 1e-300)
    if zero_phase:
        if part.runs_once:
            taps = taps[taps.size // 2 :].copy()
        else:
            n_points = 1 << (2 * taps.size - 1).bit_length()
            taps = np.fft.irfft(np.abs(np.fft.rfft(taps, n_points)) ** 2, n_points)[: taps.size]
        taps[1:] *= math.sqrt(2)
    left = np.cumsum((taps * taps)[::-1])[::-1]
    enough = np.flatnonzero(left <= tail * left[0])
    return int(enough[0]) if enough.size else taps.size


@lru_cache(maxsize=1024)
def _part_settling(part: Realisation, tail: float, *, zero_phase: bool) -> float:
    match part:
        case Sections():
            if not is_stable((part,)):
                return math.inf
            with np.errstate(all="ignore"):
                return _sections_settling(part.rows, tail, zero_phase=zero_phase)
        case Taps():
            return _taps_settling(part, tail, zero_phase=zero_phase)
        case RunningMedian():
            return part.window // 2 if zero_phase else part.window - 1


def settling_samples(design: ChainDesign, tail: float = FAINT_TAIL) -> float:
    """Return after how many samples all but ``tail`` of the impulse response's energy has passed.

    Parameters
    ----------
    design : ChainDesign
    tail : float
        Part of the energy still to come, such as ``FAINT_TAIL``.

    Returns
    -------
    float
        A whole number, or infinity where the design is not stable. In zero phase it holds on each side.
    """
    return sum(_part_settling(part, tail, zero_phase=design.phase == "zero") for part in design.parts)


def ringing_s(design: ChainDesign, part: float = 0.01) -> float:
    """Return how long the slowest pole takes to decay to ``part``, in seconds; infinity where it never does."""
    radius = pole_radius(design.parts)
    if radius >= 1:
        return math.inf
    return 0.0 if radius == 0 else math.log(part) / math.log(radius) / design.rate_hz


def settling_s(design: ChainDesign, tail: float = FAINT_TAIL) -> float:
    """Return ``settling_samples`` in seconds."""
    return settling_samples(design, tail) / design.rate_hz
