"""From a request to a frame: read, filter, cut the context away, reduce to the pixels that there are.

The frame equals the same span of the whole recording filtered in one go; a test says so for random windows, chains and
methods. Long windows are worked through in chunks, each with its own context, so that memory stays bounded and a newer
wish can be served in between.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jaxscope.compute.frames import Envelope, Frame, TraceBlock
from jaxscope.compute.library import ProgramKey, ProgramLibrary, WindowCache
from jaxscope.compute.plan import GroupRequest, Piece, RenderRequest
from jaxscope.display.envelope import first_bin, min_max, robust_centre
from jaxscope.filters.coefficients import ChainDesign

if TYPE_CHECKING:
    from jaxscope.engines.program import Program

FloatArray = npt.NDArray[np.float64]
#: Samples (channels times time) that are in memory at once while a long window is worked through.
CHUNK_VALUES = 4_000_000
#: Samples of a window that are kept for the spectra and the agreement.
KEEP_VALUES = 4_000_000
MOST_KEPT = 64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShownSamples:
    """Samples behind a part of a frame: of the channels of one rate, before and after, from ``first_sample`` on."""

    group: GroupRequest
    piece: Piece
    first_sample: int
    before: FloatArray
    after: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rendered:
    """What came out of a request: the blocks of a frame, and the samples behind them where they are few."""

    blocks: tuple[TraceBlock, ...]
    samples: tuple[ShownSamples, ...]
    method: str
    method_reason: str
    n_channels: int
    n_samples: int


#: Takes samples, the number of the first one, their channels and the samples per bin; returns lowest and highest.
EnvelopeOf = Callable[[FloatArray, int, tuple[int, ...], int], tuple[FloatArray, FloatArray]]


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
    for row, design in enumerate(designs):
        if design is not None and design.parts:
            groups.setdefault(structure_of(design), []).append(row)
    result: list[RowGroup] = []
    for rows in groups.values():
        own = tuple(design for row in rows if (design := designs[row]) is not None)
        shared = own[:1] if len(set(own)) == 1 else own
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
    """Yield after each chunk of a long window; return what was asked for.

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
        block = BlockBuilder(group, cache.envelope)
        for piece in group.pieces:
            chunks = chunks_of(piece, group)
            for number, chunk in enumerate(chunks):
                shown = _filter_chunk(group, chunk, cache, ready, programs)
                block.add(shown)
                # of a long window the middle stands for all
                if shown.before.size <= KEEP_VALUES and len(samples) < MOST_KEPT and number == len(chunks) // 2:
                    samples.append(shown)
                if chunk is not piece:
                    yield
        blocks.append(block.finish())
    return Rendered(
        blocks=tuple(blocks),
        samples=tuple(samples),
        method=used[0].method if used else "",
        method_reason=used[0].reason if used else "",
        n_channels=sum(sum(group.filtered) for group in request.groups),
        n_samples=max((sum(p.show_stop - p.show_first for p in g.pieces) for g in request.groups), default=0),
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
    )


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


def run_rows(x: FloatArray, ready: Sequence[tuple[npt.NDArray[np.intp], Program]]) -> FloatArray:
    """Return ``x`` with the rows of each program filtered; the others are as they were."""
    if not ready:
        return x
    if len(ready) == 1 and ready[0][0].size == x.shape[0]:
        return np.asarray(ready[0][1].run(x), dtype=np.float64)
    y = np.array(x, dtype=np.float64)
    for rows, program in ready:
        y[rows] = program.run(x[rows])
    return y


def _filter_chunk(
    group: GroupRequest,
    piece: Piece,
    cache: WindowCache,
    ready: Sequence[tuple[npt.NDArray[np.intp], Program]],
    programs: ProgramLibrary,
) -> ShownSamples:
    x = cache.read(piece.read_first, piece.read_stop, group.channels)
    cut = slice(piece.show_first - piece.read_first, piece.show_stop - piece.read_first)
    y = run_rows(x, ready)
    for _, program in ready:
        programs.mark_warm(program, x.shape[1])
    return ShownSamples(group=group, piece=piece, first_sample=piece.show_first, before=x[:, cut], after=y[:, cut])


class BlockBuilder:
    """Collects the envelopes of pieces and chunks, with a column of NaN where a gap is."""

    def __init__(self, group: GroupRequest, envelope_of: EnvelopeOf | None = None) -> None:
        self._group = group
        self._envelope_of = envelope_of
        self._times: list[FloatArray] = []
        self._columns: list[tuple[FloatArray, ...]] = []
        self._segment: int | None = None
        self._squares = np.zeros(len(group.channels))
        self._counts = np.zeros(len(group.channels))
        self._rows = np.array(group.filtered, dtype=bool)

    def add(self, shown: ShownSamples) -> None:
        """Add a chunk; chunks come in order of time."""
        group, piece, bins = self._group, shown.piece, self._group.bin_samples
        if self._segment is not None and self._segment != piece.segment_first:
            self._break()
        self._segment = piece.segment_first
        if self._envelope_of is None:
            columns = [*min_max(shown.before, first_sample=shown.first_sample, bin_samples=bins)]
        else:
            columns = [*self._envelope_of(shown.before, shown.first_sample, group.channels, bins)]
        if self._rows.any():
            columns.extend(min_max(shown.after, first_sample=shown.first_sample, bin_samples=bins))
            if group.wants_difference:
                columns.extend(min_max(self._removed(shown), first_sample=shown.first_sample, bin_samples=bins))
        numbers = first_bin(shown.first_sample, bins) + np.arange(columns[0].shape[1])
        self._times.append(np.maximum(numbers * bins, shown.first_sample) / group.rate_hz + piece.shift_s)
        self._columns.append(tuple(columns))

    def _removed(self, shown: ShownSamples) -> FloatArray:
        """Return what the filter took away, and add up its size."""
        difference = shown.before - shown.after
        difference[~self._rows] = np.nan
        squares = np.einsum("ij,ij->i", difference, difference)
        counts = np.full(squares.size, float(difference.shape[1]))
        for row in np.flatnonzero(np.isnan(squares)):
            known = difference[row][np.isfinite(difference[row])]
            squares[row], counts[row] = known @ known, known.size
        self._squares += squares
        self._counts += counts
        return difference

    def _break(self) -> None:
        width = len(self._columns[-1])
        self._times.append(np.array([np.nan]))
        self._columns.append(tuple(np.full((len(self._group.channels), 1), np.nan) for _ in range(width)))

    def finish(self) -> TraceBlock:
        """Return the block."""
        group = self._group
        n_channels = len(group.channels)
        width = 2 if not self._rows.any() else 6 if group.wants_difference else 4
        if self._columns:
            joined = [np.concatenate(parts, axis=1) for parts in zip(*self._columns, strict=True)]
        else:
            joined = [np.zeros((n_channels, 0)) for _ in range(width)]
        before = Envelope(low=joined[0], high=joined[1] if group.bin_samples > 1 else joined[0])
        after = difference = None
        if width > 2:
            after = Envelope(low=joined[2], high=joined[3] if group.bin_samples > 1 else joined[2])
        if width > 4:
            difference = Envelope(low=joined[4], high=joined[5] if group.bin_samples > 1 else joined[4])
        shown = before if after is None else after
        with np.errstate(invalid="ignore", divide="ignore"):
            removed = np.where(self._counts > 0, np.sqrt(self._squares / self._counts), np.nan)
        return TraceBlock(
            rate_hz=group.rate_hz,
            channels=group.channels,
            bin_samples=group.bin_samples,
            times_s=np.concatenate(self._times) if self._times else np.zeros(0),
            before=before,
            after=after,
            difference=difference,
            filtered=group.filtered,
            before_offset=robust_centre(before.low, before.high),
            after_offset=robust_centre(shown.low, shown.high),
            removed_rms=removed,
        )
