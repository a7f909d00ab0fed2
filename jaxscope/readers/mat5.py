"""MATLAB files of versions 4 to 7, read element by element without unpacking what is not asked for.

A file is a row of elements, each with its type and size; large arrays that are not compressed are left where they lie.
What an element promises is held against the bytes that are there before memory is taken: dimensions, numbers of
fields, depth of structs, and how large a compressed element becomes. Nothing is unpickled and no object is made.

Source: MAT-File Format, The MathWorks (version 5), and its appendix on version 4.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from jaxscope.errors import ReadError
from jaxscope.readers.byte_file import ByteArray, ByteFile, SampleTable
from jaxscope.readers.grids import FileGrid, Grid, MemoryGrid
from jaxscope.readers.mat_values import Kind, MatFile, MatValue, check_small

_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_MATRIX, _COMPRESSED = 14, 15
_ENCODINGS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
_CELL, _STRUCT, _OBJECT, _CHAR, _SPARSE = 1, 2, 3, 4, 5
_NUMBERS = range(6, 16)
_TYPES_4 = {0: "f8", 1: "f4", 2: "i4", 3: "i2", 4: "u2", 5: "u1"}
_DEEPEST = 24
#: How much larger than its file what is compressed in it may become.
_LEAST_LIMIT_BYTES = 64 << 20
_MOST_TIMES = 20
_HEADER_BYTES = 128


class Source(Protocol):
    """Bytes by position."""

    @property
    def name(self) -> str:
        """What sentences call it."""
        ...

    @property
    def n_bytes(self) -> int:
        """How many there are."""
        ...

    def read(self, position: int, n_bytes: int) -> ByteArray:
        """Return bytes."""
        ...


@dataclass(frozen=True, slots=True)
class MemoryBytes:
    """Bytes of a compressed element."""

    name: str
    values: ByteArray

    @property
    def n_bytes(self) -> int:
        """How many there are."""
        return len(self.values)

    def read(self, position: int, n_bytes: int) -> ByteArray:
        """Return bytes."""
        if position + n_bytes > len(self.values):
            raise damaged(self.name, "a variable ends too early")
        return self.values[position : position + n_bytes]


def damaged(name: str, why: str) -> ReadError:
    """Return the error about a file that contradicts itself."""
    return ReadError(f"{name} is damaged: {why}", hint="copy the file again, or save it again")


@dataclass(frozen=True, slots=True)
class _Tag:
    """The type and size of an element, where its data begin, and where the next element does."""

    type: int
    size: int
    data: int
    after: int


class Mat5Value(MatValue):
    """A value in a file of version 4 to 7."""

    def __init__(
        self,
        source: Source,
        *,
        kind: Kind,
        shape: tuple[int, ...],
        is_complex: bool = False,
        dtype: str = "",
        position: int = 0,
        n_stored: int = 0,
        encoding: str = "",
        names: tuple[str, ...] = (),
        children: Callable[[], list[MatValue]] = list,
    ) -> None:
        self.kind = kind
        self.shape = shape
        self.is_complex = is_complex
        self._source = source
        self._dtype = np.dtype(dtype or "u1")
        self._position = position
        self._n_stored = n_stored
        self._encoding = encoding
        self._names = names
        self._find_children = children
        self._found: list[MatValue] | None = None

    @property
    def _children(self) -> list[MatValue]:
        # A list of events may be long: it is read when somebody asks for it.
        if self._found is None:
            self._found = self._find_children()
        return self._found

    def numbers(self) -> npt.NDArray[Any]:
        check_small(self, self._source.name)
        return self._read_all()

    def _read_all(self) -> npt.NDArray[Any]:
        return self._source.read(self._position, self.size * self._dtype.itemsize).view(self._dtype)

    def text(self) -> str:
        if self.kind != "text" or not self.size:
            return ""
        check_small(self, self._source.name)
        raw = self._source.read(self._position, self._n_stored).tobytes()
        try:
            letters = raw.decode(self._encoding)
        except UnicodeDecodeError:
            letters = raw.decode("latin-1")
        if len(self.shape) != 2 or self.shape[0] == 1 or len(letters) != self.size:
            return letters
        rows = self.shape[0]
        return "\n".join(letters[row::rows] for row in range(rows))

    def grid(self, *, samples_first: bool) -> Grid:
        rows = self.shape[0]
        item = self._dtype.itemsize
        if isinstance(self._source, ByteFile):
            table = SampleTable(
                dtype=self._dtype,
                first_byte=self._position,
                channel_bytes=item * rows if samples_first else item,
                sample_bytes=item if samples_first else item * rows,
            )
            return FileGrid(file=self._source, table=table)
        values = self._read_all().reshape(-1, rows)
        return MemoryGrid(values=values if samples_first else values.T)

    @property
    def field_names(self) -> tuple[str, ...]:
        return self._names

    def column(self, name: str) -> list[MatValue]:
        return self._children[self._names.index(name) :: len(self._names)] if name in self._names else []

    def items(self) -> list[MatValue]:
        return list(self._children) if self.kind == "cell" else []


class _Parser:
    """Reads elements from one source."""

    def __init__(self, source: Source, order: str) -> None:
        self._source = source
        self._order = order

    def tag(self, position: int, stop: int) -> _Tag:
        if position + 8 > stop:
            raise damaged(self._source.name, "an element has no room for its size")
        first, size = self._source.read(position, 8).view(f"{self._order}u4").tolist()
        if first >> 16:  # small elements hold their data beside their type
            return _Tag(first & 0xFFFF, first >> 16, position + 4, position + 8)
        data = position + 8
        if data + size > stop:
            raise damaged(self._source.name, f"an element of {size:,} bytes is cut off")
        padded = size if first == _COMPRESSED else -(-size // 8) * 8
        return _Tag(first, size, data, min(data + padded, stop))

    def values(self, tag: _Tag) -> list[int]:
        """Return the small integers that an element holds."""
        if tag.type not in _TYPES or tag.size > 4096:
            raise damaged(self._source.name, f"an element of type {tag.type} stands where numbers should")
        dtype = np.dtype(self._order + _TYPES[tag.type])
        raw = self._source.read(tag.data, tag.size // dtype.itemsize * dtype.itemsize)
        return [int(value) for value in raw.view(dtype)]

    def matrix(self, tag: _Tag, depth: int = 0) -> tuple[str, MatValue]:
        """Return the name and value of a matrix element."""
        if depth > _DEEPEST:
            raise damaged(self._source.name, "structs are nested too deeply")
        if tag.type != _MATRIX:
            raise damaged(self._source.name, f"an element of type {tag.type} stands where a variable should")
        stop = tag.data + tag.size
        if not tag.size:
            return "", Mat5Value(self._source, kind="other", shape=(0, 0))
        flags_tag = self.tag(tag.data, stop)
        flags = self.values(flags_tag)
        if not flags:
            raise damaged(self._source.name, "a variable has no type")
        kind = flags[0] & 0xFF
        if kind not in (_CELL, _STRUCT, _OBJECT, _CHAR, _SPARSE, *_NUMBERS):
            return "", Mat5Value(self._source, kind="other", shape=(1, 1))
        shape_tag = self.tag(flags_tag.after, stop)
        shape = tuple(self.values(shape_tag))
        if not 2 <= len(shape) <= 32 or min(shape) < 0 or (max(shape) >> 31 and shape_tag.type == 6):
            raise damaged(self._source.name, f"a variable has the dimensions {shape}")
        name_tag = self.tag(shape_tag.after, stop)
        try:
            name = self._source.read(name_tag.data, name_tag.size).tobytes().decode("ascii")
        except UnicodeDecodeError as error:
            raise damaged(self._source.name, "the name of a variable is no plain text") from error
        return name, self._content(kind, flags[0], shape, name_tag.after, stop, depth)

    def _content(self, kind: int, flags: int, shape: tuple[int, ...], position: int, stop: int, depth: int) -> MatValue:
        if kind in _NUMBERS:
            return self._numbers(shape, position, stop, is_complex=bool(flags & 0x800))
        if kind == _CHAR:
            return self._text(shape, position, stop)
        if kind == _CELL:
            children = self._children(prod(shape), position, stop, depth)
            return Mat5Value(self._source, kind="cell", shape=shape, children=children)
        if kind == _STRUCT:
            return self._struct(shape, position, stop, depth)
        return Mat5Value(self._source, kind="other", shape=shape)

    def _numbers(self, shape: tuple[int, ...], position: int, stop: int, *, is_complex: bool) -> MatValue:
        if not prod(shape):
            return Mat5Value(self._source, kind="number", shape=shape)
        tag = self.tag(position, stop)
        if tag.type not in _TYPES:
            raise damaged(self._source.name, f"numbers are stored as type {tag.type}")
        dtype = self._order + _TYPES[tag.type]
        if prod(shape) * np.dtype(dtype).itemsize > tag.size:
            raise damaged(
                self._source.name,
                f"an array promises {' x '.join(map(str, shape))} values and has room for "
                f"{tag.size // np.dtype(dtype).itemsize:,}",
            )
        return Mat5Value(
            self._source, kind="number", shape=shape, is_complex=is_complex, dtype=dtype, position=tag.data
        )

    def _text(self, shape: tuple[int, ...], position: int, stop: int) -> MatValue:
        if not prod(shape):
            return Mat5Value(self._source, kind="text", shape=shape)
        tag = self.tag(position, stop)
        encoding = _ENCODINGS.get(tag.type, "latin-1")
        if encoding in ("utf-16", "utf-32"):
            encoding += "-le" if self._order == "<" else "-be"
        return Mat5Value(
            self._source, kind="text", shape=shape, position=tag.data, n_stored=tag.size, encoding=encoding
        )

    def _struct(self, shape: tuple[int, ...], position: int, stop: int, depth: int) -> MatValue:
        width_tag = self.tag(position, stop)
        widths = self.values(width_tag)
        names_tag = self.tag(width_tag.after, stop)
        if len(widths) != 1 or not 0 < widths[0] <= 4096:
            raise damaged(self._source.name, "the names of the fields of a struct have no length")
        raw = self._source.read(names_tag.data, names_tag.size).tobytes()
        names = tuple(
            raw[at : at + widths[0]].split(b"\0", 1)[0].decode("latin-1")
            for at in range(0, len(raw) - widths[0] + 1, widths[0])
        )
        children = self._children(prod(shape) * len(names), names_tag.after, stop, depth)
        return Mat5Value(self._source, kind="struct", shape=shape, names=names, children=children)

    def _children(self, count: int, position: int, stop: int, depth: int) -> Callable[[], list[MatValue]]:
        """Return what reads the elements of a cell or a struct."""
        # Each takes 8 bytes at least: a number that cannot be true costs nothing.
        if count * 8 > stop - position:
            raise damaged(self._source.name, f"{count:,} elements are promised where there is no room for them")

        def find() -> list[MatValue]:
            found = []
            at = position
            for _ in range(count):
                tag = self.tag(at, stop)
                found.append(self.matrix(tag, depth + 1)[1])
                at = tag.after
            return found

        return find


def open_mat(file: ByteFile) -> MatFile:
    """Read which variables a file of version 4 to 7 holds.

    Parameters
    ----------
    file : ByteFile
        Is closed with the result.

    Raises
    ------
    ReadError
        If it is something else or contradicts itself.
    """
    head = file.read(0, min(file.n_bytes, _HEADER_BYTES)).tobytes()
    mark = head[126:128]
    if len(head) == _HEADER_BYTES and mark in (b"IM", b"MI") and head[:4] != bytes(4):
        variables = _variables_5(file, "<" if mark == b"IM" else ">")
        return MatFile(variables=variables, format="MATLAB 5", close=file.close)
    return MatFile(variables=_variables_4(file), format="MATLAB 4", close=file.close)


def _variables_5(file: ByteFile, order: str) -> dict[str, MatValue]:
    found: dict[str, MatValue] = {}
    parser = _Parser(file, order)
    position = _HEADER_BYTES
    left_bytes = max(_LEAST_LIMIT_BYTES, _MOST_TIMES * file.n_bytes)
    while position + 8 <= file.n_bytes:
        tag = parser.tag(position, file.n_bytes)
        if tag.type == _COMPRESSED:
            unpacked = _unpack(file, tag, left_bytes)
            left_bytes -= unpacked.n_bytes
            inner = _Parser(unpacked, order)
            name, value = inner.matrix(inner.tag(0, unpacked.n_bytes))
        else:
            name, value = parser.matrix(tag)
        if name:
            found[name] = value
        position = tag.after
    if not found:
        raise damaged(file.name, "it holds no variables")
    return found


def _unpack(file: ByteFile, tag: _Tag, limit_bytes: int) -> MemoryBytes:
    """Unpack a compressed element, and stop where it becomes larger than it may."""
    packed = file.read(tag.data, tag.size)
    machine = zlib.decompressobj()
    try:
        unpacked = machine.decompress(packed.data, limit_bytes + 1)
    except zlib.error as error:
        raise damaged(file.name, "a compressed variable cannot be unpacked") from error
    if len(unpacked) > limit_bytes:
        raise ReadError(
            f"A variable in {file.name} takes more than {limit_bytes / 1e6:,.0f} MB when it is unpacked",
            hint="save it with -v7.3 in MATLAB, which is read in parts",
        )
    if not machine.eof or machine.unused_data:
        raise damaged(file.name, "a compressed variable does not end where it should")
    return MemoryBytes(file.name, np.frombuffer(unpacked, dtype=np.uint8))


def _variables_4(file: ByteFile) -> dict[str, MatValue]:
    found: dict[str, MatValue] = {}
    position = 0
    while position < file.n_bytes:
        if position + 20 > file.n_bytes:
            raise damaged(file.name, "it is no MATLAB file, or it is cut off")
        raw = file.read(position, 20)
        order = "<" if int(raw.view("<u4")[0]) < 5000 else ">"
        mopt, rows, columns, imaginary, name_bytes = raw.view(f"{order}i4").tolist()
        precision, form = mopt // 10 % 10, mopt % 10
        is_known = mopt // 1000 in (0, 1) and mopt // 100 % 10 == 0 and precision in _TYPES_4 and form in (0, 1, 2)
        if not 0 <= mopt < 5000 or not is_known or not 0 < name_bytes <= 256 or min(rows, columns) < 0:
            raise ReadError(f"{file.name} is not a MATLAB file", hint="check that its suffix is right")
        dtype = np.dtype(order + _TYPES_4[precision])
        n_bytes = rows * columns * dtype.itemsize * (2 if imaginary else 1)
        data = position + 20 + name_bytes
        if data + n_bytes > file.n_bytes:
            raise damaged(file.name, f"an array promises {rows} x {columns} values, which are not there")
        name = file.read(position + 20, name_bytes).tobytes().split(b"\0", 1)[0].decode("latin-1")
        found[name] = Mat5Value(
            file,
            kind="number" if form == 0 else "other",
            shape=(rows, columns),
            is_complex=bool(imaginary),
            dtype=dtype.str,
            position=data,
        )
        position = data + n_bytes
    return found
