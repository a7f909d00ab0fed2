"""What lies under and over the picture of the traces: grid, shading, gaps, events, scale bars, cursors, values.

These are a few rectangles and words, cheap enough for the GUI thread, and always exactly where the window is now, even
while the picture of the traces is still that of a moment ago. Everything is read from a ``TracesModel``.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from jaxscope.data.recording import CODE_KINDS
from jaxscope.gui.components.painting import CENTRE, RIGHT, draw_text, hairline, pen, rounded, text_width
from jaxscope.gui.painting.geometry import PaneRect, removed_px
from jaxscope.gui.painting.lanes import Lane
from jaxscope.gui.painting.painter_thread import TraceImage
from jaxscope.gui.painting.scales import scale_bar, scale_text
from jaxscope.gui.theme import colour, font, scaled
from jaxscope.gui.views.traces_canvas import Canvas
from jaxscope.gui.views.traces_dividers import paint_dividers
from jaxscope.gui.views.traces_events import paint_bad_spans, paint_events
from jaxscope.gui.views.traces_gaps import paint_gap_labels, paint_gaps
from jaxscope.gui.views.traces_goals import paint_goals
from jaxscope.gui.views.traces_grid import paint_grid
from jaxscope.gui.views.traces_model import TracesModel
from jaxscope.gui.views.traces_numbers import size_text
from jaxscope.gui.views.traces_picture import picture_width
from jaxscope.gui.views.traces_settling import paint_settling

# --- under the traces


def paint_ground(canvas: Canvas) -> None:
    """Paint the canvas, the selected lanes, the grid, settling zones and gaps."""
    painter = canvas.painter
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    paint_grid(canvas)
    for pane in canvas.panes:
        painter.save()
        painter.setClipRect(shown_rect(canvas, pane), Qt.ClipOperation.IntersectClip)
        if canvas.model.shows_after and pane.content != "before":
            paint_settling(canvas, pane)
        if canvas.model.state.viewport.show_events:
            paint_bad_spans(canvas, pane)
        paint_gaps(canvas, pane)
        painter.restore()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def shown_rect(canvas: Canvas, pane: PaneRect) -> QRectF:
    """Return what is seen of a pane."""
    return QRectF(pane.shown_left, 0, pane.shown_right - pane.shown_left, canvas.height)


# --- over the traces


def paint_cover(canvas: Canvas) -> None:
    """Paint what stands over the traces: events, gap lengths, scale bars, the divider, what was removed."""
    model = canvas.model
    for pane in canvas.panes:
        canvas.painter.save()
        canvas.painter.setClipRect(shown_rect(canvas, pane), Qt.ClipOperation.IntersectClip)
        paint_goals(canvas, pane)
        paint_gap_labels(canvas, pane)
        if model.state.viewport.show_events:
            paint_events(canvas, pane)
        canvas.painter.restore()
    if model.lanes:  # else there is nothing to part, and words stand in the middle
        paint_dividers(canvas)
    if model.state.viewport.mode == "difference":
        _paint_removed(canvas)
    elif model.state.viewport.show_scale_bars and model.frame is not None:
        _paint_scale_bars(canvas)


def _paint_scale_bars(canvas: Canvas) -> None:
    """Paint a bar a kind beside the first of its lanes whose height was not changed by hand."""
    lanes = canvas.model.lanes
    in_row = canvas.model.remembered("bars", (lanes,), lambda: _barred(lanes))
    bars = [
        ((row + (place + 0.5) / len(own)) * canvas.lane_px, 1 / len(own), lane)
        for row, own in in_row.items()
        for place, lane in enumerate(own)
    ]
    free_to = canvas.height
    for centre, room, lane in sorted(bars, key=lambda bar: bar[0], reverse=True):
        free_to = _paint_scale_bar(canvas, lane, centre, room, free_to)


def _barred(lanes: tuple[Lane, ...]) -> dict[int, list[Lane]]:
    """Return the lanes that have a bar, by row."""
    barred: dict[str, Lane] = {}
    for lane in sorted(lanes, key=lambda lane: lane.gain != 1.0):
        if lane.kind not in CODE_KINDS:
            barred.setdefault(lane.scale_kind, lane)
    in_row: dict[int, list[Lane]] = {}
    for lane in barred.values():
        in_row.setdefault(lane.row, []).append(lane)
    return in_row


def _paint_scale_bar(canvas: Canvas, lane: Lane, centre: float, room: float, free_to: float) -> float:
    """Paint the bar of a lane around a height; ``room`` is the share of the row that it may take.

    Its words stand above ``free_to``: those of low lanes would run into one another. Return the top of the words.
    """
    model, painter = canvas.model, canvas.painter
    units = model.scales.units_per_lane(model.state.viewport, lane.scale_kind) / lane.gain
    bar = scale_bar(units * room)
    length = bar / units * canvas.lane_px
    words = scale_text(bar, lane.unit)
    width = text_width(words, font(11, 500))
    half = scaled(18) / 2
    centre = min(max(centre, length / 2 + 4, half + 3), canvas.height - length / 2 - 4)
    middle = max(half, min(centre, free_to - half))
    x = canvas.width - 12
    # one path: where two masks overlapped, the canvas would be denser
    mask = QPainterPath()
    mask.addRoundedRect(QRectF(x - width - 11, middle - half, width + 40, 2 * half), 4, 4)
    bracket = QPainterPath()
    bracket.addRoundedRect(QRectF(x - 8, centre - length / 2 - 4, 40, length + 8), 4, 4)
    painter.fillPath(mask.united(bracket), colour("canvas", 0.88))
    painter.setPen(pen("text2", 1.5))
    top, bottom = centre - length / 2, centre + length / 2
    painter.drawPolyline([QPointF(x - 3, top), QPointF(x + 0.5, top), QPointF(x + 0.5, bottom), QPointF(x - 3, bottom)])
    draw_text(painter, QRectF(x - width - 7, middle - half, width + 2, 2 * half), words, font(11, 500), "text2")
    return middle - half


def _paint_removed(canvas: Canvas) -> None:
    painter, model = canvas.painter, canvas.model
    left = canvas.width - removed_px()
    painter.fillRect(QRectF(left, 0, removed_px(), canvas.height), colour("canvas"))
    hairline(painter, left, 0, canvas.height, upright=True)
    if model.frame is None:
        return
    key = (model.by_row, model.frame, model.shows_after)
    sizes, largest = model.remembered("removed rows", key, lambda: _removed_rows(model))
    stride = max(1, -(-scaled(16) // max(1, int(canvas.lane_px))))
    for row, (lane, size) in enumerate(sizes):
        if row % stride == 0:
            _paint_removed_row(canvas, left, row, lane, size, largest[lane.scale_kind])


def _removed_rows(model: TracesModel) -> tuple[list[tuple[Lane, float | None]], dict[str, float]]:
    """Return what was removed from each row, and the most of each scale."""
    sizes = [removed_in(model, row) for row in range(model.rows)]
    largest: dict[str, float] = {}
    for lane, size in sizes:
        largest[lane.scale_kind] = max(largest.get(lane.scale_kind, 0.0), size or 0.0)
    return sizes, largest


def removed_in(model: TracesModel, row: int) -> tuple[Lane, float | None]:
    """Return what was removed from a row, over all its lanes that share a scale with the first; None where nothing."""
    lanes = model.by_row[row]
    alike = [lane for lane in lanes if lane.scale_kind == lanes[0].scale_kind]
    found = [model.removed_rms(lane) if model.shows_after else None for lane in alike]
    sizes = [size for size in found if size is not None]
    return lanes[0], math.sqrt(sum(size**2 for size in sizes) / len(sizes)) if sizes else None


def _paint_removed_row(canvas: Canvas, left: float, row: int, lane: Lane, size: float | None, largest: float) -> None:
    # the words and their bar are one thing of this height, inside the traces also in the first and the last lane
    high = scaled(16) + 4
    top = min(max((row + 0.5) * canvas.lane_px - scaled(11), 0), canvas.height - high)
    words = QRectF(left, top, removed_px() - 12, scaled(16))
    if size is None:
        draw_text(canvas.painter, words.translated(0, 3), "raw", font(11), "before_text", RIGHT)
        return
    draw_text(canvas.painter, words, size_text(size, lane.unit), font(11, 500), "text2", RIGHT)
    share = size / largest if largest > 0 else 0.0
    rounded(canvas.painter, QRectF(left + 12, words.bottom() + 1, (removed_px() - 24) * share, 2), 1, "diff")


def paint_emptiness(canvas: Canvas) -> None:
    """Say why there are no traces."""
    words = emptiness_words(canvas.model)
    area = QRectF(0, canvas.height / 2 - 28, canvas.width, 24)
    draw_text(canvas.painter, area, words[0], font(15, 600), "text", CENTRE)
    draw_text(canvas.painter, area.translated(0, 28), words[1], font(12), "text2", CENTRE)


def emptiness_words(model: TracesModel) -> tuple[str, str]:
    """Return why there are no traces, and what there is instead."""
    channels = () if model.info is None else model.info.channels
    if any(channel.is_drawable for channel in channels):
        return "All channels are hidden", "Shift+H shows them again"
    count = len(model.state.document.annotations)
    events = {0: "It holds no events either", 1: "It holds 1 event"}.get(count, f"It holds {count} events")
    return "This recording has no signals", f"{events}; jaxscope info lists what is in it"


def paint_rubber_band(canvas: Canvas, band: QRectF) -> None:
    """Paint what a drag is about to zoom into."""
    canvas.painter.fillRect(band, colour("after", 0.12))
    rounded(canvas.painter, band, 0, None, "after", 1)


def paint_picture(canvas: Canvas, picture: TraceImage, ratio: float) -> None:
    """Paint a picture of the traces where its window is now, on whole device pixels where it is as wide."""
    scene, image = picture.scene, picture.image
    painter, model, height = canvas.painter, canvas.model, canvas.height
    panes = model.panes(canvas.width)
    is_same_window = scene.start_s == model.start_s and scene.stop_s == model.stop_s
    size = (picture_width(panes, canvas.width, ratio), round(height * ratio))
    is_same_size = (scene.width_px, scene.height_px) == size
    if is_same_window and is_same_size and len(panes) == len(scene.panes) == 1:
        painter.drawImage(QPointF(0, 0), image)
        return
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    for pane, drawn in zip(panes, scene.panes, strict=False):
        left = pane.x_of(scene.start_s, model.start_s, model.duration_s)
        right = pane.x_of(scene.stop_s, model.start_s, model.duration_s)
        if abs((right - left) * ratio - drawn.width_px) < 1:
            left = round(left * ratio) / ratio
            right = left + drawn.width_px / ratio
        painter.save()
        seen = QRectF(pane.shown_left, 0, pane.shown_right - pane.shown_left, height)
        painter.setClipRect(seen, Qt.ClipOperation.IntersectClip)
        source = QRectF(drawn.left_px, 0, drawn.width_px, scene.height_px)
        painter.drawImage(QRectF(left, 0, right - left, height), image, source)
        painter.restore()
