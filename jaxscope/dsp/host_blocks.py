"""Products over blocks on the host itself: what ``block_iir`` compiles, straight from the samples to their place.

On a CPU a compiled program takes its samples from a buffer and leaves them in another one, and each of its products is
shared out among threads that other streams keep busy. NumPy's products are cut to pieces that a BLAS works out with its
kernels for small matrices, on the thread that asks; measured: these are up to twice as quick on thin matrices, and two
streams do not wait for each other.

Invariants: as ``block_iir``; numbers too small for their precision become 0 in states, as in a compiled program.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from jaxscope.dsp.block_matrices import GROUP, BlockMatrices

Array = npt.NDArray[Any]


class Scratch:
    """Arrays of undefined numbers for one stream, used again by name; fresh memory costs as much as arithmetic."""

    def __init__(self) -> None:
        self._kept: dict[str, Array] = {}

    def room(self, name: str, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """Return an array; whoever had one of this ``name`` before must be done with it."""
        kept = self._kept.get(name)
        if kept is None or kept.shape != shape or kept.dtype != dtype:
            kept = self._kept[name] = np.empty(shape, dtype=dtype)
        return kept


#: multiplications up to which OpenBLAS neither packs its matrices nor asks other threads
SMALL_PRODUCT = 1 << 18
#: rows of a piece, at most
MOST_ROWS = 128


def product(rows: Array, matrix: Array, out: Array) -> Array:
    """Multiply rows of channels with one matrix, or each channel's with its own, in small pieces.

    Parameters
    ----------
    rows : (n_channels, n_rows, k)
    matrix : (k, m) or (n_channels, k, m)
    out : (n_channels, n_rows, m)
        Where the result goes.

    Returns
    -------
    out
    """
    k, m = rows.shape[2], matrix.shape[-1]
    most = max(min(MOST_ROWS, SMALL_PRODUCT // max(k * m, 1)), 8)
    if matrix.ndim == 3:
        _in_pieces(rows, matrix[:, np.newaxis], out, most)
    elif _is_even(rows) and _is_even(out):  # channels follow each other as rows do
        _in_pieces(rows.reshape(1, -1, k), matrix, out.reshape(1, -1, m), most)
    else:
        _in_pieces(rows, matrix, out, most)
    return out


def _is_even(values: Array) -> bool:
    return bool(values.shape[0] == 1 or values.strides[0] == values.shape[1] * values.strides[1])


def _in_pieces(rows: Array, matrix: Array, out: Array, most: int) -> None:
    n_channels, n_rows, k = rows.shape
    whole = n_rows // most * most
    if whole:
        shape = n_channels, whole // most, most
        np.matmul(rows[:, :whole].reshape(*shape, k), matrix, out=out[:, :whole].reshape(*shape, out.shape[2]))
    if whole < n_rows:
        np.matmul(rows[:, np.newaxis, whole:], matrix, out=out[:, np.newaxis, whole:])


def product_in(scratch: Scratch, name: str, rows: Array, matrix: Array) -> Array:
    """Return ``product`` in an array of ``scratch``."""
    return product(rows, matrix, scratch.room(name, (*rows.shape[:2], matrix.shape[-1]), rows.dtype))


def prefix_states(
    drive: Array, start: Array, levels: tuple[Array, ...], scratch: Scratch, *, backwards: bool
) -> tuple[Array, Array]:
    """Run states over blocks; arguments and results as ``block_iir.prefix_states``, matrices by channel too."""
    n_channels, n_blocks, n = drive.shape
    is_last = n_blocks * n < levels[0].shape[-1]
    group = n_blocks if is_last else GROUP
    width = group * n
    # first: where the state before a group stands among what its blocks leave; last: the state after it
    if backwards:
        level = levels[0][..., -width - n :, -width - n :]
        first, last, own, before_own = slice(width, None), slice(n), slice(width), slice(n, None)
    else:
        level = levels[0][..., : width + n, : width + n]
        first, last, own, before_own = slice(n), slice(width, None), slice(n, None), slice(width)
    depth = len(levels)
    groups = scratch.room(f"groups {depth}", (n_channels, n_blocks // group, width + n), drive.dtype)
    groups[..., own] = drive.reshape(n_channels, n_blocks // group, width)
    if is_last:
        groups[:, 0, first] = start
        states = product_in(scratch, f"states {depth}", groups, level)[:, 0]
        return states[:, before_own].reshape(n_channels, n_blocks, n), states[:, last]
    ends = product_in(scratch, f"ends {depth}", groups[..., own], level[..., own, last])
    if len(levels) > 1:
        starts, end = prefix_states(ends, start, levels[1:], scratch, backwards=backwards)
    else:
        starts, end = _one_by_one(ends, start, level[..., first, last], backwards=backwards)
    groups[..., first] = starts
    before = product_in(scratch, f"states {depth}", groups, level[..., before_own])
    return before.reshape(n_channels, n_blocks, n), end


def _one_by_one(ends: Array, state: Array, cross: Array, *, backwards: bool) -> tuple[Array, Array]:
    """Run states over the last groups of all, which are few."""
    starts = np.empty_like(ends)
    count = ends.shape[1]
    for number in reversed(range(count)) if backwards else range(count):
        starts[:, number] = state
        state = _moved(state, cross) + ends[:, number]
    return starts, state


def _moved(rows: Array, matrix: Array) -> Array:
    """Return one row of each channel times its matrix."""
    return np.asarray(np.matmul(rows[:, np.newaxis], matrix)[:, 0])


def block_filter(
    x: Array,
    state: Array,
    n_valid: int,
    matrices: BlockMatrices,
    out: Array | None,
    scratch: Scratch,
    *,
    backwards: bool = False,
) -> Array:
    """Filter blocks of all channels, with one cascade or one for each channel.

    Parameters
    ----------
    x : (n_channels, n_samples)
        As ``block_iir.block_filter``; the samples of a channel follow each other.
    state : (n_channels, n)
    n_valid : int
    matrices : BlockMatrices
        With a leading axis for channels, or without.
    out : (n_channels, n_samples) or None
        Where the result goes, if anywhere; not ``x``.
    scratch : Scratch
    backwards : bool

    Returns
    -------
    (n_channels, n)
        The state after ``n_valid`` samples.
    """
    n_channels, n_samples = x.shape
    block = matrices.drive.shape[-2]
    rows = x.reshape(n_channels, n_samples // block, block)
    with np.errstate(all="ignore"):  # what is not finite is found in the state
        drive = product_in(scratch, "drive", rows, matrices.drive)
        before, end = prefix_states(drive, state, matrices.levels, scratch, backwards=backwards)
        if out is not None:
            own = product_in(scratch, "own", rows, matrices.respond[..., :block, :])
            late = product_in(scratch, "late", before, matrices.respond[..., block:, :])
            np.add(own.reshape(x.shape), late.reshape(x.shape), out=out)
        after = _state_at(x, before, end, n_valid, matrices, backwards=backwards)
    after[np.abs(after) < np.finfo(after.dtype).tiny] = 0
    return after


def _state_at(x: Array, before: Array, end: Array, n_valid: int, matrices: BlockMatrices, *, backwards: bool) -> Array:
    """Return the state after ``n_valid`` samples: that at its block's start, advanced by the rest of the block."""
    n_blocks, block = before.shape[1], matrices.drive.shape[-2]
    number, rest = divmod(int(n_valid), block)
    own = end if number == n_blocks else before[:, n_blocks - 1 - number if backwards else number]
    if rest == 0:
        return np.array(own)
    first = x.shape[1] - n_valid if backwards else n_valid - rest
    drive = matrices.drive[..., :rest, :] if backwards else matrices.drive[..., block - rest :, :]
    return _moved(own, matrices.powers[..., rest, :, :]) + _moved(x[:, first : first + rest], drive)


def fir_toeplitz(x: Array, past: Array, n_valid: int, band: Array, out: Array | None, scratch: Scratch) -> Array:
    """Filter with a banded matrix, or with one for each channel; as ``block_fir.fir_toeplitz``.

    The samples of a block and those before it overlap those of the next block, which a BLAS does not take as rows of
    one matrix. So blocks take turns: of each few that follow each other every one belongs to another product, and
    nothing is copied.

    Parameters
    ----------
    x, past, n_valid, band
        As there, ``band`` also (n_channels, n_taps - 1 + BLOCK, BLOCK).
    out : (n_channels, n_samples) or None
        Where the result goes, if anywhere; not ``x``.
    scratch : Scratch

    Returns
    -------
    (n_channels, n_taps - 1)
        The samples before sample ``n_valid``.
    """
    n_channels, n_samples = x.shape
    before, block = past.shape[1], band.shape[-1]
    joined = scratch.room("joined", (n_channels, before + n_samples), x.dtype)
    joined[:, :before] = past
    joined[:, before:] = x
    if out is not None:
        # taps are filled up with zeros, which need not be multiplied
        idle = int(np.argmax(np.append(band.any(axis=-1).reshape(-1, band.shape[-2]).any(axis=0), True)))
        idle = min(idle, band.shape[-2] - block)
        windows = sliding_window_view(joined[:, idle:], band.shape[-2] - idle, axis=1)[:, ::block]
        blocks = out.reshape(n_channels, n_samples // block, block)
        turns = -(-windows.shape[2] // block)
        with np.errstate(all="ignore"):
            for number in range(min(turns, blocks.shape[1])):
                product(windows[:, number::turns], band[..., idle:, :], blocks[:, number::turns])
    return joined[:, n_valid : n_valid + before].copy()
