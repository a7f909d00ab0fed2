"""The Design face: shape, family, and a form that is generated from the knobs of the spec; facts below it.

A new family needs nothing here. Invariant: the form shows the spec of the state, and everything a person does goes out
as one action.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QScrollBar,
    QVBoxLayout,
    QWidget,
)

from jaxscope.compute.frames import DesignFrame, Outcome, StageCurve
from jaxscope.errors import capitalised
from jaxscope.filters import FAMILIES, AbstractFilterSpec, Stage
from jaxscope.filters.shapes import SHAPES, shape_of, stage_line, with_family, with_shape
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.segmented import Segment, SegmentedControl
from jaxscope.gui.components.select import Select
from jaxscope.gui.theme import scaled
from jaxscope.gui.views.base import AbstractView, Dispatch
from jaxscope.gui.views.design_face_choices import row_for
from jaxscope.gui.views.design_face_facts import Facts, rate_sentence
from jaxscope.gui.views.design_face_rows import LABEL_WIDTH, KnobRow, OrderRow
from jaxscope.gui.views.dock_menu import FALLBACK_RATE_HZ
from jaxscope.session.actions import Action, ReplaceSpec, RevertToDesign, TurnKnob
from jaxscope.session.state import SessionState

#: dB per octave and order beyond the edge, for families whose edge keeps falling so
_SLOPE_DB = {"butterworth": 6, "bessel": 6, "chebyshev1": 6}


def stops_of(part: QWidget) -> list[QWidget]:
    """Return a widget and its children that may take the focus, in the order in which they were made."""
    everything = [part, *part.findChildren(QWidget)]
    kinds = (QAbstractButton, QAbstractSlider, QComboBox, QLineEdit, QAbstractItemView)
    here = [one for one in everything if one.window() is part.window()]  # not the lists that drop down
    return [one for one in here if isinstance(one, kinds) and not isinstance(one, QScrollBar)]


class DesignFace(QWidget, AbstractView):
    """The form of the selected stage.

    Parameters
    ----------
    dispatch : callable
        Takes the actions of the user.
    """

    escaped = Signal()
    #: a drag of a number began (True) or ended (False)
    dragging = Signal(bool)

    def __init__(self, dispatch: Dispatch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dispatch: Callable[[Action], None] = dispatch
        self._at = (0, 0)
        self._spec: AbstractFilterSpec | None = None
        self._phase = "causal"
        self._rate_hz: float | None = None
        self._frame: DesignFrame | None = None
        self._narrow = False
        self._rows: list[KnobRow] = []
        #: the families that are offered, and the one in use
        self._family_of: tuple[tuple[str, ...], type[AbstractFilterSpec]] | None = None
        self._built_for: tuple[Any, ...] | None = None
        segments = [Segment(key=shape.name, label=shape.label, tip=shape.summary) for shape in SHAPES]
        self._shapes = SegmentedControl(segments, name="Shape", padding=6, fill=True)
        self._family = Select("Family")
        self._family_label = Label("Family", 12, 400, "text2")
        self._family_label.setFixedWidth(scaled(LABEL_WIDTH))
        self._family_row = QWidget()
        self._was = Label("", 11, 400, "text3", shrink=True)
        self.revert = Button("Revert to design", "link", height=28, padding=0)
        self._by_hand = QWidget()
        self._facts = Facts()
        #: which channels the facts are for, where the chain has several rates
        self.rate_note = Label("", 11, 400, "text3", shrink=True)
        self.rate_note.hide()
        self._form = QVBoxLayout()
        self._lay_out()
        self._shapes.chosen.connect(self._on_shape)
        self._family.chosen.connect(self._on_family)
        self._family.escaped.connect(self.escaped)
        self.revert.clicked.connect(self._on_revert)

    def _lay_out(self) -> None:
        line = QHBoxLayout(self._family_row)
        line.setContentsMargins(0, 2, 0, 2)
        line.setSpacing(8)
        line.addWidget(self._family_label)
        line.addWidget(self._family, 1)
        hand = QHBoxLayout(self._by_hand)
        hand.setContentsMargins(0, 0, 0, 0)
        hand.setSpacing(8)
        hand.addWidget(self._was, 1)
        hand.addWidget(self.revert)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setSpacing(6)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 10, 0, 10)
        column.setSpacing(6)
        column.addWidget(self._shapes)
        column.addSpacing(2)
        column.addWidget(self._family_row)
        column.addLayout(self._form)
        column.addWidget(self._by_hand)
        column.addSpacing(4)
        column.addWidget(self.rate_note)
        column.addWidget(self._facts)
        column.addStretch(1)

    @property
    def rows(self) -> tuple[KnobRow, ...]:
        """The rows of the form, in order."""
        return tuple(self._rows)

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The facts that are shown."""
        return self._facts.facts

    def set_narrow(self, *, narrow: bool) -> None:
        """Leave the facts and notes out (they stay in the tooltip)."""
        self._narrow = narrow
        self._facts.setVisible(not narrow)
        self._show_rate()
        self._show_roll_off()

    def least_height(self) -> int:
        """Return the height without the facts, which may be scrolled to."""
        notes = (self._facts, self.rate_note)
        facts = sum(part.sizeHint().height() for part in notes if part.isVisibleTo(self))
        return self.layout().minimumSize().height() - facts

    def focus_stops(self) -> list[QWidget]:
        """Return what the Tab key reaches, from top to bottom."""
        parts: list[QWidget] = [self._shapes, self._family, *self._rows]
        return [stop for part in parts for stop in stops_of(part)]

    def focus_first(self) -> None:
        """Give the focus to the first field of the form."""
        for row in self._rows:
            if row.fields():
                row.fields()[0].setFocus()
                return
        self._family.setFocus()

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        chain, stage = state.viewport.active_chain, state.viewport.selected_stage
        self._at = (chain, stage)
        chains = state.document.chains
        shown = chains[chain].stages[stage] if chain < len(chains) and stage < len(chains[chain].stages) else None
        self.setEnabled(shown is not None)
        self._phase = chains[chain].phase if chain < len(chains) else "causal"
        self._spec = None if shown is None else shown.spec
        origin = None if shown is None else shown.origin
        self._by_hand.setVisible(origin is not None)
        if origin is not None:
            self._was.setText(f"Edited by hand; was {stage_line(Stage(spec=origin))}")
        self._show_spec()
        self._show_curve()

    def show_frame(self, outcome: Outcome) -> None:
        if not isinstance(outcome, DesignFrame) or outcome.chain != self._at[0]:
            return
        self._frame = outcome
        if outcome.rate_hz != self._rate_hz:
            self._rate_hz = outcome.rate_hz
            self._show_spec()
        self._show_curve()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._built_for = None
            self._family_label.setFixedWidth(scaled(LABEL_WIDTH))
            self._show_spec()
            self._show_curve()

    def _show_spec(self) -> None:
        spec = self._spec
        for part in (self._shapes, self._family_row, self._facts):
            part.setVisible(spec is not None and (part is not self._facts or not self._narrow))
        if spec is None:
            self._build(())
            return
        self._show_family(spec)
        self._build(tuple(knob for knob in spec.knobs() if knob.name != "band"))
        for row in self._rows:
            row.show_spec(spec, self._rate_hz)
        self._show_roll_off()

    def _show_family(self, spec: AbstractFilterSpec) -> None:
        shape = shape_of(spec)
        self._shapes.set_current(shape.name)
        families = shape.families if spec.family in shape.families else (*shape.families, spec.family)
        self._family_row.setVisible(len(families) > 1)
        if (families, type(spec)) != self._family_of:
            self._family_of = families, type(spec)
            known = [FAMILIES.get(name, type(spec)) for name in families]
            pairs = [(name, family.title) for name, family in zip(families, known, strict=True)]
            self._family.set_choices(pairs, [family.summary for family in known])
            self._family.setToolTip(f"{spec.title}: {spec.summary}")
        self._family.set_current(spec.family)

    def _build(self, knobs: tuple[Any, ...]) -> None:
        if knobs == self._built_for:
            return
        self._built_for = knobs
        for row in self._rows:
            self._form.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [row_for(knob) for knob in knobs]
        for row in self._rows:
            self._form.addWidget(row)
            row.show()  # at once, so that the dock knows how high the form is
            row.turned.connect(self._on_turned)
            row.escaped.connect(self.escaped)
            row.dragging.connect(self.dragging)

    def _curve(self) -> StageCurve | None:
        chain, stage = self._at
        frame = self._frame
        fits = frame is not None and frame.chain == chain and stage < len(frame.stages)
        return frame.stages[stage] if fits and frame is not None else None

    def _show_curve(self) -> None:
        curve = self._curve()
        self._facts.show_facts(() if curve is None else curve.facts)
        words = "" if curve is None else "\n".join(f"{caption}: {value}" for caption, value in curve.facts)
        self._shapes.setToolTip(words if self._narrow else "")
        self._show_rate()
        for row in self._rows:
            wrong = curve is not None and bool(curve.problem) and curve.problem_field == row.knob.name
            if wrong and curve is not None:
                row.show_problem(f"{capitalised(curve.problem).rstrip('.')}.")
            elif not any(field.is_wrong for field in row.fields()):
                row.show_problem("")

    def _show_rate(self) -> None:
        frame = self._frame
        sentence = "" if frame is None else rate_sentence(frame.rate_hz, frame.other_rates_hz)
        self.rate_note.setText(sentence)
        self.rate_note.setVisible(bool(sentence) and not self._narrow)

    def _show_roll_off(self) -> None:
        for row in self._rows:
            if isinstance(row, OrderRow):
                row.note.setText(self._roll_off())

    def _roll_off(self) -> str:
        spec = self._spec
        slope = _SLOPE_DB.get(spec.family) if spec is not None else None
        if spec is None or slope is None:
            return ""
        once = slope * int(getattr(spec, "order", 0))
        if self._phase != "zero":
            return f"{once} dB/octave"
        return f"{once} dB/octave, {2 * once} {'both ways' if self._narrow else 'with both passes'}"

    def _on_revert(self) -> None:
        self._dispatch(RevertToDesign(chain=self._at[0], stage=self._at[1]))

    def _on_shape(self, name: str) -> None:
        if self._spec is not None and name != shape_of(self._spec).name:
            shape = next(shape for shape in SHAPES if shape.name == name)
            self._replace(with_shape(self._spec, shape, self._rate_hz or FALLBACK_RATE_HZ))

    def _on_family(self, family: str) -> None:
        if self._spec is not None:
            self._replace(with_family(self._spec, family, self._rate_hz or FALLBACK_RATE_HZ))

    def _replace(self, spec: AbstractFilterSpec) -> None:
        if spec != self._spec:
            self._dispatch(ReplaceSpec(chain=self._at[0], stage=self._at[1], spec=spec))

    def _on_turned(self, name: str, value: Any, merge_key: str) -> None:
        chain, stage = self._at
        key = f"{merge_key}-{chain}-{stage}-{name}" if merge_key else None
        self._dispatch(TurnKnob(chain=chain, stage=stage, name=name, value=value, merge_key=key))
