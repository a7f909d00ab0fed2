"""Values of one trace: at a time, at the nearest peak, and between two cursors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from jaxscope.compute.envelopes import Envelope
from jaxscope.compute.frames import Frame, TraceBlock
from jaxscope.compute.measure_frames import MeasureFrame, Measures
from jaxscope.gui.painting.scene import rising_times

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """What a trace holds at a time: one sample, or the lowest and the highest of the bin around it."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneValues:
    """What a lane holds at a time, each None where there is none: ``difference`` also where it is not looked at."""

    before: Value | None = None
    after: Value | None = None
    difference: Value | None = None

    @property
    def drawn(self) -> Value | None:
        """The one that is drawn in front."""
        return self.difference or self.after or self.before


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """What lies between two cursors in one trace, in its unit."""

    change: float
    rms: float
    deviation: float
    peak_to_peak: float

    @staticmethod
    def at(measures: Measures, place: int) -> Sizes:
        """Return the sizes of one channel."""
        return Sizes(
            change=float(measures.last[place]) - float(measures.first[place]),
            rms=float(measures.rms[place]),
            deviation=float(measures.deviation[place]),
            peak_to_peak=float(measures.peak_to_peak[place]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneMeasures:
    """What lies between two cursors in a lane; the others than ``before`` are None where no filter is to be seen."""

    span_s: float
    before: Sizes
    after: Sizes | None
    removed: Sizes | None


def removed_sizes(frame: Frame) -> dict[int, float]:
    """Return the root mean square of what was removed from each channel; those that nothing filters are not in it."""
    return {
        channel: float(size)
        for block in frame.blocks
        for channel, size in zip(block.channels, block.removed_rms, strict=True)
        if np.isfinite(size)
    }


def measures_between(
    found: MeasureFrame | None, cursors_s: tuple[float, ...], channel: int, *, shows_after: bool
) -> LaneMeasures | None:
    """Return what lies between two cursors in a channel, None until it is known of these cursors."""
    if found is None or channel not in found.channels or len(cursors_s) != 2:
        return None
    if (found.start_s, found.stop_s) != (min(cursors_s), max(cursors_s)):
        return None
    place = found.channels.index(channel)
    is_filtered = shows_after and found.filtered[place]
    return LaneMeasures(
        span_s=found.stop_s - found.start_s,
        before=Sizes.at(found.before, place),
        after=Sizes.at(found.after, place) if is_filtered else None,
        removed=Sizes.at(found.removed, place) if is_filtered else None,
    )


def point_at(block: TraceBlock, second: float) -> int | None:
    """Return the number of the bin around a time, None outside of the block."""
    bin_s = block.bin_samples / block.rate_hz
    times_s = rising_times(block)
    point = int(np.searchsorted(times_s, second + 1e-9, side="right")) - 1
    if block.bin_samples == 1 and point + 1 < len(times_s):
        # a sample is a point in time: the nearest one counts
        nearer_next = times_s[point + 1] - second < second - times_s[max(point, 0)]
        point = point + 1 if point < 0 or nearer_next else point
    if not 0 <= point < len(times_s) or abs(second - times_s[point]) > bin_s * 1.5:
        return None
    return point


def peak_at(low: FloatArray, high: FloatArray, points: npt.NDArray[np.intp]) -> int | None:
    """Return which of some points is the highest or the lowest, and not only at their ends; None where neither is.

    Of both the one that stands out more from the ends.
    """
    top, bottom = int(np.argmax(high[points])), int(np.argmin(low[points]))
    last = len(points) - 1
    ends = 0.25 * float(low[points[0]] + high[points[0]] + low[points[-1]] + high[points[-1]])
    found = [(high[points[top]] - ends, top), (ends - low[points[bottom]], bottom)]
    inner = [(float(size), place) for size, place in found if 0 < place < last]
    return int(points[max(inner)[1]]) if inner else None


def value_at(values: Envelope, place: int, point: int) -> Value | None:
    """Return what a channel holds in a bin, None where nothing was recorded."""
    low, high = values.at(place, point)
    return Value(low=low, high=high) if np.isfinite(low) and np.isfinite(high) else None
