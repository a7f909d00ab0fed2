"""The lowest and the highest value per bin in one compiled pass: several times quicker than two passes of numpy.

On the CPU, whatever device filters: samples are there, and so are the few numbers that come out.

Invariant: the numbers are those of ``display.envelope.min_max``; NaN values are left out, a bin of them alone is NaN.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from jaxscope.engines.compiled import count_trace

Array = npt.NDArray[Any]


@partial(jax.jit, static_argnames=("bin_samples",))
def _extremes(x: Any, *, bin_samples: int) -> tuple[Any, Any]:
    count_trace(f"extremes {x.shape} {x.dtype} {bin_samples}")
    bins = x.reshape(x.shape[0], -1, bin_samples)
    infinite = jnp.asarray(jnp.inf, x.dtype)

    def wider(found: tuple[Any, Any], new: tuple[Any, Any]) -> tuple[Any, Any]:
        # a comparison with NaN is false, so NaN changes nothing
        low = jnp.where(new[0] < found[0], new[0], found[0])
        return low, jnp.where(new[1] > found[1], new[1], found[1])

    low, high = jax.lax.reduce((bins, bins), (infinite, -infinite), wider, (2,))
    is_empty = low > high
    nothing = jnp.asarray(jnp.nan, x.dtype)
    return jnp.where(is_empty, nothing, low), jnp.where(is_empty, nothing, high)


def extremes(x: Array, bin_samples: int) -> tuple[Array, Array]:
    """Return the lowest and the highest value per bin.

    Parameters
    ----------
    x : ndarray, shape (n_channels, n_samples)
        A whole number of bins.
    bin_samples : int

    Returns
    -------
    low, high : ndarray of float64, shape (n_channels, n_samples // bin_samples)
    """
    with jax.default_device(jax.local_devices(backend="cpu")[0]):
        low, high = _extremes(x, bin_samples=bin_samples)
    return np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
