"""Push buttons of four kinds, and icon buttons.

Clicking one does not take the keyboard focus (single-letter keys go on working in the traces); Tab reaches it, and the
ring then shows. Invariant: being busy or focused never changes the width.
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QToolButton, QWidget

from jaxscope.gui.components.painting import begin, busy_ring, draw_text, focus_ring, rounded, text_width
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.theme import colour, font, scaled, theme

ButtonKind = Literal["primary", "plain", "quiet", "danger", "link"]

#: kind to (text, fill, border, text while the pointer is over it)
_LOOKS: dict[str, tuple[str, str | None, str | None, str]] = {
    "primary": ("after_text", "after", None, "after_text"),
    "plain": ("text", "raised", "line2", "text"),
    "quiet": ("text2", None, None, "text"),
    "danger": ("danger", "danger_bg", None, "danger"),
    "link": ("after", None, None, "after"),
}
_ICON = 16


class Button(QPushButton):
    """A button with text, maybe an icon before it and a key after it.

    Parameters
    ----------
    text : str
        Label; also the accessible name.
    kind : {"primary", "plain", "quiet", "danger", "link"}
        One primary a surface.
    icon : str or None
        Name in the table of icons.
    key : str
        Keys shown after the label.
    height : int
        32, or 30 and 28 in rows, 36 for the large one.
    trailing : str or None
        Icon after the label, such as ``"chevron-down"``.
    """

    def __init__(
        self,
        text: str,
        kind: ButtonKind = "plain",
        *,
        icon: str | None = None,
        key: str = "",
        height: int = 32,
        padding: int = 12,
        trailing: str | None = None,
        px: float | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self._kind = kind
        self._icon = icon
        self._key = key
        self._height = height
        self._padding = padding
        self._trailing = trailing
        self._px = px if px is not None else 12 if height < 32 else 13
        self._turn = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(33)
        self._timer.timeout.connect(self._spin)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(text)

    @property
    def is_busy(self) -> bool:
        """Whether the button shows that its work is going on."""
        return self._timer.isActive()

    def set_busy(self, *, busy: bool) -> None:
        """Show the ring in place of the icon and refuse clicks, or stop that."""
        if busy:
            self._timer.start()
        else:
            self._timer.stop()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, busy)
        self.update()

    def set_words(self, text: str, icon: str) -> None:
        """Say something else, for what it does has changed."""
        self._icon = icon
        self.setText(text)
        self.setAccessibleName(text)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(round(self._content_width()) + 2 * scaled(self._padding), scaled(self._height))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.is_busy:
            self.click()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rect = QRectF(self.rect())
            if not self.isEnabled():
                painter.setOpacity(0.5)
            token = self._paint_ground(painter, rect)
            self._paint_content(painter, rect, token)
            if self.hasFocus():
                focus_ring(painter, rect)

    def _paint_ground(self, painter: QPainter, rect: QRectF) -> str:
        text, fill, border, over_text = _LOOKS[self._kind]
        over = (self.underMouse() or self.isDown()) and self.isEnabled()
        if self._kind == "primary":
            shade = colour("after").lighter(112 if theme().is_dark else 118) if over else colour("after")
            inner = rect.adjusted(4, 4, -4, -4) if self.hasFocus() else rect
            rounded(painter, inner, 4 if self.hasFocus() else 6, shade)
            return text
        if over:
            is_danger = self._kind == "danger"
            ground = "danger_bg" if is_danger else ("press" if self.isDown() else "hover")
            if self._kind != "link" or self.isDown():
                rounded(painter, rect, 6, ground, "danger" if is_danger else border)
            return over_text
        if fill is not None:
            rounded(painter, rect, 6, fill, border)
        return text

    def _paint_content(self, painter: QPainter, rect: QRectF, token: str) -> None:
        label = font(self._px, 500)
        left = (rect.width() - self._content_width()) / 2
        middle = rect.height() / 2
        if self.is_busy or self._icon:
            size = scaled(_ICON)
            spot = QRectF(left - 1, middle - size / 2, size, size)
            if self._icon:
                left += scaled(22)
            else:
                spot.moveCenter(rect.center())
            if self.is_busy:
                busy_ring(painter, spot, self._turn, token)
            else:
                draw_icon(painter, str(self._icon), spot, token)
        if self.is_busy and not self._icon:  # the ring has no room of its own and goes over the faded text
            painter.setOpacity(0.3)
        draw_text(painter, QRectF(left, 0, rect.width(), rect.height()), self.text(), label, token)
        left += text_width(self.text(), label)
        faint = token if self._kind == "primary" else "text3"
        if self._key:
            draw_text(painter, QRectF(left + 10, 0, rect.width(), rect.height()), self._key, font(11), faint)
            left += text_width(self._key, font(11)) + 10
        if self._trailing:
            draw_icon(painter, self._trailing, QRectF(left + 5, middle - 7, 14, 14), faint)

    def _content_width(self) -> float:
        width = text_width(self.text(), font(self._px, 500))
        width += scaled(22) if self._icon else 0
        width += text_width(self._key, font(11)) + 10 if self._key else 0
        return width + (18 if self._trailing else 0)

    def _spin(self) -> None:
        self._turn = (self._turn + 0.04) % 1
        self.update()


class IconButton(QToolButton):
    """A square button with an icon only; the tooltip says what it does, its first words are the accessible name.

    Parameters
    ----------
    icon : str
        Name in the table of icons.
    tip : str
        Tooltip, such as ``"Undo [Ctrl Z]"``.
    size : {32, 28}
        Side of the square.
    """

    def __init__(
        self, icon: str, tip: str, *, size: int = 32, icon_size: int = 18, token: str = "text2", parent=None
    ) -> None:
        super().__init__(parent)
        self._name = icon
        self._size = size
        self._icon_size = icon_size
        self._token = token
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_tip(tip)

    def set_tip(self, tip: str) -> None:
        """Change the tooltip and the accessible name with it."""
        self.setToolTip(tip)
        self.setAccessibleName(tip.partition(" [")[0].partition(": ")[0])
        self.setAccessibleDescription(tip)

    def set_icon_name(self, icon: str) -> None:
        """Show another icon."""
        self._name = icon
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(self._size), scaled(self._size))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rect = QRectF(self.rect())
            over = self.underMouse() and self.isEnabled()
            token = "text" if over else self._token
            if self.isChecked():
                rounded(painter, rect, 6, "after_bg")
                token = "after"
            elif over:
                rounded(painter, rect, 6, "press" if self.isDown() else "hover")
            side = scaled(self._icon_size)
            spot = QRectF((rect.width() - side) / 2, (rect.height() - side) / 2, side, side)
            draw_icon(painter, self._name, spot, token, opacity=1.0 if self.isEnabled() else 0.45)
            if self.hasFocus():
                focus_ring(painter, rect)
