"""Cursors: set by key, dragged, snapped, measured, copied; and channels laid over one another."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from jaxscope.compute.measure_frames import MeasureFrame, Measures
from jaxscope.gui.views.traces_cursors import ROWS, cursor_near, size_rows
from jaxscope.gui.views.traces_values import Sizes
from jaxscope.session import actions as act
from jaxscope.session.state import ChannelLook


def measures_of(start_s: float, stop_s: float) -> MeasureFrame:
    known = np.arange(6.0)

    def sizes(scale: float) -> Measures:
        return Measures(
            first=known * 0, last=known * scale, rms=known + 10, deviation=known + 5, peak_to_peak=known + 20
        )

    return MeasureFrame(
        revision=1,
        recording_id="r",
        start_s=start_s,
        stop_s=stop_s,
        channels=tuple(range(6)),
        before=sizes(4.0),
        after=sizes(2.0),
        removed=sizes(3.0),
        filtered=(True, True, True, True, False, True),
    )


def cursors(desk) -> tuple[float, ...]:
    return desk.store.state.viewport.cursors_s


def press_x(desk, at_x: float | None) -> None:
    view = desk.window.traces
    view.setFocus()
    view.set_pointer(None if at_x is None else QPointF(at_x, 50))
    QTest.keyClick(view, Qt.Key.Key_X)


def test_x_sets_one_cursor_then_two_then_none(desk):
    width = desk.window.traces.width()
    for share in (0.2, 0.4, 0.5):
        press_x(desk, width * share)
        if share == 0.2:
            assert cursors(desk) == pytest.approx((2.0,))
        if share == 0.4:
            assert cursors(desk) == pytest.approx((2.0, 4.0))
    assert cursors(desk) == ()
    press_x(desk, None)
    assert cursors(desk) == pytest.approx((10 / 3, 20 / 3))


@pytest.mark.parametrize("mode", ["overlay", "split", "curtain", "difference"])
def test_a_cursor_is_dragged_and_put_back_in_every_mode(desk, mode):
    view = desk.window.traces
    desk.store.dispatch(act.ChooseMode(mode=mode))
    desk.store.dispatch(act.SetCursors(cursors_s=(1.0, 3.0)))
    pane = view.model.panes(view.width())[0]
    x = round(pane.x_of(3.0, 0.0, 10.0))
    assert cursor_near(view.model, view.width(), x) == 1
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(x, 100))
    QTest.mouseMove(view, QPoint(round(pane.x_of(2.0, 0.0, 10.0)), 100))
    assert cursors(desk) == (1.0, pytest.approx(2.0, abs=0.02))
    assert "Ctrl" in desk.window.status.hint()
    desk.window.actions_.escape()
    assert cursors(desk) == (1.0, 3.0)
    assert desk.store.state.viewport.duration_s == 10.0


@pytest.mark.parametrize(
    ("modifier", "expected"),
    [(Qt.KeyboardModifier.ControlModifier, 0.24), (Qt.KeyboardModifier.ShiftModifier, 0.25)],
)
def test_a_cursor_snaps_to_samples_and_to_peaks(desk, modifier, expected):
    view = desk.window.traces
    desk.store.dispatch(act.LookAt(start_s=0.0, duration_s=2.0))
    desk.show_frame(stop_s=2.0)
    desk.store.dispatch(act.SetCursors(cursors_s=(1.0, 1.5)))
    per_s = view.width() / 2.0
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(round(1.5 * per_s), 50))
    event_x = round(0.2415 * per_s)
    # the mouse of QTest has no modifiers while it moves
    point = QPointF(event_x, 50)
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        point,
        view.mapToGlobal(point),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton,
        modifier,
    )
    QApplication.sendEvent(view, event)
    assert cursors(desk)[1] == pytest.approx(expected)


def test_measures_of_other_cursors_are_not_shown(desk):
    model = desk.window.traces.model
    desk.store.dispatch(act.SetCursors(cursors_s=(4.0, 2.0)))
    desk.window.receive(measures_of(2.0, 4.0))
    found = model.measures_of(model.lanes[1])
    assert found.before == Sizes(change=4.0, rms=11.0, deviation=6.0, peak_to_peak=21.0)
    assert found.after.change == 2.0
    assert found.removed.change == 3.0
    raw = model.measures_of(model.lanes[4])
    assert (raw.after, raw.removed) == (None, None)
    desk.store.dispatch(act.SetCursors(cursors_s=(2.0, 5.0)))
    assert model.measures_of(model.lanes[1]) is None
    desk.window.receive(measures_of(2.0, 4.0))
    assert model.measures_of(model.lanes[1]) is None


def test_the_box_says_change_slope_and_sizes():
    sizes = Sizes(change=-4.0, rms=14.81, deviation=12.2, peak_to_peak=60.0)
    words = dict(zip(ROWS, size_rows(sizes, 0.5, "µV"), strict=True))
    assert words == {
        "ΔV": "\u22124.00 µV",
        "Slope": "\u22128.00 µV/s",
        "RMS": "14.8 µV",
        "RMS about mean": "12.2 µV",
        "Peak to peak": "60.0 µV",
    }
    assert size_rows(None, 0.5, "µV") == ("…",) * 5


def test_copy_at_a_time_and_between_cursors(desk):
    actions = desk.window.actions_
    desk.store.dispatch(act.SetCursors(cursors_s=(0.25,)))
    actions.copy_values()
    rows = [line.split("\t") for line in QApplication.clipboard().text().splitlines()]
    assert rows[0][:4] == ["channel", "unit", "time_s", "before_low"]
    assert rows[1][:3] == ["Fp1", "µV", "0.25"]
    assert [float(rows[1][place]) for place in (3, 5)] == pytest.approx([120.0, 10.0])
    assert rows[5][5] == ""
    desk.store.dispatch(act.SetCursors(cursors_s=(2.0, 4.0)))
    desk.window.receive(measures_of(2.0, 4.0))
    actions.copy_values()
    rows = [line.split("\t") for line in QApplication.clipboard().text().splitlines()]
    table = dict(zip(rows[0], rows[2], strict=True))
    assert (table["channel"], table["before_delta"], table["after_slope_per_s"]) == ("Fp2", "4.0", "1.0")


def test_where_the_difference_is_looked_at_its_values_stand_beside_the_others(desk):
    model, lane = desk.window.traces.model, desk.window.traces.model.lanes[1]
    desk.store.dispatch(act.ChooseMode(mode="difference"))
    desk.show_frame()
    values = model.values_at(lane, 0.25)
    assert values.difference.low == pytest.approx(values.before.low - values.after.low)
    assert values.drawn is values.difference
    desk.store.dispatch(act.SetCursors(cursors_s=(0.25,)))
    desk.window.actions_.copy_values()
    rows = [line.split("\t") for line in QApplication.clipboard().text().splitlines()]
    assert float(dict(zip(rows[0], rows[2], strict=True))["difference_low"]) == values.difference.low
    desk.store.dispatch(act.SelectChannels(names=("Fp2",)))
    desk.store.dispatch(act.SetCursors(cursors_s=(2.0, 4.0)))
    desk.window.receive(measures_of(2.0, 4.0))
    desk.window.actions_.copy_values()
    rows = [line.split("\t") for line in QApplication.clipboard().text().splitlines()]
    assert dict(zip(rows[0], rows[2], strict=True))["difference_delta"] == "3.0"
    assert desk.window.strip.legend.measures[-1] == ("removed", "11.0 µV")
    desk.store.dispatch(act.ChooseMode(mode="overlay"))
    assert model.values_at(lane, 0.25).difference is None
    assert desk.window.strip.legend.measures[-1][0] == "after"


def test_butterfly_lays_the_selected_channels_on_one_row(desk):
    view = desk.window.traces
    desk.store.dispatch(act.SelectChannels(names=("Fp1", "O1")))
    QTest.keyClick(view, Qt.Key.Key_B)
    assert [(lane.name, lane.row) for lane in view.model.lanes] == [("Fp1", 0), ("O1", 0)]
    assert view.model.rows == 1
    assert desk.window.rail.lanes == view.model.lanes
    QTest.keyClick(view, Qt.Key.Key_B)
    assert [lane.row for lane in view.model.lanes] == list(range(6))


def test_channels_of_one_type_share_a_row(desk):
    desk.store.dispatch(act.Arrange(arrangement="kinds"))
    lanes = desk.window.traces.model.lanes
    assert [(lane.name, lane.row) for lane in lanes] == [
        ("Fp1", 0),
        ("Fp2", 0),
        ("O1", 0),
        ("O2", 0),
        ("VEOG", 1),
        ("ECG", 2),
    ]


def test_of_overlaid_lanes_the_nearest_trace_is_under_the_pointer(desk):
    view = desk.window.traces
    desk.store.dispatch(act.SetLook(channel="O2", look=ChannelLook(offset=0.3)))
    desk.store.dispatch(act.Arrange(arrangement="butterfly"))
    height = view.height()
    assert view.model.lane_near(height * 0.2, height, 0.5).name == "O2"
    assert view.model.lane_near(height * 0.5, height, 0.5).name != "O2"


def test_a_change_from_infinity_to_infinity_is_not_a_number_and_warns_nobody():
    same = np.full(1, np.inf)
    measures = Measures(first=same, last=same, rms=same, deviation=same, peak_to_peak=same)
    assert np.isnan(Sizes.at(measures, 0).change)
