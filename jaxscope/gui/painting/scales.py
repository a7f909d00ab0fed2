"""How many physical units fill a lane, by kind of channel.

The automatic scale of a kind is taken from the first frame that shows it and then kept, because traces must not change
their height while one scrolls; a choice of the user (``Viewport.scales``) goes before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from jaxscope.compute.frames import Frame
from jaxscope.display.ticks import nice_below
from jaxscope.session.state import Viewport

_UNKNOWN = 1.0
#: Room that a lane has beyond the automatic scale, so that neighbouring traces seldom touch.
_ROOM = 2.0
#: Share of a lane that its scale bar takes at most, so that the bars of neighbouring lanes never touch.
_MOST_OF_LANE = 0.7


class ScaleBook:
    """The automatic scales of one recording, and the scales in use."""

    def __init__(self) -> None:
        self._recording_id = ""
        self._automatic: dict[str, float] = {}
        self._latest: dict[str, float] = {}

    def note(self, frame: Frame) -> None:
        """Learn the scales of kinds that were not seen before; forget those of another recording."""
        if frame.recording_id != self._recording_id:
            self._recording_id = frame.recording_id
            self._automatic = {}
        self._latest = {kind: float(units) * _ROOM for kind, units in frame.scales.items() if units > 0}
        for kind, units in self._latest.items():
            self._automatic.setdefault(kind, units)

    def units_per_lane(self, viewport: Viewport, kind: str) -> float:
        """Return the physical units per lane height in use for a kind."""
        chosen = viewport.scale_of(kind)
        return chosen if chosen is not None else self._automatic.get(kind, _UNKNOWN)

    def in_use(self, viewport: Viewport, kinds: Iterable[str]) -> Mapping[str, float]:
        """Return the units per lane height of several kinds."""
        return {kind: self.units_per_lane(viewport, kind) for kind in kinds}

    def fitted(self) -> Mapping[str, float]:
        """Return the scales that fit what the newest frame shows."""
        return dict(self._latest)


def scale_bar(units_per_lane: float) -> float:
    """Return the value of the scale bar of a lane: 1, 2 or 5 times a power of ten, well inside the lane."""
    return nice_below(units_per_lane * _MOST_OF_LANE)


def scale_text(value: float, unit: str) -> str:
    """Return a value with its unit, such as ``"50 µV"``."""
    number = f"{value:g}" if 1e-3 <= abs(value) < 1e5 else f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{number} {unit}" if unit else number
