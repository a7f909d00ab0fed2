"""What the header of a WAV file promises, compared with what is there.

libsndfile reads what it can of a WAV file that was cut off and says nothing, reads nothing of one that was never
closed, and leaves out a last sample that not all channels have. The user is told, and an unfinished file is read.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from io import SEEK_END
from pathlib import Path
from typing import BinaryIO

from jaxscope.errors import ReadError

_UNKNOWN_SIZE = 0xFFFFFFFF


@dataclass(frozen=True, slots=True, kw_only=True)
class WavCheck:
    """Sentences for the user, and the bytes that the decoder has to see in place of those at ``patch_at``."""

    warnings: tuple[str, ...] = ()
    patch_at: int = 0
    patch: bytes = b""


def check_wav(path: Path) -> WavCheck:
    """Hold the header of a WAV file against its bytes.

    Raises
    ------
    ReadError
        If there is no part with samples, or no rate.
    """
    with path.open("rb") as file:
        n_bytes = file.seek(0, SEEK_END)
        file.seek(0)
        magic = file.read(12)
        if len(magic) < 12 or magic[:4] not in (b"RIFF", b"RIFX") or magic[8:] != b"WAVE":
            return WavCheck()  # RF64 and W64 keep their sizes elsewhere
        order = ">" if magic[:4] == b"RIFX" else "<"
        fmt = b""
        while (chunk := _next_chunk(file, order)) is not None:
            name, size = chunk
            here = file.tell()
            if name == b"fmt ":
                fmt = file.read(min(size, 16))
            if name == b"data":
                return _check_samples(path, file, fmt, order, size, n_bytes - here)
            file.seek(here + size + size % 2)
    raise ReadError(f"{path.name} holds no samples", hint="its data part is missing: copy the file again")


def _next_chunk(file: BinaryIO, order: str) -> tuple[bytes, int] | None:
    """Return name and size of the chunk that begins here; the file is then at its content."""
    head = file.read(8)
    return struct.unpack(order + "4sI", head) if len(head) == 8 else None


def _check_samples(path: Path, file: BinaryIO, fmt: bytes, order: str, promised: int, there: int) -> WavCheck:
    warnings: list[str] = []
    block = 0
    if len(fmt) == 16:
        _, n_channels, rate_hz, _, block, bits = struct.unpack(order + "HHIIHH", fmt)
        if rate_hz == 0:
            raise ReadError(f"{path.name} has a sampling rate of 0 Hz in its header", hint="save it with its rate")
        if bits == 24 and n_channels and block == 4 * n_channels:
            warnings.append("24-bit samples in 4 bytes: programs disagree about the scale; read as libsndfile does")
    here = file.tell()
    if promised == 0 and there and not _are_chunks(file, order, here + there):
        warnings.append(f"{path.name} was not closed: its header tells of no samples, {there:,} bytes are there, read")
        return WavCheck(warnings=tuple(warnings), patch_at=here - 4, patch=struct.pack(order + "I", there))
    if promised not in (0, _UNKNOWN_SIZE) and promised > there:
        warnings.append(
            f"{path.name} ends early: its header promises {promised:,} bytes of samples, {there:,} are there"
        )
    odd = min(promised, there) % block if block else 0
    if odd:
        warnings.append(f"The last {odd} bytes of samples in {path.name} are no whole sample and are not read")
    return WavCheck(warnings=tuple(warnings))


def _are_chunks(file: BinaryIO, order: str, stop: int) -> bool:
    """Say whether what follows, up to the end of the file, is a row of other parts and not samples."""
    while (chunk := _next_chunk(file, order)) is not None:
        name, size = chunk
        if not name.isascii() or not name.decode("ascii").isprintable() or file.tell() + size > stop:
            return False
        file.seek(size + size % 2, 1)
    return file.tell() >= stop
