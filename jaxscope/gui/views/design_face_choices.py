"""The rows of the form for what is not one number: yes or no, words, windows, lists; and the table of all rows.

``row_for`` chooses by the knob's kind, so a new family needs no code here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxscope.errors import JaxscopeError, capitalised
from jaxscope.filters import Knob
from jaxscope.gui.components.expressions import reader
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.numbers import MINUS
from jaxscope.gui.components.select import Select
from jaxscope.gui.components.switch import Switch
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.views.design_face_rows import EdgesRow, KnobRow, NumberRow, OrderRow


class FlagRow(KnobRow):
    """Yes or no."""

    def build(self) -> None:
        self._switch = Switch(self.knob.label, width=28, height=16)
        self.line.addWidget(self._switch)
        self.line.addStretch(1)
        self._switch.clicked.connect(lambda on: self.turn(on, ""))

    def show_value(self, value: Any) -> None:
        self._switch.setChecked(bool(value))


class ChoiceRow(KnobRow):
    """One of a few words."""

    def build(self) -> None:
        self._select = Select(self.knob.label, [(word, capitalised(word)) for word in self.knob.choices])
        self.line.addWidget(self._select, 1)
        self._select.chosen.connect(lambda word: self.turn(word, ""))
        self._select.escaped.connect(self.escaped)

    def show_value(self, value: Any) -> None:
        self._select.set_current(value)


class WindowRow(KnobRow):
    """A window by name, with its number where it takes one."""

    #: what a window that takes a number begins with
    _FIRST = {"kaiser": 8.6, "gaussian": 7.0, "tukey": 0.5, "chebwin": 80.0, "general_hamming": 0.54}

    def build(self) -> None:
        from jaxscope.filters.fir import WINDOWS

        self._takes = dict(WINDOWS)
        self._select = Select(self.knob.label, [(name, name.replace("_", " ").capitalize()) for name in WINDOWS])
        self._number = self._field(f"{self.knob.label}, parameter", 88)
        self.line.addWidget(self._select, 1)
        self.line.addWidget(self._number)
        self._select.chosen.connect(self._on_chosen)
        self._select.escaped.connect(self.escaped)
        self._number.set_check(lambda value: self.complaint((self._select.current, value)))
        self._number.edited.connect(lambda value, key: self.turn((str(self._select.current), value), key))

    def fields(self) -> tuple[TextField, ...]:
        return () if self._number.isHidden() else (self._number,)

    def show_value(self, value: Any) -> None:
        name, number = (value, None) if isinstance(value, str) else value
        self._select.set_current(name)
        self._number.setVisible(number is not None)
        if number is not None:
            self._number.show_value(float(number))

    def _on_chosen(self, name: str) -> None:
        self.turn((name, self._FIRST.get(name, 1.0)) if self._takes[name] else name, "")


class NumbersRow(KnobRow):
    """A list of numbers, typed with commas between them."""

    def build(self) -> None:
        self._text = TextField(self.knob.label, unit=self.knob.unit)
        self.line.addWidget(self._text, 1)
        self._text.textEdited.connect(self._on_typed)
        self._text.escaped.connect(self.escaped)
        self._text.editingFinished.connect(self._settle)
        self._value: tuple[float, ...] | None = None

    def fields(self) -> tuple[TextField, ...]:
        return (self._text,)

    def show_value(self, value: Any) -> None:
        self._value = value
        if not self._text.holds_untaken_text:
            self._settle()

    def _settle(self) -> None:
        self._text.set_wrong(wrong=False)
        self._warning.show_sentence("")
        numbers = () if self._value is None else self._value
        self._text.setText(", ".join(f"{number:.10g}".replace("-", MINUS) for number in numbers))

    def _on_typed(self, text: str) -> None:
        try:
            value = tuple(reader(self.rate_hz)(part) for part in text.split(",") if part.strip())
        except JaxscopeError as error:
            self._complain(error.message)
            return
        wanted = None if not value and self.knob.optional else value
        complaint = self.complaint(wanted)
        if complaint:
            self._complain(complaint)
            return
        self._text.set_wrong(wrong=False)
        self._warning.show_sentence("")
        self.turned.emit(self.knob.name, wanted, f"list-{self.knob.name}-{id(self)}")

    def _complain(self, sentence: str) -> None:
        self._text.set_wrong(wrong=True)
        self._warning.show_sentence(f"{sentence}. Still using the numbers from before.")


class ElsewhereRow(KnobRow):
    """Tables of numbers are edited under Coefficients; the form says so."""

    def build(self) -> None:
        self.words = Label("", 12, 400, "text3", shrink=True)
        self.line.addWidget(self.words, 1)

    def show_value(self, value: Any) -> None:
        count = len(value)
        self.words.setText(f"{count} given; edit them under Coefficients")


_ROWS: dict[str, Callable[[Knob], KnobRow]] = {
    "number": NumberRow,
    "count": NumberRow,
    "flag": FlagRow,
    "choice": ChoiceRow,
    "edges": EdgesRow,
    "window": WindowRow,
    "numbers": NumbersRow,
    "points": ElsewhereRow,
    "rows": ElsewhereRow,
}


def row_for(knob: Knob) -> KnobRow:
    """Return the row of a knob, by its kind; a count without a slider of its own is an order."""
    if knob.kind == "count" and knob.reach is None:
        return OrderRow(knob)
    return _ROWS[knob.kind](knob)
