"""The menu of stages that can be added: the shapes first, every other family below."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMenu, QWidget

from jaxscope.filters import FAMILIES, Stage
from jaxscope.gui.views.design_face_shapes import SHAPES, families_of, new_spec


def stage_menu(parent: QWidget, rate_hz: float | None, add: Callable[[Stage], None]) -> QMenu:
    """Return a menu whose entries call ``add`` with a fresh stage that fits the rate."""
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    for shape in SHAPES:
        if shape.key == "more":
            continue
        entry = menu.addAction(shape.title, lambda key=shape.key: add(Stage(spec=new_spec(key, rate_hz))))
        entry.setToolTip(shape.tip)
    menu.addSeparator()
    for family, title in families_of("more"):
        entry = menu.addAction(title, lambda name=family: add(Stage(spec=new_spec("more", rate_hz, name))))
        entry.setToolTip(FAMILIES[family].summary)
    return menu
