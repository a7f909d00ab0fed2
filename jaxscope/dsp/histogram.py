"""How often a signal has each size, and what of it stands at its limits."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array, lax

from jaxscope.dsp.shapes import ArrayLike, common_dtype


def histogram(x: ArrayLike, low: ArrayLike, high: ArrayLike, n_bins: int) -> tuple[Array, Array]:
    """Count samples in bins of one width, as ``numpy.histogram`` with a range, along the last axis.

    Parameters
    ----------
    x : (..., n_samples)
        NaN is counted nowhere.
    low, high : float
        Outer borders; the last bin holds ``high`` itself. Traced: other borders compile nothing.
    n_bins : int

    Returns
    -------
    counts : (..., n_bins) int
    edges : (n_bins + 1,)

    Raises
    ------
    ValueError
        ``n_bins`` is below 1.
    """
    if n_bins < 1:
        raise ValueError(f"n_bins is {n_bins}; give at least 1")
    dtype = common_dtype(x)
    values = jnp.asarray(x, dtype=dtype)
    first, last = jnp.asarray(low, dtype=dtype), jnp.asarray(high, dtype=dtype)
    edges = first + (last - first) * jnp.arange(n_bins + 1, dtype=dtype) / n_bins
    place = jnp.searchsorted(edges, values, side="right") - 1
    place = jnp.where(values == edges[-1], n_bins - 1, place)
    # what lies outside, and NaN, goes to a bin of its own that is not handed back
    place = jnp.where((values >= edges[0]) & (values <= edges[-1]), place, n_bins)
    flat = place.reshape(-1, values.shape[-1])

    def counted(row: Array) -> Array:
        return jnp.zeros(n_bins + 1, dtype=jnp.int32).at[row].add(1)[:n_bins]

    return lax.map(counted, flat).reshape(*values.shape[:-1], n_bins), edges


def moments(x: ArrayLike) -> tuple[Array, Array, Array]:
    """Return mean, standard deviation and excess kurtosis of the known samples along the last axis.

    Parameters
    ----------
    x : (..., n_samples)
        NaN is left out.

    Returns
    -------
    mean, deviation, kurtosis : (...)
        Biased (divided by the number of samples), as ``scipy.stats.kurtosis``; 0 for a normal distribution.
    """
    values = jnp.asarray(x, dtype=common_dtype(x))
    mean = jnp.nanmean(values, axis=-1)
    level = values - mean[..., None]
    square = jnp.nanmean(level**2, axis=-1)
    return mean, jnp.sqrt(square), jnp.nanmean(level**4, axis=-1) / square**2 - 3


def clipped_share(x: ArrayLike) -> Array:
    """Return the share of known samples that stand at the highest or lowest value, two or more in a row.

    Parameters
    ----------
    x : (..., n_samples)
        NaN is left out.

    Returns
    -------
    (...)
        From 0 to 1; 0 for a signal that never rests at a limit, NaN where nothing is known. A constant one is at its
        limit all the time: 1.
    """
    values = jnp.asarray(x, dtype=common_dtype(x))
    top = jnp.nanmax(values, axis=-1, keepdims=True)
    bottom = jnp.nanmin(values, axis=-1, keepdims=True)
    total = jnp.zeros(values.shape[:-1], dtype=values.dtype)
    for limit in (top, bottom):
        is_there = values == limit
        follows = is_there[..., 1:] & is_there[..., :-1]
        edge = jnp.zeros((*values.shape[:-1], 1), dtype=bool)
        in_run = jnp.concatenate([follows, edge], axis=-1) | jnp.concatenate([edge, follows], axis=-1)
        total = total + jnp.where(top[..., 0] == bottom[..., 0], 0.5, 1.0) * in_run.sum(axis=-1).astype(values.dtype)
    return total / jnp.isfinite(values).sum(axis=-1).astype(values.dtype)
