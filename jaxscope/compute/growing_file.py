"""A file that somebody else is still writing: what is appended is handed out, and what cannot be followed is said.

The file is looked at a few times a second; only where its size has changed is it opened again, as a whole, by its own
reader, so everything that a reader knows of its format holds here too. Looking costs a bounded share of the time: one
that is slow to open (a long table of text) is looked at less often. A file that shrinks, that is another one under the
same name, or whose last samples are no longer what they were, ends the following with a sentence. A line of text that
has no end yet is not taken, as its last number may lack digits.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from jaxscope.data.live import LiveBlock, LiveSource, LiveStream
from jaxscope.data.live_sources import Clock, live_streams, stored_blocks
from jaxscope.data.recording import Recording
from jaxscope.errors import ReadError

#: Least time between two looks at the file, and how much of the time may go into opening it.
LOOK_EVERY_S = 0.1
MOST_SHARE = 0.2
#: Samples before the end that must still be what they were.
_CHECKED = 32
_TEXT_SUFFIXES = frozenset({".csv", ".tsv", ".txt", ".dat"})

Opener = Callable[[], Recording]


class GrowingFileSource(LiveSource):
    """Follows a file that grows.

    Parameters
    ----------
    path : str
    recording : Recording
        As it is open now; what it holds is known already.
    reopen : callable
        Opens the file again.
    take : callable or None
        Becomes the owner of each longer recording; None: the source closes it when there is a longer one.
    history_s : float
        How much of what is there is handed out at once.
    clock : callable
        Seconds that only grow.
    """

    def __init__(
        self,
        path: str,
        recording: Recording,
        reopen: Opener,
        *,
        take: Callable[[Recording], None] | None = None,
        history_s: float = 0.0,
        clock: Clock = time.monotonic,
    ) -> None:
        self.name = Path(path).name
        self._path, self._reopen, self._take, self._clock = path, reopen, take, clock
        self._recording = recording
        self._own: Recording | None = None
        self._streams = live_streams(recording.info)
        self._shape = self._shape_of(recording)
        self._identity: tuple[int, int] | None = None
        self._size = 0
        self._size = self._look().st_size
        self._next_look = clock()
        self._note = ""
        self._is_first = True
        self._next = [self._begin_of(stream, history_s) for stream in self._streams]
        self._known = [
            recording.read(max(0, n - _CHECKED), n, stream.channels)
            for n, stream in zip(map(self._held, self._streams), self._streams, strict=True)
        ]
        self._checked_at = [self._held(stream) for stream in self._streams]

    @property
    def streams(self) -> tuple[LiveStream, ...]:
        return self._streams

    @property
    def recording(self) -> Recording:
        """The file as it was when it was opened last."""
        return self._recording

    @property
    def position_s(self) -> float:
        info = self._recording.info
        ends = [
            info.timeline_of(stream.channels[0]).stop_s(stream.rate_hz, number)
            for stream, number in zip(self._streams, self._next, strict=True)
        ]
        return min(ends, default=0.0)

    @property
    def note(self) -> str:
        return self._note

    def close(self) -> None:
        if self._own is not None:
            self._own.close()
            self._own = None

    def poll(self) -> tuple[LiveBlock, ...]:
        now = self._clock()
        if now < self._next_look:
            return ()
        self._next_look = now + LOOK_EVERY_S
        status = self._look()
        if self._is_first:
            self._is_first = False
            if status.st_size == self._size:
                return self._taken(status)
        if status.st_size == self._size:
            return ()
        began = time.monotonic()
        grown = self._opened()
        if grown is None:
            return ()
        self._size = status.st_size
        self._replace(grown)
        blocks = self._taken(status)
        self._next_look = now + max(LOOK_EVERY_S, (time.monotonic() - began) / MOST_SHARE)
        return blocks

    def _look(self) -> os.stat_result:
        try:
            status = os.stat(self._path)
        except OSError as error:
            raise ReadError(
                f"{self.name} is no longer there", hint="what has come so far is kept; open the file where it is now"
            ) from error
        identity = (status.st_ino, status.st_dev)
        if self._identity is None:
            self._identity = identity
        if identity != self._identity:
            raise self._replaced()
        if status.st_size < self._size:
            raise ReadError(
                f"{self.name} has become shorter while it was followed",
                hint="whoever writes it has begun anew: open it again",
            )
        return status

    def _replaced(self) -> ReadError:
        return ReadError(f"{self.name} was replaced by another file while it was followed", hint="open it again")

    def _opened(self) -> Recording | None:
        """Open the file again; None where it cannot be read just now, which is noted."""
        try:
            grown = self._reopen()
        except ReadError as error:
            self._note = f"waits: {error.message}"
            return None
        if self._shape_of(grown) != self._shape or any(
            grown.info.channels[stream.channels[0]].n_samples < at
            for stream, at in zip(self._streams, self._checked_at, strict=True)
        ):
            grown.close()
            raise self._replaced()
        for stream, at, known in zip(self._streams, self._checked_at, self._known, strict=True):
            again = grown.read(max(0, at - _CHECKED), at, stream.channels)
            if not np.array_equal(again, known, equal_nan=True):
                grown.close()
                raise self._replaced()
        return grown

    def _replace(self, grown: Recording) -> None:
        is_longer = any(self._length(grown, s) > self._length(self._recording, s) for s in self._streams)
        self._note = "" if is_longer else "grows, but its header tells of no more samples yet"
        self._recording = grown
        if self._take is not None:
            self._take(grown)
            return
        self.close()
        self._own = grown

    def _taken(self, status: os.stat_result) -> tuple[LiveBlock, ...]:
        """Return what has not been handed out yet."""
        late_s = max(0.0, time.time() - status.st_mtime)
        blocks: list[LiveBlock] = []
        for number, stream in enumerate(self._streams):
            stop = self._held(stream)
            if stop > self._next[number]:
                blocks += stored_blocks(self._recording, stream, number, self._next[number], stop, late_s=late_s)
                self._next[number] = stop
            self._checked_at[number] = stop
            self._known[number] = self._recording.read(max(0, stop - _CHECKED), stop, stream.channels)
        return tuple(blocks)

    def _held(self, stream: LiveStream) -> int:
        """Return how many samples of a stream are whole."""
        count = self._length(self._recording, stream)
        return count - 1 if count and not self._ends_with_a_line() else count

    def _ends_with_a_line(self) -> bool:
        if Path(self._path).suffix.lower() not in _TEXT_SUFFIXES:
            return True
        with open(self._path, "rb") as file:
            file.seek(max(0, self._size - 1))
            return file.read(1) in (b"\n", b"\r", b"")

    @staticmethod
    def _length(recording: Recording, stream: LiveStream) -> int:
        return recording.info.channels[stream.channels[0]].n_samples

    def _begin_of(self, stream: LiveStream, history_s: float) -> int:
        return max(0, self._held(stream) - int(history_s * stream.rate_hz))

    @staticmethod
    def _shape_of(recording: Recording) -> tuple[object, ...]:
        return tuple((channel.name, channel.unit, channel.rate_hz) for channel in recording.info.channels)
