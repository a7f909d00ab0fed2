"""A question over the window: a sentence, a hint, and two or three answers. It waits; nothing behind it is held up."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.floating import Sheet
from jaxscope.gui.components.labels import Paragraph

#: (label, kind of button, what it does); the last is the one that Enter presses
Answer = tuple[str, str, Callable[[], None]]


class QuestionSheet(Sheet):
    """Asks one thing.

    Parameters
    ----------
    window : QWidget
        The main window.
    title : str
    sentence, hint : str
        What has happened, and what follows.
    answers : sequence of Answer
    """

    def __init__(self, window: QWidget, *, title: str, sentence: str, hint: str, answers: tuple[Answer, ...]) -> None:
        super().__init__(window, title=title, width=520, height=232)
        self.sentence, self.hint = sentence, hint
        self.buttons: dict[str, Button] = {}
        self.setAccessibleDescription(f"{sentence}. {hint}")
        words = QVBoxLayout()
        words.setContentsMargins(20, 16, 20, 12)
        words.setSpacing(6)
        words.addWidget(Paragraph(sentence, 13, "text"))
        words.addWidget(Paragraph(hint, 12, "text2"))
        words.addStretch(1)
        self.body.addLayout(words)
        self.footer.addStretch(1)
        for label, kind, act in answers:
            button = Button(label, kind)  # type: ignore[arg-type]
            button.clicked.connect(lambda _=False, act=act: self._answer(act))
            self.buttons[label] = button
            self.footer.addWidget(button)
        self.closed.connect(self.deleteLater)

    def open_sheet(self) -> None:
        super().open_sheet()
        list(self.buttons.values())[-1].setFocus(Qt.FocusReason.PopupFocusReason)

    def _answer(self, act: Callable[[], None]) -> None:
        self.close_floating()
        act()
