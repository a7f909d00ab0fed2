"""Words in the design's roles: labels that elide, paragraphs that wrap, chips, key caps, notes.

They read colours while painting, so a change of theme needs no new text. An elided label shows everything in its
tooltip.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from jaxscope.gui.components.painting import CENTRE, LEFT, begin, draw_text, hairline, rounded, text_width
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.theme import colour, font, scaled


class Label(QLabel):
    """One line of text, elided in the middle where it does not fit.

    Parameters
    ----------
    px, weight : number
        Size and weight of the role, at text scale 1.
    token : str
        Colour.
    mono : bool
        JetBrains Mono.
    shrink : bool
        Whether the label may become narrower than its text.
    width : int or None
        Width at text scale 1, for labels that stand in a column; None goes by the text.
    """

    def __init__(
        self,
        text: str = "",
        px: float = 13,
        weight: int = 400,
        token: str = "text",
        *,
        align: Qt.AlignmentFlag = LEFT,
        mono: bool = False,
        shrink: bool = False,
        width: int | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self._px = px
        self._width = width
        self._weight = weight
        self._token = token
        self._align = align
        self._mono = mono
        self._shrink = shrink
        horizontal = QSizePolicy.Policy.Preferred if shrink else QSizePolicy.Policy.Fixed
        self.setSizePolicy(horizontal, QSizePolicy.Policy.Fixed)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def set_token(self, token: str) -> None:
        """Change the colour."""
        if token != self._token:
            self._token = token
            self.update()

    def sizeHint(self) -> QSize:
        with_font = font(self._px, self._weight, mono=self._mono)
        width = scaled(self._width) if self._width is not None else int(text_width(self.text(), with_font)) + 2
        return QSize(width, scaled(round(self._px * 1.45)))

    def minimumSizeHint(self) -> QSize:
        size = self.sizeHint()
        return QSize(min(size.width(), 24), size.height()) if self._shrink else size

    def paintEvent(self, event: QPaintEvent) -> None:
        with_font = font(self._px, self._weight, mono=self._mono)
        with begin(self) as painter:
            if not self.isEnabled():
                painter.setOpacity(0.5)
            middle = Qt.TextElideMode.ElideMiddle
            draw_text(painter, QRectF(self.rect()), self.text(), with_font, self._token, self._align, middle)
        if self._shrink:
            fits = text_width(self.text(), with_font) <= self.width() + 0.5
            if self.toolTip() in ("", self.text()):
                self.setToolTip("" if fits else self.text())


class Paragraph(QLabel):
    """Text that wraps, at the line height of its role."""

    def __init__(
        self, text: str = "", px: float = 12, token: str = "text2", *, weight: int = 400, parent: QWidget | None = None
    ) -> None:
        super().__init__(text, parent)
        self._px = px
        self._token = token
        self._weight = weight
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def set_token(self, token: str) -> None:
        """Change the colour."""
        self._token = token
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return max(1, len(self._lines(width))) * self._line_height()

    def sizeHint(self) -> QSize:
        width = self.width() if self.width() > 100 else scaled(300)
        return QSize(scaled(100), self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(60), self._line_height())

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            with_font = font(self._px, self._weight)
            for index, line in enumerate(self._lines(self.width())):
                rect = QRectF(0, index * self._line_height(), self.width(), self._line_height())
                draw_text(painter, rect, line, with_font, self._token)

    def _line_height(self) -> int:
        return scaled(round(self._px * 1.42))

    def _lines(self, width: int) -> list[str]:
        metrics = QFontMetricsF(font(self._px, self._weight))
        lines: list[str] = []
        for block in self.text().split("\n"):
            line = ""
            for word in block.split(" "):
                longer = f"{line} {word}" if line else word
                if line and metrics.horizontalAdvance(longer) > width:
                    lines.append(line)
                    line = word
                else:
                    line = longer
            lines.append(line)
        return lines


class Chip(QLabel):
    """A few words on a fill: ``Chip("fastest for this view", "ok")``.

    ``kind`` is ``plain``, ``after``, ``ok``, ``warn``, ``danger`` or ``diff``.
    """

    _HEIGHT = 20

    def __init__(
        self, text: str, kind: str = "plain", *, icon: str | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(text, parent)
        self._kind = kind
        self._icon = icon
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(
            round(text_width(self.text(), font(11, 500))) + 14 + (17 if self._icon else 0), scaled(self._HEIGHT)
        )

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            plain = self._kind == "plain"
            token = "text2" if plain else self._kind
            rect = QRectF(self.rect())
            rounded(painter, rect, 4, "hover" if plain else f"{self._kind}_bg")
            left = 7.0
            if self._icon:
                draw_icon(painter, self._icon, QRectF(6, rect.height() / 2 - 6.5, 13, 13), token)
                left = 23.0
            draw_text(painter, rect.adjusted(left, 0, 0, 0), self.text(), font(11, 500), token)


class KeyCap(QLabel):
    """A key as a cap: ``KeyCap("Ctrl K")``."""

    def __init__(self, text: str, *, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        height = scaled(18)
        return QSize(max(height, round(text_width(self.text(), font(11, 500))) + 10), height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rounded(painter, QRectF(self.rect()), 4, "hover", "line2")
            draw_text(painter, QRectF(self.rect()), self.text(), font(11, 500), "text2", CENTRE)


class Icon(QLabel):
    """An icon that is only looked at."""

    def __init__(self, name: str, token: str = "text2", *, size: int = 16, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._token = token
        self._size = size
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(scaled(self._size), scaled(self._size))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            draw_icon(painter, self._name, QRectF(self.rect()), self._token)


class Note(QWidget):
    """An icon and a sentence on a ``warn``, ``danger`` or ``ok`` ground."""

    def __init__(
        self, text: str, kind: str = "warn", *, icon: str = "alert-triangle", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._kind = kind
        self._words = Paragraph(text, 12, "text")
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 8, 10, 8)
        row.setSpacing(8)
        row.addWidget(Icon(icon, kind), alignment=Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._words, 1)

    def set_text(self, text: str) -> None:
        """Change the sentence."""
        self._words.setText(text)

    def text(self) -> str:
        """Return the sentence."""
        return self._words.text()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rounded(painter, QRectF(self.rect()), 6, f"{self._kind}_bg")


class Hairline(QWidget):
    """A line of one pixel, with margins at its ends."""

    def __init__(self, token: str = "line", *, margin: int = 0, above: int = 0, below: int = 0, parent=None) -> None:
        super().__init__(parent)
        self._token = token
        self._margin = margin
        self._above = above
        self.setFixedHeight(above + 1 + below)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            hairline(painter, self._margin, self._above, self.width() - 2 * self._margin, colour(self._token))
