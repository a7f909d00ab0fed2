"""A sweep: one number of a stage goes through many values, and what each makes of a channel is worked out beside.

The samples are Before of the last frame, so nothing is read; each filter runs alone over all of them, by the reference.
What is kept of each band is the power of After there against that of Before, so it is right for any kind of stage.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from jaxscope.compute.designs import Refusal, chain_numbers, design_or_refusal
from jaxscope.compute.scheduler import CancelToken, Lane, Scheduler, Steps
from jaxscope.compute.sweep_frames import SweepFrame
from jaxscope.compute.workbench import Shown, Workbench
from jaxscope.errors import SpecError
from jaxscope.filters.spec import AbstractFilterSpec, FilterChain
from jaxscope.session.analysis import Band
from jaxscope.session.sweep import SweptKnob

FloatArray = npt.NDArray[np.float64]
_LANE = "sweep"
#: samples that are filtered at most, from the middle of the window
MOST_SAMPLES = 1 << 15
FEWEST_SAMPLES = 32
#: frames that are shown as pictures, how much time each shows, and points of each
PICTURES, PICTURE_S, POINTS = 16, 1.6, 160


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRequest:
    """What is swept: a knob of a stage of a chain, through numbers, on a channel that it is for (empty: any)."""

    chains: tuple[FilterChain, ...]
    chain: int
    stage: int
    knob: SweptKnob
    numbers: tuple[float, ...]
    channel: str
    bands: tuple[Band, ...]

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
    """Return the work that delivers a sweep; it yields between filters."""

    def work(token: CancelToken) -> Steps:
        begun = time.perf_counter()
        found = _samples_of(shown, request)
        if found is None:
            words = "No channel of this chain is on the screen"
            bench.deliver(SweepFrame(request=request, problem=words, took_ms=0.0))
            return
        x, rate_hz, name, unit = found
        first, stop = _middle(x.size, rate_hz)
        pictured = _pictured(len(request.numbers))
        bands, masks = _bands_of(request.bands, x.size, rate_hz)
        powers = _powers(x, masks)
        kept = np.full((len(masks), len(request.numbers)), np.nan)
        pictures = np.full((len(pictured), POINTS), np.nan)
        for at, number in enumerate(request.numbers):
            token.check()
            y = _filtered(request, number, x, rate_hz)
            if y is not None:
                with np.errstate(invalid="ignore", divide="ignore"):
                    kept[:, at] = _powers(np.where(np.isfinite(x), y, np.nan), masks) / powers
                if at in pictured:
                    pictures[pictured.index(at)] = _drawn(y[first:stop])
            yield
        bench.deliver(
            SweepFrame(
                request=request,
                channel=name,
                unit=unit,
                picture_s=(stop - first) / rate_hz,
                pictured=pictured,
                pictures=pictures,
                before=_drawn(x[first:stop]),
                bands=bands,
                kept=kept,
                took_ms=(time.perf_counter() - begun) * 1e3,
            )
        )

    return work


def _samples_of(shown: Shown, request: SweepRequest) -> tuple[FloatArray, float, str, str] | None:
    """Return Before of the channel, or of the first that the chain is for, with its rate, name and unit."""
    info = shown.wish.entry.recording.info
    found: list[tuple[FloatArray, float, str, str]] = []
    for part in shown.rendered.samples:
        numbers = chain_numbers(request.chains, info, list(part.group.channels))
        for row, (channel, number) in enumerate(zip(part.group.channels, numbers, strict=True)):
            if number != request.chain or part.before.shape[1] < FEWEST_SAMPLES:
                continue
            begin = max(0, (part.before.shape[1] - MOST_SAMPLES) // 2)
            own = info.channels[channel]
            if own.name == request.channel or not found:
                x = np.asarray(part.before[row, begin : begin + MOST_SAMPLES], dtype=np.float64)
                found.insert(0, (x, part.group.rate_hz, own.name, own.unit))
            if own.name == request.channel:
                return found[0]
    return found[0] if found else None


def _filtered(request: SweepRequest, number: float, x: FloatArray, rate_hz: float) -> FloatArray | None:
    """Return a channel through the chain with a number, None where that cannot run."""
    from jaxscope.engines.scipy_stretch import reference_stretch

    try:
        design = design_or_refusal(request.chain_at(number), rate_hz)
    except SpecError:
        return None
    if isinstance(design, Refusal):
        return None
    with np.errstate(all="ignore"):
        return np.asarray(reference_stretch(x, design, 0, x.size), dtype=np.float64)


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


def _bands_of(
    bands: tuple[Band, ...], n_samples: int, rate_hz: float
) -> tuple[tuple[Band, ...], list[npt.NDArray[np.bool_]]]:
    """Return the bands that have lines at this rate and length, and which lines these are."""
    frequencies_hz = np.fft.rfftfreq(n_samples, 1 / rate_hz)
    masks = {band: (frequencies_hz >= band[1]) & (frequencies_hz < band[2]) for band in bands}
    known = tuple(band for band in bands if masks[band].any())
    return known, [masks[band] for band in known]


def _powers(y: FloatArray, masks: list[npt.NDArray[np.bool_]]) -> FloatArray:
    """Return the power in each band, under a Hann window about the mean; what is missing counts as the mean."""
    known = np.isfinite(y)
    level = np.where(known, y - (y[known].mean() if known.any() else 0.0), 0.0)
    lines = np.abs(np.fft.rfft(level * np.hanning(y.size))) ** 2
    return np.array([lines[mask].sum() for mask in masks])
