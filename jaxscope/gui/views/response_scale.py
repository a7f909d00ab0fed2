"""Where a frequency and a level are in the response plot, and curves thinned to its pixels.

One dB scale serves the curve and both spectra. A thinned curve keeps the highest and the lowest value of every pixel
column, so a notch narrower than a pixel keeps its depth.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, exp, floor, log, log10

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPolygonF

from jaxscope.display.frequency_axis import axis_begin
from jaxscope.gui.painting.strokes import polygon_of

FloatArray = npt.NDArray[np.float64]

FLOOR_DB, TOP_DB, TALL_TOP_DB = -84.0, 12.0, 24.0
#: the highest point of Before lies this far below 0 dB
SPECTRUM_MARGIN_DB = 2.0
_LOWEST_HZ = 0.12
_SLOW_RATE_HZ = 4096.0
_FAR_DB = 400.0
#: least distance of a handle from the edge of the plot, so that it is seen and taken hold of as a whole
_HANDLE_PX = 14.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseScale:
    """The map from hertz and decibels to pixels of ``area``."""

    area: QRectF
    low_hz: float
    high_hz: float
    is_log: bool = True
    floor_db: float = FLOOR_DB
    top_db: float = TOP_DB

    def x(self, frequency_hz: FloatArray | float) -> FloatArray | float:
        """Return the pixel column of a frequency."""
        if self.is_log:
            share = np.log(np.maximum(frequency_hz, 1e-12) / self.low_hz) / log(self.high_hz / self.low_hz)
        else:
            share = np.asarray(frequency_hz) / self.high_hz
        return self.area.left() + share * self.area.width()

    def y(self, level_db: FloatArray | float) -> FloatArray | float:
        """Return the pixel row of a level."""
        held = np.clip(level_db, self.floor_db - _FAR_DB, self.top_db + _FAR_DB)
        return self.area.top() + (self.top_db - held) / (self.top_db - self.floor_db) * self.area.height()

    def handle_point(self, frequency_hz: float, level_db: float) -> QPointF:
        """Return where a handle is: on the curve, and inside the plot where a notch leaves it."""
        highest, lowest = self.area.top() + _HANDLE_PX, self.area.bottom() - _HANDLE_PX
        return QPointF(float(self.x(frequency_hz)), min(max(float(self.y(level_db)), highest), lowest))

    def frequency_at(self, x: float) -> float:
        """Return the frequency of a pixel column, inside the scale."""
        share = min(1.0, max(0.0, (x - self.area.left()) / max(1.0, self.area.width())))
        if self.is_log:
            return self.low_hz * exp(share * log(self.high_hz / self.low_hz))
        return max(share * self.high_hz, self.high_hz * 1e-4)

    def level_at(self, y: float) -> float:
        """Return the level of a pixel row."""
        return self.top_db - (y - self.area.top()) / max(1.0, self.area.height()) * (self.top_db - self.floor_db)

    def rise_db(self, pixels: float) -> float:
        """Return how many decibels so many pixels upwards are."""
        return pixels / max(1.0, self.area.height()) * (self.top_db - self.floor_db)

    def frequency_ticks(self) -> list[float]:
        """Return frequencies to label: 1, 2, 5 per decade, or even steps where linear."""
        if not self.is_log:
            step = nice_step(self.high_hz / 5)
            return [step * number for number in range(1, ceil(self.high_hz / step))]
        decades = range(floor(log10(self.low_hz)), ceil(log10(self.high_hz)) + 1)
        reach = log10(self.high_hz / self.low_hz)
        steps = tuple(range(1, 10)) if reach < 0.7 else (1, 2, 5) if reach < 4.2 else (1,)
        ticks = [step * 10.0**power for power in decades for step in steps]
        return [tick for tick in ticks if self.low_hz < tick < self.high_hz]

    def level_ticks(self) -> list[float]:
        """Return levels with a line: every 20 dB from 0 down, in other steps where the axis was drawn out."""
        span = self.top_db - self.floor_db
        step = 20.0 if 60 <= span <= 160 else nice_step(span / 5)
        first = 0.0 if 60 <= span <= 160 else floor(self.top_db / step) * step
        return [first - step * number for number in range(int((first - self.floor_db) / step + 1e-9) + 1)]


def frequency_limits(
    frequencies_hz: FloatArray, rate_hz: float, marked_hz: Iterable[float] = ()
) -> tuple[float, float]:
    """Return the lowest and highest frequency shown: 0.12 Hz (later for fast recordings) to half the rate.

    Where something is marked below that, it begins decades earlier.
    """
    positive = frequencies_hz[frequencies_hz > 0]
    first = float(positive[0]) if positive.size else _LOWEST_HZ
    usual = _LOWEST_HZ * max(1.0, rate_hz / _SLOW_RATE_HZ)
    return min(max(first, axis_begin(usual, marked_hz)), rate_hz / 8), rate_hz / 2


def nice_step(raw: float) -> float:
    """Return 1, 2 or 5 times a power of ten, not below ``raw``."""
    power = 10.0 ** floor(log10(raw))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= raw * (1 - 1e-9))


def thinned(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the curve with at most its first, highest, lowest and last point in each pixel column."""
    keep = np.isfinite(y)
    x, y = x[keep], y[keep]
    if x.size < 4:
        return x, y
    columns = np.floor(x).astype(np.int64)
    starts = np.flatnonzero(np.r_[True, np.diff(columns) != 0])
    if starts.size * 3 >= x.size:
        return x, y
    stops = np.r_[starts[1:], x.size]
    lowest, highest = np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)
    # four points a column, in the order first, lowest, highest, last: no loop over columns
    points = np.stack([y[starts], lowest, highest, y[stops - 1]], axis=1)
    places = np.stack([x[starts], x[starts], x[stops - 1], x[stops - 1]], axis=1)
    return places.reshape(-1), points.reshape(-1)


def polygon(x: FloatArray, y: FloatArray) -> QPolygonF:
    """Return points as Qt wants them, without a Python object for each."""
    return polygon_of(x, y)
