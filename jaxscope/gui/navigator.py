"""Moving along the recording: one object that turns gestures and keys into ``LookAt``.

It knows how long the recording is and remembers the views that were left, for "zoom back": whoever changed them. A
drag, a spin of the wheel, a key held down is one step. Clipping to the recording is the reducer's work.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from jaxscope.gui.views.base import Dispatch
from jaxscope.session.actions import LookAt, PutViewBack
from jaxscope.session.state import VIEW_FIELDS, SessionState, Viewport

#: The window of ``Ctrl+0``, in seconds.
USUAL_WINDOW_S = 10.0
_HISTORY = 100
#: Changes of the view that are closer together than this are one step of "zoom back".
PAUSE_S = 0.7


class Navigator:
    """Pans and zooms the window of one store.

    Parameters
    ----------
    dispatch : callable
        Takes an action.
    state : callable
        Returns the current state.
    clock : callable
        Returns seconds; changes that follow one another quickly are one step.
    """

    def __init__(
        self, dispatch: Dispatch, state: Callable[[], SessionState], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._dispatch = dispatch
        self._state = state
        self._clock = clock
        self._changed_at = -math.inf
        self._is_restoring = False
        self.total_s: float | None = None
        self._past: list[Viewport] = []
        self._future: list[Viewport] = []

    @property
    def viewport(self) -> Viewport:
        """What is looked at now."""
        return self._state().viewport

    def reset(self, total_s: float | None) -> None:
        """Begin with another recording."""
        self.total_s = total_s
        self._past.clear()
        self._future.clear()

    def look(self, start_s: float, duration_s: float, *, paper_mm_s: float | None = None) -> None:
        """Look at another window, maybe one whose length follows from a paper speed."""
        if self.total_s is not None:
            paper_mm_s = paper_mm_s if duration_s <= self.total_s else None
            duration_s = min(duration_s, self.total_s)
            start_s = min(max(start_s, 0.0), self.total_s - duration_s)
        self._dispatch(LookAt(start_s=start_s, duration_s=duration_s, total_s=self.total_s, paper_mm_s=paper_mm_s))

    def pan_s(self, seconds: float) -> None:
        """Scroll by a time."""
        self.look(self.viewport.start_s + seconds, self.viewport.duration_s)

    def pan_windows(self, share: float) -> None:
        """Scroll by a share of the window."""
        self.pan_s(share * self.viewport.duration_s)

    def zoom(self, factor: float, around_s: float | None = None) -> None:
        """Show ``factor`` times as much time; ``around_s`` stays where it is, by default the middle."""
        viewport = self.viewport
        duration_s = viewport.duration_s * factor
        if self.total_s is not None:
            duration_s = min(duration_s, self.total_s)
        anchor_s = viewport.start_s + viewport.duration_s / 2 if around_s is None else around_s
        share = (anchor_s - viewport.start_s) / viewport.duration_s
        self.look(anchor_s - share * duration_s, duration_s)

    def step_window(self, direction: int) -> None:
        """Show the next longer (1) or shorter (-1) window of 1, 2, 5 times a power of ten, from the same start."""
        self.look(self.viewport.start_s, next_window(self.viewport.duration_s, direction))

    def run_to(self, start_s: float) -> None:
        """Begin the window at a time because a signal runs: no step of its own for "zoom back"."""
        self._is_restoring = True
        try:
            self.look(start_s, self.viewport.duration_s)
        finally:
            self._is_restoring = False

    def first(self) -> None:
        """Go to the start."""
        self.look(0.0, self.viewport.duration_s)

    def last(self) -> None:
        """Go to the end."""
        if self.total_s is not None:
            self.look(self.total_s - self.viewport.duration_s, self.viewport.duration_s)

    def usual(self) -> None:
        """Show ten seconds around the middle of what is shown."""
        self.zoom(USUAL_WINDOW_S / self.viewport.duration_s)

    def note(self, state: SessionState, previous: SessionState) -> None:
        """Remember the view that was left, where the change is not part of the one before."""
        if _view_of(state.viewport) == _view_of(previous.viewport) or self._is_restoring:
            return
        if state.document.recording != previous.document.recording:
            return
        now = self._clock()
        if now - self._changed_at > PAUSE_S:
            self._past = [*self._past, previous.viewport][-_HISTORY:]
            self._future.clear()
        self._changed_at = now

    def remember(self) -> None:
        """Make what follows a step of its own, however soon it comes."""
        self._changed_at = -math.inf

    def back(self) -> None:
        """Go back to the view before the last change of it."""
        if self._past:
            self._future.append(self.viewport)
            self._restore(self._past.pop())

    def forward(self) -> None:
        """Undo ``back``."""
        if self._future:
            self._past.append(self.viewport)
            self._restore(self._future.pop())

    def _restore(self, viewport: Viewport) -> None:
        self._is_restoring = True
        try:
            self._dispatch(PutViewBack(view=viewport))
        finally:
            self._is_restoring = False
        self.remember()


def _view_of(viewport: Viewport) -> tuple[object, ...]:
    return tuple(getattr(viewport, name) for name in VIEW_FIELDS)


def next_window(duration_s: float, direction: int) -> float:
    """Return the next 1-2-5 step above (1) or below (-1) a duration."""
    exponents = range(-5, 7)
    steps = [float(f"{factor}e{power}") for power in exponents for factor in (1, 2, 5)]
    if direction > 0:
        return next((step for step in steps if step > duration_s * 1.001), duration_s)
    return next((step for step in reversed(steps) if step < duration_s * 0.999), duration_s)
