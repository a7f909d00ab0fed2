"""Events in the document: added, changed, removed, undone, saved, and taken in from a file that has changed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from jaxscope.data.annotations import Annotation, in_order
from jaxscope.errors import ChainError, SpecError
from jaxscope.session import actions as act
from jaxscope.session.actions_events import AddEvents, ChangeEvent, FoundEvents, RemoveEvents, SelectEvent, SetBadSpans
from jaxscope.session.events import recent_texts, with_events_of_file
from jaxscope.session.project import Project, load_project, save_project
from jaxscope.session.state import Document, EngineChoice, RecordingRef, Viewport
from jaxscope.session.store import Store

BLINK = Annotation(onset_s=2.0, duration_s=0.3, text="Blink")
REST = Annotation(onset_s=1.0, text="Rest")
POP = Annotation(onset_s=4.0, duration_s=1.0, text="pop", channels=("Fz",), is_bad=True)


@pytest.fixture
def store() -> Store:
    made = Store()
    made.dispatch(act.OpenedRecording(recording=RecordingRef(path="a.edf"), duration_s=10.0, annotations=(BLINK, REST)))
    return made


def test_events_of_a_file_are_put_in_order(store: Store) -> None:
    assert store.state.document.annotations == (REST, BLINK)
    assert not store.has_unsaved_changes


def test_an_event_that_is_added_is_selected_and_one_step_of_undo(store: Store) -> None:
    store.dispatch(AddEvents(events=(POP,)))
    assert store.state.document.annotations == (REST, BLINK, POP)
    assert store.state.viewport.selected_event == POP
    assert store.undo_text == "Add event pop"
    assert store.unsaved_parts == ("annotations",)
    store.undo()
    assert store.state.document.annotations == (REST, BLINK)


def test_a_drag_is_one_step_and_one_that_is_put_back_is_none(store: Store) -> None:
    store.dispatch(SelectEvent(event=BLINK))
    at = BLINK
    for onset_s in (1.5, 0.5, 3.0):
        to = Annotation(onset_s=onset_s, duration_s=0.3, text="Blink")
        store.dispatch(ChangeEvent(event=at, to=to, merge_key="drag"))
        at = to
    assert store.state.document.annotations == (REST, at)
    assert store.state.viewport.selected_event == at
    assert store.history == ("Move event Blink",)
    store.dispatch(ChangeEvent(event=at, to=BLINK, merge_key="drag"))
    assert store.history == ()
    assert store.state.document.annotations == (REST, BLINK)


@pytest.mark.parametrize(
    ("to", "words"),
    [
        (Annotation(onset_s=2.0, duration_s=1.0, text="Blink"), "Resize event Blink"),
        (Annotation(onset_s=2.0, duration_s=0.3, text="Wink"), "Rename event Blink → Wink"),
        (Annotation(onset_s=2.0, duration_s=0.3, text="Blink", is_bad=True), "Mark event Blink as bad"),
        (Annotation(onset_s=2.0, duration_s=0.3, text="Blink", channels=("Cz",)), "Channels of event Blink"),
    ],
)
def test_a_change_is_told_in_words(store: Store, to: Annotation, words: str) -> None:
    store.dispatch(ChangeEvent(event=BLINK, to=to))
    assert store.undo_text == words


def test_of_equal_events_one_is_removed_for_each_that_is_named(store: Store) -> None:
    store.dispatch(AddEvents(events=(REST, REST)))
    assert store.undo_text == "Add 2 events"
    assert store.state.viewport.selected_event is None
    store.dispatch(RemoveEvents(events=(REST,)))
    assert store.state.document.annotations == (REST, REST, BLINK)
    store.dispatch(RemoveEvents(events=(REST, REST, REST)))
    assert store.state.document.annotations == (BLINK,)


def test_what_is_not_there_is_neither_changed_nor_removed(store: Store) -> None:
    before = store.state
    store.dispatch(ChangeEvent(event=POP, to=BLINK))
    store.dispatch(RemoveEvents(events=(POP,)))
    store.dispatch(AddEvents(events=()))
    assert store.state is before


@pytest.mark.parametrize(
    "event",
    [
        Annotation(onset_s=float("nan")),
        Annotation(onset_s=float("inf")),
        Annotation(onset_s=1.0, duration_s=-1.0),
        Annotation(onset_s=1.0, duration_s=float("nan")),
    ],
)
def test_an_event_at_no_time_is_refused(store: Store, event: Annotation) -> None:
    before = store.state
    with pytest.raises(SpecError):
        store.dispatch(AddEvents(events=(event,)))
    with pytest.raises(SpecError):
        store.dispatch(ChangeEvent(event=BLINK, to=event))
    assert store.state is before


def test_an_undo_that_brings_an_event_back_has_it_selected_again(store: Store) -> None:
    store.dispatch(SelectEvent(event=BLINK))
    store.dispatch(ChangeEvent(event=BLINK, to=POP))
    store.undo()
    store.dispatch(SelectEvent(event=BLINK))
    store.dispatch(RemoveEvents(events=(BLINK,)))
    assert store.state.viewport.selected_event is None


def test_leaving_bad_spans_out_is_undone_and_told(store: Store) -> None:
    store.dispatch(SetBadSpans(policy="exclude"))
    assert store.state.document.bad_spans == "exclude"
    assert store.undo_text == "Leave bad spans out"
    store.undo()
    assert store.state.document.bad_spans == "keep"


def _round_trip(folder: Path, document: Document) -> Document:
    path = folder / "a.jaxscope"
    viewport = Viewport(selected_event=POP)
    save_project(path, Project(document=document, viewport=viewport, engine=EngineChoice()))
    loaded = load_project(path)
    assert loaded.viewport.selected_event is None
    return loaded.document


def test_a_project_keeps_events_what_was_removed_and_the_switch(store: Store, tmp_path: Path) -> None:
    store.dispatch(RemoveEvents(events=(BLINK,)))
    store.dispatch(AddEvents(events=(POP,)))
    store.dispatch(SetBadSpans(policy="exclude"))
    loaded = _round_trip(tmp_path, store.state.document)
    assert loaded.annotations == (REST, POP)
    assert loaded.bad_spans == "exclude"
    assert with_events_of_file(loaded, (BLINK, REST)) == _with(loaded, (REST, POP), (BLINK, REST))
    assert _round_trip(tmp_path, loaded).read_events == (BLINK,)


def test_events_that_are_new_in_the_file_come_in_and_edits_stay(store: Store, tmp_path: Path) -> None:
    store.dispatch(RemoveEvents(events=(BLINK,)))
    store.dispatch(ChangeEvent(event=REST, to=POP))
    loaded = _round_trip(tmp_path, store.state.document)
    late = Annotation(onset_s=9.0, text="late")
    opened = with_events_of_file(loaded, (REST, BLINK, late))
    assert opened.annotations == (POP, late)
    without = with_events_of_file(loaded, ())
    assert without.annotations == (POP,)
    # what the file lost for a while is still known to have been removed
    assert with_events_of_file(without, (REST, BLINK)).annotations == (POP,)


def _with(document: Document, annotations: tuple[Annotation, ...], read: tuple[Annotation, ...]) -> Document:
    return replace(document, annotations=annotations, read_events=read)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("bad_spans", "maybe"),
        ("annotations", [{"onset_s": 1.0, "is_bad": "yes"}]),
        ("annotations", [{"onset_s": 1.0, "channels": "Fz"}]),
        ("removed_events", [{"text": "no time"}]),
    ],
)
def test_a_project_with_impossible_events_is_refused(tmp_path: Path, name: str, value: object) -> None:
    path = tmp_path / "a.jaxscope"
    path.write_text(json.dumps({"format": "jaxscope-project", "version": 1, name: value}))
    with pytest.raises(ChainError):
        load_project(path)


def test_texts_typed_last_are_offered_first_then_the_frequent_ones() -> None:
    document = Document(annotations=in_order((BLINK, BLINK, REST, POP, Annotation(onset_s=0.0))))
    assert recent_texts(document, ("Rest", "New")) == ("Rest", "New", "Blink", "pop")


def test_events_that_are_found_later_are_in_every_step_of_the_history(store: Store) -> None:
    mine, late = Annotation(onset_s=3.0, text="mine"), Annotation(onset_s=9.0, text="late")
    store.dispatch(AddEvents(events=(mine,)))
    store.dispatch(RemoveEvents(events=(REST,)))
    store.dispatch(FoundEvents(events=(late, BLINK, REST)))
    assert store.state.document.annotations == (BLINK, mine, late)
    assert store.state.document.read_events == (REST, BLINK, late)
    assert store.history == ("Add event mine", "Remove event Rest")
    store.undo()
    assert store.state.document.annotations == (REST, BLINK, mine, late)
    store.undo()
    assert store.state.document.annotations == (REST, BLINK, late)
    assert not store.has_unsaved_changes
    store.redo()
    store.redo()
    assert store.state.document.annotations == (BLINK, mine, late)


def test_events_that_are_known_already_change_nothing(store: Store) -> None:
    state = store.state
    store.dispatch(FoundEvents(events=(BLINK, REST)))
    assert store.state is state


def test_an_event_that_is_elsewhere_once_all_of_a_file_is_known_is_not_there_twice(store: Store) -> None:
    whole = (replace(BLINK, onset_s=2.5), replace(REST, onset_s=1.5))
    store.dispatch(FoundEvents(events=whole, instead_of=(BLINK, REST)))
    assert store.state.document.read_events == in_order(whole)
    assert [event.onset_s for event in store.state.document.annotations] == [1.5, 2.5]
