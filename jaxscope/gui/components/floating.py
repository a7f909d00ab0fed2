"""What floats over the window: popovers under a button, and sheets (dialogs) in the middle over a scrim.

Both are children of the window, so they look the same on every desktop and are part of a screenshot. While one has the
focus no shortcut of the window acts and no key leaks to what is behind. Opening takes the focus, closing gives it back.
Invariant: the popovers that are open in a window stand in one line, each under a button of the one before.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractSlider, QApplication, QHBoxLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from jaxscope.gui.components.buttons import IconButton
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.painting import begin, hairline, rounded
from jaxscope.gui.components.rows import ScaledRow
from jaxscope.gui.components.scrolling import scroll_to, scrolling
from jaxscope.gui.components.shadow import BLUR_PX, paint_shadow
from jaxscope.gui.theme import colour, scaled, theme

#: room around the card of a popover that its shadow takes
SHADOW_PX = _BLUR = BLUR_PX
_RADIUS = 12
#: between a card and the window, and what keeps a body that scrolls out of the round corners of its card
_WINDOW_GAP, _CORNER_GAP = 8, 4
#: keys that scroll a popover where nothing in it takes them
_SCROLL_KEYS = {
    Qt.Key.Key_Up: QAbstractSlider.SliderAction.SliderSingleStepSub,
    Qt.Key.Key_Down: QAbstractSlider.SliderAction.SliderSingleStepAdd,
    Qt.Key.Key_PageUp: QAbstractSlider.SliderAction.SliderPageStepSub,
    Qt.Key.Key_PageDown: QAbstractSlider.SliderAction.SliderPageStepAdd,
}


class _Floating(QWidget):
    """What popovers and sheets share: the focus, the keys, closing."""

    closed = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        #: where the focus was, and what that stands in, outwards; some may be gone when the focus is given back
        self._return_to: tuple[QWidget, ...] = ()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.hide()

    def close_floating(self) -> None:
        """Close it and give the focus back."""
        if self.isHidden():
            return
        self.hide()
        back = next((part for part in self._return_to if isValid(part) and part.isVisible()), None)
        if back is not None:
            back.setFocus(Qt.FocusReason.PopupFocusReason)
        self._return_to = ()
        self.closed.emit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_floating()
        event.accept()

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: FBT001
        """Keep Tab inside."""
        stops = [
            part
            for part in self.findChildren(QWidget)
            if part.isVisible() and part.isEnabled() and part.focusPolicy() & Qt.FocusPolicy.TabFocus
        ]
        if not stops:
            return True
        held = QApplication.focusWidget()
        at = stops.index(held) if held in stops else (-1 if forward else 0)
        reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
        stop = stops[(at + (1 if forward else -1)) % len(stops)]
        stop.setFocus(reason)
        scroll_to(stop)
        return True

    def _take_focus(self) -> None:
        """Get ready to be shown: in the theme of now, and the place of the focus known."""
        theme().dress_to_open(self)
        held = QApplication.focusWidget()
        self._return_to = () if held is None or self.isAncestorOf(held) else tuple(_outwards(held))
        self.setFocus(Qt.FocusReason.PopupFocusReason)


def _outwards(part: QWidget) -> Iterator[QWidget]:
    """Give a part, what it stands in, and so on up to its window."""
    inner: QWidget | None = part
    while inner is not None:
        yield inner
        inner = None if inner.isWindow() else inner.parentWidget()


class _Watch(QObject):
    """The one filter of the application's events, there while a popover is open."""

    _KINDS = frozenset(
        {QEvent.Type.MouseButtonPress, QEvent.Type.FocusIn, QEvent.Type.LayoutRequest, QEvent.Type.Resize}
    )

    def __init__(self) -> None:
        super().__init__()
        self._open: list[Popover] = []

    def add(self, popover: Popover) -> None:
        """Tell a popover of events until it is taken out."""
        if popover not in self.opened():
            self._open.append(popover)
        QApplication.instance().installEventFilter(self)

    def remove(self, popover: Popover) -> None:
        """Tell it no longer."""
        self._open = [one for one in self.opened() if one is not popover]
        if not self._open:
            QApplication.instance().removeEventFilter(self)

    def opened(self) -> list[Popover]:
        """Return the popovers that are open, oldest first; some may have gone with their window."""
        return [one for one in self._open if isValid(one)]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in self._KINDS:
            for popover in self.opened():
                popover.take_event(watched, event)
        return False


_watches: list[_Watch] = []


def _watch() -> _Watch:
    if not _watches or not isValid(_watches[0]):
        _watches[:] = [_Watch()]
    return _watches[0]


class Popover(_Floating):
    """A card under a button; a click elsewhere or Esc closes it.

    Fill it through ``body``, a vertical layout without margins. A body that is higher than the window scrolls, and what
    gets the focus is scrolled into view.

    Parameters
    ----------
    window : QWidget
        The main window.
    name : str
        Accessible name.
    width : int or None
        Width of the card at text scale 1; None goes by content.
    """

    def __init__(self, window: QWidget, *, name: str, width: int | None = None) -> None:
        super().__init__(window)
        self._anchor: QWidget | None = None
        self._above = False
        self._card_width = width
        self.setAccessibleName(name)
        self._content = QWidget()
        self.body = QVBoxLayout(self._content)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(0)
        self._scroll = scrolling(self._content)
        self._frame = QVBoxLayout(self)
        self._frame.setContentsMargins(_BLUR, _BLUR, _BLUR, _BLUR)
        self._frame.addWidget(self._scroll)

    def open_under(self, anchor: QWidget, *, gap: int = 2, above: bool = False) -> None:
        """Show the card with its right edge under that of ``anchor``; over it if asked or without room.

        Popovers that ``anchor`` does not stand in are closed.
        """
        self._close_others(anchor)
        self._anchor = anchor
        self._above = above
        self._gap = gap
        self._take_focus()
        self._place()
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.PopupFocusReason)
        _watch().add(self)

    def _close_others(self, anchor: QWidget) -> None:
        others = [one for one in _watch().opened() if one is not self and one.window() is self.window()]
        above: QWidget | None = anchor
        while above is not None:
            holder = next((one for one in others if one.isAncestorOf(above)), None)
            others = [one for one in others if one is not holder]
            above = holder._standing_anchor() if holder is not None else None
        for other in others:
            other.close_floating()

    def close_floating(self) -> None:
        _watch().remove(self)
        super().close_floating()

    def card(self) -> QRect:
        """Return the card in our coordinates; the rest is its shadow."""
        return self.rect().adjusted(_BLUR, _BLUR, -_BLUR, -_BLUR)

    def take_event(self, watched: QObject, event: QEvent) -> None:
        """Close at a press outside the card; scroll to what gets the focus; follow the window and the body."""
        kind = event.type()
        if isinstance(event, QMouseEvent) and kind == QEvent.Type.MouseButtonPress and isinstance(watched, QWidget):
            spot = self.mapFromGlobal(event.globalPosition().toPoint())
            inside_list = watched.window() is not self.window()
            if not inside_list and not self.card().contains(spot) and watched is not self._anchor:
                self.close_floating()
        elif isinstance(event, QFocusEvent) and kind == QEvent.Type.FocusIn and isinstance(watched, QWidget):
            # a click is on what is in view already, and must not move it from under the pointer
            if self._content.isAncestorOf(watched) and event.reason() != Qt.FocusReason.MouseFocusReason:
                scroll_to(watched)
        elif (kind, watched) in (
            (QEvent.Type.LayoutRequest, self._content),
            (QEvent.Type.Resize, self.parentWidget()),
        ):
            self._place()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _SCROLL_KEYS:
            self._scroll.verticalScrollBar().triggerAction(_SCROLL_KEYS[Qt.Key(event.key())])
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            card = QRectF(self.card())
            paint_shadow(painter, card, _RADIUS)
            rounded(painter, card, _RADIUS, "raised", "line2")

    def _standing_anchor(self) -> QWidget | None:
        """Return the button that the card stands under; None where it is gone, and the card stays where it is."""
        return self._anchor if self._anchor is not None and isValid(self._anchor) else None

    def _place(self) -> None:
        anchor = self._standing_anchor()
        if anchor is None:
            return
        window = self.window()
        width = scaled(self._card_width) if self._card_width else self.body.sizeHint().width()
        width = min(width, window.width() - 2 * _WINDOW_GAP)
        height = self._fit_body(width, window.height() - 2 * _WINDOW_GAP)
        corner = anchor.mapTo(window, QPoint(anchor.width(), anchor.height() + self._gap))
        left = min(max(_WINDOW_GAP, corner.x() - width), window.width() - width - _WINDOW_GAP)
        top = corner.y()
        if self._above or top + height > window.height() - _WINDOW_GAP:
            above = anchor.mapTo(window, QPoint(0, -self._gap)).y() - height
            top = min(max(_WINDOW_GAP, above), window.height() - height - _WINDOW_GAP)
        self.setGeometry(left - _BLUR, top - _BLUR, width + 2 * _BLUR, height + 2 * _BLUR)

    def _fit_body(self, width: int, most: int) -> int:
        """Give the body its own height, and return that of the card: what it needs, or ``most`` if that is less."""
        height = self._body_height(width)
        scrolls = height > most
        if scrolls:
            height = self._body_height(width - self._scroll.verticalScrollBar().sizeHint().width())
        corner = _BLUR + (_CORNER_GAP if scrolls else 0)
        self._frame.setContentsMargins(_BLUR, corner, _BLUR, corner)
        self._content.setMinimumHeight(height)
        return min(height, most)

    def _body_height(self, width: int) -> int:
        return self.body.heightForWidth(width) if self.body.hasHeightForWidth() else self.body.sizeHint().height()


class Sheet(_Floating):
    """A dialog over a scrim: header 52 with title and close, body, footer 56.

    Fill ``body`` (vertical layout) and ``footer`` (horizontal layout).
    """

    def __init__(self, window: QWidget, *, title: str, width: int = 860, height: int = 560) -> None:
        super().__init__(window)
        self._size = (width, height)
        self.setAccessibleName(title)
        self._frame = _SheetFrame(self)
        self.title = Label(title, 15, 600)
        close = IconButton("x", "Close [Esc]", icon_size=17)
        close.clicked.connect(self.close_floating)
        header = QHBoxLayout()
        header.setContentsMargins(20, 0, 12, 0)
        header.addWidget(self.title)
        header.addStretch(1)
        header.addWidget(close)
        self.body = QVBoxLayout()
        self.body.setContentsMargins(0, 1, 0, 1)
        self.footer = QHBoxLayout()
        self.footer.setContentsMargins(20, 0, 16, 0)
        self.footer.setSpacing(8)
        column = QVBoxLayout(self._frame)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part, high in ((header, 52), (self.body, None), (self.footer, 56)):
            if high is not None:
                column.addWidget(ScaledRow(part, high))
            else:
                column.addLayout(part, 1)

    def open_sheet(self) -> None:
        """Show it in the middle of the window."""
        self._take_focus()
        self._place()
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.PopupFocusReason)
        self.parentWidget().installEventFilter(self)

    def close_floating(self) -> None:
        self.parentWidget().removeEventFilter(self)
        super().close_floating()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.parentWidget():
            self._place()
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event) -> None:
        event.accept()

    def wheelEvent(self, event) -> None:
        event.accept()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            painter.fillRect(self.rect(), colour("scrim", 0.55))
            paint_shadow(painter, QRectF(self._frame.geometry()), _RADIUS)

    def _place(self) -> None:
        window = self.parentWidget()
        self.setGeometry(window.rect())
        width = min(scaled(self._size[0]), round(window.width() * 0.92))
        height = min(scaled(self._size[1]), round(window.height() * 0.92))
        self._frame.setGeometry((window.width() - width) // 2, (window.height() - height) // 2, width, height)


class _SheetFrame(QWidget):
    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rounded(painter, QRectF(self.rect()), _RADIUS, "raised", "line2")
            hairline(painter, 1, scaled(52), self.width() - 2, "line2")
            hairline(painter, 1, self.height() - scaled(56) - 1, self.width() - 2, "line2")
