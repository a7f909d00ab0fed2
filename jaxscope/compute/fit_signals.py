"""The marked spans of a fit as samples: what arrives at the fitted stage, with context, and Before as it was recorded.

Invariant: what is returned is finite, of one rate and within one segment; everything else is refused with the goal, the
channel and the time.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from jaxscope.compute.designs import chain_numbers
from jaxscope.data.recording import Recording
from jaxscope.data.timeline import Segment
from jaxscope.errors import SpecError, counted
from jaxscope.filters.coefficients import ChainDesign
from jaxscope.filters.spec import FilterChain
from jaxscope.session.fit import FitGoal, FitSpan

FloatArray = npt.NDArray[np.float64]
#: samples that a marked span has at least
FEWEST_SAMPLES = 8
#: samples that the other stages may have before a span to settle
MOST_SETTLING = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MarkedRow:
    """A span of one channel: ``arriving`` (n,) is what the stages before make of it, the span is ``first`` to ``stop``.

    ``power`` and ``height`` are those of the recorded span, ``kind`` is that of its channel.
    """

    goal: int
    arriving: FloatArray
    first: int
    stop: int
    power: float
    height: float
    kind: str


def marked_rows(
    recording: Recording,
    chains: Sequence[FilterChain],
    chain: int,
    goals: Sequence[FitGoal],
    *,
    others: ChainDesign,
    rate_hz: float,
    context: int,
) -> Generator[None, None, tuple[list[MarkedRow], str]]:
    """Yield while spans are read; return their rows, and in words what of them was left out.

    Raises
    ------
    SpecError
        A span that the recording, the chain or the fit cannot have.
    """
    from jaxscope.learn.fit_targets import MOST_LENGTH, MOST_ROWS

    wanted = [(at, span, name) for at, goal in enumerate(goals) for span in goal.spans for name in span.channels]
    context = min(context, MOST_LENGTH // 4)
    chosen = wanted if len(wanted) <= MOST_ROWS else [wanted[k] for k in _evenly(len(wanted), MOST_ROWS)]
    found, is_cut = [], False
    for at, span, name in chosen:
        number = _channel(recording, chains, chain, goals[at], name, rate_hz)
        row, was_cut = _row(recording, number, at, goals[at], span, others, rate_hz, context, MOST_LENGTH)
        is_cut = is_cut or was_cut
        found.append(row)
        yield
    missing = {at for at, goal in enumerate(goals) if goal.spans} - {row.goal for row in found}
    if missing:
        words = f"the goals mark {counted(len(wanted), 'span')} of single channels, more than a fit looks at"
        raise SpecError("fit", words, hint="mark fewer channels")
    notes = [f"{len(chosen)} of {len(wanted)} marked spans"] if len(chosen) < len(wanted) else []
    notes += ["the middle of long spans"] if is_cut else []
    return found, f"Looks at {' and '.join(notes)}" if notes else ""


def _evenly(count: int, most: int) -> list[int]:
    return sorted({round(place * (count - 1) / (most - 1)) for place in range(most)})


def _channel(
    recording: Recording, chains: Sequence[FilterChain], chain: int, goal: FitGoal, name: str, rate_hz: float
) -> int:
    """Return the number of a channel that a goal names."""
    info = recording.info
    try:
        number = info.index_of(name)
    except KeyError:
        words = f"{goal.sentence} marks {name}, which the recording does not have"
        raise SpecError("fit", words, hint="remove the goal, or mark another channel") from None
    if chains and chain_numbers(chains, info, [number])[0] != chain:
        words = f"{goal.sentence} marks {name}, which this chain does not filter"
        raise SpecError("fit", words, hint="give the channel to the chain, or mark another one")
    own_hz = info.channels[number].rate_hz
    if own_hz != rate_hz:
        words = f"{goal.sentence} marks {name} at {own_hz:g} Hz, and the filter is fitted at {rate_hz:g} Hz"
        raise SpecError("fit", words, hint="select a channel of the rate that is wanted")
    return number


def _row(
    recording: Recording,
    channel: int,
    at: int,
    goal: FitGoal,
    span: FitSpan,
    others: ChainDesign,
    rate_hz: float,
    context: int,
    most: int,
) -> tuple[MarkedRow, bool]:
    info = recording.info
    one = info.channels[channel]
    timeline = info.timeline_of(channel)
    inside = timeline.span_between(span.start_s, span.stop_s, rate_hz)
    first, stop = max(0, inside.start), min(inside.stop, one.n_samples)
    segment = next(
        (part for part in timeline.segments(rate_hz, one.n_samples) if part.first_sample <= first < part.stop_sample),
        None,
    )
    if segment is None or stop - first < FEWEST_SAMPLES:
        words = f"{goal.sentence} marks fewer than {FEWEST_SAMPLES} samples of {one.name} at {span.start_s:.2f} s"
        raise SpecError("fit", words, hint="mark a longer span")
    if stop > segment.stop_sample:
        at_s = timeline.second_of(segment.stop_sample - 1, rate_hz)
        words = f"{goal.sentence} marks {one.name} across a gap after {at_s:.2f} s"
        raise SpecError("fit", words, hint="mark a part without gaps")
    is_cut = stop - first > most - 2 * context
    if is_cut:
        first += (stop - first - (most - 2 * context)) // 2
        stop = first + most - 2 * context
    before, lead = _read(recording, channel, segment, first, stop, others, context)
    core = before[lead : lead + stop - first]
    missing = np.flatnonzero(~np.isfinite(core))
    if missing.size:
        at_s = timeline.second_of(first + int(missing[0]), rate_hz)
        words = f"{goal.sentence} marks missing samples of {one.name} at {at_s:.2f} s"
        raise SpecError("fit", words, hint="mark a part where nothing is missing")
    return _made(at, goal, before, lead, stop - first, others, context, one.kind), is_cut


def _read(
    recording: Recording, channel: int, segment: Segment, first: int, stop: int, others: ChainDesign, context: int
) -> tuple[FloatArray, int]:
    """Return samples around a span, and how many of them stand before it; ends are drawn out by their last sample."""
    from jaxscope.filters.settling import FAINT_TAIL, settling_s

    settling = 0
    if others.parts:
        settling_time_s = settling_s(others, FAINT_TAIL)
        settling = MOST_SETTLING
        if math.isfinite(settling_time_s):
            settling = min(MOST_SETTLING, math.ceil(settling_time_s * others.rate_hz))
    after = settling if others.phase == "zero" else 0
    begin = max(segment.first_sample, first - context - settling)
    end = min(segment.stop_sample, stop + context + after)
    x = np.asarray(recording.read(begin, end, [channel])[0], dtype=np.float64)
    left = max(0, context - (first - begin))
    right = max(0, context - (end - stop))
    padded: FloatArray = np.pad(x, (left, right), mode="edge")
    return padded, first - begin + left


def _made(
    at: int, goal: FitGoal, before: FloatArray, lead: int, length: int, others: ChainDesign, context: int, kind: str
) -> MarkedRow:
    from jaxscope.learn.fit_targets import sizes_of

    power, height = sizes_of(before[lead : lead + length], is_keep=goal.is_keep)
    if power <= 0:
        words = f"{goal.sentence} marks a span where nothing moves"
        raise SpecError("fit", words, hint="mark a part with a signal")
    known = np.flatnonzero(np.isfinite(before))
    # only the context may lack samples
    whole = np.interp(np.arange(before.size), known, before[known])
    arriving = _through(others, whole)
    return MarkedRow(
        goal=at,
        arriving=arriving[lead - context : lead + length + context],
        first=context,
        stop=context + length,
        power=power,
        height=height,
        kind=kind,
    )


def _through(others: ChainDesign, x: FloatArray) -> FloatArray:
    """Return samples (n,) behind the other stages."""
    if not others.parts:
        return x
    from jaxscope.engines.program import make_program

    program = make_program(others, n_channels=1, precision="float64", method="scipy", n_samples=x.size)
    after: FloatArray = np.asarray(program.run(x[np.newaxis]), dtype=np.float64)[0]
    return after
