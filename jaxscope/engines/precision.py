"""The way of samples into a precision that may be too small for them.

Invariant: a finite sample never becomes infinite on the way in; where it would, there is an error that says so. The
processor's own overflow flag tells, so nothing is looked at twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.errors import UsageError

Array = npt.NDArray[Any]


@contextmanager
def held_by(dtype: npt.DTypeLike, what: str = "samples") -> Iterator[None]:
    """Turn an overflow of the arithmetic inside into an error that names the precision, and what was too large for it.

    Raises
    ------
    UsageError
        Where a finite value is too large; its field is ``precision``.
    """
    try:
        with np.errstate(over="raise", invalid="ignore"):
            yield
    except FloatingPointError as error:
        raise beyond(dtype, what) from error


@contextmanager
def coefficients_held_by(dtype: npt.DTypeLike) -> Iterator[None]:
    """As ``held_by``, for coefficients; in float64 those of what grows without end may overflow, and are let be."""
    with held_by(dtype, "coefficients") if np.finfo(dtype).bits < 64 else nullcontext():
        yield


def beyond(dtype: npt.DTypeLike, what: str = "samples") -> UsageError:
    """Return the error about finite values that are too large for a precision."""
    limits = np.finfo(dtype)
    return UsageError(
        f"there are {what} beyond what {limits.dtype} can hold, ±{float(limits.max):.4g}",
        hint="use the precision float64" if limits.bits < 64 else "scale the recording down first",
        field="precision",
    )


def narrowed(values: Array, dtype: npt.DTypeLike) -> Array:
    """Return ``values`` in a precision.

    Raises
    ------
    UsageError
        Where a finite one is too large for it.
    """
    with held_by(dtype):
        return values.astype(dtype, copy=False)
