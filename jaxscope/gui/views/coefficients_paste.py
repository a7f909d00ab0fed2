"""Numbers and code pasted into a form of the Coefficients face: the spec that takes the stage's place.

Bare numbers mean what the form says; what has words (code, JSON, headings) says itself what it is. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxscope.errors import ChainError, SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.spec import AbstractFilterSpec, Stage
from jaxscope.gui.views.coefficients_model import parse_table
from jaxscope.gui.views.pasting import has_words

if TYPE_CHECKING:
    from jaxscope.filters.imports import Imported


def pasted(form: str | None, text: str, rate_hz: float | None) -> Imported:
    """Return what a text means in a form of the table: one stage, with notes.

    Raises
    ------
    ChainError
        There is no filter in it, or several.
    """
    from jaxscope.filters.imports import Imported, import_text

    numbers = parse_table(text)
    if numbers and not has_words(text):
        return Imported(stages=(Stage(spec=_bare(form, numbers)),))
    return single(import_text(text, rate_hz=rate_hz))


def single(found: Imported) -> Imported:
    """Return what was found where it is one stage; ChainError where there are several."""
    if len(found.stages) != 1:
        raise ChainError(f"there are {len(found.stages)} stages in it", hint="paste or load it in the chain")
    return found


def _bare(form: str | None, numbers: list[list[float]]) -> AbstractFilterSpec:
    flat = [value for row in numbers for value in row]
    if form == "taps":
        return FAMILIES["taps"](values=tuple(flat))
    if form == "ba":
        by_row = all(len(row) == 2 for row in numbers)
        b, a = zip(*numbers, strict=True) if by_row and len(numbers) != 2 else (numbers[0], numbers[-1])
        return FAMILIES["transfer_function"](b=tuple(b), a=tuple(a))
    if len(flat) % 6:
        raise SpecError("rows", f"{len(flat)} numbers are not rows of six", hint="give b0 b1 b2 a0 a1 a2 per section")
    return FAMILIES["sections"](rows=tuple(tuple(flat[at : at + 6]) for at in range(0, len(flat), 6)))
