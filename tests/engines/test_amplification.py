"""Cascades that amplify between their sections what they damp as a whole: measured, told, and not run in float32."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

from jaxscope.engines.amplification import amplification
from jaxscope.engines.program import make_program
from jaxscope.filters.coefficients import Sections


def cascade(sos: np.ndarray) -> Sections:
    return Sections(tuple(tuple(row) for row in sos.tolist()))


WIDE_STOP = scipy.signal.bessel(10, [0.02, 0.6], "bandstop", output="sos")
USUAL = scipy.signal.butter(4, [0.002, 0.08], "bandpass", output="sos")


@pytest.fixture
def walk() -> np.ndarray:
    return np.cumsum(np.random.default_rng(1).standard_normal((2, 6000)), axis=1) + 1e4


def test_usual_designs_amplify_little_and_wide_stops_of_high_order_much():
    assert amplification(cascade(USUAL)) < 10
    assert amplification(cascade(WIDE_STOP)) > 1e4
    assert amplification(cascade(USUAL[:1])) == 1.0


def test_the_order_of_sections_decides():
    low, high = [1.0, 2.0, 1.0, 1.0, -1.8, 0.81], [1.0, -2.0, 1.0, 1.0, 1.8, 0.81]  # each passes what the other stops
    peaks = np.array([low, low, high, high])
    turns = np.array([low, high, low, high])
    assert amplification(cascade(peaks)) > 100 * amplification(cascade(turns))


@pytest.mark.parametrize("method", ["auto", "block"])
def test_float32_is_not_taken_where_it_leaves_nothing_or_that_is_said(walk, method, chain):
    design = chain(cascade(WIDE_STOP))
    program = make_program(design, n_channels=2, precision="float32", method=method)
    assert "amplify the rounding of float32" in program.reason
    if method == "auto":
        expected = make_program(design, n_channels=2, method="scipy").run(walk)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(program.run(walk), expected, rtol=0, atol=1e-6 * scale)


def test_float32_is_taken_for_usual_designs_and_for_float64_nothing_is_said(chain):
    usual = chain(cascade(USUAL))
    assert "amplify" not in make_program(usual, n_channels=2, precision="float32").reason
    wide = chain(cascade(WIDE_STOP))
    assert "amplify" not in make_program(wide, n_channels=2, precision="float64").reason
