"""What a design does to a sine, a pulse and a step, for the passes in use.

Everything is worked out from sections and taps, never from multiplied polynomials. A section is evaluated through the
exact sums of its coefficients and sin²(w/2): near 0 Hz and fs/2 the plain sum b0 + b1 q + b2 q² loses all digits of a
low cutoff at a high rate, this form loses none. In zero phase a part counts twice (its squared magnitude), a smoother
that runs once counts once, centred. A running median is not linear: it counts as nothing here.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from jaxscope.filters.coefficients import ChainDesign, Realisation, RunningMedian, Sections, Taps

Floats = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]

#: part of the largest term below which a response counts as 0, where delay and phase have no meaning
ZERO_PART = 1e-12


def angles_of(frequency_hz: npt.ArrayLike, rate_hz: float) -> Floats:
    """Return frequencies as angles in radians per sample, shape (n_frequencies,)."""
    return 2 * np.pi * np.atleast_1d(np.asarray(frequency_hz, dtype=np.float64)) / rate_hz


def _centred(p0: float, p1: float, p2: float, angle: Floats) -> Complexes:
    """Return p0 e^jw + p1 + p2 e^-jw: a quadratic in e^-jw, turned by one sample."""
    outer, slope = p0 + p2, p0 - p2
    low = angle <= np.pi / 2
    half = np.where(low, angle, np.pi - angle) / 2
    cosine_part = 2 * outer * np.sin(half) ** 2
    real = np.where(low, math.fsum((p0, p1, p2)) - cosine_part, math.fsum((-p0, p1, -p2)) + cosine_part)
    return real + 1j * slope * np.sin(2 * half)


def sections_response(sections: Sections, angle: Floats) -> Complexes:
    """Return the complex response of a cascade at ``angle``, shape (n_frequencies,)."""
    result = np.ones(angle.shape, dtype=np.complex128)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        for b0, b1, b2, a0, a1, a2 in sections.rows:
            result *= _centred(b0, b1, b2, angle) / _centred(a0, a1, a2, angle)
    return result


def taps_response(taps: Floats, angle: Floats) -> Complexes:
    """Return the complex response of taps at ``angle``, shape (n_frequencies,).

    Taps are cut in rows of about the square root of their number: one matrix product, then Horner over the rows.
    """
    width = max(1, math.isqrt(taps.size))
    n_rows = -(-taps.size // width)
    table = np.zeros(n_rows * width)
    table[: taps.size] = taps
    turns = np.exp(-1j * np.outer(angle, np.arange(width)))
    inner = turns @ table.reshape(n_rows, width).T
    step = np.exp(-1j * angle * width)
    result: Complexes = inner[:, -1].copy()
    for row in range(n_rows - 2, -1, -1):
        result = result * step + inner[:, row]
    return result


def part_response(part: Realisation, angle: Floats) -> Complexes:
    """Return one pass of one part."""
    match part:
        case Sections():
            return sections_response(part, angle)
        case Taps():
            return taps_response(part.to_array(), angle)
        case RunningMedian():
            return np.ones(angle.shape, dtype=np.complex128)


def _zero_phase_response(part: Realisation, angle: Floats) -> Complexes:
    response = part_response(part, angle)
    if isinstance(part, Taps) and part.runs_once:
        centred: Complexes = response * np.exp(1j * angle * (len(part.values) // 2))
        return centred
    return (np.abs(response) ** 2).astype(np.complex128)


def frequency_response(design: ChainDesign, frequency_hz: npt.ArrayLike) -> Complexes:
    """Return the complex response for the passes in use.

    Parameters
    ----------
    design : ChainDesign
    frequency_hz : array_like, shape (n_frequencies,)

    Returns
    -------
    ndarray of complex128, shape (n_frequencies,)
    """
    angle = angles_of(frequency_hz, design.rate_hz)
    one = _zero_phase_response if design.phase == "zero" else part_response
    result = np.ones(angle.shape, dtype=np.complex128)
    # numbers of 1e300 may be typed: then the response is inf or NaN there, and who draws it leaves a gap
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for part in design.parts:
            result = result * one(part, angle)
    return result


def magnitude_db(design: ChainDesign, frequency_hz: npt.ArrayLike) -> Floats:
    """Return the level in decibel for the passes in use, -inf at a zero; shape (n_frequencies,)."""
    with np.errstate(divide="ignore"):
        return 20 * np.log10(np.abs(frequency_response(design, frequency_hz)))


def phase_radians(design: ChainDesign, frequency_hz: npt.ArrayLike) -> Floats:
    """Return the phase in radians, unwrapped along the given frequencies, part by part; shape (n_frequencies,)."""
    angle = angles_of(frequency_hz, design.rate_hz)
    total = np.zeros(angle.shape)
    if design.phase == "zero":
        return np.angle(frequency_response(design, frequency_hz))
    for part in design.parts:
        cascades = [Sections((row,)) for row in part.rows] if isinstance(part, Sections) else [part]
        # what taps delay as a whole would turn the phase by more than half a circle between two frequencies
        lag = (len(part.values) - 1) / 2 if isinstance(part, Taps) else 0.0
        for cascade in cascades:
            total += np.unwrap(np.angle(part_response(cascade, angle) * np.exp(1j * angle * lag))) - angle * lag
    return total


def _delay_of_quadratic(p0: float, p1: float, p2: float, angle: Floats) -> Floats:
    """Return the delay of a quadratic in e^-jw, less one sample; NaN at a zero on the circle."""
    below = _centred(p0, p1, p2, angle)
    above = (p2 - p0) * np.cos(angle) - 1j * (p2 + p0) * np.sin(angle)
    scale = abs(p0) + abs(p1) + abs(p2)
    delay: Floats = (above / below).real
    delay[np.abs(below) <= ZERO_PART * scale] = np.nan
    return delay


def _part_delay(part: Realisation, angle: Floats) -> Floats:
    match part:
        case Sections():
            total = np.zeros(angle.shape)
            for b0, b1, b2, a0, a1, a2 in part.rows:
                total += _delay_of_quadratic(b0, b1, b2, angle) - _delay_of_quadratic(a0, a1, a2, angle)
            return total
        case Taps():
            taps = part.to_array()
            if np.array_equal(taps, taps[::-1]) or np.array_equal(taps, -taps[::-1]):
                return np.full(angle.shape, (taps.size - 1) / 2)
            below = taps_response(taps, angle)
            above = taps_response(taps * np.arange(taps.size), angle)
            delay: Floats = (above / below).real
            delay[np.abs(below) <= ZERO_PART * np.abs(taps).sum()] = np.nan
            return delay
        case RunningMedian():
            return np.full(angle.shape, (part.window - 1) / 2)


def group_delay_samples(design: ChainDesign, frequency_hz: npt.ArrayLike) -> Floats:
    """Return the group delay in samples, NaN where the response is 0; 0 throughout in zero phase.

    Examples
    --------
    >>> design = ChainDesign(rate_hz=100.0, parts=(Taps((0.25, 0.5, 0.25)),), phase="causal", initial="rest",
    ...                      padding_kind="odd", padding_samples=None, gaps="segment")
    >>> group_delay_samples(design, [10.0])
    array([1.])
    """
    angle = angles_of(frequency_hz, design.rate_hz)
    if design.phase == "zero":
        return np.zeros(angle.shape)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return sum((_part_delay(part, angle) for part in design.parts), start=np.zeros(angle.shape))


def _forward(design: ChainDesign, samples: Floats) -> Floats:
    from scipy.signal import oaconvolve, sosfilt

    for part in design.parts:
        if isinstance(part, Sections):
            samples = sosfilt(part.to_array(), samples)
        elif isinstance(part, Taps):
            samples = oaconvolve(samples, part.to_array())[: samples.size]
    return samples


def impulse_response(design: ChainDesign, n_samples: int) -> tuple[Floats, Floats]:
    """Return times in seconds and the response to a pulse of height 1 at 0 s.

    Causal: from 0 s, ``n_samples`` long. Zero phase: from ``-n_samples`` to ``n_samples``, both of shape
    (2 n_samples + 1,).
    """
    if design.phase != "zero":
        pulse = np.zeros(n_samples)
        pulse[:1] = 1.0
        return np.arange(n_samples) / design.rate_hz, _forward(design, pulse)
    times = np.arange(-n_samples, n_samples + 1) / design.rate_hz
    pulse, room = _pulse_both_ways(design, n_samples)
    return times, pulse[room - n_samples : room + n_samples + 1]


def _pulse_both_ways(design: ChainDesign, n_samples: int) -> tuple[Floats, int]:
    """Return the pulse after both passes and its middle, with room for what the passes carry beyond the window."""
    room = 2 * n_samples + 1
    pulse = np.zeros(2 * room + 1)
    pulse[room] = 1.0
    for part in design.parts:
        alone = replace(design, parts=(part,))
        pulse = _forward(alone, pulse)
        if isinstance(part, Taps) and part.runs_once:
            pulse = np.roll(pulse, -(len(part.values) // 2))
        else:
            pulse = _forward(alone, pulse[::-1])[::-1]
    return pulse, room


def step_response(design: ChainDesign, n_samples: int) -> tuple[Floats, Floats]:
    """Return times in seconds and the response to a step from 0 to 1 at 0 s, as ``impulse_response`` does."""
    times, pulse = impulse_response(design, n_samples)
    if design.phase != "zero":
        return times, np.cumsum(pulse)
    # what comes before the window counts too: it is how high the step stands there
    whole, room = _pulse_both_ways(design, n_samples)
    return times, np.cumsum(whole)[room - n_samples : room + n_samples + 1]
