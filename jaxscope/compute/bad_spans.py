"""Bad spans that are left out of filtering: which samples, what the chains do about them, and what is said.

Where bad spans are excluded and there are any, gaps always part the signal: a chain that lets missing samples propagate
would lose everything after the first bad span.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jaxscope.data.annotations import Annotation
from jaxscope.data.bad_spans import NOTHING_BAD, BadSamples, bad_events, bad_samples
from jaxscope.data.recording import RecordingInfo
from jaxscope.errors import counted
from jaxscope.filters.coefficients import ChainDesign
from jaxscope.filters.spec import FilterChain
from jaxscope.session.state import BadSpanPolicy, Document

#: the events that were asked about last, and which of them mark bad: asked for at every move of a knob
_last: list[tuple[tuple[Annotation, ...], tuple[Annotation, ...]]] = []


def excluded_events(events: tuple[Annotation, ...], policy: BadSpanPolicy) -> tuple[Annotation, ...]:
    """Return the events whose spans are left out of filtering; none where they are kept."""
    if policy == "keep" or not events:
        return ()
    for known, bad in _last:
        if known is events:
            return bad
    bad = bad_events(events)
    _last[:] = [(events, bad)]
    return bad


def excluded_of(document: Document) -> tuple[Annotation, ...]:
    """Return the events of a document whose spans are left out of filtering now."""
    return excluded_events(document.annotations, document.bad_spans) if document.filter_on else ()


def parted_chains(chains: Sequence[FilterChain], excluded: Sequence[Annotation]) -> tuple[FilterChain, ...]:
    """Return chains for which a gap parts the signal, where bad spans are left out; else as they are."""
    return tuple(replace(chain, gaps="segment") for chain in chains) if excluded else tuple(chains)


def excluded_samples(
    excluded: Sequence[Annotation],
    info: RecordingInfo,
    channels: Sequence[int],
    designs: Sequence[ChainDesign | None],
) -> BadSamples:
    """Return the samples of channels of one rate that are left out; of those that nothing filters there are none."""
    if not excluded:
        return NOTHING_BAD
    found = bad_samples(excluded, info, channels)
    rows = tuple(
        spans if design is not None and design.parts else () for spans, design in zip(found.rows, designs, strict=False)
    )
    return BadSamples(rows) if any(rows) else NOTHING_BAD


def excluded_words(excluded: Sequence[Annotation], start_s: float, stop_s: float) -> list[str]:
    """Return what is said of what is left out between two times; nothing where nothing is."""
    inside = [event for event in excluded if event.onset_s < stop_s and event.stop_s > start_s]
    if not inside:
        return []
    covered_s, reach_s = 0.0, start_s
    for event in sorted(inside, key=lambda event: event.onset_s):
        first_s, last_s = max(event.onset_s, reach_s), min(event.stop_s, stop_s)
        covered_s += max(0.0, last_s - first_s)
        reach_s = max(reach_s, last_s)
    return [
        f"{counted(len(inside), 'bad span')} ({covered_s:.6g} s) left out: not filtered and written as missing "
        "samples, neither raw nor filtered; each good part has its own start and end"
    ]
