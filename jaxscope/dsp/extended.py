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
    lost = high - (total - part)
    lost += low - part
    return Pair(total, lost)


def leading_slice(values: Array, axis: int, bits: int) -> Array:
    """Return ``values`` rounded to about ``bits`` bits below the largest of each line along ``axis``.

    Adding a large number and taking it off again rounds to its last place (Veltkamp, Dekker).
    """
    anchor = np.maximum.reduce(np.abs(values), axis=axis, keepdims=True)
    anchor *= 1.5 * 2.0 ** (52 - bits)
    lead: Array = values + anchor
    lead -= anchor
    return lead


def multiply(left: Pair, right: Pair) -> Pair:
    """Return the matrix product of two pairs; leading axes are batches, as in ``numpy.matmul``.

    The inner size may be up to 1024: its bits are kept free for the sum.
    """
    bits = (51 - (left.high.shape[-1] - 1).bit_length()) // 2
    left_lead = leading_slice(left.high, -1, bits)
    right_lead = leading_slice(right.high, -2, bits)
    # the product of the leading slices is exact; all else is smaller by 2^-20 or more and may round
    exact = np.matmul(left_lead, right_lead)
    rest = np.matmul(left_lead, right.high - right_lead)
    behind = left.high - left_lead
    behind += left.low
    rest += np.matmul(behind, right.high)
    rest += np.matmul(left.high, right.low)
    return normalised(exact, rest)


def stack(pairs: list[Pair], axis: int) -> Pair:
    """Concatenate pairs along ``axis``."""
    return Pair(np.concatenate([p.high for p in pairs], axis), np.concatenate([p.low for p in pairs], axis))


def transposed(pair: Pair) -> Pair:
    """Swap the last two axes."""
    return Pair(np.swapaxes(pair.high, -1, -2), np.swapaxes(pair.low, -1, -2))
