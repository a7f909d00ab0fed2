"""What the dock shows of a chain besides its level: gain, phase, group delay, impulse, step; zeros and poles of stages.

Only the view that is looked at is worked out, so that a drag pays for one curve. All of it runs on the worker.
"""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from typing import Literal

import numpy as np
import numpy.typing as npt

from jaxscope.compute.frames import ResponseCurve
from jaxscope.filters.coefficients import ChainDesign, Realisation, RunningMedian, Sections, Taps
from jaxscope.filters.spec import Phase
from jaxscope.filters.stability import Plane
from jaxscope.session.state import ResponseView

FloatArray = npt.NDArray[np.float64]
#: Samples of an impulse or step response: as many as it rings, between these.
FEWEST_SAMPLES, MOST_SAMPLES = 24, 16384
#: Part of the coefficients up to which a level is what rounding leaves of a zero.
NOTHING = 1e-13
#: More taps than these have no roots worth the wait: eigenvalues cost their cube.
MOST_ROOTED_TAPS = 257


def response_curve(
    view: ResponseView, phase: Phase, parts: tuple[Realisation, ...], frequencies_hz: FloatArray, rate_hz: float
) -> ResponseCurve | None:
    """Return one view of a chain for the passes in use.

    Parameters
    ----------
    view : str
    phase : {"causal", "zero", "minimum"}
    parts : tuple of Realisation
        All that runs, in order; minimum phase is worked in already.
    frequencies_hz : ndarray of float64, shape (n_frequencies,)
        Where phase and group delay are told.
    rate_hz : float

    Returns
    -------
    ResponseCurve or None
        None for the magnitude, and for an impulse or step that never dies away.
    """
    if view == "magnitude":
        return None
    design = ChainDesign(
        rate_hz=rate_hz,
        parts=parts,
        phase="zero" if phase == "zero" else "causal",
        initial="rest",
        padding_kind="odd",
        padding_samples=None,
        gaps="segment",
    )
    if view == "gain" or view == "phase" or view == "group_delay":
        return _over_frequency(view, design, frequencies_hz)
    return _over_time(view, design)


def _over_frequency(
    view: Literal["gain", "phase", "group_delay"], design: ChainDesign, frequencies_hz: FloatArray
) -> ResponseCurve:
    from jaxscope.filters.response import frequency_response, group_delay_samples, phase_radians

    if view == "gain":
        gain = np.abs(frequency_response(design, frequencies_hz))
        return ResponseCurve(view=view, x=frequencies_hz, y=np.where(np.isfinite(gain), gain, np.nan))
    if view == "phase":
        phase = np.degrees(phase_radians(design, frequencies_hz))
        if design.phase != "zero":
            phase[_at_zeros(design, frequencies_hz)] = np.nan
        return ResponseCurve(view=view, x=frequencies_hz, y=phase)
    return ResponseCurve(view=view, x=frequencies_hz, y=group_delay_samples(design, frequencies_hz) / design.rate_hz)


def _at_zeros(design: ChainDesign, frequencies_hz: FloatArray) -> npt.NDArray[np.bool_]:
    """Return where a section has a zero on the circle: no phase, and what rounding leaves would be a spike."""
    from jaxscope.filters.response import angles_of, sections_response

    angle = angles_of(frequencies_hz, design.rate_hz)
    found = np.zeros(frequencies_hz.shape, dtype=bool)
    for part in design.parts:
        for b0, b1, b2, *_ in part.rows if isinstance(part, Sections) else ():
            level = np.abs(sections_response(Sections(((b0, b1, b2, 1.0, 0.0, 0.0),)), angle))
            found |= level <= NOTHING * (abs(b0) + abs(b1) + abs(b2))
    return found


def _over_time(view: Literal["impulse", "step"], design: ChainDesign) -> ResponseCurve | None:
    from jaxscope.filters.response import impulse_response, step_response
    from jaxscope.filters.settling import settling_samples

    settles = settling_samples(design)
    if not isfinite(settles):
        return None
    n_samples = min(max(FEWEST_SAMPLES, round(1.15 * settles)), MOST_SAMPLES)
    make = impulse_response if view == "impulse" else step_response
    times_s, heights = make(design, n_samples)
    return ResponseCurve(view=view, x=times_s, y=heights)


@lru_cache(maxsize=512)
def plane_or_none(parts: tuple[Realisation, ...]) -> Plane | None:
    """Return zeros, poles and gain of one pass, or None where there are none to show."""
    from jaxscope.filters.stability import plane_of

    n_taps = sum(len(part.values) for part in parts if isinstance(part, Taps))
    if n_taps > MOST_ROOTED_TAPS or any(isinstance(part, RunningMedian) for part in parts):
        return None
    plane = plane_of(parts)
    return None if plane.zeros is None else plane
