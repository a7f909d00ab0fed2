"""Power spectra by several orthogonal tapers of one segment (Thomson 1982).

The tapers are an argument: whoever calls finds them (discrete prolate spheroidal sequences, in float64), so that
another bandwidth of the same length compiles nothing.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxscope.dsp.shapes import ArrayLike, common_dtype

#: rounds of the adaptive weights; each brings them closer by about a digit
_ROUNDS = 30


def multitaper(
    x: ArrayLike,
    tapers: ArrayLike,
    eigenvalues: ArrayLike,
    fs: float = 1.0,
    nfft: int | None = None,
    adaptive: bool = False,  # noqa: FBT001, FBT002  a place among plain numbers, as SciPy has it
    axis: int = -1,
) -> tuple[Array, Array]:
    """Estimate the one-sided power spectral density of a real signal by the multitaper method.

    The mean is taken off first. Each taper gives an eigenspectrum; they are averaged with the eigenvalues as weights
    or, where ``adaptive``, with weights that trust a taper less where its leakage would be louder than the spectrum.

    Parameters
    ----------
    x : (..., n_samples, ...)
    tapers : (n_tapers, n_samples)
        Each of unit energy.
    eigenvalues : (n_tapers,)
        Share of each taper's energy inside its bandwidth.
    fs : float
        Sampling rate in Hz.
    nfft : int or None
        Length of the transforms; None is ``n_samples``.
    adaptive : bool
    axis : int

    Returns
    -------
    f : (n,)
        In Hz.
    Pxx : (..., n, ...)
        Units of x² per Hz.

    Raises
    ------
    ValueError
        ``x`` or a taper is complex, shapes do not fit one another, or ``nfft`` is below the number of samples.

    References
    ----------
    D. J. Thomson, "Spectrum estimation and harmonic analysis", Proc. IEEE 70 (1982), equations 5.2 to 5.5.
    """
    dtype = common_dtype(x, tapers)
    if dtype.kind == "c":
        raise ValueError("x or a taper is complex; give real ones")
    signal = jnp.moveaxis(jnp.asarray(x, dtype=dtype), axis, -1)
    shapes, shares = jnp.asarray(tapers, dtype=dtype), jnp.asarray(eigenvalues, dtype=dtype)
    n = signal.shape[-1]
    if shapes.ndim != 2 or shapes.shape[1] != n or shares.shape != shapes.shape[:1]:
        raise ValueError(
            f"tapers have shape {shapes.shape} and eigenvalues {shares.shape} for {n} samples; "
            f"give (n_tapers, {n}) and (n_tapers,)"
        )
    padded = n if nfft is None else nfft
    if padded < n:
        raise ValueError(f"nfft is {padded}; give at least {n}")
    level = signal - signal.mean(axis=-1, keepdims=True)
    values = jnp.fft.rfft(level[..., None, :] * shapes, padded)
    power = values.real**2 + values.imag**2
    if adaptive:
        variance = (level**2).mean(axis=-1)[..., None, None]
        weights = _adaptive_weights(power, shares, variance)
    else:
        weights = jnp.broadcast_to(shares[:, None], power.shape)
    density = (weights * power).sum(axis=-2) / weights.sum(axis=-2) / fs
    density = density.at[..., 1 : (padded + 1) // 2].multiply(2)
    return jnp.fft.rfftfreq(padded, 1 / fs), jnp.moveaxis(density, -1, axis)


def _adaptive_weights(power: Array, shares: Array, variance: Array) -> Array:
    """Return the squares of Thomson's weights, (..., n_tapers, n), found by going round a fixed number of times."""
    share = shares[:, None]
    first = power[..., :2, :].mean(axis=-2, keepdims=True)
    tiny = np.finfo(power.dtype).tiny

    def weights_for(spectrum: Array) -> Array:
        weights: Array = share * (spectrum / (share * spectrum + (1 - share) * variance + tiny)) ** 2
        return weights

    def improved(_round: Array, spectrum: Array) -> Array:
        weights = weights_for(spectrum)
        better: Array = (weights * power).sum(axis=-2, keepdims=True) / (weights.sum(axis=-2, keepdims=True) + tiny)
        return better

    return weights_for(lax.fori_loop(0, _ROUNDS, improved, first))
