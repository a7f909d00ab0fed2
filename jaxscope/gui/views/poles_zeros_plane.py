"""The pole-zero plane as a widget: roots that are picked, dragged, moved by keys, added and removed.

It asks for other roots by ``changed``; the state answers. What is kept here is only what a person holds.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass
from itertools import count
from math import pi

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from jaxscope.filters.roots import Roots
from jaxscope.gui.views.poles_zeros_canvas import RootsCanvas
from jaxscope.gui.views.poles_zeros_maps import RootMap
from jaxscope.gui.views.poles_zeros_model import Kind, RootDrag, half_of, with_half, without
from jaxscope.gui.views.response_scale import nice_step

_runs = count(1)
_SNAP_PX = 5.0
_ZOOM = 1.25
#: step of the keys towards the circle
_RADIUS_STEP = 0.005
#: where a new pole is put at most, so that adding one never makes a filter ring for ever
_NEW_POLE_RADIUS = 0.98
_FINE = 0.1
_HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier
_OWN_KEYS = frozenset(
    {
        *(Qt.Key.Key_N, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Insert),
        *(Qt.Key.Key_Delete, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Plus, Qt.Key.Key_Equal),
        *(Qt.Key.Key_Minus, Qt.Key.Key_0, Qt.Key.Key_M, Qt.Key.Key_Escape),
    }
)
_ARROWS: dict[int, complex] = {
    Qt.Key.Key_Left: -1 + 0j,
    Qt.Key.Key_Right: 1 + 0j,
    Qt.Key.Key_Up: 1j,
    Qt.Key.Key_Down: -1j,
}


@dataclass(slots=True, kw_only=True)
class _Held:
    """What a person holds: the root on its way, the map it is moved in, and where the hand is."""

    drag: RootDrag
    map: RootMap
    hand: QPointF
    last: QPointF
    merge_key: str
    below: bool


class PolesZerosPlane(RootsCanvas):
    """The plane whose roots can be moved."""

    #: (roots, place of the moved root or None, merge key)
    changed = Signal(object, object, str)
    #: a drag was given up: the stage is to be as it was
    given_up = Signal(str)
    #: Enter: to the numbers of what is selected
    numbers_wanted = Signal()
    #: a drag began (True) or ended (False)
    dragging = Signal(bool)
    escaped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._held: _Held | None = None
        self._key_run = ("", "")

    def move_selected(self, target: complex, merge_key: str, near: float = 0.0) -> None:
        """Put the selected root elsewhere, its mirror with it."""
        grip = self.selected_grip()
        if grip is not None and self.can_edit:
            roots, place = RootDrag(self.roots, grip).at(target, near)
            self._ask(roots, (grip.kind, place), merge_key)

    def add(self, kind: Kind, place: complex | None = None) -> None:
        """Add a pair; where no place is given, at the selected frequency or at an eighth of the rate."""
        if not self.can_edit:
            return
        if place is None:
            angle = abs(cmath.phase(self.selected[1])) if self.selected is not None else 0.0
            place = cmath.rect(0.9 if kind == "pole" else 1.0, angle if 0.01 < angle < 3.1 else pi / 4)
        if kind == "pole" and abs(place) > _NEW_POLE_RADIUS:
            place *= _NEW_POLE_RADIUS / abs(place)
        roots = with_half(self.roots, kind, (*half_of(self.roots, kind), place))
        self._ask(roots, (kind, place), f"plane-add-{next(_runs)}")

    def multiply_selected(self) -> None:
        """Put one more of the selected root at its place, its mirror with it; a pole outside is not made worse."""
        grip = self.selected_grip()
        if grip is None or not self.can_edit:
            return
        half = half_of(self.roots, grip.kind)
        place = half[grip.index]
        if grip.kind == "zero" or abs(place) < 1:
            roots = with_half(self.roots, grip.kind, (*half, place))
            self._ask(roots, (grip.kind, place), f"plane-multiply-{next(_runs)}")

    def remove_selected(self) -> None:
        """Remove the selected root with its mirror."""
        grip = self.selected_grip()
        if grip is not None and self.can_edit:
            self._ask(without(self.roots, grip), None, f"plane-remove-{next(_runs)}")

    def cancel_drag(self) -> bool:
        """Put back what is held; return whether anything was."""
        if self._held is None:
            return False
        held, self._held, self._ghost = self._held, None, None
        self.unsetCursor()
        self.given_up.emit(held.merge_key)
        self.selected = (held.drag.kind, held.drag.held)
        self._keep_selection()
        self.dragging.emit(False)
        self.update()
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() == Qt.MouseButton.RightButton:
            self._pan = event.position()
            return
        found = self._root_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or found is None:
            return
        grip, in_map, below = found
        self._key_run = ("", "")
        self.selected = (grip.kind, half_of(self.roots, grip.kind)[grip.index])
        self._describe()
        self.moved.emit()
        if self.can_edit:
            drag = RootDrag(self.roots, grip)
            hand = in_map.to_px(drag.held.conjugate() if below else drag.held)
            self._frozen_lens, self._ghost = self.lens(), drag.held
            self._held = _Held(
                drag=drag, map=in_map, hand=hand, last=event.position(), merge_key=f"plane-{next(_runs)}", below=below
            )
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.dragging.emit(True)
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pan is not None:
            self._pan_by(event.position() - self._pan)
            self._pan = event.position()
        elif self._held is not None:
            self._drag_to(self._held, event)
        else:
            found = self._root_at(event.position())
            over = None if found is None else (found[0].kind, half_of(self.roots, found[0].kind)[found[0].index])
            if over != self._over:
                self._over = over
                self.setCursor(Qt.CursorShape.ArrowCursor if over is None else Qt.CursorShape.OpenHandCursor)
                self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pan = None
        if self._held is not None and event.button() == Qt.MouseButton.LeftButton:
            self._held = self._ghost = None
            self.setCursor(Qt.CursorShape.OpenHandCursor)
            self.dragging.emit(False)
            self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        lens = self.lens()
        if lens is not None and lens.holds(event.position()):
            self._swapped, self._zoomed = not self._swapped, None
            self.update()
        elif event.button() == Qt.MouseButton.LeftButton and self._root_at(event.position()) is None:
            place = self.shown_map().from_px(event.position())
            near = self.shown_map().near(place, _SNAP_PX)
            place = complex(place.real, 0.0 if abs(place.imag) <= near else abs(place.imag))
            shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.add("zero" if shift else "pole", place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            if not self.cancel_drag():
                self.escaped.emit()
        elif not self._press(event):
            event.ignore()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
            if event.key() in _OWN_KEYS and not event.modifiers() & _HELD and (not alt or event.key() in _ARROWS):
                event.accept()
                return True
        return super().event(event)

    def _drag_to(self, held: _Held, event: QMouseEvent) -> None:
        fine = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        held.hand = held.hand + (event.position() - held.last) * (_FINE if fine else 1.0)
        held.last = event.position()
        target = held.map.from_px(held.hand)
        if held.below:
            target = target.conjugate()
        target = _bound(held.drag.held, target, event.modifiers())
        near = 0.0 if fine else held.map.near(target, _SNAP_PX)
        roots, place = held.drag.at(target, near)
        self._ask(roots, (held.drag.kind, place), held.merge_key)

    def _ask(self, roots: Roots, selected: tuple[Kind, complex] | None, merge_key: str) -> None:
        self.selected = selected
        self.changed.emit(roots, None if selected is None else selected[1], merge_key)
        self._keep_selection()
        self.moved.emit()

    def _press(self, event: QKeyEvent) -> bool:
        key, held = event.key(), event.modifiers()
        shift = bool(held & Qt.KeyboardModifier.ShiftModifier)
        if held & _HELD:
            return False
        if key in _ARROWS:
            steps = 10.0 if shift else _FINE if held & Qt.KeyboardModifier.AltModifier else 1.0
            self._step(_ARROWS[key] * steps)
        elif key == Qt.Key.Key_N:
            self._key_run = ("", "")
            self.select_next(-1 if shift else 1)
        elif key == Qt.Key.Key_Insert:
            self.add("zero" if shift else "pole")
        elif key == Qt.Key.Key_M:
            self.multiply_selected()
        elif key == Qt.Key.Key_Delete:
            self.remove_selected()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.numbers_wanted.emit()
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(_ZOOM)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / _ZOOM)
        elif key == Qt.Key.Key_0:
            self.whole_circle()
        else:
            return False
        return True

    def _step(self, way: complex) -> None:
        """Move the selected root: real part of ``way`` in steps of frequency, imaginary part towards the circle."""
        if self.selected is None or not self.can_edit:
            return
        kind, place = self.selected
        angle_step = 2 * pi * nice_step(self._rate_hz / 2 / 1000) / self._rate_hz
        angle = min(max(cmath.phase(place) + way.real * angle_step, 0.0), pi)
        radius = max(abs(place) + way.imag * _RADIUS_STEP, 0.0)
        target = cmath.rect(radius, angle)
        if place.imag == 0 and way.real == 0:
            target = complex(radius if place.real >= 0 else -radius)
        if self._key_run[0] != kind or self._key_run[1] == "":
            self._key_run = (kind, f"plane-keys-{next(_runs)}")
        self.move_selected(target, self._key_run[1])


def _bound(start: complex, target: complex, held: Qt.KeyboardModifier) -> complex:
    """Return a target with only the radius (Shift) or only the angle (Alt) changed."""
    if start == 0:
        return target
    if held & Qt.KeyboardModifier.ShiftModifier:
        along = start / abs(start)
        return along * max(0.0, (target * along.conjugate()).real)
    if held & Qt.KeyboardModifier.AltModifier:
        return cmath.rect(abs(start), min(max(cmath.phase(target), 0.0), pi))
    return target
