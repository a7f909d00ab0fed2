"""Files that are being written and must not be left behind, whatever ends the program.

Each is removed by whoever writes it; this list is for an interruption that comes at the one wrong moment, between the
making of a file and the block that would remove it. Invariant: a file is on the list before it is on the disk.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

_files: set[Path] = set()


def remember(path: Path) -> None:
    """Put a file that is about to be made on the list."""
    _files.add(path)


def forget(path: Path) -> None:
    """Take a file that is whole, or gone, off the list."""
    _files.discard(path)


def remove(path: Path) -> None:
    """Remove a file that is on the list, if it is there."""
    path.unlink(missing_ok=True)
    forget(path)


def remove_all() -> None:
    """Remove whatever is still unfinished: the program ends now."""
    for path in tuple(_files):
        with suppress(OSError):  # nothing more can be done about a disk that has gone
            remove(path)
