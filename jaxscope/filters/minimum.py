"""Minimum phase: the same magnitude with the least delay.

Sections: zeros outside the unit circle are reflected by turning the polynomial's first-order factors round, which
keeps the magnitude at every frequency and the polarity at 0 Hz. Short taps: the same through their roots. Long taps:
by the real cepstrum (the homomorphic way; Oppenheim and Schafer, chapter 12), and whichever of the two keeps the
magnitude better is taken. Poles stay where they are.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from jaxscope.filters.coefficients import Realisation, Row, RunningMedian, Sections, Taps

MAX_ROOTED_TAPS = 200
#: part of the largest magnitude below which the cepstrum sees a floor
CEPSTRUM_FLOOR = 1e-9


def minimum_phase(part: Realisation) -> Realisation:
    """Return the part with all zeros inside the circle or on it; a median is left alone."""
    match part:
        case Sections():
            return Sections(tuple(_reflected(row) for row in part.rows))
        case Taps():
            return Taps(tuple(minimum_taps(part.to_array()).tolist()), runs_once=part.runs_once)
        case RunningMedian():
            return part


def _reflected(row: Row) -> Row:
    b0, b1, b2, *a = row
    new = _reflected_quadratic(b0, b1, b2)
    return (*new, a[0], a[1], a[2])


def _reflected_quadratic(b0: float, b1: float, b2: float) -> tuple[float, float, float]:
    """Return b0 + b1 q + b2 q² with its roots in z moved inside; a leading zero (a delay) goes."""
    if b0 == 0:
        return (b1, b2, 0.0) if b1 != 0 and abs(b2) <= abs(b1) else (b2, b1, 0.0) if b1 != 0 else (b2, 0.0, 0.0)
    discriminant = b1 * b1 - 4 * b0 * b2
    if discriminant <= 0:
        return (b2, b1, b0) if abs(b2) > abs(b0) else (b0, b1, b2)
    large = -(b1 + math.copysign(math.sqrt(discriminant), b1)) / 2
    first, second = large / b0, (b2 / large if large != 0 else 0.0)
    if abs(first) <= 1 and abs(second) <= 1:
        return (b0, b1, b2)
    (p0, p1), (r0, r1) = (_turned(root) for root in (first, second))
    return (b0 * p0 * r0, b0 * (p0 * r1 + p1 * r0), b0 * p1 * r1)


def _turned(root: float) -> tuple[float, float]:
    """Return the factor 1 - root q, turned round where the root is outside."""
    return (1.0, -root) if abs(root) <= 1 else (-root, 1.0)


def minimum_taps(taps: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return taps, shape (n_taps,), of the same magnitude and with minimum phase."""
    core = np.trim_zeros(taps)
    if core.size <= 1:
        return np.concatenate([core, np.zeros(taps.size - core.size)])
    # near 1, by a power of two: products of very large or small taps would leave what a float can hold
    exponent = int(np.frexp(np.abs(core).max())[1])
    core = np.ldexp(core, -exponent)
    candidates = [_by_cepstrum(core)]
    by_roots = _by_roots(core) if core.size <= MAX_ROOTED_TAPS else None
    if by_roots is not None:
        candidates.append(by_roots)
    best = min(candidates, key=lambda found: _magnitude_error(found, core))
    return np.concatenate([np.ldexp(best, exponent), np.zeros(taps.size - best.size)])


def _magnitude_error(found: npt.NDArray[np.float64], wanted: npt.NDArray[np.float64]) -> float:
    n_points = 1 << (8 * wanted.size - 1).bit_length()
    error = np.abs(np.abs(np.fft.rfft(found, n_points)) - np.abs(np.fft.rfft(wanted, n_points))).max()
    return float(error) if np.isfinite(error) else math.inf


def _with_polarity(found: npt.NDArray[np.float64], wanted: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the taps with the sign that ``wanted`` has at 0 Hz, or at fs/2 where that is stronger."""
    alternate = (-1.0) ** np.arange(wanted.size)
    sums = (found.sum() * wanted.sum(), (found * alternate[: found.size]).sum() * (wanted * alternate).sum())
    decisive = sums[0] if abs(sums[0]) >= abs(sums[1]) else sums[1]
    return -found if decisive < 0 else found


def _by_cepstrum(taps: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    n_points = 1 << max(15, (64 * taps.size - 1).bit_length())
    magnitude = np.abs(np.fft.fft(taps, n_points))
    magnitude = np.maximum(magnitude, CEPSTRUM_FLOOR * magnitude.max())
    cepstrum = np.fft.ifft(np.log(magnitude)).real
    cepstrum[1 : n_points // 2] *= 2
    cepstrum[n_points // 2 + 1 :] = 0
    found = np.fft.ifft(np.exp(np.fft.fft(cepstrum))).real[: taps.size]
    return _with_polarity(found, taps)


def _by_roots(taps: npt.NDArray[np.float64]) -> npt.NDArray[np.float64] | None:
    """Return the taps with their roots moved inside; None where these are farther apart than a float can hold."""
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            roots = np.roots(taps).astype(np.complex128)
            outside = np.abs(roots) > 1
            gain = taps[0] * np.prod(np.abs(roots[outside]))
    except (FloatingPointError, np.linalg.LinAlgError):
        return None
    roots[outside] = 1 / roots[outside].conj()
    # multiplied as samples of the response: that keeps its digits over 200 factors, np.poly's running convolution
    # does not
    n_points = 1 << (2 * taps.size).bit_length()
    circle = np.exp(-2j * np.pi * np.arange(n_points) / n_points)
    response = np.full(n_points, gain, dtype=np.complex128)
    for root in roots:
        response *= 1 - root * circle
    return _with_polarity(np.fft.ifft(response).real[: taps.size], taps)
