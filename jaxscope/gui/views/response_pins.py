"""The list of pinned chains: keep the chain as it is now, choose which one is compared with, name it, put it back."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QRadioButton, QVBoxLayout, QWidget

from jaxscope.filters.shapes import name_of_chain
from jaxscope.gui.components.buttons import Button, IconButton
from jaxscope.gui.components.floating import Popover
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.painting import begin, disc
from jaxscope.gui.components.switch import Switch
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.key_tips import KeyTip
from jaxscope.gui.theme import scaled
from jaxscope.gui.views.base import AbstractView, Dispatch
from jaxscope.session.actions import ChoosePin, PinChain, RemovePin, RenamePin, ShowPin, UsePin
from jaxscope.session.state import CHAIN_TAGS, MOST_PINS, SessionState

_WIDTH = 470
_NOTHING = "Nothing is pinned. A pin keeps the chain as it is now, to compare with"


class _Choice(QRadioButton):
    """The round mark of the pin that is compared with."""

    def sizeHint(self) -> QSize:
        return QSize(scaled(24), scaled(24))

    def hitButton(self, position) -> bool:
        return self.rect().contains(position)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            middle, on = QPointF(self.width() / 2, self.height() / 2), self.isChecked()
            disc(painter, middle, 7, None, "after" if on else "field", 1.6)
            if on:
                disc(painter, middle, 3.5, "after")
            if self.hasFocus():
                disc(painter, middle, 10, None, "focus", 2)


class _PinRow(QWidget):
    """One pin."""

    def __init__(self, dispatch: Dispatch, number: int) -> None:
        super().__init__()
        self.choice = _Choice()
        self.choice.setAutoExclusive(False)
        self.name = TextField("Name", height=28)
        self.tag = Label("", 11, 400, "text3")
        self.use = Button("Put back", "plain", height=26, padding=8)
        self.use.setToolTip("The stages of the pin take the place of the chain's; undo brings them back")
        self.remove = IconButton("x", "Remove this pin", size=26, icon_size=14)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 0, 2)
        row.setSpacing(8)
        for part in (self.choice, self.name, self.tag, self.use, self.remove):
            row.addWidget(part, 1 if part is self.name else 0)
        self.choice.clicked.connect(lambda: dispatch(ChoosePin(pin=number)))
        # on every letter: the end of editing may come while this row is hidden, in the middle of showing a state
        key = f"pin-name-{number}"
        self.name.textEdited.connect(lambda text: dispatch(RenamePin(pin=number, name=text.strip(), merge_key=key)))
        self.use.clicked.connect(lambda: dispatch(UsePin(pin=number)))
        self.remove.clicked.connect(lambda: dispatch(RemovePin(pin=number)))


class PinsPopover(Popover, AbstractView):
    """All pins of the document."""

    def __init__(self, window: QWidget, dispatch: Dispatch) -> None:
        super().__init__(window, name="Pinned chains", width=_WIDTH)
        self._dispatch = dispatch
        self._state = SessionState()
        self._rows: list[_PinRow] = []
        self.on_traces = Switch("On the traces", label="On the traces", width=28, height=16)
        KeyTip(self.on_traces, "Show the pinned chain in place of its own", ("traces", "pinned chain or own one"))
        self.note = Label(_NOTHING, 12, 400, "text2", shrink=True)
        self.pin = Button("Pin this chain", "plain", icon="plus", height=28, padding=8)
        KeyTip(self.pin, "Keep the chain as it is now", ("traces", "pin this chain"))
        head, foot = QHBoxLayout(), QHBoxLayout()
        for row, parts in (
            (head, (Label("Pinned chains", 15, 600), None, self.on_traces)),
            (foot, (self.pin, None)),
        ):
            for part in parts:
                if part is None:
                    row.addStretch(1)
                else:
                    row.addWidget(part)
        self._list = QVBoxLayout()
        self._list.setSpacing(2)
        inner = QVBoxLayout()
        inner.setContentsMargins(20, 14, 16, 16)
        inner.setSpacing(8)
        inner.addLayout(head)
        inner.addWidget(self.note)
        inner.addLayout(self._list)
        inner.addLayout(foot)
        self.body.addLayout(inner)
        self.pin.clicked.connect(self._pin)
        self.on_traces.clicked.connect(lambda on: self._dispatch(ShowPin(on=on)))

    def rows(self) -> list[_PinRow]:
        """Return the rows that are shown."""
        return self._rows[: len(self._state.document.pins)]

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        self._state = state
        pins, chains = state.document.pins, state.document.chains
        while len(self._rows) < len(pins):
            row = _PinRow(self._dispatch, len(self._rows))
            self._rows.append(row)
            self._list.addWidget(row)
        for number, row in enumerate(self._rows):
            row.setVisible(number < len(pins))
        for number, (row, pin) in enumerate(zip(self._rows, pins, strict=False)):
            row.choice.setChecked(number == state.viewport.chosen_pin)
            row.choice.setAccessibleName(f"Compare with {pin.name}")
            if not row.name.hasFocus():
                row.name.setText(pin.name)
                row.name.setCursorPosition(0)
            row.tag.setText(f"chain {CHAIN_TAGS[pin.at : pin.at + 1]}" if len(chains) > 1 else "")
            row.use.setEnabled(pin.at < len(chains))
        self.on_traces.setEnabled(bool(pins))
        self.on_traces.setChecked(state.viewport.shows_pin)
        self.note.setVisible(not pins)
        self.pin.setEnabled(bool(chains) and len(pins) < MOST_PINS)
        self.body.invalidate()
        self._place()

    def _pin(self) -> None:
        at, chains = self._state.viewport.active_chain, self._state.document.chains
        if at < len(chains):
            self._dispatch(PinChain(chain=at, name=name_of_chain(chains[at])))
            self.rows()[-1].name.setFocus(Qt.FocusReason.OtherFocusReason)
