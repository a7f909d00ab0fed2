"""Everything that one picture of the traces is made of, as one immutable value.

A scene is made on the GUI thread (cheap: no samples are touched) and painted on the painter's thread. All positions
come from ``prepare``, so motion quality and rest quality cannot differ in position, only in smoothness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from jaxscope.compute.envelopes import Envelope
from jaxscope.compute.frames import Frame, TraceBlock
from jaxscope.data.recording import CODE_KINDS
from jaxscope.gui.painting.lanes import Lane, row_count

FloatArray = npt.NDArray[np.float64]
Heights = npt.NDArray[np.float32]
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
    #: traces end at the edges of their lane
    is_clipped: bool = False
    #: by how many seconds After of a channel is drawn earlier, to line up with Before; 0 where none is named
    shifts_s: Mapping[int, float] = field(default_factory=dict)
    #: whether Before is drawn behind After
    show_before: bool = True
    #: channels that stand out of those they share a row with: drawn in front, and the others faded
    raised: frozenset[int] = frozenset()
    #: number of the state that it shows
    revision: int = -1
    #: it reaches beyond the window, to be there when the window moves; nobody waits for it
    is_ahead: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """One trace in device pixels: (n,) positions, top and bottom of each bin; NaN is a break.

    ``is_exact`` tells that every point is one sample, so top and bottom are the same.
    """

    x: FloatArray
    top: Heights
    bottom: Heights
    is_exact: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bundle:
    """Traces that share their positions, worked out in one go: (n,) positions, (n_lines, n) tops and bottoms."""

    x: FloatArray
    top: Heights
    bottom: Heights
    is_exact: bool

    def lines(self) -> Iterator[Line]:
        """Yield each of the traces."""
        for top, bottom in zip(self.top, self.bottom, strict=True):
            yield Line(x=self.x, top=top, bottom=bottom, is_exact=self.is_exact)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stroke:
    """All traces of one colour in one pane, drawn together; ``is_strong`` asks for a second line.

    ``is_before`` tells the recording as it is, which stays the same while a filter is tuned.
    """

    pane: Pane
    colour: int
    is_strong: bool
    is_before: bool
    bundles: tuple[Bundle, ...]

    @property
    def lines(self) -> tuple[Line, ...]:
        """All traces, one by one."""
        return tuple(line for bundle in self.bundles for line in bundle.lines())


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
    choices = (
        scene.remove_offset,
        scene.negative_up,
        scene.show_after,
        scene.quality,
        scene.is_smooth,
        scene.is_clipped,
        scene.show_before,
        scene.raised,
    )
    return (
        scene.frame.recording_id,
        scene.frame.n_recorded,
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


#: orders of strokes, from the back; what is raised comes one later
_BEFORE, _AFTER = 0, 2


def prepare(scene: TraceScene, *, with_before: bool = True, with_after: bool = True) -> tuple[Stroke, ...]:
    """Return what is to be drawn, from the back: in each pane all of Before before any of After."""
    lanes = {lane.channel: lane for lane in scene.lanes}
    strokes: list[Stroke] = []
    for pane in scene.panes:
        views = [_BlockView.of(scene, pane, block) for block in scene.frame.blocks]
        groups: dict[tuple[int, bool, int], list[Bundle]] = {}
        for view in views:
            for (order, is_strong, colour), bundle in _bundles(scene, pane, view, lanes, with_before, with_after):
                groups.setdefault((order, is_strong, colour), []).append(bundle)
        strokes.extend(
            Stroke(pane=pane, colour=colour, is_strong=is_strong, is_before=order < _AFTER, bundles=tuple(bundles))
            for (order, is_strong, colour), bundles in sorted(groups.items(), key=lambda item: item[0][0])
        )
    return tuple(strokes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _BlockView:
    """The bins of a block that fall into a pane."""

    block: TraceBlock
    x: FloatArray
    bins: slice

    @staticmethod
    def of(scene: TraceScene, pane: Pane, block: TraceBlock, *, shift_s: float = 0.0) -> _BlockView:
        """Return the bins that a pane shows, of what is drawn earlier by ``shift_s``."""
        start_s, stop_s = scene.start_s + shift_s, scene.stop_s + shift_s
        centre_s = (block.bin_samples - 1) / (2.0 * block.rate_hz)
        times_s = rising_times(block)
        first = max(0, int(np.searchsorted(times_s, start_s - centre_s)) - 2)
        last = int(np.searchsorted(times_s, stop_s)) + 2
        bins = slice(first, last)
        span_s = max(scene.stop_s - scene.start_s, 1e-12)
        x = pane.left_px + (times_s[bins] + centre_s - start_s) * (pane.width_px / span_s)
        return _BlockView(block=block, x=x, bins=bins)


def rising_times(block: TraceBlock) -> FloatArray:
    """Return the times of a block; where one stands for a gap and is NaN, that of the bin before it."""
    if np.isfinite(block.times_s).all():
        return block.times_s
    return np.maximum.accumulate(np.nan_to_num(block.times_s, nan=-np.inf))


def _bundles(
    scene: TraceScene,
    pane: Pane,
    view: _BlockView,
    lanes: Mapping[int, Lane],
    with_before: bool,  # noqa: FBT001
    with_after: bool,  # noqa: FBT001
) -> Iterator[tuple[tuple[int, bool, int], Bundle]]:
    """Yield what a pane shows of a block, as bundles of one (order, whether it is strong, colour) each."""
    block = view.block
    places = [place for place, channel in enumerate(block.channels) if channel in lanes]
    is_filtered = {place: block.filtered[place] and scene.show_after for place in places}
    filtered = [(place, block.channels[place]) for place in places if is_filtered[place]]
    if pane.content == "difference":
        if with_after and block.difference is not None:
            keys = {place: _key(scene, channel, _AFTER, "difference") for place, channel in filtered}
            yield from _drawn(scene, view, block.difference, block.before_offset - block.after_offset, keys, lanes)
        return
    if with_before:
        is_behind = {place: pane.content == "both" and is_filtered[place] for place in places}
        keys = {
            place: _key(scene, block.channels[place], _BEFORE, "before_mixed" if is_behind[place] else "before")
            for place in places
            if (pane.content != "after" or not is_filtered[place]) and (scene.show_before or not is_behind[place])
        }
        yield from _drawn(scene, view, block.before, block.before_offset, keys, lanes)
    if with_after and pane.content != "before" and block.after is not None:
        held = "held_" if scene.is_held else ""
        keys = {
            place: _key(scene, channel, _AFTER, held + lanes[channel].colour, is_strong=not scene.is_held)
            for place, channel in filtered
        }
        shifts = {place: scene.shifts_s.get(block.channels[place], 0.0) for place in keys}
        for shift_s in dict.fromkeys(shifts.values()):
            alike = {place: key for place, key in keys.items() if shifts[place] == shift_s}
            shifted = _BlockView.of(scene, pane, block, shift_s=shift_s) if shift_s else view
            yield from _drawn(scene, shifted, block.after, block.after_offset, alike, lanes)


def _key(scene: TraceScene, channel: int, order: int, token: str, *, is_strong: bool = False) -> tuple[int, bool, int]:
    """Return the (order, whether it is strong, colour) of a trace: where some are raised, the others are faded."""
    if not scene.raised:
        return order, is_strong, scene.colours[token]
    if channel in scene.raised:
        return order + 1, is_strong, scene.colours[token]
    return order, False, scene.colours[f"faded_{token}"]


def _drawn(
    scene: TraceScene,
    view: _BlockView,
    values: Envelope,
    offsets: FloatArray,
    keys: Mapping[int, tuple[int, bool, int]],
    lanes: Mapping[int, Lane],
) -> Iterator[tuple[tuple[int, bool, int], Bundle]]:
    """Yield some channels of a block, (place, key), as bundles of one key each."""
    places = list(keys)
    if not places:
        return
    own = [lanes[view.block.channels[place]] for place in places]
    is_part = len(places) < values.n_channels
    lane_px = scene.height_px / row_count(scene.lanes)
    slope = np.array([lane_px * lane.gain / scene.scales[lane.scale_kind] for lane in own], np.float32)[:, None]
    slope = slope if scene.negative_up else -slope
    offset = offsets[places] if scene.remove_offset else np.zeros(len(places))
    offset = np.where(np.isfinite(offset), offset, 0.0)[:, None]
    row = np.array([float(lane.row) for lane in own])[:, None]
    centre = ((row + 0.5 - np.array([lane.offset for lane in own])[:, None]) * lane_px).astype(np.float32)
    is_held = np.array([scene.is_clipped or lane.kind in CODE_KINDS for lane in own])

    def heights(of: Iterator[FloatArray]) -> Heights:
        # what is left beside the offset is a matter of pixels, for which half of the memory is enough
        y, at = np.empty((len(places), len(view.x)), np.float32), 0
        for part in of:
            stop = at + part.shape[1]
            np.subtract(part[places] if is_part else part, offset, out=y[:, at:stop], casting="unsafe")
            at = stop
        y *= slope
        y += centre
        if is_held.any():
            # a code is a number and no size: a large one must not be drawn across all other lanes
            top = row[is_held] * lane_px
            y[is_held] = np.clip(y[is_held], top + 1, top + lane_px - 1)
        return y

    low = heights(values.lows(view.bins))
    high = low if values.is_exact else heights(values.highs(view.bins))
    top, bottom = (low, high) if scene.negative_up else (high, low)
    is_exact = values.is_exact or view.block.bin_samples == 1
    for key in dict.fromkeys(keys.values()):
        rows = np.array([keys[place] == key for place in places])
        if rows.all():
            yield key, Bundle(x=view.x, top=top, bottom=bottom, is_exact=is_exact)
        else:
            yield key, Bundle(x=view.x, top=top[rows], bottom=bottom[rows], is_exact=is_exact)


def vertices(line: Line) -> tuple[FloatArray, FloatArray]:
    """Return the corners of the polyline through a trace, shape (n,) or (2 n,).

    In each bin the end that is nearer to where the trace comes from is visited first: a rising bin goes from its lowest
    to its highest value, so a slope is drawn as a slope and not as a saw.
    """
    if line.is_exact:
        return line.x, line.top.astype(np.float64)
    middle = line.top + line.bottom
    step = np.empty_like(middle)
    step[:1] = 0.0
    np.subtract(middle[1:], middle[:-1], out=step[1:])
    falls = step > 0
    y = np.empty(2 * len(middle))
    y[0::2] = np.where(falls, line.top, line.bottom)
    y[1::2] = np.where(falls, line.bottom, line.top)
    return np.repeat(line.x, 2), y
