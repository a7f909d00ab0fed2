"""A word about coefficients whose output grows without bound, where they can be looked at.

Nothing is refused here, as in SciPy; under a transformation of jax nothing can be looked at, and nothing is said. One
simple pole at z = 1 is a running sum, which people ask for.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.dsp.shapes import is_traced


def warn_unstable_sections(sos: Any, x: Any, *, stacklevel: int = 3) -> None:
    """Warn where sections (n_sections, 6), divided by their a0, have a pole on the unit circle or outside."""
    if is_traced(sos) or is_traced(x):
        return
    rows = np.asarray(sos)
    if rows.dtype.kind == "c":
        warn_unstable_polynomials([row[3:] for row in rows], x, stacklevel=stacklevel + 1)
        return
    a1, a2 = rows[:, 4].astype(np.float64), rows[:, 5].astype(np.float64)
    restless = ~((np.abs(a2) < 1) & (1 + a2 - np.abs(a1) > 0))
    sums = np.abs(1 + a1 + a2) <= 2 * np.finfo(rows.dtype).eps
    if not restless.any() or (restless.sum() == 1 and (restless & sums & (np.abs(a2) < 1)).any()):
        return
    radius = max(float(np.abs(np.roots(row[3:])).max(initial=0.0)) for row in rows[restless])
    _warn(radius, stacklevel)


def warn_unstable_polynomials(denominators: list[Any], x: Any, *, stacklevel: int = 3) -> None:
    """Warn where a denominator, highest power first, has a root outside the unit circle, beyond rounding."""
    if is_traced(x) or any(map(is_traced, denominators)):
        return
    radii = [_radius_beyond_rounding(np.asarray(a)) for a in denominators]
    if max(radii, default=0.0) > 0:
        _warn(max(radii), stacklevel)


def _radius_beyond_rounding(a: npt.NDArray[Any]) -> float:
    """Return the radius of the outermost root, 0 where it is inside or so close that rounding may have moved it."""
    order = a.size - 1
    if order < 1 or not np.isfinite(a).all():
        return 0.0
    radius = float(np.abs(np.roots(a)).max(initial=0.0))
    # roots of one place move by the root of what their coefficients are rounded by (Wilkinson 1963)
    eps = float(np.finfo(a.dtype).eps)
    moved = (eps * 2.0**order) ** (1 / order)
    return radius if math.isfinite(radius) and radius > 1 + moved else 0.0


def _warn(radius: float, stacklevel: int) -> None:
    where = "outside" if radius > 1 else "on"
    warnings.warn(
        f"unstable: a pole is {where} the unit circle, at radius {radius:.10g}, and the output grows without bound",
        RuntimeWarning,
        stacklevel=stacklevel + 1,
    )
