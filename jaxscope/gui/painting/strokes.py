"""Traces as antialiased polylines: once each in motion, twice where a heavier stroke is wanted at rest.

Pens are one device pixel wide, always: Qt's stroker is some forty times slower for wider ones. A heavier stroke is two
thin ones a fraction of a pixel apart. The interpreter is let go between polylines, so the GUI thread never waits for
more than one of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import shiboken6
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from jaxscope.gui.painting.scene import Line, Pane, Stroke, TraceScene, vertices

FloatArray = npt.NDArray[np.float64]

#: Samples further apart than this get a dot each.
DOT_SPACING_PX = 9.0
#: How far a line may be away from the picture before it is held there, for the sake of the rasteriser.
_FAR_PX = 20_000.0
_WORK_S = 0.0015
_BREATH_S = 0.0001


class Breath:
    """Lets other threads have the interpreter every now and then; a plain release may be taken back at once."""

    def __init__(self) -> None:
        self._since = time.perf_counter()

    def __call__(self) -> None:
        """Sleep for a moment where much time has passed since the last one."""
        if time.perf_counter() - self._since > _WORK_S:
            time.sleep(_BREATH_S)
            self._since = time.perf_counter()


def polygon_of(x: FloatArray, y: npt.NDArray[np.floating]) -> QPolygonF:
    """Return the points as a polygon, without a Python object for each of them."""
    polygon = QPolygonF()
    polygon.resize(len(x))
    if len(x):
        # the stubs know neither that data() is an address nor that the memory behind it is a buffer
        memory: Any = shiboken6.VoidPtr(polygon.data(), len(x) * 16, True)  # type: ignore[call-arg, arg-type]
        points = np.frombuffer(memory, np.float64).reshape(-1, 2)
        points[:, 0] = x
        points[:, 1] = y
    return polygon


def polygons(line: Line) -> list[QPolygonF]:
    """Return the unbroken parts of a trace."""
    x, y = vertices(line)
    is_there = np.isfinite(y)
    y = np.clip(y, -_FAR_PX, _FAR_PX)
    if is_there.all():
        return [polygon_of(x, y)] if len(x) else []
    changes = np.flatnonzero(np.diff(np.concatenate(([0], is_there.view(np.int8), [0]))))
    return [polygon_of(x[begin:end], y[begin:end]) for begin, end in zip(changes[0::2], changes[1::2], strict=True)]


def dots_are_drawn(scene: TraceScene, pane: Pane, rate_hz: float) -> bool:
    """Return whether samples of a rate are so far apart in a pane that each is a dot."""
    return pane.width_px >= DOT_SPACING_PX * scene.ratio * rate_hz * (scene.stop_s - scene.start_s)


def paint_strokes(image: QImage, strokes: tuple[Stroke, ...], scene: TraceScene, is_stale: Callable[[], bool]) -> bool:
    """Paint strokes into an image (device pixel ratio 1); return False where it was given up because it is stale."""
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, scene.is_smooth)
    breathe = Breath()
    try:
        for stroke in strokes:
            pane = stroke.pane
            painter.setClipRect(QRectF(pane.left_px, 0, pane.width_px, image.height()))
            painter.setPen(_pen(stroke.colour))
            shifts = _shifts(scene, is_strong=stroke.is_strong)
            for line in stroke.lines:
                if is_stale():
                    return False
                _paint_line(painter, line, shifts, breathe)
                _paint_dots(painter, stroke, line, scene.ratio)
    finally:
        painter.end()
    return True


def _pen(colour: int) -> QPen:
    pen = QPen(QColor.fromRgb(colour), 1.0)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setJoinStyle(Qt.PenJoinStyle.BevelJoin)
    return pen


def _shifts(scene: TraceScene, *, is_strong: bool) -> tuple[float, ...]:
    if scene.quality == "motion":
        return (0.0,)
    if scene.ratio > 1.25:
        return (-0.5, 0.5)
    return (-0.22, 0.22) if is_strong else (0.0,)


def _paint_line(painter: QPainter, line: Line, shifts: tuple[float, ...], breathe: Breath) -> None:
    # 0.5: a line through the middle of a pixel row is one row, not two pale ones
    for polygon in polygons(line):
        for shift in shifts:
            painter.translate(0.5, 0.5 + shift)
            painter.drawPolyline(polygon)
            painter.translate(-0.5, -0.5 - shift)
        breathe()


def _paint_dots(painter: QPainter, stroke: Stroke, line: Line, ratio: float) -> None:
    if not line.is_exact or len(line.x) < 2 or np.nanmin(np.diff(line.x)) < DOT_SPACING_PX * ratio:
        return
    is_there = np.isfinite(line.top)
    pen = QPen(QColor.fromRgb(stroke.colour), 4.0 * ratio)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.save()
    painter.setPen(pen)
    painter.translate(0.5, 0.5)
    painter.drawPoints(polygon_of(line.x[is_there], line.top[is_there]))
    painter.restore()
