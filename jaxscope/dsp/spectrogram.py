"""How what is in a signal changes over time: powers of short segments, one after another."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxscope.dsp.segments import Detrend, Window, check_names, cut_of, folded, frequencies_of, scale_of, transformed
from jaxscope.dsp.shapes import ArrayLike, common_dtype

_MODES = ("psd", "complex", "magnitude", "angle")


def spectrogram(
    x: ArrayLike,
    fs: float = 1.0,
    window: Window = ("tukey", 0.25),
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Detrend = "constant",
    return_onesided: bool = True,  # noqa: FBT001, FBT002  SciPy's place
    scaling: str = "density",
    axis: int = -1,
    mode: str = "psd",
) -> tuple[Array, Array, Array]:
    """Estimate the power spectrum of consecutive segments, as ``scipy.signal.spectrogram``.

    A segment that holds NaN gives a column of NaN and touches no other.

    Parameters
    ----------
    x : (..., n_samples, ...)
        Real or complex.
    fs, window, nperseg, nfft, detrend, return_onesided, scaling, axis
        As those of ``welch``.
    noverlap : int or None
        Samples that neighbours share; None is an eighth of a segment.
    mode : {"psd", "complex", "magnitude", "angle"}
        Powers, or the transforms of the segments, their size, their angle.

    Returns
    -------
    f : (n,)
        In Hz.
    t : (n_segments,)
        Middles of the segments in seconds.
    Sxx : (..., n, n_segments)
        With the axis of frequency where ``axis`` was.

    Raises
    ------
    ValueError
        ``mode`` is unknown, or segments or names are as ``welch`` refuses them.
    """
    if mode not in _MODES:
        raise ValueError(f"mode {mode!r} is unknown; choose one of {', '.join(_MODES)}")
    check_names(scaling, "mean", detrend)
    signal = jnp.moveaxis(jnp.asarray(x, dtype=common_dtype(x)), axis, -1)
    cut = cut_of(signal.shape[-1], window, nperseg, noverlap, nfft, overlap=0.125)
    values, shape = transformed(signal, cut, window, detrend, axis=axis, one_sided=return_onesided)
    one_sided = return_onesided and not jnp.iscomplexobj(signal)
    scale = scale_of(shape, fs, scaling)
    if mode == "psd":
        result = (values.real**2 + values.imag**2) / scale
        result = folded(result, cut.padded) if one_sided else result
    else:
        result = values / jnp.sqrt(scale).astype(values.dtype)
        result = {"complex": lambda v: v, "magnitude": jnp.abs, "angle": jnp.angle}[mode](result)
    times = (np.arange(cut.count(signal.shape[-1])) * (cut.length - cut.shared) + cut.length / 2) / fs
    moved = jnp.moveaxis(result, -1, axis - 1 if axis < 0 else axis)
    return frequencies_of(cut.padded, fs, one_sided=one_sided), jnp.asarray(times), moved
