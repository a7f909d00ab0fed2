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


#: what ended streams have left: of how many it is kept at most, each up to so many bytes
MOST_LEFT, MOST_LEFT_BYTES = 8, 8 << 20
#: bytes up to which what a stream has made is kept too, as it takes longer than its work; and how much of that
SMALL_BYTES, MOST_MADE = 8 << 20, 4
_Left = tuple[dict[str, Any], dict[str, Any], dict[Hashable, Any]]
_left: list[_Left] = []


class Scratch:
    """Arrays of undefined numbers for one stream, used again by name; fresh memory costs as much as arithmetic.

    As a context it begins with what a stream before has left.
    """

    def __init__(self) -> None:
        self._of: _Left = {}, {}, {}

    def __enter__(self) -> Self:
        with contextlib.suppress(IndexError):
            self._of = _left.pop()
        return self

    def __exit__(self, *failure: object) -> None:
        _, memory, made = self._of
        n_bytes = sum(own.nbytes for own in memory.values())
        if n_bytes > SMALL_BYTES:
            made.clear()
        if n_bytes <= MOST_LEFT_BYTES and len(_left) < MOST_LEFT:
            _left.append(self._of)
        self._of = {}, {}, {}

    def room(self, name: str, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """Return an array; whoever had one of this ``name`` before must be done with it."""
        rooms, memory, _ = self._of
        kept: Array | None = rooms.get(name)
        if kept is None or kept.shape != shape or kept.dtype != dtype:
            needed = math.prod(shape) * np.dtype(dtype).itemsize
            if name not in memory or memory[name].nbytes < needed:
                memory[name] = np.empty(needed, dtype=np.uint8)
            kept = rooms[name] = memory[name][:needed].view(dtype).reshape(shape)
        return kept

    def made(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what ``make`` gives, the same for a ``key`` each time; it may have rooms of its own here."""
        made = self._of[2]
        if key not in made:
            if len(made) >= MOST_MADE:
                made.clear()
            made[key] = make()
        return made[key]


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
