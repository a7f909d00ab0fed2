"""The channel rail: one row a lane, exactly on the lane of its trace.

Names are painted from the same lanes and the same heights as the traces. A pointer over a row shows three tools in the
place of the unit: hide, alone, height.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from jaxscope.compute.frames import Blocked, Frame, Opened
from jaxscope.compute.shown_channels import shown_channels
from jaxscope.data.kinds import kind_words
from jaxscope.data.recording import RecordingInfo
from jaxscope.gui.components.painting import CENTRE, RIGHT, begin, draw_text, hairline, rounded, text_width
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.key_tips import with_key
from jaxscope.gui.painting.geometry import rail_px
from jaxscope.gui.painting.lanes import Lane, by_row, lane_at, lanes_of, name_stride
from jaxscope.gui.theme import colour, font, scaled, theme
from jaxscope.gui.views.base import AbstractView, Dispatch, ViewKit
from jaxscope.gui.views.rail_groups import named_lane, paint_overlaid
from jaxscope.gui.views.traces_focus import focus_spans
from jaxscope.gui.views.traces_gestures import chosen_channels
from jaxscope.gui.views.traces_numbers import signed
from jaxscope.session.actions import HideChannels, SelectChannels, SetChannelOrder, SetLook, ShowLanes
from jaxscope.session.state import SessionState

_DRAG_PX = 5.0
_TOOLS = ("eye", "viewfinder", "arrows-vertical")
_TOOL_TIPS = ("Hide this channel", "Only this channel", "Drag to change the height")
_TOOL_LEFT, _TOOL_STEP = 60, 21
_TALLER = 1.25


class RailView(AbstractView, QWidget):
    """Names, units and chains of the lanes."""

    #: (channel name, global position): the tag, or the row itself, was asked for its menu
    tag_menu_asked = Signal(str, object)
    colour_menu_asked = Signal(str, object)
    menu_asked = Signal(str, object)
    #: a name was double-clicked
    rename_asked = Signal(str)

    def __init__(self, dispatch: Dispatch, state: SessionState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dispatch = dispatch
        self._state = state
        self._info: RecordingInfo | None = None
        self._lanes: tuple[Lane, ...] = ()
        self._by_row: tuple[tuple[Lane, ...], ...] = ()
        self._hover: int | None = None
        self._pressed: QPointF | None = None
        self._dragged: Lane | None = None
        self._drop_y: float | None = None
        self._height_of: tuple[Lane, float, float] | None = None
        self._anchor = ""
        self._unstable_chains: frozenset[int] = frozenset()
        self.setFixedWidth(rail_px())
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Channels")
        theme().changed.connect(self._on_theme)

    @classmethod
    def of(cls, kit: ViewKit) -> Self:
        """Make the view for a window."""
        return cls(kit.dispatch, kit.state)

    def sizeHint(self) -> QSize:
        return QSize(rail_px(), 780)

    def _on_theme(self) -> None:
        self.setFixedWidth(rail_px())
        self.update()

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes whose names are shown."""
        return self._lanes

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Show other lanes or another selection."""
        self._state = state
        if state is previous or state.viewport.selected_channels != previous.viewport.selected_channels:
            self.update()
        if state.document is not previous.document or state.viewport is not previous.viewport:
            self._lay_out()

    def show_frame(self, outcome: object) -> None:
        """Take another recording, and whether a chain is unstable."""
        match outcome:
            case Opened():
                self._info = outcome.info
                self._lay_out()
            case Blocked() if outcome.kind == "unstable" and outcome.chain is not None:
                self._unstable_chains = frozenset({outcome.chain})
                self.update()
            case Frame() if self._unstable_chains:
                self._unstable_chains = frozenset()
                self.update()

    def close_recording(self) -> None:
        """Show nothing."""
        self._info = None
        self._lanes, self._by_row = (), ()
        self.update()

    def _lay_out(self) -> None:
        lanes = () if self._info is None else lanes_of(self._state, self._info)
        if lanes != self._lanes:
            self._lanes, self._by_row = lanes, by_row(lanes)
            self.update()

    # --- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            painter.fillRect(self.rect(), colour("canvas"))
            count = len(self._by_row)
            stride = name_stride(self.height() / theme().text_scale, count)
            for row, lanes in enumerate(self._by_row):
                rect = QRectF(0, row * self.height() / count, self.width(), self.height() / count)
                if self._state.viewport.arrangement == "stacked":
                    self._paint_row(painter, row, lanes[0], rect, stride)
                else:
                    paint_overlaid(painter, lanes, rect, self._state.viewport.selected_channels)
            if self.hasFocus():
                for top, high in focus_spans(self._state, self._lanes, self.height()):
                    painter.fillRect(QRectF(0, top, 2, high), colour("focus"))
            if self._drop_y is not None:
                painter.fillRect(QRectF(0, round(self._drop_y) - 1, self.width() - 1, 2), colour("focus"))
            hairline(painter, self.width() - 1, 0, self.height(), upright=True)

    def _paint_row(self, painter: QPainter, row: int, lane: Lane, rect: QRectF, stride: int) -> None:
        is_selected = lane.name in self._state.viewport.selected_channels
        is_under = row == self._hover
        if is_selected:
            painter.fillRect(rect, colour("after", 0.07 if theme().is_dark else 0.06))
            painter.fillRect(QRectF(0, rect.top(), 2, rect.height()), colour("focus" if self.hasFocus() else "after"))
        if is_under:
            painter.fillRect(rect, colour("hover", 0.6))
        if row % stride and not is_under:
            return
        # in a low lane at an edge of the rail the words stay inside
        top = min(max(rect.center().y() - scaled(10), 0), self.height() - scaled(20))
        words = QRectF(rect.left(), top, rect.width(), scaled(20))
        swatch = min(12.0, max(4.0, rect.height() - 2))
        rounded(painter, QRectF(14, words.center().y() - swatch / 2, 3, swatch), 1.5, lane.colour)
        has_tools = is_under and rect.height() >= 16
        room = scaled(_TOOL_LEFT - 28 if has_tools else (38 if lane.unit else 82))
        elide = Qt.TextElideMode.ElideMiddle
        is_long = not has_tools and text_width(lane.title, font(12, 500)) > scaled(36)
        draw_text(
            painter,
            words.adjusted(26, 0, -(self.width() - 26 - (scaled(86) if is_long else room)), 0),
            lane.title,
            font(12, 500),
            "text",
            elide=elide,
        )
        if has_tools:
            for place, icon in enumerate(_TOOLS):
                spot = QRectF(scaled(_TOOL_LEFT) + _TOOL_STEP * place, rect.center().y() - 8, 16, 16)
                draw_icon(painter, icon, spot, "text2")
        elif not is_long:
            draw_text(painter, words.adjusted(scaled(66), 0, -scaled(34), 0), lane.unit, font(11), "text3", elide=elide)
        self._paint_tag(painter, lane, words.center().y(), is_selected=is_selected)

    def _paint_tag(self, painter: QPainter, lane: Lane, middle: float, *, is_selected: bool) -> None:
        if lane.is_raw:
            words = QRectF(0, middle - scaled(10), self.width() - 14, scaled(20))
            draw_text(painter, words, "raw", font(11), "before_text", RIGHT)
            return
        box = QRectF(self.width() - 13 - scaled(17), middle - scaled(8), scaled(17), scaled(16))
        rounded(painter, box, 4, "after_bg" if is_selected else "hover")
        is_unstable = ord(lane.tag) - ord("A") in self._unstable_chains
        token = "danger" if is_unstable else ("after" if is_selected else "text2")
        draw_text(painter, box, lane.tag, font(10, 600), token, CENTRE)

    # --- the mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        lane = self._lane_at(event.position().y())
        if lane is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self._pressed = event.position()
        if self._tool_at(event.position()) == 2:
            self._height_of = (lane, event.position().y(), self._state.document.look_of(lane.name).gain)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        is_stacked = self._state.viewport.arrangement == "stacked"
        row = lane_at(event.position().y(), self.height(), len(self._by_row)) if is_stacked else None
        if row != self._hover:
            self._hover = row
            self.update()
        if self._height_of is not None:
            self._drag_height(event.position().y())
        elif is_stacked and self._pressed is not None and abs(event.position().y() - self._pressed.y()) > _DRAG_PX:
            self._dragged = self._dragged or self._lane_at(self._pressed.y())
            count = max(1, len(self._by_row))
            gap = min(count, max(0, round(event.position().y() * count / self.height())))
            self._drop_y = gap * self.height() / count
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, None
        dragged, self._dragged = self._dragged, None
        drop_y, self._drop_y = self._drop_y, None
        height_of, self._height_of = self._height_of, None
        if pressed is None:
            return
        if dragged is not None and drop_y is not None:
            self._reorder(dragged, drop_y)
        elif height_of is None or abs(event.position().y() - height_of[1]) < _DRAG_PX:
            self._click(pressed, event)
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        lane = self._lane_at(event.position().y())
        is_name = self._tool_at(event.position()) is None and 24 <= event.position().x() < self.width() - 36
        if lane is not None and is_name:
            self.rename_asked.emit(lane.name)

    def _click(self, point: QPointF, event: QMouseEvent) -> None:
        lane = self._lane_at(point.y())
        if lane is None:
            return
        tool = self._tool_at(point)
        where = event.globalPosition().toPoint()
        if tool == 0:
            self._dispatch(HideChannels(names=(lane.name,)))
        elif tool == 1 and self._info is not None:
            is_alone = self._state.viewport.lane_count == 1
            first = shown_channels(self._state, self._info).index(lane.channel)
            self._dispatch(ShowLanes(first=0 if is_alone else first, count=None if is_alone else 1))
        elif point.x() >= self.width() - 36:
            self.tag_menu_asked.emit(lane.name, where)
        elif point.x() < 24:
            self.colour_menu_asked.emit(lane.name, where)
        elif tool is None:
            selected = self._state.viewport.selected_channels
            self._anchor, names = chosen_channels(self._lanes, selected, self._anchor, lane.name, event.modifiers())
            self._dispatch(SelectChannels(names=names))

    def _drag_height(self, y: float) -> None:
        if self._height_of is None:
            return
        lane, begun_y, begun = self._height_of
        self._set_gain(lane, begun * 2 ** ((begun_y - y) / 60), merge=True)

    def _set_gain(self, lane: Lane, gain: float, *, merge: bool) -> None:
        look = self._state.document.look_of(lane.name)
        key = f"height {lane.name}" if merge else None
        self._dispatch(SetLook(channel=lane.name, look=replace(look, gain=gain), merge_key=key))

    def _reorder(self, lane: Lane, drop_y: float) -> None:
        if self._info is None:
            return
        shown = [self._info.channels[number].name for number in shown_channels(self._state, self._info)]
        visible = [item.name for item in self._lanes]
        gap = round(drop_y * len(visible) / max(1, self.height()))
        following = visible[gap] if gap < len(visible) else None
        if following == lane.name:
            return
        shown.remove(lane.name)
        shown.insert(shown.index(following) if following is not None else len(shown), lane.name)
        self._dispatch(SetChannelOrder(names=tuple(shown)))

    def wheelEvent(self, event: QWheelEvent) -> None:
        lane = self._lane_at(event.position().y())
        angle = event.angleDelta().x() or event.angleDelta().y()
        if lane is not None and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            gain = self._state.document.look_of(lane.name).gain * _TALLER ** (angle / 120)
            self._set_gain(lane, gain, merge=True)
        elif self._state.viewport.lane_count is not None:
            first = max(0, self._state.viewport.first_lane - (1 if angle > 0 else -1))
            self._dispatch(ShowLanes(first=first, count=self._state.viewport.lane_count))
        event.accept()

    def contextMenuEvent(self, event) -> None:
        lane = self._lane_at(event.pos().y())
        if lane is not None:
            self.menu_asked.emit(lane.name, event.globalPos())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover = None
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._tip_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def _tip_at(self, point: QPointF) -> str:
        lane = self._lane_at(point.y())
        if lane is None or self._info is None:
            return ""
        tool = self._tool_at(point)
        if tool is not None:
            return with_key(_TOOL_TIPS[0], ("traces", "hide the selected channels")) if tool == 0 else _TOOL_TIPS[tool]
        if point.x() < 24:
            return "Colour of the filtered trace"
        if point.x() >= self.width() - 36:
            return self._tag_tip(lane)
        channel = self._info.channels[lane.channel]
        rate = "no rate" if channel.rate_hz is None else f"{channel.rate_hz:g} Hz"
        unit = lane.unit or "no unit"
        named = f"{lane.title} ({lane.name} in the file)" if lane.label else lane.name
        moved = f", offset {signed(lane.offset, 2)} rows" if lane.offset else ""
        words = f"{named}, {kind_words(lane.kind)}, {unit}, {rate}, gain ×{lane.gain:.3g}{moved}"
        return f"{words}. Drag to reorder"

    def _tag_tip(self, lane: Lane) -> str:
        if lane.is_raw:
            return "No filter on this channel. Click to choose a chain"
        chain = self._state.document.chains[ord(lane.tag) - ord("A")]
        stages = ", ".join(stage.name or stage.spec.title for stage in chain.active_stages) or "no stages"
        return f"Chain {lane.tag}: {stages}. Click to change"

    def _lane_at(self, y: float) -> Lane | None:
        """Return the lane of a height; of overlaid ones the one whose name is there, none between them."""
        row = lane_at(y, self.height(), len(self._by_row))
        lanes = () if row is None else self._by_row[row]
        if self._state.viewport.arrangement == "stacked" or not lanes:
            return lanes[0] if lanes else None
        row_px = self.height() / len(self._by_row)
        rect = QRectF(0, (row or 0) * row_px, self.width(), row_px)
        return named_lane(lanes, rect, y)

    def _tool_at(self, point: QPointF) -> int | None:
        is_stacked = self._state.viewport.arrangement == "stacked"
        if not self._lanes or not is_stacked or self.height() / len(self._by_row) < 16:
            return None
        place = int((point.x() - scaled(_TOOL_LEFT) + 4) // _TOOL_STEP)
        return place if 0 <= place < len(_TOOLS) and point.x() >= scaled(_TOOL_LEFT) - 4 else None
