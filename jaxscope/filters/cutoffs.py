"""Where a design really crosses half power (-3.01 dB) and half amplitude (-6.02 dB), for the passes in use.

Levels count from the highest point of the response. A grid finds between which frequencies a crossing lies: even and
logarithmic steps, and points crowded about every pole at the scale of its ringing, so that no narrow notch or resonance
slips through; then all crossings are halved at once down to rounding.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from jaxscope.filters.coefficients import ChainDesign, RunningMedian, Sections, Taps
from jaxscope.filters.response import frequency_response
from jaxscope.filters.stability import quadratic_roots

HALF_POWER_DB = 10 * math.log10(0.5)
HALF_AMPLITUDE_DB = 20 * math.log10(0.5)

N_EVEN = 513
N_LOGARITHMIC = 257
MAX_EVEN = 32_769
MAX_CROWDED = 40_000
HALVINGS = 48
#: sections above which fewer points crowd about each pole
MANY_ROWS = 64

Floats = npt.NDArray[np.float64]

#: distances from a pole's angle in units of its distance to the circle
_CROWD = np.concatenate([-np.geomspace(1e-2, 1e3, 26)[::-1], [0.0], np.geomspace(1e-2, 1e3, 26)])


def _crowded(design: ChainDesign) -> list[Floats]:
    rows = [row for part in design.parts if isinstance(part, Sections) for row in part.rows]
    points = []
    crowd = _CROWD if len(rows) <= MANY_ROWS else _CROWD[::4]
    for row in rows[: MAX_CROWDED // _CROWD.size]:
        for root in quadratic_roots(*row[:3])[0][:1] + quadratic_roots(*row[3:])[0][:1]:
            width = max(abs(1 - abs(root)), 1e-9)
            points.append(abs(math.atan2(root.imag, root.real)) + crowd * width)
    return points


def grid_hz(design: ChainDesign) -> Floats:
    """Return increasing frequencies from 0 to fs/2 close enough together to show every feature."""
    n_taps = max((len(part.values) for part in design.parts if isinstance(part, Taps)), default=0)
    even = np.linspace(0, np.pi, min(max(N_EVEN, 8 * n_taps + 1), MAX_EVEN))
    angles = np.concatenate([even, np.geomspace(1e-8, np.pi, N_LOGARITHMIC), *_crowded(design)])
    angles = np.unique(np.clip(angles, 0, np.pi))
    return angles * design.rate_hz / (2 * np.pi)


def is_linear(design: ChainDesign) -> bool:
    """Return whether the design has a frequency response at all: a running median has none."""
    return not any(isinstance(part, RunningMedian) for part in design.parts)


def _magnitude(design: ChainDesign, frequency_hz: Floats) -> Floats:
    magnitude: Floats = np.abs(frequency_response(design, frequency_hz))
    return np.where(np.isfinite(magnitude), magnitude, np.inf)


def _peak(design: ChainDesign, frequency_hz: Floats, magnitude: Floats) -> tuple[float, float]:
    """Return frequency and height of the highest point, found again on ever finer grids."""
    for _ in range(4):
        top = int(np.argmax(magnitude))
        best = (float(frequency_hz[top]), float(magnitude[top]))
        low, high = frequency_hz[max(top - 1, 0)], frequency_hz[min(top + 1, frequency_hz.size - 1)]
        frequency_hz = np.append(np.linspace(low, high, 33), best[0])
        frequency_hz.sort()
        magnitude = _magnitude(design, frequency_hz)
    top = int(np.argmax(magnitude))
    return max(best, (float(frequency_hz[top]), float(magnitude[top])), key=lambda point: point[1])


def peak_of(design: ChainDesign) -> tuple[float, float]:
    """Return the frequency in Hz at which the response is highest, and its magnitude there."""
    frequency_hz = grid_hz(design)
    return _peak(design, frequency_hz, _magnitude(design, frequency_hz))


def crossings_hz(design: ChainDesign, levels_db: tuple[float, ...]) -> tuple[tuple[float, ...], ...]:
    """Return for each level, in decibel below the highest point, where the response crosses it.

    Parameters
    ----------
    design : ChainDesign
    levels_db : tuple of float
        Such as ``(HALF_POWER_DB, HALF_AMPLITUDE_DB)``.

    Returns
    -------
    tuple of tuples of float
        Frequencies in Hz, increasing, one tuple a level.
    """
    if not design.parts or not is_linear(design):
        return tuple(() for _ in levels_db)
    frequency_hz = grid_hz(design)
    magnitude = _magnitude(design, frequency_hz)
    _, top = _peak(design, frequency_hz, magnitude)
    if not 0 < top < math.inf:
        return tuple(() for _ in levels_db)
    return tuple(
        tuple(_refined(design, frequency_hz, magnitude, top * 10 ** (level_db / 20)).tolist()) for level_db in levels_db
    )


def _refined(design: ChainDesign, frequency_hz: Floats, magnitude: Floats, level: float) -> Floats:
    above = magnitude >= level
    places = np.flatnonzero(above[1:] != above[:-1])
    if places.size == 0:
        return np.empty(0)
    low, high = frequency_hz[places], frequency_hz[places + 1]
    rising = above[places + 1]
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        passed = (_magnitude(design, middle) >= level) == rising
        low, high = np.where(passed, low, middle), np.where(passed, middle, high)
    return (low + high) / 2


def minus_3db_hz(design: ChainDesign) -> tuple[float, ...]:
    """Return where the power is half of the highest (-3.01 dB), for the passes in use."""
    return crossings_hz(design, (HALF_POWER_DB,))[0]


def minus_6db_hz(design: ChainDesign) -> tuple[float, ...]:
    """Return where the amplitude is half of the highest (-6.02 dB), for the passes in use."""
    return crossings_hz(design, (HALF_AMPLITUDE_DB,))[0]
