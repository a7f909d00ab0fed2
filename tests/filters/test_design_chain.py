"""Chains at a rate: what is joined, what is kept apart, minimum phase, and what it costs in designs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import signal

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.coefficients import RunningMedian, Sections, Taps
from jaxscope.filters.design import design_chain, design_stage
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.minimum import minimum_phase
from jaxscope.filters.response import frequency_response, group_delay_samples
from jaxscope.filters.spec import FilterChain, Padding, Stage

RATE_HZ = 200.0
FREQUENCIES_HZ = np.linspace(0, 100, 257)


def chain_of(*specs, **options) -> FilterChain:
    return FilterChain(stages=tuple(Stage(spec=spec) for spec in specs), **options)


def _named(**families):
    return [FAMILIES[name](**fields) for name, fields in families.items()]


def test_neighbours_are_joined_and_others_kept_apart():
    notch, low, taps, median, smooth = _named(
        notch={}, butterworth={}, fir_window={"taps": 31}, median={}, savitzky_golay={}
    )
    design = design_chain(chain_of(notch, low, taps, taps, median, low, smooth, smooth), RATE_HZ)
    kinds = [(type(part), getattr(part, "runs_once", None)) for part in design.parts]
    assert kinds == [
        (Sections, None), (Taps, False), (RunningMedian, None), (Sections, None), (Taps, True), (Taps, True),
    ]  # fmt: skip
    assert len(design.parts[0].rows) == 3
    np.testing.assert_allclose(
        design.parts[1].values, np.convolve(taps.design(RATE_HZ).values, taps.design(RATE_HZ).values), atol=1e-16
    )


def test_the_cascade_equals_its_stages_one_after_the_other():
    specs = _named(
        butterworth={"order": 5}, gain={"gain": -2.5}, notch={}, fir_window={"taps": 31}, delay={"samples": 7}
    )
    whole = frequency_response(design_chain(chain_of(*specs), RATE_HZ), FREQUENCIES_HZ)
    single = [frequency_response(design_chain(chain_of(spec), RATE_HZ), FREQUENCIES_HZ) for spec in specs]
    np.testing.assert_allclose(whole, np.prod(single, axis=0), atol=1e-13)


def test_gains_fold_into_their_neighbour_and_identities_go():
    gain, low = FAMILIES["gain"](gain=4.0), Butterworth()
    for specs in ((gain, low), (low, gain)):
        (part,) = design_chain(chain_of(*specs), RATE_HZ).parts
        np.testing.assert_allclose(part.to_array().prod(axis=0)[0], 4 * low.design(RATE_HZ).to_array().prod(axis=0)[0])
    assert design_chain(chain_of(FAMILIES["gain"](gain=1.0)), RATE_HZ).parts == ()
    assert design_chain(chain_of(gain, FAMILIES["gain"](gain=0.25)), RATE_HZ).parts == ()
    assert design_chain(chain_of(), RATE_HZ).parts == ()


def test_stages_that_are_off_are_not_there():
    chain = FilterChain(
        stages=(Stage(spec=Butterworth(cutoff_hz=500.0), enabled=False), Stage(spec=FAMILIES["notch"]()))
    )
    assert len(design_chain(chain, RATE_HZ).parts[0].rows) == 1
    chain.check(RATE_HZ)
    with pytest.raises(SpecError):
        replace(chain, stages=(replace(chain.stages[0], enabled=True),)).check(RATE_HZ)


def test_how_it_runs_is_carried_over():
    chain = chain_of(
        Butterworth(), phase="zero", initial="rest", padding=Padding(kind="even", samples=7), gaps="propagate"
    )
    design = design_chain(chain, RATE_HZ)
    assert (design.rate_hz, design.phase, design.initial) == (RATE_HZ, "zero", "rest")
    assert (design.padding_kind, design.padding_samples, design.gaps) == ("even", 7, "propagate")
    assert design_chain(replace(chain, phase="minimum"), RATE_HZ).phase == "causal"


def test_moving_one_knob_designs_one_stage():
    others = _named(notch={}, bessel={"order": 3}, fir_window={})
    design_chain(chain_of(*others, Butterworth(cutoff_hz=33.0)), RATE_HZ)
    before = design_stage.cache_info()
    for step in range(20):
        design_chain(chain_of(*others, Butterworth(cutoff_hz=21.00717 + step / 7.013)), RATE_HZ)
    after = design_stage.cache_info()
    assert after.misses - before.misses == 20
    assert after.hits - before.hits == 60


@pytest.mark.parametrize(
    "taps",
    [
        signal.firwin(31, 0.3),
        signal.firwin(101, [0.1, 0.3], pass_zero=False),
        signal.firwin(301, 0.1, pass_zero=False),
        signal.firwin(1001, 0.05),
        -signal.firwin(51, 0.2),
        np.array([0.0, 0.0, 1.0]),
        np.array([1.0, -2.5, 1.0]),
        np.array([0.2]),
        np.random.default_rng(3).normal(size=80),
    ],
    ids=lambda taps: str(len(taps)),
)
def test_minimum_phase_taps_keep_the_magnitude_and_lose_the_delay(taps):
    found = np.array(minimum_phase(Taps(tuple(taps))).values)
    assert found.size == taps.size
    wanted = np.abs(np.fft.rfft(taps, 8192))
    np.testing.assert_allclose(np.abs(np.fft.rfft(found, 8192)), wanted, atol=2e-4 * wanted.max())
    # of all filters of this magnitude, none has more energy in its first samples
    assert (np.cumsum(found**2) >= np.cumsum(taps**2) - 1e-6).all()
    # polarity is kept where the filter is strong: at 0 Hz or at fs/2
    ends = np.vander([1.0, -1.0], taps.size)
    stronger = int(np.argmax(np.abs(ends @ taps)))
    assert (ends @ found)[stronger] * (ends @ taps)[stronger] >= -1e-9


@pytest.mark.parametrize(
    "numerator",
    [
        (1, 0, 0),
        (1, -2.5, 1),
        (0.5, -1.2, 2),
        (1, 3, 0),
        (0, 1, 0),
        (0, 0, 1),
        (0, 1, 0.5),
        (0, 1, 3),
        (1, -5, 6),
        (0, 0, 0),
        (1, -2, 1),
    ],
)
def test_minimum_phase_sections_reflect_zeros_and_keep_poles(numerator):
    row = (*map(float, numerator), 1.0, -1.2, 0.7)
    (found,) = minimum_phase(Sections((row,))).rows
    assert found[3:] == row[3:]
    turn = np.exp(-1j * np.linspace(0, np.pi, 65))
    before, after = np.polyval(row[2::-1], turn), np.polyval(found[2::-1], turn)
    np.testing.assert_allclose(np.abs(after), np.abs(before), atol=1e-12)
    assert all(abs(root) <= 1 + 1e-9 for root in np.roots(found[:3]))
    assert sum(found[:3]) == pytest.approx(sum(row[:3]))


@pytest.mark.parametrize(
    "taps", [(5e-324, 1.0), (1e-300, 1.0, 1e-300), (1e49, 1e-49, 3e49), (1e-310, 3e-310), (0.0, 1e200, 3e200, 1e200)]
)
def test_minimum_phase_of_extreme_taps_keeps_the_magnitude(taps):
    found = np.array(minimum_phase(Taps(taps)).values)
    wanted = np.abs(np.fft.rfft(taps, 64))
    np.testing.assert_allclose(np.abs(np.fft.rfft(found, 64)), wanted, atol=1e-7 * wanted.max())


def test_a_minimum_phase_chain_is_no_later_and_just_as_strong():
    chain = chain_of(FAMILIES["fir_window"](taps=101), FAMILIES["delay"](samples=9), Butterworth())
    causal, minimum = (design_chain(replace(chain, phase=phase), RATE_HZ) for phase in ("causal", "minimum"))
    strong = np.array([1.0, 10.0, 30.0])
    np.testing.assert_allclose(
        np.abs(frequency_response(minimum, strong)), np.abs(frequency_response(causal, strong)), rtol=1e-5
    )
    assert (group_delay_samples(minimum, strong) < group_delay_samples(causal, strong) - 40).all()


def test_c005_an_edge_at_half_the_rate_is_refused_and_just_below_it_a_high_pass():
    with pytest.raises(SpecError, match="100 Hz is not below fs/2 = 100 Hz"):
        design_chain(chain_of(Butterworth(band="bandpass", cutoff_hz=(17.1, 100.0))), 200.0)
    x = np.random.default_rng(0).normal(size=2000)
    band = Butterworth(band="bandpass", order=4, cutoff_hz=(17.1, 99.999)).design(200.0).to_array()
    high = Butterworth(band="highpass", order=4, cutoff_hz=17.1).design(200.0).to_array()
    y_band, y_high = signal.sosfilt(band, x), signal.sosfilt(high, x)
    assert np.linalg.norm(y_band - y_high) / np.linalg.norm(y_high) < 0.003


def test_c006_a_band_above_half_the_rate_is_refused_at_entry():
    with pytest.raises(SpecError, match="20 Hz is above fs/2 = 10 Hz") as caught:
        design_chain(chain_of(Butterworth(band="bandpass", cutoff_hz=(1.0, 20.0))), 20.0)
    assert caught.value.field == "cutoff_hz"


def test_c001_sections_of_a_narrow_band_stay_finite():
    sections = Butterworth(band="bandpass", order=5, cutoff_hz=(49.0, 51.0)).design(44000.0)
    y = signal.sosfilt(sections.to_array(), np.full(132000, 0.5))
    assert np.isfinite(y).all()
    assert np.abs(y).max() == pytest.approx(0.00733123, abs=5e-9)
    assert abs(int(np.abs(y).argmax()) - 25742) <= 1
    assert y[-1] == pytest.approx(-6.009e-06, abs=5e-10)


def test_c026_integer_hertz_do_not_overflow():
    sections = Butterworth(band="bandpass", cutoff_hz=(1_000_000_000, 1_100_000_000)).design(6_250_000_000)
    reference = signal.butter(4, [1.0e9, 1.1e9], "band", fs=6.25e9, output="sos")
    np.testing.assert_allclose(sections.to_array(), reference, rtol=1e-9, atol=1e-12)


def test_c042_high_order_at_plot_time():
    sections = Butterworth(band="bandpass", order=8, cutoff_hz=(1.0, 30.0)).design(1000.0)
    h = np.abs(signal.freqz_sos(sections.to_array(), [5.0, 1.0, 30.0], fs=1000.0)[1])
    np.testing.assert_allclose(h, [1, 2**-0.5, 2**-0.5], atol=1e-8)
