"""Gaps under the traces: hatched where nothing was recorded, in the lanes of the channels that lack it.

Most gaps are those of the whole recording; a channel may have its own. Lanes side by side that lack the same stretch
are hatched together.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from jaxscope.data.annotations import Gap
from jaxscope.gui.components.painting import CENTRE, Ink, draw_text, pen, rounded, text_width
from jaxscope.gui.painting.geometry import PaneRect
from jaxscope.gui.theme import colour, font, scaled
from jaxscope.gui.views.traces_canvas import Canvas
from jaxscope.gui.views.traces_model import TracesModel
from jaxscope.gui.views.traces_numbers import span_text

_HATCH_PX = 9
_LABEL_FROM_PX = 60
_LABEL_HEIGHT_PX = 28


@dataclass(frozen=True, slots=True, kw_only=True)
class GapArea:
    """A gap, and the rows (half-open) that lack it."""

    gap: Gap
    first_row: int
    stop_row: int


def gaps_by_row(model: TracesModel) -> list[tuple[Gap, ...]]:
    """Return the gaps of each row: those of its channel, of overlaid ones those that all of them have."""
    if model.info is None:
        return []
    found: list[tuple[Gap, ...] | None] = [None] * max(1, model.rows)
    for lane in model.lanes:
        own = model.info.channels[lane.channel].gaps
        gaps, known = model.info.gaps if own is None else own, found[lane.row]
        found[lane.row] = gaps if known is None else tuple(gap for gap in known if gap in gaps)
    return [model.info.gaps if gaps is None else gaps for gaps in found]


def gap_runs(model: TracesModel) -> list[GapArea]:
    """Return all gaps with the rows they cover: rows that follow each other and have the same ones go together."""
    gaps_of = gaps_by_row(model)
    runs: list[GapArea] = []
    first = 0
    for row in range(1, len(gaps_of) + 1):
        if row == len(gaps_of) or gaps_of[row] != gaps_of[first]:
            runs.extend(GapArea(gap=gap, first_row=first, stop_row=row) for gap in gaps_of[first])
            first = row
    return runs


def gap_areas(model: TracesModel) -> list[GapArea]:
    """Return the gaps in view with the rows they cover."""
    runs = model.remembered("gaps", (model.lanes, model.info), lambda: gap_runs(model))
    return [area for area in runs if area.gap.stop_s > model.start_s and area.gap.start_s < model.stop_s]


def paint_gaps(canvas: Canvas, pane: PaneRect) -> None:
    """Hatch the gaps in view."""
    for area in gap_areas(canvas.model):
        _paint_gap(canvas, pane, area)


def _paint_gap(canvas: Canvas, pane: PaneRect, area: GapArea) -> None:
    painter, gap = canvas.painter, area.gap
    top, bottom = area.first_row * canvas.lane_px, area.stop_row * canvas.lane_px
    left, right = canvas.x(pane, gap.start_s), canvas.x(pane, gap.stop_s)
    left, right = max(left, pane.shown_left - 2), min(right, pane.shown_right + 2)
    if right - left < 1:
        painter.fillRect(QRectF(round(left), top, 1, bottom - top), colour("text3"))
        return
    rect = QRectF(left, top, right - left, bottom - top)
    painter.fillRect(rect, colour("canvas"))
    hatch(painter, rect)
    for x in (canvas.x(pane, gap.start_s), canvas.x(pane, gap.stop_s)):
        painter.fillRect(QRectF(round(x), top, 1, bottom - top), colour("text3"))


def hatch(painter: QPainter, rect: QRectF, token: Ink = "line2") -> None:
    """Hatch a place where nothing was recorded."""
    painter.save()
    painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(token, 1.0))
    left, bottom, height = int(rect.left()), rect.bottom(), int(rect.height()) + 1
    # the lines of one lane go on in the next
    foot = left - height - (left - height) % _HATCH_PX - round(bottom) % _HATCH_PX
    while foot < rect.right() + _HATCH_PX:
        painter.drawLine(QPointF(foot, bottom), QPointF(foot + height, bottom - height))
        foot += _HATCH_PX
    painter.restore()


def paint_gap_labels(canvas: Canvas, pane: PaneRect) -> None:
    """Say how long the gaps are where there is room."""
    for area in gap_areas(canvas.model):
        top = area.first_row * canvas.lane_px
        left = max(canvas.x(pane, area.gap.start_s), pane.shown_left)
        right = min(canvas.x(pane, area.gap.stop_s), pane.shown_right)
        if right - left < _LABEL_FROM_PX or area.stop_row * canvas.lane_px - top < scaled(_LABEL_HEIGHT_PX):
            continue
        words = f"no data, {span_text(area.gap.stop_s - area.gap.start_s)}"
        width = text_width(words, font(11, 500)) + 14
        chip = QRectF((left + right - width) / 2, top + 4, width, scaled(20))
        rounded(canvas.painter, chip, 4, "raised", "line2")
        draw_text(canvas.painter, chip, words, font(11, 500), "text2", CENTRE)
