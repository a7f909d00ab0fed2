"""More bugs that others met in public, with the right values: lengths, edges, integers, scales and gaps."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.signal

from jaxscope import dsp
from jaxscope.engines.filter_array import filter_array
from jaxscope.engines.program import make_program
from jaxscope.filters.coefficients import Sections, Taps

METHODS = ["block", "scipy"]
MATLAB_B = (0.00327922, 0.01639608, 0.03279216, 0.03279216, 0.01639608, 0.00327922)
MATLAB_A = (1, -2.47441617, 2.81100631, -1.70377224, 0.54443269, -0.07231567)


@pytest.mark.shared
def test_c017_matlab_pads_with_three_times_the_order(shared_cases) -> None:
    folder = shared_cases / "reference" / "dspjl"
    x, expected = (np.loadtxt(folder / f"{name}.txt") for name in ("spectrogram_x", "filtfilt_output"))
    like_matlab = np.asarray(dsp.filtfilt(MATLAB_B, MATLAB_A, x, padlen=3 * (len(MATLAB_B) - 1)))
    np.testing.assert_allclose(like_matlab, expected, rtol=0, atol=1e-12)
    by_default = np.asarray(dsp.filtfilt(MATLAB_B, MATLAB_A, x))
    assert np.abs(by_default - expected).max() == pytest.approx(4.9e-3, rel=0.02)


def test_c018_a_short_signal_is_refused_by_dsp_and_padded_by_what_fits_in_the_engine(chain, sections) -> None:
    b, a = scipy.signal.butter(4, 0.02)
    with pytest.raises(ValueError, match="padlen"):
        dsp.filtfilt(b, a, np.zeros(15))
    assert np.asarray(dsp.filtfilt(b, a, np.zeros(16))).shape == (16,)
    low = sections(scipy.signal.butter(4, 0.02, output="sos"))
    for n in (1, 2, 15, 16):
        np.testing.assert_allclose(filter_array(np.full(n, 3.0), chain(low, phase="zero")), 3.0, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_c020_gustafsson_edges_for_sections(method: str, chain, sections) -> None:
    part = Sections(((0.5, 0.0, 0.0, 1.0, -0.5, 0.0),))
    design = chain(part, phase="zero", padding_kind="gustafsson")
    program = make_program(design, n_channels=1, method=method)
    np.testing.assert_allclose(program.run(np.array([[1.0, 2.0]])), [[1.4, 1.6]], atol=1e-13)
    for n in (3, 4, 9):
        x = np.random.default_rng(n).standard_normal((1, n))
        expected = scipy.signal.filtfilt([0.5], [1, -0.5], x, method="gust")
        np.testing.assert_allclose(program.run(x), expected, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_c022_sections_and_polynomials_agree_at_equal_padding(method: str, chain, sections) -> None:
    x = np.linspace(0, 5, 400) + np.sin(np.arange(400) / 7)
    low = sections(scipy.signal.butter(8, 0.2, output="sos"))
    y = make_program(chain(low, phase="zero", padding_samples=60), n_channels=1, method=method).run(x[np.newaxis])
    expected = scipy.signal.filtfilt(*scipy.signal.butter(8, 0.2), x, padlen=60)
    np.testing.assert_allclose(y[0], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", ["toeplitz", "overlap-save", "auto"])
def test_c028_small_values_beside_large_ones(method: str, chain) -> None:
    x = np.zeros((4, 10000))
    x[:, 5000] = [1.0, 1e9, 1e18, 1e27]
    taps = Taps(tuple(scipy.signal.firwin(101, 0.2).tolist()))
    y = make_program(chain(taps, initial="rest"), n_channels=4, method=method, n_samples=10000).run(x)
    for row, height in zip(y, x[:, 5000], strict=True):
        np.testing.assert_allclose(row[5000:5101] / height, taps.values, rtol=0, atol=1e-15)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint16", "bool"])
def test_c029_integers_are_filtered_as_floats(dtype: str, chain) -> None:
    x = np.random.default_rng(29).integers(0, 2 if dtype == "bool" else 100, (2, 3000)).astype(dtype)
    taps = scipy.signal.firwin(101, 0.2)
    y = filter_array(x, chain(Taps(tuple(taps.tolist())), initial="rest"), method="block")
    assert y.dtype == np.float64
    expected = scipy.signal.lfilter(taps, [1.0], x.astype(np.float64))
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_c034_nothing_is_clipped(precision: str, chain) -> None:
    x = 5000 * np.sin(np.arange(4000) / 50)
    y = filter_array(x, chain(Taps((1.0,))), precision=precision, method="block")
    np.testing.assert_allclose(y, x, rtol=1e-7)
    assert np.abs(y).max() > 4999


def test_c038_channels_and_sections_never_share_a_state(chain, sections) -> None:
    x = np.random.default_rng(38).random(16)
    sos = scipy.signal.ellip(6, 1, 60, 0.3, output="sos")
    cascade = chain(sections(sos), initial="rest")
    alone = filter_array(x, cascade, method="block")
    one_by_one = x
    for row in sos:
        one_by_one = scipy.signal.lfilter(row[:3], row[3:], one_by_one)
    np.testing.assert_allclose(alone, one_by_one, rtol=0, atol=1e-12)
    together = filter_array(np.stack([x, -2 * x, np.zeros(16)]), cascade, method="block")
    np.testing.assert_allclose(together, np.outer([1, -2, 0], alone), rtol=0, atol=1e-12)


def test_c040_an_unstable_recurrence_runs_and_says_its_pole(chain, sections) -> None:
    x = np.random.default_rng(40).standard_normal(40)
    design = chain(Sections(((1.0, 0.0, 0.0, 1.0, 2.0, 0.0),)), initial="rest")
    with pytest.warns(RuntimeWarning, match="2"):
        y = filter_array(x, design)
    np.testing.assert_allclose(y, scipy.signal.lfilter([1.0], [1.0, 2.0], x), rtol=1e-12)


@pytest.mark.shared
@pytest.mark.parametrize("phase", ["causal", "zero"])
def test_c048_gaps_are_not_filled_and_make_no_spikes(phase: str, shared_data, chain, sections) -> None:
    jaxscope = pytest.importorskip("jaxscope")
    with jaxscope.open_recording(shared_data / "mseed" / "gaps.mseed") as recording:
        channel = recording.info.channels[0]
        x = recording.read(0, channel.n_samples, [0])
        gaps, rate_hz = recording.info.gaps, channel.rate_hz
        timeline = recording.info.timeline_of(0)
        segments = timeline.segments(rate_hz, channel.n_samples)
    assert len(gaps) == 3
    design = chain(
        sections(scipy.signal.butter(4, 1.0, "high", fs=rate_hz, output="sos")), phase=phase, rate_hz=rate_hz
    )
    # as time goes: NaN where nothing was recorded, not the 1000000 that others fill in
    assert len(segments) == 4
    lengths = [segment.stop_sample - segment.first_sample for segment in segments]
    missing = [round((gap.stop_s - gap.start_s) * rate_hz) for gap in gaps]
    pieces: list[np.ndarray] = []
    for number, segment in enumerate(segments):
        pieces.append(x[:, segment.first_sample : segment.stop_sample])
        if number < len(missing):
            pieces.append(np.full((1, missing[number]), np.nan))
    laid = np.concatenate(pieces, axis=1)
    y = filter_array(laid, design)
    np.testing.assert_array_equal(np.isnan(y), np.isnan(laid))
    assert np.nanmax(np.abs(y)) < 2 * np.nanmax(np.abs(x - x.mean()))
    own = np.concatenate([filter_array(piece, design) for piece in pieces[::2]], axis=1)
    np.testing.assert_allclose(y[~np.isnan(y)], own[0], rtol=0, atol=1e-9)
    assert sum(lengths) == own.shape[1]
    filled = filter_array(np.where(np.isnan(laid), 1e6, laid), design)
    assert np.abs(filled).max() > 1e5


@pytest.mark.shared
def test_c049_no_transient_at_the_start_of_a_trace_with_an_offset(shared_data, chain, sections) -> None:
    jaxscope = pytest.importorskip("jaxscope")
    with jaxscope.open_recording(shared_data / "sac" / "II.TLY.BHZ.SAC") as recording:
        x = recording.read(0, recording.info.channels[0].n_samples, [0])
    band = sections(scipy.signal.butter(4, [0.5, 5.0], "band", fs=20.0, output="sos"))
    calm = filter_array(x, chain(band, rate_hz=20.0))
    assert abs(calm[0, 0]) < 1e-9
    assert np.abs(calm[0, :100]).max() < 3 * np.abs(calm).std() + np.ptp(x[0, :100])
    loud = filter_array(x, chain(band, rate_hz=20.0, initial="rest"))
    assert np.abs(loud[0, :100]).max() > 3 * np.abs(calm[0, :100]).max()


def test_c050_edges_are_numbers_and_short_signals_run(chain, sections) -> None:
    x = np.sin(np.arange(200) / 5)
    taps = Taps(tuple(scipy.signal.firwin(1651, 0.5, fs=1000, pass_zero=False).tolist()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for phase in ("causal", "zero"):
            y = filter_array(x, chain(taps, phase=phase))
            assert y.shape == x.shape
            assert np.isfinite(y).all()
