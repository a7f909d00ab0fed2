"""The picture of a running signal: *Before* as far as the recording is known, *After* as far as it has run.

*Before* comes from the kept tiles of the recording, whose envelopes are made once; *After* from the rings of the
streams. Where nothing has run yet, or no longer is in a ring, *After* is NaN and is not drawn.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np

from jaxscope.compute.library import WindowCache
from jaxscope.compute.live_stream import StreamRun
from jaxscope.compute.plan import GroupRequest, Piece, RenderRequest
from jaxscope.compute.render import Rendered, cut_bins, is_long, rendered_of
from jaxscope.compute.trace_blocks import BlockBuilder, ShownSamples
from jaxscope.data.recording import FloatArray

#: Samples (channels times time) that are handed to who looks at them later.
KEEP_VALUES = 2_000_000


def live_request(request: RenderRequest, runs: Sequence[StreamRun]) -> RenderRequest:
    """Return a request whose channels have the coefficients that run, not those that were wished for."""
    groups = []
    for group in request.groups:
        run, rows = rows_of(group, runs)
        designs = (None,) * len(group.channels) if run is None else tuple(run.tuning.designs[row] for row in rows)
        groups.append(replace(group, designs=designs))
    return replace(request, groups=tuple(groups))


def rows_of(group: GroupRequest, runs: Sequence[StreamRun]) -> tuple[StreamRun | None, list[int]]:
    """Return the stream that channels belong to, and where they stand in it."""
    for run in runs:
        place = {channel: row for row, channel in enumerate(run.stream.channels)}
        if all(channel in place for channel in group.channels):
            return run, [place[channel] for channel in group.channels]
    return None, []


def live_steps(
    request: RenderRequest, runs: Sequence[StreamRun], cache: WindowCache
) -> Generator[None, None, Rendered]:
    """Yield after each tile of a long window; return what is shown of it.

    Raises
    ------
    ReadError
        Where the recording cannot be read.
    """
    blocks, samples = [], []
    for group in request.groups:
        run, rows = rows_of(group, runs)
        block = BlockBuilder(group)
        for piece in group.pieces:
            block.begin(piece)
            yield from _piece(group, piece, run, rows, cache, block)
            kept = None if run is None else _kept(group, piece, run, rows)
            if kept is not None:
                samples.append(kept)
        blocks.append(block.finish())
    rendered = rendered_of(request, blocks, samples, [program for run in runs for program in run.programs])
    return replace(rendered, has_run=tuple((run.after.stop_sample, run.filtered_from.tobytes()) for run in runs))


def _piece(
    group: GroupRequest,
    piece: Piece,
    run: StreamRun | None,
    rows: list[int],
    cache: WindowCache,
    block: BlockBuilder,
) -> Generator[None, None, None]:
    """Add a piece tile by tile."""
    length = group.tile_samples
    filtered = np.array(group.filtered, dtype=bool)
    first_tile = piece.show_first - (piece.show_first - piece.segment_first) % length
    for start in range(first_tile, piece.show_stop, length):
        stop = min(start + length, piece.segment_stop)
        x = cache.tile(start, stop, length, group.channels)
        shown = slice(max(start, piece.show_first), min(start + length, piece.show_stop))
        cut = x[:, shown.start - start : shown.stop - start]
        y = cut if run is None or not filtered.any() else _after(cut, shown.start, run, rows, filtered)
        known = cache.envelope(x[:, : stop - start], start, group.channels, group.bin_samples)
        block.add(shown.start, cut, y, cut_bins(known, start, shown, group.bin_samples))
        if is_long(piece, group):
            yield


def _after(before: FloatArray, first: int, run: StreamRun, rows: list[int], filtered: np.ndarray) -> FloatArray:
    """Return what has run of some samples, NaN where nothing has; rows that nothing filters are as they were."""
    y = np.array(before, dtype=np.float64)
    y[filtered] = np.nan
    at, held = run.after.read(first, first + before.shape[1])
    if held.shape[1]:
        own = held[rows]
        own[at + np.arange(held.shape[1]) < run.filtered_from[rows][:, np.newaxis]] = np.nan
        y[filtered, at - first : at - first + held.shape[1]] = own[filtered]
    return y


def _kept(group: GroupRequest, piece: Piece, run: StreamRun, rows: list[int]) -> ShownSamples | None:
    """Return the newest samples of a piece that have run, for spectra and measures."""
    stop = min(piece.show_stop, run.after.stop_sample)
    begun_at = [
        int(run.filtered_from[row]) for row, is_filtered in zip(rows, group.filtered, strict=True) if is_filtered
    ]
    first = max(piece.show_first, stop - KEEP_VALUES // max(1, len(rows)), *begun_at)
    at, after = run.after.read(first, stop)
    begun, before = run.before.read(at, stop)
    if after.shape[1] < 2 or begun != at or before.shape != after.shape:
        return None
    return ShownSamples(group=group, piece=piece, first_sample=at, before=[before[rows]], after=[after[rows]])
