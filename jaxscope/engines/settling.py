"""How many samples a chain remembers: the context that a view needs before it equals the whole.

Found by repeated squaring of each cascade's state matrix, so repeated and close poles count as they should. Squares of
long cascades leave the range of float64: there each pole's part of the impulse response is looked at instead.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from jaxscope.filters.coefficients import ChainDesign, RunningMedian, Sections, Taps

#: what is left of a start after the context, relative to it
TOLERANCE = 1e-9
#: sections up to which the matrix of a cascade is squared
MOST_SQUARED = 16
#: returned for a chain that never forgets (an integrator, an unstable filter); larger than any recording
NEVER = 2**62


@lru_cache(maxsize=1024)
def section_settling(row: tuple[float, float, float, float, float, float]) -> tuple[float, int]:
    """Return the pole radius of one section and its order."""
    a1, a2 = row[4], row[5]
    discriminant = a1 * a1 - 4.0 * a2
    radius = float(np.sqrt(a2)) if discriminant < 0 else (abs(a1) + float(np.sqrt(discriminant))) / 2.0
    return radius, 2 if a2 != 0 else int(a1 != 0)


def pole_radius(part: Sections) -> float:
    """Return the largest pole radius of a cascade (0 without poles)."""
    return max((section_settling(row)[0] for row in part.rows), default=0.0)


def _cascade_matrix(part: Sections) -> npt.NDArray[np.float64]:
    """Return the state matrix of the cascade, each section in modal form scaled for a state of unit size."""
    n = 2 * len(part.rows)
    matrix = np.zeros((n, n))
    into = np.zeros(n)  # how the input of the next section reads the states
    for k, (b0, b1, b2, _, a1, a2) in enumerate(part.rows):
        own = slice(2 * k, 2 * k + 2)
        discriminant = a1 * a1 / 4.0 - a2
        if discriminant < 0:
            real, imaginary = -a1 / 2.0, float(np.sqrt(-discriminant))
            matrix[own, own] = [[real, imaginary], [-imaginary, real]]
        else:
            root = float(np.sqrt(discriminant))
            matrix[own, own] = [[-a1 / 2.0 + root, 1.0], [0.0, -a1 / 2.0 - root]]
        matrix[own, : 2 * k] = into[: 2 * k]
        scale = max(abs(b0) + abs(b1) + abs(b2), 1e-300)
        into = into * (abs(b0) / scale)
        into[own] = 1.0
    return matrix


def _settling_by_pole(part: Sections) -> int:
    """Return when the parts that all poles have in the impulse response are together below ``TOLERANCE``.

    The largest gain is the measure. Poles that coincide have no such parts: then it is ``NEVER``.
    """
    b0, b1, b2, _, a1, a2 = part.to_array().T.astype(complex)
    middle, root = -a1 / 2, np.sqrt(a1 * a1 / 4 - a2)
    poles = np.concatenate([middle + root, middle - root])
    delayed = 1 / poles[poles != 0, np.newaxis]  # z^-1 at each pole
    circle = delayed / np.abs(delayed)
    with np.errstate(divide="ignore"):
        below = np.log(np.abs(1 - delayed * poles))
        below[np.arange(len(delayed)), np.flatnonzero(poles)] = 0.0
        size = np.log(np.abs(b0 + b1 * delayed + b2 * delayed**2)).sum(axis=1) - below.sum(axis=1)
        above = np.abs(b0 + b1 * circle + b2 * circle**2)
        gain = np.log(above / np.abs(1 + a1 * circle + a2 * circle**2)).sum(axis=1).max(initial=-np.inf)
    radius = 1 / np.abs(delayed[:, 0])
    wanted = np.log(TOLERANCE / max(len(radius), 1)) + gain + np.log(1 - radius)
    samples = float(((wanted - size) / np.log(radius)).max(initial=0.0))
    return int(samples) + 1 + int(np.count_nonzero(poles == 0)) if np.isfinite(samples) else NEVER


@lru_cache(maxsize=256)
def cascade_settling(part: Sections) -> int:
    """Return after how many samples a cascade has forgotten its state to ``TOLERANCE`` (``NEVER``: it does not)."""
    if pole_radius(part) >= 1.0 - 1e-15:
        return NEVER
    if len(part.rows) > MOST_SQUARED:
        pieces = (part.rows[first : first + MOST_SQUARED] for first in range(0, len(part.rows), MOST_SQUARED))
        return min(_settling_by_pole(part), sum(cascade_settling(Sections(rows)) for rows in pieces))
    powers = [_cascade_matrix(part)]
    reference = max(float(np.abs(powers[0]).max()), 1.0)
    while float(np.abs(powers[-1]).max()) > TOLERANCE * reference:
        powers.append(powers[-1] @ powers[-1])
        if len(powers) > 60:
            return NEVER
    total, product = 0, np.eye(len(powers[0]))
    for exponent in range(len(powers) - 2, -1, -1):
        longer = product @ powers[exponent]
        if float(np.abs(longer).max()) > TOLERANCE * reference:
            total, product = total + 2**exponent, longer
    return total + 1


def context_samples(design: ChainDesign) -> int:
    """Return the samples that must be read before a view (zero phase: on both sides) so that it has settled."""
    total = 0
    for part in design.parts:
        match part:
            case Sections():
                total += cascade_settling(part)
            case Taps():
                total += len(part.values) - 1
            case RunningMedian():
                total += part.window - 1
    return min(total, NEVER)


def memory(part: Sections | Taps | RunningMedian) -> int:
    """Return twice the samples in which a cascade forgets to 1e-9, or how far back a part of finite length reaches."""
    match part:
        case Sections():
            settled = cascade_settling(part)
            return NEVER if settled >= NEVER else 2 * settled
        case Taps():
            return len(part.values) - 1
        case RunningMedian():
            return part.window - 1
