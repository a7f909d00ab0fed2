"""The response: where things are drawn, handles that turn knobs while they are dragged, what is held when unstable."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from jaxscope.compute.frames import Blocked
from jaxscope.filters import FAMILIES
from jaxscope.gui.views.response import ResponsePanel
from jaxscope.gui.views.response_handles import moved_value, turned_upright
from jaxscope.gui.views.response_plot import ResponsePlot
from jaxscope.gui.views.response_scale import ResponseScale, frequency_limits, thinned
from jaxscope.session.actions import AddStage, ChooseMode, EditCoefficient, SelectStage, ShowRaw, ToggleFilter, TurnKnob


@pytest.fixture
def plot(qtbot, make_rig, lowpass, spectra):
    rig = make_rig(ResponsePlot, FAMILIES["butterworth"](band="highpass", cutoff_hz=0.5), lowpass)
    qtbot.addWidget(rig.view)
    rig.view.resize(368, 230)
    rig.view.show_frame(spectra)
    rig.view.show()
    rig.view.activateWindow()
    qtbot.waitUntil(rig.view.isActiveWindow)
    rig.log.clear()
    return rig


def point(view, index):
    return view.handle_points()[index]


def move(view, place, modifiers=Qt.KeyboardModifier.NoModifier):
    event = QMouseEvent(
        QEvent.Type.MouseMove, place, view.mapToGlobal(place), Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton,
        modifiers,
    )  # fmt: skip
    QApplication.sendEvent(view, event)


def take(qtbot, view, index):
    start = point(view, index)
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=start.toPoint())
    return start


@pytest.fixture
def scale():
    return ResponseScale(area=QRectF(34, 6, 300, 200), low_hz=0.12, high_hz=256.0)


def test_the_handle_of_a_notch_is_inside_the_plot_and_can_be_taken_there(qtbot, make_rig):
    rig = make_rig(ResponsePlot, FAMILIES["notch"](frequency_hz=50.0, q=30.0))
    qtbot.addWidget(rig.view)
    rig.view.resize(368, 230)
    rig.view.show()
    area = rig.view.scale().area
    rig.view.show_frame(replace(rig.view._frame, handles=((50.0, -300.0, 0, "frequency_hz", None),)))
    at = point(rig.view, 0)
    assert area.adjusted(0, 12, 0, -12).contains(at)
    rig.log.clear()
    take(qtbot, rig.view, 0)
    move(rig.view, at + QPointF(20, 0))
    assert [type(action) for action in rig.log] == [TurnKnob]


def test_the_scale_goes_there_and_back(scale):
    for frequency in (0.12, 0.5, 40.0, 255.0):
        assert scale.frequency_at(float(scale.x(frequency))) == pytest.approx(frequency, rel=1e-9)
    for level in (12.0, 0.0, -6.0, -80.0):
        assert scale.level_at(float(scale.y(level))) == pytest.approx(level)


def test_ticks_are_one_two_five(scale):
    assert scale.frequency_ticks() == pytest.approx([0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200])
    assert scale.level_ticks() == [0.0, -20.0, -40.0, -60.0, -80.0]


@pytest.mark.parametrize(("rate", "high"), [(512.0, 256.0), (48000.0, 24000.0), (10.0, 5.0)])
def test_the_axis_ends_at_half_the_rate(rate, high):
    low, top = frequency_limits(np.geomspace(0.01, rate / 2, 100), rate)
    assert top == high
    assert 0 < low < high


def test_a_notch_narrower_than_a_pixel_keeps_its_depth():
    x = np.linspace(0, 300, 60_000)
    y = np.zeros_like(x)
    y[31_415] = 180.0
    thin_x, thin_y = thinned(x, y)
    assert thin_y.max() == 180.0
    assert thin_x.size < 1300
    assert np.all(np.diff(thin_x) >= 0)


def test_handles_lie_on_the_curve(plot):
    assert len(plot.view.handle_points()) == 2
    scale = plot.view.scale()
    assert scale.frequency_at(point(plot.view, 1).x()) == pytest.approx(40.0, rel=1e-6)


def test_dragging_a_handle_turns_the_cutoff_on_every_move_as_one_step(qtbot, plot):
    start = take(qtbot, plot.view, 1)
    for step in (6, 12, 18, 24):
        move(plot.view, start + QPointF(-step, 0))
    turns = [action for action in plot.log if isinstance(action, TurnKnob)]
    assert len(turns) == 4
    assert len({action.merge_key for action in turns}) == 1
    expected = plot.view.scale().frequency_at(start.x() - 24)
    assert plot.stage(1).spec.cutoff_hz == pytest.approx(expected, rel=0.015)
    qtbot.mouseRelease(plot.view, Qt.MouseButton.LeftButton, pos=(start - QPointF(24, 0)).toPoint())
    plot.store.undo()
    assert plot.stage(1).spec.cutoff_hz == 40.0


def test_shift_drags_ten_times_finer(qtbot, plot):
    start = take(qtbot, plot.view, 1)
    move(plot.view, start + QPointF(-20, 0), Qt.KeyboardModifier.ShiftModifier)
    expected = plot.view.scale().frequency_at(start.x() - 2)
    assert plot.stage(1).spec.cutoff_hz == pytest.approx(expected, rel=6e-3)


def test_escape_puts_the_value_from_before_the_drag_back(qtbot, plot):
    start = take(qtbot, plot.view, 1)
    move(plot.view, start + QPointF(-24, 0))
    assert plot.stage(1).spec.cutoff_hz != 40.0
    qtbot.keyClick(plot.view, Qt.Key.Key_Escape)
    assert plot.stage(1).spec.cutoff_hz == 40.0
    assert len({action.merge_key for action in plot.log if not isinstance(action, SelectStage)}) == 1


def test_an_upright_drag_turns_the_order_and_leaves_the_cutoff(qtbot, plot):
    start = take(qtbot, plot.view, 1)
    move(plot.view, start + QPointF(1, -50))
    assert (plot.stage(1).spec.order, plot.stage(1).spec.cutoff_hz) == (6, 40.0)


def test_a_cutoff_cannot_be_dragged_over_half_the_rate(qtbot, plot):
    start = take(qtbot, plot.view, 1)
    move(plot.view, start + QPointF(400, 0))
    assert plot.stage(1).spec.cutoff_hz < 256


def test_the_old_curve_is_shown_dashed_while_dragging_and_goes_at_rest(qtbot, plot):
    assert plot.view.ghost is None
    start = take(qtbot, plot.view, 1)
    old = plot.view._stable.magnitude_db
    move(plot.view, start + QPointF(-24, 0))
    assert plot.view.ghost[1] is old
    plot.view._on_rest()
    assert plot.view.ghost is not None
    qtbot.mouseRelease(plot.view, Qt.MouseButton.LeftButton)
    plot.view._on_rest()
    assert plot.view.ghost is None


def test_an_edit_from_elsewhere_shows_the_old_curve_too(plot):
    old = plot.view._stable.magnitude_db
    plot.dispatch(TurnKnob(chain=0, stage=1, name="cutoff_hz", value=30.0))
    plot.dispatch(TurnKnob(chain=0, stage=1, name="cutoff_hz", value=20.0))
    assert plot.view.ghost[1] is old


def test_the_dragged_handle_is_named_by_a_tip(qtbot, plot):
    take(qtbot, plot.view, 1)
    tip = plot.view._picture(plot.view._frame).tip
    assert tip.startswith("40.0 Hz   −")
    assert tip.endswith(" dB")


@pytest.mark.parametrize(
    ("key", "modifiers", "check"),
    [
        (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier, lambda spec: spec.cutoff_hz == pytest.approx(40.8)),
        (Qt.Key.Key_Left, Qt.KeyboardModifier.NoModifier, lambda spec: spec.cutoff_hz == pytest.approx(39.22)),
        (Qt.Key.Key_Up, Qt.KeyboardModifier.NoModifier, lambda spec: spec.order == 5),
    ],
)
def test_keys_move_the_chosen_handle(qtbot, plot, key, modifiers, check):
    plot.view.setFocus()
    qtbot.keyClick(plot.view, Qt.Key.Key_N)
    qtbot.keyClick(plot.view, key, modifiers)
    assert check(plot.stage(1).spec)


def test_l_changes_the_axis(qtbot, plot):
    plot.view.setFocus()
    qtbot.keyClick(plot.view, Qt.Key.Key_L)
    assert not plot.view.scale().is_log
    qtbot.keyClick(plot.view, Qt.Key.Key_0)
    assert plot.view.scale().is_log


def test_a_double_click_adds_a_peak_there(qtbot, plot):
    scale = plot.view.scale()
    place = QPointF(float(scale.x(10.0)), float(scale.y(6.0))).toPoint()
    qtbot.mouseDClick(plot.view, Qt.MouseButton.LeftButton, pos=place)
    added = plot.log[-1]
    assert isinstance(added, AddStage)
    assert added.stage.spec.family == "peak"
    assert added.stage.spec.frequency_hz == pytest.approx(10.0, rel=0.05)
    assert added.stage.spec.gain_db == pytest.approx(6.0, abs=0.5)


def test_an_unstable_filter_leaves_the_last_stable_curve_marked_as_held(plot):
    before = plot.view._shown().magnitude_db
    plot.dispatch(EditCoefficient(chain=0, stage=1, form="sos", row=0, column=5, value=1.2, rate_hz=512.0))
    assert plot.view.is_held
    assert plot.view._shown().magnitude_db is before
    assert plot.view.handle_points() == []
    plot.store.undo()
    assert not plot.view.is_held


def test_a_blocked_frame_holds_it_as_well(plot):
    plot.view.show_frame(Blocked(revision=3, reason="Unstable", kind="unstable", chain=0))
    assert plot.view.is_held


def test_a_tall_curve_makes_the_scale_taller(plot, frame_of):
    frame = frame_of(plot.state, 5)
    plot.view.show_frame(replace(frame, magnitude_db=frame.magnitude_db + 18))
    assert plot.view.scale().top_db == 24.0


def test_the_picture_changes_with_raw_off_and_difference(plot):
    pictures = [plot.view.grab().toImage()]
    for action in (ShowRaw(raw=True), ShowRaw(raw=False), ToggleFilter(on=False)):
        plot.dispatch(action)
        pictures.append(plot.view.grab().toImage())
    assert pictures[0] != pictures[1]
    assert pictures[0] == pictures[2]
    assert pictures[0] != pictures[3]
    plot.dispatch(ToggleFilter(on=True))
    plot.dispatch(ChooseMode(mode="difference"))
    assert plot.view.grab().toImage() != pictures[0]


def test_an_edge_pushes_the_other_and_never_crosses():
    assert moved_value(40.0, None, 30.0) == 30.0
    assert moved_value((8.0, 13.0), 0, 20.0)[1] > 20.0
    assert moved_value((8.0, 13.0), 1, 5.0)[0] < 5.0


@pytest.mark.parametrize("family", list(FAMILIES))
def test_an_upright_drag_means_something_a_spec_takes_or_nothing(family):
    spec = FAMILIES[family]()
    for steps in (-3.0, 3.0):
        change = turned_upright(spec, steps)
        if change is not None:
            assert spec.with_value(*change) != spec or change[1] == getattr(spec, change[0])


def test_the_panel_says_that_after_is_not_there_yet(qtbot, make_rig, lowpass, spectra):
    rig = make_rig(ResponsePanel, lowpass)
    qtbot.addWidget(rig.view)
    assert ("after: not yet", "off") in rig.view._legend._entries
    rig.view.show_frame(spectra)
    assert ("after", "after") in rig.view._legend._entries
    rig.dispatch(ToggleFilter(on=False))
    assert rig.view._legend._entries == (("before", "before"),)


def test_the_peak_is_named_while_a_pole_is_dragged_and_never_covered(qtbot, make_rig, spectra):
    rig = make_rig(ResponsePlot, FAMILIES["peak"](frequency_hz=20.0, gain_db=9.0, q=4.0))
    qtbot.addWidget(rig.view)
    rig.view.resize(368, 200)
    rig.view.show()
    scale = rig.view.scale()
    peak = QPointF(float(scale.x(20.0)), float(scale.y(9.0))).toPoint()
    before = rig.view.grab().toImage()
    rig.view.name_peak(True)
    named = rig.view.grab().toImage()
    assert named != before
    for x in range(peak.x() - 3, peak.x() + 4):
        assert named.pixel(x, peak.y()) == before.pixel(x, peak.y())
    rig.view.name_peak(False)
    assert rig.view.grab().toImage() == before


def test_what_is_dragged_is_what_the_dock_shows(qtbot, plot):
    assert plot.state.viewport.selected_stage == 0
    start = take(qtbot, plot.view, 1)
    assert plot.state.viewport.selected_stage == plot.view._frame.handles[1][2] == 1
    move(plot.view, start + QPointF(-24, 0))
    selections = [action for action in plot.log if isinstance(action, SelectStage)]
    assert selections == [SelectStage(chain=0, stage=1)], "once, and not again while it moves"


def test_the_axis_begins_below_every_handle():
    usual = frequency_limits(np.geomspace(1e-4, 100, 100), 200.0)
    assert frequency_limits(np.geomspace(1e-4, 100, 100), 200.0, [0.5, 40.0]) == usual
    low, high = frequency_limits(np.geomspace(1e-4, 100, 100), 200.0, [0.01, 0.1])
    assert (low, high) == (pytest.approx(0.0012), 100.0)
    assert frequency_limits(np.geomspace(0.02, 100, 100), 200.0, [0.01])[0] == pytest.approx(0.02)
