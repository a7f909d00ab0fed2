"""What is seen before anything is open: a place to drop a recording, recent ones, the demonstration.

It lists only what exists: formats come from the readers' table, recent recordings from the preferences, and one that is
not there any more says why. A file that could not be opened is explained over the drop zone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import ceil
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QLayout, QSizePolicy, QVBoxLayout, QWidget

from jaxscope.compute.frames import Failure
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.labels import Icon, Label, Paragraph
from jaxscope.gui.components.painting import CENTRE, RIGHT, begin, draw_text, focus_ring, rounded, text_width
from jaxscope.gui.components.rows import ScaledRow
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.theme import colour, font, theme

_WIDTH = 1120
_DROP_HEIGHT = 236
_ZONE_MARGIN = 24
_APART = "   "
_HEADING_HEIGHT = 26
_ROW_HEIGHT = 60
_MOST_RECENT = 4


class _Head(QWidget):
    """The sign, the name, and what the program is for."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(52)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin(self)
        paint_sign(painter, QPointF(0, 6), 40)
        draw_text(painter, QRectF(56, 4, 400, 42), "jaxscope", font(28, 600))
        words = "Open a recording, shape the filter, watch the signal follow."
        if self.width() > 700:
            draw_text(painter, QRectF(0, 4, self.width(), 42), words, font(14), "text2", RIGHT)
        painter.end()


def paint_sign(painter: QPainter, corner: QPointF, size: float) -> None:
    """Paint the sign: a rough sand wave that turns into a smooth blue one."""
    share = np.linspace(0, 1, 80)
    smooth = corner.y() + size / 2 - size * 0.30 * np.sin(share * 2 * np.pi * 1.5)
    rough = smooth + size * 0.16 * np.sin(share * 60) * (share < 0.52)
    for values, part, token, width in (
        (rough, share <= 0.5, "before", 2.2),
        (smooth, share >= 0.48, "after", 2.6),
    ):
        stroke = QPen(colour(token), width)
        stroke.setCapStyle(Qt.PenCapStyle.RoundCap)
        stroke.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(stroke)
        points = [QPointF(corner.x() + x * size, y) for x, y in zip(share[part], values[part], strict=True)]
        painter.drawPolyline(QPolygonF(points))


class _DropZone(QWidget):
    """The dashed place in the middle."""

    open_asked = Signal()

    def __init__(self, formats: Sequence[str]) -> None:
        super().__init__()
        self._formats = tuple(formats)
        self._is_over = False
        self.setFixedHeight(_DROP_HEIGHT)
        self._open = Button("Open file…", "primary", icon="folder-open", height=36, padding=16)
        self._open.setParent(self)
        self._open.clicked.connect(self.open_asked)

    def set_over(self, *, over: bool) -> None:
        """Show that a file hovers over the window."""
        if over != self._is_over:
            self._is_over = over
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        size = self._open.sizeHint()
        self._open.setGeometry((self.width() - size.width()) // 2, 124, size.width(), size.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin(self)
        rect = QRectF(self.rect())
        rounded(painter, rect, 14, "after_bg" if self._is_over else "bar")
        dashes = QPen(colour("after" if self._is_over else "field"), 1.5)
        dashes.setDashPattern([5, 4])
        painter.setPen(dashes)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 14, 14)
        draw_icon(painter, "wave-sine", QRectF(rect.center().x() - 18, 38, 36, 36), "after")
        words = "Drop to open" if self._is_over else "Drop a recording here"
        draw_text(painter, QRectF(0, 82, rect.width(), 28), words, font(20, 600), "text", CENTRE)
        for row, line in enumerate(self.format_lines(rect.width() - 2 * _ZONE_MARGIN)):
            draw_text(painter, QRectF(0, 178 + 19 * row, rect.width(), 20), line, font(12), "text3", CENTRE)
        painter.end()

    def format_lines(self, width: float) -> list[str]:
        """Return the formats in as many lines as they need, of much the same length."""
        whole = text_width(_APART.join(self._formats), font(12))
        count = max(1, ceil(whole / max(1.0, width)))
        per_line = -(-len(self._formats) // count)
        return [_APART.join(self._formats[at : at + per_line]) for at in range(0, len(self._formats), per_line)]


class _FileRow(QAbstractButton):
    """A recording in a list: a sign, its name, what is known of it."""

    def __init__(self, name: str, facts: str, when: str, *, icon: str, enabled: bool = True) -> None:
        super().__init__()
        self._name, self._facts, self._when, self._icon = name, facts, when, icon
        self.setFixedHeight(_ROW_HEIGHT)
        self.setEnabled(enabled)
        self.setAccessibleName(f"{name}, {facts}")
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(400, _ROW_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin(self)
        rect = QRectF(self.rect())
        is_over = self.underMouse() and self.isEnabled()
        if is_over:
            rounded(painter, rect.adjusted(0, 1, 0, -1), 8, "raised" if theme().is_dark else "hover")
        middle = rect.height() / 2
        rounded(painter, QRectF(8, 8, 56, rect.height() - 16), 6, "canvas" if is_over else "bar")
        token = "after" if self.isEnabled() else "text3"
        draw_icon(painter, self._icon, QRectF(26, middle - 10, 20, 20), token)
        elide = Qt.TextElideMode.ElideMiddle
        room = rect.width() - 78 - 100
        name_token = "text" if self.isEnabled() else "text3"
        draw_text(painter, QRectF(78, middle - 19, room, 20), self._name, font(13, 500), name_token, elide=elide)
        draw_text(painter, QRectF(78, middle + 1, rect.width() - 90, 17), self._facts, font(12), "text3", elide=elide)
        draw_text(painter, QRectF(0, middle - 19, rect.width() - 12, 20), self._when, font(12), "text3", RIGHT)
        if self.hasFocus():
            focus_ring(painter, rect, 8)
        painter.end()


class _ErrorCard(QWidget):
    """Why a recording could not be opened, and what to do."""

    _BELOW = 16

    def __init__(self, failure: Failure) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 14, 14, 14 + self._BELOW)
        row.setSpacing(14)
        row.addWidget(Icon("file-alert", "danger", size=22), alignment=Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout()
        column.setSpacing(4)
        title = Label(failure.sentence, 14, 600, shrink=True)
        column.addWidget(title)
        if failure.hint:
            hint = failure.hint[:1].upper() + failure.hint[1:]
            column.addWidget(Paragraph(f"{hint}." if not hint.endswith((".", "?")) else hint, 13, "text2"))
        self._details = Paragraph(failure.details, 11, "text2")
        self._details.hide()
        column.addWidget(self._details)
        row.addLayout(column, 1)
        if failure.details:
            button = Button("Details", "quiet")
            button.clicked.connect(lambda: self._details.setVisible(self._details.isHidden()))
            row.addWidget(button)
        self.setAccessibleName(failure.sentence)
        self.setAccessibleDescription(failure.hint)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin(self)
        rounded(painter, QRectF(self.rect()).adjusted(0, 0, 0, -self._BELOW), 10, "danger_bg")
        painter.end()


class StartScreen(QWidget):
    """The start screen.

    Parameters
    ----------
    formats : sequence of str
        Formats that can be opened, in words.
    """

    open_asked = Signal()
    #: a recording was chosen
    chosen = Signal(str)
    demo_asked = Signal()
    clear_recent_asked = Signal()

    def __init__(self, formats: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Start")
        self._error: _ErrorCard | None = None
        self._inner = QWidget(self)
        self._column = QVBoxLayout(self._inner)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(_Head())
        self._column.addSpacing(20)
        self._zone = _DropZone(formats)
        self._zone.open_asked.connect(self.open_asked)
        self._column.addWidget(self._zone)
        self._column.addSpacing(36)
        lists = QHBoxLayout()
        lists.setSpacing(40)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        self._demos = QVBoxLayout()
        self._demos.setSpacing(0)
        lists.addLayout(self._recent, 1)
        lists.addLayout(self._demos, 1)
        self._column.addLayout(lists)
        self._fill_demos()
        self.show_recent(())
        theme().changed.connect(self.update)

    def show_recent(self, paths: Sequence[str]) -> None:
        """List recordings that were opened before."""
        _clear(self._recent)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(Label("Recent", 12, 600))
        head.addStretch(1)
        if paths:
            clear = Button("Clear", "quiet", height=26, padding=6)
            clear.clicked.connect(self.clear_recent_asked)
            head.addWidget(clear)
        self._recent.addWidget(_heading_row(head))
        self._recent.addSpacing(4)
        if not paths:
            self._recent.addSpacing(4)
            self._recent.addWidget(Label("Recordings you open will be listed here", 12, 400, "text3"))
        for path in paths[:_MOST_RECENT]:
            self._recent.addWidget(self._recent_row(path))
        self._recent.addStretch(1)
        self._place()

    def show_failure(self, failure: Failure | None) -> None:
        """Explain over the drop zone why something could not be opened; None takes it away."""
        if self._error is not None:
            self._column.removeWidget(self._error)
            self._error.hide()
            self._error.deleteLater()
            self._error = None
        if failure is not None:
            self._error = _ErrorCard(failure)
            self._column.insertWidget(2, self._error)
            self._error.show()
        self._place()

    @property
    def failure_words(self) -> str:
        """What is explained over the drop zone; empty where nothing is."""
        return "" if self._error is None else self._error.accessibleName()

    def set_over(self, *, over: bool) -> None:
        """Show that a file hovers over the window."""
        self._zone.set_over(over=over)

    def _fill_demos(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(Label("Demonstration", 12, 600))
        head.addStretch(1)
        head.addWidget(Label("included, no download", 11, 400, "text3"))
        self._demos.addWidget(_heading_row(head))
        self._demos.addSpacing(4)
        row = _FileRow("EEG, eyes closed", "hum, blinks, drift; 24 channels", "", icon="wave-sine")
        row.clicked.connect(self.demo_asked)
        self._demos.addWidget(row)
        self._demos.addStretch(1)

    def _recent_row(self, path: str) -> QWidget:
        file = Path(path)
        folder = str(file.parent)
        try:
            when = datetime.fromtimestamp(file.stat().st_mtime).strftime("%-d %b %Y")
        except OSError:
            is_away = not file.parent.exists()
            why = "On a disk that is not connected, or moved" if is_away else "Moved or deleted"
            return _FileRow(file.name, why, "", icon="plug-connected-x", enabled=False)
        row = _FileRow(file.name, folder, when, icon="file-text")
        row.setToolTip(path)
        row.clicked.connect(lambda: self.chosen.emit(path))
        return row

    def _place(self) -> None:
        width = min(_WIDTH, max(320, self.width() - 48))
        self._inner.setFixedWidth(width)
        self._inner.layout().activate()
        height = max(self._inner.sizeHint().height(), self._inner.heightForWidth(width))
        top = max(12, (self.height() - height) // 2)
        self._inner.setGeometry((self.width() - width) // 2, top, width, height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin(self)
        painter.fillRect(self.rect(), colour("canvas"))
        painter.end()


def _heading_row(head: QHBoxLayout) -> QWidget:
    """Return the heading of a list: as high with a button in it as without, so that lists side by side begin alike."""
    return ScaledRow(head, _HEADING_HEIGHT)


def _clear(layout: QLayout) -> None:
    """Remove everything from a layout."""
    while layout.count():
        item = layout.takeAt(0)
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        elif inner is not None:
            _clear(inner)
