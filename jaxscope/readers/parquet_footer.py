"""The footer of a Parquet file, as far as it says where columns lie: checked before the library believes it.

Polars takes places and sizes from the footer as they are, and on damaged ones it does not raise but panics, with a
trace on the terminal. So each place is held against the size of the file first. The footer is a Thrift structure in
the compact protocol, of which only fields that matter are looked at.

Source: the Parquet format specification (apache/parquet-format) and "Thrift compact protocol encoding".
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from jaxscope.errors import ReadError

_MAGIC = b"PAR1"
_TAIL = struct.Struct("<I4s")
#: A footer larger than this is not looked through: that would take longer than what it guards against.
_MOST_BYTES = 4 << 20
_MOST_DEPTH = 16
# Numbers of fields, by the specification.
_ROWS, _GROUPS = 3, 4
_GROUP_COLUMNS, _GROUP_ROWS = 1, 3
_PAGE_UNPACKED, _PAGE_COMPRESSED = 2, 3
#: Fields of a page header that count what is in it: of a page, of a dictionary, of a page of the second version.
_PAGE_COUNTS: dict[int, tuple[int, ...]] = {5: (), 7: (), 8: (2, 3, 5, 6)}
#: How many page headers are looked at, how much of a file is read for one, and what compression can gain at most.
_MOST_PAGES, _HEADER_BYTES = 4096, 4096
_MOST_PACKED, _LEAST_UNPACKED = 1100, 64 << 20
_COLUMN_DATA, _N_VALUES, _COMPRESSED, _DATA_AT, _DICTIONARY_AT = 3, 5, 7, 9, 11


class _DamageError(Exception):
    """The footer makes no sense."""


@dataclass(slots=True)
class _Compact:
    """Reads the compact protocol; any place outside of the bytes raises."""

    data: bytes
    at: int = 0

    def byte(self) -> int:
        if self.at >= len(self.data):
            raise _DamageError
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            part = self.byte()
            value |= (part & 0x7F) << shift
            if part < 0x80:
                return value
        raise _DamageError

    def whole(self) -> int:
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def value(self, kind: int, depth: int) -> Any:
        if depth > _MOST_DEPTH:
            raise _DamageError
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):
            return self.whole()
        if kind in (7, 8):
            size = 8 if kind == 7 else self.varint()
            self.at += size
            if self.at > len(self.data):
                raise _DamageError
            return None
        if kind in (9, 10):
            return self.items(depth)
        if kind == 12:
            return self.fields(depth + 1)
        raise _DamageError

    def items(self, depth: int) -> list[Any]:
        head = self.byte()
        size, kind = head >> 4, head & 15
        size = self.varint() if size == 15 else size
        if size > len(self.data) - self.at:
            raise _DamageError
        return [self.byte() == 1 if kind in (1, 2) else self.value(kind, depth + 1) for _ in range(size)]

    def fields(self, depth: int = 0) -> dict[int, Any]:
        found: dict[int, Any] = {}
        number = 0
        while (head := self.byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self.whole()
            found[number] = self.value(head & 15, depth)
        return found


def check_footer(path: Path) -> None:
    """Raise ``ReadError`` where the footer tells of columns that the file has no room for."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - _TAIL.size))
        tail = file.read()
        length, magic = _TAIL.unpack(tail) if len(tail) == _TAIL.size else (0, b"")
        if magic != _MAGIC or length > size - _TAIL.size - len(_MAGIC):
            raise ReadError(
                f"{path.name} stops before its end", hint="the copy probably broke off: copy the file again"
            )
        if length > _MOST_BYTES:
            return
        begin = size - _TAIL.size - length
        file.seek(begin)
        footer = file.read(length)
    try:
        told = _Compact(footer).fields()
        _check(told, begin)
        with path.open("rb") as file:
            _check_pages(told, file)
    except (_DamageError, KeyError, TypeError, AttributeError) as error:
        raise ReadError(f"The footer of {path.name} makes no sense", hint="copy the file again") from error


def _check_pages(footer: dict[int, Any], file: BinaryIO) -> None:
    """Hold the headers of pages against the column that they lie in, up to as many as take no time."""
    left = _MOST_PAGES
    for group in footer[_GROUPS]:
        for column in group[_GROUP_COLUMNS]:
            told = column[_COLUMN_DATA]
            at = min(told[_DATA_AT], told.get(_DICTIONARY_AT) or told[_DATA_AT])
            stop = at + told[_COMPRESSED]
            while at < stop and left > 0:
                left -= 1
                file.seek(at)
                header = _Compact(file.read(min(_HEADER_BYTES, stop - at)))
                try:
                    page = header.fields()
                except _DamageError:
                    if stop - at > _HEADER_BYTES:
                        break  # statistics of any length may be in it
                    raise
                _check_page(page, told[_N_VALUES], stop - at - header.at)
                at += header.at + page[_PAGE_COMPRESSED]


def _check_page(page: dict[int, Any], n_values: int, n_bytes: int) -> None:
    packed, unpacked = page[_PAGE_COMPRESSED], page[_PAGE_UNPACKED]
    if not 0 <= packed <= n_bytes or not 0 <= unpacked <= max(_LEAST_UNPACKED, _MOST_PACKED * packed):
        raise _DamageError
    for kind, places in _PAGE_COUNTS.items():
        counts = page.get(kind, {})
        if not 0 <= counts.get(1, 0) <= n_values or any(counts.get(place, 0) < 0 for place in places):
            raise _DamageError


def _check(footer: dict[int, Any], stop: int) -> None:
    """Hold rows and places of all columns against each other and against the end of what may hold them."""
    groups = footer[_GROUPS]
    if sum(group[_GROUP_ROWS] for group in groups) != footer[_ROWS]:
        raise _DamageError
    for group in groups:
        if group[_GROUP_ROWS] < 0:
            raise _DamageError
        for column in group[_GROUP_COLUMNS]:
            told = column[_COLUMN_DATA]
            start = told[_DATA_AT]
            if told.get(_DICTIONARY_AT):
                start = min(start, told[_DICTIONARY_AT])
            if start < len(_MAGIC) or told[_COMPRESSED] < 0 or start + told[_COMPRESSED] > stop or told[_N_VALUES] < 0:
                raise _DamageError
