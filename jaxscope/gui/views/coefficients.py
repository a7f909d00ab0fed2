"""The Coefficients face: the numbers of the selected stage as sections, as b over a, or as taps.

Every cell takes numbers and expressions and acts while it is typed. A number that cannot be used stays visible and the
one from before goes on running. Invariant: the table shows the newest design frame, edits go out as actions only.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from jaxscope.compute.frames import DesignFrame, Outcome, SensitivityFrame, StageCurve
from jaxscope.errors import ChainError, SpecError, capitalised
from jaxscope.filters.coefficients import Sections, Taps
from jaxscope.filters.spec import Stage
from jaxscope.gui.components.buttons import Button, IconButton
from jaxscope.gui.components.expressions import reader
from jaxscope.gui.components.labels import Label, Note, Paragraph
from jaxscope.gui.components.segmented import Segment, SegmentedControl
from jaxscope.gui.components.switch import Switch
from jaxscope.gui.theme import scaled
from jaxscope.gui.views.base import AbstractView, Dispatch
from jaxscope.gui.views.coefficients_card import TableCard
from jaxscope.gui.views.coefficients_formula import FormulaBar
from jaxscope.gui.views.coefficients_model import (
    DIGITS_WORTH_A_NOTE,
    Address,
    CoefficientModel,
    digits_lost_as_polynomial,
    forms_of,
    number_word,
    numbers_in_use,
)
from jaxscope.gui.views.coefficients_paste import pasted, single
from jaxscope.gui.views.coefficients_rounding import RoundingRow
from jaxscope.gui.views.coefficients_taps import TapsPlot
from jaxscope.gui.views.coefficients_zpk import RootsPart
from jaxscope.gui.views.pasting import ask_file, read_file, refusal
from jaxscope.gui.views.running_edit import RunningEdit
from jaxscope.session.actions import ChooseFace, EditCoefficient, ReplaceSpec, RevertToDesign
from jaxscope.session.coefficients import edited_spec
from jaxscope.session.state import SessionState

if TYPE_CHECKING:
    from jaxscope.filters.imports import Imported

_pastes = count(1)
_LEAST_HEIGHT = 190
#: taps above which those that were edited are not marked
_MOST_MARKED = 2001
_FORMS = (
    Segment(key="sos", label="SOS", tip="Second-order sections (how it is run)"),
    Segment(key="ba", label="b / a", tip="One polynomial over another"),
    Segment(key="zpk", label="z, p, k", tip="Zeros, poles, gain; a row of a pair stands for both"),
    Segment(key="taps", label="FIR taps", tip="Impulse response"),
)
_ABSENT = {
    "sos": "This stage has no sections: it is a finite impulse response",
    "ba": "This stage is not shown as polynomials",
    "zpk": "This stage has no zeros and poles",
    "taps": "This stage is recursive: its impulse response does not end",
}
_NOTHING = "This stage has no coefficients"


class CoefficientsFace(QWidget, AbstractView):
    """The numbers of the selected stage.

    Parameters
    ----------
    dispatch : callable
        Takes the actions of the user.
    """

    escaped = Signal()
    #: a drag of a number began (True) or ended (False)
    dragging = Signal(bool)
    #: what had to be assumed of numbers from elsewhere, as a line for the status bar
    said = Signal(str)

    def __init__(self, dispatch: Dispatch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dispatch = dispatch
        self._state = SessionState()
        self._stage: Stage | None = None
        self._frame: DesignFrame | None = None
        self._curve: StageCurve | None = None
        self._weights: SensitivityFrame | None = None
        self._running = RunningEdit()
        self._rate_hz = 1000.0
        self.forms = SegmentedControl(_FORMS, name="Form of the coefficients", height=28)
        self.copy = IconButton("copy", "Copy all numbers (tab separated)", size=28, icon_size=16)
        self.paste = IconButton(
            "clipboard", "Paste numbers or code, from a spreadsheet, MATLAB or Python", size=28, icon_size=16
        )
        self.formula = FormulaBar()
        self.model = CoefficientModel(self)
        self.table = TableCard(self.model)
        self.taps = TapsPlot()
        self.roots = RootsPart(dispatch)
        self.symmetric = Switch("Keep symmetric", width=28, height=16, label="Keep symmetric, linear phase")
        self.symmetric.setChecked(True)
        self.symmetric.setToolTip("Edits the mirror tap too, so that the phase stays linear")
        self.load = IconButton("folder-open", "Load taps or other coefficients from a file…", size=28, icon_size=16)
        self.keep_gain = Switch("Keep the gain at 0 Hz", width=28, height=16, label="Keep the gain at 0 Hz")
        self.keep_gain.setToolTip("Rescales b of the section while you edit a, so that slow parts keep their size")
        self.revert = Button("Revert to design", "link", height=28, padding=0)
        self.message = Paragraph("", 11, "danger")
        self.nothing = Label(_NOTHING, 12, 400, "text3")
        self.note = Note("")
        self.weights_note = Paragraph("", 11, "text3")
        self.weights_note.hide()
        self.rounding = RoundingRow(dispatch)
        self._lay_out()
        self._connect()

    def least_height(self) -> int:
        """Return the height that the face should have without scrolling."""
        return min(self.layout().minimumSize().height(), scaled(_LEAST_HEIGHT))

    def focus_first(self) -> None:
        """Give the focus to the table."""
        self.table.cells.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        self._state = state
        chain, stage = state.viewport.active_chain, state.viewport.selected_stage
        chains = state.document.chains
        self._stage = chains[chain].stages[stage] if chain < len(chains) and stage < len(chains[chain].stages) else None
        self.revert.setVisible(self._stage is not None and self._stage.origin is not None)
        if self._stage is not None and self._stage.origin is not None:
            self.revert.setToolTip(f"Back to {self._stage.origin.title}. Your numbers stay in the undo list")
        self._show_curve()

    def show_frame(self, outcome: Outcome) -> None:
        if isinstance(outcome, DesignFrame) and outcome.chain == self._state.viewport.active_chain:
            self._frame = outcome
            self._rate_hz = outcome.rate_hz
            parse = reader(outcome.rate_hz)
            self.formula.field.set_reader(parse)
            self.table.cells.set_reader(parse, self._complaint)
            self._show_curve()
        elif isinstance(outcome, SensitivityFrame):
            self._weights = outcome
            self._show_weights()

    def form(self) -> str | None:
        """Return the form that is shown: the chosen one where the stage comes in it."""
        available = forms_of(self._curve)
        chosen = self._state.viewport.coefficient_form
        return chosen if chosen in available else (available[0] if available else None)

    def _lay_out(self) -> None:
        top, bottom = QHBoxLayout(), QHBoxLayout()
        for row, parts in (
            (top, (self.forms, None, self.copy, self.paste, self.load)),
            (bottom, (self.symmetric, self.keep_gain, None, self.revert)),
        ):
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(4)
            for part in parts:
                if part is None:
                    row.addStretch(1)
                else:
                    row.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 10, 0, 10)
        column.setSpacing(8)
        column.addLayout(top)
        for piece in self._pieces():
            column.addWidget(piece)
        column.addLayout(bottom)
        column.addStretch(1)
        self.message.hide()
        self.nothing.hide()

    def _pieces(self) -> tuple[QWidget, ...]:
        tables = (self.formula, self.taps, self.table, self.roots)
        return (*tables, self.weights_note, self.message, self.nothing, self.note, self.rounding)

    def _connect(self) -> None:
        cells = self.table.cells
        self.forms.chosen.connect(lambda form: self._dispatch(ChooseFace(face="coefficients", form=form)))
        self.copy.clicked.connect(self._on_copy)
        self.paste.clicked.connect(self._on_paste)
        self.load.clicked.connect(self._on_load)
        cells.code_pasted.connect(self._on_paste)
        self.revert.clicked.connect(self._on_revert)
        self.symmetric.clicked.connect(self._on_symmetric)
        cells.set_reader(reader(None), self._complaint)
        cells.changed.connect(self._edit)
        cells.given_up.connect(self._put_back)
        self.taps.given_up.connect(self._put_back)
        cells.moved.connect(self._show_current)
        cells.complained.connect(self._complain)
        cells.escaped.connect(self.escaped)
        cells.dragging.connect(self.dragging)
        self.taps.dragging.connect(self.dragging)
        self.formula.field.set_check(lambda value: self._complaint(cells.current_address(), value))
        self.formula.field.edited.connect(self._on_formula)
        self.formula.field.complained.connect(self._complain)
        self.formula.field.escaped.connect(self.escaped)
        self.roots.complained.connect(self._complain)
        self.roots.escaped.connect(self.escaped)
        self.taps.changed.connect(
            lambda tap, value, key: self._edit(Address(form="taps", row=tap, column=0), value, key)
        )
        self.taps.chosen.connect(
            lambda tap: cells.setCurrentIndex(self.model.index_of(Address(form="taps", row=tap, column=0)))
        )

    def _show_curve(self) -> None:
        frame, at = self._frame, self._state.viewport.selected_stage
        framed = frame.stages[at] if frame is not None and self._stage is not None and at < len(frame.stages) else None
        self._curve = numbers_in_use(self._stage, framed, self._rate_hz)
        available, form = forms_of(self._curve), self.form()
        for key in ("sos", "ba", "zpk", "taps"):
            tip = next(part.tip for part in _FORMS if part.key == key) if key in available else _ABSENT[key]
            self.forms.set_enabled(key, enabled=key in available, tip=tip)
        self.forms.set_current(form)
        shown = form is not None
        for part in (self.copy, self.paste, self.load):
            part.setVisible(shown)
        self.formula.setVisible(shown and form != "taps")  # the stems take its room; cells are typed into as well
        self.table.setVisible(shown and form != "zpk")
        self.roots.setVisible(form == "zpk")
        self.roots.show_stage(self._state, self._stage, self._curve, self._rate_hz)
        self.nothing.setVisible(not shown)
        self.taps.setVisible(form == "taps")
        self.symmetric.setVisible(form == "taps")
        self.keep_gain.setVisible(form == "sos")
        table = "sos" if form in (None, "zpk") else form
        self.model.show_stage(table, self._curve, self._origin_numbers(table))  # type: ignore[arg-type]
        self.table.arrange()
        self._show_note(form)
        self._show_weights()
        self.rounding.setVisible(shown and form != "zpk")
        self.rounding.show_state(self._state)
        self.rounding.show_frame(frame, at, form)
        self._show_current()

    def _show_weights(self) -> None:
        """Show how strongly the numbers move After, where that is known of this stage."""
        told, at = self._weights, self._state.viewport
        fits = told is not None and (told.chain, told.stage) == (at.active_chain, at.selected_stage)
        self.model.show_weights(*((told.values, told.unit) if fits and told is not None else ((), "")))
        sentence = self.model.strongest_words() if self.form() == "sos" else ""
        self.weights_note.setVisible(bool(sentence))
        self.weights_note.setText(sentence)

    def _show_current(self) -> None:
        if self.form() == "zpk":
            tip = f"Number or expression. fs is {self._rate_hz:g}"
            self.formula.show_cell("k", self.roots.gain, fixed=not self.roots.can_edit, tip=tip)
            return
        address = self.table.cells.current_address()
        value = None if address is None else self.model.value(address)
        fixed = address is not None and self.model.is_fixed(address)
        tip = f"Number or expression. fs is {self._rate_hz:g}"
        self.formula.show_cell("" if address is None else address.label(), value, fixed=fixed, tip=tip)
        if self._curve is not None and isinstance(self._curve.realisation, Taps):
            current = address.row if address is not None and address.form == "taps" else None
            self.taps.show_taps(self._curve.realisation.values, self._rate_hz, current)
        cells = self.table.cells
        if cells.editor.isVisible() and value is not None:
            cells.editor.show_value(value)

    def _show_note(self, form: str | None) -> None:
        realisation = None if self._curve is None else self._curve.realisation
        lost = digits_lost_as_polynomial(realisation) if form == "ba" and isinstance(realisation, Sections) else 0.0
        self.note.setVisible(lost >= DIGITS_WORTH_A_NOTE)
        if self._curve is not None and lost >= DIGITS_WORTH_A_NOTE:
            order = max(len(self._curve.a), len(self._curve.b)) - 1
            words = number_word(round(lost))
            self.note.set_text(
                f"Order {order} loses about {words} digits as b / a. "
                "jaxscope keeps and runs it as second-order sections."
            )

    def _origin_numbers(self, form: str | None) -> list[float] | None:
        stage = self._stage
        running = None if self._curve is None else self._curve.realisation
        if stage is None or stage.origin is None or form not in ("sos", "taps"):
            return None
        if isinstance(running, Taps) and len(running.values) > _MOST_MARKED:
            return None  # a design of so many takes longer than a window may wait
        try:
            design = stage.origin.design(self._rate_hz)
        except SpecError:
            return None
        if isinstance(design, Sections) and form == "sos":
            return [value for column in zip(*design.rows, strict=True) for value in column]
        return list(design.values) if isinstance(design, Taps) and form == "taps" else None

    def _action(self, address: Address, value: float, merge_key: str | None) -> EditCoefficient:
        return EditCoefficient(
            chain=self._state.viewport.active_chain,
            stage=self._state.viewport.selected_stage,
            form=address.form,
            row=address.row,
            column=address.column,
            value=value,
            rate_hz=self._rate_hz,
            merge_key=merge_key,
        )

    def _complaint(self, address: Address | None, value: float) -> str | None:
        if self.form() == "zpk":
            return self.roots.gain_complaint(value)
        if self._stage is None or address is None:
            return "There is no such number"
        try:
            edited_spec(self._stage.spec, self._action(address, value, None))
        except SpecError as error:
            return capitalised(error.message)
        return None

    def _edit(self, address: Address, value: float, merge_key: str) -> None:
        if self._complaint(address, value) is not None:
            return
        at = self._state.viewport
        if self._stage is not None:
            self._running.begin(merge_key, (at.active_chain, at.selected_stage), self._stage)
        rescaled = self.model.rescaled(address, value) if self.keep_gain.isChecked() else ()
        self._dispatch(self._action(address, value, merge_key))
        for other, number in rescaled:
            self._dispatch(self._action(other, number, merge_key))

    def _put_back(self, merge_key: str) -> None:
        """Make the stage what it was before an edit that was given up."""
        self._running.give_up(merge_key, self._dispatch)

    def _on_formula(self, value: float, merge_key: str) -> None:
        if self.form() == "zpk":
            self.roots.set_gain(value, merge_key)
            return
        address = self.table.cells.current_address()
        if address is not None:
            self._edit(address, value, merge_key)

    def _complain(self, sentence: str) -> None:
        self.message.setText(sentence)
        self.message.setVisible(bool(sentence))
        self.formula.update()

    def _on_copy(self) -> None:
        if self.form() == "zpk":
            QGuiApplication.clipboard().setText(self.roots.as_text())
            return
        cells = self.table.cells
        rows = range(self.model.rowCount())
        addresses = [
            [self.model.address(self.model.index(r, c)) for c in range(self.model.columnCount())] for r in rows
        ]
        lines = ["\t".join(repr(self.model.value(one)) for one in row if one is not None) for row in addresses]
        QGuiApplication.clipboard().setText("\n".join(lines))
        cells.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_paste(self) -> None:
        text = QGuiApplication.clipboard().text()
        if self.form() == "zpk" and self.roots.paste(text):
            self._complain("")
            return
        self._take(lambda: pasted(self.form(), text, self._rate_hz))

    def _on_load(self) -> None:
        path = ask_file(self)
        if path:
            self._take(lambda: single(read_file(path, self._rate_hz)))

    def _take(self, read: Callable[[], Imported]) -> None:
        """Put a filter of elsewhere in the place of the stage; say what was assumed, or why it was not taken."""
        try:
            found = read()
        except ChainError as error:
            self._complain(refusal(error, "The numbers from before are kept."))
            return
        self._complain("")
        at = self._state.viewport
        key = f"paste-{next(_pastes)}"
        spec = found.stages[0].spec
        self._dispatch(ReplaceSpec(chain=at.active_chain, stage=at.selected_stage, spec=spec, merge_key=key))
        self.said.emit("; ".join(found.notes))

    def _on_revert(self) -> None:
        at = self._state.viewport
        self._dispatch(RevertToDesign(chain=at.active_chain, stage=at.selected_stage))

    def _on_symmetric(self, on: bool) -> None:  # noqa: FBT001
        self.taps.keeps_symmetry = on
        self.taps.update()
