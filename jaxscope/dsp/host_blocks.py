"""Products of matrices on the host itself, in small pieces, and filters of finite length that are made of them.

A compiled program shares each of its products out among threads that other streams keep busy. NumPy's are cut to pieces
that a BLAS works out with its kernels for small matrices, on the thread that asks; measured: these are up to twice as
quick on thin matrices, and two streams do not wait for each other.

Invariant: as the compiled program of the same name.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Hashable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

Array = npt.NDArray[Any]


#: memory that ended streams have left: how much is kept at most of how many, so that threads find their own again
MOST_LEFT, MOST_LEFT_BYTES = 8, 8 << 20
_left: list[dict[str, Array]] = []


class Scratch:
    """Arrays of undefined numbers for one stream, used again by name; fresh memory costs as much as arithmetic.

    As a context it lends itself memory that a stream before has left.
    """

    def __init__(self) -> None:
        self._kept: dict[str, Array] = {}
        self._memory: dict[str, Array] = {}
        self._made: dict[Hashable, Any] = {}

    def __enter__(self) -> Self:
        with contextlib.suppress(IndexError):
            self._memory = _left.pop()
        return self

    def __exit__(self, *failure: object) -> None:
        if len(_left) < MOST_LEFT and sum(memory.nbytes for memory in self._memory.values()) <= MOST_LEFT_BYTES:
            _left.append(self._memory)
        self._kept, self._memory, self._made = {}, {}, {}

    def room(self, name: str, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """Return an array; whoever had one of this ``name`` before must be done with it."""
        kept = self._kept.get(name)
        if kept is None or kept.shape != shape or kept.dtype != dtype:
            kept = self._kept[name] = self._cut(name, shape, np.dtype(dtype))
        return kept

    def _cut(self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        needed = math.prod(shape) * dtype.itemsize
        memory = self._memory.get(name)
        if memory is None or memory.nbytes < needed:
            memory = self._memory[name] = np.empty(needed, dtype=np.uint8)
        return memory[:needed].view(dtype).reshape(shape)

    def made(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what ``make`` gives, the same for a ``key`` each time; it may have rooms of its own here."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]


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
    for arguments in pieces(rows, matrix, out):
        np.matmul(*arguments)
    return out


def pieces(rows: Array, matrix: Array, out: Array) -> list[tuple[Array, Array, Array]]:
    """Return what ``numpy.matmul`` is called with for a product, one call after the other."""
    k, m = rows.shape[2], matrix.shape[-1]
    most = max(min(MOST_ROWS, SMALL_PRODUCT // max(k * m, 1)), 8)
    if matrix.ndim == 3:
        return _cut(rows, matrix[:, np.newaxis], out, most)
    if _is_even(rows) and _is_even(out):  # channels follow each other as rows do
        return _cut(rows.reshape(1, -1, k), matrix, out.reshape(1, -1, m), most)
    return _cut(rows, matrix, out, most)


def _is_even(values: Array) -> bool:
    return bool(values.shape[0] == 1 or values.strides[0] == values.shape[1] * values.strides[1])


def _cut(rows: Array, matrix: Array, out: Array, most: int) -> list[tuple[Array, Array, Array]]:
    n_channels, n_rows, k = rows.shape
    whole = n_rows // most * most
    found = []
    if whole:
        shape = n_channels, whole // most, most
        found.append((rows[:, :whole].reshape(*shape, k), matrix, out[:, :whole].reshape(*shape, out.shape[2])))
    if whole < n_rows:
        found.append((rows[:, np.newaxis, whole:], matrix, out[:, np.newaxis, whole:]))
    return found


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
