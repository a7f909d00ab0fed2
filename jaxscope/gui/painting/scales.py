"""How many physical units fill a lane, by kind of channel.

The automatic scale of a kind is taken from the first frame that shows it and then kept, because traces must not change
their height while one scrolls; a choice of the user (``Viewport.scales``) goes before it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType

import numpy as np

from jaxscope.compute.frames import Frame, TraceBlock
from jaxscope.display.envelope import robust_height
from jaxscope.display.ticks import nice_below
from jaxscope.session.state import Viewport

_UNKNOWN = 1.0
#: Channels of a kind, and bins of each, that decide what fits.
_MOST_ROWS, _MOST_BINS = 24, 512
#: Room that a lane has beyond the automatic scale, so that neighbouring traces seldom touch.
_ROOM = 2.0
#: Share of a lane that its scale bar takes at most, so that the bars of neighbouring lanes never touch.
_MOST_OF_LANE = 0.7
#: Heights that can be multiplied and divided by gains and pixels without leaving what a float can hold.
_LEAST_HEIGHT, _LARGEST_HEIGHT = 1e-290, 1e290


class ScaleBook:
    """The automatic scales of one recording, and the scales in use.

    A chosen sensitivity is in units per millimetre, so the size of a row on the screen belongs here, too: whoever lays
    the rows out sets ``row_px``, whoever knows the screen sets ``pixels_per_mm``.
    """

    def __init__(self) -> None:
        self._recording_id = ""
        self._automatic: dict[str, float] = {}
        self._frame: Frame | None = None
        self._kinds: Mapping[int, str] = {}
        self._followed: dict[str, float] = {}
        self._followed_window: tuple[object, ...] = ()
        self.row_px = 1.0
        self.pixels_per_mm = 96.0 / 25.4

    def note(self, frame: Frame, kinds: Mapping[int, str] = MappingProxyType({}), *, follows: bool = False) -> None:
        """Learn the scales of kinds that were not seen before; forget those of another recording.

        ``kinds`` are what each channel shares its scale with. With ``follows`` the scales fit each new window, but not
        what a knob does to the one that is looked at: a filter is judged on heights that stay.
        """
        if frame.recording_id != self._recording_id:
            self._recording_id = frame.recording_id
            self._automatic, self._followed, self._followed_window = {}, {}, ()
        self._frame, self._kinds = frame, kinds
        for kind, units in frame.scales.items():
            if units > 0:
                self._automatic.setdefault(kind, float(units) * _ROOM)
        window = (frame.start_s, frame.stop_s, tuple(block.channels for block in frame.blocks))
        if not follows:
            self._followed, self._followed_window = {}, ()
        elif window != self._followed_window:
            self._followed_window = window
            self._followed = dict(self.fitted())

    def units_per_lane(self, viewport: Viewport, kind: str) -> float:
        """Return the physical units per lane height in use for a kind, such that a bar for it can be drawn."""
        per_mm = viewport.sensitivity_of(kind)
        if per_mm is not None:
            return drawable(per_mm * self.row_px / self.pixels_per_mm)
        if not viewport.lock_scales and kind in self._followed:
            return drawable(self._followed[kind])
        chosen = viewport.scale_of(kind)
        return drawable(chosen if chosen is not None else self._automatic.get(kind, _UNKNOWN))

    def units_per_mm(self, viewport: Viewport, kind: str) -> float:
        """Return the physical units per millimetre of screen in use for a kind."""
        return self.units_per_lane(viewport, kind) * self.pixels_per_mm / max(self.row_px, 1e-9)

    def in_use(self, viewport: Viewport, kinds: Iterable[str]) -> Mapping[str, float]:
        """Return the units per lane height of several kinds."""
        return {kind: self.units_per_lane(viewport, kind) for kind in kinds}

    def fitted(self) -> Mapping[str, float]:
        """Return the scales that fit what the newest frame shows, by kind; robust against single artefacts."""
        heights: dict[str, list[float]] = {}
        for block in () if self._frame is None else self._frame.blocks:
            rows: dict[str, list[int]] = {}
            for place, channel in enumerate(block.channels):
                rows.setdefault(self._kinds.get(channel, "misc"), []).append(place)
            for kind, places in rows.items():
                height = _height_of(block, places[:: -(-len(places) // _MOST_ROWS)])
                if height > 0:
                    heights.setdefault(kind, []).append(height * _ROOM)
        return {kind: float(np.median(found)) for kind, found in heights.items()}


def _height_of(block: TraceBlock, places: list[int]) -> float:
    """Return the height of what is seen of some channels, from a part of the bins: this runs where a hand waits."""
    step = max(1, len(block.times_s) // _MOST_BINS)
    is_filtered = block.after is not None and all(block.filtered[place] for place in places)
    values = block.after if is_filtered and block.after is not None else block.before
    low, high = values.every(step)
    return robust_height(low[places], high[places])


def scale_bar(units_per_lane: float) -> float:
    """Return the value of the scale bar of a lane: 1, 2 or 5 times a power of ten, well inside the lane."""
    return nice_below(drawable(units_per_lane) * _MOST_OF_LANE)


def drawable(units_per_lane: float) -> float:
    """Return a height within what can still be multiplied: a signal of 1e308 is higher than any float with its room."""
    return min(max(units_per_lane, _LEAST_HEIGHT), _LARGEST_HEIGHT)


def scale_text(value: float, unit: str) -> str:
    """Return a value with its unit, such as ``"50 µV"``."""
    number = f"{value:g}" if 1e-3 <= abs(value) < 1e5 else f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{number} {unit}" if unit else number


#: Sensitivities that electroencephalographs have, times powers of ten.
_SENSITIVITIES = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)


def sensitivities_near(per_mm: float) -> tuple[float, ...]:
    """Return the usual sensitivities around one, from a hundredth of its power of ten to a hundredfold."""
    power = math.floor(math.log10(per_mm)) if per_mm > 0 and math.isfinite(per_mm) else 0
    found = {float(f"{factor:g}e{at}") for at in range(power - 1, power + 2) for factor in _SENSITIVITIES}
    return tuple(sorted(found))


def next_sensitivity(per_mm: float, direction: int) -> float:
    """Return the next larger (1) or smaller (-1) of the usual sensitivities."""
    near = sensitivities_near(per_mm)
    if direction > 0:
        return next((value for value in near if value > per_mm * 1.001), per_mm)
    return next((value for value in reversed(near) if value < per_mm * 0.999), per_mm)
