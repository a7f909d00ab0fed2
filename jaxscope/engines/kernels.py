"""How each kind of part becomes arguments, a state and a call of dsp: one row of a table per kernel.

Sizes are bucketed here (sections filled up with identities, taps with zeros), so that adding one section or one tap
mostly needs no new compilation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import jax
import numpy as np
import numpy.typing as npt

from jaxscope.dsp import associative_iir, block_fir, block_iir, long_cascades, running_median, scan_iir
from jaxscope.dsp.block_matrices import block_matrices, turned
from jaxscope.dsp.realisation import cascade_state_space, stacked
from jaxscope.engines.edges import steady_sections
from jaxscope.filters.coefficients import Realisation, Row, RunningMedian, Sections, Taps

Array = npt.NDArray[Any]

_IDENTITY: Row = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
#: sections up to which a cascade is one block filter, and sections of a piece of a longer one; measured: in pieces of
#: 8 a cascade of 64 is twice as quick, and the matrices of one of 441 take 50 MB in place of 3 GB
MOST_SECTIONS, PIECE_SECTIONS = 16, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """One way to run one kind of part.

    ``apply`` and ``apply_rows`` take (x, state, n_valid, weights) and return (y, state); ``weights`` turns parts into a
    pytree of arrays (with a leading axis for several); ``steady`` gives the state after an endless past of 1.
    """

    apply: Callable[..., Any]
    apply_rows: Callable[..., Any]
    weights: Callable[[Sequence[Any], npt.DTypeLike], Any]
    steady: Callable[[Any], Array]


def bucket(count: int) -> int:
    """Return the least of 1, 2, 3, 4, 6, 8, 12, 16, 24 … at or above ``count``.

    Examples
    --------
    >>> [bucket(n) for n in (1, 3, 5, 7, 9, 13, 33)]
    [1, 3, 6, 8, 12, 16, 48]
    """
    power = 1 << max(count - 1, 0).bit_length()
    return power * 3 // 4 if power >= 4 and count <= power * 3 // 4 else power


def filled_rows(part: Sections) -> tuple[Row, ...]:
    """Return the sections of a part, filled up with identities to a bucket."""
    missing = bucket(max(len(part.rows), 1)) - len(part.rows)
    return part.rows + (_IDENTITY,) * missing


def filled_taps(part: Taps, unit: int) -> Array:
    """Return the taps filled up with zeros so that one less than their number is a multiple of ``unit``."""
    taps = part.to_array()
    return np.pad(taps, (0, -(len(taps) - 1) % unit))


def save_unit(n_taps: int) -> int:
    """Return the unit to which taps are filled up for overlap-save: an eighth of the power of two below them."""
    return max(32, 1 << max(n_taps.bit_length() - 4, 0))


def band_unit(n_taps: int) -> int:
    """Return the unit to which taps are filled up for banded products: small where all that counts is their number."""
    return 8 if n_taps <= 2 * block_fir.BLOCK else block_fir.BLOCK


@lru_cache(maxsize=16)  # few, so that the memory of those before them is used again
def _weights_of_one(row: tuple[Row, ...], dtype: str) -> Any:
    return block_matrices(cascade_state_space(row), dtype)


@lru_cache(maxsize=2)  # of hundreds of channels they take more than 100 MB
def _weights_of_many(rows: tuple[tuple[Row, ...], ...], dtype: str) -> Any:
    return block_matrices(stacked([cascade_state_space(own) for own in rows]), dtype)


def _block_weights(parts: Sequence[Sections], dtype: npt.DTypeLike) -> Any:
    rows, name = tuple(filled_rows(part) for part in parts), np.dtype(dtype).name
    return _weights_of_one(rows[0], name) if len(rows) == 1 else _weights_of_many(rows, name)


@lru_cache(maxsize=16)
def _turned_weights_of_one(row: tuple[Row, ...], dtype: str) -> Any:
    return turned(_weights_of_one(row, dtype))


@lru_cache(maxsize=2)
def _turned_weights_of_many(rows: tuple[tuple[Row, ...], ...], dtype: str) -> Any:
    return turned(_weights_of_many(rows, dtype))


def _turned_weights(parts: Sequence[Sections], dtype: npt.DTypeLike) -> Any:
    rows, name = tuple(filled_rows(part) for part in parts), np.dtype(dtype).name
    return _turned_weights_of_one(rows[0], name) if len(rows) == 1 else _turned_weights_of_many(rows, name)


def _block_steady(part: Sections) -> Array:
    return cascade_state_space(filled_rows(part)).steady


def _pieces_of(part: Sections) -> list[tuple[Row, ...]]:
    """Return the sections of a long cascade in pieces of one size, filled up with identities."""
    rows = part.rows + (_IDENTITY,) * (-len(part.rows) % PIECE_SECTIONS)
    return [rows[first : first + PIECE_SECTIONS] for first in range(0, len(rows), PIECE_SECTIONS)]


@lru_cache(maxsize=4)  # fewer still, as they are large
def _long_weights_of(parts: tuple[Sections, ...], dtype: str) -> Any:
    spaces = [cascade_state_space(piece) for part in parts for piece in _pieces_of(part)]
    weights = block_matrices(stacked(spaces), dtype)
    if len(parts) == 1:
        return weights
    return jax.tree.map(lambda leaf: leaf.reshape(len(parts), -1, *leaf.shape[1:]), weights)


def _long_weights(parts: Sequence[Sections], dtype: npt.DTypeLike) -> Any:
    return _long_weights_of(tuple(parts), np.dtype(dtype).name)


@lru_cache(maxsize=4)
def _turned_long_weights_of(parts: tuple[Sections, ...], dtype: str) -> Any:
    return turned(_long_weights_of(parts, dtype))


def _turned_long_weights(parts: Sequence[Sections], dtype: npt.DTypeLike) -> Any:
    return _turned_long_weights_of(tuple(parts), np.dtype(dtype).name)


def _long_steady(part: Sections) -> Array:
    level, found = 1.0, []
    for piece in _pieces_of(part):
        space = cascade_state_space(piece)
        found.append(level * space.steady)
        level *= float(space.gain)
    return np.concatenate(found)


def _scan_weights(parts: Sequence[Sections], dtype: npt.DTypeLike) -> Array:
    arrays = [np.array(filled_rows(part), dtype=dtype) for part in parts]
    return arrays[0] if len(arrays) == 1 else np.stack(arrays)


def _band_weights(parts: Sequence[Taps], dtype: npt.DTypeLike) -> Array:
    taps = [filled_taps(part, band_unit(len(part.values))) for part in parts]
    return block_fir.toeplitz_band(taps[0] if len(taps) == 1 else np.stack(taps), dtype)


def _spectrum_weights(parts: Sequence[Taps], dtype: npt.DTypeLike) -> Array:
    taps = [filled_taps(part, save_unit(len(part.values))) for part in parts]
    return block_fir.taps_spectrum(taps[0] if len(taps) == 1 else np.stack(taps), dtype)


def _no_weights(parts: Sequence[RunningMedian], dtype: npt.DTypeLike) -> tuple[()]:
    return ()


def _scan_steady(part: Sections) -> Array:
    return steady_sections(Sections(filled_rows(part)))


def _median(x: Any, past: Any, n_valid: Any, weights: tuple[()]) -> Any:
    return running_median.running_median(x, past, n_valid)


KERNELS: dict[str, Kernel] = {
    "block": Kernel(
        apply=block_iir.block_filter,
        apply_rows=block_iir.block_filter_rows,
        weights=_block_weights,
        steady=_block_steady,
    ),
    "block-backwards": Kernel(
        apply=partial(block_iir.block_filter, backwards=True),
        apply_rows=block_iir.block_filter_rows_backwards,
        weights=_turned_weights,
        steady=_block_steady,
    ),
    "long block": Kernel(
        apply=long_cascades.cascade_filter,
        apply_rows=long_cascades.cascade_filter_rows,
        weights=_long_weights,
        steady=_long_steady,
    ),
    "long block-backwards": Kernel(
        apply=partial(long_cascades.cascade_filter, backwards=True),
        apply_rows=long_cascades.cascade_filter_rows_backwards,
        weights=_turned_long_weights,
        steady=_long_steady,
    ),
    "scan": Kernel(
        apply=scan_iir.scan_filter, apply_rows=scan_iir.scan_filter_rows, weights=_scan_weights, steady=_scan_steady
    ),
    "associative": Kernel(
        apply=associative_iir.associative_filter,
        apply_rows=associative_iir.associative_filter_rows,
        weights=_scan_weights,
        steady=_scan_steady,
    ),
    "toeplitz": Kernel(
        apply=block_fir.fir_toeplitz,
        apply_rows=block_fir.fir_toeplitz_rows,
        weights=_band_weights,
        steady=lambda part: np.ones(filled_taps(part, band_unit(len(part.values))).size - 1),
    ),
    "overlap-save": Kernel(
        apply=block_fir.fir_overlap_save,
        apply_rows=block_fir.fir_overlap_save_rows,
        weights=_spectrum_weights,
        steady=lambda part: np.ones(filled_taps(part, save_unit(len(part.values))).size - 1),
    ),
    "median": Kernel(
        apply=_median, apply_rows=_median, weights=_no_weights, steady=lambda part: np.ones(part.window - 1)
    ),
}


#: kernels that do the same with time running from the last sample to the first
BACKWARDS = {"block": "block-backwards", "long block": "long block-backwards"}
#: kernels whose state keeps every NaN that went in
BLOCKS = (*BACKWARDS, *BACKWARDS.values())


def kernel_of(part: Realisation, *, sections_by: str, taps_by: str) -> str:
    """Return the name of the kernel for a part."""
    match part:
        case Sections():
            return "long block" if sections_by == "block" and len(part.rows) > MOST_SECTIONS else sections_by
        case Taps():
            return taps_by
        case RunningMedian():
            return "median"
