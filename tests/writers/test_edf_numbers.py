"""Limits and durations in the eight characters of an EDF header: never too tight, and as close as they can be."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.writers.edf_numbers import decimal_text, fit_range, rounded_text

finite = st.floats(-1e90, 1e90, allow_nan=False)


@given(st.tuples(finite, finite))
@settings(max_examples=400, deadline=None)
def test_c072_limits_enclose_what_they_must(pair: tuple[float, float]) -> None:
    low, high = sorted(pair)
    limits = fit_range(low, high)
    assert len(limits.low_text) <= 8
    assert len(limits.high_text) <= 8
    assert limits.low <= low
    assert high <= limits.high
    assert limits.low < limits.high


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (-1234.56789, 1234.56789, ("-1234.57", "1234.568")),
        (-200.0, 200.0, ("-200", "200")),
        (0.0, 0.0, ("-1", "1")),
        (0.0, 1.0, ("0", "1")),
        (175927.11, 175952.63, ("175927.1", "175952.7")),
        (-3e-7, 2.1e-7, ("-3E-7", "2.101E-7")),
        (-1e12, 3e12, ("-1E12", "3E12")),
    ],
)
def test_limits_are_written_shortly(low: float, high: float, texts: tuple[str, str]) -> None:
    limits = fit_range(low, high)
    assert (limits.low_text, limits.high_text) == texts


@given(st.fractions(Fraction(1, 1000), 60))
@settings(max_examples=200, deadline=None)
def test_durations_fit_eight_characters(value: Fraction) -> None:
    exact = decimal_text(value)
    if exact is not None:
        assert len(exact) <= 8
        assert Fraction(exact) == value
    rounded = rounded_text(value)
    assert len(rounded) <= 8
    assert abs(Fraction(rounded) / value - 1) < Fraction(1, 1000)
