"""The header of an NPY file: type, shape and order of an array, and where its samples lie.

It is read by hand before NumPy sees the file, so that neither a broken nor a hostile one costs memory or runs code.
"""

from __future__ import annotations

import ast
import struct
from dataclasses import dataclass
from math import prod
from typing import Any, BinaryIO

import numpy as np

from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions
from jaxscope.readers.byte_file import SampleTable

MAGIC = b"\x93NUMPY"


_HEADER_LIMIT = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayHeader:
    """What the header of an NPY file says. ``data_offset`` counts from the start of the NPY file."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran_order: bool
    data_offset: int

    @property
    def n_bytes(self) -> int:
        """Size of the samples in bytes."""
        return prod(self.shape) * self.dtype.itemsize


def read_array_header(file: BinaryIO, name: str) -> ArrayHeader:
    """Read and check the header of an NPY file.

    Parameters
    ----------
    file : binary file
        At the start of the NPY file.
    name : str
        What sentences call it.

    Raises
    ------
    ReadError
        If it is no NPY file, its header is broken, or it holds objects or text.
    """
    head = file.read(8)
    if len(head) < 8 or head[:6] != MAGIC:
        raise ReadError(f"{name} is not a NumPy file", hint="check that its suffix is right")
    size_format = "<H" if head[6] == 1 else "<I"
    size_bytes = file.read(struct.calcsize(size_format))
    if len(size_bytes) < struct.calcsize(size_format):
        raise ReadError(f"{name} ends inside its header", hint="copy the file again")
    (size,) = struct.unpack(size_format, size_bytes)
    text = file.read(min(size, _HEADER_LIMIT))
    if size > _HEADER_LIMIT or len(text) < size:
        raise ReadError(f"{name} ends inside its header", hint="copy the file again")
    try:
        fields = ast.literal_eval(text.decode("latin-1").strip())
        shape = tuple(int(length) for length in fields["shape"])
        dtype = np.dtype(fields["descr"])
        fortran_order = bool(fields["fortran_order"])
    except (ValueError, SyntaxError, TypeError, KeyError, OverflowError, MemoryError, RecursionError) as error:
        raise ReadError(f"The header of {name} makes no sense", hint="save the array again") from error
    if min(shape, default=0) < 0:
        raise ReadError(f"The header of {name} claims the shape {shape}", hint="save the array again")
    return ArrayHeader(
        dtype=dtype, shape=shape, fortran_order=fortran_order, data_offset=8 + len(size_bytes) + len(text)
    )


def check_numeric(header: ArrayHeader, name: str) -> None:
    """Raise ``ReadError`` unless the array holds real numbers."""
    if header.dtype.hasobject:
        raise ReadError(f"{name} holds Python objects, not samples", hint="save it as an array of numbers")
    if header.dtype.kind not in "iufb":
        raise ReadError(f"{name} holds values of type {header.dtype}, not real numbers", hint="save real numbers")


def table_of(header: ArrayHeader, options: OpenOptions) -> SampleTable:
    """Return where the samples of the array lie in the file, whichever dimension is time."""
    width, shape = header.dtype.itemsize, header.shape
    first, last = (width, shape[0] * width) if header.fortran_order else (shape[-1] * width, width)
    if len(shape) == 1:
        first, last = width, width
    elif options.samples_first:
        first, last = last, first
    return SampleTable(dtype=header.dtype, first_byte=header.data_offset, channel_bytes=first, sample_bytes=last)
