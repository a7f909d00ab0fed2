"""The history: what was done, step by step, the newest at the top; a click or Enter goes there, in one move.

A list view, so arrows, Home, End and a screen reader come with it. Steps that are undone are dim and stay until another
edit takes their place.
"""

from __future__ import annotations

from PySide6.QtCore import QAbstractListModel, QModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QVBoxLayout, QWidget

from jaxscope.gui.components.floating import Popover
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.painting import draw_text, rounded
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.theme import font, scaled
from jaxscope.gui.views.base import AbstractView
from jaxscope.session.state import SessionState
from jaxscope.session.store import Store

_WIDTH = 340
_ROW, _MOST_ROWS = 28, 14
_BEGINNING = "As it was at first"


class _Steps(QAbstractListModel):
    """Rows from the newest step down to the beginning."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.texts: tuple[str, ...] = ()
        self.position = 0

    def show_steps(self, texts: tuple[str, ...], position: int) -> None:
        """Take other steps."""
        self.beginResetModel()
        self.texts, self.position = texts, position
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.texts) + 1

    def step_of(self, row: int) -> int:
        """Return how many steps are done at a row."""
        return len(self.texts) - row

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        step = self.step_of(index.row())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            words = self.texts[step - 1] if step else _BEGINNING
            if role == Qt.ItemDataRole.DisplayRole or step == self.position:
                return words
            return f"{words}, undone" if step > self.position else words
        return None


class _StepDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(scaled(_WIDTH - 40), scaled(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        model = index.model()
        assert isinstance(model, _Steps)
        step, rect = model.step_of(index.row()), QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = rect.adjusted(0, 1, 0, -1)
        if step == model.position:
            rounded(painter, card, 6, "after_bg")
            draw_icon(painter, "check", QRectF(rect.left() + 8, rect.center().y() - 7, 14, 14), "after")
        elif option.state & QStyle.StateFlag.State_MouseOver:
            rounded(painter, card, 6, "hover")
        if option.state & QStyle.StateFlag.State_HasFocus and option.state & QStyle.StateFlag.State_Selected:
            rounded(painter, card, 6, None, "focus", 2)
        token = "text" if step <= model.position else "text3"
        words = str(index.data(Qt.ItemDataRole.DisplayRole))
        box = rect.adjusted(30, 0, -8, 0)
        draw_text(painter, box, words, font(12, 500), token, elide=Qt.TextElideMode.ElideMiddle)
        painter.restore()


class _StepList(QListView):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName("Steps, the newest first")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.clicked.emit(self.currentIndex())
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)


class HistoryPopover(Popover, AbstractView):
    """What was done, under the button that undoes."""

    def __init__(self, window: QWidget, store: Store) -> None:
        super().__init__(window, name="History", width=_WIDTH)
        self._store = store
        self._steps = _Steps(self)
        self.list = _StepList(self)
        self.list.setModel(self._steps)
        self.list.setItemDelegate(_StepDelegate(self.list))
        inner = QVBoxLayout()
        inner.setContentsMargins(16, 14, 16, 14)
        inner.setSpacing(8)
        inner.addWidget(Label("History", 15, 600))
        inner.addWidget(self.list)
        self.body.addLayout(inner)
        self.list.clicked.connect(self._go)
        self._refresh()

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        is_other = (self._steps.texts, self._steps.position) != (self._store.history, self._store.position)
        if self.isVisible() and is_other:
            self._refresh()

    def open_under(self, anchor: QWidget, *, gap: int = 2, above: bool = False) -> None:
        self._refresh()
        super().open_under(anchor, gap=gap, above=above)
        self.list.setFocus(Qt.FocusReason.PopupFocusReason)

    def _refresh(self) -> None:
        self._steps.show_steps(self._store.history, self._store.position)
        rows = min(self._steps.rowCount(), _MOST_ROWS)
        self.list.setFixedHeight(rows * scaled(_ROW) + 2)
        current = self._steps.index(len(self._steps.texts) - self._steps.position)
        self.list.setCurrentIndex(current)
        self.list.scrollTo(current)
        self.body.invalidate()
        self._place()

    def _go(self, index: QModelIndex) -> None:
        if index.isValid():
            self._store.go_to(self._steps.step_of(index.row()))
