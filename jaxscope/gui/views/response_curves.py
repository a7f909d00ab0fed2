"""The views of the response besides the magnitude: phase and group delay over frequency, impulse and step over time.

The curve comes from the design frame, worked out elsewhere. Kept here are only the curve from before the edit, drawn
dashed until the edit has come to rest, and where the pointer is.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from jaxscope.compute.frames import Blocked, DesignFrame, Outcome, ResponseCurve
from jaxscope.filters.spec import Stage
from jaxscope.gui.components.numbers import MINUS, write_number
from jaxscope.gui.components.painting import (
    CENTRE,
    RIGHT,
    begin,
    draw_text,
    focus_ring,
    hairline,
    pen,
    rounded,
    text_width,
    tip_width,
    value_tip,
)
from jaxscope.gui.theme import colour, font, scaled
from jaxscope.gui.views.base import AbstractView
from jaxscope.gui.views.response_paint import frequency_words, paint_note
from jaxscope.gui.views.response_scale import ResponseScale, frequency_limits, nice_step, polygon, thinned
from jaxscope.session.state import ResponseView, SessionState

FloatArray = npt.NDArray[np.float64]
#: view to its title, unit, factor to that unit, and the least height of its axis in that unit
VIEWS: dict[ResponseView, tuple[str, str, float, float]] = {
    "magnitude": ("Magnitude", "dB", 1.0, 1.0),
    "gain": ("Gain, linear", "", 1.0, 1.0),
    "phase": ("Phase", "°", 1.0, 90.0),
    "group_delay": ("Group delay", "ms", 1e3, 1.0),
    "impulse": ("Impulse", "", 1.0, 1e-6),
    "step": ("Step", "", 1.0, 1.0),
}
_REST_MS = 1200
_OWN_KEYS = frozenset({Qt.Key.Key_G, Qt.Key.Key_L, Qt.Key.Key_0, Qt.Key.Key_Escape})
#: share of the values that the axis holds: a delay next to a notch goes beyond all bounds
_HELD_SHARE = (2.0, 98.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveScale:
    """The map of one view to the pixels of ``area``; values are in the unit of the axis."""

    area: QRectF
    low: float
    high: float
    step: float
    over_time: bool
    first: float
    last: float
    is_log: bool

    def x(self, value: FloatArray | float) -> FloatArray | float:
        """Return the column of a frequency or a time."""
        if self.is_log and not self.over_time:
            share = np.log(np.maximum(value, 1e-12) / self.first) / log(self.last / self.first)
        else:
            share = (np.asarray(value) - self.first) / (self.last - self.first)
        return self.area.left() + share * self.area.width()

    def y(self, value: FloatArray | float) -> FloatArray | float:
        """Return the row of a value."""
        far = 4 * (self.high - self.low)
        held = np.clip(value, self.low - far, self.high + far)
        return self.area.top() + (self.high - held) / (self.high - self.low) * self.area.height()

    def ticks(self) -> list[float]:
        """Return the values with a line."""
        return [self.step * number for number in range(ceil(self.low / self.step), floor(self.high / self.step) + 1)]


def axis_of(view: ResponseView, values: FloatArray) -> tuple[float, float, float]:
    """Return lowest and highest value of the axis and the step of its lines, on round numbers."""
    least = VIEWS[view][3]
    known = values[np.isfinite(values)]
    low, high = (0.0, 0.0) if known.size == 0 else (float(known.min()), float(known.max()))
    if view == "group_delay" and known.size:
        low, high = (float(part) for part in np.percentile(known, _HELD_SHARE))
    low, high = min(low, 0.0), max(high, 0.0)
    if high - low < least:
        high = low + least if low == 0 else high
        low = high - least if high - low < least else low
    step = max(_degrees((high - low) / 4), 45.0) if view == "phase" else nice_step((high - low) / 4)
    return floor((low / step - 0.1) * 4) / 4 * step, ceil((high / step + 0.1) * 4) / 4 * step, step


def _degrees(raw: float) -> float:
    steps = (45.0, 90.0, 180.0, 360.0)
    return next((step for step in steps if step >= raw), 360.0 * nice_step(raw / 360.0))


class CurvePlot(QWidget, AbstractView):
    """The plot of one view."""

    escaped = Signal()
    #: G: the next view
    next_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: ResponseView = "phase"
        self._chain = 0
        self._stages: tuple[Stage, ...] = ()
        self._is_zero_phase = False
        self._frame: DesignFrame | None = None
        self._stable: ResponseCurve | None = None
        self._ghost: ResponseCurve | None = None
        self._blocked = False
        self._is_log = True
        self._pointer: float | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._on_rest)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        chain, chains = state.viewport.active_chain, state.document.chains
        stages = chains[chain].stages if chain < len(chains) else ()
        if chain >= len(chains):
            self._frame = self._stable = self._ghost = None
        elif state.viewport.response_view != self._view or chain != self._chain:
            self._stable = self._ghost = None
        elif stages != self._stages and self._ghost is None:
            self._ghost = self._stable
        if stages != self._stages:
            self._rest.start()
        self._chain, self._stages, self._view = chain, stages, state.viewport.response_view
        self._is_zero_phase = chain < len(chains) and chains[chain].phase == "zero"
        self.setAccessibleName(f"{VIEWS[self._view][0]} response")
        self.update()

    def show_frame(self, outcome: Outcome) -> None:
        if isinstance(outcome, DesignFrame) and outcome.chain == self._chain:
            self._frame = outcome
            if outcome.is_stable:
                self._blocked = False
                if outcome.curve is not None and outcome.curve.view == self._view:
                    self._stable = outcome.curve
        elif isinstance(outcome, Blocked) and outcome.chain in (None, self._chain):
            self._blocked = outcome.kind == "unstable"
        else:
            return
        self.update()

    @property
    def curve(self) -> ResponseCurve | None:
        """The curve that is shown: the newest of a stable filter."""
        return self._stable

    @property
    def is_held(self) -> bool:
        """Whether the curve is that of the last stable filter."""
        return self._blocked or (self._frame is not None and not self._frame.is_stable)

    def scale(self) -> CurveScale | None:
        """Return the map to pixels, or None while there is no curve."""
        curve, frame = self._stable, self._frame
        if curve is None or frame is None or curve.x.size < 2:
            return None
        factor = VIEWS[self._view][2]
        low, high, step = axis_of(self._view, curve.y * factor)
        over_time = self._view in ("impulse", "step")
        first, last = float(curve.x[0]), float(curve.x[-1])
        if not over_time:
            first, last = frequency_limits(frame.frequencies_hz, frame.rate_hz, (handle[0] for handle in frame.handles))
            first = first if self._is_log else 0.0
        widest = max(text_width(self._words(tick, step), font(11)) for tick in (low, high))
        left, bottom = max(scaled(34), round(widest) + 10), scaled(22)
        area = QRectF(left, 6, max(20, self.width() - left - 1), max(20, self.height() - 6 - bottom))
        return CurveScale(
            area=area, low=low, high=high, step=step, over_time=over_time, first=first, last=last, is_log=self._is_log
        )

    def sizeHint(self) -> QSize:
        return QSize(scaled(300), scaled(230))

    def minimumSizeHint(self) -> QSize:
        return QSize(160, scaled(100))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = event.position().x()
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = None
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif event.key() == Qt.Key.Key_G:
            self.next_wanted.emit()
        elif event.key() == Qt.Key.Key_L:
            self._is_log = not self._is_log
        elif event.key() == Qt.Key.Key_0:
            self._is_log = True
        else:
            event.ignore()
        self.update()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            held = event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier & ~Qt.KeyboardModifier.KeypadModifier
            if event.key() in _OWN_KEYS and held == Qt.KeyboardModifier.NoModifier:
                event.accept()
                return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            scale = self.scale()
            if scale is None:
                area = QRectF(scaled(34), 6, self.width() - scaled(34) - 1, self.height() - 6 - scaled(22))
                rounded(painter, area, 6, "canvas")
                words = "An unstable filter rings for ever" if self.is_held else ""
                draw_text(painter, area, words, font(12), "text3", CENTRE)
            else:
                self._paint_ground(painter, scale)
                self._paint_curves(painter, scale)
                self._paint_words(painter, scale)
                if self.hasFocus():
                    focus_ring(painter, scale.area)

    def _paint_ground(self, painter: QPainter, scale: CurveScale) -> None:
        area, small = scale.area, font(11)
        rounded(painter, area, 6, "canvas")
        for tick in scale.ticks():
            y = round(float(scale.y(tick)))
            hairline(painter, area.left(), y, area.width(), "line2" if abs(tick) < scale.step / 2 else "line")
            draw_text(
                painter, QRectF(0, y - 8, area.left() - 6, 16), self._words(tick, scale.step), small, "text3", RIGHT
            )
        unit = "s" if scale.over_time else "Hz"
        factor = 1.0
        if scale.over_time and scale.last < 1:
            unit, factor = "ms", 1e3
        draw_text(painter, QRectF(self.width() - 40, area.bottom() + 4, 40, 16), unit, small, "text3", RIGHT)
        unit_left, last = self.width() - text_width(unit, small) - 4, area.left() - 20.0
        for place in _places(scale):
            x = float(scale.x(place))
            hairline(painter, round(x), area.top(), area.height(), colour("line", 0.8), upright=True)
            words = f"{place * factor:.10g}".replace("-", MINUS) if scale.over_time else frequency_words(place)
            half = text_width(words, small) / 2
            if x - half >= last + 6 and x + half <= unit_left - 4:
                last = x + half
                draw_text(painter, QRectF(x - 24, area.bottom() + 4, 48, 16), words, small, "text3", CENTRE)

    def _paint_curves(self, painter: QPainter, scale: CurveScale) -> None:
        inside = QPainterPath()
        inside.addRoundedRect(scale.area, 6, 6)
        painter.save()
        painter.setClipPath(inside)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._ghost is not None and not self.is_held:
            painter.setPen(pen("text3", 1.2, dashed=True))
            self._draw(painter, scale, self._ghost)
        held = self.is_held
        painter.setPen(pen("text2" if held else "text", 1.2 if held else 2.0, dashed=held))
        if self._stable is not None:
            self._draw(painter, scale, self._stable)
        painter.restore()

    def _draw(self, painter: QPainter, scale: CurveScale, curve: ResponseCurve) -> None:
        values = curve.y * VIEWS[self._view][2]
        seen = curve.x > 0 if not scale.over_time else np.ones(curve.x.shape, dtype=bool)
        x, y = np.asarray(scale.x(curve.x[seen])), np.asarray(scale.y(values[seen]))
        breaks = np.flatnonzero(~np.isfinite(y))
        for xs, ys in zip(np.split(x, breaks), np.split(y, breaks), strict=True):
            keep = np.isfinite(ys)
            if keep.sum() > 1:
                painter.drawPolyline(polygon(*thinned(xs[keep], ys[keep])))

    def _paint_words(self, painter: QPainter, scale: CurveScale) -> None:
        words = ""
        if self.is_held:
            words = "last stable filter"
        elif self._is_zero_phase and self._view in ("phase", "group_delay"):
            words = "Zero phase: nothing is shifted"
        if words:
            paint_note(painter, scale.area, words)
        if (
            self._pointer is None
            or self._stable is None
            or not scale.area.contains(self._pointer, scale.area.center().y())
        ):
            return
        columns = np.asarray(scale.x(self._stable.x))
        at = int(np.argmin(np.abs(columns - self._pointer)))
        value = float(self._stable.y[at]) * VIEWS[self._view][2]
        if not np.isfinite(value):
            return
        tip = f"{self._place_words(float(self._stable.x[at]), scale)}   {self._value_words(value)}"
        point = QPointF(float(columns[at]), float(np.clip(scale.y(value), scale.area.top(), scale.area.bottom())))
        hairline(painter, round(point.x()), scale.area.top(), scale.area.height(), colour("text2", 0.55), upright=True)
        width = tip_width(tip)
        left = point.x() + 10 if point.x() + 10 + width < scale.area.right() else point.x() - 10 - width
        value_tip(
            painter,
            QRectF(left, min(max(point.y() - 28, scale.area.top() + 4), scale.area.bottom() - 26), width, 22),
            tip,
        )

    def _words(self, value: float, step: float) -> str:
        places = max(0, -floor(np.log10(step) + 1e-9)) if step < 1 else 0
        unit = VIEWS[self._view][1]
        words = f"{value:.{places}f}" if abs(value) > step / 2 else "0"
        return f"{words}{unit if unit == '°' else ''}{' ms' if unit == 'ms' and words == '0' else ''}".replace(
            "-", MINUS
        )

    def _value_words(self, value: float) -> str:
        unit = VIEWS[self._view][1]
        return f"{write_number(value, 3)}{'' if unit == '°' else ' '}{unit}".rstrip()

    def _place_words(self, place: float, scale: CurveScale) -> str:
        if not scale.over_time:
            return f"{write_number(place, 3)} Hz"
        return f"{write_number(place * 1e3, 3)} ms" if scale.last < 1 else f"{write_number(place, 3)} s"

    def _on_rest(self) -> None:
        self._ghost = None
        self.update()


def _places(scale: CurveScale) -> list[float]:
    if scale.over_time:
        step = nice_step((scale.last - scale.first) / 6)
        return [step * number for number in range(ceil(scale.first / step), floor(scale.last / step) + 1)]
    ruler = ResponseScale(area=scale.area, low_hz=max(scale.first, 1e-9), high_hz=scale.last, is_log=scale.is_log)
    return ruler.frequency_ticks()
