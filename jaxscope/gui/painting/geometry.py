"""Where time and channels are inside the traces, for every view that lines up with them.

The traces, the time axis and the header strip each work out their panes from the state and their own width by the same
function, so they agree without knowing one another. All sizes are logical pixels.
"""

from __future__ import annotations

from dataclasses import dataclass

from jaxscope.gui.painting.scene import Content
from jaxscope.session.state import Mode

#: Width of the rail, and of everything that stands over or under it.
RAIL_PX = 152
#: Between the panes of Split.
DIVIDER_PX = 9
#: The column of what was removed, in Difference.
REMOVED_PX = 92


@dataclass(frozen=True, slots=True, kw_only=True)
class PaneRect:
    """One time axis: where it begins, how wide it is, and what it shows."""

    left: float
    width: float
    content: Content

    def x_of(self, second: float, start_s: float, duration_s: float) -> float:
        """Return the position of a time."""
        return self.left + (second - start_s) / duration_s * self.width

    def second_at(self, x: float, start_s: float, duration_s: float) -> float:
        """Return the time at a position."""
        return start_s + (x - self.left) / max(self.width, 1e-9) * duration_s


def panes_of(mode: Mode, width: float) -> tuple[PaneRect, ...]:
    """Return the panes of a compare mode, from the left."""
    if mode == "split":
        half = max(1.0, (width - DIVIDER_PX) / 2)
        return (
            PaneRect(left=0.0, width=half, content="before"),
            PaneRect(left=half + DIVIDER_PX, width=half, content="after"),
        )
    if mode == "difference":
        return (PaneRect(left=0.0, width=max(1.0, width - REMOVED_PX), content="difference"),)
    return (PaneRect(left=0.0, width=max(1.0, width), content="both"),)


def pane_at(panes: tuple[PaneRect, ...], x: float) -> PaneRect:
    """Return the pane under a position, the nearest one outside of all."""
    return min(panes, key=lambda pane: max(pane.left - x, x - pane.left - pane.width, 0.0))
