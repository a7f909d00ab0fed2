"""One row of the design form per knob, chosen by the knob's kind: label, slider, field, and the sentence when wrong.

A row shows the value of the spec it is given and asks for another value by ``turned``; it keeps no number. A value is
asked for only after the spec accepted it at the rate in use, so what a person types may be wrong on the screen and the
filter still runs with the last good value.
"""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from jaxscope.errors import SpecError, capitalised
from jaxscope.filters import AbstractFilterSpec, Knob
from jaxscope.gui.components.expressions import reader
from jaxscope.gui.components.labels import Icon, Label, Paragraph
from jaxscope.gui.components.number_field import NumberField
from jaxscope.gui.components.numbers import NumberRange, write_exact
from jaxscope.gui.components.scrub_label import ScrubLabel
from jaxscope.gui.components.slider import ValueSlider
from jaxscope.gui.components.switch import Switch
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.theme import scaled

LABEL_WIDTH = 76
_GAP = 8
_FALLBACK_RATE_HZ = 1000.0


class KnobRow(QWidget):
    """What the rows of all kinds share.

    Parameters
    ----------
    knob : Knob
        The field of the spec.
    """

    #: (name, value, merge key)
    turned = Signal(str, object, str)
    #: Esc in one of its fields
    escaped = Signal()
    #: a drag began (True) or ended (False)
    dragging = Signal(bool)

    def __init__(self, knob: Knob, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.knob = knob
        self.spec: AbstractFilterSpec | None = None
        self.rate_hz: float | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._label = ScrubLabel(knob.label, can_scrub=knob.kind in ("number", "count", "edges"))
        self._label.setFixedWidth(scaled(LABEL_WIDTH))
        self.line = QHBoxLayout()
        self.line.setContentsMargins(0, 2, 0, 2)
        self.line.setSpacing(_GAP)
        self.line.addWidget(self._label)
        self._column.addLayout(self.line)
        self._warning = _Warning()
        self.build()
        if self._column.indexOf(self._warning) < 0:
            self._column.addWidget(self._warning)

    def build(self) -> None:
        """Make the controls."""

    def show_spec(self, spec: AbstractFilterSpec, rate_hz: float | None) -> None:
        """Show the value of a spec; emits nothing."""
        self.spec, self.rate_hz = spec, rate_hz
        self.show_value(getattr(spec, self.knob.name))

    def show_value(self, value: Any) -> None:
        """Show a value."""

    def show_problem(self, sentence: str) -> None:
        """Show below the row why the value in use does not fit; empty takes it away."""
        self._warning.show_sentence(sentence)

    def fields(self) -> tuple[TextField, ...]:
        """Return the fields that can be typed into, in order."""
        return ()

    def complaint(self, value: Any) -> str | None:
        """Return the sentence why the spec does not take a value, or None."""
        if self.spec is None:
            return None
        try:
            self.spec.with_value(self.knob.name, value).check(self.rate_hz or _FALLBACK_RATE_HZ)
        except SpecError as error:
            return capitalised(error.message)
        return None

    def turn(self, value: Any, merge_key: str) -> None:
        """Ask for another value where the spec takes it."""
        if getattr(self.spec, self.knob.name, None) != value and self.complaint(value) is None:
            self.turned.emit(self.knob.name, value, merge_key)

    def reach(self) -> tuple[float, float] | None:
        """Return the ends of the slider, or None where the knob is not bounded."""
        low, high = self.knob.reach or (self.knob.low, self.knob.high)
        if self.knob.unit == "Hz":
            nyquist_hz = (self.rate_hz or _FALLBACK_RATE_HZ) / 2
            low, high = max(low or 0.0, nyquist_hz / 10_000), min(high if high is not None else inf, nyquist_hz)
        if low is None or high is None or high in (inf, -inf) or low in (inf, -inf):
            return None
        return float(low), float(high)

    def span(self) -> NumberRange:
        """Return limits, step and digits for the fields of this knob."""
        knob = self.knob
        default = knob.default if isinstance(knob.default, int | float) and not isinstance(knob.default, bool) else None
        return NumberRange(
            low=knob.low,
            high=knob.high,
            step=knob.step,
            log=knob.log,
            whole=knob.kind == "count",
            default=None if default is None else float(default),
        )

    def _field(self, name: str, width: int | None, *, arrows: bool = False) -> NumberField:
        made = NumberField(
            name,
            span=self.span(),
            unit=self.knob.unit if self.knob.unit != "samples" else "",
            width=width,
            arrows=arrows,
            parse=lambda text: reader(self.rate_hz)(text),
        )
        made.escaped.connect(self.escaped)
        made.complained.connect(self._warning.show_sentence)
        return made

    def _slider(self) -> ValueSlider:
        unit = f" {self.knob.unit}" if self.knob.unit else ""
        made = ValueSlider(self.knob.label, 0.1, 1.0, log=True, write=lambda value: f"{write_exact(value)}{unit}")
        made.escaped.connect(self.escaped)
        made.dragging.connect(self.dragging)
        return made


class _Warning(QWidget):
    """The line below a row: an icon and what is wrong, and which value is still used."""

    def __init__(self) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(scaled(LABEL_WIDTH) + _GAP, 0, 0, 2)
        row.setSpacing(6)
        row.addWidget(Icon("alert-circle", "danger", size=14), alignment=Qt.AlignmentFlag.AlignTop)
        self._words = Paragraph("", 11, "danger")
        row.addWidget(self._words, 1)
        self.hide()

    @property
    def sentence(self) -> str:
        """What is said now."""
        return self._words.text()

    def show_sentence(self, sentence: str) -> None:
        self._words.setText(sentence)
        self._words.setAccessibleName(sentence)
        self.setVisible(bool(sentence))


class NumberRow(KnobRow):
    """A number: label, slider where it is bounded, field 88. One that may be absent has a switch before it."""

    def build(self) -> None:
        self._switch: Switch | None = None
        if self.knob.optional:
            self._switch = Switch(self.knob.label, width=28, height=16)
            self._switch.clicked.connect(self._on_switched)
            self.line.addWidget(self._switch)
        self._slider_ = self._slider()
        self._field_ = self._field(self.knob.label, 88, arrows=self.knob.kind == "count")
        self.line.addWidget(self._slider_, 1)
        self.line.addStretch(0)
        self.line.addWidget(self._field_)
        self._slider_.moved.connect(lambda values, key: self._on_moved(values[0], key))
        self._field_.edited.connect(self._on_moved)
        self._field_.set_check(lambda value: self.complaint(self._plain(value)))
        self._label.scrubbed.connect(self._field_.spin)
        self._label.dragging.connect(self._on_scrub)
        self._label.cancelled.connect(self._put_back)
        self._label.reset.connect(self._on_reset)

    def fields(self) -> tuple[TextField, ...]:
        return (self._field_,)

    def show_value(self, value: Any) -> None:
        reach = self.reach()
        self._slider_.setVisible(reach is not None and value is not None)
        self._field_.setVisible(value is not None)
        if self._switch is not None:
            self._switch.setChecked(value is not None)
        if value is None:
            return
        if reach is not None:
            self._slider_.set_scale(*reach, log=self.knob.log and reach[0] > 0)
            self._slider_.show_values([float(value)])
        self._field_.show_value(float(value))

    def _plain(self, value: float) -> float | int:
        return round(value) if self.knob.kind == "count" else value

    def _on_moved(self, value: float, merge_key: str) -> None:
        self.turn(self._plain(value), merge_key)

    def _on_switched(self, on: bool) -> None:  # noqa: FBT001
        default = self.knob.default if self.knob.default is not None else max(0.0, self.knob.low or 0.0)
        value = default if on else None
        if self.complaint(value) is not None:
            self._warning.show_sentence(f"{self.complaint(value)}.")
            if self._switch is not None:
                self._switch.setChecked(not on)
            return
        self.turned.emit(self.knob.name, value, "")

    def _on_scrub(self, on: bool) -> None:  # noqa: FBT001
        if on:
            self._start = self._field_.value
        self.dragging.emit(on)

    def _put_back(self, merge_key: str) -> None:
        if self._start is not None:
            self._on_moved(self._start, merge_key)

    def _on_reset(self) -> None:
        if self.knob.default is not None:
            self.turn(self.knob.default, "")


class OrderRow(NumberRow):
    """A small count without a slider and with a note: field 64 with arrows."""

    def build(self) -> None:
        self._switch = None
        self._field_ = self._field(self.knob.label, 64, arrows=True)
        self.note = Label("", 11, 400, "text3", shrink=True)
        self.line.addWidget(self._field_)
        self.line.addWidget(self.note, 1)
        self._field_.edited.connect(self._on_moved)
        self._field_.set_check(lambda value: self.complaint(self._plain(value)))
        self._label.scrubbed.connect(lambda steps, key: self._field_.spin(steps / 12, key))
        self._label.dragging.connect(self._on_scrub)
        self._label.cancelled.connect(self._put_back)
        self._label.reset.connect(self._on_reset)

    def show_value(self, value: Any) -> None:
        self._field_.show_value(float(value))


class EdgesRow(KnobRow):
    """One cutoff (slider, field 88), or two edges (two fields with "to", the slider in the next row)."""

    def build(self) -> None:
        self._single = self._field(self.knob.label, 88)
        self._pair = (self._field(f"{self.knob.label}, lower", None), self._field(f"{self.knob.label}, upper", None))
        self._to = Label("to", 12, 400, "text3")
        self._beside = self._slider()
        self._below = self._slider()
        self._value: Any = None
        self.line.addWidget(self._beside, 1)
        self.line.addWidget(self._single)
        self.line.addWidget(self._pair[0], 1)
        self.line.addWidget(self._to)
        self.line.addWidget(self._pair[1], 1)
        self._column.addWidget(self._warning)
        second = QHBoxLayout()
        second.setContentsMargins(scaled(LABEL_WIDTH) + _GAP, 0, 0, 0)
        second.addWidget(self._below)
        self._column.addLayout(second)
        for slider in (self._beside, self._below):
            slider.moved.connect(self._on_slid)
        for index, field in ((None, self._single), (0, self._pair[0]), (1, self._pair[1])):
            field.set_check(partial(self._edge_complaint, index))
            field.edited.connect(partial(self._on_edge, index))
        self._label.scrubbed.connect(self._on_scrubbed)
        self._label.dragging.connect(self._on_scrub)
        self._label.cancelled.connect(lambda key: self.turn(self._start, key))
        self._label.reset.connect(self._on_reset)

    def fields(self) -> tuple[TextField, ...]:
        return self._pair if isinstance(self._value, tuple) else (self._single,)

    def show_value(self, value: Any) -> None:
        self._value = value
        pair = isinstance(value, tuple)
        self._label.setText("Edges" if pair else self.knob.label)
        for part in (*self._pair, self._to, self._below):
            part.setVisible(pair)
        for part in (self._single, self._beside):
            part.setVisible(not pair)
        values = [float(edge) for edge in value] if pair else [float(value)]
        reach = self.reach()
        slider = self._below if pair else self._beside
        if reach is None:
            slider.hide()
        else:
            slider.set_scale(*reach, log=self.knob.log and reach[0] > 0)
            slider.show_values(values)
        for field, edge in zip(self._pair if pair else (self._single,), values, strict=True):
            field.show_value(edge)

    def _with(self, index: int | None, edge: float) -> Any:
        if index is None:
            return edge
        edges = list(self._value)
        edges[index] = edge
        return tuple(edges)

    def _edge_complaint(self, index: int | None, edge: float) -> str | None:
        return self.complaint(self._with(index, edge))

    def _on_edge(self, index: int | None, edge: float, merge_key: str) -> None:
        self.turn(self._with(index, edge), merge_key)

    def _on_slid(self, values: tuple[float, ...], merge_key: str) -> None:
        self.turn(values if len(values) == 2 else values[0], merge_key)

    def _on_scrub(self, on: bool) -> None:  # noqa: FBT001
        if on:
            self._start = self._value
        self.dragging.emit(on)

    def _on_scrubbed(self, steps: float, merge_key: str) -> None:
        span = self.span()
        if isinstance(self._value, tuple):
            self.turn(tuple(span.step_from(edge, steps) for edge in self._value), merge_key)
        else:
            self.turn(span.step_from(self._value, steps), merge_key)

    def _on_reset(self) -> None:
        if isinstance(self._value, tuple) == isinstance(self.knob.default, tuple):
            self.turn(self.knob.default, "")
