"""What is in a signal: its power by frequency (Welch), and its analytic signal (Hilbert)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax import Array

from jaxscope.dsp.block_iir import matmul
from jaxscope.dsp.shapes import ArrayLike, common_dtype, real_dtype

#: coefficients of windows that are sums of cosines
_COSINES = {
    "boxcar": (1.0,),
    "hann": (0.5, 0.5),
    "hamming": (0.54, 0.46),
    "blackman": (0.42, 0.5, 0.08),
    "nuttall": (0.3635819, 0.4891775, 0.1365995, 0.0106411),
    "blackmanharris": (0.35875, 0.48829, 0.14128, 0.01168),
    "flattop": (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
}
#: "constant", "linear", nothing, or a function of segments (…, n_segments, nperseg)
Detrend = str | bool | Callable[[Array], Array] | None
#: a name, ("kaiser", beta), or the window itself
Window = str | tuple[Any, ...] | ArrayLike


def _window(window: Window, length: int) -> npt.NDArray[np.float64] | Array:
    """Return a window that is periodic over ``length`` samples."""
    if not isinstance(window, str | tuple):
        given = jnp.asarray(window)
        if given.shape != (length,):
            raise ValueError(f"window has shape {given.shape}; nperseg is {length}, so give ({length},)")
        return given
    name, *numbers = (window,) if isinstance(window, str) else window
    if name == "kaiser" and len(numbers) == 1:
        return np.kaiser(length + 1, float(numbers[0]))[:-1]
    if name == "bartlett":
        return np.bartlett(length + 1)[:-1]
    if name not in _COSINES:
        known = ", ".join((*_COSINES, "bartlett", '("kaiser", beta)'))
        raise ValueError(f"window {window!r} is unknown; choose one of {known}, or give its samples")
    angle = 2 * np.pi * np.arange(length) / length
    terms = [(-1) ** k * weight * np.cos(k * angle) for k, weight in enumerate(_COSINES[name])]
    return np.asarray(np.sum(terms, axis=0))


def welch(
    x: ArrayLike,
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
    """Estimate the power spectrum along one axis from overlapping segments, as ``scipy.signal.welch``.

    Parameters
    ----------
    x : (..., n_samples, ...)
        Real or complex.
    fs : float
        Sampling rate in Hz.
    window : str, ("kaiser", beta) or (nperseg,)
        boxcar, hann, hamming, blackman, nuttall, blackmanharris, flattop or bartlett; or samples.
    nperseg : int or None
        Samples of a segment; None is 256, or the length of the window that is given. Not more than there are samples.
    noverlap : int or None
        Samples that neighbours share; None is half a segment.
    nfft : int or None
        Length of the transforms; None is ``nperseg``.
    detrend : {"constant", "linear", False} or callable
        A function gets all segments, samples along the last axis (for another ``axis``: as SciPy hands them over).
    return_onesided : bool
        Whether negative frequencies are folded onto positive ones; never for a complex signal.
    scaling : {"density", "spectrum"}
        Units of x² per Hz, or of x².
    axis : int
    average : {"mean", "median"}

    Returns
    -------
    f : (n,)
        In Hz.
    Pxx : (..., n, ...)
    """
    dtype = common_dtype(x)
    signal = jnp.moveaxis(jnp.asarray(x, dtype=dtype), axis, -1)
    n = signal.shape[-1]
    _check_names(scaling, average, detrend)
    if signal.size == 0:
        nothing = jnp.zeros(np.shape(x), dtype=real_dtype(dtype))
        return nothing, nothing
    if isinstance(window, str | tuple):
        length = 256 if nperseg is None else nperseg
        if n < length and nperseg is not None:
            warnings.warn(f"nperseg={nperseg} is greater than signal length {n}; using {n}", stacklevel=2)
        length = min(length, n)
    else:
        length = jnp.asarray(window).size if nperseg is None else nperseg
    shared = length // 2 if noverlap is None else noverlap
    padded = length if nfft is None else nfft
    if not 0 < length <= n or not 0 <= shared < length or padded < length:
        raise ValueError(
            f"nperseg is {length}, noverlap {shared} and nfft {padded} for {n} samples; "
            "give noverlap < nperseg <= nfft, and nperseg not above the samples"
        )
    real = real_dtype(dtype)
    shape = jnp.asarray(_window(window, length)).astype(real)
    scale = fs * jnp.sum(shape**2) if scaling == "density" else jnp.sum(shape) ** 2
    count = (n - shared) // (length - shared)
    places = np.arange(count)[:, None] * (length - shared) + np.arange(length)
    pieces = _detrended(signal[..., places], detrend, axis) * shape.astype(dtype)
    is_folded = return_onesided and not jnp.iscomplexobj(pieces)
    transformed = jnp.fft.rfft(pieces, padded) if is_folded else jnp.fft.fft(pieces, padded)
    power = (transformed.real**2 + transformed.imag**2) / scale
    if is_folded:
        power = power.at[..., 1 : (padded + 1) // 2].multiply(2)
    frequencies = jnp.fft.rfftfreq(padded, 1 / fs) if is_folded else jnp.fft.fftfreq(padded, 1 / fs)
    return frequencies, jnp.moveaxis(_averaged(power, average), -1, axis)


def _check_names(scaling: str, average: str, detrend: Detrend) -> None:
    for name, value, known in (
        ("scaling", scaling, ("density", "spectrum")),
        ("average", average, ("mean", "median")),
        ("detrend", detrend, ("constant", "linear", False, None)),
    ):
        if value not in known and not callable(value):
            raise ValueError(f"{name} {value!r} is unknown; choose one of {', '.join(map(str, known))}")


def _detrended(pieces: Array, detrend: Detrend, axis: int) -> Array:
    """Take the mean, or the straight line that fits best, off each piece."""
    if callable(detrend):
        place = axis if axis < 0 else axis - pieces.ndim + 1
        return jnp.moveaxis(detrend(jnp.moveaxis(pieces, -1, place)), place, -1)
    if not detrend:
        return pieces
    level = pieces - pieces.mean(axis=-1, keepdims=True)
    if detrend == "constant":
        return level
    n = pieces.shape[-1]
    ramp = np.arange(n) - (n - 1) / 2
    ramp /= max(np.sqrt((ramp**2).sum()), np.finfo(float).tiny)
    unit = jnp.asarray(ramp, dtype=pieces.dtype)
    return level - matmul(level, unit)[..., None] * unit


def _averaged(power: Array, average: str) -> Array:
    """Return the average over segments, (..., n_segments, n) → (..., n)."""
    if average == "mean":
        return power.mean(axis=-2)
    # the median of a power lies below its mean: by this factor, for this many segments
    even = np.arange(2, 2 * ((power.shape[-2] - 1) // 2) + 1, 2)
    bias = 1 + np.sum(1 / (even + 1) - 1 / even)
    return jnp.median(power, axis=-2) / bias


def hilbert(x: ArrayLike, N: int | None = None, axis: int = -1) -> Array:
    """Return the analytic signal along one axis, as ``scipy.signal.hilbert``.

    Parameters
    ----------
    x : (..., n_samples, ...)
        Real.
    N : int or None
        Samples that are transformed; None is all of them. More are zeros.
    axis : int

    Returns
    -------
    (..., N, ...) complex
        Its absolute value is the envelope of ``x``.
    """
    dtype = common_dtype(x)
    if dtype.kind == "c":
        raise ValueError("x is complex; give a real signal")
    signal = jnp.moveaxis(jnp.asarray(x, dtype=dtype), axis, -1)
    n = signal.shape[-1] if N is None else N
    if n <= 0:
        raise ValueError(f"N is {n}; give at least 1")
    keep = np.zeros(n)
    keep[0] = 1
    keep[1 : (n + 1) // 2] = 2
    if n % 2 == 0:
        keep[n // 2] = 1
    spectrum = jnp.fft.fft(signal, n)
    return jnp.moveaxis(jnp.fft.ifft(spectrum * jnp.asarray(keep, dtype=spectrum.dtype)), -1, axis)
