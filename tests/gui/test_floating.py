"""Popovers and sheets: focus in and back, keys kept to themselves, closed by Esc and by a click outside."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.floating import Popover, Sheet


@pytest.fixture
def window(qtbot):
    made = QWidget()
    layout = QVBoxLayout(made)
    made.anchor = QPushButton("open")
    layout.addWidget(made.anchor)
    layout.addStretch(1)
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    made.anchor.setFocus()
    return made


def popover(window):
    made = Popover(window, name="Devices", width=300)
    made.first, made.second = Button("One"), Button("Two")
    made.body.addWidget(made.first)
    made.body.addWidget(made.second)
    return made


def sheet(window):
    made = Sheet(window, title="Export", width=500, height=300)
    made.first, made.second = Button("One"), Button("Two")
    made.footer.addWidget(made.first)
    made.footer.addWidget(made.second)
    return made


def opened(make, window):
    made = make(window)
    if make is popover:
        made.open_under(window.anchor)
    else:
        made.open_sheet()
    return made


@pytest.mark.parametrize("make", [popover, sheet])
def test_escape_closes_and_gives_the_focus_back(qtbot, window, make):
    floating = opened(make, window)
    assert floating.isVisible()
    assert floating.hasFocus()
    with qtbot.waitSignal(floating.closed):
        qtbot.keyClick(floating, Qt.Key.Key_Escape)
    assert not floating.isVisible()
    assert window.anchor.hasFocus()


@pytest.mark.parametrize("make", [popover, sheet])
def test_no_shortcut_of_the_window_acts_while_it_has_the_focus(qtbot, window, make):
    leaked = []
    for keys in ("R", "Space", "1", "Ctrl+Z", "Ctrl+O"):
        action = QAction(window, shortcut=QKeySequence(keys))
        action.triggered.connect(lambda _=False, at=keys: leaked.append(at))
        window.addAction(action)
    floating = opened(make, window)
    floating.first.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(floating.first, Qt.Key.Key_R)
    qtbot.keyClick(floating.first, Qt.Key.Key_1)
    qtbot.keyClick(floating.first, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert leaked == []
    floating.close_floating()
    qtbot.keyClick(window.anchor, Qt.Key.Key_R)
    assert leaked == ["R"]


@pytest.mark.parametrize("make", [popover, sheet])
def test_tab_goes_round_inside(window, make):
    floating = opened(make, window)
    floating.second.setFocus()
    seen = set()
    for _ in range(4):
        floating.focusNextPrevChild(True)
        seen.add(next(part for part in floating.findChildren(QWidget) if part.hasFocus()))
    assert {floating.first, floating.second} <= seen
    assert not window.anchor.hasFocus()


def test_a_click_outside_closes_a_popover_and_one_inside_does_not(qtbot, window):
    floating = opened(popover, window)
    qtbot.mouseClick(floating.first, Qt.MouseButton.LeftButton)
    assert floating.isVisible()
    qtbot.mouseClick(window, Qt.MouseButton.LeftButton, pos=QPoint(5, 590))
    assert not floating.isVisible()


def test_a_popover_stands_inside_the_window_under_its_button(window):
    floating = opened(popover, window)
    card = floating.card().translated(floating.pos())
    assert card.top() > window.anchor.geometry().bottom()
    assert window.rect().adjusted(0, 0, 0, 300).contains(card)


def test_a_sheet_covers_the_window_and_stays_in_the_middle_when_it_grows(window):
    floating = opened(sheet, window)
    assert floating.geometry() == window.rect()
    window.resize(1000, 700)
    assert floating.geometry() == window.rect()
    frame = floating._frame.geometry()
    assert abs(frame.center().x() - 499) <= 1
