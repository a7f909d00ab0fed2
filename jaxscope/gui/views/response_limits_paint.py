"""Painting of limits: the ground that is not allowed, the part of the curve that fails, and the worst in words."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from jaxscope.compute.frames import DesignFrame
from jaxscope.errors import capitalised
from jaxscope.filters.limits import MOST_DB, SLACK_DB, Limit, Verdict
from jaxscope.gui.components.painting import draw_text, pen, rounded, text_width
from jaxscope.gui.theme import colour, font
from jaxscope.gui.views.response_drags import STRIP_PX
from jaxscope.gui.views.response_scale import ResponseScale, polygon, thinned


def paint_limits(
    painter: QPainter,
    scale: ResponseScale,
    limits: tuple[Limit, ...],
    verdicts: tuple[Verdict, ...],
    frame: DesignFrame,
) -> None:
    """Draw every limit, the failing part of the curve behind the curve itself, and the worst failure in words."""
    if not limits:
        return
    failed = {verdict.limit for verdict in verdicts if not verdict.is_kept}
    painter.save()
    painter.setClipRect(scale.area)
    for limit in limits:
        _paint_limit(painter, scale, limit, frame.rate_hz, is_failed=limit in failed)
    for verdict in verdicts:
        if not verdict.is_kept:
            _paint_failure(painter, scale, verdict.limit, frame)
    painter.restore()
    worst = max(verdicts, key=lambda verdict: verdict.excess_db, default=None)
    if worst is not None and not worst.is_kept:
        words = capitalised(worst.sentence())
        width = text_width(words, font(11, 500)) + 14
        box = QRectF(scale.area.left() + 6, scale.area.bottom() - 26, width, 20)
        rounded(painter, box, 4, "danger_bg")
        draw_text(painter, box.adjusted(7, 0, 0, 0), words, font(11, 500), "danger")


def _paint_limit(painter: QPainter, scale: ResponseScale, limit: Limit, rate_hz: float, *, is_failed: bool) -> None:
    low_hz, high_hz = limit.edges_hz(rate_hz)
    if low_hz >= high_hz:
        return
    area = scale.area
    left = area.left() if low_hz <= 0 else max(area.left(), float(scale.x(low_hz)))
    right = min(area.right(), float(scale.x(high_hz)))
    token = "danger" if is_failed else "text2"
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    top = round(float(scale.y(limit.most_db()))) + 0.5
    _paint_side(painter, QRectF(left, top, right - left, -min(STRIP_PX, top - area.top())), token)
    if limit.least_db() > -MOST_DB - 1:
        bottom = round(float(scale.y(limit.least_db()))) + 0.5
        _paint_side(painter, QRectF(left, bottom, right - left, min(STRIP_PX, area.bottom() - bottom)), token)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)


def _paint_side(painter: QPainter, strip: QRectF, token: str) -> None:
    """Draw a border with a strip on its forbidden side, and the uprights at both ends of it."""
    painter.fillRect(strip.normalized(), colour(token, 0.22))
    painter.setPen(pen(token, 1.0))
    far, near = strip.top() + strip.height(), strip.top()
    corners = [QPointF(strip.left(), far), QPointF(strip.left(), near), QPointF(strip.right(), near)]
    painter.drawPolyline([*corners, QPointF(strip.right(), far)])


def _paint_failure(painter: QPainter, scale: ResponseScale, limit: Limit, frame: DesignFrame) -> None:
    """Draw the part of the curve that is beyond its limit, broad and red; the curve itself comes over it."""
    low_hz, high_hz = limit.edges_hz(frame.rate_hz)
    inside = (frame.frequencies_hz >= low_hz) & (frame.frequencies_hz <= high_hz)
    beyond = inside & (limit.excess_db(frame.magnitude_db) > SLACK_DB)
    x, y = np.asarray(scale.x(frame.frequencies_hz)), np.asarray(scale.y(frame.magnitude_db))
    starts = np.flatnonzero(np.diff(np.r_[False, beyond].astype(np.int8)) == 1)
    painter.setPen(pen("danger", 1.0))
    for start in starts:
        length = int(np.argmin(np.r_[beyond[start:], False]))
        run = slice(start, start + length)
        line = polygon(*thinned(x[run], y[run]))
        # strokes of one pixel: Qt takes many times as long for wider ones
        for down in range(-3, 4):
            painter.drawPolyline(line.translated(0.0, down / 1.5))
