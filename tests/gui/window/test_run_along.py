"""Running along in the window: Space, Esc, speed, pages, following, and what is said meanwhile."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from jaxscope.compute.frames import Blocked, Grown, LivePosition
from jaxscope.gui import run_along
from jaxscope.gui.command_table import command
from jaxscope.gui.run_along import FOLLOW_SHARE, PLAY_SHARE
from jaxscope.gui.views.status_bar import live_words
from jaxscope.gui.views.traces_settling import settling_areas
from jaxscope.session import actions as act


def position(second: float, **more: object) -> LivePosition:
    how = {"recording_id": "r", "running": "play", "speed": 1.0, "dropped": 0, "latency_s": 0.0} | more
    return LivePosition(position_s=second, **how)


@pytest.fixture(autouse=True)
def with_motion(monkeypatch):
    monkeypatch.setattr(run_along, "is_motion_reduced", lambda: False)


@pytest.fixture
def running(desk):
    desk.window.traces.setFocus()
    return desk.window.actions_.running


def press_space(desk, held_ms: int) -> None:
    for kind, at_ms in ((QEvent.Type.KeyPress, 1000), (QEvent.Type.KeyRelease, 1000 + held_ms)):
        event = QKeyEvent(kind, Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, " ")
        event.setTimestamp(at_ms)
        QApplication.sendEvent(desk.window.traces, event)


def test_a_tap_of_space_runs_and_the_next_one_stops(desk, running):
    press_space(desk, 80)
    assert desk.store.state.live.running == "play"
    press_space(desk, 80)
    assert desk.store.state.live.running == ""


def test_space_that_is_held_pans_and_runs_nothing(desk, running):
    press_space(desk, 900)
    assert not running.is_running
    traces = desk.window.traces
    event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, " ")
    event.setTimestamp(1000)
    QApplication.sendEvent(traces, event)
    QTest.mousePress(traces, Qt.MouseButton.LeftButton, pos=QPoint(400, 200))
    QTest.mouseMove(traces, QPoint(300, 200))
    QTest.mouseRelease(traces, Qt.MouseButton.LeftButton, pos=QPoint(300, 200))
    event = QKeyEvent(QEvent.Type.KeyRelease, Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, " ")
    event.setTimestamp(1100)
    QApplication.sendEvent(traces, event)
    assert not running.is_running


def test_escape_stops_before_it_takes_cursors_away(desk, running):
    desk.store.dispatch(act.SetCursors(cursors_s=(3.0,)))
    running.toggle()
    desk.window.actions_.escape()
    assert not running.is_running
    assert desk.store.state.viewport.cursors_s == (3.0,)
    desk.window.actions_.escape()
    assert desk.store.state.viewport.cursors_s == ()


def test_it_goes_on_from_where_it_was_stopped_while_that_is_in_the_window(desk, running):
    running.toggle()
    desk.window.receive(position(4.0))
    running.stop()
    running.toggle()
    assert desk.store.state.live.start_s == 4.0
    running.stop()
    desk.store.dispatch(act.LookAt(start_s=20.0, duration_s=10.0, total_s=60.0))
    running.toggle()
    assert desk.store.state.live.start_s == 20.0


@pytest.mark.parametrize(("kind", "share"), [("play", PLAY_SHARE), ("follow", FOLLOW_SHARE)])
def test_the_window_glides_by_whole_pixels_and_a_view_that_was_left_is_not_forgotten(desk, running, kind, share):
    viewport = desk.store.state.viewport
    desk.store.dispatch(act.Play(start_s=0.0) if kind == "play" else act.FollowFile())
    desk.window.receive(position(2.0, running=kind))
    assert desk.store.state.viewport.start_s == 0.0
    for second in (9.9, 10.3, 11.7, 14.2):
        desk.window.receive(position(second, running=kind))
        start_s = desk.store.state.viewport.start_s
        pixels = start_s / viewport.duration_s * desk.window.traces.width()
        if second > share * viewport.duration_s:
            assert start_s == pytest.approx(second - share * viewport.duration_s, abs=0.02)
        assert pixels == pytest.approx(round(pixels), abs=1e-4)
    desk.window.shell.navigator.back()
    assert desk.store.state.viewport.start_s == pytest.approx(start_s)


def test_pages_follow_one_another(desk, running):
    running.toggle_pages()
    running.toggle()
    starts = []
    for second in (3.0, 9.9, 10.1, 19.0, 47.0):
        desk.window.receive(position(second))
        starts.append(desk.store.state.viewport.start_s)
    assert starts == [0.0, 0.0, 10.0, 10.0, 40.0]


def test_reduced_motion_turns_pages(desk, running, monkeypatch):
    monkeypatch.setattr(run_along, "is_motion_reduced", lambda: True)
    running.toggle()
    desk.window.receive(position(9.0))
    assert desk.store.state.viewport.start_s == 0.0
    desk.window.receive(position(11.0))
    assert desk.store.state.viewport.start_s == 10.0


def test_whoever_scrolls_away_stays_there_and_joins_again(desk, running):
    running.toggle()
    desk.window.receive(position(9.0))
    desk.store.dispatch(act.LookAt(start_s=40.0, duration_s=10.0, total_s=60.0))
    desk.window.receive(position(9.5))
    assert desk.store.state.viewport.start_s == 40.0
    desk.store.dispatch(act.LookAt(start_s=2.0, duration_s=10.0, total_s=60.0))
    desk.window.receive(position(11.0))
    assert desk.store.state.viewport.start_s == pytest.approx(11.0 - PLAY_SHARE * 10.0, abs=0.02)


def test_zero_phase_is_said_and_the_way_on_is_offered(desk, running):
    running.toggle()
    desk.window.receive(position(1.0, future=(0,)))
    notice = desk.window.notices.current
    assert notice is not None
    assert [label for label, _, _ in notice.actions] == ["Causal while it runs"]
    assert desk.window.status.badge == "Filter waits"
    notice.actions[0][2]()
    assert desk.store.state.live.as_causal
    desk.window.receive(position(1.1, future=(0,), as_causal=True))
    assert desk.window.notices.current is None
    assert desk.window.status.badge == "Filter on, as causal"
    running.stop()
    assert desk.window.status.badge == "Filter on"


def test_a_filter_that_is_held_stays_said_while_the_picture_goes_on(desk, running):
    running.toggle()
    revision = desk.store.revision
    desk.window.receive(Blocked(revision=revision, reason="Unstable", kind="unstable"))
    frame = replace(desk.make_frame(revision=revision + 1), held=True)
    desk.window.receive(frame)
    assert desk.window.is_blocked
    assert desk.window.status.badge == "Filter unstable"
    assert desk.window.traces.model.frame is frame
    assert desk.window.traces.model.is_held


def test_no_zone_is_shaded_where_a_filter_that_runs_would_look_ahead(desk, running):
    model = desk.window.traces.model
    assert any(area.looks_ahead for area in settling_areas(model))
    running.toggle()
    assert not any(area.looks_ahead for area in settling_areas(model))


def test_speed_by_keys_the_menu_and_the_button(desk, running):
    command("run_faster").run(desk.window.actions_)
    assert desk.store.state.live.speed == 2.0
    command("run_slower").run(desk.window.actions_)
    command("run_slower").run(desk.window.actions_)
    assert desk.store.state.live.speed == 0.5
    transport = desk.window.axis.transport
    assert transport.speed_button.text() == "×0.5"
    menu = running.speed_menu()
    (twenty,) = [entry for entry in menu.actions() if entry.text() == "×20"]
    twenty.trigger()
    assert desk.store.state.live.speed == 20.0
    transport.run_button.click()
    assert running.is_running
    assert transport.run_button.accessibleName() == "Stop"


def test_following_turns_the_recording_longer_without_opening_it_again(desk, running, info):
    undo = desk.store.history
    command("follow_file").run(desk.window.actions_)
    assert running.is_following
    assert not desk.window.axis.transport.speed_button.isEnabled()
    desk.window.receive(Grown(recording_id="r", info=replace(info, duration_s=75.0)))
    desk.window.receive(position(75.0, running="follow"))
    viewport = desk.store.state.viewport
    assert viewport.start_s + viewport.duration_s == pytest.approx(75.0, abs=0.02)
    assert desk.window.shell.navigator.total_s == 75.0
    assert "01:15" in desk.window.top.title.facts
    assert desk.store.history == undo


def test_it_ends_where_nothing_more_comes(desk, running):
    running.toggle()
    desk.window.receive(position(60.0, over=True))
    assert not running.is_running


def test_losses_and_lateness_are_told():
    assert live_words(position(34.2, dropped=0)) == "Running ×1  00:34.2  none dropped, on time"
    words = live_words(position(3.0, running="follow", dropped=1200, latency_s=0.25, note="waits: locked"))
    assert words == "Following  00:03.0  1,200 dropped, 0.25 s late, waits: locked"


def test_the_clock_ticks_only_while_it_runs_and_ends_with_the_window(desk, running):
    def ticks() -> int:
        QTest.qWait(90)
        return desk.conductor.asked.count(("run on",))

    assert ticks() == 0
    running.toggle()
    assert ticks() > 0
    running.stop()
    count = ticks()
    assert ticks() == count
