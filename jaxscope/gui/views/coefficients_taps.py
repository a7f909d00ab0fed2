"""The taps of a stage as stems whose tips can be dragged.

The vertical scale stays while a tip is held, so the stem follows the pointer. Each move asks for one value, and for the
mirror tap where symmetry is kept; one drag is one undo step.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from jaxscope.gui.components.numbers import MINUS
from jaxscope.gui.components.painting import (
    LEFT,
    RIGHT,
    begin,
    disc,
    draw_text,
    hairline,
    pen,
    rounded,
    tip_width,
    value_tip,
)
from jaxscope.gui.theme import colour, font, scaled
from jaxscope.gui.views.coefficients_model import write_cell

_drags = count(1)
_SIDE = 12
_TOP, _BOTTOM = 28, 14


class TapsPlot(QWidget):
    """Stems of the taps.

    ``keeps_symmetry`` mirrors every edit about the middle.
    """

    #: (tap, value, merge key)
    changed = Signal(int, float, str)
    #: the chosen tap
    chosen = Signal(int)
    dragging = Signal(bool)
    #: a drag was given up: the stage is to be as it was (merge key)
    given_up = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.keeps_symmetry = True
        self._values: tuple[float, ...] = ()
        self._array = np.zeros(0)
        self._symmetric = False
        #: taps to a column of pixels, and the lowest and highest tap of each
        self._ends: tuple[int, list[int]] | None = None
        self._span = (-1.0, 1.0)
        self._rate_hz: float | None = None
        self._hot: int | None = None
        #: the tap last under the pointer in a drag
        self._last = 0
        self._current: int | None = None
        self._drag: tuple[int, tuple[float, ...], tuple[float, float], str] | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Taps")

    def show_taps(self, values: tuple[float, ...], rate_hz: float | None, current: int | None) -> None:
        """Show taps, and which one the table has chosen."""
        self._rate_hz, self._current = rate_hz, current
        if values is not self._values:
            self._values, self._array, self._ends = values, np.asarray(values, dtype=np.float64), None
            low, high = float(self._array.min(initial=0.0)), float(self._array.max(initial=0.0))
            self._span = (low, high) if high > low else (-1.0, 1.0)
            largest = float(np.abs(self._array).max(initial=0.0))
            self._symmetric = bool(np.all(np.abs(self._array - self._array[::-1]) <= 1e-9 * largest))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, scaled(148))

    def tip_of(self, tap: int) -> QPointF:
        """Return where the tip of a stem is."""
        low, high = self._limits()
        usable = self.height() - _TOP - _BOTTOM
        y = _TOP + (high - self._values[tap]) / (high - low) * usable
        return QPointF(self._x(tap), y)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        tap = self._tap_at(event.position())
        if tap is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self.chosen.emit(tap)
        self._drag = (tap, self._values, self._limits(), f"tap-{next(_drags)}")
        self._last = tap
        self.dragging.emit(True)
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is None:
            self._hot = self._tap_at(event.position())
            self.update()
            return
        tap, _, (low, high), key = self._drag
        usable = self.height() - _TOP - _BOTTOM
        value = float(f"{high - (event.position().y() - _TOP) / usable * (high - low):.4g}")
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._paint_to(self._tap_under(event.position().x()), value, key)
        else:
            self._last = tap
            self._ask(tap, value, key)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._drag is not None:
            self._drag = None
            self.dragging.emit(False)
            self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._drag is not None:
            key, self._drag = self._drag[3], None
            self.given_up.emit(key)
            self.dragging.emit(False)
            self.update()
            return
        event.ignore()

    def leaveEvent(self, event) -> None:
        self._hot = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rounded(painter, QRectF(self.rect()), 6, "canvas")
            if self._values:
                low, high = self._limits()
                zero = _TOP + high / (high - low) * (self.height() - _TOP - _BOTTOM)
                hairline(painter, 8, round(zero), self.width() - 16, "line2")
                self._paint_stems(painter, zero)
                self._paint_words(painter)

    def _paint_stems(self, painter, zero: float) -> None:
        crowded = self._step() < 4
        held = self._drag[0] if self._drag is not None else self._current
        mirror = self._mirror(held) if held is not None and self.keeps_symmetry else None
        painter.setPen(pen("after", 1.0 if crowded else 1.4, alpha=0.55))
        for tap in self._outermost():
            painter.drawLine(QPointF(self._x(tap), zero), self.tip_of(tap))
        notable = {tap for tap in (held, mirror, self._hot) if tap is not None and 0 <= tap < len(self._values)}
        for tap in sorted(notable) if crowded else range(len(self._values)):
            marked = tap in (held, mirror)
            if tap == held and self._drag is not None:
                disc(painter, self.tip_of(tap), 11, colour("after", 0.25))
            elif tap == self._hot:
                disc(painter, self.tip_of(tap), 8, colour("after", 0.2))
            if marked or not crowded:
                disc(painter, self.tip_of(tap), 3.6 if marked else 2.1, "after")
        shown = self._drag[0] if self._drag is not None else self._hot
        if shown is not None and shown < len(self._values):
            words = f"h[{shown}] = {write_cell(self._values[shown])}"
            tip, width = self.tip_of(shown), tip_width(words)
            left = tip.x() + 14 if tip.x() + 14 + width < self.width() - 4 else tip.x() - 14 - width
            value_tip(painter, QRectF(left, max(4.0, tip.y() - 26), width, 22), words)

    def _outermost(self) -> Iterable[int]:
        """Return the taps that are painted as stems: where many fall into a column of pixels, its ends up and down."""
        per_column = int(1 / max(self._step(), 1e-9))
        if per_column < 2:
            return range(len(self._values))
        if self._ends is None or self._ends[0] != per_column:
            self._ends = (per_column, ends_of(self._array, per_column))
        return self._ends[1]

    def _paint_words(self, painter) -> None:
        count_ = len(self._values)
        draw_text(painter, QRectF(10, 6, 150, 16), f"{count_} taps", font(11), "text3", LEFT)
        delay = (count_ - 1) / 2
        words = f"delay {delay:g} samples"
        if self._rate_hz:
            words += f", {delay / self._rate_hz * 1000:.1f} ms"
        if self._is_symmetric():
            draw_text(painter, QRectF(0, 6, self.width() - 10, 16), words.replace("-", MINUS), font(11), "text3", RIGHT)

    def _ask(self, tap: int, value: float, key: str) -> None:
        self.changed.emit(tap, value, key)
        mirror = self._mirror(tap)
        if self.keeps_symmetry and mirror != tap:
            self.changed.emit(mirror, value, key)

    def _paint_to(self, tap: int, value: float, key: str) -> None:
        """Give a value to every tap between the last one under the pointer and this one."""
        low, high = sorted((self._last, tap))
        for number in range(low, high + 1):
            if number != self._last or low == high:
                self._ask(number, value, key)
        self._last = tap

    def _tap_under(self, x: float) -> int:
        return min(max(round((x - _SIDE) / max(1e-9, self._step())), 0), len(self._values) - 1)

    def _mirror(self, tap: int) -> int:
        return len(self._values) - 1 - tap

    def _is_symmetric(self) -> bool:
        return self._symmetric

    def _limits(self) -> tuple[float, float]:
        if self._drag is not None:
            return self._drag[2]
        return self._span

    def _step(self) -> float:
        return (self.width() - 2 * _SIDE) / max(1, len(self._values) - 1)

    def _x(self, tap: int) -> float:
        return _SIDE + tap * self._step()

    def _tap_at(self, position: QPointF) -> int | None:
        if not self._values:
            return None
        tap = self._tap_under(position.x())
        return tap if abs(self.tip_of(tap).y() - position.y()) <= 12 else None


def ends_of(values: np.ndarray, per_column: int) -> list[int]:
    """Return the places of the lowest and the highest of each run of values."""
    whole = values.size // per_column * per_column
    firsts = np.arange(0, whole, per_column)
    runs = values[:whole].reshape(-1, per_column)
    ends = [firsts + runs.argmin(axis=1), firsts + runs.argmax(axis=1)]
    if whole < values.size:
        ends += [np.array([whole + values[whole:].argmin(), whole + values[whole:].argmax()])]
    return np.sort(np.concatenate(ends)).tolist()
