"""The small field that goes to a time: under the Window stepper, with the forms it reads and what is wrong with a text.

Enter goes there (the window begins at that time), the second button sets a cursor there, so that what can be dragged
can be typed.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from jaxscope.errors import JaxscopeError
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.floating import Popover
from jaxscope.gui.components.labels import Label, Paragraph
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.time_words import EXAMPLES


class GotoPopover(Popover):
    """Asks for a time.

    Parameters
    ----------
    window : QWidget
        The main window.
    read : callable
        From text to second; raises JaxscopeError with what is wrong.
    go, mark : callable
        Take a second: scroll there, set a cursor there.
    """

    def __init__(
        self,
        window: QWidget,
        read: Callable[[str], float],
        go: Callable[[float], None],
        mark: Callable[[float], None],
    ) -> None:
        super().__init__(window, name="Go to a time", width=340)
        self._read = read
        self._go = go
        self._mark = mark
        self.field = TextField("Time", height=30, icon="clock")
        self.field.setPlaceholderText("Time")
        self.problem = Paragraph("", 11, "danger")
        self.problem.hide()
        self.go_button = Button("Go", "primary", height=28)
        self.mark_button = Button("Set cursor", "plain", height=28)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.field, 1)
        row.addWidget(self.go_button)
        inner = QVBoxLayout()
        inner.setContentsMargins(16, 14, 16, 12)
        inner.setSpacing(8)
        inner.addWidget(Label("Go to a time", 13, 600))
        inner.addLayout(row)
        inner.addWidget(self.problem)
        inner.addWidget(Paragraph(EXAMPLES, 11, "text3"))
        foot = QHBoxLayout()
        foot.addWidget(self.mark_button)
        foot.addStretch(1)
        inner.addLayout(foot)
        self.body.addLayout(inner)
        self.field.returnPressed.connect(lambda: self._take(self._go))
        self.go_button.clicked.connect(lambda: self._take(self._go))
        self.mark_button.clicked.connect(lambda: self._take(self._mark))
        self.field.textEdited.connect(lambda _: self._say(""))
        self.field.escaped.connect(self.close_floating)

    def ask(self, anchor: QWidget, text: str) -> None:
        """Open it under a widget with a time in it."""
        self.field.setText(text)
        self._say("")
        self.open_under(anchor, gap=6)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.field.selectAll()

    def _take(self, use: Callable[[float], None]) -> None:
        try:
            second = self._read(self.field.text())
        except JaxscopeError as error:
            hint = f": {error.hint}" if error.hint else ""
            self._say(f"{error.message}{hint}.")
            return
        self.close_floating()
        use(second)

    def _say(self, problem: str) -> None:
        self.field.complain(problem, self.problem)
