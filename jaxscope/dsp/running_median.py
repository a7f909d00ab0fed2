"""The running median, window by window.

Short windows go through an exchange network. A long one is a range of the joined samples, and its median the k-th
smallest of a range: a wavelet matrix finds it bit by bit of the rank, so the work grows with the logarithm of the
number of samples and not with the window (sorting every window takes minutes for a thousand samples).

Invariant: a pure function of the last ``window`` samples, so block by block equals whole to the bit.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array, lax

from jaxscope.dsp.block_fir import last_samples

#: the longest window of the exchange network, whose work grows with the square of the window
LONGEST_NETWORK = 9


def running_median(x: Array, past: Array, n_valid: Array) -> tuple[Array, Array]:
    """Return the median of each sample and the ``window - 1`` before it.

    Parameters
    ----------
    x : (n_channels, n_samples)
    past : (n_channels, window - 1)
    n_valid : int32 scalar

    Returns
    -------
    y : (n_channels, n_samples)
    past : (n_channels, window - 1)
        The samples before sample ``n_valid``.
    """
    window = past.shape[1] + 1
    joined = jnp.concatenate([past, x], axis=1)
    if window <= LONGEST_NETWORK:
        y = _selected([joined[:, k : k + x.shape[1]] for k in range(window)])
    else:
        y = _ranked(joined, window)
    return y, last_samples(past, x, n_valid)


def _selected(values: list[Array]) -> Array:
    """Return the median of an odd number of arrays by an exchange network: minimum and maximum only, so it fuses."""
    values = list(values)
    half = len(values) // 2
    for done in range(half + 1):
        for k in range(len(values) - 1 - done):
            low, high = jnp.minimum(values[k], values[k + 1]), jnp.maximum(values[k], values[k + 1])
            values[k], values[k + 1] = low, high
    return values[half]


def _ranked(joined: Array, window: int) -> Array:
    """Return the median of every whole window of (n_channels, n) samples, shape (n_channels, n - window + 1)."""
    n_channels, n = joined.shape
    order = jnp.argsort(joined, axis=1, stable=True)
    sorted_ = jnp.take_along_axis(joined, order, axis=1)
    place = jnp.broadcast_to(jnp.arange(n, dtype=jnp.int32), joined.shape)
    channel = jnp.arange(n_channels, dtype=jnp.int32)[:, None]
    ranks = jnp.zeros(joined.shape, jnp.int32).at[channel, order].set(place)
    n_levels = max(n - 1, 1).bit_length()
    first = place[:, : n - window + 1]
    Level = tuple[Array, Array, Array, Array, Array]

    def descend(step: Array, held: Level) -> Level:
        """Keep of each range the samples whose next bit is that of the wanted rank; sort all by that bit."""
        ranks, low, high, wanted, found = held
        bit = jnp.right_shift(ranks, n_levels - 1 - step) & 1
        zeros = jnp.cumsum(1 - bit, axis=1, dtype=jnp.int32)
        zeros = jnp.concatenate([jnp.zeros((n_channels, 1), jnp.int32), zeros], axis=1)
        n_zeros = zeros[:, -1:]
        to = jnp.where(bit == 0, zeros[:, :-1], n_zeros + place - zeros[:, :-1])
        ranks = jnp.zeros_like(ranks).at[channel, to].set(ranks, unique_indices=True)
        below, above = jnp.take_along_axis(zeros, low, axis=1), jnp.take_along_axis(zeros, high, axis=1)
        is_one = wanted >= above - below
        wanted = jnp.where(is_one, wanted - (above - below), wanted)
        low = jnp.where(is_one, n_zeros + low - below, below)
        high = jnp.where(is_one, n_zeros + high - above, above)
        return ranks, low, high, wanted, found * 2 + is_one.astype(jnp.int32)

    begun = (ranks, first, first + window, jnp.full_like(first, window // 2), jnp.zeros_like(first))
    rank = lax.fori_loop(0, n_levels, descend, begun)[4]
    return jnp.take_along_axis(sorted_, rank, axis=1)
