"""Popovers and sheets: focus in and back, keys kept to themselves, closed by Esc and by a click outside."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QAction, QColor, QImage, QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget
from shiboken6 import delete

from jaxscope.gui.assets import tokens
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.floating import Popover, Sheet, _Watch
from jaxscope.gui.components.painting import begin
from jaxscope.gui.components.scrolling import scrolling
from jaxscope.gui.components.shadow import paint_rings, paint_shadow
from jaxscope.gui.theme import theme


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
def test_the_focus_goes_to_what_held_a_field_that_is_gone_meanwhile(window, make):
    form = QWidget(window)
    form.setLayout(QVBoxLayout())
    field = QLineEdit()
    form.layout().addWidget(field)
    window.layout().addWidget(form)
    form.show()
    field.setFocus()
    floating = opened(make, window)
    delete(field)
    floating.close_floating()
    assert form.hasFocus()


def test_a_popover_stays_where_it_is_when_its_button_is_gone(window):
    button = QPushButton("gone soon", window)
    button.show()
    made = popover(window)
    made.open_under(button)
    place = made.geometry()
    delete(button)
    window.resize(800, 500)
    QApplication.processEvents()
    other = popover(window)
    other.open_under(made.first)
    assert made.isVisible()
    assert made.geometry() == place


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


def high_popover(window):
    """Return a popover of thirty rows, of which the window has room for some."""
    made = Popover(window, name="Devices", width=300)
    made.rows = [Button(f"Row {number}", height=40) for number in range(30)]
    for row in made.rows:
        made.body.addWidget(row)
    made.open_under(window.anchor)
    QApplication.processEvents()
    return made


def seen_whole(part, floating):
    return part.visibleRegion().boundingRect() == part.rect() and floating.card().contains(
        QRect(part.mapTo(floating, QPoint()), part.size())
    )


def test_a_popover_that_is_higher_than_the_window_stays_inside_and_scrolls(window):
    floating = high_popover(window)
    card = floating.card().translated(floating.pos())
    assert window.rect().contains(card)
    assert all(row.height() == 40 for row in floating.rows)
    assert seen_whole(floating.rows[0], floating)
    assert not seen_whole(floating.rows[-1], floating)


def test_what_gets_the_focus_is_scrolled_into_view(window):
    floating = high_popover(window)
    for step in (29, 0, 15):
        floating.rows[step].setFocus(Qt.FocusReason.TabFocusReason)
        assert seen_whole(floating.rows[step], floating), step


def test_a_popover_that_is_too_high_is_paged_by_keys(qtbot, window):
    floating = high_popover(window)
    qtbot.keyClick(floating, Qt.Key.Key_PageDown)
    assert not seen_whole(floating.rows[0], floating)
    qtbot.keyClick(floating, Qt.Key.Key_PageUp)
    assert seen_whole(floating.rows[0], floating)


def test_a_popover_takes_its_own_height_again_when_the_window_has_room(window):
    floating = high_popover(window)
    window.resize(900, 1400)
    QApplication.processEvents()
    assert floating.card().height() == 30 * 40
    assert all(seen_whole(row, floating) for row in floating.rows)


def test_tab_into_a_page_of_a_sheet_scrolls_to_what_gets_the_focus(qtbot, window):
    floating = sheet(window)
    page = QWidget()
    rows = [Button(f"Row {number}", height=40) for number in range(30)]
    column = QVBoxLayout(page)
    for row in rows:
        column.addWidget(row)
    floating.body.addWidget(scrolling(page))
    floating.open_sheet()
    floating.first.setFocus()
    QApplication.processEvents()
    assert rows[-1].visibleRegion().isEmpty()
    while not rows[-1].hasFocus():
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Backtab)
    assert rows[-1].visibleRegion().boundingRect() == rows[-1].rect()


def test_opening_a_popover_closes_the_others_of_its_window(qtbot, window):
    one = opened(popover, window)
    other = opened(popover, window)
    assert other.isVisible()
    assert not one.isVisible()
    qtbot.keyClick(other, Qt.Key.Key_Escape)
    assert window.anchor.hasFocus()


def test_a_popover_keeps_those_that_its_button_stands_in(window):
    line = [opened(popover, window)]
    for _ in range(2):
        line.append(popover(window))
        line[-1].open_under(line[-2].first)
    assert [part.isVisible() for part in line] == [True, True, True]
    beside = popover(window)
    beside.open_under(line[0].second)
    assert [part.isVisible() for part in line] == [True, False, False]
    assert beside.isVisible()


def test_a_popover_that_went_with_its_window_leaves_the_next_one_working(qtbot, window):
    gone = opened(popover, window)
    delete(gone)
    one = opened(popover, window)
    qtbot.mouseClick(window, Qt.MouseButton.LeftButton, pos=QPoint(5, 590))
    assert not one.isVisible()


def test_open_popovers_share_one_filter_of_events_and_none_is_left_when_all_are_closed(window, monkeypatch):
    asked = []
    opened_now = _Watch.opened
    monkeypatch.setattr(_Watch, "opened", lambda self: asked.append(1) or opened_now(self))
    one = opened(popover, window)
    two = popover(window)
    two.open_under(one.first)
    asked.clear()
    QApplication.sendEvent(window, QEvent(QEvent.Type.LayoutRequest))
    assert len(asked) == 1
    two.close_floating()
    one.close_floating()
    asked.clear()
    QApplication.sendEvent(window, QEvent(QEvent.Type.LayoutRequest))
    assert asked == []


class _Polished(QWidget):
    """Counts how often it is given another style."""

    times = 0

    def event(self, event: QEvent) -> bool:
        self.times += event.type() == QEvent.Type.StyleChange
        return super().event(event)


@pytest.mark.parametrize("kind", ["popover", "sheet"])
def test_what_is_closed_wears_another_theme_only_when_it_is_shown_again(window, kind):
    theme().set_mode("dark")
    button = Button("Open", parent=window) if kind == "popover" else None
    made = Popover(window, name="One") if kind == "popover" else Sheet(window, title="One")
    part = _Polished(made)
    made.body.addWidget(part)

    def show() -> None:
        made.open_under(button) if isinstance(made, Popover) else made.open_sheet()

    show()
    assert tokens()["dark"]["raised"] in made.styleSheet()
    part.times = 0
    theme().set_mode("light")
    assert part.times > 0
    assert tokens()["light"]["raised"] in made.styleSheet()
    made.close_floating()
    part.times = 0
    theme().set_mode("dark")
    assert part.times == 0
    show()
    assert part.times > 0
    assert tokens()["dark"]["raised"] in made.styleSheet()
    made.close_floating()


@pytest.mark.parametrize("ratio", [1.0, 1.25, 2.0])
@pytest.mark.parametrize("card", [QRectF(60, 60, 420, 300), QRectF(61, 47, 333, 263), QRectF(70, 60, 20, 12)])
def test_a_shadow_is_what_its_discs_give(qapp, ratio, card):
    pictures = []
    for paint in (paint_rings, paint_shadow):
        image = QImage(round(560 * ratio), round(460 * ratio), QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(ratio)
        image.fill(QColor("#456789"))
        with begin(image) as painter:
            paint(painter, card, 12)
            painter.fillRect(card, QColor("white"))
        pictures.append(np.frombuffer(image.bits(), np.uint8).astype(int).copy())
    assert np.ptp(pictures[0].reshape(-1, 4)[:, 0]) > 100
    assert np.abs(pictures[0] - pictures[1]).max() <= 4
