"""The banner: one sentence about what is wrong, what is shown meanwhile, and one or two ways out.

It takes the place of the header strip at the same height, so that the traces never move. There is at most one; a worse
one replaces it, and it goes when its cause goes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from jaxscope.gui.components.buttons import Button, IconButton
from jaxscope.gui.components.painting import begin, draw_text, hairline, text_width
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.theme import colour, font, scaled, theme

_WORDS_LEFT = 42


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What a banner says. ``cause`` names why, so that it can be taken back; a higher ``rank`` is worse."""

    cause: str
    kind: str
    sentence: str
    hint: str = ""
    rank: int = 1
    #: (label, icon, what it does)
    actions: tuple[tuple[str, str | None, Callable[[], None]], ...] = ()
    can_close: bool = False


class Banner(QWidget):
    """Shows a notice in the place of the header strip."""

    def __init__(self, on_close: Callable[[], None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._on_close = on_close
        self._notice: Notice | None = None
        self._buttons: list[QWidget] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 6, 1)
        self._row.setSpacing(8)
        self._row.addStretch(1)
        self.setFixedHeight(scaled(36))
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(600, scaled(36))

    @property
    def notice(self) -> Notice | None:
        """What is shown."""
        return self._notice

    def show_notice(self, notice: Notice) -> None:
        """Show a notice."""
        self._notice = notice
        self.setAccessibleName(notice.sentence)
        self.setAccessibleDescription(notice.hint)
        for button in self._buttons:
            self._row.removeWidget(button)
            button.deleteLater()
        self._buttons = []
        for label, icon, action in notice.actions:
            button = Button(label, "plain", icon=icon, height=26, padding=9)
            button.clicked.connect(action)
            self._buttons.append(button)
        if notice.can_close:
            close = IconButton("x", "Close", size=26, icon_size=15)
            close.clicked.connect(self._on_close)
            self._buttons.append(close)
        for button in self._buttons:
            self._row.addWidget(button)
            button.show()
        self._row.activate()
        self.update()

    def event(self, event: QEvent) -> bool:
        taken = super().event(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            # the words end where the buttons begin, and Qt paints again only what a button has left or come to
            self.update()
        return taken

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._notice is None:
            return
        with begin(self) as painter:
            notice = self._notice
            painter.fillRect(self.rect(), colour(f"{notice.kind}_bg"))
            hairline(painter, 0, self.height() - 1, self.width())
            icon = "alert-triangle" if notice.kind in ("danger", "warn") else "info-circle"
            draw_icon(painter, icon, QRectF(14, self.height() / 2 - 9, 18, 18), notice.kind)
            right = min((button.x() for button in self._buttons), default=self.width()) - 10
            words = font(13, 600)
            elide = Qt.TextElideMode.ElideRight
            sentence = notice.sentence if notice.sentence.endswith((".", "?")) else f"{notice.sentence}."
            width = min(text_width(sentence, words) + 1, max(0, right - _WORDS_LEFT))
            draw_text(painter, QRectF(_WORDS_LEFT, 0, width, self.height()), sentence, words, "text", elide=elide)
            rest = QRectF(_WORDS_LEFT + width + 10, 0, right - _WORDS_LEFT - width - 10, self.height())
            if notice.hint and rest.width() > 40:
                hint = notice.hint if notice.hint.endswith((".", "?")) else f"{notice.hint}."
                draw_text(painter, rest, hint, font(12), "text2", elide=elide)
        self.setToolTip(f"{notice.sentence}. {notice.hint}".strip())
