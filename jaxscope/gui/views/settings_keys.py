"""The page of the settings where keys are changed: every command with its keys, capture, conflicts by name, reset.

Enter on a row waits for a key; the next key pressed is taken, Delete takes the keys away, Esc gives up. A key that
something else has is not taken until that is told to let it go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from jaxscope.gui.assets import KeyBinding
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.painting import CENTRE, draw_text, focus_ring, rounded, text_width
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.key_router import bound_rows, normal_sequence
from jaxscope.gui.key_table import CHANGEABLE, key_table, key_words, portable, with_choice
from jaxscope.gui.theme import font, scaled
from jaxscope.session.settings import Settings, key_row

_ROW = 34
_CONTEXT_WORDS = {"anywhere": "anywhere", "traces": "on the traces", "overview": "on the overview"}
_MODIFIERS = (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta, Qt.Key.Key_AltGr)
_USUAL_WORDS = "Enter waits for a key. Delete takes the keys away"


def changeable_rows() -> list[KeyBinding]:
    """Return the rows whose keys can be changed: those that something is bound to; equal ones as one."""
    joined: dict[tuple[str, str], KeyBinding] = {}
    bound = bound_rows()
    for row in key_table().rows:
        name = (row.context, row.does)
        if row.context in CHANGEABLE and name in bound:
            keys = joined[name].keys if name in joined else ()
            joined[name] = replace(row, keys=(*keys, *row.keys))
    return list(joined.values())


class _Model(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[KeyBinding] = []
        self.changed_rows: frozenset[str] = frozenset()

    def show(self, rows: list[KeyBinding], changed: frozenset[str]) -> None:
        self.beginResetModel()
        self.rows, self.changed_rows = rows, changed
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.does
        if role == Qt.ItemDataRole.AccessibleTextRole:
            keys = " or ".join(key_words(key) for key in row.keys) or "no key"
            return f"{row.does}, {_CONTEXT_WORDS[row.context]}, {keys}"
        return None


class _Rows(QStyledItemDelegate):
    """Paints what a key does, where, and its caps; the row that waits for a key says so."""

    waiting: KeyBinding | None = None

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(scaled(300), scaled(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        model: _Model = index.model()  # type: ignore[assignment]
        row = model.rows[index.row()]
        rect = QRectF(option.rect)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        if is_selected:
            rounded(painter, rect, 6, "after_bg")
        elif option.state & QStyle.StateFlag.State_MouseOver:
            rounded(painter, rect, 6, "hover")
        if is_selected and option.state & QStyle.StateFlag.State_HasFocus:
            focus_ring(painter, rect, 6)
        half = rect.width() * 0.56
        words, elide = font(13, 500), Qt.TextElideMode.ElideRight
        room = QRectF(rect.left() + 12, rect.top(), half - 20, rect.height())
        draw_text(painter, room, row.does.partition(";")[0], words, elide=elide)
        beside = rect.left() + half
        place = QRectF(beside, rect.top(), rect.width() * 0.16, rect.height())
        draw_text(painter, place, _CONTEXT_WORDS[row.context], font(12), "text3", elide=elide)
        left = beside + rect.width() * 0.17
        if self.waiting is row:
            room = QRectF(left, rect.top(), rect.right() - left, rect.height())
            draw_text(painter, room, "Press a key…", font(12, 500), "after")
        else:
            left = self._paint_caps(painter, rect, row, left)
            if key_row(row.context, row.does) in model.changed_rows:
                room = QRectF(left + 6, rect.top(), rect.right() - left, rect.height())
                draw_text(painter, room, "changed", font(11), "text3")
        painter.restore()

    def _paint_caps(self, painter: QPainter, rect: QRectF, row: KeyBinding, left: float) -> float:
        if not row.keys:
            draw_text(painter, QRectF(left, rect.top(), scaled(80), rect.height()), "no key", font(12), "text3")
            return left + text_width("no key", font(12))
        height = scaled(18)
        for key in row.keys:
            words = key_words(key)
            cap = QRectF(left, rect.center().y() - height / 2, text_width(words, font(11, 500)) + 12, height)
            rounded(painter, cap, 4, "hover", "line2")
            draw_text(painter, cap, words, font(11, 500), "text2", CENTRE)
            left = cap.right() + 4
        return left


class _List(QListView):
    """The list: while a row waits for a key, every key belongs to it."""

    pressed_key = Signal(str)
    begun = Signal()
    given_up = Signal()
    cleared = Signal()
    escaped = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.is_waiting = False
        self.setAccessibleName("Keys")
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self.is_waiting:
            self._capture(event)
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            self.begun.emit()
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.cleared.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def _capture(self, event: QKeyEvent) -> None:
        if event.key() in _MODIFIERS:
            return
        if event.key() == Qt.Key.Key_Escape:
            self.given_up.emit()
        else:
            self.pressed_key.emit(normal_sequence(event))

    def focusOutEvent(self, event) -> None:
        super().focusOutEvent(event)
        if self.is_waiting:
            self.given_up.emit()


class KeysPage(QWidget):
    """Search, list, what is wrong, and the buttons that put things right."""

    def __init__(self, read: Callable[[], Settings], change: Callable[[Settings], None]) -> None:
        super().__init__()
        self._read = read
        self._change = change
        self._model = _Model()
        self._rows = _Rows()
        self._conflict: tuple[KeyBinding, tuple[KeyBinding, ...], str] | None = None
        self.search = TextField("Search in the keys", width=260, icon="search")
        self.search.setPlaceholderText("Type to search")
        self.list = _List()
        self.list.setModel(self._model)
        self.list.setItemDelegate(self._rows)
        self.words = Label(_USUAL_WORDS, 12, 400, "text2", shrink=True)
        self.take_over = Button("Use it here", "plain", height=28)
        self.usual = Button("Back to the usual key", "quiet", height=28)
        self.take_over.hide()
        self._lay_out()
        self.search.textEdited.connect(lambda _: self.show_settings())
        self.list.begun.connect(self.begin)
        self.list.doubleClicked.connect(lambda _: self.begin())
        self.list.pressed_key.connect(self.take)
        self.list.given_up.connect(self._give_up)
        self.list.cleared.connect(lambda: self._set(self.current, ()))
        self.take_over.clicked.connect(self._on_take_over)
        self.usual.clicked.connect(lambda: self._set(self.current, None))

    @property
    def current(self) -> KeyBinding | None:
        """The row that is chosen."""
        row = self.list.currentIndex().row()
        return self._model.rows[row] if 0 <= row < len(self._model.rows) else None

    @property
    def rows(self) -> list[KeyBinding]:
        """What is listed."""
        return self._model.rows

    def choose(self, context: str, does: str) -> None:
        """Choose a row of the list."""
        place = [(row.context, row.does) for row in self.rows].index((context, does))
        self.list.setCurrentIndex(self._model.index(place, 0))

    def show_settings(self) -> None:
        """List the keys that are in force and fit the search."""
        wanted, kept = self.search.text().casefold(), self.current
        rows = [row for row in changeable_rows() if wanted in _searched(row)]
        self._model.show(rows, frozenset(name for name, _ in self._read().keys))
        names = [(row.context, row.does) for row in rows]
        place = names.index((kept.context, kept.does)) if kept and (kept.context, kept.does) in names else 0
        self.list.setCurrentIndex(self._model.index(place, 0))

    def begin(self) -> None:
        """Wait for a key for the chosen row."""
        row = self.current
        if row is None:
            return
        self._let_go()
        self._rows.waiting, self.list.is_waiting = row, True
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        self.words.setText(f"The next key will {_verb(row)}. Esc gives up")
        self.list.viewport().update()

    def take(self, key: str) -> None:
        """Take a key for the row that waits, or say who has it."""
        row = self._rows.waiting
        self._end_waiting()
        if row is None or not key:
            return
        owners = key_table().taken_by(row.context, row.does, key)
        if not owners:
            self._set(row, (key,))
            return
        changeable = {(one.context, one.does) for one in changeable_rows()}
        fixed = [one for one in owners if (one.context, one.does) not in changeable]
        can_change, owner = not fixed, (fixed or owners)[0]
        self._conflict = (row, owners, key) if can_change else None
        where = _CONTEXT_WORDS.get(owner.context, f"in the {owner.context}")
        self.words.set_token("danger")
        self.words.setText(f"{key_words(key)} is taken: {owner.does.partition(';')[0]}, {where}")
        self.take_over.setVisible(can_change)
        if can_change:
            self.take_over.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_take_over(self) -> None:
        if self._conflict is not None:
            row, owners, key = self._conflict
            choices = self._read().keys
            for owner in owners:
                left = tuple(own for own in owner.keys if own != key and not _same(own, key))
                choices = with_choice(choices, key_row(owner.context, owner.does), left)
            self._keep(with_choice(choices, key_row(row.context, row.does), (key,)))

    def _set(self, row: KeyBinding | None, keys: tuple[str, ...] | None) -> None:
        if row is not None:
            if keys is None and (owner := self._usual_taken(row)) is not None:
                self.words.set_token("danger")
                self.words.setText(f"Its usual key is taken: {owner.does.partition(';')[0]}")
                return
            self._keep(with_choice(self._read().keys, key_row(row.context, row.does), keys))

    def _usual_taken(self, row: KeyBinding) -> KeyBinding | None:
        table = key_table()
        usual = table.usual_keys(row.context, row.does)
        return next((owner for key in usual for owner in table.taken_by(row.context, row.does, key)), None)

    def _keep(self, choices) -> None:
        self._let_go()
        self._change(replace(self._read(), keys=choices))
        self.show_settings()
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _give_up(self) -> None:
        self._end_waiting()
        self._let_go()

    def _end_waiting(self) -> None:
        self._rows.waiting, self.list.is_waiting = None, False
        self.list.viewport().update()

    def _let_go(self) -> None:
        self._conflict = None
        self.take_over.hide()
        self.words.set_token("text2")
        self.words.setText(_USUAL_WORDS)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 6, 20, 10)
        column.setSpacing(8)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.words, 1)
        foot.addWidget(self.take_over)
        foot.addWidget(self.usual)
        column.addLayout(foot)


def _searched(row: KeyBinding) -> str:
    return " ".join((row.does, _CONTEXT_WORDS[row.context], *map(key_words, row.keys))).casefold()


def _same(one: str, other: str) -> bool:
    return portable(one) == portable(other)


def _verb(row: KeyBinding) -> str:
    return f"do “{row.does.partition(';')[0]}”"
