"""Savitzky-Golay: the value (or a derivative) of the polynomial that fits a window of samples best.

In the middle of a signal that is a filter of finite length; within half a window of the ends it is the polynomial of
the first or last window.
"""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax import Array

from jaxscope.dsp.block_iir import matmul
from jaxscope.dsp.convolution import convolved
from jaxscope.dsp.shapes import ArrayLike, common_dtype, split_complex, to_rows

_MODES = {"mirror": "reflect", "nearest": "edge", "wrap": "wrap", "constant": "constant"}


def _weights(window_length: int, polyorder: int, deriv: int, delta: float, at: float) -> npt.NDArray[np.float64]:
    """Return the weight of each sample of a window for the fitted polynomial's derivative at place ``at``."""
    if deriv > polyorder:
        return np.zeros(window_length)
    # places between −1 and 1 keep the fit well conditioned
    half = max((window_length - 1) / 2, 1.0)
    place = (np.arange(window_length) - (window_length - 1) / 2) / half
    fit = np.linalg.pinv(np.vander(place, polyorder + 1, increasing=True))
    x = (at - (window_length - 1) / 2) / half
    slopes = np.array(
        [math.perm(power, deriv) * x ** (power - deriv) if power >= deriv else 0.0 for power in range(polyorder + 1)]
    )
    return np.asarray(slopes @ fit / (half * delta) ** deriv)


def savgol(
    x: ArrayLike,
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    delta: float = 1.0,
    axis: int = -1,
    mode: str = "interp",
    cval: float = 0.0,
) -> Array:
    """Smooth along one axis, as ``scipy.signal.savgol_filter``.

    Parameters
    ----------
    x : (..., n_samples, ...)
    window_length : int
        In samples.
    polyorder : int
        Below ``window_length``.
    deriv : int
        Which derivative; 0 smooths.
    delta : float
        Spacing of the samples, for derivatives.
    axis : int
    mode : {"interp", "mirror", "nearest", "wrap", "constant"}
        ``interp`` fits the ends; the others continue the signal, ``constant`` with ``cval``.
    cval : float

    Returns
    -------
    same shape as ``x``

    Raises
    ------
    ValueError
        ``mode`` is unknown, ``polyorder`` not below ``window_length``, or a window to fit is longer than the signal.
    """
    if mode != "interp" and mode not in _MODES:
        raise ValueError(f"mode {mode!r} is unknown; choose interp, {', '.join(_MODES)}")
    if polyorder >= window_length:
        raise ValueError(f"polyorder is {polyorder}; it must be less than window_length, which is {window_length}")
    dtype = common_dtype(x)
    signal = jnp.moveaxis(jnp.asarray(x, dtype=dtype), axis, -1)
    if mode == "interp" and window_length > signal.shape[-1]:
        raise ValueError(
            f"window_length is {window_length}; window_length must be less than {signal.shape[-1]} samples, or equal"
        )
    if signal.shape[-1] == 0:  # nothing can be continued beyond its ends
        return jnp.moveaxis(signal, -1, axis)
    fit = (window_length, polyorder, deriv, delta)
    y = split_complex(lambda real: _smoothed(real, fit, mode, cval), to_rows(signal))
    turned: Array = jnp.moveaxis(y.reshape(signal.shape), -1, axis)
    return turned


def _smoothed(x: Array, fit: tuple[int, int, int, float], mode: str, cval: float) -> Array:
    window = fit[0]
    centre = window // 2 if window % 2 else window / 2 - 0.5
    taps = jnp.asarray(_weights(*fit, centre)[::-1], dtype=x.dtype)
    before, after = window - 1 - window // 2, window // 2
    n = x.shape[1]
    if mode in ("interp", "constant"):
        value = cval if mode == "constant" else 0.0
        wide = jnp.pad(x, ((0, 0), (before, after)), constant_values=value)
    else:
        wide = _continued(x, before, after, mode)
    y = convolved(taps, wide)[:, window - 1 : window - 1 + n]
    if mode != "interp" or n == 0:
        return y
    half = window // 2
    start = np.stack([_weights(*fit, k) for k in range(half)], axis=1) if half else np.zeros((window, 0))
    stop = np.stack([_weights(*fit, window - half + k) for k in range(half)], axis=1) if half else start
    first = matmul(x[:, :window], jnp.asarray(start, dtype=x.dtype))
    last = matmul(x[:, n - window :], jnp.asarray(stop, dtype=x.dtype))
    return y.at[:, :half].set(first).at[:, n - half :].set(last)


def _continued(x: Array, before: int, after: int, mode: str) -> Array:
    """Continue rows by more than their own length, if need be."""
    n = x.shape[1]
    places = np.pad(np.arange(n), (before, after), mode=_MODES[mode])  # type: ignore[call-overload]
    return x[:, places]
