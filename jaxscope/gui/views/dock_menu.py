"""The menu of stages that can be added: the shapes first, every other family below."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

from jaxscope.filters import FAMILIES, Stage
from jaxscope.filters.shapes import SHAPES, new_spec

#: rate that a new stage is made to fit while no recording is open
FALLBACK_RATE_HZ = 256.0


def stage_menu(parent: QWidget, rate_hz: float | None, add: Callable[[Stage], None]) -> QMenu:
    """Return a menu whose entries call ``add`` with a fresh stage that fits the rate."""
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    rate = rate_hz or FALLBACK_RATE_HZ
    *shapes, more = SHAPES
    for shape in shapes:
        entry = menu.addAction(shape.title, partial(_add_new, add, shape.families[0], rate, shape.band))
        entry.setToolTip(shape.summary)
    menu.addSeparator()
    offered = dict.fromkeys(name for shape in shapes for name in shape.families[1:] if shape.band is None)
    for family in (*offered, *more.families):
        entry = menu.addAction(FAMILIES[family].title, partial(_add_new, add, family, rate, None))
        entry.setToolTip(FAMILIES[family].summary)
    return menu


def _add_new(add: Callable[[Stage], None], family: str, rate_hz: float, band: str | None) -> None:
    add(Stage(spec=new_spec(family, rate_hz, band=band)))
