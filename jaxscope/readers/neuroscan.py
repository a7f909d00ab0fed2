"""How a Neuroscan CNT keeps its samples, which its header does not tell: 16 or 32 bits each, and how many there are.

The number of samples in the header is often 0 or that of the recording before it was cut. What is sure is where the
table of events begins, behind the samples; a byte in the file's last part tells whether they have 32 bits. Where both
are of no use, 16 bits are assumed, said, and can be told otherwise.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from jaxscope.errors import ReadError
from jaxscope.readers.options import ReaderOption

BITS = ReaderOption(
    name="bits", title="Bits a sample", kind="choice", choices=("found", "16", "32"), help="Of a Neuroscan CNT alone"
)
_HEADER = 900
_OF_CHANNEL = 75
_N_CHANNELS = (370, "<H")
_N_SAMPLES = (864, "<i")
_EVENTS_AT = (886, "<i")
_LAST_PART_AT = (12, "<i")
#: Where in the last part of the file 1 says that samples have 32 bits.
_IS_32_BIT = 52
#: How far the header may be off for its number of samples to tell their size.
_NEAR = 0.1
#: Files from here on have no use of the places in their header: these are numbers of 31 bits.
_LARGE = 2_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What the samples are. ``is_count_told`` says whether the header's number of samples is to be believed."""

    n_bits: int
    is_count_told: bool
    warnings: tuple[str, ...] = ()


def how_stored(path: Path, told: str) -> Stored:
    """Return how a file keeps its samples.

    Parameters
    ----------
    path : Path
    told : str
        ``"16"`` or ``"32"`` where somebody said so.

    Raises
    ------
    ReadError
        If it holds no channels, or is too short for its header.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        n_channels, n_samples = _number(file, *_N_CHANNELS), _number(file, *_N_SAMPLES)
        events_at = _number(file, *_EVENTS_AT)
        begin = _HEADER + _OF_CHANNEL * n_channels
        if not n_channels or begin > size:
            raise ReadError(f"{path.name} ends within its header", hint="copy the file again")
        end = events_at if begin < events_at <= size and size < _LARGE else size
        n_bytes = end - begin
        bits = int(told) if told in ("16", "32") else _told_by_last_part(file, size)
    warnings = []
    if bits is None:
        bits = _told_by_count(n_bytes, n_channels, n_samples)
        if bits is None:
            bits = 16
            warnings.append("The file does not tell how many bits a sample has: 16 are assumed (option bits)")
    n_held = n_bytes // (n_channels * bits // 8)
    is_told = 0 < n_samples <= n_held
    if n_samples > n_held:
        warnings.append(f"The header promises {n_samples:,} samples; the file holds {n_held:,}")
    return Stored(n_bits=bits, is_count_told=is_told, warnings=tuple(warnings))


def _number(file: BinaryIO, at: int, form: str) -> int:
    file.seek(at)
    data = file.read(struct.calcsize(form))
    return int(struct.unpack(form, data)[0]) if len(data) == struct.calcsize(form) else 0


def _told_by_last_part(file: BinaryIO, size: int) -> int | None:
    at = _number(file, *_LAST_PART_AT)
    if not _HEADER < at < size - _IS_32_BIT or size >= _LARGE:
        return None
    return {0: 16, 1: 32}.get(_number(file, at + _IS_32_BIT, "<B"))


def _told_by_count(n_bytes: int, n_channels: int, n_samples: int) -> int | None:
    if n_samples <= 0:
        return None
    each = n_bytes / (n_channels * n_samples)
    return next((8 * n for n in (2, 4) if abs(each - n) <= _NEAR * n), None)
