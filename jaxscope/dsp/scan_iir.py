"""A cascade sample after sample: the plain recursion in jax, vectorised over channels.

The reference that the block filter is held against within jax; transposed direct form II, as SciPy.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array, lax


def scan_filter(x: Array, state: Array, n_valid: Array, sos: Array) -> tuple[Array, Array]:
    """Filter sample after sample.

    Parameters
    ----------
    x : (n_channels, n_samples)
    state : (n_channels, n_sections, 2)
        As ``zi`` of ``scipy.signal.sosfilt``, channels first.
    n_valid : int32 scalar
        Samples from here on are ignored.
    sos : (n_sections, 6)

    Returns
    -------
    y : (n_channels, n_samples)
    state : (n_channels, n_sections, 2)
        After sample ``n_valid``.
    """
    n_sections = sos.shape[0]

    def advance(states: Array, item: tuple[Array, Array]) -> tuple[Array, Array]:
        value, number = item
        after = []
        for k in range(n_sections):
            b0, b1, b2, a1, a2 = sos[k, 0], sos[k, 1], sos[k, 2], sos[k, 4], sos[k, 5]
            out = b0 * value + states[:, k, 0]
            first = b1 * value - a1 * out + states[:, k, 1]
            after.append(jnp.stack([first, b2 * value - a2 * out], axis=-1))
            value = out
        moved = jnp.stack(after, axis=1) if after else states
        return jnp.where(number < n_valid, moved, states), value

    numbers = jnp.arange(x.shape[1], dtype=n_valid.dtype)
    end, y = lax.scan(advance, state, (jnp.swapaxes(x, 0, 1), numbers))
    return jnp.swapaxes(y, 0, 1), end


#: one cascade per channel
scan_filter_rows = jax.vmap(
    lambda x, state, n_valid, sos: tuple(out[0] for out in scan_filter(x[None], state[None], n_valid, sos)),
    in_axes=(0, 0, None, 0),
)
