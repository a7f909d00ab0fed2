"""What the header of a WAV file promises, compared with what is there.

libsndfile reads what it can of a WAV file that was cut off and says nothing. The user is told.
"""

from __future__ import annotations

import struct
from io import SEEK_END
from pathlib import Path

from jaxscope.errors import ReadError

_UNKNOWN_SIZE = 0xFFFFFFFF


def wav_warnings(path: Path) -> list[str]:
    """Return sentences about a WAV file whose header does not fit its bytes, or that programs read differently."""
    with path.open("rb") as file:
        n_bytes = file.seek(0, SEEK_END)
        file.seek(0)
        magic = file.read(12)
        if len(magic) < 12 or magic[:4] not in (b"RIFF", b"RIFX") or magic[8:] != b"WAVE":
            return []  # RF64 and W64 keep their sizes elsewhere
        order = ">" if magic[:4] == b"RIFX" else "<"
        warnings: list[str] = []
        while len(head := file.read(8)) == 8:
            name, size = struct.unpack(order + "4sI", head)
            here = file.tell()
            if name == b"fmt ":
                warnings += _container_warning(file.read(min(size, 16)), order)
            if name == b"data":
                return warnings + _length_warning(path, size, n_bytes - here)
            file.seek(here + size + size % 2)
    raise ReadError(f"{path.name} holds no samples", hint="its data part is missing: copy the file again")


def _container_warning(fmt: bytes, order: str) -> list[str]:
    if len(fmt) < 16:
        return []
    _, n_channels, _, _, block, bits = struct.unpack(order + "HHIIHH", fmt)
    if bits == 24 and n_channels and block == 4 * n_channels:
        return ["24-bit samples in 4 bytes: programs disagree about the scale; read as libsndfile does"]
    return []


def _length_warning(path: Path, promised: int, there: int) -> list[str]:
    if promised in (0, _UNKNOWN_SIZE) or promised <= there:
        return []
    return [f"{path.name} ends early: its header promises {promised:,} bytes of samples, {there:,} are there"]
