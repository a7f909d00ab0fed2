"""Memory for results that is used again: what nobody holds any more serves the next result of about its size.

Measured: the first touch of fresh memory costs a filter as much time as its arithmetic, and C libraries give large
arrays back to the system each time. So the memory of dropped results is kept, up to a limit, and never while anybody
(a view of the array, too) can still see it.

Invariant: an array from here shares no memory with another one that is alive.
"""

from __future__ import annotations

import math
import threading
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

#: arrays below this are left to the C library, which keeps them itself
LEAST_BYTES = 4 << 20
#: bytes that are kept at most while nobody uses them
MOST_IDLE_BYTES = 640 << 20
#: a result may take memory that is larger by this share
_SLACK = 1.25

_LOCK = threading.Lock()
_idle: list[Array] = []
#: what has come back and is not among them yet: a finaliser may run in the middle of a take, on the same thread
_returned: list[Array] = []


class _Lease:
    """What an array from here hangs on; when the last view has gone, its memory may be taken again."""

    __slots__ = ("__array_interface__", "__weakref__")

    def __init__(self, memory: Array, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.__array_interface__ = {
            "shape": shape,
            "typestr": dtype.str,
            "data": (memory.ctypes.data, False),
            "version": 3,
        }

        # the finaliser holds the memory, and at the end of the process it is not called
        weakref.finalize(self, _give_back, memory).atexit = False


def _give_back(memory: Array) -> None:
    _returned.append(memory)
    if _LOCK.acquire(blocking=False):  # else whoever takes next sees to it
        try:
            _put_back()
        finally:
            _LOCK.release()


def _put_back() -> None:
    """Put what has come back among what is idle, and drop the oldest beyond the limit; under the lock."""
    while _returned:
        _idle.append(_returned.pop(0))
    while sum(kept.nbytes for kept in _idle) > MOST_IDLE_BYTES:
        _idle.pop(0)


def _take(n_bytes: int) -> Array:
    with _LOCK:
        _put_back()
        for number in range(len(_idle) - 1, -1, -1):  # the latest is the warmest
            if n_bytes <= _idle[number].nbytes <= _SLACK * n_bytes:
                return _idle.pop(number)
    return np.empty(n_bytes, dtype=np.uint8)


def empty(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """Return an array of undefined numbers, as ``numpy.empty``, in memory that may have served before.

    Examples
    --------
    >>> empty((2, 3), "float32").shape
    (2, 3)
    """
    kind = np.dtype(dtype)
    n_bytes = math.prod(shape) * kind.itemsize
    if n_bytes < LEAST_BYTES:
        return np.empty(shape, dtype=kind)
    return np.asarray(_Lease(_take(n_bytes), shape, kind))


def is_whole(array: Array) -> bool:
    """Say whether an array is one that ``empty`` gave or owns its memory, not a view of another one.

    Examples
    --------
    >>> numbers = empty((1024, 1024), "float64")
    >>> is_whole(numbers), is_whole(numbers[1:])
    (True, False)
    """
    return array.flags.owndata or isinstance(array.base, _Lease)
