"""The elements of MATLAB files of versions 5 to 7: tags, matrices, and the values that they hold.

An element has a type and a size, and what it promises is held against the bytes that are there before memory is taken:
dimensions, numbers of fields, depth of structs. Large arrays are left where they lie; the elements of a struct or cell
are read when somebody asks for them. Nothing is unpickled and no object is made.

Source: MAT-File Format, The MathWorks (version 5).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.errors import ReadError
from jaxscope.readers.byte_file import ByteArray, ByteFile, ByteSource, SampleTable
from jaxscope.readers.grids import FileGrid, MemoryGrid
from jaxscope.readers.mat_values import Kind, MatValue, check_small
from jaxscope.readers.sources import BlockSource

_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_MATRIX, COMPRESSED = 14, 15
_ENCODINGS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
_CELL, _STRUCT, _OBJECT, _CHAR, _SPARSE = 1, 2, 3, 4, 5
_NUMBERS = range(6, 16)
_KNOWN = frozenset([_CELL, _STRUCT, _OBJECT, _CHAR, _SPARSE, *_NUMBERS])
#: Types and sizes of the flags, of two dimensions, and of an empty name.
_PLAIN = (6, 8, 5, 8, 1, 0)
_DEEPEST = 24
#: The many small elements of a list of events are read together; what is larger is left in the file.
_AT_ONCE_BYTES = 16 << 20


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
class Tag:
    """The type and size of an element, where its data begin, and where the next element does."""

    type: int
    size: int
    data: int
    after: int


class Mat5Value(MatValue):
    """A value in a file of version 4 to 7."""

    def __init__(
        self,
        source: ByteSource,
        *,
        kind: Kind,
        shape: tuple[int, ...],
        is_complex: bool = False,
        dtype: str = "",
        position: int = 0,
        n_stored: int = 0,
        encoding: str = "",
        names: tuple[str, ...] = (),
        children: Callable[[slice], list[MatValue]] = lambda which: [],
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
        #: Reads some of the elements of a struct or cell: a list of events may be long.
        self._children = children

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

    def grid(self, *, samples_first: bool) -> BlockSource:
        rows = self.shape[0]
        item = self._dtype.itemsize
        if not isinstance(self._source, MemoryBytes):
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
        if name not in self._names:
            return []
        return self._children(slice(self._names.index(name), None, len(self._names)))

    def items(self) -> list[MatValue]:
        return self._children(slice(None)) if self.kind == "cell" else []


class Parser:
    """Reads elements from one source."""

    def __init__(self, source: ByteSource, order: str) -> None:
        self._source = source
        self._order = order
        self._pair = struct.Struct(f"{order}II")
        self._plain = struct.Struct(f"{order}6I2i2I")

    def _bytes(self, position: int, n_bytes: int) -> bytes:
        return self._source.read(position, n_bytes).tobytes()

    def tag(self, position: int, stop: int) -> Tag:
        if position + 8 > stop:
            raise damaged(self._source.name, "an element has no room for its size")
        first, size = self._pair.unpack(self._bytes(position, 8))
        if first >> 16:  # small elements hold their data, 4 bytes at most, beside their type
            if first >> 16 > 4:
                raise damaged(self._source.name, f"a small element promises {first >> 16:,} bytes")
            return Tag(first & 0xFFFF, first >> 16, position + 4, position + 8)
        data = position + 8
        if data + size > stop:
            raise damaged(self._source.name, f"an element of {size:,} bytes is cut off")
        padded = size if first == COMPRESSED else -(-size // 8) * 8
        return Tag(first, size, data, min(data + padded, stop))

    def values(self, tag: Tag) -> list[int]:
        """Return the small integers that an element holds."""
        if tag.type not in _TYPES or tag.size > 4096:
            raise damaged(self._source.name, f"an element of type {tag.type} stands where numbers should")
        dtype = np.dtype(self._order + _TYPES[tag.type])
        raw = self._bytes(tag.data, tag.size // dtype.itemsize * dtype.itemsize)
        return [int(value) for value in np.frombuffer(raw, dtype).tolist()]

    def matrix(self, tag: Tag, depth: int = 0) -> tuple[str, MatValue]:
        """Return the name and value of a matrix element."""
        if depth > _DEEPEST:
            raise damaged(self._source.name, "structs are nested too deeply")
        if tag.type != _MATRIX:
            raise damaged(self._source.name, f"an element of type {tag.type} stands where a variable should")
        stop = tag.data + tag.size
        if not tag.size:
            return "", Mat5Value(self._source, kind="other", shape=(0, 0))
        if stop - tag.data >= self._plain.size:
            # Nearly every element of a struct begins in the same way: two dimensions, and no name of its own.
            *fixed, rows, columns, name_type, name_size = self._plain.unpack(self._bytes(tag.data, self._plain.size))
            if (fixed[0], fixed[1], fixed[4], fixed[5], name_type, name_size) == _PLAIN and min(rows, columns) >= 0:
                kind = fixed[2] & 0xFF
                return "", self._content(kind, fixed[2], (rows, columns), tag.data + self._plain.size, stop, depth)
        return self._any_matrix(tag, stop, depth)

    def _any_matrix(self, tag: Tag, stop: int, depth: int) -> tuple[str, MatValue]:
        flags_tag = self.tag(tag.data, stop)
        flags = self.values(flags_tag)
        if not flags:
            raise damaged(self._source.name, "a variable has no type")
        kind = flags[0] & 0xFF
        if kind not in _KNOWN:
            return "", Mat5Value(self._source, kind="other", shape=(1, 1))
        shape_tag = self.tag(flags_tag.after, stop)
        shape = tuple(self.values(shape_tag))
        if not 2 <= len(shape) <= 32 or min(shape) < 0 or (max(shape) >> 31 and shape_tag.type == 6):
            raise damaged(self._source.name, f"a variable has the dimensions {shape}")
        name_tag = self.tag(shape_tag.after, stop)
        try:
            name = self._bytes(name_tag.data, name_tag.size).decode("ascii")
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

    def _children(self, count: int, position: int, stop: int, depth: int) -> Callable[[slice], list[MatValue]]:
        """Return what reads some of the elements of a cell or a struct."""
        # Each takes 8 bytes at least: a number that cannot be true costs nothing.
        if count * 8 > stop - position:
            raise damaged(self._source.name, f"{count:,} elements are promised where there is no room for them")
        found: list[Tag] = []
        parsers: list[Parser] = []

        def find(which: slice) -> list[MatValue]:
            if not parsers:
                parser, at, end = self, position, stop
                if isinstance(self._source, ByteFile) and stop - position <= _AT_ONCE_BYTES:
                    inside = self._source.read(position, stop - position)
                    parser, at, end = Parser(MemoryBytes(self._source.name, inside), self._order), 0, len(inside)
                for _ in range(count):
                    found.append(parser.tag(at, end))
                    at = found[-1].after
                parsers.append(parser)
            return [parsers[0].matrix(tag, depth + 1)[1] for tag in found[which]]

        return find
