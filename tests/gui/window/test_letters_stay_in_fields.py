"""Every letter into every field, on every face and in every sheet: what is looked at never changes."""

from __future__ import annotations

import string
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from jaxscope.compute.design_job import design_frame
from jaxscope.gui.views.import_sheet import ImportSheet
from jaxscope.gui.views.keys_sheet import KeysSheet
from jaxscope.session.actions import ChooseFace
from jaxscope.session.state import Viewport

SIGNS = string.ascii_letters + string.digits + "[],.=+-?/: "


def fields_in(window) -> list[QLineEdit]:
    return [field for field in window.findChildren(QLineEdit) if field.isVisible() and field.isEnabled()]


def looked_at(desk) -> tuple[Viewport, object]:
    """Return what is seen; the search may select what it finds, which is what it is for."""
    state, window = desk.store.state, desk.window
    shown = (window.overview.isVisible(), window.dock.isVisible(), window.strip.isVisible(), window.isFullScreen())
    return replace(state.viewport, selected_channels=()), (state.document.filter_on, shown)


def type_everything(desk, field: QLineEdit) -> bool:
    """Type each sign alone into a field; return whether it could have the focus."""
    desk.window.activateWindow()
    field.setFocus(Qt.FocusReason.TabFocusReason)
    desk.pump()
    if QApplication.focusWidget() is not field:
        return False
    before = looked_at(desk)
    for sign in SIGNS:
        field.selectAll()
        QTest.keyClicks(field, sign)
        assert looked_at(desk) == before, (field.accessibleName(), sign)
        assert QApplication.focusWidget() is field, (field.accessibleName(), sign)
    return True


@pytest.mark.parametrize(
    ("face", "among"),
    [("design", {"Window", "Scale", "Cutoff", "Order"}), ("coefficients", {"Window"}), ("poles_zeros", {"Radius"})],
)
def test_letters_on_each_face(desk, face, among):
    desk.store.dispatch(ChooseFace(face=face))
    desk.window.receive(design_frame(desk.store.state, desk.store.revision, desk.window.shell.info))
    desk.pump()
    tried = [field.accessibleName() for field in fields_in(desk.window) if type_everything(desk, field)]
    assert among <= set(tried)


@pytest.mark.parametrize("make", [KeysSheet, lambda window: ImportSheet(window, lambda *_: None)])
def test_letters_in_a_sheet(desk, make):
    sheet = make(desk.window)
    sheet.open_sheet()
    desk.pump()
    tried = [field for field in fields_in(sheet) if type_everything(desk, field)]
    assert tried
    sheet.close_floating()


def test_letters_in_the_palette_and_the_settings(desk):
    window = desk.window
    window.activateWindow()
    window.actions_.open_palette()
    desk.pump()
    assert type_everything(desk, window.floating.palette.field)
    window.floating.palette.close_floating()
    window.actions_.open_settings()
    desk.pump()
    settings = window.floating.settings
    for page in ("general", "keys"):
        settings.show_page(page)
        desk.pump()
        assert [field for field in fields_in(settings) if type_everything(desk, field)]
    settings.close_floating()


def test_letters_in_the_name_of_a_stage(desk):
    desk.window.receive(design_frame(desk.store.state, desk.store.revision, desk.window.shell.info))
    chain = desk.window.dock.chain
    chain.setFocus()
    QTest.keyClick(chain, Qt.Key.Key_F2)
    (editor,) = chain.findChildren(QLineEdit)
    assert type_everything(desk, editor)
