"""A number field: typed live, spun by keys, stepped by its arrows; wrong text stays visible with the reason.

The number itself belongs to the state. While a person types, each text that can be read is sent at once with the merge
key of this visit, so that a visit is one undo step; text that cannot be read is kept on show, marked, and the sentence
says which value is still used. Typing that ends wrong (Enter, Esc or another focus on text that cannot be used) is
given up: the number from before it comes back, not one that its first digits happened to spell. ``show_value`` never
emits and never overwrites what is being typed, unless the number changed elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from math import isclose

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QWidget

from jaxscope.errors import JaxscopeError, capitalised
from jaxscope.gui.components.numbers import MINUS, NumberRange, parse_plain
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.icons import draw_icon

_visits = count(1)
_SPINS: dict[int, float] = {Qt.Key.Key_Up: 1.0, Qt.Key.Key_Down: -1.0}
_ARROWS = 16


class NumberField(TextField):
    """A field for one number.

    Parameters
    ----------
    name, unit, width, height :
        As for ``TextField``.
    span : NumberRange
        Limits, step, and how a number is written.
    parse : callable
        From text to number; raises JaxscopeError with the sentence to show.
    check : callable or None
        From a number to a sentence why it cannot be used, or None.
    arrows : bool
        Show small arrows at the right (orders, counts).
    """

    #: (number, merge key): a person chose a number
    edited = Signal(float, str)
    #: the sentence to show below the field; empty when all is well
    complained = Signal(str)

    def __init__(
        self,
        name: str,
        *,
        span: NumberRange | None = None,
        parse: Callable[[str], float] = parse_plain,
        check: Callable[[float], str | None] | None = None,
        unit: str = "",
        width: int | None = 88,
        height: int = 28,
        arrows: bool = False,
        mono: bool = False,
        px: float = 13,
        align: Qt.AlignmentFlag | None = None,
        parent: QWidget | None = None,
    ) -> None:
        self._arrows = arrows
        side = align or (Qt.AlignmentFlag.AlignLeft if arrows else Qt.AlignmentFlag.AlignRight)
        super().__init__(name, unit=unit, width=width, height=height, align=side, mono=mono, px=px, parent=parent)
        self._span = span or NumberRange()
        self._parse = parse
        self._check = check
        self._value: float | None = None
        #: the value and the expression from before the typing that has not been taken yet
        self._begun: tuple[float | None, tuple[str, float] | None] | None = None
        #: what was typed for a value, shown again while the value is still that one
        self._expression: tuple[str, float] | None = None
        self._merge_key = self._fresh_key()
        self.textEdited.connect(self._on_edited)

    @property
    def value(self) -> float | None:
        """The number that is in use."""
        return self._value

    def show_value(self, value: float | None) -> None:
        """Show a number from the state."""
        same = value is not None and self._value is not None and isclose(value, self._value, rel_tol=1e-12, abs_tol=0)
        self._value = value
        if same and (self._untaken or self._wrong):
            return
        if not same or not self.hasFocus():
            self._forgive()
            self._untaken, self._begun = False, None
        self._write()

    def set_check(self, check: Callable[[float], str | None]) -> None:
        """Set what tells why a number cannot be used."""
        self._check = check

    def set_reader(self, parse: Callable[[str], float]) -> None:
        """Set what turns text into a number."""
        self._parse = parse

    def set_span(self, span: NumberRange) -> None:
        """Change limits, step and digits."""
        self._span = span
        if not self._untaken:
            self._write()

    def complain(self, sentence: str) -> None:
        """Mark the text as wrong and say why, and which value is still used."""
        self.set_wrong(wrong=True)
        self.complained.emit(f"{sentence.rstrip('.')}. {self.still_using()}".strip())

    def still_using(self) -> str:
        """Return the sentence that names the value in use."""
        if self._value is None:
            return ""
        unit = f" {self._unit}" if self._unit else ""
        return f"Still using {self._value:.10g}{unit}.".replace("-", MINUS)

    def press(self, event: QKeyEvent) -> bool:
        key, held = event.key(), event.modifiers()
        if key == Qt.Key.Key_Home and held & Qt.KeyboardModifier.AltModifier and self._span.default is not None:
            self._choose(self._span.default)
            return True
        if key in _SPINS:
            self.spin(_SPINS[key] * _factor(held))
            return True
        if key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown) and self._value is not None:
            self._choose(self._value * (2 if key == Qt.Key.Key_PageUp else 0.5))
            return True
        if key == Qt.Key.Key_Escape and (self._wrong or self._untaken):
            self._end_typing()
        return super().press(event)

    def spin(self, steps: float, merge_key: str | None = None) -> None:
        """Move the number by steps, as a person would."""
        if self._value is not None:
            self._choose(self._span.step_from(self._value, steps), merge_key)

    def take(self) -> None:
        self._end_typing()
        self._merge_key = self._fresh_key()
        self.selectAll()
        self.returnPressed.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._merge_key = self._fresh_key()
        self._write(expression=True)
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._end_typing()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.hasFocus():
            event.ignore()
            return
        notches = (event.angleDelta().y() or event.angleDelta().x()) / 120
        self.spin(notches * _factor(event.modifiers()))
        event.accept()

    def mousePressEvent(self, event) -> None:
        if self._arrows and event.position().x() > self.width() - _ARROWS - 4 and self.isEnabled():
            self.spin(1 if event.position().y() < self.height() / 2 else -1)
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event) -> None:
        over_arrows = self._arrows and event.position().x() > self.width() - _ARROWS - 4
        self.setCursor(Qt.CursorShape.ArrowCursor if over_arrows else Qt.CursorShape.IBeamCursor)
        super().mouseMoveEvent(event)

    def paint_extras(self, painter: QPainter) -> None:
        super().paint_extras(painter)
        if self._arrows:
            centre = QPointF(self.width() - 12, self.height() / 2)
            token = "text3" if self.isEnabled() else "off"
            draw_icon(painter, "chevron-up", QRectF(centre.x() - 5.5, centre.y() - 11, 11, 11), token)
            draw_icon(painter, "chevron-down", QRectF(centre.x() - 5.5, centre.y(), 11, 11), token)

    def _right_room(self) -> int:
        return _ARROWS if self._arrows else 0

    def _fresh_key(self) -> str:
        return f"field-{next(_visits)}"

    def _write(self, *, expression: bool = False) -> None:
        if self._value is None:
            self.setText("")
            return
        typed = self._expression
        stands = typed is not None and isclose(typed[1], self._value, rel_tol=1e-12, abs_tol=0)
        self.setToolTip(f"{typed[0]} = {self._span.write(self._value)}" if typed and stands else "")
        written = typed[0] if typed and stands and expression else self._span.write(self._value)
        self.setAccessibleDescription(f"{self._span.write(self._value)} {self.unit}".strip())
        if self.text() != written:
            self.setText(written)
            if self.hasFocus():
                self.selectAll()

    def _end_typing(self) -> None:
        """Take what has been typed; where it is wrong, go back to the value from before it."""
        begun, self._begun = self._begun, None
        was_wrong, self._untaken = self._wrong, False
        self._forgive()
        if was_wrong and begun is not None and begun[0] is not None and begun[0] != self._value:
            self._value, self._expression = begun
            self.edited.emit(self._value, self._merge_key)
        self._write()

    def _forgive(self) -> None:
        if self._wrong:
            self.set_wrong(wrong=False)
            self.complained.emit("")

    def _choose(self, value: float, merge_key: str | None = None) -> None:
        value = self._span.hold(value)
        complaint = self._check(value) if self._check else None
        self._untaken, self._begun = False, None
        if complaint:
            self.setText(self._span.write(value))
            self.complain(complaint)
            return
        self._forgive()
        self._value = value
        self._write()
        self.edited.emit(value, merge_key or self._merge_key)

    def _on_edited(self, text: str) -> None:
        if self._begun is None:
            self._begun = (self._value, self._expression)
        try:
            value = self._parse(text)
        except JaxscopeError as error:
            hint = f". {capitalised(error.hint)}" if error.hint else ""
            self.complain(f"{capitalised(error.message)}{hint}")
            return
        value = self._span.rounded(value)
        complaint = self._span.complaint(value, self._unit) or (self._check(value) if self._check else None)
        if complaint:
            self.complain(complaint)
            return
        self._forgive()
        self._expression = None if _is_plain(text) else (text, value)
        self._value = value
        self.edited.emit(value, self._merge_key)


def _is_plain(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _factor(held: Qt.KeyboardModifier) -> float:
    if held & Qt.KeyboardModifier.ShiftModifier:
        return 10.0
    return 0.1 if held & Qt.KeyboardModifier.AltModifier else 1.0
