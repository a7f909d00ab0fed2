"""A sweep: one number of a stage goes through many values, and what each makes of all channels of its chain.

The samples are Before of the last frame, so nothing is read. On a CPU each filter runs over all channels by the
reference, which is quickest there (a compiled program of a thousand rows takes longer to prepare than to be done
without); elsewhere all filters and channels are the rows of one program. What is kept of a measure is that of After
there against that of Before, so it is right for any kind of stage.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from jaxscope.compute.designs import Refusal, chain_numbers, design_or_refusal
from jaxscope.compute.scheduler import CancelToken, Lane, Scheduler, Steps
from jaxscope.compute.sweep_frames import SweepFrame
from jaxscope.compute.sweep_measured import Sizes, mean_share, measurable
from jaxscope.compute.workbench import Shown, Workbench
from jaxscope.errors import SpecError
from jaxscope.filters.coefficients import ChainDesign
from jaxscope.filters.spec import AbstractFilterSpec, FilterChain
from jaxscope.session.state import EngineChoice
from jaxscope.session.sweep import SweptKnob
from jaxscope.session.sweep_measures import SweepMeasure, mains_of, usual_measures

FloatArray = npt.NDArray[np.float64]
_LANE = "sweep"
#: samples of a channel that are filtered at most, from the middle of the window, and of all channels together
MOST_SAMPLES, MOST_TOGETHER = 1 << 15, 1 << 19
FEWEST_SAMPLES, FEWEST_OF_MANY = 32, 1 << 11
#: samples of all rows of one call of a device
LARGEST_CALL = 1 << 24
#: frames that are shown as pictures, how much time each shows, and points of each
PICTURES, PICTURE_S, POINTS = 16, 1.6, 160
_NO_CHANNEL = "No channel of this chain is on the screen"


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRequest:
    """What is swept: a knob of a stage of a chain, through numbers; ``channel`` is pictured (empty: the first).

    ``measures`` is None for the usual ones of the kind of channel.
    """

    chains: tuple[FilterChain, ...]
    chain: int
    stage: int
    knob: SweptKnob
    numbers: tuple[float, ...]
    channel: str
    measures: tuple[SweepMeasure, ...] | None = None
    engine: EngineChoice = field(default_factory=EngineChoice)

    @property
    def spec(self) -> AbstractFilterSpec:
        """The spec of the stage."""
        return self.chains[self.chain].stages[self.stage].spec

    def chain_at(self, number: float) -> FilterChain:
        """Return the chain with another number."""
        chain = self.chains[self.chain]
        stage = chain.stages[self.stage]
        spec = self.spec.with_value(self.knob.name, self.knob.with_number(self.spec, number))
        changed = replace(stage, spec=spec, enabled=True)
        return replace(chain, stages=(*chain.stages[: self.stage], changed, *chain.stages[self.stage + 1 :]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Signals:
    """Before of the channels of a chain that have one rate, (n_channels, n_samples); ``row`` is pictured."""

    x: FloatArray
    rate_hz: float
    names: tuple[str, ...]
    unit: str
    kind: str
    row: int


class SweepJobs:
    """Works out sweeps; the outcome is a SweepFrame."""

    def __init__(self, bench: Workbench, scheduler: Scheduler) -> None:
        self._bench, self._scheduler = bench, scheduler
        scheduler.add_lane(Lane(name=_LANE, thread="side", rank=2, least_interval_s=0.2, restarts=True))

    def ask(self, request: SweepRequest) -> None:
        """Work out a sweep of the window of now, in place of what was asked before."""
        shown = self._bench.shown
        if shown is not None:
            self._scheduler.submit(_LANE, sweep_work(self._bench, shown, request))

    def stop(self) -> None:
        """Work out nothing more."""
        self._scheduler.cancel(_LANE)


def sweep_work(bench: Workbench, shown: Shown, request: SweepRequest) -> Callable[[CancelToken], Steps]:
    """Return the work that delivers a sweep; it yields between calls of filters."""

    def work(token: CancelToken) -> Steps:
        begun, signals = time.perf_counter(), _signals_of(shown, request)
        if signals is None:
            bench.deliver(SweepFrame(request=request, problem=_NO_CHANNEL, took_ms=0.0))
            return
        x, rate_hz = signals.x, signals.rate_hz
        first, stop = _middle(x.shape[1], rate_hz)
        pictured = _pictured(len(request.numbers))
        measures = measurable(_measures_of(request, signals), x.shape[1], rate_hz)
        sizes = Sizes(measures, x.shape[1], rate_hz)
        before, kept = sizes.of(x), np.full((len(measures), len(request.numbers)), np.nan)
        pictures = np.full((len(pictured), POINTS), np.nan)
        calls = 0
        for places, designs in _calls(request, rate_hz, x.size):
            token.check()
            for at, y in zip(places, _filtered(designs, x, request.engine), strict=True):
                kept[:, at] = mean_share(sizes.of(np.where(np.isfinite(x), y, np.nan)), before)
                if at in pictured:
                    pictures[pictured.index(at)] = _drawn(y[signals.row, first:stop])
            calls += 1
            yield
        bench.deliver(
            SweepFrame(
                request=request,
                channel=signals.names[signals.row],
                unit=signals.unit,
                n_channels=len(signals.names),
                calls=calls,
                picture_s=(stop - first) / rate_hz,
                pictured=pictured,
                pictures=pictures,
                before=_drawn(x[signals.row, first:stop]),
                measures=measures,
                kept=kept,
                took_ms=(time.perf_counter() - begun) * 1e3,
            )
        )

    return work


def _measures_of(request: SweepRequest, signals: _Signals) -> tuple[SweepMeasure, ...]:
    if request.measures is not None:
        return request.measures
    return usual_measures(signals.kind, mains_of(request.chains[request.chain]))


def _signals_of(shown: Shown, request: SweepRequest) -> _Signals | None:
    """Return Before of the channels that the chain is for: those of the rate that the named channel has."""
    info = shown.wish.entry.recording.info
    found: _Signals | None = None
    for part in shown.rendered.samples:
        numbers = chain_numbers(request.chains, info, list(part.group.channels))
        rows = [row for row, number in enumerate(numbers) if number == request.chain]
        if not rows or part.n_samples < FEWEST_SAMPLES:
            continue
        own = [info.channels[part.group.channels[row]] for row in rows]
        names = tuple(channel.name for channel in own)
        if found is None or request.channel in names:
            row = names.index(request.channel) if request.channel in names else 0
            count = min(MOST_SAMPLES, max(FEWEST_OF_MANY, MOST_TOGETHER // len(rows)))
            begin = max(0, (part.n_samples - count) // 2)
            x = np.asarray(part.of_rows(rows)[0][:, begin : begin + count], dtype=np.float64)
            kind, unit = own[row].kind, own[row].unit
            found = _Signals(x=x, rate_hz=part.group.rate_hz, names=names, unit=unit, kind=kind, row=row)
        if request.channel in names:
            break
    return found


def _calls(
    request: SweepRequest, rate_hz: float, n_values: int
) -> Iterator[tuple[Sequence[int], tuple[ChainDesign, ...]]]:
    """Yield which values run together, with their designs: of one structure, and one at a time on a CPU.

    A value that cannot be is left out.
    """
    from jaxscope.engines.base import structure_of

    groups: dict[object, list[tuple[int, ChainDesign]]] = {}
    for at, number in enumerate(request.numbers):
        try:
            design = design_or_refusal(request.chain_at(number), rate_hz)
        except SpecError:
            continue
        if not isinstance(design, Refusal):
            groups.setdefault(structure_of(design), []).append((at, design))
    most = 1 if request.engine.backend == "cpu" else max(1, LARGEST_CALL // n_values)
    for members in groups.values():
        for begin in range(0, len(members), most):
            places, designs = zip(*members[begin : begin + most], strict=True)
            yield places, designs


def _filtered(designs: tuple[ChainDesign, ...], x: FloatArray, engine: EngineChoice) -> FloatArray:
    """Return (n_designs, n_channels, n_samples): every channel through every filter, in one call of one program."""
    from jaxscope.engines.program import make_program

    rows = tuple(design for design in designs for _ in range(len(x)))
    is_cpu = engine.backend == "cpu"
    program = make_program(
        designs[0] if len(designs) == 1 else rows,
        n_channels=len(rows),
        device="cpu:0" if is_cpu else engine.device,
        precision="float64" if is_cpu else engine.precision,
        method="scipy" if is_cpu else engine.method,
        n_samples=x.shape[1],
    )
    with np.errstate(all="ignore"):
        y = program.run(x if len(designs) == 1 else np.tile(x, (len(designs), 1)))
    return np.asarray(y, dtype=np.float64).reshape(len(designs), *x.shape)


def _middle(n_samples: int, rate_hz: float) -> tuple[int, int]:
    """Return the samples in the middle that pictures show, half-open."""
    wanted = min(n_samples, max(FEWEST_SAMPLES, round(PICTURE_S * rate_hz)))
    first = (n_samples - wanted) // 2
    return first, first + wanted


def _pictured(count: int) -> tuple[int, ...]:
    """Return which values are shown as pictures, evenly spread."""
    if count <= PICTURES:
        return tuple(range(count))
    return tuple(round(place * (count - 1) / (PICTURES - 1)) for place in range(PICTURES))


def _drawn(y: FloatArray) -> FloatArray:
    """Return as many points as a picture has: the samples, or lowest and highest of each of half as many parts."""
    if y.size <= POINTS:
        return np.asarray(np.interp(np.linspace(0, y.size - 1, POINTS), np.arange(y.size), y))
    edges = np.linspace(0, y.size, POINTS // 2 + 1).astype(int)[:-1]
    with np.errstate(invalid="ignore"):
        pairs = np.stack([np.fmin.reduceat(y, edges), np.fmax.reduceat(y, edges)], axis=1)
    return np.asarray(pairs.reshape(-1))
