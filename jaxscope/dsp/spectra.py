"""What is in a signal: its power by frequency (Welch), and its analytic signal (Hilbert)."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import Array

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
from jaxscope.dsp.shapes import ArrayLike, common_dtype, real_dtype


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

    Raises
    ------
    ValueError
        Segments do not fit the signal (noverlap < nperseg <= nfft, n_samples), a window has another length, or a name
        is unknown.
    """
    dtype = common_dtype(x)
    signal = jnp.moveaxis(jnp.asarray(x, dtype=dtype), axis, -1)
    check_names(scaling, average, detrend)
    if signal.size == 0:
        nothing = jnp.zeros(np.shape(x), dtype=real_dtype(dtype))
        return nothing, nothing
    cut = cut_of(signal.shape[-1], window, nperseg, noverlap, nfft)
    values, shape = transformed(signal, cut, window, detrend, axis=axis, one_sided=return_onesided)
    one_sided = return_onesided and not jnp.iscomplexobj(signal)
    power = (values.real**2 + values.imag**2) / scale_of(shape, fs, scaling)
    if one_sided:
        power = folded(power, cut.padded)
    return (
        frequencies_of(cut.padded, fs, one_sided=one_sided),
        jnp.moveaxis(averaged(power, average), -1, axis),
    )


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

    Raises
    ------
    ValueError
        ``x`` is complex, or ``N`` is below 1.
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
