"""The commands about events: add, edit, remove, mark as bad, go to the next, list them, files of them."""

from __future__ import annotations

from jaxscope.gui.commands import Command, has_recording, here
from jaxscope.gui.window_actions import WindowActions

_SECTION = 3


def _has_selected(window: WindowActions) -> bool:
    return window.events.selected is not None


def _has_events(window: WindowActions) -> bool:
    return bool(window.events.events)


_NONE = "No event is selected"

EVENTS = (
    Command(
        name="add_event",
        text="Add event…",
        rows=here("event at the cursor or over the selection"),
        menu="Edit",
        section=_SECTION,
        run=lambda window: window.events.add(),
        is_enabled=has_recording,
    ),
    Command(
        name="edit_event",
        text="Edit event…",
        rows=here("edit the selected event"),
        menu="Edit",
        section=_SECTION,
        run=lambda window: window.events.edit(),
        is_enabled=_has_selected,
        needs=_NONE,
    ),
    Command(
        name="remove_event",
        text="Remove event",
        rows=here("remove the selected event"),
        menu="Edit",
        section=_SECTION,
        run=lambda window: window.events.remove(),
        is_enabled=_has_selected,
        needs=_NONE,
    ),
    Command(
        name="bad_event",
        text="Bad span",
        menu="Edit",
        section=_SECTION,
        run=lambda window: window.events.toggle_bad(),
        is_enabled=lambda window: window.events.can_turn_bad,
        is_on=lambda window: window.events.selected is not None and window.events.selected.marks_bad,
        needs="No event is selected, or its text says that it is bad",
    ),
    Command(
        name="event_list",
        text="List of events",
        rows=here("list of events"),
        menu="View",
        section=_SECTION,
        run=lambda window: window.events.open_list(),
        is_enabled=has_recording,
    ),
    Command(
        name="import_events",
        text="Import events…",
        menu="File",
        section=2,
        run=lambda window: window.events.import_table(),
        is_enabled=has_recording,
    ),
    Command(
        name="export_events",
        text="Export events…",
        menu="File",
        section=2,
        run=lambda window: window.events.export_table(window.events.events),
        is_enabled=_has_events,
        needs="There are no events",
    ),
    Command(
        name="exclude_bad_spans",
        text="Leave bad spans out",
        menu="Filter",
        section=1,
        run=lambda window: window.events.toggle_bad_spans(),
        is_enabled=has_recording,
        is_on=lambda window: window.shell.state.document.bad_spans == "exclude",
    ),
    Command(name="next_event", text="Next event", rows=here("next event"), run=lambda window: window.events.next(1)),
    Command(
        name="previous_event",
        text="Previous event",
        rows=here("previous event"),
        run=lambda window: window.events.next(-1),
    ),
)
