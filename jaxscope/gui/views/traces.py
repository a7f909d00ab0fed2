"""The traces: a picture that the painter made, between layers that are painted here.

The GUI thread never touches a sample: it hands scenes to the painter and blits what comes back. A picture knows the
window it was painted for, so after a pan it is drawn at its right place at once; where one reaches beyond the window,
that is all. While something changes pictures come in motion quality; 120 ms after the last change one comes in rest
quality.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from jaxscope.compute.frames import Blocked, DesignFrame, Frame, Grown, LivePosition, Opened
from jaxscope.compute.measure_frames import MeasureFrame
from jaxscope.compute.surroundings import Surroundings
from jaxscope.errors import counted
from jaxscope.gui.components.painting import begin
from jaxscope.gui.navigator import Navigator
from jaxscope.gui.painting.geometry import pane_at
from jaxscope.gui.painting.painter_thread import AheadImage, TraceImage
from jaxscope.gui.painting.scales import ScaleBook
from jaxscope.gui.painting.scene import Quality, TraceScene
from jaxscope.gui.theme import colour, theme
from jaxscope.gui.timers import one_shot
from jaxscope.gui.views.base import AbstractView, Dispatch, ViewKit
from jaxscope.gui.views.traces_ahead import TracesAhead
from jaxscope.gui.views.traces_canvas import Canvas
from jaxscope.gui.views.traces_cursors import cursor_near, paint_cursors
from jaxscope.gui.views.traces_events import event_at
from jaxscope.gui.views.traces_focus import focus_spans
from jaxscope.gui.views.traces_gestures import TraceGestures
from jaxscope.gui.views.traces_layers import (
    emptiness_words,
    paint_cover,
    paint_emptiness,
    paint_ground,
    paint_picture,
    paint_rubber_band,
)
from jaxscope.gui.views.traces_model import TracesModel
from jaxscope.session.state import SessionState

#: Quiet time before a picture at rest, how many of them a frame is waited for, how long a moved window waits for one.
REST_MS, MOST_WAITS, LATE_MS = 120, 10, 10


class TracesView(AbstractView, QWidget):
    """Shows the lanes of all shown channels.

    Parameters
    ----------
    dispatch : callable
        Takes actions.
    navigator : Navigator
        Scrolls and zooms.
    scales : ScaleBook
        Scales in use.
    paint : callable
        Takes a scene; its picture comes back through ``show_frame``.
    state : SessionState
    revision : callable
        Returns the number of the state.
    """

    #: time under the pointer, None outside
    pointer_moved = Signal(object)
    #: a picture of the traces of the state with this revision is on the screen
    painted = Signal(int)
    #: device pixels across
    width_px_changed = Signal(int)
    #: a time axis became wider or narrower
    axis_width_changed = Signal()
    #: words for the status bar, empty where there are none
    hinted = Signal(str)
    #: the selected event was double-clicked
    event_edit_asked = Signal()
    #: (channel name, global position)
    menu_asked = Signal(str, object)

    def __init__(
        self,
        dispatch: Dispatch,
        navigator: Navigator,
        scales: ScaleBook,
        paint: Callable[[TraceScene], None],
        state: SessionState,
        revision: Callable[[], int],
    ) -> None:
        super().__init__()
        self.model = TracesModel(scales, state)
        self._paint, self._revision = paint, revision
        self._picture: TraceImage | None = None
        self._ahead = TracesAhead(self, self.model, paint)
        #: numbers of the scene and of the state that the picture shows
        self._serial = self._shows = -1
        self._pointer: QPointF | None = None
        self._is_divider_hot = False
        self._shape: Qt.CursorShape | None = None
        self._announced = -1
        self._asked = self._waits = 0
        self._told_width = -1
        self._told_axis = -1.0
        self._rest = one_shot(self, REST_MS, self._come_to_rest)
        # a window that moved is painted with its picture where that comes at once, else with the last one, moved
        self._late = one_shot(self, LATE_MS, self.update)
        self._gestures = TraceGestures(self, dispatch, navigator)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(200, 120)
        self.setAccessibleName("Traces")
        theme().changed.connect(self.follow_screen)

    @classmethod
    def of(cls, kit: ViewKit) -> Self:
        """Make the view for a window."""
        return cls(kit.dispatch, kit.navigator, kit.scales, kit.paint, kit.state, kit.revision)

    def sizeHint(self) -> QSize:
        return QSize(1048, 780)

    # --- what is shown

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Show another state; the picture follows when something in it has changed."""
        change = self.model.take_state(state)
        is_there = change == "window" and self._moves_within()
        # a frame may be on the way; until it comes the picture is drawn where it belongs
        awaits = change == "window" and self._picture is not None and not is_there
        if awaits and not self.model.is_held:
            self._rest.start()
        elif change != "nothing":
            self._ask("motion")
        self._tell_axis()
        is_same_look = state.document.annotations is previous.document.annotations
        if state.viewport is not previous.viewport or not is_same_look or state is previous:
            self._describe()
            (self._late.start if awaits else self.update)()
        if self._pointer is not None and state.viewport is not previous.viewport:
            # the pointer stands still, the time under it does not
            self.pointer_moved.emit(self.second_at(self._pointer.x()))

    def _moves_within(self) -> bool:
        """Whether what lies around a window serves the one of now."""
        return self.model.move_within(self._ahead.around, self._told_width, self._revision())

    def show_frame(self, outcome: object) -> None:
        """Show a newer frame, another recording, or that the picture is held."""
        match outcome:
            case Frame() if self.model.take_frame(outcome):
                self._ask("motion")
            case Opened():
                self.model.open(outcome)
                self._picture = None
                self._ahead.forget()
                self._describe()
                self.update()
            case Blocked():
                if self.model.hold(outcome):
                    self._ask("motion")
            case DesignFrame():
                if self.model.take_design(outcome):
                    self._ask("motion")
            case MeasureFrame() if self.model.take_measures(outcome):
                self.update()
            case LivePosition() if self.model.take_position(outcome):
                self.update()
            case Grown():
                self.model.grow(outcome)
                self._ahead.forget()
            case Surroundings():
                self._ahead.take(outcome)
                if self.model.awaits_frame and self._moves_within():
                    self._ask("motion")
            case AheadImage():
                self._ahead.take_picture(outcome)
            case TraceImage():
                self._show_image(outcome)

    def follow_screen(self) -> None:
        """Paint again: a millimetre has another length, or a colour another value."""
        self._ask("motion")
        self.update()

    def _tell_axis(self) -> None:
        width = self.model.panes(self.width())[0].width
        if width != self._told_axis:
            self._told_axis = width
            self.axis_width_changed.emit()

    def close_recording(self) -> None:
        """Show nothing."""
        self.model.close()
        self._picture = None
        self._ahead.forget()
        self.update()

    @property
    def picture(self) -> TraceImage | None:
        """The picture that is on the screen."""
        return self._picture

    @property
    def is_behind(self) -> bool:
        """Whether a picture that was asked for is not on the screen yet."""
        return self._picture is None or self._serial < self._asked

    @property
    def painted_revision(self) -> int:
        """Revision of the state whose traces were painted last, -1 before the first."""
        return self._announced

    @property
    def pointer(self) -> QPointF | None:
        """Where the pointer is."""
        return self._pointer

    def set_pointer(self, position: QPointF | None) -> None:
        """Move the cursor line, as the mouse does."""
        self._pointer = position
        self.pointer_moved.emit(None if position is None else self.second_at(position.x()))
        self.update()

    def second_at(self, x: float) -> float | None:
        """Return the time at a position; None between and beside the panes."""
        pane = pane_at(self.model.panes(self.width()), x)
        if not pane.shows(x):
            return None
        return pane.second_at(x, self.model.start_s, self.model.duration_s)

    def rest_now(self) -> None:
        """Ask for a picture at rest quality without waiting."""
        self._rest.stop()
        self._ask("rest")

    def _come_to_rest(self) -> None:
        """Paint at rest quality, unless a frame is on the way: what is painted of the old one would be in its way."""
        if self.model.awaits_frame and self._waits < MOST_WAITS:
            self._waits += 1
            self._rest.start()
            return
        self._ask("rest")

    @property
    def is_resting(self) -> bool:
        """Whether the newest picture is on the screen at rest quality."""
        return self._picture is not None and self._picture.scene.quality == "rest" and not self._rest.isActive()

    def _show_image(self, image: TraceImage) -> None:
        if image.scene.frame.recording_id != self.model.recording_id:
            return
        if image.scene.serial > self._serial:
            self._put(image, image.scene)
            if image.scene.quality == "rest":
                self._ahead.ask()

    def _put(self, picture: TraceImage, scene: TraceScene) -> None:
        """Put a picture on the screen that has what a scene shows."""
        self._picture, self._serial, self._shows = picture, scene.serial, scene.revision
        self._late.stop()
        self.update()

    def _ask(self, quality: Quality) -> None:
        scene = self.model.scene(self.width(), self.height(), self.devicePixelRatioF(), quality)
        if scene is None:
            return
        self._asked, self._waits = scene.serial, 0
        picture = self._ahead.picture_for(scene)
        if picture is None:
            self._paint(scene)
        else:
            self._put(picture, scene)
        if quality == "motion":
            self._rest.start()

    def _describe(self) -> None:
        model = self.model
        if not model.lanes and model.info is not None:
            self.setAccessibleDescription(". ".join(emptiness_words(model)))
            return
        filter_words = "filter on" if model.shows_after else "filter off"
        self.setAccessibleDescription(
            f"{counted(len(model.lanes), 'channel')}, {model.start_s:.1f} to {model.stop_s:.1f} seconds, "
            f"{filter_words}, {model.state.viewport.mode}"
        )

    # --- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            canvas = Canvas(
                painter=painter, model=self.model, width=self.width(), height=self.height(), pointer=self._pointer,
                is_divider_hot=self._is_divider_hot,
            )  # fmt: skip
            paint_ground(canvas)
            if self._picture is not None and self.model.lanes:
                paint_picture(canvas, self._picture, self.devicePixelRatioF())
            if self.model.info is not None:
                paint_cover(canvas)
                paint_cursors(canvas)
                if not self.model.lanes:
                    paint_emptiness(canvas)
            band = self._gestures.band
            if band is not None:
                paint_rubber_band(canvas, band)
            if self.hasFocus():
                for top, height in focus_spans(self.model.state, self.model.lanes, self.height()):
                    painter.fillRect(QRectF(0, top, 2, height), colour("focus"))
        self._announce()

    def _announce(self) -> None:
        if self._picture is not None and self._shows != self._announced:
            self._announced = self._shows
            self.painted.emit(self._announced)

    # --- events

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width_px = max(1, round(self.width() * self.devicePixelRatioF()))
        if width_px != self._told_width:
            self._told_width = width_px
            self.width_px_changed.emit(width_px)
        self.model.set_height(self.height())
        self._tell_axis()
        self._ask("motion")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self.resizeEvent(QResizeEvent(self.size(), self.size()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.set_pointer(event.position())
        self._gestures.move(event)
        self.show_cursor(event.position())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._gestures.press(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._gestures.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._gestures.double_click(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._gestures.wheel(event)

    def contextMenuEvent(self, event) -> None:
        lane = self._gestures.lane_at(QPointF(event.pos()))
        if lane is not None:
            self.menu_asked.emit(lane.name, event.globalPos())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._is_divider_hot = False
        self.set_pointer(None)

    def set_panning(self, *, panning: bool) -> bool:
        """Make the left button pan, or not; return whether it has panned since it could."""
        if panning and not self._gestures.space_is_down:
            self._gestures.space_has_panned = False
        self._gestures.space_is_down = panning
        if panning:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            self.unsetCursor()
        return self._gestures.space_has_panned

    def show_cursor(self, point: QPointF) -> None:
        """Show by the shape of the pointer what a drag from a position would do."""
        if self._gestures.space_is_down:
            return
        gestures = self._gestures
        is_on_cursor = gestures.moves_cursor or cursor_near(self.model, self.width(), point.x()) is not None
        is_hot = gestures.is_dividing or (not is_on_cursor and gestures.is_on_divider(point))
        hit = None if is_on_cursor or is_hot else event_at(self.model, self.width(), point)
        if hit is not None:
            is_on_cursor, is_hot = hit.part != "body", False
        shape = Qt.CursorShape.SizeHorCursor if is_on_cursor else Qt.CursorShape.SplitHCursor if is_hot else None
        if hit is not None and shape is None:
            shape = Qt.CursorShape.PointingHandCursor
        if shape is not None:
            self.setCursor(shape)
        elif self._shape is not None:
            self.unsetCursor()
        self._shape = shape
        if is_hot != self._is_divider_hot:
            self._is_divider_hot = is_hot
            self.update()

    def cancel_drag(self) -> bool:
        """Give up a drag that is going on and put everything back; return whether there was one."""
        return self._gestures.cancel()
