"""A frame that reaches beyond its window, so that the window may move and nothing has to be worked out at once.

Invariant: it serves a state only where nothing but the window is another than in the state it was made for, and its
bins are those that a frame of that window has; so what is drawn from it is what would be drawn from that frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxscope.compute.seen import window_of
from jaxscope.display.envelope import bin_size
from jaxscope.session.state import SessionState, in_force

if TYPE_CHECKING:
    from jaxscope.compute.frames import Frame

#: How far beyond what is covered a window may lie, as a share of its length: what a sum of times may be off.
_CLOSE = 1e-9


def is_moved(own: SessionState, other: SessionState) -> bool:
    """Whether two states, with the chains in force, have the same traces but for the window in time."""
    # scales that follow what is in sight, and what was taken away of it, change with the window
    is_still = other.viewport.lock_scales and other.viewport.mode != "difference" and not other.live.running
    return (
        is_still
        and own.document == other.document  # one with a pin in force is made anew each time
        and own.engine == other.engine
        and window_of(own)[2:] == window_of(other)[2:]
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Surroundings:
    """The frame of a window and what lies around it, from ``start_s`` to ``stop_s``.

    ``state`` is the state it was made for, with the chains in force; ``width_px`` the device pixels of its window.
    """

    frame: Frame
    start_s: float
    stop_s: float
    state: SessionState
    width_px: int

    def suits(self, state: SessionState, recording_id: str, width_px: int) -> bool:
        """Whether a state asks for the same traces in the same bins, wherever its window is."""
        is_same_size = (recording_id, width_px) == (self.frame.recording_id, self.width_px)
        return is_same_size and is_moved(self.state, in_force(state)) and self._has_bins_of(state)

    def is_as_long(self, state: SessionState) -> bool:
        """Whether the window of a state is as long as the one it was made for."""
        return state.viewport.duration_s == self.state.viewport.duration_s

    def _has_bins_of(self, state: SessionState) -> bool:
        """Whether a frame of the window of a state would have the same bins."""
        if self.is_as_long(state):
            return True
        if state.viewport.line_up:  # bins then follow from the delay, too
            return False
        duration_s, blocks = state.viewport.duration_s, self.frame.blocks
        return all(bin_size(duration_s * block.rate_hz, self.width_px) == block.bin_samples for block in blocks)

    def reaches(self, start_s: float, stop_s: float) -> bool:
        """Whether a span of time lies within."""
        close_s = _CLOSE * max(stop_s - start_s, 0.0)
        return self.start_s - close_s <= start_s and stop_s <= self.stop_s + close_s

    def has(self, state: SessionState, *, spare_left: float = 0.0, spare_right: float = 0.0) -> bool:
        """Whether the window of a state lies within, with some windows to spare on either side."""
        start_s, duration_s = state.viewport.start_s, state.viewport.duration_s
        return self.reaches(start_s - spare_left * duration_s, start_s + (1 + spare_right) * duration_s)
