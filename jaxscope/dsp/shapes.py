"""What every function of this room does with dtypes and axes, so that all follow SciPy in the same way.

Invariant: the dtype of a result is that of the arguments together, at least float32; integers count as float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax import Array, core, lax

ArrayLike = npt.ArrayLike | Array


def common_dtype(*values: Any) -> np.dtype[Any]:
    """Return the floating or complex dtype in which ``values`` (None is skipped) are computed.

    Plain Python numbers and lists, and integers of any kind, count as float64.
    """
    found = []
    for value in values:
        if value is None:
            continue
        dtype = np.dtype(getattr(value, "dtype", np.float64))
        found.append(dtype if dtype.kind in "fc" else np.dtype(np.float64))
    return np.result_type(np.float32, *found)


def real_dtype(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Return the dtype of the real part."""
    return np.zeros((), dtype=dtype).real.dtype


def is_traced(value: Any) -> bool:
    """Return whether ``value`` is being traced by jax, so that its numbers cannot be looked at."""
    return isinstance(value, core.Tracer)


def split_complex(function: Callable[[Array], Array], x: Array) -> Array:
    """Apply a real linear function to the real and the imaginary part."""
    if not jnp.iscomplexobj(x):
        return function(x)
    return lax.complex(function(x.real), function(x.imag))


def to_rows(x: Array) -> Array:
    """Return ``x`` as rows, (n_rows, n), its last axis kept; also where it is empty."""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def expanded_state(zi: Array, shape: tuple[int, ...], axis: int, order: int) -> Array:
    """Return ``zi`` with the shape of a signal ``shape`` whose ``axis`` has ``order`` numbers; axes of 1 are repeated.

    Axes are not added in front, and the one of the state is not repeated, as in SciPy.
    """
    wanted = list(shape)
    wanted[axis] = order
    along = axis % len(shape)
    fits = zi.ndim == len(shape) and all(
        have == want or (have == 1 and k != along) for k, (have, want) in enumerate(zip(zi.shape, wanted, strict=True))
    )
    if not fits:
        raise ValueError(f"zi has shape {zi.shape}; give {tuple(wanted)}")
    return jnp.broadcast_to(zi, wanted)
