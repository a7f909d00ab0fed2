"""The palette: everything by a few letters, keyboard only, and why something cannot be done."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from jaxscope.gui.command_table import COMMANDS
from jaxscope.gui.palette_entries import palette_entries
from jaxscope.gui.palette_search import Entry, score, search
from jaxscope.gui.views.dock_menu import stage_choices


def open_palette(desk):
    desk.window.activateWindow()
    desk.window.traces.setFocus()
    desk.pump()
    desk.window.actions_.open_palette()
    desk.pump()
    return desk.window.floating.palette


def type_in(palette, text: str) -> None:
    palette.field.clear()
    QTest.keyClicks(palette.field, text)


@pytest.mark.parametrize(
    ("wanted", "better", "worse"),
    [
        ("over", "Overlay", "Heights, moved over"),
        ("ovl", "Overlay", "To see a level"),
        ("chan", "Find a channel", "Much a handle"),
        ("scale bars", "Scale bars", "Bars of a scaled thing"),
    ],
)
def test_letters_in_order_find_and_words_that_begin_so_come_first(wanted, better, worse):
    first, second = score(wanted, better), score(wanted, worse)
    assert first is not None
    assert second is None or first > second


def test_beside_the_title_words_are_found_whole_or_not_at_all():
    beside = "View the recording left of the line, both with their bars"
    assert score("vibr", "Curtain", beside) is None
    assert score("left cur", "Curtain", beside) is not None
    entries = [
        Entry(title="Move in bright rows", run=print),
        Entry(title="Add preset Local earthquake", also="Earth Forward only, so that an onset stays", run=print),
        Entry(title="Mint brims, the other ones", also="Moving in birth", run=print),
    ]
    assert [entry.title for entry in search("earth", entries)] == ["Add preset Local earthquake"]


def test_letters_that_are_not_there_find_nothing():
    assert score("xq", "Overlay") is None
    assert score("yo", "Overlay") is None


def test_what_can_be_done_comes_before_what_cannot():
    entries = [
        Entry(title="Undo", run=print, why_not="Nothing to undo"),
        Entry(title="Undo of a kind", run=print),
    ]
    assert [entry.title for entry in search("undo", entries)] == ["Undo of a kind", "Undo"]


def test_every_command_is_offered(desk):
    offered = {entry.title for entry in palette_entries(desk.window.actions_)}
    left_out = {item.text.rstrip("…") for item in COMMANDS} - offered
    assert left_out == {"Cancel", "Commands"}


def test_a_command_is_found_and_run_with_keys_alone(desk):
    palette = open_palette(desk)
    assert QApplication.focusWidget() is palette.field
    type_in(palette, "split")
    assert palette.current.title == "Split"
    assert palette.current.key == "Ctrl 2"
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert desk.store.state.viewport.mode == "split"
    assert palette.isHidden()
    assert QApplication.focusWidget() is desk.window.traces


def test_arrows_move_in_the_list_and_the_field_keeps_the_focus(desk):
    palette = open_palette(desk)
    first = palette.current
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.current is palette.found[2]
    assert palette.field.accessibleDescription().startswith(palette.current.title)
    QTest.keyClick(palette.field, Qt.Key.Key_Up)
    QTest.keyClick(palette.field, Qt.Key.Key_Up)
    assert palette.current is first
    assert QApplication.focusWidget() is palette.field
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    assert palette.isHidden()


def test_what_cannot_be_done_says_why_and_does_nothing(desk):
    palette = open_palette(desk)
    type_in(palette, "redo")
    assert (palette.current.title, palette.current.why_not) == ("Redo", "Nothing to redo")
    before = desk.store.state
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert desk.store.state is before
    assert palette.isVisible()
    palette.close_floating()


def test_channels_presets_and_recent_recordings_are_found(desk):
    desk.window.actions_.settings = desk.window.actions_.settings.with_recent("/data/night.edf")
    palette = open_palette(desk)
    type_in(palette, "go o2")
    assert palette.current.title == "Go to channel O2"
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert desk.store.state.viewport.selected_channels == ("O2",)
    palette = open_palette(desk)
    type_in(palette, "preset eeg")
    assert palette.current.title.startswith("Add preset EEG")
    chains = desk.store.state.document.chains
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert desk.store.state.document.chains != chains
    palette = open_palette(desk)
    type_in(palette, "night")
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert desk.conductor.asked[-1] == ("open", "/data/night.edf")


def test_a_hidden_channel_is_shown_again_and_scrolled_to(desk):
    from jaxscope.session import actions as act

    desk.store.dispatch(act.HideChannels(names=("ECG",)))
    desk.store.dispatch(act.ShowLanes(first=0, count=2))
    desk.window.actions_.go_to_channel("ECG")
    assert [lane.name for lane in desk.window.shell.lanes] == ["VEOG", "ECG"]


def test_nothing_found_is_said(desk):
    palette = open_palette(desk)
    type_in(palette, "zzzz")
    assert palette.current is None
    assert palette.nothing.text() == "Nothing is called “zzzz”"
    palette.close_floating()


def test_a_stage_is_added_by_its_name(desk):
    palette = open_palette(desk)
    type_in(palette, "notch")
    desk.pump()
    before = len(desk.store.state.document.chains[0].stages)
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    stages = desk.store.state.document.chains[0].stages
    assert len(stages) == before + 1
    assert "notch" in [stage.spec.family for stage in stages]


def test_every_stage_of_the_menu_is_in_the_palette(desk):
    titles = {entry.title for entry in palette_entries(desk.window.actions_)}
    assert {f"Add stage {choice.title}" for choice in stage_choices()} <= titles
    assert {"Add stage Low-pass", "Add stage Notch", "Add stage Median"} <= titles


@pytest.mark.parametrize("size", [(1600, 1000), (1280, 800), (1024, 640)])
def test_the_card_is_as_high_as_what_is_in_it(desk, size):
    desk.window.resize(*size)
    palette = open_palette(desk)
    for text in ("", "over", "chan", "there is no such thing"):
        type_in(palette, text)
        desk.pump()
        assert palette._scroll.verticalScrollBar().maximum() == 0
        last = palette.list if palette.found else palette.nothing
        under = palette.card().bottom() - last.mapTo(palette, last.rect().bottomLeft()).y()
        assert under == 10
        assert palette.mapTo(desk.window, palette.card().bottomLeft()).y() < desk.window.height()
