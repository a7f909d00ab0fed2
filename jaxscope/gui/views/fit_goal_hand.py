"""What a person does to the goals of a fit: marks spans, selects, edits and takes away.

Invariant: the goals themselves are the document's; only which of them is selected is kept here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxscope.errors import SpecError, capitalised
from jaxscope.gui.views.base import Dispatch
from jaxscope.gui.views.fit_goal_popover import GoalPopover
from jaxscope.session.actions_fit import LimitFit, RemoveGoal, SetGoal
from jaxscope.session.fit import FitGoal, FitPlan, FitSpan, Verb, with_span
from jaxscope.session.state import SessionState

if TYPE_CHECKING:
    from jaxscope.gui.views.fit_panel import FitPanel


class GoalHand:
    """Changes the goals that a panel shows.

    Parameters
    ----------
    panel : FitPanel
    dispatch : callable
        Takes the actions.
    """

    def __init__(self, panel: FitPanel, dispatch: Dispatch) -> None:
        self._panel, self._dispatch = panel, dispatch
        self._popover: GoalPopover | None = None
        self.selected: int | None = None

    @property
    def _state(self) -> SessionState:
        return self._panel.state

    @property
    def plan(self) -> FitPlan:
        """Goals and limits."""
        return self._state.document.fit

    @property
    def selection(self) -> FitSpan | None:
        """What K and J mark: between two cursors, the selected channels; None where nothing is selected."""
        viewport = self._state.viewport
        cursors_s = sorted(viewport.cursors_s)
        if len(cursors_s) != 2 or cursors_s[0] == cursors_s[1] or not viewport.selected_channels:
            return None
        return FitSpan(start_s=cursors_s[0], stop_s=cursors_s[1], channels=viewport.selected_channels)

    @property
    def popover(self) -> GoalPopover | None:
        """The form of a goal, once it was needed."""
        return self._popover

    def mark(self, verb: Verb) -> None:
        """Make a goal of what is selected."""
        span = self.selection
        if span is None:
            self._panel.hinted.emit("Nothing is selected: drag over the traces first")
            return
        try:
            plan, at = with_span(self.plan, verb, span, self.selected)
        except SpecError as error:
            self._panel.complain(f"{capitalised(error.message)}: {error.hint}")
            return
        is_new = at == len(self.plan.goals)
        self._dispatch(SetGoal(goal=plan.goals[at], at=None if is_new else at))
        self.select(at)

    def select(self, at: int | None) -> None:
        """Select a goal: what Delete removes, and what further spans of the same channels join."""
        self.selected = at if at is not None and 0 <= at < len(self.plan.goals) else None
        self._panel.picked.emit(self.selected)
        self._panel.show_parts()

    def follow(self) -> bool:
        """Select the last goal where the selected one is gone; return whether it was."""
        goals = self.plan.goals
        if self.selected is None or self.selected < len(goals):
            return False
        self.select(len(goals) - 1 if goals else None)
        return True

    def add(self) -> None:
        """Ask for a goal about frequencies."""
        self._ask(None, None)

    def edit(self, at: int) -> None:
        """Ask what a goal should become."""
        self.select(at)
        self._ask(self.plan.goals[at], at)

    def _ask(self, goal: FitGoal | None, at: int | None) -> None:
        parts = self._panel.parts
        if self._popover is None:
            self._popover = GoalPopover(self._panel.window())

        def take(found: FitGoal) -> None:
            place = len(self.plan.goals) if at is None else at
            self.limit(SetGoal(goal=found, at=at))
            self.select(place)

        self._popover.ask(parts.add if at is None else parts.goals, goal, take)

    def remove(self, at: int | None = None) -> None:
        """Take a goal away, the selected one where none is named."""
        place = self.selected if at is None else at
        if place is not None:
            self._dispatch(RemoveGoal(at=place))

    def limit(self, action: LimitFit | SetGoal) -> None:
        """Change a limit or a goal, or say why it cannot be."""
        try:
            self._dispatch(action)
        except SpecError as error:
            self._panel.complain(f"{capitalised(error.message)}: {error.hint}")
            return
        self._panel.complain("")
