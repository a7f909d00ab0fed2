"""What a hand does in the response: gains that follow it, limits, axes, pins; each drag one step and Esc undoes it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from jaxscope.compute.design_job import design_frame
from jaxscope.compute.response_views import response_curve
from jaxscope.filters import FAMILIES, Stage
from jaxscope.filters.limits import Limit
from jaxscope.gui.views.response import ResponsePanel
from jaxscope.gui.views.response_handles import moved_value
from jaxscope.gui.views.response_plot import ResponsePlot
from jaxscope.session.actions import AddStage, PinChain, ReplaceSpec, SetLimits, SetPhase, ShowPin, TurnKnob

PLAIN = Qt.KeyboardModifier.NoModifier
STOP = Limit(kind="stop", low_hz=60.0, level_db=40.0)
PASS = Limit(kind="pass", low_hz=1.0, high_hz=20.0, level_db=6.0)


class Hand:
    """A plot on a store whose frames are worked out as in the program."""

    def __init__(self, rig, qtbot):
        self.rig, self.view, self.qtbot = rig, rig.view, qtbot
        rig.store.subscribe(lambda state, previous: self.show())
        self.show()

    def show(self):
        self.view.show_frame(design_frame(self.rig.state, self.rig.store.revision, None))

    def point(self, index):
        return self.view.handle_points()[index]

    def send(self, kind, place, button, buttons, modifiers=PLAIN):
        event = QMouseEvent(kind, place, self.view.mapToGlobal(place), button, buttons, modifiers)
        QApplication.sendEvent(self.view, event)

    def drag(self, start, *ways, release=True, modifiers=PLAIN):
        left = Qt.MouseButton.LeftButton
        self.send(QEvent.Type.MouseButtonPress, start, left, left)
        for way in ways:
            self.send(QEvent.Type.MouseMove, start + way, Qt.MouseButton.NoButton, left, modifiers)
        if release:
            self.send(QEvent.Type.MouseButtonRelease, start + ways[-1], left, Qt.MouseButton.NoButton)

    def wheel(self, place, notches):
        event = QWheelEvent(
            place, self.view.mapToGlobal(place), QPoint(), QPoint(0, 120 * notches), Qt.MouseButton.NoButton, PLAIN,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(self.view, event)

    def level_at(self, frequency_hz):
        frame = self.view._frame
        return float(np.interp(frequency_hz, frame.frequencies_hz, frame.magnitude_db))


@pytest.fixture
def hand_of(qtbot, make_rig):
    def make(*specs, phase="causal"):
        rig = make_rig(ResponsePlot, *specs)
        qtbot.addWidget(rig.view)
        rig.view.resize(368, 230)
        rig.view.show()
        rig.view.activateWindow()
        rig.dispatch(SetPhase(chain=0, phase=phase))
        rig.log.clear()
        return Hand(rig, qtbot)

    return make


PEAK = FAMILIES["peak"](frequency_hz=10.0, gain_db=3.0, q=2.0)


@pytest.mark.parametrize("phase", ["causal", "zero"])
@pytest.mark.parametrize(
    "spec",
    [
        PEAK,
        FAMILIES["low_shelf"](frequency_hz=10.0, gain_db=4.0),
        FAMILIES["high_shelf"](frequency_hz=10.0, gain_db=-4.0),
    ],
)
def test_a_gain_follows_the_hand_on_the_curve(hand_of, spec, phase):
    hand = hand_of(spec, phase=phase)
    scale, before = hand.view.scale(), hand.level_at(10.0)
    hand.drag(hand.point(0), QPointF(0, -10), QPointF(0, -20))
    assert hand.level_at(10.0) - before == pytest.approx(scale.rise_db(20), abs=0.25)
    assert hand.rig.stage().spec.frequency_hz == 10.0
    assert len({action.merge_key for action in hand.rig.log}) == 1
    hand.rig.store.undo()
    assert hand.rig.stage().spec == spec


def test_a_peak_is_dragged_both_ways_at_once_and_back_to_where_it_was(hand_of):
    hand = hand_of(PEAK)
    start = hand.point(0)
    hand.drag(start, QPointF(30, -20), release=False)
    moved = hand.rig.stage().spec
    assert moved.frequency_hz > 10.0
    assert moved.gain_db > 3.0
    assert isinstance(hand.rig.log[-1], ReplaceSpec)
    hand.send(QEvent.Type.MouseMove, start, Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton)
    assert hand.rig.stage().spec == PEAK
    hand.send(QEvent.Type.MouseMove, start + QPointF(30, -20), Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton)
    hand.qtbot.keyClick(hand.view, Qt.Key.Key_Escape)
    assert hand.rig.stage().spec == PEAK


def test_escape_leaves_nothing_to_undo(hand_of):
    hand = hand_of(PEAK)
    steps = hand.rig.store.position
    hand.drag(hand.point(0), QPointF(30, -20), release=False)
    assert hand.rig.store.position == steps + 1
    hand.qtbot.keyClick(hand.view, Qt.Key.Key_Escape)
    assert hand.rig.store.position == steps


def test_the_wheel_turns_q_of_a_peak_and_order_of_a_low_pass(hand_of):
    hand = hand_of(PEAK)
    hand.wheel(hand.point(0), 1)
    assert hand.rig.stage().spec.q == pytest.approx(2.5)
    assert hand.rig.stage().spec.gain_db == 3.0
    hand = hand_of(FAMILIES["butterworth"](band="lowpass", order=4, cutoff_hz=40.0))
    hand.wheel(hand.point(0), -1)
    assert hand.rig.stage().spec.order == 3


def test_a_notch_takes_its_frequency_sideways_and_q_upwards(hand_of):
    hand = hand_of(FAMILIES["notch"](frequency_hz=50.0, q=30.0))
    hand.drag(hand.point(0), QPointF(-25, 1))
    assert hand.rig.stage().spec.frequency_hz < 45.0
    assert hand.rig.stage().spec.q == 30.0
    hand.drag(hand.point(0), QPointF(1, -30))
    assert hand.rig.stage().spec.q > 30.0


def test_both_edges_of_a_band_have_handles_at_minus_6_db_in_zero_phase(hand_of):
    hand = hand_of(FAMILIES["butterworth"](band="bandpass", order=3, cutoff_hz=(4.0, 20.0)), phase="zero")
    levels = [handle[1] for handle in hand.view._frame.handles]
    assert levels == pytest.approx([-6.02, -6.02], abs=0.01)
    hand.drag(hand.point(1), QPointF(20, 0))
    low, high = hand.rig.stage().spec.cutoff_hz
    assert low == 4.0
    assert high > 22.0


def test_an_edge_of_many_stays_between_its_neighbours():
    edges = (0.0, 20.0, 30.0, 128.0)
    assert moved_value(edges, 1, 25.0) == (0.0, 25.0, 30.0, 128.0)
    assert moved_value(edges, 1, 90.0)[1] < 30.0
    assert moved_value(edges, 2, 5.0)[2] > 20.0


def test_insert_adds_a_peak_under_the_pointer(hand_of):
    hand = hand_of(FAMILIES["butterworth"](band="lowpass", order=4, cutoff_hz=100.0))
    scale = hand.view.scale()
    place = QPointF(float(scale.x(5.0)), float(scale.y(-12.0)))
    hand.send(QEvent.Type.MouseMove, place, Qt.MouseButton.NoButton, Qt.MouseButton.NoButton)
    hand.qtbot.keyClick(hand.view, Qt.Key.Key_Insert)
    added = hand.rig.log[-1]
    assert isinstance(added, AddStage)
    assert added.stage.spec.frequency_hz == pytest.approx(5.0, rel=0.02)
    assert added.stage.spec.gain_db == pytest.approx(-12.0, abs=0.2)


@pytest.mark.parametrize("is_log", [True, False])
def test_an_axis_is_drawn_out_and_a_double_click_shows_all_again(hand_of, is_log):
    hand = hand_of(PEAK)
    if not is_log:
        hand.qtbot.keyClick(hand.view, Qt.Key.Key_L)
    whole = hand.view.scale()
    grip = QPointF(whole.area.left() + 0.8 * whole.area.width(), whole.area.bottom() + 10)
    held_hz = whole.frequency_at(grip.x())
    hand.drag(grip, QPointF(20, 0))
    drawn = hand.view.scale()
    assert drawn.frequency_at(grip.x() + 20) == pytest.approx(held_hz, rel=1e-6)
    assert drawn.high_hz < whole.high_hz
    hand.qtbot.mouseDClick(hand.view, Qt.MouseButton.LeftButton, pos=grip.toPoint())
    assert hand.view.scale() == whole


def test_the_level_axis_is_drawn_out_by_hand_and_by_keys(hand_of):
    hand = hand_of(PEAK)
    whole = hand.view.scale()
    grip = QPointF(10, whole.area.top() + 0.8 * whole.area.height())
    held_db = whole.level_at(grip.y())
    hand.drag(grip, QPointF(0, 20), release=False)
    drawn = hand.view.scale()
    assert drawn.level_at(grip.y() + 20) == pytest.approx(held_db, abs=1e-6)
    assert drawn.top_db == whole.top_db
    hand.qtbot.keyClick(hand.view, Qt.Key.Key_Escape)
    assert hand.view.scale() == whole
    hand.qtbot.keyClick(hand.view, Qt.Key.Key_Plus)
    assert hand.view.scale().floor_db > whole.floor_db
    hand.qtbot.keyClick(hand.view, Qt.Key.Key_0)
    assert hand.view.scale() == whole
    assert all(whole.floor_db <= level <= whole.top_db for level in replace(whole, floor_db=-20.0).level_ticks())


def test_limits_are_dragged_by_level_and_edge_as_one_step(hand_of):
    hand = hand_of(FAMILIES["butterworth"](band="lowpass", order=4, cutoff_hz=30.0))
    hand.rig.dispatch(SetLimits(limits=(STOP, PASS)))
    scale = hand.view.scale()
    level = QPointF(float(scale.x(100.0)), float(scale.y(-40.0)))
    hand.drag(level, QPointF(0, 10), QPointF(0, 20))
    assert hand.rig.state.document.limits[0].level_db == pytest.approx(-scale.level_at(level.y() + 20), abs=0.06)
    hand.rig.store.undo()
    assert hand.rig.state.document.limits == (STOP, PASS)
    edge = QPointF(float(scale.x(20.0)), float(scale.y(6.0)) - 6)
    hand.drag(edge, QPointF(-15, 0))
    assert hand.rig.state.document.limits[1].high_hz == pytest.approx(scale.frequency_at(edge.x() - 15), rel=0.01)
    hand.drag(edge - QPointF(15, 0), QPointF(-400, 0), release=False)  # over its other edge: it stays
    assert hand.rig.state.document.limits[1].high_hz > 1.0
    hand.qtbot.keyClick(hand.view, Qt.Key.Key_Escape)
    assert hand.rig.state.document.limits[1].high_hz == pytest.approx(scale.frequency_at(edge.x() - 15), rel=0.01)


def test_what_fails_is_red_and_what_is_kept_is_not(hand_of):
    hand = hand_of(FAMILIES["butterworth"](band="lowpass", order=4, cutoff_hz=30.0))

    def reds():
        image = hand.view.grab().toImage()
        pixels = (image.pixelColor(x, y) for x in range(0, image.width(), 2) for y in range(0, image.height(), 2))
        return sum(pixel.red() > 150 and pixel.green() < 110 for pixel in pixels)

    assert reds() == 0
    hand.rig.dispatch(SetLimits(limits=(replace(STOP, level_db=10.0),)))
    assert reds() == 0
    hand.rig.dispatch(SetLimits(limits=(replace(STOP, level_db=80.0),)))
    assert reds() > 20
    assert "too little at 60 Hz" in hand.view.accessibleDescription()


@pytest.fixture
def panel(qtbot, make_rig):
    rig = make_rig(ResponsePanel, FAMILIES["butterworth"](band="lowpass", order=4, cutoff_hz=30.0))
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(700, 700)
    column = QVBoxLayout(window)
    column.addStretch(1)
    column.addWidget(rig.view)
    window.show()
    rig.window = window
    rig.store.subscribe(lambda state, previous: rig.view.show_frame(design_frame(state, rig.store.revision, None)))
    rig.view.show_frame(design_frame(rig.state, 0, None))
    return rig


def test_the_form_of_limits_adds_edits_tells_and_removes(qtbot, panel):
    panel.view.limits_button.click()
    form = panel.view.limits
    assert form.isVisible()
    form.add_stop.click()
    (row,) = form.rows()
    assert panel.state.document.limits[0] == Limit(kind="stop", low_hz=64.0, level_db=40.0)
    assert "to spare" in row.words.text() or "too little" in row.words.text()
    row.level.setFocus()
    row.level.selectAll()
    qtbot.keyClicks(row.level, "200")
    assert panel.state.document.limits[0].level_db == 200.0
    assert "too little" in row.words.text()
    row.low.setFocus()
    row.low.selectAll()
    qtbot.keyClicks(row.low, "fs/4")
    assert panel.state.document.limits[0].low_hz == 64.0
    form.add_pass.click()
    assert len(form.rows()) == 2
    form.rows()[0].remove.click()
    assert [limit.kind for limit in panel.state.document.limits] == ["pass"]
    panel.view.limits_button.click()
    assert not form.isVisible()


def test_the_list_of_pins_keeps_names_shows_and_puts_back(qtbot, panel):
    panel.view.pins_button.click()
    pins = panel.view.pins
    assert pins.note.isVisibleTo(pins)
    pins.pin.click()
    (row,) = pins.rows()
    assert row.name.text() == "Low-pass 30.0 Hz"
    row.name.setFocus()
    row.name.selectAll()
    qtbot.keyClicks(row.name, "before lunch")
    assert panel.state.document.pins[0].name == "before lunch"
    assert panel.store.undo_text == "Rename pin"
    panel.dispatch(TurnKnob(chain=0, stage=0, name="cutoff_hz", value=10.0))
    assert ("pinned", "text3") in panel.view._legend._entries
    own = panel.view.plot._picture(panel.view.plot._frame)
    pins.on_traces.click()
    assert panel.state.viewport.shows_pin
    assert ("own", "text3") in panel.view._legend._entries
    swapped = panel.view.plot._picture(panel.view.plot._frame)
    np.testing.assert_array_equal(swapped.magnitude_db, own.other_db)
    np.testing.assert_array_equal(swapped.other_db, own.magnitude_db)
    assert swapped.handles == ()
    row.use.click()
    assert panel.stage().spec.cutoff_hz == 30.0
    assert not panel.state.viewport.shows_pin
    row.remove.click()
    assert panel.state.document.pins == ()


def test_v_compares_and_shift_v_pins(qtbot, hand_of):
    hand = hand_of(PEAK)
    told = []
    hand.view.compare_wanted.connect(lambda: told.append("compare"))
    hand.view.pin_wanted.connect(lambda: told.append("pin"))
    qtbot.keyClick(hand.view, Qt.Key.Key_V)
    qtbot.keyClick(hand.view, Qt.Key.Key_V, Qt.KeyboardModifier.ShiftModifier)
    assert told == ["compare", "pin"]


def test_handles_cannot_be_taken_while_the_pin_is_shown(hand_of):
    hand = hand_of(PEAK)
    hand.rig.dispatch(PinChain(chain=0, name="x"))
    hand.rig.dispatch(ShowPin(on=True))
    hand.show()
    assert hand.view._handle_at(hand.point(0)) is None


def test_the_linear_gain_is_a_view_of_its_own(panel):
    parts = Stage(spec=PEAK).spec.parts(256.0)
    curve = response_curve("gain", "causal", parts, np.array([10.0]), 256.0)
    assert curve.y[0] == pytest.approx(10 ** (3 / 20), rel=1e-6)


def test_the_axis_stays_under_the_hand_and_reaches_below_the_handle_after(hand_of):
    hand = hand_of(FAMILIES["butterworth"](band="highpass", cutoff_hz=1.0))
    start, before = hand.point(0), hand.view.scale()
    to_the_edge = QPointF(before.area.left() + 1 - start.x(), 0)
    hand.drag(start, to_the_edge / 2, to_the_edge, to_the_edge, release=False)
    assert hand.view.scale().low_hz == before.low_hz
    assert hand.point(0).x() == pytest.approx(before.area.left() + 1, abs=1)
    hand.drag(hand.point(0), QPointF(0, 0), QPointF(0, 0))
    assert hand.view.scale().low_hz < before.low_hz / 5
    assert hand.point(0).x() > before.area.left() + 14
