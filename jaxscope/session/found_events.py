"""The document once all events of its file are known, of which those of the first part were taken in before.

Invariant: what a person did stays; an event that has another time in the whole file (its first part began later, or ran
at another rate, than was known) is there once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from jaxscope.data.annotations import Annotation, in_order
from jaxscope.session.actions_events import FoundEvents
from jaxscope.session.events import with_events_of_file
from jaxscope.session.state import Document


def with_found_events(document: Document, found: FoundEvents) -> Document:
    """Return the document with the events of the whole file in place of those of the first part."""
    gone = Counter(found.instead_of) - Counter(found.events)
    if gone:
        document = replace(
            document,
            annotations=_without(document.annotations, gone),
            read_events=_without(document.read_events, gone),
        )
    return with_events_of_file(document, in_order(found.events))


def _without(events: tuple[Annotation, ...], gone: Counter[Annotation]) -> tuple[Annotation, ...]:
    left = Counter(gone)
    kept = []
    for event in events:
        if left[event] > 0:
            left[event] -= 1
        else:
            kept.append(event)
    return tuple(kept)
