"""Sweeping a number in the window: by key, step by step on the traces, kept or put back as one step of undo."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu

from jaxscope.compute.sweep_frames import SweepFrame
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import Stage
from jaxscope.gui.theme import theme
from jaxscope.session import actions as act
from jaxscope.session.sweep_measures import RMS, band_measure, hum


def _cutoff(desk) -> float:
    return desk.store.state.document.chains[0].stages[0].spec.cutoff_hz


def _asked(desk):
    return [item[1] for item in desk.conductor.asked if item[0] == "sweep"]


def _found(desk) -> SweepFrame:
    request = _asked(desk)[-1]
    count = len(request.numbers)
    frame = SweepFrame(
        request=request, took_ms=41.0, channel="Fp1", unit="uV", picture_s=1.6, pictured=tuple(range(0, count, 8)),
        pictures=np.random.default_rng(0).standard_normal((len(range(0, count, 8)), 50)), before=np.zeros(50),
        measures=(band_measure("alpha", 8.0, 13.0),), n_channels=4, calls=1, kept=np.linspace(0, 1, count)[None],
    )  # fmt: skip
    desk.window.receive(frame)
    return frame


@pytest.fixture
def drawer(desk):
    """Return the drawer of a sweep that was opened by its key, with what was found."""
    desk.show_frame()
    desk.window.traces.setFocus()
    QTest.keyClick(desk.window.traces, Qt.Key.Key_W)
    _found(desk)
    return desk.window.sweep


def test_it_opens_around_the_value_in_the_place_of_the_overview(desk, drawer):
    assert drawer.isVisible()
    assert not desk.window.overview.isVisible()
    assert drawer.plot.hasFocus()
    values = drawer.plot.values
    assert len(values) == 64
    assert values[0] < _cutoff(desk) < values[-1] <= 50.0
    assert drawer.use.text() == "Use 20.0 Hz"
    assert drawer.words.text() == "64 filters × 4 channels in one call, 41 ms"
    assert not desk.store.can_undo
    for mode in ("light", "dark"):
        theme().set_mode(mode)
        drawer.grab()


def test_arrows_step_and_enter_keeps_the_value_as_one_step(desk, drawer):
    asked = len(_asked(desk))
    QTest.keyClick(drawer.plot, Qt.Key.Key_Home)
    for _ in range(5):
        QTest.keyClick(drawer.plot, Qt.Key.Key_Right)
    assert _cutoff(desk) == drawer.plot.values[5]
    QTest.keyClick(drawer.plot, Qt.Key.Key_Left)
    assert _cutoff(desk) == drawer.plot.values[4]
    assert len(_asked(desk)) == asked, "going through values asks for nothing"
    chosen = drawer.plot.values[4]
    QTest.keyClick(drawer.plot, Qt.Key.Key_Return)
    assert not drawer.isVisible()
    assert desk.window.traces.hasFocus()
    assert _cutoff(desk) == chosen
    assert len(desk.store.history) == 1
    desk.store.undo()
    assert _cutoff(desk) == 20.0


@pytest.mark.parametrize("way", ["key", "button", "window"])
def test_esc_and_its_button_put_the_original_back_and_leave_no_step(desk, drawer, way):
    QTest.keyClick(drawer.plot, Qt.Key.Key_End)
    assert _cutoff(desk) == drawer.plot.values[-1]
    if way == "key":
        QTest.keyClick(drawer.plot, Qt.Key.Key_Escape)
    elif way == "button":
        drawer.keep.click()
    else:
        desk.window.actions_.escape()
    assert not drawer.isVisible()
    assert _cutoff(desk) == 20.0
    assert not desk.store.can_undo


def test_a_move_over_the_strip_previews_and_a_click_keeps(desk, drawer):
    spot = QPointF(drawer.plot._x(40), 30)
    QTest.mouseMove(drawer.plot, spot.toPoint())
    assert _cutoff(desk) == drawer.plot.values[40]
    QTest.mouseClick(drawer.plot, Qt.MouseButton.LeftButton, pos=QPointF(drawer.plot._x(12), 30).toPoint())
    assert not drawer.is_open
    assert _cutoff(desk) == drawer.plot.values[12]


def test_space_plays_to_and_fro_until_it_is_pressed_again(desk, drawer, qtbot):
    QTest.keyClick(drawer.plot, Qt.Key.Key_End)
    last = drawer.plot.values[-1]
    QTest.keyClick(drawer.plot, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: _cutoff(desk) < last)
    QTest.keyClick(drawer.plot, Qt.Key.Key_Space)
    assert not drawer.plot.is_playing
    drawer.plot.toggle_play()
    drawer.take()
    assert not drawer.plot.is_playing


def test_range_and_steps_are_typed_and_asked_for_anew(desk, drawer):
    drawer.range.from_field.edited.emit(10.0, "k")
    drawer.range.to_field.edited.emit(40.0, "k")
    drawer.range.steps_field.edited.emit(7.0, "k")
    request = _asked(desk)[-1]
    assert len(request.numbers) == 7
    assert (request.numbers[0], request.numbers[-1]) == (10.0, 40.0)
    assert request == drawer._request()


def test_another_number_is_chosen_and_the_one_before_put_back(desk, drawer):
    QTest.keyClick(drawer.plot, Qt.Key.Key_End)
    drawer.knobs.chosen.emit("0/order:")
    assert _cutoff(desk) == 20.0
    assert drawer.plot.values == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
    QTest.keyClick(drawer.plot, Qt.Key.Key_End)
    assert desk.store.state.document.chains[0].stages[0].spec.order == 8


def test_it_follows_the_selected_stage_and_closes_where_there_is_nothing_to_sweep(desk, drawer):
    desk.store.dispatch(act.AddStage(chain=0, at=1, stage=Stage(spec=Butterworth(band="highpass", cutoff_hz=1.0))))
    assert drawer.is_open
    assert drawer.plot.values[0] == 0.25
    desk.store.dispatch(act.SetChains(chains=()))
    assert not drawer.is_open
    assert desk.window.overview.isVisible()


def test_measures_are_added_and_removed_by_the_menu_and_asked_for_anew(desk, drawer):
    drawer.plot.add.click()
    menu = next(menu for menu in drawer.plot.findChildren(QMenu) if menu.isVisible())
    entries = {entry.text(): entry for entry in menu.actions()}
    assert entries["Alpha kept, 8–13 Hz"].isChecked()
    assert not entries["Hum left, 49–51 Hz"].isChecked()
    entries["Hum left, 49–51 Hz"].trigger()
    menu.close()
    alpha = band_measure("alpha", 8.0, 13.0)
    assert desk.store.state.viewport.sweep_measures == (alpha, hum(50.0))
    assert _asked(desk)[-1].measures == (alpha, hum(50.0))
    assert not desk.store.can_undo, "what is looked at is no step"
    drawer.measures._change((RMS,))
    assert _asked(desk)[-1].measures == (RMS,)
    drawer.measures._change(None)
    assert _asked(desk)[-1].measures is None


def test_a_band_of_ones_own_is_typed_and_a_bad_one_is_explained(desk, drawer):
    drawer.measures.write_band()
    popover = drawer.measures.popover
    QTest.keyClicks(popover.field, "sigma 16-12")
    QTest.keyClick(popover.field, Qt.Key.Key_Return)
    assert popover.isVisible()
    assert "sigma reaches from 16 to 12 Hz" in popover.problem.text()
    popover.field.setText("sigma 12-16")
    popover.add_button.click()
    assert not popover.isVisible()
    assert desk.store.state.viewport.sweep_measures[-1] == band_measure("sigma", 12.0, 16.0)


def test_another_device_is_asked_anew(desk, drawer):
    desk.store.dispatch(act.ChooseEngine(precision="float32"))
    assert _asked(desk)[-1].engine.precision == "float32"


@pytest.mark.parametrize(("scale", "size"), [(1.0, (1280, 800)), (1.25, (1280, 800)), (2.0, (1600, 1000))])
def test_nothing_in_it_is_cut_with_large_text_and_the_traces_keep_their_place(desk, drawer, scale, size):
    desk.window.resize(*size)
    desk.scale_to(scale)
    for part in (drawer.use, drawer.keep, drawer.close_button, *drawer.range.findChildren(QLineEdit)):
        assert part.width() >= part.minimumSizeHint().width(), part.accessibleName()
    assert drawer.range.steps_field.width() >= scale * 80
    assert drawer.mapTo(desk.window, drawer.rect().bottomLeft()).y() < desk.window.height()
    assert drawer.plot.height() > 100 * scale
    assert desk.window.traces.height() > size[1] * 0.15
    desk.scale_to(1.0)
    desk.window.resize(1600, 1000)
    assert drawer.rows_below == 0
