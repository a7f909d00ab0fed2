"""A recursive filter as matrix products over blocks: exact, and with almost nothing that is sequential.

Invariants: samples and states of the first ``n_valid`` samples do not depend on what follows them, so a signal may be
padded to a length that is already compiled; block by block with the carried state equals the whole.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from jaxscope.dsp.block_matrices import GROUP, LEVELS, WIDEST, BlockMatrices

_EXACT = lax.Precision.HIGHEST  # TF32 on accelerators would cost three digits


def matmul(left: Array, right: Array) -> Array:
    """Multiply with all digits of the dtype."""
    return jnp.matmul(left, right, precision=_EXACT)


def block_multiple(n_blocks: int) -> int:
    """Return the least number of blocks at or above ``n_blocks`` that the levels of groups divide.

    Examples
    --------
    >>> [block_multiple(n) for n in (1, 7, 9, 65)]
    [1, 7, 12, 80]
    """
    unit = 1
    for _ in range(LEVELS):
        if n_blocks <= unit * WIDEST:
            break
        unit *= GROUP
    return -(-n_blocks // unit) * unit


def prefix_states(drive: Array, start: Array, levels: tuple[Array, ...], *, backwards: bool) -> tuple[Array, Array]:
    """Run states over blocks.

    Parameters
    ----------
    drive : (n_channels, n_blocks, n)
        What each block leaves in a state that was 0 before it.
    start : (n_channels, n)
    levels : tuple of Array
        See ``BlockMatrices``; the first is for single blocks, the next for groups of them.
    backwards : bool
        Whether the last block comes first; then the matrices are ``turned``.

    Returns
    -------
    before : (n_channels, n_blocks, n)
        State at the start of each block.
    end : (n_channels, n)
    """
    n_channels, n_blocks, n = drive.shape
    is_last = n_blocks * n < levels[0].shape[-1]
    group = n_blocks if is_last else GROUP
    width = group * n
    # first: where the state before a group stands among what its blocks leave; last: the state after it
    if backwards:
        level = levels[0][-width - n :, -width - n :]
        first, last, own, before_own = slice(width, None), slice(n), slice(width), slice(n, None)
    else:
        level = levels[0][: width + n, : width + n]
        first, last, own, before_own = slice(n), slice(width, None), slice(n, None), slice(width)
    flat = drive.reshape(n_channels * (n_blocks // group), width)
    if is_last:
        states = matmul(_in_order(start, flat, backwards=backwards), level)
        return states[:, before_own].reshape(n_channels, n_blocks, n), states[:, last]
    ends = matmul(flat, level[own, last]).reshape(n_channels, n_blocks // group, n)
    if len(levels) > 1:
        starts, end = prefix_states(ends, start, levels[1:], backwards=backwards)
    else:
        cross = level[first, last]

        def advance(state: Array, left: Array) -> tuple[Array, Array]:
            return matmul(state, cross) + left, state

        end, moved = lax.scan(advance, start, jnp.moveaxis(ends, 1, 0), reverse=backwards)
        starts = jnp.moveaxis(moved, 0, 1)
    before = matmul(_in_order(starts.reshape(-1, n), flat, backwards=backwards), level[:, before_own])
    return before.reshape(n_channels, n_blocks, n), end


def _in_order(earlier: Array, later: Array, *, backwards: bool, axis: int = 1) -> Array:
    """Return two arrays as one, in order of place; backwards, what comes earlier stands behind."""
    return jnp.concatenate([later, earlier] if backwards else [earlier, later], axis=axis)


def block_filter(
    x: Array, state: Array, n_valid: Array, matrices: BlockMatrices, *, backwards: bool = False
) -> tuple[Array, Array]:
    """Filter blocks of all channels with one cascade.

    Parameters
    ----------
    x : (n_channels, n_samples)
        ``n_samples`` a whole number of blocks that ``block_multiple`` allows; samples from ``n_valid`` on are ignored.
    state : (n_channels, n)
    n_valid : int32 scalar
    matrices : BlockMatrices
    backwards : bool
        Whether time runs from the last sample to the first; the matrices are those that ``turned`` returns, and the
        valid samples are the last ones.

    Returns
    -------
    y : (n_channels, n_samples)
    state : (n_channels, n)
        After ``n_valid`` samples.
    """
    n_channels, n_samples = x.shape
    block = matrices.respond.shape[-1]
    n_blocks = n_samples // block
    rows = x.reshape(n_channels * n_blocks, block)
    drive = matmul(rows, matrices.drive).reshape(n_channels, n_blocks, -1)
    before, end = prefix_states(drive, state, matrices.levels, backwards=backwards)
    # one product over (samples, state) writes y once; two products and their sum pass over it three times
    joined = jnp.concatenate([rows, before.reshape(n_channels * n_blocks, -1)], axis=1)
    y = matmul(joined, matrices.respond)
    states = _in_order(before, end[:, None], backwards=backwards)
    return y.reshape(n_channels, n_samples), _state_at(x, states, n_valid, matrices, backwards=backwards)


def _state_at(x: Array, states: Array, n_valid: Array, matrices: BlockMatrices, *, backwards: bool) -> Array:
    """Return the state after ``n_valid`` samples: that at its block's start, advanced by the rest of the block.

    ``states`` holds those between blocks, in order of place.
    """
    block = matrices.respond.shape[-1]
    number, rest = n_valid // block, n_valid % block
    zero = jnp.zeros((), dtype=n_valid.dtype)
    own = lax.dynamic_index_in_dim(
        states, states.shape[1] - 1 - number if backwards else number, axis=1, keepdims=False
    )
    power = lax.dynamic_index_in_dim(matrices.powers, rest, axis=0, keepdims=False)
    # the last `block` valid samples, those of earlier blocks silenced
    padded = jnp.pad(x, ((0, 0), (0, block) if backwards else (block, 0)))
    first = x.shape[1] - n_valid if backwards else n_valid
    window = lax.dynamic_slice(padded, (zero, first), (x.shape[0], block))
    place = jnp.arange(block, dtype=n_valid.dtype)
    keep = place < rest if backwards else place >= block - rest
    window = jnp.where(keep, window, jnp.zeros((), dtype=x.dtype))
    # small products cost a call each, so they are one
    return matmul(jnp.concatenate([own, window], axis=1), jnp.concatenate([power, matrices.drive]))


def _one_row(backwards: bool) -> Any:  # noqa: FBT001
    def one(x: Array, state: Array, n_valid: Array, matrices: BlockMatrices) -> tuple[Array, ...]:
        return tuple(out[0] for out in block_filter(x[None], state[None], n_valid, matrices, backwards=backwards))

    return jax.vmap(one, in_axes=(0, 0, None, 0))


#: one cascade per channel: the same with a leading channel axis on every matrix
block_filter_rows, block_filter_rows_backwards = _one_row(False), _one_row(True)  # noqa: FBT003
