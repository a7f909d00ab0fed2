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
#: blocks in a group, and levels of groups
GROUP = 8
LEVELS = 3


class Level(NamedTuple):
    """How states run over a group of R blocks.

    ``within`` (…, R n, R n), ``end`` (…, R n, n), ``carry`` (…, n, (R + 1) n).
    """

    within: Any
    end: Any
    carry: Any


class BlockMatrices(NamedTuple):
    """What a compiled block filter takes as arguments; n states, L samples a block."""

    respond: Any  # (…, L + n, L): T above O
    drive: Any  # (…, L, n)
    powers: Any  # (…, L + 1, n, n): transposed A^k
    levels: tuple[Level, ...]


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


def _level(a: Pair) -> tuple[Level, Pair]:
    """Return the matrices of one level from the matrix that crosses one of its blocks, and the one that crosses all."""
    powers = _powers(a, GROUP)
    n = a.high.shape[-1]
    batch = a.high.shape[:-2]
    identity = np.broadcast_to(np.eye(n), (*batch, 1, n, n))
    turned = np.swapaxes(np.concatenate([identity, powers.high], axis=-3), -1, -2)
    within = np.zeros((*batch, GROUP, n, GROUP, n))
    for j in range(GROUP - 1):
        # what block j leaves is seen by the blocks after it
        within[..., j, :, j + 1 :, :] = np.swapaxes(turned[..., : GROUP - 1 - j, :, :], -3, -2)
    end = turned[..., GROUP - 1 :: -1, :, :][..., :GROUP, :, :]
    level = Level(
        within=within.reshape(*batch, GROUP * n, GROUP * n),
        end=end.reshape(*batch, GROUP * n, n),
        carry=np.swapaxes(turned, -3, -2).reshape(*batch, n, (GROUP + 1) * n),
    )
    return level, Pair(powers.high[..., -1, :, :], powers.low[..., -1, :, :])


def block_matrices(space: StateSpace, dtype: npt.DTypeLike) -> BlockMatrices:
    """Return the matrices of a cascade (or of several, with a batch axis in front) rounded to ``dtype``."""
    n = space.a.high.shape[-1]
    batch = space.a.high.shape[:-2]
    powers = _powers(space.a, BLOCK)
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
    levels: list[Level] = []
    across = Pair(powers.high[..., -1, :, :], powers.low[..., -1, :, :])
    for _ in range(LEVELS):
        level, across = _level(across)
        levels.append(Level(*(np.asarray(matrix, dtype=dtype) for matrix in level)))
    return BlockMatrices(
        respond=np.concatenate([toeplitz, np.swapaxes(observed[..., :BLOCK, :], -1, -2)], axis=-2).astype(dtype),
        drive=np.asarray(driven.high[..., BLOCK - 1 :: -1, :][..., :BLOCK, :], dtype=dtype),
        powers=np.asarray(np.swapaxes(powers.high, -1, -2), dtype=dtype),
        levels=tuple(levels),
    )


def _column(row: Pair) -> Pair:
    return Pair(np.swapaxes(row.high, -1, -2), np.swapaxes(row.low, -1, -2))
