"""A montage on the host: what it may be, and the slow, obvious way that the compiled programs must equal."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Array = npt.NDArray[Any]


def checked_matrix(matrix: npt.ArrayLike, n_channels: int, n_recorded: int) -> Array:
    """Return a montage as float64, (n_channels, n_recorded).

    Raises
    ------
    ValueError
        Where its shape or a weight does not fit.
    """
    weights = np.asarray(matrix, dtype=np.float64)
    if weights.shape != (n_channels, n_recorded):
        raise ValueError(f"the montage has shape {weights.shape}; give ({n_channels}, {n_recorded})")
    if not np.isfinite(weights).all():
        raise ValueError("a weight of the montage is not finite")
    return weights


def mixed_on_host(weights: Array, x: Array) -> Array:
    """Return the new channels in the precision of ``x``; NaN only where a channel with a weight has one."""
    return np.asarray(sparse.csr_array(weights.astype(x.dtype)) @ x)
