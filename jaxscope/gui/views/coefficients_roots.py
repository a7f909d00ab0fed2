"""Zeros, poles and gain as a table that is typed into: ``0.5<45°``, ``0.7+0.2j``, ``exp(-pi/4*1j)``.

A row of a pair stands for the root and its mirror. A text acts while it is typed, as soon as it can be read; one visit
of a cell has one merge key, and Esc puts back what was there. It asks for roots and keeps none.
"""

from __future__ import annotations

import re
from itertools import count

from PySide6.QtCore import QAbstractTableModel, QItemSelectionModel, QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from jaxscope.errors import SpecError, capitalised
from jaxscope.filters.expression import evaluate_complex
from jaxscope.filters.roots import Roots
from jaxscope.gui.components.painting import RIGHT, begin, draw_text, hairline, rounded
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.theme import font, scaled, theme
from jaxscope.gui.views.coefficients_editor import EditingTable
from jaxscope.gui.views.coefficients_model import write_cell
from jaxscope.gui.views.poles_zeros_model import Kind, half_of, with_half

_visits = count(1)
_KINDS: tuple[Kind, Kind] = ("zero", "pole")
_ROW, _HEADING, _MOST_ROWS = 25, 24, 7
#: parts of a number below this, in units of its size, are what rounding left
_NOTHING = 1e-13
_LINE = re.compile(r"([zpk])\s*=\s*(?:np\.)?(?:array\()?(\[[^\]]*\]|[^\n;]+)")
_LETTERS = "0123456789.-+(<epcsr"


def write_root(root: complex) -> str:
    """Return a root by half as a cell shows it: ``−1``, ``0.41234 ± 0.58321j``."""
    if root.imag == 0:
        return write_cell(root.real)
    return f"{write_cell(root.real)} ± {write_cell(root.imag)}j"


def exact_root(root: complex) -> str:
    """Return a root by half so that reading it gives the same number."""
    return repr(root.real) if root.imag == 0 else f"{root.real!r}+{root.imag!r}j"


def read_root(text: str, rate_hz: float) -> complex:
    """Return a root by half from an expression; ``±`` is read as a plus.

    Raises
    ------
    SpecError
        It cannot be read; the hint says where and what.
    """
    root = evaluate_complex(text.replace("±", "+"), rate_hz=rate_hz, field="root")
    if abs(root.imag) <= _NOTHING * max(1.0, abs(root)):
        return complex(root.real)
    return complex(root.real, abs(root.imag))


def write_roots(roots: Roots) -> str:
    """Return zeros, poles and gain as three lines of Python, mirrors left out."""
    lists = [
        f"{name} = [{', '.join(map(exact_root, half))}]" for name, half in (("z", roots.zeros), ("p", roots.poles))
    ]
    return "\n".join([*lists, f"k = {roots.gain!r}"])


def read_roots(text: str, rate_hz: float) -> Roots:
    """Return zeros, poles and gain from lines ``z = [...]``, ``p = [...]``, ``k = ...``; mirrors may be given or not.

    Raises
    ------
    SpecError
        A line is missing, or a number cannot be read.
    """
    found = dict(_LINE.findall(text))
    if not {"z", "p"} & found.keys():
        raise SpecError("zeros", "There are no lines z = […] and p = […] in the clipboard", hint="copy zeros and poles")
    halves = [_read_list(found.get(name, ""), rate_hz) for name in "zp"]
    gain = evaluate_complex(found["k"], rate_hz=rate_hz, field="gain").real if "k" in found else 1.0
    return Roots(halves[0], halves[1], gain)


def _read_list(body: str, rate_hz: float) -> tuple[complex, ...]:
    roots = [
        evaluate_complex(item, rate_hz=rate_hz, field="root") for item in body.strip("[]() ").split(",") if item.strip()
    ]
    half: list[complex] = []
    for root in roots:
        mirror_given = any(abs(root.conjugate() - other) <= 1e-9 * max(1.0, abs(root)) for other in roots)
        if abs(root.imag) <= _NOTHING * max(1.0, abs(root)):
            half.append(complex(root.real))
        elif root.imag > 0 or not mirror_given:
            half.append(complex(root.real, abs(root.imag)))
    return tuple(half)


class RootsModel(QAbstractTableModel):
    """Zeros in the first column, poles in the second, by half."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.roots = Roots((), (), 1.0)

    def show_roots(self, roots: Roots) -> None:
        """Show other roots."""
        if len(roots.zeros) == len(self.roots.zeros) and len(roots.poles) == len(self.roots.poles):
            self.roots = roots
            self.dataChanged.emit(self.index(0, 0), self.index(max(0, self.rowCount() - 1), 1))
            return
        self.beginResetModel()
        self.roots = roots
        self.endResetModel()

    def root(self, index: QModelIndex) -> complex | None:
        """Return the root of a cell, or None where there is none."""
        if not index.isValid():
            return None
        half = half_of(self.roots, _KINDS[index.column()])
        return half[index.row()] if index.row() < len(half) else None

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        if parent is not None and parent.isValid():
            return 0
        return max(len(self.roots.zeros), len(self.roots.poles)) + 1  # the last row is there to add to

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else 2

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        root = self.root(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return "" if root is None else write_root(root)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            kind = _KINDS[index.column()]
            return f"Add a {kind}" if root is None else f"{kind.capitalize()} {exact_root(root)}"
        return None


class _Delegate(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        model, view = index.model(), self.parent()
        assert isinstance(model, RootsModel)
        assert isinstance(view, RootsTable)
        rect, root = QRectF(option.rect), model.root(index)
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        if view.currentIndex() == index and view.hasFocus():
            rounded(painter, rect.adjusted(0, 1, 0, 0), 4, "after_bg", "focus", 2)
        elif view.currentIndex() == index:
            rounded(painter, rect.adjusted(0, 1, 0, 0), 0, "hover")
        words = "+" if root is None else write_root(root)
        half = half_of(model.roots, _KINDS[index.column()])
        if root is not None or index.row() == len(half):
            unstable = index.column() == 1 and root is not None and abs(root) >= 1
            token = "text3" if root is None else "danger" if unstable else "text"
            draw_text(painter, rect.adjusted(0, 0, -10, 0), words, font(11, mono=True), token, RIGHT)
        painter.restore()


class RootsTable(EditingTable):
    """The cells."""

    #: (roots, merge key)
    changed = Signal(object, str)

    def __init__(self, model: RootsModel, parent: QWidget | None = None) -> None:
        self.editor = TextField("Root", width=None, height=24, mono=True, px=11)
        super().__init__(self.editor, "Zeros and poles", parent)
        self.cells = model
        self.rate_hz = 1000.0
        self.can_edit = True
        self.setModel(model)
        self.setItemDelegate(_Delegate(self))
        self.editor.textEdited.connect(self._on_typed)

    def edit_current(self, first: str = "") -> None:
        """Open the editor over the current cell, with a first letter typed where one is given."""
        index = self.currentIndex()
        row, kind = index.row(), _KINDS[max(index.column(), 0)]
        if not index.isValid() or not self.can_edit or row > len(half_of(self.cells.roots, kind)):
            return
        root = self.cells.root(index)
        self._before = (self.cells.roots, f"root-{next(_visits)}")
        self.editor.set_wrong(wrong=False)
        self.editor.setText("" if root is None else exact_root(root))
        self._open_over(self.visualRect(index).adjusted(0, 1, 0, 1), first)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            self.edit_current()
        elif key == Qt.Key.Key_Delete:
            self._remove()
        elif event.text() and event.text() in _LETTERS and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.edit_current(event.text())
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event) -> None:
        self.edit_current()

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        for column in range(2):
            self.setColumnWidth(column, self.viewport().width() // 2)

    def _with(self, root: complex | None) -> Roots:
        assert self._before is not None
        roots = self._before[0]
        index = self.currentIndex()
        half = list(half_of(roots, _KINDS[index.column()]))
        half[index.row() : index.row() + 1] = [] if root is None else [root]
        return with_half(roots, _KINDS[index.column()], tuple(half))

    def _remove(self) -> None:
        if self.can_edit and self.cells.root(self.currentIndex()) is not None:
            self._before = (self.cells.roots, f"root-{next(_visits)}")
            self.changed.emit(self._with(None), self._before[1])
            self._before = None

    def _on_typed(self, text: str) -> None:
        if self._before is None:
            return
        try:
            root = read_root(text, self.rate_hz)
        except SpecError as error:
            self.editor.set_wrong(wrong=True)
            hint = f". {capitalised(error.hint)}" if error.hint else ""
            self.complained.emit(f"{error.message}{hint}. The root from before is kept.")
            return
        self.editor.set_wrong(wrong=False)
        self.complained.emit("")
        self.changed.emit(self._with(root), self._before[1])


class RootsCard(QWidget):
    """Headings, the frame, and the cells inside."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = RootsModel(self)
        self.cells = RootsTable(self.model)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, scaled(_HEADING), 1, 1)
        column.addWidget(self.cells)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._pending: Roots | None = None
        self.model.modelReset.connect(self._arrange)
        self.cells.closed.connect(self._catch_up)
        self._arrange()

    def show_roots(self, roots: Roots, rate_hz: float, *, can_edit: bool) -> None:
        """Show roots by half; while one is typed the rows stay where they are."""
        self.cells.rate_hz, self.cells.can_edit = rate_hz, can_edit
        if self.cells.editor.isVisible():
            self._pending = roots
        else:
            self.model.show_roots(roots)

    def sizeHint(self) -> QSize:
        rows = min(self.model.rowCount(), _MOST_ROWS)
        return QSize(200, scaled(_HEADING) + rows * scaled(_ROW) + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            top = scaled(_HEADING)
            card = QRectF(0, top, self.width(), self.height() - top)
            rounded(painter, card, 6, "canvas" if theme().is_dark else "raised", "line2")
            for column, words in enumerate(("z, zeros", "p, poles")):
                box = QRectF(column * self.width() / 2, 0, self.width() / 2 - 10, scaled(22))
                draw_text(painter, box, words, font(11, 500), "text3", RIGHT)
            hairline(painter, self.width() // 2, top + 1, card.height() - 2, "line2", upright=True)

    def _catch_up(self) -> None:
        pending, self._pending = self._pending, None
        if pending is not None:
            self.model.show_roots(pending)

    def _arrange(self) -> None:
        self.cells.verticalHeader().setDefaultSectionSize(scaled(_ROW))
        self.setFixedHeight(self.sizeHint().height())
        if not self.cells.currentIndex().isValid():
            self.cells.selectionModel().setCurrentIndex(
                self.model.index(0, 1), QItemSelectionModel.SelectionFlag.ClearAndSelect
            )
        self.updateGeometry()
        self.update()
