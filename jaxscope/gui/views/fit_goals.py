"""The goals of a fit as a list: icon, verb and name, what it is about, and what the filter does for it now with a bar.

The list holds what the state and the newest frame say and is never written by the view; it is one tab stop.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from jaxscope.compute.fit_frames import GoalValue
from jaxscope.gui.components.numbers import MINUS
from jaxscope.gui.components.painting import LEFT, RIGHT, draw_text, focus_ring, rounded, text_width
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.theme import font, scaled
from jaxscope.gui.views.traces_goals import ICONS, TOKENS
from jaxscope.session.fit import FitGoal

ROW, GAP = 44, 3
_BAR = 70
_VALUE_DIGITS = 20


def value_words(value: GoalValue | None) -> str:
    """Return what a filter does for a goal, in words: one digit where it is small.

    Examples
    --------
    >>> value_words(GoalValue(value=-52.4, unit="dB", share=0.9))
    '−52 dB'
    """
    if value is None:
        return ""
    digits = 0 if abs(value.value) >= _VALUE_DIGITS else 1
    words = f"{value.value:.{digits}f}"
    if float(words) == 0:
        words = words.removeprefix("-")
    return f"{words} {value.unit}".replace("-", MINUS)


class _GoalDelegate(QStyledItemDelegate):
    """Paints one goal."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(120, scaled(ROW) + GAP)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        found = index.data(Qt.ItemDataRole.UserRole)
        if found is None:
            return
        goal, value = found
        rect = QRectF(option.rect).adjusted(0, 0, 0, -GAP)
        token = TOKENS[goal.verb]
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        over = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        rounded(painter, rect, 8, "hover" if over else "raised", "field" if selected else "line")
        if selected and option.widget is not None and option.widget.hasFocus():
            focus_ring(painter, rect, 8)
        side = scaled(17)
        draw_icon(painter, ICONS[goal.verb], QRectF(rect.left() + 10, rect.center().y() - side / 2, side, side), token)
        self._paint_words(painter, rect, goal, value)
        if value is not None:
            wide = float(scaled(_BAR))
            bar = QRectF(rect.right() - 12 - wide, rect.bottom() - scaled(12), wide, 3)
            rounded(painter, bar, 1.5, "line2")
            rounded(painter, QRectF(bar.left(), bar.top(), wide * value.share, 3), 1.5, token)
        painter.restore()

    def _paint_words(self, painter: QPainter, rect: QRectF, goal: FitGoal, value: GoalValue | None) -> None:
        left, high = rect.left() + scaled(17) + 20, float(scaled(18))
        top, face = rect.top() + scaled(5), font(13, 500)
        words = value_words(value)
        right = rect.right() - 12
        if words:
            draw_text(painter, QRectF(rect.left(), top, right - rect.left(), high), words, face, "text", RIGHT)
        verb = goal.verb.capitalize()
        draw_text(painter, QRectF(left, top, rect.width(), high), verb, face, TOKENS[goal.verb])
        name = left + text_width(verb, face) + 6
        room = QRectF(name, top, max(0.0, right - name - (text_width(words, face) + 8 if words else 0)), high)
        draw_text(painter, room, goal.title, face, "text", LEFT, Qt.TextElideMode.ElideMiddle)
        free = right - left - (scaled(_BAR) + 10 if value is not None else 0)
        below = QRectF(left, top + high - 1, max(0.0, free), float(scaled(16)))
        draw_text(painter, below, subtitle(goal), font(11), "text3", LEFT, Qt.TextElideMode.ElideRight)


def subtitle(goal: FitGoal) -> str:
    """Return what stands under the name of a goal."""
    if goal.spans:
        return goal.about
    return goal.about if goal.name else "all channels of the chain"


class GoalList(QListWidget):
    """The goals; Delete removes one, F2 or Enter changes it."""

    #: the place of the goal that is selected by a person
    picked = Signal(int)
    removed = Signal(int)
    edited = Signal(int)
    escaped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[object, ...] = ()
        self.setAccessibleName("Goals")
        self.setItemDelegate(_GoalDelegate(self))
        self.setFrameShape(QListWidget.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        for policy in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)
        self.itemClicked.connect(lambda item: self.picked.emit(self.row(item)))
        self.itemDoubleClicked.connect(lambda item: self.edited.emit(self.row(item)))

    def show_goals(self, goals: Sequence[FitGoal], values: Sequence[GoalValue | None], selected: int | None) -> None:
        """Show goals with what the filter does for each, None where that is not known, one of them selected."""
        shown = (tuple(goals), tuple(values), selected)
        if shown == self._shown:
            return
        self._shown = shown
        while self.count() > len(goals):
            self.takeItem(self.count() - 1)
        while self.count() < len(goals):
            self.addItem(QListWidgetItem())
        for at, (goal, value) in enumerate(zip(goals, values, strict=True)):
            item = self.item(at)
            item.setData(Qt.ItemDataRole.UserRole, (goal, value))
            words = ", ".join(part for part in (goal.sentence, subtitle(goal), value_words(value)) if part)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, words)
            item.setToolTip(words)
        self.setCurrentRow(-1 if selected is None else selected)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(200, self.count() * (scaled(ROW) + GAP))

    def minimumSizeHint(self) -> QSize:
        return QSize(100, self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        at, key = self.currentRow(), event.key()
        if key == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif key == Qt.Key.Key_Delete and at >= 0:
            self.removed.emit(at)
        elif key in (Qt.Key.Key_F2, Qt.Key.Key_Return, Qt.Key.Key_Enter) and at >= 0:
            self.edited.emit(at)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.count():
            step = 1 if key == Qt.Key.Key_Down else -1
            self.picked.emit(min(max(at + step, 0), self.count() - 1))
        else:
            event.ignore()
