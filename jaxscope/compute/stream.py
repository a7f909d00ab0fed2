"""A whole recording through its filters, block by block, in bounded memory: for exports, the overview, refinement.

Causal chains carry their state from block to block and begin anew at each gap in time. Zero-phase chains see each block
with its context on both sides, so what is left of a missing start is below the engine's tolerance (1e-9). The numbers
are those of the whole recording, also where only a part of it is asked for.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jaxscope.compute.library import ProgramLibrary
from jaxscope.compute.plan import GroupRequest, RenderRequest, context_of
from jaxscope.compute.render import RowGroup, row_groups
from jaxscope.compute.zero_spill import ZeroPhaseSpill
from jaxscope.data.bad_spans import NOTHING_BAD, BadSamples
from jaxscope.data.recording import Recording
from jaxscope.data.timeline import Segment
from jaxscope.filters.coefficients import ChainDesign

if TYPE_CHECKING:
    from jaxscope.engines.program import Program, State

FloatArray = npt.NDArray[np.float64]
#: Samples (channels times time) of one block.
BLOCK_VALUES = 2_000_000
#: A block is a multiple of this, so that all blocks but the last have one compiled shape.
GRAIN = 4096
#: Context (channels times samples) from which a zero-phase chain goes through a file on disk.
SPILL_VALUES = 8_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Channels of one rate and length of a recording, with their coefficients (None: they pass through)."""

    recording: Recording
    rate_hz: float
    channels: tuple[int, ...]
    designs: tuple[ChainDesign | None, ...]
    device: str
    precision: str
    method: str
    #: samples that the filters do not see, and that are missing in what they give
    bad: BadSamples = NOTHING_BAD

    @classmethod
    def of(cls, recording: Recording, request: RenderRequest, group: GroupRequest) -> Source:
        """Return the channels of a group, filtered as a picture of them is."""
        return cls(
            recording=recording,
            rate_hz=group.rate_hz,
            channels=group.channels,
            designs=group.designs,
            device=request.device,
            precision=request.precision,
            method=request.method,
            bad=group.bad,
        )

    @property
    def n_samples(self) -> int:
        """Stored samples of each channel."""
        return self.recording.info.channels[self.channels[0]].n_samples

    def segments(self) -> tuple[Segment, ...]:
        """Return the continuous segments."""
        return self.recording.info.timeline_of(self.channels[0]).segments(self.rate_hz, self.n_samples)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Consecutive stored samples, before and after. ``after`` is float64 whatever the precision of the program."""

    first_sample: int
    before: FloatArray
    after: FloatArray


def block_length(n_channels: int, context: int, *, grain: int = GRAIN, block_values: int = BLOCK_VALUES) -> int:
    """Return the samples of a block: bounded memory, but not much shorter than the context that goes with it."""
    wanted = max(block_values // max(1, n_channels), 2 * context)
    return max(1, wanted // grain) * grain


def filtered_blocks(
    source: Source,
    programs: ProgramLibrary,
    *,
    first_sample: int = 0,
    stop_sample: int | None = None,
    grain: int = GRAIN,
    block_values: int = BLOCK_VALUES,
    tick: bool = False,
    spill_folder: str | None = None,
    exact: bool = False,
) -> Generator[Block | None, None, None]:
    """Yield the filtered recording in order, without holes, from ``first_sample`` to ``stop_sample``.

    Zero-phase chains whose context would not fit into memory go through a file in ``spill_folder`` where one is given.

    With ``exact``, a part is filtered as it is within the whole, from the start of its segment and in the same blocks,
    so that its numbers are the same to the last bit; else from as far before as is heard.

    With ``tick``, None is yielded after each block that is only context, so that a caller can do other things.

    Raises
    ------
    ReadError
        Where the recording cannot be read.
    """
    stop_sample = source.n_samples if stop_sample is None else min(stop_sample, source.n_samples)
    groups = row_groups(source.designs, device=source.device, precision=source.precision, method=source.method)
    for segment in source.segments():
        first, stop = max(first_sample, segment.first_sample), min(stop_sample, segment.stop_sample)
        if first < stop:
            runners: list[_Runner | _SpilledRunner] = []
            try:
                for group in groups:
                    runners.append(_runner(group, programs, segment, spill_folder))
                    for _ in runners[-1].prepare(source, segment):
                        if tick:
                            yield None
                yield from _segment_blocks(
                    source,
                    segment,
                    first,
                    stop,
                    runners,
                    grain=grain,
                    block_values=block_values,
                    tick=tick,
                    exact=exact,
                )
            finally:
                for runner in runners:
                    runner.close()


def _segment_blocks(
    source: Source,
    segment: Segment,
    first: int,
    stop: int,
    runners: Sequence[_Runner | _SpilledRunner],
    *,
    grain: int,
    block_values: int,
    tick: bool,
    exact: bool,
) -> Iterator[Block | None]:
    around = max((runner.around for runner in runners), default=0)
    before = max((runner.before for runner in runners), default=0)
    at = max(segment.first_sample, first - before)
    length = block_length(len(source.channels), min(around, source.n_samples), grain=grain, block_values=block_values)
    if exact:
        at = max(segment.first_sample, first // length * length if before == 0 else 0)
    while at < stop:
        # blocks end at multiples of their length, whatever the first sample
        end = min(segment.stop_sample if exact else stop, (at // length + 1) * length)
        read_first, read_stop = max(segment.first_sample, at - around), min(segment.stop_sample, end + around)
        x = source.recording.read(read_first, read_stop, source.channels)
        cut = slice(at - read_first, end - read_first)
        y = np.array(x[:, cut], dtype=np.float64)
        place = at - segment.first_sample
        seen = source.bad.masked(x, read_first)
        for runner in runners:
            y[runner.rows] = runner.filter(seen, cut, place)
        keep = slice(max(0, first - at), stop - at)
        if keep.start < end - at:
            yield Block(at + keep.start, x[:, cut][:, keep], y[:, keep])
        elif tick:
            yield None
        at = end


class _Runner:
    """One program on its rows. ``before`` and ``around`` are the samples of context that it needs."""

    def __init__(self, rows: npt.NDArray[np.intp], program: Program, context: int) -> None:
        self.rows = rows
        self._program = program
        self.before = context if program.is_causal else 0
        self.around = 0 if program.is_causal else context
        self._state: State | None = None

    def prepare(self, _source: Source, _segment: Segment) -> Iterator[None]:
        """Do what has to be done before the first block: nothing."""
        return iter(())

    def close(self) -> None:
        """Let go of what is held: nothing."""

    def filter(self, x: FloatArray, cut: slice, _place: int) -> FloatArray:
        """Return the rows of ``x`` filtered over ``cut``; the cut begins ``_place`` samples into the segment."""
        with np.errstate(over="ignore", invalid="ignore"):  # whoever takes the samples sees that they are infinite
            if not self._program.is_causal:
                return np.asarray(self._program.run(x[self.rows])[:, cut], dtype=np.float64)
            if self._state is None:
                self._state = self._program.start()
            y, self._state = self._program.step(x[self.rows, cut], self._state)
            return np.asarray(y, dtype=np.float64)


class _SpilledRunner:
    """A zero-phase program whose whole segment is filtered on disk first."""

    before = around = 0

    def __init__(self, group: RowGroup, programs: ProgramLibrary, spill: ZeroPhaseSpill) -> None:
        self.rows = np.array(group.rows)
        self._group, self._programs, self._spill = group, programs, spill

    def prepare(self, source: Source, segment: Segment) -> Iterator[None]:
        """Copy the segment to disk and filter it there; yield after each piece."""
        channels = [source.channels[row] for row in self._group.rows]
        for at in range(segment.first_sample, segment.stop_sample, self._spill.length):
            stop = min(segment.stop_sample, at + self._spill.length)
            x = source.bad.of_rows(self._group.rows).masked(source.recording.read(at, stop, channels), at)
            self._spill.put(at - segment.first_sample, x)
            yield
        yield from self._spill.filter(self._group.key, self._programs)

    def close(self) -> None:
        """Remove the file."""
        self._spill.close()

    def filter(self, _x: FloatArray, cut: slice, place: int) -> FloatArray:
        """Return the rows over ``cut``, which begins ``place`` samples into the segment."""
        return self._spill.get(place, place + cut.stop - cut.start)


def _runner(
    group: RowGroup, programs: ProgramLibrary, segment: Segment, spill_folder: str | None
) -> _Runner | _SpilledRunner:
    program = programs.get(group.key)
    context = max(context_of(design) for design in set(group.key.designs))
    length = segment.stop_sample - segment.first_sample
    too_long = min(context, length) * len(group.rows) > SPILL_VALUES
    if spill_folder and too_long and not program.is_causal and program.structure.padding_kind != "gustafsson":
        return _SpilledRunner(group, programs, ZeroPhaseSpill(spill_folder, len(group.rows), length))
    return _Runner(np.array(group.rows), program, context)
