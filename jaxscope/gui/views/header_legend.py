"""The legend over the traces: what the colours mean in the mode in use, and what was done to the values to draw them.

What is drawn otherwise than it was recorded (its offset removed, upside down, at a height that follows the window) is
said in chips, which are the last to go where there is little room.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from jaxscope.gui.components.painting import CENTRE, draw_text, pen, rounded, text_width
from jaxscope.gui.painting.geometry import PaneRect
from jaxscope.gui.theme import font, scaled
from jaxscope.session.state import SessionState, pin_in_force

#: Room that the names of the traces keep beside chips, at text scale 1.
_NAMES_PX = 160
#: The stroke before a name with its gap, and the gap after an entry.
_STROKE_PX, _GAP_PX = 22, 22

#: What After follows at the moment, and what is said of it then.
Follows = Literal["", "pole", "fit"]
_NOTES: dict[str, str] = {
    "": "in the colour of the channel",
    "pole": "follows the pole while you drag",
    "fit": "redrawn at every 8th step",
}
Toggle = Literal["", "before", "after"]

#: Letters of the title of a montage that its chip shows.
_TITLE_LETTERS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the legend: its name, the token of its stroke, what is said of it, what a click hides or shows."""

    name: str
    token: str
    note: str = ""
    is_dashed: bool = False
    toggles: Toggle = ""

    @property
    def width(self) -> float:
        """Room for the stroke and the name."""
        return _STROKE_PX + text_width(self.name, font(12, 500))


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A line of the legend and where it stands; ``note`` is what of it has room."""

    entry: Entry
    rect: QRectF
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Legend:
    """What the legend is about. ``has_notes`` is False in narrow windows."""

    state: SessionState
    is_held: bool = False
    follows: Follows = ""
    shift_words: str = ""
    has_notes: bool = True
    #: (what, how much) between two cursors
    measures: tuple[tuple[str, str], ...] = ()

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
            return [Entry(name="Raw, filter hidden", token="before", toggles="after")]
        if mode == "difference":
            return [Entry(name="Difference", token="diff", note="before − after: what the filter took away")]
        if mode == "curtain" and not (self.follows or self.is_held):
            return []  # flags at the curtain say it
        before = Entry(name="Before", token="before", toggles="before")
        if not self.state.viewport.show_before:
            before = Entry(name="Before, hidden", token="off", toggles="before")
        pin = pin_in_force(self.state)
        note = _NOTES[self.follows]
        if self.is_held:
            note = "held at the last stable filter"
        elif pin is not None:
            note = f"pinned: {pin.name}"
        elif self.shift_words and not self.follows:
            return [before, Entry(name=f"After, shifted back {self.shift_words}", token="after", toggles="after")]
        return [before, Entry(name="After", token="after", note=note, is_dashed=self.is_held, toggles="after")]

    def chips(self) -> list[str]:
        """Return what the picture does to the values, in words: what is not said here is drawn as it is."""
        viewport = self.state.viewport
        montage = self.state.document.montage
        said = (
            (viewport.paper_mm_s is not None, f"{viewport.paper_mm_s or 0:g} mm/s"),
            (not viewport.lock_scales, "heights follow"),
            (viewport.negative_up, "negative up"),
            (viewport.remove_offset, "offset removed"),
        )
        chips = [words for is_so, words in said if is_so]
        # the last one is the last to go: that these are no recorded channels matters more than how they are drawn
        return chips if montage is None else [*chips, self._montage_words(montage.title)]

    def _montage_words(self, title: str) -> str:
        title = title if len(title) <= _TITLE_LETTERS else f"{title[: _TITLE_LETTERS - 1].rstrip()}…"
        return f"Montage: {title}" if self.has_notes else title

    def key(self) -> tuple[str, str] | None:
        """Return the key that is offered, and what it does; None where none is."""
        viewport = self.state.viewport
        if not self.has_notes:
            return None
        if len(viewport.cursors_s) == 1:
            return "X", "second cursor"
        if viewport.mode == "difference" or not self.state.document.filter_on or self.is_held:
            return None
        if self.follows:
            return "Esc", "puts it back" if self.follows == "pole" else "stops the fit"
        if viewport.mode == "curtain" and not viewport.raw:
            return "C", "brings the curtain to the pointer"
        return "R", "shows the filter again" if viewport.raw else "hides the filter"


def placed_entries(legend: Legend, room: QRectF, panes: tuple[PaneRect, ...]) -> list[Placed]:
    """Return the lines with their places; in Split each name stands over its pane.

    Where there is no room for all names there is none: one alone would say that the other is not there.
    """
    if legend.state.viewport.mode == "split" and legend.shows_after:
        named = (Entry(name="Before", token="before"), Entry(name="After", token="after"))
        lefts = [room.left() + pane.left + 14 for pane in panes]
        return [
            Placed(entry=entry, rect=QRectF(left, room.top(), entry.width, room.height()))
            for left, entry in zip(lefts, named, strict=True)
            if left + entry.width <= room.right()
        ]
    entries = legend.entries()
    right = _chips_left(legend, room, scaled(_NAMES_PX))
    x = room.left() + 14
    spare = right - x - sum(entry.width for entry in entries) - _GAP_PX * (len(entries) - 1)
    if spare < 0:
        return []
    placed = []
    for entry in entries:
        rect = QRectF(x, room.top(), entry.width, room.height())
        note_width = 6 + text_width(entry.note, font(11)) if entry.note else 0.0
        has_note = 0 < note_width <= spare and legend.has_notes and not legend.measures
        placed.append(Placed(entry=entry, rect=rect, note=entry.note if has_note else ""))
        spare -= note_width if has_note else 0.0
        x += entry.width + (note_width if has_note else 0.0) + _GAP_PX
    return placed


def names_end(legend: Legend, panes: tuple[PaneRect, ...]) -> float:
    """Return how far from the rail names reach that stand over their panes, with a gap; 0 where they stand together."""
    if legend.state.viewport.mode != "split" or not legend.shows_after:
        return 0.0
    placed = placed_entries(legend, QRectF(0, 0, panes[-1].left + panes[-1].width, 1), panes)
    return max((one.rect.right() + _GAP_PX for one in placed), default=0.0)


def toggle_at(placed: list[Placed], x: float) -> Toggle:
    """Return what a click at a position hides or shows, empty where nothing."""
    return next((one.entry.toggles for one in placed if one.rect.left() <= x < one.rect.right()), "")


def paint_legend(painter: QPainter, legend: Legend, room: QRectF, panes: tuple[PaneRect, ...]) -> None:
    """Paint a legend into the room between the rail and the steppers."""
    placed = placed_entries(legend, room, panes)
    x = room.left() + 14.0
    for one in placed:
        x = _paint_entry(painter, one)
    if legend.state.viewport.mode == "split" and legend.shows_after:
        # over Before there is more room than between After and the steppers
        room = QRectF(room.left(), room.top(), min(panes[0].width - 8, room.width()), room.height())
        _paint_chips(painter, legend, room, scaled(_NAMES_PX) / 2)
        return
    _paint_chips(painter, legend, room, scaled(_NAMES_PX))
    right = _chips_left(legend, room, scaled(_NAMES_PX))
    free = QRectF(x, room.top(), max(0.0, right - x), room.height())
    if legend.measures:
        _paint_measures(painter, legend, free)
    else:
        _paint_key(painter, legend, free)


def _placed_chips(legend: Legend, room: QRectF, names_px: float) -> list[tuple[str, QRectF]]:
    """Return the chips with their places, from the right."""
    right, high = room.right(), scaled(18)
    placed: list[tuple[str, QRectF]] = []
    for words in reversed(legend.chips()):
        width = text_width(words, font(11)) + 14
        if right - width < room.left() + names_px:
            break
        placed.append((words, QRectF(right - width, room.center().y() - high / 2, width, high)))
        right -= width + 6
    return placed


def _chips_left(legend: Legend, room: QRectF, names_px: float) -> float:
    """Return where the chips begin."""
    placed = _placed_chips(legend, room, names_px)
    return placed[-1][1].left() - 12 if placed else room.right() - 6


def _paint_chips(painter: QPainter, legend: Legend, room: QRectF, names_px: float) -> None:
    for words, chip in _placed_chips(legend, room, names_px):
        rounded(painter, chip, 4, "hover")
        draw_text(painter, chip, words, font(11), "text2", CENTRE)


def _paint_entry(painter: QPainter, placed: Placed) -> float:
    """Paint one line of the legend and return where the next one begins."""
    entry, rect = placed.entry, placed.rect
    middle, x = int(rect.center().y()), int(rect.left())
    painter.setPen(pen(entry.token, 2, dashed=entry.is_dashed))
    painter.drawLine(x, middle, x + 16, middle)
    token = "text3" if entry.token == "off" else "text"
    draw_text(painter, rect.adjusted(_STROKE_PX, 0, 4, 0), entry.name, font(12, 500), token)
    if not placed.note:
        return rect.right() + _GAP_PX
    note = QRectF(rect.right() + 6, rect.top(), text_width(placed.note, font(11)) + 4, rect.height())
    draw_text(painter, note, placed.note, font(11), "text3")
    return note.right() - 4 + _GAP_PX


def _paint_measures(painter: QPainter, legend: Legend, room: QRectF) -> None:
    """Say how far two cursors are apart and what lies between them, as far as there is room."""
    x = room.left()
    for what, size in legend.measures:
        lead, width = text_width(what, font(11)) + 6, text_width(size, font(11, 500))
        if x + lead + width > room.right():
            return
        draw_text(painter, QRectF(x, room.top(), lead, room.height()), what, font(11), "text3")
        draw_text(painter, QRectF(x + lead, room.top(), width + 4, room.height()), size, font(11, 500), "text")
        x += lead + width + 16


def _paint_key(painter: QPainter, legend: Legend, room: QRectF) -> None:
    offered = legend.key()
    if offered is None or room.left() + 34 + text_width(offered[1], font(11)) > room.right():
        return
    key, words = offered
    high = scaled(18)
    width = max(float(high), text_width(key, font(11, 500)) + 8)
    cap = QRectF(room.left(), room.center().y() - high / 2, width, high)
    rounded(painter, cap, 4, "raised", "line2")
    draw_text(painter, cap, key, font(11, 500), "text2", CENTRE)
    rest = QRectF(cap.right() + 6, room.top(), room.right() - cap.right(), room.height())
    draw_text(painter, rest, words, font(11), "text3")
