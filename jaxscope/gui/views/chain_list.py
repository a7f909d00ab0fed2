"""The list of stages: select, switch, reorder by the grip, rename, and a menu per row.

A drag of the grip reorders live, each crossing as one MoveStage with the merge key of the drag; Esc moves it back.
The list is one tab stop; its keys are those of the table of keys for the chain.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu, QSizePolicy, QWidget

from jaxscope.compute.frames import DesignFrame, Outcome
from jaxscope.errors import ChainError
from jaxscope.filters.spec import Stage
from jaxscope.gui.components.painting import LEFT, begin, draw_text
from jaxscope.gui.icons import icon
from jaxscope.gui.theme import font, scaled
from jaxscope.gui.views.base import AbstractView, Dispatch, is_look
from jaxscope.gui.views.chain_list_model import SmallCurves, StageDelegate, StageModel, row_of
from jaxscope.gui.views.pasting import (
    add_stages,
    ask_file,
    clipboard_text,
    copy_stage,
    outcome,
    read_clipboard,
    read_file,
    refusal,
)
from jaxscope.session.actions import (
    AddStage,
    EnableStage,
    MoveStage,
    RemoveStage,
    RenameStage,
    RevertToDesign,
    SelectStage,
    SoloStage,
)
from jaxscope.session.solo import is_solo
from jaxscope.session.state import SessionState

if TYPE_CHECKING:
    from jaxscope.filters.imports import Imported

_drags = count(1)
_GRIP_PX = 28
_SWITCH_PX = 64
_DOTS_PX = 34
_EMPTY = "No stages yet. Add one, or start from a preset"


class ChainList(QListView, AbstractView):
    """The stages of the active chain.

    Parameters
    ----------
    dispatch : callable
        Takes the actions of the user.
    """

    #: Enter on a stage: its first number is wanted
    opened = Signal()
    #: Insert: a menu of stages is wanted
    add_wanted = Signal()
    escaped = Signal()
    #: what was pasted or why it was not, as a line for the status bar
    said = Signal(str)

    def __init__(self, dispatch: Dispatch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dispatch = dispatch
        self._chain = 0
        self._state = SessionState()
        self._stages: tuple[Stage, ...] = ()
        self._frame: DesignFrame | None = None
        self._small_curves = SmallCurves()
        self._dragged: int | None = None
        self._drag_start = 0
        self._merge_key = ""
        self._model = StageModel(self)
        self._delegate = StageDelegate(self)
        self.setModel(self._model)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName("Chain of stages")
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # the dock says how many rows are hidden; a bar would push the curves out of line
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.viewport().setAutoFillBackground(False)
        self._delegate.commitData.connect(self._on_named)

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        chains = state.document.chains
        self._state = state
        if is_look(state, previous):
            return
        self._chain = state.viewport.active_chain
        count = len(self._stages)
        self._stages = chains[self._chain].stages if self._chain < len(chains) else ()
        self._show_rows()
        selected = state.viewport.selected_stage
        current = min(selected, len(self._stages) - 1)
        if self._stages and self.currentIndex().row() != current:
            self.setCurrentIndex(self._model.index(current))
        if len(self._stages) != count:
            self.updateGeometry()  # only then: a new layout of the dock is more work than an edit

    def show_frame(self, outcome: Outcome) -> None:
        if isinstance(outcome, DesignFrame):
            self._frame = outcome
            self._show_rows()

    def sizeHint(self) -> QSize:
        rows = max(1, len(self._stages))
        return QSize(200, rows * (scaled(StageDelegate.ROW) + StageDelegate.GAP))

    def minimumSizeHint(self) -> QSize:
        rows = min(max(1, len(self._stages)), 3)
        return QSize(100, rows * (scaled(StageDelegate.ROW) + StageDelegate.GAP))

    def hidden_rows(self) -> tuple[int, int]:
        """Return how many stages are scrolled out of sight above and below."""
        row = scaled(StageDelegate.ROW) + StageDelegate.GAP
        bar = self.verticalScrollBar()
        whole = max(1, self.height() // row)
        above = min(-(-bar.value() // row), max(0, len(self._stages) - whole))
        return above, max(0, len(self._stages) - whole - above)

    def keep_in_sight(self) -> None:
        """Scroll to the selected stage where some have no room."""
        if any(self.hidden_rows()) or self.verticalScrollBar().maximum() > 0:
            self.scrollTo(self.currentIndex())

    def updateGeometries(self) -> None:
        super().updateGeometries()
        # a notch of the wheel moves whole rows
        self.verticalScrollBar().setSingleStep(scaled(StageDelegate.ROW) + StageDelegate.GAP)

    def menu_of(self, number: int) -> QMenu:
        """Return the menu of one stage."""
        menu = QMenu(self)
        menu.addAction(icon("pencil"), "Rename", lambda: self.edit(self._model.index(number)))
        menu.addAction(icon("copy"), "Duplicate", lambda: self._duplicate(number))
        menu.addAction("Copy as text", lambda: self._copy(number))
        paste = menu.addAction(icon("clipboard"), "Paste after it", self.paste)
        paste.setEnabled(bool(clipboard_text().strip()))
        menu.addAction(icon("folder-open"), "Load coefficients…", self.load)
        alone = "All as before" if is_solo(self._stages, number) else "This stage alone"
        solo = menu.addAction(alone, lambda: self._solo(number))
        solo.setEnabled(len(self._stages) > 1)
        if self._stages[number].origin is not None:
            menu.addAction("Revert to design", lambda: self._act(RevertToDesign(chain=self._chain, stage=number)))
        menu.addSeparator()
        up = menu.addAction(icon("chevron-up"), "Move up", lambda: self._move(number, number - 1))
        up.setEnabled(number > 0)
        down = menu.addAction(icon("chevron-down"), "Move down", lambda: self._move(number, number + 1))
        down.setEnabled(number + 1 < len(self._stages))
        menu.addSeparator()
        menu.addAction(icon("trash"), "Remove", lambda: self._remove(number))
        return menu

    def paste(self) -> None:
        """Add what is on the clipboard behind the selected stage: stages as text, numbers, or a line of code."""
        self._take(lambda: read_clipboard(self._rate_hz))

    def load(self) -> None:
        """Ask for a file of coefficients and add what is in it behind the selected stage."""
        path = ask_file(self)
        if path:
            self._take(lambda: read_file(path, self._rate_hz))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if event.button() != Qt.MouseButton.LeftButton or not index.isValid():
            return
        rect, x, number = self.visualRect(index), event.position().x(), index.row()
        if x > rect.right() - _DOTS_PX:
            self._select(number)
            self.menu_of(number).popup(self.viewport().mapToGlobal(QPoint(rect.right() - 150, rect.bottom())))
        elif x < rect.left() + _GRIP_PX:
            self._select(number)
            self._dragged = self._drag_start = number
            self._merge_key = f"reorder-{next(_drags)}"
            self.setFocus(Qt.FocusReason.MouseFocusReason)
        elif x < rect.left() + _SWITCH_PX:
            on = not self._stages[number].enabled
            self._act(EnableStage(chain=self._chain, stage=number, enabled=on))
        else:
            self._select(number)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged is None:
            index = self.indexAt(event.position().toPoint())
            over_grip = index.isValid() and event.position().x() < self.visualRect(index).left() + _GRIP_PX
            self.viewport().setCursor(Qt.CursorShape.OpenHandCursor if over_grip else Qt.CursorShape.ArrowCursor)
            super().mouseMoveEvent(event)
            return
        self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        step = scaled(StageDelegate.ROW) + StageDelegate.GAP
        offset = self.verticalScrollBar().value()
        to = min(max(int((event.position().y() + offset) // step), 0), len(self._stages) - 1)
        if to != self._dragged:
            moved, self._dragged = self._dragged, to
            self._move(moved, to, self._merge_key)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragged = None
        self.viewport().unsetCursor()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and _SWITCH_PX < event.position().x() < self.visualRect(index).right() - _DOTS_PX:
            self.edit(index)

    def contextMenuEvent(self, event) -> None:
        index = self.indexAt(event.pos())
        if index.isValid():
            self._select(index.row())
            self.menu_of(index.row()).popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._on_escape()
        elif event.key() == Qt.Key.Key_Insert:
            self.add_wanted.emit()
        elif not self._stages and event.matches(QKeySequence.StandardKey.Paste):
            self.paste()
        elif not self._stages or not self._press(event, self.currentIndex().row()):
            event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._delegate.ring_visible = event.reason() != Qt.FocusReason.MouseFocusReason
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._delegate.ring_visible = False
        super().focusOutEvent(event)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._stages:
            super().paintEvent(event)
            return
        with begin(self.viewport()) as painter:
            draw_text(painter, QRect(10, 0, self.width() - 20, scaled(46)).toRectF(), _EMPTY, font(12), "text3", LEFT)

    def _press(self, event: QKeyEvent, number: int) -> bool:
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        key = event.key()
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            to = number + (1 if key == Qt.Key.Key_Down else -1)
            if 0 <= to < len(self._stages):
                (self._move(number, to) if alt else self._select(to))
            return True
        plain: dict[int, Callable[[], object]] = {
            Qt.Key.Key_Space: lambda: self._toggle(number),
            Qt.Key.Key_Return: self.opened.emit,
            Qt.Key.Key_Enter: self.opened.emit,
            Qt.Key.Key_F2: lambda: self.edit(self._model.index(number)),
            Qt.Key.Key_Delete: lambda: self._remove(number),
            Qt.Key.Key_S: lambda: self._solo(number),
        }
        held: dict[tuple[int, bool], Callable[[], object]] = {
            (Qt.Key.Key_C, False): lambda: self._copy(number),
            (Qt.Key.Key_V, False): self.paste,
            (Qt.Key.Key_D, True): lambda: self._duplicate(number),
        }
        handler = held.get((key, shift)) if control else plain.get(key)
        if handler is None:
            return False
        handler()
        return True

    def event(self, event) -> bool:
        if event.type() == event.Type.ShortcutOverride and event.key() in (
            Qt.Key.Key_Space, Qt.Key.Key_Delete, Qt.Key.Key_Insert, Qt.Key.Key_F2, Qt.Key.Key_Return,
            Qt.Key.Key_Up, Qt.Key.Key_Down,
        ):  # fmt: skip
            event.accept()
            return True
        return super().event(event)

    def _show_rows(self) -> None:
        frame = self._frame
        fits = frame is not None and frame.chain == self._chain and len(frame.stages) == len(self._stages)
        curves = frame.stages if fits and frame is not None else (None,) * len(self._stages)
        rate_hz = frame.rate_hz if frame is not None else None
        small = self._small_curves.of(frame) if fits and frame is not None else [None] * len(self._stages)
        rows = [
            row_of(stage, curve, rate_hz, line) for stage, curve, line in zip(self._stages, curves, small, strict=True)
        ]
        for index in self._model.show_rows(rows):
            self.update(index)

    def _act(self, action: object) -> None:
        self._dispatch(action)  # type: ignore[arg-type]

    def _select(self, number: int) -> None:
        self._dispatch(SelectStage(chain=self._chain, stage=number))

    def _toggle(self, number: int) -> None:
        self._dispatch(EnableStage(chain=self._chain, stage=number, enabled=not self._stages[number].enabled))

    def _move(self, number: int, to: int, merge_key: str | None = None) -> None:
        self._dispatch(MoveStage(chain=self._chain, stage=number, to=to, merge_key=merge_key))

    def _remove(self, number: int) -> None:
        self._dispatch(RemoveStage(chain=self._chain, stage=number))

    def _duplicate(self, number: int) -> None:
        self._dispatch(AddStage(chain=self._chain, at=number + 1, stage=self._stages[number]))

    def _solo(self, number: int) -> None:
        self._dispatch(SoloStage(chain=self._chain, stage=number))

    def _copy(self, number: int) -> None:
        copy_stage(self._stages[number])

    def _take(self, read: Callable[[], Imported]) -> None:
        try:
            found = read()
        except ChainError as error:
            self.said.emit(refusal(error))
            return
        add_stages(self._state, found, self._dispatch)
        self.said.emit(outcome(found))

    @property
    def _rate_hz(self) -> float | None:
        return self._frame.rate_hz if self._frame is not None else None

    def _on_escape(self) -> None:
        if self._dragged is not None:
            moved, self._dragged = self._dragged, None
            if moved != self._drag_start:
                self._move(moved, self._drag_start, self._merge_key)
            return
        self.escaped.emit()

    def _on_named(self, editor: QWidget) -> None:
        number = self.currentIndex().row()
        text = editor.property("text")
        if isinstance(text, str) and text.strip() != self._model.row(number).title:
            self._dispatch(RenameStage(chain=self._chain, stage=number, name=text.strip()))

    def currentChanged(self, current: QModelIndex, previous: QModelIndex) -> None:
        super().currentChanged(current, previous)
        self.viewport().update()
