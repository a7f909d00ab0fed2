"""How one channel is drawn, typed: its name, height, offset and colour. Everything that the rail lets one drag.

Each number is taken as it is typed and can be undone; the recording is never changed. The name is one for the screen:
filters, exports and chains go on knowing the channel by the name of its file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.floating import Sheet
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.number_field import NumberField
from jaxscope.gui.components.numbers import NumberRange
from jaxscope.gui.components.rows import keep_width
from jaxscope.gui.components.select import Select
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.theme import scaled
from jaxscope.gui.views.base import AbstractView, Dispatch
from jaxscope.session.actions import SetLook
from jaxscope.session.state import ChannelLook, SessionState

#: (token, words) of the colours that a channel may have; an empty token is the colour of its type.
COLOURS = (
    ("", "Colour of its type"),
    ("t1", "Blue"),
    ("t2", "Orange"),
    ("t3", "Green"),
    ("t4", "Pink"),
    ("t5", "Yellow"),
    ("t6", "Red"),
    ("t7", "Violet"),
    ("t8", "Cyan"),
)
LONGEST_NAME = 40
_LABEL = 84


class ChannelSheet(Sheet, AbstractView):
    """The look of one channel.

    Parameters
    ----------
    window : QWidget
        The main window.
    dispatch : callable
        Takes actions.
    state : callable
        Returns the state of now.
    """

    def __init__(self, window: QWidget, dispatch: Dispatch, state: Callable[[], SessionState]) -> None:
        super().__init__(window, title="Channel", width=440, height=340)
        self._dispatch = dispatch
        self._state = state
        self._name = ""
        self.name = TextField("Shown name", height=30)
        self.name.setMaxLength(LONGEST_NAME)
        self.gain = NumberField(
            "Height", span=NumberRange(low=1e-6, high=1e6, step=0.25, log=True), unit="×", width=110
        )
        self.offset = NumberField("Offset", span=NumberRange(low=-100.0, high=100.0, step=0.1), unit="rows", width=110)
        self.colour = Select("Colour", list(COLOURS), width=180)
        self.problem = Label("", 11, 400, "danger")
        self.note = Label("", 11, 400, "text3", shrink=True)
        self.usual = Button("As recorded", "quiet")
        self.close_button = Button("Close", "primary")
        self._lay_out()
        self._connect()

    def ask(self, name: str) -> None:
        """Open it for a channel, at its name."""
        self._name = name
        self.title.setText(name)
        self.note.setText(f"On the screen only: filters and exports say {name}")
        self._show()
        self.open_sheet()
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)
        self.name.selectAll()

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Follow undo and whatever else changes the channel meanwhile."""
        if self.isVisible() and state.document.looks != previous.document.looks:
            self._show()

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setContentsMargins(20, 16, 20, 8)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(8)
        for row, (words, field) in enumerate(
            (("Name", self.name), ("Height", self.gain), ("Offset", self.offset), ("Colour", self.colour))
        ):
            label = Label(words, 13, 400, "text2")
            keep_width(label, _LABEL)
            grid.addWidget(label, 2 * row, 0)
            is_wide = field is self.name
            side = Qt.AlignmentFlag(0) if is_wide else Qt.AlignmentFlag.AlignLeft
            grid.addWidget(field, 2 * row, 1, side)
            if is_wide:
                grid.addWidget(self.note, 1, 1)
        grid.setColumnStretch(1, 1)
        self.body.addLayout(grid)
        below = QHBoxLayout()
        below.setContentsMargins(20 + scaled(_LABEL) + 8, 0, 20, 0)
        below.addWidget(self.problem)
        below.addStretch(1)
        self.body.addLayout(below)
        self.body.addStretch(1)
        self.footer.addWidget(self.usual)
        self.footer.addStretch(1)
        self.footer.addWidget(self.close_button)

    def _connect(self) -> None:
        self.name.editingFinished.connect(self._take_name)
        self.name.returnPressed.connect(self.close_floating)
        self.gain.edited.connect(lambda value, key: self._change(key, gain=value))
        self.offset.edited.connect(lambda value, key: self._change(key, offset=value))
        self.colour.chosen.connect(lambda token: self._change(None, colour=token or None))
        self.usual.clicked.connect(lambda: self._change(None, gain=1.0, offset=0.0, colour=None, label=""))
        self.close_button.clicked.connect(self.close_floating)
        for field in (self.name, self.gain, self.offset):
            field.escaped.connect(self.close_floating)
        for number in (self.gain, self.offset):
            number.complained.connect(self.problem.setText)

    @property
    def _look(self) -> ChannelLook:
        return self._state().document.look_of(self._name)

    def _show(self) -> None:
        look = self._look
        if not self.name.holds_untaken_text:
            self.name.setText(look.label or self._name)
        self.gain.show_value(look.gain)
        self.offset.show_value(look.offset)
        self.colour.set_current(look.colour or "")

    def _take_name(self) -> None:
        label = self.name.text().strip()
        self._change(None, label="" if label == self._name else label)

    def _change(self, merge_key: str | None, **values: object) -> None:
        look = replace(self._look, **values)  # type: ignore[arg-type]
        if look != self._look:
            self._dispatch(SetLook(channel=self._name, look=look, merge_key=merge_key))
