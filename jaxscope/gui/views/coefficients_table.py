"""The editable table of coefficients: cells that are typed, spun and scrubbed, with headings painted around them.

It asks for changes and never writes its model. One visit of a cell by typing, one run of the wheel and one drag have
one merge key each; Esc puts back the number from before.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, pairwise

from PySide6.QtCore import QEvent, QModelIndex, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from jaxscope.gui.components.number_field import NumberField
from jaxscope.gui.components.numbers import MINUS, NumberRange
from jaxscope.gui.components.painting import LEFT, RIGHT, draw_text, rounded, text_width
from jaxscope.gui.theme import colour, font, scaled
from jaxscope.gui.views.coefficients_editor import EditingTable
from jaxscope.gui.views.coefficients_model import (
    Address,
    CoefficientModel,
    last_digit,
    parse_table,
    write_cell,
)
from jaxscope.gui.views.pasting import has_words

_runs = count(1)
#: width of the column of a₀, which holds nothing but 1, and the width of all below which numbers lose a digit
_FIXED_WIDTH = 26
_TIGHT_BELOW = 330


class ExactRange(NumberRange):
    """Writes a number so that nothing that matters is hidden."""

    __slots__ = ()

    def write(self, value: float) -> str:
        return f"{value:.12g}".replace("-", MINUS)


class _CellDelegate(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        model = index.model()
        assert isinstance(model, CoefficientModel)
        address = model.address(index)
        if address is None:
            return
        rect = QRectF(option.rect)
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        view = self.parent()
        current = isinstance(view, CellTable) and view.currentIndex() == index
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if current and view.hasFocus():
            rounded(painter, rect.adjusted(0, 1, 0, 0), 4, "after_bg", "focus", 2)
        elif selected or model.is_edited(address):
            painter.fillRect(rect.adjusted(0, 1, 0, 0), _ground(is_edited=model.is_edited(address)))
        token = "text3" if model.is_fixed(address) else "text"
        mono = font(12 if model.form == "ba" else 11, mono=True)
        is_one = model.form == "sos" and model.is_fixed(address) and model.value(address) == 1
        words = "1" if is_one else write_cell(model.value(address), model.digits())
        draw_text(painter, rect.adjusted(0, 0, -12 if model.form == "ba" else -6, 0), words, mono, token, RIGHT)
        weight = model.weight(address)
        if weight is not None:
            length = (rect.width() - 16) * weight[0]
            token = "warn" if weight[1] else "text3"
            painter.fillRect(QRectF(rect.right() - 7 - length, rect.bottom() - 5, length, 2), colour(token))
        if model.form == "taps":
            draw_text(painter, rect.adjusted(8, 0, 0, 0), str(address.row), font(10, 500), "text3", LEFT)
        painter.restore()


def _ground(*, is_edited: bool):
    return colour("after_bg" if is_edited else "hover")


class CellTable(EditingTable):
    """The cells alone, without headings."""

    #: (address, value, merge key)
    changed = Signal(object, float, str)
    #: another cell became current
    moved = Signal()
    dragging = Signal(bool)
    #: the clipboard holds code or a whole filter, which takes the place of all cells
    code_pasted = Signal()

    def __init__(self, model: CoefficientModel, parent: QWidget | None = None) -> None:
        self.editor = NumberField("Coefficient", span=ExactRange(), width=None, height=24, mono=True, px=11)
        super().__init__(self.editor, "Coefficients", parent)
        self.cells = model
        self.setModel(model)
        self.setItemDelegate(_CellDelegate(self))
        self.horizontalHeader().setMinimumSectionSize(_FIXED_WIDTH // 2)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._scrub: tuple[Address, float, float, str] | None = None
        self._spin_key = f"spin-{next(_runs)}"
        self.editor.edited.connect(self._on_typed)
        self.editor.complained.connect(self.complained)

    def set_reader(self, parse: Callable[[str], float], check: Callable[[Address, float], str | None]) -> None:
        """Set what reads the text of a cell, and what tells why a number cannot be used."""
        self._check = check
        self.editor.set_reader(parse)
        self.editor.set_check(lambda value: check(self._before[0], value) if self._before else None)

    def current_address(self) -> Address | None:
        """Return the address of the current cell."""
        return self.cells.address(self.currentIndex())

    def edit_current(self, first: str = "") -> None:
        """Open the editor over the current cell, with a first letter typed where one is given."""
        address = self.current_address()
        if address is None or self.cells.is_fixed(address):
            return
        self._before = (address, self.cells.value(address), f"cell-{next(_runs)}")
        self.editor.show_value(None)
        self.editor.show_value(self.cells.value(address))
        rect = self.visualRect(self.currentIndex())
        wide = max(rect.width(), scaled(110), round(text_width(self.editor.text(), font(11, mono=True))) + scaled(24))
        left = min(rect.left(), max(0, self.viewport().width() - wide))
        self._open_over(QRect(left, rect.top() + 1, wide, rect.height()), first)

    def spin(self, address: Address, steps: float, merge_key: str) -> None:
        """Move the last shown digit of a number."""
        value = self.cells.value(address)
        self._ask(address, value + steps * last_digit(value, self.cells.digits()), merge_key)

    def selected_text(self) -> str:
        """Return the selected cells, tab separated."""
        rows: dict[int, list[tuple[int, str]]] = {}
        for index in sorted(self.selectedIndexes(), key=lambda one: (one.row(), one.column())):
            address = self.cells.address(index)
            if address is not None:
                rows.setdefault(index.row(), []).append((index.column(), repr(self.cells.value(address))))
        return "\n".join("\t".join(text for _, text in cells) for cells in rows.values())

    def paste_at_current(self, text: str) -> None:
        """Put pasted numbers into the cells from the current one on, as one step."""
        start, key = self.currentIndex(), f"paste-{next(_runs)}"
        for down, row in enumerate(parse_table(text)):
            for right, value in enumerate(row):
                address = self.cells.address(self.cells.index(start.row() + down, start.column() + right))
                if address is not None and not self.cells.is_fixed(address):
                    self._ask(address, value, key)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self.fit_columns()

    def fit_columns(self) -> None:
        """Share the width among the columns, to the pixel; a₀, which is always 1, gets less."""
        width, borders = self.viewport().width(), self.borders()
        self.cells.is_tight = self.cells.form == "sos" and width < scaled(_TIGHT_BELOW)
        for column, (left, right) in enumerate(pairwise(borders)):
            self.setColumnWidth(column, round(right) - round(left))

    def borders(self) -> list[float]:
        """Return where columns begin, and where the last one ends."""
        columns, width = max(1, self.cells.columnCount()), float(self.viewport().width())
        if self.cells.form != "sos" or columns != 6:
            return [column * width / columns for column in range(columns + 1)]
        fixed = float(scaled(_FIXED_WIDTH))
        each = (width - fixed) / 5
        return [0.0, each, 2 * each, 3 * each, 3 * each + fixed, 4 * each + fixed, width]

    def currentChanged(self, current: QModelIndex, previous: QModelIndex) -> None:
        super().currentChanged(current, previous)
        self._spin_key = f"spin-{next(_runs)}"
        self.moved.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        address = self.current_address()
        alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
        if alt and address is not None and not self.cells.is_fixed(address):
            self._scrub = (address, event.position().x(), self.cells.value(address), f"scrub-{next(_runs)}")
            self.dragging.emit(True)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._scrub is None:
            super().mouseMoveEvent(event)
            return
        address, start_x, start, key = self._scrub
        steps = round(event.position().x() - start_x)
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            steps *= 10
        self._ask(address, start + steps * last_digit(start, self.cells.digits()), key)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._scrub is not None:
            self._scrub = None
            self.dragging.emit(False)
            return
        super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.edit_current()

    def wheelEvent(self, event: QWheelEvent) -> None:
        address = self.current_address()
        over = self.indexAt(event.position().toPoint()) == self.currentIndex()
        if not self.hasFocus() or address is None or not over or self.cells.is_fixed(address):
            event.ignore() if self.cells.form != "taps" else super().wheelEvent(event)
            return
        notches = (event.angleDelta().y() or event.angleDelta().x()) / 120
        ten = 10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        self.spin(address, notches * ten, self._spin_key)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        address = self.current_address()
        if event.key() == Qt.Key.Key_Escape:
            self._on_escape()
        elif address is None or not self._press(event, address):
            super().keyPressEvent(event)
            event.accept()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
            mine = event.key() in (Qt.Key.Key_C, Qt.Key.Key_V, Qt.Key.Key_A) if control else True
            if mine and event.key() not in _GLOBAL_KEYS and not self._is_face_key(event):
                event.accept()
                return True
        return super().event(event)

    def _is_face_key(self, event: QKeyEvent) -> bool:
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        return alt and event.key() not in (Qt.Key.Key_Up, Qt.Key.Key_Down)

    def _press(self, event: QKeyEvent, address: Address) -> bool:
        key, held = event.key(), event.modifiers()
        if held & Qt.KeyboardModifier.ControlModifier:
            return self._press_control(key)
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and held & Qt.KeyboardModifier.AltModifier:
            if not self.cells.is_fixed(address):
                ten = 10 if held & Qt.KeyboardModifier.ShiftModifier else 1
                self.spin(address, ten if key == Qt.Key.Key_Up else -ten, self._spin_key)
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            self.edit_current()
            return True
        if key == Qt.Key.Key_Delete:
            if not self.cells.is_fixed(address):
                self._ask(address, 0.0, f"delete-{next(_runs)}")
            return True
        if event.text() and event.text() in "0123456789.-+(":
            self.edit_current(event.text())
            return True
        return False

    def _press_control(self, key: int) -> bool:
        if key == Qt.Key.Key_C:
            QGuiApplication.clipboard().setText(self.selected_text())
        elif key == Qt.Key.Key_V:
            text = QGuiApplication.clipboard().text()
            (self.code_pasted.emit if has_words(text) else lambda: self.paste_at_current(text))()
        elif key == Qt.Key.Key_A:
            self.selectAll()
        else:
            return False
        return True

    def _ask(self, address: Address, value: float, merge_key: str) -> None:
        complaint = self._check(address, value)
        if complaint:
            self.complained.emit(f"{complaint}. The number from before is kept.")
            return
        self.complained.emit("")
        self.changed.emit(address, value, merge_key)

    def _on_typed(self, value: float, _key: str) -> None:
        if self._before is not None:
            self.changed.emit(self._before[0], value, self._before[2])

    def _on_escape(self) -> None:
        if self._scrub is None:
            self.escaped.emit()
            return
        key, self._scrub = self._scrub[3], None
        self.given_up.emit(key)
        self.dragging.emit(False)


_GLOBAL_KEYS = frozenset({Qt.Key.Key_F1, Qt.Key.Key_F6, Qt.Key.Key_F11, Qt.Key.Key_Tab, Qt.Key.Key_Backtab})
