"""The methods, and which of them ``auto`` takes.

``auto`` follows measurements (``jaxscope bench``), not taste: see the sentence that comes with each choice.
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxscope.engines.base import AbstractProgram, Structure
from jaxscope.errors import UsageError
from jaxscope.filters.coefficients import ChainDesign
from jaxscope.registry import Registry

METHODS: Registry[type[AbstractProgram]] = Registry(
    "method",
    {
        "scipy": "jaxscope.engines.scipy_reference:ScipyProgram",
    },
)


def choose(
    method: str,
    structure: Structure,
    designs: Sequence[ChainDesign],
    *,
    n_channels: int,
    device: str,
    precision: str,
) -> tuple[str, str]:
    """Return the name of a method and one phrase that says why."""
    if method == "auto":
        return "scipy", "the only method yet"
    if method not in METHODS:
        nearest = METHODS.nearest(method)
        known = ", ".join(("auto", *METHODS))
        hint = f"did you mean {nearest!r}?" if nearest else f"choose one of {known}"
        raise UsageError(f"method {method!r} is unknown", hint=hint, field="method")
    return method, "chosen by hand"
