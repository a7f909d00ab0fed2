"""What dragging a handle of the response means for a spec: sideways the edge, upright order, gain or Q."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPointF, Qt

from jaxscope.errors import SpecError
from jaxscope.filters import AbstractFilterSpec

#: knobs that an upright drag may turn, the first that the spec has wins; each with its step
_UPRIGHT = (("order", 1.0), ("gain_db", 2.0), ("q", 0.25), ("taps", 10.0))
_LEAST_APART = 1.02
_REACH_PX = 12.0


def moved_value(value: Any, index: int | None, frequency_hz: float) -> Any:
    """Return a cutoff with one edge at another frequency; the other edge is pushed, never crossed."""
    if index is None or not isinstance(value, tuple):
        return frequency_hz
    edges = list(value)
    edges[index] = frequency_hz
    if index == 0:
        edges[1] = max(edges[1], frequency_hz * _LEAST_APART)
    else:
        edges[0] = min(edges[0], frequency_hz / _LEAST_APART)
    return tuple(edges)


def turned_upright(spec: AbstractFilterSpec, steps: float) -> tuple[str, Any] | None:
    """Return (knob, value) for an upright drag of so many steps, or None where it means nothing."""
    knobs = {knob.name: knob for knob in spec.knobs()}
    for name, step in _UPRIGHT:
        knob = knobs.get(name)
        value = getattr(spec, name) if knob is not None else None
        if knob is None or value is None:
            continue
        if knob.kind == "count":
            new: float = value + round(steps) * max(1.0, step)
        elif knob.log:
            new = float(f"{value * (1 + step) ** steps:.3g}")
        else:
            new = round(value + steps * step, 2)
        new = max(knob.low, new) if knob.low is not None else new
        new = min(knob.high, new) if knob.high is not None else new
        return name, int(new) if knob.kind == "count" else new
    return None


def accepts(spec: AbstractFilterSpec, name: str, value: Any, rate_hz: float) -> bool:
    """Return whether a spec takes a value at a rate."""
    try:
        spec.with_value(name, value).check(rate_hz)
    except SpecError:
        return False
    return True


def nearest_handle(points: Sequence[QPointF], position: QPointF) -> int | None:
    """Return the number of the handle that is nearest to the pointer, None where none is near."""
    best, nearest = None, _REACH_PX
    for index, point in enumerate(points):
        apart = (point - position).manhattanLength()
        if apart < nearest * 1.4 and apart < (nearest if best is not None else _REACH_PX * 1.4):
            best, nearest = index, apart
    return best


#: modifiers with which a key belongs to the window
HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
#: keys that the plot takes while it has the focus
OWN_KEYS = frozenset(
    {
        Qt.Key.Key_N,
        Qt.Key.Key_G,
        Qt.Key.Key_L,
        Qt.Key.Key_0,
        Qt.Key.Key_Left,
        Qt.Key.Key_Right,
        Qt.Key.Key_Up,
        Qt.Key.Key_Down,
        Qt.Key.Key_Insert,
        Qt.Key.Key_Escape,
    }
)
