"""Power over time and frequency, one pane or two: under the traces, on their time axis.

The picture comes ready as numbers of colours; here it is only laid down. A click sets the cursor of the traces.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from jaxscope.compute.analysis_frames import AnalysisFrame, Plane, TimeFrequency
from jaxscope.display.ticks import time_label, time_ticks
from jaxscope.gui.components.painting import LEFT, begin, draw_text, rounded, text_width
from jaxscope.gui.painting.colour_maps import difference_colours, power_colours
from jaxscope.gui.painting.geometry import DIVIDER_PX
from jaxscope.gui.theme import colour, font, scaled
from jaxscope.gui.views import spectrum_axes as axes
from jaxscope.gui.views.spectrum_plot import HoverPlot
from jaxscope.session.analysis import AnalysisPane

_NAMES = {"before": ("Before", "before_text"), "after": ("After", "after"), "difference": ("After − before", "diff")}


class PicturePlot(HoverPlot):
    """Spectrogram or time–frequency picture."""

    #: a time was clicked at
    second_chosen = Signal(float)
    #: the time under the pointer, or None
    pointer_moved = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Spectrogram", parent)
        self._frame: AnalysisFrame | None = None
        self._pane: AnalysisPane = "both"
        self._cursors_s: tuple[float, ...] = ()
        self._traces_s: float | None = None
        self._images: dict[str, tuple[Plane, int, QImage]] = {}

    def show_frame(self, frame: AnalysisFrame | None, pane: AnalysisPane) -> None:
        """Show another picture, or other panes of it."""
        self._frame, self._pane = frame, pane
        self.update()

    def show_times(self, cursors_s: tuple[float, ...], pointer_s: float | None) -> None:
        """Show the cursors of the traces, and where the pointer is over them."""
        if (cursors_s, pointer_s) != (self._cursors_s, self._traces_s):
            self._cursors_s, self._traces_s = cursors_s, pointer_s
            self.update()

    @property
    def content(self) -> TimeFrequency | None:
        """What is shown."""
        content = None if self._frame is None else self._frame.content
        return content if isinstance(content, TimeFrequency) else None

    def panes(self) -> list[tuple[str, QRectF]]:
        """Return what is shown where: Before left of After, or one alone."""
        content, whole = self.content, QRectF(self.rect()).adjusted(0, scaled(22), 0, -scaled(22))
        wanted: tuple[str, ...] = ("before", "after") if self._pane == "both" else (self._pane,)
        if content is not None and content.after is None:
            wanted = ("before",)
        if len(wanted) == 1:
            return [(wanted[0], whole)]
        wide = (whole.width() - DIVIDER_PX) / 2
        right = QRectF(whole.left() + wide + DIVIDER_PX, whole.top(), wide, whole.height())
        return [(wanted[0], QRectF(whole.left(), whole.top(), wide, whole.height())), (wanted[1], right)]

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            frame, content = self._frame, self.content
            if frame is None or content is None:
                area = self.panes()[0][1]
                axes.paint_ground(painter, area)
                axes.paint_problem(painter, area, "" if frame is None else frame.problem)
            else:
                under = self._under(frame, content)
                for name, area in self.panes():
                    self._paint_pane(painter, frame, content, name, area)
                    self._paint_times(painter, frame, area, None if under is None else under[0])
                    self._paint_words(painter, content, name, area, under)
            self.paint_focus(painter)

    def _paint_pane(
        self, painter: QPainter, frame: AnalysisFrame, content: TimeFrequency, name: str, area: QRectF
    ) -> None:
        painter.fillRect(area, colour("canvas"))
        plane = getattr(content, name)
        if plane is not None:
            painter.drawImage(area, self._image(name, plane))
        ticks = time_ticks(frame.start_s, frame.stop_s, area.width(), least_px=scaled(80))
        for second, words in zip(ticks.major, ticks.labels, strict=True):
            x = self._x(frame, area, second)
            painter.fillRect(QRectF(round(x), area.bottom(), 1, 4), colour("text3"))
            wide = text_width(words, font(11))
            if x + 4 + wide <= area.right():
                room = QRectF(x + 4, area.bottom() + 3, wide + 2, scaled(16))
                draw_text(painter, room, words, font(11), "text3", LEFT)
        found = axes.frequency_marks(content.low_hz, content.high_hz, area.height(), is_log=content.is_log, room_px=22)
        least, most = area.top() + scaled(9), area.bottom() - scaled(9)
        marks = [mark for mark in found if least <= self._y(content, area, mark[0]) <= most]
        for value_hz, words in marks:
            y = self._y(content, area, value_hz)
            painter.fillRect(QRectF(area.left(), round(y), 5, 1), colour("text"))
            text = f"{words} Hz" if value_hz == marks[-1][0] else words
            wide = text_width(text, font(11))
            chip = QRectF(area.left() + 7, y - scaled(8), wide + 8, scaled(16))
            rounded(painter, chip, 4, colour("canvas", 0.72))
            draw_text(painter, chip.adjusted(4, 0, 0, 0), text, font(11), "text2", LEFT)

    def _image(self, name: str, plane: Plane) -> QImage:
        """Return a plane as an image in the colours of now, made once for each plane and theme."""
        colours = difference_colours() if name == "difference" else power_colours()
        known = self._images.get(name)
        if known is None or known[0] is not plane or known[1] != hash(colours):
            levels = np.ascontiguousarray(plane.levels)
            made = QImage(levels.data, levels.shape[1], levels.shape[0], levels.shape[1], QImage.Format.Format_Indexed8)
            made.setColorTable(list(colours))
            known = (plane, hash(colours), made.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied))
            self._images[name] = known
        return known[2]

    def _paint_times(self, painter: QPainter, frame: AnalysisFrame, area: QRectF, under_s: float | None) -> None:
        for second in self._cursors_s:
            if frame.start_s <= second <= frame.stop_s:
                line = QRectF(round(self._x(frame, area, second)), area.top(), 1, area.height())
                axes.picture_line(painter, line)
        pointed_s = self._traces_s if under_s is None else under_s
        if pointed_s is not None and frame.start_s <= pointed_s <= frame.stop_s:
            x = round(self._x(frame, area, pointed_s))
            axes.picture_line(painter, QRectF(x, area.top(), 1, area.height()))

    def _paint_words(
        self, painter: QPainter, content: TimeFrequency, name: str, area: QRectF, under: tuple[float, float] | None
    ) -> None:
        words, token = _NAMES[name]
        room = QRectF(area.left() + 2, area.top() - scaled(20), area.width(), scaled(18))
        draw_text(painter, room, words, font(11, 500), token)
        plane: Plane | None = getattr(content, name)
        if under is None or plane is None:
            return
        second, value_hz = under
        y = round(self._y(content, area, value_hz))
        axes.picture_line(painter, QRectF(area.left(), y, area.width(), 1))
        level = self._value(content, plane, second, value_hz)
        parts = [(axes.hertz(value_hz), "text2"), (axes.decibels(level), token)]
        axes.paint_readout(painter, area, [(time_label(second, 0.01), "text2"), *parts])

    def _value(self, content: TimeFrequency, plane: Plane, second: float, value_hz: float) -> float | None:
        frame = self._frame
        if frame is None:
            return None
        rows, columns = plane.values_db.shape
        column = int((second - frame.start_s) / (frame.stop_s - frame.start_s) * columns)
        unit = QRectF(0, 0, 1, 1)
        row = int(self._y(content, unit, value_hz) * rows)
        value = float(plane.values_db[min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)])
        return value if np.isfinite(value) else None

    @staticmethod
    def _x(frame: AnalysisFrame, area: QRectF, second: float) -> float:
        return area.left() + (second - frame.start_s) / (frame.stop_s - frame.start_s) * area.width()

    @staticmethod
    def _y(content: TimeFrequency, area: QRectF, value_hz: float) -> float:
        if content.is_log:
            share = np.log(value_hz / content.low_hz) / np.log(content.high_hz / content.low_hz)
        else:
            share = (value_hz - content.low_hz) / (content.high_hz - content.low_hz)
        return area.bottom() - float(share) * area.height()

    def _under(self, frame: AnalysisFrame, content: TimeFrequency) -> tuple[float, float] | None:
        """Return time and frequency under the pointer."""
        place = self.pointer
        area = next((area for _, area in self.panes() if axes.inside(area, place)), None)
        if area is None or place is None:
            return None
        second = frame.start_s + (place.x() - area.left()) / area.width() * (frame.stop_s - frame.start_s)
        share = (area.bottom() - place.y()) / area.height()
        if content.is_log:
            return second, content.low_hz * (content.high_hz / content.low_hz) ** share
        return second, content.low_hz + share * (content.high_hz - content.low_hz)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if self._frame is not None and self.content is not None:
            under = self._under(self._frame, self.content)
            self.pointer_moved.emit(None if under is None else under[0])

    def leaveEvent(self, event) -> None:
        super().leaveEvent(event)
        self.pointer_moved.emit(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pointer = event.position()
        if self._frame is not None and self.content is not None:
            under = self._under(self._frame, self.content)
            if under is not None:
                self.second_chosen.emit(under[0])
