"""One stream of a running signal through its filters: blocks of fixed lengths, carried states, changes without a click.

Samples wait until they fill a block of one of a few lengths, so that nothing is compiled while the signal runs. While
the coefficients stay, what comes out is the offline causal result, sample for sample.

A change of the filter is a cross-fade. States of one realisation could be transformed to another of the same order,
but not where a stage is added, taken away or exchanged, and even then the output may jump with the direct path. So the
new filter runs over the past that the ring holds, up to where the old one is, and for ``FADE_S`` both run and their
outputs are mixed with weights that rise like a cosine. Whatever the two filters are, one sample of the mix lies no
further from the one before than the steeper of both outputs does, plus their largest distance times pi / (2 n): no
click, and no reset. Changes that come during a fade wait for its end; of several only the newest is heard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from jaxscope.compute.library import ProgramLibrary
from jaxscope.compute.plan import context_of
from jaxscope.compute.render import row_groups, step_rows
from jaxscope.data.bad_spans import NOTHING_BAD, BadSamples
from jaxscope.data.live import LiveBlock, LiveStream, Ring
from jaxscope.data.recording import FloatArray
from jaxscope.filters.coefficients import ChainDesign

if TYPE_CHECKING:
    import numpy.typing as npt

    from jaxscope.engines.program import Program

#: How long both filters run after a change, in seconds and in samples at least.
FADE_S, LEAST_FADE = 0.04, 16
#: How much signal the shortest block holds, in seconds and in samples at least.
BLOCK_S, LEAST_BLOCK = 0.016, 16
#: How many of a block the longer ones hold.
LONGER = (64, 8, 1)
#: Samples (channels times time) that a ring holds at most, and seconds.
RING_VALUES, RING_S = 8_000_000, 120.0
#: Samples (channels times time) of the past that a new filter runs over at most.
TAIL_VALUES = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """What filters a stream: coefficients for each channel (None: it passes), and where and how they run."""

    designs: tuple[ChainDesign | None, ...]
    device: str
    precision: str
    method: str
    #: samples that the filters do not see
    bad: BadSamples = NOTHING_BAD

    @property
    def context_samples(self) -> int:
        """After how many samples the start is forgotten."""
        return max((context_of(design) for design in set(self.designs) if design is not None), default=0)


@dataclass(slots=True, eq=False)
class Bank:
    """The programs of a tuning with their states before the sample ``at``; settled from ``settled_from`` on."""

    tuning: Tuning
    ready: list[tuple[npt.NDArray[np.intp], Program]]
    states: list[Any]
    at: int
    settled_from: int
    #: where the segment begins that the states belong to
    segment_first: int = 0

    def step(self, x: FloatArray) -> FloatArray:
        """Filter the next samples of all channels; those that are left out are missing ones."""
        x = self.tuning.bad.masked(x, self.at)
        with np.errstate(over="ignore", invalid="ignore"):  # whoever takes the samples sees that they are infinite
            y, self.states = step_rows(x, self.ready, self.states)
        self.at += x.shape[1]
        return np.asarray(y, dtype=np.float64)

    def begin_segment(self) -> None:
        """Begin anew after a gap in time."""
        self.states = [
            program.begin_segment(state) for (_, program), state in zip(self.ready, self.states, strict=True)
        ]


def block_lengths(rate_hz: float, n_channels: int) -> tuple[int, ...]:
    """Return the lengths in which a stream is filtered, the longest first."""
    wanted = max(LEAST_BLOCK, int(rate_hz * BLOCK_S))
    block = 1 << (wanted - 1).bit_length()
    most = max(block, RING_VALUES // 16 // max(1, n_channels))
    return tuple(block * factor for factor in LONGER if block * factor <= most)


def ring_samples(rate_hz: float, n_channels: int) -> int:
    """Return how many samples of a stream are kept."""
    return max(1024, min(int(RING_S * rate_hz), RING_VALUES // max(1, n_channels)))


def fade_samples(rate_hz: float) -> int:
    """Return how long a cross-fade is."""
    return max(LEAST_FADE, round(FADE_S * rate_hz))


class StreamRun:
    """A stream while it runs. ``take``, ``advance`` and ``adopt`` belong to one thread, ``prepare`` to any.

    Parameters
    ----------
    stream : LiveStream
    tuning : Tuning
        What filters it at first.
    programs : ProgramLibrary
    """

    def __init__(self, stream: LiveStream, tuning: Tuning, programs: ProgramLibrary) -> None:
        self.stream = stream
        self._programs = programs
        n_channels = len(stream.channels)
        self.lengths = block_lengths(stream.rate_hz, n_channels)
        capacity = ring_samples(stream.rate_hz, n_channels)
        self.before, self.after = Ring(n_channels, capacity), Ring(n_channels, capacity)
        self._segment_first = 0
        self._waiting: list[FloatArray] = []
        self._n_waiting = 0
        self._has_begun = False
        self.dropped = 0
        self.latency_s = 0.0
        self._bank = self._fresh(tuning, at=0)
        self._old: Bank | None = None
        self._next: Bank | None = None
        self._faded = 0
        #: from which sample on each channel has been filtered without a break
        self.filtered_from = np.zeros(n_channels, dtype=np.int64)

    @property
    def tuning(self) -> Tuning:
        """What filters the stream now, or will when it is adopted."""
        return (self._next or self._bank).tuning

    @property
    def programs(self) -> tuple[Program, ...]:
        """The programs in use."""
        return tuple(program for _, program in self._bank.ready)

    @property
    def settled_from(self) -> int:
        """From which sample on the filter in use has forgotten how it started."""
        return self._bank.settled_from

    # -- the signal ------------------------------------------------------------------------------------------------
    def take(self, block: LiveBlock) -> None:
        """Take what has come. Lost samples become NaN, as missing ones of a recording are."""
        self.dropped += block.dropped
        self.latency_s = block.latency_s
        if not self._has_begun:
            self._begin_at(block.first_sample)
        elif block.begins_segment:
            self.advance(whole=True)
            self._end_fade()
            self._bank.begin_segment()
            self._segment_first = block.first_sample
            self._bank.settled_from = self._bank.segment_first = block.first_sample
        missing = block.first_sample - self.before.stop_sample
        if missing >= self.before.capacity:
            self.advance(whole=True)
            self._end_fade()
            self._begin_at(block.first_sample)
        elif missing > 0:
            self._wait(np.full((block.samples.shape[0], missing), np.nan))
        self.before.append(block.first_sample, block.samples)
        self._wait(block.samples)

    def _begin_at(self, sample: int) -> None:
        self._has_begun = True
        self.before.restart(sample)
        self.after.restart(sample)
        self._segment_first = sample
        self._bank = self._fresh(self._bank.tuning, at=sample)
        self._bank.segment_first = sample

    def _wait(self, samples: FloatArray) -> None:
        self._waiting.append(samples)
        self._n_waiting += samples.shape[1]

    def advance(self, *, whole: bool = False) -> None:
        """Filter what waits in blocks; ``whole`` filters the rest too, though it fills no block."""
        if not self._n_waiting:
            return
        x = self._waiting[0] if len(self._waiting) == 1 else np.concatenate(self._waiting, axis=1)
        at = 0
        for length in self._shares(x.shape[1], whole=whole):
            self._filter(np.ascontiguousarray(x[:, at : at + length]))
            at += length
        self._waiting = [x[:, at:]] if at < x.shape[1] else []
        self._n_waiting = x.shape[1] - at

    def _shares(self, count: int, *, whole: bool) -> list[int]:
        """Return the lengths of the blocks that fill ``count`` samples."""
        shares: list[int] = []
        for length in self.lengths:
            shares += [length] * (count // length)
            count %= length
        return [*shares, count] if whole and count else shares

    def _filter(self, x: FloatArray) -> None:
        self._begin_fade()
        start = self.after.stop_sample
        y = self._bank.step(x)
        if self._old is not None:
            old = self._old.step(x)
            total = fade_samples(self.stream.rate_hz)
            done = (self._faded + 1 + np.arange(x.shape[1])) / total
            weight = 0.5 - 0.5 * np.cos(np.pi * np.minimum(done, 1.0))
            is_mixed = weight < 1.0
            # a channel that was not filtered has nothing to fade from: its output begins here
            rows = _filtered(self._old)
            y[rows] = np.where(is_mixed, old[rows] + weight * (y[rows] - old[rows]), y[rows])
            self._faded += x.shape[1]
            if self._faded >= total:
                self._end_fade()
        self.after.append(start, y)

    # -- changes ---------------------------------------------------------------------------------------------------
    def prepare(self, tuning: Tuning) -> Bank:
        """Return the programs of another tuning, compiled for all block lengths, settled on the past."""
        bank = self._fresh(tuning, at=0)
        for _, program in bank.ready:
            for length in self.lengths:
                if not self._programs.is_warm(program, length):
                    program.step(np.zeros((program.n_channels, length)), program.start())
                    self._programs.mark_warm(program, length)
        self._catch_up(bank, self._tail_of(tuning), self.after.stop_sample)
        return bank

    def adopt(self, bank: Bank) -> None:
        """Let a prepared bank take over, now or when the running fade has ended."""
        self._next = bank

    def _fresh(self, tuning: Tuning, *, at: int) -> Bank:
        groups = row_groups(tuning.designs, device=tuning.device, precision=tuning.precision, method=tuning.method)
        ready = [(np.array(group.rows), self._programs.get(group.key)) for group in groups]
        return Bank(tuning, ready, [program.start() for _, program in ready], at, at)

    def _tail_of(self, tuning: Tuning) -> int:
        """Return where in the past a new filter begins."""
        most = TAIL_VALUES // max(1, len(self.stream.channels))
        reach = min(tuning.context_samples, most)
        return max(self._segment_first, self.before.first_sample, self.after.stop_sample - reach)

    def _catch_up(self, bank: Bank, first: int, stop: int) -> None:
        """Run a bank over what the ring holds from ``first`` to ``stop``."""
        start, x = self.before.read(first, stop)
        bank.at, bank.segment_first = start, self._segment_first
        is_true_start = start == self._segment_first
        bank.settled_from = start if is_true_start else start + min(bank.tuning.context_samples, 1 << 62)
        self._run_over(bank, x)

    def _run_over(self, bank: Bank, x: FloatArray) -> None:
        at = 0
        for length in self._shares(x.shape[1], whole=True):
            bank.step(np.ascontiguousarray(x[:, at : at + length]))
            at += length

    def _begin_fade(self) -> None:
        """Let the prepared bank run beside the one in use, from the same sample on."""
        if self._next is None or self._old is not None:
            return
        bank, self._next = self._next, None
        stop = self.after.stop_sample
        if bank.segment_first != self._segment_first or not self.before.first_sample <= bank.at <= stop:
            # the ring, or a gap in time, has passed it meanwhile
            bank = self._fresh(bank.tuning, at=stop)
            self._catch_up(bank, self._tail_of(bank.tuning), stop)
        elif bank.at < stop:
            self._run_over(bank, self.before.read(bank.at, stop)[1])
        begins = _filtered(bank) & ~_filtered(self._bank)
        self.filtered_from[begins] = stop
        self._old, self._bank, self._faded = self._bank, bank, 0

    def _end_fade(self) -> None:
        self._old, self._faded = None, 0


def _filtered(bank: Bank) -> npt.NDArray[np.bool_]:
    """Return which channels a bank filters."""
    return np.array([design is not None for design in bank.tuning.designs], dtype=bool)


def tunings_agree(runs: Sequence[StreamRun], tunings: Sequence[Tuning]) -> bool:
    """Whether streams are filtered as is wanted, or will be."""
    return all(run.tuning == tuning for run, tuning in zip(runs, tunings, strict=True))
