"""Where After still depends on what came before the signal: shaded after each beginning, in zero phase before ends.

A channel may begin later, pause or end by itself, and may not be filtered at all: rows side by side that begin and end
together, and whose chains look the same way, are shaded together. How long it takes is worked out from the filter.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF
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
        for second in area.begins_s:
            _paint_zone(canvas, pane, area, second, 1.0, has_chip=second not in said)
            said.add(second)
        for second in area.ends_s if area.looks_ahead else ():
            _paint_zone(canvas, pane, area, second, -1.0, has_chip=False)


def _paint_zone(
    canvas: Canvas, pane: PaneRect, area: SettlingArea, second: float, direction: float, *, has_chip: bool
) -> None:
    frame = canvas.model.frame
    if frame is None:
        return
    edge = canvas.x(pane, second)
    pixels = pane.width / canvas.model.duration_s
    # a filter on the border of stability never settles
    widest = 2.0 * pane.width + abs(edge - pane.left)
    near, far = min(frame.settling_99_s * pixels, widest), min(frame.settling_9999_s * pixels, widest)
    if edge + far < pane.left or edge - far > pane.left + pane.width:
        return
    painter = canvas.painter
    top, bottom = area.first_row * canvas.lane_px, area.stop_row * canvas.lane_px
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
    high = scaled(20)
    if has_chip and near >= _CHIP_FROM_PX and bottom - top >= high + 4:
        words = f"still settling, {span_text(frame.settling_99_s)}"
        width = text_width(words, font(11, 500)) + 14
        chip = QRectF(edge + 8, bottom - min(high + 10.0, (bottom - top + high) / 2), width, high)
        rounded(painter, chip, 4, "warn_bg")
        draw_text(painter, chip, words, font(11, 500), "warn", CENTRE)


def _paint_steps(canvas: Canvas, zone: QRectF, direction: float) -> None:
    """Fade in flat steps: many readers of PDF show a gradient that lets something through as if it were solid."""
    width = zone.width() / _STEPS
    for step in range(_STEPS):
        place = step if direction > 0 else _STEPS - 1 - step
        strip = QRectF(zone.left() + place * width, zone.top(), width, zone.height())
        canvas.painter.fillRect(strip, colour("warn", round(0.26 - 0.22 * step / (_STEPS - 1), 3)))
