"""How long an edit takes to its result, for everything in the window that tells it: one measure, so no two differ.

What is waited for once (reading, libraries, compilations) is not the time of an edit, and neither is the first look at
a recording, before anything was edited.
"""

from __future__ import annotations

from jaxscope.compute.frames import Busy, Frame, Opened
from jaxscope.session.state import SessionState

_FEW = 5
_RECENT = 20
_REMEMBERED = 120


def has_after(frame: Frame) -> bool:
    """Whether a frame shows filtered traces; one without is only the quick first look."""
    return any(block.after is not None for block in frame.blocks)


class EditTimes:
    """The times of the newest edits, in milliseconds."""

    def __init__(self) -> None:
        self._times_ms: list[float] = []
        self._has_edited = False
        self._has_waited = True

    @property
    def all_ms(self) -> tuple[float, ...]:
        """The times, oldest first."""
        return tuple(self._times_ms)

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Take notice of an edit; forget the times of another engine, and those of chains that are gone."""
        chains, before = state.document.chains, previous.document.chains
        if state.engine != previous.engine or not chains:
            self._times_ms.clear()
        if chains != before:
            self._has_edited = bool(chains and before)

    def show_frame(self, outcome: object) -> None:
        """Take a frame's time, or that something is waited for."""
        match outcome:
            case Opened():
                self._times_ms.clear()
                self._has_edited, self._has_waited = False, True
            case Frame() if has_after(outcome):
                if self._has_edited and not self._has_waited:
                    self._times_ms = [*self._times_ms, outcome.compute_ms][-_REMEMBERED:]
                self._has_waited = False
            case Busy(done=False, what="compiling"):
                self._has_waited = True
            case _:
                return

    def typical_ms(self) -> float | None:
        """Return the median of the last edits; of the first few the quickest, for the others still filled caches."""
        recent = sorted(self._times_ms[-_RECENT:])
        if len(recent) < _FEW:
            return recent[0] if recent else None
        return recent[len(recent) // 2]
