"""What a chain does where a signal begins, ends or breaks off: start, continuation beyond the ends, gaps."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from jaxscope.data.bad_spans import bad_events
from jaxscope.errors import counted
from jaxscope.filters.spec import FilterChain, Padding
from jaxscope.gui.components.floating import Popover
from jaxscope.gui.components.labels import Label, Paragraph
from jaxscope.gui.components.number_field import NumberField
from jaxscope.gui.components.numbers import NumberRange
from jaxscope.gui.components.rows import ScaledRow
from jaxscope.gui.components.segmented import Segment, SegmentedControl
from jaxscope.gui.components.select import Select
from jaxscope.gui.components.switch import Switch
from jaxscope.gui.views.base import AbstractView, Dispatch
from jaxscope.session.actions import SetGaps, SetInitial, SetPadding
from jaxscope.session.actions_events import SetBadSpans
from jaxscope.session.state import SessionState

_WIDTH = 400
_LABEL = 96
_STARTS = (
    Segment(key="steady", label="Steady", tip="As if the first sample had always been there: no jump at the start"),
    Segment(key="rest", label="Rest", tip="From zero, as a device that is switched on: an offset makes a jump"),
)
_GAPS = (
    Segment(key="segment", label="Start anew", tip="Each part between gaps has its own start and end"),
    Segment(key="propagate", label="Run on", tip="Missing samples spread through the filter, as in SciPy"),
)
_BAD_SPANS = (
    Segment(key="keep", label="Filter", tip="What events mark as bad is filtered like the rest"),
    Segment(
        key="exclude",
        label="Leave out",
        tip="What events mark as bad is not filtered and missing in After; each good part has its own start and end",
    ),
)
_PADDINGS = (
    ("odd", "Odd, turned about the end"),
    ("even", "Even, mirrored"),
    ("constant", "Constant, the end held"),
    ("none", "None"),
    ("gustafsson", "Gustafsson, no padding"),
)
#: samples of padding where a person asks for a number and none was given
_USUAL_SAMPLES = 256


class EdgesPopover(Popover, AbstractView):
    """The choices of the active chain."""

    def __init__(self, window: QWidget, dispatch: Dispatch) -> None:
        super().__init__(window, name="Edges and gaps", width=_WIDTH)
        self._dispatch = dispatch
        self._at = 0
        self._n_bad = 0
        self._chain = FilterChain()
        self.start = SegmentedControl(_STARTS, name="Start", height=28, padding=12)
        self.padding = Select("Beyond the ends", _PADDINGS, width=220)
        self.by_rule = Switch("By SciPy's rule", label="By SciPy's rule", width=28, height=16)
        self.samples = NumberField(
            "Padding samples", span=NumberRange(low=0, high=10_000_000, step=16, whole=True), width=96
        )
        self.gaps = SegmentedControl(_GAPS, name="Gaps", height=28, padding=12)
        self.bad_spans = SegmentedControl(_BAD_SPANS, name="Bad spans", height=28, padding=12)
        self.bad_note = Paragraph("", 11, "text3")
        self.note = Paragraph("", 11, "text3")
        self._lay_out()
        self.start.chosen.connect(lambda key: self._dispatch(SetInitial(chain=self._at, initial=key)))
        self.gaps.chosen.connect(lambda key: self._dispatch(SetGaps(chain=self._at, gaps=key)))
        self.bad_spans.chosen.connect(lambda key: self._dispatch(SetBadSpans(policy=key)))
        self.padding.chosen.connect(lambda key: self._pad(replace(self._chain.padding, kind=key)))
        self.samples.edited.connect(self._on_samples)
        self.by_rule.clicked.connect(self._on_rule)

    def _lay_out(self) -> None:
        inner = QVBoxLayout()
        inner.setContentsMargins(20, 14, 20, 16)
        inner.setSpacing(6)
        inner.addWidget(Label("Edges and gaps", 15, 600))
        rows: tuple[tuple[str, tuple[QWidget, ...]], ...] = (
            ("Start", (self.start,)),
            ("Ends", (self.padding,)),
            ("Padding", (self.samples, self.by_rule)),
            ("Gaps", (self.gaps,)),
            ("Bad spans", (self.bad_spans,)),
        )
        for words, parts in rows:
            row = QHBoxLayout()
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(10)
            row.addWidget(Label(words, 13, 400, "text2", width=_LABEL))
            for part in parts:
                row.addWidget(part)
            row.addStretch(1)
            inner.addWidget(ScaledRow(row, 34))
        inner.addWidget(self.bad_note)
        inner.addWidget(self.note)
        self.body.addLayout(inner)

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        at, chains = state.viewport.active_chain, state.document.chains
        if at >= len(chains):
            return
        self._at, self._chain = at, chains[at]
        chain, is_zero = self._chain, self._chain.phase == "zero"
        self.start.set_current(chain.initial)
        self.start.setEnabled(not is_zero)
        self.padding.set_current(chain.padding.kind)
        pads = is_zero and chain.padding.kind not in ("none", "gustafsson")
        self.padding.setEnabled(is_zero)
        self.by_rule.setEnabled(pads)
        self.by_rule.setChecked(chain.padding.samples is None)
        self.samples.setEnabled(pads and chain.padding.samples is not None)
        self.samples.show_value(None if chain.padding.samples is None else float(chain.padding.samples))
        self.gaps.set_current(chain.gaps)
        self.bad_spans.set_current(state.document.bad_spans)
        if state.document.annotations is not previous.document.annotations or not self.bad_note.text():
            self._n_bad = len(bad_events(state.document.annotations))
        is_out = state.document.bad_spans == "exclude"
        self.gaps.setEnabled(not (is_out and self._n_bad))
        found = f"{counted(self._n_bad, 'bad span')} marked" if self._n_bad else "No bad span is marked"
        self.bad_note.setText(
            f"{found}: not filtered, missing in After and in what is exported; parts between start anew"
            if is_out
            else f"{found}: filtered like the rest, for all chains"
        )
        self.note.setText(
            "Both passes continue the signal beyond its ends; the start is for one pass"
            if is_zero
            else "One pass begins at the start; padding is for zero-phase"
        )

    def _pad(self, padding: Padding, merge_key: str | None = None) -> None:
        self._dispatch(SetPadding(chain=self._at, padding=padding, merge_key=merge_key))

    def _on_samples(self, value: float, merge_key: str) -> None:
        self._pad(replace(self._chain.padding, samples=int(value)), merge_key)

    def _on_rule(self, on: bool) -> None:  # noqa: FBT001
        self._pad(replace(self._chain.padding, samples=None if on else _USUAL_SAMPLES))
        if not on:
            self.samples.setFocus(Qt.FocusReason.OtherFocusReason)
