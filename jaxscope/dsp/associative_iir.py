"""A cascade as a parallel prefix over time: few steps that are wide, for devices with many lanes.

Between two samples a state is moved by an affine map, and affine maps can be joined in any order, so all states follow
from a tree of joins of depth log2(n). That is more arithmetic than the recursion, and for a CPU slower.

Each section runs by itself, its states those of SciPy's transposed direct form in the coordinates of
``traced_matrices``, which stay good for poles near z = 1 and z = −1.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array, lax

from jaxscope.dsp.block_iir import matmul
from jaxscope.dsp.traced_matrices import cascade, coordinates, from_scipy, to_scipy


def associative_filter(x: Array, state: Array, n_valid: Array, sos: Array) -> tuple[Array, Array]:
    """Filter with one cascade.

    Parameters
    ----------
    x : (n_channels, n_samples)
    state : (n_channels, n_sections, 2)
        As ``zi`` of ``scipy.signal.sosfilt``, channels first.
    n_valid : int32 scalar
        Samples from here on are ignored.
    sos : (n_sections, 6)
        With a0 = 1.

    Returns
    -------
    y : (n_channels, n_samples)
    state : (n_channels, n_sections, 2)
        After sample ``n_valid``.
    """
    ends = []
    for k in range(sos.shape[0]):
        x, end = _section(x, state[:, k], n_valid, sos[k : k + 1])
        ends.append(end)
    return x, jnp.stack(ends, axis=1) if ends else state


def _section(x: Array, state: Array, n_valid: Array, row: Array) -> tuple[Array, Array]:
    where = coordinates(row)
    a, b, c, d = cascade(row, where)
    n = x.shape[1]
    # A^(t + 1) for every sample, the same for all channels
    powers = lax.associative_scan(matmul, jnp.broadcast_to(a, (n, *a.shape)))
    levels: list[Array] = []
    driven = x[..., None] * b
    distance = 1
    while distance < n:
        # states that know 2^k samples of the past learn of the 2^k before them
        levels.append(powers[distance - 1])
        distance *= 2
    for k, power in enumerate(levels):
        shift = 1 << k
        earlier = jnp.pad(driven[:, : n - shift], ((0, 0), (shift, 0), (0, 0)))
        driven = driven + matmul(earlier, power.T)
    begun = from_scipy(state[:, None], where)
    after = driven + jnp.einsum("tij,cj->cti", powers, begun, precision=lax.Precision.HIGHEST)
    before = jnp.concatenate([begun[:, None], after], axis=1)
    y = matmul(before[:, :n], c) + x * d
    end = lax.dynamic_index_in_dim(before, n_valid, axis=1, keepdims=False)
    return y, to_scipy(end, where)[:, 0]


#: one cascade per channel
associative_filter_rows = jax.vmap(
    lambda x, state, n_valid, sos: tuple(out[0] for out in associative_filter(x[None], state[None], n_valid, sos)),
    in_axes=(0, 0, None, 0),
)
