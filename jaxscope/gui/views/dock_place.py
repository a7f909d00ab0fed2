"""The place of the dock in the window: the dock itself, or in slim windows a strip of icons that opens it.

Folded, the dock lies over the traces at their right edge, so the traces never change their width by opening it; a click
elsewhere, Esc or the same icon closes it again.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout, QWidget

from jaxscope.gui.components.buttons import IconButton
from jaxscope.gui.components.painting import begin, hairline
from jaxscope.gui.theme import colour, scaled
from jaxscope.gui.views.dock import Dock

STRIP_WIDTH = 44
_ICONS = (
    ("chain", "Chain of stages"),
    ("settings", "Design and coefficients"),
    ("response", "Response"),
)


class DockPlace(QWidget):
    """Holds the dock, beside the traces or folded to a strip of 44 px.

    Parameters
    ----------
    dock : Dock
        The dock; it stays the same widget, whether folded or not.
    """

    def __init__(self, dock: Dock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.dock = dock
        self._is_folded = False
        self._strip = _Strip()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._row.addWidget(dock, 1)
        self._row.addWidget(self._strip)
        self._strip.hide()
        dock.escaped.connect(self.close_dock)
        parts = (dock.chain, dock.tabs, dock.response.plot)
        for button, part in zip(self._strip.buttons, parts, strict=True):
            button.clicked.connect(lambda _=False, wanted=part: self._on_icon(wanted))

    @property
    def is_folded(self) -> bool:
        """Whether only the strip takes room."""
        return self._is_folded

    @property
    def is_open(self) -> bool:
        """Whether the folded dock lies over the traces."""
        return self._is_folded and self.dock.isVisible()

    @property
    def strip_buttons(self) -> tuple[IconButton, ...]:
        """The icons of the strip, from top to bottom."""
        return tuple(self._strip.buttons)

    def set_folded(self, *, folded: bool) -> None:
        """Fold the dock to the strip, or put it back beside the traces."""
        if folded == self._is_folded:
            return
        self._is_folded = folded
        self._strip.setVisible(folded)
        if folded:
            self._row.removeWidget(self.dock)
            self.dock.setParent(self.window())
            self.dock.hide()
            self.setFixedWidth(scaled(STRIP_WIDTH))
        else:
            self.close_dock()
            self._row.insertWidget(0, self.dock, 1)
            self.dock.show()
            self.setMinimumWidth(0)
            self.setMaximumWidth(16_777_215)
        self.updateGeometry()

    def open_dock(self) -> None:
        """Show the folded dock over the traces."""
        if not self._is_folded:
            return
        self._place()
        self.dock.show()
        self.dock.raise_()
        QApplication.instance().installEventFilter(self)

    def close_dock(self) -> None:
        """Hide the folded dock again."""
        QApplication.instance().removeEventFilter(self)
        if self._is_folded:
            self.dock.hide()

    def sizeHint(self) -> QSize:
        return QSize(scaled(STRIP_WIDTH), 400) if self._is_folded else self.dock.sizeHint()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        pressed = isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonPress
        if pressed and isinstance(watched, QWidget) and self._is_elsewhere(watched):
            self.close_dock()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        if self.is_open:
            self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._is_folded:
            self.setFixedWidth(scaled(STRIP_WIDTH))

    def _is_elsewhere(self, part: QWidget) -> bool:
        own = part is self.dock or self.dock.isAncestorOf(part) or self._strip.isAncestorOf(part)
        return part.window() is self.window() and not own

    def _on_icon(self, wanted: QWidget) -> None:
        if self.is_open and wanted.hasFocus():
            self.close_dock()
            return
        self.open_dock()
        wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _place(self) -> None:
        corner = self.mapTo(self.window(), QPoint(0, 0))
        width = min(self.dock.sizeHint().width(), corner.x())
        self.dock.setGeometry(corner.x() - width, corner.y(), width, self.height())


class _Strip(QWidget):
    """The icons, one below the other."""

    def __init__(self) -> None:
        super().__init__()
        self.buttons = [IconButton(icon, tip) for icon, tip in _ICONS]
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 8, 6, 8)
        column.setSpacing(8)
        for button in self.buttons:
            column.addWidget(button, alignment=Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    def sizeHint(self) -> QSize:
        return QSize(scaled(STRIP_WIDTH), 200)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin(self)
        painter.fillRect(self.rect(), colour("panel"))
        hairline(painter, 0, 0, self.height(), upright=True)
        painter.end()
