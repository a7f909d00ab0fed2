"""The next document and selection after something was done to events, and the change in words.

Invariant: the events of a document are in order of onset. An event that is not there is neither changed nor removed.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

from jaxscope.data.annotations import Annotation, EventEdits, changed_part, in_order, place_of, with_event
from jaxscope.errors import SpecError, counted
from jaxscope.session.action import Action
from jaxscope.session.actions_events import AddEvents, ChangeEvent, RemoveEvents, SelectEvent, SetBadSpans
from jaxscope.session.state import Document, Viewport

#: Texts that are offered when an event is typed.
MOST_RECENT = 8


def edits_of(document: Document) -> EventEdits:
    """Return the events of a document, and what is known of those in the file."""
    return EventEdits(events=document.annotations, known=document.read_events)


def with_events_of_file(document: Document, found: tuple[Annotation, ...]) -> Document:
    """Return a document whose recording was opened and holds ``found``: what is new there is taken in."""
    edits = edits_of(document)
    known = set(found)
    older = tuple(event for event in edits.removed if event not in known)
    return replace(document, annotations=edits.on(found), read_events=(*found, *older))


def with_events(document: Document, action: Action) -> Document:
    """Return the document after an action on its events.

    Raises
    ------
    SpecError
        For a time or a duration that cannot be.
    """
    events = document.annotations
    match action:
        case AddEvents():
            for event in action.events:
                _check(event)
            if len(action.events) == 1:
                return replace(document, annotations=with_event(events, action.events[0]))
            return replace(document, annotations=in_order((*events, *action.events))) if action.events else document
        case ChangeEvent() if (at := place_of(events, action.event)) is not None and action.event != action.to:
            _check(action.to)
            return replace(document, annotations=with_event(events, action.to, at))
        case RemoveEvents():
            gone = Counter(action.events)
            kept = tuple(event for event in events if not _take(gone, event))
            return document if len(kept) == len(events) else replace(document, annotations=kept)
        case SetBadSpans():
            return replace(document, bad_spans=action.policy)
        case _:
            return document


def with_selected_event(viewport: Viewport, action: Action) -> Viewport:
    """Return the viewport with the event selected that an action is about."""
    match action:
        case SelectEvent():
            return replace(viewport, selected_event=action.event)
        case AddEvents() if len(action.events) == 1:
            return replace(viewport, selected_event=action.events[0])
        case ChangeEvent() if viewport.selected_event == action.event:
            return replace(viewport, selected_event=action.to)
        case RemoveEvents() if viewport.selected_event in action.events:
            return replace(viewport, selected_event=None)
        case _:
            return viewport


def recent_texts(document: Document, typed: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the texts to offer for an event: those typed last first, then the most frequent ones."""
    counts = Counter(event.text for event in document.annotations if event.text)
    frequent = [text for text, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    return tuple(dict.fromkeys((*typed, *frequent)))[:MOST_RECENT]


def describe_events(before: tuple[Annotation, ...], after: tuple[Annotation, ...]) -> str:
    """Return what happened to events in a few words, such as ``"Move event Blink"``."""
    first, stop, other = changed_part(before, after)
    old, new = Counter(before[first:stop]), Counter(after[first:other])
    gone, come = list((old - new).elements()), list((new - old).elements())
    if len(gone) == len(come) == 1:
        return _describe_change(gone[0], come[0])
    if gone and come:
        return "Events"
    verb, events = ("Add", come) if come else ("Remove", gone)
    return f"{verb} event{_called(events[0])}" if len(events) == 1 else f"{verb} {counted(len(events), 'event')}"


def _describe_change(old: Annotation, new: Annotation) -> str:
    if old.text != new.text:
        return f"Rename event{_called(old)} → {new.text or 'none'}"
    if old.channels != new.channels:
        return f"Channels of event{_called(new)}"
    if old.marks_bad != new.marks_bad:
        return f"{'Mark' if new.marks_bad else 'Unmark'} event{_called(new)} as bad"
    return f"{'Move' if old.duration_s == new.duration_s else 'Resize'} event{_called(new)}"


def _called(event: Annotation) -> str:
    return f" {event.text}" if event.text else ""


def _take(gone: Counter[Annotation], event: Annotation) -> bool:
    if gone[event] > 0:
        gone[event] -= 1
        return True
    return False


def _check(event: Annotation) -> None:
    if not math.isfinite(event.onset_s):
        raise SpecError("onset_s", f"an event at {event.onset_s:g} s cannot be", hint="give a time in seconds")
    if event.duration_s is not None and not (math.isfinite(event.duration_s) and event.duration_s >= 0):
        raise SpecError("duration_s", f"an event of {event.duration_s:g} s cannot be", hint="give 0 s or more")
