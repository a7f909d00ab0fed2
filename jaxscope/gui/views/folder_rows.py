"""The rows of a folder that is filtered: what each file is, how far it is, and why it failed.

A table of one column on a model of rows; a file that failed has a higher row, with its sentence and its hint. What
can be done with the row that is chosen stands at its right: buttons, and Delete and Enter.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QAbstractListModel, QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from jaxscope.compute.folder_frames import FolderRow
from jaxscope.errors import capitalised, counted
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.painting import RIGHT, draw_text, hairline, rounded, text_width
from jaxscope.gui.components.plain_table import PlainTable
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.theme import colour, font, scaled
from jaxscope.gui.views.traces_numbers import span_text

_ROW, _FAILED_ROW = 38, 74
_NAME_X, _NAME_PX, _FACTS_PX = 44, 230, 170
#: share of a wide row that the name has
_NAME_SHARE = 0.36
#: icon and colour of each state
_ICONS = {
    "waiting": ("clock", "text3"),
    "running": ("player-play", "after"),
    "saved": ("check", "ok"),
    "before": ("check", "text3"),
    "failed": ("file-alert", "danger"),
    "skipped": ("minus", "text3"),
}
#: what may be done with a row, by its state: (word, what)
_ACTIONS: dict[str, tuple[tuple[str, str], ...]] = {
    "waiting": (("Skip", "skip"),),
    "failed": (("Skip", "skip"), ("Try again", "again")),
    "skipped": (("Filter after all", "again"),),
}


def words_of(row: FolderRow) -> str:
    """Return the state of a row in words."""
    match row.state:
        case "running":
            return f"{int(row.share * 100)} %"
        case "saved":
            notes = f", {counted(row.n_notes, 'note')}" if row.n_notes else ""
            return f"saved in {_took(row.seconds)}{notes}"
        case "before":
            return "finished before, left as it is"
        case "failed":
            return "failed"
        case "skipped":
            return "left out"
        case _:
            return "waiting"


def sentence_of(row: FolderRow) -> str:
    """Return what is wrong with a recording: its folder is that of all, so its path is no news."""
    sentence = row.sentence.replace(row.path, row.name) if row.path else row.sentence
    return sentence if sentence.startswith(row.name) else capitalised(sentence)


def _took(seconds: float) -> str:
    return f"{max(seconds, 0.1):.1f} s" if seconds < 10 else span_text(round(seconds))


class FolderModel(QAbstractListModel):
    """Rows of a folder."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows: list[FolderRow] = []

    def show_rows(self, rows: Iterable[FolderRow]) -> None:
        """Take other rows."""
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def change(self, number: int, row: FolderRow) -> None:
        """Take another state of a row."""
        self.rows[number] = row
        self.dataChanged.emit(self.index(number), self.index(number))

    def wait_again(self) -> None:
        """Have what was begun and not ended wait."""
        for number, row in enumerate(self.rows):
            if row.state == "running":
                self.change(number, replace(row, state="waiting", share=0.0))

    def count(self, *states: str) -> int:
        """Return how many rows are in one of some states."""
        return sum(row.state in states for row in self.rows)

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not 0 <= index.row() < len(self.rows):
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(part for part in (row.path, row.sentence, row.hint) if part)
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        parts = (row.name, row.facts, words_of(row), sentence_of(row), row.hint)
        return ", ".join(part for part in parts if part)


class _RowDelegate(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        model, rect = index.model(), QRectF(option.rect)
        assert isinstance(model, FolderModel)
        if not 0 <= index.row() < len(model.rows):
            return
        row = model.rows[index.row()]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.state == "failed":
            painter.fillRect(rect, colour("danger_bg"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, colour("hover", 0.5))
        if option.state & QStyle.StateFlag.State_Selected and option.state & QStyle.StateFlag.State_HasFocus:
            rounded(painter, rect.adjusted(4, 2, -4, -2), 6, None, "focus", 2)
        table = self.parent()
        assert isinstance(table, FolderTable)
        _paint_row(painter, rect, row, table.actions_px(index.row()))
        hairline(painter, rect.left() + scaled(_NAME_X), rect.bottom(), rect.width() - scaled(_NAME_X))
        painter.restore()


def _paint_row(painter: QPainter, rect: QRectF, row: FolderRow, taken_px: int) -> None:
    first = QRectF(rect.left(), rect.top(), rect.width(), scaled(_ROW))
    if row.state == "failed":
        first.translate(0, -2)
    name, token = _ICONS[row.state]
    size = scaled(16)
    draw_icon(painter, name, QRectF(rect.left() + scaled(14), first.center().y() - size / 2, size, size), token)
    left = rect.left() + scaled(_NAME_X)
    right = rect.right() - scaled(16) - taken_px
    words = words_of(row)
    face, ink = (font(12, 500), "text") if row.state == "running" else (font(12), "text2")
    name_px = max(scaled(_NAME_PX), rect.width() * _NAME_SHARE)
    free_px = right - left - text_width(words, face) - 14  # all of it where no facts stand in their column
    room = QRectF(left, first.top(), name_px if row.facts or row.state == "running" else free_px, first.height())
    title = "text2" if row.state in ("waiting", "before", "skipped") else "text"
    draw_text(painter, room, row.name, font(13, 500), title, elide=Qt.TextElideMode.ElideMiddle)
    facts_left = left + name_px + scaled(14)
    draw_text(painter, QRectF(facts_left, first.top(), scaled(_FACTS_PX), first.height()), row.facts, font(12), "text2")
    if row.state == "failed":
        lines = ((sentence_of(row), font(12, 500), "text"), (capitalised(row.hint), font(12), "text2"))
        for place, (words, face, ink) in enumerate(lines):
            line = QRectF(left, rect.top() + scaled(31 + 19 * place), right - left, scaled(19))
            draw_text(painter, line, words, face, ink, elide=Qt.TextElideMode.ElideRight)
        return
    draw_text(painter, QRectF(left, first.top(), right - left, first.height()), words, face, ink, RIGHT)
    begin, stop = facts_left + scaled(_FACTS_PX), right - max(scaled(56), text_width(words, face) + 14)
    if row.state == "running" and stop - begin > 20:
        middle = first.center().y()
        rounded(painter, QRectF(begin, middle - 1.5, stop - begin, 3), 1.5, "line2")
        rounded(painter, QRectF(begin, middle - 1.5, max(3.0, (stop - begin) * row.share), 3), 1.5, "after")


class _RowActions(QWidget):
    """The buttons of the row that is chosen."""

    def __init__(self, table: FolderTable) -> None:
        super().__init__(table.viewport())
        self.skip = Button("Skip", "quiet", height=26)
        self.again = Button("Try again", "plain", height=26)
        for button in (self.skip, self.again):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the table has the keys
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.skip)
        row.addWidget(self.again)

    def show_for(self, state: str) -> bool:
        """Show what may be done in a state; return whether there is anything."""
        told = {what: word for word, what in _ACTIONS.get(state, ())}
        for button, what in ((self.skip, "skip"), (self.again, "again")):
            button.setVisible(what in told)
            button.setText(told.get(what, button.text()))
        return bool(told)


class FolderTable(PlainTable):
    """The rows; arrows go through them, Delete leaves one out and Enter has one tried again."""

    #: number of a row that is not to be filtered
    skip_asked = Signal(int)
    #: number of a row that is to be filtered after all
    again_asked = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows = FolderModel(self)
        self.setModel(self.rows)
        self.row_actions = _RowActions(self)
        self.row_actions.skip.clicked.connect(lambda: self._ask("skip"))
        self.row_actions.again.clicked.connect(lambda: self._ask("again"))
        self.selectionModel().currentRowChanged.connect(lambda *_: self.place_actions())
        self.verticalScrollBar().valueChanged.connect(lambda _: self.place_actions())
        self.setItemDelegate(_RowDelegate(self))
        self.setAccessibleName("Recordings of the folder")
        self.fit()

    def fit(self) -> None:
        """Give the rows the height of their state and of the text."""
        self.verticalHeader().setDefaultSectionSize(scaled(_ROW))
        self.verticalScrollBar().setSingleStep(scaled(_ROW))
        for number, row in enumerate(self.rows.rows):
            if row.state == "failed":
                self.setRowHeight(number, scaled(_FAILED_ROW))

    def show_rows(self, rows: Iterable[FolderRow]) -> None:
        """Show other rows."""
        self.rows.show_rows(rows)
        self.fit()
        self.place_actions()

    def change(self, number: int, row: FolderRow) -> None:
        """Show another state of a row; one that begins comes into view unless a person looks elsewhere."""
        begins = row.state == "running" and self.rows.rows[number].state != "running"
        self.rows.change(number, row)
        self.setRowHeight(number, scaled(_FAILED_ROW if row.state == "failed" else _ROW))
        if begins and not self.hasFocus() and not self.underMouse():
            self.scrollTo(self.rows.index(number))
        self.place_actions()

    def actions_px(self, number: int) -> int:
        """Return the room that the buttons take in a row."""
        is_here = number == self.currentIndex().row() and self.row_actions.isVisibleTo(self)
        return self.row_actions.width() + scaled(12) if is_here else 0

    def place_actions(self) -> None:
        """Put the buttons into the row that is chosen."""
        number = self.currentIndex().row()
        has_any = 0 <= number < len(self.rows.rows) and self.row_actions.show_for(self.rows.rows[number].state)
        self.row_actions.setVisible(has_any)
        if has_any:
            self.row_actions.adjustSize()
            place = self.visualRect(self.currentIndex())
            top = place.top() + (place.height() - self.row_actions.height()) // 2
            self.row_actions.move(place.right() - scaled(12) - self.row_actions.width(), top)
        self.viewport().update()

    def _ask(self, what: str) -> None:
        number = self.currentIndex().row()
        if 0 <= number < len(self.rows.rows):
            state = self.rows.rows[number].state
            if any(what == known for _, known in _ACTIONS.get(state, ())):
                (self.skip_asked if what == "skip" else self.again_asked).emit(number)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.place_actions()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = {
            Qt.Key.Key_Delete: "skip",
            Qt.Key.Key_Backspace: "skip",
            Qt.Key.Key_Return: "again",
            Qt.Key.Key_Enter: "again",
        }
        what = keys.get(Qt.Key(event.key()))
        if what is None:
            super().keyPressEvent(event)
        else:
            self._ask(what)
