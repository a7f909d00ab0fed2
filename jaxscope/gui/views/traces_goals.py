"""Marks of the goals of a fit on the traces: a frame round each marked span, with verb and name where it begins.

They are seen while the panel of a fit is open. Keep and remove are told by colour and by word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF

from jaxscope.gui.components.painting import CENTRE, draw_text, rounded, text_width
from jaxscope.gui.painting.geometry import PaneRect
from jaxscope.gui.theme import colour, font, scaled
from jaxscope.session.fit import FitGoal, FitSpan

if TYPE_CHECKING:
    from jaxscope.gui.views.traces_canvas import Canvas
    from jaxscope.gui.views.traces_model import TracesModel

#: token of what is kept and of what is removed
TOKENS = {"keep": "ok", "remove": "diff"}
#: icon of each
ICONS = {"keep": "lock", "remove": "eraser"}
_MOST_LETTERS = 28


def _nothing(_at: int) -> None:
    return


@dataclass(slots=True, kw_only=True)
class GoalMarks:
    """Whether marks are seen, which goal is selected, and who is told of a click on one."""

    shown: bool = False
    selected: int | None = None
    choose: Callable[[int], None] = _nothing


def mark_words(goal: FitGoal) -> str:
    """Return what stands at a mark.

    Examples
    --------
    >>> mark_words(FitGoal(verb="keep", name="Alpha", spans=(FitSpan(start_s=0.0, stop_s=1.0, channels=("O1",)),)))
    'keep: alpha'
    """
    name = goal.name if len(goal.name) <= _MOST_LETTERS else f"{goal.name[: _MOST_LETTERS - 1].rstrip()}…"
    return f"{goal.verb}: {name[:1].lower()}{name[1:]}" if name else goal.verb


def goal_at(model: TracesModel, width: float, height: float, point: QPointF) -> int | None:
    """Return the goal whose mark is at a place, the one that is drawn last where there are several."""
    if not model.goals.shown:
        return None
    found = None
    for pane in model.panes(width):
        if pane.shows(point.x()):
            for at, _, rect in _rects(model, pane, height):
                if rect.contains(point):
                    found = at
    return found


def _rects(model: TracesModel, pane: PaneRect, height: float) -> Iterator[tuple[int, bool, QRectF]]:
    """Yield (goal, whether it is the first of its span, rectangle): one for each run of lanes that follow another."""
    lane_px = height / max(1, model.rows)
    for at, goal in enumerate(model.state.document.fit.goals):
        for span in goal.spans:
            if span.stop_s <= model.start_s or span.start_s >= model.stop_s:
                continue
            left = pane.x_of(span.start_s, model.start_s, model.duration_s)
            right = pane.x_of(span.stop_s, model.start_s, model.duration_s)
            for number, (first, stop) in enumerate(_runs(model, span)):
                top = first * lane_px + 2
                yield at, number == 0, QRectF(left, top, right - left, (stop - first) * lane_px - 4)


def _runs(model: TracesModel, span: FitSpan) -> list[tuple[int, int]]:
    """Return the rows of the channels of a span as half-open runs."""
    rows = sorted({lane.row for lane in model.lanes if lane.name in span.channels})
    runs: list[tuple[int, int]] = []
    for row in rows:
        if runs and runs[-1][1] == row:
            runs[-1] = (runs[-1][0], row + 1)
        else:
            runs.append((row, row + 1))
    return runs


def paint_goals(canvas: Canvas, pane: PaneRect) -> None:
    """Paint the marks in a pane."""
    model, goals = canvas.model, canvas.model.state.document.fit.goals
    if not model.goals.shown or canvas.is_for_paper:
        return
    named: set[int] = set()
    for at, is_first, rect in _rects(model, pane, canvas.height):
        token = TOKENS[goals[at].verb]
        is_selected = at == model.goals.selected
        rounded(canvas.painter, rect, 5, colour(token, 0.16 if is_selected else 0.08), token, 2 if is_selected else 1.3)
        if is_first and at not in named:
            named.add(at)
            _paint_words(canvas, pane, rect, mark_words(goals[at]), token)


def _paint_words(canvas: Canvas, pane: PaneRect, rect: QRectF, words: str, token: str) -> None:
    face, high = font(11, 600), float(scaled(18))
    wide = text_width(words, face) + 14
    top = max(2.0, rect.top() - high / 2)
    box = QRectF(max(rect.left() + 8, pane.shown_left + 2.0), top, wide, high)
    rounded(canvas.painter, box, 4, f"{token}_bg")
    draw_text(canvas.painter, box, words, face, token, CENTRE)
