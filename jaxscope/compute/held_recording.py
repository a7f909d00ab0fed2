"""A recording as those see it who read it: it stays open while they do, and may become a longer one under their hands.

Invariant: what was closed or replaced is let go of when the last reader has ended, never under one.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from jaxscope.compute.read_watch import ReadWatch
from jaxscope.compute.scheduler import Cancelled
from jaxscope.data.recording import FloatArray, Recording, RecordingInfo


class HeldRecording(Recording):
    """A recording that is not closed while somebody reads it or holds it.

    Once closed, ``read`` raises Cancelled: a job that outlives its recording ends without a word.
    """

    def __init__(
        self, inner: Recording, path: str = "", watch: ReadWatch | None = None, *, is_whole: bool = True
    ) -> None:
        self._is_whole = is_whole
        self._inner = inner
        self._path = path
        self._watch = watch
        self._users = 0
        self._replaced: list[Recording] = []
        self._closing = False
        self._closed = False
        self._lock = threading.Lock()

    @property
    def info(self) -> RecordingInfo:
        """What is known without reading samples."""
        return self._inner.info

    @property
    def is_whole(self) -> bool:
        """False while only the first part of a file is known."""
        return self._is_whole

    def read(self, start: int, stop: int, channels: Sequence[int | str] | None = None) -> FloatArray:
        """Return samples as the recording does; Cancelled once it is closed."""
        self.hold()
        try:
            if self._watch is None:
                return self._inner.read(start, stop, channels)
            with self._watch.reading(self._path):
                samples = self._inner.read(start, stop, channels)
            if self._closing:
                raise Cancelled
            return samples
        finally:
            self.release()

    def hold(self) -> None:
        """Keep the recording open until ``release``; Cancelled where it is closed."""
        with self._lock:
            if self._closed:
                raise Cancelled
            self._users += 1

    def release(self) -> None:
        """End a ``hold``."""
        with self._lock:
            self._users -= 1
            close_now = self._closing and self._users == 0 and not self._closed
            self._closed = self._closed or close_now
            gone, self._replaced = (self._replaced, []) if self._users == 0 else ([], self._replaced)
        for recording in gone:
            recording.close()
        if close_now:
            self._inner.close()

    def replace(self, inner: Recording) -> None:
        """Read from another recording from now on: the same file, which has grown or of which more is known."""
        with self._lock:
            gone = self._inner
            self._is_whole = True
            if self._closing:
                gone = inner
            else:
                self._inner = inner
            if self._users:
                self._replaced.append(gone)
                return
        gone.close()

    def close(self) -> None:
        """Close the recording as soon as nobody uses it."""
        with self._lock:
            self._closing = True
            close_now = self._users == 0 and not self._closed
            self._closed = self._closed or close_now
        if close_now:
            self._inner.close()
