"""What dragging a handle of the response means for a spec: sideways the edge, upright order, gain or Q."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPointF, Qt

from jaxscope.errors import SpecError
from jaxscope.filters import AbstractFilterSpec

#: knobs that an upright drag or the arrows may turn, the first that the spec has wins; each with its step
_UPRIGHT = (("order", 1.0), ("gain_db", 2.0), ("q", 0.25), ("taps", 10.0))
#: knobs that the wheel turns: the gain is what the hand itself moves
_WHEEL = (("order", 1.0), ("q", 0.25), ("taps", 10.0), ("gain_db", 1.0))
#: how much gain a spec needs for one decibel more at its own frequency: there a shelf is half way up
_GAIN_PER_DB = {"peak": 1.0, "low_shelf": 2.0, "high_shelf": 2.0}
_LEAST_APART = 1.02
_REACH_PX = 12.0
MOST_GAIN_DB = 60.0


def moved_value(value: Any, index: int | None, frequency_hz: float) -> Any:
    """Return a cutoff with one edge at another frequency; the others are pushed, never crossed."""
    if index is None or not isinstance(value, tuple):
        return frequency_hz
    edges = list(value)
    if len(edges) > 2:  # of many edges the neighbours stay: gains belong to what lies between them
        low = edges[index - 1] * _LEAST_APART if index > 0 and edges[index - 1] > 0 else 0.0
        high = edges[index + 1] / _LEAST_APART if index + 1 < len(edges) else frequency_hz
        edges[index] = min(max(frequency_hz, low), high)
        return tuple(edges)
    edges[index] = frequency_hz
    if index == 0:
        edges[1] = max(edges[1], frequency_hz * _LEAST_APART)
    else:
        edges[0] = min(edges[0], frequency_hz / _LEAST_APART)
    return tuple(edges)


def follows_the_hand(spec: AbstractFilterSpec) -> bool:
    """Return whether the level at the handle is the gain of the spec: it then goes where the hand goes."""
    return spec.family in _GAIN_PER_DB and getattr(spec, "gain_db", None) is not None


def gain_for(spec: AbstractFilterSpec, rise_db: float, passes: int) -> float:
    """Return the gain with which the response rises by so many decibels at the handle, after all passes."""
    start_db = float(getattr(spec, "gain_db"))  # noqa: B009
    gain_db = start_db + rise_db * _GAIN_PER_DB[spec.family] / passes
    return round(min(MOST_GAIN_DB, max(-MOST_GAIN_DB, gain_db)), 1)


def turned_upright(spec: AbstractFilterSpec, steps: float, *, by_wheel: bool = False) -> tuple[str, Any] | None:
    """Return (knob, value) for an upright drag or turns of the wheel, or None where they mean nothing."""
    knobs = {knob.name: knob for knob in spec.knobs()}
    for name, step in _WHEEL if by_wheel else _UPRIGHT:
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
        *(Qt.Key.Key_N, Qt.Key.Key_G, Qt.Key.Key_L, Qt.Key.Key_0, Qt.Key.Key_Left, Qt.Key.Key_Right),
        *(Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Insert, Qt.Key.Key_Escape, Qt.Key.Key_Plus),
        *(Qt.Key.Key_Equal, Qt.Key.Key_Minus, Qt.Key.Key_V),
    }
)
