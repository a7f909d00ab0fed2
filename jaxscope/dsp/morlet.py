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
