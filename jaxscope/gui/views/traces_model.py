"""What the traces show, without a widget: the state, the newest frame, the lanes, values under a pointer.

Invariant: an older frame never replaces a newer one, and a frame of another recording is never kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from jaxscope.compute.frames import Blocked, DesignFrame, Frame, Grown, LivePosition, Opened, TraceBlock
from jaxscope.compute.measure_frames import MeasureFrame
from jaxscope.compute.surroundings import Surroundings
from jaxscope.data.recording import RecordingInfo, scale_kind
from jaxscope.filters.channels import chain_for
from jaxscope.filters.spec import FilterChain
from jaxscope.gui.painting.geometry import PaneRect, panes_of
from jaxscope.gui.painting.lanes import Lane, by_row, lane_at, lanes_of
from jaxscope.gui.painting.scales import ScaleBook
from jaxscope.gui.painting.scene import Quality, TraceScene, rising_times
from jaxscope.gui.views.traces_goals import GoalMarks
from jaxscope.gui.views.traces_offsets import with_offsets_of
from jaxscope.gui.views.traces_picture import look_key, painted_panes, picture_width, trace_colours, window_key
from jaxscope.gui.views.traces_values import (
    LaneMeasures,
    LaneValues,
    measures_between,
    peak_at,
    point_at,
    removed_sizes,
    value_at,
)
from jaxscope.session.state import SessionState

FloatArray = npt.NDArray[np.float64]
Change = Literal["nothing", "window", "look"]
Made = TypeVar("Made")


class TracesModel:
    """State and frames of the traces, and what follows from them."""

    def __init__(self, scales: ScaleBook, state: SessionState) -> None:
        self.scales = scales
        self.state = state
        self.info: RecordingInfo | None = None
        self.recording_id = ""
        self.frame: Frame | None = None
        self.is_held = False
        #: the window or the filter is another since the last frame, so one is on the way
        self.awaits_frame = False
        self.lanes: tuple[Lane, ...] = ()
        self.by_row: tuple[tuple[Lane, ...], ...] = ()
        self.measures: MeasureFrame | None = None
        self.goals = GoalMarks()
        #: how far a signal has run, None where none has
        self.reached_s: float | None = None
        self._height = 1.0
        self._kinds: dict[int, str] = {}
        self._serial = 0
        #: the newest state that a frame of another window served
        self._moved = -1
        #: the frame of surroundings that the one in use was made of
        self._lent: Frame | None = None
        #: how late each chain is, and what follows for the channels
        self._delays_s: tuple[float, ...] = ()
        self._shifts: tuple[object, dict[int, float]] = (None, {})
        self._made: dict[str, tuple[tuple[object, ...], Any]] = {}

    @property
    def rows(self) -> int:
        """How many rows the lanes take."""
        return len(self.by_row)

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

    @property
    def shows_difference(self) -> bool:
        """Whether what the filter took away is to be seen in place of the signals."""
        return self.state.viewport.mode == "difference" and self.shows_after

    def take_state(self, state: SessionState) -> Change:
        """Take another state; return what of it the picture of the traces depends on."""
        previous, self.state = self.state, state
        if window_key(state) != window_key(previous) or state.document.chains != previous.document.chains:
            self.awaits_frame = not self.is_held
        if state.document is not previous.document or state.viewport is not previous.viewport:
            self._lay_out()
        if state.viewport.lock_scales != previous.viewport.lock_scales and self.frame is not None:
            self.scales.note(self.frame, self._kinds, follows=not state.viewport.lock_scales)
        if look_key(state) != look_key(previous):
            return "look"
        return "window" if window_key(state) != window_key(previous) else "nothing"

    def open(self, opened: Opened) -> None:
        """Take another recording."""
        self.info = opened.info
        self._kinds = {number: scale_kind(one.kind, one.unit) for number, one in enumerate(opened.info.channels)}
        self.recording_id = opened.recording_id
        self.frame = self.measures = self.reached_s = None
        self._moved = -1
        self.is_held = False
        self._lay_out()

    def grow(self, grown: Grown) -> None:
        """Take that the recording holds more samples."""
        if grown.recording_id == self.recording_id:
            self.info = grown.info

    def take_position(self, position: LivePosition) -> bool:
        """Take how far a signal has run; return whether that is to be shown."""
        if position.recording_id != self.recording_id or position.position_s == self.reached_s:
            return False
        self.reached_s = position.position_s
        return True

    def close(self) -> None:
        """Show nothing."""
        self.info, self.frame, self.recording_id, self.measures = None, None, "", None
        self._lent = None
        self.lanes, self.by_row = (), ()
        self._made.clear()

    def take_frame(self, frame: Frame) -> bool:
        """Take a frame if it is of this recording and not older than the one that is shown."""
        is_old = self.frame is not None and frame.revision < max(self.frame.revision, self._moved)
        if is_old or frame.recording_id != self.recording_id:
            return False
        self.awaits_frame = False
        self.frame, self._lent = self._with_offsets(frame), None
        self.is_held = frame.held
        self.scales.note(frame, self._kinds, follows=not self.state.viewport.lock_scales)
        return True

    def _heights(self) -> dict[int, float]:
        """Return the height of each lane in units of its channel."""
        viewport = self.state.viewport
        units = {kind: self.scales.units_per_lane(viewport, kind) for kind in self._kinds_of_lanes()}
        key = (self.lanes, tuple(units.items()))
        return self.remembered(
            "heights", key, lambda: {lane.channel: units[lane.scale_kind] / lane.gain for lane in self.lanes}
        )

    def _kinds_of_lanes(self) -> frozenset[str]:
        """Return what the lanes share their scales by."""
        return self.remembered("kinds", (self.lanes,), lambda: frozenset(lane.scale_kind for lane in self.lanes))

    def hold(self, blocked: Blocked) -> bool:
        """Mark the picture as held; return whether that is news."""
        self.awaits_frame = False
        was_held, self.is_held = self.is_held, True
        return not was_held

    def panes(self, width: float) -> tuple[PaneRect, ...]:
        """Return the panes of the mode in use."""
        return panes_of(self.state.viewport, width)

    def move_within(self, around: Surroundings | None, width_px: int, revision: int) -> bool:
        """Whether the window lies within surroundings that suit it, whose frame then serves it as its own would."""
        if around is None or not around.suits(self.state, self.recording_id, width_px) or not around.has(self.state):
            return False
        if self.is_held or around.frame.made_of is None:
            return False
        if self._lent is not around.frame:
            self.frame, self._lent = self._with_offsets(around.frame), around.frame
        self.awaits_frame, self._moved = False, revision
        return True

    def _with_offsets(self, frame: Frame) -> Frame:
        """Return a frame with the offsets of the one that is shown, where they serve."""
        if not self.state.viewport.remove_offset or frame is self.frame:
            return frame
        return with_offsets_of(self.frame, frame, self._heights())

    def scene_ahead(
        self, around: Surroundings, width: float, height: float, ratio: float, most_px: int
    ) -> TraceScene | None:
        """Return the picture of a window and what lies around it; None where it would have too many pixels."""
        scene = self.scene(width, height, ratio, "motion")
        if scene is None:
            return None
        whole_s, shown_s = around.stop_s - around.start_s, self.duration_s
        for windows in (5, 3, 2):
            if scene.width_px * windows * scene.height_px <= most_px and windows * shown_s < whole_s * (1 + 1e-9):
                break
        else:
            return None
        start_s = (around.start_s + around.stop_s - windows * shown_s) / 2
        panes = tuple(
            replace(pane, left_px=pane.left_px * windows, width_px=pane.width_px * windows) for pane in scene.panes
        )
        return replace(
            scene,
            frame=self._with_offsets(around.frame),
            start_s=start_s,
            stop_s=start_s + windows * shown_s,
            width_px=scene.width_px * windows,
            panes=panes,
            is_ahead=True,
        )

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
            scales=self.scales.in_use(viewport, self._kinds_of_lanes()),
            colours=trace_colours(self.remembered("tokens", (self.lanes,), lambda: {one.colour for one in self.lanes})),
            remove_offset=viewport.remove_offset,
            negative_up=viewport.negative_up,
            show_after=self.shows_after,
            is_held=self.is_held,
            quality=quality,
            is_smooth=viewport.antialias,
            is_clipped=viewport.clip_lanes,
            shifts_s=self.shifts_s,
            show_before=viewport.show_before,
            raised=self._raised(),
            revision=max(self.frame.revision, self._moved),
        )

    def _raised(self) -> frozenset[int]:
        """Return the selected channels where they share a row with others: there nothing else shows which they are."""
        viewport = self.state.viewport
        if viewport.arrangement == "stacked":
            return frozenset()
        return frozenset(lane.channel for lane in self.lanes if lane.name in viewport.selected_channels)

    def take_design(self, design: DesignFrame) -> bool:
        """Take how late each chain is; return whether After is now drawn elsewhere."""
        delays_s, self._delays_s = self._delays_s, design.delays_s
        return delays_s != design.delays_s

    @property
    def shifts_s(self) -> dict[int, float]:
        """By how many seconds After of each channel is drawn earlier; empty where it is drawn as it is."""
        if self.info is None or not self.state.viewport.line_up or not any(self._delays_s):
            return {}
        key = (self._delays_s, self.lanes, tuple(chain.channels for chain in self.state.document.chains))
        if self._shifts[0] != key:
            chains = self.state.document.chains[: len(self._delays_s)]
            found = {lane.channel: self._chain_of(chains, lane) for lane in self.lanes}
            shifts = {channel: self._delays_s[at] for channel, at in found.items() if at is not None}
            self._shifts = (key, shifts)
        return self._shifts[1]

    def _chain_of(self, chains: tuple[FilterChain, ...], lane: Lane) -> int | None:
        channel = self.info.channels[lane.channel] if self.info is not None else None
        return None if channel is None else chain_for(chains, channel.name, is_data=channel.is_data)

    def _lacks_difference(self, frame: Frame) -> bool:
        """Whether a frame with what was taken away is still on its way; the last picture stays until then."""
        return self.shows_difference and any(
            block.after is not None and block.difference is None for block in frame.blocks
        )

    def values_at(self, lane: Lane, second: float) -> LaneValues:
        """Return what a lane holds at a time."""
        block = self._block_of(lane)
        point = None if block is None else point_at(block, second)
        if block is None or point is None:
            return LaneValues()
        place = block.channels.index(lane.channel)
        before = value_at(block.before, place, point)
        if not self.shows_after or not block.filtered[place] or block.after is None:
            return LaneValues(before=before)
        later = point_at(block, second + self.shifts_s.get(lane.channel, 0.0))
        after = None if later is None else value_at(block.after, place, later)
        if not self.shows_difference or block.difference is None:
            return LaneValues(before=before, after=after)
        return LaneValues(before=before, after=after, difference=value_at(block.difference, place, point))

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
        cursors_s = self.state.viewport.cursors_s
        return measures_between(self.measures, cursors_s, lane.channel, shows_after=self.shows_after)

    def lane_near(self, y: float, height: float, second: float) -> Lane | None:
        """Return the lane at a height; of several in a row the one whose trace is nearest at a time."""
        row = lane_at(min(max(y, 0.0), height - 1), height, self.rows)
        lanes = () if row is None else self.by_row[row]
        if len(lanes) < 2:
            return lanes[0] if lanes else None
        return min(lanes, key=lambda lane: abs(self._height_of(lane, second, height) - y))

    def _height_of(self, lane: Lane, second: float, height: float) -> float:
        """Return how far from the top a trace is drawn at a time, infinity where it is not."""
        values, block = self.values_at(lane, second), self._block_of(lane)
        value = values.drawn
        if value is None or block is None:
            return math.inf
        place, row_px, viewport = block.channels.index(lane.channel), height / self.rows, self.state.viewport
        offsets = block.before_offset if values.after is None else block.after_offset
        if values.difference is not None:
            offsets = block.before_offset - block.after_offset
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
        drawn = block.difference if self.shows_difference else block.after
        has_after = self.shows_after and block.filtered[place] and drawn is not None
        values = drawn if has_after and drawn is not None else block.before
        low, high = values.row(place)
        is_there = np.isfinite(low) & (np.abs(times_s - second) <= reach_s)
        peak = None
        if how == "peak" and is_there.any():
            peak = peak_at(low, high, np.flatnonzero(is_there))
        if peak is not None:
            return float(times_s[peak])
        known = np.flatnonzero(np.isfinite(low))
        if not known.size:
            return second
        return float(times_s[known[np.argmin(np.abs(times_s[known] - second))]])

    def removed_rms(self, lane: Lane) -> float | None:
        """Return what was removed from a lane, None where nothing filters it."""
        frame = self.frame
        if frame is None:
            return None
        return self.remembered("removed", (frame,), lambda: removed_sizes(frame)).get(lane.channel)

    def _lay_out(self) -> None:
        lanes = () if self.info is None else lanes_of(self.state, self.info)
        if lanes is not self.lanes:
            self.lanes, self.by_row = lanes, by_row(lanes)
            self._size_rows()

    def remembered(self, name: str, key: tuple[object, ...], make: Callable[[], Made]) -> Made:
        """Return what was made for a key, anew only where the key is another than the last time."""
        last = self._made.get(name)
        if last is None or last[0] != key:
            last = self._made[name] = (key, make())
        made: Made = last[1]
        return made

    def set_height(self, height: float) -> None:
        """Tell how high the traces are."""
        self._height = height
        self._size_rows()

    def _size_rows(self) -> None:
        self.scales.row_px = max(1.0, self._height / max(1, self.rows))
