"""How a fit goes: the distance to the goals falling from step to step, and the poles on their way in the circle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from jaxscope.compute.fit_frames import FitFrame
from jaxscope.gui.components.painting import CENTRE, RIGHT, begin, disc, draw_text, hairline, pen, rounded
from jaxscope.gui.theme import colour, font, scaled, theme

LOW, HIGH = 104, 168
#: the curve is seen from the start down to this share of it, however little is left
_LEAST_SPAN = 0.5
_MARK_PX = 4.0


class _Canvas(QWidget):
    """A plot with a title; it may be as low as ``LOW``."""

    #: what it says before there is anything to show
    NOTHING = ""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = title
        self.frame: FitFrame | None = None
        self.setAccessibleName(title)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._limit_height()
        theme().changed.connect(self._limit_height)

    def _limit_height(self) -> None:
        self.setMaximumHeight(scaled(HIGH))

    def sizeHint(self) -> QSize:
        return QSize(120, scaled(LOW))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, scaled(LOW))

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rounded(painter, QRectF(self.rect()), 6, "canvas")
            if self.frame is None:
                draw_text(painter, QRectF(self.rect()), self.NOTHING, font(12), "text3", CENTRE)
            else:
                painter.save()
                painter.setClipRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
                self.paint_plot(painter, self.frame)
                painter.restore()
            room = QRectF(10, scaled(5), self.width() - 14, scaled(16))
            draw_text(painter, room, self._title, font(11), "text3", elide=Qt.TextElideMode.ElideRight)

    def paint_plot(self, painter: QPainter, frame: FitFrame) -> None:
        """Paint what a frame holds."""


class DistancePlot(_Canvas):
    """The distance of every step so far, on a scale of ratios."""

    NOTHING = "Nothing is fitted yet"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Distance to the goals", parent)

    def show_frame(self, frame: FitFrame | None) -> None:
        """Show how far it has come."""
        self.frame = frame
        words = "Distance to the goals"
        if frame is not None and frame.distances:
            words += f" {frame.distances[-1]:.3f}, step {frame.step} of {frame.steps}"
        self.setAccessibleName(words)
        self.update()

    def points(self) -> list[QPointF]:
        """Return the curve in pixels."""
        frame = self.frame
        if frame is None or not frame.distances:
            return []
        area = QRectF(10, scaled(28), self.width() - 20, self.height() - scaled(28) - scaled(28))
        levels = [math.log10(max(value, 1e-6)) for value in frame.distances]
        high = max(levels)
        span = max(high - min(levels), _LEAST_SPAN)
        last = max(1, frame.steps - 1)
        return [
            QPointF(area.left() + step / last * area.width(), area.top() + (high - level) / span * area.height())
            for step, level in enumerate(levels)
        ]

    def paint_plot(self, painter: QPainter, frame: FitFrame) -> None:
        points = self.points()
        if not points:
            return
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen("after", 1.6))
        painter.drawPolyline(QPolygonF(points))
        disc(painter, points[-1], 3.5, "after")
        room = QRectF(10, self.height() - scaled(21), self.width() - 20, scaled(16))
        draw_text(painter, room, f"step {frame.step} of {frame.steps}", font(11), "text3")
        draw_text(painter, room, f"{frame.distances[-1]:.3f}", font(11, 500), "text", RIGHT)


class PolePaths(_Canvas):
    """Where the poles have been, and where they are: a cross each, its way fading behind it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Poles on their way", parent)
        self._ways: list[tuple[tuple[float, float], ...]] = []

    def show_frame(self, frame: FitFrame | None) -> None:
        """Show the poles of a frame after those before it; None forgets all."""
        if frame is None:
            self._ways = []
        elif frame.poles:
            self._ways.append(frame.poles)
        self.frame = frame
        words = "Poles on their way"
        if frame is not None and frame.poles:
            words += f": {len(frame.poles)} poles, the outermost at radius {self.radius():.3f}"
        self.setAccessibleName(words)
        self.update()

    def radius(self) -> float:
        """Return the radius of the outermost pole."""
        return max((math.hypot(*pole) for pole in self._ways[-1]), default=0.0) if self._ways else 0.0

    def _to_pixel(self) -> tuple[QPointF, float]:
        """Return the middle of the circle and its radius: the right part of it, where nearly all poles are."""
        high = self.height() - scaled(24)
        wide = float(self.width())
        least = min((pole[0] for way in self._ways for pole in way), default=0.0)
        left = -1.08 if least < -0.1 else min(0.0, least - 0.08)
        size = min(high / 2.1, wide / (1.08 - left))
        middle = QPointF((wide - (1.0 + left) * size) / 2, scaled(22) + high / 2)
        return middle, size

    def paint_plot(self, painter: QPainter, frame: FitFrame) -> None:
        middle, size = self._to_pixel()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen("text3", 1.3))
        painter.drawEllipse(middle, size, size)
        hairline(painter, 0, round(middle.y()), self.width(), "line2")
        for at in range(len(self._ways[-1]) if self._ways else 0):
            way = [
                QPointF(middle.x() + poles[at][0] * size, middle.y() - poles[at][1] * size)
                for poles in self._ways
                if at < len(poles)
            ]
            self._paint_way(painter, way)

    def _paint_way(self, painter: QPainter, way: Sequence[QPointF]) -> None:
        for number, (one, other) in enumerate(pairwise(way)):
            painter.setPen(pen(colour("after", round(0.15 + 0.6 * number / len(way), 2)), 1.4))
            painter.drawLine(one, other)
        at = way[-1]
        painter.setPen(pen("after", 1.9))
        for turn in (1, -1):
            reach = QPointF(_MARK_PX, turn * _MARK_PX)
            painter.drawLine(at - reach, at + reach)
