"""Sections multiplied out, and the digits that this costs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from jaxscope.filters import FAMILIES
from jaxscope.filters.coefficients import RunningMedian, Sections, Taps
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.polynomial import ALL_DIGITS, digits_lost, polynomials


def test_polynomials_equal_scipy():
    parts = (Butterworth(order=5).design(250.0), Taps((1.0, 2.0)), RunningMedian(3))
    b, a = signal.butter(5, 40, fs=250.0)
    got_b, got_a = polynomials(parts)
    np.testing.assert_allclose(np.trim_zeros(got_b, "b"), np.convolve(b, [1, 2]), atol=1e-14)
    np.testing.assert_allclose(np.trim_zeros(got_a, "b"), a, atol=1e-14)


def test_c001_a_narrow_band_at_a_high_rate_loses_everything():
    narrow = Butterworth(band="bandpass", order=5, cutoff_hz=(49.0, 51.0)).design(44000.0)
    assert digits_lost((narrow,)) == ALL_DIGITS
    assert digits_lost((Butterworth(order=2).design(250.0),)) < 2
    assert digits_lost((Taps((1.0,)),)) == 0.0
    assert digits_lost((FAMILIES["comb"](frequency_hz=50.0).design(1000.0),)) < 6
    double = Sections(((1.0, 0.0, 0.0, 1.0, -1.0, 0.25),))
    assert digits_lost((double,)) == ALL_DIGITS


@pytest.mark.parametrize("order", [4, 6, 8])
def test_the_estimate_is_what_roots_of_the_polynomial_show(order):
    sections = Butterworth(order=order, cutoff_hz=10.0).design(1000.0)
    poles = signal.butter(order, 10.0, fs=1000.0, output="zpk")[1]
    exact = np.poly(poles)
    noise = np.random.default_rng(1)
    moved = []
    for _ in range(50):
        shaken = np.roots(exact * (1 + 1e-13 * noise.uniform(-1, 1, exact.size)))
        nearest = np.abs(shaken[:, None] - poles[None, :]).min(axis=0)
        moved.append((nearest / (1 - np.abs(poles))).max())
    lost = np.log10(max(moved) / 1e-13)
    assert digits_lost((sections,)) == pytest.approx(lost, abs=1.5)
