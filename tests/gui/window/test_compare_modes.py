"""The curtain and the divider of Split: where they stand, dragging, the keys, and no trace in the wrong colour."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest

from jaxscope.gui.painting.geometry import axes_of, divider_x, pane_at, panes_of, share_at
from jaxscope.gui.theme import colour
from jaxscope.gui.views.header_legend import placed_entries
from jaxscope.session import actions as act
from jaxscope.session.state import Viewport


def drag(view, start: QPoint, stop: QPoint, *, release: bool = True) -> None:
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(view, stop)
    if release:
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=stop)


def columns_of(view, token: str) -> np.ndarray:
    """Return the columns in which a colour is seen, below the flags and beside the grip."""
    image = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    memory = np.frombuffer(image.bits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    rows = (memory[60:, : image.width()] & 0xFFFFFF) == QColor(colour(token)).rgb() & 0xFFFFFF
    return np.flatnonzero(rows.any(axis=0))


@pytest.mark.parametrize(("size", "has_arrows"), [((1280, 800), False), ((1600, 1000), True)])
def test_each_half_of_split_has_its_name(desk, size, has_arrows):
    desk.window.resize(*size)
    desk.store.dispatch(act.ChooseMode(mode="split"))
    desk.pump()
    strip = desk.window.strip
    placed = placed_entries(strip.legend, strip._legend_room(), strip._panes())
    assert [one.entry.name for one in placed] == ["Before", "After"]
    assert strip.window_stepper._menu.isVisible() == has_arrows
    assert strip.scale_stepper.isVisible()


def test_both_sides_of_the_curtain_have_one_time_axis():
    left, right = panes = panes_of(Viewport(mode="curtain", curtain_share=0.25), 1000)
    assert (left.shown_right, right.shown_left) == (250, 250)
    assert left.x_of(3.0, 0.0, 10.0) == right.x_of(3.0, 0.0, 10.0) == 300
    assert [pane_at(panes, x).content for x in (249, 250, 2000)] == ["before", "after", "after"]
    assert len(axes_of(panes)) == 1
    assert len(axes_of(panes_of(Viewport(mode="split"), 1000))) == 2


@pytest.mark.parametrize("mode", ["split", "curtain"])
def test_the_share_at_the_divider_is_that_of_the_divider(mode):
    viewport = Viewport(mode=mode, split_share=0.3, curtain_share=0.3)
    assert share_at(viewport, divider_x(viewport, 1000), 1000) == pytest.approx(0.3)


@pytest.mark.parametrize("mode", ["split", "curtain"])
def test_the_divider_is_dragged_put_back_and_centred(desk, mode):
    view = desk.window.traces
    desk.store.dispatch(act.ChooseMode(mode=mode))
    x = round(divider_x(desk.store.state.viewport, view.width()))
    drag(view, QPoint(x, 200), QPoint(x - 200, 200))
    share = getattr(desk.store.state.viewport, f"{mode}_share")
    assert share == pytest.approx(0.5 - 200 / view.width(), abs=0.005)
    assert desk.store.state.viewport.duration_s == 10.0
    x = round(divider_x(desk.store.state.viewport, view.width()))
    drag(view, QPoint(x, 200), QPoint(x + 300, 200), release=False)
    assert getattr(desk.store.state.viewport, f"{mode}_share") > share
    desk.window.actions_.escape()
    assert getattr(desk.store.state.viewport, f"{mode}_share") == pytest.approx(share)
    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=QPoint(x, 200))
    assert getattr(desk.store.state.viewport, f"{mode}_share") == 0.5
    assert desk.store.state.viewport.lane_count is None


def test_no_trace_crosses_the_curtain_in_the_wrong_colour(desk):
    view = desk.window.traces
    for name in ("show_scale_bars", "show_events"):
        desk.store.dispatch(act.SetDisplay(name=name, value=False))
    desk.store.dispatch(act.HideChannels(names=("VEOG", "ECG")))
    desk.store.dispatch(act.ChooseMode(mode="curtain"))
    desk.store.dispatch(act.SetDisplay(name="antialias", value=False))
    desk.window.traces.rest_now()
    desk.paint()
    view.set_pointer(None)
    painted = len(desk.scenes)
    for share in (0.5, 0.2):
        desk.store.dispatch(act.PlaceDivider(mode="curtain", share=share))
        at = round(view.width() * share)
        before, after = columns_of(view, "before"), columns_of(view, "eeg")
        assert before.max() <= at <= after.min() + 1
        assert before.min() < 5
        assert after.max() > view.width() - 5
    assert len(desk.scenes) == painted, "the curtain moves over a picture that is there"


def test_the_curtain_comes_to_the_pointer(desk):
    view = desk.window.traces
    view.setFocus()
    view.set_pointer(QPointF(view.width() * 0.3, 200))
    QTest.keyClick(view, Qt.Key.Key_C)
    assert desk.store.state.viewport.mode == "curtain"
    assert desk.store.state.viewport.curtain_share == pytest.approx(0.3, abs=0.001)


def test_split_panes_follow_the_divider_in_the_next_picture(desk):
    desk.store.dispatch(act.ChooseMode(mode="split"))
    desk.store.dispatch(act.PlaceDivider(mode="split", share=0.25))
    before, after = desk.scenes[-1].panes
    assert before.width_px / after.width_px == pytest.approx(1 / 3, abs=0.01)
