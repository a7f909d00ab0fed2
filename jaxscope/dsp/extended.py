"""Matrix products with half as many digits again as float64, the same on every machine.

The matrices of a block filter are powers of a matrix whose eigenvalues may lie 1e-5 from the unit circle: what is lost
there is lost in every sample. ``numpy.longdouble`` is plain float64 on Windows and on Apple silicon, so numbers here
are pairs of float64 (a value and what rounding took from it), and products are made exact by slicing: the leading
slices of both factors are so short that float64 sums their products without any rounding (Ozaki et al. 2012).

Invariant: ``multiply`` is correct to about 1e-22 of the largest product of a row and a column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


class Pair(NamedTuple):
    """An unevaluated sum ``high + low`` of float64 arrays; ``low`` is what rounding took from ``high``."""

    high: Array
    low: Array


def normalised(high: Array, low: Array) -> Pair:
    """Return ``high + low`` as a pair, whatever their sizes (Knuth's two-sum)."""
    total = high + low
    part = total - high
    return Pair(total, (high - (total - part)) + (low - part))


def leading_slice(values: Array, axis: int, bits: int) -> Array:
    """Return ``values`` rounded to ``bits`` bits below the largest of each line along ``axis``."""
    largest = np.abs(values).max(axis=axis, keepdims=True)
    _, exponent = np.frexp(largest)
    anchor = np.ldexp(1.5, exponent + (52 - bits))
    return np.asarray((values + anchor) - anchor)


def multiply(left: Pair, right: Pair) -> Pair:
    """Return the matrix product of two pairs; leading axes are batches, as in ``numpy.matmul``.

    The inner size may be up to 1024: ten bits are kept free for the sum.
    """
    inner = max(int(left.high.shape[-1]) - 1, 1)
    bits = (52 - inner.bit_length()) // 2
    left_lead = leading_slice(left.high, -1, bits)
    right_lead = leading_slice(right.high, -2, bits)
    left_rest = left.high - left_lead
    right_rest = right.high - right_lead
    # leading slices multiply exactly; the rest is smaller by 2^-21 or more and may round
    left_second = leading_slice(left_rest, -1, bits)
    right_second = leading_slice(right_rest, -2, bits)
    exact = left_lead @ right_lead
    middle = normalised(left_lead @ right_second, left_second @ right_lead)
    small = (
        left_lead @ (right_rest - right_second)
        + (left_rest - left_second) @ right_lead
        + left_rest @ right_rest
        + left.high @ right.low
        + left.low @ right.high
    )
    first = normalised(exact, middle.high)
    return normalised(first.high, first.low + (middle.low + small))


def stack(pairs: list[Pair], axis: int) -> Pair:
    """Concatenate pairs along ``axis``."""
    return Pair(np.concatenate([p.high for p in pairs], axis), np.concatenate([p.low for p in pairs], axis))


def transposed(pair: Pair) -> Pair:
    """Swap the last two axes."""
    return Pair(np.swapaxes(pair.high, -1, -2), np.swapaxes(pair.low, -1, -2))
