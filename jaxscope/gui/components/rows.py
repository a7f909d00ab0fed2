"""Heights of rows and widths of columns that follow the text scale while the window is open."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSize
from PySide6.QtWidgets import QLabel, QLayout, QSizePolicy, QWidget

from jaxscope.gui.theme import scaled, theme


class ScaledRow(QWidget):
    """A widget around a layout, as high as ``height`` at text scale 1."""

    def __init__(self, layout: QLayout, height: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._height = height
        self.setLayout(layout)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(self.layout().sizeHint().width(), scaled(self._height))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.layout().minimumSize().width(), scaled(self._height))


class _Width(QObject):
    """Keeps a part as wide as the text wants it; goes with the part."""

    def __init__(self, part: QWidget, px: int) -> None:
        super().__init__(part)
        self._part, self._px = part, px
        theme().changed.connect(self.fit)
        self.fit()

    def fit(self) -> None:
        """Give the part its width in the text scale of now, a label never less than its words take."""
        least = self._part.sizeHint().width() if isinstance(self._part, QLabel) else 0
        self._part.setFixedWidth(max(scaled(self._px), least))


def keep_width(part: QWidget, px: int) -> None:
    """Let a part be ``px`` wide at text scale 1, and follow the text from then on."""
    _Width(part, px)
