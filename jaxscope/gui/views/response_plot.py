"""The magnitude response under the hand: handles, limits and axes that can be dragged, and their keys.

A drag sends one action on every move with one merge key, so it is one step of undo; Esc sends what was there before.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES, AbstractFilterSpec, Stage
from jaxscope.gui.views.base import Dispatch
from jaxscope.gui.views.response_canvas import ResponseCanvas
from jaxscope.gui.views.response_drags import AxisDrag, HandleDrag, LimitDrag, limit_at, new_merge_key
from jaxscope.gui.views.response_handles import HELD, OWN_KEYS, accepts, moved_value, nearest_handle, turned_upright
from jaxscope.session.actions import AddStage, ReplaceSpec, SelectStage, SetLimits, TurnKnob

#: what the keys that draw the level axis out do to its span
_CLOSER = 0.8
_HINT = "Left and right: frequency.  Up and down: {what}.  Wheel: {wheel}.  Shift: fine,  Esc puts it back"


class ResponsePlot(ResponseCanvas):
    """The plot under the faces of the dock.

    Parameters
    ----------
    dispatch : callable
        Takes the actions of the user.
    """

    escaped = Signal()
    #: a drag began (True) or ended (False)
    dragging = Signal(bool)
    #: what a drag does and which keys change it; empty when it is over
    hinted = Signal(str)
    #: G: the next view
    next_wanted = Signal()
    #: V: the pinned chain or the own one; with Shift: pin this one
    compare_wanted = Signal()
    pin_wanted = Signal()

    def __init__(self, dispatch: Dispatch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dispatch = dispatch
        self._drag: HandleDrag | LimitDrag | AxisDrag | None = None
        self._pointer: QPointF | None = None

    # --- the mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() == Qt.MouseButton.LeftButton:
            self._begin(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = event.position()
        if self._drag is not None:
            self._move(event.position(), fine=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
            return
        over = self._handle_at(event.position())
        self.setCursor(self._cursor_at(event.position(), over))
        if over != self._over:
            self._over = over
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._drag is not None:
            self._let_go()
            self._rest.start()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        scale, place = self.scale(), event.position()
        if scale is None:
            return
        if place.y() > scale.area.bottom():
            self._seen_hz = None
        elif place.x() < scale.area.left():
            self._seen_db = None
        elif self._handle_at(place) is None and self._limit_at(place) is None:
            self._add_peak(scale.frequency_at(place.x()), scale.level_at(place.y()))
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        at = self._handle_at(event.position())
        notches = event.angleDelta().y() / 120
        if at is None or not notches:
            event.ignore()
            return
        self._turn_upright(at, notches, f"wheel-{at}", by_wheel=True)
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._over = self._pointer = None
        self.update()

    # --- the keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, is_shifted = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key == Qt.Key.Key_Escape:
            self._on_escape()
            return
        if key == Qt.Key.Key_G:
            self.next_wanted.emit()
        elif key == Qt.Key.Key_V:
            (self.pin_wanted if is_shifted else self.compare_wanted).emit()
        elif key == Qt.Key.Key_L:
            self._is_log, self._seen_hz = not self._is_log, None
        elif key == Qt.Key.Key_0:
            self._is_log, self._seen_hz, self._seen_db = True, None, None
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self._draw_out(1 / _CLOSER if key == Qt.Key.Key_Minus else _CLOSER)
        elif key == Qt.Key.Key_Insert:
            self._insert()
        elif not self._press_on_handle(event):
            event.ignore()
            return
        self.update()

    def event(self, event: QEvent) -> bool:
        own = isinstance(event, QKeyEvent) and event.key() in OWN_KEYS and not event.modifiers() & HELD
        if own and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    # --- what a drag does

    def _begin(self, position: QPointF) -> None:
        scale, frame = self.scale(), self._frame
        if scale is None or frame is None:
            return
        at, limit = self._handle_at(position), self._limit_at(position)
        if at is not None:
            self._take_handle(at, position)
        elif limit is not None:
            number, part = limit
            self._drag = LimitDrag(number=number, part=part, limits=self._limits, merge_key=new_merge_key("limit"))
            self.hinted.emit("Moving a limit.  Esc puts it back")
        elif position.y() > scale.area.bottom() or position.x() < scale.area.left():
            is_frequency = position.y() > scale.area.bottom()
            self._drag = AxisDrag(is_frequency=is_frequency, start=QPointF(position), scale=scale)
            self.hinted.emit("Drawing the axis out.  Double-click or 0: all of it,  Esc puts it back")

    def _take_handle(self, at: int, position: QPointF) -> None:
        spec, frame = self._spec_of(at), self._frame
        if spec is None or frame is None:
            return
        _, level_db, stage, name, index = frame.handles[at]
        if stage != self._selected:  # its numbers are shown while it is dragged
            self._dispatch(SelectStage(chain=self._chain, stage=stage))
        whole = self.whole_scale()
        self._active = self._hot = at
        self._held = whole
        self._drag = HandleDrag(
            handle=at,
            stage=stage,
            name=name,
            index=index,
            spec=spec,
            start=QPointF(position),
            start_db=level_db,
            passes=2 if self._phase == "zero" else 1,
            merge_key=new_merge_key("handle"),
        )
        if self._stable is not None:
            self._ghost = (self._stable.frequencies_hz, self._stable.magnitude_db)
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self.dragging.emit(True)
        self.hinted.emit(_hint(spec))
        self.update()

    def _move(self, position: QPointF, *, fine: bool) -> None:
        drag, scale = self._drag, self.scale()
        if scale is None:
            return
        if isinstance(drag, HandleDrag):
            spec = drag.spec_at(position, scale, fine=fine)
            if spec is not None:
                self._change(drag.stage, spec, drag.merge_key)
        elif isinstance(drag, LimitDrag):
            limits = drag.limits_at(position, scale)
            if limits is not None and limits != self._limits:
                self._dispatch(SetLimits(limits=limits, merge_key=drag.merge_key))
        elif isinstance(drag, AxisDrag):
            self._show_scale(drag, position)

    def _show_scale(self, drag: AxisDrag, position: QPointF) -> None:
        whole = self.whole_scale()
        if whole is None:
            return
        scale = drag.scale_at(position, whole)
        if drag.is_frequency:
            self._seen_hz = (scale.low_hz, scale.high_hz)
        else:
            self._seen_db = (scale.floor_db, scale.top_db)
        self.update()

    def _let_go(self) -> None:
        drag, self._drag, self._hot, self._held = self._drag, None, None, None
        self.unsetCursor()
        self.hinted.emit("")
        if isinstance(drag, HandleDrag):
            self.dragging.emit(False)
        self.update()

    def _on_escape(self) -> None:
        drag = self._drag
        if drag is None:
            self.escaped.emit()
            return
        if isinstance(drag, HandleDrag):
            self._change(drag.stage, drag.spec, drag.merge_key)
        elif isinstance(drag, LimitDrag):
            self._dispatch(SetLimits(limits=drag.limits, merge_key=drag.merge_key))
        else:
            self._show_scale(drag, drag.start)
        self._let_go()

    def _change(self, stage: int, spec: AbstractFilterSpec, merge_key: str) -> None:
        """Give a stage other values, where its rate takes them: one knob, or several at once."""
        old, frame = self._stages[stage].spec, self._frame
        if frame is None or old == spec or old.family != spec.family:
            return
        try:
            spec.check(frame.rate_hz)
        except SpecError:
            return
        turned = [item.name for item in spec.knobs() if getattr(old, item.name) != getattr(spec, item.name)]
        if len(turned) == 1:
            value = getattr(spec, turned[0])
            action = TurnKnob(chain=self._chain, stage=stage, name=turned[0], value=value, merge_key=merge_key)
            self._dispatch(action)
        else:
            self._dispatch(ReplaceSpec(chain=self._chain, stage=stage, spec=spec, merge_key=merge_key))

    # --- what is where

    def _handle_at(self, position: QPointF) -> int | None:
        if self._shows_pin and self._frame is not None and self._frame.pin is not None:
            return None
        return nearest_handle(self.handle_points(), position)

    def _limit_at(self, position: QPointF) -> tuple[int, Any] | None:
        scale, frame = self.scale(), self._frame
        if scale is None or frame is None:
            return None
        return limit_at(self._limits, self._chain, position, scale, frame.rate_hz)

    def _cursor_at(self, position: QPointF, handle: int | None) -> Qt.CursorShape:
        scale = self.scale()
        if handle is not None:
            return Qt.CursorShape.OpenHandCursor
        limit = self._limit_at(position)
        if scale is None:
            return Qt.CursorShape.ArrowCursor
        on_axis = position.y() > scale.area.bottom()
        if (limit is not None and limit[1] != "level") or on_axis:
            return Qt.CursorShape.SizeHorCursor
        if limit is not None or position.x() < scale.area.left():
            return Qt.CursorShape.SizeVerCursor
        return Qt.CursorShape.ArrowCursor

    def _spec_of(self, at: int) -> AbstractFilterSpec | None:
        if self._frame is None or at >= len(self._frame.handles):
            return None
        stage = self._frame.handles[at][2]
        return self._stages[stage].spec if stage < len(self._stages) else None

    def _turn(self, stage: int, name: str, value: Any, merge_key: str) -> None:
        spec, frame = self._stages[stage].spec, self._frame
        if frame is not None and getattr(spec, name) != value and accepts(spec, name, value, frame.rate_hz):
            self._dispatch(TurnKnob(chain=self._chain, stage=stage, name=name, value=value, merge_key=merge_key))

    def _turn_upright(self, at: int, steps: float, merge_key: str, *, by_wheel: bool = False) -> None:
        spec = self._spec_of(at)
        change = turned_upright(spec, steps, by_wheel=by_wheel) if spec is not None else None
        if change is not None and self._frame is not None:
            self._turn(self._frame.handles[at][2], *change, merge_key)

    def _press_on_handle(self, event: QKeyEvent) -> bool:
        frame = self._frame
        if frame is None or not frame.handles:
            return False
        self._active = min(self._active, len(frame.handles) - 1)
        back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() == Qt.Key.Key_N:
            self._active = (self._active + (-1 if back else 1)) % len(frame.handles)
            return True
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._turn_upright(self._active, 1 if event.key() == Qt.Key.Key_Up else -1, f"keys-{self._active}")
            return True
        if event.key() not in (Qt.Key.Key_Left, Qt.Key.Key_Right) or self._spec_of(self._active) is None:
            return False
        _, _, stage, name, index = frame.handles[self._active]
        value = getattr(self._stages[stage].spec, name)
        edge = value if index is None else value[index]
        factor = 1.02 if not back else 1.2
        edge = edge * factor if event.key() == Qt.Key.Key_Right else edge / factor
        self._turn(stage, name, moved_value(value, index, float(f"{edge:.4g}")), f"keys-{self._active}")
        return True

    def _draw_out(self, factor: float) -> None:
        """Show a smaller or larger span of levels, its top where it is."""
        scale = self.scale()
        if scale is not None:
            span = min(360.0, max(6.0, (scale.top_db - scale.floor_db) * factor))
            self._seen_db = (scale.top_db - span, scale.top_db)

    def _insert(self) -> None:
        """Add a peak under the pointer, or in the middle."""
        scale = self.scale()
        if scale is None:
            return
        frequency_hz, level_db = (scale.low_hz * scale.high_hz) ** 0.5, 6.0
        if self._pointer is not None and scale.area.contains(self._pointer):
            frequency_hz, level_db = scale.frequency_at(self._pointer.x()), scale.level_at(self._pointer.y())
        self._add_peak(frequency_hz, level_db)

    def _add_peak(self, frequency_hz: float, level_db: float) -> None:
        frame = self._frame
        if frame is None or frequency_hz >= frame.rate_hz / 2:
            return
        gain_db = round(min(24.0, max(-40.0, level_db)), 1)
        spec = FAMILIES["peak"](frequency_hz=float(f"{frequency_hz:.3g}"), gain_db=gain_db)
        self._dispatch(AddStage(chain=self._chain, at=len(self._stages), stage=Stage(spec=spec)))


def _hint(spec: AbstractFilterSpec) -> str:
    """Return what a drag and the wheel do to a spec, for the status bar."""
    words = {"order": "order", "gain_db": "gain", "q": "Q", "taps": "taps"}
    up, wheel = turned_upright(spec, 1), turned_upright(spec, 1, by_wheel=True)
    what = words.get(up[0], up[0]) if up is not None else "nothing"
    return _HINT.format(what=what, wheel=words.get(wheel[0], wheel[0]) if wheel is not None else "nothing")
