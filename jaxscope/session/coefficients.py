"""One coefficient edited by hand: the manual spec that takes the place of a design.

There is one master at any moment. A design is realised at the rate it is shown for, the number is changed, and the
result is a manual spec; the design is remembered by the stage as its origin.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.coefficients import Realisation, Row, RunningMedian, Sections, Taps
from jaxscope.filters.polynomial import polynomials as multiplied_out
from jaxscope.filters.spec import AbstractFilterSpec, Stage
from jaxscope.session.actions import EditCoefficient

MANUAL_FAMILIES = frozenset({"sections", "transfer_function", "zpk", "taps"})
_A0 = 3
_SECTION_NUMBERS = 6


def is_manual(spec: AbstractFilterSpec) -> bool:
    """Return whether a spec is a list of numbers and not a design."""
    return spec.family in MANUAL_FAMILIES


def edited_spec(spec: AbstractFilterSpec, edit: EditCoefficient) -> AbstractFilterSpec:
    """Return the manual spec that holds the edited number.

    Raises
    ------
    SpecError
        Where the stage has no such number, or the number cannot be.
    """
    if edit.form == "zpk":
        raise SpecError("form", "zeros and poles are edited as roots", hint="give EditRoots")
    realisation = spec.design(edit.rate_hz)
    if edit.form == "sos":
        return _with_section_value(realisation, edit)
    if edit.form == "taps":
        return _with_tap(realisation, edit)
    return _with_polynomial_value(spec, realisation, edit)


def at_origin(stage: Stage, rate_hz: float) -> Stage:
    """Return a stage whose numbers are those of its design again as that design; any other as it is."""
    if stage.origin is None or stage.spec.family not in ("sections", "taps"):
        return stage
    if stage.spec.design(rate_hz) != _designed(stage.origin, rate_hz):
        return stage
    return replace(stage, spec=stage.origin, origin=None)


@lru_cache(maxsize=8)
def _designed(spec: AbstractFilterSpec, rate_hz: float) -> Realisation:
    """Return what a design is at a rate, kept: each number that is spun asks again."""
    return spec.design(rate_hz)


def _with_section_value(realisation: Realisation, edit: EditCoefficient) -> AbstractFilterSpec:
    if not isinstance(realisation, Sections) or not 0 <= edit.row < len(realisation.rows):
        raise SpecError("rows", f"there is no section {edit.row + 1}", hint="choose a section that exists")
    if not 0 <= edit.column < _SECTION_NUMBERS:
        raise SpecError("rows", f"a section has no number {edit.column}", hint="choose a column from 0 to 5")
    if edit.column == _A0 and edit.value != 1.0:
        raise SpecError("rows", "a0 is always 1 here", hint="scale the other numbers instead")
    row = list(realisation.rows[edit.row])
    row[edit.column] = edit.value
    rows: list[Row] = list(realisation.rows)
    rows[edit.row] = (row[0], row[1], row[2], row[3], row[4], row[5])
    return FAMILIES["sections"](rows=tuple(rows))


def _with_tap(realisation: Realisation, edit: EditCoefficient) -> AbstractFilterSpec:
    if not isinstance(realisation, Taps) or not 0 <= edit.row < len(realisation.values):
        raise SpecError("values", f"there is no tap {edit.row}", hint="choose a tap that exists")
    values = list(realisation.values)
    values[edit.row] = edit.value
    return FAMILIES["taps"](values=tuple(values))


def _with_polynomial_value(
    spec: AbstractFilterSpec, realisation: Realisation, edit: EditCoefficient
) -> AbstractFilterSpec:
    b, a = polynomials(spec, realisation)
    numbers = list(b if edit.column == 0 else a)
    if not 0 <= edit.row < len(numbers):
        raise SpecError("b", f"there is no power {edit.row}", hint="choose a power that exists")
    numbers[edit.row] = edit.value
    if edit.column == 0:
        b = tuple(numbers)
    else:
        a = tuple(numbers)
    return FAMILIES["transfer_function"](b=b, a=a)


def polynomials(spec: AbstractFilterSpec, realisation: Realisation) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return numerator and denominator in powers of 1/z, as typed where the spec holds them, else multiplied out."""
    if spec.family == "transfer_function":
        return tuple(spec.b), tuple(spec.a)  # type: ignore[attr-defined]
    if isinstance(realisation, Taps):
        return realisation.values, (1.0,)
    if isinstance(realisation, RunningMedian):
        raise SpecError("b", "a running median has no polynomials", hint="edit its window instead")
    return multiplied_out((realisation,))
