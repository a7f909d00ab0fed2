"""Cross spectra, spectrograms, multitaper spectra, wavelets and histograms follow SciPy, MNE and NumPy."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.signal
import scipy.stats

from jaxscope import dsp
from jaxscope.dsp.cross_spectra import coherence_matrix
from jaxscope.filters.tapers import slepian_tapers

RATE_HZ = 100.0
X = np.random.default_rng(3).standard_normal((3, 400)) + 2
Y = 0.5 * X + np.random.default_rng(4).standard_normal((3, 400))
HOW = {"nperseg": 64, "noverlap": 24, "nfft": 80}


@pytest.mark.parametrize("more", [{}, {"average": "median", "detrend": "linear"}, {"return_onesided": False}])
def test_csd_equals_scipy(more: dict) -> None:
    ours, theirs = dsp.csd(X, Y, RATE_HZ, **HOW, **more), scipy.signal.csd(X, Y, RATE_HZ, **HOW, **more)
    np.testing.assert_allclose(ours[0], theirs[0], atol=1e-12)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-10, atol=1e-14)


def test_coherence_equals_scipy_and_the_matrix_holds_every_pair() -> None:
    expected = scipy.signal.coherence(X, Y, RATE_HZ, **HOW)
    for ours, theirs in zip(dsp.coherence(X, Y, RATE_HZ, **HOW), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)
    three = np.concatenate([X[:2], Y[:1]])
    spectra = np.moveaxis(np.array(dsp.spectrogram(three, RATE_HZ, "hann", **HOW, mode="complex")[2]), -1, -2)
    spectra[:, -1] = np.nan  # left out: what stands there is not looked at
    weights = np.ones(spectra.shape[1])
    weights[-1] = 0
    matrix = coherence_matrix(spectra, weights)
    shorter = 64 + 40 * (spectra.shape[1] - 2)
    expected = scipy.signal.coherence(X[0, :shorter], Y[0, :shorter], RATE_HZ, **HOW)[1]
    np.testing.assert_allclose(matrix[0, 2], expected, rtol=1e-9)
    np.testing.assert_allclose(matrix[2, 0], expected, rtol=1e-9)
    np.testing.assert_allclose(np.einsum("aaf->af", matrix), 1, rtol=1e-12)


@pytest.mark.parametrize("more", [{}, {"mode": "complex"}, {"mode": "magnitude", "window": "hann"}, {"axis": 0}])
def test_spectrogram_equals_scipy(more: dict) -> None:
    x = X.T if more.get("axis") == 0 else X
    ours, theirs = dsp.spectrogram(x, RATE_HZ, **HOW, **more), scipy.signal.spectrogram(x, RATE_HZ, **HOW, **more)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-10, atol=1e-13)
    assert dsp.spectrogram(X, RATE_HZ)[2].shape == scipy.signal.spectrogram(X, RATE_HZ)[2].shape


def test_a_missing_sample_costs_its_own_columns_alone() -> None:
    x = X[0].copy()
    x[200] = np.nan
    with_gap = np.asarray(dsp.spectrogram(x, RATE_HZ, nperseg=50, noverlap=0)[2])
    whole = np.asarray(dsp.spectrogram(X[0], RATE_HZ, nperseg=50, noverlap=0)[2])
    assert np.isnan(with_gap[:, 4]).all()
    np.testing.assert_array_equal(np.delete(with_gap, 4, 1), np.delete(whole, 4, 1))


@pytest.mark.parametrize("n_samples", [400, 399])
def test_multitaper_equals_mne(n_samples: int) -> None:
    mne = pytest.importorskip("mne")
    theirs, frequencies = mne.time_frequency.psd_array_multitaper(
        X[:, :n_samples], RATE_HZ, bandwidth=8.004 * RATE_HZ / n_samples, normalization="full", verbose="error"
    )
    # MNE cuts its tapers from ones that are a sample longer
    tapers, shares = scipy.signal.windows.dpss(n_samples, 4.002, 7, sym=False, return_ratios=True)
    f, density = dsp.multitaper(X[:, :n_samples], tapers, shares, RATE_HZ)
    np.testing.assert_allclose(f, frequencies, atol=1e-12)
    np.testing.assert_allclose(density, theirs, rtol=1e-9)


@pytest.mark.parametrize("n_samples", [1, 2, 3, 4, 7, 9])
def test_few_samples_have_tapers_of_unit_energy(n_samples: int) -> None:
    tapers, shares = slepian_tapers(n_samples)
    np.testing.assert_allclose(tapers @ tapers.T, np.eye(len(shares)), atol=1e-12)


def test_adaptive_weights_satisfy_thomsons_equation() -> None:
    x = scipy.signal.lfilter([1], [1, -0.95], X[0])
    tapers, shares = slepian_tapers(400, 4.0)
    density = np.asarray(dsp.multitaper(x, tapers, shares, RATE_HZ, adaptive=True)[1])
    two_sided = density * RATE_HZ
    two_sided[1:-1] /= 2
    power = np.abs(np.fft.rfft((x - x.mean()) * tapers)) ** 2
    weights = shares[:, None] * (two_sided / (shares[:, None] * two_sided + (1 - shares[:, None]) * x.var())) ** 2
    np.testing.assert_allclose((weights * power).sum(0) / weights.sum(0), two_sided, rtol=1e-6)
    plain = np.asarray(dsp.multitaper(x, tapers, shares, RATE_HZ)[1])
    assert density[-20:].mean() < plain[-20:].mean()  # less of what leaks


def test_densities_of_white_noise_are_its_variance_over_half_the_rate() -> None:
    noise = 3.0 * np.random.default_rng(5).standard_normal(8192)
    expected = 9.0 / (RATE_HZ / 2)
    tapers, shares = slepian_tapers(1024, 4.0)
    by_tapers = dsp.multitaper(noise.reshape(8, 1024), tapers, shares, RATE_HZ)[1][:, 5:-5]
    assert float(by_tapers.mean()) == pytest.approx(expected, rel=0.05)
    wavelets, halves = dsp.morlet_wavelets([5.0, 10.0, 20.0], RATE_HZ, 7.0)
    power = np.abs(np.asarray(dsp.wavelet_transform(noise, wavelets, halves))) ** 2
    np.testing.assert_allclose(np.nanmean(power, axis=-1), expected, rtol=0.15)


def test_wavelets_equal_mne_inside_and_are_missing_where_not_covered() -> None:
    mne = pytest.importorskip("mne")
    frequencies = np.array([8.0, 15.0, 30.0])
    theirs = mne.time_frequency.tfr_array_morlet(
        X[None, :1], RATE_HZ, frequencies, n_cycles=7.0, output="complex", zero_mean=False, verbose="error"
    )[0, 0]
    wavelets, halves = dsp.morlet_wavelets(frequencies, RATE_HZ, 7.0)
    ours = np.asarray(dsp.wavelet_transform(X[0], wavelets, halves))
    for row, half in enumerate(halves):
        assert np.isnan(ours[row, :half]).all()
        assert np.isnan(ours[row, len(X[0]) - half :]).all()
        inside = slice(half, len(X[0]) - half)
        # MNE's wavelets have energy 2, ours 2 / rate
        np.testing.assert_allclose(ours[row, inside] * np.sqrt(RATE_HZ), theirs[row, inside], rtol=1e-6, atol=1e-8)
    holed = X[0].copy()
    holed[200] = np.nan
    around = np.asarray(dsp.wavelet_transform(holed, wavelets, halves))
    for row, half in enumerate(halves):
        missing = np.isnan(around[row]) & ~np.isnan(ours[row])
        np.testing.assert_array_equal(np.flatnonzero(missing), np.arange(200 - half, 200 + half + 1))
        np.testing.assert_allclose(around[row][~np.isnan(around[row])], ours[row][~np.isnan(around[row])], atol=1e-9)


def test_histogram_moments_and_clipping() -> None:
    x = np.append(X[0], [np.nan, -99.0, 99.0, 5.0, 0.0])
    counts, edges = dsp.histogram(np.stack([x, x / 2]), 0.0, 5.0, 25)
    for row, values in enumerate((x, x / 2)):
        expected = np.histogram(values[np.isfinite(values)], bins=np.asarray(edges))
        np.testing.assert_array_equal(counts[row], expected[0])
    mean, deviation, kurtosis = dsp.moments(np.append(X[0], np.nan))
    assert float(mean) == pytest.approx(X[0].mean())
    assert float(deviation) == pytest.approx(X[0].std())
    assert float(kurtosis) == pytest.approx(scipy.stats.kurtosis(X[0]))
    clipped = np.clip(X[0], 1.5, 2.5)
    assert float(dsp.clipped_share(X[0])) == 0
    assert float(dsp.clipped_share(np.append(clipped, np.nan))) == pytest.approx(_in_runs(clipped) / 400)
    assert float(dsp.clipped_share(np.ones(9))) == 1


def _in_runs(x: np.ndarray) -> int:
    at = 0
    for limit in (x.min(), x.max()):
        here = x == limit
        padded = np.concatenate([[False], here, [False]])
        at += int((here & (padded[:-2] | padded[2:])).sum())
    return at


def test_they_have_slopes_and_run_under_jit_and_vmap() -> None:
    tapers, shares = slepian_tapers(400, 4.0)
    wavelets, halves = dsp.morlet_wavelets([10.0], RATE_HZ)

    def size(x: jax.Array) -> jax.Array:
        power = jnp.nanmean(jnp.abs(dsp.wavelet_transform(x, wavelets, halves)) ** 2)
        adaptive = dsp.multitaper(x, tapers, shares, RATE_HZ, adaptive=True)[1].sum()
        return power + adaptive + dsp.csd(x, x, RATE_HZ, nperseg=64)[1].real.sum()

    slope = jax.jit(jax.vmap(jax.grad(size)))(jnp.asarray(X))
    step = 1e-5 * np.random.default_rng(6).standard_normal(400)
    change = (size(jnp.asarray(X[0] + step)) - size(jnp.asarray(X[0] - step))) / 2
    assert float(change) == pytest.approx(float(step @ np.asarray(slope[0])), rel=1e-4)


@pytest.mark.parametrize(("frequency_hz", "step"), [(3.0, 8), (12.0, 4), (20.0, 2), (40.0, 1)])
def test_powers_from_parts_of_the_spectrum_are_those_of_the_coefficients(frequency_hz: float, step: int) -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((2, 1536)) + 3 * np.sin(np.arange(1536) * 2 * np.pi * frequency_hz / RATE_HZ)
    x[:, 1400:] = np.nan
    x[1, 700] = np.nan
    wavelets, halves = dsp.morlet_wavelets([frequency_hz], RATE_HZ, 5.0, 3.0)
    values = np.abs(np.asarray(dsp.wavelet_transform(x, wavelets, halves))) ** 2
    expected = values.reshape(2, 1, -1, 16).mean(axis=-1)
    bands = dsp.morlet_bands([frequency_hz], RATE_HZ, 1536, step, n_cycles=5.0, reach=3.0)
    found = np.asarray(dsp.banded_power(x, *bands, 16))
    assert bands[0].shape == (1, 1536 // step)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    assert np.isfinite(found).any(axis=-1).all()
    np.testing.assert_allclose(found, expected, rtol=1e-9 if step == 1 else 0.02)
