"""The reader of number fields and cells: plain numbers and expressions, for a rate.

The grammar is the filters room's; here it gets the names that hold for a field (``fs``).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from jaxscope.gui.components.numbers import parse_plain

_HAS_EXPRESSIONS = find_spec("jaxscope.filters.expression") is not None


def reader(rate_hz: float | None) -> Callable[[str], float]:
    """Return a function from text to number; it raises JaxscopeError with the sentence to show."""
    return parse_plain
