"""Where time and channels are inside the traces, for every view that lines up with them.

The traces, the time axis and the header strip each work out their panes from the state and their own width by the same
function, so they agree without knowing one another. All sizes are logical pixels.
"""

from __future__ import annotations

from dataclasses import dataclass

from jaxscope.gui.painting.scene import Content
from jaxscope.gui.theme import scaled
from jaxscope.session.state import LEAST_SHARE, Viewport

#: Width of the rail at text scale 1, and of everything that stands over or under it.
RAIL_PX = 152
#: Between the panes of Split.
DIVIDER_PX = 9
#: The column of what was removed, in Difference, at text scale 1.
REMOVED_PX = 92


def rail_px() -> int:
    """Return the width of the rail at the text scale of now."""
    return scaled(RAIL_PX)


def removed_px() -> int:
    """Return the width of the column of what was removed at the text scale of now."""
    return scaled(REMOVED_PX)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaneRect:
    """One time axis: where it begins, how wide it is, and what it shows.

    ``shown_left`` and ``shown_right`` are what is seen of it: both sides of the curtain share one time axis, and each
    is cut at the curtain.
    """

    left: float
    width: float
    content: Content
    shown_left: float
    shown_right: float

    def x_of(self, second: float, start_s: float, duration_s: float) -> float:
        """Return the position of a time."""
        return self.left + (second - start_s) / duration_s * self.width

    def second_at(self, x: float, start_s: float, duration_s: float) -> float:
        """Return the time at a position."""
        return start_s + (x - self.left) / max(self.width, 1e-9) * duration_s

    def shows(self, x: float) -> bool:
        """Whether a position is in what is seen of it."""
        return self.shown_left <= x < self.shown_right


def panes_of(viewport: Viewport, width: float) -> tuple[PaneRect, ...]:
    """Return the panes of a compare mode, from the left."""
    match viewport.mode:
        case "split":
            room = max(2.0, width - DIVIDER_PX)
            left = room * _held(viewport.split_share)
            return (_pane(0.0, left, "before"), _pane(left + DIVIDER_PX, room - left, "after"))
        case "curtain":
            width = max(1.0, width)
            at = round(width * _held(viewport.curtain_share))
            return (
                PaneRect(left=0.0, width=width, content="before", shown_left=0.0, shown_right=at),
                PaneRect(left=0.0, width=width, content="after", shown_left=at, shown_right=width),
            )
        case "difference":
            return (_pane(0.0, max(1.0, width - removed_px()), "difference"),)
        case _:
            return (_pane(0.0, max(1.0, width), "both"),)


def _pane(left: float, width: float, content: Content) -> PaneRect:
    return PaneRect(left=left, width=width, content=content, shown_left=left, shown_right=left + width)


def _held(share: float) -> float:
    return min(1.0 - LEAST_SHARE, max(LEAST_SHARE, share))


def share_at(viewport: Viewport, x: float, width: float) -> float:
    """Return the share of the width that the divider or the curtain has at a position."""
    if viewport.mode == "split":
        return (x - DIVIDER_PX / 2) / max(1.0, width - DIVIDER_PX)
    return x / max(1.0, width)


def divider_x(viewport: Viewport, width: float) -> float | None:
    """Return the middle of the divider of Split or of the curtain, None in other modes."""
    if viewport.mode not in ("split", "curtain"):
        return None
    panes = panes_of(viewport, width)
    return (panes[0].shown_right + panes[1].shown_left) / 2


def axes_of(panes: tuple[PaneRect, ...]) -> tuple[PaneRect, ...]:
    """Return one pane for each time axis: the two sides of the curtain have one together."""
    return tuple({(pane.left, pane.width): pane for pane in reversed(panes)}.values())[::-1]


def pane_at(panes: tuple[PaneRect, ...], x: float) -> PaneRect:
    """Return the pane under a position, the nearest one outside of all."""
    return min(panes, key=lambda pane: (not pane.shows(x), max(pane.shown_left - x, x - pane.shown_right, 0.0)))
