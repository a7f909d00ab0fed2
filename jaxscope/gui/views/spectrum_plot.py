"""The plots of the drawer that are curves: spectra, coherence by frequency, and the histogram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from jaxscope.compute.analysis_frames import AnalysisFrame, Coherences, Histogram, SpectrumCurves
from jaxscope.display.ticks import value_label, value_ticks
from jaxscope.gui.components.painting import CENTRE, begin, draw_text, focus_ring, ink, rounded, text_width
from jaxscope.gui.painting.lanes import shown_unit
from jaxscope.gui.theme import colour, font, scaled, theme
from jaxscope.gui.views import spectrum_axes as axes
from jaxscope.gui.views.response_scale import ResponseScale, polygon, thinned
from jaxscope.session.analysis import Analysis, Band

FloatArray = npt.NDArray[np.float64]
_SHARES = "Share of samples, %"
#: room over the highest point in dB, for the names of bands
_HEADROOM_DB = 5.0
_LOWEST_SPAN_DB, _MOST_SPAN_DB = 40.0, 100.0


class HoverPlot(QWidget):
    """A painted plot that knows where the pointer is, takes the focus and copies what it shows."""

    #: Ctrl+C was pressed over it
    copy_asked = Signal()
    escaped = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pointer: QPointF | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme().changed.connect(self.update)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.pointer = event.position()
        self.update()

    def leaveEvent(self, event) -> None:
        self.pointer = None
        self.update()

    def keyPressEvent(self, event) -> None:
        if event.key() == Qt.Key.Key_C and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.copy_asked.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def paint_focus(self, painter: QPainter) -> None:
        """Show that keys come here."""
        if self.hasFocus():
            focus_ring(painter, QRectF(self.rect()).adjusted(1, 1, -1, -1), 4)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curves:
    """What a curve plot draws: levels by frequency, what the upright axis is, and how values are told."""

    frequencies_hz: FloatArray
    before: FloatArray
    after: FloatArray | None
    heading: str
    is_db: bool
    is_log: bool
    low: float
    high: float
    bands: tuple[Band, ...] = ()
    #: a level with a dashed line, and what it is
    mark: tuple[float, str] | None = None
    #: unit of values that are no dB
    unit: str = ""


def spectrum_curves(frame: AnalysisFrame, content: SpectrumCurves, wish: Analysis) -> Curves:
    """Return spectra as curves, in dB or in squared units per Hz."""
    is_db, is_log = wish.level_scale == "db", wish.frequency_scale == "log"
    start = 1 if content.frequencies_hz.size > 1 else 0
    sides = [side[start:] for side in (content.before, content.after) if side is not None]
    if is_db:
        sides = [10 * np.log10(np.maximum(side, 1e-300)) for side in sides]
        top = float(np.ceil((max(float(side.max()) for side in sides) + _HEADROOM_DB) / 10) * 10)
        bottom = float(np.floor(min(float(side.min()) for side in sides) / 10) * 10)
        low = min(top - _LOWEST_SPAN_DB, max(bottom, top - _MOST_SPAN_DB))
    else:
        top = max(max(float(side.max()) for side in sides) * 1.15, 1e-300)
        low = 0.0
    return Curves(
        frequencies_hz=content.frequencies_hz[start:],
        before=sides[0],
        after=sides[1] if len(sides) > 1 else None,
        heading=f"Power density, {axes.density_unit(frame.unit, is_db=is_db)}",
        is_db=is_db,
        is_log=is_log,
        low=low,
        high=top,
        bands=tuple((band.name, band.low_hz, band.high_hz) for band in content.bands),
        unit=axes.density_unit(frame.unit, is_db=False),
    )


def coherence_curves(content: Coherences, pair: tuple[int, int], wish: Analysis) -> Curves:
    """Return the coherence of a pair as curves."""
    first, second = pair
    return Curves(
        frequencies_hz=content.frequencies_hz[1:],
        before=content.before[first, second, 1:],
        after=None if content.after is None else content.after[first, second, 1:],
        heading=f"Coherence of {content.names[first]} and {content.names[second]}",
        is_db=False,
        is_log=wish.frequency_scale == "log",
        low=0.0,
        high=1.0,
        bands=wish.bands,
        mark=(content.level, "chance"),
    )


class CurvePlot(HoverPlot):
    """Before in sand, After in blue over it, by frequency."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._curves: Curves | None = None
        self._problem = ""

    def show_curves(self, curves: Curves | None, problem: str = "") -> None:
        """Show other curves; None with a sentence that says why there are none."""
        self._curves, self._problem = curves, problem
        self.update()

    @property
    def area(self) -> QRectF:
        """The plot inside its axes."""
        return QRectF(self.rect()).adjusted(scaled(56), scaled(22), -scaled(14), -scaled(24))

    def _scale(self, curves: Curves) -> ResponseScale:
        low_hz = float(curves.frequencies_hz[0])
        return ResponseScale(
            area=self.area,
            low_hz=low_hz,
            high_hz=max(float(curves.frequencies_hz[-1]), low_hz * 1.01),
            is_log=curves.is_log,
            floor_db=curves.low,
            top_db=curves.high,
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            axes.paint_ground(painter, self.area)
            curves = self._curves
            if curves is None or not curves.frequencies_hz.size:
                axes.paint_problem(painter, self.area, self._problem)
            else:
                scale = self._scale(curves)
                self._paint_axes(painter, curves, scale)
                painter.save()
                painter.setClipRect(self.area)
                self._paint_bands(painter, curves, scale)
                self._paint_curves(painter, curves, scale)
                painter.restore()
                self._paint_mark(painter, curves, scale)
                self._paint_pointer(painter, curves, scale)
            self.paint_focus(painter)

    def _paint_axes(self, painter: QPainter, curves: Curves, scale: ResponseScale) -> None:
        area = self.area
        low_hz = scale.low_hz if curves.is_log else 0.0
        marks = axes.frequency_marks(low_hz, scale.high_hz, area.width(), is_log=curves.is_log)
        axes.paint_bottom_marks(painter, area, [(float(scale.x(hz)), words) for hz, words in marks], "Hz")
        ticks = value_ticks(curves.low, curves.high, max(2, int(area.height() / scaled(36))))
        words = [axes.number(value) for value in ticks.major]
        if curves.is_db or curves.high == 1.0:
            words = [value_label(value, ticks.step) for value in ticks.major]
        levels = [(float(scale.y(value)), text) for value, text in zip(ticks.major, words, strict=True)]
        axes.paint_left_marks(painter, area, levels)

    def _paint_mark(self, painter: QPainter, curves: Curves, scale: ResponseScale) -> None:
        area = self.area
        if curves.mark is not None:
            y = float(scale.y(curves.mark[0]))
            pen = QPen(ink("text3"), 1, Qt.PenStyle.DashLine)
            painter.setPen(pen)
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            wide = text_width(curves.mark[1], font(11)) + 8
            chip = QRectF(area.right() - wide - 4, y - scaled(17), wide, scaled(16))
            rounded(painter, chip, 4, colour("canvas", 0.8))
            draw_text(painter, chip, curves.mark[1], font(11), "text3", CENTRE)

    def _paint_bands(self, painter: QPainter, curves: Curves, scale: ResponseScale) -> None:
        area = self.area
        for place, (name, low_hz, high_hz) in enumerate(curves.bands):
            left = max(area.left(), float(scale.x(max(low_hz, 1e-9))))
            right = min(area.right(), float(scale.x(high_hz)))
            if right - left < 2:
                continue
            if place % 2 == 0:
                painter.fillRect(QRectF(left, area.top(), right - left, area.height()), colour("text", 0.035))
            if text_width(name, font(11)) + 8 <= right - left:
                room = QRectF(left, area.top() + 2, right - left, scaled(16))
                draw_text(painter, room, name, font(11), "text3", CENTRE)

    def _paint_curves(self, painter: QPainter, curves: Curves, scale: ResponseScale) -> None:
        x = np.asarray(scale.x(curves.frequencies_hz), dtype=np.float64)
        for values, token in ((curves.before, "before"), (curves.after, "after")):
            if values is None:
                continue
            line = polygon(*thinned(x, np.asarray(scale.y(values), dtype=np.float64)))
            painter.setPen(QPen(ink(token), 1.0))
            for shift in (-0.22, 0.22) if token == "after" else (0.0,):
                painter.translate(0, shift)
                painter.drawPolyline(line)
                painter.translate(0, -shift)

    def _paint_pointer(self, painter: QPainter, curves: Curves, scale: ResponseScale) -> None:
        if self.pointer is None or not axes.inside(self.area, self.pointer):
            right = axes.paint_legend(painter, self.area, has_after=curves.after is not None)
            axes.paint_heading(painter, self.area, curves.heading, right)
            return
        wanted_hz = scale.frequency_at(self.pointer.x())
        at = int(np.argmin(np.abs(curves.frequencies_hz - wanted_hz)))
        axes.crosshair(painter, self.area, float(scale.x(float(curves.frequencies_hz[at]))))
        parts = [(axes.hertz(float(curves.frequencies_hz[at])), "text2")]
        for values, (_, _, token) in zip((curves.before, curves.after), axes.SIDES, strict=True):
            if values is not None:
                value = float(values[at])
                words = axes.decibels(value) if curves.is_db else f"{axes.number(value)} {curves.unit}".rstrip()
                parts.append((words, token))
        right = axes.paint_readout(painter, self.area, parts)
        axes.paint_heading(painter, self.area, curves.heading, right)


class HistogramPlot(HoverPlot):
    """Shares of samples by size: Before filled, After as an outline over it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Histogram", parent)
        self._frame: AnalysisFrame | None = None

    def show_frame(self, frame: AnalysisFrame | None) -> None:
        """Show another histogram."""
        self._frame = frame
        self.update()

    @property
    def area(self) -> QRectF:
        """The plot inside its axes."""
        return QRectF(self.rect()).adjusted(scaled(56), scaled(22), -scaled(14), -scaled(24))

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            area, frame = self.area, self._frame
            axes.paint_ground(painter, area)
            content = None if frame is None else frame.content
            if frame is None or not isinstance(content, Histogram):
                axes.paint_problem(painter, area, "" if frame is None else frame.problem)
            else:
                self._paint_content(painter, frame, content)
            self.paint_focus(painter)

    def _paint_steps(self, painter: QPainter, x: FloatArray, heights: Sequence[FloatArray]) -> None:
        """Paint Before as a surface and After as a line over it, as shares of the height."""
        area = self.area
        painter.save()
        painter.setClipRect(area)
        for values, token in zip(heights, ("before", "after"), strict=False):
            y = area.bottom() - values * area.height()
            steps = polygon(np.repeat(x, 2)[1:-1], np.repeat(y, 2))
            if token == "before":
                steps.append(QPointF(area.right(), area.bottom() + 2))
                steps.append(QPointF(area.left(), area.bottom() + 2))
                painter.setPen(QPen(ink("before"), 1))
                painter.setBrush(colour("before", 0.45))
                painter.drawPolygon(steps)
                continue
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(ink("after"), 1))
            for shift in (-0.22, 0.22):
                painter.translate(0, shift)
                painter.drawPolyline(steps)
                painter.translate(0, -shift)
        painter.restore()

    def _paint_content(self, painter: QPainter, frame: AnalysisFrame, content: Histogram) -> None:
        area = self.area
        sides = [side for side in (content.before, content.after) if side is not None]
        top = max(max(float(side.max()) for side in sides) * 1.08, 1e-6)
        low, high = float(content.edges[0]), float(content.edges[-1])
        x = area.left() + (content.edges - low) / (high - low) * area.width()
        ticks = value_ticks(low, high, max(2, int(area.width() / scaled(80))))
        marks = [area.left() + (value - low) / (high - low) * area.width() for value in ticks.major]
        unit = shown_unit(frame.unit)
        axes.paint_bottom_marks(painter, area, list(zip(marks, ticks.labels, strict=True)), unit)
        levels = value_ticks(0.0, top * 100, max(2, int(area.height() / scaled(36))))
        heights = [area.bottom() - value / 100 / top * area.height() for value in levels.major]
        axes.paint_left_marks(painter, area, list(zip(heights, levels.labels, strict=True)))
        self._paint_steps(painter, x, [values / top for values in sides])
        if self.pointer is None or not axes.inside(area, self.pointer):
            right = axes.paint_legend(painter, area, has_after=len(sides) > 1)
            axes.paint_heading(painter, area, _SHARES, right)
            return
        at = int(np.clip(np.searchsorted(x, self.pointer.x()) - 1, 0, content.before.size - 1))
        axes.crosshair(painter, area, self.pointer.x())
        span = f"{axes.number(float(content.edges[at]))} to {axes.number(float(content.edges[at + 1]))} {unit}"
        parts = [(span.rstrip(), "text2")]
        parts += [(f"{100 * side[at]:.2f} %", token) for side, (_, _, token) in zip(sides, axes.SIDES, strict=False)]
        axes.paint_heading(painter, area, _SHARES, axes.paint_readout(painter, area, parts))
