"""Painting of the pole-zero plane: circle, rays, marks, what is held, the lens, and the picture of ringing times.

From the back: ground, outside, grid, circle, other stages, zeros, poles, the held pair with its ghost, the lens.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass
from math import pi

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF

from jaxscope.filters.roots import Roots
from jaxscope.gui.components.painting import CENTRE, RIGHT, disc, draw_text, pen, rounded, text_width
from jaxscope.gui.theme import colour, font
from jaxscope.gui.views.poles_zeros_maps import Lens, PlaneMap, RingingMap, RootMap
from jaxscope.gui.views.poles_zeros_model import groups_of
from jaxscope.gui.views.response_paint import frequency_words

#: Scale from which Qt's own circle is too coarse and an arc of points takes its place.
_ARC_FROM = 2000.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanePicture:
    """All that one picture of the plane shows."""

    roots: Roots
    #: (kind, place) of the roots of other stages, mirrors too
    others: tuple[tuple[str, complex], ...]
    rate_hz: float
    #: (kind, place) of what is selected
    selected: tuple[str, complex] | None
    is_held: bool
    #: where the drag began
    ghost: complex | None
    over: tuple[str, complex] | None
    is_unstable: bool
    has_focus: bool


def paint_plane(painter: QPainter, rect: QRectF, shown: PlaneMap, lens: Lens | None, picture: PlanePicture) -> None:
    """Draw the z-plane with its lens."""
    frame = QPainterPath()
    frame.addRoundedRect(rect, 6, 6)
    painter.save()
    painter.setClipPath(frame)
    painter.fillRect(rect, colour("canvas"))
    _paint_outside(painter, rect, shown, 0.13 if picture.is_unstable else 0.055)
    _paint_grid(painter, rect, shown)
    _paint_circle(painter, rect, shown, pen("danger" if picture.is_unstable else "text3", 1.5))
    _paint_hertz(painter, rect, shown, picture.rate_hz)
    _paint_marks(painter, shown, picture)
    painter.restore()
    if lens is not None:
        _paint_lens(painter, rect, lens, picture)
    if picture.has_focus:
        rounded(painter, rect, 6, None, "focus", 2)


def paint_ringing(painter: QPainter, rect: QRectF, shown: RingingMap, picture: PlanePicture) -> None:
    """Draw frequency against ringing time."""
    frame = QPainterPath()
    frame.addRoundedRect(rect, 6, 6)
    painter.save()
    painter.setClipPath(frame)
    painter.fillRect(rect, colour("canvas"))
    small = font(10)
    for power in range(-6, 7):
        for step in (1, 2, 5):
            frequency_hz, seconds = step * 10.0**power, 10.0**power
            if shown.low_hz < frequency_hz < shown.rate_hz / 2:
                x = shown.frequency_x(frequency_hz)
                painter.fillRect(
                    QRectF(round(x), rect.top(), 1, rect.height()), colour("line", 1 if step == 1 else 0.5)
                )
                if step == 1 and x < rect.right() - 34:
                    words = QRectF(x - 20, rect.bottom() - 17, 40, 14)
                    draw_text(painter, words, frequency_words(frequency_hz), small, "text3", CENTRE)
            y = shown.ringing_y(seconds)
            if step == 1 and seconds * shown.rate_hz > 1 and rect.top() + 10 < y < rect.bottom() - 20:
                painter.fillRect(QRectF(rect.left(), round(y), rect.width(), 1), colour("line"))
                draw_text(painter, QRectF(rect.left() + 6, y - 15, 60, 14), _time_words(seconds), small, "text3")
    draw_text(painter, QRectF(rect.right() - 30, rect.bottom() - 17, 24, 14), "Hz", small, "text3", RIGHT)
    _paint_marks(painter, shown, picture)
    painter.restore()
    if picture.has_focus:
        rounded(painter, rect, 6, None, "focus", 2)


def _time_words(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:g} s"
    return f"{seconds * 1e3:g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:g} µs"


def _arc(rect: QRectF, shown: PlaneMap, radius: float) -> list[QPointF]:
    """Return points of a circle that passes the visible part, fine enough for any zoom."""
    middle = shown.from_px(rect.center())
    angle = cmath.phase(middle) if middle != 0 else 0.0
    reach = min(pi, 2 * (rect.width() + rect.height()) / shown.scale)
    return [shown.to_px(cmath.rect(radius, angle + reach * step / 48)) for step in range(-48, 49)]


def _paint_outside(painter: QPainter, rect: QRectF, shown: PlaneMap, alpha: float) -> None:
    path = QPainterPath()
    if shown.scale > _ARC_FROM:
        far = 1 + 4 * (rect.width() + rect.height()) / shown.scale
        path.addPolygon(QPolygonF(_arc(rect, shown, 1.0) + _arc(rect, shown, far)[::-1]))
    else:
        path.addRect(rect)
        path.addEllipse(shown.to_px(0j), shown.scale, shown.scale)
    painter.fillPath(path, colour("danger", alpha))


def _paint_circle(painter: QPainter, rect: QRectF, shown: PlaneMap, with_pen: QPen) -> None:
    painter.setPen(with_pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if shown.scale > _ARC_FROM:
        painter.drawPolyline(QPolygonF(_arc(rect, shown, 1.0)))
    else:
        painter.drawEllipse(shown.to_px(0j), shown.scale, shown.scale)


def _paint_grid(painter: QPainter, rect: QRectF, shown: PlaneMap) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if shown.scale > _ARC_FROM:
        axis = shown.to_px(0j).y()
        painter.fillRect(QRectF(rect.left(), round(axis), rect.width(), 1), colour("line2"))
        return
    origin = shown.to_px(0j)
    painter.setPen(pen("line", 1))
    for radius in (0.25, 0.5, 0.75):
        painter.drawEllipse(origin, shown.scale * radius, shown.scale * radius)
    for ray in range(16):
        painter.setPen(pen("line", 1, alpha=1.0 if ray % 4 == 0 else 0.55))
        painter.drawLine(origin, shown.to_px(cmath.rect(1.0, pi * ray / 8)))


def _paint_hertz(painter: QPainter, rect: QRectF, shown: PlaneMap, rate_hz: float) -> None:
    small = font(10)
    for eighth in (1, 2, 3):
        point = shown.to_px(cmath.rect(1.0, pi * eighth / 4)) + _outwards(eighth)
        words = QRectF(point.x() - 20, point.y() - 7, 40, 14)
        if rect.contains(words):
            draw_text(painter, words, frequency_words(float(f"{rate_hz * eighth / 8:.4g}")), small, "text3", CENTRE)


def _outwards(eighth: int) -> QPointF:
    away = cmath.rect(9.0 if eighth == 2 else 11.0, pi * eighth / 4)
    return QPointF(away.real * 1.25, -away.imag)


def mark(painter: QPainter, point: QPointF, kind: str, token: str, size: float = 5.5, width: float = 1.8) -> None:
    """Draw a pole (a cross) or a zero (a ring, filled with the ground)."""
    painter.setPen(pen(token, width))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if kind == "pole":
        painter.drawLine(point + QPointF(-size, -size), point + QPointF(size, size))
        painter.drawLine(point + QPointF(-size, size), point + QPointF(size, -size))
    else:
        painter.setBrush(colour("canvas"))
        painter.drawEllipse(point, size, size)


def _mirrored(place: complex) -> tuple[complex, ...]:
    return (place, place.conjugate()) if place.imag != 0 else (place,)


def _paint_marks(painter: QPainter, shown: RootMap, picture: PlanePicture) -> None:
    is_plane = isinstance(shown, PlaneMap)
    painter.setOpacity(0.8)
    for kind, place in picture.others:
        if is_plane or place.imag >= 0:
            mark(painter, shown.to_px(place), kind, "text3", 4, 1.3)
    painter.setOpacity(1.0)
    for kind, half in (("zero", picture.roots.zeros), ("pole", picture.roots.poles)):
        for place, many in groups_of(half):
            for one in _mirrored(place) if is_plane else (place,):
                _paint_root(painter, shown, picture, kind, one, many)
    if picture.selected is not None:
        _paint_selected(painter, shown, picture)


def _paint_root(painter: QPainter, shown: RootMap, picture: PlanePicture, kind: str, place: complex, many: int) -> None:
    point = shown.to_px(place)
    token = "danger" if kind == "pole" and abs(place) >= 1 else "after"
    if picture.over is not None and picture.over == (kind, complex(place.real, abs(place.imag))):
        disc(painter, point, 12, colour(token, 0.12))
    mark(painter, point, kind, token)
    if many > 1:
        words, small = f"×{many}", font(11, 500)
        width = text_width(words, small)
        left = point.x() - 10 - width if place.real > 0.7 else point.x() + 9
        draw_text(painter, QRectF(left, point.y() - 8, width + 2, 16), words, small, "text2")


def _paint_selected(painter: QPainter, shown: RootMap, picture: PlanePicture) -> None:
    assert picture.selected is not None
    kind, place = picture.selected
    is_plane = isinstance(shown, PlaneMap)
    token = "danger" if kind == "pole" and abs(place) >= 1 else "after"
    if picture.ghost is not None:
        for start, end in zip(_mirrored(picture.ghost), _ends(picture.ghost, place), strict=True):
            if is_plane or start.imag >= 0:
                painter.setPen(_dotted(token))
                painter.drawLine(shown.to_px(start), shown.to_px(end))
                mark(painter, shown.to_px(start), kind, "text3", 5, 1.5)
    point = shown.to_px(place)
    if picture.is_held:
        disc(painter, point, 15, colour(token, 0.22))
        if is_plane:
            painter.setPen(pen(token, 1, dashed=True, alpha=0.45))
            painter.drawLine(shown.to_px(0j), point)
    elif picture.has_focus:
        disc(painter, point, 11, None, "focus", 2)
    for one in _mirrored(place) if is_plane else (place,):
        mark(painter, shown.to_px(one), kind, token, 6.5, 2.4)


def _ends(start: complex, end: complex) -> tuple[complex, ...]:
    return (end,) if start.imag == 0 else (end, end.conjugate())


def _dotted(token: str) -> QPen:
    made = QPen(colour(token, 0.8), 1.2, Qt.PenStyle.DotLine)
    made.setCapStyle(Qt.PenCapStyle.FlatCap)
    return made


def _paint_lens(painter: QPainter, rect: QRectF, lens: Lens, picture: PlanePicture) -> None:
    glass = QPainterPath()
    radius = lens.radius
    glass.addEllipse(lens.centre, radius, radius)
    bounds = QRectF(lens.centre.x() - radius, lens.centre.y() - radius, 2 * radius, 2 * radius)
    painter.save()
    painter.setClipPath(glass)
    painter.fillPath(glass, colour("raised"))
    _paint_outside(painter, bounds, lens.map, 0.13 if picture.is_unstable else 0.1)
    axis = lens.map.to_px(0j).y()
    painter.fillRect(QRectF(bounds.left(), round(axis), 2 * radius, 1), colour("line2"))
    _paint_circle(painter, bounds, lens.map, pen("text3", 1.4))
    _paint_lens_marks(painter, lens, picture)
    painter.restore()
    disc(painter, lens.centre, radius, None, "text3", 1.2)
    small = font(11)
    width = text_width(lens.words, small) + 2
    left = max(rect.left() + 6, min(lens.centre.x() - width / 2, rect.right() - 6 - width))
    words = QRectF(left, bounds.top() - 17, width, 16)
    rounded(painter, words.adjusted(-3, 1, 3, -1), 3, colour("canvas", 0.85))
    draw_text(painter, words, lens.words, small, "text3", CENTRE)


def _paint_lens_marks(painter: QPainter, lens: Lens, picture: PlanePicture) -> None:
    for kind, place in picture.others:
        mark(painter, lens.map.to_px(place), kind, "text2", 3.5, 1.3)
    for kind, half in (("zero", picture.roots.zeros), ("pole", picture.roots.poles)):
        for place, _ in groups_of(half):
            for one in _mirrored(place):
                hot = picture.selected == (kind, complex(one.real, abs(one.imag)))
                token = "danger" if kind == "pole" and abs(one) >= 1 else "after"
                if hot and picture.is_held:
                    disc(painter, lens.map.to_px(one), 9, colour(token, 0.22))
                mark(painter, lens.map.to_px(one), kind, token, 4.5 if hot else 4.0, 2.0 if hot else 1.5)
