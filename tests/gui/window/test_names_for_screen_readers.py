"""For people who do not see or do not use a mouse: names, values with units, a visible focus, an order of regions."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget

from jaxscope.compute.design_job import design_frame
from jaxscope.gui.components.number_field import NumberField
from jaxscope.gui.views.import_sheet import ImportSheet
from jaxscope.gui.views.keys_sheet import KeysSheet
from jaxscope.gui.views.start_screen import StartScreen
from jaxscope.session.actions import ChooseFace

FACES = ("design", "coefficients", "poles_zeros")


def fill(desk, face: str) -> None:
    desk.store.dispatch(ChooseFace(face=face))
    desk.window.receive(design_frame(desk.store.state, desk.store.revision, desk.window.shell.info))
    desk.pump()


def focusable(root: QWidget) -> list[QWidget]:
    """Return what a key can reach and a person sees."""
    return [
        part
        for part in (root, *root.findChildren(QWidget))
        if part.isVisible()
        and part.isEnabled()
        and part.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not (isinstance(part.parent(), QAbstractScrollArea) and part.parent().viewport() is part)
    ]


def nameless(root: QWidget) -> list[str]:
    return [f"{type(part).__name__} in {type(part.parent()).__name__}" for part in focusable(root) if not named(part)]


def named(part: QWidget) -> str:
    reader = QAccessible.queryAccessibleInterface(part)
    return part.accessibleName() or (reader.text(QAccessible.Text.Name) if reader is not None else "")


@pytest.mark.parametrize("face", FACES)
def test_everything_in_the_window_that_can_have_the_focus_has_a_name(desk, face):
    fill(desk, face)
    assert len(focusable(desk.window)) > 15
    assert nameless(desk.window) == []


def test_everything_that_floats_has_names(desk):
    window = desk.window
    for make in (KeysSheet, lambda parent: ImportSheet(parent, lambda *_: None)):
        sheet = make(window)
        sheet.open_sheet()
        desk.pump()
        assert nameless(sheet) == []
        sheet.close_floating()
    window.actions_.open_settings()
    desk.pump()
    settings = window.floating.settings
    assert nameless(settings) == []
    settings.show_page("keys")
    desk.pump()
    assert nameless(settings) == []
    settings.close_floating()
    window.actions_.open_palette()
    desk.pump()
    assert nameless(window.floating.palette) == []
    window.floating.palette.close_floating()
    window.floating.open_export()
    desk.pump()
    assert nameless(window.floating._export) == []
    window.floating._export.close_floating()


def test_the_start_screen_has_names(qtbot):
    screen = StartScreen(("EDF",))
    qtbot.addWidget(screen)
    screen.show_recent(("/data/a.edf",))
    screen.resize(1200, 800)
    screen.show()
    assert nameless(screen) == []


@pytest.mark.parametrize("face", FACES)
def test_values_are_told_with_their_unit(desk, face):
    fill(desk, face)
    told = 0
    for field in desk.window.findChildren(NumberField):
        if not field.isVisible() or field.value is None or not field.unit:
            continue
        value = QAccessible.queryAccessibleInterface(field).text(QAccessible.Text.Value)
        assert field.unit in f"{value} {field.accessibleDescription()}", field.accessibleName()
        told += 1
    assert told or face == "coefficients"


def test_the_focus_is_seen_on_every_part_of_the_window(desk):
    fill(desk, "design")
    desk.window.activateWindow()
    for part in focusable(desk.window):
        if part is desk.window:
            continue
        desk.window.start.setFocus()
        QApplication.processEvents()
        desk.window.setFocus()
        part.clearFocus()
        QApplication.processEvents()
        before = part.grab().toImage()
        part.setFocus(Qt.FocusReason.TabFocusReason)
        QApplication.processEvents()
        if QApplication.focusWidget() is not part:
            continue
        assert part.grab().toImage() != before, f"{type(part).__name__} {part.accessibleName()}"


def test_f6_goes_through_the_regions_in_order_and_back(desk):
    desk.window.activateWindow()
    desk.window.traces.setFocus()
    desk.pump()

    def region() -> int:
        held = QApplication.focusWidget()
        parts = [part for part in desk.window.regions() if part.isVisible()]
        return next(at for at, part in enumerate(parts) if part is held or part.isAncestorOf(held))

    begun, seen = region(), []
    count = len([part for part in desk.window.regions() if part.isVisible()])
    for _ in range(count + 1):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6)
        desk.pump()
        seen.append(region())
    assert seen == [(begun + step) % count for step in range(1, count + 2)]
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    desk.pump()
    assert region() == seen[-2]


def test_the_status_bar_is_the_last_region_and_says_its_words(desk):
    desk.window.activateWindow()
    assert desk.window.regions()[-1] is desk.window.status
    desk.window.focus_region(desk.window.status)
    desk.pump()
    assert desk.window.status.hasFocus()
    said = desk.window.status.accessibleDescription()
    assert desk.window.status.badge in said
    assert desk.window.status.hint() in said


def test_tab_goes_through_the_dock_in_its_order(desk):
    fill(desk, "design")
    desk.window.activateWindow()
    stops = [stop for stop in desk.window.dock.focus_stops() if stop.isVisible() and stop.isEnabled()
             and stop.focusPolicy() & Qt.FocusPolicy.TabFocus]  # fmt: skip
    stops[0].setFocus(Qt.FocusReason.TabFocusReason)
    desk.pump()
    reached = []
    for _ in range(len(stops)):
        reached.append(QApplication.focusWidget())
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        desk.pump()
    assert [part.accessibleName() for part in reached] == [part.accessibleName() for part in stops]
