"""The rail beside overlaid lanes: one heading a row, and under it the names of what shares it.

Names that do not fit into the row are counted. What is painted and what can be clicked come from the same layout.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from jaxscope.data.kinds import kind_words
from jaxscope.errors import capitalised, counted
from jaxscope.gui.components.painting import RIGHT, draw_text, hairline, rounded
from jaxscope.gui.painting.lanes import Lane
from jaxscope.gui.theme import colour, font, scaled, theme

_HEADING_PX = 26.0
_NAME_PX = 18.0


def heading_of(lanes: Sequence[Lane]) -> str:
    """Return what a row of overlaid lanes is called: its kind and how many, or only how many."""
    kinds = {lane.kind for lane in lanes}
    if len(kinds) > 1:
        return counted(len(lanes), "channel")
    kind = kinds.pop()
    title = capitalised(kind_words(kind))
    return f"{title} × {len(lanes)}" if len(lanes) > 1 else title


def name_rects(lanes: Sequence[Lane], rect: QRectF) -> list[tuple[Lane, QRectF]]:
    """Return the lanes whose names there is room for, with their places under the heading."""
    first, name_px = scaled(_HEADING_PX), scaled(_NAME_PX)
    room = int(max(0.0, rect.height() - first - 6) // name_px)
    shown = lanes if len(lanes) <= room else lanes[: max(0, room - 1)]
    return [
        (lane, QRectF(0, rect.top() + first + place * name_px, rect.width(), name_px))
        for place, lane in enumerate(shown)
    ]


def named_lane(lanes: Sequence[Lane], rect: QRectF, y: float) -> Lane | None:
    """Return the lane whose name stands at a height; the only one of a row wherever it is."""
    if len(lanes) == 1:
        return lanes[0]
    return next((lane for lane, place in name_rects(lanes, rect) if place.top() <= y < place.bottom()), None)


def paint_overlaid(painter: QPainter, lanes: Sequence[Lane], rect: QRectF, selected: Sequence[str]) -> None:
    """Paint the names of the lanes of a row."""
    if rect.top() > 0:
        hairline(painter, 0, rect.top(), rect.width() - 1)
    heading = QRectF(14, rect.top() + 4, rect.width() - 28, scaled(20))
    draw_text(painter, heading, heading_of(lanes), font(12, 500), "text")
    units = list(dict.fromkeys(lane.unit for lane in lanes if lane.unit))
    if len(units) == 1:
        draw_text(painter, heading, units[0], font(11), "text3", RIGHT)
    placed = name_rects(lanes, rect)
    for lane, place in placed:
        if lane.name in selected:
            painter.fillRect(place, colour("after", 0.12 if theme().is_dark else 0.1))
        rounded(painter, QRectF(14, place.center().y() - 4, 3, 8), 1.5, lane.colour)
        title = place.adjusted(26, 0, -scaled(40), 0)
        draw_text(painter, title, lane.title, font(11), "text2", elide=Qt.TextElideMode.ElideMiddle)
        tag = QRectF(0, place.top(), place.width() - 16, place.height())
        token = "before_text" if lane.is_raw else "text3"
        draw_text(painter, tag, lane.tag or "raw", font(11), token, RIGHT)
    first, name_px = scaled(_HEADING_PX), scaled(_NAME_PX)
    if len(placed) < len(lanes) and rect.height() >= first + name_px:
        foot = QRectF(26, rect.top() + first + len(placed) * name_px, rect.width() - 40, name_px)
        words = f"and {len(lanes) - len(placed)} more" if placed else counted(len(lanes), "name")
        draw_text(painter, foot, words, font(11), "text3")
