"""What can be swept, from where to where, and through which numbers."""

from __future__ import annotations

import pytest

from jaxscope.filters import FAMILIES
from jaxscope.filters.iir import Butterworth
from jaxscope.session.sweep import SweptKnob, sweep_values, swept_knobs, takes, usual_range


def test_edges_are_knobs_of_their_own_and_frequencies_come_first():
    spec = Butterworth(band="bandpass", order=3, cutoff_hz=(1.0, 40.0))
    lower, upper, order = swept_knobs(spec)
    assert (lower.label, upper.label, order.label) == ("lower cutoff", "upper cutoff", "order")
    assert (lower.value_of(spec), upper.value_of(spec), order.value_of(spec)) == (1.0, 40.0, 3.0)
    assert upper.with_number(spec, 30.0) == (1.0, 30.0)
    assert order.with_number(spec, 5.0) == 5
    assert takes(spec, upper, 30.0, 256.0)
    assert not takes(spec, upper, 0.5, 256.0), "edges would be swapped"
    assert not takes(spec, upper, 130.0, 256.0), "above half the rate"
    assert len({knob.key for knob in (lower, upper, order)}) == 3


@pytest.mark.parametrize("family", FAMILIES)
def test_every_number_of_every_family_has_a_range_around_its_value_that_it_takes(family):
    spec = FAMILIES[family]()
    for knob in swept_knobs(spec):
        begin, stop = usual_range(spec, knob, 1000.0)
        value = knob.value_of(spec)
        assert begin <= value * 1.01 + 1e-9
        assert stop >= value * 0.99 - 1e-9
        values = sweep_values(begin, stop, 16, knob)
        assert list(values) == sorted(set(values))
        assert any(takes(spec, knob, number, 1000.0) for number in values)


def test_values_are_even_by_ratio_or_by_difference_and_have_few_digits():
    knob = SweptKnob(name="x", place=None, label="x", unit="Hz", is_log=True, is_whole=False)
    values = sweep_values(1.0, 1000.0, 4, knob)
    assert values == (1.0, 10.0, 100.0, 1000.0)
    close = sweep_values(40.0, 41.0, 64, knob)
    assert len(set(close)) == 64
    linear = SweptKnob(name="x", place=None, label="x", unit="dB", is_log=False, is_whole=False)
    assert sweep_values(-6.0, 6.0, 3, linear) == (-6.0, 0.0, 6.0)
