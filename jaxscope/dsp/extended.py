"""Matrix products with half as many digits again as float64, the same on every machine.

The matrices of a block filter are powers of a matrix whose eigenvalues may lie 1e-5 from the unit circle: what is lost
there is lost in every sample. ``numpy.longdouble`` is plain float64 on Windows and on Apple silicon, so numbers here
are pairs of float64 (a value and what rounding took from it), and products are made exact by slicing: the leading
slices of both factors are so short that float64 sums their products without any rounding (Ozaki et al. 2012).

Invariant: ``multiply`` is correct to about 1e-22 of the largest product of a row and a column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


class Pair(NamedTuple):
    """An unevaluated sum ``high + low`` of float64 arrays; ``low`` is what rounding took from ``high``.

    Where float64 has digits enough there is no ``low``, and products are plain ones.
    """

    high: Array
    low: Array | None


def plain(pair: Pair) -> Pair:
    """Return a pair as float64 alone."""
    return Pair(pair.high, None)


def each(function: Callable[[Array], Array], pair: Pair) -> Pair:
    """Return what a function that moves numbers about makes of a pair."""
    return Pair(function(pair.high), None if pair.low is None else function(pair.low))


def leading(values: Array, axis: int, bits: int) -> Array:
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
    if left.low is None or right.low is None:
        return Pair(np.matmul(left.high, right.high), None)
    bits = (51 - (left.high.shape[-1] - 1).bit_length()) // 2
    product = np.dot if left.high.ndim == 2 else np.matmul  # what goes faster
    left_lead, right_lead = leading(left.high, -1, bits), leading(right.high, -2, bits)
    # the product of the leading slices is exact; all else is smaller by 2^-20 or more and may round
    exact = product(left_lead, right_lead)
    behind = right.high - right_lead
    behind += right.low
    rest = product(left_lead, behind)
    behind = left.high - left_lead
    behind += left.low
    rest += product(behind, right.high)
    # a sum that keeps what it rounds off (Dekker); where cancellation leaves the first smaller, that is below the rest
    total = exact + rest
    exact -= total
    exact += rest
    return Pair(total, exact)


def joined(pairs: list[Pair], axis: int) -> Pair:
    """Concatenate pairs along ``axis``."""
    low = [pair.low for pair in pairs if pair.low is not None]
    return Pair(
        np.concatenate([pair.high for pair in pairs], axis),
        np.concatenate(low, axis) if len(low) == len(pairs) else None,
    )
