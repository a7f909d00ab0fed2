"""Events on the traces: flags with their texts, bars over what they cover, hatches where they mark bad, and where to
take hold of them.

One layout serves painting and the mouse, so what is taken hold of is what is seen. Only events in view are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPen

from jaxscope.data.annotations import Annotation
from jaxscope.gui.components.painting import draw_text, rounded, text_width
from jaxscope.gui.event_looks import TOKENS, EventLooks, looks_of
from jaxscope.gui.painting.geometry import PaneRect
from jaxscope.gui.theme import colour, font, scaled, theme
from jaxscope.gui.views.traces_canvas import Canvas
from jaxscope.gui.views.traces_gaps import hatch
from jaxscope.gui.views.traces_model import TracesModel

Part = Literal["body", "start", "stop"]
_MOST_LABELS = 40
#: Events that are painted one by one at most.
_MOST_DASHED = 80
#: The strip at the top where events are taken hold of, and how near to an edge.
FLAG_PX = 26
GRAB_PX = 5.0
_LONGEST_LABEL_PX = 220


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """An event in a pane: from ``left`` to ``right``, with a label of some width, 0 where there is no room."""

    event: Annotation
    left: float
    right: float
    label_px: float
    is_flagged: bool
    #: place of its colour in ``TOKENS``
    code: int


#: The last marks of a pane, and what they were made of: a press asks for those that a repaint has just made.
_last_marks: dict[str, tuple[object, list[Mark]]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """An event under the pointer, and the part of it."""

    event: Annotation
    part: Part


def marks_in(model: TracesModel, pane: PaneRect) -> list[Mark]:
    """Return the events of a pane in order of onset; labels do not overlap, and flags stand once a pixel."""
    looks = looks_of(model.state.document.annotations)
    selected = model.state.viewport.selected_event
    asked = (looks, model.start_s, model.stop_s, pane.left, pane.width, selected, theme().text_scale)
    known = _last_marks.get(pane.content)
    if known is None or known[0] != asked:
        known = (asked, _make_marks(model, pane, looks, selected))
        _last_marks[pane.content] = known
    return known[1]


def _make_marks(model: TracesModel, pane: PaneRect, looks: EventLooks, selected: Annotation | None) -> list[Mark]:
    face = font(11, 500)
    free_from = last_left = -1e9
    marks: list[Mark] = []
    n_labels, longest = 0, float(scaled(_LONGEST_LABEL_PX))
    numbers = looks.drawn(model.start_s, model.stop_s, pane.width)
    onsets_s, lengths_s = looks.index.onsets_s[numbers], looks.index.lengths_s[numbers]
    lefts = np.round(pane.left + (onsets_s - model.start_s) / model.duration_s * pane.width).tolist()
    rights = (pane.left + (onsets_s + lengths_s - model.start_s) / model.duration_s * pane.width).tolist()
    codes = looks.codes[numbers].tolist()
    for number, left, right, code in zip(numbers, lefts, rights, codes, strict=True):
        event, label_px = looks.events[number], 0.0
        if left >= free_from and n_labels < _MOST_LABELS and (words := label_of(event)):
            label_px = min(text_width(words, face) + 14, longest)
            free_from = left + label_px + 6
            n_labels += 1
        is_flagged = left != last_left or event is selected
        last_left = left
        marks.append(Mark(event=event, left=left, right=right, label_px=label_px, is_flagged=is_flagged, code=code))
    return marks


def label_of(event: Annotation) -> str:
    """Return what stands at an event: its text, and the channels that it is about."""
    names = ", ".join(event.channels[:3]) + (f" +{len(event.channels) - 3}" if len(event.channels) > 3 else "")
    return f"{event.text} · {names}" if names else event.text


def event_at(model: TracesModel, width: float, point: QPointF) -> Hit | None:
    """Return the event under a position: in the strip of flags, or at the edges of the selected one."""
    if not model.state.viewport.show_events:
        return None
    for pane in model.panes(width):
        if pane.shows(point.x()):
            return _hit(marks_in(model, pane), model.state.viewport.selected_event, point)
    return None


def _hit(marks: list[Mark], selected: Annotation | None, point: QPointF) -> Hit | None:
    x, is_in_strip = point.x(), point.y() < scaled(FLAG_PX)
    # the selected one first, then the one that is painted last
    first = [mark for mark in marks if mark.event == selected]
    for mark in (*first, *reversed(marks)):
        is_selected = mark.event == selected
        if not is_in_strip and not is_selected:
            continue
        if mark.event.duration_s:
            is_wide = mark.right - mark.left > 3 * GRAB_PX
            if abs(x - mark.right) <= GRAB_PX and (is_wide or x > mark.right - 1):
                return Hit(event=mark.event, part="stop")
            if abs(x - mark.left) <= GRAB_PX and is_wide and is_selected:
                return Hit(event=mark.event, part="start")
        elif abs(x - mark.left) <= GRAB_PX:
            return Hit(event=mark.event, part="body")
        is_on_label = mark.left - 1 <= x <= mark.left + mark.label_px
        if is_in_strip and (is_on_label or mark.left - GRAB_PX <= x <= max(mark.right, mark.left + GRAB_PX)):
            return Hit(event=mark.event, part="body")
    return None


# --- painting


def paint_bad_spans(canvas: Canvas, pane: PaneRect) -> None:
    """Hatch what events mark as bad, under the traces, in the lanes that they are about."""
    model = canvas.model
    document = model.state.document
    looks = looks_of(document.annotations)
    is_left_out = document.bad_spans == "exclude" and model.shows_after
    for number in looks.drawn(model.start_s, model.stop_s, pane.width):
        event = looks.events[number]
        if not looks.bad[number] or not event.duration_s:
            continue
        left = max(canvas.x(pane, event.onset_s), pane.shown_left - 2)
        right = min(canvas.x(pane, event.stop_s), pane.shown_right + 2)
        for first, stop in _rows_of(model, event):
            rect = QRectF(left, first * canvas.lane_px, max(1.0, right - left), (stop - first) * canvas.lane_px)
            canvas.painter.fillRect(rect, colour("danger", 0.07 if is_left_out else 0.05))
            if rect.width() > 2 and is_left_out:
                hatch(canvas.painter, rect, colour("danger", 0.22))


def _rows_of(model: TracesModel, event: Annotation) -> list[tuple[int, int]]:
    """Return the rows (half-open) that an event is about."""
    rows = max(1, model.rows)
    if not event.channels:
        return [(0, rows)]
    own = sorted({lane.row for lane in model.lanes if any(name in event.channels for name in lane.about)})
    return [(row, row + 1) for row in own]


def paint_events(canvas: Canvas, pane: PaneRect) -> None:
    """Paint bars, flags and labels over the traces."""
    painter, model = canvas.painter, canvas.model
    selected, face = model.state.viewport.selected_event, font(11, 500)
    marks = marks_in(model, pane)
    if selected is not None and not canvas.is_for_paper:
        for mark in marks:
            if mark.event == selected:
                _paint_selected(canvas, pane, mark, TOKENS[mark.code])
    if len(marks) > _MOST_DASHED:
        _paint_many(canvas, marks)
    else:
        _paint_few(canvas, pane, marks)
    for mark in marks:
        if not mark.label_px:
            continue
        is_selected = mark.event == selected and not canvas.is_for_paper
        box = QRectF(mark.left + 2, 4, mark.label_px, scaled(18))
        rounded(painter, box, 3, colour("raised", 0.95), "focus" if is_selected else None, 1.5)
        room = box.adjusted(7, 0, -5, 0)
        token = "text" if is_selected else "text2"
        draw_text(painter, room, label_of(mark.event), face, token, elide=Qt.TextElideMode.ElideRight)


def _paint_few(canvas: Canvas, pane: PaneRect, marks: list[Mark]) -> None:
    """Paint a bar over what each covers, a dashed line and a flag."""
    painter, shaded_to = canvas.painter, -1e9
    for mark in marks:
        token = TOKENS[mark.code]
        if mark.event.duration_s:
            left = max(mark.left, shaded_to, pane.shown_left - 2)
            right = min(mark.right, pane.shown_right + 2)
            if right > left:
                painter.fillRect(QRectF(left, 0, right - left, 3), colour(token, 0.7))
                shaded_to = right
        if mark.is_flagged:
            painter.setPen(QPen(colour(token, 0.9), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(mark.left + 0.5, 0), QPointF(mark.left + 0.5, canvas.height))
            painter.fillRect(QRectF(mark.left, 4, 2, scaled(18)), colour(token))


def _paint_many(canvas: Canvas, marks: list[Mark]) -> None:
    """Paint the same as three rows of pixels, each drawn out downwards: a rectangle an event costs ten times as much.

    The lines are not dashed: so many side by side show no dashes.
    """
    width = max(1, round(canvas.width))
    lines, flags, bars = (np.zeros(width, dtype=np.uint32) for _ in range(3))
    line_inks, flag_inks, bar_inks = (
        np.array([_ink(token, alpha) for token in TOKENS], dtype=np.uint32) for alpha in (0.35, 1.0, 0.7)
    )
    lefts = np.array([mark.left for mark in marks]).astype(int)
    codes = np.array([mark.code for mark in marks])
    for mark in marks:
        if mark.event.duration_s:
            bars[max(int(mark.left), 0) : max(0, round(mark.right))] = bar_inks[mark.code]
    # of several in one place the last one is seen
    is_seen = (lefts >= 0) & (lefts < width)
    lefts, codes = lefts[is_seen], codes[is_seen]
    lines[lefts] = line_inks[codes]
    for left, flag in zip(lefts.tolist(), flag_inks[codes].tolist(), strict=True):
        flags[left : left + 2] = flag
    painter = canvas.painter
    painter.save()
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform, on=False)
    for row, top, height in ((bars, 0, 3), (lines, 0, canvas.height), (flags, 4, scaled(18))):
        image = QImage(row.data, width, 1, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
        painter.drawImage(QRectF(0, top, width, height), image)
    painter.restore()


def _ink(token: str, alpha: float) -> int:
    """Return a colour as a premultiplied pixel."""
    shade = colour(token)
    red, green, blue = (round(part * alpha) for part in (shade.red(), shade.green(), shade.blue()))
    return round(255 * alpha) << 24 | red << 16 | green << 8 | blue


def _paint_selected(canvas: Canvas, pane: PaneRect, mark: Mark, token: str) -> None:
    """Paint what the selected event covers, and edges to take hold of."""
    if not mark.event.duration_s:
        canvas.painter.fillRect(QRectF(mark.left, 0, 1, canvas.height), colour(token))
        return
    left, right = max(mark.left, pane.shown_left - 2), min(mark.right, pane.shown_right + 2)
    if right > left:
        canvas.painter.fillRect(QRectF(left, 0, right - left, canvas.height), colour(token, 0.10))
    for x in (mark.left, round(mark.right)):
        canvas.painter.fillRect(QRectF(x, 0, 1, canvas.height), colour(token))
