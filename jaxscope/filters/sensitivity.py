"""How strongly each number of a stage's sections moves the filtered signal: to first order, in the signal's own unit.

With S the stage's response for one pass and z on the unit circle, a change of b_i in section k changes S by z^-i times
all else of S over the section's denominator, and a change of a_i by -S z^-i over it. Forward and backward the level
S* S changes by 2 Re(S* dS). The signal's spectrum weighs that (Parseval), its mean and slope left out: what is told is
the root mean square by which After moves when the number grows by one part in a hundred.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jaxscope.filters.coefficients import ChainDesign, Sections
from jaxscope.filters.response import angles_of, frequency_response, sections_response

#: sections above which nothing is worked out: the time grows with the square of their number
MOST_SECTIONS = 48
PART = 0.01
_NUMBERS = 6
_A0 = 3

Floats = npt.NDArray[np.float64]


def section_sensitivity(sections: Sections, others: ChainDesign, x: npt.ArrayLike) -> Floats:
    """Return by how much After moves when each number grows by 1 %.

    Parameters
    ----------
    sections : Sections
        Those of the stage, for one pass.
    others : ChainDesign
        The other active stages of the chain, at its rate and phase.
    x : array_like, shape (n_channels, n_samples)
        What goes in, finite.

    Returns
    -------
    ndarray, shape (n_sections, 6)
        Root mean square over all channels, in the unit of ``x``; 0 for a0, which is always 1.
    """
    signal = np.atleast_2d(np.asarray(x, dtype=np.float64))
    n = signal.shape[1]
    spectrum = np.fft.rfft(_without_slope(signal), axis=1)
    power = np.mean(np.abs(spectrum) ** 2, axis=0) / n**2
    power[1 : (n + 1) // 2] *= 2
    angle = np.linspace(0, np.pi, spectrum.shape[1]) if n % 2 == 0 else 2 * np.pi * np.arange(spectrum.shape[1]) / n
    frequency_hz = angle * others.rate_hz / (2 * np.pi)
    angle = angles_of(frequency_hz, others.rate_hz)
    rest = frequency_response(others, frequency_hz)
    whole = sections_response(sections, angle)
    result = np.zeros((len(sections.rows), _NUMBERS))
    delays = [np.exp(-1j * angle * late) for late in range(3)]
    for number, row in enumerate(sections.rows):
        below = row[3] + row[4] * delays[1] + row[5] * delays[2]
        without = sections_response(Sections((*sections.rows[:number], *sections.rows[number + 1 :])), angle)
        for place, value in enumerate(row):
            if place == _A0 or value == 0:
                continue
            moved = without if place < _A0 else -whole
            change = moved * delays[place % 3] / below * (PART * value)
            if others.phase == "zero":
                change = 2 * np.real(np.conj(whole) * change)
            result[number, place] = np.sqrt(np.sum(power * np.abs(rest * change) ** 2))
    return result


def _without_slope(x: Floats) -> Floats:
    """Return each channel less its line of least squares."""
    time = np.arange(x.shape[1]) - (x.shape[1] - 1) / 2
    level = x - x.mean(axis=1, keepdims=True)
    slope = level @ time / max(float(time @ time), 1.0)
    flat: Floats = level - slope[:, np.newaxis] * time
    return flat
