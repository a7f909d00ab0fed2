"""The strip over the traces: how many channels, finding one, the legend, the window and the scale.

The legend says in words what the colours mean in the mode in use. The strip is also the place of banners (``banner``).
"""

from __future__ import annotations

from typing import Self

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from jaxscope.compute.frames import Blocked, Frame, Opened
from jaxscope.data.recording import RecordingInfo, scale_kind
from jaxscope.gui.components.buttons import IconButton
from jaxscope.gui.components.painting import CENTRE, RIGHT, begin, draw_text, hairline, pen, rounded, text_width
from jaxscope.gui.components.stepper import Stepper
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.navigator import Navigator
from jaxscope.gui.painting.geometry import RAIL_PX, REMOVED_PX, panes_of
from jaxscope.gui.painting.lanes import lanes_of, shown_channels, shown_unit
from jaxscope.gui.painting.scales import ScaleBook, scale_bar, scale_text
from jaxscope.gui.theme import colour, font, scaled, theme
from jaxscope.gui.views.base import AbstractView, Dispatch, ViewKit
from jaxscope.session.actions import SelectChannels, SetScale, ShowLanes
from jaxscope.session.state import SessionState

_HEIGHT = 36
_NOTES_FROM_PX = 1440
_BARS = tuple(float(f"{factor}e{power}") for power in range(-12, 13) for factor in (1, 2, 5))


class HeaderStripView(AbstractView, QWidget):
    """Channel count, find, legend, steppers."""

    #: the search is over: the focus belongs to the traces
    search_ended = Signal()

    def __init__(
        self,
        dispatch: Dispatch,
        navigator: Navigator,
        scales: ScaleBook,
        state: SessionState,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._dispatch = dispatch
        self._navigator = navigator
        self._scales = scales
        self._state = state
        self._info: RecordingInfo | None = None
        self._is_held = False
        self._follows_pole = False
        self._shown_bar = 0.0
        self._has_notes = True
        self._find = IconButton("search", "Find a channel [Ctrl F]", size=26, icon_size=14, token="text3")
        self._find.clicked.connect(self.begin_search)
        self._search = TextField("Find a channel", width=RAIL_PX - 16, height=26, icon="search", px=12)
        self._search.setPlaceholderText("Name")
        self._search.hide()
        self._search.textEdited.connect(self._on_searched)
        self._search.returnPressed.connect(self._end_search)
        self._search.escaped.connect(self._end_search)
        self.window_stepper = Stepper("Window", tip="Seconds shown. Type, scroll or use [ and ]", value_width=44)
        self.scale_stepper = Stepper("Scale", value_width=56)
        self.window_stepper.stepped.connect(lambda step: navigator.step_window(step))
        self.window_stepper.typed.connect(self._on_window_typed)
        self.scale_stepper.stepped.connect(self.step_scale)
        self.scale_stepper.typed.connect(self._on_scale_typed)
        for stepper in (self.window_stepper, self.scale_stepper):
            stepper.escaped.connect(self.search_ended)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(8, 0, 12, 1)
        self._row.setSpacing(14)
        self._row.addWidget(self._search)
        self._row.addStretch(1)
        self._row.addWidget(self.window_stepper)
        self._row.addWidget(self.scale_stepper)
        self._find.setParent(self)
        self._find.move(RAIL_PX - 34, 5)
        self.setFixedHeight(scaled(_HEIGHT))
        theme().changed.connect(self._on_theme)

    @classmethod
    def of(cls, kit: ViewKit) -> Self:
        """Make the view for a window."""
        return cls(kit.dispatch, kit.navigator, kit.scales, kit.state)

    def sizeHint(self) -> QSize:
        return QSize(1200, scaled(_HEIGHT))

    # --- state

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Show another window, scale or mode."""
        self._state = state
        if state.viewport is not previous.viewport or _looks(state) != _looks(previous):
            self._refresh()

    def show_frame(self, outcome: object) -> None:
        """Take another recording, new scales, or that the filter is held."""
        match outcome:
            case Opened():
                self._info = outcome.info
                self._refresh()
            case Frame():
                is_first = self._bar() != self._shown_bar
                if self._is_held or is_first:
                    self._is_held = False
                    self._refresh()
            case Blocked() if not self._is_held:
                self._is_held = True
                self._refresh()

    def set_notes_visible(self, *, visible: bool) -> None:
        """Show or leave out the notes of the legend (narrow windows)."""
        self._has_notes = visible
        self._show_labels()
        self.update()

    def _show_labels(self) -> None:
        """Leave the words of the steppers out where the name of the second pane needs their room."""
        visible = self._has_notes or self._state.viewport.mode != "split"
        for stepper in (self.window_stepper, self.scale_stepper):
            stepper.set_label_visible(visible=visible)

    def show_pole_drag(self, on: bool) -> None:  # noqa: FBT001
        """Say that After follows a pole while it is dragged, or no longer."""
        self._follows_pole = on
        self.update()

    def close_recording(self) -> None:
        """Show nothing."""
        self._info = None
        self.update()

    @property
    def main_kind(self) -> str:
        """The scale whose bar the stepper shows: that of the first lane."""
        if self._info is None:
            return "misc"
        channels = shown_channels(self._state, self._info)
        return self._scale_kind(channels[0]) if channels else "misc"

    def _scale_kind(self, number: int) -> str:
        channel = self._info.channels[number] if self._info is not None else None
        return "misc" if channel is None else scale_kind(channel.kind, channel.unit)

    def _unit(self) -> str:
        if self._info is None:
            return ""
        for number, channel in enumerate(self._info.channels):
            if self._scale_kind(number) == self.main_kind:
                return shown_unit(channel.unit)
        return ""

    def _bar(self) -> float:
        return scale_bar(self._scales.units_per_lane(self._state.viewport, self.main_kind))

    def _refresh(self) -> None:
        viewport = self._state.viewport
        self.window_stepper.show_text(f"{viewport.duration_s:.4g} s")
        kind = self.main_kind
        bar = self._shown_bar = self._bar()
        self.scale_stepper.show_text(scale_text(bar, self._unit()))
        words = kind.upper() if kind in ("eeg", "ecg", "eog", "emg") else kind
        self.scale_stepper.setToolTip(f"Height of the {words} scale bar. Other types keep their ratio [+ −]")
        self._show_labels()
        is_removed = viewport.mode == "difference"
        self._row.setContentsMargins(8, 0, 12 + (REMOVED_PX if is_removed else 0), 1)
        self.update()

    def _on_theme(self) -> None:
        self.setFixedHeight(scaled(_HEIGHT))
        self.update()

    # --- what a person does

    def step_scale(self, direction: int) -> None:
        """Make the scale bar the next larger (+1) or smaller (-1) one; all kinds keep their ratio."""
        units = self._scales.units_per_lane(self._state.viewport, self.main_kind)
        bar = scale_bar(units)
        place = min(range(len(_BARS)), key=lambda index: abs(_BARS[index] / bar - 1))
        following = _BARS[min(len(_BARS) - 1, max(0, place + direction))]
        self._scale_all(following / bar)

    def _scale_all(self, factor: float) -> None:
        if self._info is None:
            return
        for kind in sorted({lane.scale_kind for lane in lanes_of(self._state, self._info)}):
            units = self._scales.units_per_lane(self._state.viewport, kind)
            self._dispatch(SetScale(kind=kind, units_per_lane=units * factor))

    def _on_window_typed(self, text: str) -> None:
        value = _number_in(text)
        if value is None or value <= 0:
            self._refresh()
            return
        self._navigator.look(self._state.viewport.start_s, value)
        self.search_ended.emit()

    def _on_scale_typed(self, text: str) -> None:
        value = _number_in(text)
        if value is None or value <= 0:
            self._refresh()
            return
        units = self._scales.units_per_lane(self._state.viewport, self.main_kind)
        self._scale_all(value / scale_bar(units))
        self.search_ended.emit()

    def begin_search(self) -> None:
        """Open the field in which a channel's name can be typed."""
        self._find.hide()
        self._search.clear()
        self._search.set_wrong(wrong=False)
        self._search.show()
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.update()

    def _end_search(self) -> None:
        self._search.hide()
        self._find.show()
        self.update()
        self.search_ended.emit()

    def _on_searched(self, text: str) -> None:
        if self._info is None:
            return
        shown = shown_channels(self._state, self._info)
        names = [self._info.channels[number].name for number in shown]
        found = found_name(names, text)
        self._search.set_wrong(wrong=bool(text) and found is None)
        self._search.setToolTip("" if found or not text else f"No channel called “{text}”")
        if found is None or not text:
            return
        self._dispatch(SelectChannels(names=(found,)))
        viewport = self._state.viewport
        if viewport.lane_count is not None:
            place = names.index(found)
            if not viewport.first_lane <= place < viewport.first_lane + viewport.lane_count:
                self._dispatch(ShowLanes(first=place, count=viewport.lane_count))

    # --- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin(self)
        painter.fillRect(self.rect(), colour("canvas"))
        hairline(painter, RAIL_PX - 1, 0, self.height(), upright=True)
        hairline(painter, 0, self.height() - 1, self.width())
        if self._info is not None:
            if self._search.isHidden():
                draw_text(painter, QRectF(14, 0, 108, self.height() - 1), self._count(), font(11, 500), "text3")
            self._paint_legend(painter)
        if self._state.viewport.mode == "difference":
            left = self.width() - REMOVED_PX
            hairline(painter, left, 0, self.height(), upright=True)
            box = QRectF(left, 0, REMOVED_PX - 12, self.height() - 1)
            draw_text(painter, box, "Removed", font(11, 500), "text2", RIGHT)
        painter.end()

    def _count(self) -> str:
        if self._info is None:
            return ""
        total = sum(channel.kind != "annotation" for channel in self._info.channels)
        shown = len(lanes_of(self._state, self._info))
        noun = "channel" if total == 1 else "channels"
        return f"{total} {noun}" if shown == total else f"{shown} of {total} {noun}"

    def _paint_legend(self, painter: QPainter) -> None:
        limit = self.window_stepper.x() - 8
        viewport = self._state.viewport
        if viewport.mode == "split" and self._shows_after:
            panes = panes_of(viewport, self.width() - RAIL_PX)
            for pane, (name, token) in zip(panes, (("Before", "before"), ("After", "after")), strict=True):
                self._paint_entry(painter, RAIL_PX + pane.left + 14, name, token, "", limit)
            return
        x = RAIL_PX + 14.0
        for name, token, note, is_dashed in self._entries():
            x = self._paint_entry(painter, x, name, token, note, limit, dashed=is_dashed)
        if self._has_notes and self._has_key_note and x + 220 < limit:
            self._paint_key(painter, x)

    @property
    def _shows_after(self) -> bool:
        return self._state.document.filter_on and not self._state.viewport.raw

    @property
    def _has_key_note(self) -> bool:
        return self._state.viewport.mode != "difference" and self._state.document.filter_on and not self._is_held

    def _entries(self) -> list[tuple[str, str, str, bool]]:
        if not self._state.document.filter_on:
            return [("Filter off", "before", "the recording as it is", False)]
        if self._state.viewport.raw:
            return [("Raw, filter hidden", "before", "", False)]
        if self._state.viewport.mode == "difference":
            return [("Difference", "diff", "before − after: what the filter took away", False)]
        after = "follows the pole while you drag" if self._follows_pole else "in the colour of the channel"
        if self._state.viewport.mode == "curtain" and not (self._follows_pole or self._is_held):
            return []  # flags at the curtain say it
        after = "held at the last stable filter" if self._is_held else after
        return [("Before", "before", "", False), ("After", "after", after, self._is_held)]

    def _paint_entry(
        self, painter: QPainter, x: float, name: str, token: str, note: str, limit: float, *, dashed: bool = False
    ) -> float:
        """Paint one line of the legend and return where the next one begins."""
        middle = (self.height() - 1) / 2
        painter.setPen(pen(token, 2, dashed=dashed))
        painter.drawLine(int(x), int(middle), int(x) + 16, int(middle))
        x += 22
        draw_text(painter, QRectF(x, 0, max(0.0, limit - x), self.height() - 1), name, font(12, 500), "text")
        x += text_width(name, font(12, 500))
        note_width = text_width(note, font(11))
        if note and self._has_notes and x + 6 + note_width < limit:
            draw_text(painter, QRectF(x + 6, 0, note_width + 4, self.height() - 1), note, font(11), "text3")
            x += note_width + 6
        return x + 22

    def _paint_key(self, painter: QPainter, x: float) -> None:
        key, words = "R", "shows the filter again" if self._state.viewport.raw else "hides the filter"
        if self._state.viewport.mode == "curtain" and not self._state.viewport.raw:
            key, words = "C", "brings the curtain to the pointer"
        if self._follows_pole:
            key, words = "Esc", "puts it back"
        middle = (self.height() - 1) / 2
        cap = QRectF(x, middle - 9, max(18.0, text_width(key, font(11, 500)) + 8), 18)
        rounded(painter, cap, 4, "raised", "line2")
        draw_text(painter, cap, key, font(11, 500), "text2", CENTRE)
        draw_text(painter, QRectF(cap.right() + 6, 0, 220, self.height() - 1), words, font(11), "text3")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._find.move(RAIL_PX - 8 - self._find.width(), (self.height() - self._find.height()) // 2)


def _looks(state: SessionState) -> tuple[object, ...]:
    """Return what the strip shows of a document."""
    document = state.document
    return document.filter_on, document.looks, document.channel_order


def found_name(names: list[str], text: str) -> str | None:
    """Return the name that a search means: the exact one, else the first that begins so, else that contains it."""
    wanted = text.casefold()
    for matches in (str.__eq__, str.startswith, str.__contains__):
        for name in names:
            if matches(name.casefold(), wanted):
                return name
    return None


def _number_in(text: str) -> float | None:
    """Return the number at the beginning of a typed text, whatever unit follows."""
    digits = "".join(sign for sign in text.strip().replace(",", ".") if sign in "0123456789.eE-+")
    try:
        return float(digits)
    except ValueError:
        return None
