"""What a filter is fitted to: goals that keep or remove bands or marked spans, and the limits of what may be found.

Goals and limits are part of the document, so they are undone and saved like limits of a response. Nothing here knows
samples; what only the recording or its rate can refuse is refused where the fit begins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import product
from math import inf, isfinite
from typing import Literal, get_args

from jaxscope.errors import SpecError, counted

Verb = Literal["keep", "remove"]
MOST_GOALS = 12
FEWEST_POLES, MOST_POLES, USUAL_POLES = 2, 16, 6
SHORTEST_RINGING_S, LONGEST_RINGING_S, USUAL_RINGING_S = 0.001, 60.0, 0.2
#: How far to both sides of a single frequency a goal reaches: mains are that steady.
LINE_REACH_HZ = 0.2
_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)"
_BETWEEN = re.compile(rf"{_NUMBER}\s*(?:hz)?\s*(?:-|–|to)\s*{_NUMBER}")
_SIDE = re.compile(rf"(below|under|above|over|<|>)\s*{_NUMBER}")
_SINGLE = re.compile(_NUMBER)


@dataclass(frozen=True, slots=True, kw_only=True)
class FitBand:
    """Frequencies: from ``low_hz`` to ``high_hz``, None for half the rate; both the same for a single one."""

    low_hz: float = 0.0
    high_hz: float | None = None

    def __post_init__(self) -> None:
        if self.high_hz is None and self.low_hz <= 0:
            raise SpecError("fit", "the band reaches over all frequencies", hint="give it a limit")
        high_hz = inf if self.high_hz is None else self.high_hz
        if not 0 <= self.low_hz < inf or high_hz < self.low_hz or high_hz <= 0:
            raise SpecError(
                "fit", f"the band reaches from {self.low_hz:g} to {high_hz:g} Hz", hint="give the lower limit first"
            )

    def limits_hz(self, rate_hz: float) -> tuple[float, float]:
        """Return its limits at a rate; a single frequency becomes a narrow band."""
        nyquist_hz = rate_hz / 2
        if self.high_hz is None:
            return self.low_hz, nyquist_hz
        reach_hz = LINE_REACH_HZ if self.high_hz == self.low_hz else 0.0
        return max(self.low_hz - reach_hz, 0.0), min(self.high_hz + reach_hz, nyquist_hz)

    @property
    def words(self) -> str:
        """What it is called.

        Examples
        --------
        >>> [band.words for band in fit_bands("50, below 0.4 Hz, 8 to 12, above 40")]
        ['50 Hz', 'below 0.4 Hz', '8–12 Hz', 'above 40 Hz']
        """
        if self.high_hz is None:
            return f"above {self.low_hz:g} Hz"
        if self.low_hz == 0:
            return f"below {self.high_hz:g} Hz"
        return f"{self.low_hz:g} Hz" if self.low_hz == self.high_hz else f"{self.low_hz:g}\u2013{self.high_hz:g} Hz"


def fit_bands(text: str) -> tuple[FitBand, ...]:
    """Return the bands that a person writes down: ``"50 Hz and 150 Hz"``, ``"below 0.4"``, ``"8-12 Hz"``.

    Raises
    ------
    SpecError
        Where a part cannot be read.
    """
    found = []
    for part in re.split(r",|;|\band\b|&|\+", text.lower()):
        words = part.strip().removesuffix("hz").strip()
        if not words:
            continue
        if match := _BETWEEN.fullmatch(words):
            found.append(FitBand(low_hz=float(match[1]), high_hz=float(match[2])))
        elif match := _SIDE.fullmatch(words):
            is_below = match[1] in ("below", "under", "<")
            value = float(match[2])
            found.append(FitBand(high_hz=value) if is_below else FitBand(low_hz=value))
        elif match := _SINGLE.fullmatch(words):
            found.append(FitBand(low_hz=float(match[1]), high_hz=float(match[1])))
        else:
            hint = "write 50 Hz and 150 Hz, below 0.4 Hz, or 8-12 Hz"
            raise SpecError("fit", f"cannot read the band {part.strip()!r}", hint=hint)
    if not found:
        raise SpecError("fit", "there is no frequency", hint="write 50 Hz and 150 Hz, below 0.4 Hz, or 8-12 Hz")
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class FitSpan:
    """A marked span, half-open, of some channels."""

    start_s: float
    stop_s: float
    channels: tuple[str, ...]

    def __post_init__(self) -> None:
        if not (isfinite(self.start_s) and isfinite(self.stop_s) and self.start_s < self.stop_s):
            words = f"a marked span reaches from {self.start_s:g} to {self.stop_s:g} s"
            raise SpecError("fit", words, hint="mark from left to right")
        if not self.channels:
            raise SpecError("fit", "a marked span is of no channel", hint="select one or more channels")


@dataclass(frozen=True, slots=True, kw_only=True)
class FitGoal:
    """One goal: bands of all channels, or spans that were marked on the traces. ``name`` may be empty."""

    verb: Verb
    name: str = ""
    bands: tuple[FitBand, ...] = ()
    spans: tuple[FitSpan, ...] = ()

    def __post_init__(self) -> None:
        if self.verb not in get_args(Verb):
            raise SpecError("fit", f"a goal is to {self.verb!r}", hint="it must be keep or remove")
        if bool(self.bands) == bool(self.spans):
            raise SpecError("fit", "a goal needs bands or marked spans, and not both", hint="make two goals of it")

    @property
    def is_keep(self) -> bool:
        """Whether it keeps; else it removes."""
        return self.verb == "keep"

    @property
    def channels(self) -> tuple[str, ...]:
        """The channels of its spans, each once."""
        return tuple(dict.fromkeys(name for span in self.spans for name in span.channels))

    @property
    def about(self) -> str:
        """What it is about, in words: its bands, or how many spans."""
        if self.bands:
            return joined(tuple(band.words for band in self.bands))
        return counted(len(self.spans), "marked span")

    @property
    def title(self) -> str:
        """What it is called beside its verb."""
        if self.bands:
            return self.name or f"{self.about[:1].upper()}{self.about[1:]}"
        where = few(self.channels)
        return f"{self.name[:1].upper()}{self.name[1:]} in {where}" if self.name else where

    @property
    def sentence(self) -> str:
        """Verb and title.

        Examples
        --------
        >>> FitGoal(verb="remove", bands=fit_bands("50, 150")).sentence
        'Remove 50 Hz and 150 Hz'
        """
        return f"{self.verb.capitalize()} {self.title}"


def joined(words: tuple[str, ...]) -> str:
    """Return a list as a person says it."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def few(names: tuple[str, ...], most: int = 3) -> str:
    """Return the names of a few channels, and how many more there are."""
    more = f" +{len(names) - most}" if len(names) > most else ""
    return ", ".join(names[:most]) + more


@dataclass(frozen=True, slots=True, kw_only=True)
class FitPlan:
    """All goals, and what may be found: ``most_poles`` of them, none that rings longer than ``ringing_s``."""

    goals: tuple[FitGoal, ...] = ()
    most_poles: int = USUAL_POLES
    ringing_s: float = USUAL_RINGING_S

    def __post_init__(self) -> None:
        if len(self.goals) > MOST_GOALS:
            raise SpecError("fit", f"{len(self.goals)} goals are too many", hint=f"use up to {MOST_GOALS}")
        if not FEWEST_POLES <= self.most_poles <= MOST_POLES:
            hint = f"give {FEWEST_POLES} to {MOST_POLES}"
            raise SpecError("fit", f"{self.most_poles} poles cannot be fitted", hint=hint)
        if not SHORTEST_RINGING_S <= self.ringing_s <= LONGEST_RINGING_S:
            hint = f"give {SHORTEST_RINGING_S * 1e3:g} ms to {LONGEST_RINGING_S:g} s"
            raise SpecError("fit", f"a ringing of {self.ringing_s:g} s is no limit", hint=hint)

    @property
    def n_sections(self) -> int:
        """How many pairs of poles there may be."""
        return self.most_poles // 2


def with_goal(plan: FitPlan, goal: FitGoal, at: int | None = None) -> FitPlan:
    """Return a plan with one goal more, or with another one at a place."""
    goals = (*plan.goals, goal) if at is None else (*plan.goals[:at], goal, *plan.goals[at + 1 :])
    return replace(plan, goals=goals)


def without_goal(plan: FitPlan, at: int) -> FitPlan:
    """Return a plan without a goal; the same where it has none there."""
    if not 0 <= at < len(plan.goals):
        return plan
    return replace(plan, goals=plan.goals[:at] + plan.goals[at + 1 :])


def with_span(plan: FitPlan, verb: Verb, span: FitSpan, selected: int | None) -> tuple[FitPlan, int]:
    """Return a plan with a span marked, and the goal it belongs to.

    It joins the selected goal where that does the same with the same channels; else it is a goal of its own.
    """
    if selected is not None and selected < len(plan.goals):
        goal = plan.goals[selected]
        if goal.verb == verb and goal.spans and goal.channels == span.channels:
            return with_goal(plan, replace(goal, spans=(*goal.spans, span)), selected), selected
    return with_goal(plan, FitGoal(verb=verb, spans=(span,))), len(plan.goals)


def check_goals(plan: FitPlan, *, duration_s: float | None, rate_hz: float) -> None:
    """Refuse goals that cannot be: none, spans outside the recording, both kept and removed, above half the rate.

    Raises
    ------
    SpecError
        Names the goal and what to do.
    """
    if not plan.goals:
        hint = "mark a span on the traces, or add a band"
        raise SpecError("fit", "there is no goal yet", hint=hint)
    for goal in plan.goals:
        for band in goal.bands:
            if band.low_hz >= rate_hz / 2:
                words = f"{goal.sentence} lies above fs/2 = {rate_hz / 2:g} Hz"
                raise SpecError("fit", words, hint="give it a lower band, or remove it")
        for span in goal.spans:
            if span.start_s < 0 or (duration_s is not None and span.stop_s > duration_s + 1e-9):
                words = f"{goal.sentence} marks {span.start_s:.2f} to {span.stop_s:.2f} s, outside the recording"
                raise SpecError("fit", words, hint="remove it, or mark another span")
    kept = [(goal, span) for goal in plan.goals if goal.is_keep for span in goal.spans]
    removed = [(goal, span) for goal in plan.goals if not goal.is_keep for span in goal.spans]
    for (keep, one), (remove, other) in product(kept, removed):
        both = tuple(name for name in one.channels if name in other.channels)
        if both and one.start_s < other.stop_s and other.start_s < one.stop_s:
            at_s = max(one.start_s, other.start_s)
            words = f"{keep.sentence} and {remove.sentence} mark the same span of {both[0]} at {at_s:.2f} s"
            raise SpecError("fit", words, hint="remove one of them")


def describe_fit(before: FitPlan, after: FitPlan) -> str:
    """Return what happened to a plan, in the words of undo."""
    if before.goals == after.goals:
        if before.most_poles != after.most_poles:
            return f"Fit: at most {after.most_poles} poles"
        return f"Fit: ringing under {after.ringing_s * 1e3:g} ms"
    come = [goal for goal in after.goals if goal not in before.goals]
    gone = [goal for goal in before.goals if goal not in after.goals]
    if come and gone:
        return f"Change goal: {come[0].sentence}"
    changed = (come or gone or list(after.goals))[0]
    return f"{'Add' if come else 'Remove'} goal: {changed.sentence}"
