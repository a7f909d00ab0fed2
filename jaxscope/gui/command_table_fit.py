"""The commands of a fit: those that act on the traces while its panel is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxscope.gui.commands import Command

if TYPE_CHECKING:
    from jaxscope.gui.window_actions import WindowActions

_NOT_OPEN = "The panel of a fit is not open, or nothing is selected"


def _can_mark(window: WindowActions) -> bool:
    return window.window.fit.is_open and window.window.fit.goals.selection is not None


FIT = (
    Command(
        name="fit_keep",
        text="Mark the selection: keep",
        rows=(("fit", "mark the selection: keep"),),
        icon="lock",
        run=lambda window: window.window.fit.goals.mark("keep"),
        is_enabled=_can_mark,
        needs=_NOT_OPEN,
    ),
    Command(
        name="fit_remove",
        text="Mark the selection: remove",
        rows=(("fit", "mark the selection: remove"),),
        icon="eraser",
        run=lambda window: window.window.fit.goals.mark("remove"),
        is_enabled=_can_mark,
        needs=_NOT_OPEN,
    ),
    Command(
        name="fit_start",
        text="Start the fit, or keep its filter",
        rows=(("fit", "start; again: keep this filter"),),
        icon="player-play",
        run=lambda window: window.window.fit.start_or_keep(),
        is_enabled=lambda window: window.window.fit.is_open and bool(window.window.fit.goals.plan.goals),
        needs="The panel of a fit is not open, or has no goal",
    ),
    Command(
        name="fit_remove_goal",
        text="Remove the goal",
        rows=(("fit", "remove the goal"),),
        icon="trash",
        run=lambda window: window.window.fit.goals.remove(),
        is_enabled=lambda window: window.window.fit.is_open and window.window.fit.goals.selected is not None,
        needs="No goal is selected",
    ),
)
