"""The canvas of the traces, its selected lanes and its grid: all that looks the same at every height of a row.

On a screen one row of pixels is painted and laid down row by row. Lines that stand upright touch another part of memory
with each of their pixels: to paint ten of them takes eight times as long (measured). On paper they stay lines.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QColor, QImage, QPainter

from jaxscope.display.ticks import time_ticks
from jaxscope.gui.painting.geometry import axes_of
from jaxscope.gui.theme import colour, theme
from jaxscope.gui.views.traces_canvas import Canvas


def paint_grid(canvas: Canvas) -> None:
    """Paint the canvas, the selected lanes and the grid of all panes; the painter does not smooth."""
    _paint_rows(canvas, QRectF(0, 0, canvas.width, canvas.height), None)
    tint = colour("after", 0.07 if theme().is_dark else 0.06)
    is_stacked = canvas.model.state.viewport.arrangement == "stacked"
    selected = set(canvas.model.state.viewport.selected_channels if is_stacked else ())
    for row in sorted({lane.row for lane in canvas.model.lanes if lane.name in selected}):
        _paint_rows(canvas, QRectF(0, row * canvas.lane_px, canvas.width, canvas.lane_px), tint)


def _paint_rows(canvas: Canvas, rect: QRectF, tint: QColor | None) -> None:
    if canvas.is_for_paper:
        _paint_lines(canvas, canvas.painter, rect, tint)
        return
    painter, ratio = canvas.painter, canvas.painter.device().devicePixelRatio()
    image = QImage(max(1, round(canvas.width * ratio)), 1, QImage.Format.Format_RGB32)
    with QPainter(image) as own:
        own.scale(ratio, ratio)
        _paint_lines(canvas, own, QRectF(0, 0, canvas.width, 1), tint)
    painter.save()
    painter.scale(1 / ratio, 1 / ratio)
    painter.fillRect(QRectF(rect.x() * ratio, rect.y() * ratio, image.width(), rect.height() * ratio), QBrush(image))
    painter.restore()


def _paint_lines(canvas: Canvas, painter: QPainter, rect: QRectF, tint: QColor | None) -> None:
    painter.fillRect(rect, colour("canvas"))
    if tint is not None:
        painter.fillRect(rect, tint)
    shade = colour("line", 0.75 if theme().is_dark else 0.9)
    for pane in axes_of(canvas.panes):
        for second in time_ticks(canvas.model.start_s, canvas.model.stop_s, pane.width).major:
            painter.fillRect(QRectF(round(canvas.x(pane, second)), rect.top(), 1, rect.height()), shade)
