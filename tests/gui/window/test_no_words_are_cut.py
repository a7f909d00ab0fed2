"""Words that are shown whole: formats on the start screen, headings side by side, the list of keys, placeholders."""

from __future__ import annotations

import pytest

from jaxscope.compute.formats import short_titles
from jaxscope.gui.components.labels import Label, Paragraph
from jaxscope.gui.components.painting import text_width
from jaxscope.gui.theme import font
from jaxscope.gui.views import keys_sheet
from jaxscope.gui.views.header_strip import window_text
from jaxscope.gui.views.import_sheet import ImportSheet
from jaxscope.gui.views.keys_sheet import KeysSheet
from jaxscope.gui.views.start_screen import StartScreen
from jaxscope.readers import READERS


@pytest.mark.parametrize("width", [1600, 1280, 1024, 640])
def test_the_formats_fit_and_are_all_of_the_readers(qtbot, width):
    screen = StartScreen(short_titles())
    qtbot.addWidget(screen)
    screen.resize(width, 800)
    screen.show()
    room = screen._zone.width() - 48
    lines = screen._zone.format_lines(room)
    assert len(short_titles()) >= len(READERS) - 1
    assert " ".join(lines).split() == " ".join(short_titles()).split()
    assert all(text_width(line, font(12)) <= room for line in lines)


@pytest.mark.parametrize("recent", [(), ("/nowhere/one.edf",)])
def test_the_headings_of_the_lists_stand_on_one_line(qtbot, recent):
    screen = StartScreen(short_titles())
    qtbot.addWidget(screen)
    screen.resize(1280, 800)
    screen.show_recent(recent)
    screen.show()
    labels = {label.text(): label for label in screen.findChildren(Label) if label.isVisible()}
    middles = [labels[words].mapTo(screen, labels[words].rect().center()).y() for words in ("Recent", "Demonstration")]
    assert middles[0] == middles[1]


def test_no_word_of_the_list_of_keys_is_cut(desk):
    sheet = KeysSheet(desk.window)
    sheet.open_sheet()
    desk.pump()
    labels = [label for label in sheet.findChildren(Label) if label.isVisible() and label.text()]
    assert len(labels) > 60
    assert [label.text() for label in labels if label.sizeHint().width() > label.width() + 2] == []
    long = [words for words in sheet.findChildren(Paragraph) if words.isVisible()]
    assert [words.text() for words in long if words.heightForWidth(words.width()) > words.height()] == []
    sheet.close_floating()


@pytest.mark.parametrize("duration_s", [0.0001, 0.371, 0.0371, 36.4, 3600.0, 86400.0])
def test_the_length_of_the_window_fits_its_field(desk, duration_s):
    field = desk.window.strip.window_stepper.field
    words = window_text(duration_s)
    desk.window.strip.window_stepper.show_text(words)
    assert field.text() == words
    assert text_width(words, font(12, 500)) <= field.width() - 4  # what the field keeps free at its sides


def test_the_hint_of_the_rate_fits_its_field(desk):
    sheet = ImportSheet(desk.window, lambda *_: None)
    sheet.ask("/data/sound.npy")
    field = sheet.field
    margins = field.textMargins()
    room = field.width() - margins.left() - margins.right() - 4
    assert text_width(field.placeholderText(), font(13)) <= room
    sheet.close_floating()


def test_every_part_of_the_list_of_keys_stands_under_its_heading(desk):
    sheet = KeysSheet(desk.window)
    sheet.open_sheet()
    desk.pump()
    parts = sheet.findChildren(keys_sheet._Group)
    headings = [part.layout().itemAtPosition(0, 0).widget().text() for part in parts]
    assert sorted(headings) == sorted(title for name, title in keys_sheet._GROUPS if name in keys_sheet.listed_rows())
    sheet.close_floating()
