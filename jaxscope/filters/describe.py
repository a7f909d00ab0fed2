"""A chain at a rate as plain JSON values: what ``jaxscope design --json`` prints.

The keys are part of the public face. Numbers that are not finite become None, so that strict JSON can hold them.
"""

from __future__ import annotations

import math
from typing import Any

from jaxscope.filters.coefficients import Realisation, Sections, Taps
from jaxscope.filters.cutoffs import HALF_AMPLITUDE_DB, HALF_POWER_DB, crossings_hz
from jaxscope.filters.design import design_chain, merge, stage_parts
from jaxscope.filters.report import report
from jaxscope.filters.settling import settling_s
from jaxscope.filters.spec import FilterChain
from jaxscope.filters.stability import is_stable, plane_of


def finite(value: float) -> float | None:
    """Return the number, or None where it is not finite."""
    return value if math.isfinite(value) else None


def _pairs(roots: tuple[complex, ...]) -> list[list[float | None]]:
    return [[finite(root.real), finite(root.imag)] for root in roots]


def describe(chain: FilterChain, rate_hz: float) -> dict[str, Any]:
    """Return coefficients, roots and facts of a chain at a rate.

    Parameters
    ----------
    chain : FilterChain
    rate_hz : float

    Returns
    -------
    dict
        ``sections`` (rows of the recursive stages), ``taps`` (the finite ones convolved, gains and delays with them),
        ``zeros`` and ``poles`` as [re, im] (zeros None where there are too many taps to root), ``gain``,
        ``is_stable``, ``settling_s`` (99.99 % of the energy; None where it never settles), ``minus_3db_hz``,
        ``minus_6db_hz``, ``phase`` and ``report``.

    Raises
    ------
    SpecError
        Where an active stage does not fit the rate.
    """
    design = design_chain(chain, rate_hz)
    parts: list[Realisation] = [
        part for stage in chain.active_stages for part in stage_parts(stage.spec, rate_hz, chain.phase)
    ]
    rows = [row for part in parts if isinstance(part, Sections) for row in part.rows]
    finite_parts = [Taps(part.values) for part in parts if isinstance(part, Taps)]
    joined = merge(finite_parts)
    taps = joined[0].values if joined and isinstance(joined[0], Taps) else ((1.0,) if finite_parts else ())
    plane = plane_of(tuple(parts))
    stable = is_stable(design.parts)
    # a response that never settles has no corner frequencies
    corners_hz = crossings_hz(design, (HALF_POWER_DB, HALF_AMPLITUDE_DB)) if stable else ((), ())
    return {
        "sections": [list(row) for row in rows],
        "taps": list(taps),
        "zeros": None if plane.zeros is None else _pairs(plane.zeros),
        "poles": _pairs(plane.poles),
        "gain": finite(plane.gain),
        "is_stable": stable,
        "settling_s": finite(settling_s(design)),
        "minus_3db_hz": list(corners_hz[0]),
        "minus_6db_hz": list(corners_hz[1]),
        "phase": chain.phase,
        "report": report(chain, rate_hz),
    }
