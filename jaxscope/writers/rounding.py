"""Samples in float32: what becomes infinite is refused, and how far the rest is rounded is told."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jaxscope.errors import WriteError


def as_float32(block: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Return samples in float32.

    Raises
    ------
    WriteError
        If a finite sample is beyond what float32 holds, and would become infinite.
    """
    with np.errstate(over="ignore"):
        single = block.astype(np.float32)
    lost = np.isinf(single) & np.isfinite(block)
    if lost.any():
        raise WriteError(f"A sample of {block[lost][0]:g} is too large for float32", hint="write NPY or CSV in float64")
    return single


def rounding_of(exact: npt.NDArray[np.float64], single: npt.NDArray[np.float32]) -> float:
    """Return by how much samples are rounded to float32 at most; what is missing or infinite is not rounded."""
    with np.errstate(invalid="ignore"):  # infinity less infinity
        difference = np.abs(single - exact)
    return float(np.nanmax(difference, initial=0.0))


def rounding_words(largest: float) -> list[str]:
    """Return the sentence about rounding to float32, if there is any."""
    return [f"Values are rounded to float32, by {largest:.2g} at most"] if largest else []
