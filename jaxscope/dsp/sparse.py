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


def sparse_matrix(matrix: npt.ArrayLike, n_entries: int | None = None) -> sparse.BCOO:
    """Return a dense matrix, (n_out, n_in), as a sparse one that keeps only what is not 0.

    ``n_entries`` is the number of entries that are stored, more than there are where matrices of several kinds are to
    share one compiled program.

    Examples
    --------
    >>> sparse_matrix([[0.0, 1.0], [0.0, 0.0]]).nse
    1
    """
    return sparse.BCOO.fromdense(jnp.asarray(np.asarray(matrix)), nse=n_entries)


def mixed(matrix: sparse.BCOO | Array, x: Array) -> Array:
    """Return new channels, (n_out, n_samples), as weighted sums of channels, (n_in, n_samples).

    The same code serves a dense and a sparse matrix.
    """
    product: Array = sparsify(jnp.matmul)(matrix, x)
    return product


def fir_matrix(taps: npt.ArrayLike, n_samples: int) -> sparse.BCOO:
    """Return the convolution with taps, cut to ``n_samples``, as a sparse matrix (n_samples, n_samples).

    Only taps that are not 0 have entries, so an echo or a comb costs two a sample, however long it is. For rows of
    samples: ``mixed(matrix, x.T).T``.

    Examples
    --------
    >>> fir_matrix([1.0, 0.0, 0.5], 4).nse
    6
    """
    values = np.asarray(taps, dtype=np.float64)
    lags = np.flatnonzero(values)
    lags = lags[lags < n_samples]
    rows = [np.arange(lag, n_samples) for lag in lags]
    indices = np.concatenate(
        [np.stack([row, row - lag], axis=1) for row, lag in zip(rows, lags, strict=True)]
        or [np.zeros((0, 2), dtype=np.intp)]
    )
    data = np.concatenate(
        [np.full(len(row), values[lag]) for row, lag in zip(rows, lags, strict=True)] or [np.zeros(0)]
    )
    return sparse.BCOO((jnp.asarray(data), jnp.asarray(indices)), shape=(n_samples, n_samples))
