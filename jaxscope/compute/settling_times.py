"""How long a chain rings: when 99 % and 99.99 % of the energy of its impulse response have passed.

Worked out from the coefficients of this chain and never from a fixed number. In zero phase the response has two sides
and the time counts from its middle.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from jaxscope.filters.coefficients import ChainDesign, RunningMedian, Sections, Taps

FloatArray = npt.NDArray[np.float64]
#: Longest impulse response that is worked out, in samples.
LONGEST = 1 << 18


@lru_cache(maxsize=512)
def settling_times(design: ChainDesign) -> tuple[float, float]:
    """Return the times in seconds after which 99 % and 99.99 % of the energy have passed; infinite where never."""
    from jaxscope.compute.designs import pole_radius
    from jaxscope.engines.settling import context_samples

    if not design.parts:
        return 0.0, 0.0
    if pole_radius(design) >= 1.0:
        return math.inf, math.inf
    length = min(LONGEST, context_samples(design) + 1)
    response = impulse_response(design, length)
    if design.phase == "zero":
        response = _both_passes(response)
    energy = np.cumsum(response**2)
    if energy[-1] <= 0:
        return 0.0, 0.0
    passed = [int(np.searchsorted(energy, share * energy[-1])) for share in (0.99, 0.9999)]
    return passed[0] / design.rate_hz, passed[1] / design.rate_hz


def impulse_response(design: ChainDesign, n_samples: int) -> FloatArray:
    """Return the response of one causal pass to a single 1, shape (n_samples,); a running median counts as a mean.

    Taken from the frequency response on a grid of at least ``n_samples`` points: what has not decayed within the grid
    folds back, which is below the engine's tolerance for a length from ``context_samples``. Quick, and needs no SciPy.
    """
    size = 1 << max(3, (n_samples - 1).bit_length())
    gain = np.ones(size // 2 + 1, dtype=np.complex128)
    z = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    for part in design.parts:
        match part:
            case Sections():
                for b0, b1, b2, _, a1, a2 in part.rows:
                    gain = gain * (b0 + z * (b1 + z * b2)) / (1.0 + z * (a1 + z * a2))
            case Taps():
                gain = gain * np.fft.rfft(_folded(part.to_array(), size))
            case RunningMedian():
                gain = gain * np.fft.rfft(_folded(np.full(part.window, 1.0 / part.window), size))
    return np.fft.irfft(gain, size)[:n_samples]


def _folded(taps: FloatArray, size: int) -> FloatArray:
    """Return taps on a circle of ``size`` samples."""
    padded = np.zeros(-(-taps.size // size) * size)
    padded[: taps.size] = taps
    folded: FloatArray = padded.reshape(-1, size).sum(axis=0)
    return folded


def _both_passes(response: FloatArray) -> FloatArray:
    """Return one side of the autocorrelation: the response forward and backward, from its middle on."""
    size = 1 << (2 * response.size - 1).bit_length()
    spectrum = np.fft.rfft(response, size)
    both: FloatArray = np.fft.irfft(np.abs(spectrum) ** 2, size)[: response.size]
    return both
