"""How late each chain is, at a frequency that it passes: for the phase row, and for lining After up with Before.

Invariant: the frequency that a delay is named at lies in the pass band, within 3 dB of the highest level; a low-pass at
0.3 Hz is never told by what it does at 10 Hz.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from jaxscope.compute.designs import design_or_refusal
from jaxscope.filters.coefficients import ChainDesign, Sections
from jaxscope.filters.spec import FilterChain

FloatArray = npt.NDArray[np.float64]
#: Frequency at which a delay is named where the chain passes it.
USUAL_HZ = 10.0
#: How far below the highest level a pass band reaches, with what rounding may take from an edge at -3.0103 dB.
PASSED_DB = 3.02
LOWEST_HZ = 1e-4
POINTS, EVEN, MOST_RINGING = 240, 80, 64


@lru_cache(maxsize=128)
def delay_of(chain: FilterChain, rate_hz: float) -> tuple[float, float] | None:
    """Return the delay of a chain in seconds and the frequency in Hz that it is told at; None where there is none.

    Zero phase has none, and neither has a chain that does not fit the rate, is unstable, or passes nothing.
    """
    from jaxscope.filters.response import group_delay_samples

    if chain.phase == "zero" or not chain.active_stages:
        return None
    design = design_or_refusal(chain, rate_hz)
    if not isinstance(design, ChainDesign):
        return None
    frequency_hz = passed_hz(design)
    if frequency_hz is None:
        return None
    samples = float(group_delay_samples(design, [frequency_hz])[0])
    return (samples / rate_hz, frequency_hz) if np.isfinite(samples) else None


def passed_hz(design: ChainDesign) -> float | None:
    """Return a frequency in the pass band: 10 Hz where it is passed, else one in the middle of the highest band."""
    from jaxscope.filters.response import magnitude_db

    nyquist_hz = design.rate_hz / 2
    grid = _grid_hz(design)
    levels = np.nan_to_num(magnitude_db(design, grid), nan=-np.inf, neginf=-np.inf, posinf=-np.inf)
    top = int(np.argmax(levels))
    if not np.isfinite(levels[top]):
        return None
    passed = levels >= levels[top] - PASSED_DB
    if nyquist_hz > USUAL_HZ and float(magnitude_db(design, [USUAL_HZ])[0]) >= levels[top] - PASSED_DB:
        return USUAL_HZ
    return _middle_of(grid, passed, top, nyquist_hz)


def _grid_hz(design: ChainDesign) -> FloatArray:
    """Return few frequencies, rising: logarithmic and even steps, and those at which poles ring."""
    from jaxscope.filters.stability import monic_roots

    nyquist_hz = design.rate_hz / 2
    rows = [row for part in design.parts if isinstance(part, Sections) for row in part.rows][:MOST_RINGING]
    poles = [monic_roots(row[4], row[5])[0] for row in rows]
    ringing = np.abs(np.angle(poles)) * design.rate_hz / (2 * np.pi) if poles else np.zeros(0)
    lowest_hz = min(LOWEST_HZ, nyquist_hz / 2)
    grid = np.concatenate([np.geomspace(lowest_hz, nyquist_hz, POINTS), np.linspace(0, nyquist_hz, EVEN)[1:], ringing])
    return np.unique(np.clip(grid, lowest_hz, nyquist_hz))


def _middle_of(grid: FloatArray, passed: npt.NDArray[np.bool_], top: int, nyquist_hz: float) -> float:
    stops = np.flatnonzero(~passed)
    below, above = stops[stops < top], stops[stops > top]
    low_hz = float(grid[below[-1] + 1]) if below.size else 0.0
    high_hz = float(grid[above[0] - 1]) if above.size else nyquist_hz
    if below.size == 0:
        return high_hz / 4
    if above.size == 0:
        return min(4 * low_hz, (low_hz + nyquist_hz) / 2)
    return float(np.sqrt(low_hz * high_hz))


def delay_sentence(chain: FilterChain, rate_hz: float) -> str:
    """Return the delay in words, ``"18 ms late at 10.0 Hz"``; empty where there is nothing to say."""
    from jaxscope.filters.report import seconds
    from jaxscope.filters.shapes import short_hz

    if chain.phase == "zero":
        return "No delay"
    found = delay_of(chain, rate_hz)
    if found is None:
        return ""
    delay_s, frequency_hz = found
    if abs(delay_s) * rate_hz < 1e-6:
        return "No delay"
    at = short_hz(frequency_hz).removesuffix(".00").removesuffix(".0")
    return f"{seconds(abs(delay_s))} {'late' if delay_s > 0 else 'early'} at {at} Hz"
