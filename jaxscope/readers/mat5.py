"""MATLAB files of versions 4 to 7: which variables they hold.

A file is a row of elements. Plain ones are left where they lie; a compressed one is unpacked into memory where it is
small, and else as it is read. Version 4 is an older and simpler row of matrices.

Source: MAT-File Format, The MathWorks (version 5), and its appendix on version 4.
"""

from __future__ import annotations

import zlib

import numpy as np

from jaxscope.errors import ReadError
from jaxscope.readers.byte_file import ByteFile, ByteSource
from jaxscope.readers.inflated import InflatedBytes, may_be_held
from jaxscope.readers.mat5_elements import COMPRESSED, Mat5Value, MemoryBytes, Parser, Tag, damaged
from jaxscope.readers.mat_values import MatFile, MatValue

_TYPES_4 = {0: "f8", 1: "f4", 2: "i4", 3: "i2", 4: "u2", 5: "u1"}
#: What deflate can gain at most, what its first bytes are read from, and what may follow a variable.
_MOST_PACKED = 1100
_HEAD_BYTES = 1 << 12
_LEAST_BYTES_AFTER = 64
_HEADER_BYTES = 128


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
    parser = Parser(file, order)
    position = _HEADER_BYTES
    held_bytes = 0
    while position + 8 <= file.n_bytes:
        tag = parser.tag(position, file.n_bytes)
        if tag.type == COMPRESSED:
            unpacked = _unpack(file, tag, order, held_bytes)
            held_bytes += unpacked.n_bytes if isinstance(unpacked, MemoryBytes) else 0
            inner = Parser(unpacked, order)
            name, value = inner.matrix(inner.tag(0, unpacked.n_bytes))
        else:
            name, value = parser.matrix(tag)
        if name:
            found[name] = value
        position = tag.after
    if not found:
        raise damaged(file.name, "it holds no variables")
    return found


def _unpack(file: ByteFile, tag: Tag, order: str, held_bytes: int) -> ByteSource:
    """Unpack a compressed element, into memory where it is small; else as it is read."""
    machine = zlib.decompressobj()
    packed = file.read(tag.data, min(tag.size, _HEAD_BYTES))
    try:
        head = machine.decompress(packed.data, 8)
    except zlib.error as error:
        raise damaged(file.name, "a compressed variable cannot be unpacked") from error
    if len(head) < 8:
        raise damaged(file.name, "a compressed variable does not end where it should")
    n_bytes = 8 + int(np.frombuffer(head, f"{order}u4")[1])
    if not may_be_held(held_bytes + n_bytes, file.n_bytes):
        if n_bytes > tag.size * _MOST_PACKED:
            raise damaged(file.name, f"a compressed variable promises {n_bytes:,} bytes, which cannot be there")
        return InflatedBytes(file, tag.data, tag.size, n_bytes, window_bits=15)
    return _unpack_whole(file, tag, n_bytes)


def _unpack_whole(file: ByteFile, tag: Tag, n_bytes: int) -> MemoryBytes:
    packed = file.read(tag.data, tag.size)
    machine = zlib.decompressobj()
    try:
        unpacked = machine.decompress(packed.data, n_bytes + _LEAST_BYTES_AFTER)
    except zlib.error as error:
        raise damaged(file.name, "a compressed variable cannot be unpacked") from error
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
