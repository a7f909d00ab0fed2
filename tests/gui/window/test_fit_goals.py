"""The goals of a fit in the window: marked by hand and key, typed, edited, and seen on the traces."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from jaxscope.gui.command_table import command
from jaxscope.gui.views import traces_goals
from jaxscope.session import actions as act
from jaxscope.session.actions_fit import SetGoal
from jaxscope.session.fit import FitGoal, FitSpan, fit_bands

HUM = FitGoal(verb="remove", name="Hum", bands=fit_bands("50 Hz"))


def _goals(desk):
    return desk.store.state.document.fit.goals


def _asked(desk, what="fit"):
    return [item[1] for item in desk.conductor.asked if item[0] == what]


def _press(desk, key, modifier=Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(desk.window.traces, key, modifier)


def _select(desk, start_s, stop_s, *names):
    desk.store.dispatch(act.SelectChannels(names=names))
    desk.store.dispatch(act.SetCursors(cursors_s=(start_s, stop_s)))


@pytest.fixture
def panel(desk):
    """Return the panel of a fit that was opened by its key."""
    desk.window.traces.setFocus()
    _press(desk, Qt.Key.Key_W, Qt.KeyboardModifier.ShiftModifier)
    return desk.window.fit


def test_a_drag_selects_and_keys_mark_goals_that_further_spans_join(desk, panel):
    traces = desk.window.traces
    lane = traces.height() // 6
    QTest.mousePress(traces, Qt.MouseButton.LeftButton, pos=QPoint(200, 2 * lane + 5))
    QTest.mouseMove(traces, QPoint(500, 4 * lane - 5))
    QTest.mouseRelease(traces, Qt.MouseButton.LeftButton, pos=QPoint(500, 4 * lane - 5))
    assert desk.store.state.viewport.selected_channels == ("O1", "O2")
    assert desk.store.state.viewport.duration_s == 10.0, "it does not zoom while goals are marked"
    _press(desk, Qt.Key.Key_K)
    (goal,) = _goals(desk)
    assert (goal.verb, goal.channels) == ("keep", ("O1", "O2"))
    assert goal.spans[0].start_s == pytest.approx(traces.second_at(200), abs=0.02)
    _select(desk, 6.0, 7.0, "O1", "O2")
    _press(desk, Qt.Key.Key_K)
    _press(desk, Qt.Key.Key_J)
    assert [(one.verb, len(one.spans)) for one in _goals(desk)] == [("keep", 2), ("remove", 1)]
    assert panel.goals.selected == 1
    _press(desk, Qt.Key.Key_Delete)
    assert [one.verb for one in _goals(desk)] == ["keep"]
    desk.store.undo()
    assert len(_goals(desk)) == 2


def test_without_a_selection_nothing_is_marked_and_the_buttons_say_why(desk, panel):
    desk.store.dispatch(act.SetCursors(cursors_s=()))
    _press(desk, Qt.Key.Key_K)
    assert not _goals(desk)
    assert not panel.parts.keep_span.isEnabled()
    assert "Nothing is selected" in panel.parts.keep_span.toolTip()
    assert command("fit_keep").why_not(desk.window.actions_)
    _select(desk, 1.0, 2.0, "Fp1")
    assert panel.parts.keep_span.isEnabled()
    panel.parts.remove_span.click()
    assert _goals(desk)[0].verb == "remove"


def test_a_click_on_a_mark_selects_its_goal_and_marks_are_seen_with_the_panel_alone(desk, panel):
    traces, model = desk.window.traces, desk.window.traces.model
    span = FitSpan(start_s=2.0, stop_s=4.0, channels=("O1",))
    desk.store.dispatch(SetGoal(goal=HUM))
    desk.store.dispatch(SetGoal(goal=FitGoal(verb="keep", name="alpha", spans=(span,))))
    lane = traces.height() // 6
    QTest.mouseClick(traces, Qt.MouseButton.LeftButton, pos=QPoint(round(traces.width() * 0.3), 2 * lane + lane // 2))
    assert panel.goals.selected == model.goals.selected == 1
    with_marks = traces.grab().toImage()
    _press(desk, Qt.Key.Key_Escape)
    assert not model.goals.shown
    assert traces.grab().toImage() != with_marks


def test_bands_are_typed_and_what_cannot_be_read_says_so(desk, panel):
    panel.parts.add.click()
    form = panel.goals.popover
    form.bands.setText("50 Hz and so on")
    QTest.keyClick(form.bands, Qt.Key.Key_Return)
    assert "so on" in form.problem.text()
    assert form.isVisible()
    form.bands.setText("50 Hz and 150 Hz")
    form.name.setText("Hum")
    QTest.keyClick(form.bands, Qt.Key.Key_Return)
    assert not form.isVisible()
    assert [one.sentence for one in _goals(desk)] == ["Remove Hum"]
    QTest.keyClick(panel.parts.goals, Qt.Key.Key_F2)
    assert form.bands.text() == "50 Hz and 150 Hz"
    form.verb.button("keep").click()
    form.add.click()
    assert [one.sentence for one in _goals(desk)] == ["Keep Hum"]
    QTest.keyClick(panel.parts.goals, Qt.Key.Key_Delete)
    assert not _goals(desk)


def test_limits_are_numbers_of_the_document(desk, panel):
    panel.parts.poles.edited.emit(8.0, "poles")
    panel.parts.ringing.edited.emit(500.0, "ringing")
    plan = desk.store.state.document.fit
    assert (plan.most_poles, plan.ringing_s) == (8, 0.5)
    desk.store.undo()
    assert panel.parts.ringing.value == 200.0


def test_what_these_goals_need_is_prepared_before_it_is_asked_for(desk, panel):
    desk.store.dispatch(SetGoal(goal=HUM))
    assert _asked(desk, "fit ahead")[-1].plan.goals == (HUM,)
    assert not _asked(desk)


def test_a_mark_that_begins_before_the_window_says_what_it_is_in_either_pane(desk, panel, monkeypatch):
    span = FitSpan(start_s=1.0, stop_s=30.0, channels=("O1",))
    desk.store.dispatch(SetGoal(goal=FitGoal(verb="keep", spans=(span,))))
    desk.store.dispatch(act.ChooseMode(mode="split"))
    desk.store.dispatch(act.LookAt(start_s=10.0, duration_s=5.0))
    view, boxes = desk.window.traces, []
    real = traces_goals.draw_text
    monkeypatch.setattr(
        traces_goals, "draw_text", lambda painter, box, *rest: boxes.append(box) or real(painter, box, *rest)
    )
    view.grab()
    panes = view.model.panes(view.width())
    assert len(panes) == len(boxes) == 2
    assert all(pane.shows(box.left()) and pane.shows(box.right()) for pane, box in zip(panes, boxes, strict=True))
