"""Shapes (Low, High, Band, Stop, Notch, More) on top of the families, and how a design moves from one to another.

A family belongs to the four bands where it has a ``band`` knob; a new family joins by itself. Going to another shape or
family keeps every value that means the same there (same name, and accepted): Bessel instead of Butterworth keeps the
cutoff. Invariant: what is returned fits the rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES, AbstractFilterSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a filter does to the spectrum, as a segment of the form and a line of the menu."""

    key: str
    label: str
    title: str
    tip: str


SHAPES = (
    Shape(key="lowpass", label="Low", title="Low-pass", tip="Low-pass: keeps what is below the cutoff"),
    Shape(key="highpass", label="High", title="High-pass", tip="High-pass: keeps what is above the cutoff"),
    Shape(key="bandpass", label="Band", title="Band-pass", tip="Band-pass: keeps what is between two edges"),
    Shape(key="bandstop", label="Stop", title="Band-stop", tip="Band-stop: takes out what is between two edges"),
    Shape(key="notch", label="Notch", title="Notch", tip="Notch: takes out one frequency, such as the mains"),
    Shape(key="more", label="More", title="More", tip="Peak, shelves, comb, all-pass, smoothers, FIR, plain numbers"),
)
_BANDS = ("lowpass", "highpass", "bandpass", "bandstop")
_FIRST_FAMILY = {"notch": "notch", "more": "peak"}
#: share of the rate that a frequency goes to where it does not fit
_FITTING_PART = 0.25


@cache
def has_bands(family: str) -> bool:
    """Return whether a family comes as low-pass, high-pass, band-pass and band-stop."""
    return any(knob.name == "band" for knob in FAMILIES[family].knobs())


def shape_of(spec: AbstractFilterSpec) -> str:
    """Return the key of the shape that a spec has."""
    if has_bands(spec.family):
        return str(getattr(spec, "band", "lowpass"))
    return spec.family if spec.family == "notch" else "more"


@cache
def families_of(shape: str) -> tuple[tuple[str, str], ...]:
    """Return (family, title) of the families that a shape comes in."""
    if shape in _BANDS:
        names = [name for name in FAMILIES if has_bands(name)]
    elif shape == "notch":
        names = ["notch"]
    else:
        names = [name for name in FAMILIES if not has_bands(name) and name != "notch"]
    return tuple((name, FAMILIES[name].title) for name in names)


def new_spec(shape: str, rate_hz: float | None, family: str | None = None) -> AbstractFilterSpec:
    """Return a fresh design of a shape, with its defaults, at values that fit the rate."""
    name = family or _FIRST_FAMILY.get(shape, "butterworth")
    spec = FAMILIES[name]()
    if shape in _BANDS:
        spec = spec.with_value("band", shape)
    return fitted(spec, rate_hz)


def with_shape(spec: AbstractFilterSpec, shape: str, rate_hz: float | None) -> AbstractFilterSpec:
    """Return the design in another shape, in the same family where that comes in it."""
    if shape == shape_of(spec):
        return spec
    if shape in _BANDS and has_bands(spec.family):
        return fitted(spec.with_value("band", shape), rate_hz)
    return _carried(spec, new_spec(shape, rate_hz), rate_hz)


def with_family(spec: AbstractFilterSpec, family: str, rate_hz: float | None) -> AbstractFilterSpec:
    """Return the design in another family, with every value that means the same there."""
    if family == spec.family:
        return spec
    fresh = FAMILIES[family]()
    if has_bands(family) and has_bands(spec.family):
        fresh = fresh.with_value("band", shape_of(spec))
    return _carried(spec, fresh, rate_hz)


def fitted(spec: AbstractFilterSpec, rate_hz: float | None) -> AbstractFilterSpec:
    """Return the design with frequencies that do not fit the rate moved to a quarter of it."""
    if rate_hz is None or complaint_about(spec, rate_hz) is None:
        return spec
    for knob in spec.knobs():
        value = getattr(spec, knob.name)
        if knob.unit == "Hz" and value is not None:
            spec = _kept(spec, knob.name, _moved(value, rate_hz))
    return spec


def complaint_about(spec: AbstractFilterSpec, rate_hz: float) -> str | None:
    """Return the sentence why a spec does not fit a rate, or None."""
    try:
        spec.check(rate_hz)
    except SpecError as error:
        return error.message
    return None


def _moved(value: Any, rate_hz: float) -> Any:
    if not isinstance(value, tuple):
        return value if value < rate_hz / 2 else rate_hz * _FITTING_PART
    top = max(value)
    return value if top < rate_hz / 2 else tuple(edge / top * rate_hz * _FITTING_PART for edge in value)


def _carried(old: AbstractFilterSpec, fresh: AbstractFilterSpec, rate_hz: float | None) -> AbstractFilterSpec:
    kinds = {knob.name: knob.kind for knob in old.knobs()}
    for knob in fresh.knobs():
        if knob.name != "band" and kinds.get(knob.name) == knob.kind:
            fresh = _kept(fresh, knob.name, getattr(old, knob.name))
    return fitted(fresh, rate_hz)


def _kept(spec: AbstractFilterSpec, name: str, value: Any) -> AbstractFilterSpec:
    """Return the spec with a value where it takes it; where it refuses, its own default stays."""
    try:
        return spec.with_value(name, value)
    except SpecError:
        return spec
