"""What will be read next, told to the system: a file that is read in a row comes from its drive while others compute.

The system reads ahead by itself as well, but often no further than 128 KB, which a drive has done long before a block
is filtered. There it is told of about as much as was read already. Linux keeps what it is told of in small pages, which
cost more to take from later: so nothing is told where it reads far ahead itself (measured: a quarter slower), nor of
many places of a file at once, as where channel lies after channel (measured: half as fast). Where a system takes no
such advice, it is left to its own ways.

Invariant: what is read stays the same, and readings here and there tell nothing.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from threading import Lock

#: So far ahead at most.
MOST_BYTES = 8 << 20
#: Linux takes no more at once than a drive takes in one go, and drops the rest.
_STEP_BYTES = 256 << 10
#: A system that reads ahead so far by itself needs no advice.
_FAR_BYTES = 1 << 20
#: Where Linux tells how many KB it reads ahead: for a drive, a part of one, and a share.
_TOLD_IN = (
    "/sys/dev/block/{}/queue/read_ahead_kb",
    "/sys/dev/block/{}/../queue/read_ahead_kb",
    "/sys/class/bdi/{}/read_ahead_kb",
)
#: A reading goes on where it begins within so many times its own length of the front: threads overtake each other.
_NEAR = 4


class ReadAhead:
    """Watches the readings of one file.

    Parameters
    ----------
    file_number : int
        The descriptor of the open file.
    n_bytes : int
        Its size.
    """

    def __init__(self, file_number: int, n_bytes: int) -> None:
        self._file_number, self._n_bytes = file_number, n_bytes
        #: Whether the system is told at all; None as long as nobody has looked.
        self._takes_advice: bool | None = None
        self._lock = Lock()
        #: How far a row of readings has come, how much it has read, and how far the system has been told.
        self._front = self._read = self._told = 0

    def note(self, first: int, stop: int) -> None:
        """Take notice of a reading of the bytes ``first`` to ``stop``, and tell what probably comes next."""
        begin, end = self._next(first, stop)
        if end > begin:
            if self._takes_advice is None:
                self._takes_advice = read_ahead_bytes(self._file_number) < _FAR_BYTES
            if self._takes_advice:
                self._tell(begin, end)

    def tell_rows(self, first: int, step_bytes: int, n_rows: int, n_bytes: int) -> None:
        """Tell of a few bytes at ``first`` and at every ``step_bytes`` after it, which will be read next."""
        if sys.platform != "linux":
            return
        try:
            for at in range(first, first + n_rows * step_bytes, step_bytes):
                os.posix_fadvise(self._file_number, at, n_bytes, os.POSIX_FADV_WILLNEED)
        except OSError:  # some file systems take none, and one that is closed is told by whoever reads it
            return

    def _next(self, first: int, stop: int) -> tuple[int, int]:
        """Return what is to be told, from where to where; nothing where these are the same."""
        with self._lock:
            if not self._read or abs(first - self._front) > _NEAR * (stop - first):
                self._front, self._read, self._told = stop, stop - first, 0
                return stop, stop
            ahead = min(self._read, MOST_BYTES)
            self._front, self._read = max(self._front, stop), self._read + stop - first
            begin, end = max(self._told, self._front), min(self._front + ahead, self._n_bytes)
            if end - begin < _STEP_BYTES:
                return stop, stop
            self._told = end
            return begin, end

    def _tell(self, begin: int, end: int) -> None:
        if sys.platform != "linux":
            return
        try:
            for at in range(begin, end, _STEP_BYTES):
                os.posix_fadvise(self._file_number, at, min(_STEP_BYTES, end - at), os.POSIX_FADV_WILLNEED)
        except OSError:  # some file systems take none; reading goes on without
            self._takes_advice = False


def read_ahead_bytes(file_number: int) -> int:
    """Return how far the system reads ahead by itself on the drive of an open file; 0 where it does not tell."""
    try:
        device = os.fstat(file_number).st_dev
        name = f"{os.major(device)}:{os.minor(device)}"
    except (OSError, AttributeError):  # a file that is closed, a system without numbers of drives
        return 0
    for path in _TOLD_IN:
        try:
            return int(Path(path.format(name)).read_text()) << 10
        except (OSError, ValueError):  # not there: a part of a drive, a share, another system
            continue
    return 0
