"""Expressions in number fields: what they mean, what is wrong with them, and that nothing typed hangs."""

from __future__ import annotations

import cmath
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.errors import SpecError
from jaxscope.filters.expression import MAX_CHARACTERS, evaluate, evaluate_complex


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("40", 40.0), (" 40 ", 40.0), ("0,5", 0.5), (",5", 0.5), (".5", 0.5), ("5.", 5.0), ("1e3", 1000.0),
        ("1.5E-3", 0.0015), ("1.5k", 1500.0), ("5m", 0.005), ("2M", 2e6), ("1,5k", 1500.0), ("40 Hz", 40.0),
        ("3 kHz", 3000.0), ("1.5kHz", 1500.0), ("6 dB", 6.0), ("20ms", 0.02), ("fs/8", 64.0), ("fs / 2 - 1", 255.0),
        ("2*pi", 2 * math.pi), ("π", math.pi), ("e", math.e), ("-3", -3.0), ("−3", -3.0), ("+3", 3.0), ("--3", 3.0),
        ("2+3*4", 14.0), ("(2+3)*4", 20.0), ("2**3**2", 512.0), ("-2**2", -4.0), ("2**-1", 0.5), ("2^3", 8.0),
        ("7-2-3", 2.0), ("8/4/2", 1.0), ("2×3", 6.0), ("sqrt(2)", math.sqrt(2)), ("cos(pi/3)", 0.5), ("sin(0)", 0.0),
        ("exp(1)", math.e), ("log(e)", 1.0), ("log10(1k)", 3.0), ("abs(-2)", 2.0), ("sqrt(-1)**2", -1.0),
        ("2*cos(2*pi*50/fs)", 2 * math.cos(2 * math.pi * 50 / 512)), ("0**0", 1.0), ("180°", math.pi),
        ("abs(3<45°)", 3.0),
    ],
)  # fmt: skip
def test_values(text, value):
    assert evaluate(text, rate_hz=512.0) == pytest.approx(value, rel=1e-14, abs=1e-15)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5<45°", cmath.rect(0.5, math.pi / 4)), ("0.5<-45°", cmath.rect(0.5, -math.pi / 4)),
        ("0.5<pi/4", cmath.rect(0.5, math.pi / 4)), ("0,5 ∠ 45°", cmath.rect(0.5, math.pi / 4)),
        ("exp(-pi/4*1j)", cmath.exp(-1j * math.pi / 4)), ("3+4j", 3 + 4j), ("3-4*j", 3 - 4j), ("sqrt(-4)", 2j),
        ("2*0.5<90°", 2 * cmath.rect(0.5, math.pi / 2)), ("2i", 2j),
    ],
)  # fmt: skip
def test_points_of_the_plane(text, value):
    assert evaluate_complex(text) == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2*pi*", "something is missing at the end"), ("", "there is nothing here"), ("   ", "there is nothing here"),
        ("(1", "bracket at character 1 is not closed"), ("1)", "bracket at character 2 closes nothing"),
        ("2 3", 'missing before "3" at character 3'), ("1,234.5", 'missing before ".5" at character 6'),
        ("*2", 'missing before "*" at character 1'), ("(2 3)", 'missing before "3"'), ("2 @ 3", '"@ 3" at character 3'),
        ("foo", '"foo" at character 1 is not known; known are'), ("cos 3", "cos needs a number in brackets"),
        ("1/0", "divides by 0"), ("0**-1", "divides by 0"), ("2<1/0", "divides by 0"), ("log(0)", "logarithm of 0"),
        ("9**9**9", "too large"), ("1e999", "too large"), ("exp(1k)", "too large"), ("10**400*0", "too large"),
        ("sqrt(-1)", "not a real number"), ("3+4j", "not a real number"), ("1<1j", "angle must be a real number"),
        ("fs", "fs is not known before"), ("__import__(1)", "is not known"), ("1_000", "is not understood"),
        ("1e", "is not understood"), ("(" * 40 + "1" + ")" * 40, "too many brackets"),
        ("-" * 40 + "1", "too many signs"),
        ("5kk", "is not understood"), ("()", 'missing before ")"'),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said(text, reason):
    with pytest.raises(SpecError) as caught:
        evaluate(text, field="cutoff_hz")
    assert caught.value.message.startswith(f'Can\'t read "{text}"')
    assert reason in caught.value.hint
    assert caught.value.field == "cutoff_hz"


def test_too_long_a_text_is_refused_unread():
    with pytest.raises(SpecError, match=str(MAX_CHARACTERS + 1)):
        evaluate("1" * (MAX_CHARACTERS + 1))


@settings(max_examples=400, deadline=None)
@given(st.text(alphabet="0123456789.,+-*/^()<° \tkmjeπpisqrtcolgxfhHzdB", max_size=40) | st.text(max_size=20))
def test_nothing_typed_raises_anything_but_a_sentence(text):
    try:
        value = evaluate_complex(text, rate_hz=1000.0)
    except SpecError as error:
        assert error.hint  # noqa: PT017
    else:
        assert cmath.isfinite(value)


@settings(max_examples=100, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False, min_value=0))
def test_any_number_printed_by_python_is_read_back(value):
    assert evaluate(repr(value)) == value
