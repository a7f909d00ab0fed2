"""The compiled estimates behind the spectrum drawer: of one channel, before and after together.

Samples come as (2, bucket): what fills a bucket up and what was not recorded is NaN, and a segment that holds any is
left out. Invariant: windows, tapers, wavelets and limits are arguments; lengths alone are static, so a knob or a move
of the window compiles nothing. Densities are per sample: whoever calls divides by the rate.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from jaxscope import dsp
from jaxscope.dsp.cross_spectra import coherence_matrix
from jaxscope.dsp.segments import Cut, segments_of
from jaxscope.engines.compiled import count_trace


@partial(jax.jit, static_argnames=("length",))
def welch_pair(x: Any, window: Any, *, length: int) -> Any:
    """Return the sum of the densities of all known segments, (2, n), and how many there are, (2,)."""
    count_trace(f"welch {x.shape} {length}")
    _, _, power = dsp.spectrogram(x, 1.0, window, nperseg=length, noverlap=length // 2)
    return _sum_of_known(power)


@partial(jax.jit, static_argnames=("length",))
def multitaper_pair(x: Any, tapers: Any, shares: Any, *, length: int) -> Any:
    """Return the same by several tapers for each segment."""
    count_trace(f"multitaper {x.shape} {tapers.shape}")
    pieces = jnp.moveaxis(segments_of(x, Cut(length=length, shared=length // 2, padded=length)), -2, 0)
    power = lax.map(lambda piece: dsp.multitaper(piece, tapers, shares)[1], pieces)
    return _sum_of_known(jnp.moveaxis(power, 0, -1))


def _sum_of_known(power: Any) -> Any:
    """Return the sum over the last axis of (2, n, n_segments) without columns of NaN, and their number."""
    known = jnp.isfinite(power).all(axis=-2)
    return jnp.where(known[:, None], power, 0.0).sum(axis=-1), known.sum(axis=-1)


@partial(jax.jit, static_argnames=("length", "hop"))
def spectrogram_pair(x: Any, window: Any, *, length: int, hop: int) -> Any:
    """Return the densities of consecutive segments, (2, n, n_segments)."""
    count_trace(f"spectrogram {x.shape} {length} {hop}")
    return dsp.spectrogram(x, 1.0, window, nperseg=length, noverlap=length - hop)[2]


@partial(jax.jit, static_argnames=("column",))
def wavelet_pair(x: Any, bands: Any, firsts: Any, halves: Any, *, column: int) -> Any:
    """Return wavelet powers averaged over columns of so many samples, (2, n_frequencies, n_columns)."""
    count_trace(f"wavelets {x.shape} {bands.shape} {column}")
    return dsp.banded_power(x, bands, firsts, halves, column)


@jax.jit
def sizes_pair(x: Any) -> Any:
    """Return mean, standard deviation, excess kurtosis, clipped share and how many samples are known, each (2,)."""
    count_trace(f"sizes {x.shape}")
    return (*dsp.moments(x), dsp.clipped_share(x), jnp.isfinite(x).sum(axis=-1))


@partial(jax.jit, static_argnames=("n_bins",))
def histogram_pair(x: Any, low: Any, high: Any, *, n_bins: int) -> Any:
    """Return how many samples each bin holds, (2, n_bins)."""
    count_trace(f"histogram {x.shape} {n_bins}")
    return dsp.histogram(x, low, high, n_bins)[0]


@partial(jax.jit, static_argnames=("length",))
def transforms_pair(x: Any, window: Any, *, length: int) -> Any:
    """Return the transforms of the segments, (2, n_segments, n) complex."""
    count_trace(f"transforms {x.shape} {length}")
    values = dsp.spectrogram(x, 1.0, window, nperseg=length, noverlap=length // 2, mode="complex")[2]
    return jnp.moveaxis(values, -1, -2)


@jax.jit
def coherences(transforms: Any, weights: Any) -> Any:
    """Return the coherence of every pair of rows of (n_rows, n_segments, n)."""
    count_trace(f"coherence {transforms.shape}")
    return coherence_matrix(transforms, weights)
