"""What a window says about filters: the shapes to choose from, the families of each, and words for a stage.

The window is generated from these tables, so a new family needs a line here and no code there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from jaxscope.errors import SpecError, counted
from jaxscope.filters import FAMILIES
from jaxscope.filters.iir import BANDS, edges_for_band
from jaxscope.filters.spec import AbstractFilterSpec, FilterChain, Stage

BAND_FAMILIES = ("butterworth", "bessel", "chebyshev1", "chebyshev2", "elliptic", "fir_window")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One choice in the row of shapes: a short word, a title, a sentence, and the families that have it."""

    name: str
    label: str
    title: str
    summary: str
    families: tuple[str, ...]
    band: str | None = None


SHAPES: tuple[Shape, ...] = (
    Shape(name="low", label="Low", title="Low-pass", summary="Low-pass: keeps what is below the cutoff",
          families=BAND_FAMILIES, band="lowpass"),
    Shape(name="high", label="High", title="High-pass", summary="High-pass: keeps what is above the cutoff",
          families=BAND_FAMILIES, band="highpass"),
    Shape(name="band", label="Band", title="Band-pass", summary="Band-pass: keeps what is between two edges",
          families=BAND_FAMILIES, band="bandpass"),
    Shape(name="stop", label="Stop", title="Band-stop", summary="Band-stop: takes out what is between two edges",
          families=BAND_FAMILIES, band="bandstop"),
    Shape(name="notch", label="Notch", title="Notch", summary="Notch: takes out one frequency, or it and its multiples",
          families=("notch", "comb")),
    Shape(name="more", label="More", title="More", summary="Peak, shelf, all-pass, smoothers, FIR, numbers of your own",
          families=("peak", "low_shelf", "high_shelf", "allpass", "weighting", "moving_average", "savitzky_golay",
                    "median", "fir_equiripple", "fir_least_squares", "raised_cosine", "gain", "delay", "sections",
                    "transfer_function", "zpk", "taps")),
)  # fmt: skip

BAND_TITLES = {shape.band: shape.title for shape in SHAPES if shape.band is not None}

#: where the edges of a new stage lie, as parts of the rate: 0.5 and 40 Hz at 250 Hz, 90 Hz and 7 kHz at 44.1 kHz
_FIRST_SHARES = (1 / 500, 4 / 25)
_FIRST_EDGES: dict[str, Callable[[float, float], float | tuple[float, float]]] = {
    "lowpass": lambda _low_hz, high_hz: high_hz,
    "highpass": lambda low_hz, _high_hz: low_hz,
    "bandpass": lambda low_hz, high_hz: (low_hz, high_hz),
}

#: fields kept when the family of a stage changes
_KEPT = ("order", "cutoff_hz", "frequency_hz", "q", "gain_db", "ripple_db", "attenuation_db", "taps", "window")


def shape_of(spec: AbstractFilterSpec) -> Shape:
    """Return the shape that a spec has; unknown families are under "More"."""
    band = getattr(spec, "band", None)
    return next(
        (shape for shape in SHAPES if spec.family in shape.families and shape.band in (None, band)),
        SHAPES[-1],
    )


def new_spec(family: str, rate_hz: float, *, band: str | None = None) -> AbstractFilterSpec:
    """Return a new stage's spec, its edges where a signal of this rate has use for them, all below half the rate.

    Raises
    ------
    SpecError
        No such family, or it has no meaning at this rate.
    """
    if family not in FAMILIES:
        raise SpecError("family", f'family "{family}" is not known', hint=f"known are {', '.join(FAMILIES)}")
    spec: AbstractFilterSpec = FAMILIES[family]()
    if band is not None and band in BANDS:
        spec = spec.with_value("band", band)
        if band in _FIRST_EDGES:
            low_hz, high_hz = (float(f"{rate_hz * share:.0e}") for share in _FIRST_SHARES)
            spec = spec.with_value("cutoff_hz", _FIRST_EDGES[band](low_hz, high_hz))
    return fitted(spec, rate_hz)


def fitted(spec: AbstractFilterSpec, rate_hz: float) -> AbstractFilterSpec:
    """Return a spec with frequencies moved to where this rate has them: for new stages, never for a person's own."""
    nyquist_hz = rate_hz / 2
    changes: dict[str, Any] = {}
    for item in spec.knobs():
        value = getattr(spec, item.name)
        if item.name == "edges_hz":
            # the last edge of a design over all frequencies is half the rate
            changes[item.name] = tuple(edge_hz * nyquist_hz / value[-1] for edge_hz in value)
        elif item.unit == "Hz" and _highest(value) >= nyquist_hz:
            scale = 0.4 * nyquist_hz / _highest(value)
            changes[item.name] = tuple(edge * scale for edge in value) if isinstance(value, tuple) else value * scale
    if spec.family == "comb":
        frequency_hz = changes.get("frequency_hz", getattr(spec, "frequency_hz"))  # noqa: B009
        changes["frequency_hz"] = rate_hz / max(round(rate_hz / frequency_hz), 3)
    return replace(spec, **changes)


def _highest(value: Any) -> float:
    return max(value) if isinstance(value, tuple) else float(value)


def with_family(spec: AbstractFilterSpec, family: str, rate_hz: float) -> AbstractFilterSpec:
    """Return a spec of another family that keeps band, edges, order and whatever else both have."""
    new = new_spec(family, rate_hz)
    fields = {item.name for item in new.knobs()}
    old = {item.name for item in spec.knobs()}
    if "band" in fields and "band" in old:
        new = new.with_value("band", getattr(spec, "band"))  # noqa: B009
    for name in _KEPT:
        if name in fields and name in old and getattr(spec, name) is not None:
            try:
                new = new.with_value(name, getattr(spec, name))
            except SpecError:
                # what the other family cannot take stays at its own default: a change of family never fails
                continue
    return new


def with_shape(spec: AbstractFilterSpec, shape: Shape, rate_hz: float) -> AbstractFilterSpec:
    """Return a spec of a shape: the same family where it has that shape, else the first that does."""
    if spec.family in shape.families:
        return spec if shape.band is None else spec.with_value("band", shape.band)
    new = new_spec(shape.families[0], rate_hz, band=shape.band)
    cutoff = getattr(spec, "cutoff_hz", None) or getattr(spec, "frequency_hz", None)
    if cutoff is None:
        return new
    names = {item.name for item in new.knobs()}
    if "cutoff_hz" in names and shape.band is not None:
        return new.with_value("cutoff_hz", edges_for_band(cutoff, shape.band))
    if new.family != "comb" and "frequency_hz" in names:
        centre = (cutoff[0] * cutoff[1]) ** 0.5 if isinstance(cutoff, tuple) else cutoff
        return new.with_value("frequency_hz", centre)
    return new


def short_hz(value_hz: float) -> str:
    """Return a frequency as a number of three digits: "0.50", "40.0", "1000"."""
    if value_hz == 0:
        return "0"
    digits = 2 if value_hz < 10 else 1 if value_hz < 100 else 0
    return f"{value_hz:.3g}" if value_hz < 0.1 else f"{value_hz:.{digits}f}"


def _edges(spec: Any) -> str:
    edges = spec.cutoff_hz if isinstance(spec.cutoff_hz, tuple) else (spec.cutoff_hz,)
    return f"{'–'.join(map(short_hz, edges))} Hz"


def stage_title(stage: Stage) -> str:
    """Return what a stage is called in the list: its own name, or what it does."""
    if stage.name:
        return stage.name
    spec = stage.spec
    band = getattr(spec, "band", None)
    if band in BAND_TITLES:
        return BAND_TITLES[band]
    if spec.family == "unknown":
        return str(getattr(spec, "family_name", "") or spec.title)
    if spec.family == "weighting":
        return f"{getattr(spec, 'curve', '')}-weighting"
    return spec.title


def stage_line(stage: Stage) -> str:
    """Return one line about a stage, such as "Butterworth 4 · 0.50 Hz"."""
    spec: Any = stage.spec
    match spec.family:
        case "butterworth" | "bessel" | "chebyshev1" | "chebyshev2" | "elliptic":
            return f"{spec.title} {spec.order} · {_edges(spec)}"
        case "fir_window":
            return f"FIR {spec.taps} taps · {_edges(spec)}"
        case "fir_equiripple" | "fir_least_squares" | "raised_cosine":
            return f"{spec.title} · {spec.taps} taps"
        case "notch" | "peak" | "comb" | "allpass" | "low_shelf" | "high_shelf":
            gain_db = getattr(spec, "gain_db", None)
            gain = "" if gain_db is None else f" · {gain_db:+.1f} dB"
            return f"{short_hz(spec.frequency_hz)} Hz · Q {spec.q:.3g}{gain}"
        case "savitzky_golay":
            return f"{spec.window} samples · degree {spec.polynomial}"
        case "moving_average" | "median":
            return f"{spec.window} samples"
        case "gain":
            return f"{spec.gain_db:+.1f} dB" if spec.gain_db is not None else f"× {spec.factor:.4g}"
        case "delay":
            return f"{spec.samples} samples"
        case "sections":
            return counted(len(spec.rows), "section")
        case "transfer_function":
            return f"b / a · order {max(len(spec.a), len(spec.b)) - 1}"
        case "zpk":
            return f"{len(spec.zeros)} zeros · {len(spec.poles)} poles"
        case "taps":
            return counted(len(spec.values), "tap")
        case "unknown":
            return "Not known here · off, kept as it is"
        case _:
            return str(spec.summary)


def name_of_chain(chain: FilterChain, most: int = 2) -> str:
    """Return what a chain does in few words: its first stages, ``"High-pass 0.50 Hz, Low-pass 40.0 Hz"``."""
    active = chain.active_stages
    if not active:
        return "No filter"
    words = [f"{stage_title(stage)} {stage_line(stage).rpartition('·')[2].strip()}" for stage in active[:most]]
    more = f" and {len(active) - most} more" if len(active) > most else ""
    return f"{', '.join(words)}{more}"
