"""Events in the window: typed, dragged, removed, gone through, listed, hidden."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from jaxscope.data.annotations import Annotation, in_order
from jaxscope.gui.event_desk import MAX_BYTES
from jaxscope.gui.event_looks import BAD_COLOUR, EventLooks, looks_of
from jaxscope.gui.views import traces_events
from jaxscope.gui.views.dock_edges import EdgesPopover
from jaxscope.gui.views.traces_event_drag import moved
from jaxscope.gui.views.traces_events import Hit
from jaxscope.session import actions as act
from jaxscope.session.actions_events import AddEvents, SelectEvent

LEFT = Qt.MouseButton.LeftButton
SPAN = Annotation(onset_s=2.0, duration_s=2.0, text="span")


def _x(desk, second: float) -> int:
    traces = desk.window.traces
    pane = traces.model.panes(traces.width())[0]
    return round(pane.x_of(second, desk.store.state.viewport.start_s, desk.store.state.viewport.duration_s))


def _drag(desk, start: QPoint, *stops: QPoint, release: bool = True) -> None:
    traces = desk.window.traces
    QTest.mousePress(traces, LEFT, pos=start)
    for stop in stops:
        QTest.mouseMove(traces, stop)
    if release:
        QTest.mouseRelease(traces, LEFT, pos=stops[-1] if stops else start)


def _key(desk, key: Qt.Key, modifiers=Qt.KeyboardModifier.NoModifier) -> None:
    desk.window.traces.setFocus()
    QTest.keyClick(desk.window.traces, key, modifiers)


def _texts(desk) -> list[str]:
    return [event.text for event in desk.store.state.document.annotations]


@pytest.fixture
def events(desk):
    """Return the desk of events, and no pointer over the traces."""
    desk.window.traces.set_pointer(None)
    return desk.window.actions_.events


# --- typing


def test_a_types_an_event_under_the_pointer(desk, events):
    desk.window.traces.set_pointer(QPointF(_x(desk, 7.0), 300))
    _key(desk, Qt.Key.Key_A)
    assert events.editor.isVisible()
    assert _texts(desk) == ["start", "later"]
    QTest.keyClicks(events.editor.field, "sneeze")
    QTest.keyClick(events.editor.field, Qt.Key.Key_Return)
    assert not events.editor.isVisible()
    assert _texts(desk) == ["start", "sneeze", "later"]
    added = desk.store.state.document.annotations[1]
    assert added.onset_s == pytest.approx(7.0, abs=0.01)
    assert added.duration_s is None
    assert events.selected == added
    desk.store.undo()
    assert _texts(desk) == ["start", "later"]


def test_two_cursors_make_a_span_and_one_makes_a_moment(desk, events):
    desk.store.dispatch(act.SetCursors(cursors_s=(6.0, 2.5)))
    _key(desk, Qt.Key.Key_A)
    QTest.keyClicks(events.editor.field, "BAD cable")
    QTest.keyClick(events.editor.field, Qt.Key.Key_Return)
    made = events.selected
    assert (made.onset_s, made.duration_s, made.is_bad, made.marks_bad) == (2.5, 3.5, False, True)
    desk.store.dispatch(act.SetCursors(cursors_s=(1.25,)))
    events.add()
    events.editor.take_button.click()
    assert (events.selected.onset_s, events.selected.duration_s) == (1.25, None)


def test_texts_from_before_are_offered_and_the_last_one_typed_is_the_first(desk, events):
    events.add()
    assert [button.text() for button in events.editor.recents if button.isVisible()] == ["later", "start"]
    QTest.keyClick(events.editor.field, Qt.Key.Key_Down)
    QTest.keyClick(events.editor.field, Qt.Key.Key_Down)
    assert events.editor.field.text() == "start"
    QTest.keyClick(events.editor.field, Qt.Key.Key_Up)
    assert events.editor.field.text() == "later"
    events.editor.recents[1].click()
    assert _texts(desk).count("start") == 2
    events.add()
    assert events.editor.recents[0].text() == "start"
    QTest.keyClick(events.editor.field, Qt.Key.Key_Return)
    assert _texts(desk).count("start") == 3


def test_esc_adds_nothing_and_letters_stay_in_the_field(desk, events):
    before = desk.store.state.document
    events.add()
    QTest.keyClicks(events.editor.field, "abcdnrxz1234")
    QTest.keyClick(events.editor.field, Qt.Key.Key_Escape)
    assert not events.editor.isVisible()
    assert desk.store.state.document is before
    assert desk.store.state.viewport.mode == "overlay"


def test_a_flag_and_channels_are_typed_as_well(desk, events):
    desk.store.dispatch(act.SelectChannels(names=("Fp1", "O1")))
    desk.store.dispatch(act.SetCursors(cursors_s=(1.0, 2.0)))
    events.add()
    editor = events.editor
    QTest.keyClicks(editor.field, "pop")
    editor.bad.setChecked(True)
    assert editor.only.isEnabled()
    editor.only.setChecked(True)
    editor.take_button.click()
    assert (events.selected.channels, events.selected.is_bad) == (("Fp1", "O1"), True)
    events.edit()
    assert editor.bad.isChecked()
    assert editor.only.isChecked()
    editor.only.setChecked(False)
    editor.take_button.click()
    assert events.selected.channels == ()


def test_what_is_added_is_seen(desk, events):
    _key(desk, Qt.Key.Key_A, Qt.KeyboardModifier.ShiftModifier)
    assert not desk.store.state.viewport.show_events
    events.add()
    assert desk.store.state.viewport.show_events


# --- the mouse


def test_a_click_selects_and_a_click_beside_it_selects_none(desk, events):
    desk.store.dispatch(AddEvents(events=(SPAN,)))
    desk.store.dispatch(SelectEvent(event=None))
    _drag(desk, QPoint(_x(desk, 3.0), 2))
    assert events.selected == SPAN
    _drag(desk, QPoint(_x(desk, 8.0), 300))
    assert events.selected is None
    # in the middle of the traces an event that is not selected is in nobody's way
    _drag(desk, QPoint(_x(desk, 2.0), 300))
    assert events.selected is None


@pytest.mark.parametrize(
    ("at_s", "y", "by_s", "expected"),
    [(3.0, 2, 1.5, (3.5, 2.0)), (4.0, 400, 1.0, (2.0, 3.0)), (2.0, 400, -1.0, (1.0, 3.0)), (2.0, 400, 9.0, (4.0, 0.0))],
)
def test_a_drag_moves_or_resizes_as_one_step(desk, events, at_s, y, by_s, expected):
    desk.store.dispatch(AddEvents(events=(SPAN,)))
    steps = len(desk.store.history)
    start, stop = QPoint(_x(desk, at_s), y), QPoint(min(_x(desk, at_s + by_s), desk.window.traces.width() + 900), y)
    _drag(desk, start, (start + stop) / 2, stop)
    event = events.selected
    assert (event.onset_s, event.duration_s) == pytest.approx(expected, abs=0.02)
    assert len(desk.store.history) == steps + 1
    desk.store.undo()
    assert SPAN in desk.store.state.document.annotations


def test_esc_puts_a_dragged_event_back(desk, events):
    desk.store.dispatch(AddEvents(events=(SPAN,)))
    steps = desk.store.history
    start = QPoint(_x(desk, 3.0), 2)
    _drag(desk, start, start + QPoint(60, 0), start + QPoint(120, 0), release=False)
    assert events.selected.onset_s > 2.3
    desk.window.actions_.escape()
    assert events.selected == SPAN
    assert desk.store.history == steps
    QTest.mouseRelease(desk.window.traces, LEFT, pos=start + QPoint(120, 0))
    assert events.selected == SPAN


def test_a_press_without_a_move_changes_nothing(desk, events):
    desk.store.dispatch(AddEvents(events=(SPAN,)))
    before = desk.store.state.document
    start = QPoint(_x(desk, 3.0), 2)
    _drag(desk, start, start + QPoint(2, 0))
    assert desk.store.state.document is before


def test_a_double_click_and_f2_edit(desk, events):
    desk.store.dispatch(AddEvents(events=(SPAN,)))
    desk.store.dispatch(SelectEvent(event=None))
    QTest.mouseDClick(desk.window.traces, LEFT, pos=QPoint(_x(desk, 3.0), 2))
    assert events.editor.isVisible()
    assert events.editor.field.text() == "span"
    events.editor.close_floating()
    _key(desk, Qt.Key.Key_F2)
    events.editor.field.setText("other")
    QTest.keyClick(events.editor.field, Qt.Key.Key_Return)
    assert _texts(desk) == ["other", "start", "later"]
    assert desk.store.undo_text == "Rename event span → other"
    assert desk.store.state.viewport.lane_count is None


def test_events_stay_in_the_recording_and_edges_stop_at_one_another():
    def by(part: str, shift_s: float) -> tuple[float, float | None]:
        event = moved(Hit(event=SPAN, part=part), shift_s, 10.0)
        return event.onset_s, event.duration_s

    assert by("body", -5.0) == (0.0, 2.0)
    assert by("body", 50.0) == (8.0, 2.0)
    assert by("start", 50.0) == (4.0, 0.0)
    assert by("start", -50.0) == (0.0, 4.0)
    assert by("stop", -50.0) == (2.0, 0.0)
    assert by("stop", 50.0) == (2.0, 8.0)


# --- keys


def test_n_goes_to_the_next_event_and_selects_it(desk, events):
    _key(desk, Qt.Key.Key_N)
    assert events.selected.text == "later"
    viewport = desk.store.state.viewport
    assert viewport.start_s + viewport.duration_s / 2 == pytest.approx(30.0)
    _key(desk, Qt.Key.Key_N)
    assert events.selected.text == "later"
    _key(desk, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    assert events.selected.text == "start"
    # equal onsets are gone through one by one
    desk.store.dispatch(AddEvents(events=(SPAN, SPAN, replace(SPAN, text="b"))))
    desk.store.dispatch(SelectEvent(event=SPAN))
    _key(desk, Qt.Key.Key_N)
    _key(desk, Qt.Key.Key_N)
    assert events.selected.text in ("b", "span")


def test_delete_removes_the_selected_event_only(desk, events):
    _key(desk, Qt.Key.Key_Delete)
    assert _texts(desk) == ["start", "later"]
    _key(desk, Qt.Key.Key_N)
    _key(desk, Qt.Key.Key_Delete)
    assert _texts(desk) == ["start"]
    assert events.selected is None
    desk.store.undo()
    assert _texts(desk) == ["start", "later"]


def test_bad_is_turned_on_and_off(desk, events):
    desk.store.dispatch(AddEvents(events=(SPAN,)))
    events.toggle_bad()
    assert events.selected.is_bad
    assert looks_of(desk.store.state.document.annotations).colour_of(events.selected) == BAD_COLOUR
    events.toggle_bad()
    assert events.selected == SPAN
    desk.store.dispatch(AddEvents(events=(replace(SPAN, text="BAD"),)))
    assert not events.can_turn_bad
    events.toggle_bad_spans()
    assert desk.store.state.document.bad_spans == "exclude"
    desk.store.undo()
    assert desk.store.state.document.bad_spans == "keep"


# --- the list


def test_the_list_finds_filters_and_goes(desk, events):
    more = tuple(Annotation(onset_s=40.0 + n, text="Spindle" if n % 2 else "K-complex") for n in range(6))
    desk.store.dispatch(AddEvents(events=more))
    _key(desk, Qt.Key.Key_E)
    shown = events.list
    assert shown.isVisible()
    assert shown.count.text() == "8 events"
    QTest.keyClicks(shown.search, "SPIN")
    assert [event.text for event in shown.listed] == ["Spindle"] * 3
    assert shown.count.text() == "3 of 8 events"
    QTest.keyClick(shown.search, Qt.Key.Key_Down)
    assert events.selected.onset_s == 41.0
    QTest.keyClick(shown.list, Qt.Key.Key_Down)
    assert events.selected.onset_s == 43.0
    assert desk.store.state.viewport.start_s == pytest.approx(38.0)
    QTest.keyClick(shown.list, Qt.Key.Key_Delete)
    assert [event.onset_s for event in shown.listed] == [41.0, 45.0]
    shown.search.clear()
    shown.texts.chosen.emit("K-complex")
    assert len(shown.listed) == 3
    shown.remove_button.click()
    assert shown.listed == desk.store.state.document.annotations
    assert len(shown.listed) == 4
    assert desk.store.undo_text == "Remove 3 events"
    shown.search.setFocus()
    QTest.keyClicks(shown.search, "zzz")
    assert shown.nothing.text() == 'No event says "zzz"'
    shown.close_floating()


def test_tables_go_out_and_come_in(desk, events, monkeypatch, tmp_path):
    path = tmp_path / "events.tsv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    before = desk.store.state.document.annotations
    events.export_table(before)
    assert path.read_text().splitlines()[0] == "onset\tduration\ttext"
    desk.store.dispatch(AddEvents(events=(SPAN,)))
    events.remove_all(before)
    events.import_table()
    assert desk.store.state.document.annotations == in_order((*before, SPAN))
    assert desk.store.undo_text == "Add 2 events"
    steps = desk.store.history
    events.import_table()
    assert desk.store.history == steps
    path.write_text("nothing,here\n1,2\n")
    events.import_table()
    assert desk.store.history == steps
    assert "onset" in desk.window.banner.accessibleDescription() + desk.window.banner.accessibleName()
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)  # a hole: it takes no room
    events.import_table()
    assert desk.store.history == steps
    assert "67 MB" in desk.window.banner.accessibleDescription() + desk.window.banner.accessibleName()


# --- looks


def test_a_text_has_one_colour_and_few_texts_have_different_ones():
    events = in_order(Annotation(onset_s=float(n), text=f"text {n % 6}") for n in range(30))
    looks = EventLooks(events)
    colours = {event.text: looks.colour_of(event) for event in events}
    assert len(set(colours.values())) == 6
    assert BAD_COLOUR not in colours.values()
    assert EventLooks(events[:1]).colour_of(events[0]) == EventLooks((events[0], *events[6:7])).colour_of(events[0])


def test_the_switch_of_bad_spans_says_how_many_there_are_and_what_becomes_of_them(desk, events):
    desk.window.actions_.open_edges()
    popover = desk.window.findChild(EdgesPopover)
    assert popover.bad_note.text() == "No bad span is marked: filtered like the rest, for all chains"
    desk.store.dispatch(AddEvents(events=(replace(SPAN, is_bad=True),)))
    popover.bad_spans.chosen.emit("exclude")
    assert desk.store.state.document.bad_spans == "exclude"
    assert popover.bad_note.text().startswith("1 bad span marked: not filtered")
    assert not popover.gaps.isEnabled()
    desk.store.undo()
    assert popover.bad_spans.current == "keep"
    assert popover.gaps.isEnabled()
    popover.close_floating()


def test_bad_spans_are_hatched_in_the_lanes_that_they_are_about(desk, events):
    desk.store.dispatch(AddEvents(events=(replace(SPAN, is_bad=True, channels=("O1",)),)))
    model = desk.window.traces.model
    row = next(lane.row for lane in model.lanes if lane.name == "O1")
    hatched = events.selected
    assert traces_events._rows_of(model, hatched) == [(row, row + 1)]
    assert traces_events._rows_of(model, replace(hatched, channels=())) == [(0, model.rows)]
