"""Larger text: everything keeps its place, nothing is cut, the dock has its widths."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QToolButton

from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import Stage
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.painting import text_width
from jaxscope.gui.painting.geometry import RAIL_PX
from jaxscope.gui.theme import font
from jaxscope.session import actions as act

SCALES = (0.8, 1.0, 1.25, 1.5, 2.0)


@pytest.mark.parametrize("scale", SCALES)
def test_no_button_is_narrower_than_its_words(desk, scale):
    desk.scale_to(scale)
    seen = 0
    for button in desk.window.findChildren(QToolButton) + desk.window.findChildren(Button):
        if button.isVisible():
            seen += 1
            assert button.width() >= button.minimumSizeHint().width(), button.accessibleName()
            assert button.height() >= button.minimumSizeHint().height(), button.accessibleName()
            if isinstance(button, Button):
                assert button.width() >= text_width(button.text(), font(12, 500)), button.text()
    assert seen > 20


@pytest.mark.parametrize(("scale", "width"), [(1.0, 400), (1.5, 480), (2.0, 640)])
def test_the_dock_has_its_width(desk, scale, width):
    desk.scale_to(scale)
    assert desk.window.dock.width() == width
    desk.scale_to(1.0)
    assert desk.window.dock.width() == 400


@pytest.mark.parametrize(
    ("scale", "width", "height", "scrolls"),
    [(2.0, 1600, 1000, True), (1.5, 1280, 800, True), (1.5, 1600, 1000, False), (1.0, 1280, 640, False)],
)
def test_the_whole_dock_scrolls_only_where_text_is_large_for_its_height(desk, scale, width, height, scrolls):
    desk.window.resize(width, height)
    desk.scale_to(scale)
    dock = desk.window.dock
    assert (dock._whole.verticalScrollBar().maximum() > 0) is scrolls
    if scrolls:  # what is scrolled has the room it needs: no stage is left out
        assert dock.chain.hidden_rows() == (0, 0)


@pytest.mark.parametrize("scale", SCALES)
def test_the_chip_has_room_for_its_words(desk, scale):
    desk.window.resize(1280, 800)
    desk.scale_to(scale)
    chip = desk.window.top.chip
    assert chip.width() >= chip.sizeHint().width()
    assert desk.window.top.title.width() >= desk.window.top.title.minimumSizeHint().width()


@pytest.mark.parametrize("scale", SCALES)
def test_everything_that_stands_over_the_rail_is_as_wide_as_the_rail(desk, scale):
    desk.scale_to(scale)
    window = desk.window
    assert window.rail.width() == round(RAIL_PX * scale)
    assert window.overview._x(0.0) == window.rail.width()
    assert window.traces.x() == window.rail.width()


@pytest.mark.parametrize(("scale", "icons"), [(1.0, False), (1.5, False), (2.0, True)])
def test_the_modes_become_icons_where_their_words_have_no_room(desk, scale, icons):
    desk.scale_to(scale)
    modes = desk.window.top.modes
    for button in map(modes.button, modes.keys()):
        assert button._shows_icon_only() is icons
        assert button.width() >= button.sizeHint().width()
        assert button.accessibleName()


@pytest.mark.parametrize("scale", SCALES)
def test_bars_are_as_high_as_their_text_needs(desk, scale):
    desk.scale_to(scale)
    for part, height in ((desk.window.top, 52), (desk.window.strip, 36), (desk.window.status, 28)):
        assert part.height() == round(height * scale)


def test_two_stages_and_the_whole_form_are_seen_with_text_a_quarter_larger_in_a_small_window(desk):
    stages = tuple(Stage(spec=Butterworth(cutoff_hz=cutoff_hz)) for cutoff_hz in (10.0, 20.0, 30.0, 40.0))
    chain = replace(desk.store.state.document.chains[0], stages=stages)
    desk.store.dispatch(act.SetChains(chains=(chain,)))
    desk.window.resize(1280, 800)
    desk.scale_to(1.25)
    dock = desk.window.dock
    above, below = dock.chain.hidden_rows()
    assert len(stages) - above - below >= 2
    last = dock.design.rows[-1]
    shown = dock._scroll.viewport()
    assert last.mapTo(shown, last.rect().bottomLeft()).y() <= shown.height()
