"""Rounded filters against numbers worked out by hand, and against the public case of a float32 high-pass."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import signal

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES, FilterChain, Stage
from jaxscope.filters.coefficients import RunningMedian, Sections, Taps
from jaxscope.filters.design import design_chain
from jaxscope.filters.quantisation import (
    bits_of,
    fixed_point,
    quantise,
    quantise_polynomials,
    quantised_parts,
)


def design_of(spec, rate_hz=1000.0, phase="causal"):
    return design_chain(FilterChain(stages=(Stage(spec=spec),), phase=phase), rate_hz)


def test_q15_by_hand():
    # 0.3 · 2^15 = 9830.4 → 9830
    assert quantised_parts((Taps((0.3, -1.0)),), "q15") == (Taps((9830 / 32768, -1.0)),)
    # the largest number is 1.8, so one bit goes before the point: −1.8 · 2^14 = −29491.2, 0.81 · 2^14 = 13271.04
    (made,) = quantised_parts((Sections(((0.5, 1.0, 0.5, 1.0, -1.8, 0.81),)),), "q15")
    assert made.rows == ((0.5, 1.0, 0.5, 1.0, -29491 / 16384, 13271 / 16384),)


def test_the_radius_and_stability_are_those_of_the_rounded_numbers():
    made = quantise(design_of(FAMILIES["sections"](rows=((1, 0, 0, 1, -1.8, 0.81),))), "8 bit")
    # steps of 2^-6: −1.8 · 64 = −115.2 → −115, 0.81 · 64 = 51.84 → 52; both poles at radius √(52/64)
    assert made.parts == (Sections(((1.0, 0.0, 0.0, 1.0, -115 / 64, 52 / 64),)),)
    assert made.pole_radius == pytest.approx(math.sqrt(52 / 64))
    edge = quantise(design_of(FAMILIES["sections"](rows=((1, 0, 0, 1, 0, 1 - 1e-9),))), "float32")
    assert (edge.pole_radius, edge.is_stable, edge.change_db) == (1.0, False, None)
    assert edge.sentence() == "As float32: max pole 1.0000, unstable"


def test_c008_a_high_pass_as_b_and_a_is_unstable_in_float32():
    b, a = signal.butter(4, 0.1, "high", fs=2048)
    made = quantise_polynomials(tuple(b), tuple(a), "float32")
    assert made.pole_radius == pytest.approx(1.01444, abs=1e-5)
    assert made.sentence() == "As float32: max pole 1.0144, unstable"
    as_sections = quantise(design_of(FAMILIES["butterworth"](band="highpass", cutoff_hz=0.1), 2048.0), "float32")
    assert as_sections.is_stable


def test_the_change_of_the_response_is_where_and_what_it_is():
    taps = (0.3, 0.1)
    made = quantise(design_of(FAMILIES["taps"](values=taps)), "8 bit")
    rounded = np.array([38, 13]) / 128  # 0.3 · 128 = 38.4, 0.1 · 128 = 12.8
    w = np.linspace(0, np.pi, 20_001)
    before, after = (np.abs(signal.freqz(h, 1, w)[1]) for h in (taps, rounded))
    levels = np.abs(20 * np.log10(after / before))
    assert made.change_db == pytest.approx(levels.max(), rel=1e-4)
    assert "response changes by up to" in made.sentence()
    zero = quantise(design_of(FAMILIES["taps"](values=taps), phase="zero"), "8 bit")
    assert zero.change_db == pytest.approx(2 * made.change_db)


@pytest.mark.parametrize(
    "spec",
    [
        FAMILIES["gain"](gain=1e50),
        FAMILIES["taps"](values=(1e50, 1.0)),
        FAMILIES["sections"](rows=((1e50, 0, 0, 1, -0.5, 0),)),
    ],
    ids=lambda spec: spec.family,
)
def test_what_float32_cannot_hold_becomes_its_largest_number(spec):
    made = quantise(design_of(spec), "float32")
    expected = 20 * math.log10(1e50 / float(np.finfo(np.float32).max))
    assert made.change_db == pytest.approx(expected, rel=1e-6)


def test_a_median_has_nothing_to_round():
    made = quantise(design_of(FAMILIES["median"](window=5)), "q15")
    assert made.parts == (RunningMedian(5),)
    assert made.sentence() == "As Q15: nothing to round"


@pytest.mark.parametrize("word", ["", "q7", "3 bit", "54 bit", "many"])
def test_words_that_are_not_there_are_refused(word):
    with pytest.raises(SpecError, match="is no word length"):
        bits_of(word)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), st.integers(4, 32))
def test_fixed_point_is_within_half_a_step_and_twice_is_once(values, bits):
    made = fixed_point(values, bits)
    largest = max(map(abs, values))
    assert np.abs(made - values).max() <= 2.0 ** (max(0, math.frexp(largest)[1]) - bits + 1)
    np.testing.assert_array_equal(fixed_point(made, bits), made)
