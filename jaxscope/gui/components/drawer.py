"""What the drawers under the traces have in common: a bar with a line over it, as high as the window allows."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from jaxscope.gui.components.painting import begin, hairline
from jaxscope.gui.theme import colour, scaled


class Drawer(QWidget):
    """A drawer; in windows lower than ``TALL_PX`` it is lower too, and large text never lets it take the traces' place.

    ``rows_below`` is how many rows of controls stand under its head where it is narrow.
    """

    LOW, HIGH = 318, 372
    TALL_PX = 860
    #: the most of a window that it takes, and the least that it needs at text scale 1
    MOST_SHARE, LEAST = 0.42, 180
    ROW = 46
    rows_below = 0

    def fit_window(self, window_px: int) -> None:
        """Take the height that a window of some height leaves."""
        usual = scaled(self.HIGH if window_px >= self.TALL_PX else self.LOW)
        most = max(scaled(self.LEAST), round(window_px * self.MOST_SHARE))
        self.setFixedHeight(min(usual, most) + self.rows_below * scaled(self.ROW))

    def sizeHint(self) -> QSize:
        return QSize(900, self.height())

    def minimumSizeHint(self) -> QSize:
        # narrow windows shorten the words, never the window's own least width
        return QSize(0, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            painter.fillRect(QRectF(self.rect()), colour("bar"))
            hairline(painter, 0, 0, self.width())
