"""What a batch will write: which channels, which samples of each, and through which coefficients. Pure.

The numbers are those of the whole recording, also where only a part of it is written. Everything that can be refused is
refused here, before a byte is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from jaxscope.compute.bad_spans import excluded_events, excluded_samples, excluded_words, parted_chains
from jaxscope.compute.designs import Refusal, chain_numbers, design_or_refusal
from jaxscope.compute.plan import EVERYTHING
from jaxscope.compute.stream import Source
from jaxscope.data.annotations import Annotation, EventEdits, Gap
from jaxscope.data.recording import Channel, Recording, RecordingInfo
from jaxscope.data.timeline import Segment
from jaxscope.errors import ReadError, UsageError, counted
from jaxscope.filters.channels import matches
from jaxscope.filters.coefficients import ChainDesign
from jaxscope.filters.montage import Montage
from jaxscope.filters.report import report
from jaxscope.filters.spec import AbstractFilterSpec, FilterChain
from jaxscope.session.state import BadSpanPolicy, Precision
from jaxscope.writers.base import WriteRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """How a file is filtered and written. ``channels`` holds names or globs; empty means all.

    With ``bad_spans`` ``"exclude"`` what an event marks as bad is not filtered, and written as missing samples: raw
    ones amid filtered ones would be taken for filtered. ``rate_hz``, ``samples_first`` and ``reader_options`` are what
    the source was opened with.
    """

    source: str
    target: str
    channels: tuple[str, ...] = ()
    start_s: float | None = None
    stop_s: float | None = None
    overwrite: bool = False
    device: str = "cpu:0"
    precision: Precision = "float64"
    method: str = "auto"
    rate_hz: float | None = None
    samples_first: bool = False
    processes: int = 1
    reader_options: tuple[tuple[str, str], ...] = ()
    #: what the recording that is given shows already, to be told beside the output
    montage: Montage | None = None
    #: the events in place of those of the source, None for these; what is new in the source is written as well
    events: EventEdits | None = None
    bad_spans: BadSpanPolicy = "keep"


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchGroup:
    """Channels of one rate and length: where they come from, which samples are written, as which output channels."""

    source: Source
    first_sample: int
    stop_sample: int
    outputs: tuple[int, ...]

    @property
    def n_samples(self) -> int:
        """Samples that are written of each channel."""
        return self.stop_sample - self.first_sample


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPlan:
    """Everything that is known before the first sample is read."""

    groups: tuple[BatchGroup, ...]
    request: WriteRequest
    warnings: tuple[str, ...]
    files: tuple[str, ...]


def plan_batch(recording: Recording, chains: Sequence[FilterChain], options: BatchOptions) -> BatchPlan:
    """Return what will be written.

    Raises
    ------
    UsageError
        For a channel or a time that is not there, or a recording without a rate.
    ReadError
        Where there is no signal at all.
    SpecError, UnstableError
        Where a chain does not fit a channel that it is for.
    """
    info = recording.info
    written = select_channels(info, options.channels)
    if not written:
        raise ReadError(f"{options.source} holds no signal", hint="choose a recording with channels")
    if not any(info.channels[number].n_samples for number in written):
        raise ReadError(f"There are no samples in {options.source}", hint="choose a recording that holds some")
    if any(info.channels[number].rate_hz is None for number in written):
        raise UsageError(
            f"{options.source} does not tell its sampling rate", hint="give it with --rate", field="rate_hz"
        )
    gaps = _gaps_of(info, written)
    start_s, stop_s = _range_of(info, options, gaps)
    events = info.annotations if options.events is None else options.events.on(info.annotations)
    excluded = excluded_events(events, options.bad_spans)
    chains = parted_chains(chains, excluded)
    groups, warnings = _groups(recording, chains, options, written, start_s, stop_s, excluded)
    named = [info.channels[number] for number in written]
    lengths = {out: group.n_samples for group in groups for out in group.outputs}
    request = WriteRequest(
        channels=tuple(
            replace(info.channels[number], n_samples=lengths[place], gaps=None) for place, number in enumerate(written)
        ),
        start=None if info.start is None else info.start + timedelta(seconds=start_s),
        annotations=_of_written(_shifted_annotations(events, start_s, stop_s), named, warnings),
        gaps=_shifted_gaps(gaps, start_s, stop_s),
        precision=options.precision,
        first_s=_first_s(info, groups[0]),
        filters=tuple(_filters(chains, info, written)),
        history=history_of(chains, groups, options.montage),
    )
    return BatchPlan(groups=groups, request=request, warnings=(*info.warnings, *warnings), files=info.files)


def _first_s(info: RecordingInfo, group: BatchGroup) -> float:
    """Return when the first written sample was, in seconds of the recording."""
    return info.timeline_of(group.source.channels[0]).second_of(group.first_sample, group.source.rate_hz)


def _filters(chains: Sequence[FilterChain], info: RecordingInfo, written: Sequence[int]) -> list[str]:
    """Return what happens to each written channel, in the few characters that headers have for it."""
    numbers = chain_numbers(chains, info, written)
    return ["" if number is None else filter_words(chains[number]) for number in numbers]


def history_of(chains: Sequence[FilterChain], groups: Sequence[BatchGroup], montage: Montage | None = None) -> str:
    """Return how the samples are made, a line for each chain at each rate."""
    from jaxscope import __version__

    lines = [f"Filtered with jaxscope {__version__}"]
    if montage is not None:
        lines.append(f"Montage: {montage.title}")
    for group in groups:
        info = group.source.recording.info
        used = {number for number in chain_numbers(chains, info, group.source.channels) if number is not None}
        lines += [report(chains[number], group.source.rate_hz) for number in sorted(used)]
    return "\n".join(dict.fromkeys(lines))


def filter_words(chain: FilterChain) -> str:
    """Return a chain in the way of the headers of EDF: ``HP:1Hz LP:40Hz N:50Hz``; other stages by their name.

    Examples
    --------
    >>> from jaxscope.filters.chain_file import chain_from_dict
    >>> band = {"family": "butterworth", "band": "bandpass", "order": 4, "cutoff_hz": [1, 40]}
    >>> notch = {"family": "notch", "frequency_hz": 50, "q": 30}
    >>> filter_words(chain_from_dict({"format": "jaxscope-chain", "version": 1, "stages": [band, notch]}))
    'HP:1Hz LP:40Hz N:50Hz'
    """
    return " ".join(_stage_words(stage.spec) for stage in chain.stages if stage.enabled)


def _stage_words(spec: AbstractFilterSpec) -> str:
    band, cutoff = getattr(spec, "band", None), getattr(spec, "cutoff_hz", None)
    edges = cutoff if isinstance(cutoff, tuple) else (cutoff,)
    match band:
        case "highpass":
            return f"HP:{edges[0]:g}Hz"
        case "lowpass":
            return f"LP:{edges[0]:g}Hz"
        case "bandpass":
            return f"HP:{edges[0]:g}Hz LP:{edges[-1]:g}Hz"
        case "bandstop":
            return f"BS:{edges[0]:g}-{edges[-1]:g}Hz"
    if spec.family == "notch":
        return f"N:{getattr(spec, 'frequency_hz', 0.0):g}Hz"
    return spec.family


def select_channels(info: RecordingInfo, patterns: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of the channels to write, in file order; annotation channels are never among them.

    Raises
    ------
    UsageError
        Where a name or a glob fits no channel.
    """
    usable = [number for number, channel in enumerate(info.channels) if channel.is_drawable]
    if not patterns:
        return tuple(usable)
    chosen: set[int] = set()
    for pattern in patterns:
        found = [n for n in usable if _fits(pattern, info.channels[n])]
        if not found:
            raise _no_channel(pattern, [info.channels[n].name for n in usable])
        exact = [n for n in found if info.channels[n].name == pattern]
        chosen.update(exact or found)
    return tuple(sorted(chosen))


def _no_channel(pattern: str, names: Sequence[str]) -> UsageError:
    what = (
        f"no channel matches {pattern!r}"
        if any(sign in pattern for sign in "*?[")
        else f"no channel is called {pattern!r}"
    )
    listed = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    return UsageError(what, hint=f"there {'is' if len(names) == 1 else 'are'} {listed}", field="channels")


def _fits(pattern: str, channel: Channel) -> bool:
    return matches(pattern, channel.name, is_data=channel.is_data)


def _gaps_of(info: RecordingInfo, written: Sequence[int]) -> tuple[Gap, ...]:
    """Return the gaps of the channels that are written, which must be the same: a written file has one axis of time."""
    of_channel = {number: info.channels[number].gaps for number in written}
    found = {info.gaps if own is None else own: number for number, own in of_channel.items()}
    if len(found) > 1:
        first, second, *_ = (info.channels[number].name for number in found.values())
        raise ReadError(
            f"{first} and {second} begin or pause at different times, which a written file cannot keep",
            hint="choose channels of one time with --channels",
        )
    return next(iter(found), info.gaps)


def _range_of(info: RecordingInfo, options: BatchOptions, gaps: Sequence[Gap]) -> tuple[float, float]:
    """Return the written time in seconds of the recording; its start is moved out of a gap."""
    total_s = info.duration_s or 0.0
    start_s = 0.0 if options.start_s is None else options.start_s
    stop_s = total_s if options.stop_s is None else options.stop_s
    for name, value in (("start", start_s), ("stop", stop_s)):
        if not 0.0 <= value < float("inf"):
            raise UsageError(f"--{name} {value:g} is not a time in the recording", hint=f"it lasts {total_s:g} s")
    for gap in gaps:
        if gap.start_s <= start_s < gap.stop_s:
            start_s = gap.stop_s
    if stop_s <= start_s or start_s >= total_s:
        raise UsageError(
            f"nothing lies between {start_s:g} s and {stop_s:g} s", hint=f"the recording lasts {total_s:g} s"
        )
    return start_s, stop_s


def _groups(
    recording: Recording,
    chains: Sequence[FilterChain],
    options: BatchOptions,
    written: Sequence[int],
    start_s: float,
    stop_s: float,
    excluded: tuple[Annotation, ...] = (),
) -> tuple[tuple[BatchGroup, ...], list[str]]:
    info = recording.info
    groups: list[BatchGroup] = []
    warnings: list[str] = []
    for (rate_hz, n_samples), places in _members(info, written).items():
        channels = tuple(written[place] for place in places)
        timeline = info.timeline_of(channels[0])
        designs = _designs(chains, info, channels, rate_hz)
        warnings.extend(_design_words(designs, timeline.segments(rate_hz, n_samples), n_samples))
        span = timeline.span_between(start_s, stop_s, rate_hz)
        source = Source(
            recording=recording,
            rate_hz=rate_hz,
            channels=channels,
            designs=designs,
            device=options.device,
            precision=options.precision,
            method=options.method,
            bad=excluded_samples(excluded, info, channels, designs),
        )
        first, stop = min(span.start, n_samples), n_samples if options.stop_s is None else min(span.stop, n_samples)
        groups.append(BatchGroup(source=source, first_sample=first, stop_sample=stop, outputs=places))
    if not any(design is not None for group in groups for design in group.source.designs):
        warnings.append("no chain is for any channel that is written: all pass through unfiltered")
    if any(group.source.bad for group in groups):
        warnings.extend(excluded_words(excluded, start_s, stop_s))
    return tuple(groups), list(dict.fromkeys(warnings))


def _members(info: RecordingInfo, written: Sequence[int]) -> dict[tuple[float, int], tuple[int, ...]]:
    """Return the places among the written channels that share rate and length, by these."""
    members: dict[tuple[float, int], list[int]] = {}
    for place, number in enumerate(written):
        channel = info.channels[number]
        members.setdefault((channel.rate_hz or 0.0, channel.n_samples), []).append(place)
    return {key: tuple(places) for key, places in members.items()}


def _design_words(designs: Sequence[ChainDesign | None], segments: Sequence[Segment], n_samples: int) -> Iterator[str]:
    """Yield what is to be said of designs, and of segments that are too short for them."""
    used = [design for design in designs if design is not None]
    for design in used:
        yield from design.warnings
    shortest = min((len(segment.span) for segment in segments), default=n_samples)
    for design in set(used):
        yield from _short(design, shortest)


def _short(design: ChainDesign, n_samples: int) -> list[str]:
    """Return a warning where the shortest segment has no room for the padding of a zero-phase chain."""
    from jaxscope.engines.edges import pad_length

    if design.phase != "zero":
        return []
    wanted = [pad_length(part, design.padding_kind, design.padding_samples, EVERYTHING) for part in design.parts]
    longest = max(wanted, default=0)
    if design.padding_kind == "constant" or longest < n_samples:
        return []
    return [f"a segment of {n_samples} samples is too short for {longest} samples of padding: {n_samples - 1} are used"]


def _designs(
    chains: Sequence[FilterChain], info: RecordingInfo, channels: Sequence[int], rate_hz: float
) -> tuple[ChainDesign | None, ...]:
    designs: list[ChainDesign | None] = []
    for channel, number in zip(channels, chain_numbers(chains, info, channels), strict=True):
        if number is None:
            designs.append(None)
            continue
        made = design_or_refusal(chains[number], rate_hz)
        if isinstance(made, Refusal):
            raise made.in_chain(chains[number]).at_channel(info.channels[channel].name).to_error()
        designs.append(made)
    return tuple(designs)


def _shifted_annotations(annotations: Sequence[Annotation], start_s: float, stop_s: float) -> tuple[Annotation, ...]:
    """Return what reaches into the written time, cut to it, in seconds from its start."""
    kept: list[Annotation] = []
    for item in annotations:
        length_s = item.duration_s or 0.0
        if item.onset_s > stop_s or item.onset_s + length_s < start_s or (item.onset_s == stop_s and stop_s > 0):
            continue
        onset_s = max(item.onset_s, start_s)
        end_s = min(item.onset_s + length_s, stop_s)
        kept.append(
            replace(
                item,
                onset_s=onset_s - start_s,
                duration_s=None if item.duration_s is None else max(0.0, end_s - onset_s),
            )
        )
    return tuple(kept)


def _of_written(
    annotations: Sequence[Annotation], written: Sequence[Channel], warnings: list[str]
) -> tuple[Annotation, ...]:
    """Return events about channels that are written, or about all; say how many are about others only.

    What is about a recorded channel is about all that is made of it.
    """
    kept = []
    names = {channel.name for channel in written}
    for event in annotations:
        own = tuple(name for name in event.channels if name in names)
        own += tuple(
            one.name for one in written if one.made_of and one.is_among(event.channels) and one.name not in own
        )
        if own or not event.channels:
            kept.append(event if own == event.channels else replace(event, channels=own))
    n_left = len(annotations) - len(kept)
    if n_left:
        warnings.append(f"{counted(n_left, 'event')} about channels that are not written: left out")
    return tuple(kept)


def _shifted_gaps(gaps: Sequence[Gap], start_s: float, stop_s: float) -> tuple[Gap, ...]:
    """Return the gaps inside the written time, in seconds from its start."""
    return tuple(
        Gap(start_s=gap.start_s - start_s, stop_s=gap.stop_s - start_s)
        for gap in gaps
        if gap.start_s > start_s and gap.stop_s < stop_s
    )
