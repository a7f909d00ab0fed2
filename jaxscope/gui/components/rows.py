"""A row of fixed height that follows the text scale while the window is open."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLayout, QSizePolicy, QWidget

from jaxscope.gui.theme import scaled


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
