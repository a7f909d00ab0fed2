"""Going to a time that is typed, and back and forth over changes of the view."""

from __future__ import annotations

from datetime import datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from jaxscope.data.annotations import Gap
from jaxscope.data.timeline import Timeline
from jaxscope.errors import JaxscopeError
from jaxscope.gui.navigator import PAUSE_S, Navigator
from jaxscope.gui.time_words import Times, time_of
from jaxscope.session import actions as act
from jaxscope.session.state import SessionState
from jaxscope.session.store import Store


def times(**choices) -> Times:
    known = {
        "now_s": 100.0,
        "total_s": 90_000.0,
        "start": datetime(2026, 1, 1, 22, 0, 0),
        "rate_hz": 100.0,
        "timeline": Timeline(gaps=(Gap(start_s=10.0, stop_s=20.0),)),
        "is_clock": False,
    }
    return Times(**{**known, **choices})


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("12.5", 12.5),
        ("12,5 s", 12.5),
        ("250 ms", 0.25),
        ("2 min", 120.0),
        ("1.5h", 5400.0),
        ("1:30", 90.0),
        ("1:02:03.25", 3723.25),
        ("500 samples", 5.0),
        ("sample 1500", 25.0),
        ("+10", 110.0),
        ("\u22121:00", 40.0),
        ("23:00 clock", 3600.0),
        ("clock 22:00:30.5", 30.5),
        ("2:00 clock", 4 * 3600.0),
    ],
)
def test_what_a_person_types_is_read(text, second):
    assert time_of(text, times()) == pytest.approx(second)


def test_a_time_of_day_is_read_as_such_while_the_axis_shows_it():
    assert time_of("22:10:00", times(is_clock=True)) == 600.0
    assert time_of("90", times(is_clock=True)) == 90.0


@pytest.mark.parametrize(
    ("text", "choices", "words"),
    [
        ("", {}, "Type a time"),
        ("soon", {}, "Can't read “soon”"),
        ("12 parsecs", {}, "“parsecs” is no unit"),
        ("1:75", {}, "no 75 seconds"),
        ("1:61:00", {}, "no 61 minutes"),
        ("1:2:3:4", {}, "Can't read"),
        ("26:00", {"total_s": 60.0}, "outside"),
        ("-200", {}, "outside"),
        ("12.5 samples", {}, "no whole sample"),
        ("12 samples", {"rate_hz": None}, "no sampling rate"),
        ("clock 25:00", {}, "no time of day"),
        ("clock 12:00", {"start": None}, "when it began"),
    ],
)
def test_what_is_wrong_is_said(text, choices, words):
    with pytest.raises(JaxscopeError) as caught:
        time_of(text, times(**choices))
    assert words in caught.value.message
    assert caught.value.hint


def test_the_field_goes_there_or_says_why_not(desk):
    desk.window.activateWindow()
    desk.window.actions_.go_to_time()
    popover = desk.window.floating.goto
    popover.field.setText("99 min")
    QTest.keyClick(popover.field, Qt.Key.Key_Return)
    assert popover.isVisible()
    assert "outside" in popover.problem.text()
    popover.field.setText("30")
    QTest.keyClick(popover.field, Qt.Key.Key_Return)
    assert not popover.isVisible()
    assert desk.store.state.viewport.start_s == 30.0
    desk.window.actions_.go_to_time()
    popover.field.setText("31")
    popover.mark_button.click()
    assert desk.store.state.viewport.cursors_s == (31.0,)


class Walk:
    """A navigator on a store with a clock that is turned by hand."""

    def __init__(self) -> None:
        self.store, self.now = Store(SessionState()), 0.0
        self.navigator = Navigator(self.store.dispatch, lambda: self.store.state, lambda: self.now)
        self.navigator.total_s = 1000.0
        self.store.subscribe(self.navigator.note)

    def do(self, *actions: act.Action, pause_s: float = 2 * PAUSE_S) -> None:
        self.now += pause_s
        for action in actions:
            self.store.dispatch(action)

    @property
    def seen(self) -> tuple[float, float]:
        return self.store.state.viewport.start_s, self.store.state.viewport.duration_s


def test_back_and_forward_over_every_change_of_the_view():
    walk = Walk()
    walk.do(act.LookAt(start_s=100.0, duration_s=10.0))
    walk.do(act.ShowLanes(first=2, count=4))
    walk.do(act.SetScale(kind="eeg", units_per_lane=5.0))
    walk.do(act.Arrange(arrangement="kinds"))
    walk.navigator.back()
    assert walk.store.state.viewport.arrangement == "stacked"
    walk.navigator.back()
    assert walk.store.state.viewport.scales == ()
    walk.navigator.back()
    assert (walk.seen, walk.store.state.viewport.lane_count) == ((100.0, 10.0), None)
    walk.navigator.back()
    walk.navigator.back()
    assert walk.seen == (0.0, 10.0)
    for _ in range(9):
        walk.navigator.forward()
    assert walk.store.state.viewport.arrangement == "kinds"
    assert walk.store.state.viewport.lane_count == 4


def test_a_drag_is_one_step_and_a_jump_is_its_own():
    walk = Walk()
    walk.do(act.LookAt(start_s=50.0, duration_s=10.0))
    for start_s in (51.0, 52.0, 53.0):
        walk.do(act.LookAt(start_s=start_s, duration_s=10.0), pause_s=PAUSE_S / 4)
    walk.navigator.remember()
    walk.do(act.LookAt(start_s=200.0, duration_s=10.0), pause_s=0.0)
    walk.navigator.back()
    assert walk.seen == (53.0, 10.0)
    walk.navigator.back()
    assert walk.seen == (0.0, 10.0)


def test_what_changes_no_view_is_no_step_and_a_new_way_forgets_the_old():
    walk = Walk()
    walk.do(act.LookAt(start_s=50.0, duration_s=10.0))
    walk.do(act.SelectChannels(names=("O1",)), act.ChooseMode(mode="split"))
    walk.navigator.back()
    assert walk.seen == (0.0, 10.0)
    assert walk.store.state.viewport.mode == "split"
    walk.do(act.LookAt(start_s=70.0, duration_s=10.0))
    walk.navigator.forward()
    assert walk.seen == (70.0, 10.0)
