"""Resonators, weighting curves, finite filters and smoothers against SciPy, closed forms and standards."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from scipy import signal

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.coefficients import RunningMedian, Taps
from jaxscope.filters.weighting import analog_gain


def _response(sections, frequency_hz, rate_hz):
    return signal.freqz_sos(sections.to_array(), np.atleast_1d(frequency_hz), fs=rate_hz)[1]


@pytest.mark.parametrize("q", [0.6, 5.0, 30.0, 1000.0])
@pytest.mark.parametrize(("frequency_hz", "rate_hz"), [(50.0, 250.0), (60.0, 1000.0), (10.0, 44100.0)])
def test_notch_and_peak_equal_scipy(frequency_hz, rate_hz, q):
    for family, designed in (("notch", signal.iirnotch), ("peak", signal.iirpeak)):
        b, a = designed(frequency_hz, q, fs=rate_hz)
        row = FAMILIES[family](frequency_hz=frequency_hz, q=q).design(rate_hz).to_array()[0]
        np.testing.assert_allclose(row, np.r_[b, a], atol=1e-14)


def test_r08_matlab_notch():
    row = FAMILIES["notch"](frequency_hz=0.06, q=30.0).design(2.0).to_array()[0]
    np.testing.assert_allclose(row, [0.99686824, -1.9584219, 0.99686824, 1, -1.9584219, 0.99373647], atol=5e-9)
    sections = FAMILIES["notch"](frequency_hz=0.3, q=30.0).design(2.0)
    levels = np.abs(_response(sections, [0.3, 0.295, 0.305], 2.0))
    assert levels[0] < 1e-10
    # half power lies half a width off, but for the warping of so wide a notch
    np.testing.assert_allclose(20 * np.log10(levels[1:]), -3.01, atol=0.03)


def test_c016_a_notch_is_checked_against_each_rate():
    spec = FAMILIES["notch"](frequency_hz=60.0)
    spec.check(1000.0)
    with pytest.raises(SpecError, match="60 Hz is above fs/2 = 50 Hz") as caught:
        spec.check(100.0)
    assert caught.value.field == "frequency_hz"


def test_a_notch_wider_than_half_the_rate_is_refused():
    with pytest.raises(SpecError) as caught:
        FAMILIES["notch"](frequency_hz=50.0, q=0.2).design(250.0)
    assert caught.value.field == "q"


@pytest.mark.parametrize("gain_db", [-12.0, 0.0, 6.0])
def test_peak_and_shelves_have_their_gain(gain_db):
    peak = FAMILIES["peak"](frequency_hz=50.0, q=2.0, gain_db=gain_db).design(1000.0)
    low = FAMILIES["low_shelf"](frequency_hz=50.0, gain_db=gain_db).design(1000.0)
    high = FAMILIES["high_shelf"](frequency_hz=50.0, gain_db=gain_db).design(1000.0)
    for sections, levels in (
        (peak, (0, gain_db, 0)),
        (low, (gain_db, gain_db / 2, 0)),
        (high, (0, gain_db / 2, gain_db)),
    ):
        got = 20 * np.log10(np.abs(_response(sections, [0.0, 50.0, 500.0], 1000.0)))
        np.testing.assert_allclose(got, levels, atol=1e-9)


def test_cookbook_peak_to_the_digit():
    # the cookbook's own formulas, in the order of its text
    angle, amplitude = 2 * math.pi * 1000 / 48000, 10 ** (6 / 40)
    alpha = math.sin(angle) / (2 * 1.5)
    b = np.array([1 + alpha * amplitude, -2 * math.cos(angle), 1 - alpha * amplitude])
    a = np.array([1 + alpha / amplitude, -2 * math.cos(angle), 1 - alpha / amplitude])
    row = FAMILIES["peak"](frequency_hz=1000.0, q=1.5, gain_db=6.0).design(48000.0).to_array()[0]
    np.testing.assert_allclose(row, np.r_[b, a] / a[0], rtol=1e-14)


def test_allpass_turns_the_phase_only():
    sections = FAMILIES["allpass"](frequency_hz=40.0, q=2.0).design(500.0)
    response = _response(sections, [0.0, 10.0, 40.0, 100.0], 500.0)
    np.testing.assert_allclose(np.abs(response), 1.0, atol=1e-12)
    assert response[2] == pytest.approx(-1.0)


@pytest.mark.parametrize(
    ("frequency_hz", "q", "rate_hz"), [(60, 35, 600), (50, 10, 250), (40, 8, 1000), (50, 0.7, 250)]
)
@pytest.mark.parametrize("kind", ["notch", "peak"])
def test_comb_equals_scipy(frequency_hz, q, rate_hz, kind):
    spec = FAMILIES["comb"](frequency_hz=frequency_hz, q=q, kind=kind)
    b, a = signal.iircomb(frequency_hz, q, ftype=kind, fs=rate_hz, pass_zero=kind == "peak")
    frequencies = np.linspace(0, rate_hz / 2, 301)
    reference = signal.freqz(b, a, frequencies, fs=rate_hz)[1]
    np.testing.assert_allclose(_response(spec.design(float(rate_hz)), frequencies, rate_hz), reference, atol=1e-10)


def test_c013_comb_has_the_right_delay_and_refuses_what_drifts():
    sections = FAMILIES["comb"](frequency_hz=50.0, q=50.0).design(44100.0)
    assert len(sections.rows) == 441
    assert abs(_response(sections, 22000.0, 44100.0)[0]) < 1e-10
    with pytest.raises(SpecError, match="does not divide") as caught:
        FAMILIES["comb"](frequency_hz=50.0).check(256.0)
    assert "42.66666667 Hz or 51.2 Hz" in caught.value.hint


def test_c014_comb_marks_lie_at_the_multiples():
    multiples = np.arange(1, 5) * 60.0
    notch = np.abs(_response(FAMILIES["comb"](frequency_hz=60.0, q=35.0).design(600.0), multiples, 600.0))
    peak = np.abs(_response(FAMILIES["comb"](frequency_hz=60.0, q=35.0, kind="peak").design(600.0), multiples, 600.0))
    assert (20 * np.log10(notch) < -60).all()
    np.testing.assert_allclose(peak, 1.0, atol=1e-9)


def test_r19_k_weighting_is_the_published_filter_at_48_khz():
    published = [
        [1.53512485958697, -2.69169618940638, 1.19839281085285, 1, -1.69065929318241, 0.73248077421585],
        [1, -2, 1, 1, -1.99004745483398, 0.99007225036621],
    ]
    sections = FAMILIES["weighting"](curve="K").design(48000.0)
    np.testing.assert_allclose(sections.to_array(), published, atol=3e-14)
    levels = {25: -10.3928, 100: -1.1335, 500: 0.0425, 1000: 0.6977, 2000: 3.0713, 10000: 4.0419}
    got = 20 * np.log10(np.abs(_response(sections, list(levels), 48000.0)))
    np.testing.assert_allclose(got, list(levels.values()), atol=6e-5)


def test_r21_analog_curves_equal_the_table_of_the_standard(shared_cases):
    with (shared_cases / "reference" / "iec_61672_1_2013.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 34
    for row in rows:
        frequency_hz = 1000 * 10 ** (int(row["n"]) / 10)
        for curve in "AC":
            assert 20 * math.log10(analog_gain(curve, frequency_hz)) == pytest.approx(float(row[curve]), abs=0.0501)


#: IEC 61672-1:2013, table 3, class 1: the widest that a class 1 meter may miss
CLASS_1_DB = {8000: (-2.5, 1.5), 10000: (-3.0, 1.5), 12500: (-5.0, 2.0), 16000: (-16.0, 2.5), 20000: (-100.0, 3.0)}


@pytest.mark.parametrize("rate_hz", [44100.0, 48000.0, 96000.0, 192000.0])
@pytest.mark.parametrize("curve", ["A", "C"])
def test_digital_curves_follow_the_analog_ones(curve, rate_hz):
    sections = FAMILIES["weighting"](curve=curve).design(rate_hz)
    frequency_hz = 1000 * 10 ** (np.arange(-20, 14) / 10)
    frequency_hz = frequency_hz[frequency_hz < rate_hz / 2]
    wanted = 20 * np.log10([analog_gain(curve, value) for value in frequency_hz])
    error = 20 * np.log10(np.abs(_response(sections, frequency_hz, rate_hz))) - wanted
    assert np.abs(error[frequency_hz < 9000]).max() < 0.1
    assert np.abs(error).max() < 0.9
    for nominal_hz, (low, high) in CLASS_1_DB.items():
        near = np.abs(np.log2(frequency_hz / nominal_hz)) < 0.1
        assert ((error[near] > low) & (error[near] < high)).all()


def test_weighting_refuses_a_rate_where_it_has_no_meaning():
    with pytest.raises(SpecError) as caught:
        FAMILIES["weighting"](curve="A").check(256.0)
    assert caught.value.field == "curve"


@pytest.mark.parametrize("window", ["hamming", "hann", ("kaiser", 8.6), ("gaussian", 7.0), "blackmanharris"])
@pytest.mark.parametrize(
    ("band", "cutoff_hz", "taps"),
    [("lowpass", 40.0, 101), ("lowpass", 40.0, 64), ("highpass", 3.0, 301), ("bandpass", (1.0, 40.0), 128),
     ("bandstop", (49.0, 51.0), 501)],
)  # fmt: skip
def test_windowed_taps_equal_scipy(band, cutoff_hz, taps, window):
    spec = FAMILIES["fir_window"](band=band, cutoff_hz=cutoff_hz, taps=taps, window=window)
    reference = signal.firwin(taps, cutoff_hz, window=window, pass_zero=band, fs=250.0)
    np.testing.assert_allclose(spec.design(250.0).values, reference, atol=1e-16)


@pytest.mark.parametrize("name", ["129_highpass", "129_bandpass", "129_bandstop", "128_lowpass", "128_bandpass"])
def test_r16_hamming_taps_equal_the_tables(shared_cases, name):
    taps, band = name.split("_")
    ends = "fc0.25_fs1.0" if band in ("lowpass", "highpass") else "fc0.1_0.2_fs1.0"
    path = shared_cases / "reference" / "dspjl" / f"digitalfilter_hamming_{name}_scaled_{ends}.txt"
    cutoff_hz = 0.25 if band in ("lowpass", "highpass") else (0.1, 0.2)
    spec = FAMILIES["fir_window"](band=band, cutoff_hz=cutoff_hz, taps=int(taps))
    np.testing.assert_allclose(spec.design(1.0).values, np.loadtxt(path), atol=3e-16)


def test_window_names_and_numbers_are_checked():
    for window in ("hanning", ["kaiser"], "kaiser", ["hann", 3.0], 5, ["kaiser", 1, 2], ["kaiser", "8"]):
        with pytest.raises(SpecError) as caught:
            FAMILIES["fir_window"](window=window)
        assert caught.value.field == "window"


@pytest.mark.parametrize(
    ("window", "taps"), [(("kaiser", 1e6), 51), (("gaussian", 0), 51), (("chebwin", 1e6), 51), ("hann", 2)]
)
def test_a_window_without_finite_samples_is_named(window, taps):
    with pytest.raises(SpecError, match="is of no use for") as caught:
        FAMILIES["fir_window"](taps=taps, cutoff_hz=40.0, window=window).design(1000.0)
    assert caught.value.field == "window"


def test_a_chebyshev_window_of_few_decibels_is_made_without_a_word():
    made = FAMILIES["fir_window"](taps=51, cutoff_hz=40.0, window=("chebwin", 30.0)).design(1000.0)
    assert sum(made.values) == pytest.approx(1.0)


def test_even_taps_cannot_pass_half_the_rate():
    with pytest.raises(SpecError, match="100 taps") as caught:
        FAMILIES["fir_window"](band="highpass", taps=100)
    assert caught.value.field == "taps"
    turned = FAMILIES["fir_window"](taps=100).with_value("band", "highpass")
    assert (turned.taps, turned.band) == (101, "highpass")


def test_equiripple_and_least_squares_equal_scipy():
    edges = (0.0, 30.0, 40.0, 125.0)
    equiripple = FAMILIES["fir_equiripple"](taps=75, edges_hz=edges, gains=(1.0, 0.0), weights=(1.0, 10.0))
    reference = signal.remez(75, edges, (1.0, 0.0), weight=(1.0, 10.0), fs=250.0, maxiter=100)
    np.testing.assert_allclose(equiripple.design(250.0).values, reference, atol=1e-15)
    squares = FAMILIES["fir_least_squares"](taps=75, edges_hz=edges, gains=(1.0, 1.0, 0.0, 0.0), weights=(1.0, 10.0))
    reference = signal.firls(75, edges, (1.0, 1.0, 0.0, 0.0), weight=(1.0, 10.0), fs=250.0)
    np.testing.assert_allclose(squares.design(250.0).values, reference, atol=1e-15)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"edges_hz": (0.0, 40.0, 30.0, 100.0)}, "edges_hz"),
        ({"edges_hz": (0.0, 40.0, 50.0)}, "edges_hz"),
        ({"gains": (1.0,)}, "gains"),
        ({"weights": (1.0,)}, "weights"),
        ({"weights": (1.0, -1.0)}, "weights"),
        ({"edges_hz": 40.0}, "edges_hz"),
        ({"edges_hz": "0 40"}, "edges_hz"),
    ],
)
def test_wrong_bands_name_the_field(changes, field):
    with pytest.raises(SpecError) as caught:
        FAMILIES["fir_equiripple"](**changes)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("taps", "edges_hz", "kind", "rate_hz"),
    [
        (9, (0.0064, 0.0178), "bandpass", 20.0),
        (56, (0.2957, 0.5182), "differentiator", 1000.0),
        (143, (0.0, 0.0483), "hilbert", 100.0),
        (714, (4.9e-6, 0.0055), "bandpass", 1000.0),
    ],
)
def test_bands_too_narrow_for_the_taps_are_said(taps, edges_hz, kind, rate_hz):
    """SciPy leaves its memory there, which ends the process."""
    spec = FAMILIES["fir_equiripple"](taps=taps, edges_hz=edges_hz, gains=(1.0,), kind=kind)
    with pytest.raises(SpecError, match=f"too narrow to optimise {taps} taps"):
        spec.design(rate_hz)


def test_a_narrow_band_that_can_be_optimised_is():
    spec = FAMILIES["fir_equiripple"](taps=75, edges_hz=(0.0, 1.0, 3.0, 125.0), gains=(1.0, 0.0))
    assert np.isfinite(spec.design(250.0).values).all()


def test_an_equiripple_that_does_not_exist_is_said():
    with pytest.raises(SpecError, match="no equiripple filter"):
        FAMILIES["fir_equiripple"]().design(1000.0)
    with pytest.raises(SpecError, match="above fs/2"):
        FAMILIES["fir_equiripple"]().design(150.0)


@pytest.mark.parametrize("root", [False, True])
@pytest.mark.parametrize("rolloff", [0.0, 0.25, 0.5, 1.0])
def test_raised_cosine_has_unit_energy_and_no_echo(rolloff, root):
    taps = np.array(
        FAMILIES["raised_cosine"](taps=801, symbol_rate_hz=25.0, rolloff=rolloff, root=root).design(200.0).values
    )
    assert np.sum(taps**2) == pytest.approx(1.0)
    np.testing.assert_allclose(taps, taps[::-1], atol=1e-15)
    whole = np.convolve(taps, taps) if root else taps
    symbols = whole[len(whole) // 2 :: 8]
    # a root pulse cut off after 50 symbols keeps an echo, largest where it decays slowest
    np.testing.assert_allclose(symbols[1:20] / symbols[0], 0, atol=(1e-2 if rolloff == 0 else 2e-5) if root else 1e-12)


@pytest.mark.parametrize(("window", "polynomial"), [(5, 2), (11, 3), (31, 5), (51, 4), (3, 0), (1, 0)])
def test_savitzky_golay_equals_scipy(window, polynomial):
    taps = FAMILIES["savitzky_golay"](window=window, polynomial=polynomial).design(1.0)
    assert taps.runs_once
    np.testing.assert_allclose(taps.values, signal.savgol_coeffs(window, polynomial), atol=1e-13)


def test_savitzky_golay_keeps_polynomials_where_normal_equations_lose_them():
    # exact rational weights of window 101 and degree 8 keep every power up to 9; scipy 1.17 misses by a thousandth
    taps = np.array(FAMILIES["savitzky_golay"](window=101, polynomial=8).design(1.0).values)
    places = np.arange(-50, 51) / 50
    for power in range(10):
        assert taps @ places**power == pytest.approx(1.0 if power == 0 else 0.0, abs=1e-13)


def test_smoothers_check_their_windows():
    for family in ("savitzky_golay", "median"):
        with pytest.raises(SpecError, match="no middle") as caught:
            FAMILIES[family](window=8)
        assert (caught.value.field, caught.value.hint) == ("window", "choose 7 or 9")
    with pytest.raises(SpecError) as caught:
        FAMILIES["savitzky_golay"](window=5, polynomial=5)
    assert caught.value.field == "polynomial"
    assert FAMILIES["median"](window=7).design(1.0) == RunningMedian(7)
    assert FAMILIES["moving_average"](window=4).design(1.0) == Taps((0.25,) * 4)


def test_gain_is_one_number_or_decibel_not_both():
    gain = FAMILIES["gain"]
    assert gain(gain_db=20.0).design(1.0).values == pytest.approx((10.0,))
    assert gain(gain=-1.0).design(1.0).values == (-1.0,)
    assert gain().factor == 1.0
    with pytest.raises(SpecError) as caught:
        gain(gain=2.0, gain_db=6.0)
    assert caught.value.field == "gain_db"
    assert gain(gain=2.0).with_value("gain_db", 0.0) == gain(gain_db=0.0)


def test_delay_is_zeros_and_a_one():
    assert FAMILIES["delay"](samples=3).design(1.0).values == (0, 0, 0, 1)
    with pytest.raises(SpecError):
        FAMILIES["delay"](samples=-1)
