"""What both tables of numbers have in common: bare cells with one editor that lies over the current cell.

A visit of a cell ends by Enter, Esc or a click elsewhere; it has one merge key, the last entry of ``_before``. Esc
gives the whole visit up. The tables ask for changes and never write their models.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from jaxscope.gui.components.text_field import TextField


class EditingTable(QTableView):
    """Cells without headings and lines, and the editor over one of them."""

    #: an edit was given up: the stage is to be as it was (merge key)
    given_up = Signal(str)
    complained = Signal(str)
    escaped = Signal()
    #: the editor is gone
    closed = Signal()

    def __init__(self, editor: TextField, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        #: what the cell was when the editor was opened; its last entry is the merge key
        self._before: tuple[Any, ...] | None = None
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setShowGrid(False)
        self.horizontalHeader().hide()
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(16)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName(name)
        self._line = editor
        editor.setParent(self)
        editor.hide()
        editor.returnPressed.connect(self._on_taken)
        editor.escaped.connect(self._on_given_up)
        editor.editingFinished.connect(self._on_left)

    def _open_over(self, rect: QRect, first: str) -> None:
        """Show the editor at a place, all selected, or with a first letter typed."""
        self._line.setGeometry(rect)
        self._line.show()
        self._line.setFocus(Qt.FocusReason.OtherFocusReason)
        self._line.selectAll()
        if first:
            self._line.insert(first)
            self._line.textEdited.emit(self._line.text())

    def _on_taken(self) -> None:
        if not self._line.is_wrong:
            self._close_editor()
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_given_up(self) -> None:
        if self._before is not None:
            self.given_up.emit(self._before[-1])
        self._close_editor()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_left(self) -> None:
        if not self._line.hasFocus():
            self._close_editor()

    def _close_editor(self) -> None:
        self._before = None
        self._line.hide()
        self.complained.emit("")
        self.closed.emit()
