"""What the active chain is, for the dock: curves, coefficients, handles and facts, at the rate of its channels.

Everything is kept by stage and rate, so that turning one knob works out one stage. Curves come first (a millisecond).
The words (facts, the sentence for a paper) search for real cutoffs, take longer and follow after the traces: until then
a stage carries the facts it had. The curves have the steps of a logarithmic axis and, besides, points crowded about
every pole and zero: a notch keeps its depth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.compute.delays import delay_of, delay_sentence
from jaxscope.compute.designs import chain_numbers, design_or_refusal
from jaxscope.compute.frames import DesignFrame, StageCurve
from jaxscope.compute.quantised_curve import quantised_chain
from jaxscope.compute.response_views import plane_or_none, response_curve
from jaxscope.compute.scheduler import CancelToken, Steps
from jaxscope.compute.workbench import Workbench
from jaxscope.data.recording import RecordingInfo
from jaxscope.display.frequency_axis import axis_begin
from jaxscope.errors import SpecError
from jaxscope.filters.coefficients import ChainDesign, Realisation, RunningMedian, Sections, Taps
from jaxscope.filters.limits import edges_of, verdicts_on
from jaxscope.filters.spec import FilterChain, Phase, Stage
from jaxscope.session.state import SessionState, in_force

FloatArray = npt.NDArray[np.float64]
#: (caption, value) pairs
Facts = tuple[tuple[str, str], ...]
#: Rate of the curves while no recording is open.
DEFAULT_RATE_HZ = 256.0
#: Where the frequency axis begins at the latest, unless something is marked below.
LOWEST_HZ = 0.12
POINTS = 512
#: Points about a pole or zero, in units of the pole's distance to the circle; sections that get them, and points about
#: the zero of each other section: a comb has hundreds of notches.
CROWD = np.concatenate([-np.geomspace(0.03, 10, 10)[::-1], [0.0], np.geomspace(0.03, 10, 10)])
MOST_CROWDED = 32
FEW = np.array([-10.0, 0.0, 10.0])
#: Fields that are handles of the response.
_DRAGGED = ("cutoff_hz", "frequency_hz", "edges_hz")
#: Lowest level that is told, in dB: what rounding leaves of a zero.
FLOOR_DB = -300.0


class DesignJobs:
    """Makes the work of two lanes, curves and words, and remembers the last facts of each stage between them."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._facts: dict[tuple[int, int, float], Facts] = {}

    def work(
        self, state: SessionState, revision: int, info: RecordingInfo | None, *, words: bool
    ) -> Callable[[CancelToken], Steps | None]:
        """Return the work that delivers the DesignFrame of the active chain, quickly or with its words."""

        def work(_token: CancelToken) -> Steps:
            if words:
                yield from _prepare_words(state, info)
            frame = design_frame(state, revision, info, words=words, known=self._facts)
            if frame is not None:
                self._bench.deliver(frame)
                if words:
                    self._facts = {
                        (frame.chain, number, frame.rate_hz): curve.facts
                        for number, curve in enumerate(frame.stages)
                        if curve.facts
                    }

        return work


def _prepare_words(state: SessionState, info: RecordingInfo | None) -> Steps:
    """Work out the words of the active chain so that they are kept; yield in between, for they take their time."""
    if 0 <= state.viewport.active_chain < len(state.document.chains):
        chain = state.document.chains[state.viewport.active_chain]
        rate_hz = rate_of_chain(state, info)
        for stage in chain.stages:
            if isinstance(_design_alone(stage, rate_hz, chain.phase), ChainDesign):
                _facts(replace(stage, enabled=True), rate_hz, chain.phase)
                yield
        _report(chain, rate_hz)
        yield


def rates_of_chain(state: SessionState, info: RecordingInfo | None, number: int | None = None) -> tuple[float, ...]:
    """Return the rates of the channels of a chain (the active one) in Hz, the one that the dock is about first.

    That is the rate of the first selected channel of the chain, else the highest: it has the widest axis. Where the
    chain has no channels, all signals count.
    """
    if info is None:
        return (DEFAULT_RATE_HZ,)
    channels = [number for number, channel in enumerate(info.channels) if channel.is_data and channel.rate_hz]
    numbers = chain_numbers(state.document.chains, info, channels)
    wanted = state.viewport.active_chain if number is None else number
    own = [channel for channel, chain in zip(channels, numbers, strict=True) if chain == wanted]
    by_name = {info.channels[channel].name: info.channels[channel].rate_hz or 0.0 for channel in own or channels}
    rates = sorted(set(by_name.values()), reverse=True)
    chosen = [by_name[name] for name in state.viewport.selected_channels if name in by_name]
    return tuple(dict.fromkeys((*chosen[:1], *rates))) or (DEFAULT_RATE_HZ,)


def is_of_other_rate(state: SessionState, previous: SessionState, info: RecordingInfo | None) -> bool:
    """Whether the dock is about another rate than before, because another channel is selected."""
    if state.viewport.selected_channels == previous.viewport.selected_channels:
        return False
    return rate_of_chain(state, info) != rate_of_chain(previous, info)


def rate_of_chain(state: SessionState, info: RecordingInfo | None) -> float:
    """Return the one rate that curves, axis and facts are for, in Hz."""
    return rates_of_chain(state, info)[0]


def design_frame(
    state: SessionState,
    revision: int,
    info: RecordingInfo | None,
    *,
    words: bool = True,
    known: Mapping[tuple[int, int, float], Facts] = MappingProxyType({}),
) -> DesignFrame | None:
    """Return the frame of the active chain, or None where there is no chain.

    Without ``words`` there is no report, and each stage has the facts that are ``known`` by (chain, stage, rate).
    """
    number = state.viewport.active_chain
    if not 0 <= number < len(state.document.chains):
        return None
    chain = state.document.chains[number]
    rate_hz, *other_rates_hz = rates_of_chain(state, info)
    alone = [_design_alone(stage, rate_hz, chain.phase) for stage in chain.stages]
    pairs = list(zip(alone, chain.stages, strict=True))
    working = [made for made, stage in pairs if isinstance(made, ChainDesign) and stage.enabled]
    limits = tuple(limit for limit in state.document.limits if limit.chain == number)
    designs = tuple(made for made in alone if isinstance(made, ChainDesign))
    handles = _handles(chain, working, rate_hz)
    marked_hz = [handle[0] for handle in handles]
    frequencies = _frequencies(designs, rate_hz, edges_of(limits, rate_hz), marked_hz)
    levels = [_magnitude(_one_pass(made), frequencies) if isinstance(made, ChainDesign) else None for made in alone]
    held = [known.get((number, place, rate_hz), ()) for place in range(len(alone))]
    facts = _facts_of(pairs, rate_hz, chain.phase) if words else held
    total = _total(pairs, levels, frequencies)
    parts = tuple(part for made in working for part in made.parts)
    radius, stable = _stability(parts)
    return DesignFrame(
        revision=revision,
        chain=number,
        rate_hz=rate_hz,
        other_rates_hz=tuple(other_rates_hz),
        frequencies_hz=frequencies,
        magnitude_db=np.maximum(total, FLOOR_DB),
        stages=tuple(map(_stage_curve, chain.stages, alone, levels, facts)),
        handles=handles,
        is_stable=stable,
        pole_radius=radius,
        delay_text=delay_sentence(chain, rate_hz),
        report=_report(chain, rate_hz) if words else "",
        warnings=tuple(dict.fromkeys(sentence for made in working for sentence in made.warnings)),
        curve=response_curve(state.viewport.response_view, chain.phase, parts, frequencies, rate_hz),
        verdicts=verdicts_on(limits, frequencies, total, rate_hz),
        pin=_pin(state, number, frequencies, rate_hz),
        quantised=quantised_chain(state.viewport.word, alone, [stage.enabled for stage in chain.stages], frequencies),
        delays_s=_delays(state, info) if state.viewport.line_up else (),
    )


def _facts_of(pairs: Sequence[tuple[ChainDesign | SpecError, Stage]], rate_hz: float, phase: Phase) -> list[Facts]:
    """Return the facts of each stage as if it were on; none of one that cannot be designed."""
    return [
        _facts(replace(stage, enabled=True), rate_hz, phase) if isinstance(made, ChainDesign) else ()
        for made, stage in pairs
    ]


def _total(
    pairs: Sequence[tuple[ChainDesign | SpecError, Stage]], levels: Sequence[FloatArray | None], frequencies: FloatArray
) -> FloatArray:
    """Return what the stages that are on do together, in dB."""
    total = np.zeros(frequencies.size)
    for (made, stage), level in zip(pairs, levels, strict=True):
        if stage.enabled and isinstance(made, ChainDesign) and level is not None:
            total += _all_passes(made, level, frequencies)
    return total


def _pin(state: SessionState, number: int, frequencies: FloatArray, rate_hz: float) -> tuple[str, FloatArray] | None:
    """Return the name and the level of the pin that the chain is compared with, None where there is none."""
    pins, chosen = state.document.pins, state.viewport.chosen_pin
    if chosen >= len(pins) or pins[chosen].at != number:
        return None
    made = design_or_refusal(pins[chosen].chain, rate_hz)
    return (pins[chosen].name, _magnitude(made, frequencies)) if isinstance(made, ChainDesign) else None


def _delays(state: SessionState, info: RecordingInfo | None) -> tuple[float, ...]:
    """Return how late each chain is in seconds; 0 where it is not."""
    found = []
    for number, chain in enumerate(in_force(state).document.chains):
        delay = delay_of(chain, rates_of_chain(state, info, number)[0])
        found.append(0.0 if delay is None else delay[0])
    return tuple(found)


@lru_cache(maxsize=512)
def _design_alone(stage: Stage, rate_hz: float, phase: Phase) -> ChainDesign | SpecError:
    """Return a stage as if it were the whole chain, switched on; or why it cannot be."""
    from jaxscope.filters.design import design_chain

    try:
        return design_chain(FilterChain(phase=phase, stages=(replace(stage, enabled=True),)), rate_hz)
    except SpecError as error:
        return error


def _frequencies(
    designs: tuple[ChainDesign, ...], rate_hz: float, also_hz: list[float], marked_hz: list[float]
) -> FloatArray:
    """Return the frequencies of all curves, rising, shape (n_frequencies,); ``marked_hz`` lie inside."""
    lowest = axis_begin(min(LOWEST_HZ, rate_hz / 1000), marked_hz)
    also = np.array(also_hz, dtype=np.float64)
    points = [np.geomspace(lowest, rate_hz / 2, POINTS), also[(also >= lowest) & (also <= rate_hz / 2)]]
    for design in designs:
        grid = _own_grid(design)
        points.append(grid[(grid >= lowest) & (grid <= rate_hz / 2)])
    return np.unique(np.concatenate(points))


@lru_cache(maxsize=512)
def _own_grid(design: ChainDesign) -> FloatArray:
    """Return frequencies crowded about poles and zeros, at the scale of the distance of a pole to the circle."""
    from jaxscope.filters.stability import monic_roots

    angles = [np.zeros(0)]
    rows = [row for part in design.parts if isinstance(part, Sections) for row in part.rows]
    for number, (b0, b1, b2, _, a1, a2) in enumerate(rows):
        is_crowded = number < MOST_CROWDED
        crowd = CROWD if is_crowded else FEW
        pole = monic_roots(a1, a2)[0]
        width = max(abs(1 - abs(pole)), 1e-9)
        if is_crowded or b0 == 0:
            angles.append(abs(np.angle(pole)) + crowd * width)
        if b0 != 0:
            angles.append(np.abs(np.angle(monic_roots(b1 / b0, b2 / b0)[0])) + crowd * width)
    return np.concatenate(angles) * design.rate_hz / (2 * np.pi)


def _magnitude(design: ChainDesign, frequencies: FloatArray) -> FloatArray:
    from jaxscope.filters.response import magnitude_db

    return np.nan_to_num(np.maximum(magnitude_db(design, frequencies), FLOOR_DB), nan=FLOOR_DB, posinf=-FLOOR_DB)


def _one_pass(made: ChainDesign) -> ChainDesign:
    return replace(made, phase="causal")


def _all_passes(made: ChainDesign, level: FloatArray, frequencies: FloatArray) -> FloatArray:
    """Return the levels for the passes in use from those of one pass, worked out anew only where they do not follow."""
    once = {isinstance(part, Taps) and part.runs_once for part in made.parts}
    if made.phase != "zero" or once == {True}:
        return level
    return 2 * level if once == {False} else _magnitude(made, frequencies)


def _stability(parts: tuple[Realisation, ...]) -> tuple[float, bool]:
    from jaxscope.filters.stability import is_stable, pole_radius

    return pole_radius(parts), is_stable(parts)


def _stage_curve(stage: Stage, made: ChainDesign | SpecError, level: FloatArray | None, facts: Facts) -> StageCurve:
    from jaxscope.filters.shapes import stage_line, stage_title

    if isinstance(made, SpecError) or level is None:
        return StageCurve(
            title=stage_title(stage),
            subtitle=stage_line(stage),
            magnitude_db=np.zeros(0),
            realisation=None,
            b=(),
            a=(),
            facts=(),
            is_stable=True,
            pole_radius=0.0,
            problem=made.sentence() if isinstance(made, SpecError) else "",
            problem_field=made.field if isinstance(made, SpecError) else None,
        )
    radius, stable = _stability(made.parts)
    b, a = _polynomials(made.parts)
    return StageCurve(
        title=stage_title(stage),
        subtitle=stage_line(stage),
        magnitude_db=level,
        realisation=made.parts[0] if made.parts else None,
        b=b,
        a=a,
        facts=facts,
        is_stable=stable,
        pole_radius=radius,
        plane=plane_or_none(made.parts),
    )


@lru_cache(maxsize=512)
def _facts(stage: Stage, rate_hz: float, phase: Phase) -> Facts:
    from jaxscope.filters.facts import facts

    return tuple((fact.label, fact.value) for fact in facts(stage, rate_hz, phase))


@lru_cache(maxsize=512)
def _polynomials(parts: tuple[Realisation, ...]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return numerator and denominator in powers of 1/z; nothing for a median, which has none."""
    from jaxscope.filters.polynomial import polynomials

    if any(isinstance(part, RunningMedian) for part in parts):
        return (), ()
    b, a = polynomials(parts)
    return _trimmed(b), _trimmed(a)


def _trimmed(values: tuple[float, ...]) -> tuple[float, ...]:
    """Return the values without zeros at the end, which sections of first order leave."""
    kept = np.flatnonzero(values)
    return values[: int(kept[-1]) + 1 if kept.size else 1]


def _handles(
    chain: FilterChain, working: list[ChainDesign], rate_hz: float
) -> tuple[tuple[float, float, int, str, int | None], ...]:
    """Return the edges and frequencies that a person may drag, with the level of the whole curve there."""
    from jaxscope.filters.response import magnitude_db

    places: list[tuple[float, int, str, int | None]] = []
    for number, stage in enumerate(chain.stages):
        knobs = {knob.name for knob in stage.spec.knobs()} if stage.enabled else set()
        for name in (name for name in _DRAGGED if name in knobs):
            value: Any = getattr(stage.spec, name)
            if value is None:
                continue
            pair = value if isinstance(value, tuple) else (value,)
            places.extend(
                (float(frequency), number, name, index if isinstance(value, tuple) else None)
                for index, frequency in enumerate(pair)
                if 0 < frequency < rate_hz / 2
            )
    frequencies = [place[0] for place in places]
    levels = sum((magnitude_db(made, frequencies) for made in working), start=np.zeros(len(places)))
    return tuple(
        (frequency, max(float(level), FLOOR_DB), number, name, index)
        for (frequency, number, name, index), level in zip(places, levels, strict=True)
    )


@lru_cache(maxsize=64)
def _report(chain: FilterChain, rate_hz: float) -> str:
    from jaxscope.filters.report import report

    try:
        return report(chain, rate_hz)
    except SpecError:
        return ""
