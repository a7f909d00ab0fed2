"""What can be done while a signal runs, and what is remembered of it: never saved, never undone.

A project that is opened does not begin to play by itself; how a recording was played last belongs to the window alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from jaxscope.session.action import Action

#: Speeds that one step goes through, in seconds of the recording per second.
SPEEDS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
Running = Literal["", "play", "follow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveChoice:
    """Whether and how a signal runs.

    ``running``: a recording is played, a file is followed, or neither. ``start_s`` is where playing began.
    ``by_pages``: the window turns pages instead of moving along. ``as_causal``: zero-phase chains run as causal ones
    while it runs; else they wait.
    """

    running: Running = ""
    start_s: float = 0.0
    speed: float = 1.0
    by_pages: bool = False
    as_causal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Play(Action):
    """Run along the recording from a time on."""

    start_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowFile(Action):
    """Follow the end of a file that is being written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRunning(Action):
    """Neither play nor follow any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSpeed(Action):
    """Play at another speed, ``SPEEDS[0]`` to ``SPEEDS[-1]`` seconds per second."""

    speed: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunByPages(Action):
    """Turn pages while it runs, or move along."""

    on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAsCausal(Action):
    """Run zero-phase chains as causal ones while it runs, or let them wait."""

    on: bool


def reduce_live(live: LiveChoice, action: Action) -> LiveChoice:
    """Return what follows from an action."""
    match action:
        case Play():
            return replace(live, running="play", start_s=max(0.0, action.start_s))
        case FollowFile():
            return replace(live, running="follow", start_s=0.0)
        case StopRunning():
            return replace(live, running="")
        case SetSpeed():
            return replace(live, speed=min(max(action.speed, SPEEDS[0]), SPEEDS[-1]))
        case RunByPages():
            return replace(live, by_pages=action.on)
        case RunAsCausal():
            return replace(live, as_causal=action.on)
        case _:
            return live


def next_speed(speed: float, direction: int) -> float:
    """Return the next faster (1) or slower (-1) speed.

    Examples
    --------
    >>> next_speed(1.0, 1), next_speed(3.0, -1), next_speed(100.0, 1)
    (2.0, 2.0, 100.0)
    """
    if direction > 0:
        return next((one for one in SPEEDS if one > speed * 1.001), SPEEDS[-1])
    return next((one for one in reversed(SPEEDS) if one < speed * 0.999), SPEEDS[0])
