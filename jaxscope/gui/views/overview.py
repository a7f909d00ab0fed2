"""The whole recording in a strip: Before, After as far as it is computed, events, and the window as a frame.

Its envelope is drawn once into an image for each new frame or size; the window, the events and the words are drawn over
it. A click jumps, dragging the frame scrolls, dragging one of its edges changes the window's length.
"""

from __future__ import annotations

from typing import Self

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from jaxscope.compute.envelopes import Envelope
from jaxscope.compute.frames import Busy, Grown, Opened, OverviewFrame
from jaxscope.data.annotations import Gap
from jaxscope.display.ticks import time_ticks
from jaxscope.gui.components.painting import CENTRE, LEFT, begin, draw_text, hairline, rounded
from jaxscope.gui.event_looks import looks_of
from jaxscope.gui.navigator import Navigator
from jaxscope.gui.painting.geometry import rail_px
from jaxscope.gui.theme import colour, font, scaled, theme
from jaxscope.gui.views.base import AbstractView, ViewKit
from jaxscope.gui.views.overview_ticks import tick_image
from jaxscope.gui.views.traces_gaps import hatch
from jaxscope.gui.views.traces_numbers import clock
from jaxscope.gui.views.traces_picture import trace_colours
from jaxscope.session.state import SessionState

FloatArray = npt.NDArray[np.float64]
_RIGHT_PX = 16
#: the envelope and the strip under it, at text scale 1
_TOP, _BOTTOM, _STRIP = 6, 50, 53
_LEAST_FRAME_PX = 14.0
_GRIP_PX = 6.0


class OverviewView(AbstractView, QWidget):
    """The strip under the time axis."""

    #: device pixels of the envelope
    width_px_changed = Signal(int)

    def __init__(self, navigator: Navigator, state: SessionState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._navigator = navigator
        self._state = state
        self._total_s = 0.0
        self._gaps: tuple[Gap, ...] = ()
        self._recording_id = ""
        self._frame: OverviewFrame | None = None
        self._image: QImage | None = None
        self._drag: tuple[str, float, float, float] | None = None
        self._told_width = -1
        #: events as ticks, and what they were painted for
        self._tick_picture: tuple[object, QImage] | None = None
        #: what the ground follows from, and its picture
        self._painted: tuple[tuple[object, ...], QImage] | None = None
        self.setFixedHeight(scaled(76))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Overview")
        self.setToolTip("Drag the frame to scroll, its edges to change the window. Blue: already filtered")
        theme().changed.connect(self._on_theme)

    @classmethod
    def of(cls, kit: ViewKit) -> Self:
        """Make the view for a window."""
        return cls(kit.navigator, kit.state)

    def sizeHint(self) -> QSize:
        return QSize(1200, scaled(76))

    @property
    def frame(self) -> OverviewFrame | None:
        """What is shown."""
        return self._frame

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Show another window, other events."""
        self._state = state
        was_on, is_on = previous.document.filter_on, state.document.filter_on
        if was_on != is_on:
            self._image = None
        is_same_look = state.document.annotations is previous.document.annotations and was_on == is_on
        if state.viewport is not previous.viewport or not is_same_look or state is previous:
            self.update()

    def show_frame(self, outcome: object) -> None:
        """Take another recording or more of its envelope."""
        match outcome:
            case Opened():
                self._recording_id = outcome.recording_id
                self._total_s = outcome.info.duration_s or 0.0
                self._gaps = outcome.info.gaps
                self._frame, self._image = None, None
                self.update()
            case Grown() if outcome.recording_id == self._recording_id:
                # the picture of what was there stays at its place until there is a longer one
                self._total_s = outcome.info.duration_s or self._total_s
                self._gaps = outcome.info.gaps
                self._image = None
                self.update()
            case OverviewFrame() if outcome.recording_id == self._recording_id:
                self._frame, self._image = outcome, None
                self.update()
            case Busy():
                self.update()

    def close_recording(self) -> None:
        """Show nothing."""
        self._recording_id, self._total_s, self._frame, self._image = "", 0.0, None, None
        self._gaps = ()
        self.update()

    def _on_theme(self) -> None:
        self._image = None
        self.setFixedHeight(scaled(76))
        self.update()

    # --- painting

    @property
    def _width(self) -> float:
        return max(1.0, self.width() - rail_px() - _RIGHT_PX)

    def envelope_width(self) -> float:
        """Return the logical pixels that the recording has."""
        return self._width

    def _x(self, second: float) -> float:
        return rail_px() + second / max(self._total_s, 1e-9) * self._width

    def _second(self, x: float) -> float:
        return (x - rail_px()) / self._width * self._total_s

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            painter.drawImage(QPointF(0, 0), self._ground())
            if self._total_s > 0:
                self._paint_window(painter)
            if self.hasFocus():
                painter.fillRect(QRectF(0, 1, 2, self.height()), colour("focus"))

    def _ground(self) -> QImage:
        """Return all but the window and the focus, painted once for what it shows: a window moves more often."""
        document, viewport, look = self._state.document, self._state.viewport, theme()
        key = (
            self._image, tuple(self._captions()), self.size().toTuple(), self.devicePixelRatioF(), self._total_s,
            self._gaps, document.filter_on, document.annotations, viewport.show_events,
            look.is_dark, look.is_high_contrast, look.text_scale,
        )  # fmt: skip
        if self._image is None or self._painted is None or self._painted[0] != key:
            ratio = self.devicePixelRatioF()
            ground = QImage(self.size() * ratio, QImage.Format.Format_RGB32)
            ground.setDevicePixelRatio(ratio)
            with begin(ground) as painter:
                self._paint_ground(painter)
            # the image of the envelope has been made by now
            self._painted = ((self._image, *key[1:]), ground)
        return self._painted[1]

    def _paint_ground(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), colour("bar"))
        hairline(painter, 0, 0, self.width())
        high = scaled(18)
        draw_text(painter, QRectF(14, 9, rail_px() - 20, high), "Overview", font(12, 500), "text2")
        for place, words in enumerate(self._captions()):
            room = QRectF(14, 9 + high + scaled(16) * place, rail_px() - 20, high)
            draw_text(painter, room, words, font(11), "text3")
        if self._total_s > 0:
            self._paint_envelope(painter)
            self._paint_strip(painter)

    def _captions(self) -> list[str]:
        if self._frame is None:
            return []
        captions = []
        if self._state.document.filter_on and self._frame.after is not None:
            captions.append(f"{_percent(self._frame.filtered_share)} % filtered")
        if self._frame.read_share < 1:
            captions.append(f"reading {_percent(self._frame.read_share)} %")
        return captions

    def _paint_envelope(self, painter: QPainter) -> None:
        if self._frame is None:
            return
        ratio = self.devicePixelRatioF()
        if self._image is None:
            shows_after = self._state.document.filter_on
            self._image = envelope_image(
                self._frame, self._total_s, round(self._width * ratio), ratio, shows_after=shows_after
            )
        top, high = scaled(_TOP), scaled(_BOTTOM) - scaled(_TOP)
        painter.drawImage(QPointF(rail_px(), top), self._image)
        for gap in self._gaps:
            left, right = self._x(gap.start_s), self._x(gap.stop_s)
            if right - left < 1:
                painter.fillRect(QRectF(round(left), top, 1, high), colour("text3"))
                continue
            place = QRectF(left, top, right - left, high)
            painter.fillRect(place, colour("bar"))
            hatch(painter, place, "text3")

    def _paint_strip(self, painter: QPainter) -> None:
        foot = scaled(_STRIP)
        rounded(painter, QRectF(rail_px(), foot, self._width, 3), 1.5, "line2")
        for start_s, stop_s in self._filtered_spans():
            left, right = self._x(start_s), self._x(stop_s)
            rounded(painter, QRectF(left, foot, max(1.0, right - left), 3), 1.5, "after")
        if self._state.viewport.show_events:
            painter.drawImage(QPointF(0, 0), self._ticks())
        ticks = time_ticks(0.0, self._total_s, self._width, least_px=scaled(110))
        for second in ticks.minor:
            painter.fillRect(QRectF(round(self._x(second)), foot + 10, 1, 4), colour("line2"))
        decimals = 0 if ticks.step >= 1 else 1
        for second in ticks.major:
            words = clock(second, decimals)
            words = words[1:] if words.startswith("0") and ":" in words[:3] else words
            if second == 0:
                room = QRectF(rail_px(), foot + 5, scaled(60), scaled(16))
                draw_text(painter, room, words, font(11), "text3", LEFT)
            elif self._x(second) + scaled(24) < self.width():
                room = QRectF(self._x(second) - 60, foot + 5, 120, scaled(16))
                draw_text(painter, room, words, font(11), "text3", CENTRE)

    def _ticks(self) -> QImage:
        """Return the events as ticks, painted once for a list of events, a width and a theme."""
        looks, ratio = looks_of(self._state.document.annotations), self.devicePixelRatioF()
        key = (looks, self.width(), rail_px(), self._total_s, ratio, theme().is_dark)
        if self._tick_picture is None or self._tick_picture[0] != key:
            room = {"left": rail_px(), "room": self._width, "total_s": self._total_s}
            self._tick_picture = (key, tick_image(looks, self.width(), ratio, **room))
        return self._tick_picture[1]

    def _filtered_spans(self) -> list[tuple[float, float]]:
        frame = self._frame
        if frame is None or frame.after is None or not self._state.document.filter_on:
            return []
        is_there = np.isfinite(frame.after.low).any(axis=0)
        if frame.filtered_share >= 1:
            return [(0.0, self._total_s)]
        changes = np.flatnonzero(np.diff(np.concatenate(([0], is_there.view(np.int8), [0]))))
        return [
            (float(frame.edges_s[begin]), float(frame.edges_s[end]))
            for begin, end in zip(changes[0::2], changes[1::2], strict=True)
        ]

    def _window_px(self) -> tuple[float, float]:
        viewport = self._state.viewport
        left = self._x(viewport.start_s)
        right = self._x(min(viewport.start_s + viewport.duration_s, self._total_s))
        more = max(0.0, (_LEAST_FRAME_PX - (right - left)) / 2)
        return left - more, right + more

    def _paint_window(self, painter: QPainter) -> None:
        left, right = self._window_px()
        rounded(painter, QRectF(left, 2, right - left, scaled(_STRIP) + 2), 3, colour("text", 0.10), "text", 1.5)

    # --- the mouse

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._image = None
        width_px = max(1, round(self._width * self.devicePixelRatioF()))
        if width_px != self._told_width:
            self._told_width = width_px
            self.width_px_changed.emit(width_px)

    def _part_at(self, x: float) -> str:
        left, right = self._window_px()
        if abs(x - left) <= _GRIP_PX and x < (left + right) / 2:
            return "left"
        if abs(x - right) <= _GRIP_PX:
            return "right"
        return "frame" if left < x < right else "outside"

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._total_s <= 0 or event.button() != Qt.MouseButton.LeftButton:
            return
        viewport = self._state.viewport
        x = event.position().x()
        part = self._part_at(x)
        if part == "outside":
            self._navigator.look(self._second(x) - viewport.duration_s / 2, viewport.duration_s)
            part = "frame"
            viewport = self._state.viewport
        self._drag = (part, x, viewport.start_s, viewport.duration_s)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._drag is None:
            is_edge = self._total_s > 0 and self._part_at(x) in ("left", "right")
            self.setCursor(Qt.CursorShape.SizeHorCursor if is_edge else Qt.CursorShape.ArrowCursor)
            return
        part, begun_x, start_s, duration_s = self._drag
        shift_s = (x - begun_x) / self._width * self._total_s
        least_s = self._total_s / self._width
        if part == "frame":
            self._navigator.look(start_s + shift_s, duration_s)
        elif part == "left":
            shift_s = min(max(shift_s, -start_s), duration_s - least_s)
            self._navigator.look(start_s + shift_s, duration_s - shift_s)
        else:
            shift_s = min(shift_s, self._total_s - start_s - duration_s)
            self._navigator.look(start_s, max(least_s, duration_s + shift_s))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag = None

    def wheelEvent(self, event: QWheelEvent) -> None:
        notches = (event.angleDelta().y() or event.angleDelta().x()) / 120
        self._navigator.pan_windows(-notches * 0.5)
        event.accept()


def _percent(share: float) -> int:
    """Return whole per cents; 100 only when everything is done."""
    return 100 if share >= 1 else min(99, int(share * 100))


def envelope_image(frame: OverviewFrame, total_s: float, width_px: int, ratio: float, *, shows_after: bool) -> QImage:
    """Return Before and After of the whole recording as columns, on a transparent ground."""
    height = round((scaled(_BOTTOM) - scaled(_TOP)) * ratio)
    image = QImage(max(1, width_px), height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    pixels = np.frombuffer(image.bits(), np.uint32).reshape(height, image.bytesPerLine() // 4)
    colours = trace_colours({"after"})
    size = _robust_size(*_extremes(frame.before))
    for values, shade in (
        (frame.before, colours["before_mixed"]),
        (frame.after if shows_after else None, colours["after"]),
    ):
        if values is not None:
            low, high = _columns(*_extremes(values), frame.edges_s, total_s, max(1, width_px))
            _paint_bars(pixels[:, :width_px], low / size, high / size, shade)
    image.setDevicePixelRatio(ratio)
    return image


def _extremes(values: Envelope) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and the highest value over the channels, NaN where nothing is known."""
    return np.fmin.reduce(values.low, axis=0), np.fmax.reduce(values.high, axis=0)


def _robust_size(low: FloatArray, high: FloatArray) -> float:
    reach = np.fmax(np.abs(low), np.abs(high))
    reach = reach[np.isfinite(reach)]
    return max(float(np.quantile(reach, 0.99)), 1e-300) if len(reach) else 1.0


def _columns(
    low: FloatArray, high: FloatArray, edges_s: FloatArray, total_s: float, width: int
) -> tuple[FloatArray, FloatArray]:
    """Return the extremes of the bins in each column of pixels: bins are of samples, columns are of time."""
    column_s = total_s / width
    # a thousandth off each side: a bin that only touches a column is not in it
    starts_s = (np.arange(width) + 1e-3) * column_s
    first = np.clip(np.searchsorted(edges_s, starts_s, side="right") - 1, 0, len(low) - 1)
    stop = np.clip(np.searchsorted(edges_s, starts_s + column_s * 0.998, side="left"), first + 1, len(low))
    pairs = np.stack([first, stop], axis=1).ravel()
    # a file that has grown since holds more than is known of it
    is_known = starts_s < edges_s[-1]
    return (
        np.where(is_known, np.fmin.reduceat(np.append(low, np.nan), pairs)[::2], np.nan),
        np.where(is_known, np.fmax.reduceat(np.append(high, np.nan), pairs)[::2], np.nan),
    )


def _paint_bars(pixels: npt.NDArray[np.uint32], low: FloatArray, high: FloatArray, shade: int) -> None:
    """Paint a bar in each column; 1 is nearly the whole half of the height."""
    middle = pixels.shape[0] / 2
    top, bottom = middle - high * middle * 0.95, middle - low * middle * 0.95
    rows = np.arange(pixels.shape[0])[:, None]
    with np.errstate(invalid="ignore"):
        covered = (rows >= np.floor(top)) & (rows <= np.floor(bottom))
    pixels[covered] = shade
