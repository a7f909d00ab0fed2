"""From what was chosen to what has to be read and filtered: pure, and without touching a sample.

``plan`` turns (state, info, width) into a ``RenderRequest``: for each rate the visible channels with their
coefficients, the bin size, and for each continuous segment that the window shows one ``Piece``, which says what to show
and how much more to read so that the filter has settled. Invariants: bins are anchored to absolute samples; where a
segment's true start (or end, in zero phase) is within reach it is read, because only there the initial state is right;
a piece that could not reach far enough says so.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from jaxscope.compute.bad_spans import excluded_of, excluded_samples, parted_chains
from jaxscope.compute.delays import delay_of
from jaxscope.compute.designs import Refusal, chain_numbers, design_or_refusal, distinct
from jaxscope.compute.frames import Blocked
from jaxscope.compute.shown_channels import alike_channels, visible_channels
from jaxscope.data.bad_spans import NOTHING_BAD, BadSamples
from jaxscope.data.recording import RecordingInfo
from jaxscope.data.timeline import Segment
from jaxscope.display.envelope import bin_size
from jaxscope.filters.coefficients import ChainDesign, Sections
from jaxscope.session.state import SessionState

#: Samples (filtered channels times time) that a live frame reads and filters at most for one rate.
LIVE_VALUES = 6_000_000
#: Samples (channels times time) that are read at least where something is filtered: what the engine takes at once.
LEAST_VALUES = 262_144
#: Samples (channels times time) of a tile: enough for two cores, and few enough to stay in their caches.
TILE_VALUES = 1 << 19
#: Samples of a tile at least and at most.
LEAST_TILE, MOST_TILE = 4096, 1 << 14
#: Tiles of a window, about, for which tiles may have so many samples (channels times time).
FEW_TILES, LARGE_TILE_VALUES = 3, 1 << 22
#: How much more than it needs a piece reads at most, to have a length that has run before.
LONGER = 1.75
#: Samples of a window at most, as bins are made: at a rate of 1e300 Hz the shortest window has more than anyone counts.
MOST_IN_WINDOW = 2.0**40
#: Context in samples that no segment exceeds: "from its start".
EVERYTHING = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What is shown of one continuous segment, and what is read for it; all spans half-open, in stored samples.

    The time of sample ``s`` is ``s / rate_hz + shift_s``. ``settled`` is False where the read span is too short.
    ``before`` and ``after`` are the samples of context that any part of it needs on its left and right.
    """

    segment_first: int
    segment_stop: int
    show_first: int
    show_stop: int
    read_first: int
    read_stop: int
    shift_s: float
    before: int
    after: int
    settled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRequest:
    """The visible channels of one rate: which, through which coefficients (None: raw), how coarse, and where."""

    rate_hz: float
    channels: tuple[int, ...]
    #: samples that the recording holds of each channel
    n_recorded: int
    designs: tuple[ChainDesign | None, ...]
    bin_samples: int
    context_samples: int
    pieces: tuple[Piece, ...]
    #: samples that are read, kept and filtered at a time where the group is causal
    tile_samples: int
    #: whether what the filter takes away is looked at: its envelope and its size cost as much as the traces
    wants_difference: bool = False
    #: samples that the filters do not see
    bad: BadSamples = NOTHING_BAD

    @property
    def filtered(self) -> tuple[bool, ...]:
        """Whether a chain is for each channel."""
        return tuple(design is not None for design in self.designs)

    @property
    def is_causal(self) -> bool:
        """Whether everything that filters the group runs forwards only, so that it may run tile by tile."""
        return _are_causal(self.designs)


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderRequest:
    """Everything that ``render`` needs to know."""

    start_s: float
    stop_s: float
    groups: tuple[GroupRequest, ...]
    device: str
    precision: str
    method: str

    @property
    def settled(self) -> bool:
        """Whether every piece reads all the context it needs."""
        return all(piece.settled for group in self.groups for piece in group.pieces)


def tile_samples(n_channels: int, n_samples: float = 0) -> int:
    """Return how many samples of causal channels are worked on at a time in a window: a power of two.

    Tiles begin at whole multiples after the start of their segment, so panning finds those that have been read. A long
    window has longer ones, so that it has few.
    """
    n_channels = max(1, n_channels)
    least = min(int(min(n_samples, MOST_IN_WINDOW)) // FEW_TILES, LARGE_TILE_VALUES // n_channels)
    wanted = min(max(TILE_VALUES // n_channels, LEAST_TILE, least), MOST_TILE)
    return 1 << (wanted.bit_length() - 1)


def _are_causal(designs: Sequence[ChainDesign | None]) -> bool:
    return all(design.phase != "zero" for design in distinct(designs))


def plan(
    state: SessionState,
    info: RecordingInfo,
    width_px: int,
    *,
    revision: int = 0,
    live_values: int = LIVE_VALUES,
) -> RenderRequest | Blocked:
    """Return what a frame of this state needs, or why there can be none.

    Parameters
    ----------
    state : SessionState
    info : RecordingInfo
    width_px : int
        Device pixels of the time axis.
    revision : int
        Number of the state, for ``Blocked``.
    live_values : int
        Bound of the samples that are filtered for one rate; what needs more is not settled.
    """
    viewport = state.viewport
    start_s, stop_s = viewport.start_s, viewport.start_s + viewport.duration_s
    groups: list[GroupRequest] = []
    for rate_hz, channels in alike_channels(info, visible_channels(state, info)):
        designs = designs_of(state, info, channels, rate_hz, revision=revision)
        if isinstance(designs, Blocked):
            return designs
        early_s, late_s = _lined_up(state, rate_hz)
        groups.append(
            _group(
                info,
                rate_hz,
                channels,
                designs,
                start_s + early_s,
                stop_s + late_s,
                width_px=width_px,
                live_values=live_values,
                wants_difference=viewport.mode == "difference",
                bad=excluded_samples(excluded_of(state.document), info, channels, designs),
            )
        )
    return RenderRequest(
        start_s=start_s,
        stop_s=stop_s,
        groups=tuple(groups),
        device=state.engine.device,
        precision=state.engine.precision,
        method=state.engine.method,
    )


def _lined_up(state: SessionState, rate_hz: float) -> tuple[float, float]:
    """Return how far before and after the window samples are drawn in it, where After is drawn earlier by its delay."""
    if not state.viewport.line_up or not state.document.filter_on:
        return 0.0, 0.0
    delays = [delay[0] for chain in state.document.chains if (delay := delay_of(chain, rate_hz)) is not None]
    most_s = state.viewport.duration_s
    return max(-most_s, min(0.0, *delays, 0.0)), min(most_s, max(0.0, *delays, 0.0))


def designs_of(
    state: SessionState, info: RecordingInfo, channels: Sequence[int], rate_hz: float, *, revision: int = 0
) -> tuple[ChainDesign | None, ...] | Blocked:
    """Return the coefficients of each channel (None where it stays raw), or why there can be no frame."""
    chains = parted_chains(state.document.chains, excluded_of(state.document))
    if not state.document.filter_on or not chains:
        return (None,) * len(channels)
    designs: list[ChainDesign | None] = []
    # most channels share a chain, and to hash one takes longer than to look
    known: dict[int, ChainDesign] = {}
    is_mixed = len({channel.rate_hz for channel in info.channels if channel.is_data}) > 1
    for channel, number in zip(channels, chain_numbers(chains, info, channels), strict=True):
        if number is None:
            designs.append(None)
            continue
        if number in known:
            designs.append(known[number])
            continue
        made = design_or_refusal(chains[number], rate_hz)
        if isinstance(made, Refusal):
            named = made.at_channel(info.channels[channel].name) if is_mixed and made.kind == "design" else made
            return blocked_by(named, number, revision)
        known[number] = made
        designs.append(made)
    return tuple(designs)


def blocked_by(refusal: Refusal, chain: int, revision: int) -> Blocked:
    """Return a refusal as the outcome that the window shows."""
    return Blocked(
        revision=revision,
        reason=refusal.reason,
        hint=refusal.hint,
        kind=refusal.kind,
        chain=chain,
        stage=refusal.stage,
        field=refusal.field,
        pole_radius=refusal.pole_radius,
    )


def context_of(design: ChainDesign) -> int:
    """Return how many samples around a window decide what it shows, ``EVERYTHING`` where all do.

    Where missing samples propagate, a recursive part carries a NaN of any age into the window.
    """
    from jaxscope.engines.settling import context_samples

    if design.gaps == "propagate" and any(isinstance(part, Sections) for part in design.parts):
        return EVERYTHING
    padding = design.padding_samples or 0 if design.phase == "zero" else 0
    return min(EVERYTHING, context_samples(design) + padding)


def bucket(n_samples: int, least: int = 64) -> int:
    """Return the length that is read in place of ``n_samples``: at least a chunk of the engine, then eight an octave.

    So one compiled shape serves nearly all windows, also while a knob changes how much context they need.
    """
    wanted = max(n_samples, least, 64)
    eighth = 1 << ((wanted - 1).bit_length() - 4)
    return -(-wanted // eighth) * eighth


def lengthened(group: GroupRequest, lengths: Collection[int]) -> GroupRequest:
    """Return a group whose pieces read as much as was read before, where that is a little more than they need.

    A knob that is turned back and forth changes how much context is needed; a length that has run is compiled already.
    """
    return replace(group, pieces=tuple(_lengthened(piece, lengths) for piece in group.pieces))


def _lengthened(piece: Piece, lengths: Collection[int]) -> Piece:
    own = piece.read_stop - piece.read_first
    suiting = [length for length in lengths if own <= length <= LONGER * own]
    if own in lengths or not suiting:
        return piece
    more = min(suiting) - own
    left = min(more, piece.read_first - piece.segment_first)
    right = min(more - left, piece.segment_stop - piece.read_stop)
    if left + right < more:  # it would be another length after all
        return piece
    return replace(piece, read_first=piece.read_first - left, read_stop=piece.read_stop + right)


def _group(
    info: RecordingInfo,
    rate_hz: float,
    channels: tuple[int, ...],
    designs: tuple[ChainDesign | None, ...],
    start_s: float,
    stop_s: float,
    *,
    width_px: int,
    live_values: int,
    wants_difference: bool,
    bad: BadSamples,
) -> GroupRequest:
    active = [design for design in designs if design is not None]
    context = max((context_of(design) for design in distinct(active)), default=0)
    zero_phase = any(design.phase == "zero" for design in distinct(active))
    bins = bin_size(min((stop_s - start_s) * rate_hz, MOST_IN_WINDOW), width_px)
    n_samples = info.channels[channels[0]].n_samples
    pieces: list[Piece] = []
    tile = tile_samples(len(channels), (stop_s - start_s) * rate_hz)
    for segment in info.timeline_of(channels[0]).segments(rate_hz, n_samples):
        shown = _shown_span(segment, rate_hz, start_s, stop_s, bins)
        if shown is not None:
            most = live_values // max(1, len(active))
            # a long window is worked through in chunks, each with context of its own
            room = max(most // 4, most - (shown[1] - shown[0]))
            reach = min(context, room // (2 if zero_phase else 1))
            pieces.append(
                _piece(
                    segment,
                    rate_hz,
                    shown,
                    reach=reach,
                    enough=reach >= context,
                    zero_phase=zero_phase,
                    least=min(LEAST_VALUES, live_values) // max(1, len(active)) if zero_phase else 0,
                    tile=tile if _are_causal(designs) else 1,
                )
            )
    return GroupRequest(
        rate_hz=rate_hz,
        channels=channels,
        n_recorded=n_samples,
        designs=designs,
        bin_samples=bins,
        context_samples=context,
        pieces=tuple(pieces),
        tile_samples=tile,
        wants_difference=wants_difference,
        bad=bad,
    )


def _shown_span(segment: Segment, rate_hz: float, start_s: float, stop_s: float, bins: int) -> tuple[int, int] | None:
    """Return the samples of a segment that a window shows, widened to whole bins and one more on either side."""
    stop_of_segment_s = segment.start_s + (segment.stop_sample - segment.first_sample) / rate_hz
    if stop_of_segment_s <= start_s or segment.start_s >= stop_s:
        return None
    first = segment.first_sample + int((start_s - segment.start_s) * rate_hz // 1)
    stop = segment.first_sample - int(-(stop_s - segment.start_s) * rate_hz // 1)
    first = (first // bins - 1) * bins
    stop = (-(-stop // bins) + 1) * bins
    return max(segment.first_sample, first), min(segment.stop_sample, stop)


def _piece(
    segment: Segment,
    rate_hz: float,
    shown: tuple[int, int],
    *,
    reach: int,
    enough: bool,
    zero_phase: bool,
    least: int,
    tile: int,
) -> Piece:
    """Return a piece that reads ``reach`` samples of context or more: whole tiles, or a bucket where there is room."""
    read_first = max(segment.first_sample, shown[0] - reach)
    read_first -= (read_first - segment.first_sample) % tile
    read_stop = min(segment.stop_sample, shown[1] + reach) if zero_phase else shown[1]
    if least:
        more = bucket(read_stop - read_first, least) - (read_stop - read_first)
        left = min(more, read_first - segment.first_sample)
        read_first -= left
        read_stop = min(segment.stop_sample, read_stop + more - left)
    settled = (enough or read_first == segment.first_sample) and (
        not zero_phase or enough or read_stop == segment.stop_sample
    )
    return Piece(
        segment_first=segment.first_sample,
        segment_stop=segment.stop_sample,
        show_first=shown[0],
        show_stop=shown[1],
        read_first=read_first,
        read_stop=read_stop,
        shift_s=segment.start_s - segment.first_sample / rate_hz,
        before=reach,
        after=reach if zero_phase else 0,
        settled=settled,
    )
