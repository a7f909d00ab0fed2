"""Tells of reads that do not come back: a network drive that stalls, a disk that has gone to sleep for good.

A read that hangs cannot be ended from outside, so it is only watched: who waits for it is told after some seconds, and
told again when it has come back after all. One thread looks once in a while; a read costs two entries in a table.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from jaxscope.compute.frames import Stalled

#: A read that takes longer than this is told.
STALLED_AFTER_S = 3.0
_LOOK_EVERY_S = 0.5


@dataclass(slots=True)
class _Read:
    path: str
    begun: float
    thread: str
    is_told: bool = False


class ReadWatch:
    """Watches the reads of one window.

    Parameters
    ----------
    tell : callable
        Gets ``Stalled``; called on the watching thread, or on that of the read when it has come back.
    after_s : float
        Seconds after which a read is told.
    """

    def __init__(self, tell: Callable[[Stalled], None], *, after_s: float = STALLED_AFTER_S) -> None:
        self._tell = tell
        self._after_s = after_s
        self._reads: dict[object, _Read] = {}
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def reading(self, path: str) -> Iterator[None]:
        """Watch what is done inside: one read of a file."""
        key = object()
        read = _Read(path=path, begun=time.monotonic(), thread=threading.current_thread().name)
        with self._lock:
            self._reads[key] = read
            if self._thread is None and not self._over.is_set():
                self._thread = threading.Thread(target=self._look_round, name="read-watch", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                del self._reads[key]
            if read.is_told:
                self._tell(Stalled(path=path, over=True))

    def stalled_threads(self) -> frozenset[str]:
        """Return the names of the threads that wait for a read that was told."""
        with self._lock:
            return frozenset(read.thread for read in self._reads.values() if read.is_told)

    def shut_down(self) -> None:
        """End the watching thread."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def look(self) -> None:
        """Tell what has waited for too long."""
        now = time.monotonic()
        with self._lock:
            late = [read for read in self._reads.values() if not read.is_told and now - read.begun >= self._after_s]
            for read in late:
                read.is_told = True
        for path in dict.fromkeys(read.path for read in late):
            self._tell(Stalled(path=path, seconds=self._after_s))

    def _look_round(self) -> None:
        while not self._over.wait(min(_LOOK_EVERY_S, self._after_s)):
            self.look()
