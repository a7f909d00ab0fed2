"""Files that are being written and must not be left behind, whatever ends the program.

Each is removed by whoever writes it. The list is for an interruption that comes at the one wrong moment, between the
making of a file and the block that would remove it; a lock that the system takes back from a program that was killed
tells the next one which files nobody writes any more. Invariants: a file is on the list before it is on the disk; a
file that somebody writes is never removed, on whichever machine that is.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Literal
from zlib import crc32

if sys.platform != "win32":
    import fcntl

Kind = Literal["part", "spill"]

#: A folder is not looked through again for so long: a batch writes thousands of files into one.
AGAIN_S = 60.0
#: Where files cannot be locked, one that was not written to for so long, and that can be removed, is nobody's.
_QUIET_S = 3600.0
#: Characters of the name of an output that the name of its unfinished file begins with.
_STEM = 40

_files: dict[Path, int | None] = {}
_tidied: dict[Path, float] = {}


def _machine() -> str:
    """Return a word for this machine: on a disk that several share, locks may be told to each of them alone."""
    name = os.environ.get("COMPUTERNAME", "") if sys.platform == "win32" else os.uname().nodename
    return f"{crc32(name.encode()):08x}"


_OWN = re.compile(rf"\..*-jaxscope-{_machine()}-[0-9a-f]{{8}}\.(?:part|spill)", re.DOTALL)


def name_beside(path: Path, kind: Kind = "part") -> Path:
    """Return a new name for what is unfinished of a file, in its folder."""
    return path.with_name(f".{path.stem[:_STEM]}-jaxscope-{_machine()}-{secrets.token_hex(4)}.{kind}")


def make_beside(path: Path) -> Path:
    """Make an empty file for what is unfinished of another one, with the rights of any new file.

    Raises
    ------
    OSError
    """
    tidy(path.parent)
    while True:
        made = name_beside(path)
        with suppress(FileExistsError):  # it is another's
            make(made)
            return made


def make(path: Path) -> None:
    """Make an empty file that nobody takes for left behind while this program runs.

    Raises
    ------
    OSError
        FileExistsError where there is one.
    """
    remember(path)
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    except BaseException:
        forget(path)  # there is none, or it is another's
        raise
    if sys.platform == "win32":
        os.close(handle)  # what is open there cannot take the place of another file
        return
    _files[path] = handle
    with suppress(OSError):  # where nothing can be locked, nothing is taken for left behind either
        fcntl.flock(handle, fcntl.LOCK_EX)
    if os.fstat(handle).st_nlink == 0:  # taken for left behind in the moment before it was locked
        forget(path)
        make(path)


def remember(path: Path) -> None:
    """Put a file that is about to be made on the list."""
    _files.setdefault(path, None)


def forget(path: Path) -> None:
    """Take a file that is whole, or gone, off the list."""
    handle = _files.pop(path, None)
    if handle is not None:
        os.close(handle)


def remove(path: Path) -> None:
    """Remove a file that is on the list, if it is there."""
    path.unlink(missing_ok=True)
    forget(path)


def remove_all() -> None:
    """Remove whatever is still unfinished: the program ends now."""
    for path in tuple(_files):
        with suppress(OSError):  # nothing more can be done about a disk that has gone
            remove(path)


def tidy(folder: Path) -> None:
    """Remove what programs of this machine that were killed have left unfinished in a folder."""
    now = time.monotonic()
    if now - _tidied.get(folder, -AGAIN_S) < AGAIN_S:
        return
    _tidied[folder] = now
    with suppress(OSError), os.scandir(folder) as entries:  # a folder that is not there is told by whoever writes
        for entry in entries:
            if _OWN.fullmatch(entry.name) is not None:
                with suppress(OSError):
                    _remove_left(Path(entry.path))


def _remove_left(path: Path) -> None:
    """Remove a file if nobody writes it."""
    if sys.platform == "win32":  # one that is open there cannot be removed
        if time.time() - path.stat().st_mtime > _QUIET_S:
            path.unlink()
        return
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
    finally:
        os.close(handle)
