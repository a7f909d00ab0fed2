"""Asks for the sampling rate of a recording whose file does not tell it. Nothing is assumed in its place."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.floating import Sheet
from jaxscope.gui.components.labels import Label, Paragraph
from jaxscope.gui.components.text_field import TextField

_USUAL = ("100", "250", "256", "500", "512", "1000", "44100")


class RateSheet(Sheet):
    """One field, in hertz."""

    #: (path, rate in Hz)
    answered = Signal(str, float)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, title="Sampling rate", width=520, height=268)
        self._path = ""
        self._words = Paragraph("", 13, "text2")
        self.field = TextField("Sampling rate", unit="Hz", width=130, height=30)
        self.field.setPlaceholderText("such as 250")
        self.field.returnPressed.connect(self._take)
        self.field.escaped.connect(self.close_floating)
        self.problem = Label("", 11, 400, "danger")
        self.open_button = Button("Open", "primary")
        self.open_button.clicked.connect(self._take)
        cancel = Button("Cancel", "quiet")
        cancel.clicked.connect(self.close_floating)
        row = QHBoxLayout()
        row.setContentsMargins(20, 8, 20, 0)
        row.setSpacing(6)
        row.addWidget(self.field)
        for rate in _USUAL[:5]:
            usual = Button(rate, "quiet", height=28, padding=6)
            usual.clicked.connect(lambda _=False, rate=rate: self.field.setText(rate))
            row.addWidget(usual)
        row.addStretch(1)
        words = QHBoxLayout()
        words.setContentsMargins(20, 16, 20, 0)
        words.addWidget(self._words)
        below = QHBoxLayout()
        below.setContentsMargins(20, 4, 20, 0)
        below.addWidget(self.problem)
        below.addStretch(1)
        for part in (words, row, below):
            self.body.addLayout(part)
        self.body.addStretch(1)
        self.footer.addStretch(1)
        self.footer.addWidget(cancel)
        self.footer.addWidget(self.open_button)

    def ask(self, path: str) -> None:
        """Ask for the rate of a recording."""
        self._path = path
        self._words.setText(f"{Path(path).name} does not tell how many samples there are in a second.")
        self._say("")
        self.open_sheet()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _take(self) -> None:
        text = self.field.text().strip().removesuffix("Hz").strip().replace(",", ".")
        try:
            rate_hz = float(text)
        except ValueError:
            self._say(f"“{text}” is not a number" if text else "Type a rate in hertz")
            return
        if not 0 < rate_hz < 1e9:
            self._say(f"{text} Hz is no sampling rate")
            return
        self.close_floating()
        self.answered.emit(self._path, rate_hz)

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.updateGeometry()
        self.field.set_wrong(wrong=bool(problem))
