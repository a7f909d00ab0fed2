"""The form of the limits of a chain: bands, their edges and decibels, and in words how the response keeps to each."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from jaxscope.compute.frames import DesignFrame, Outcome
from jaxscope.errors import SpecError, capitalised
from jaxscope.filters.expression import evaluate
from jaxscope.filters.limits import MOST_DB, Limit
from jaxscope.gui.components.buttons import Button, IconButton
from jaxscope.gui.components.floating import Popover
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.number_field import NumberField
from jaxscope.gui.components.numbers import NumberRange
from jaxscope.gui.views.base import AbstractView, Dispatch
from jaxscope.session.actions import SetLimits
from jaxscope.session.state import MOST_LIMITS, SessionState

_WIDTH = 452
_NOTHING = "A limit is drawn in the response; what fails is red, with the worst in words"


class _LimitRow(QWidget):
    """One limit: what it is, from, to, how many decibels, and the verdict."""

    def __init__(self, dispatch: Dispatch) -> None:
        super().__init__()
        self._dispatch = dispatch
        self._limits: tuple[Limit, ...] = ()
        self._number = 0
        self._rate_hz = 256.0
        self.kind = Label("", 12, 500)
        self.kind.setFixedWidth(70)
        hertz = NumberRange(low=0.0, step=0.02, log=True, digits=4)
        self.low = NumberField("From", span=hertz, unit="Hz", width=88)
        self.high = NumberField("To", span=hertz, unit="Hz", width=88)
        self.level = NumberField("Decibels", span=NumberRange(low=0.01, high=MOST_DB, step=0.5), unit="dB", width=80)
        self.words = Label("", 11, 400, "text3", shrink=True)
        self.remove = IconButton("x", "Remove this limit", size=26, icon_size=14)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for part in (self.kind, self.low, Label("to", 12, 400, "text2"), self.high, self.level, self.remove):
            row.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 4)
        column.setSpacing(3)
        column.addLayout(row)
        column.addWidget(self.words)
        for name, field in (("low_hz", self.low), ("high_hz", self.high), ("level_db", self.level)):
            field.set_reader(partial(self._read, field))
            field.set_check(partial(self._check, name))
            field.edited.connect(partial(self._edit, name))
            field.complained.connect(self._complain)
        self.remove.clicked.connect(self._remove)

    def show_limit(self, limits: tuple[Limit, ...], number: int, rate_hz: float) -> None:
        """Show one of the limits."""
        limit = limits[number]
        self._limits, self._number, self._rate_hz = limits, number, rate_hz
        self.kind.setText(capitalised(limit.title))
        self.low.show_value(limit.low_hz)
        self.high.show_value(rate_hz / 2 if limit.high_hz is None else limit.high_hz)
        self.level.show_value(limit.level_db)
        within = "Largest deviation from 0 dB" if limit.kind == "pass" else "Least attenuation"
        self.level.setToolTip(within)

    def show_words(self, words: str, token: str) -> None:
        """Say how the response keeps to it."""
        self.words.setText(words)
        self.words.set_token(token)

    def _read(self, _field: NumberField, text: str) -> float:
        return float(evaluate(text, rate_hz=self._rate_hz))

    def _with(self, name: str, value: float) -> Limit:
        return replace(self._limits[self._number], **{name: value})  # type: ignore[arg-type]

    def _check(self, name: str, value: float) -> str | None:
        try:
            self._with(name, value)
        except SpecError as error:
            return error.message
        return None

    def _complain(self, words: str) -> None:
        if words:
            self.show_words(words, "danger")

    def _edit(self, name: str, value: float, merge_key: str) -> None:
        changed = self._with(name, value)
        limits = (*self._limits[: self._number], changed, *self._limits[self._number + 1 :])
        self._dispatch(SetLimits(limits=limits, merge_key=merge_key))

    def _remove(self) -> None:
        self._dispatch(SetLimits(limits=self._limits[: self._number] + self._limits[self._number + 1 :]))


class LimitsPopover(Popover, AbstractView):
    """All limits of the chain that is looked at."""

    def __init__(self, window: QWidget, dispatch: Dispatch) -> None:
        super().__init__(window, name="Limits", width=_WIDTH)
        self._dispatch = dispatch
        self._state = SessionState()
        self._rate_hz = 256.0
        self._rows: list[_LimitRow] = []
        self._places: list[int] = []
        head = QHBoxLayout()
        head.addWidget(Label("Limits", 15, 600))
        head.addStretch(1)
        self.note = Label(_NOTHING, 12, 400, "text2", shrink=True)
        self._list = QVBoxLayout()
        self._list.setSpacing(2)
        self.add_pass = Button("Pass band", "plain", icon="plus", height=28, padding=8)
        self.add_stop = Button("Stop band", "plain", icon="plus", height=28, padding=8)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.add_pass)
        foot.addWidget(self.add_stop)
        foot.addStretch(1)
        inner = QVBoxLayout()
        inner.setContentsMargins(20, 14, 16, 16)
        inner.setSpacing(8)
        for part in (head, self._list, foot):
            inner.addLayout(part)
            if part is head:
                inner.addWidget(self.note)
        self.body.addLayout(inner)
        self.add_pass.clicked.connect(lambda: self._add("pass"))
        self.add_stop.clicked.connect(lambda: self._add("stop"))

    def rows(self) -> list[_LimitRow]:
        """Return the rows that are shown."""
        return self._rows[: len(self._places)]

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        self._state = state
        limits, chain = state.document.limits, state.viewport.active_chain
        self._places = [number for number, limit in enumerate(limits) if limit.chain == chain]
        while len(self._rows) < len(self._places):
            row = _LimitRow(self._dispatch)
            self._rows.append(row)
            self._list.addWidget(row)
        for row, place in zip(self._rows, self._places, strict=False):
            row.show_limit(limits, place, self._rate_hz)
        for number, row in enumerate(self._rows):
            row.setVisible(number < len(self._places))
        self.note.setVisible(not self._places)
        for button in (self.add_pass, self.add_stop):
            button.setEnabled(len(limits) < MOST_LIMITS and bool(state.document.chains))
        self.body.invalidate()
        self._place()

    def show_frame(self, outcome: Outcome) -> None:
        if not isinstance(outcome, DesignFrame) or outcome.chain != self._state.viewport.active_chain:
            return
        self._rate_hz = outcome.rate_hz
        verdicts = {verdict.limit: verdict for verdict in outcome.verdicts}
        limits = self._state.document.limits
        for row, place in zip(self._rows, self._places, strict=False):
            row.show_limit(limits, place, self._rate_hz)
            verdict = verdicts.get(limits[place])
            if verdict is None:
                row.show_words("This rate does not have the band", "text3")
            else:
                words = verdict.sentence().partition(": ")[2]
                row.show_words(capitalised(words), "ok" if verdict.is_kept else "danger")

    def _add(self, kind: str) -> None:
        """Add a band where one is likely: below an eighth of the rate passed, above a quarter of it stopped."""
        chain, nyquist_hz = self._state.viewport.active_chain, self._rate_hz / 2
        if kind == "pass":
            new = Limit(kind="pass", high_hz=float(f"{nyquist_hz / 4:.3g}"), level_db=3.0, chain=chain)
        else:
            new = Limit(kind="stop", low_hz=float(f"{nyquist_hz / 2:.3g}"), level_db=40.0, chain=chain)
        self._dispatch(SetLimits(limits=(*self._state.document.limits, new)))
        row = self.rows()[-1]
        row.low.setFocus(Qt.FocusReason.OtherFocusReason)
