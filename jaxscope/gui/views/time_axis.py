"""The time axis under the traces: marks, words, and the pointer's time as a badge. Dragging it scrolls."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Self

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from jaxscope.compute.frames import Opened
from jaxscope.display.ticks import decimals_of, time_ticks
from jaxscope.gui.components.painting import CENTRE, LEFT, RIGHT, begin, draw_text, hairline, rounded, text_width
from jaxscope.gui.navigator import Navigator
from jaxscope.gui.painting.geometry import PaneRect, axes_of, pane_at, panes_of, rail_px
from jaxscope.gui.theme import colour, font, scaled, theme
from jaxscope.gui.views.base import AbstractView, ViewKit
from jaxscope.gui.views.traces_numbers import clock
from jaxscope.gui.views.transport import Transport
from jaxscope.session.state import SessionState

#: Between two times on the axis.
_LEAST_GAP = 20
_ZOOM_STEP = 1.25


class TimeAxisView(AbstractView, QWidget):
    """The axis of the window in view."""

    def __init__(self, navigator: Navigator, state: SessionState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._navigator = navigator
        self._state = state
        self._start: datetime | None = None
        self._pointer_s: float | None = None
        self._drag: tuple[float, float, float] | None = None
        self.setFixedHeight(scaled(28))
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setToolTip("Drag to scroll, Ctrl and wheel to zoom")
        self.setAccessibleName("Time axis")
        self.transport = Transport(self)
        theme().changed.connect(self._on_theme)

    @classmethod
    def of(cls, kit: ViewKit) -> Self:
        """Make the view for a window."""
        return cls(kit.navigator, kit.state)

    def sizeHint(self) -> QSize:
        return QSize(1200, scaled(28))

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Show another window."""
        self._state = state
        if state.live != previous.live or state is previous:
            self.transport.show_live(state.live)
        if state.viewport is not previous.viewport:
            self.update()

    def show_frame(self, outcome: object) -> None:
        """Take the start of another recording, for clock times."""
        if isinstance(outcome, Opened):
            self._start = outcome.info.start
            self.update()

    def show_pointer(self, second: float | None) -> None:
        """Show the time under the pointer; None shows none."""
        if second != self._pointer_s:
            self._pointer_s = second
            self.update()

    def _on_theme(self) -> None:
        self.setFixedHeight(scaled(28))
        self.update()

    @property
    def _panes(self) -> tuple[PaneRect, ...]:
        return axes_of(panes_of(self._state.viewport, self.width() - rail_px()))

    @property
    def _is_clock(self) -> bool:
        return self._state.viewport.clock_time and self._start is not None

    def _words(self, second: float, decimals: int) -> str:
        if self._is_clock and self._start is not None:
            moment = self._start + timedelta(seconds=second)
            text = moment.strftime("%H:%M:%S")
            return f"{text}.{moment.microsecond:06d}"[: len(text) + 1 + decimals] if decimals else text
        return clock(second, decimals)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            painter.fillRect(self.rect(), colour("canvas"))
            hairline(painter, 0, 0, self.width(), "line2")
            stop_s = self._state.viewport.start_s + self._state.viewport.duration_s
            caption = "clock" if self._is_clock else ("h:mm:ss" if stop_s >= 3600 else "mm:ss")
            draw_text(painter, QRectF(0, 1, rail_px() - 12, self.height()), caption, font(11), "text3", RIGHT)
            for pane in self._panes:
                self._paint_pane(painter, pane)

    def _paint_pane(self, painter: QPainter, pane: PaneRect) -> None:
        viewport = self._state.viewport
        start_s, stop_s = viewport.start_s, viewport.start_s + viewport.duration_s
        ticks = time_ticks(start_s, stop_s, pane.width)
        widest = text_width(self._words(stop_s, decimals_of(ticks.step)), font(11))
        if widest + _LEAST_GAP > 60:
            ticks = time_ticks(start_s, stop_s, pane.width, least_px=widest + _LEAST_GAP)
        rail, duration_s = rail_px(), viewport.duration_s
        edge = pane.left + rail
        for seconds, length, shade in ((ticks.minor, 4, colour("line2")), (ticks.major, 6, colour("off"))):
            for second in seconds:
                painter.fillRect(round(rail + pane.x_of(second, start_s, duration_s)), 1, 1, length, shade)
        decimals = decimals_of(ticks.step)
        badge = self._badge_rect(pane, edge)
        free_from = edge
        for second in ticks.major:
            x = rail + pane.x_of(second, start_s, duration_s)
            words = self._words(second, decimals)
            width = text_width(words, font(11))
            left = x + 4 if x - edge < width / 2 else x - width / 2
            if left < free_from or left + width > edge + pane.width:
                continue
            if badge is not None and left + width + 4 > badge.left() and left - 4 < badge.right():
                continue
            draw_text(painter, QRectF(left, 3, width + 4, self.height() - 4), words, font(11), "text3", LEFT)
            free_from = left + width + 8
        if badge is not None:
            rounded(painter, badge, 4, "press")
            draw_text(painter, badge, self._words(self._pointer_s or 0.0, 3), font(11, 500), "text", CENTRE)

    def _badge_rect(self, pane: PaneRect, edge: float) -> QRectF | None:
        """Return where the pointer's time stands, None where the pointer is elsewhere."""
        if self._pointer_s is None:
            return None
        viewport = self._state.viewport
        width = text_width(self._words(self._pointer_s, 3), font(11, 500)) + 14
        x = rail_px() + pane.x_of(self._pointer_s, viewport.start_s, viewport.duration_s)
        x = min(max(x - width / 2, edge), edge + pane.width - width)
        return QRectF(round(x), scaled(4), width, scaled(20))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and event.position().x() >= rail_px():
            pane = pane_at(self._panes, event.position().x() - rail_px())
            self._drag = (event.position().x(), self._state.viewport.start_s, pane.width)
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is not None:
            begun_x, start_s, width = self._drag
            duration_s = self._state.viewport.duration_s
            self._navigator.look(start_s - (event.position().x() - begun_x) / width * duration_s, duration_s)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag = None
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def wheelEvent(self, event: QWheelEvent) -> None:
        notches = (event.angleDelta().y() or event.angleDelta().x()) / 120
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            viewport = self._state.viewport
            pane = pane_at(self._panes, event.position().x() - rail_px())
            around_s = pane.second_at(event.position().x() - rail_px(), viewport.start_s, viewport.duration_s)
            self._navigator.zoom(_ZOOM_STEP**-notches, around_s)
        else:
            self._navigator.pan_windows(-notches * 0.1)
        event.accept()
