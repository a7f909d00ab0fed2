"""Strategies of specs, made from nothing but the knobs of each family."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.values import Knob


def _floats(knob: Knob):
    low, high = (knob.low, knob.high)
    return st.floats(min_value=low, max_value=high, allow_nan=False, allow_infinity=False)


def _points(knob: Knob):
    pair = st.tuples(st.floats(-1e6, 1e6), st.floats(0, 1e6))
    return st.lists(pair, max_size=3).map(
        lambda pairs: tuple(point for re, im in pairs for point in (((re, im), (re, -im)) if im else ((re, 0.0),)))
    )


def _rows(knob: Knob):
    number = st.floats(-1e6, 1e6)
    return st.lists(st.tuples(number, number, number, st.floats(0.5, 3), number, number), min_size=1, max_size=3).map(
        tuple
    )


def _edges(knob: Knob):
    return st.one_of(_floats(knob), st.tuples(_floats(knob), _floats(knob)).map(lambda edges: tuple(sorted(edges))))


def _windows(knob: Knob):
    return st.one_of(st.sampled_from(["hann", "boxcar"]), st.tuples(st.just("kaiser"), st.floats(0, 20)))


BY_KIND = {
    "number": _floats,
    "count": lambda knob: st.integers(int(knob.low or 0), int(min(knob.high or 99, 99))),
    "flag": lambda knob: st.booleans(),
    "choice": lambda knob: st.sampled_from(knob.choices),
    "edges": _edges,
    "window": _windows,
    "numbers": lambda knob: st.lists(_floats(knob), min_size=1, max_size=6).map(tuple),
    "points": _points,
    "rows": _rows,
}


def _specs_of(family: str):
    """Return a strategy of specs of a family, made from nothing but its knobs."""
    knobs = FAMILIES[family].knobs()
    values = {
        knob.name: st.one_of(st.none(), BY_KIND[knob.kind](knob)) if knob.optional else BY_KIND[knob.kind](knob)
        for knob in knobs
    }

    def build(fields):
        try:
            return FAMILIES[family](**fields)
        except SpecError:
            # fields that contradict each other: fall back one by one to the defaults, so that many survive
            spec = FAMILIES[family]()
            for name, value in fields.items():
                try:
                    spec = spec.with_value(name, value)
                except SpecError:
                    continue
            return spec

    return st.fixed_dictionaries(values).map(build)


@pytest.fixture(scope="session")
def specs_of():
    """Return a function from the name of a family to a strategy of its specs."""
    return _specs_of
