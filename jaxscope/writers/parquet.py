"""Parquet: a column of times and a column a channel, plain and not compressed, in row groups of bounded size.

The libraries that write Parquet want whole tables in memory, so the few structures that a plain table needs are written
here. Missing samples are NaN. The key ``jaxscope`` of the file holds names, units, start and events.

Source: the Parquet format specification (apache/parquet-format) and "Thrift compact protocol encoding".
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.data.labels import unique_names
from jaxscope.data.notes import KEY
from jaxscope.writers.base import AlignedWriter, WriteRequest, WriterFormat, times_of
from jaxscope.writers.checks import check_one_rate
from jaxscope.writers.rounding import as_float32

_MAGIC = b"PAR1"
#: Values of a row group, and its least rows.
_GROUP_VALUES, _LEAST_ROWS = 1 << 20, 1024
_I32, _I64, _BINARY, _LIST, _STRUCT = 5, 6, 8, 9, 12
_FLOAT, _DOUBLE = 4, 5
_REQUIRED, _PLAIN, _RLE, _DATA_PAGE = 0, 0, 3, 0


class ParquetWriter(AlignedWriter):
    """A Parquet file that is being written."""

    def _begin(self) -> None:
        request = self.request
        self._file = self._temporary.open("wb")
        self._file.write(_MAGIC)
        self._kinds = [_DOUBLE] + [_FLOAT if request.precision == "float32" else _DOUBLE] * len(request.channels)
        self._names = unique_names(["time_s", *(channel.name for channel in request.channels)])
        self._n_rows = max(_LEAST_ROWS, _GROUP_VALUES // len(self._kinds))
        self._pending: list[npt.NDArray[np.float64]] = []
        self._n_pending = self._n_done = 0
        self._groups: list[bytes] = []

    def _write_rows(self, block: npt.NDArray[np.float64], first_sample: int) -> None:
        self._pending.append(np.array(block))
        self._n_pending += block.shape[1]
        if self._n_pending >= self._n_rows:
            self._write_groups(is_last=False)

    def _write_groups(self, *, is_last: bool) -> None:
        rows = np.concatenate(self._pending, axis=1)
        at = 0
        while rows.shape[1] - at >= (1 if is_last else self._n_rows):
            self._write_group(rows[:, at : at + self._n_rows])
            at += self._n_rows
        self._pending = [rows[:, at:]]
        self._n_pending = self._pending[0].shape[1]

    def _write_group(self, rows: npt.NDArray[np.float64]) -> None:
        samples = np.arange(self._n_done, self._n_done + rows.shape[1])
        self._n_done += rows.shape[1]
        columns = [times_of(self.request, samples), *(as_float32(rows) if self._kinds[-1] == _FLOAT else rows)]
        chunks, total = [], 0
        for name, kind, values in zip(self._names, self._kinds, columns, strict=True):
            data = np.ascontiguousarray(values, dtype="<f4" if kind == _FLOAT else "<f8").tobytes()
            begin = self._file.tell()
            self._file.write(_page_header(len(values), len(data)) + data)
            n_bytes = self._file.tell() - begin
            total += n_bytes
            chunks.append(_struct(_i64(2, begin), _of(3, _column(name, kind, len(values), n_bytes, begin))))
        self._groups.append(_struct(_structs(1, chunks), _i64(2, total), _i64(3, rows.shape[1])))

    def _finish(self) -> None:
        if self._n_pending:
            self._write_groups(is_last=True)
        schema = [_struct(_binary(4, "schema"), _i32(5, len(self._names)))]
        schema += [
            _struct(_i32(1, kind), _i32(3, _REQUIRED), _binary(4, name))
            for name, kind in zip(self._names, self._kinds, strict=True)
        ]
        footer = _struct(
            _i32(1, 1),
            _structs(2, schema),
            _i64(3, self._n_done),
            _structs(4, self._groups),
            _structs(5, [_struct(_binary(1, KEY), _binary(2, self.request.notes()))]),
            _binary(6, "jaxscope"),
        )
        self._file.write(footer + struct.pack("<I4s", len(footer), _MAGIC))
        super()._finish()


def _page_header(n_values: int, n_bytes: int) -> bytes:
    page = _struct(_i32(1, n_values), _i32(2, _PLAIN), _i32(3, _RLE), _i32(4, _RLE))
    return _struct(_i32(1, _DATA_PAGE), _i32(2, n_bytes), _i32(3, n_bytes), _of(5, page))


def _column(name: str, kind: int, n_values: int, n_bytes: int, begin: int) -> bytes:
    path = name.encode()
    return _struct(
        _i32(1, kind),
        (2, _LIST, bytes([2 << 4 | _I32]) + _zigzag(_PLAIN) + _zigzag(_RLE)),
        (3, _LIST, bytes([1 << 4 | _BINARY]) + _varint(len(path)) + path),
        _i32(4, 0),
        _i64(5, n_values),
        _i64(6, n_bytes),
        _i64(7, n_bytes),
        _i64(9, begin),
    )


#: Number, type and bytes of a field of a structure.
_Field = tuple[int, int, bytes]


def _struct(*fields: _Field) -> bytes:
    """Return a structure in the compact protocol; its fields are in the order of their numbers."""
    parts, last = [], 0
    for number, kind, content in fields:
        parts.append(bytes([(number - last) << 4 | kind]) + content)
        last = number
    return b"".join(parts) + b"\0"


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value >= 0x80:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def _zigzag(value: int) -> bytes:
    return _varint(value << 1 if value >= 0 else (-value << 1) - 1)


def _i32(number: int, value: int) -> _Field:
    return number, _I32, _zigzag(value)


def _i64(number: int, value: int) -> _Field:
    return number, _I64, _zigzag(value)


def _binary(number: int, text: str) -> _Field:
    raw = text.encode()
    return number, _BINARY, _varint(len(raw)) + raw


def _of(number: int, content: bytes) -> _Field:
    return number, _STRUCT, content


def _structs(number: int, items: Sequence[bytes]) -> _Field:
    n_items = len(items)
    head = bytes([n_items << 4 | _STRUCT]) if n_items < 15 else bytes([15 << 4 | _STRUCT]) + _varint(n_items)
    return number, _LIST, head + b"".join(items)


def _check(request: WriteRequest) -> None:
    check_one_rate(request, "Parquet")


def _n_bytes(request: WriteRequest) -> int:
    width = 4 if request.precision == "float32" else 8
    n_columns, n_samples = len(request.channels) + 1, request.channels[0].n_samples
    n_groups = 1 + n_samples // max(_LEAST_ROWS, _GROUP_VALUES // n_columns)
    texts = 4096 + 2 * len(request.notes()) + n_groups * sum(120 + len(c.name.encode()) for c in request.channels)
    return texts + (8 + width * (n_columns - 1)) * n_samples


FORMAT = WriterFormat(
    name="parquet",
    title="Parquet",
    suffixes=(".parquet",),
    note="A column of times, then a column a channel. All channels at one rate",
    check=_check,
    n_bytes=_n_bytes,
    open=ParquetWriter,
)
