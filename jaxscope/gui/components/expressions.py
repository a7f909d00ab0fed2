"""The reader of number fields and cells: plain numbers and expressions, for a rate.

The grammar is the filters room's; here it gets the name that holds for a field (``fs``).
"""

from __future__ import annotations

from collections.abc import Callable

from jaxscope.filters.expression import evaluate


def reader(rate_hz: float | None) -> Callable[[str], float]:
    """Return a function from text to number; it raises SpecError with the sentence to show and a hint."""
    return lambda text: evaluate(text, rate_hz=rate_hz)
