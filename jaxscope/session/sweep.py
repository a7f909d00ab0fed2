"""Which numbers of a stage can be swept, from where to where, and the specs that a sweep goes through.

A knob is swept alone; of two edges each is a knob of its own. Invariant: the values of a sweep rise, and are even to
the eye: by ratio where the knob is logarithmic.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from jaxscope.errors import SpecError
from jaxscope.filters.spec import AbstractFilterSpec

_REACH_LOG, _REACH_LINEAR = 4.0, 0.5
#: how near to half the rate a sweep may come
_HIGHEST_SHARE = 0.98
_SIDES = ("lower", "upper")
FEWEST_STEPS, MOST_STEPS, USUAL_STEPS = 2, 256, 64


@dataclass(frozen=True, slots=True, kw_only=True)
class SweptKnob:
    """A number of a spec: ``place`` is which of two edges it is, None for a knob of one number."""

    name: str
    place: int | None
    label: str
    unit: str
    is_log: bool
    is_whole: bool

    @property
    def key(self) -> str:
        """A name for it in lists."""
        return f"{self.name}:{'' if self.place is None else self.place}"

    def value_of(self, spec: AbstractFilterSpec) -> float:
        """Return its number in a spec."""
        value = getattr(spec, self.name)
        return float(value if self.place is None else value[self.place])

    def with_number(self, spec: AbstractFilterSpec, number: float) -> Any:
        """Return the value of the field with another number."""
        own = round(number) if self.is_whole else number
        if self.place is None:
            return own
        edges = list(getattr(spec, self.name))
        edges[self.place] = own
        return tuple(edges)


def swept_knobs(spec: AbstractFilterSpec) -> tuple[SweptKnob, ...]:
    """Return what can be swept in a spec, in the order of its form: frequencies first.

    Examples
    --------
    >>> from jaxscope.filters.iir import Butterworth
    >>> [knob.label for knob in swept_knobs(Butterworth(band="bandpass", cutoff_hz=(1.0, 40.0)))]
    ['lower cutoff', 'upper cutoff', 'order']
    """
    found: list[SweptKnob] = []
    for knob in spec.knobs():
        value = getattr(spec, knob.name)
        words = knob.label.lower()
        whole = SweptKnob(
            name=knob.name, place=None, label=words, unit=knob.unit, is_log=knob.log, is_whole=knob.kind == "count"
        )
        if knob.kind == "edges" and isinstance(value, tuple) and len(value) == 2:
            found += [replace(whole, place=place, label=f"{side} {words}") for place, side in enumerate(_SIDES)]
        elif knob.kind in ("number", "count", "edges") and isinstance(value, int | float):
            found.append(whole)
    return tuple(sorted(found, key=lambda knob: knob.unit != "Hz"))


def usual_range(spec: AbstractFilterSpec, knob: SweptKnob, rate_hz: float) -> tuple[float, float]:
    """Return from where to where a knob is swept at first: around its value, inside what it takes."""
    value, (low, high) = knob.value_of(spec), spec.limits(knob.name, rate_hz)
    if knob.is_whole:
        begin, stop = max(1.0, value - 3), value + 4
    elif knob.is_log and value > 0:
        begin, stop = value / _REACH_LOG, value * _REACH_LOG
    else:
        begin, stop = value - abs(value) * _REACH_LINEAR, value + (abs(value) or 1.0) * _REACH_LINEAR
    if knob.unit == "Hz":
        stop = min(stop, rate_hz / 2 * _HIGHEST_SHARE)
    begin = begin if low is None else max(begin, low)
    stop = stop if high is None else min(stop, high)
    return _short(begin), _short(max(begin, stop))


def _short(value: float) -> float:
    return float(f"{value:.3g}")


def sweep_values(begin: float, stop: float, steps: int, knob: SweptKnob) -> tuple[float, ...]:
    """Return the numbers of a sweep, both ends included.

    Examples
    --------
    >>> knob = SweptKnob(name="order", place=None, label="order", unit="", is_log=False, is_whole=True)
    >>> sweep_values(2, 5, 64, knob)
    (2.0, 3.0, 4.0, 5.0)
    """
    if knob.is_whole:
        return tuple(float(number) for number in range(round(begin), round(stop) + 1))[:MOST_STEPS]
    count = min(max(FEWEST_STEPS, steps), MOST_STEPS)
    shares = [step / (count - 1) for step in range(count)]
    if knob.is_log and begin > 0:
        values = [begin * (stop / begin) ** share for share in shares]
    else:
        values = [begin + (stop - begin) * share for share in shares]
    # as few digits as tell them apart: what a person would type
    for digits in (3, 4, 6, 9):
        short = tuple(dict.fromkeys(float(f"{value:.{digits}g}") for value in values))
        if len(short) == count:
            return short
    return tuple(sorted(set(values)))


def takes(spec: AbstractFilterSpec, knob: SweptKnob, number: float, rate_hz: float) -> bool:
    """Whether a spec with another number can be, and fits the rate."""
    try:
        spec.with_value(knob.name, knob.with_number(spec, number)).check(rate_hz)
    except SpecError:
        return False
    return True
