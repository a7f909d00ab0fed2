"""How a fit stands after a step: the filter itself, how far it is from the goals, and what it does for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jaxscope.filters.coefficients import Row
from jaxscope.session.fit import FitGoal


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalValue:
    """What a filter does for one goal: ``value`` in ``unit``; ``share``, 0 to 1, is how near that is to all of it."""

    value: float
    unit: Literal["dB", "%"]
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FitFrame:
    """A filter on its way.

    ``run`` is the number of the request. ``distances`` are those of all ``step`` steps so far: the root of the mean
    square of what is wrong with each goal, as a share of the amplitude. ``rows`` are the sections, ``poles`` all their
    poles as (re, im), two a section. ``values`` has one entry for each of ``goals``, which may be others than those of
    the document by now. ``note`` says what of the marked spans was not looked at. ``problem`` and ``hint`` say why
    there is nothing.
    """

    run: int
    steps: int
    step: int = 0
    distances: tuple[float, ...] = ()
    rows: tuple[Row, ...] = ()
    poles: tuple[tuple[float, float], ...] = ()
    goals: tuple[FitGoal, ...] = ()
    values: tuple[GoalValue, ...] = ()
    rate_hz: float = 0.0
    note: str = ""
    problem: str = ""
    hint: str = ""
    done: bool = False
