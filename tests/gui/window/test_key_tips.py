"""Tooltips name the keys of the table, also after a person has changed one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

import jaxscope.gui
from jaxscope.gui.key_table import key_table, key_words
from jaxscope.gui.key_tips import KeyTip, with_key
from jaxscope.session.settings import key_row

ROW = ("anywhere", "open a recording")


@pytest.fixture
def restored():
    """Put the keys back to the usual ones."""
    yield
    key_table().choose(())


def test_a_tip_follows_the_table(qtbot, restored):
    widget = QWidget()
    qtbot.addWidget(widget)
    tip = KeyTip(widget, "Open a recording", ROW)
    assert widget.toolTip() == "Open a recording [Ctrl O]"
    key_table().choose(((key_row(*ROW), ("Ctrl+Shift+9",)),))
    assert widget.toolTip() == "Open a recording [Ctrl Shift 9]"
    key_table().choose(((key_row(*ROW), ()),))
    assert widget.toolTip() == "Open a recording"
    tip.say("Nothing to open")
    key_table().choose(())
    assert widget.toolTip() == "Nothing to open"


def test_several_keys_stand_side_by_side():
    words = with_key("Seconds shown", ("traces", "less time"), ("traces", "more time"))
    assert words == "Seconds shown [[, ]]"


def test_the_buttons_of_the_window_name_their_keys(desk, restored):
    window = desk.window
    named = {
        window.top.open_button: "[Ctrl O]",
        window.top.export_button: "[Ctrl E]",
        window.top.modes.button("split"): "[2]",
        window.strip._find: "[Ctrl F]",
        window.dock.add_button: "[Insert]",
        window.dock.header.switch: "[Shift R]",
        window.dock.response.pins_button: "[V]",
        window.dock.response.view: "[G]",
    }
    assert {widget.toolTip().rpartition(" [")[2] for widget in named} == {keys[1:] for keys in named.values()}
    assert window.dock.tabs.tabToolTip(1) == "The filter as numbers [Alt 2]"
    assert window.top.open_button.accessibleName() == "Open a recording"
    key_table().choose(((key_row("traces", "Split"), ("Y",)),))
    assert window.top.modes.button("split").toolTip().endswith("[Y]")


def test_tips_of_the_modes_are_there_once_after_they_were_icons(desk):
    for scale in (2.0, 1.0, 2.0, 1.0):
        desk.scale_to(scale)
    split = desk.window.top.modes.button("split")
    assert split.toolTip().endswith(" [2]")
    assert len(split.findChildren(KeyTip)) == 1


def test_no_key_of_the_table_is_written_out_in_a_tooltip():
    known = {key_words(key) for row in key_table().rows for key in row.keys} - {"Esc"}
    written = re.compile(r"\[([^\][]+)\]\"")
    found = [
        (path.name, keys)
        for path in Path(jaxscope.gui.__file__).parent.rglob("*.py")
        for keys in written.findall(path.read_text(encoding="utf-8"))
        if path.name != "buttons.py" and known & {key.strip() for key in keys.split(",")}
    ]
    assert found == []
