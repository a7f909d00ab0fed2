"""From where to where a sweep goes, and in how many steps: three fields that stand in a row of their own if need be.

Invariant: what is shown is what the drawer was told; a field tells what was typed and keeps nothing.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.number_field import NumberField
from jaxscope.gui.components.numbers import NumberRange
from jaxscope.session.sweep import FEWEST_STEPS, MOST_STEPS, SweptKnob


class SweepRange(QWidget):
    """The numbers of a sweep."""

    #: ``begin``, ``stop`` or ``steps``, and its number
    edited = Signal(str, float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.from_field = NumberField("From", width=76)
        self.to_field = NumberField("To", width=76)
        span = NumberRange(low=FEWEST_STEPS, high=MOST_STEPS, step=1, whole=True)
        self.steps_field = NumberField("Steps", span=span, unit="steps", width=86)
        self._unit = Label("", px=12, token="text3")
        self._row = QHBoxLayout(self)
        self._row.setSpacing(8)
        self.set_below(below=False)
        parts = (self.from_field, Label("to", px=12, token="text2"), self.to_field, self._unit, self.steps_field)
        for part in parts:
            self._row.addWidget(part)
        self._row.addStretch(1)
        self.from_field.edited.connect(lambda value, _: self.edited.emit("begin", value))
        self.to_field.edited.connect(lambda value, _: self.edited.emit("stop", value))
        self.steps_field.edited.connect(lambda value, _: self.edited.emit("steps", value))

    def set_below(self, *, below: bool) -> None:
        """Stand under the head with its margins, or in it."""
        self._row.setContentsMargins(*((14, 0, 10, 8) if below else (0, 0, 0, 0)))

    def set_limits(self, low: float | None, high: float | None, knob: SweptKnob) -> None:
        """Take what the number that is swept may be."""
        for field in (self.from_field, self.to_field):
            field.set_span(NumberRange(low=low, high=high, step=0.1 if knob.is_log else 1, log=knob.is_log))

    def show_range(self, begin: float, stop: float, steps: int, knob: SweptKnob) -> None:
        """Show other numbers."""
        self.from_field.show_value(begin)
        self.to_field.show_value(stop)
        self.steps_field.show_value(steps)
        self.steps_field.setEnabled(not knob.is_whole)
        self._unit.setText(knob.unit)
        self._unit.setVisible(bool(knob.unit))
