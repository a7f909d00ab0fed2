"""The methods, and which of them ``auto`` takes.

``auto`` follows measurements (``method_costs``), not taste, and says in one phrase what it went by. It never buys speed
with digits: recursions in direct form (``scan``, ``associative`` and SciPy's) are taken only where poles are far from
the circle, for near it their rounding grows and that of ``block`` does not; and SciPy only for a whole, short signal
that is there at once. A chain that never forgets is the exception: in float32 what is rounded off stays in its states
and adds up, block after block; and sections may amplify between them what the chain damps. There SciPy's recursion in
float64 is taken, and other methods say what they do.
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxscope.engines.amplification import amplification
from jaxscope.engines.base import AbstractProgram, PartShape, Structure
from jaxscope.engines.method_costs import TOO_SLOW_NS, costs_of
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
#: how the exact methods run sections and taps
RUNS_BY: dict[str, dict[str, str]] = {
    "block": {"sections": "block", "taps": "toeplitz"},
    "toeplitz": {"sections": "block", "taps": "toeplitz"},
    "overlap-save": {"sections": "block", "taps": "overlap-save"},
    "scan": {"sections": "scan", "taps": "toeplitz"},
    "associative": {"sections": "associative", "taps": "toeplitz"},
    "scipy": {"sections": "scipy", "taps": "scipy"},
}
#: pole radius beyond which the powers for groups of blocks could overflow, so that the plain recursion is used
LARGEST_RADIUS = {"float32": 1.004, "float64": 1.02}
#: pole radius from which a chain forgets nothing in any recording: what float32 rounds off adds up in its states
LASTING_RADIUS = 1.0 - 1e-9
#: amplification of what float32 rounds off between sections up to which a result keeps five digits
MOST_AMPLIFIED = 500.0
#: pole radius up to which a recursion in direct form rounds as well as ours, in float64
EASY_RADIUS = 0.9
#: devices whose work SciPy can do as well
HOST = ("cpu", "cpu:0")
#: samples of all channels together beyond which SciPy is not taken: it runs on one core, and ours on all of them
MOST_FOR_SCIPY = 1 << 17
#: by how much SciPy must be quicker to be taken
SCIPY_MARGIN = 1.2
#: length that a signal is taken for where it comes piece by piece
UNKNOWN_SAMPLES = 1 << 16


def choose(
    method: str,
    structure: Structure,
    designs: Sequence[ChainDesign],
    *,
    n_channels: int,
    device: str,
    precision: str,
    n_samples: int | None = None,
) -> tuple[str, str]:
    """Return the name of a method and one phrase that says why.

    ``n_samples`` is the length of a signal that is filtered as a whole; None where it comes piece by piece.

    Raises
    ------
    UsageError
        Where the method is unknown.
    """
    name, _, number = method.partition(":")
    radius = largest_radius(designs)
    is_loose = precision == "float32" and radius <= LARGEST_RADIUS[precision]
    adds_up = is_loose and radius >= LASTING_RADIUS
    grows = max(map(amplification, _cascades(designs)), default=1.0) if is_loose else 1.0
    caution = "; the chain never forgets, so the rounding of float32 adds up" if adds_up else ""
    if grows > MOST_AMPLIFIED and not adds_up:
        caution = f"; its sections amplify the rounding of float32 {grows:.1g} times"
    if method == "auto" and caution and device in (*HOST, "cpu:all"):
        if adds_up:
            return "scipy", "in float64, as the chain never forgets and the rounding of float32 would add up"
        return "scipy", f"in float64, as its sections would amplify the rounding of float32 {grows:.1g} times"
    if method == "auto":
        if radius > LARGEST_RADIUS[precision]:
            return "scan", f"the chain is unstable (pole radius {radius:.6g}), so it runs sample after sample"
        is_short = n_samples is not None and n_channels * n_samples <= MOST_FOR_SCIPY
        best, why = _measured(
            structure,
            candidates(structure, radius, precision=precision, with_scipy=device in HOST and is_short),
            is_by_channel=len(designs) > 1,
            shape=(n_channels, UNKNOWN_SAMPLES if n_samples is None else n_samples),
            platform=device.partition(":")[0],
            precision=precision,
        )
        return best, why + caution
    if name not in METHODS or (number and name != "truncated"):
        nearest = METHODS.nearest(name)
        known = ", ".join(("auto", *METHODS))
        hint = f"did you mean {nearest!r}?" if nearest else f"choose one of {known}"
        raise UsageError(f"method {method!r} is unknown", hint=hint, field="method")
    if name not in ("scan", "scipy", "truncated") and radius > LARGEST_RADIUS[precision]:
        return "scan", f"in place of {name}, which would overflow at pole radius {radius:.6g}"
    told = "" if name == "scipy" else caution
    return name, f"chosen by hand:{number}" if number else f"chosen by hand{told}"


def largest_radius(designs: Sequence[ChainDesign]) -> float:
    """Return the largest pole radius in any of the designs, 0 without poles."""
    return max(map(pole_radius, _cascades(designs)), default=0.0)


def _cascades(designs: Sequence[ChainDesign]) -> list[Sections]:
    return [part for design in designs for part in design.parts if isinstance(part, Sections)]


def candidates(structure: Structure, radius: float, *, precision: str, with_scipy: bool) -> tuple[str, ...]:
    """Return the methods that differ for a structure with this largest pole radius and lose no digit, our own first."""
    kinds = {_kind(shape) for shape in structure.parts if shape.size}
    is_easy = radius <= EASY_RADIUS
    found = [
        *(["block"] if "sections" in kinds else []),
        *(["scan", "associative"] if "sections" in kinds and is_easy and precision == "float64" else []),
        *(["toeplitz"] if "taps" in kinds and "sections" not in kinds else []),
        *(["overlap-save"] if "taps" in kinds else []),
        *(["scipy"] if with_scipy and is_easy and kinds and "median" not in kinds else []),
    ]
    return tuple(found or ["block"])


def predicted_ns(
    structure: Structure,
    methods: Sequence[str],
    *,
    is_by_channel: bool,
    shape: tuple[int, int],
    platform: str,
    precision: str,
) -> dict[str, float]:
    """Return the nanoseconds per sample that each method takes by the measurements, of those that were measured.

    Parameters
    ----------
    structure : Structure
    methods : sequence of str
    is_by_channel : bool
        Whether each channel has coefficients of its own.
    shape : (n_channels, n_samples)
    platform : str
        A backend, such as ``"cpu"``.
    precision : {"float64", "float32"}
    """
    costs = costs_of(platform)
    if costs is None:
        return {}
    totals = dict.fromkeys(methods, 0.0)
    for part in structure.parts:
        kind = _kind(part)
        if kind == "median" or not part.size:
            continue  # the same whichever method
        own = costs.of(f"{kind} by channel" if is_by_channel else kind, precision, part.size, *shape)
        for method in methods:
            totals[method] += own.get(RUNS_BY[method][kind], TOO_SLOW_NS)
    return {method: total for method, total in totals.items() if total < TOO_SLOW_NS}


def _kind(part: PartShape) -> str:
    return "taps" if part.kind == "taps_once" else part.kind


def _measured(
    structure: Structure,
    names: tuple[str, ...],
    *,
    is_by_channel: bool,
    shape: tuple[int, int],
    platform: str,
    precision: str,
) -> tuple[str, str]:
    if len(names) == 1:
        sections = any(part.kind == "sections" and part.size for part in structure.parts)
        return names[0], "exact near the circle, and quickest" if sections else "nothing here is recursive or long"
    platform = {"cuda": "gpu", "rocm": "gpu"}.get(platform, platform)
    ns = predicted_ns(
        structure, names, is_by_channel=is_by_channel, shape=shape, platform=platform, precision=precision
    )
    if not ns:
        return names[0], f"matrix products; nothing was measured on {platform}"
    best, *others = sorted(ns, key=lambda name: ns[name] * (SCIPY_MARGIN if name == "scipy" else 1.0))
    if not others:
        return best, f"measured {ns[best]:.2g} ns a sample"
    return best, f"measured {ns[best]:.2g} ns a sample, {others[0]} {ns[others[0]]:.2g}"
