"""The scale that the header strip shows: that of the first lane, in words, and what stepping or typing it does.

A scale bar of another length keeps the ratio of all kinds; a sensitivity goes to the next one, of its kind alone.
"""

from __future__ import annotations

import math
import re

from jaxscope.compute.shown_channels import shown_channels
from jaxscope.data.kinds import kind_words
from jaxscope.data.recording import RecordingInfo, scale_kind
from jaxscope.gui.painting.lanes import lanes_of, shown_unit
from jaxscope.gui.painting.scales import ScaleBook, next_sensitivity, scale_bar, scale_text
from jaxscope.gui.views.base import Dispatch
from jaxscope.session.actions import SetScale, SetSensitivity
from jaxscope.session.state import SessionState

_BARS = tuple(float(f"{factor}e{power}") for power in range(-12, 13) for factor in (1, 2, 5))
_USUAL_KIND = "misc"
_NUMBER = re.compile(r"\s*[-+]?(\d+[.,]?\d*|[.,]\d+)(e[-+]?\d+)?", re.IGNORECASE)


class MainScale:
    """The scale of the first lane of a recording.

    Parameters
    ----------
    dispatch : callable
        Takes actions.
    scales : ScaleBook
        Scales in use.
    state : SessionState
        What is shown; told again at each change.
    """

    def __init__(self, dispatch: Dispatch, scales: ScaleBook, state: SessionState) -> None:
        self._dispatch = dispatch
        self._scales = scales
        self.state = state
        self.info: RecordingInfo | None = None

    @property
    def kind(self) -> str:
        """The scale whose bar is shown."""
        if self.info is None:
            return _USUAL_KIND
        channels = shown_channels(self.state, self.info)
        return self._kind_of(channels[0]) if channels else _USUAL_KIND

    @property
    def bar(self) -> float:
        """Length of the scale bar in the unit of its kind."""
        return scale_bar(self._scales.units_per_lane(self.state.viewport, self.kind))

    def words(self) -> tuple[str, str]:
        """Return the value in words, and what it is of."""
        kind = self.kind
        name = kind_words(kind)
        bar = "scale bar" if name == "other" else f"{name} scale bar"
        per_mm = self.state.viewport.sensitivity_of(kind)
        if per_mm is None:
            return scale_text(self.bar, self._unit()), f"Height of the {bar}. Other types keep their ratio"
        tip = f"Sensitivity of {name} channels on this screen. The arrow offers others"
        return f"{scale_text(per_mm, self._unit())}/mm", tip

    def step(self, direction: int) -> None:
        """Take the next larger (+1) or smaller (-1) one."""
        kind = self.kind
        per_mm = self.state.viewport.sensitivity_of(kind)
        if per_mm is not None:
            self._dispatch(SetSensitivity(kind=kind, units_per_mm=next_sensitivity(per_mm, direction)))
            return
        bar = self.bar
        place = min(range(len(_BARS)), key=lambda index: abs(_BARS[index] / bar - 1))
        following = _BARS[min(len(_BARS) - 1, max(0, place + direction))]
        self._scale_all(following / bar)

    def take(self, value: float, *, per_mm: bool) -> None:
        """Take a value that was typed: units per millimetre, or the length of the bar."""
        if per_mm or self.state.viewport.sensitivity_of(self.kind) is not None:
            self._dispatch(SetSensitivity(kind=self.kind, units_per_mm=value))
        else:
            self._scale_all(value / self.bar)

    def _scale_all(self, factor: float) -> None:
        if self.info is None:
            return
        for kind in sorted({lane.scale_kind for lane in lanes_of(self.state, self.info)}):
            units = self._scales.units_per_lane(self.state.viewport, kind)
            self._dispatch(SetScale(kind=kind, units_per_lane=units * factor))

    def _kind_of(self, number: int) -> str:
        channel = self.info.channels[number] if self.info is not None else None
        return _USUAL_KIND if channel is None else scale_kind(channel.kind, channel.unit)

    def _unit(self) -> str:
        channels = () if self.info is None else self.info.channels
        kind = self.kind
        units = (shown_unit(channel.unit) for number, channel in enumerate(channels) if self._kind_of(number) == kind)
        return next(units, "")


def number_in(text: str) -> float | None:
    """Return the number at the beginning of a typed text, whatever unit follows.

    Examples
    --------
    >>> number_in("2,5 seconds"), number_in("50 µV/cm"), number_in("seconds")
    (2.5, 50.0, None)
    """
    found = _NUMBER.match(text)
    value = math.nan if found is None else float(found[0].replace(",", "."))
    return value if math.isfinite(value) else None
