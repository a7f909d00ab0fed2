"""The parts of the start screen: head, drop zone, rows of recordings, why something could not be opened.

Heights and places follow the text scale, so nothing is cut at 200 %.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from jaxscope.compute.frames import Failure
from jaxscope.errors import capitalised
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.labels import Icon, Label, Paragraph
from jaxscope.gui.components.painting import CENTRE, RIGHT, begin, draw_text, focus_ring, rounded, text_width
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.recent_cards import Card, paint_card
from jaxscope.gui.theme import colour, font, scaled, theme

_DROP_HEIGHT = 236
_ZONE_MARGIN = 24
_BETWEEN = 8
_APART = "   "
_ROW_HEIGHT = 60
_PICTURE_PX = 104


class Head(QWidget):
    """The sign, the name, and what the program is for."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(scaled(400), scaled(52))

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            paint_sign(painter, QPointF(0, scaled(6)), scaled(40))
            room = QRectF(scaled(56), scaled(4), self.width(), scaled(42))
            draw_text(painter, room, "jaxscope", font(28, 600))
            words = "Open a recording, shape the filter, watch the signal follow."
            taken = scaled(56) + text_width("jaxscope", font(28, 600)) + 40
            if self.width() > taken + text_width(words, font(14)):
                draw_text(painter, QRectF(0, scaled(4), self.width(), scaled(42)), words, font(14), "text2", RIGHT)


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


class DropZone(QWidget):
    """The dashed place in the middle."""

    open_asked = Signal()
    folder_asked = Signal()

    def __init__(self, formats: Sequence[str]) -> None:
        super().__init__()
        self._formats = tuple(formats)
        self._is_over = False
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._open = Button("Open file…", "primary", icon="folder-open", height=36, padding=16)
        self._open.setParent(self)
        self._open.clicked.connect(self.open_asked)
        self._folder = Button("Filter a folder…", "plain", icon="folder", height=36, padding=16)
        self._folder.setParent(self)
        self._folder.clicked.connect(self.folder_asked)
        theme().changed.connect(self._on_theme)

    def _on_theme(self) -> None:
        self.updateGeometry()
        self._place()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        lines = len(self.format_lines(width - 2 * _ZONE_MARGIN))
        return scaled(_DROP_HEIGHT - 38) + scaled(19) * max(2, lines)

    def sizeHint(self) -> QSize:
        return QSize(scaled(400), self.heightForWidth(self.width()))

    def set_over(self, *, over: bool) -> None:
        """Show that a file hovers over the window."""
        if over != self._is_over:
            self._is_over = over
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        sizes = [button.sizeHint() for button in (self._open, self._folder)]
        left = (self.width() - sum(size.width() for size in sizes) - scaled(_BETWEEN)) // 2
        for button, size in zip((self._open, self._folder), sizes, strict=True):
            button.setGeometry(left, scaled(124), size.width(), size.height())
            left += size.width() + scaled(_BETWEEN)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rect = QRectF(self.rect())
            rounded(painter, rect, 14, "after_bg" if self._is_over else "bar")
            dashes = QPen(colour("after" if self._is_over else "field"), 1.5)
            dashes.setDashPattern([5, 4])
            painter.setPen(dashes)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 14, 14)
            size = scaled(36)
            draw_icon(painter, "wave-sine", QRectF(rect.center().x() - size / 2, scaled(38), size, size), "after")
            words = "Drop to open" if self._is_over else "Drop a recording here"
            draw_text(painter, QRectF(0, scaled(82), rect.width(), scaled(28)), words, font(20, 600), "text", CENTRE)
            for row, line in enumerate(self.format_lines(rect.width() - 2 * _ZONE_MARGIN)):
                room = QRectF(0, scaled(178) + scaled(19) * row, rect.width(), scaled(20))
                draw_text(painter, room, line, font(12), "text3", CENTRE)

    def format_lines(self, width: float) -> list[str]:
        """Return the formats in as many lines as they need, of much the same length."""
        for per_line in range(len(self._formats), 0, -1):
            count = -(-len(self._formats) // per_line)
            even = -(-len(self._formats) // count)
            lines = [_APART.join(self._formats[at : at + even]) for at in range(0, len(self._formats), even)]
            if all(text_width(line, font(12)) <= width for line in lines):
                return lines
        return list(self._formats)


class FileRow(QAbstractButton):
    """A recording in a list: its picture or a sign, its name, what is known of it, when it was opened."""

    def __init__(self, name: str, facts: str, when: str, *, icon: str, card: Card | None = None) -> None:
        super().__init__()
        self._name, self._facts, self._when, self._icon, self._card = name, facts, when, icon, card
        self.setAccessibleName(", ".join(part for part in (name, facts, when) if part))
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def facts(self) -> str:
        """What is known of it."""
        return self._facts

    def show_missing(self, why: str) -> None:
        """Say that the recording is not there, and why; it cannot be opened then."""
        self._facts, self._icon = why, "plug-connected-x"
        self.setAccessibleName(f"{self._name}, {why}")
        self.setEnabled(False)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(300), scaled(_ROW_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(160), scaled(_ROW_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rect = QRectF(self.rect())
            is_over = self.underMouse() and self.isEnabled()
            if is_over:
                rounded(painter, rect.adjusted(0, 1, 0, -1), 8, "raised" if theme().is_dark else "hover")
            self._paint_picture(painter, rect, is_over=is_over)
            middle, left = rect.height() / 2, 8 + scaled(_PICTURE_PX) + 14
            elide = Qt.TextElideMode.ElideMiddle
            name_token = "text" if self.isEnabled() else "text3"
            when_width = text_width(self._when, font(12)) + 12
            high, low = scaled(20), scaled(17)
            name = QRectF(left, middle - high + 1, rect.width() - left - when_width - 12, high)
            draw_text(painter, name, self._name, font(13, 500), name_token, elide=elide)
            facts = QRectF(left, middle + 1, rect.width() - left - 12, low)
            draw_text(painter, facts, self._facts, font(12), "text3", elide=elide)
            when = QRectF(0, middle - high + 1, rect.width() - 12, high)
            draw_text(painter, when, self._when, font(12), "text3", RIGHT)
            if self.hasFocus():
                focus_ring(painter, rect, 8)

    def _paint_picture(self, painter: QPainter, rect: QRectF, *, is_over: bool) -> None:
        frame = QRectF(8, 8, scaled(_PICTURE_PX), rect.height() - 16)
        rounded(painter, frame, 6, "canvas" if is_over else "bar")
        if self._card is not None and self.isEnabled():
            paint_card(painter, self._card, frame.adjusted(6, 4, -6, -4), opacity=0.9)
            return
        size = scaled(20)
        spot = QRectF(frame.center().x() - size / 2, frame.center().y() - size / 2, size, size)
        draw_icon(painter, self._icon, spot, "after" if self.isEnabled() else "text3")


class RecentRow(QWidget):
    """A recent recording; one that is not there any more offers to find it."""

    find_asked = Signal()

    def __init__(self, row: FileRow) -> None:
        super().__init__()
        self.row = row
        self.find_button = Button("Find…", "quiet", height=28, padding=10)
        self.find_button.hide()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(row, 1)
        layout.addWidget(self.find_button)
        self.find_button.clicked.connect(self.find_asked)

    def show_missing(self, why: str) -> None:
        """Say why the recording is not there, and offer to find it."""
        self.row.show_missing(why)
        self.find_button.setAccessibleName(f"Find {self.row.accessibleName().partition(',')[0]}")
        self.find_button.show()


class ErrorCard(QWidget):
    """Why a recording could not be opened, and what to do."""

    #: open a file of no known format as raw numbers
    raw_asked = Signal(str)

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
            hint = capitalised(failure.hint)
            column.addWidget(Paragraph(f"{hint}." if not hint.endswith((".", "?")) else hint, 13, "text2"))
        self._details = Paragraph(failure.details, 11, "text2")
        self._details.hide()
        column.addWidget(self._details)
        row.addLayout(column, 1)
        if failure.details:
            button = Button("Details", "quiet")
            button.clicked.connect(lambda: self._details.setVisible(self._details.isHidden()))
            row.addWidget(button)
        if failure.unknown is not None:
            path = failure.unknown
            raw = Button("Open as raw numbers…", "plain")
            raw.clicked.connect(lambda: self.raw_asked.emit(path))
            row.addWidget(raw, alignment=Qt.AlignmentFlag.AlignTop)
        self.setAccessibleName(failure.sentence)
        self.setAccessibleDescription(failure.hint)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rounded(painter, QRectF(self.rect()).adjusted(0, 0, 0, -self._BELOW), 10, "danger_bg")
