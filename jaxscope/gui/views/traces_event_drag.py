"""Dragging an event on the traces: its body moves it, an edge resizes it; one step of undo, and Esc puts it back."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from jaxscope.data.annotations import Annotation
from jaxscope.gui.views.base import Dispatch
from jaxscope.gui.views.traces_events import Hit
from jaxscope.session.actions_events import ChangeEvent, SelectEvent

_drags = count(1)
#: Digits of a second that a drag keeps: finer than a sample of what has events.
_DIGITS = 6


class EventDrag:
    """One drag, from press to release.

    Parameters
    ----------
    hit : Hit
        What was taken hold of.
    second : float
        Where.
    total_s : float or None
        Length of the recording; events stay in it.
    """

    def __init__(self, dispatch: Dispatch, hit: Hit, second: float, total_s: float | None) -> None:
        self._dispatch = dispatch
        self._hit = hit
        self._begun_s = second
        self._total_s = total_s
        self._now = hit.event
        self._key = f"event-drag-{next(_drags)}"
        self.is_moved = False
        dispatch(SelectEvent(event=hit.event))

    @property
    def event(self) -> Annotation:
        """The event that was taken hold of, as it was."""
        return self._hit.event

    def move(self, second: float) -> None:
        """Put the part that is held where the pointer is."""
        self._change(moved(self._hit, second - self._begun_s, self._total_s))
        self.is_moved = True

    def cancel(self) -> None:
        """Put the event back."""
        self._change(self._hit.event)

    def _change(self, to: Annotation) -> None:
        if to != self._now:
            self._dispatch(ChangeEvent(event=self._now, to=to, merge_key=self._key))
            self._now = to


def moved(hit: Hit, shift_s: float, total_s: float | None) -> Annotation:
    """Return an event with a part of it moved by a time, within the recording; edges stop at one another.

    Examples
    --------
    >>> event = Annotation(onset_s=2.0, duration_s=1.0)
    >>> moved(Hit(event=event, part="stop"), -5.0, 10.0).duration_s
    0.0
    """
    event = hit.event
    length_s, stop_s = event.duration_s or 0.0, event.stop_s
    latest_s = max(stop_s, total_s if total_s is not None else stop_s + abs(shift_s))
    earliest_s = min(0.0, event.onset_s)
    match hit.part:
        case "body":
            onset_s = min(max(event.onset_s + shift_s, earliest_s), latest_s - length_s)
            return replace(event, onset_s=round(onset_s, _DIGITS))
        case "start":
            onset_s = round(min(max(event.onset_s + shift_s, earliest_s), stop_s), _DIGITS)
            return replace(event, onset_s=onset_s, duration_s=max(0.0, round(stop_s - onset_s, _DIGITS)))
        case "stop":
            stop_s = min(max(stop_s + shift_s, event.onset_s), latest_s)
            return replace(event, duration_s=round(stop_s - event.onset_s, _DIGITS))
