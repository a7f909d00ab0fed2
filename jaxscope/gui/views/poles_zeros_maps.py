"""Where a place of the z-plane is in pixels: the whole plane, the lens, and frequency against ringing.

A map is a frozen value; a drag keeps the one it began with, so the root stays under the pointer.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass
from math import exp, log, pi
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF

from jaxscope.filters.roots import Roots, both
from jaxscope.gui.views.poles_zeros_model import DECAYED

#: Room around the circle: half the side over its radius.
MARGIN = 1.16
#: Qt draws circles faithfully up to about this many pixels of radius.
LARGEST_RADIUS_PX = 12_000.0
#: Width of the lens, and in a plane that is not 220 high.
LENS_PX, SMALL_LENS_PX = 68.0, 52.0
_SMALL_PLANE_PX = 220.0
_LABEL_PX = 17.0
#: How far from z = 1 roots count as a crowd, and where in the lens the farthest of them is put.
_CROWD_WITHIN = 0.08
_FARTHEST_IN_LENS = 0.5
_LEAST_MAGNIFICATION, _MOST_MAGNIFICATION = 5.0, 1e6
#: What is so near to the circle or to the axis is at the edge of the picture of ringing times.
_AT_THE_EDGE = 1e-4
#: Ringing times of the other picture, in samples.
_SHORTEST, _LONGEST = 1.0, 1e5


class RootMap(Protocol):
    """A picture of places of the z-plane."""

    def to_px(self, z: complex) -> QPointF:
        """Return where a place is in pixels."""

    def from_px(self, point: QPointF) -> complex:
        """Return the place at a pixel."""

    def near(self, z: complex, px: float) -> float:
        """Return how far in z so many pixels are, about a place."""


@dataclass(frozen=True, slots=True)
class PlaneMap:
    """The z-plane: ``middle`` is at ``centre``, ``scale`` pixels are 1."""

    centre: QPointF
    middle: complex
    scale: float

    def to_px(self, z: complex) -> QPointF:
        away = (z - self.middle) * self.scale
        return QPointF(self.centre.x() + away.real, self.centre.y() - away.imag)

    def from_px(self, point: QPointF) -> complex:
        return self.middle + complex(point.x() - self.centre.x(), self.centre.y() - point.y()) / self.scale

    def near(self, z: complex, px: float) -> float:
        return px / self.scale


@dataclass(frozen=True, slots=True)
class RingingMap:
    """Logarithmic frequency to the right, logarithmic ringing upwards; only inside the circle and above the axis."""

    area: QRectF
    rate_hz: float
    low_hz: float

    def to_px(self, z: complex) -> QPointF:
        frequency_hz = max(abs(cmath.phase(z)) / (2 * pi) * self.rate_hz, self.low_hz * 0.97)
        radius = min(abs(z), 1 - 1e-12)
        samples = _LONGEST if radius >= 1 - 1e-12 else log(DECAYED) / log(max(radius, 1e-12))
        share = log(frequency_hz / self.low_hz) / log(self.rate_hz / 2 / self.low_hz)
        up = log(min(max(samples, _SHORTEST), _LONGEST) / _SHORTEST) / log(_LONGEST / _SHORTEST)
        return QPointF(self.area.left() + share * self.area.width(), self.area.bottom() - up * self.area.height())

    def from_px(self, point: QPointF) -> complex:
        share = min(1.0, max(0.0, (point.x() - self.area.left()) / self.area.width()))
        up = min(1.0, max(0.0, (self.area.bottom() - point.y()) / self.area.height()))
        frequency_hz = self.low_hz * exp(share * log(self.rate_hz / 2 / self.low_hz))
        samples = _SHORTEST * exp(up * log(_LONGEST / _SHORTEST))
        radius = exp(log(DECAYED) / samples)
        if share in (0.0, 1.0):
            return complex(radius if share == 0 else -radius)
        return cmath.rect(radius, 2 * pi * frequency_hz / self.rate_hz)

    def near(self, z: complex, px: float) -> float:
        return _AT_THE_EDGE

    def frequency_x(self, frequency_hz: float) -> float:
        """Return the column of a frequency."""
        share = log(frequency_hz / self.low_hz) / log(self.rate_hz / 2 / self.low_hz)
        return self.area.left() + share * self.area.width()

    def ringing_y(self, seconds: float) -> float:
        """Return the row of a ringing time."""
        up = log(max(seconds * self.rate_hz, _SHORTEST) / _SHORTEST) / log(_LONGEST / _SHORTEST)
        return self.area.bottom() - up * self.area.height()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """A round glass over a corner of the plane that shows a part of it larger, or the whole of it."""

    centre: QPointF
    radius: float
    map: PlaneMap
    #: how much larger than the whole plane it shows
    magnification: float
    words: str

    def holds(self, point: QPointF) -> bool:
        """Return whether a pixel is under the glass."""
        away = point - self.centre
        return away.x() ** 2 + away.y() ** 2 <= self.radius**2


def whole_plane(rect: QRectF) -> PlaneMap:
    """Return the map that shows the whole circle."""
    return PlaneMap(rect.center(), 0j, min(rect.width(), rect.height()) / 2 / MARGIN)


def crowd_of(all_roots: tuple[complex, ...]) -> tuple[complex, ...]:
    """Return the roots that crowd at z = 1, or nothing where they are not at different places."""
    crowd = tuple(root for root in all_roots if abs(root - 1) <= _CROWD_WITHIN)
    apart = any(abs(root - crowd[0]) > 1e-9 for root in crowd)
    return crowd if apart else ()


def lens_for(rect: QRectF, all_roots: tuple[complex, ...], shown: PlaneMap, *, is_swapped: bool) -> Lens | None:
    """Return the lens, or None where nothing crowds at z = 1 or it is told apart without.

    Parameters
    ----------
    rect : QRectF
        The plane.
    all_roots : tuple of complex
        Everything that is drawn, mirrors too.
    shown : PlaneMap
        What the plane shows.
    is_swapped : bool
        The plane shows the crowd and the lens the whole circle.
    """
    crowd = crowd_of(all_roots)
    if not crowd:
        return None
    whole = whole_plane(rect)
    radius = (LENS_PX if rect.height() >= _SMALL_PLANE_PX else SMALL_LENS_PX) / 2
    corner = _free_corner(rect, all_roots, shown, radius)
    if is_swapped:
        whole_map = PlaneMap(corner, 0j, radius / MARGIN)
        return Lens(centre=corner, radius=radius, map=whole_map, magnification=1.0, words="whole circle")
    farthest = max(abs(root - 1) for root in crowd)
    larger = float(f"{_FARTHEST_IN_LENS * radius / (farthest * whole.scale):.2g}")
    larger = min(max(larger, _LEAST_MAGNIFICATION), _MOST_MAGNIFICATION)
    if larger * whole.scale < 2 * shown.scale or farthest * whole.scale > 14:
        return None
    middle = QPointF(corner.x() + 0.35 * radius, corner.y())
    return Lens(
        centre=corner,
        radius=radius,
        map=PlaneMap(middle, 1 + 0j, larger * whole.scale),
        magnification=larger,
        words=f"×{larger:g} at 0 Hz",
    )


def crowd_plane(rect: QRectF, all_roots: tuple[complex, ...]) -> PlaneMap:
    """Return the map that fills the plane with the crowd at z = 1."""
    crowd = crowd_of(all_roots)
    farthest = max((abs(root - 1) for root in crowd), default=0.05)
    scale = min(0.3 * min(rect.width(), rect.height()) / farthest, whole_plane(rect).scale * _MOST_MAGNIFICATION)
    return PlaneMap(QPointF(rect.center().x() + 0.2 * rect.width(), rect.center().y()), 1 + 0j, scale)


def _free_corner(rect: QRectF, all_roots: tuple[complex, ...], shown: PlaneMap, radius: float) -> QPointF:
    away = radius + 8
    corners = [
        QPointF(rect.left() + away, rect.bottom() - away),
        QPointF(rect.right() - away, rect.bottom() - away),
        QPointF(rect.left() + away, rect.top() + away + 14),
        QPointF(rect.right() - away, rect.top() + away + 14),
    ]
    places = [shown.to_px(root) for root in all_roots]

    def hidden(corner: QPointF) -> int:
        words = QRectF(corner.x() - radius, corner.y() - radius - _LABEL_PX - 4, 2 * radius, _LABEL_PX)
        reach = (radius + 6) ** 2
        return sum((p.x() - corner.x()) ** 2 + (p.y() - corner.y()) ** 2 < reach or words.contains(p) for p in places)

    return min(corners, key=hidden)


def drawn_roots(roots: Roots, others: tuple[tuple[str, complex], ...]) -> tuple[complex, ...]:
    """Return every place with a mark, mirrors too."""
    return (*both(roots.zeros), *both(roots.poles), *(place for _, place in others))
