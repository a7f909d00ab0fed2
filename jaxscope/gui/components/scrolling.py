"""What scrolls up and down where it has too little height: pages of sheets, the bodies of popovers.

The page keeps its own height, so nothing in it is squeezed; it shows the ground that is behind it.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


def scrolling(page: QWidget) -> QScrollArea:
    """Return an area without a frame around ``page``, which is as wide as the area and scrolls up and down."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(page)
    area.viewport().setAutoFillBackground(False)
    page.setAutoFillBackground(False)  # which setWidget turns on
    return area


def scroll_to(part: QWidget) -> None:
    """Scroll every area that ``part`` stands in so that it is seen."""
    above = part.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(part)
        above = above.parentWidget()
