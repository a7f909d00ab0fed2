"""MATLAB files of version 7.3, which are HDF5 files with rules of their own.

Dimensions are stored in reverse, text as numbers, cells and arrays of structs as references; an attribute tells the
class of each. Values look here as they do in older versions.
"""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.errors import ReadError
from jaxscope.readers.hdf5_file import FAILURES, HdfGrid, damage_told, hard_links, open_hdf5, why_unreadable
from jaxscope.readers.mat_values import Kind, MatFile, MatValue, check_small
from jaxscope.readers.sources import BlockSource

_HIDDEN = ("#refs#", "#subsystem#")


class Mat73Value(MatValue):
    """A dataset or group of a file of version 7.3."""

    def __init__(self, item: Any, name: str, file_bytes: int) -> None:
        import h5py

        self._item = item
        self._name = name
        self._file_bytes = file_bytes
        self._is_group = isinstance(item, h5py.Group)
        self._names: tuple[str, ...] = ()
        self.kind: Kind = "other"
        self.shape = (1, 1)
        if self._is_group:
            self._names = hard_links(item)
            self.kind = "struct"
            self.shape = self._struct_shape()
        else:
            self._describe_dataset()

    def _describe_dataset(self) -> None:
        import h5py

        if not isinstance(self._item, h5py.Dataset) or self._item.shape is None:
            return
        told = self._item.attrs.get("MATLAB_class", b"")
        kind = told.decode("latin-1") if isinstance(told, bytes) else str(told)
        if self._item.attrs.get("MATLAB_empty", 0):
            self.shape = (0, 0)
            self.kind = "text" if kind == "char" else "number"
            return
        self.shape = tuple(reversed(self._item.shape)) or (1, 1)
        if len(self.shape) == 1:
            self.shape = (*self.shape, 1)
        if kind == "cell":
            self.kind = "cell"
        elif kind == "char":
            self.kind = "text"
        elif self._item.dtype.kind in "iufb":
            self.kind = "number"
        elif self._item.dtype.names:
            self.is_complex = True
            self.kind = "number" if set(self._item.dtype.names) == {"real", "imag"} else "other"

    def _struct_shape(self) -> tuple[int, ...]:
        """Return the shape of an array of structs: each of its fields is then a dataset of references."""
        import h5py

        for name in self._names:
            field = self._item[name]
            is_plain = isinstance(field, h5py.Dataset) and "MATLAB_class" not in field.attrs
            if is_plain and h5py.check_ref_dtype(field.dtype) is h5py.Reference:
                return tuple(reversed(field.shape))
            break
        return (1, 1)

    def numbers(self) -> npt.NDArray[Any]:
        check_small(self, self._name)
        try:
            return np.asarray(self._item[()]).reshape(-1)
        except FAILURES as error:
            raise ReadError(f"{self._name} cannot be read: it is damaged", hint="copy the file again") from error

    def text(self) -> str:
        if self.kind != "text" or not self.size:
            return ""
        codes = self.numbers()
        letters = codes.astype("<u2").tobytes().decode("utf-16-le", errors="replace")
        rows = self.shape[0]
        return letters if rows == 1 else "\n".join(letters[row::rows] for row in range(rows))

    def grid(self, *, samples_first: bool) -> BlockSource:
        reason = why_unreadable(self._item, self._file_bytes)
        if reason:
            raise ReadError(f"{self._name} {reason}", hint="copy the file again, or save it again")
        return HdfGrid(dataset=self._item, is_last_time=samples_first, name=self._name)

    @property
    def field_names(self) -> tuple[str, ...]:
        return self._names

    def column(self, name: str) -> list[MatValue]:
        if name not in self._names:
            return []
        if self.shape == (1, 1) and not self._is_reference(name):
            return [Mat73Value(self._item[name], name, self._file_bytes)]
        return self._referenced(self._item[name], name)

    def _is_reference(self, name: str) -> bool:
        import h5py

        field = self._item[name]
        return (
            isinstance(field, h5py.Dataset)
            and "MATLAB_class" not in field.attrs
            and h5py.check_ref_dtype(field.dtype) is h5py.Reference
        )

    def items(self) -> list[MatValue]:
        return self._referenced(self._item, self._name) if self.kind == "cell" and self.size else []

    def _referenced(self, dataset: Any, name: str) -> list[MatValue]:
        if prod(dataset.shape) * 8 > self._file_bytes:
            raise ReadError(f"{name} promises more elements than there is room for", hint="copy the file again")
        file = dataset.file
        try:
            return [Mat73Value(file[reference], name, self._file_bytes) for reference in dataset[()].reshape(-1)]
        except FAILURES as error:
            raise ReadError(f"{name} cannot be read: it is damaged", hint="copy the file again") from error


def open_mat73(path: Path) -> MatFile:
    """Read which variables a file of version 7.3 holds.

    Raises
    ------
    ReadError
        If h5py is not installed or the file is damaged.
    """
    file = open_hdf5(path)
    n_bytes = path.stat().st_size
    try:
        with damage_told(path.name):
            variables: dict[str, MatValue] = {
                name: Mat73Value(file[name], name, n_bytes) for name in hard_links(file) if name not in _HIDDEN
            }
    except BaseException:
        file.close()
        raise
    return MatFile(variables=variables, format="MATLAB 7.3", close=file.close, guard=lambda: damage_told(path.name))
