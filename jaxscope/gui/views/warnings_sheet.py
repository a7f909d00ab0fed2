"""Everything that had to be mended or assumed to open the recording, one sentence each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QWidget

from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.floating import Sheet
from jaxscope.gui.components.labels import Icon, Paragraph

#: More sentences than this are told by their number, and are in what is copied.
MOST_SHOWN = 10
_WIDTH, _MOST_HIGH = 720, 560
#: What the header, the footer and the air around the sentences take, and a sentence of two lines.
_FRAME, _LINE = 140, 48


class WarningsSheet(Sheet):
    """A list of sentences.

    Parameters
    ----------
    window : QWidget
        The main window.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, title="About this recording", width=_WIDTH, height=_MOST_HIGH)
        self._sentences: tuple[str, ...] = ()
        self._rows: list[QWidget] = []
        self.copy = Button("Copy all", icon="copy", height=28)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText("\n".join(self._sentences)))
        close = Button("Close", "primary")
        close.clicked.connect(self.close_floating)
        self.footer.addWidget(self.copy)
        self.footer.addStretch(1)
        self.footer.addWidget(close)

    @property
    def shown(self) -> tuple[str, ...]:
        """The sentences that are on the sheet."""
        return tuple(row.accessibleName() for row in self._rows)

    def show_sentences(self, sentences: Sequence[str]) -> None:
        """Open the sheet with these."""
        self._sentences = tuple(sentences)
        for row in self._rows:
            self.body.removeWidget(row)
            row.hide()
            row.deleteLater()
        while (item := self.body.takeAt(0)) is not None:
            del item
        more = len(self._sentences) - MOST_SHOWN
        shown = [
            *self._sentences[:MOST_SHOWN],
            *([f"And {more:,} more, which are copied with the others"] * (more > 0)),
        ]
        self._rows = [_row(sentence) for sentence in shown]
        for row in self._rows:
            self.body.addWidget(row)
        self.body.addStretch(1)
        self._size = (_WIDTH, min(_MOST_HIGH, _FRAME + _LINE * len(self._rows)))
        self.open_sheet()


def _row(sentence: str) -> QWidget:
    row = QWidget()
    row.setAccessibleName(sentence)
    line = QHBoxLayout(row)
    line.setContentsMargins(20, 10, 20, 0)
    line.setSpacing(10)
    line.addWidget(Icon("info-circle", "text3", size=16), alignment=Qt.AlignmentFlag.AlignTop)
    line.addWidget(Paragraph(sentence, 13, "text2"), 1)
    return row
