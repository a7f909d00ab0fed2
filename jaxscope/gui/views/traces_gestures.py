"""What the mouse does on the traces: select, zoom into a box, pan, scroll, scale.

A gesture keeps where it began and turns movements into actions; ``cancel`` puts the window back as it was. Channels and
times are asked of the view's model, never counted here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent

from jaxscope.compute.shown_channels import shown_channels
from jaxscope.gui.navigator import Navigator
from jaxscope.gui.painting.geometry import pane_at, share_at
from jaxscope.gui.painting.lanes import Lane, lane_at, span_of_names
from jaxscope.gui.views.base import Dispatch
from jaxscope.gui.views.traces_cursors import cursor_near
from jaxscope.gui.views.traces_dividers import is_on_divider
from jaxscope.gui.views.traces_event_drag import EventDrag
from jaxscope.gui.views.traces_events import event_at
from jaxscope.gui.views.traces_goals import goal_at
from jaxscope.session.actions import Arrange, LookAt, PlaceDivider, SelectChannels, SetCursors, SetScale, ShowLanes
from jaxscope.session.actions_events import SelectEvent
from jaxscope.session.state import Viewport

if TYPE_CHECKING:
    from jaxscope.gui.views.traces import TracesView

_CLICK_PX = 4.0
_TIME_ONLY_PX = 24.0
_NOTCH = 120.0
_WHEEL_SHARE = 0.1
_ZOOM_STEP = 1.25
_TALLER = 1.25
#: How far a peak may be from the pointer.
_SNAP_PX = 16.0
_SNAPS: tuple[tuple[Qt.KeyboardModifier, Literal["sample", "peak"]], ...] = (
    (Qt.KeyboardModifier.ControlModifier, "sample"),
    (Qt.KeyboardModifier.ShiftModifier, "peak"),
)


class TraceGestures:
    """The mouse on one traces view."""

    def __init__(self, view: TracesView, dispatch: Dispatch, navigator: Navigator) -> None:
        self._view = view
        self._dispatch = dispatch
        self._navigator = navigator
        self._origin: QPointF | None = None
        self._before: Viewport | None = None
        self._is_pan = False
        self._is_dividing = False
        self._cursor: int | None = None
        self._event: EventDrag | None = None
        self._anchor_name = ""
        self._lanes_before_alone: tuple[int, int | None] | None = None
        self.band: QRectF | None = None
        self.space_is_down = False
        #: whether the left button panned since Space went down
        self.space_has_panned = False

    @property
    def _viewport(self) -> Viewport:
        return self._view.model.state.viewport

    def lane_at(self, point: QPointF) -> Lane | None:
        """Return the lane at a position."""
        second = self._view.second_at(point.x())
        return self._view.model.lane_near(
            point.y(), self._view.height(), self._viewport.start_s if second is None else second
        )

    def is_on_divider(self, point: QPointF) -> bool:
        """Whether a position is on the divider of Split or on the curtain."""
        if self._viewport.mode == "curtain" and not self._view.model.shows_after:
            return False
        return is_on_divider(self._viewport, QSizeF(self._view.size()), point)

    @property
    def is_dividing(self) -> bool:
        """Whether the divider or the curtain is being dragged."""
        return self._is_dividing

    @property
    def moves_cursor(self) -> bool:
        """Whether a cursor is being dragged."""
        return self._cursor is not None

    def _move_cursor(self, event: QMouseEvent) -> None:
        """Put the cursor that is dragged under the pointer; Ctrl takes the nearest sample, Shift the nearest peak."""
        model, point = self._view.model, event.position()
        pane = pane_at(model.panes(self._view.width()), point.x())
        second = pane.second_at(point.x(), model.start_s, model.duration_s)
        second = min(max(second, 0.0), self._navigator.total_s or second)
        how = next((how for key, how in _SNAPS if event.modifiers() & key), None)
        lane = self.lane_at(point)
        if how is not None and lane is not None:
            second = model.snapped(lane, second, _SNAP_PX / pane.width * model.duration_s, how)
        cursors_s = list(self._viewport.cursors_s)
        if self._cursor is not None and self._cursor < len(cursors_s):
            cursors_s[self._cursor] = second
            self._dispatch(SetCursors(cursors_s=tuple(cursors_s)))

    def _forget(self) -> None:
        """End whatever gesture goes on."""
        if self._cursor is not None:
            self._view.hinted.emit("")
        self._origin, self._before, self._cursor = None, None, None
        self._is_pan = self._is_dividing = False
        if self._event is not None:
            self._event = None
            self._view.hinted.emit("")

    def _divide(self, x: float) -> None:
        self._place_divider(share_at(self._viewport, x, self._view.width()))

    def _place_divider(self, share: float) -> None:
        mode: Literal["split", "curtain"] = "split" if self._viewport.mode == "split" else "curtain"
        self._dispatch(PlaceDivider(mode=mode, share=share))

    def press(self, event: QMouseEvent) -> None:
        """Begin a gesture."""
        button = event.button()
        is_left = button == Qt.MouseButton.LeftButton
        if not is_left and button != Qt.MouseButton.MiddleButton:
            return
        self._origin = event.position()
        self._before = self._viewport
        self._is_pan = button == Qt.MouseButton.MiddleButton or self.space_is_down
        self.space_has_panned = self.space_has_panned or self.space_is_down
        self._cursor = None if self._is_pan else cursor_near(self._view.model, self._view.width(), self._origin.x())
        self._is_dividing = not self._is_pan and self._cursor is None and self.is_on_divider(event.position())
        if self._cursor is not None:
            self._view.hinted.emit("Ctrl snaps to samples, Shift to peaks. Esc puts the cursor back")
        if not self._is_pan and self._cursor is None and not self._is_dividing:
            self._take_event()
        if self._is_pan:
            self._view.setCursor(Qt.CursorShape.ClosedHandCursor)

    def _take_event(self) -> None:
        """Take hold of the event under the pointer, where there is one."""
        origin = self._origin or QPointF()
        hit = event_at(self._view.model, self._view.width(), origin)
        second = self._view.second_at(origin.x())
        if hit is not None and second is not None:
            self._event = EventDrag(self._dispatch, hit, second, self._navigator.total_s)
            self._view.hinted.emit("Drag moves the event, its edges resize it. Delete removes it, F2 edits it")

    def _move_event(self, x: float) -> None:
        model = self._view.model
        pane = pane_at(model.panes(self._view.width()), x)
        if self._event is not None:
            self._event.move(pane.second_at(x, model.start_s, model.duration_s))

    def move(self, event: QMouseEvent) -> None:
        """Go on with a gesture."""
        if self._origin is None or self._before is None:
            return
        shift = event.position() - self._origin
        if self._cursor is not None:
            self._move_cursor(event)
        elif self._event is not None:
            if self._event.is_moved or abs(shift.x()) > _CLICK_PX:
                self._move_event(event.position().x())
        elif self._is_dividing:
            self._divide(event.position().x())
        elif self._is_pan:
            pane = pane_at(self._view.model.panes(self._view.width()), self._origin.x())
            seconds = shift.x() / pane.width * self._before.duration_s
            self._navigator.look(self._before.start_s - seconds, self._before.duration_s)
        elif max(abs(shift.x()), abs(shift.y())) > _CLICK_PX:
            self.band = self._band_to(event.position())
            self._view.update()

    def release(self, event: QMouseEvent) -> None:
        """End a gesture: a click selects, a box zooms."""
        if self._origin is None:
            return
        band, self.band = self.band, None
        origin, was_moved = self._origin, self._is_pan or self._is_dividing or self._cursor is not None
        was_moved = was_moved or self._event is not None
        self._forget()
        self._view.show_cursor(event.position())
        if was_moved:
            return
        if band is None:
            self._dispatch(SelectEvent(event=None))
            goal = goal_at(self._view.model, self._view.width(), self._view.height(), origin)
            if goal is not None:
                self._view.model.goals.choose(goal)
            self._select(origin, event.modifiers())
        elif band.width() > _CLICK_PX and self._view.model.goals.shown:
            self._select_span(band)
        elif band.width() > _CLICK_PX:
            self._zoom_into(band)
        self._view.update()

    def double_click(self, event: QMouseEvent) -> None:
        """Show this channel alone; again: all that were shown before. On a divider: put it into the middle."""
        if self.is_on_divider(event.position()):
            self._place_divider(0.5)
            return
        hit = event_at(self._view.model, self._view.width(), event.position())
        if hit is not None:
            self._dispatch(SelectEvent(event=hit.event))
            self._view.event_edit_asked.emit()
            return
        lane = self.lane_at(event.position())
        viewport = self._viewport
        if lane is None or self._view.model.info is None:
            return
        if viewport.arrangement != "stacked":
            self._dispatch(Arrange(arrangement="stacked"))
        if viewport.lane_count == 1 and self._lanes_before_alone is not None:
            first, count = self._lanes_before_alone
            self._lanes_before_alone = None
        else:
            self._lanes_before_alone = (viewport.first_lane, viewport.lane_count)
            first, count = shown_channels(self._view.model.state, self._view.model.info).index(lane.channel), 1
        self._dispatch(ShowLanes(first=first, count=count))

    def wheel(self, event: QWheelEvent) -> None:
        """Scroll channels; with Shift time, with Ctrl zoom, with Alt scale."""
        angle, modifiers = event.angleDelta(), event.modifiers()
        event.accept()
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            around_s = self._view.second_at(event.position().x())
            self._navigator.zoom(_ZOOM_STEP ** (-angle.y() / _NOTCH), around_s)
        elif modifiers & Qt.KeyboardModifier.AltModifier:
            # Qt turns a wheel sideways while Alt is held
            self._scale(event.position(), (angle.x() or angle.y()) / _NOTCH)
        elif angle.x() or modifiers & Qt.KeyboardModifier.ShiftModifier:
            self._navigator.pan_windows(-(angle.x() or angle.y()) / _NOTCH * _WHEEL_SHARE)
        else:
            self._scroll_lanes(-round(angle.y() / _NOTCH) or (-1 if angle.y() > 0 else 1))

    def cancel(self) -> bool:
        """Put back what a drag has moved; return whether there was a drag."""
        if self._origin is None:
            return False
        before, self.band = self._before, None
        if self._is_pan and before is not None:
            self._dispatch(LookAt(start_s=before.start_s, duration_s=before.duration_s))
        if self._is_dividing and before is not None:
            self._place_divider(getattr(before, f"{before.mode}_share"))
        if self._cursor is not None and before is not None:
            self._dispatch(SetCursors(cursors_s=before.cursors_s))
        if self._event is not None:
            self._event.cancel()
        self._forget()
        self._view.unsetCursor()
        self._view.update()
        return True

    def _band_to(self, point: QPointF) -> QRectF:
        origin = self._origin or point
        pane = pane_at(self._view.model.panes(self._view.width()), origin.x())
        x = min(max(point.x(), pane.shown_left), pane.shown_right)
        band = QRectF(origin, QPointF(x, point.y())).normalized()
        lane_px = self._view.height() / max(1, self._view.model.rows)
        if band.height() < lane_px and band.width() > _TIME_ONLY_PX:
            band.setTop(0)
            band.setBottom(self._view.height())
        return band.intersected(QRectF(self._view.rect()))

    def _select_span(self, band: QRectF) -> None:
        """Select the time and the channels of a box, to be marked as a goal."""
        model, height = self._view.model, self._view.height()
        pane = pane_at(model.panes(self._view.width()), band.center().x())
        edges_s = (pane.second_at(x, model.start_s, model.duration_s) for x in (band.left(), band.right()))
        if band.height() < height - 1 and model.lanes:
            top = lane_at(band.top(), height, model.rows) or 0
            bottom = lane_at(min(band.bottom(), height - 1), height, model.rows) or 0
            rows = range(top, bottom + 1)
            self._dispatch(SelectChannels(names=tuple(lane.name for lane in model.lanes if lane.row in rows)))
        self._dispatch(SetCursors(cursors_s=tuple(edges_s)))

    def _zoom_into(self, band: QRectF) -> None:
        model = self._view.model
        pane = pane_at(model.panes(self._view.width()), band.center().x())
        start_s = pane.second_at(band.left(), model.start_s, model.duration_s)
        stop_s = pane.second_at(band.right(), model.start_s, model.duration_s)
        self._navigator.remember()
        height = self._view.height()
        is_stacked = self._viewport.arrangement == "stacked"
        if band.height() < height - 1 and model.lanes and model.info is not None and is_stacked:
            top = lane_at(band.top(), height, model.rows) or 0
            bottom = lane_at(min(band.bottom(), height - 1), height, model.rows) or 0
            first = shown_channels(model.state, model.info).index(model.lanes[top].channel)
            self._dispatch(ShowLanes(first=first, count=bottom - top + 1))
        self._navigator.look(start_s, stop_s - start_s)

    def _select(self, point: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        lane = self.lane_at(point)
        if lane is None:
            return
        self._anchor_name, names = chosen_channels(
            self._view.model.lanes, self._viewport.selected_channels, self._anchor_name, lane.name, modifiers
        )
        self._dispatch(SelectChannels(names=names))

    def _scale(self, point: QPointF, notches: float) -> None:
        lane = self.lane_at(point)
        if lane is None:
            return
        units = self._view.model.scales.units_per_lane(self._viewport, lane.scale_kind)
        self._dispatch(SetScale(kind=lane.scale_kind, units_per_lane=units * _TALLER**-notches))

    def _scroll_lanes(self, rows: int) -> None:
        viewport, info = self._viewport, self._view.model.info
        if viewport.lane_count is None or info is None:
            return
        last = max(0, len(shown_channels(self._view.model.state, info)) - viewport.lane_count)
        first = min(last, max(0, viewport.first_lane + rows))
        self._dispatch(ShowLanes(first=first, count=viewport.lane_count))


def chosen_channels(
    lanes: tuple[Lane, ...],
    selected: tuple[str, ...],
    anchor: str,
    clicked: str,
    modifiers: Qt.KeyboardModifier,
) -> tuple[str, tuple[str, ...]]:
    """Return (anchor, selected names) after a click: alone, with Shift a range, with Ctrl one more or one less."""
    if modifiers & Qt.KeyboardModifier.ShiftModifier and anchor:
        return anchor, span_of_names(lanes, anchor, clicked)
    if modifiers & Qt.KeyboardModifier.ControlModifier:
        if clicked in selected:
            return clicked, tuple(name for name in selected if name != clicked)
        return clicked, (*selected, clicked)
    return clicked, (clicked,)
