"""Everything that one picture of the traces is made of, as one immutable value.

A scene is made on the GUI thread (cheap: no samples are touched) and painted on the painter's thread. All positions
come from ``prepare``, so motion quality and rest quality cannot differ in position, only in smoothness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from jaxscope.compute.frames import Envelope, Frame, TraceBlock
from jaxscope.data.recording import CODE_KINDS
from jaxscope.gui.painting.lanes import Lane

FloatArray = npt.NDArray[np.float64]
Content = Literal["both", "before", "after", "difference"]
Quality = Literal["motion", "rest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pane:
    """A part of the traces with its own time axis, in device pixels."""

    left_px: int
    width_px: int
    content: Content


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TraceScene:
    """One picture that is to be painted. ``colours`` maps tokens and ``before_mixed`` to 0xFFRRGGBB."""

    serial: int
    frame: Frame
    lanes: tuple[Lane, ...]
    start_s: float
    stop_s: float
    width_px: int
    height_px: int
    ratio: float
    panes: tuple[Pane, ...]
    scales: Mapping[str, float]
    colours: Mapping[str, int]
    remove_offset: bool
    negative_up: bool
    show_after: bool
    is_held: bool
    quality: Quality
    is_smooth: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """One trace in device pixels: (n,) positions, top and bottom of each bin; NaN is a break.

    ``is_exact`` tells that every point is one sample, so top and bottom are the same.
    """

    x: FloatArray
    top: FloatArray
    bottom: FloatArray
    is_exact: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stroke:
    """All traces of one colour in one pane, drawn together; ``is_strong`` asks for a second line.

    ``is_before`` tells the recording as it is, which stays the same while a filter is tuned.
    """

    pane: Pane
    colour: int
    is_strong: bool
    is_before: bool
    lines: tuple[Line, ...]


def before_key(scene: TraceScene) -> tuple[object, ...]:
    """Return what the Before part of a picture depends on: equal keys have equal pixels."""
    blocks = tuple(
        (
            block.rate_hz,
            block.channels,
            block.bin_samples,
            len(block.times_s),
            float(block.times_s[0]) if len(block.times_s) else 0.0,
            block.filtered,
            block.before_offset.tobytes() if scene.remove_offset else b"",
        )
        for block in scene.frame.blocks
    )
    choices = (scene.remove_offset, scene.negative_up, scene.show_after, scene.quality, scene.is_smooth)
    return (
        scene.frame.recording_id,
        scene.start_s,
        scene.stop_s,
        (scene.width_px, scene.height_px, scene.ratio),
        scene.panes,
        scene.lanes,
        tuple(sorted(scene.scales.items())),
        (scene.colours["before"], scene.colours["before_mixed"]),
        choices,
        blocks,
    )


def prepare(scene: TraceScene, *, with_before: bool = True) -> tuple[Stroke, ...]:
    """Return what is to be drawn, from the back: in each pane all of Before before any of After."""
    rows = {lane.channel: row for row, lane in enumerate(scene.lanes)}
    strokes: list[Stroke] = []
    for pane in scene.panes:
        views = [_BlockView.of(scene, pane, block) for block in scene.frame.blocks]
        groups: dict[tuple[int, bool, int], list[Line]] = {}
        for view in views:
            for order, colour, is_strong, line in _lines(scene, pane, view, rows, with_before=with_before):
                groups.setdefault((order, is_strong, colour), []).append(line)
        strokes.extend(
            Stroke(pane=pane, colour=colour, is_strong=is_strong, is_before=order == 0, lines=tuple(lines))
            for (order, is_strong, colour), lines in sorted(groups.items(), key=lambda item: item[0][0])
        )
    return tuple(strokes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _BlockView:
    """The bins of a block that fall into a pane."""

    block: TraceBlock
    x: FloatArray
    bins: slice

    @staticmethod
    def of(scene: TraceScene, pane: Pane, block: TraceBlock) -> _BlockView:
        centre_s = (block.bin_samples - 1) / (2.0 * block.rate_hz)
        times_s = rising_times(block)
        first = max(0, int(np.searchsorted(times_s, scene.start_s - centre_s)) - 2)
        last = int(np.searchsorted(times_s, scene.stop_s)) + 2
        bins = slice(first, last)
        span_s = max(scene.stop_s - scene.start_s, 1e-12)
        x = pane.left_px + (times_s[bins] + centre_s - scene.start_s) * (pane.width_px / span_s)
        return _BlockView(block=block, x=x, bins=bins)


def rising_times(block: TraceBlock) -> FloatArray:
    """Return the times of a block; where one stands for a gap and is NaN, that of the bin before it."""
    if np.isfinite(block.times_s).all():
        return block.times_s
    return np.maximum.accumulate(np.nan_to_num(block.times_s, nan=-np.inf))


def _lines(
    scene: TraceScene, pane: Pane, view: _BlockView, rows: Mapping[int, int], *, with_before: bool
) -> Iterator[tuple[int, int, bool, Line]]:
    block = view.block
    for place, channel in enumerate(block.channels):
        row = rows.get(channel)
        if row is None:
            continue
        lane = scene.lanes[row]
        is_filtered = block.filtered[place] and scene.show_after
        before_offset, after_offset = float(block.before_offset[place]), float(block.after_offset[place])
        if pane.content == "difference":
            if is_filtered and block.difference is not None:
                offset = before_offset - after_offset
                line = _line(scene, view, block.difference, place, row, lane, offset)
                yield 1, scene.colours["difference"], False, line
            continue
        if with_before and (pane.content != "after" or not is_filtered):
            is_mixed = pane.content == "both" and is_filtered
            colour = scene.colours["before_mixed" if is_mixed else "before"]
            yield 0, colour, False, _line(scene, view, block.before, place, row, lane, before_offset)
        if pane.content != "before" and is_filtered and block.after is not None:
            colour = scene.colours[f"held_{lane.colour}" if scene.is_held else lane.colour]
            yield 1, colour, not scene.is_held, _line(scene, view, block.after, place, row, lane, after_offset)


def _line(
    scene: TraceScene, view: _BlockView, values: Envelope, place: int, row: int, lane: Lane, offset: float
) -> Line:
    lane_px = scene.height_px / len(scene.lanes)
    slope = lane_px * lane.gain / scene.scales[lane.scale_kind]
    if scene.negative_up:
        slope = -slope
    if not scene.remove_offset or not np.isfinite(offset):
        offset = 0.0
    centre = (row + 0.5) * lane_px
    low = centre - (values.low[place, view.bins] - offset) * slope
    is_code = lane.kind in CODE_KINDS
    if is_code:
        # a code is a number and no size: a large one must not be drawn across all other lanes
        low = np.clip(low, row * lane_px + 1, (row + 1) * lane_px - 1)
    if values.high is values.low:
        return Line(x=view.x, top=low, bottom=low, is_exact=True)
    high = centre - (values.high[place, view.bins] - offset) * slope
    if is_code:
        high = np.clip(high, row * lane_px + 1, (row + 1) * lane_px - 1)
    top, bottom = (low, high) if scene.negative_up else (high, low)
    return Line(x=view.x, top=top, bottom=bottom, is_exact=view.block.bin_samples == 1)


def vertices(line: Line) -> tuple[FloatArray, FloatArray]:
    """Return the corners of the polyline through a trace, shape (n,) or (2 n,).

    In each bin the end that is nearer to where the trace comes from is visited first: a rising bin goes from its lowest
    to its highest value, so a slope is drawn as a slope and not as a saw.
    """
    if line.is_exact:
        return line.x, line.top
    middle = line.top + line.bottom
    step = np.empty_like(middle)
    step[:1] = 0.0
    np.subtract(middle[1:], middle[:-1], out=step[1:])
    falls = step > 0
    y = np.empty(2 * len(middle))
    y[0::2] = np.where(falls, line.top, line.bottom)
    y[1::2] = np.where(falls, line.bottom, line.top)
    return np.repeat(line.x, 2), y
