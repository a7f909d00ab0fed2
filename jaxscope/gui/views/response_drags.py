"""What a hand that holds something of the response means: a handle, a limit, an axis.

Each drag is a value that keeps what was there when it began, so the same place of the hand always means the same, and
a drag back to its start leaves everything as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import exp, log
from typing import Any, Literal

from PySide6.QtCore import QPointF

from jaxscope.errors import SpecError
from jaxscope.filters import AbstractFilterSpec
from jaxscope.filters.limits import MOST_DB, Limit
from jaxscope.gui.views.response_handles import follows_the_hand, gain_for, moved_value, turned_upright
from jaxscope.gui.views.response_scale import ResponseScale

_numbers = count(1)
_LOCK_PX = 4.0
_UPRIGHT_STEP_PX = 24.0
_REACH_PX = 5.0
#: what an axis may show
_LOWEST_DB, _HIGHEST_DB, _LEAST_SPAN_DB = -300.0, 60.0, 6.0
_LEAST_OCTAVES = 0.5
#: how much of the ground that is not allowed is drawn
STRIP_PX = 12.0
#: Which part of a limit is held.
Part = Literal["low", "high", "level"]


def new_merge_key(what: str) -> str:
    """Return the key that makes one drag one step of undo."""
    return f"response-{what}-{next(_numbers)}"


@dataclass(slots=True, kw_only=True)
class HandleDrag:
    """A handle: sideways its frequency; upright its gain, which follows the hand, else order or Q in steps."""

    handle: int
    stage: int
    name: str
    index: int | None
    spec: AbstractFilterSpec
    start: QPointF
    start_db: float
    passes: int
    merge_key: str
    axis: str = ""

    def spec_at(self, position: QPointF, scale: ResponseScale, *, fine: bool) -> AbstractFilterSpec | None:
        """Return the spec for a place of the hand; None where it cannot be or the hand has not moved yet."""
        way = (position - self.start) * (0.1 if fine else 1.0)
        if follows_the_hand(self.spec):
            changes = self._sideways(way, scale) | self._gain(way, scale)
        else:
            if not self.axis and max(abs(way.x()), abs(way.y())) >= _LOCK_PX * (0.1 if fine else 1.0):
                self.axis = "x" if abs(way.x()) >= abs(way.y()) else "y"
            changes = self._sideways(way, scale) if self.axis == "x" else self._upright(position)
        spec: AbstractFilterSpec = self.spec
        try:
            for name, value in changes.items():
                spec = spec.with_value(name, value)
        except SpecError:
            return None
        return spec if changes else None

    def _sideways(self, way: QPointF, scale: ResponseScale) -> dict[str, Any]:
        value = getattr(self.spec, self.name)
        start_hz = value if self.index is None else value[self.index]
        if way.x() == 0:
            return {self.name: value}
        frequency_hz = float(f"{scale.frequency_at(float(scale.x(start_hz)) + way.x()):.3g}")
        return {self.name: moved_value(value, self.index, frequency_hz)}

    def _gain(self, way: QPointF, scale: ResponseScale) -> dict[str, Any]:
        if way.y() == 0:
            return {}
        return {"gain_db": gain_for(self.spec, scale.rise_db(-way.y()), self.passes)}

    def _upright(self, position: QPointF) -> dict[str, Any]:
        if self.axis != "y":
            return {}
        change = turned_upright(self.spec, (self.start - position).y() / _UPRIGHT_STEP_PX)
        return {} if change is None else dict([change])


@dataclass(slots=True, kw_only=True)
class LimitDrag:
    """An edge or the level of one limit."""

    number: int
    part: Part
    limits: tuple[Limit, ...]
    merge_key: str

    def limits_at(self, position: QPointF, scale: ResponseScale) -> tuple[Limit, ...] | None:
        """Return all limits for a place of the hand, None where they cannot be."""
        limit = self.limits[self.number]
        try:
            if self.part == "level":
                level_db = min(MOST_DB, max(0.1, round(abs(scale.level_at(position.y())), 1)))
                moved = replace(limit, level_db=level_db)
            else:
                frequency_hz = float(f"{scale.frequency_at(position.x()):.3g}")
                moved = replace(limit, **{f"{self.part}_hz": frequency_hz})  # type: ignore[arg-type]
        except SpecError:  # an edge over the other one: it stays where it last was
            return None
        return (*self.limits[: self.number], moved, *self.limits[self.number + 1 :])


@dataclass(slots=True, kw_only=True)
class AxisDrag:
    """An axis: what was taken hold of stays under the hand, the farther end stays where it is."""

    is_frequency: bool
    start: QPointF
    scale: ResponseScale

    def scale_at(self, position: QPointF, whole: ResponseScale) -> ResponseScale:
        """Return the scale for a place of the hand; it shows no more than ``whole`` has of frequencies."""
        area = self.scale.area
        if self.is_frequency:
            was = (self.start.x() - area.left()) / area.width()
            return self._with_frequency(was, (position.x() - area.left()) / area.width(), whole)
        was = (self.start.y() - area.top()) / area.height()
        return self._with_level(was, (position.y() - area.top()) / area.height())

    def _with_frequency(self, was: float, now: float, whole: ResponseScale) -> ResponseScale:
        held_hz = self.scale.frequency_at(self.start.x())
        low_hz, high_hz = self.scale.low_hz, self.scale.high_hz
        if not self.scale.is_log:  # it begins at 0 Hz
            high_hz = held_hz / max(now, 0.02)
        elif was >= 0.5:
            high_hz = low_hz * exp(min(60.0, log(held_hz / low_hz) / max(now, 0.02)))
        else:
            low_hz = high_hz / exp(min(60.0, log(high_hz / held_hz) / max(1 - now, 0.02)))
        low_hz, high_hz = max(low_hz, whole.low_hz), min(high_hz, whole.high_hz)
        least = 2**_LEAST_OCTAVES
        high_hz = max(high_hz, whole.low_hz * least)
        return replace(self.scale, low_hz=min(low_hz, high_hz / least), high_hz=high_hz)

    def _with_level(self, was: float, now: float) -> ResponseScale:
        top_db, floor_db = self.scale.top_db, self.scale.floor_db
        held_db = self.scale.level_at(self.start.y())
        if was >= 0.5:
            floor_db = top_db - (top_db - held_db) / max(now, 0.02)
        else:
            top_db = floor_db + (held_db - floor_db) / max(1 - now, 0.02)
        top_db = min(max(top_db, floor_db + _LEAST_SPAN_DB), _HIGHEST_DB)
        return replace(self.scale, top_db=top_db, floor_db=max(min(floor_db, top_db - _LEAST_SPAN_DB), _LOWEST_DB))


def limit_at(
    limits: Sequence[Limit], chain: int, position: QPointF, scale: ResponseScale, rate_hz: float
) -> tuple[int, Part] | None:
    """Return which limit, and which part of it, is under the hand."""
    for number, limit in enumerate(limits):
        low_hz, high_hz = limit.edges_hz(rate_hz)
        if limit.chain != chain or low_hz >= high_hz:
            continue
        left, right = _columns(scale, low_hz, high_hz)
        levels = [float(scale.y(level)) for level in (limit.most_db(), limit.least_db()) if level > -MOST_DB - 1]
        if left - _REACH_PX <= position.x() <= right + _REACH_PX:
            on_level = any(abs(position.y() - row) <= _REACH_PX for row in levels)
            is_edge = _on_edge(limit, position, levels)
            for part, column in (("low", left), ("high", right)):
                shown = (part == "low" and low_hz > 0) or (part == "high" and limit.high_hz is not None)
                if shown and abs(position.x() - column) <= _REACH_PX and is_edge:
                    return number, part  # type: ignore[return-value]
            if on_level:
                return number, "level"
    return None


def _on_edge(limit: Limit, position: QPointF, levels: list[float]) -> bool:
    """Return whether a row is where the upright of an edge is drawn: the strip on the forbidden side of a border."""
    top = levels[0]
    above = top - STRIP_PX - _REACH_PX <= position.y() <= top
    return above or (limit.kind == "pass" and levels[1] <= position.y() <= levels[1] + STRIP_PX + _REACH_PX)


def _columns(scale: ResponseScale, low_hz: float, high_hz: float) -> tuple[float, float]:
    left = scale.area.left() if low_hz <= 0 else float(scale.x(low_hz))
    return max(left, scale.area.left()), min(float(scale.x(high_hz)), scale.area.right())
