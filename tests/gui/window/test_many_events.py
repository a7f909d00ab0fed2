"""Ten thousand events: what they cost is what is seen of them, and an edit of one changes no other."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest

from jaxscope.data.annotations import Annotation, in_order
from jaxscope.gui.event_looks import BAD_COLOUR, EventLooks, looks_of
from jaxscope.gui.theme import colour
from jaxscope.gui.views import overview, traces_events
from jaxscope.gui.views.overview_ticks import tick_image
from jaxscope.gui.views.traces_events import marks_in
from jaxscope.session import actions as act
from jaxscope.session.actions_events import AddEvents, ChangeEvent, SelectEvent
from jaxscope.session.state import Viewport

LEFT = Qt.MouseButton.LeftButton
SPAN = Annotation(onset_s=2.0, duration_s=2.0, text="span")


@pytest.fixture
def events(desk):
    """Return the desk of events, and no pointer over the traces."""
    desk.window.traces.set_pointer(None)
    return desk.window.actions_.events


def test_c117_ten_thousand_events_cost_no_more_than_those_that_are_seen(desk, monkeypatch):
    asked = []
    monkeypatch.setattr(
        traces_events, "Mark", lambda real=traces_events.Mark, **told: (asked.append(told["event"]), real(**told))[1]
    )
    every = in_order(
        Annotation(onset_s=0.36 * n, duration_s=(0.1 if n % 3 else None), text=f"kind {n % 7}") for n in range(10_000)
    )
    document = replace(desk.store.state.document, annotations=every)
    desk.store.dispatch(act.LoadedProject(document=document, viewport=Viewport(duration_s=10.0)))
    model, index = desk.window.traces.model, looks_of(every).index
    for start_s in (0.0, 700.0, 1795.0, 3500.0):
        asked.clear()
        desk.store.dispatch(act.LookAt(start_s=start_s, duration_s=10.0))
        desk.window.traces.grab()
        assert 20 < len(set(asked)) <= 30
        assert index.touched <= 31
    (pane,) = model.panes(desk.window.traces.width())
    desk.store.dispatch(act.LookAt(start_s=0.0, duration_s=3600.0))
    assert len(marks_in(model, pane)) <= pane.width


def _ten_thousand(desk, step_s: float = 0.006) -> tuple[Annotation, ...]:
    every = in_order(Annotation(onset_s=n * step_s, text=f"kind {n % 7}") for n in range(10_000))
    document = replace(desk.store.state.document, annotations=every)
    desk.store.dispatch(act.LoadedProject(document=document, viewport=Viewport(duration_s=10.0)))
    return every


def test_the_overview_paints_its_ticks_once(desk, monkeypatch):
    painted = []
    real = overview.tick_image
    monkeypatch.setattr(overview, "tick_image", lambda *given, **told: (painted.append(given), real(*given, **told))[1])
    _ten_thousand(desk)
    for start_s in range(10):
        desk.store.dispatch(act.LookAt(start_s=float(start_s), duration_s=10.0))
        desk.window.overview.grab()
    assert len(painted) == 1
    desk.store.dispatch(AddEvents(events=(Annotation(onset_s=3.0, text="one more"),)))
    desk.window.overview.grab()
    assert len(painted) == 2


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_ticks_stand_at_their_onsets_and_what_is_bad_covers_what_it_marks(ratio):
    events = (
        Annotation(onset_s=10.0, text="flash"),
        Annotation(onset_s=50.0, duration_s=20.0, is_bad=True),
        Annotation(onset_s=99.0, text="flash"),
    )
    looks = EventLooks(events)
    image = tick_image(looks, 140.0, ratio, left=20.0, room=100.0, total_s=100.0)
    assert image.size() == QSize(round(140 * ratio), round(8 * ratio))
    row = round(4 * ratio)
    seen = {x: image.pixelColor(x, row).name() for x in range(image.width()) if image.pixelColor(x, row).alpha()}
    bad, flash = colour(BAD_COLOUR).name(), colour(looks.colour_of(events[0])).name()
    places = {x / ratio for x, name in seen.items() if name == bad}
    assert (min(places), max(places)) == (70.0, 90.0 - 1 / ratio)
    assert {x / ratio for x, name in seen.items() if name == flash} >= {29.0, 30.0, 118.0, 119.0}
    assert not any(image.pixelColor(round(29 * ratio), y).alpha() for y in (0, image.height() - 1))


def test_an_edit_of_one_of_ten_thousand_looks_at_that_one_and_changes_no_other_colour(desk, events, monkeypatch):
    every = _ten_thousand(desk)
    looks = looks_of(every)
    colours = {event.text: looks.colour_of(event) for event in every[:7]}
    asked = []
    real = EventLooks.colour_of
    monkeypatch.setattr(EventLooks, "colour_of", lambda self, event: (asked.append(event), real(self, event))[1])
    other = replace(every[5000], onset_s=0.001, text="kind 3", is_bad=True, duration_s=2.0)
    # the first of the list now: a list looked at from the start would give out its colours anew
    desk.store.dispatch(ChangeEvent(event=every[5000], to=replace(other, onset_s=every[4990].onset_s)))
    moved_looks = looks_of(desk.store.state.document.annotations)
    assert len(asked) <= 20
    plain = EventLooks(desk.store.state.document.annotations)
    assert moved_looks.index.between(28.0, 32.0).tolist() == plain.index.between(28.0, 32.0).tolist()
    assert moved_looks.bad.tolist() == plain.bad.tolist()
    assert {event.text: moved_looks.colour_of(event) for event in every[:7]} == colours


def test_a_list_of_ten_thousand_opens_and_goes_to_one_without_asking_for_every_row(desk, events, monkeypatch):
    every = _ten_thousand(desk)
    desk.store.dispatch(SelectEvent(event=every[7000]))
    asked, counted = [], []
    model = type(events.list.model)
    data, count = model.data, model.rowCount
    monkeypatch.setattr(model, "data", lambda self, at, role=0: (asked.append(at.row()), data(self, at, role))[1])
    monkeypatch.setattr(model, "rowCount", lambda self, parent=None: (counted.append(1), count(self, parent))[1])
    events.open_list()
    events.list.grab()
    assert events.list.list.currentIndex().row() == 7000
    assert events.list.list.visualRect(events.list.list.currentIndex()).intersects(events.list.list.viewport().rect())
    assert len(set(asked)) < 60
    assert len(counted) < 500
    QTest.keyClick(events.list.list, Qt.Key.Key_Home)
    assert events.selected == every[0]
    QTest.keyClick(events.list.list, Qt.Key.Key_End)
    assert events.selected == every[-1]
    QTest.keyClick(events.list.list, Qt.Key.Key_Up)
    assert events.selected == every[-2]
    events.list.close_floating()
