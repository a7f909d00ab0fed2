"""The way of samples into a precision that may be too small for them.

Invariant: a finite sample never becomes infinite on the way in; where it would, there is an error that says so. The
processor's own overflow flag tells, so nothing is looked at twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.errors import UsageError

Array = npt.NDArray[Any]


@contextmanager
def held_by(dtype: npt.DTypeLike) -> Iterator[None]:
    """Turn an overflow of the arithmetic inside into an error that names the precision.

    Raises
    ------
    UsageError
        Where a finite value is too large; its field is ``precision``.
    """
    try:
        with np.errstate(over="raise", invalid="ignore"):
            yield
    except FloatingPointError as error:
        limits = np.finfo(dtype)
        raise UsageError(
            f"there are samples beyond what {limits.dtype} can hold, ±{float(limits.max):.4g}",
            hint="use the precision float64" if limits.bits < 64 else "scale the recording down first",
            field="precision",
        ) from error


def narrowed(values: Array, dtype: npt.DTypeLike) -> Array:
    """Return ``values`` in a precision.

    Raises
    ------
    UsageError
        Where a finite one is too large for it.
    """
    with held_by(dtype):
        return values.astype(dtype, copy=False)
