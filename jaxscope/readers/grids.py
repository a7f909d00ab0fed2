"""Two-dimensional arrays of samples as sources of a recording, wherever they lie.

NumPy, MATLAB and HDF5 files hold arrays in which either dimension may be time, in a file or unpacked in memory. A grid
hides where and which: like every ``BlockSource``, it gives samples of some of its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.data.recording import FloatArray
from jaxscope.data.span import Span
from jaxscope.readers.byte_file import ByteSource, SampleTable

#: From here on not every whole number is a float64.
EXACT = 1 << 53


@dataclass(frozen=True, slots=True, kw_only=True)
class FileGrid:
    """A grid that lies in a file as a plain table."""

    file: ByteSource
    table: SampleTable

    def read(self, span: Span, rows: Sequence[int]) -> FloatArray:
        """Return samples, shape (n_rows, n_samples)."""
        return self.table.read(self.file, span, rows)

    def is_wide(self, _row: int) -> bool:
        """Say what ``sources.MayBeWide`` does."""
        return is_wide(self.table.dtype)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryGrid:
    """A grid in memory, shape (n_channels, n_samples), of any real type."""

    values: npt.NDArray[Any]

    def read(self, span: Span, rows: Sequence[int]) -> FloatArray:
        """Return samples, shape (n_rows, n_samples)."""
        with np.errstate(invalid="ignore"):  # some NaNs, cast to float64, raise a flag that means nothing here
            return self.values[list(rows), span.start : span.stop].astype(np.float64)

    def is_wide(self, _row: int) -> bool:
        """Say what ``sources.MayBeWide`` does."""
        return is_wide(self.values.dtype)


def is_wide(dtype: np.dtype[Any]) -> bool:
    """Say whether a type is of whole numbers of 64 bits, of which float64 tells not all apart."""
    return dtype.kind in "iu" and dtype.itemsize >= 8


def is_beyond_float(values: npt.NDArray[Any]) -> bool:
    """Say whether some of the integers are too large for float64 to tell them from their neighbours.

    Examples
    --------
    >>> is_beyond_float(np.array([2**53, -5])), is_beyond_float(np.array([2**53 + 1]))
    (False, True)
    """
    if not is_wide(values.dtype) or not values.size:
        return False
    return bool(values.max() > EXACT or values.min() < -EXACT)


def beyond_float_words(name: str) -> str:
    """Return the warning about integers that ``is_beyond_float`` finds."""
    return f"{name} holds whole numbers beyond ±2^53: their last digits are rounded, as samples are float64"
