"""A recursive filter as matrix products over blocks: exact, and with almost nothing that is sequential.

Invariants: samples and states of the first ``n_valid`` samples do not depend on what follows them, so a signal may be
padded to a length that is already compiled; block by block with the carried state equals the whole.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array, lax

from jaxscope.dsp.block_matrices import BlockMatrices, Level

_EXACT = lax.Precision.HIGHEST  # TF32 on accelerators would cost three digits


def matmul(left: Array, right: Array) -> Array:
    """Multiply with all digits of the dtype."""
    return jnp.matmul(left, right, precision=_EXACT)


def block_multiple(n_blocks: int, group: int, levels: int) -> int:
    """Return the least number of blocks at or above ``n_blocks`` that the levels of groups divide.

    Examples
    --------
    >>> [block_multiple(n, 8, 3) for n in (1, 7, 9, 65)]
    [1, 7, 16, 128]
    """
    unit = 1
    for _ in range(levels):
        if n_blocks <= unit * group:
            break
        unit *= group
    return -(-n_blocks // unit) * unit


def prefix_states(drive: Array, start: Array, levels: tuple[Level, ...]) -> tuple[Array, Array]:
    """Run states over blocks.

    Parameters
    ----------
    drive : (n_channels, n_blocks, n)
        What each block leaves in a state that was 0 before it.
    start : (n_channels, n)
    levels : tuple of Level
        The first is for single blocks, the next for groups of them.

    Returns
    -------
    before : (n_channels, n_blocks, n)
        State at the start of each block.
    end : (n_channels, n)
    """
    level, rest = levels[0], levels[1:]
    n_channels, n_blocks, n = drive.shape
    group = level.within.shape[-1] // n
    if n_blocks <= group:
        flat = drive.reshape(n_channels, n_blocks * n)
        size = n_blocks * n
        before = matmul(flat, level.within[:size, :size]) + matmul(start, level.carry[:, :size])
        end = matmul(flat, level.end[(group - n_blocks) * n :]) + matmul(start, level.carry[:, size : size + n])
        return before.reshape(n_channels, n_blocks, n), end
    flat = drive.reshape(n_channels, n_blocks // group, group * n)
    ends = matmul(flat, level.end)
    if rest:
        starts, end = prefix_states(ends, start, rest)
    else:
        cross = level.carry[:, group * n :]

        def advance(state: Array, own: Array) -> tuple[Array, Array]:
            return matmul(state, cross) + own, state

        end, moved = lax.scan(advance, start, jnp.moveaxis(ends, 1, 0))
        starts = jnp.moveaxis(moved, 0, 1)
    before = matmul(flat, level.within) + matmul(starts, level.carry[:, : group * n])
    return before.reshape(n_channels, n_blocks, n), end


def block_filter(x: Array, state: Array, n_valid: Array, matrices: BlockMatrices) -> tuple[Array, Array]:
    """Filter blocks of all channels with one cascade.

    Parameters
    ----------
    x : (n_channels, n_samples)
        ``n_samples`` a whole number of blocks that ``block_multiple`` allows; samples from ``n_valid`` on are ignored.
    state : (n_channels, n)
    n_valid : int32 scalar
    matrices : BlockMatrices

    Returns
    -------
    y : (n_channels, n_samples)
    state : (n_channels, n)
        After sample ``n_valid``.
    """
    n_channels, n_samples = x.shape
    block = matrices.respond.shape[-1]
    n_blocks = n_samples // block
    rows = x.reshape(n_channels * n_blocks, block)
    drive = matmul(rows, matrices.drive).reshape(n_channels, n_blocks, -1)
    before, end = prefix_states(drive, state, matrices.levels)
    # one product over (samples, state) writes y once; two products and their sum pass over it three times
    joined = jnp.concatenate([rows, before.reshape(n_channels * n_blocks, -1)], axis=1)
    y = matmul(joined, matrices.respond)
    return y.reshape(n_channels, n_samples), _state_at(x, before, end, n_valid, matrices)


def _state_at(x: Array, before: Array, end: Array, n_valid: Array, matrices: BlockMatrices) -> Array:
    """Return the state after ``n_valid`` samples: that at its block's start, advanced by the rest of the block."""
    block = matrices.respond.shape[-1]
    states = jnp.concatenate([before, end[:, None]], axis=1)
    number, rest = n_valid // block, n_valid % block
    zero = jnp.zeros((), dtype=n_valid.dtype)
    own = lax.dynamic_index_in_dim(states, number, axis=1, keepdims=False)
    power = lax.dynamic_index_in_dim(matrices.powers, rest, axis=0, keepdims=False)
    # the last `block` samples before n_valid, those of earlier blocks silenced
    padded = jnp.pad(x, ((0, 0), (block, 0)))
    window = lax.dynamic_slice(padded, (zero, n_valid), (x.shape[0], block))
    keep = jnp.arange(block, dtype=n_valid.dtype) >= block - rest
    window = jnp.where(keep, window, jnp.zeros((), dtype=x.dtype))
    return matmul(own, power) + matmul(window, matrices.drive)


#: one cascade per channel: the same with a leading channel axis on every matrix
block_filter_rows = jax.vmap(
    lambda x, state, n_valid, matrices: tuple(out[0] for out in block_filter(x[None], state[None], n_valid, matrices)),
    in_axes=(0, 0, None, 0),
)
