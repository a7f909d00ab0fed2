"""Time-frequency coefficients with complex Morlet wavelets: as many cycles at each frequency, so constant Q.

The wavelets are found once, in numpy, and handed over as an argument. Invariant: a coefficient whose wavelet would
touch a missing sample or reach past an end is NaN; nothing is filled in where it could be seen.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax import Array, lax

from jaxscope.dsp.shapes import ArrayLike, common_dtype


def morlet_wavelets(
    frequencies: npt.ArrayLike, fs: float = 1.0, n_cycles: float = 7.0, reach: float = 5.0
) -> tuple[npt.NDArray[np.complex128], npt.NDArray[np.int64]]:
    """Return Morlet wavelets whose squared coefficients are a one-sided power spectral density.

    Parameters
    ----------
    frequencies : (n,)
        In Hz, above 0.
    fs : float
        Sampling rate in Hz.
    n_cycles : float
        2π f times the standard deviation of the envelope in time.
    reach : float
        Where the envelope ends, in standard deviations.

    Returns
    -------
    wavelets : (n, 2 longest + 1) complex
        Each in the middle of its row, of energy 2 / fs.
    halves : (n,)
        Samples that each reaches to either side of its middle.

    Raises
    ------
    ValueError
        A frequency is 0 Hz or below, or there is none.
    """
    centres = np.atleast_1d(np.asarray(frequencies, dtype=np.float64))
    if centres.size == 0 or not (centres > 0).all():
        raise ValueError("frequencies must be above 0 Hz; give at least one")
    spread_s = n_cycles / (2 * np.pi * centres)
    halves = np.maximum(1, np.floor(reach * spread_s * fs)).astype(np.int64)
    longest = int(halves.max())
    times_s = np.arange(-longest, longest + 1) / fs
    shape = np.exp(2j * np.pi * centres[:, None] * times_s - 0.5 * (times_s / spread_s[:, None]) ** 2)
    shape[np.abs(np.arange(-longest, longest + 1)) > halves[:, None]] = 0
    energy = (np.abs(shape) ** 2).sum(axis=1, keepdims=True)
    return shape * np.sqrt(2 / (fs * energy)), halves


def morlet_bands(
    frequencies: npt.ArrayLike, fs: float, n_samples: int, step: int, *, n_cycles: float = 7.0, reach: float = 5.0
) -> tuple[npt.NDArray[np.complex128], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return Morlet wavelets as parts of their spectra: what ``banded_power`` needs of them.

    A wavelet has next to nothing further than five of its deviations from its frequency, so its coefficients at every
    ``step``-th sample follow from a part of the spectrum that is ``n_samples / step`` long.

    Parameters
    ----------
    frequencies : (n,)
        In Hz, at most ``fs / 2 / step`` each where ``step`` is not 1.
    fs : float
        Sampling rate in Hz.
    n_samples : int
        Length of the signal, a multiple of ``step``.
    step : int
        Samples from one coefficient to the next.
    n_cycles, reach : float
        As those of ``morlet_wavelets``.

    Returns
    -------
    bands : (n, n_samples / step) complex
        Parts of the spectra, with the shift that puts coefficients into the middle of each step.
    firsts : (n,)
        Where each part begins, in lines of the whole spectrum.
    halves : (n,)
        Samples that each wavelet reaches to either side of its middle.
    """
    centres = np.atleast_1d(np.asarray(frequencies, dtype=np.float64))
    wavelets, halves = morlet_wavelets(centres, fs, n_cycles, reach)
    size = n_samples // step
    bands = np.zeros((centres.size, size), dtype=np.complex128)
    firsts = np.zeros(centres.size, dtype=np.int64)
    longest = wavelets.shape[-1] // 2
    for row, (centre, shape, half) in enumerate(zip(centres, wavelets, halves, strict=True)):
        # the middle of the wavelet at time 0; what is longer than the signal laps over, where nothing is known anyway
        around = np.zeros(n_samples, dtype=np.complex128)
        np.add.at(around, np.arange(-half, half + 1) % n_samples, shape[longest - half : longest + half + 1])
        firsts[row] = 0 if step == 1 else max(0, round(centre / fs * n_samples - size / 2))
        lines = firsts[row] + np.arange(size)
        shift = np.exp(2j * np.pi * lines * ((step - 1) / 2) / n_samples)
        bands[row] = np.fft.fft(around)[lines % n_samples] * shift / step
    return bands, firsts, halves


def banded_power(x: ArrayLike, bands: ArrayLike, firsts: ArrayLike, halves: ArrayLike, column: int) -> Array:
    """Return powers of wavelet coefficients averaged over columns of so many samples.

    NaN is a column that holds a time at which the wavelet is not covered by known samples.

    Parameters
    ----------
    x : (..., n_samples)
        Real; NaN is a missing sample.
    bands, firsts, halves
        As ``morlet_bands`` gives them for this length and a step that divides ``column``.
    column : int
        Samples of a column; those behind the last whole column are left out.

    Returns
    -------
    (..., n, n_samples // column)
    """
    dtype = common_dtype(x)
    signal, parts = jnp.asarray(x, dtype=dtype), jnp.asarray(bands)
    n, size = signal.shape[-1], parts.shape[-1]
    count, each = n // column, column // (n // size)
    known = jnp.isfinite(signal)
    spectrum = jnp.fft.fft(jnp.where(known, signal, 0))
    begins = jnp.asarray(firsts, dtype=jnp.int64)
    lines = (begins[:, None] + jnp.arange(size, dtype=jnp.int64)) % n
    values = jnp.fft.ifft(jnp.take(spectrum, lines, axis=-1) * parts.astype(spectrum.dtype))
    power = (values.real**2 + values.imag**2)[..., : count * each]
    mean = power.reshape(*power.shape[:-1], count, each).mean(axis=-1)
    missing = jnp.cumsum(
        jnp.concatenate([jnp.zeros((*known.shape[:-1], 1), jnp.int32), (~known).astype(jnp.int32)], axis=-1), axis=-1
    )
    reach = jnp.asarray(halves, dtype=jnp.int64)[:, None]
    places = jnp.arange(count, dtype=jnp.int64) * column
    first, stop = places - reach, places + column + reach
    gaps = jnp.take(missing, jnp.clip(stop, 0, n), axis=-1) - jnp.take(missing, jnp.clip(first, 0, n), axis=-1)
    is_known = (first >= 0) & (stop <= n) & (gaps == 0)
    return jnp.where(is_known, mean, jnp.asarray(np.nan, dtype=mean.dtype))


def wavelet_transform(x: ArrayLike, wavelets: ArrayLike, halves: ArrayLike) -> Array:
    """Convolve along the last axis with each wavelet; NaN where a wavelet is not covered by known samples.

    Parameters
    ----------
    x : (..., n_samples)
        Real; NaN is a missing sample.
    wavelets : (n, n_taps) complex
        As ``morlet_wavelets`` gives them: an odd number of taps each, the middle one at time 0.
    halves : (n,) integers
        Samples that each reaches to either side.

    Returns
    -------
    (..., n, n_samples) complex

    Raises
    ------
    ValueError
        ``x`` is complex, or wavelets have an even number of taps.
    """
    dtype = common_dtype(x)
    if dtype.kind == "c":
        raise ValueError("x is complex; give a real signal")
    signal, shapes = jnp.asarray(x, dtype=dtype), jnp.asarray(wavelets)
    n, taps = signal.shape[-1], shapes.shape[-1]
    if taps % 2 == 0:
        raise ValueError(f"wavelets have {taps} taps; give an odd number")
    length = 1 << (n + taps - 2).bit_length()
    known = jnp.isfinite(signal)
    level = jnp.where(known, signal, 0)
    # how many samples were missing before each place, ends counted as missing for ever
    missing = jnp.cumsum(
        jnp.concatenate([jnp.zeros((*known.shape[:-1], 1), jnp.int32), (~known).astype(jnp.int32)], axis=-1), axis=-1
    )
    spectrum = jnp.fft.fft(level, length)
    places = jnp.arange(n, dtype=jnp.int64)

    def one(pair: tuple[Array, Array]) -> Array:
        shape, half = pair
        whole = jnp.fft.ifft(spectrum * jnp.fft.fft(shape.astype(spectrum.dtype), length))
        first, stop = places - half, places + half + 1
        is_inside = (first >= 0) & (stop <= n)
        count = jnp.take(missing, jnp.clip(stop, 0, n), axis=-1) - jnp.take(missing, jnp.clip(first, 0, n), axis=-1)
        middle = whole[..., taps // 2 : taps // 2 + n]
        return jnp.where(is_inside & (count == 0), middle, jnp.asarray(np.nan, dtype=middle.dtype))

    return jnp.moveaxis(lax.map(one, (shapes, jnp.asarray(halves, dtype=jnp.int64))), 0, -2)
