"""The settings: taken at once, kept in the file, keys changed by capture with conflicts named."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from jaxscope.gui.key_table import key_table
from jaxscope.gui.main_menu import build_menu
from jaxscope.gui.preferences import preferences
from jaxscope.gui.theme import theme
from jaxscope.gui.views.keys_sheet import listed_rows
from jaxscope.gui.views.settings_sheet import ROWS, Choice
from jaxscope.session.settings import Settings, load_settings

OVERVIEW_ROW = ("traces", "overview bar")


@pytest.fixture(autouse=True)
def usual_keys():
    """Leave the keys as the program has them."""
    yield
    key_table().choose(())


@pytest.fixture
def sheet(desk):
    desk.window.activateWindow()
    desk.window.actions_.open_settings()
    desk.pump()
    return desk.window.floating.settings


def focus_traces(desk, sheet) -> None:
    sheet.close_floating()
    desk.window.activateWindow()
    desk.window.traces.setFocus()
    desk.pump()


def change_key(desk, sheet, row, key, modifiers=Qt.KeyboardModifier.NoModifier) -> None:
    sheet.show_page("keys")
    sheet.keys.choose(*row)
    sheet.keys.list.setFocus()
    desk.pump()
    QTest.keyClick(sheet.keys.list, Qt.Key.Key_Return)
    QTest.keyClick(sheet.keys.list, key, modifiers)


def test_every_row_is_a_setting_with_a_control(sheet):
    for row in ROWS:
        assert row.name in Settings.__dataclass_fields__
        if isinstance(row, Choice):
            allowed = Settings.__dataclass_fields__[row.name].metadata["choices"]
            assert {value for value, _ in row.words} == set(allowed)


def test_a_choice_is_in_force_and_kept_at_once(desk, sheet):
    QTest.mouseClick(sheet.controls["theme"].button("light"), Qt.MouseButton.LeftButton)
    assert theme().mode == "light"
    preferences().writer.wait()
    assert load_settings()[0].theme == "light"
    assert desk.window.actions_.settings.theme == "light"
    sheet.reset.click()
    assert theme().mode == "dark"


def test_text_size_by_typing_and_stepping_within_its_bounds(desk, sheet):
    stepper = sheet.controls["text_scale"]
    stepper.field.setFocus()
    stepper.field.selectAll()
    QTest.keyClicks(stepper.field, "150")
    QTest.keyClick(stepper.field, Qt.Key.Key_Return)
    assert theme().text_scale == 1.5
    stepper.field.selectAll()
    QTest.keyClicks(stepper.field, "900")
    QTest.keyClick(stepper.field, Qt.Key.Key_Return)
    assert theme().text_scale == 1.5
    assert stepper.text() == "150 %"


def test_a_changed_key_acts_and_is_shown_everywhere_and_the_old_one_does_nothing(desk, sheet):
    change_key(desk, sheet, OVERVIEW_ROW, Qt.Key.Key_J)
    preferences().writer.wait()
    assert load_settings()[0].keys == (("traces: overview bar", ("J",)),)
    focus_traces(desk, sheet)
    QTest.keyClick(desk.window.traces, Qt.Key.Key_O)
    assert desk.store.state.viewport.show_overview
    QTest.keyClick(desk.window.traces, Qt.Key.Key_J)
    assert not desk.store.state.viewport.show_overview
    entries = [entry.text() for part in build_menu(desk.window, desk.window.actions_).actions()
               for entry in part.menu().actions()]  # fmt: skip
    assert "Overview\tJ" in entries
    assert ("J",) in [row.keys for row in listed_rows()["look"] if row.does == "overview bar"]


def test_a_shortcut_of_the_window_can_be_changed(desk, sheet):
    change_key(desk, sheet, ("anywhere", "full screen"), Qt.Key.Key_F9)
    focus_traces(desk, sheet)
    QTest.keyClick(desk.window.traces, Qt.Key.Key_F9)
    assert desk.window.isFullScreen()
    QTest.keyClick(desk.window.traces, Qt.Key.Key_F11)
    assert desk.window.isFullScreen()


def test_a_key_that_is_taken_names_who_has_it_and_can_be_taken_over(desk, sheet):
    change_key(desk, sheet, OVERVIEW_ROW, Qt.Key.Key_L)
    assert sheet.keys.words.text() == "L is taken: antialias, on the traces"
    assert key_table().keys_of(*OVERVIEW_ROW) == ("O",)
    sheet.keys.take_over.click()
    assert key_table().keys_of(*OVERVIEW_ROW) == ("L",)
    assert key_table().keys_of("traces", "antialias") == ()
    sheet.show_page("keys")
    sheet.reset.click()
    assert key_table().keys_of(*OVERVIEW_ROW) == ("O",)


def test_a_key_of_a_part_that_keeps_its_keys_cannot_be_taken(desk, sheet):
    change_key(desk, sheet, ("anywhere", "full screen"), Qt.Key.Key_F2)
    assert sheet.keys.words.text() == "F2 is taken: rename, in the chain"
    assert sheet.keys.take_over.isHidden()


def test_escape_gives_up_and_delete_takes_the_key_away(desk, sheet):
    change_key(desk, sheet, OVERVIEW_ROW, Qt.Key.Key_Escape)
    assert key_table().keys_of(*OVERVIEW_ROW) == ("O",)
    assert sheet.isVisible()
    QTest.keyClick(sheet.keys.list, Qt.Key.Key_Delete)
    assert key_table().keys_of(*OVERVIEW_ROW) == ()
    sheet.keys.usual.click()
    assert key_table().keys_of(*OVERVIEW_ROW) == ("O",)


def test_a_key_that_hides_the_filter_while_held_can_be_another(desk, sheet):
    row = ("traces", "tap: raw on or off; hold: raw while held")
    change_key(desk, sheet, row, Qt.Key.Key_J)
    focus_traces(desk, sheet)
    QTest.keyPress(desk.window.traces, Qt.Key.Key_J)
    assert desk.store.state.viewport.raw
    QTest.keyRelease(desk.window.traces, Qt.Key.Key_J)


def test_page_keys_can_page_time(desk, sheet):
    sheet._change(replace(sheet._read(), page_keys="time"))
    focus_traces(desk, sheet)
    QTest.keyClick(desk.window.traces, Qt.Key.Key_PageDown)
    assert desk.store.state.viewport.start_s == pytest.approx(10.0)
    assert key_table().keys_of("traces", "a screen of channels down") == ("Shift+PgDown",)


def test_a_key_typed_while_a_row_waits_does_nothing_else(desk, sheet):
    before = desk.store.state
    change_key(desk, sheet, OVERVIEW_ROW, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert desk.store.state is before
    assert key_table().keys_of(*OVERVIEW_ROW) == ("Ctrl+R",)
