"""The dock in a slim window: commands that work in it open it, and what they open is in view."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect

from jaxscope.gui.command_table import COMMANDS
from jaxscope.gui.components.floating import Popover
from jaxscope.gui.views.coefficients import CoefficientsFace
from jaxscope.session import actions as act

POPOVERS = ("limits", "pins", "edges")


def run(desk, name: str) -> None:
    next(command for command in COMMANDS if command.name == name).run(desk.window.actions_)
    desk.pump()


def cards(desk) -> list[QRect]:
    found = [part for part in desk.window.findChildren(Popover) if part.isVisible()]
    return [part.card().translated(part.mapTo(desk.window, QPoint(0, 0))) for part in found]


@pytest.mark.parametrize("name", POPOVERS)
def test_a_command_opens_the_folded_dock_over_the_traces(desk, name):
    desk.window.resize(1100, 800)
    desk.pump()
    width = desk.window.traces.width()
    assert not desk.window.dock.isVisible()
    run(desk, name)
    assert desk.window.dock.isVisible()
    assert desk.window.traces.width() == width
    assert [desk.window.rect().contains(card) for card in cards(desk)] == [True]


@pytest.mark.parametrize("name", POPOVERS)
def test_what_a_command_opens_is_in_view_where_the_whole_dock_scrolls(desk, name):
    desk.window.resize(1280, 800)
    desk.scale_to(2.0)
    run(desk, name)
    assert len(cards(desk)) == 1
    assert desk.window.rect().intersects(cards(desk)[0])
    anchor = {
        "limits": desk.window.dock.response.limits_button,
        "pins": desk.window.dock.response.pins_button,
        "edges": desk.window.dock.header.edges_button,
    }[name]
    assert not anchor.visibleRegion().isEmpty()


@pytest.mark.parametrize("width", [1280, 1600])
def test_the_numbers_of_the_sections_end_at_the_edge_of_their_card(desk, width):
    desk.window.resize(width, 900)
    desk.store.dispatch(act.ChooseFace(face="coefficients", form="sos"))
    desk.scale_to(1.0)
    face = desk.window.findChild(CoefficientsFace)
    cells = face.table.cells
    ends = sum(cells.columnWidth(column) for column in range(6))
    assert ends == cells.viewport().width()
    assert cells.columnWidth(3) < cells.columnWidth(0)
