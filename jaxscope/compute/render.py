"""From a request to a frame: read, filter, cut the context away, reduce to the pixels that there are.

The frame equals the same span of the whole recording filtered in one go; a test says so for random windows, chains and
methods. Long windows are worked through in chunks, each with its own context, so that memory stays bounded and a newer
wish can be served in between.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jaxscope.compute.frames import Frame, TraceBlock
from jaxscope.compute.library import ProgramKey, ProgramLibrary, WindowCache
from jaxscope.compute.plan import EVERYTHING, GroupRequest, Piece, RenderRequest
from jaxscope.compute.tile_extremes import quick_extremes
from jaxscope.compute.tiles import TileRun
from jaxscope.compute.trace_blocks import BlockBuilder, Samples, ShownSamples
from jaxscope.compute.tuned import tuned_run
from jaxscope.display.envelope import first_bin
from jaxscope.filters.coefficients import ChainDesign

if TYPE_CHECKING:
    from jaxscope.engines.program import Program, State

    #: rows of a block, and the program that filters them
    Ready = tuple[npt.NDArray[np.intp], Program]

FloatArray = npt.NDArray[np.float64]
#: Samples (channels times time) that are in memory at once while a long window is worked through.
CHUNK_VALUES = 4_000_000
#: Samples of a window that are kept for the spectra and the agreement.
KEEP_VALUES = 4_000_000
MOST_KEPT = 64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rendered:
    """What came out of a request: the blocks of a frame, and the samples behind them where they are few."""

    blocks: tuple[TraceBlock, ...]
    samples: tuple[ShownSamples, ...]
    method: str
    method_reason: str
    n_channels: int
    n_samples: int
    #: devices that hold the results, as the results tell it
    ran_on: tuple[str, ...] = ()
    #: how far the streams of a signal that runs have run; empty where none does
    has_run: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Channels (rows of a block) that run as one program."""

    rows: tuple[int, ...]
    key: ProgramKey


def row_groups(
    designs: Sequence[ChainDesign | None], *, device: str, precision: str, method: str
) -> tuple[RowGroup, ...]:
    """Return the rows that have coefficients, grouped by structure: one program each, a row of coefficients each."""
    from jaxscope.engines.base import structure_of

    groups: dict[object, list[int]] = {}
    # neighbours mostly share a design, and to find its structure takes longer than to look
    last: ChainDesign | None = None
    own_rows: list[int] = []
    for row, design in enumerate(designs):
        if design is not None and design.parts:
            if design is not last:
                last, own_rows = design, groups.setdefault(structure_of(design), [])
            own_rows.append(row)
    result: list[RowGroup] = []
    for rows in groups.values():
        own = tuple(design for row in rows if (design := designs[row]) is not None)
        shared = own[:1] if all(one is own[0] or one == own[0] for one in own) else own
        key = ProgramKey(designs=shared, n_channels=len(rows), device=device, precision=precision, method=method)
        result.append(RowGroup(rows=tuple(rows), key=key))
    return tuple(result)


def render(request: RenderRequest, cache: WindowCache, programs: ProgramLibrary) -> Rendered:
    """Return everything that a request asks for, in one go."""
    steps = render_steps(request, cache, programs)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Rendered = end.value
            return result


def render_steps(
    request: RenderRequest, cache: WindowCache, programs: ProgramLibrary
) -> Generator[None, None, Rendered]:
    """Yield after each chunk of a long window and each of several pieces; return what was asked for.

    Raises
    ------
    ReadError
        Where the recording cannot be read.
    DeviceError
        Where the device is absent, lost or full.
    """
    blocks: list[TraceBlock] = []
    samples: list[ShownSamples] = []
    used: list[Program] = []
    for group in request.groups:
        groups = row_groups(group.designs, device=request.device, precision=request.precision, method=request.method)
        ready = [(np.array(member.rows), programs.get(member.key)) for member in groups]
        used.extend(program for _, program in ready)
        block = BlockBuilder(group)
        for piece in group.pieces:
            block.begin(piece)
            parts = _in_tiles if group.is_causal else _in_chunks
            shown = yield from parts(group, piece, cache, ready, programs, block)
            if shown is not None and len(samples) < MOST_KEPT:
                samples.append(shown)
            if len(group.pieces) > 1:
                yield
        blocks.append(block.finish())
    return rendered_of(request, blocks, samples, used)


def rendered_of(
    request: RenderRequest, blocks: Sequence[TraceBlock], samples: Sequence[ShownSamples], programs: Sequence[Program]
) -> Rendered:
    """Return what was made of a request, with the programs that ran, in the order of its groups."""
    return Rendered(
        blocks=tuple(blocks),
        samples=tuple(samples),
        method=programs[0].method if programs else "",
        method_reason=programs[0].reason if programs else "",
        n_channels=sum(sum(group.filtered) for group in request.groups),
        n_samples=max((sum(p.show_stop - p.show_first for p in g.pieces) for g in request.groups), default=0),
        ran_on=tuple(sorted({device for program in programs for device in program.ran_on})),
    )


def frame_of(
    rendered: Rendered,
    request: RenderRequest,
    *,
    revision: int,
    recording_id: str,
    compute_ms: float,
    scales: Mapping[str, float],
    settling_s: tuple[float, float],
    warnings: tuple[str, ...] = (),
    settled: bool | None = None,
    held: bool = False,
) -> Frame:
    """Return the frame that a window draws."""
    return Frame(
        revision=revision,
        recording_id=recording_id,
        start_s=request.start_s,
        stop_s=request.stop_s,
        blocks=rendered.blocks,
        settled=request.settled if settled is None else settled,
        compute_ms=compute_ms,
        method=rendered.method,
        method_reason=rendered.method_reason,
        device=request.device,
        precision=request.precision,
        n_channels=rendered.n_channels,
        n_samples=rendered.n_samples,
        scales=scales,
        settling_99_s=settling_s[0],
        settling_9999_s=settling_s[1],
        warnings=warnings,
        ran_on=rendered.ran_on,
        held=held,
        made_of=made_of(request, rendered) if request.settled and not held else None,
        n_recorded=tuple(group.n_recorded for group in request.groups),
        has_run=rendered.has_run,
    )


def made_of(request: RenderRequest, rendered: Rendered) -> tuple[object, ...]:
    """Return what the traces of a frame follow from, apart from its window and how much there is of it."""
    groups = tuple(
        (group.rate_hz, group.channels, group.designs, group.bin_samples, group.bad, group.wants_difference)
        for group in request.groups
    )
    return groups, request.device, request.precision, rendered.method


def chunks_of(piece: Piece, group: GroupRequest) -> tuple[Piece, ...]:
    """Return a piece itself where it is small, else parts of it that begin at whole bins, each with its context."""
    n_channels = max(1, len(group.channels))
    if (piece.read_stop - piece.read_first) * n_channels <= CHUNK_VALUES:
        return (piece,)
    length = max(CHUNK_VALUES // n_channels, 2 * (piece.before + piece.after))
    length = max(1, length // group.bin_samples) * group.bin_samples
    borders = [piece.show_first]
    while borders[-1] < piece.show_stop:
        borders.append(min(piece.show_stop, (borders[-1] // length + 1) * length))
    return tuple(
        replace(
            piece,
            show_first=first,
            show_stop=stop,
            read_first=max(piece.segment_first, first - piece.before),
            read_stop=min(piece.segment_stop, stop + piece.after),
        )
        for first, stop in pairwise(borders)
    )


def run_length(piece: Piece, group: GroupRequest) -> int:
    """Return how many samples a program of a group is given at a time."""
    if group.is_causal:
        return group.tile_samples
    chunk = chunks_of(piece, group)[0]
    return chunk.read_stop - chunk.read_first


def is_long(piece: Piece, group: GroupRequest) -> bool:
    """Whether a piece is so long that it is worked through in steps."""
    return (piece.read_stop - piece.read_first) * max(1, len(group.channels)) > CHUNK_VALUES


def run_rows(x: Samples, ready: Sequence[Ready]) -> Samples:
    """Return ``x`` with the rows of each program filtered; the others are as they were."""
    if not ready:
        return x
    if len(ready) == 1 and ready[0][0].size == x.shape[0]:
        y: Samples = ready[0][1].run(x)
        return y
    y = np.array(x, dtype=np.float64)
    for rows, program in ready:
        y[rows] = program.run(x[rows])
    return y


def step_rows(x: Samples, ready: Sequence[Ready], states: list[State]) -> tuple[Samples, list[State]]:
    """Do ``run_rows`` with what follows the samples before; return the next states as well."""
    if not ready:
        return x, states
    if len(ready) == 1 and ready[0][0].size == x.shape[0]:
        y, after = ready[0][1].step(x, states[0])
        return y, [after]
    y, ends = np.array(x, dtype=np.float64), []
    for (rows, program), state in zip(ready, states, strict=True):
        y[rows], after = program.step(x[rows], state)
        ends.append(after)
    return y, ends


def _in_tiles(
    group: GroupRequest,
    piece: Piece,
    cache: WindowCache,
    ready: Sequence[Ready],
    programs: ProgramLibrary,
    block: BlockBuilder,
) -> Generator[None, None, ShownSamples | None]:
    """Filter a piece forwards over tiles, whose samples and envelopes of *Before* are kept from frame to frame.

    All tiles have one length, so one compiled program serves all windows; what is behind the end of a segment is zero
    and is cut off.
    """
    run, length = _tile_run(group, piece, cache, ready, programs), group.tile_samples
    kept = _Kept(group, piece)
    first_shown = piece.show_first - (piece.show_first - piece.segment_first) % length
    for start in range(first_shown, piece.show_stop, length):
        for before in run.starts_for(start)[:-1]:
            run.tile(before)
            if is_long(piece, group):
                yield
        x, y = _read_tile(group, piece, cache, start), run.tile(start)
        shown = slice(max(start, piece.show_first), min(start + length, piece.show_stop))
        cut = slice(shown.start - start, shown.stop - start)
        bins, count = group.bin_samples, min(length, piece.segment_stop - start)
        known = cache.envelope(x[:, :count], start, group.channels, bins)
        found = run.extremes(start, bins, count) or quick_extremes(y[:, :count], start, bins)
        after = None if found is None else cut_bins(found, start, shown, bins)
        block.add(shown.start, x[:, cut], y[:, cut], cut_bins(known, start, shown, bins), after)
        kept.add(shown.start, x[:, cut], y[:, cut])
        if is_long(piece, group):
            yield
    for _, program in ready:
        programs.mark_warm(program, length)
    return kept.shown()


def _read_tile(group: GroupRequest, piece: Piece, cache: WindowCache, start: int) -> FloatArray:
    length = group.tile_samples
    return cache.tile(start, min(start + length, piece.segment_stop), length, group.channels)


def _tile_run(
    group: GroupRequest, piece: Piece, cache: WindowCache, ready: Sequence[Ready], programs: ProgramLibrary
) -> TileRun:
    """Return what filters tiles one after the other."""
    length = group.tile_samples

    def seen(start: int) -> FloatArray:
        return group.bad.masked(_read_tile(group, piece, cache, start), start)

    return tuned_run(group, piece, cache, ready, programs, seen) or TileRun(
        cache.filtered(group.channels, (piece.segment_first, length, group.bad, tuple(ready_key(ready)))),
        first=piece.read_first,
        is_true_start=piece.read_first == piece.segment_first,
        context=piece.before if piece.settled else EVERYTHING,
        length=length,
        read=seen,
        step=lambda x, states: step_rows(x, ready, states),
        begin=lambda: [program.start() for _, program in ready],
    )


def ready_key(ready: Sequence[Ready]) -> Iterator[object]:
    """Yield what the filtered samples follow from: coefficients, rows and the way they are worked out."""
    for rows, program in ready:
        yield rows.tobytes(), program.designs, program.precision, program.device, program.method


def cut_bins(
    envelope: tuple[FloatArray, FloatArray], first_sample: int, shown: slice, bin_samples: int
) -> tuple[FloatArray, FloatArray]:
    """Return the bins of ``shown`` out of an envelope that begins at ``first_sample``."""
    if bin_samples <= 1:
        bins = slice(shown.start - first_sample, shown.stop - first_sample)
    else:
        zero = first_bin(first_sample, bin_samples)
        bins = slice(first_bin(shown.start, bin_samples) - zero, -(-shown.stop // bin_samples) - zero)
    return envelope[0][:, bins], envelope[1][:, bins]


class _Kept:
    """The samples of a piece for who looks at them later; of a long one those in the middle stand for all."""

    def __init__(self, group: GroupRequest, piece: Piece) -> None:
        self._group, self._piece = group, piece
        most = KEEP_VALUES // max(1, len(group.channels))
        length = piece.show_stop - piece.show_first
        spare = max(0, length - most) // 2
        self._span = (piece.show_first + spare, piece.show_stop - spare)
        self._first: int | None = None
        self._parts: list[tuple[Samples, Samples]] = []

    def add(self, first_sample: int, before: Samples, after: Samples) -> None:
        """Take a block where it is wanted whole or in part."""
        cut = slice(max(0, self._span[0] - first_sample), max(0, self._span[1] - first_sample))
        if before[:, cut].shape[1]:
            if self._first is None:
                self._first = first_sample + cut.start
            self._parts.append((before[:, cut], after[:, cut]))

    def shown(self) -> ShownSamples | None:
        """Return what was kept."""
        if self._first is None:
            return None
        before, after = zip(*self._parts, strict=True)
        return ShownSamples(group=self._group, piece=self._piece, first_sample=self._first, before=before, after=after)


def _in_chunks(
    group: GroupRequest,
    piece: Piece,
    cache: WindowCache,
    ready: Sequence[Ready],
    programs: ProgramLibrary,
    block: BlockBuilder,
) -> Generator[None, None, ShownSamples | None]:
    """Filter a piece both ways, in one go or in chunks that each have their own context."""
    middle: ShownSamples | None = None
    chunks = chunks_of(piece, group)
    for number, chunk in enumerate(chunks):
        x = cache.read(chunk.read_first, chunk.read_stop, group.channels)
        cut = slice(chunk.show_first - chunk.read_first, chunk.show_stop - chunk.read_first)
        y = run_rows(group.bad.masked(x, chunk.read_first), ready)
        for _, program in ready:
            programs.mark_warm(program, x.shape[1])
        before, after = x[:, cut], y[:, cut]
        known = cache.envelope(before, chunk.show_first, group.channels, group.bin_samples)
        block.add(chunk.show_first, before, after, known)
        # of a long window the middle stands for all
        if before.size <= KEEP_VALUES and number == len(chunks) // 2:
            middle = ShownSamples(
                group=group, piece=chunk, first_sample=chunk.show_first, before=[before], after=[after]
            )
        if chunk is not piece:
            yield
    return middle
