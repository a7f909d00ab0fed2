"""The small tip that names the value of what is being dragged; a child of the window, never in the way of the mouse."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from jaxscope.gui.components.painting import begin, tip_width, value_tip


class ValueTip(QWidget):
    """A tip that stands above a point of its window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._text = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    @property
    def text(self) -> str:
        """The words that are shown."""
        return self._text

    def show_at(self, foot: QPoint, text: str) -> None:
        """Show ``text`` with its lower edge above ``foot``, inside the window."""
        self._text = text
        size = QSize(round(tip_width(text)), 22)
        parent = self.parentWidget()
        left = min(max(4, foot.x() - size.width() // 2), max(4, parent.width() - size.width() - 4))
        self.setGeometry(left, max(2, foot.y() - size.height()), size.width(), size.height())
        self.show()
        self.raise_()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            value_tip(painter, QRectF(self.rect()), self._text)
