"""What is left of the dock in a window under 1200 px: a strip of icons that opens it over the traces."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jaxscope.gui.components.buttons import IconButton
from jaxscope.gui.components.painting import begin, hairline
from jaxscope.gui.key_tips import KeyTip
from jaxscope.gui.theme import colour, scaled

WIDTH_PX = 44
#: (part, icon, tooltip, what of the table of keys shows it)
_PARTS = (
    ("chain", "chain", "Chain of stages", ()),
    ("face", "table", "Design and coefficients of the stage", ("Design face", "Coefficients face")),
    ("response", "response", "Response", ()),
)


class FoldStrip(QWidget):
    """Three icons, one for each part of the dock."""

    #: the part that was asked for
    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Filter, folded")
        self.setFixedWidth(scaled(WIDTH_PX))
        self._buttons: dict[str, IconButton] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 10, 6, 10)
        column.setSpacing(6)
        for part, icon, tip, faces in _PARTS:
            button = IconButton(icon, tip)
            rows = [("anywhere", face) for face in faces]
            KeyTip(button, tip, *rows, write=button.set_tip)
            button.setCheckable(True)
            button.clicked.connect(lambda _=False, part=part: self.asked.emit(part))
            self._buttons[part] = button
            column.addWidget(button)
        column.addStretch(1)

    def sizeHint(self) -> QSize:
        return QSize(scaled(WIDTH_PX), scaled(400))

    def button(self, part: str) -> IconButton:
        """Return the button of a part."""
        return self._buttons[part]

    def show_open(self, part: str | None) -> None:
        """Mark the part that is open over the traces; None marks none."""
        for name, button in self._buttons.items():
            button.setChecked(name == part)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            painter.fillRect(self.rect(), colour("panel"))
            hairline(painter, 0, 0, self.height(), upright=True)
