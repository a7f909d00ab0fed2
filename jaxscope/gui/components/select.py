"""A choice from a list that opens: painted like the other fields, with its own popup list.

``chosen`` is emitted for a person only. The wheel does nothing while the list is closed: scrolling past must not change
a filter.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QListView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from jaxscope.gui.components.painting import LEFT, begin, draw_text, rounded, text_width
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.theme import font, scaled


class _RowDelegate(QStyledItemDelegate):
    """Paints one row of the opened list: hover, words, a tick at the chosen one."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(round(text_width(str(index.data()), font())) + 48, scaled(30))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        rect = QRectF(option.rect)
        over = bool(option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver))
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        if over:
            rounded(painter, rect, 5, "hover")
        words = rect.adjusted(10, 0, -30, 0)
        draw_text(painter, words, str(index.data()), font(), "text", LEFT, Qt.TextElideMode.ElideRight)
        combo = self.parent()
        if isinstance(combo, QComboBox) and combo.currentIndex() == index.row():
            draw_icon(painter, "check", QRectF(rect.right() - 26, rect.center().y() - 7, 14, 14), "after")
        painter.restore()


class Select(QComboBox):
    """A drop-down list of (key, label) pairs.

    Parameters
    ----------
    name : str
        Accessible name.
    width : int or None
        Width at text scale 1; None takes the room there is.
    bare : bool
        No frame, as for the heading of a plot.
    """

    chosen = Signal(str)
    escaped = Signal()

    def __init__(
        self,
        name: str,
        choices: Sequence[tuple[str, str]] = (),
        *,
        width: int | None = None,
        height: int = 28,
        bare: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._width = width
        self._height = height
        self._bare = bare
        self._choices: list[tuple[str, str]] = []
        view = QListView(self)
        view.setObjectName("selectPopup")
        view.setItemDelegate(_RowDelegate(self))
        self.setView(view)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setMaxVisibleItems(16)
        fixed = width is not None or bare
        self.setSizePolicy(
            QSizePolicy.Policy.Fixed if fixed else QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed
        )
        self.activated.connect(lambda index: self.chosen.emit(self._choices[index][0]))
        self.set_choices(choices)

    @property
    def current(self) -> str | None:
        """Key of what is chosen, or None."""
        index = self.currentIndex()
        return self._choices[index][0] if 0 <= index < len(self._choices) else None

    def keys(self) -> tuple[str, ...]:
        """Return the keys in order."""
        return tuple(key for key, _ in self._choices)

    def set_choices(self, choices: Sequence[tuple[str, str]], tips: Sequence[str] = ()) -> None:
        """Replace the list; keeps the chosen key where it is still there."""
        if list(choices) == self._choices:
            return
        kept = self.current
        self._choices = list(choices)
        self.clear()
        for key, label in self._choices:
            self.addItem(label, key)
        for row, tip in enumerate(tips):
            self.setItemData(row, tip, Qt.ItemDataRole.ToolTipRole)
        self.set_current(kept)
        self.updateGeometry()

    def set_current(self, key: str | None) -> None:
        """Show a key as chosen without emitting."""
        self.setCurrentIndex(next((row for row, (held, _) in enumerate(self._choices) if held == key), -1))
        if self._bare:  # as wide as what it says
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        if self._width is not None:
            return QSize(scaled(self._width), scaled(self._height))
        label = font(13, 500 if self._bare else 400)
        widest = max((text_width(text, label) for _, text in self._choices), default=60)
        if self._bare:
            widest = text_width(self.currentText(), label)
            return QSize(round(widest) + 26, scaled(self._height))
        return QSize(round(widest) + 44, scaled(self._height))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint() if self._width is not None or self._bare else QSize(60, scaled(self._height))

    def showPopup(self) -> None:
        widest = max((text_width(text, font()) for _, text in self._choices), default=60)
        self.view().setMinimumWidth(max(self.width(), round(widest) + scaled(56)))
        super().showPopup()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def keyPressEvent(self, event) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.showPopup()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            if not self.isEnabled():
                painter.setOpacity(0.5)
            rect = QRectF(self.rect())
            over = self.underMouse() and self.isEnabled()
            left = 10.0
            if self._bare:
                left = 0.0
            else:
                rounded(painter, rect, 5, "hover" if over else "raised", "line2")
            label = font(13, 500 if self._bare else 400)
            room = rect.adjusted(left, 0, -22, 0)
            draw_text(painter, room, self.currentText(), label, "text", LEFT, Qt.TextElideMode.ElideMiddle)
            token = "text" if over and self._bare else "text3"
            right = text_width(self.currentText(), label) + 6 if self._bare else rect.width() - 22
            draw_icon(painter, "chevron-down", QRectF(right, rect.height() / 2 - 7, 14, 14), token)
            if self.hasFocus():
                ring = rect.adjusted(-2, 0, 0, 0) if self._bare else rect
                rounded(painter, ring, 5, None, "focus", 2)
