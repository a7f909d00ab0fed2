"""What wears the theme in the window: its parts always, what opens over it when it opens."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QLineEdit,
    QMenu,
    QMessageBox,
    QScrollArea,
    QScrollBar,
    QWidget,
)

from jaxscope.gui.assets import tokens
from jaxscope.gui.theme import theme
from jaxscope.session.actions import ChooseFace


@pytest.fixture(autouse=True)
def _dark_again():
    yield
    theme().set_mode("dark")


def test_parts_follow_the_theme_and_no_sheet_is_on_the_window_itself(desk):
    field = next(part for part in desk.window.dock.findChildren(QLineEdit) if part.isVisible())
    assert desk.window.styleSheet() == ""
    for mode in ("light", "dark"):
        theme().set_mode(mode)
        above, sheets = field, []
        while above is not None:
            sheets.append(above.styleSheet())
            above = above.parentWidget()
        assert sum(tokens()[mode]["line2"] in sheet for sheet in sheets) == 1


@pytest.mark.parametrize("make", [QMenu, QMessageBox])
def test_a_menu_and_a_question_of_the_system_are_dressed_when_they_show(desk, make):
    theme().set_mode("light")
    shown = make(desk.window)
    if isinstance(shown, QMenu):
        shown.addAction("One")
    seen = []

    def look() -> None:
        seen.append(shown.styleSheet())
        shown.close()

    QTimer.singleShot(50, look)
    shown.exec()
    assert tokens()["light"]["raised"] in seen[0]
    shown.deleteLater()
    QApplication.processEvents()


def test_a_folded_dock_is_dressed_where_it_stands_over_the_traces(desk):
    desk.window.resize(1100, 800)
    QApplication.processEvents()
    dock = desk.window.dock
    assert dock.parentWidget() is desk.window
    theme().set_mode("light")
    desk.window.parts.open_dock(dock.tabs)
    assert tokens()["light"]["raised"] in dock.header.styleSheet()
    theme().set_mode("dark")
    assert tokens()["dark"]["raised"] in dock.header.styleSheet()
    desk.window.resize(1600, 1000)
    QApplication.processEvents()


@pytest.mark.parametrize("name", ["drawer", "folder", "sweep", "start"])
def test_a_part_of_the_window_that_is_hidden_wears_another_theme_when_it_is_shown(desk, name):
    part = getattr(desk.window, name)
    part.show()
    part.hide()
    worn = part.styleSheet()
    theme().set_mode("light" if theme().is_dark else "dark")
    assert part.styleSheet() == worn
    part.show()
    assert part.styleSheet() != worn
    assert tokens()[theme().mode]["raised"] in part.styleSheet()


def test_every_field_and_scroll_bar_that_is_seen_is_dressed(desk):
    """What Qt draws by itself would be grey without a sheet: fields, lists and scroll bars need one above them."""
    missing = []
    for face in ("design", "coefficients", "poles_zeros"):
        desk.store.dispatch(ChooseFace(face=face))
        QApplication.processEvents()
        for part in desk.window.findChildren(QWidget):
            if not part.isVisible() or not isinstance(part, QLineEdit | QAbstractScrollArea | QScrollBar):
                continue
            if isinstance(part, QScrollArea):
                continue  # draws nothing itself but its bars
            above, sheets = part, ""
            while above is not None:
                sheets += above.styleSheet()
                above = above.parentWidget()
            if "QScrollBar::handle" not in sheets:
                missing.append((face, type(part).__name__, part.accessibleName()))
    assert missing == []
