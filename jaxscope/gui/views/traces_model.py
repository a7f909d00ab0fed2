"""What the traces show, without a widget: the state, the newest frame, the lanes, values under a pointer.

Invariant: an older frame never replaces a newer one, and a frame of another recording is never kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from jaxscope.compute.frames import Blocked, Envelope, Frame, MeasureFrame, Measures, Opened, TraceBlock
from jaxscope.data.recording import RecordingInfo
from jaxscope.gui.painting.geometry import PaneRect, panes_of
from jaxscope.gui.painting.lanes import Lane, lane_at, lanes_in, lanes_of, row_count
from jaxscope.gui.painting.scales import ScaleBook
from jaxscope.gui.painting.scene import Pane, Quality, TraceScene, rising_times
from jaxscope.gui.theme import colour, theme
from jaxscope.session.state import SessionState

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """What a trace holds at a time: one sample, or the lowest and the highest of the bin around it."""

    low: float
    high: float


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
            change=float(measures.last[place] - measures.first[place]),
            rms=float(measures.rms[place]),
            deviation=float(measures.deviation[place]),
            peak_to_peak=float(measures.peak_to_peak[place]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneMeasures:
    """What lies between two cursors in a lane; ``after`` is None where nothing filters it or it is hidden."""

    span_s: float
    before: Sizes
    after: Sizes | None


class TracesModel:
    """State and frames of the traces, and what follows from them."""

    def __init__(self, scales: ScaleBook, state: SessionState) -> None:
        self.scales = scales
        self.state = state
        self.info: RecordingInfo | None = None
        self.recording_id = ""
        self.frame: Frame | None = None
        self.is_held = False
        self.lanes: tuple[Lane, ...] = ()
        self.measures: MeasureFrame | None = None
        self._serial = 0

    @property
    def rows(self) -> int:
        """How many rows the lanes take."""
        return row_count(self.lanes)

    @property
    def start_s(self) -> float:
        """Left edge of the window."""
        return self.state.viewport.start_s

    @property
    def duration_s(self) -> float:
        """Length of the window."""
        return max(self.state.viewport.duration_s, 1e-9)

    @property
    def stop_s(self) -> float:
        """Right edge of the window."""
        return self.start_s + self.duration_s

    @property
    def shows_after(self) -> bool:
        """Whether the filtered signal is to be seen."""
        return self.state.document.filter_on and not self.state.viewport.raw

    def take_state(self, state: SessionState) -> bool:
        """Take another state; return whether the picture of the traces must be painted again."""
        previous, self.state = self.state, state
        if state.document is not previous.document or state.viewport is not previous.viewport:
            self._lay_out()
        return picture_key(state) != picture_key(previous)

    def open(self, opened: Opened) -> None:
        """Take another recording."""
        self.info = opened.info
        self.recording_id = opened.recording_id
        self.frame = self.measures = None
        self.is_held = False
        self._lay_out()

    def close(self) -> None:
        """Show nothing."""
        self.info, self.frame, self.recording_id, self.lanes, self.measures = None, None, "", (), None

    def take_frame(self, frame: Frame) -> bool:
        """Take a frame if it is of this recording and not older than the one that is shown."""
        is_old = self.frame is not None and frame.revision < self.frame.revision
        if is_old or frame.recording_id != self.recording_id:
            return False
        self.frame = frame
        self.is_held = False
        self.scales.note(frame)
        return True

    def hold(self, blocked: Blocked) -> bool:
        """Mark the picture as held; return whether that is news."""
        was_held, self.is_held = self.is_held, True
        return not was_held

    def panes(self, width: float) -> tuple[PaneRect, ...]:
        """Return the panes of the mode in use."""
        return panes_of(self.state.viewport, width)

    def scene(self, width: float, height: float, ratio: float, quality: Quality) -> TraceScene | None:
        """Return the picture to paint, None where there is nothing to show yet."""
        if self.frame is None or not self.lanes or width < 1 or height < 1 or self._lacks_difference(self.frame):
            return None
        self._serial += 1
        viewport = self.state.viewport
        is_plain = not self.shows_after
        panes = painted_panes(self.panes(width), ratio, is_plain=is_plain)
        return TraceScene(
            serial=self._serial,
            frame=self.frame,
            lanes=self.lanes,
            start_s=self.start_s,
            stop_s=self.stop_s,
            width_px=picture_width(self.panes(width), width, ratio),
            height_px=round(height * ratio),
            ratio=ratio,
            panes=panes,
            scales=self.scales.in_use(viewport, {lane.scale_kind for lane in self.lanes}),
            colours=trace_colours({lane.colour for lane in self.lanes}),
            remove_offset=viewport.remove_offset,
            negative_up=viewport.negative_up,
            show_after=self.shows_after,
            is_held=self.is_held,
            quality=quality,
            is_smooth=viewport.antialias,
        )

    def _lacks_difference(self, frame: Frame) -> bool:
        """Whether a frame with what was taken away is still on its way; the last picture stays until then."""
        if self.state.viewport.mode != "difference" or not self.shows_after:
            return False
        return any(block.after is not None and block.difference is None for block in frame.blocks)

    def values_at(self, lane: Lane, second: float) -> tuple[Value | None, Value | None]:
        """Return Before and After of a lane at a time; None where there is none."""
        if self.frame is None:
            return None, None
        for block in self.frame.blocks:
            if lane.channel in block.channels:
                place = block.channels.index(lane.channel)
                point = _point_at(block, second)
                if point is None:
                    return None, None
                shows_after = self.shows_after and block.filtered[place] and block.after is not None
                after = _value(block.after, place, point) if shows_after and block.after is not None else None
                return _value(block.before, place, point), after
        return None, None

    def take_measures(self, measures: MeasureFrame) -> bool:
        """Take what lies between the cursors; return whether it is of the cursors and the recording of now."""
        cursors_s = self.state.viewport.cursors_s
        if measures.recording_id != self.recording_id or len(cursors_s) != 2:
            return False
        if (measures.start_s, measures.stop_s) != (min(cursors_s), max(cursors_s)):
            return False
        self.measures = measures
        return True

    def measures_of(self, lane: Lane) -> LaneMeasures | None:
        """Return what lies between the two cursors in a lane, None until it is known."""
        found, cursors_s = self.measures, self.state.viewport.cursors_s
        if found is None or lane.channel not in found.channels or len(cursors_s) != 2:
            return None
        if (found.start_s, found.stop_s) != (min(cursors_s), max(cursors_s)):
            return None
        place = found.channels.index(lane.channel)
        shows_after = self.shows_after and found.filtered[place]
        return LaneMeasures(
            span_s=found.stop_s - found.start_s,
            before=Sizes.at(found.before, place),
            after=Sizes.at(found.after, place) if shows_after else None,
        )

    def lane_near(self, y: float, height: float, second: float) -> Lane | None:
        """Return the lane at a height; of several in a row the one whose trace is nearest at a time."""
        lanes = lanes_in(self.lanes, lane_at(min(max(y, 0.0), height - 1), height, self.rows))
        if len(lanes) < 2:
            return lanes[0] if lanes else None
        return min(lanes, key=lambda lane: abs(self._height_of(lane, second, height) - y))

    def _height_of(self, lane: Lane, second: float, height: float) -> float:
        """Return how far from the top a trace is drawn at a time, infinity where it is not."""
        before, after = self.values_at(lane, second)
        value = after or before
        block = self._block_of(lane)
        if value is None or block is None:
            return math.inf
        place, row_px, viewport = block.channels.index(lane.channel), height / self.rows, self.state.viewport
        offsets = block.before_offset if after is None else block.after_offset
        offset = float(offsets[place]) if viewport.remove_offset and np.isfinite(offsets[place]) else 0.0
        slope = row_px * lane.gain / self.scales.units_per_lane(viewport, lane.scale_kind)
        upwards = ((value.low + value.high) / 2 - offset) * slope
        return (lane.row + 0.5 - lane.offset) * row_px - (-upwards if viewport.negative_up else upwards)

    def _block_of(self, lane: Lane) -> TraceBlock | None:
        blocks = () if self.frame is None else self.frame.blocks
        return next((block for block in blocks if lane.channel in block.channels), None)

    def snapped(self, lane: Lane, second: float, reach_s: float, how: Literal["sample", "peak"]) -> float:
        """Return the time of the nearest point of a trace, or of the furthest peak within reach; else the same time."""
        block = self._block_of(lane)
        if block is None:
            return second
        place, times_s = block.channels.index(lane.channel), rising_times(block)
        has_after = self.shows_after and block.filtered[place] and block.after is not None
        values = block.after if has_after and block.after is not None else block.before
        is_there = np.isfinite(values.low[place]) & (np.abs(times_s - second) <= reach_s)
        peak = None
        if how == "peak" and is_there.any():
            peak = peak_at(values.low[place], values.high[place], np.flatnonzero(is_there))
        if peak is not None:
            return float(times_s[peak])
        known = np.flatnonzero(np.isfinite(values.low[place]))
        if not known.size:
            return second
        return float(times_s[known[np.argmin(np.abs(times_s[known] - second))]])

    def removed_rms(self, lane: Lane) -> float | None:
        """Return what was removed from a lane, None where nothing filters it."""
        if self.frame is None:
            return None
        for block in self.frame.blocks:
            if lane.channel in block.channels:
                value = float(block.removed_rms[block.channels.index(lane.channel)])
                return value if np.isfinite(value) else None
        return None

    def _lay_out(self) -> None:
        self.lanes = () if self.info is None else lanes_of(self.state, self.info)


def painted_panes(panes: tuple[PaneRect, ...], ratio: float, *, is_plain: bool) -> tuple[Pane, ...]:
    """Return where panes are in the picture, in device pixels.

    Both sides of the curtain are painted whole and side by side, so that the curtain moves without a new picture.
    """
    shift = 0
    painted: list[Pane] = []
    for pane in panes:
        left, right = round(pane.left * ratio) + shift, round((pane.left + pane.width) * ratio) + shift
        painted.append(Pane(left_px=left, width_px=right - left, content="before" if is_plain else pane.content))
        if pane.shown_right < pane.left + pane.width:
            shift += right - left
    return tuple(painted)


def picture_width(panes: tuple[PaneRect, ...], width: float, ratio: float) -> int:
    """Return the device pixels across of the picture for some panes."""
    painted = painted_panes(panes, ratio, is_plain=False)
    return max(round(width * ratio), painted[-1].left_px + painted[-1].width_px)


def picture_key(state: SessionState) -> tuple:
    """Return what the picture of the traces depends on, apart from the frame."""
    viewport, document = state.viewport, state.document
    return (
        viewport.start_s,
        viewport.duration_s,
        viewport.mode,
        viewport.split_share,
        viewport.arrangement,
        viewport.together,
        viewport.sensitivities,
        viewport.raw,
        viewport.first_lane,
        viewport.lane_count,
        viewport.scales,
        viewport.remove_offset,
        viewport.negative_up,
        viewport.antialias,
        document.filter_on,
        document.looks,
        document.channel_order,
        tuple(chain.channels for chain in document.chains),
    )


def trace_colours(lane_tokens: set[str]) -> dict[str, int]:
    """Return the opaque colours of traces in the theme of now, as 0xFFRRGGBB."""
    is_dark = theme().is_dark
    colours = {
        "before": colour("before").rgb(),
        "before_mixed": _mixed("before", 0.8) if is_dark else colour("before").rgb(),
        "difference": _mixed("diff", 0.9),
    }
    for token in lane_tokens:
        colours[token] = colour(token).rgb()
        colours[f"held_{token}"] = _mixed(token, 0.8)
    return colours


def _mixed(token: str, share: float) -> int:
    """Return a colour over the canvas as an opaque one: overlapping parts of a translucent line would show."""
    front, back = colour(token), colour("canvas")
    red, green, blue = (
        round(one * share + other * (1 - share))
        for one, other in ((front.red(), back.red()), (front.green(), back.green()), (front.blue(), back.blue()))
    )
    return 0xFF000000 | red << 16 | green << 8 | blue


def _point_at(block: TraceBlock, second: float) -> int | None:
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


def _value(values: Envelope, place: int, point: int) -> Value | None:
    low, high = float(values.low[place, point]), float(values.high[place, point])
    return Value(low=low, high=high) if np.isfinite(low) and np.isfinite(high) else None
