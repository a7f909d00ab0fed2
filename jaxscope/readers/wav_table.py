"""The samples of a plain WAV file where they lie: read as a table, several times sooner than through a decoder.

The decoder says what a file is; here only the place and the type of its samples are found. They are used where the
first samples and the last, read so, are exactly what the decoder gives; any other file stays with the decoder.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from jaxscope.data.recording import FloatArray
from jaxscope.data.span import Span
from jaxscope.readers.byte_file import INT24, ByteFile, SampleTable

#: Names that libsndfile has for types that are plain in a file, and what a stored 1 is.
_TYPES = {
    "PCM_16": (np.dtype("<i2"), 2.0**-15),
    "PCM_24": (INT24, 2.0**-23),
    "PCM_32": (np.dtype("<i4"), 2.0**-31),
    "FLOAT": (np.dtype("<f4"), 1.0),
    "DOUBLE": (np.dtype("<f8"), 1.0),
}
_FORMATS = frozenset(["WAV", "WAVEX", "RF64"])
_MOST_CHUNKS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class WavTable:
    """Samples of all channels side by side, of one type."""

    file: ByteFile
    table: SampleTable
    scale: float

    def read(self, span: Span, channels: tuple[int, ...]) -> FloatArray:
        """Return samples, shape (n_channels, n_samples)."""
        return self.table.read(self.file, span, channels, [self.scale] * len(channels))


def find_table(path: Path, format_name: str, subtype: str, n_channels: int, n_samples: int) -> WavTable | None:
    """Return where the samples of a file lie, None where they are not plain or not all there."""
    if format_name not in _FORMATS or subtype not in _TYPES or not n_samples:
        return None
    file = ByteFile(path)
    dtype, scale = _TYPES[subtype]
    place = _data_of(file)
    if place is None or place + n_samples * n_channels * dtype.itemsize > file.n_bytes:
        file.close()
        return None
    return WavTable(file=file, table=SampleTable.multiplexed(dtype, n_channels, place), scale=scale)


def _data_of(file: ByteFile) -> int | None:
    """Return where the samples begin, None where the parts of the file do not lead there."""
    if file.n_bytes < 12 or file.read(0, 4).tobytes() not in (b"RIFF", b"RF64"):
        return None
    at = 12
    for _ in range(_MOST_CHUNKS):
        if at + 8 > file.n_bytes:
            return None
        name, size = struct.unpack("<4sI", file.read(at, 8).tobytes())
        if name == b"data":
            return at + 8
        at += 8 + size + size % 2
    return None
