"""The formula bar over the table of coefficients: name of the cell, what is typed for it, and its value."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from jaxscope.gui.components.number_field import NumberField
from jaxscope.gui.components.painting import RIGHT, begin, draw_text, hairline, rounded, text_width
from jaxscope.gui.theme import font, theme
from jaxscope.gui.views.coefficients_model import write_cell
from jaxscope.gui.views.coefficients_table import ExactRange


class FormulaBar(QWidget):
    """Name of the cell, what is typed for it, and its value."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label, self._value = "", ""
        self.field = _BareField("Number or expression", span=ExactRange(), width=None, height=34, mono=True, px=12)
        self.field.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.field)
        self.field.focus_changed.connect(self.update)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_cell(self, label: str, value: float | None, *, fixed: bool, tip: str) -> None:
        """Show a number and its name."""
        self._label = label
        self._value = "" if value is None else f"= {write_cell(value)}"
        self.field.setEnabled(value is not None and not fixed)
        self.field.setToolTip(tip)
        self.field.setAccessibleName(label or "Number or expression")
        self.field.show_value(value)
        left = round(text_width(label, font(12, 500))) + 28
        self._row.setContentsMargins(left, 0, round(text_width(self._value, font(12, mono=True))) + 16, 0)
        self.update()

    def label(self) -> str:
        """Return the name of the cell."""
        return self._label

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rect = QRectF(self.rect())
            wrong, focused = self.field.is_wrong, self.field.hasFocus()
            border = "danger" if wrong else ("focus" if focused else "field")
            rounded(painter, rect, 6, "canvas" if theme().is_dark else "raised", border, 2 if wrong or focused else 1)
            draw_text(painter, rect.adjusted(10, 0, 0, 0), self._label, font(12, 500), "after")
            hairline(painter, 18 + text_width(self._label, font(12, 500)), 7, self.height() - 14, "line2", upright=True)
            draw_text(painter, rect.adjusted(0, 0, -10, 0), self._value, font(12, mono=True), "text2", RIGHT)


class _BareField(NumberField):
    """A number field without a frame of its own."""

    focus_changed = Signal()

    def paintEvent(self, event: QPaintEvent) -> None:
        QLineEdit.paintEvent(self, event)

    def focusInEvent(self, event) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit()

    def focusOutEvent(self, event) -> None:
        super().focusOutEvent(event)
        self.focus_changed.emit()
