"""What parts the traces: the divider of Split with its grip, the curtain with its grip and flags.

Where they stand comes from the panes, so that they can never part anything but what is parted.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSizeF

from jaxscope.gui.components.painting import disc, draw_text, hairline, rounded, text_width
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.painting.geometry import divider_x
from jaxscope.gui.theme import colour, font, scaled
from jaxscope.gui.views.traces_canvas import Canvas
from jaxscope.gui.views.traces_events import FLAG_PX
from jaxscope.session.state import Viewport

#: Half the width of what can be taken hold of.
GRAB_PX = 7.0
_GRIP_PX = 30.0
_FLAG_TOP, _FLAG_HEIGHT = 10.0, 24.0


def is_on_divider(viewport: Viewport, size: QSizeF, point: QPointF) -> bool:
    """Whether a position is on the divider, or on the curtain or its grip."""
    x = divider_x(viewport, size.width())
    if x is None:
        return False
    if abs(point.x() - x) <= GRAB_PX:
        return True
    grip = QPointF(x, grip_y(size.height())) - point
    return viewport.mode == "curtain" and grip.x() ** 2 + grip.y() ** 2 <= (_GRIP_PX / 2) ** 2


def grip_y(height: float) -> float:
    """Return the height of the middle of the grip."""
    return round(height * 0.52)


def paint_dividers(canvas: Canvas) -> None:
    """Paint what parts the panes of the mode in use."""
    mode = canvas.model.state.viewport.mode
    if mode == "split":
        _paint_divider(canvas)
    elif mode == "curtain" and canvas.model.shows_after:
        _paint_curtain(canvas)


def _paint_divider(canvas: Canvas) -> None:
    left, right = canvas.panes[0].shown_right, canvas.panes[1].shown_left
    canvas.painter.fillRect(QRectF(left, 0, right - left, canvas.height), colour("bar"))
    hairline(canvas.painter, left, 0, canvas.height, "line2", upright=True)
    hairline(canvas.painter, right - 1, 0, canvas.height, "line2", upright=True)
    if canvas.is_for_paper:
        return
    middle = (left + right) / 2
    grip = QRectF(middle - 1.5, grip_y(canvas.height) - 18, 3, 36)
    rounded(canvas.painter, grip, 1.5, "text2" if canvas.is_divider_hot else "off")


def _paint_curtain(canvas: Canvas) -> None:
    x = canvas.panes[0].shown_right
    painter = canvas.painter
    painter.fillRect(QRectF(x - 1, 0, 2, canvas.height), colour("text"))
    state = canvas.model.state
    has_events = state.viewport.show_events and bool(state.document.annotations)
    top = scaled(FLAG_PX) + 2 if has_events else _FLAG_TOP  # under the texts of events
    for words, token, is_left in (("Before", "before", True), ("After", "after", False)):
        width = text_width(words, font(12, 500)) + 42
        flag = QRectF(x - 14 - width if is_left else x + 14, top, width, scaled(_FLAG_HEIGHT))
        if flag.left() < 4 or flag.right() > canvas.width - 4:
            continue
        rounded(painter, flag, 5, "raised", "line2")
        rounded(painter, QRectF(flag.left() + 10, flag.center().y() - 1, 14, 2), 1, token)
        draw_text(painter, flag.adjusted(31, 0, 0, 0), words, font(12, 500), "text")
    if canvas.is_for_paper:
        return
    centre = QPointF(x, grip_y(canvas.height))
    radius = _GRIP_PX / 2
    if canvas.is_divider_hot:
        disc(painter, centre, radius + 5, colour("text", 0.16))
    disc(painter, centre, radius, "text")
    draw_icon(painter, "arrows-left-right", QRectF(x - 8, centre.y() - 8, 16, 16), "canvas")
