"""The strip over the traces: how many channels, finding one, the legend, the window and the scale.

The legend says in words what the colours mean in the mode in use. The strip is also the place of banners (``banner``).
"""

from __future__ import annotations

from typing import Self

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QToolTip, QWidget

from jaxscope.compute.frames import Blocked, DesignFrame, Frame, Opened
from jaxscope.compute.measure_frames import MeasureFrame
from jaxscope.compute.shown_channels import shown_channels
from jaxscope.data.labels import found_name
from jaxscope.data.recording import RecordingInfo
from jaxscope.gui.components.buttons import IconButton
from jaxscope.gui.components.painting import RIGHT, begin, draw_text, hairline, text_width
from jaxscope.gui.components.stepper import Stepper
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.key_tips import KeyTip
from jaxscope.gui.navigator import Navigator
from jaxscope.gui.painting.geometry import RAIL_PX, PaneRect, panes_of, rail_px, removed_px
from jaxscope.gui.painting.lanes import lanes_of
from jaxscope.gui.painting.scales import ScaleBook
from jaxscope.gui.theme import colour, font, scaled, theme
from jaxscope.gui.views.base import AbstractView, Dispatch, ViewKit, is_look
from jaxscope.gui.views.header_legend import Follows, Legend, Toggle, names_end, paint_legend, placed_entries, toggle_at
from jaxscope.gui.views.header_scale import MainScale, number_in
from jaxscope.gui.views.traces_cursors import cursor_measures, lane_in_question
from jaxscope.gui.views.traces_numbers import span_text
from jaxscope.gui.views.traces_values import measures_between
from jaxscope.session.actions import SelectChannels, SetDisplay, ShowLanes, ShowRaw
from jaxscope.session.state import SessionState

_HEIGHT = 36
#: text scale up to which a narrow strip has room for the words of the steppers
_LABELS_UP_TO = 1.3
_WINDOW_KEYS = (("traces", "less time"), ("traces", "more time"))
_SCALE_KEYS = (("traces", "taller, all of the same type (×5/4)"), ("traces", "flatter (×4/5)"))


class HeaderStripView(AbstractView, QWidget):
    """Channel count, find, legend, steppers."""

    #: the search is over: the focus belongs to the traces
    search_ended = Signal()
    #: the montage is to be chosen
    montage_asked = Signal()

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
        self._scale = MainScale(dispatch, scales, state)
        self._state = state
        self._info: RecordingInfo | None = None
        self._is_held = False
        self._follows: Follows = ""
        self._shown_bar = 0.0
        #: by how much After is drawn earlier, in words; empty where it is drawn as it is
        self._shift_words = ""
        self._has_notes = True
        #: what lies between two cursors
        self._measures: MeasureFrame | None = None
        self._make_left()
        self._make_right()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(8, 0, 12, 1)
        self._row.setSpacing(14)
        self._row.addWidget(self._search)
        self._row.addStretch(1)
        self._row.addWidget(self.window_stepper)
        self._row.addWidget(self.scale_stepper)
        self.setMouseTracking(True)
        self.setFixedHeight(scaled(_HEIGHT))
        theme().changed.connect(self._on_theme)

    def _make_left(self) -> None:
        """Make what is over the rail: find, the montage, and the field of the search in their place."""
        self._find = IconButton("search", "Find a channel", size=26, icon_size=14, token="text3")
        KeyTip(self._find, "Find a channel", ("anywhere", "find a channel"), write=self._find.set_tip)
        self._find.clicked.connect(self.begin_search)
        words = "Montage: which channels are shown"
        self.montage_button = IconButton("stack-2", words, size=26, icon_size=14, token="text3")
        row = ("traces", "montage: which channels are shown")
        KeyTip(self.montage_button, words, row, write=self.montage_button.set_tip)
        self.montage_button.clicked.connect(self.montage_asked)
        self._search = TextField("Find a channel", width=RAIL_PX - 16, height=26, icon="search", px=12)
        self._search.setPlaceholderText("Name")
        self._search.hide()
        self._search.textEdited.connect(self._on_searched)
        self._search.returnPressed.connect(self._end_search)
        self._search.escaped.connect(self._end_search)
        self._find.setParent(self)
        self.montage_button.setParent(self)

    def _make_right(self) -> None:
        """Make the steppers of the window and the scale."""
        self.window_stepper = Stepper("Window", value_width=56, has_menu=True)
        self.scale_stepper = Stepper("Scale", value_width=64, has_menu=True)
        self._window_tip, self._scale_tip = KeyTip(self.window_stepper, ""), KeyTip(self.scale_stepper, "")
        self.window_stepper.stepped.connect(self._navigator.step_window)
        self.window_stepper.typed.connect(self._on_window_typed)
        self.scale_stepper.stepped.connect(self._scale.step)
        self.scale_stepper.typed.connect(self._on_scale_typed)
        for stepper in (self.window_stepper, self.scale_stepper):
            stepper.escaped.connect(self.search_ended)

    @classmethod
    def of(cls, kit: ViewKit) -> Self:
        """Make the view for a window."""
        return cls(kit.dispatch, kit.navigator, kit.scales, kit.state)

    def sizeHint(self) -> QSize:
        return QSize(1200, scaled(_HEIGHT))

    # --- state

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Show another window, scale or mode."""
        self._state = self._scale.state = state
        if is_look(state, previous):
            if state.viewport.duration_s != previous.viewport.duration_s:
                self._show_values()
            return
        if state.viewport is not previous.viewport or _looks(state) != _looks(previous):
            self._refresh()

    def show_frame(self, outcome: object) -> None:
        """Take another recording, new scales, or that the filter is held."""
        match outcome:
            case Opened():
                self._info = self._scale.info = outcome.info
                self._measures = None
                self._refresh()
            case MeasureFrame():
                self._measures = outcome
                self.update()
            case DesignFrame():
                self._take_delays(outcome.delays_s)
            case Frame():
                is_first = self._scale.bar != self._shown_bar  # also where heights follow the window
                if self._is_held or is_first:
                    self._is_held = False
                    self._refresh()
            case Blocked() if not self._is_held:
                self._is_held = True
                self._refresh()

    def _take_delays(self, delays_s: tuple[float, ...]) -> None:
        late = sorted({round(abs(delay_s), 6) for delay_s in delays_s if delay_s})
        words = "" if not late else span_text(late[0])
        words = f"{words} to {span_text(late[-1])}" if len(late) > 1 else words
        if words != self._shift_words:
            self._shift_words = words
            self.update()

    def set_notes_visible(self, *, visible: bool) -> None:
        """Show or leave out the notes of the legend (narrow windows)."""
        self._has_notes = visible
        self._show_labels()
        self.update()

    def _show_labels(self) -> None:
        """Leave the words of the steppers out where the name of the second pane needs their room."""
        visible = self._has_notes or (self._state.viewport.mode != "split" and theme().text_scale <= _LABELS_UP_TO)
        for stepper in (self.window_stepper, self.scale_stepper):
            stepper.set_label_visible(visible=visible)
        self._fit_steppers()

    def _fit_steppers(self) -> None:
        """Leave out what has no room beside the rail: the arrows, also for a name over a pane, the scale, the window.

        Their commands and keys are there all the same.
        """
        margins = self._row.contentsMargins()
        room = self.width() - rail_px() - margins.right() - 2
        steppers = (self.window_stepper, self.scale_stepper)
        named = names_end(self.legend, self._panes())
        left_out = ((True, 2), (False, 2), (True, 1), (False, 1), (False, 0))
        for taken, has_menus, shown in (*((named, *way) for way in left_out[:2]), *((0.0, *way) for way in left_out)):
            for number, stepper in enumerate(steppers):
                stepper.set_menu_visible(visible=has_menus)
                stepper.setVisible(number < shown)
            needed = [stepper.sizeHint().width() for stepper in steppers[:shown]]
            if sum(needed) + self._row.spacing() * max(0, shown - 1) <= room - taken:
                return

    def show_following(self, what: Follows) -> None:
        """Say what After follows: a pole while it is dragged, a fit, or (empty) nothing."""
        self._follows = what
        self.update()

    def close_recording(self) -> None:
        """Show nothing."""
        self._info = self._scale.info = None
        self.update()

    def _show_values(self) -> None:
        viewport = self._state.viewport
        self.window_stepper.show_text(window_text(viewport.duration_s))
        speed = "" if viewport.paper_mm_s is None else f", {viewport.paper_mm_s:g} mm/s on this screen"
        self._window_tip.say(f"Seconds shown{speed}. Type, scroll or use keys", *_WINDOW_KEYS)
        self._shown_bar = self._scale.bar
        text, tip = self._scale.words()
        self.scale_stepper.show_text(text)
        self._scale_tip.say(tip, *_SCALE_KEYS)

    def _refresh(self) -> None:
        self._show_values()
        self._show_labels()
        is_removed = self._state.viewport.mode == "difference"
        self._row.setContentsMargins(8, 0, 12 + (removed_px() if is_removed else 0), 1)
        self._fit_steppers()
        self.update()

    def _on_theme(self) -> None:
        self.setFixedHeight(scaled(_HEIGHT))
        self._refresh()
        self._place_buttons()
        self.update()

    # --- what a person does

    def _on_window_typed(self, text: str) -> None:
        value = number_in(text)
        if value is None or value <= 0:
            self._refresh()
            return
        self._navigator.look(self._state.viewport.start_s, value)
        self.search_ended.emit()

    def _on_scale_typed(self, text: str) -> None:
        value = number_in(text)
        if value is None or value <= 0:
            self._refresh()
            return
        self._scale.take(value, per_mm="/" in text)
        self.search_ended.emit()

    def begin_search(self) -> None:
        """Open the field in which a channel's name can be typed."""
        self._find.hide()
        self.montage_button.hide()
        self._search.clear()
        self._search.set_wrong(wrong=False)
        self._search.show()
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.update()

    def _end_search(self) -> None:
        self._search.hide()
        self._find.show()
        self.montage_button.show()
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
        with begin(self) as painter:
            painter.fillRect(self.rect(), colour("canvas"))
            hairline(painter, rail_px() - 1, 0, self.height(), upright=True)
            hairline(painter, 0, self.height() - 1, self.width())
            # right of the words there is nothing but steppers, below which this is painted as well
            if self._info is not None and event.rect().left() < self._legend_room().right():
                if self._search.isHidden():
                    room = QRectF(14, 0, self.montage_button.x() - 16, self.height() - 1)
                    draw_text(painter, room, self._count(room.width()), font(11, 500), "text3")
                paint_legend(painter, self.legend, self._legend_room(), self._panes())
            if self._state.viewport.mode == "difference":
                left = self.width() - removed_px()
                hairline(painter, left, 0, self.height(), upright=True)
                box = QRectF(left, 0, removed_px() - 12, self.height() - 1)
                draw_text(painter, box, "Removed", font(11, 500), "text2", RIGHT)

    def _panes(self) -> tuple[PaneRect, ...]:
        return panes_of(self._state.viewport, self.width() - rail_px())

    def _legend_room(self) -> QRectF:
        """Return the room between the rail and the steppers."""
        steppers = [stepper for stepper in (self.window_stepper, self.scale_stepper) if not stepper.isHidden()]
        right = steppers[0].x() - 14 if steppers else self.width() - self._row.contentsMargins().right()
        return QRectF(rail_px(), 0, right - rail_px(), self.height() - 1)

    @property
    def legend(self) -> Legend:
        """What the legend is about."""
        return Legend(
            state=self._state,
            is_held=self._is_held,
            follows=self._follows,
            shift_words=self._shift_words,
            has_notes=self._has_notes,
            measures=self._measured(),
        )

    def _measured(self) -> tuple[tuple[str, str], ...]:
        """Return what lies between two cursors in the lane in question."""
        if self._info is None or len(self._state.viewport.cursors_s) != 2:
            return ()
        viewport, lanes = self._state.viewport, lanes_of(self._state, self._info)
        lane = lane_in_question(lanes, viewport.selected_channels)
        shows_after = self._state.document.filter_on and not viewport.raw
        found = None
        if lane is not None:
            found = measures_between(self._measures, viewport.cursors_s, lane.channel, shows_after=shows_after)
        shows_difference = shows_after and viewport.mode == "difference"
        selected = viewport.selected_channels
        return cursor_measures(lanes, selected, viewport.cursors_s, found, shows_difference=shows_difference)

    def _count(self, room_px: float) -> str:
        """Return how many channels are shown, in as many words as there is room for."""
        if self._info is None:
            return ""
        total = sum(channel.is_drawable for channel in self._info.channels)
        shown = len(lanes_of(self._state, self._info))
        noun = "channel" if total == 1 else "channels"
        number = f"{total}" if shown == total else f"{shown} of {total}"
        words = f"{number} {noun}"
        return words if text_width(words, font(11, 500)) <= room_px else number

    # --- the legend under the mouse

    def _toggle_at(self, x: float) -> Toggle:
        if self._info is None:
            return ""
        return toggle_at(placed_entries(self.legend, self._legend_room(), self._panes()), x)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self.rect().contains(event.position().toPoint()):
            return
        match self._toggle_at(event.position().x()):
            case "before":
                self._dispatch(SetDisplay(name="show_before", value=not self._state.viewport.show_before))
            case "after":
                self._dispatch(ShowRaw(raw=not self._state.viewport.raw))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        is_over = bool(self._toggle_at(event.position().x()))
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_over else Qt.CursorShape.ArrowCursor)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            words = "Click to hide or show" if self._toggle_at(event.pos().x()) else ""
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_steppers()
        self._place_buttons()

    def _place_buttons(self) -> None:
        """Put the buttons that are in no layout at the right of the count."""
        right = rail_px() - 8
        for button in (self._find, self.montage_button):
            button.resize(button.sizeHint())
            right -= button.width()
            button.move(right, (self.height() - button.height()) // 2)


def _looks(state: SessionState) -> tuple[object, ...]:
    """Return what the strip shows of a document."""
    document = state.document
    return document.filter_on, document.looks, document.channel_order, document.montage


def window_text(duration_s: float) -> str:
    """Return the length of a window with three digits, or as many as a long one has."""
    return f"{duration_s:.0f} s" if duration_s >= 1000 else f"{duration_s:.3g} s"
