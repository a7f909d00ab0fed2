"""The label of a number: dragging it sideways spins the number, a double click puts the default back.

One drag has one merge key, so it is one undo step; Esc puts back what was.
"""

from __future__ import annotations

from itertools import count

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from jaxscope.gui.components.labels import Label

_drags = count(1)


class ScrubLabel(Label):
    """A label in a form: 1 px is one step, Shift ten, Alt a tenth."""

    #: (steps since the last move, merge key)
    scrubbed = Signal(float, str)
    #: the drag was given up (merge key)
    cancelled = Signal(str)
    #: a drag began or ended
    dragging = Signal(bool)
    #: double click: the default value is wanted
    reset = Signal()

    def __init__(self, text: str, *, can_scrub: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(text, 12, 400, "text2", shrink=True, parent=parent)
        self._can_scrub = can_scrub
        self._last_x: float | None = None
        self._merge_key = ""
        if can_scrub:
            self.setCursor(Qt.CursorShape.SizeHorCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._can_scrub and event.button() == Qt.MouseButton.LeftButton:
            self._last_x = event.position().x()
            self._merge_key = f"scrub-{next(_drags)}"
            self.grabKeyboard()
            self.dragging.emit(True)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._last_x is None:
            return
        moved = event.position().x() - self._last_x
        held = event.modifiers()
        factor = 10.0 if held & Qt.KeyboardModifier.ShiftModifier else 1.0
        factor = 0.1 if held & Qt.KeyboardModifier.AltModifier else factor
        if moved:
            self._last_x = event.position().x()
            self.scrubbed.emit(moved * factor, self._merge_key)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._end()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._can_scrub:
            self.reset.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._last_x is not None:
            key = self._merge_key
            self._end()
            self.cancelled.emit(key)
            return
        event.ignore()

    def _end(self) -> None:
        if self._last_x is not None:
            self._last_x = None
            self.releaseKeyboard()
            self.dragging.emit(False)
