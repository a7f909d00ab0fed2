"""A panel in the place of the dock: over the response, which stays, and instead of all that stands above it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import QLayout, QVBoxLayout, QWidget

#: what stays at the end of the dock: a hairline and the response
_STAYS = 2


def show_instead(column: QVBoxLayout, panel: QWidget, *, shown: bool) -> None:
    """Show a panel in the column of the dock, or what it has taken the place of."""
    if column.indexOf(panel) < 0:
        column.insertWidget(0, panel, 3)
    elif panel.isHidden() != shown:
        return
    for at in range(1, column.count() - _STAYS):
        item = column.itemAt(at)
        widget, layout = item.widget(), item.layout()
        for part in (widget,) if widget is not None else () if layout is None else _widgets_in(layout):
            part.setVisible(not shown)
    panel.setVisible(shown)


def _widgets_in(layout: QLayout) -> Iterator[QWidget]:
    for at in range(layout.count()):
        widget = layout.itemAt(at).widget()
        if widget is not None:
            yield widget
