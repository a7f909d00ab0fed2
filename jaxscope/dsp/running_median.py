"""The running median, window by window.

Invariant: a pure function of the last ``window`` samples, so block by block equals whole to the bit.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from jaxscope.dsp.block_fir import last_samples


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
    shifted = [joined[:, k : k + x.shape[1]] for k in range(window)]
    is_short = window <= 9
    y = _selected(shifted) if is_short else jnp.sort(jnp.stack(shifted, axis=-1), axis=-1)[..., window // 2]
    return y, last_samples(joined, n_valid, window - 1)


def _selected(values: list[Array]) -> Array:
    """Return the median of an odd number of arrays by an exchange network: minimum and maximum only, so it fuses."""
    values = list(values)
    half = len(values) // 2
    for done in range(half + 1):
        for k in range(len(values) - 1 - done):
            low, high = jnp.minimum(values[k], values[k + 1]), jnp.maximum(values[k], values[k + 1])
            values[k], values[k + 1] = low, high
    return values[half]
