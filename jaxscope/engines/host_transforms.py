"""Pieces of signals that the host filters over the Fourier transform, in place, in memory that it keeps.

SciPy transforms rows of real samples side by side in the vectors of a processor and leaves the result where they were:
nothing is allocated, nothing has to become complex first, and what is worked on stays in the cache of a core.

Invariant: what becomes of a piece depends on its own samples and taps alone.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from copy import copy
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import fftpack

from jaxscope.engines.precision import coefficients_held_by
from jaxscope.filters.coefficients import Taps

Array = npt.NDArray[Any]

#: bytes that are transformed at a time: fewer cost calls, and more leave the cache of a core
GROUP_BYTES = 1 << 20
#: the shortest transform, and the longest that is taken where shorter ones would do
SHORTEST, LONGEST = 64, 1 << 18
#: what a sample costs, measured: as many passes as the length has powers of two, at least so many, fewer where five
#: is a factor, and beside them copies and the product
FEWEST_PASSES, WITH_FIVE, OTHER_PASSES = 9.0, 0.94, 2.3
#: what a piece costs beside, in samples of one pass
PIECE = 200
#: bytes of the rows that are transformed side by side from which they leave the cache of a core, and what each doubling
#: then adds to a pass
CACHE_BYTES, BEYOND_CACHE = 1 << 20, 0.06
#: rows that are transformed side by side, and how many of them one alone costs, by bytes of a sample
LANES = {4: (4, 2.0), 8: (2, 1.3)}
#: pieces in a group are a multiple of this, so that none is alone
EVEN = 4
#: bytes of the factors of all channels, of all lengths together, up to which they are kept; those of a thread's room
MOST_KEPT_BYTES, MOST_ROOM_BYTES = 64 << 20, 8 << 20


class Plan(NamedTuple):
    """How samples are cut: into transforms of ``length`` that add ``new`` samples each, so many pieces at a time."""

    length: int
    new: int
    rows: int
    pieces: int


@lru_cache(maxsize=4096)
def plan(n_rows: int, n_samples: int, reach: int, itemsize: int) -> Plan:
    """Return how ``n_samples`` of ``n_rows`` are cut for taps that reach back by ``reach`` samples.

    Examples
    --------
    >>> plan(64, 1 << 20, 100, 4).length, plan(64, 1 << 20, 1000, 4).length, plan(1, 400, 100, 4).length
    (1280, 10240, 512)
    """
    n_samples = max(n_samples, 1)
    length = min(_lengths(n_samples, reach), key=lambda own: _cost(own, n_rows, n_samples, reach, itemsize))
    n_pieces = -(-n_samples // (length - reach))
    most = _even(max(GROUP_BYTES // (length * itemsize), EVEN))
    return Plan(length, length - reach, max(min(_even(max(most // n_pieces, 1)), n_rows), 1), min(most, n_pieces))


def _even(count: int) -> int:
    return count // EVEN * EVEN or count


def _lengths(n_samples: int, reach: int) -> list[int]:
    """Return the lengths in question, 1, 3 or 5 · 2^k: those with more new samples than old, and one for all."""
    everything = max(n_samples + reach, SHORTEST)
    every = sorted(factor << k for factor in (1, 3, 5) for k in range(5, (everything + reach).bit_length() + 1))
    whole = next(length for length in every if length >= everything)
    return [length for length in every if 2 * reach < length < whole and length <= max(LONGEST, 8 * reach)] + [whole]


def _cost(length: int, n_rows: int, n_samples: int, reach: int, itemsize: int) -> float:
    """Return what transforms of a length cost, in passes over samples."""
    lanes, alone = LANES[itemsize]
    n_pieces = -(-n_samples // (length - reach)) * n_rows
    together = n_pieces // lanes * lanes + n_pieces % lanes * alone
    passes = max(math.log2(length), FEWEST_PASSES) * (1.0 if length % 5 else WITH_FIVE)
    passes *= 1.0 + BEYOND_CACHE * max(math.log2(lanes * length * itemsize / CACHE_BYTES), 0.0)
    return together * (length * (passes + OTHER_PASSES) + PIECE)


class Factors(NamedTuple):
    """The transform of taps in the layout of ``fftpack.rfft``: see ``filter_in_place``.

    ``pairs`` (..., length / 2) complex, the last of them 1; ``constant`` and ``highest``, (...,).
    """

    pairs: Array
    constant: Array
    highest: Array


class _Kept:
    """Factors that are kept by length and direction, the latest used of them; safe on any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._every: OrderedDict[tuple[int, bool], Factors] = OrderedDict()

    def of(self, length: int, make: Callable[[], Factors], *, backwards: bool) -> Factors:
        """Return what is kept, or make it; the oldest go where all are too large, but never the newest."""
        key = length, backwards
        with self._lock:  # who wants the same waits for it, and does not make it once more
            found = self._every.get(key)
            if found is None:
                found = self._every[key] = make()
                while len(self._every) > 1 and self.n_bytes > MOST_KEPT_BYTES:
                    self._every.popitem(last=False)
            self._every.move_to_end(key)
            return found

    @property
    def n_bytes(self) -> int:
        """Bytes of all together."""
        return sum(values.nbytes for factors in self._every.values() for values in factors)


class Spectra:
    """The transforms of taps, by length, for one set of taps or for one of each channel.

    Parameters
    ----------
    taps : (n_taps,) or (n_channels, n_taps) float64
    dtype : float32 or float64
    """

    def __init__(self, taps: npt.NDArray[np.float64], dtype: npt.DTypeLike) -> None:
        used = np.flatnonzero(taps.reshape(-1, taps.shape[-1]).any(axis=0))
        self._taps = taps[..., : used[-1] + 1 if len(used) else 1]
        self._dtype = np.dtype(dtype)
        self._kept = _Kept()
        self._rows: Any = slice(None)

    @property
    def reach(self) -> int:
        """How many samples before its own one a sample of the result depends on."""
        return int(self._taps.shape[-1]) - 1

    def __getitem__(self, rows: Any) -> Spectra:
        """Return those of some channels."""
        found = copy(self)
        found._rows = np.arange(self._taps.shape[0])[self._rows][rows]
        return found

    def of(self, length: int, rows: npt.NDArray[np.intp], *, backwards: bool) -> Factors:
        """Return what transforms of ``length`` of some channels are multiplied with."""
        if self._taps.ndim == 1:
            return self._of_all(length, backwards=backwards)
        numbers = np.arange(self._taps.shape[0])[self._rows][rows]
        if self._taps.shape[0] * length * self._dtype.itemsize > MOST_KEPT_BYTES:
            found = _factors(self._taps[numbers], length, self._dtype, backwards=backwards)
            return Factors(*(values[:, np.newaxis] for values in found))
        found = self._of_all(length, backwards=backwards)
        return Factors(*(values[numbers, np.newaxis] for values in found))

    def _of_all(self, length: int, *, backwards: bool) -> Factors:
        return self._kept.of(
            length, lambda: _factors(self._taps, length, self._dtype, backwards=backwards), backwards=backwards
        )


def spectra_of(parts: Sequence[Taps], dtype: npt.DTypeLike) -> Spectra:
    """Return the transforms of one part, or of one for each channel.

    Raises
    ------
    UsageError
        Where a tap is too large for the precision.
    """
    taps = [part.to_array() for part in parts]
    with coefficients_held_by(dtype):
        taps[0].astype(dtype) if len(taps) == 1 else np.stack(taps).astype(dtype)
    return Spectra(taps[0] if len(taps) == 1 else np.stack(taps), dtype)


def _factors(taps: Array, length: int, dtype: np.dtype[Any], *, backwards: bool) -> Factors:
    filled = np.zeros((*taps.shape[:-1], length))
    filled[..., : taps.shape[-1]] = taps
    found = np.fft.rfft(filled)
    pairs = np.ones((*taps.shape[:-1], length // 2), dtype=np.result_type(dtype, np.complex64))
    pairs[..., :-1] = found[..., 1:-1].conj() if backwards else found[..., 1:-1]
    return Factors(pairs, found[..., 0].real.astype(dtype), found[..., -1].real.astype(dtype))


class _Room(threading.local):
    """What a thread keeps for the pieces that it works on; fresh memory costs as much as arithmetic."""

    memory: Array | None = None


_ROOM = _Room()


def room(shape: tuple[int, int, int], dtype: npt.DTypeLike) -> Array:
    """Return memory of this thread for pieces, of undefined numbers, in use until the thread asks again.

    Parameters
    ----------
    shape : (n_rows, n_pieces, length)

    Returns
    -------
    (n_rows * n_pieces * length + 1,)
    """
    kind = np.dtype(dtype)
    n_bytes = (math.prod(shape) + 1) * kind.itemsize
    memory = _ROOM.memory
    if memory is None or memory.nbytes < n_bytes:
        memory = np.empty(max(n_bytes, GROUP_BYTES + 64), dtype=np.uint8)
        if memory.nbytes <= MOST_ROOM_BYTES:
            _ROOM.memory = memory
    return memory[:n_bytes].view(kind)


def filter_in_place(memory: Array, pieces: Array, factors: Factors) -> None:
    """Convolve pieces with taps, each in a circle.

    Where real numbers lie as pairs from the second one on, they are complex numbers of the spectrum, but for the first
    and last of a piece, which are real: so one product over all pairs, shifted by one, serves all pieces without a gap.

    Parameters
    ----------
    memory : (n_rows * n_pieces * length + 1,)
        What ``pieces`` lie in.
    pieces : (n_rows, n_pieces, length)
    factors : Factors
        Of one set of taps, or with leading axes (n_rows, 1).
    """
    flat = pieces.reshape(-1, pieces.shape[2])
    memory[-1] = 0
    _bring(fftpack.rfft(flat, overwrite_x=True), flat)
    pairs = memory[1:].view(factors.pairs.dtype).reshape(*pieces.shape[:2], -1)
    np.multiply(pairs, factors.pairs, out=pairs)
    pieces[..., 0] *= factors.constant
    pieces[..., -1] *= factors.highest
    _bring(fftpack.irfft(flat, overwrite_x=True), flat)


def _bring(done: Array, place: Array) -> None:
    """Copy a transform to its place, where it is not there: SciPy may overwrite its argument, but need not."""
    if not np.may_share_memory(done, place):
        place[...] = done
