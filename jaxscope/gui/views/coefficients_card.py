"""The card around the cells of the coefficients: headings, row labels, rules and the rounded frame."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QRectF, QSize
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QSizePolicy, QVBoxLayout, QWidget

from jaxscope.gui.components.painting import CENTRE, RIGHT, begin, draw_text, hairline, rounded
from jaxscope.gui.theme import font, scaled, theme
from jaxscope.gui.views.coefficients_model import SUBSCRIPTS, SUPERSCRIPTS, CoefficientModel, digits_as
from jaxscope.gui.views.coefficients_table import CellTable

#: height of a row and width of the row labels by form
_ROW = {"sos": 28, "ba": 25, "taps": 24}
_LABELS = {"sos": 22, "ba": 34, "taps": 0}
_HEADING = 24
_MOST_TAP_ROWS = 4


class TableCard(QWidget):
    """Headings, row labels, the rounded frame, and the cells inside."""

    def __init__(self, model: CoefficientModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.cells = CellTable(model)
        self._column = QVBoxLayout(self)
        self._column.setSpacing(0)
        self._column.addWidget(self.cells)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        model.modelReset.connect(self.arrange)
        self.arrange()

    def arrange(self) -> None:
        """Lay the cells out for the form and the count of rows."""
        form = self._model.form
        heading = 0 if form == "taps" else scaled(_HEADING)
        self._column.setContentsMargins(scaled(_LABELS[form]), heading, 1, 1)
        if self.cells.verticalHeader().defaultSectionSize() != scaled(_ROW[form]):
            self.cells.verticalHeader().setDefaultSectionSize(scaled(_ROW[form]))
        self.setFixedHeight(self.sizeHint().height())
        self.cells.fit_columns()
        if self._model.rowCount() and not self.cells.currentIndex().isValid():
            middle = self._model.rowCount() // 2 if form == "taps" else 0
            self.cells.selectionModel().setCurrentIndex(
                self._model.index(middle, 0), QItemSelectionModel.SelectionFlag.ClearAndSelect
            )
            self.cells.scrollTo(self.cells.currentIndex(), QAbstractItemView.ScrollHint.PositionAtCenter)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        form = self._model.form
        rows = self._model.rowCount()
        rows = min(rows, _MOST_TAP_ROWS) if form == "taps" else rows
        heading = 0 if form == "taps" else scaled(_HEADING)
        return QSize(200, heading + rows * scaled(_ROW[form]) + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        form, rows = self._model.form, self._model.rowCount()
        if not rows:
            return
        with begin(self) as painter:
            top = 0 if form == "taps" else scaled(_HEADING)
            left, row = scaled(_LABELS[form]), scaled(_ROW[form])
            card = QRectF(0, top, self.width(), self.height() - top)
            rounded(painter, card, 6, "canvas" if theme().is_dark else "raised", "line2")
            columns = self._model.columnCount()
            borders = self.cells.borders()
            small = font(11, 500)
            pad = 12 if form == "ba" else 6
            for column in range(columns if form != "taps" else 0):
                heading = QRectF(left + borders[column], 0, borders[column + 1] - borders[column] - pad, scaled(22))
                draw_text(painter, heading, _heading(form, column), small, "text3", RIGHT)
            for number in range(min(rows, int(card.height() // row) + 1)):
                if number and number * row < card.height() - 2:
                    hairline(painter, 1, top + number * row, self.width() - 2)
                if left:
                    label = QRectF(0, top + number * row, left - 2, row)
                    draw_text(painter, label, _row_label(form, number), small, "text3", CENTRE)
            if left:
                hairline(painter, left - 1, top + 1, card.height() - 2, upright=True)
            breaks = {"sos": (3,), "ba": (1,), "taps": (1, 2, 3)}[form]
            for column in breaks:
                token = "line" if form == "taps" else "line2"
                hairline(painter, round(left + borders[column]), top + 1, card.height() - 2, token, upright=True)


def _heading(form: str, column: int) -> str:
    if form == "sos":
        return f"{'ba'[column // 3]}{SUBSCRIPTS[column % 3]}"
    return ("b, numerator", "a, denominator")[column]


def _row_label(form: str, number: int) -> str:
    return f"{number + 1}" if form == "sos" else f"z⁻{digits_as(number, SUPERSCRIPTS)}"
