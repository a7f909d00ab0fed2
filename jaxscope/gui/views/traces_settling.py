"""Where After still depends on what came before the signal: shaded after each beginning, in zero phase before ends.

A channel may begin later, pause or end by itself, and may not be filtered at all: rows side by side that begin and end
together, and whose chains look the same way, are shaded together. How long it takes is worked out from the filter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QLinearGradient

from jaxscope.gui.components.painting import CENTRE, draw_text, rounded, text_width
from jaxscope.gui.painting.geometry import PaneRect
from jaxscope.gui.painting.lanes import Lane
from jaxscope.gui.theme import colour, font, scaled
from jaxscope.gui.views.traces_canvas import Canvas
from jaxscope.gui.views.traces_gaps import gaps_by_row
from jaxscope.gui.views.traces_model import TracesModel
from jaxscope.gui.views.traces_numbers import span_text
from jaxscope.session.state import CHAIN_TAGS

_CHIP_FROM_PX = 40
_STEPS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlingArea:
    """Times at which a stretch of signal begins and ends, the rows (half-open), and whether the filter looks ahead."""

    begins_s: tuple[float, ...]
    ends_s: tuple[float, ...]
    looks_ahead: bool
    first_row: int
    stop_row: int

    @property
    def stretches_s(self) -> tuple[tuple[float, float], ...]:
        """Where each stretch begins and ends; the last one may have no end yet."""
        return tuple(
            (begin, min((end for end in self.ends_s if end > begin), default=math.inf)) for begin in self.begins_s
        )


def settling_areas(model: TracesModel) -> list[SettlingArea]:
    """Return where the filters of the rows begin and end, rows with the same ones together."""
    phases = tuple(chain.phase for chain in model.state.document.chains)
    key = (model.info, model.by_row, phases, model.state.live.running)
    return model.remembered("settling", key, lambda: _areas(model))


def _areas(model: TracesModel) -> list[SettlingArea]:
    if model.info is None or model.info.duration_s is None:
        return []
    areas: list[SettlingArea] = []
    for row, gaps in enumerate(gaps_by_row(model)):
        lanes = [lane for lane in (model.by_row[row] if model.by_row else ()) if not lane.is_raw]
        if not lanes:
            continue
        stop_s = max(_stop_s(model, lane) for lane in lanes)
        area = SettlingArea(
            begins_s=tuple(sorted({0.0, *(gap.stop_s for gap in gaps)} - {gap.start_s for gap in gaps})),
            ends_s=tuple(sorted({stop_s, *(gap.start_s for gap in gaps)} - {0.0})),
            looks_ahead=any(_looks_ahead(model, lane) for lane in lanes),
            first_row=row,
            stop_row=row + 1,
        )
        last = areas[-1] if areas else None
        if last is not None and last.stop_row == row and _same(last, area):
            area = SettlingArea(
                begins_s=last.begins_s,
                ends_s=last.ends_s,
                looks_ahead=last.looks_ahead,
                first_row=last.first_row,
                stop_row=row + 1,
            )
            areas.pop()
        areas.append(area)
    return areas


def _same(one: SettlingArea, other: SettlingArea) -> bool:
    return (one.begins_s, one.ends_s, one.looks_ahead) == (other.begins_s, other.ends_s, other.looks_ahead)


def _stop_s(model: TracesModel, lane: Lane) -> float:
    """Return when a channel ends: with the recording, or by itself where it has gaps of its own."""
    if model.info is None:
        return 0.0
    channel = model.info.channels[lane.channel]
    if channel.gaps is None or channel.rate_hz is None:
        return model.info.duration_s or 0.0
    return model.info.timeline_of(lane.channel).stop_s(channel.rate_hz, channel.n_samples)


def _looks_ahead(model: TracesModel, lane: Lane) -> bool:
    number = CHAIN_TAGS.index(lane.tag)
    chains = model.state.document.chains
    # what runs does not look ahead, whatever its chain is for
    return number < len(chains) and chains[number].phase == "zero" and not model.state.live.running


def paint_settling(canvas: Canvas, pane: PaneRect) -> None:
    """Shade where the filter has not settled; the time it takes is said once for each beginning in view."""
    frame = canvas.model.frame
    if frame is None or frame.settling_9999_s <= 0:
        return
    areas = settling_areas(canvas.model)
    said: set[float] = set()
    for area in sorted(areas, key=lambda area: area.first_row - area.stop_row):
        for begin_s, end_s in area.stretches_s:
            # where both ways meet, each is shaded up to the middle
            until_s = (begin_s + end_s) / 2 if area.looks_ahead else end_s
            _paint_zone(canvas, pane, area, begin_s, until_s, has_chip=begin_s not in said)
            said.add(begin_s)
            if area.looks_ahead and end_s < math.inf:
                _paint_zone(canvas, pane, area, end_s, until_s, has_chip=False)


def _paint_zone(
    canvas: Canvas, pane: PaneRect, area: SettlingArea, second: float, until_s: float, *, has_chip: bool
) -> None:
    """Shade from one time towards another, and not beyond it: there another zone begins, or nothing is."""
    frame = canvas.model.frame
    if frame is None:
        return
    edge = canvas.x(pane, second)
    direction = 1.0 if until_s > second else -1.0
    pixels = pane.width / canvas.model.duration_s
    # a filter on the border of stability never settles
    widest = 2.0 * pane.width + abs(edge - pane.left)
    near, far = min(frame.settling_99_s * pixels, widest), min(frame.settling_9999_s * pixels, widest)
    if edge + far < pane.left or edge - far > pane.left + pane.width:
        return
    painter = canvas.painter
    painter.save()
    top, bottom = area.first_row * canvas.lane_px, area.stop_row * canvas.lane_px
    reach = min(max(direction * (canvas.x(pane, until_s) - edge), 0.0), far) if until_s < math.inf else far
    painter.setClipRect(QRectF(edge, top, direction * reach, bottom - top).normalized(), Qt.ClipOperation.IntersectClip)
    zone = QRectF(edge, top, direction * near, bottom - top).normalized()
    if canvas.is_for_paper:
        _paint_steps(canvas, zone, direction)
    else:
        shade = QLinearGradient(edge, 0, edge + direction * max(near, 1e-6), 0)
        shade.setColorAt(0, colour("warn", 0.26))
        shade.setColorAt(1, colour("warn", 0.04))
        painter.fillRect(zone, QBrush(shade))
    rest = QRectF(edge + direction * near, top, direction * (far - near), bottom - top).normalized()
    painter.fillRect(rest, colour("warn", 0.04))
    painter.restore()
    if has_chip:
        # beside the curtain where the zone begins behind it
        left = max(edge, pane.shown_left) if pane.shown_left > pane.left else edge
        room = QRectF(left, top, edge + min(near, reach) - left, bottom - top)
        _paint_chip(canvas, room, f"still settling, {span_text(frame.settling_99_s)}")


def _paint_chip(canvas: Canvas, room: QRectF, words: str) -> None:
    """Say how long it takes, where what is seen of the zone is large enough."""
    high = scaled(20)
    if room.width() < _CHIP_FROM_PX or room.height() < high + 4:
        return
    top = room.bottom() - min(high + 10.0, (room.height() + high) / 2)
    chip = QRectF(room.left() + 8, top, text_width(words, font(11, 500)) + 14, high)
    rounded(canvas.painter, chip, 4, "warn_bg")
    draw_text(canvas.painter, chip, words, font(11, 500), "warn", CENTRE)


def _paint_steps(canvas: Canvas, zone: QRectF, direction: float) -> None:
    """Fade in flat steps: many readers of PDF show a gradient that lets something through as if it were solid."""
    width = zone.width() / _STEPS
    for step in range(_STEPS):
        place = step if direction > 0 else _STEPS - 1 - step
        strip = QRectF(zone.left() + place * width, zone.top(), width, zone.height())
        canvas.painter.fillRect(strip, colour("warn", round(0.26 - 0.22 * step / (_STEPS - 1), 3)))
