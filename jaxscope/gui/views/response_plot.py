"""The magnitude response over the spectra of before and after, with edges that can be dragged.

Everything comes from frames; what is kept here is only what a person holds (the handle, the drag) and the curve from
before the edit, drawn dashed until the edit has come to rest. A drag sends TurnKnob on every move with one merge key;
Esc sends the value from before.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QPixmap, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from jaxscope.compute.frames import Blocked, DesignFrame, Outcome, SpectrumFrame
from jaxscope.filters import FAMILIES, AbstractFilterSpec, Stage
from jaxscope.gui.components.numbers import MINUS, write_number
from jaxscope.gui.components.painting import begin
from jaxscope.gui.theme import scaled, theme
from jaxscope.gui.views.base import AbstractView, Dispatch
from jaxscope.gui.views.response_handles import HELD, OWN_KEYS, accepts, moved_value, nearest_handle, turned_upright
from jaxscope.gui.views.response_paint import Picture, paint_ground, paint_peak, paint_response
from jaxscope.gui.views.response_scale import TALL_TOP_DB, TOP_DB, ResponseScale, frequency_limits
from jaxscope.session.actions import AddStage, TurnKnob
from jaxscope.session.state import SessionState

FloatArray = npt.NDArray[np.float64]

_drags = count(1)
_LOCK_PX = 4.0
_REST_MS = 1200
_UPRIGHT_STEP_PX = 24.0


@dataclass(slots=True, kw_only=True)
class _Drag:
    """What a person holds: the handle, where it was taken, and what it was worth."""

    handle: int
    start: QPointF
    axis: str
    merge_key: str
    values: dict[str, Any]
    spec: AbstractFilterSpec


class ResponsePlot(QWidget, AbstractView):
    """The plot under the faces of the dock.

    Parameters
    ----------
    dispatch : callable
        Takes the actions of the user.
    """

    escaped = Signal()
    #: a drag began (True) or ended (False)
    dragging = Signal(bool)
    #: G: the next view
    next_wanted = Signal()

    def __init__(self, dispatch: Dispatch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dispatch = dispatch
        self._chain = 0
        self._stages: tuple[Stage, ...] = ()
        self._filter_on = True
        self._raw = False
        self._mode = "overlay"
        self._frame: DesignFrame | None = None
        self._stable: DesignFrame | None = None
        self._spectrum: SpectrumFrame | None = None
        self._ghost: tuple[FloatArray, FloatArray] | None = None
        self._by_hand = False
        self._blocked = False
        self._is_log = True
        self._drag: _Drag | None = None
        self._active = 0
        self._over: int | None = None
        self._names_peak = False
        self._ground: tuple[tuple[object, ...], QPixmap] | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._on_rest)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Magnitude response")

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        chains = state.document.chains
        chain = state.viewport.active_chain
        stages = chains[chain].stages if chain < len(chains) else ()
        before = self._looks()
        if chain != self._chain:
            self._frame = self._stable = self._ghost = None
        elif stages != self._stages and self._ghost is None and self._stable is not None:
            self._ghost = (self._stable.frequencies_hz, self._stable.magnitude_db)
        if stages != self._stages:
            self._rest.start()
        self._chain, self._stages = chain, stages
        self._by_hand = any(stage.origin is not None for stage in stages)
        self._filter_on = state.document.filter_on
        self._raw, self._mode = state.viewport.raw, state.viewport.mode
        if self._looks() != before:  # a knob alone moves nothing here until its curve comes
            self.update()

    def _looks(self) -> tuple[object, ...]:
        """Return what the picture shows of the state itself."""
        return (self._chain, self._filter_on, self._raw, self._mode, self._ghost is None, self._frame is None)

    def show_frame(self, outcome: Outcome) -> None:
        if isinstance(outcome, DesignFrame) and outcome.chain == self._chain:
            self._frame = outcome
            if outcome.is_stable:
                self._stable, self._blocked = outcome, False
            self._describe(outcome)
        elif isinstance(outcome, SpectrumFrame):
            self._spectrum = outcome
        elif isinstance(outcome, Blocked) and outcome.chain in (None, self._chain):
            self._blocked = outcome.kind == "unstable"
        else:
            return
        self.update()

    def name_peak(self, on: bool) -> None:  # noqa: FBT001
        """Name the highest point of the curve (while a pole is dragged), or not."""
        self._names_peak = on
        self.update()

    @property
    def ghost(self) -> tuple[FloatArray, FloatArray] | None:
        """The curve from before the edit, while it is shown."""
        return self._ghost

    @property
    def is_held(self) -> bool:
        """Whether the curve is that of the last stable filter."""
        return self._blocked or (self._frame is not None and not self._frame.is_stable)

    def scale(self) -> ResponseScale | None:
        """Return the map from hertz and decibels to pixels, or None while no frame is here."""
        frame = self._shown()
        if frame is None:
            return None
        low_hz, high_hz = frequency_limits(frame.frequencies_hz, frame.rate_hz)
        highest = float(np.nanmax(frame.magnitude_db)) if frame.magnitude_db.size else 0.0
        left, bottom = scaled(34), scaled(22)
        area = QRectF(left, 6, max(20, self.width() - left - 1), max(20, self.height() - 6 - bottom))
        top = TALL_TOP_DB if highest > TOP_DB - 1 else TOP_DB
        return ResponseScale(area=area, low_hz=low_hz, high_hz=high_hz, is_log=self._is_log, top_db=top)

    def handle_points(self) -> list[QPointF]:
        """Return where the handles are, in pixels: on the curve, and inside the plot where a notch leaves it."""
        scale, frame = self.scale(), self._frame
        if scale is None or frame is None or self.is_held:
            return []
        return [scale.handle_point(handle[0], handle[1]) for handle in frame.handles]

    def sizeHint(self) -> QSize:
        return QSize(scaled(300), scaled(230))

    def minimumSizeHint(self) -> QSize:
        return QSize(160, scaled(120))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        at = self._handle_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and at is not None:
            self._begin(at, event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is None:
            self._over = self._handle_at(event.position())
            self.setCursor(Qt.CursorShape.ArrowCursor if self._over is None else Qt.CursorShape.OpenHandCursor)
            self.update()
            return
        self._move(event.position(), fine=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._drag is not None:
            self._drag = None
            self.unsetCursor()
            self._rest.start()
            self.dragging.emit(False)
            self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        scale = self.scale()
        if scale is not None and self._handle_at(event.position()) is None:
            self._add_peak(scale.frequency_at(event.position().x()), scale.level_at(event.position().y()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        at = self._handle_at(event.position())
        notches = event.angleDelta().y() / 120
        if at is None or not notches:
            event.ignore()
            return
        self._turn_upright(at, notches, f"wheel-{at}")
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._over = None
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._on_escape()
            return
        if event.key() == Qt.Key.Key_G:
            self.next_wanted.emit()
        elif event.key() == Qt.Key.Key_L:
            self._is_log = not self._is_log
        elif event.key() == Qt.Key.Key_0:
            self._is_log = True
        elif event.key() == Qt.Key.Key_Insert and (scale := self.scale()) is not None:
            self._add_peak((scale.low_hz * scale.high_hz) ** 0.5, 6.0)
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

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin(self)
        scale, frame = self.scale(), self._shown()
        if scale is not None and frame is not None:
            picture = self._picture(frame)
            painter.drawPixmap(0, 0, self._ground_of(scale, picture))
            paint_response(painter, scale, picture)
            if self._names_peak and not self.is_held:
                paint_peak(painter, scale, frame.frequencies_hz, frame.magnitude_db)
        painter.end()

    def _ground_of(self, scale: ResponseScale, picture: Picture) -> QPixmap:
        """Return the picture of what does not move, made anew where anything of it has changed."""
        ratio = self.devicePixelRatioF()
        key = (
            scale, ratio, picture.spectrum, picture.shows_after, picture.shows_difference,
            theme().is_dark, theme().text_scale,
        )  # fmt: skip
        if self._ground is None or self._ground[0] != key:
            pixmap = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = begin(pixmap)
            paint_ground(painter, scale, picture, QRectF(self.rect()))
            painter.end()
            self._ground = (key, pixmap)
        return self._ground[1]

    def _picture(self, frame: DesignFrame) -> Picture:
        spectrum = self._spectrum
        filtered = self._filter_on and not self._raw
        hot = self._drag.handle if self._drag is not None else None
        tip = self._tip(frame, hot) if hot is not None else ""
        return Picture(
            frequencies_hz=frame.frequencies_hz,
            magnitude_db=frame.magnitude_db,
            spectrum=spectrum,
            shows_difference=self._mode == "difference",
            shows_after=filtered,
            ghost=None if self.is_held else self._ghost,
            is_held=self.is_held,
            is_on=self._filter_on,
            is_hidden=self._raw,
            handles=tuple(self.handle_points()),
            hot=hot,
            over=self._over,
            active=self._active if self.hasFocus() else None,
            tip=tip,
        )

    def _tip(self, frame: DesignFrame, at: int) -> str:
        if at >= len(frame.handles):
            return ""
        frequency_hz, level_db = frame.handles[at][:2]
        level = f"{level_db:.1f}".replace("-", MINUS)
        return f"{write_number(frequency_hz, 3)} Hz   {level} dB"

    def _shown(self) -> DesignFrame | None:
        return self._stable if self.is_held and self._stable is not None else self._frame

    def _handle_at(self, position: QPointF) -> int | None:
        return nearest_handle(self.handle_points(), position)

    def _spec_of(self, at: int) -> AbstractFilterSpec | None:
        if self._frame is None or at >= len(self._frame.handles):
            return None
        stage = self._frame.handles[at][2]
        return self._stages[stage].spec if stage < len(self._stages) else None

    def _begin(self, at: int, position: QPointF) -> None:
        spec = self._spec_of(at)
        if spec is None:
            return
        self._active = at
        values = {knob.name: getattr(spec, knob.name) for knob in spec.knobs()}
        key = f"handle-{next(_drags)}"
        self._drag = _Drag(handle=at, start=QPointF(position), axis="", merge_key=key, values=values, spec=spec)
        if self._stable is not None:
            self._ghost = (self._stable.frequencies_hz, self._stable.magnitude_db)
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self.dragging.emit(True)
        self.update()

    def _move(self, position: QPointF, *, fine: bool) -> None:
        drag, scale, frame = self._drag, self.scale(), self._frame
        if drag is None or scale is None or frame is None or drag.handle >= len(frame.handles):
            return
        way = position - drag.start
        if not drag.axis and max(abs(way.x()), abs(way.y())) >= _LOCK_PX:
            drag.axis = "x" if abs(way.x()) >= abs(way.y()) else "y"
        _, _, stage, name, index = frame.handles[drag.handle]
        if drag.axis == "x":
            start_hz = drag.values[name] if index is None else drag.values[name][index]
            x = float(scale.x(start_hz)) + way.x() * (0.1 if fine else 1.0)
            value = moved_value(drag.values[name], index, float(f"{scale.frequency_at(x):.3g}"))
            self._turn(stage, name, value, drag.merge_key)
        elif drag.axis == "y":
            change = turned_upright(drag.spec, -way.y() / _UPRIGHT_STEP_PX)
            if change is not None:
                self._turn(stage, *change, drag.merge_key)

    def _turn(self, stage: int, name: str, value: Any, merge_key: str) -> None:
        spec, frame = self._stages[stage].spec, self._frame
        if frame is not None and getattr(spec, name) != value and accepts(spec, name, value, frame.rate_hz):
            self._dispatch(TurnKnob(chain=self._chain, stage=stage, name=name, value=value, merge_key=merge_key))

    def _turn_upright(self, at: int, steps: float, merge_key: str) -> None:
        spec = self._spec_of(at)
        change = turned_upright(spec, steps) if spec is not None else None
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
        if event.key() not in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            return False
        _, _, stage, name, index = frame.handles[self._active]
        value = getattr(self._stages[stage].spec, name)
        edge = value if index is None else value[index]
        factor = 1.02 if not back else 1.2
        edge = edge * factor if event.key() == Qt.Key.Key_Right else edge / factor
        self._turn(stage, name, moved_value(value, index, float(f"{edge:.4g}")), f"keys-{self._active}")
        return True

    def _on_escape(self) -> None:
        drag, frame = self._drag, self._frame
        if drag is None or frame is None:
            self.escaped.emit()
            return
        self._drag = None
        self.unsetCursor()
        stage = frame.handles[drag.handle][2]
        for name, value in drag.values.items():
            self._turn(stage, name, value, drag.merge_key)
        self.dragging.emit(False)
        self.update()

    def _on_rest(self) -> None:
        if self._drag is None and not self._by_hand:
            self._ghost = None
            self.update()

    def _add_peak(self, frequency_hz: float, level_db: float) -> None:
        frame = self._frame
        if frame is None or frequency_hz >= frame.rate_hz / 2:
            return
        gain_db = round(min(24.0, max(-40.0, level_db)), 1)
        spec = FAMILIES["peak"](frequency_hz=float(f"{frequency_hz:.3g}"), gain_db=gain_db)
        self._dispatch(AddStage(chain=self._chain, at=len(self._stages), stage=Stage(spec=spec)))

    def _describe(self, frame: DesignFrame) -> None:
        handles = ", ".join(f"{write_number(handle[0])} hertz" for handle in frame.handles)
        self.setAccessibleDescription(f"Magnitude; edges at {handles}" if handles else "Magnitude")
