"""What will be read next, told to the system: a file that is read in a row comes from its drive while values are made.

A reading that begins where another ended goes on in a row; there may be many rows at a time, as in a file that holds
channel after channel. The system reads ahead by itself as well, but not far, and only in one place of a file; here it
is told of about as much as was read already. Where the system takes no such advice, it is left to its own ways.

Invariant: what is read stays the same, and without rows nothing is told.
"""

from __future__ import annotations

import os
import sys
from threading import Lock

#: A file is read so far ahead at most, all its rows together, or as much as the last reading took.
MOST_BYTES = 8 << 20
#: Linux takes no more at once than a drive takes in one go, and drops the rest.
_STEP_BYTES = 256 << 10
#: Ends of readings that are kept; a file of more channels than that is left to the system.
_MOST_ENDS = 1024


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
        self._takes_advice = sys.platform == "linux"
        #: Where readings ended, the latest last: how much was read in a row, and how far the system has been told.
        self._ends: dict[int, tuple[int, int]] = {}
        self._lock = Lock()

    def note(self, first: int, stop: int) -> None:
        """Take notice of a reading of the bytes ``first`` to ``stop``, and tell what probably comes next."""
        begin, end = self._next(first, stop)
        if end > begin and self._takes_advice:
            self._tell(begin, end)

    def _next(self, first: int, stop: int) -> tuple[int, int]:
        """Return what is to be told, from where to where; nothing where these are the same."""
        with self._lock:
            before, told = self._ends.pop(first, (0, 0))
            ahead = min(before, max(stop - first, MOST_BYTES // (1 + len(self._ends))))
            begin, end = max(told, stop), min(stop + ahead, self._n_bytes)
            is_enough = end - begin >= _STEP_BYTES
            self._ends[stop] = (before + stop - first, end if is_enough else told)
            if len(self._ends) > _MOST_ENDS:
                del self._ends[next(iter(self._ends))]
            return (begin, end) if is_enough else (stop, stop)

    def _tell(self, begin: int, end: int) -> None:
        if sys.platform != "linux":
            return
        try:
            for at in range(begin, end, _STEP_BYTES):
                os.posix_fadvise(self._file_number, at, min(_STEP_BYTES, end - at), os.POSIX_FADV_WILLNEED)
        except OSError:  # some file systems take none; reading goes on without
            self._takes_advice = False
