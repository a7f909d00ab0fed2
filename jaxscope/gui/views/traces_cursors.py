"""The cursors over the traces: the line under the pointer with its values, one or two set cursors, what lies between.

With two cursors a box beside the later one holds Δt, 1/Δt, the change, slope, RMS, RMS about the mean and peak to peak
of one lane, before and after, and of their difference where that is looked at. The sizes are those
of the samples (``MeasureFrame``), never of the picture.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from jaxscope.gui.components.painting import RIGHT, disc, draw_text, hairline, rounded, text_width
from jaxscope.gui.painting.geometry import PaneRect
from jaxscope.gui.painting.lanes import Lane
from jaxscope.gui.theme import colour, font, scaled
from jaxscope.gui.views.traces_canvas import Canvas
from jaxscope.gui.views.traces_model import TracesModel
from jaxscope.gui.views.traces_numbers import clock, signed_size, size_text, span_text, value_text
from jaxscope.gui.views.traces_values import LaneMeasures, Sizes, Value

#: How near to a cursor the pointer takes hold of it.
GRAB_PX = 5.0
_LINE = 17
_COLUMN = 92
#: What a row of the box is called, and how it follows from the sizes.
ROWS = ("ΔV", "Slope", "RMS", "RMS about mean", "Peak to peak")


def cursor_near(model: TracesModel, width: float, x: float) -> int | None:
    """Return the number of the set cursor under a position, None where there is none."""
    near: list[tuple[float, int]] = []
    for pane in model.panes(width):
        if pane.shows(x):
            for number, second in enumerate(model.state.viewport.cursors_s):
                near.append((abs(pane.x_of(second, model.start_s, model.duration_s) - x), number))
    distance, number = min(near, default=(math.inf, 0))
    return number if distance <= GRAB_PX else None


def delta_text(span_s: float) -> str:
    """Return the time between two cursors with three digits."""
    return size_text(span_s, "s") if 0.1 <= span_s < 100 else span_text(span_s)


def frequency_text(span_s: float) -> str:
    """Return how often a span goes into a second."""
    return f"{1 / span_s:.3g} Hz" if span_s > 0 else "∞ Hz"


def measured_lane(canvas: Canvas) -> Lane | None:
    """Return the lane whose sizes are shown: the one under the pointer, else the selected one, else the first."""
    model = canvas.model
    second = second_under(canvas)
    if second is not None:
        return canvas.lane_under_pointer(second)
    return lane_in_question(model.lanes, model.state.viewport.selected_channels)


def lane_in_question(lanes: Sequence[Lane], selected: Sequence[str]) -> Lane | None:
    """Return the lane that was selected last, else the first."""
    return next((lane for lane in lanes if lane.name in selected[-1:]), lanes[0] if lanes else None)


def cursor_measures(
    lanes: Sequence[Lane],
    selected: Sequence[str],
    cursors_s: tuple[float, ...],
    found: LaneMeasures | None,
    *,
    shows_difference: bool = False,
) -> tuple[tuple[str, str], ...]:
    """Return (what, how much) between two cursors: Δt, 1/Δt, and RMS of the lane in question once it is known."""
    if len(cursors_s) != 2:
        return ()
    span_s = abs(cursors_s[1] - cursors_s[0])
    pairs = [("Δt", delta_text(span_s)), ("1/Δt", frequency_text(span_s))]
    lane = lane_in_question(lanes, selected)
    if lane is not None and found is not None:
        pairs.append((f"RMS of {lane.title} before", size_text(found.before.rms, lane.unit)))
        if found.after is not None:
            pairs.append(("after", size_text(found.after.rms, lane.unit)))
        if found.removed is not None and shows_difference:
            pairs.append(("removed", size_text(found.removed.rms, lane.unit)))
    return tuple(pairs)


def size_rows(sizes: Sizes | None, span_s: float, unit: str) -> tuple[str, ...]:
    """Return the sizes of one trace in words, in the order of ``ROWS``."""
    if sizes is None:
        return ("…",) * len(ROWS)
    per_second = f"{unit}/s" if unit else "/s"
    slope = sizes.change / span_s if span_s > 0 else math.nan
    return (
        signed_size(sizes.change, unit),
        signed_size(slope, per_second),
        size_text(sizes.rms, unit),
        size_text(sizes.deviation, unit),
        size_text(sizes.peak_to_peak, unit),
    )


def paint_cursors(canvas: Canvas) -> None:
    """Paint the set cursors, the line under the pointer, and the values that belong to them."""
    cursors_s = canvas.model.state.viewport.cursors_s
    pointer_s = second_under(canvas)
    paint_reached(canvas)
    for pane in canvas.panes:
        if cursors_s and (len(cursors_s) == 2 or pointer_s is not None):
            other_s = cursors_s[1] if len(cursors_s) == 2 else pointer_s
            _paint_between(canvas, pane, cursors_s[0], other_s or 0.0)
        for second in cursors_s:
            _paint_upright(canvas, pane, second, colour("text2"))
        if pointer_s is not None:
            _paint_upright(canvas, pane, pointer_s, colour("text3", 0.9))
    if not canvas.model.lanes:
        return
    if len(cursors_s) == 2:
        _paint_measures(canvas)
    elif pointer_s is not None:
        _paint_values(canvas, pointer_s)


def paint_reached(canvas: Canvas) -> None:
    """Paint how far a signal has run: After is there up to the line."""
    reached_s = canvas.model.reached_s
    if reached_s is None or not canvas.model.state.live.running:
        return
    for pane in canvas.panes:
        x = round(canvas.x(pane, reached_s))
        if pane.shows(x):
            canvas.painter.fillRect(QRectF(x, 0, 1, canvas.height), colour("text2"))
            canvas.painter.fillRect(QRectF(x - 3, 0, 7, 3), colour("text2"))


def paint_set_cursors(canvas: Canvas) -> None:
    """Paint the cursors that are set, and what lies between two of them; there is no pointer."""
    cursors_s = canvas.model.state.viewport.cursors_s
    for pane in canvas.panes:
        if len(cursors_s) == 2:
            _paint_between(canvas, pane, *cursors_s)
        for second in cursors_s:
            _paint_upright(canvas, pane, second, colour("text2"))
    if len(cursors_s) == 2 and canvas.model.lanes:
        _paint_measures(canvas)


def second_under(canvas: Canvas) -> float | None:
    """Return the time under the pointer, None where it is in no pane."""
    if canvas.pointer is None:
        return None
    for pane in canvas.panes:
        if pane.shows(canvas.pointer.x()):
            return pane.second_at(canvas.pointer.x(), canvas.model.start_s, canvas.model.duration_s)
    return None


def _paint_between(canvas: Canvas, pane: PaneRect, one_s: float, other_s: float) -> None:
    left, right = sorted((canvas.x(pane, one_s), canvas.x(pane, other_s)))
    left, right = max(left, pane.shown_left), min(right, pane.shown_right)
    if right > left:
        canvas.painter.fillRect(QRectF(left, 0, right - left, canvas.height), colour("text", 0.045))


def _paint_upright(canvas: Canvas, pane: PaneRect, second: float, shade: QColor) -> None:
    x = round(canvas.x(pane, second))
    if pane.shows(x):
        canvas.painter.fillRect(QRectF(x, 0, 1, canvas.height), shade)


# --- one time


def values_rect(canvas: Canvas, n_lines: int, width: float) -> QRectF:
    """Return where the values stand: beside the pointer's lane, flipped and shifted so that it stays inside."""
    pointer = canvas.pointer or QPointF()
    row = min(canvas.model.rows - 1, max(0, int(pointer.y() / max(canvas.lane_px, 1e-9))))
    return _beside(canvas, pointer.x(), row, QRectF(0, 0, width, scaled(26) + scaled(_LINE) * n_lines))


def _beside(canvas: Canvas, x: float, row: int, box: QRectF, other_x: float | None = None) -> QRectF:
    """Return a box right of a position (left of another, where there is no room), above the middle of a row."""
    left = x + 12
    if left + box.width() > canvas.width - 6:
        left = (x if other_x is None else other_x) - 12 - box.width()
    left = min(max(left, 6), canvas.width - 6 - box.width())
    top = (row + 0.5) * canvas.lane_px - box.height() - 14
    if top < 4:
        top = (row + 0.5) * canvas.lane_px + 14
    top = min(max(top, 4), canvas.height - box.height() - 4)
    return QRectF(round(left), round(top), box.width(), box.height())


def _value_lines(canvas: Canvas, lane: Lane, second: float) -> list[tuple[str, Value | None, str]]:
    values = canvas.model.values_at(lane, second)
    lines: list[tuple[str, Value | None, str]] = [("Before", values.before, "before")]
    if canvas.model.shows_after and not lane.is_raw:
        lines.append(("After", values.after, lane.colour))
    if canvas.model.shows_difference and not lane.is_raw:
        lines.append(("Difference", values.difference, "diff"))
    return lines


def _paint_values(canvas: Canvas, second: float) -> None:
    painter, model = canvas.painter, canvas.model
    lane = canvas.lane_under_pointer(second)
    if lane is None:
        return
    units = model.scales.units_per_lane(model.state.viewport, lane.scale_kind)
    lines = _value_lines(canvas, lane, second)
    texts = [(caption, value_text(value, lane.unit, units), token) for caption, value, token in lines]
    cursors_s = model.state.viewport.cursors_s
    heading = clock(second, 3)
    if cursors_s and second != cursors_s[0]:
        span_s = abs(second - cursors_s[0])
        heading = f"{delta_text(span_s)}   {frequency_text(span_s)}"
    captions = max(text_width(caption, font(11)) for caption, _, _ in texts)
    widest = max(text_width(text, font(11, 500)) for _, text, _ in texts) + captions + 36 + scaled(14)
    width = max(scaled(150), widest, text_width(lane.title, font(11, 600)) + text_width(heading, font(11)) + 36)
    box = values_rect(canvas, len(texts), round(width))
    _paint_heading(canvas, box, lane, heading)
    for index, (caption, words, token) in enumerate(texts):
        top = box.top() + scaled(23) + scaled(_LINE) * index
        line = QRectF(box.left() + 10, top, box.width() - 20, scaled(_LINE))
        rounded(painter, QRectF(line.left(), line.center().y() - 1.25, 10, 2.5), 1, token)
        draw_text(painter, line.adjusted(16, 0, 0, 0), caption, font(11), "text2")
        draw_text(painter, line, words, font(11, 500), "text", RIGHT)


def _paint_heading(canvas: Canvas, box: QRectF, lane: Lane, words: str) -> None:
    rounded(canvas.painter, box, 6, "raised", "line2")
    top = QRectF(box.left() + 10, box.top() + 5, box.width() - 20, scaled(18))
    draw_text(canvas.painter, top, lane.title, font(11, 600))
    draw_text(canvas.painter, top, words, font(11), "text3", RIGHT)


# --- two times


def _paint_measures(canvas: Canvas) -> None:
    lane = measured_lane(canvas)
    if lane is None:
        return
    cursors_s = canvas.model.state.viewport.cursors_s
    span_s = abs(cursors_s[1] - cursors_s[0])
    columns = _columns(canvas, lane, canvas.model.measures_of(lane), span_s)
    pane = canvas.panes[-1]
    xs = sorted(canvas.x(pane, second) for second in cursors_s)
    title = f"{delta_text(span_s)}   {frequency_text(span_s)}"
    least = scaled(112) + scaled(_COLUMN) * len(columns)
    width = max(least, text_width(lane.title, font(11, 600)) + text_width(title, font(11)) + 36)
    size = QRectF(0, 0, round(width), scaled(48) + scaled(_LINE) * len(ROWS))
    # where large text leaves too little room for all of it the box is drawn smaller, never cut
    share = min(1.0, (canvas.width - 12) / size.width(), (canvas.height - 8) / size.height())
    drawn = QRectF(0, 0, size.width() * share, size.height() * share)
    box = _beside(canvas, min(max(xs[1], 0), canvas.width), lane.row, drawn, min(max(xs[0], 0), canvas.width))
    canvas.painter.save()
    canvas.painter.translate(box.topLeft())
    canvas.painter.scale(share, share)
    _paint_heading(canvas, size, lane, title)
    _paint_table(canvas, size, columns)
    canvas.painter.restore()
    for x in xs:
        disc(canvas.painter, QPointF(round(x) + 0.5, 3.5), 3.5, "text2")


def _paint_table(canvas: Canvas, box: QRectF, columns: list[tuple[str, str, tuple[str, ...]]]) -> None:
    """Paint the sizes under the heading of a box: what each row is called, and a column for each trace."""
    painter, line_px, column_px = canvas.painter, scaled(_LINE), scaled(_COLUMN)
    first = box.top() + scaled(26)
    hairline(painter, box.left() + 10, first - 2, box.width() - 20)
    for place, (caption, token, words) in enumerate(columns):
        right = box.right() - 10 - column_px * (len(columns) - 1 - place)
        cell = QRectF(right - column_px, first, column_px, line_px)
        draw_text(painter, cell, caption, font(11), "text2", RIGHT)
        left = right - text_width(caption, font(11)) - 16
        rounded(painter, QRectF(left, cell.center().y() - 1.25, 10, 2.5), 1, token)
        for line, text in enumerate(words):
            draw_text(painter, cell.translated(0, line_px * (line + 1)), text, font(11, 500), "text", RIGHT)
    for line, caption in enumerate(ROWS):
        cell = QRectF(box.left() + 10, first + line_px * (line + 1), scaled(100), line_px)
        draw_text(painter, cell, caption, font(11), "text2")


def _columns(
    canvas: Canvas, lane: Lane, found: LaneMeasures | None, span_s: float
) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return (caption, token, words) of Before, of After where the lane has one, and of what is looked at besides."""
    columns = [("Before", "before", size_rows(None if found is None else found.before, span_s, lane.unit))]
    if canvas.model.shows_after and not lane.is_raw:
        columns.append(("After", lane.colour, size_rows(None if found is None else found.after, span_s, lane.unit)))
    if canvas.model.shows_difference and not lane.is_raw:
        removed = None if found is None else found.removed
        columns.append(("Difference", "diff", size_rows(removed, span_s, lane.unit)))
    return columns
