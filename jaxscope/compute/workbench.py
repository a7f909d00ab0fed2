"""What all jobs of one window share: open recordings, programs, the last samples, and the way to say things.

A job gets a ``Wish``: the state it was submitted for, so that it never looks at a state that has moved on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from jaxscope.compute.frames import Busy, Outcome
from jaxscope.compute.library import OpenRecording, ProgramLibrary, RecordingLibrary
from jaxscope.compute.plan import RenderRequest
from jaxscope.compute.render import Rendered
from jaxscope.compute.surroundings import Surroundings
from jaxscope.compute.transforms import KeptTransforms
from jaxscope.session.state import SessionState

#: A sign of work appears after this time, so that quick work shows none.
BUSY_AFTER_S = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is wanted: a state, its number, the recording it is about, and when it was asked for."""

    state: SessionState
    revision: int
    entry: OpenRecording
    asked_at: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shown:
    """The last frame that was made: what for, from what, and the samples behind it."""

    wish: Wish
    request: RenderRequest
    rendered: Rendered


@dataclass(slots=True, kw_only=True)
class Workbench:
    """Shared by the jobs of one window.

    Invariant: a field is written by one thread only, or locked by itself, or (``shown``, ``around``, numbers) exchanged
    as a whole; of the sets and dicts single keys are set, so who reads them on another thread sees the one before or
    after.
    """

    deliver: Callable[[Outcome], None]
    recordings: RecordingLibrary = field(default_factory=RecordingLibrary)
    programs: ProgramLibrary = field(default_factory=ProgramLibrary)
    width_px: int = 1024
    overview_px: int = 1024
    #: length of the window that was asked for last
    wanted_s: float = 0.0
    #: ids of recordings that have been drawn at least once
    drawn: set[str] = field(default_factory=set)
    #: automatic scale by channel kind, by recording id
    scales: dict[str, dict[str, float]] = field(default_factory=dict)
    #: lengths that have been read for live frames, by rate and channels
    lengths: dict[tuple[float, tuple[int, ...]], set[int]] = field(default_factory=dict)
    #: what has been compiled ahead of its use
    warmed: set[object] = field(default_factory=set)
    #: of the recording as it is, where its spectrum was made last
    transforms_before: KeptTransforms = field(default_factory=KeptTransforms)
    shown: Shown | None = None
    #: what lies around a window, where that was worked out last
    around: Surroundings | None = None
    #: files that exports are writing, as absolute paths
    writing: set[str] = field(default_factory=set)

    @contextmanager
    def busy(self, what: str, label: str, is_wanted: Callable[[], bool] = lambda: True) -> Iterator[None]:
        """Say that something is worked on, where it takes longer than ``BUSY_AFTER_S``; and when it is done.

        Where it is wanted no more by then, nothing is said of it.
        """
        lock = threading.Lock()
        said: list[bool] = []
        over: list[bool] = []

        def say() -> None:
            with lock:
                if not over and is_wanted():
                    said.append(True)
                    self.deliver(Busy(what=what, label=label))

        timer = threading.Timer(BUSY_AFTER_S, say)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            with lock:
                over.append(True)
            timer.cancel()
            if said:
                self.deliver(Busy(what=what, label=label, done=True))


def milliseconds_since(moment: float) -> float:
    """Return the time since a moment of ``time.perf_counter``."""
    return (time.perf_counter() - moment) * 1e3
