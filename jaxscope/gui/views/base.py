"""What every view has in common.

A view is told the state and the outcomes, and dispatches actions that a person caused. Because it listens only to
signals of the user, setting a widget from the state cannot echo back as an action. No view reads another view.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from jaxscope.compute.frames import Outcome
from jaxscope.gui.painting.scales import ScaleBook
from jaxscope.gui.painting.scene import TraceScene
from jaxscope.session.actions import Action
from jaxscope.session.state import SessionState

if TYPE_CHECKING:
    from jaxscope.gui.navigator import Navigator

Dispatch = Callable[[Action], None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ViewKit:
    """What a window gives its views: the way of actions, what scrolls, the scales, the painter, the state."""

    dispatch: Dispatch
    navigator: Navigator
    scales: ScaleBook
    paint: Callable[[TraceScene], None]
    state: SessionState
    #: returns the number of the state
    revision: Callable[[], int]


def is_pan(state: SessionState, previous: SessionState) -> bool:
    """Whether nothing but the time at which the window begins is another: most of a window looks the same then."""
    return state.viewport.duration_s == previous.viewport.duration_s and is_look(state, previous)


def is_look(state: SessionState, previous: SessionState) -> bool:
    """Whether nothing but what the window shows is another: when it begins, and how long it is."""
    now, before = state.viewport, previous.viewport
    if state is previous or (now.start_s, now.duration_s) == (before.start_s, before.duration_s):
        return False
    moved = replace(now, start_s=before.start_s, duration_s=before.duration_s, paper_mm_s=before.paper_mm_s)
    return replace(state, viewport=before) == previous and moved == before


class AbstractView:
    """Mixin of all views; ``show_state`` and ``show_frame`` do nothing unless a view needs them."""

    @classmethod
    def of(cls, kit: ViewKit) -> Self:
        """Make the view for a window."""
        raise NotImplementedError(f"{cls.__name__} is no view of the window")

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Show another state; ``previous`` is the one that was shown."""

    def show_frame(self, outcome: Outcome) -> None:
        """Show an outcome of the compute side."""
