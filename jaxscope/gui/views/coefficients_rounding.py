"""The row of the Coefficients face that tells what rounding makes of the numbers: float32, Q31, Q15, or so many bits.

It is a preview: nothing is rounded but what the dashed curve and the sentence are about. The sentence is of the form
that is looked at, sections or b over a, for these differ most.
"""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from jaxscope.compute.frames import DesignFrame
from jaxscope.errors import SpecError
from jaxscope.filters.quantisation import LEAST_BITS, MOST_BITS, WORDS, bits_of
from jaxscope.gui.components.labels import Label, Paragraph
from jaxscope.gui.components.number_field import NumberField
from jaxscope.gui.components.numbers import NumberRange
from jaxscope.gui.components.select import Select
from jaxscope.gui.views.base import Dispatch
from jaxscope.session.actions import ChooseWord
from jaxscope.session.state import SessionState

_FIXED = "fixed"
_USUAL_BITS = 16
_CHOICES = (("", "As they are"), ("float32", "float32"), ("q31", "Q31"), ("q15", "Q15"), (_FIXED, "Fixed point"))


class RoundingRow(QWidget):
    """Chooses a word and shows what it does.

    Parameters
    ----------
    dispatch : callable
        Takes the actions of the user.
    """

    def __init__(self, dispatch: Dispatch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dispatch = dispatch
        self._word = ""
        self.choice = Select("Rounded to", list(_CHOICES), width=120, height=28)
        self.choice.setToolTip("What rounding does: the curve of the rounded filter is dashed. Nothing is changed")
        self.bits = NumberField(
            "Word length", span=NumberRange(low=LEAST_BITS, high=MOST_BITS, step=1, digits=2), unit="bit", width=72
        )
        self.words = Paragraph("", 11, "text3")
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(Label("Rounded to", 12, 400, "text2"))
        row.addWidget(self.choice)
        row.addWidget(self.bits)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.words)
        self.choice.chosen.connect(self._on_choice)
        self.bits.edited.connect(lambda bits, _key: self._on_bits(bits))
        self._show_word()
        self.words.hide()

    def show_state(self, state: SessionState) -> None:
        """Show the word that is chosen."""
        if state.viewport.word != self._word:
            self._word = state.viewport.word
            self._show_word()

    def show_frame(self, frame: DesignFrame | None, stage: int, form: str | None) -> None:
        """Show what the word makes of a stage in a form."""
        made = None if frame is None else frame.quantised
        if made is None or made.word != self._word or stage >= len(made.stages):
            self.words.setVisible(False)
            return
        as_run, as_ba, is_stable = made.stages[stage]
        sentence = as_ba if form == "ba" and as_ba else as_run
        self.words.setVisible(bool(sentence))
        self.words.setText(sentence)
        wrong = "unstable" in sentence or (form != "ba" and not is_stable)
        self.words.set_token("danger" if wrong else "text3")

    def _show_word(self) -> None:
        fixed = bool(self._word) and self._word not in WORDS
        self.choice.set_current(_FIXED if fixed else self._word)
        self.bits.setVisible(fixed)
        try:
            self.bits.show_value(float(bits_of(self._word) or _USUAL_BITS) if fixed else None)
        except SpecError:
            self.choice.set_current("")

    def _on_choice(self, key: str) -> None:
        self._dispatch(ChooseWord(word=f"{_USUAL_BITS} bit" if key == _FIXED else key))

    def _on_bits(self, bits: float) -> None:
        if LEAST_BITS <= bits <= MOST_BITS:
            self._dispatch(ChooseWord(word=f"{round(bits)} bit"))
