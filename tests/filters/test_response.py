"""Responses for the passes in use, stability, settling and real cutoffs, against SciPy and brute force."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import signal

from jaxscope.errors import UnstableError
from jaxscope.filters import FAMILIES
from jaxscope.filters.coefficients import Sections, Taps
from jaxscope.filters.cutoffs import minus_3db_hz, minus_6db_hz, peak_of
from jaxscope.filters.design import design_chain
from jaxscope.filters.iir import Butterworth, Chebyshev2, Elliptic
from jaxscope.filters.manual import SectionsSpec, TapsSpec
from jaxscope.filters.response import (
    frequency_response,
    group_delay_samples,
    impulse_response,
    magnitude_db,
    phase_radians,
    step_response,
    taps_response,
)
from jaxscope.filters.settling import FAINT_TAIL, STRONG_TAIL, ringing_s, settling_s, settling_samples
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.filters.stability import (
    as_float32,
    is_stable,
    monic_roots,
    plane_of,
    pole_radius,
    require_stable,
    stability_margin,
)


def design_of(*specs, rate_hz=1000.0, **options):
    return design_chain(FilterChain(stages=tuple(Stage(spec=spec) for spec in specs), **options), rate_hz)


def test_a_low_cutoff_at_a_high_rate_keeps_its_digits():
    # a high-pass far below its cutoff falls by 24 dB an octave; plain sums of b lose this after 1e-8
    design = design_of(Butterworth(band="highpass", cutoff_hz=0.1), rate_hz=30000.0)
    frequency_hz = np.array([0.001, 0.002, 0.01, 0.05])
    ratio = np.tan(np.pi * 0.1 / 30000) / np.tan(np.pi * frequency_hz / 30000)
    np.testing.assert_allclose(np.abs(frequency_response(design, frequency_hz)), 1 / np.sqrt(1 + ratio**8), rtol=1e-6)
    assert frequency_response(design, [0.0])[0] == 0


def test_c010_response_and_delay_come_from_sections():
    design = design_of(Chebyshev2(order=10, attenuation_db=60.0, cutoff_hz=0.01), rate_hz=2.0)
    assert abs(frequency_response(design, [0.0])[0]) == pytest.approx(1.0, abs=1e-9)
    assert group_delay_samples(design, [0.0])[0] == pytest.approx(169.976, abs=5e-4)


def test_c012_delay_has_a_gap_at_a_zero_and_no_spike():
    design = design_of(FAMILIES["notch"](), rate_hz=250.0)
    frequency_hz = np.linspace(45, 55, 1001)
    delay = group_delay_samples(design, frequency_hz)
    at_zero = np.isclose(frequency_hz, 50.0)
    assert np.isnan(delay[at_zero]).all()
    # the delay of the poles alone, 1 / (1 - r) at most
    assert np.nanmax(delay) < 1 / (1 - pole_radius(design.parts)) + 1


@pytest.mark.parametrize(
    "spec", [Butterworth(order=5), Elliptic(band="bandpass", cutoff_hz=(30.0, 90.0)), FAMILIES["peak"](gain_db=-6.0)]
)
def test_response_delay_and_phase_equal_scipy(spec):
    design = design_of(spec)
    sos = design.parts[0].to_array()
    frequency_hz = np.linspace(1, 499, 300)
    reference = signal.freqz_sos(sos, frequency_hz, fs=1000.0)[1]
    np.testing.assert_allclose(frequency_response(design, frequency_hz), reference, atol=1e-9)
    turns = (phase_radians(design, frequency_hz) - np.angle(reference)) / (2 * np.pi)
    strong = np.abs(reference) > 1e-6
    np.testing.assert_allclose(turns[strong], np.round(turns[strong]), atol=1e-6)
    delay = sum(signal.group_delay((row[:3], row[3:]), frequency_hz, fs=1000.0)[1] for row in sos)
    far = np.abs(reference) > 1e-3
    np.testing.assert_allclose(group_delay_samples(design, frequency_hz)[far], delay[far], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("count", [1, 2, 7, 100, 1001])
def test_response_of_taps_equals_the_sum(count):
    taps = np.random.default_rng(count).normal(size=count)
    angle = np.linspace(0, np.pi, 50)
    wanted = np.exp(-1j * np.outer(angle, np.arange(count))) @ taps
    np.testing.assert_allclose(taps_response(taps, angle), wanted, atol=1e-11)


def test_zero_phase_counts_twice_but_smoothers_once():
    low, smooth = Butterworth(), FAMILIES["savitzky_golay"]()
    frequency_hz = np.linspace(0, 500, 101)
    for spec, power in ((low, 2), (FAMILIES["gain"](gain=-3.0), 2), (FAMILIES["fir_window"](), 2)):
        once = np.abs(frequency_response(design_of(spec), frequency_hz))
        twice = frequency_response(design_of(spec, phase="zero"), frequency_hz)
        np.testing.assert_allclose(twice, once**power, atol=1e-13)
    once = frequency_response(design_of(smooth), frequency_hz)
    centred = frequency_response(design_of(smooth, phase="zero"), frequency_hz)
    np.testing.assert_allclose(np.abs(centred), np.abs(once), atol=1e-13)
    np.testing.assert_allclose(centred.imag, 0, atol=1e-13)
    assert (group_delay_samples(design_of(low, phase="zero"), frequency_hz) == 0).all()


def test_c041_zero_phase_is_6_db_down_at_the_cutoff():
    causal, zero = (design_of(Butterworth(cutoff_hz=40.0), rate_hz=500.0, phase=phase) for phase in ("causal", "zero"))
    assert magnitude_db(causal, [40.0])[0] == pytest.approx(-3.0103, abs=1e-4)
    assert magnitude_db(zero, [40.0])[0] == pytest.approx(-6.0206, abs=1e-4)
    assert minus_3db_hz(causal) == pytest.approx((40.0,))
    assert minus_6db_hz(zero) == pytest.approx((40.0,))
    assert minus_3db_hz(zero)[0] < 40.0 < minus_6db_hz(causal)[0]


@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_pulse_and_step(phase):
    design = design_of(Butterworth(cutoff_hz=40.0), FAMILIES["savitzky_golay"](window=5), phase=phase)
    times, pulse = impulse_response(design, 300)
    _, step = step_response(design, 300)
    assert step[-1] == pytest.approx(1.0, abs=1e-6)
    if phase == "zero":
        np.testing.assert_allclose(pulse, pulse[::-1], atol=1e-12)
        assert times[300] == 0
        assert step[300] == pytest.approx(0.5 + pulse[300] / 2)
    else:
        assert times[0] == 0
    spectrum = np.abs(np.fft.rfft(pulse, 4096))
    wanted = np.abs(frequency_response(design, np.fft.rfftfreq(4096, 1 / 1000.0)))
    np.testing.assert_allclose(spectrum, wanted, atol=1e-6)


FAMILIES_THAT_RING = {
    "butterworth": {"cutoff_hz": 40.0},
    "elliptic": {"band": "bandpass", "cutoff_hz": (8.0, 13.0)},
    "bessel": {"order": 3},
    "notch": {},
    "peak": {},
    "comb": {},
    "fir_window": {"taps": 101},
    "savitzky_golay": {},
    "moving_average": {},
    "delay": {"samples": 17},
    "raised_cosine": {},
}


@pytest.mark.parametrize("tail", [STRONG_TAIL, FAINT_TAIL])
@pytest.mark.parametrize("phase", ["causal", "zero"])
@pytest.mark.parametrize("family", FAMILIES_THAT_RING)
def test_settling_equals_brute_force(family, phase, tail):
    design = design_of(FAMILIES[family](**FAMILIES_THAT_RING[family]), phase=phase)
    _, pulse = impulse_response(design, 6000)
    energy = pulse**2
    if phase == "zero":
        energy = energy[6000:].copy()
        energy[1:] *= 2
    left = np.cumsum(energy[::-1])[::-1]
    # a smoother that runs once reaches as far as its taps, whatever they weigh
    assert settling_samples(design, tail) == np.flatnonzero(left <= tail * left[0])[0]


def test_settling_of_double_poles_and_long_chains():
    twice = design_of(*(Butterworth(band="highpass", order=2, cutoff_hz=5.0),) * 3, Butterworth(order=8))
    _, pulse = impulse_response(twice, 20000)
    left = np.cumsum((pulse**2)[::-1])[::-1]
    assert abs(settling_samples(twice) - np.flatnonzero(left <= 1e-4 * left[0])[0]) <= 1
    mixed = design_of(Butterworth(), FAMILIES["fir_window"](taps=101), FAMILIES["median"](window=9))
    alone = [settling_samples(design_of(spec)) for spec in (Butterworth(), FAMILIES["fir_window"](taps=101))]
    assert settling_samples(mixed) == sum(alone) + 8
    slow = design_of(Butterworth(cutoff_hz=0.001), rate_hz=30000.0)
    assert settling_s(slow) == pytest.approx(
        1e4 * settling_s(design_of(Butterworth(cutoff_hz=10.0), rate_hz=30000.0)), rel=1e-2
    )


@pytest.mark.parametrize(
    ("q", "tau_s", "one_percent_s"), [(5, 0.0315, 0.145), (30, 0.1909, 0.879), (35, 0.2228, 1.026)]
)
def test_r24_ringing_of_a_notch(q, tau_s, one_percent_s):
    design = design_of(FAMILIES["notch"](frequency_hz=50.0, q=q), rate_hz=250.0)
    assert ringing_s(design, 1 / math.e) == pytest.approx(tau_s, abs=1e-4)
    assert ringing_s(design) == pytest.approx(one_percent_s, abs=1e-3)


def test_unstable_is_representable_and_named():
    design = design_of(SectionsSpec(rows=((1, 0, 0, 1, -2 * 1.018 * math.cos(0.3), 1.018**2),)))
    assert not is_stable(design.parts)
    assert pole_radius(design.parts) == pytest.approx(1.018)
    assert stability_margin(design.parts) == pytest.approx(-0.018)
    assert settling_s(design) == math.inf
    assert ringing_s(design) == math.inf
    with pytest.raises(UnstableError, match=r"outside the unit circle, at radius 1\.018") as caught:
        require_stable(design)
    assert "0.9823" in caught.value.hint
    assert caught.value.exit_code == 4
    require_stable(design_of(Butterworth()))


@pytest.mark.parametrize(
    ("rows", "runs"),
    [
        (((1, 0, 0, 1, -1, 0),), True),
        (((1, 0, 0, 1, -1.5, 0.5),), True),
        (((1, 0, 0, 1, -2, 1),), False),
        (((1, 0, 0, 1, -1, 0), (1, 0, 0, 1, -1, 0)), False),
        (((1, 0, 0, 1, 1, 0),), False),
        (((1, 0, 0, 1, -2.05, 1.05),), False),
    ],
)
def test_one_integrator_may_run_and_nothing_wilder(rows, runs):
    design = design_of(SectionsSpec(rows=rows))
    assert not is_stable(design.parts)
    if runs:
        require_stable(design)
    else:
        with pytest.raises(UnstableError):
            require_stable(design)


@pytest.mark.parametrize(
    ("a1", "a2", "stable"),
    [(-1.0, 0.0, False), (1.0, 0.0, False), (0.0, 1.0, False), (-2.0, 1.0, False), (-1.9, 0.95, True),
     (0.0, -1.0, False),
     (-1.0 + 2**-53, 0.0, True), (0.0, 1.0 - 2**-53, True), (-2.1, 1.2, False), (3.0, 0.5, False)],
)  # fmt: skip
def test_stability_is_exact_at_the_edge(a1, a2, stable):
    assert is_stable((Sections(((1.0, 0.0, 0.0, 1.0, a1, a2),)),)) is stable


def test_c008_as_float32_a_low_high_pass_is_unstable_as_polynomial_not_as_sections():
    b, a = signal.butter(4, 0.1, "high", fs=2048.0)
    rounded = FAMILIES["transfer_function"](b=b.astype(np.float32), a=a.astype(np.float32))
    assert rounded.pole_radius() == pytest.approx(1.01444, abs=5e-4)
    assert rounded.warnings(2048.0)
    design = design_of(Butterworth(band="highpass", cutoff_hz=0.1), rate_hz=2048.0)
    assert pole_radius(as_float32(design.parts)) < 1.0002


def test_quadratic_roots_keep_the_digits_of_their_difference():
    # poles 1 - 1e-7 +- 1e-9j: a plain discriminant would be all rounding
    first, second = monic_roots(-2.0 * (1 - 2.0**-23), (1 - 2.0**-23) ** 2)
    assert first == second == 1 - 2.0**-23
    real = monic_roots(-1.5, 0.5)
    assert sorted(root.real for root in real) == [0.5, 1.0]


def test_plane_gives_back_the_response():
    specs = (
        Butterworth(order=3),
        FAMILIES["notch"](),
        FAMILIES["fir_window"](taps=21),
        FAMILIES["delay"](samples=2),
        FAMILIES["gain"](gain=-2.0),
    )
    design = design_of(*specs)
    plane = plane_of(design.parts)
    z = np.exp(1j * np.linspace(0.01, 3, 40))
    value = plane.gain * np.prod([z - zero for zero in plane.zeros], axis=0)
    value = value / np.prod([z - pole for pole in plane.poles], axis=0)
    np.testing.assert_allclose(value, frequency_response(design, np.angle(z) * 1000 / (2 * np.pi)), atol=1e-10)
    zeros, poles, gain = signal.butter(3, 40, fs=1000.0, output="zpk")
    alone = plane_of(design_of(Butterworth(order=3)).parts)
    np.testing.assert_allclose(np.sort_complex(alone.poles), np.sort_complex(poles), atol=1e-12)
    # the threefold zero at -1 is exact, as in the design
    np.testing.assert_allclose(alone.zeros, zeros, atol=1e-12)
    assert alone.gain == pytest.approx(gain)
    assert plane_of((Taps((0.0,) * 3),)).gain == 0
    assert plane_of((Taps(tuple(np.ones(2000))),)).zeros is None


@pytest.mark.parametrize(
    ("band", "cutoff_hz", "rate_hz"),
    [("lowpass", 40.0, 1000.0), ("highpass", 0.05, 1000.0), ("bandpass", (49.0, 51.0), 44000.0),
     ("bandstop", (49.99, 50.01), 2000.0), ("bandpass", (0.1, 40.0), 500.0), ("lowpass", 499.0, 1000.0),
     ("highpass", 0.001, 30000.0)],
)  # fmt: skip
def test_half_power_of_a_butterworth_lies_at_its_edges(band, cutoff_hz, rate_hz):
    design = design_of(Butterworth(band=band, cutoff_hz=cutoff_hz), rate_hz=rate_hz)
    np.testing.assert_allclose(minus_3db_hz(design), np.atleast_1d(cutoff_hz), rtol=1e-6)


def test_cutoffs_count_from_the_highest_point():
    gained = design_of(Butterworth(cutoff_hz=40.0), FAMILIES["gain"](gain=100.0))
    assert minus_3db_hz(gained) == pytest.approx((40.0,))
    assert peak_of(design_of(FAMILIES["peak"](frequency_hz=37.0, q=500.0)))[0] == pytest.approx(37.0, rel=1e-6)
    assert minus_3db_hz(design_of(FAMILIES["peak"](frequency_hz=37.0, q=1000.0))) == pytest.approx(
        (36.9815, 37.0185), abs=1e-4
    )
    assert len(minus_3db_hz(design_of(FAMILIES["comb"](frequency_hz=50.0)))) == 20
    for family in ("gain", "delay", "allpass", "median"):
        assert minus_3db_hz(design_of(FAMILIES[family]())) == ()
    assert minus_3db_hz(design_of(TapsSpec(values=(0.0, 0.0)))) == ()
    assert minus_6db_hz(design_of(FAMILIES["fir_window"](taps=1001, cutoff_hz=40.0))) == pytest.approx(
        (40.0,), rel=1e-3
    )


def test_one_design_serves_the_points_of_both_passes():
    causal = design_of(Butterworth(order=8, cutoff_hz=40.0), rate_hz=512.0)
    zero = replace(causal, phase="zero")
    # both passes: 1 + x^2 = sqrt 2 at half power, x the warped frequency ratio to the order
    ratio = math.tan(math.pi * minus_3db_hz(zero)[0] / 512) / math.tan(math.pi * 40 / 512)
    assert ratio**16 == pytest.approx(math.sqrt(2) - 1, rel=1e-9)
