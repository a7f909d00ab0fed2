"""What the window does with events: add, edit, remove, go from one to the next, list them, files of them.

The state is changed by actions alone; here is what a key or an entry of the menu means at this moment.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QFileDialog

from jaxscope.data.annotations import Annotation, place_of
from jaxscope.data.event_tables import events_table, parse_events
from jaxscope.errors import JaxscopeError, ReadError, WriteError, counted
from jaxscope.gui.event_looks import looks_of
from jaxscope.session.actions_events import AddEvents, ChangeEvent, RemoveEvents, SelectEvent, SetBadSpans
from jaxscope.session.events import recent_texts

if TYPE_CHECKING:
    from jaxscope.gui.views.event_editor import EventEditor
    from jaxscope.gui.views.event_list import EventList
    from jaxscope.gui.window_actions import WindowActions

_TABLES = "Events (*.csv *.tsv *.txt);;All files (*)"
#: A table of events that is larger is a recording: it is not read.
MAX_BYTES = 64 << 20
#: Digits of a second that an event under the pointer keeps.
_DIGITS = 6


class EventDesk:
    """Events of one window."""

    def __init__(self, actions: WindowActions) -> None:
        self._actions = actions
        self._shell = actions.shell
        self._typed: tuple[str, ...] = ()
        self._editor: EventEditor | None = None
        self._list: EventList | None = None

    # --- what there is

    @property
    def events(self) -> tuple[Annotation, ...]:
        """The events of the document."""
        return self._shell.state.document.annotations

    @property
    def selected(self) -> Annotation | None:
        """The selected event, None where none is or where it is gone."""
        event = self._shell.viewport.selected_event
        return event if event is not None and place_of(self.events, event) is not None else None

    @property
    def editor(self) -> EventEditor:
        """The form of an event."""
        if self._editor is None:
            from jaxscope.gui.views.event_editor import EventEditor

            self._editor = EventEditor(self._actions.window, self._actions.window.traces)
        return self._editor

    @property
    def list(self) -> EventList:
        """The list of events."""
        if self._list is None:
            from jaxscope.gui.views.event_list import EventList

            self._list = EventList(self._actions.window, self)
            self._shell.store.subscribe(self._list.show_state)
        return self._list

    # --- one event

    def add(self) -> None:
        """Type a new event: between two cursors, at one, under the pointer, else in the middle of the window."""
        self._show()
        shell, traces = self._shell, self._actions.window.traces
        cursors_s = sorted(shell.viewport.cursors_s)
        pointer_s = None if traces.pointer is None else traces.second_at(traces.pointer.x())
        middle_s = shell.viewport.start_s + shell.viewport.duration_s / 2
        onset_s = cursors_s[0] if cursors_s else pointer_s if pointer_s is not None else middle_s
        length_s = round(cursors_s[1] - onset_s, _DIGITS) if len(cursors_s) == 2 else None
        self._ask(Annotation(onset_s=round(onset_s, _DIGITS), duration_s=length_s), is_new=True)

    def edit(self) -> None:
        """Type another text for the selected event."""
        event = self.selected
        if event is not None:
            self._show()
            self._bring(event)
            self._ask(event, is_new=False)

    def remove(self) -> None:
        """Take the selected event away."""
        event = self.selected
        if event is not None:
            self._shell.dispatch(RemoveEvents(events=(event,)))

    def toggle_bad(self) -> None:
        """Mark the selected event as bad, or take that back."""
        event = self.selected
        if event is not None:
            self._shell.dispatch(ChangeEvent(event=event, to=replace(event, is_bad=not event.is_bad)))

    @property
    def can_turn_bad(self) -> bool:
        """Whether the selected event can be marked as bad, or not any more: not where its text says it."""
        return self.selected is not None and not self.selected.says_bad

    def next(self, direction: int) -> None:
        """Select the next (1) or the previous (-1) event, and show it."""
        selected, viewport, index = self.selected, self._shell.viewport, looks_of(self.events).index
        middle_s = viewport.start_s + viewport.duration_s / 2
        if selected is not None and viewport.start_s <= selected.onset_s <= viewport.start_s + viewport.duration_s:
            at = (place_of(self.events, selected) or 0) + direction
            event = self.events[at] if 0 <= at < len(self.events) else None
        else:
            event = index.beside(middle_s, direction)
        if event is not None:
            self.go_to(event)

    def go_to(self, event: Annotation) -> None:
        """Select an event and put its onset into the middle of the window."""
        self._shell.dispatch(SelectEvent(event=event))
        navigator, duration_s = self._shell.navigator, self._shell.viewport.duration_s
        navigator.remember()
        navigator.look(event.onset_s - duration_s / 2, duration_s)

    def toggle_bad_spans(self) -> None:
        """Leave bad spans out of filtering, or filter them as well."""
        is_out = self._shell.state.document.bad_spans == "exclude"
        self._shell.dispatch(SetBadSpans(policy="keep" if is_out else "exclude"))

    # --- many

    def open_list(self) -> None:
        """Open the list of events, or close it."""
        if self.list.isVisible():
            self.list.close_floating()
        else:
            self.list.open_under(self._actions.window.strip)

    def remove_all(self, events: tuple[Annotation, ...]) -> None:
        """Take events away, as one step."""
        self._shell.dispatch(RemoveEvents(events=events))

    def export_table(self, events: tuple[Annotation, ...]) -> None:
        """Ask where, and write events as CSV or TSV."""
        source = Path(self._shell.path)
        proposal = str(source.with_name(f"{source.stem}-events.csv"))
        path, _ = QFileDialog.getSaveFileName(self._actions.window, "Export events", proposal, _TABLES)
        if path:
            try:
                write_events(path if Path(path).suffix else f"{path}.csv", events)
            except JaxscopeError as error:
                self._actions.window.refuse(error)
                return
            self._actions.say(f"Saved {counted(len(events), 'event')} to {Path(path).name}")

    def import_table(self) -> None:
        """Ask for a table of events, and add those that are not there yet."""
        folder = str(Path(self._shell.path).parent)
        path, _ = QFileDialog.getOpenFileName(self._actions.window, "Import events", folder, _TABLES)
        if path:
            try:
                found = read_events(path)
            except JaxscopeError as error:
                self._actions.window.refuse(error)
                return
            known = set(self.events)
            new = tuple(event for event in found if event not in known)
            self._show()
            self._shell.dispatch(AddEvents(events=new))
            old = len(found) - len(new)
            more = f", {old} {'was' if old == 1 else 'were'} there already" if old else ""
            self._actions.say(f"Added {counted(len(new), 'event')} from {Path(path).name}{more}")

    # --- inside

    def _show(self) -> None:
        """Have events shown: what is added must be seen."""
        if not self._shell.viewport.show_events:
            self._shell.toggle_display("show_events")

    def _bring(self, event: Annotation) -> None:
        viewport = self._shell.viewport
        if not viewport.start_s <= event.onset_s <= viewport.start_s + viewport.duration_s:
            self.go_to(event)

    def _ask(self, event: Annotation, *, is_new: bool) -> None:
        shell, traces = self._shell, self._actions.window.traces
        pane = traces.model.panes(traces.width())[0]
        x = pane.x_of(event.onset_s, shell.viewport.start_s, shell.viewport.duration_s)

        def take(to: Annotation) -> None:
            self._typed = tuple(dict.fromkeys((to.text, *self._typed)))
            if is_new:
                shell.dispatch(AddEvents(events=(to,)))
            else:
                shell.dispatch(ChangeEvent(event=event, to=to))

        self.editor.ask(
            event,
            QPointF(x, 0),
            texts=recent_texts(shell.state.document, self._typed),
            channels=shell.viewport.selected_channels,
            is_new=is_new,
            take=take,
        )


def write_events(path: str, events: tuple[Annotation, ...]) -> None:
    """Write events as a table; tabs part the columns of a TSV.

    Raises
    ------
    WriteError
        Where the disk refuses.
    """
    delimiter = "\t" if Path(path).suffix.lower() in (".tsv", ".txt") else ","
    try:
        Path(path).write_text(events_table(events, delimiter), encoding="utf-8", newline="")
    except OSError as error:
        raise WriteError(
            f"{Path(path).name} cannot be written: {error.strerror or error}", hint="choose another folder"
        ) from error


def read_events(path: str) -> tuple[Annotation, ...]:
    """Return the events of a table.

    Raises
    ------
    ReadError
        Where it cannot be read, is no table of events, or larger than one ever is.
    """
    try:
        n_bytes = Path(path).stat().st_size
        if n_bytes > MAX_BYTES:
            size = f"{n_bytes / 1e6:.0f} MB"
            raise ReadError(f"{Path(path).name} has {size}, too much for a table of events", hint="choose another file")
        return parse_events(Path(path).read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise ReadError(f"{Path(path).name} is not a table of text", hint="save it as CSV in UTF-8") from error
    except OSError as error:
        words = f"{Path(path).name} cannot be read: {error.strerror or error}"
        raise ReadError(words, hint="check the path") from error
