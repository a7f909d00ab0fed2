"""What the user can do with events and bad spans. An event is named by its value: what it was, and what it becomes."""

from __future__ import annotations

from dataclasses import dataclass

from jaxscope.data.annotations import Annotation
from jaxscope.session.action import Action
from jaxscope.session.state import BadSpanPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class AddEvents(Action):
    """Note one event, which is then selected, or many at once."""

    events: tuple[Annotation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEvents(Action):
    """All events of the file are known now, in place of those of its first part; what was done to them stays.

    It is nothing to undo: every document of the history is of this file.
    """

    events: tuple[Annotation, ...]
    instead_of: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeEvent(Action):
    """Move, resize or rename an event: ``to`` takes the place of ``event``."""

    event: Annotation
    to: Annotation


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveEvents(Action):
    """Take events away."""

    events: tuple[Annotation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectEvent(Action):
    """The event that Delete, F2 and the arrows of its edges are for; None is none."""

    event: Annotation | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetBadSpans(Action):
    """Whether what is marked as bad is filtered like the rest, or left out."""

    policy: BadSpanPolicy
