"""The place of the dock: beside the traces, or folded to a strip that opens it over them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from jaxscope.gui.views.dock import Dock
from jaxscope.gui.views.dock_place import STRIP_WIDTH, DockPlace


@pytest.fixture
def place(qtbot, make_rig, lowpass):
    rig = make_rig(Dock, lowpass)
    window = QWidget()
    qtbot.addWidget(window)
    row = QHBoxLayout(window)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(0)
    traces = QWidget()
    row.addWidget(traces, 1)
    made = DockPlace(rig.view)
    row.addWidget(made)
    made.host, made.traces, made.rig = window, traces, rig
    window.resize(1024, 640)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return made


def test_it_is_as_wide_as_the_dock_or_as_the_strip(place):
    assert place.dock.isVisible()
    assert place.width() == place.dock.width()
    place.set_folded(folded=True)
    place.host.layout().activate()
    assert place.width() == STRIP_WIDTH
    assert not place.dock.isVisible()
    place.set_folded(folded=False)
    place.host.layout().activate()
    assert place.dock.isVisible()
    assert place.width() > 300


def test_an_icon_opens_the_dock_over_the_traces_which_keep_their_width(qtbot, place):
    place.set_folded(folded=True)
    place.host.layout().activate()
    before = place.traces.width()
    qtbot.mouseClick(place.strip_buttons[0], Qt.MouseButton.LeftButton)
    assert place.is_open
    assert place.dock.chain.hasFocus()
    assert place.traces.width() == before
    assert place.dock.geometry().right() + 1 == place.x()
    qtbot.mouseClick(place.strip_buttons[2], Qt.MouseButton.LeftButton)
    assert place.dock.response.plot.hasFocus()
    qtbot.mouseClick(place.strip_buttons[2], Qt.MouseButton.LeftButton)
    assert not place.is_open


def test_a_click_in_the_traces_closes_it_and_one_inside_does_not(qtbot, place):
    place.set_folded(folded=True)
    place.host.layout().activate()
    place.open_dock()
    qtbot.mouseClick(place.dock.header.switch, Qt.MouseButton.LeftButton)
    assert place.is_open
    qtbot.mouseClick(place.traces, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    assert not place.is_open


def test_unfolding_an_open_dock_puts_it_back(place):
    place.set_folded(folded=True)
    place.open_dock()
    place.set_folded(folded=False)
    assert place.dock.parentWidget() is place
    assert place.dock.isVisible()
    assert not place.is_open
