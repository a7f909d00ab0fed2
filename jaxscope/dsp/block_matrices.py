"""The matrices of a block filter: what one block gives, what state it leaves, and how states run over many blocks.

For a state space (A, B, C, D) and blocks of L samples as rows ``x``: the output is ``x T + s O``, the next state
``s A^L + x K`` (Burrus 1972; Barnes and Shinnaka 1980). States over R blocks are again a product with the powers of
A^L, level upon level, so that a recursion remains only over groups of R^levels blocks.

Invariant: what errors would add up in is worked out in more digits than it is rounded to (for float64 as pairs, see
``extended``). All are for products from the right, channels and blocks being rows.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.dsp.extended import Pair, each, joined, multiply, plain
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


def _powers(first: Pair, count: int) -> Pair:
    """Return A^1 … A^count by doubling, (…, count, n, n), of A, (…, n, n).

    Of ``first`` = (A | B) it returns (A^k | A^(k-1) B), as B goes along with the last columns at no cost.
    """
    batch = first.high.shape[:-2]
    found = each(lambda part: np.empty((*batch, count, *part.shape[-2:])), first)
    _put(first, found, 0)
    have = 1
    while have < count:
        tall = each(partial(_tall, take=min(have, count - have)), found)
        last = each(partial(_one_of, number=have - 1), found)
        have += _put(multiply(tall, last), found, have)
    return found


def _put(tall: Pair, found: Pair, place: int) -> int:
    """Write matrices that stand one above the other to their places from ``place`` on; return how many they are."""
    n = found.high.shape[-2]
    count = tall.high.shape[-2] // n
    for own, every in zip(tall, found, strict=True):
        if own is not None and every is not None:
            every[..., place : place + count, :, :] = own.reshape(*own.shape[:-2], count, n, own.shape[-1])
    return int(count)


def _one_of(powers: Array, number: int) -> Array:
    return powers[..., number, :, :]


def _tall(powers: Array, take: int) -> Array:
    """Return the first ``take`` of matrices (…, count, n, n or more) one above the other, (…, take * n, n)."""
    n = powers.shape[-2]
    return powers[..., :take, :, :n].reshape(*powers.shape[:-3], take * n, n)


def _levels(across: Pair, dtype: npt.DTypeLike) -> tuple[Array, ...]:
    """Return the matrices of all levels from the matrix that crosses one block."""
    crossings = [across.high]
    for _ in range(LEVELS - 1):
        for _ in range(GROUP.bit_length() - 1):
            across = multiply(across, across)
        crossings.append(across.high)
    # all levels in one go, as a call of numpy costs more than its arithmetic here; in plain float64, as a signal meets
    # one of these matrices a level, while errors of crossings would add up along it
    powers = _powers(Pair(np.stack(crossings), None), WIDEST).high
    *batch, _, n, _ = powers.shape
    size = (WIDEST + 1) * n
    states = np.moveaxis(powers, -1, -3).astype(dtype)  # transposed, beside each other
    levels = np.zeros((*batch, WIDEST + 1, n, WIDEST + 1, n), dtype=dtype)
    for j in range(WIDEST):
        levels[..., j, :, j + 1 :, :] = states[..., : WIDEST - j, :]
    levels.reshape(*batch, size * size)[..., :: size + 1] = 1
    return tuple(levels.reshape(*batch, size, size))


#: where in (zeros, impulse response) each number of the Toeplitz matrix stands
_TOEPLITZ = np.arange(BLOCK) - np.arange(BLOCK)[:, np.newaxis] + BLOCK - 1


def block_matrices(space: StateSpace, dtype: npt.DTypeLike) -> BlockMatrices:
    """Return the matrices of a cascade (or of several, with a batch axis in front) rounded to ``dtype``."""
    parts = space.a, space.b, space.c
    a, b, c = parts if np.dtype(dtype).itemsize > 4 else map(plain, parts)  # float64 has digits enough for float32
    n = a.high.shape[-1]
    batch = a.high.shape[:-2]
    powers = _powers(joined([a, b], -1), BLOCK)
    beside = each(lambda part: np.moveaxis(part, -3, -2).reshape(*batch, n, BLOCK * (n + 1)), powers)
    seen = multiply(c, beside).high.reshape(*batch, BLOCK, n + 1)  # C A^k | C A^(k-1) B
    impulse = np.concatenate([np.zeros((*batch, BLOCK - 1)), space.d.high[..., 0], seen[..., : BLOCK - 1, n]], axis=-1)
    observed = np.concatenate([c.high, seen[..., : BLOCK - 1, :n]], axis=-2)
    every = np.empty((*batch, BLOCK + 1, n, n), dtype=dtype)
    every[..., 0, :, :] = np.eye(n)
    every[..., 1:, :, :] = np.swapaxes(powers.high[..., :n], -1, -2)
    return BlockMatrices(
        respond=np.concatenate([impulse[..., _TOEPLITZ], np.swapaxes(observed, -1, -2)], axis=-2).astype(dtype),
        drive=powers.high[..., ::-1, :, n].astype(dtype),
        powers=every,
        levels=_levels(each(lambda part: part[..., -1, :, :n].copy(), powers), dtype),
    )
