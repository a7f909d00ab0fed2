"""Cutting a signal into overlapping segments, each about its own level and under a window, and transforming them.

What welch, csd, coherence and spectrogram share, with SciPy's rules for lengths.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax import Array

from jaxscope.dsp.block_iir import matmul
from jaxscope.dsp.shapes import ArrayLike, real_dtype

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
#: a name, ("kaiser", beta), ("tukey", share), or the window itself
Window = str | tuple[Any, ...] | ArrayLike


def window_samples(window: Window, length: int) -> npt.NDArray[np.float64] | Array:
    """Return a window that is periodic over ``length`` samples."""
    if not isinstance(window, str | tuple):
        given = jnp.asarray(window)
        if given.shape != (length,):
            raise ValueError(f"window has shape {given.shape}; nperseg is {length}, so give ({length},)")
        return given
    if length == 1:  # the formulas begin with 0, and a segment would be divided by nothing
        return window_samples(window, 2)[1:] * 0 + 1
    name, *numbers = (window,) if isinstance(window, str) else window
    if name == "kaiser" and len(numbers) == 1:
        return np.kaiser(length + 1, float(numbers[0]))[:-1]
    if name == "tukey" and len(numbers) <= 1:
        return _tukey(length, *map(float, numbers))
    if name == "bartlett":
        return np.bartlett(length + 1)[:-1]
    if name not in _COSINES:
        known = ", ".join((*_COSINES, "bartlett", '("kaiser", beta)', '("tukey", share)'))
        raise ValueError(f"window {window!r} is unknown; choose one of {known}, or give its samples")
    angle = 2 * np.pi * np.arange(length) / length
    terms = [(-1) ** k * weight * np.cos(k * angle) for k, weight in enumerate(_COSINES[name])]
    return np.asarray(np.sum(terms, axis=0))


def _tukey(length: int, share: float = 0.5) -> npt.NDArray[np.float64]:
    """Return a window that rises and falls as a cosine over ``share`` of its length and is flat between."""
    if share <= 0:
        return np.ones(length)
    place = np.arange(length) / length
    edge = np.minimum(place, 1 - place) * 2 / min(share, 1.0)
    return np.asarray(np.where(edge < 1, 0.5 * (1 - np.cos(np.pi * edge)), 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """How a signal is cut: samples of a segment, samples that neighbours share, length of the transforms."""

    length: int
    shared: int
    padded: int

    def count(self, n_samples: int) -> int:
        """Return how many segments there are."""
        return (n_samples - self.shared) // (self.length - self.shared)


def cut_of(
    n_samples: int,
    window: Window,
    nperseg: int | None,
    noverlap: int | None,
    nfft: int | None,
    overlap: float = 0.5,
) -> Cut:
    """Return the cut that SciPy's arguments mean; ``overlap`` is the share that neighbours have where none is given."""
    if isinstance(window, str | tuple):
        length = 256 if nperseg is None else nperseg
        if n_samples < length and nperseg is not None:
            warnings.warn(
                f"nperseg={nperseg} is greater than signal length {n_samples}; using {n_samples}", stacklevel=3
            )
        length = min(length, n_samples)
    else:
        length = jnp.asarray(window).size if nperseg is None else nperseg
    shared = int(length * overlap) if noverlap is None else noverlap
    padded = length if nfft is None else nfft
    if not 0 < length <= n_samples or not 0 <= shared < length or padded < length:
        raise ValueError(
            f"nperseg is {length}, noverlap {shared} and nfft {padded} for {n_samples} samples; "
            "give noverlap < nperseg <= nfft, and nperseg not above the samples"
        )
    return Cut(length=length, shared=shared, padded=padded)


def segments_of(signal: Array, cut: Cut) -> Array:
    """Return the segments of (..., n_samples): (..., n_segments, length)."""
    places = np.arange(cut.count(signal.shape[-1]))[:, None] * (cut.length - cut.shared) + np.arange(cut.length)
    return signal[..., places]


def transformed(
    signal: Array, cut: Cut, window: Window, detrend: Detrend, *, axis: int = -1, one_sided: bool = True
) -> tuple[Array, Array]:
    """Return the transforms of all segments, (..., n_segments, n), and the samples of the window."""
    dtype = signal.dtype
    shape = jnp.asarray(window_samples(window, cut.length)).astype(real_dtype(dtype))
    pieces = detrended(segments_of(signal, cut), detrend, axis) * shape.astype(dtype)
    is_folded = one_sided and not jnp.iscomplexobj(pieces)
    return (jnp.fft.rfft(pieces, cut.padded) if is_folded else jnp.fft.fft(pieces, cut.padded)), shape


def scale_of(shape: Array, fs: float, scaling: str) -> Array:
    """Return what the squares of a transform are divided by, to be a density or a spectrum."""
    return fs * jnp.sum(shape**2) if scaling == "density" else jnp.sum(shape) ** 2


def folded(power: Array, padded: int) -> Array:
    """Return the powers of one side with those of the other added: all but those at 0 and at half the rate."""
    return power.at[..., 1 : (padded + 1) // 2].multiply(2)


def frequencies_of(padded: int, fs: float, *, one_sided: bool) -> Array:
    """Return the frequencies of a transform in Hz."""
    return jnp.fft.rfftfreq(padded, 1 / fs) if one_sided else jnp.fft.fftfreq(padded, 1 / fs)


def check_names(scaling: str, average: str, detrend: Detrend) -> None:
    """Raise ValueError for a choice that there is not."""
    for name, value, known in (
        ("scaling", scaling, ("density", "spectrum")),
        ("average", average, ("mean", "median")),
        ("detrend", detrend, ("constant", "linear", False, None)),
    ):
        if value not in known and not callable(value):
            raise ValueError(f"{name} {value!r} is unknown; choose one of {', '.join(map(str, known))}")


def detrended(pieces: Array, detrend: Detrend, axis: int) -> Array:
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


def averaged(power: Array, average: str) -> Array:
    """Return the average over segments, (..., n_segments, n) → (..., n)."""
    if average == "mean":
        return power.mean(axis=-2)
    # the median of a power lies below its mean: by this factor, for this many segments
    even = np.arange(2, 2 * ((power.shape[-2] - 1) // 2) + 1, 2)
    bias = 1 + np.sum(1 / (even + 1) - 1 / even)
    return jnp.median(power, axis=-2) / bias
