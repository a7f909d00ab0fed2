"""Mixing matrices with few entries: a montage as a sparse matrix, and dense code made sparse unchanged.

A bipolar montage of 256 channels has two entries a row: as a sparse product it costs what it weighs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax import Array
from jax.experimental import sparse

sparsify: Callable[[Callable[..., Any]], Callable[..., Any]] = sparse.sparsify


def sparse_matrix(matrix: npt.ArrayLike) -> sparse.BCOO:
    """Return a dense matrix, (n_out, n_in), as a sparse one that keeps only what is not 0.

    Examples
    --------
    >>> sparse_matrix([[0.0, 1.0], [0.0, 0.0]]).nse
    1
    """
    return sparse.BCOO.fromdense(jnp.asarray(np.asarray(matrix)))


def mixed(matrix: sparse.BCOO | Array, x: Array) -> Array:
    """Return new channels, (n_out, n_samples), as weighted sums of channels, (n_in, n_samples).

    The same code serves a dense and a sparse matrix.
    """
    product: Array = sparsify(jnp.matmul)(matrix, x)
    return product
