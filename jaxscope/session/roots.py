"""Zeros and poles moved by hand: the manual spec that takes the place of a design, and the way back inside the circle.

Roots are given by half: one with an imaginary part above 0 stands for itself and its mirror, so conjugates are paired
by construction and a drag can never part them.
"""

from __future__ import annotations

from collections.abc import Iterable

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.coefficients import Row, Sections
from jaxscope.filters.roots import Roots, both
from jaxscope.filters.spec import AbstractFilterSpec
from jaxscope.filters.stability import monic_roots
from jaxscope.session.actions import EditRoots

#: The largest radius at which a pole is put when it is moved inside: nearer to the circle it rings for ages.
INSIDE_RADIUS = 0.9999


def rooted_spec(edit: EditRoots) -> AbstractFilterSpec:
    """Return the manual spec that holds the zeros, poles and gain of an edit.

    Raises
    ------
    SpecError
        Where a root or the gain cannot be.
    """
    return spec_of_roots(
        Roots(
            tuple(complex(re, im) for re, im in edit.zeros),
            tuple(complex(re, im) for re, im in edit.poles),
            edit.gain,
        )
    )


def spec_of_roots(roots: Roots) -> AbstractFilterSpec:
    """Return roots by half as a manual spec, the mirrors written out."""
    for name, half in (("zeros", roots.zeros), ("poles", roots.poles)):
        below = next((root for root in half if root.imag < 0), None)
        if below is not None:
            raise SpecError(name, f"{below:.4g} is below the real axis", hint="give the root above it")
    return FAMILIES["zpk"](zeros=_points(roots.zeros), poles=_points(roots.poles), gain=roots.gain)


def inside_radius(radius: float) -> float:
    """Return the radius at which a pole outside the circle, or on it, is put: mirrored at the circle."""
    return min(1 / radius, INSIDE_RADIUS) if radius > 0 else 0.0


def moved_inside(spec: AbstractFilterSpec) -> AbstractFilterSpec | None:
    """Return a spec given by numbers with every pole inside the circle, or None where there is none to move.

    A pole is mirrored at the circle and the gain follows, which leaves the magnitude as it is (Oppenheim and Schafer,
    Discrete-Time Signal Processing, section 5.6: an all-pass is what differs).
    """
    if spec.family == "zpk":
        roots: Roots = spec.roots()  # type: ignore[attr-defined]
        moved = [_inside(pole) for pole in roots.poles]
        if tuple(moved) == roots.poles:
            return None
        gain = roots.gain
        for pole in both(roots.poles):
            gain /= max(1.0, abs(pole))
        return spec_of_roots(Roots(roots.zeros, tuple(moved), gain))
    if spec.family not in ("sections", "transfer_function"):
        return None
    parts = spec.parts(1.0)  # numbers by hand are the same at every rate
    if len(parts) != 1 or not isinstance(parts[0], Sections):
        return None
    rows = tuple(map(_row_inside, parts[0].rows))
    return None if rows == parts[0].rows else FAMILIES["sections"](rows=rows)


def _inside(pole: complex) -> complex:
    radius = abs(pole)
    return pole if radius < 1 else pole * (inside_radius(radius) / radius)


def _row_inside(row: Row) -> Row:
    b0, b1, b2, _, a1, a2 = row
    first, second = monic_roots(a1, a2)
    if abs(first) < 1 and abs(second) < 1:
        return row
    scale = max(1.0, abs(first)) * max(1.0, abs(second))
    first, second = _inside(first), _inside(second)
    a1, a2 = -(first + second).real, (first * second).real
    return (b0 / scale, b1 / scale, b2 / scale, 1.0, a1, a2)


def _points(half: Iterable[complex]) -> tuple[tuple[float, float], ...]:
    return tuple((root.real, root.imag) for root in both(half))
