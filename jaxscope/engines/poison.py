"""What a sample that is not finite does to the samples after it, as SciPy has it, worked out beside the arithmetic.

A matrix product would spread one NaN over its whole block, also to samples before it. So methods are given zeros in
its place, and the outputs that it must reach are marked afterwards: all that follow where there is a recursion, as many
as there are taps where there is none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

#: reach of a recursion
FOREVER = 2**60


def spread(mask: Array, carried: Array, reach: int) -> tuple[Array, Array]:
    """Return what ``mask`` reaches within the block, and for how many samples more.

    Parameters
    ----------
    mask : (n_channels, n_samples) bool
    carried : (n_channels,) int64
        How many samples of the block are reached from the blocks before.
    reach : int
        How many samples one sample reaches beyond itself.
    """
    n = mask.shape[1]
    places = np.arange(n, dtype=np.int64)
    last = np.maximum.accumulate(np.where(mask, places, -FOREVER * 2), axis=1)
    reached = (places - last <= reach) | (places < carried[:, np.newaxis])
    final = last[:, -1] if n else np.full(mask.shape[0], -FOREVER * 2)
    left = np.maximum(carried - n, np.minimum(final + reach + 1 - n, FOREVER))
    return reached, np.maximum(left, 0)


def spread_both_ways(mask: Array, reach: int) -> Array:
    """Return what ``mask`` reaches on both sides."""
    nothing = np.zeros(mask.shape[0], dtype=np.int64)
    return spread(mask, nothing, reach)[0] | spread(mask[:, ::-1], nothing, reach)[0][:, ::-1]
