"""The legend over the traces: what the colours mean in the mode in use, and what was done to the values to draw them.

What is drawn otherwise than it was recorded (its offset removed, upside down, at a height that follows the window) is
said in chips, which are the last to go where there is little room.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from jaxscope.gui.components.painting import CENTRE, draw_text, pen, rounded, text_width
from jaxscope.gui.painting.geometry import PaneRect
from jaxscope.gui.theme import font
from jaxscope.session.state import SessionState, pin_in_force

#: Room that the names of the traces keep beside chips.
_NAMES_PX = 160.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the legend: its name, the token of its stroke, what is said of it."""

    name: str
    token: str
    note: str = ""
    is_dashed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Legend:
    """What the legend is about. ``has_notes`` is False in narrow windows."""

    state: SessionState
    is_held: bool = False
    follows_pole: bool = False
    shift_words: str = ""
    has_notes: bool = True

    @property
    def shows_after(self) -> bool:
        """Whether the filtered signal is to be seen."""
        return self.state.document.filter_on and not self.state.viewport.raw

    def entries(self) -> list[Entry]:
        """Return the lines, from the left."""
        mode = self.state.viewport.mode
        if not self.state.document.filter_on:
            return [Entry(name="Filter off", token="before", note="the recording as it is")]
        if self.state.viewport.raw:
            return [Entry(name="Raw, filter hidden", token="before")]
        if mode == "difference":
            return [Entry(name="Difference", token="diff", note="before − after: what the filter took away")]
        if mode == "curtain" and not (self.follows_pole or self.is_held):
            return []  # flags at the curtain say it
        before = Entry(name="Before", token="before")
        pin = pin_in_force(self.state)
        note = "follows the pole while you drag" if self.follows_pole else "in the colour of the channel"
        if self.is_held:
            note = "held at the last stable filter"
        elif pin is not None:
            note = f"pinned: {pin.name}"
        elif self.shift_words and not self.follows_pole:
            return [before, Entry(name=f"After, shifted back {self.shift_words}", token="after")]
        return [before, Entry(name="After", token="after", note=note, is_dashed=self.is_held)]

    def chips(self) -> list[str]:
        """Return what the picture does to the values, in words: what is not said here is drawn as it is."""
        viewport = self.state.viewport
        said = (
            (viewport.paper_mm_s is not None, f"{viewport.paper_mm_s or 0:g} mm/s"),
            (not viewport.lock_scales, "heights follow"),
            (viewport.negative_up, "negative up"),
            (viewport.remove_offset, "offset removed"),
        )
        return [words for is_so, words in said if is_so]

    def key(self) -> tuple[str, str] | None:
        """Return the key that is offered, and what it does; None where none is."""
        viewport = self.state.viewport
        if not self.has_notes:
            return None
        if len(viewport.cursors_s) == 1:
            return "X", "second cursor"
        if viewport.mode == "difference" or not self.state.document.filter_on or self.is_held:
            return None
        if self.follows_pole:
            return "Esc", "puts it back"
        if viewport.mode == "curtain" and not viewport.raw:
            return "C", "brings the curtain to the pointer"
        return "R", "shows the filter again" if viewport.raw else "hides the filter"


def paint_legend(painter: QPainter, legend: Legend, room: QRectF, panes: tuple[PaneRect, ...]) -> None:
    """Paint a legend into the room between the rail and the steppers; in Split each name stands over its pane."""
    if legend.state.viewport.mode == "split" and legend.shows_after:
        named = (Entry(name="Before", token="before"), Entry(name="After", token="after"))
        for pane, entry in zip(panes, named, strict=True):
            _paint_entry(painter, legend, entry, room, room.left() + pane.left + 14)
        # over Before there is more room than between After and the steppers
        over = QRectF(room.left(), room.top(), min(panes[0].width - 8, room.width()), room.height())
        _paint_chips(painter, legend, over, _NAMES_PX / 2)
        return
    right = _paint_chips(painter, legend, room, _NAMES_PX)
    room = QRectF(room.left(), room.top(), right - room.left(), room.height())
    x = room.left() + 14.0
    for entry in legend.entries():
        x = _paint_entry(painter, legend, entry, room, x)
    _paint_key(painter, legend, room, x)


def _paint_chips(painter: QPainter, legend: Legend, room: QRectF, names_px: float) -> float:
    """Paint the chips from the right, and return where they begin."""
    right = room.right()
    for words in reversed(legend.chips()):
        width = text_width(words, font(11)) + 14
        if right - width < room.left() + names_px:
            break
        chip = QRectF(right - width, room.center().y() - 9, width, 18)
        rounded(painter, chip, 4, "hover")
        draw_text(painter, chip, words, font(11), "text2", CENTRE)
        right -= width + 6
    return right - 6


def _paint_entry(painter: QPainter, legend: Legend, entry: Entry, room: QRectF, x: float) -> float:
    """Paint one line of the legend and return where the next one begins."""
    middle, right = room.center().y(), room.right()
    if x + 22 + text_width(entry.name, font(12, 500)) > right:
        return right  # a name that is cut says nothing; the colours are told in the rail and the response
    painter.setPen(pen(entry.token, 2, dashed=entry.is_dashed))
    painter.drawLine(int(x), int(middle), int(x) + 16, int(middle))
    x += 22
    words = QRectF(x, room.top(), max(0.0, right - x), room.height())
    draw_text(painter, words, entry.name, font(12, 500), "text")
    x += text_width(entry.name, font(12, 500))
    note_width = text_width(entry.note, font(11))
    if entry.note and legend.has_notes and x + 6 + note_width < right:
        note = QRectF(x + 6, room.top(), note_width + 4, room.height())
        draw_text(painter, note, entry.note, font(11), "text3")
        x += note_width + 6
    return x + 22


def _paint_key(painter: QPainter, legend: Legend, room: QRectF, x: float) -> None:
    offered = legend.key()
    if offered is None or x + 34 + text_width(offered[1], font(11)) > room.right():
        return
    key, words = offered
    cap = QRectF(x, room.center().y() - 9, max(18.0, text_width(key, font(11, 500)) + 8), 18)
    rounded(painter, cap, 4, "raised", "line2")
    draw_text(painter, cap, key, font(11, 500), "text2", CENTRE)
    rest = QRectF(cap.right() + 6, room.top(), room.right() - cap.right(), room.height())
    draw_text(painter, rest, words, font(11), "text3")
