"""The palette of commands: type a few letters, see what fits with its keys, Enter does it.

The field keeps the focus all the time; Up, Down, PgUp and PgDn move in the list. What cannot be done now stays in the
list and says why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from jaxscope.gui.components.floating import SHADOW_PX, Popover
from jaxscope.gui.components.labels import Hairline, Label
from jaxscope.gui.components.painting import CENTRE, RIGHT, draw_text, rounded, text_width
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.palette_search import Entry, search
from jaxscope.gui.theme import font, scaled

_WIDTH = 680
_ROW = 36
_SHOWN_ROWS = 11
_TOP = 72
_MOVES = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: _SHOWN_ROWS, Qt.Key.Key_PageUp: -_SHOWN_ROWS}


class _Model(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.entries: list[Entry] = []

    def show(self, entries: list[Entry]) -> None:
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(part for part in (entry.title, entry.place, entry.key, entry.why_not) if part)
        return None


class _Rows(QStyledItemDelegate):
    """Paints icon, words, place or reason, and keys."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(scaled(200), scaled(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        model = index.model()
        assert isinstance(model, _Model)
        entry = model.entries[index.row()]
        rect = QRectF(option.rect)
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            rounded(painter, rect, 6, "after_bg")
        elif option.state & QStyle.StateFlag.State_MouseOver:
            rounded(painter, rect, 6, "hover")
        size, middle = scaled(16), rect.center().y()
        spot = QRectF(rect.left() + 12, middle - size / 2, size, size)
        is_off = bool(entry.why_not)
        draw_icon(painter, entry.icon or "chevron-right", spot, "off" if is_off else "text2" if entry.icon else "text3")
        right = self._paint_keys(painter, rect, entry)
        left = spot.right() + 12
        words = font(13, 500)
        elide = Qt.TextElideMode.ElideMiddle
        title = QRectF(left, rect.top(), max(0.0, right - left - 12), rect.height())
        draw_text(painter, title, entry.title, words, "text3" if is_off else "text", elide=elide)
        left += text_width(entry.title, words) + 12
        room = QRectF(left, rect.top(), max(0.0, right - left - 12), rect.height())
        if room.width() > scaled(40):
            beside = entry.why_not or entry.place
            draw_text(painter, room, beside, font(12), "warn" if is_off else "text3", RIGHT, elide)
        painter.restore()

    def _paint_keys(self, painter: QPainter, rect: QRectF, entry: Entry) -> float:
        right = rect.right() - 10
        if entry.key:
            width = text_width(entry.key, font(11, 500)) + 12
            height = scaled(18)
            cap = QRectF(right - width, rect.center().y() - height / 2, width, height)
            rounded(painter, cap, 4, "hover", "line2")
            draw_text(painter, cap, entry.key, font(11, 500), "text2", CENTRE)
            right = cap.left()
        return right


class _Search(TextField):
    """The field of the palette: what moves in the list goes to the list."""

    def __init__(self, move: Callable[[int], None]) -> None:
        super().__init__("Command", icon="search", height=36)
        self._move = move
        self.setPlaceholderText("Type a command, a channel, a preset or a recording")

    def press(self, event: QKeyEvent) -> bool:
        steps = _MOVES.get(Qt.Key(event.key()))
        if steps is None:
            return super().press(event)
        self._move(steps)
        return True


class Palette(Popover):
    """Opened by ``open_palette`` in the upper middle of the window.

    Parameters
    ----------
    window : QWidget
        The main window.
    offer : callable
        Returns what can be found, at each opening.
    """

    def __init__(self, window: QWidget, offer: Callable[[], Sequence[Entry]]) -> None:
        super().__init__(window, name="Commands", width=_WIDTH)
        self._offer = offer
        self._entries: Sequence[Entry] = ()
        self._model = _Model()
        self.field = _Search(self._move)
        self.list = QListView()
        self.list.setModel(self._model)
        self.list.setItemDelegate(_Rows(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName("Commands found")
        self.nothing = Label("", 12, 400, "text3", shrink=True)
        self.nothing.setContentsMargins(12, 0, 0, 0)
        margins = self.body.contentsMargins()
        self.body.setContentsMargins(
            margins.left() + 10, margins.top() + 10, margins.right() + 10, margins.bottom() + 10
        )
        self.body.addWidget(self.field)
        self.body.addWidget(Hairline("line2", above=8, below=6))
        self.body.addWidget(self.nothing)
        self.body.addWidget(self.list)
        self.field.textEdited.connect(self._show)
        self.field.returnPressed.connect(self._run_current)
        self.field.escaped.connect(self.close_floating)
        self.list.clicked.connect(lambda _: self._run_current())

    @property
    def found(self) -> list[Entry]:
        """What is listed now."""
        return self._model.entries

    @property
    def current(self) -> Entry | None:
        """What Enter would do."""
        row = self.list.currentIndex().row()
        return self.found[row] if 0 <= row < len(self.found) else None

    def open_palette(self) -> None:
        """Open it with an empty field."""
        self._entries = self._offer()
        self.field.clear()
        self.open_under(self.window(), gap=0)
        self._show("")
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def _show(self, text: str) -> None:
        found = search(text, self._entries)
        self._model.show(found)
        self.list.setFixedHeight(scaled(_ROW) * min(max(1, len(found)), self._room_for_rows()))
        self.list.setVisible(bool(found))
        self.nothing.setVisible(not found)
        self.nothing.setText("" if found else f"Nothing is called “{text}”")
        if found:
            self.list.setCurrentIndex(self._model.index(0, 0))
            self.list.scrollToTop()
        self._say_current()
        self._place()

    def _room_for_rows(self) -> int:
        room = self.window().height() - scaled(_TOP) - scaled(36) - 60
        return max(3, min(_SHOWN_ROWS, room // scaled(_ROW)))

    def _move(self, steps: int) -> None:
        count = len(self.found)
        if not count:
            return
        row = self.list.currentIndex().row() + steps
        row = row % count if abs(steps) == 1 else min(count - 1, max(0, row))
        index = self._model.index(row, 0)
        self.list.setCurrentIndex(index)
        self.list.scrollTo(index)
        self._say_current()

    def _say_current(self) -> None:
        """Tell a screen reader what Enter would do: the focus stays in the field."""
        entry = self.current
        words = "" if entry is None else ", ".join(part for part in (entry.title, entry.key, entry.why_not) if part)
        self.field.setAccessibleDescription(words)

    def _run_current(self) -> None:
        entry = self.current
        if entry is None or entry.why_not:
            return
        self.close_floating()
        entry.run()

    def _place(self) -> None:
        window = self.window()
        width = min(scaled(_WIDTH), window.width() - 32)
        self.body.invalidate()
        height = self._fit_body(width, window.height() - scaled(_TOP) - scaled(36))
        card = QRect((window.width() - width) // 2, scaled(_TOP), width, height)
        self.setGeometry(card.adjusted(-SHADOW_PX, -SHADOW_PX, SHADOW_PX, SHADOW_PX))
