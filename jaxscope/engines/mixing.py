"""A montage in front of a program: new channels as weighted sums of the recorded ones, in the call that filters them.

A montage has few entries a row, so it is a sparse matrix where that is quicker; the code is the same. A recorded
channel that has no weight in a new one never touches it, whatever it holds.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import numpy as np
import numpy.typing as npt

from jaxscope.dsp.sparse import mixed, sparse_matrix
from jaxscope.engines import compiled
from jaxscope.engines.kernels import bucket

Array = npt.NDArray[Any]

#: share of entries that are not 0 below which a sparse product is quicker (``jaxscope bench --scene sparse``)
SPARSE_BELOW = 0.02


def on_device(weights: Array, dtype: npt.DTypeLike, device: Any) -> Any:
    """Return the montage as the compiled programs take it: sparse with a bucketed number of entries, or dense."""
    count = int(np.count_nonzero(weights))
    own = weights.astype(dtype)
    if count >= SPARSE_BELOW * weights.size:
        return jax.device_put(own, device)
    return jax.device_put(sparse_matrix(own, n_entries=bucket(max(count, 1))), device)


@partial(jax.jit, static_argnames=("way", "kinds", "by_row", "dtype", "bin_size", "n_bins"))
def view_mixed(
    matrix: Any,
    x: Any,
    start: Any,
    places: Any,
    weights: Any,
    *,
    way: str,
    kinds: Any,
    by_row: Any,
    dtype: str,
    bin_size: int,
    n_bins: int,
) -> Any:
    """Mix, filter, cut and take extremes in one program; see ``compiled.view_causal`` and ``view_both_ways``."""
    # the functions themselves: a jitted one that has been traced before would not count as compiled again
    view: Any = {"causal": compiled.view_causal, "both ways": compiled.view_both_ways}[way]
    return view.__wrapped__(
        mixed(matrix, x), start, places, weights, kinds=kinds, by_row=by_row, dtype=dtype, bin_size=bin_size,
        n_bins=n_bins,
    )  # fmt: skip
