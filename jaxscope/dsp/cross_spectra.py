"""What two signals have in common by frequency: cross spectrum and coherence."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array, lax

from jaxscope.dsp.segments import (
    Detrend,
    Window,
    averaged,
    check_names,
    cut_of,
    folded,
    frequencies_of,
    scale_of,
    transformed,
)
from jaxscope.dsp.shapes import ArrayLike, common_dtype


def csd(
    x: ArrayLike,
    y: ArrayLike,
    fs: float = 1.0,
    window: Window = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Detrend = "constant",
    return_onesided: bool = True,  # noqa: FBT001, FBT002  SciPy's place
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[Array, Array]:
    """Estimate the cross spectrum of two signals of one length, as ``scipy.signal.csd``.

    Parameters
    ----------
    x, y : (..., n_samples, ...)
        Real or complex; all axes but ``axis`` are broadcast.
    fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average
        As those of ``welch``.

    Returns
    -------
    f : (n,)
        In Hz.
    Pxy : (..., n, ...) complex
        The mean of conj(X) Y, in units of x y per Hz, or of x y.

    Raises
    ------
    ValueError
        ``x`` and ``y`` differ in length, or segments or names are as ``welch`` refuses them.
    """
    dtype = common_dtype(x, y)
    check_names(scaling, average, detrend)
    first, second = (jnp.moveaxis(jnp.asarray(part, dtype=dtype), axis, -1) for part in (x, y))
    if first.shape[-1] != second.shape[-1]:
        raise ValueError(f"x has {first.shape[-1]} samples and y {second.shape[-1]}; give as many of both")
    cut = cut_of(first.shape[-1], window, nperseg, noverlap, nfft)
    left, shape = transformed(first, cut, window, detrend, axis=axis, one_sided=return_onesided)
    right, _ = transformed(second, cut, window, detrend, axis=axis, one_sided=return_onesided)
    one_sided = return_onesided and not jnp.iscomplexobj(first)
    cross = jnp.conj(left) * right / scale_of(shape, fs, scaling).astype(left.dtype)
    if one_sided:
        cross = folded(cross, cut.padded)
    if average == "median":
        mean = lax.complex(averaged(cross.real, average), averaged(cross.imag, average))
    else:
        mean = averaged(cross, average)
    return frequencies_of(cut.padded, fs, one_sided=one_sided), jnp.moveaxis(mean, -1, axis)


def coherence(
    x: ArrayLike,
    y: ArrayLike,
    fs: float = 1.0,
    window: Window = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Detrend = "constant",
    axis: int = -1,
) -> tuple[Array, Array]:
    """Estimate the magnitude-squared coherence, |Pxy|² / (Pxx Pyy), as ``scipy.signal.coherence``.

    Parameters
    ----------
    x, y : (..., n_samples, ...)
    fs, window, nperseg, noverlap, nfft, detrend, axis
        As those of ``welch``. With a single segment the coherence is 1 everywhere.

    Returns
    -------
    f : (n,)
        In Hz.
    Cxy : (..., n, ...)
        From 0 to 1.

    Raises
    ------
    ValueError
        As ``csd``.
    """
    how = (fs, window, nperseg, noverlap, nfft, detrend)
    frequencies, pxx = csd(x, x, *how, axis=axis)
    _, pyy = csd(y, y, *how, axis=axis)
    _, pxy = csd(x, y, *how, axis=axis)
    return frequencies, (pxy.real**2 + pxy.imag**2) / (pxx.real * pyy.real)


def coherence_matrix(spectra: ArrayLike, weights: ArrayLike) -> Array:
    """Return the magnitude-squared coherence of every pair of channels.

    Parameters
    ----------
    spectra : (n_channels, n_segments, n) complex
        Transforms of segments; what stands in a segment of weight 0 is not looked at.
    weights : (n_segments,)
        1 for a segment that counts, 0 for one that holds missing samples.

    Returns
    -------
    (n_channels, n_channels, n)
        From 0 to 1; NaN where no segment counts or a channel has no power.
    """
    values, known = jnp.asarray(spectra), jnp.asarray(weights)
    own = jnp.where(known[:, None] > 0, values, 0) * known[:, None].astype(values.dtype)
    cross = jnp.einsum("asf,bsf->abf", jnp.conj(own), own)
    power = jnp.einsum("aaf->af", cross).real
    return (cross.real**2 + cross.imag**2) / (power[:, None] * power[None, :])
