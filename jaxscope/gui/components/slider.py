"""A slider of one number, or of two edges that push one another, on a linear or a logarithmic scale.

It shows the number of the state and keeps only where the pointer holds it. A drag has one merge key, so it is one undo
step; Esc during a drag puts back what was. Shift is a tenth of the speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from math import ceil, exp, floor, log, log10

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QSlider, QWidget

from jaxscope.gui.components.painting import begin, disc, rounded
from jaxscope.gui.components.value_tip import ValueTip
from jaxscope.gui.theme import colour, scaled

_drags = count(1)
_END = 8
_KNOB = 7.0
_RESOLUTION = 10_000
_STEPS: dict[int, float] = {
    Qt.Key.Key_Left: -1.0,
    Qt.Key.Key_Down: -1.0,
    Qt.Key.Key_Right: 1.0,
    Qt.Key.Key_Up: 1.0,
    Qt.Key.Key_PageDown: -10.0,
    Qt.Key.Key_PageUp: 10.0,
}


class ValueSlider(QSlider):
    """A slider for one value or two.

    Parameters
    ----------
    name : str
        Accessible name.
    low, high : float
        Ends of the scale; above 0 where ``log``.
    write : callable
        From a value to the words in its tip.
    """

    #: (values, merge key): a person moved a knob
    moved = Signal(tuple, str)
    #: a drag began (True) or ended (False)
    dragging = Signal(bool)
    escaped = Signal()

    def __init__(
        self, name: str, low: float, high: float, *, log: bool = False, write=str, parent: QWidget | None = None
    ):
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._write = write
        self._values: tuple[float, ...] = ()
        self._low, self._high, self._log = low, high, log
        self._before: tuple[float, ...] | None = None
        self._held: int | None = None
        self._active = 0
        self._grab = 0.0
        self._merge_key = f"slide-{next(_drags)}"
        self._tip: ValueTip | None = None
        self.setRange(0, _RESOLUTION)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.show_values((low,))

    @property
    def values(self) -> tuple[float, ...]:
        """The values that are shown."""
        return self._values

    def set_scale(self, low: float, high: float, *, log: bool) -> None:
        """Change the ends of the scale."""
        if (low, high, log) != (self._low, self._high, self._log):
            self._low, self._high, self._log = low, high, log
            self.update()

    def show_values(self, values: Sequence[float]) -> None:
        """Show values from the state; emits nothing."""
        if tuple(values) == self._values:
            return
        self._values = tuple(values)
        self._active = min(self._active, len(self._values) - 1)
        self.blockSignals(True)
        self.setValue(round(self._share(self._values[self._active]) * _RESOLUTION))
        self.blockSignals(False)
        self.setAccessibleDescription(" to ".join(self._write(value) for value in self._values))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(120), scaled(28))

    def minimumSizeHint(self) -> QSize:
        return QSize(60, scaled(28))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        x = event.position().x()
        places = [self._x(value) for value in self._values]
        self._active = min(
            range(len(places)), key=lambda index: (abs(places[index] - x), -index if x > places[0] else index)
        )
        self._held = self._active
        self._before = self._values
        self._merge_key = f"slide-{next(_drags)}"
        offset = x - places[self._active]
        self._grab = x - offset if abs(offset) <= 12 else x
        self._last_x = x
        self.grabKeyboard()
        self.dragging.emit(True)
        if abs(offset) > 12:
            self._move_to(self._value_at(x))
        self._show_tip()
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is None:
            self.update()
            return
        x = event.position().x()
        speed = 0.1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1.0
        self._grab += (x - self._last_x) * speed
        self._last_x = x
        self._move_to(self._value_at(self._grab))
        self._show_tip()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._let_go()

    def wheelEvent(self, event) -> None:
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            if self._held is not None and self._before is not None:
                before = self._before
                self._let_go()
                self.show_values(before)
                self.moved.emit(before, self._merge_key)
            else:
                self.escaped.emit()
            return
        step = _STEPS.get(event.key())
        if step is None:
            super().keyPressEvent(event)
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            step *= 0.1
        self._move_to(self._at_share(self._share(self._values[self._active]) + step * 0.005))

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: FBT001
        if len(self._values) == 2 and self._active == (0 if forward else 1):
            self._active = 1 - self._active
            self.update()
            return True
        return super().focusNextPrevChild(forward)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._merge_key = f"slide-{next(_drags)}"
        if event.reason() == Qt.FocusReason.BacktabFocusReason:
            self._active = len(self._values) - 1
        elif event.reason() == Qt.FocusReason.TabFocusReason:
            self._active = 0
        super().focusInEvent(event)

    def event(self, event: QEvent) -> bool:
        own = isinstance(event, QKeyEvent) and (event.key() in _STEPS or event.key() == Qt.Key.Key_Escape)
        if own and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            if not self.isEnabled():
                painter.setOpacity(0.5)
            middle = self.height() / 2
            left, right = _END, self.width() - _END
            rounded(painter, QRectF(left, middle - 1.5, right - left, 3), 1.5, "line2")
            places = [self._x(value) for value in self._values]
            start = left if len(places) == 1 else places[0]
            rounded(painter, QRectF(start, middle - 1.5, max(0.0, places[-1] - start), 3), 1.5, "after")
            self._paint_decades(painter, middle)
            for index, place in enumerate(places):
                self._paint_knob(painter, QPointF(place, middle), index)

    def _paint_decades(self, painter: QPainter, middle: float) -> None:
        if not self._log:
            return
        for power in range(ceil(log10(self._low) - 1e-9), floor(log10(self._high) + 1e-9) + 1):
            painter.fillRect(QRectF(self._x(10.0**power) - 0.5, middle + 5, 1, 3), colour("off"))

    def _paint_knob(self, painter: QPainter, centre: QPointF, index: int) -> None:
        if self._held == index:
            disc(painter, centre, 11, colour("after", 0.22))
        elif self.underMouse() and self.isEnabled() and self._held is None:
            pointer = self.mapFromGlobal(self.cursor().pos())
            if abs(pointer.x() - centre.x()) <= 12:
                disc(painter, centre, 11, colour("after", 0.12))
        disc(painter, centre, _KNOB, "after", "panel", 2)
        if self.hasFocus() and index == self._active:
            disc(painter, centre, 10, None, "focus", 2)

    def _move_to(self, value: float) -> None:
        values = list(self._values)
        values[self._active] = value
        if len(values) == 2:  # the other knob is pushed, never crossed
            smallest = 1.01 if self._log else 0.001 * (self._high - self._low)
            if self._active == 0:
                values[1] = max(values[1], value * smallest if self._log else value + smallest)
            else:
                values[0] = min(values[0], value / smallest if self._log else value - smallest)
        if tuple(values) != self._values:
            self.show_values(values)
            self.moved.emit(tuple(values), self._merge_key)

    def _let_go(self) -> None:
        if self._held is None:
            return
        self._held = None
        self.releaseKeyboard()
        if self._tip is not None:
            self._tip.hide()
        self.dragging.emit(False)
        self.update()

    def _show_tip(self) -> None:
        if self._tip is None:
            self._tip = ValueTip(self.window())
        value = self._values[self._active]
        above = self.mapTo(self.window(), QPointF(self._x(value), self.height() / 2 - 14).toPoint())
        self._tip.show_at(above, self._write(value))

    def _x(self, value: float) -> float:
        return _END + self._share(value) * (self.width() - 2 * _END)

    def _value_at(self, x: float) -> float:
        return self._at_share((x - _END) / max(1, self.width() - 2 * _END))

    def _share(self, value: float) -> float:
        if self._high <= self._low:
            return 0.0
        if self._log:
            share = log(max(value, self._low) / self._low) / log(self._high / self._low)
        else:
            share = (value - self._low) / (self._high - self._low)
        return min(1.0, max(0.0, share))

    def _at_share(self, share: float) -> float:
        share = min(1.0, max(0.0, share))
        if self._log:
            raw = self._low * exp(share * log(self._high / self._low))
        else:
            raw = self._low + share * (self._high - self._low)
        return self._tidy(raw)

    def _tidy(self, value: float) -> float:
        """Round to what a pixel can tell, so that the field does not fill with meaningless digits."""
        held = min(self._high, max(self._low, float(f"{value:.3g}")))
        return (
            held if self._log or abs(value) < 1e-12 or abs(held - value) < 0.004 * (self._high - self._low) else value
        )
