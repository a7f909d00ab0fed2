"""The way of samples to a device: lengths that are compiled, and aligned buffers that are filled chunk by chunk.

Invariant: what is behind the samples of a buffer is zero, and changes neither them nor the states after them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Self

import jax
import numpy as np
import numpy.typing as npt

from jaxscope.dsp.block_iir import block_multiple
from jaxscope.dsp.block_matrices import BLOCK
from jaxscope.engines.base import NotFiniteError
from jaxscope.engines.kernels import bucket
from jaxscope.engines.precision import held_by

Array = npt.NDArray[Any]

#: bytes of one chunk: half of what stays in cache, as there is an input and an output
CHUNK_BYTES = 2 << 20
#: the same where many calls for up to so many channels cost more than what falls out of a cache
LONG_CHUNK_BYTES, FEW_CHANNELS = 4 << 20, 2
#: limits of a chunk, in samples
SHORTEST_CHUNK, LONGEST_CHUNK = 4096, 1 << 18
#: blocks of the shortest compiled lengths: few, as they cost next to nothing and runs between gaps have any length
_FEW_BLOCKS = (2, 6)


@lru_cache(maxsize=4096)
def bucket_samples(n_samples: int) -> int:
    """Return the length, at or above ``n_samples``, that is compiled for it.

    Examples
    --------
    >>> sorted({bucket_samples(n) for n in range(1000, 1101)})
    [1024, 1536]
    """
    n_blocks = max(-(-n_samples // BLOCK), 1)
    n_blocks = next((few for few in _FEW_BLOCKS if n_blocks <= few), bucket(n_blocks))
    return block_multiple(n_blocks) * BLOCK


def chunk_samples(n_channels: int, itemsize: int, window: int, *, by_calls: bool = False) -> int:
    """Return how many samples of ``n_channels`` make a chunk; a running median of ``window`` multiplies them.

    ``by_calls``: for each chunk many functions are called, one after the other, and the more the fewer channels.
    """
    is_long = by_calls and n_channels <= FEW_CHANNELS
    n_bytes, longest = (LONG_CHUNK_BYTES, 4 * LONGEST_CHUNK) if is_long else (CHUNK_BYTES, LONGEST_CHUNK)
    wanted = n_bytes // (max(n_channels, 1) * itemsize * max(window, 1))
    wanted = min(max(wanted, SHORTEST_CHUNK), longest)
    return bucket_samples(1 << (wanted.bit_length() - 1))


#: pairs of buffers that are not in use, by shape and dtype; a new program for each move of a knob finds them here
_IDLE: dict[tuple[tuple[int, int], str], list[list[Array]]] = {}
_IDLE_AT_MOST = 8


class Stage:
    """Two aligned host buffers, used in turn: one is filled while the device may still read the other.

    Use as a context; leave it only when the device has read everything.
    """

    def __init__(self, n_rows: int, length: int, dtype: npt.DTypeLike, *, checks: bool) -> None:
        self.length = length
        self._checks = checks
        self._key = ((n_rows, length), np.dtype(dtype).char)
        self._buffers: list[Array] = []
        self._exact: Array | None = None
        self._turn = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        # after a failure the device may still read them
        if failure[0] is None and self._buffers:
            if len(_IDLE) > _IDLE_AT_MOST:
                _IDLE.clear()
            _IDLE.setdefault(self._key, []).append(self._buffers)

    def fill(self, x: Array, offset: Array, *, at_end: bool = False) -> Array:
        """Return a buffer that begins (or ends) with ``x − offset`` and else holds zeros; raise where not finite.

        Raises
        ------
        NotFiniteError
        UsageError
            Where a finite sample is too large for the precision.
        """
        self._turn ^= 1
        if not self._buffers:
            self._buffers = self._found_or_made()
        buffer = self._buffers[self._turn]
        n_rows, n = x.shape
        with held_by(buffer.dtype):
            offset.astype(buffer.dtype)  # it comes back with the steady level, however little is left beside it
            self._subtract(x, offset, buffer[:n_rows, self.length - n :] if at_end else buffer[:n_rows, :n])
        buffer[:n_rows, slice(self.length - n) if at_end else slice(n, None)] = 0
        buffer[n_rows:] = 0
        if self._checks and not np.isfinite(buffer).all():  # measured: quicker than a sum
            raise NotFiniteError
        return buffer

    def _found_or_made(self) -> list[Array]:
        try:
            return _IDLE.get(self._key, []).pop()
        except IndexError:
            return [aligned(*self._key) for _ in range(2)]

    def _subtract(self, x: Array, offset: Array, out: Array) -> None:
        """Write ``x − offset``, worked out in the wider of both precisions; mixed types in one numpy call are slow."""
        if x.dtype.itemsize < out.dtype.itemsize:  # a difference of float32 would lose what float64 is asked for
            np.copyto(out, x)
            np.subtract(out, offset[:, np.newaxis], out=out)
            return
        own = offset[:, np.newaxis].astype(x.dtype)  # a sample of x, so nothing is lost
        if x.dtype == out.dtype:
            np.subtract(x, own, out=out)
            return
        if self._exact is None:
            self._exact = np.empty((out.shape[0], self.length), dtype=x.dtype)
        exact = self._exact[:, : x.shape[1]]
        np.subtract(x, own, out=exact)
        np.copyto(out, exact, casting="same_kind")


def aligned(shape: tuple[int, int], dtype: npt.DTypeLike) -> Array:
    """Return an empty array whose first byte lies at a multiple of 64, so that a CPU device reads it without a copy."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.empty(size + 64, dtype=np.uint8)
    shift = -raw.ctypes.data % 64
    return raw[shift : shift + size].view(dtype).reshape(shape)


def laid_out(tree: Any) -> Any:
    """Return a tree of arrays copied into one buffer, each where a CPU device reads it without a copy of its own.

    Measured: handing eight small arrays to a device takes longer than working them out; so they are only laid there.

    Examples
    --------
    >>> [leaf.ctypes.data % 64 for leaf in laid_out((np.ones(3), np.ones((2, 2))))]
    [0, 0]
    """
    leaves, structure = jax.tree.flatten(tree)
    ends = np.cumsum([-(-leaf.nbytes // 64) * 64 for leaf in leaves]).tolist()
    buffer = aligned((1, ends[-1] if ends else 0), np.uint8)[0]
    laid: list[Array] = []
    for leaf, first in zip(leaves, [0, *ends], strict=False):
        place = buffer[first : first + leaf.nbytes].view(leaf.dtype).reshape(leaf.shape)
        place[...] = leaf
        laid.append(place)
    return jax.tree.unflatten(structure, laid)


class Weights:
    """The weights of a program: laid out for a CPU's first device at first, handed to it once calls are many.

    Measured: handing them over costs as much as ten calls save, and a knob that moves needs them for a few.
    """

    #: times that they are taken before it pays
    MANY = 16

    def __init__(self, host: Sequence[Any], device: Any, *, at_once: bool) -> None:
        self._device = device
        self._uses = 0
        laid = tuple(map(laid_out, host))
        self._arrays = self._handed(laid) if at_once else laid
        self._is_handed = at_once

    def _handed(self, arrays: Any) -> Any:
        return jax.device_put(arrays, self._device, may_alias=True)

    def take(self) -> tuple[Any, ...]:
        """Return them, for one call."""
        self._uses += 1
        if self._uses > self.MANY and not self._is_handed:
            self._arrays, self._is_handed = self._handed(self._arrays), True
        return tuple(self._arrays)
