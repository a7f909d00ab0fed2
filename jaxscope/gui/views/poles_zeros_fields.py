"""Frequency, radius and angle of the root that is selected: three fields that also read a whole place (``0.5<45°``)."""

from __future__ import annotations

import cmath
from math import ceil, log10, pi

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jaxscope.filters.expression import evaluate_complex
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.number_field import NumberField
from jaxscope.gui.components.numbers import MINUS, NumberRange, write_number
from jaxscope.gui.theme import scaled
from jaxscope.gui.views.poles_zeros_model import FARTHEST, Kind, frequency_of

#: room between the fields
_GAP = 8


class _Digits(NumberRange):
    """Writes four digits that count, never more than say something."""

    __slots__ = ()

    def write(self, value: float) -> str:
        return write_number(value, self.digits) if value else "0"


class _RadiusRange(NumberRange):
    """Writes four digits after the point, and more where a pole is so near to the circle that they matter."""

    __slots__ = ()

    def write(self, value: float) -> str:
        left = abs(1 - value)
        places = 4 if left == 0 or left >= 5e-4 else min(12, ceil(-log10(left)) + 1)
        return f"{value:.{places}f}".replace("-", MINUS)


class RootFields(QWidget):
    """The three fields, captions above them."""

    #: (place, merge key): the selected root is to be there
    placed = Signal(complex, str)
    #: a sentence to show below; empty when all is well
    complained = Signal(str)
    escaped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._root: complex | None = None
        self._kind: Kind = "pole"
        self._rate_hz = 1000.0
        self._free = True
        #: a whole place that was typed, where a number was asked for
        self._typed: complex | None = None
        #: merge key, radius and angle when the running edit began: digits on the way must not spoil the other number
        self._visit: tuple[str, float, float] = ("", 0.0, 0.0)
        self.frequency = NumberField("Frequency", span=_Digits(low=0.0, digits=4), unit="Hz", width=None, align=_LEFT)
        self.radius = NumberField(
            "Radius", span=_RadiusRange(low=0.0, high=FARTHEST, step=0.001), width=None, align=_LEFT
        )
        self.angle = NumberField(
            "Angle", span=_Digits(low=0.0, high=pi, step=0.001, digits=4), unit="rad", width=None, align=_LEFT
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._gaps = []
        for field in self.stops():
            column.addWidget(Label(field.accessibleName(), 11, 400, "text3"))
            column.addWidget(field)
            gap = QWidget()
            gap.setFixedHeight(scaled(_GAP))
            self._gaps.append(gap)
            column.addWidget(gap)
            field.escaped.connect(self.escaped)
            field.complained.connect(self.complained)
        self.frequency.set_reader(lambda text: self._read(text, lambda z: frequency_of(z, self._rate_hz)))
        self.radius.set_reader(lambda text: self._read(text, abs))
        self.angle.set_reader(lambda text: self._read(text, lambda z: abs(cmath.phase(z))))
        self.frequency.set_check(self._check_frequency)
        self.angle.set_check(lambda value: self._check_frequency(value / (2 * pi) * self._rate_hz))
        self.frequency.edited.connect(lambda value, key: self._place(None, self._angle(value), key))
        self.radius.edited.connect(lambda value, key: self._place(value, None, key))
        self.angle.edited.connect(lambda value, key: self._place(None, value, key))

    def stops(self) -> tuple[NumberField, NumberField, NumberField]:
        """Return the fields in order."""
        return self.frequency, self.radius, self.angle

    def set_tight(self, *, tight: bool) -> None:
        """Leave no room between the fields, or some."""
        for gap in self._gaps:
            gap.setFixedHeight(scaled(1 if tight else _GAP))

    def focus_first(self) -> None:
        """Give the focus to the frequency."""
        self.frequency.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_root(
        self, root: complex | None, kind: Kind, rate_hz: float, *, can_leave_axis: bool, can_edit: bool
    ) -> None:
        """Show the place of a root."""
        self._root, self._kind, self._rate_hz, self._free = root, kind, rate_hz, can_leave_axis
        step = 10.0 ** round(log10(rate_hz) - 4)
        self.frequency.set_span(_Digits(low=0.0, high=rate_hz / 2, step=step, digits=4))
        for field in self.stops():
            field.setEnabled(can_edit and root is not None)
        if root is None:
            for field in self.stops():
                field.show_value(None)
            self.radius.set_alarmed(alarmed=False)
            return
        self.frequency.show_value(frequency_of(root, rate_hz))
        self.radius.show_value(abs(root))
        self.angle.show_value(abs(cmath.phase(root)) if root != 0 else 0.0)
        unstable = kind == "pole" and abs(root) >= 1
        self.radius.set_alarmed(alarmed=unstable)

    def _read(self, text: str, part) -> float:
        value = evaluate_complex(text, rate_hz=self._rate_hz)
        self._typed = complex(value.real, abs(value.imag)) if abs(value.imag) > 1e-12 else None
        return part(value) if self._typed is not None else value.real

    def _check_frequency(self, value_hz: float) -> str | None:
        root = self._root
        if root is None or self._free or (self._typed is None and value_hz == frequency_of(root, self._rate_hz)):
            return None
        if value_hz in (0.0, self._rate_hz / 2) and self._typed is None:
            return None
        return f"A real {self._kind} that is alone stays on the axis"

    def _angle(self, value_hz: float) -> float:
        return pi if value_hz == self._rate_hz / 2 else 2 * pi * value_hz / self._rate_hz

    def _place(self, radius: float | None, angle: float | None, merge_key: str) -> None:
        typed, self._typed = self._typed, None
        if self._visit[0] != merge_key:
            root = self._root or 0j
            self._visit = (merge_key, abs(root), abs(cmath.phase(root)))
        radius = self._visit[1] if radius is None else radius
        angle = self._visit[2] if angle is None else angle
        if typed is not None:
            self.placed.emit(typed, merge_key)
        elif angle in (0.0, pi):
            self.placed.emit(complex(radius if angle == 0 else -radius), merge_key)
        else:
            self.placed.emit(cmath.rect(radius, angle), merge_key)


_LEFT = Qt.AlignmentFlag.AlignLeft
