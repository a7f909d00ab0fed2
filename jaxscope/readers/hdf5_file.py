"""HDF5 files through h5py: opened without trust, datasets read in parts.

A dataset may claim any size, point to another file, or unpack to far more than is stored. Each is checked before a
sample is read. Only hard links are followed, so that neither a loop nor another file is ever entered. ``h5py`` is asked
for when a file is opened, and named with its remedy where it is not installed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.data.notes import KEY
from jaxscope.data.recording import FloatArray
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.byte_file import ByteFile, SampleTable
from jaxscope.readers.grids import FileGrid, is_wide
from jaxscope.readers.sources import BlockSource

SIGNATURE = b"\x89HDF\r\n\x1a\n"
#: What deflate, the common filter, can gain at most.
_MOST_PACKED = 1100
_LEAST_CHUNK_BYTES = 64 << 20
_MOST_OBJECTS = 100_000
#: How a heap of texts begins, and how much of either end of a file is searched for them.
_HEAP = b"GCOL\x01\0\0\0"
_SEARCHED_BYTES = 4 << 20
#: Values that are taken from a dataset at a time.
_BLOCK_VALUES = 1 << 21

#: Values at either end of a dataset that are compared.
_COMPARED = 64

#: What h5py raises about a file that is damaged.
FAILURES = (OSError, RuntimeError, ValueError, KeyError, TypeError, OverflowError, MemoryError)


def open_hdf5(path: Path) -> Any:
    """Open a file for reading.

    Returns
    -------
    h5py.File

    Raises
    ------
    ReadError
        If h5py is not installed, or the file is broken.
    """
    try:
        import h5py
    except ImportError as error:
        raise ReadError(
            f"{path.name} is an HDF5 file, and the package that reads these is not installed",
            hint='install it with pip install "jaxscope[formats]"',
        ) from error
    check_heaps(path)
    try:
        return h5py.File(path, "r", locking=False)
    except FAILURES as error:
        reason = "it is cut off" if "truncated" in str(error) else "its structure cannot be read"
        raise ReadError(f"{path.name} is damaged: {reason}", hint="copy the file again") from error


def check_heaps(path: Path) -> None:
    """Look through the heaps that hold texts of any length: the library never comes back from some damaged ones.

    They lie anywhere, so a small file is searched whole, and a large one where heaps usually are: at its begin and end.

    Raises
    ------
    ReadError
        If a heap contradicts itself.

    Notes
    -----
    Source: HDF5 File Format Specification 3.0, III.E, "Disk Format: Level 1E - Global Heap".
    """
    with path.open("rb") as file:
        n_bytes = file.seek(0, 2)
        file.seek(0)
        if n_bytes <= 2 * _SEARCHED_BYTES:
            parts = [file.read()]
        else:
            parts = [file.read(_SEARCHED_BYTES)]
            file.seek(n_bytes - _SEARCHED_BYTES)
            parts.append(file.read())
    for part in parts:
        at = part.find(_HEAP)
        while at >= 0:
            if not _is_heap_sound(part, at):
                raise ReadError(f"{path.name} is damaged: its texts cannot be read", hint="copy the file again")
            at = part.find(_HEAP, at + 8)


def _is_heap_sound(data: bytes, begin: int) -> bool:
    """Say whether the objects of a heap follow each other up to its end, as far as it lies in ``data``."""
    if begin + 16 > len(data):
        return True
    (size,) = struct.unpack_from("<Q", data, begin + 8)
    stop, at = begin + size, begin + 16
    if size < 16:
        return False
    while at + 16 <= min(stop, len(data)):
        number, _, _, n_bytes = struct.unpack_from("<HHIQ", data, at)
        step = n_bytes if number == 0 else 16 + -(-n_bytes // 8) * 8
        if step < 16 or at + step > stop:
            return False
        at += step
    return True


@contextmanager
def damage_told(name: str) -> Iterator[None]:
    """Turn what h5py raises about a damaged file into a sentence."""
    try:
        yield
    except FAILURES as error:
        raise ReadError(f"{name} is damaged: its structure cannot be read", hint="copy the file again") from error


def hard_links(group: Any) -> tuple[str, ...]:
    """Return the names in a group that lead nowhere else: a soft link may lead in a circle, others to another file."""
    import h5py

    return tuple(name for name in group if isinstance(group.get(name, getlink=True), h5py.HardLink))


def walk(group: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the path and object of everything in a group, parents first, each object once.

    Raises
    ------
    ReadError
        If there are too many objects, or they cannot be read.
    """
    import h5py

    seen: set[int] = set()
    # an object is opened when its turn comes: each that is open takes as much memory as thousands of samples
    todo: list[tuple[str, Any, str | None]] = [(prefix, group, None)]
    while todo:
        path, parent, own = todo.pop()
        try:
            item = parent if own is None else parent[own]
            address = int(h5py.h5o.get_info(item.id).addr)
            if address in seen:
                continue
            seen.add(address)
            if len(seen) > _MOST_OBJECTS:
                raise ReadError("The file holds too many datasets", hint="export the ones that are wanted")
            if path:
                yield path, item
            if isinstance(item, h5py.Group):
                todo += [(f"{path}/{name}" if path else name, item, name) for name in reversed(hard_links(item))]
        except FAILURES as error:
            raise ReadError(f"{path or 'The file'} cannot be read: its structure is damaged") from error


def why_unreadable(dataset: Any, file_bytes: int) -> str:
    """Return why samples of a dataset are not read, ``""`` where they can be.

    Parameters
    ----------
    dataset : h5py.Dataset
    file_bytes : int
        Size of the file.
    """
    try:
        n_bytes = prod(dataset.shape) * dataset.dtype.itemsize
        stored = int(dataset.id.get_storage_size())
        if dataset.is_virtual or dataset.external:
            return "lies in another file"
        is_packed = bool(dataset.id.get_create_plist().get_nfilters())
        if n_bytes and not stored:
            return "holds no samples yet"
        if stored > file_bytes or n_bytes > stored * (_MOST_PACKED if is_packed else 1):
            return f"promises {n_bytes:,} bytes of samples, {stored:,} are there"
        if dataset.chunks:
            chunk_bytes = prod(dataset.chunks) * dataset.dtype.itemsize
            if chunk_bytes > max(_LEAST_CHUNK_BYTES, 4 * file_bytes):
                return f"is stored in pieces of {chunk_bytes / 1e6:,.0f} MB"
    except FAILURES:
        return "cannot be read"
    return ""


def grid_of(dataset: Any, file: ByteFile, *, is_last_time: bool, name: str) -> BlockSource:
    """Return a dataset as a source: from its place in the file where it lies in one piece, else through the library.

    The place is used where the first values and the last, read so, are exactly what the library gives.
    """
    through_library = HdfGrid(dataset=dataset, is_last_time=is_last_time, name=name)
    table = _table_of(dataset, is_last_time=is_last_time)
    if table is None:
        return through_library
    n_rows, n_samples = _rows_and_samples(dataset, is_last_time=is_last_time)
    in_place = FileGrid(file=file, table=table)
    for start in {0, max(0, n_samples - _COMPARED)}:
        span, rows = Span(start, min(start + _COMPARED, n_samples)), sorted({0, n_rows - 1})
        try:
            is_same = np.array_equal(in_place.read(span, rows), through_library.read(span, rows), equal_nan=True)
        except ReadError:
            is_same = False
        if not is_same:
            return through_library
    return in_place


def _rows_and_samples(dataset: Any, *, is_last_time: bool) -> tuple[int, int]:
    shape = (1, *dataset.shape) if dataset.ndim == 1 else dataset.shape if is_last_time else dataset.shape[::-1]
    return int(shape[0]), int(shape[1])


def _table_of(dataset: Any, *, is_last_time: bool) -> SampleTable | None:
    """Return where the values of a dataset lie, None where they are not in one plain piece."""
    kind = dataset.dtype
    if dataset.ndim > 2 or kind.kind not in "iuf" or not dataset.size or dataset.chunks is not None:
        return None
    place = dataset.id.get_offset()
    if place is None or dataset.external or dataset.id.get_storage_size() != dataset.size * kind.itemsize:
        return None
    along, across = dataset.shape[-1] * kind.itemsize, kind.itemsize
    if dataset.ndim == 1:
        along = across
    return SampleTable(
        dtype=kind,
        first_byte=int(place),
        channel_bytes=along if is_last_time else across,
        sample_bytes=across if is_last_time else along,
    )


class TableField:
    """One column of a table: a dataset whose elements have several named parts, of which this is one.

    Parameters
    ----------
    table : h5py.Dataset
        Of one dimension.
    field : str
        A part that is one number.
    """

    #: a column lies in pieces, wherever its table does
    chunks = (1,)

    def __init__(self, table: Any, field: str) -> None:
        self._column = table.fields(field)
        self.dtype = table.dtype[field]
        self.shape, self.ndim, self.size = table.shape, 1, table.size
        self.name, self.attrs, self.parent, self.file = table.name, table.attrs, table.parent, table.file

    def __getitem__(self, part: slice) -> npt.NDArray[Any]:
        column: npt.NDArray[Any] = self._column[part]
        return column


def fields_of(table: Any) -> tuple[list[str], list[str]]:
    """Return the parts of the elements of a table that are one number each, and those that are not."""
    numbers = [name for name in table.dtype.names if table.dtype[name].kind in "iufb" and not table.dtype[name].shape]
    return numbers, [name for name in table.dtype.names if name not in numbers]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """A dataset, or a column of a table, as channels: opened when it is wanted, as each that is open takes memory."""

    file: Any
    place: str
    column: str | None
    is_last_time: bool
    n_channels: int
    n_samples: int

    @property
    def path(self) -> str:
        """Return what it is told by."""
        return self.place if self.column is None else f"{self.place}/{self.column}"

    @property
    def name(self) -> str:
        """Return the last part of the path."""
        return self.path.rpartition("/")[2]

    def open(self) -> Any:
        """Return the dataset, or what has its columns in the place of one."""
        item = self.file[self.place]
        return item if self.column is None else TableField(item, self.column)


def rows_of(dataset: Any, place: str, column: str | None, *, is_turned: bool) -> Rows:
    """Return a dataset of one or two dimensions as channels: its longer dimension is time, the first if ``is_turned``.

    Parameters
    ----------
    dataset : h5py.Dataset or TableField
    place : str
        Its path in the file.
    column : str or None
        Which column of the table there it is.
    is_turned : bool
    """
    file = dataset.file
    shape = (1, *dataset.shape) if dataset.ndim == 1 else dataset.shape
    is_last = dataset.ndim == 1 or ((shape[0] <= shape[1] or KEY in file) and not is_turned)
    n_channels, n_samples = shape if is_last else shape[::-1]
    return Rows(
        file=file,
        place=place,
        column=column,
        is_last_time=is_last,
        n_channels=int(n_channels),
        n_samples=int(n_samples),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HdfGrid:
    """A dataset of one, two or three dimensions as a source.

    ``is_last_time`` says which dimension counts samples; with three, the first counts pages that follow each other in
    time and the channels are the last.
    """

    dataset: Any
    is_last_time: bool
    name: str

    def read(self, span: Span, rows: Sequence[int]) -> FloatArray:
        """Return samples, shape (n_rows, n_samples)."""
        result = np.empty((len(rows), len(span)), dtype=np.float64)
        n_rows = 1 if self.dataset.ndim == 1 else self.dataset.shape[0 if self.is_last_time else -1]
        for block in span.blocks(max(1, _BLOCK_VALUES // max(1, n_rows))):
            into = result[:, block.start - span.start : block.stop - span.start]
            try:
                with np.errstate(invalid="ignore"):  # some NaNs, cast to float64, raise a flag
                    self._fill(block, rows, into)
            except FAILURES as error:
                raise ReadError(f"{self.name} cannot be read: it is damaged or closed", hint="open it again") from error
        return result

    def is_wide(self, _row: int) -> bool:
        """Say what ``sources.MayBeWide`` does."""
        return is_wide(self.dataset.dtype)

    def _fill(self, span: Span, channels: Sequence[int], into: FloatArray) -> None:
        if self.dataset.ndim == 1:
            into[:] = self.dataset[span.start : span.stop]
        elif self.dataset.ndim == 3:
            length = self.dataset.shape[1]
            for page in range(span.start // length, -(-span.stop // length)):
                part = Span(page * length, (page + 1) * length).intersect(span)
                values = self.dataset[page, part.start - page * length : part.stop - page * length, :]
                into[:, part.start - span.start : part.stop - span.start] = values[:, list(channels)].T
        elif self.is_last_time:
            low, high = min(channels), max(channels) + 1
            into[:] = self.dataset[low:high, span.start : span.stop][[index - low for index in channels]]
        else:
            low, high = min(channels), max(channels) + 1
            into[:] = self.dataset[span.start : span.stop, low:high].T[[index - low for index in channels]]
