"""The channels of a montage as a table: a name, and what it is made of. Cells are typed where they are formulas.

The table asks for changes and never writes its model: each letter that makes a formula that can be read is shown at
once, and one visit of a cell is one step of undo. What cannot be read stays in the cell, in red, and changes nothing.
"""

from __future__ import annotations

from itertools import count

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from jaxscope.gui.components.painting import LEFT, draw_text, rounded
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.theme import colour, font, scaled, theme
from jaxscope.gui.views.coefficients_editor import EditingTable

ROW = 26
_NAME_WIDTH = 132
_HEADINGS = ("Channel", "Made of")
_visits = count(1)


class MontageModel(QAbstractTableModel):
    """Names and formulas."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[tuple[str, str], ...] = ()
        self.is_editable = False

    def show_rows(self, rows: tuple[tuple[str, str], ...], *, is_editable: bool) -> None:
        """Take other rows; the cell that is current stays where their number is the same."""
        self.is_editable = is_editable
        if len(rows) == len(self.rows):
            self.rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, 1))
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else 2

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        words = self.rows[index.row()][index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return words
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{_HEADINGS[index.column()]} {index.row() + 1}: {words}"
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return _HEADINGS[section]
        return None


class _CellDelegate(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        rect, view = QRectF(option.rect), self.parent()
        assert isinstance(view, MontageTable)
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        if index.row() % 2:
            painter.fillRect(rect, colour("hover", 0.45))
        if view.currentIndex() == index and view.hasFocus():
            rounded(painter, rect.adjusted(1, 1, -1, -1), 4, "after_bg", "focus", 2)
        is_name = index.column() == 0
        text = font(12, 500) if is_name else font(11, mono=True)
        token = "text" if is_name or view.cells.is_editable else "text2"
        words = str(index.data(Qt.ItemDataRole.DisplayRole))
        draw_text(painter, rect.adjusted(8, 0, -8, 0), words, text, token, LEFT, Qt.TextElideMode.ElideRight)
        painter.restore()


class MontageTable(EditingTable):
    """The cells; F2, Enter, a letter or a double click opens the editor where the rows are formulas."""

    #: (row, column, text, merge key)
    changed = Signal(int, int, str, str)
    #: the row is to go
    removed = Signal(int)
    #: a cell that follows from the kind of the montage was to be edited
    refused = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self.editor = TextField("Formula", width=None, height=ROW, mono=True, px=11)
        super().__init__(self.editor, "Channels of the montage", parent)
        self.cells = MontageModel(self)
        self.setModel(self.cells)
        self.setItemDelegate(_CellDelegate(self))
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.editor.textEdited.connect(self._on_typed)
        self._measure()
        theme().changed.connect(self._measure)

    @property
    def edited_cell(self) -> tuple[int, int] | None:
        """Row and column of the cell that is being typed, None where none is."""
        return None if self._before is None else (self._before[0], self._before[1])

    def edit_cell(self, row: int, column: int, first: str = "") -> None:
        """Open the editor over a cell, with a first letter typed where one is given."""
        if not self.cells.is_editable:
            self.refused.emit()
            return
        index = self.cells.index(row, column)
        self.setCurrentIndex(index)
        self.scrollTo(index)
        words = self.cells.rows[row][column]
        self._before = (row, column, words, f"montage-cell-{next(_visits)}")
        self.editor.setAccessibleName(f"{_HEADINGS[column]} {row + 1}")
        self.editor.setText(words)
        self.editor.set_wrong(wrong=False)
        place = self.visualRect(index).translated(self.viewport().pos())
        self._open_over(place, first)

    def give_back(self) -> tuple[int, int, str, str] | None:
        """Return the cell that is being typed as it was before, and its merge key."""
        return self._before

    def mark(self, *, wrong: bool) -> None:
        """Mark the text that is being typed as wrong, or as right again."""
        self.editor.set_wrong(wrong=wrong)

    def _on_typed(self, text: str) -> None:
        if self._before is not None:
            self.changed.emit(self._before[0], self._before[1], text, self._before[3])

    def _measure(self) -> None:
        self.verticalHeader().setDefaultSectionSize(scaled(ROW))
        self.setColumnWidth(0, scaled(_NAME_WIDTH))
        self.setColumnWidth(1, max(80, self.viewport().width() - scaled(_NAME_WIDTH)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid():
            self.edit_cell(index.row(), index.column())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index, key = self.currentIndex(), event.key()
        if key == Qt.Key.Key_Escape:
            event.ignore()
        elif not index.isValid():
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_F2, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.edit_cell(index.row(), index.column())
        elif key == Qt.Key.Key_Delete and self.cells.is_editable:
            self.removed.emit(index.row())
        elif (
            event.text().isprintable() and event.text() and not event.modifiers() & Qt.KeyboardModifier.ControlModifier
        ):
            self.edit_cell(index.row(), index.column(), event.text())
        else:
            super().keyPressEvent(event)
