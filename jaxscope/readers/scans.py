"""Files without a table of contents: gone through once from begin to end, and shown before the end is reached.

A ``Scan`` takes in some megabytes at a time and can make a recording of what it has taken in so far. Whoever wants the
whole file runs it to its end; a window shows what the first part tells, and goes on behind it. Invariant: the recording
of a whole scan is the same whether its first part was shown or not, as it comes from one and the same pass.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic

from jaxscope.data.recording import Recording
from jaxscope.errors import ReadError
from jaxscope.readers.soundness import MendedRecording, sound

#: So much of a file is taken in before its first part is shown; what is not much longer is read whole at once.
FIRST_BYTES = 8 << 20
WHOLE_UP_TO_BYTES = 2 * FIRST_BYTES
#: What takes no longer than this is read whole too: nobody waits for it.
PATIENCE_S = 0.2

#: Yields the share of the file that has been taken in; returns the recording of the whole.
Indexing = Generator[float, None, Recording]


class Scan(ABC):
    """One pass over a file, from its begin to its end.

    Parameters
    ----------
    n_bytes : int
        How long the file is.
    """

    def __init__(self, n_bytes: int) -> None:
        self.n_bytes = n_bytes
        #: bytes that have been taken in
        self.position = 0

    @abstractmethod
    def step(self) -> bool:
        """Take in some more; return False once there is nothing left.

        Raises
        ------
        ReadError
            If the file cannot be read, or cannot be understood from here on.
        """

    @abstractmethod
    def recording(self) -> Recording:
        """Return a recording of what has been taken in; it stays when the scan goes on or is closed.

        Raises
        ------
        ReadError
            If that is none.
        """

    def close(self) -> None:  # noqa: B027  (most scans hold nothing that does not end with them)
        """Let go of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstPart:
    """What the begin of a file tells, and the way to the whole of it; None where this is all."""

    recording: Recording
    indexing: Indexing | None = None


class SharedFile:
    """Closes a file once everybody who took it has let go of it.

    Parameters
    ----------
    close : callable
        Closes the file.
    """

    def __init__(self, close: Callable[[], None]) -> None:
        self._close = close
        self._users = 0
        self._lock = Lock()

    def take(self) -> Callable[[], None]:
        """Keep the file open; return what lets go of it, which counts once."""
        with self._lock:
            self._users += 1
        gone: list[bool] = []

        def let_go() -> None:
            with self._lock:
                if gone:
                    return
                gone.append(True)
                self._users -= 1
                is_last = self._users == 0
            if is_last:
                self._close()

        return let_go


def scanned_whole(scan: Scan) -> Recording:
    """Return the recording of a whole file.

    Raises
    ------
    ReadError
        If it cannot be read.
    """
    try:
        while scan.step():
            pass
        return scan.recording()
    finally:
        scan.close()


def scanned_first(scan: Scan, name: str) -> FirstPart:
    """Return what the first part of a file tells, where the file is long enough to be shown in two steps.

    What had to be mended or assumed is said of the whole file, once it is known. A first part that is no recording by
    itself (no samples yet, no rate yet) is no reason to give up: then all of the file is read at once.

    Parameters
    ----------
    scan : Scan
    name : str
        What sentences call the file.

    Raises
    ------
    ReadError
        If it cannot be read.
    """
    try:
        is_long, begun = scan.n_bytes > WHOLE_UP_TO_BYTES, monotonic()
        while has_more := scan.step():
            if is_long and scan.position >= FIRST_BYTES and monotonic() - begun >= PATIENCE_S:
                break
        first = _shown(scan, name) if has_more else None
    except BaseException:
        scan.close()
        raise
    if first is not None:
        indexing = _indexing(scan, name)
        next(indexing)  # once it has begun it closes the scan, also where it is dropped
        return FirstPart(recording=first, indexing=indexing)
    try:
        while has_more:
            has_more = scan.step()
        return FirstPart(recording=sound(scan.recording(), name))
    finally:
        scan.close()


def _shown(scan: Scan, name: str) -> Recording | None:
    """Return the recording of a first part, None where it cannot be looked at by itself."""
    # what is missing in a first part may come in the next
    with suppress(ReadError):
        recording = sound(scan.recording(), name)
        info = recording.info
        if any(channel.rate_hz is not None and channel.n_samples for channel in info.channels):
            return MendedRecording(recording, replace(info, warnings=())) if info.warnings else recording
        recording.close()
    return None


def _indexing(scan: Scan, name: str) -> Indexing:
    """Go on to the end of a file; the first share is that of the first part."""
    try:
        yield scan.position / scan.n_bytes
        while scan.step():
            yield min(1.0, scan.position / scan.n_bytes)
        return sound(scan.recording(), name)
    finally:
        scan.close()
