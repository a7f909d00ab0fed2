"""The traces: what the mouse does, what is painted where, and that repainting never ends the process."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from jaxscope.compute.frames import Blocked, Opened
from jaxscope.data.annotations import Annotation, Gap
from jaxscope.gui.theme import colour, theme
from jaxscope.gui.views import overview, traces_events
from jaxscope.gui.views.traces import MOST_WAITS, TracesView
from jaxscope.gui.views.traces_gaps import GapArea, gap_areas
from jaxscope.gui.views.traces_layers import emptiness_words
from jaxscope.gui.views.traces_numbers import span_text
from jaxscope.gui.views.traces_settling import settling_areas
from jaxscope.session import actions as act
from jaxscope.session.state import Viewport


def wheel(view: TracesView, notches: float, modifiers: Qt.KeyboardModifier, at: QPointF) -> None:
    turn = QPoint(0, round(120 * notches))
    if modifiers & Qt.KeyboardModifier.AltModifier:
        turn = QPoint(turn.y(), 0)
    event = QWheelEvent(
        at,
        view.mapToGlobal(at),
        QPoint(),
        turn,
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)


def lane_middle(view: TracesView, row: int) -> int:
    return round((row + 0.5) * view.height() / len(view.model.lanes))


def pixels(image: QImage) -> np.ndarray:
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    memory = np.frombuffer(image.bits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    return memory[:, : image.width()] & 0xFFFFFF


def count_blue(image: np.ndarray) -> int:
    """Count the pixels that are clearly bluer than red: those of After in dark."""
    red, blue = (image >> 16 & 255).astype(int), (image & 255).astype(int)
    return int((blue - red > 60).sum())


def test_click_selects_and_modifiers_extend(desk):
    view = desk.window.traces
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(300, lane_middle(view, 1)))
    assert desk.store.state.viewport.selected_channels == ("Fp2",)
    shift = Qt.KeyboardModifier.ShiftModifier
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, shift, QPoint(300, lane_middle(view, 3)))
    assert desk.store.state.viewport.selected_channels == ("Fp2", "O1", "O2")
    control = Qt.KeyboardModifier.ControlModifier
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, control, QPoint(300, lane_middle(view, 2)))
    assert desk.store.state.viewport.selected_channels == ("Fp2", "O2")


def test_box_zooms_time_and_channels_and_zoom_back_restores(desk):
    view = desk.window.traces
    start, stop = QPoint(view.width() // 4, lane_middle(view, 1)), QPoint(view.width() // 2, lane_middle(view, 3))
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(view, stop)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=stop)
    viewport = desk.store.state.viewport
    assert viewport.start_s == pytest.approx(2.5, abs=0.02)
    assert viewport.duration_s == pytest.approx(2.5, abs=0.02)
    assert (viewport.first_lane, viewport.lane_count) == (1, 3)
    desk.window.shell.navigator.back()
    viewport = desk.store.state.viewport
    assert (viewport.start_s, viewport.duration_s, viewport.lane_count) == (0.0, 10.0, None)


def test_flat_drag_selects_time_only(desk):
    view = desk.window.traces
    y = lane_middle(view, 2)
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(100, y))
    QTest.mouseMove(view, QPoint(400, y + 5))
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(400, y + 5))
    assert desk.store.state.viewport.lane_count is None
    assert desk.store.state.viewport.duration_s == pytest.approx(3000 / view.width(), rel=0.01)


def test_middle_drag_pans_and_escape_puts_back(desk):
    view = desk.window.traces
    desk.store.dispatch(act.LookAt(start_s=30.0, duration_s=10.0, total_s=60.0))
    QTest.mousePress(view, Qt.MouseButton.MiddleButton, pos=QPoint(500, 300))
    QTest.mouseMove(view, QPoint(500 - view.width() // 10, 300))
    assert desk.store.state.viewport.start_s == pytest.approx(31.0, abs=0.02)
    desk.window.actions_.escape()
    assert desk.store.state.viewport.start_s == pytest.approx(30.0)
    QTest.mouseRelease(view, Qt.MouseButton.MiddleButton, pos=QPoint(400, 300))
    assert desk.store.state.viewport.start_s == pytest.approx(30.0)


def test_wheel_zooms_around_the_pointer_scrolls_and_scales(desk):
    view = desk.window.traces
    desk.store.dispatch(act.LookAt(start_s=20.0, duration_s=10.0, total_s=60.0))
    at = QPointF(view.width() * 0.25, lane_middle(view, 0))
    under_s = view.second_at(at.x())
    wheel(view, 2, Qt.KeyboardModifier.ControlModifier, at)
    assert desk.store.state.viewport.duration_s == pytest.approx(10 / 1.25**2)
    assert view.second_at(at.x()) == pytest.approx(under_s)
    start_s = desk.store.state.viewport.start_s
    wheel(view, -1, Qt.KeyboardModifier.ShiftModifier, at)
    assert desk.store.state.viewport.start_s > start_s
    units = desk.window.shell.scales.units_per_lane(desk.store.state.viewport, "eeg")
    wheel(view, 1, Qt.KeyboardModifier.AltModifier, at)
    assert desk.store.state.viewport.scale_of("eeg") == pytest.approx(units / 1.25)
    assert desk.store.state.viewport.scale_of("ecg") is None


def test_double_click_shows_one_channel_and_then_all(desk):
    view = desk.window.traces
    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=QPoint(300, lane_middle(view, 2)))
    assert [lane.name for lane in view.model.lanes] == ["O1"]
    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=QPoint(300, 20))
    assert len(view.model.lanes) == 6


def test_picture_is_at_its_right_place_right_after_a_pan(desk):
    """The old picture, shifted, shows the same pixels as the picture of the new window where they overlap."""
    view = desk.window.traces
    desk.store.dispatch(act.SetDisplay(name="show_scale_bars", value=False))
    desk.store.dispatch(act.SetDisplay(name="show_events", value=False))
    view.set_pointer(None)
    desk.show_frame(stop_s=25.0)
    shift_s = 100 / view.width() * 10.0
    painted = len(desk.scenes)
    desk.store.dispatch(act.LookAt(start_s=shift_s, duration_s=10.0))
    # its frame is on the way, so nothing is painted of the old one meanwhile
    assert len(desk.scenes) == painted
    old = pixels(view.grab().toImage())[:, : view.width() - 110]
    desk.show_frame(stop_s=25.0)
    new = pixels(view.grab().toImage())[:, : view.width() - 110]
    assert count_blue(new) > 2000
    assert (old != new).mean() < 0.002


def test_no_picture_at_rest_stands_in_the_way_of_a_frame(desk):
    view = desk.window.traces
    desk.show_frame()
    desk.store.dispatch(act.LookAt(start_s=1.0, duration_s=10.0))
    painted = len(desk.scenes)
    view._rest.timeout.emit()
    assert len(desk.scenes) == painted
    desk.show_frame()
    view._rest.timeout.emit()
    assert [scene.quality for scene in desk.scenes[painted:]] == ["motion", "rest"]


def test_a_frame_that_never_comes_is_not_waited_for_for_ever(desk):
    view = desk.window.traces
    desk.show_frame()
    desk.store.dispatch(act.LookAt(start_s=1.0, duration_s=10.0))
    painted = len(desk.scenes)
    for _ in range(MOST_WAITS + 1):
        view._rest.timeout.emit()
    assert [scene.quality for scene in desk.scenes[painted:]] == ["rest"]


def test_older_frame_never_replaces_a_newer_one(desk):
    frame = desk.make_frame(revision=7)
    desk.window.receive(frame)
    desk.window.receive(desk.make_frame(revision=6))
    assert desk.window.traces.model.frame is frame


def test_value_under_the_pointer_is_that_of_the_sample(desk):
    model = desk.window.traces.model
    lane = model.lanes[0]
    values = model.values_at(lane, 0.2501)
    assert values.before is not None
    assert values.before.low == values.before.high == pytest.approx(120.0)
    assert values.after is not None
    assert values.after.low == pytest.approx(10.0)
    assert values.difference is None
    assert model.values_at(model.lanes[4], 0.25).after is None
    desk.store.dispatch(act.ShowRaw(raw=True))
    assert model.values_at(lane, 0.25).after is None


def test_held_filter_weakens_after_and_a_newer_frame_ends_it(desk):
    desk.window.receive(Blocked(revision=desk.store.revision, reason="Unstable", kind="unstable", pole_radius=1.02))
    assert desk.scenes[-1].is_held
    assert desk.window.traces.model.frame is not None
    desk.show_frame()
    assert not desk.scenes[-1].is_held


def test_a_filter_that_never_settles_is_shaded_to_the_end(desk):
    frame = replace(desk.make_frame(revision=desk.store.revision), settling_99_s=math.inf, settling_9999_s=math.inf)
    desk.window.receive(frame)
    desk.paint()
    never = pixels(desk.window.traces.grab().toImage())
    desk.show_frame()
    always = pixels(desk.window.traces.grab().toImage())
    assert (never != always)[:, 100:-100].any(axis=0).mean() > 0.9
    assert span_text(math.inf) == "for ever"


def test_thousands_of_events_are_painted_once_a_column(desk, monkeypatch):
    painted = []
    for module in (traces_events, overview):
        monkeypatch.setattr(
            module, "rounded", lambda *given, real=module.rounded: (painted.append(given), real(*given))
        )
    events = tuple(Annotation(onset_s=0.005 * k, duration_s=0.3, text=f"event {k}") for k in range(12_000))
    document = replace(desk.store.state.document, annotations=events)
    desk.store.dispatch(act.LoadedProject(document=document, viewport=Viewport(duration_s=60.0)))
    desk.window.grab()
    assert 10 < len(painted) < desk.window.width()


def test_motion_then_rest(desk, qtbot):
    desk.store.dispatch(act.LookAt(start_s=1.0, duration_s=10.0))
    assert desk.scenes[-1].quality == "motion"
    qtbot.waitUntil(lambda: desk.scenes[-1].quality == "rest", timeout=5000)
    assert desk.scenes[-1].start_s == 1.0


def test_theme_changes_the_colours_of_the_next_picture(desk):
    dark = desk.scenes[-1].colours["eeg"]
    theme().set_mode("light")
    assert desk.scenes[-1].colours["eeg"] == QColor("#0B62C9").rgb() != dark


@pytest.mark.parametrize("mode", ["overlay", "split", "difference"])
def test_each_mode_paints_its_own_traces(desk, mode):
    desk.store.dispatch(act.ChooseMode(mode=mode))
    desk.window.traces.rest_now()
    desk.paint()
    is_blue = count_blue(pixels(desk.window.traces.picture.image)) > 500
    assert is_blue == (mode != "difference")
    contents = [pane.content for pane in desk.scenes[-1].panes]
    assert contents == {"overlay": ["both"], "split": ["before", "after"], "difference": ["difference"]}[mode]


def test_two_thousand_repaints_leave_the_process_alive(desk):
    """A binding that loses a reference to None with each repaint ends the process after enough of them."""
    view, axis = desk.window.traces, desk.window.axis
    painted = view.painted_revision
    for number in range(2000):
        axis.show_pointer(number / 200)
        axis.repaint()
        if number % 10 == 0:
            view.set_pointer(QPointF(number % 900, number % 600))
            view.repaint(QRect(number % 900, number % 600, 60, 60))
    assert view.isVisible()
    assert view.painted_revision == painted


def test_gap_of_one_channel_is_hatched_in_its_lane_alone(desk, info):
    gap = Gap(start_s=2.0, stop_s=4.0)
    channels = tuple(replace(each, gaps=(gap,)) if each.name in ("O1", "O2") else each for each in info.channels)
    desk.window.receive(Opened(recording_id="r", path="/data/six.edf", info=replace(info, channels=channels)))
    desk.store.dispatch(act.LookAt(start_s=0.0, duration_s=10.0))
    view = desk.window.traces
    assert gap_areas(view.model) == [GapArea(gap=gap, first_row=2, stop_row=4)]
    desk.pump()
    drawn = pixels(view.grab().toImage())
    lane_px = view.height() / 6
    within = drawn[:, round(view.width() * 0.22) : round(view.width() * 0.38)]
    lanes = [within[round(row * lane_px) + 2 : round((row + 1) * lane_px) - 2] for row in range(6)]
    marks = [np.setdiff1d(lane, lanes[0]).size > 0 for lane in lanes]
    assert marks == [False, False, True, True, False, False]
    desk.store.dispatch(act.LookAt(start_s=15.0, duration_s=10.0))
    assert [(area.first_row, area.stop_row) for area in gap_areas(view.model)] == [(0, 2), (4, 6)]


def test_recording_of_events_alone_says_so(desk, info):
    view = desk.window.traces
    empty = drawn_words(view)
    desk.window.receive(Opened(recording_id="e", path="/data/events.edf", info=replace(info, channels=())))
    assert emptiness_words(view.model)[0] == "This recording has no signals"
    assert "2 events" in view.accessibleDescription()
    desk.pump()
    assert drawn_words(view) > empty


def drawn_words(view: TracesView) -> int:
    """Count the pixels of full text colour around the middle of the view."""
    middle = pixels(view.grab().toImage())[view.height() // 2 - 40 : view.height() // 2 + 40]
    return int((middle == QColor(colour("text")).rgb() & 0xFFFFFF).sum())


def test_hidden_channels_are_told_from_none(desk):
    names = tuple(lane.name for lane in desk.window.traces.model.lanes)
    desk.store.dispatch(act.HideChannels(names=names))
    assert emptiness_words(desk.window.traces.model)[0] == "All channels are hidden"


@pytest.mark.parametrize("mode", ["overlay", "split", "curtain"])
def test_where_all_channels_are_hidden_nothing_of_them_is_left(desk, mode):
    view = desk.window.traces
    desk.store.dispatch(act.SetDisplay(name="show_events", value=False))
    desk.store.dispatch(act.ChooseMode(mode=mode))
    desk.paint()
    shown = pixels(view.grab().toImage())
    desk.store.dispatch(act.HideChannels(names=tuple(lane.name for lane in view.model.lanes)))
    desk.pump()
    hidden = pixels(view.grab().toImage())
    quarter = view.height() // 4
    assert (np.ptp(shown[:quarter].astype(int), axis=0) > 0).any(), "traces are no straight columns"
    assert not np.ptp(hidden[:quarter].astype(int), axis=0).any()
    rest = hidden[quarter, 2:]  # a line at the left says where the focus is
    assert len(np.unique(rest)) == 2, "the ground and its grid, and no divider"


def test_rows_that_begin_and_end_by_themselves_settle_by_themselves(desk, info):
    gap = Gap(start_s=2.0, stop_s=4.0)
    channels = tuple(replace(each, gaps=(gap,)) if each.name in ("O1", "O2") else each for each in info.channels)
    desk.window.receive(Opened(recording_id="r", path="/data/six.edf", info=replace(info, channels=channels)))
    areas = settling_areas(desk.window.traces.model)
    # VEOG is raw: nothing settles there; ECG is causal and does not look ahead
    assert [(area.first_row, area.stop_row, area.begins_s, area.looks_ahead) for area in areas] == [
        (0, 2, (0.0, 22.0), True),
        (2, 4, (0.0, 4.0), True),
        (5, 6, (0.0, 22.0), False),
    ]
    assert areas[0].ends_s == (20.0, 60.0)
    assert areas[1].ends_s == (2.0, 60.0)


def test_a_channel_that_begins_late_does_not_settle_at_the_start(desk, info):
    channels = tuple(replace(each, gaps=(Gap(start_s=0.0, stop_s=5.0),)) for each in info.channels)
    desk.window.receive(Opened(recording_id="r", path="/data/six.edf", info=replace(info, channels=channels)))
    assert {area.begins_s for area in settling_areas(desk.window.traces.model)} == {(5.0,)}


def test_overlaid_channels_have_the_gaps_that_all_of_them_have(desk, info):
    both, own = Gap(start_s=10.0, stop_s=11.0), Gap(start_s=2.0, stop_s=4.0)
    channels = tuple(replace(each, gaps=(own, both) if each.name == "O1" else (both,)) for each in info.channels)
    desk.window.receive(Opened(recording_id="r", path="/data/six.edf", info=replace(info, channels=channels)))
    desk.store.dispatch(act.LookAt(start_s=0.0, duration_s=20.0))
    desk.store.dispatch(act.Arrange(arrangement="kinds"))
    assert gap_areas(desk.window.traces.model) == [GapArea(gap=both, first_row=0, stop_row=3)]
