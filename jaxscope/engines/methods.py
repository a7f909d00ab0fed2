"""The methods, and which of them ``auto`` takes.

``auto`` follows measurements (``jaxscope bench``), not taste: see the sentence that comes with each choice.
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxscope.engines.base import AbstractProgram, Structure
from jaxscope.engines.settling import pole_radius
from jaxscope.errors import UsageError
from jaxscope.filters.coefficients import ChainDesign, Sections
from jaxscope.registry import Registry

METHODS: Registry[type[AbstractProgram]] = Registry(
    "method",
    {
        "block": "jaxscope.engines.jax_engine:BlockProgram",
        "toeplitz": "jaxscope.engines.jax_engine:ToeplitzProgram",
        "overlap-save": "jaxscope.engines.jax_engine:OverlapSaveProgram",
        "scan": "jaxscope.engines.jax_engine:ScanProgram",
        "associative": "jaxscope.engines.associative:AssociativeProgram",
        "truncated": "jaxscope.engines.truncated:TruncatedProgram",
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
        return _automatic(structure, designs, precision)
    name, _, number = method.partition(":")
    if name not in METHODS or (number and name != "truncated"):
        nearest = METHODS.nearest(name)
        known = ", ".join(("auto", *METHODS))
        hint = f"did you mean {nearest!r}?" if nearest else f"choose one of {known}"
        raise UsageError(f"method {method!r} is unknown", hint=hint, field="method")
    radius = largest_radius(designs)
    if name not in ("scan", "scipy", "truncated") and radius > LARGEST_RADIUS[precision]:
        return "scan", f"in place of {name}, which would overflow at pole radius {radius:.6g}"
    return name, f"chosen by hand:{number}" if number else "chosen by hand"


#: taps from which transforms beat banded products (measured on a CPU, by precision)
LONG_TAPS = {"float32": 97, "float64": 65}
#: pole radius beyond which the powers for groups of blocks could overflow, so that the plain recursion is used
LARGEST_RADIUS = {"float32": 1.004, "float64": 1.02}


def largest_radius(designs: Sequence[ChainDesign]) -> float:
    """Return the largest pole radius in any of the designs, 0 without poles."""
    cascades = [part for design in designs for part in design.parts if isinstance(part, Sections)]
    return max((pole_radius(part) for part in cascades), default=0.0)


def _automatic(structure: Structure, designs: Sequence[ChainDesign], precision: str) -> tuple[str, str]:
    sections = [part for design in designs for part in design.parts if isinstance(part, Sections) and part.rows]
    radius = largest_radius(designs)
    if radius > LARGEST_RADIUS[precision]:
        return "scan", f"the chain is unstable (pole radius {radius:.6g}), so it runs sample after sample"
    taps = max((shape.size for shape in structure.parts if shape.kind.startswith("taps")), default=0)
    if taps > LONG_TAPS[precision]:
        return "overlap-save", f"{taps} taps are faster over transforms than as products"
    if sections:
        return "block", "recursive sections run as matrix products over blocks"
    if taps:
        return "toeplitz", f"{taps} taps are fastest as a banded product"
    return "block", "nothing here is recursive"
