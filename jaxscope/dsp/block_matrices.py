"""The matrices of a block filter: what one block gives, what state it leaves, and how states run over many blocks.

For a state space (A, B, C, D) and blocks of L samples as rows ``x``: the output is ``x T + s O``, the next state
``s A^L + x K`` (Burrus 1972; Barnes and Shinnaka 1980). States over R blocks are again a product with the powers of
A^L, level upon level, so that a recursion remains only over groups of R^levels blocks.

Invariant: every matrix is worked out as a pair (see ``extended``) and rounded once. All are for products from the
right, channels and blocks being rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.dsp.extended import Pair, multiply, stack
from jaxscope.dsp.realisation import StateSpace

Array = npt.NDArray[Any]

#: samples in a block; measured: longer ones waste work above the diagonal, shorter ones leave products too thin
BLOCK = 32
#: blocks in a group where groups follow, blocks in the last group of all, and levels of groups; measured: small groups
#: waste less work above the diagonal, and levels are cheaper than a loop
GROUP, WIDEST = 4, 8
LEVELS = 5


class BlockMatrices(NamedTuple):
    """What a compiled block filter takes as arguments; n states, L samples a block.

    ``levels`` holds for each level how states run over up to R blocks, (…, (R + 1) n, (R + 1) n): rows are the state
    before them and what each block leaves in a state of 0, columns the states before each block and after the last.
    The leading corners are the same for fewer blocks.
    """

    respond: Any  # (…, L + n, L): T above O
    drive: Any  # (…, L, n)
    powers: Any  # (…, L + 1, n, n): transposed A^k
    levels: tuple[Any, ...]


def turned(matrices: BlockMatrices) -> BlockMatrices:
    """Return the matrices for a signal that runs backwards: samples, blocks and groups in the opposite order."""
    n, block = matrices.drive.shape[-1], matrices.drive.shape[-2]

    def opposite(level: Array) -> Array:
        count = level.shape[-1] // n
        blocks = level.reshape(*level.shape[:-2], count, n, count, n)
        return np.ascontiguousarray(blocks[..., ::-1, :, ::-1, :].reshape(level.shape))

    samples = matrices.respond[..., :block, :][..., ::-1, ::-1]
    return BlockMatrices(
        respond=np.concatenate([samples, matrices.respond[..., block:, ::-1]], axis=-2),
        drive=np.ascontiguousarray(matrices.drive[..., ::-1, :]),
        powers=matrices.powers,
        levels=tuple(opposite(level) for level in matrices.levels),
    )


def _powers(a: Pair, count: int) -> Pair:
    """Return A^1 … A^count, (…, count, n, n), by doubling."""
    n = a.high.shape[-1]
    batch = a.high.shape[:-2]
    found = Pair(a.high[..., np.newaxis, :, :], a.low[..., np.newaxis, :, :])
    last = a
    while found.high.shape[-3] < count:
        have = found.high.shape[-3]
        take = min(have, count - have)
        tall = Pair(
            found.high[..., :take, :, :].reshape(*batch, take * n, n),
            found.low[..., :take, :, :].reshape(*batch, take * n, n),
        )
        more = multiply(tall, last)
        shape = (*batch, take, n, n)
        found = stack([found, Pair(more.high.reshape(shape), more.low.reshape(shape))], -3)
        last = Pair(found.high[..., -1, :, :], found.low[..., -1, :, :])
    return found


def _levels(across: Pair, dtype: npt.DTypeLike) -> tuple[Array, ...]:
    """Return the matrices of all levels from the matrix that crosses one block."""
    crossings = [across]
    for _ in range(LEVELS - 1):
        for _ in range(GROUP.bit_length() - 1):
            across = multiply(across, across)
        crossings.append(across)
    # all levels in one go, as a call of numpy costs more than its arithmetic here
    powers = _powers(Pair(*(np.stack(part) for part in zip(*crossings, strict=True))), WIDEST).high
    *batch, _, n, _ = powers.shape
    size = (WIDEST + 1) * n
    states = np.moveaxis(powers, -1, -3).astype(dtype)  # transposed, beside each other
    levels = np.zeros((*batch, WIDEST + 1, n, WIDEST + 1, n), dtype=dtype)
    for j in range(WIDEST + 1):
        levels[..., j, range(n), j, range(n)] = 1
        levels[..., j, :, j + 1 :, :] = states[..., : WIDEST - j, :]
    return tuple(levels.reshape(*batch, size, size))


def block_matrices(space: StateSpace, dtype: npt.DTypeLike) -> BlockMatrices:
    """Return the matrices of a cascade (or of several, with a batch axis in front) rounded to ``dtype``."""
    n = space.a.high.shape[-1]
    batch = space.a.high.shape[:-2]
    powers = _powers(space.a, BLOCK)
    across = Pair(powers.high[..., -1, :, :], powers.low[..., -1, :, :])
    identity = Pair(np.broadcast_to(np.eye(n), (*batch, 1, n, n)), np.zeros((*batch, 1, n, n)))
    powers = stack([identity, powers], -3)
    tall_shape = (*batch, (BLOCK + 1) * n, n)
    tall = Pair(powers.high.reshape(tall_shape), powers.low.reshape(tall_shape))
    driven = multiply(tall, space.b)  # A^k B
    driven = Pair(driven.high.reshape(*batch, BLOCK + 1, n), driven.low.reshape(*batch, BLOCK + 1, n))
    expanded = Pair(space.c.high[..., np.newaxis, :, :], space.c.low[..., np.newaxis, :, :])
    observed = multiply(expanded, powers).high[..., 0, :]  # C A^k
    impulse = np.concatenate(
        [space.d.high[..., 0], multiply(driven, _column(space.c)).high[..., : BLOCK - 1, 0]], axis=-1
    )
    toeplitz = np.zeros((*batch, BLOCK, BLOCK))
    for i in range(BLOCK):
        toeplitz[..., i, i:] = impulse[..., : BLOCK - i]
    return BlockMatrices(
        respond=np.concatenate([toeplitz, np.swapaxes(observed[..., :BLOCK, :], -1, -2)], axis=-2).astype(dtype),
        drive=np.asarray(driven.high[..., BLOCK - 1 :: -1, :][..., :BLOCK, :], dtype=dtype),
        powers=np.asarray(np.swapaxes(powers.high, -1, -2), dtype=dtype),
        levels=_levels(across, dtype),
    )


def _column(row: Pair) -> Pair:
    return Pair(np.swapaxes(row.high, -1, -2), np.swapaxes(row.low, -1, -2))
