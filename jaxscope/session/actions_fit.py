"""What the user can do with the goals of a fit and its limits: all of it belongs to the document."""

from __future__ import annotations

from dataclasses import dataclass

from jaxscope.session.action import Action
from jaxscope.session.fit import FitGoal


@dataclass(frozen=True, slots=True, kw_only=True)
class SetGoal(Action):
    """A goal for a fit: one more, or another one in the place ``at``."""

    goal: FitGoal
    at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveGoal(Action):
    """Take a goal away."""

    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitFit(Action):
    """How many poles a fit may have at most, and how long they may ring; None keeps what is."""

    most_poles: int | None = None
    ringing_s: float | None = None
