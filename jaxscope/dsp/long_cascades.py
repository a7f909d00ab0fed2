"""Long cascades as pieces that run one after the other: a comb has a section for each of its notches.

The matrices of a block filter grow with the square of its states, and the powers of hundreds of poles that lie close
together near the circle leave the range of float64, however many digits they are worked out in. Pieces stay short.

Invariants: as ``block_iir`` and ``host_iir``. A state is that of all pieces, one beside the other.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxscope.dsp import host_iir
from jaxscope.dsp.block_iir import block_filter
from jaxscope.dsp.block_matrices import BlockMatrices
from jaxscope.dsp.host_blocks import Array, Scratch


def cascade_filter(
    x: jax.Array, state: jax.Array, n_valid: jax.Array, matrices: BlockMatrices, *, backwards: bool = False
) -> tuple[jax.Array, jax.Array]:
    """Filter blocks of all channels with the pieces of one cascade; as ``block_iir.block_filter``.

    Parameters
    ----------
    x : (n_channels, n_samples)
    state : (n_channels, n_pieces * n)
    n_valid : int32 scalar
    matrices : BlockMatrices
        With a leading axis for pieces.
    backwards : bool

    Returns
    -------
    y : (n_channels, n_samples)
    state : (n_channels, n_pieces * n)
    """

    def piece(samples: jax.Array, own: tuple[jax.Array, BlockMatrices]) -> tuple[jax.Array, jax.Array]:
        before, its_matrices = own
        return block_filter(samples, before, n_valid, its_matrices, backwards=backwards)

    by_piece = jnp.moveaxis(state.reshape(len(x), matrices.drive.shape[0], -1), 1, 0)
    y, after = lax.scan(piece, x, (by_piece, matrices))
    return y, jnp.moveaxis(after, 0, 1).reshape(state.shape)


def _one_row(backwards: bool) -> Any:  # noqa: FBT001
    def one(x: jax.Array, state: jax.Array, n_valid: jax.Array, matrices: BlockMatrices) -> tuple[jax.Array, ...]:
        return tuple(out[0] for out in cascade_filter(x[None], state[None], n_valid, matrices, backwards=backwards))

    return jax.vmap(one, in_axes=(0, 0, None, 0))


#: one cascade per channel: the same with a leading channel axis on every matrix
cascade_filter_rows, cascade_filter_rows_backwards = _one_row(False), _one_row(True)  # noqa: FBT003


def host_cascade_filter(
    x: Array,
    state: Array,
    n_valid: int,
    matrices: BlockMatrices,
    out: Array | None,
    scratch: Scratch,
    *,
    offset: Array | None = None,
    backwards: bool = False,
) -> Array:
    """Filter samples of all channels on the host itself; as ``host_iir.block_filter``.

    ``matrices`` have an axis for pieces, behind that for channels where they have one; ``state`` and what is returned
    are (n_channels, n_pieces * n).
    """
    pieces = _pieces(matrices, scratch)
    before = state.reshape(len(x), len(pieces), -1)
    between = scratch.room("between pieces", (len(x), n_valid), state.dtype) if out is None else out
    after = np.empty_like(before)
    samples = x
    for number, piece in enumerate(pieces):
        after[:, number] = host_iir.block_filter(
            samples, before[:, number], n_valid, piece, between, scratch, offset=offset, backwards=backwards
        )
        samples, offset = between, None
    return after.reshape(state.shape)


def _pieces(matrices: BlockMatrices, scratch: Scratch) -> list[BlockMatrices]:
    """Return the matrices of each piece, the same for a chunk as for those before it."""
    by_channel = matrices.drive.ndim > 3

    def one(leaf: Array, number: int) -> Array:
        return leaf[:, number] if by_channel else leaf[number]

    def make() -> tuple[BlockMatrices, list[BlockMatrices]]:
        count = matrices.drive.shape[1 if by_channel else 0]
        return matrices, [jax.tree.map(lambda leaf, own=k: one(leaf, own), matrices) for k in range(count)]

    # they are held beside their pieces, so nothing else has their identity
    made: tuple[BlockMatrices, list[BlockMatrices]] = scratch.made(("pieces", id(matrices.drive)), make)
    return made[1]
