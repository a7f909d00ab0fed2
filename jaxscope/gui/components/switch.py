"""A switch: a check box that is painted as a sliding knob.

Listen to ``clicked``, which is emitted for a person only; ``setChecked`` from the state then cannot echo.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QWidget

from jaxscope.gui.components.painting import begin, busy_ring, disc, draw_text, rounded, text_width
from jaxscope.gui.theme import font, scaled

_SMALLEST_TARGET = 24


def paint_switch(painter: QPainter, rect: QRectF, *, on: bool, over: bool = False) -> None:
    """Draw the switch into ``rect`` (its drawn size, 34 × 20 or 28 × 16)."""
    height = rect.height()
    if on:
        rounded(painter, rect, height / 2, "after")
        disc(painter, QPointF(rect.right() - height / 2, rect.center().y()), height / 2 - 3.5, "after_text")
    else:
        rounded(painter, rect, height / 2, None, "text3" if over else "field", 1.4)
        disc(painter, QPointF(rect.left() + height / 2, rect.center().y()), height / 2 - 4.5, "text3")


class Switch(QCheckBox):
    """A switch of 34 × 20, 30 × 18 in dialogs, 28 × 16 in rows, with an optional label beside it."""

    def __init__(
        self,
        name: str,
        *,
        width: int = 34,
        height: int = 20,
        label: str = "",
        tip: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._width = width
        self._height = height
        self._label = label
        self._turn = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(33)
        self._timer.timeout.connect(self._spin)
        self.setAccessibleName(name)
        self.set_tip(tip)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_tip(self, tip: str) -> None:
        """Change the tooltip, which screen readers say after the name."""
        self.setToolTip(tip)
        self.setAccessibleDescription(tip)

    def set_label(self, label: str) -> None:
        """Change the words beside the switch."""
        if label != self._label:
            self._label = label
            self.updateGeometry()
            self.update()

    def set_busy(self, *, busy: bool) -> None:
        """Show a small ring on the knob while the change is being applied."""
        if busy:
            self._timer.start()
        else:
            self._timer.stop()
        self.update()

    def sizeHint(self) -> QSize:
        words = text_width(self._label, font(12)) + 10 if self._label else 0
        return QSize(scaled(self._width) + 4 + round(words), max(scaled(self._height) + 4, _SMALLEST_TARGET))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, position: QPoint) -> bool:
        return self.rect().contains(position)

    def keyPressEvent(self, event) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            if not self.isEnabled():
                painter.setOpacity(0.5)
            width, height = scaled(self._width), scaled(self._height)
            rect = QRectF(2, (self.height() - height) / 2, width, height)
            on = self.isChecked()
            paint_switch(painter, rect, on=on, over=self.underMouse())
            if self._timer.isActive():
                x = rect.right() - height / 2 if on else rect.left() + height / 2
                spot = QRectF(x - height / 2 + 3, rect.center().y() - height / 2 + 3, height - 6, height - 6)
                busy_ring(painter, spot, self._turn, "after" if on else "text2")
            if self._label:
                words = QRectF(rect.right() + 10, 0, self.width() - rect.right() - 10, self.height())
                draw_text(painter, words, self._label, font(12), "text2")
            if self.hasFocus():
                rounded(painter, rect.adjusted(-2, -2, 2, 2), height / 2 + 2, None, "focus", 2)

    def _spin(self) -> None:
        self._turn = (self._turn + 0.04) % 1
        self.update()
