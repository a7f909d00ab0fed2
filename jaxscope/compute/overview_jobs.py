"""The whole recording at the width of the overview: *Before* coarse to fine, then *After* block by block.

*Before* is read on the file thread in an order that is far apart first, so that the shape of a long recording is
there at once and fills up. *After* does the same on the compute thread where its filter forgets soon enough, yields to
whatever is tuned, and begins again when the chain changes. Both show channels of the active chain as one envelope: the
mean of their envelopes, each about its own centre.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jaxscope.compute.bad_spans import excluded_of, excluded_samples
from jaxscope.compute.designs import chain_numbers
from jaxscope.compute.envelopes import Envelope
from jaxscope.compute.frames import Blocked, OverviewFrame
from jaxscope.compute.plan import context_of, designs_of
from jaxscope.compute.pyramid_cache import cache_path, keep_pyramid, load_pyramid
from jaxscope.compute.scheduler import CancelToken, Steps
from jaxscope.compute.shown_channels import alike_channels
from jaxscope.compute.stream import Source, filtered_blocks
from jaxscope.compute.workbench import Wish, Workbench
from jaxscope.data.recording import RecordingInfo
from jaxscope.display.pyramid import Pyramid, overview_edges, spread_order
from jaxscope.filters.coefficients import ChainDesign
from jaxscope.session.state import SessionState

FloatArray = npt.NDArray[np.float64]
#: Channels that the overview looks at, spread over those of the chain.
MOST_CHANNELS = 8
#: Samples (channels times time) of one step.
STEP_VALUES = 500_000
#: Samples (channels times time) from which on the pyramid of *Before* is kept on the disk.
KEPT_FROM_VALUES = 8_000_000
#: A part of *After* is at least so many times as long as the context that it reads besides.
CONTEXTS_A_PART = 4
#: Parts below which there is one.
FEWEST_PARTS = 8
#: Least time between two pictures while it fills up.
PICTURE_S = 0.25


@dataclass(slots=True)
class Overview:
    """Both pyramids of the present recording; the threads that fill them hold the lock while they write and read."""

    key: object = None
    channels: tuple[int, ...] = ()
    rate_hz: float = 1.0
    before: Pyramid | None = None
    after: Pyramid | None = None
    after_key: object = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    @staticmethod
    def key_of(wish: Wish) -> object:
        """Return what the pyramids of a wish are about: the recording and the channels."""
        return wish.entry.id, overview_channels(wish.state, wish.entry.recording.info)

    def suits(self, wish: Wish) -> bool:
        """Whether the pyramid of *Before* is of the recording and the channels of a wish."""
        return self.key == self.key_of(wish)

    def begin(self, wish: Wish) -> None:
        """Make empty pyramids for a wish."""
        info = wish.entry.recording.info
        rate_hz, channels = overview_channels(wish.state, info)
        n_samples = info.channels[channels[0]].n_samples if channels else 0
        with self.lock:
            self.key = self.key_of(wish)
            self.channels, self.rate_hz = channels, rate_hz
            self.before = Pyramid(len(channels), n_samples)


#: the recording, what else the channels follow from, and the last answer: it is asked for at every edit
_last: list[tuple[RecordingInfo, tuple[object, ...], tuple[float, tuple[int, ...]]]] = []


def overview_channels(state: SessionState, info: RecordingInfo) -> tuple[float, tuple[int, ...]]:
    """Return the channels that the overview shows, and their rate: some of the active chain's, else of all signals."""
    key = (tuple(chain.channels for chain in state.document.chains), state.viewport.active_chain)
    for known, known_key, answer in _last:  # a snapshot: other threads replace it as a whole
        if known is info and known_key == key:
            return answer
    answer = _chosen_channels(state, info)
    _last[:] = [(info, key, answer)]
    return answer


def _chosen_channels(state: SessionState, info: RecordingInfo) -> tuple[float, tuple[int, ...]]:
    signals = [number for number, channel in enumerate(info.channels) if channel.is_data]
    signals = signals or [number for number, channel in enumerate(info.channels) if channel.is_drawable]
    if state.document.chains:
        numbers = chain_numbers(state.document.chains, info, signals)
        own = [
            channel
            for channel, chain in zip(signals, numbers, strict=True)
            if chain is not None and chain == state.viewport.active_chain
        ]
        signals = own or signals
    groups = alike_channels(info, signals)
    if not groups:
        return 1.0, ()
    # the highest rate first: slow channels would turn a short recording into a few coarse blocks
    rate_hz, channels = max(groups, key=lambda group: (group[0], len(group[1])))
    return rate_hz, channels[:: -(-len(channels) // MOST_CHANNELS)]


def before_work(bench: Workbench, wish: Wish, overview: Overview) -> Callable[[CancelToken], Steps]:
    """Return the work that reads the whole recording into the pyramid of *Before*, or finds it where it is kept."""

    def work(token: CancelToken) -> Steps:
        overview.begin(wish)
        pyramid, channels = overview.before, overview.channels
        if pyramid is None or not channels:
            return
        kept_at = _kept_at(wish, channels, pyramid.n_samples)
        kept = None if kept_at is None else load_pyramid(kept_at, len(channels), pyramid.n_samples)
        if kept is not None:
            with overview.lock:
                overview.before = kept
            deliver_overview(bench, wish, overview)
            return
        yield
        length = max(1, STEP_VALUES // len(channels) // pyramid.base_samples) * pyramid.base_samples
        count = -(-pyramid.n_samples // length)
        said_at = -1e9
        for done, number in enumerate(spread_order(count), start=1):
            token.check()
            first = number * length
            x = wish.entry.recording.read(first, min(first + length, pyramid.n_samples), channels)
            with overview.lock:
                pyramid.add(first, x)
            if done == count or time.monotonic() - said_at > PICTURE_S:
                deliver_overview(bench, wish, overview)
                said_at = time.monotonic()
            yield
        if kept_at is not None:
            keep_pyramid(kept_at, pyramid)

    return work


def _kept_at(wish: Wish, channels: tuple[int, ...], n_samples: int) -> Path | None:
    """Return where the pyramid of a wish is kept; None where it is read as quickly as it is found, or of a part."""
    if len(channels) * n_samples < KEPT_FROM_VALUES or not wish.entry.recording.is_whole:
        return None
    reference = wish.state.document.recording
    options: object = None if reference is None else reference.options
    montage = wish.state.document.montage
    return cache_path(wish.entry.path, channels, n_samples, options if montage is None else (options, montage))


def after_work(bench: Workbench, wish: Wish, overview: Overview) -> Callable[[CancelToken], Steps]:
    """Return the work that filters the whole recording into the pyramid of *After*."""

    def work(token: CancelToken) -> Steps:
        recording = wish.entry.recording
        rate_hz, channels = overview_channels(wish.state, recording.info)
        designs = designs_of(wish.state, recording.info, channels, rate_hz)
        if isinstance(designs, Blocked) or not channels or all(design is None for design in designs):
            with overview.lock:
                overview.after = None
            return
        n_samples = recording.info.channels[channels[0]].n_samples
        pyramid = Pyramid(len(channels), n_samples)
        source = _source(wish, rate_hz, channels, designs)
        with overview.lock:
            overview.after, overview.after_key = pyramid, overview.key_of(wish)
        said_at = time.monotonic()
        yield
        for first, stop in after_spans(source, pyramid.base_samples):
            adder = _WholeBins(pyramid, overview.lock)
            blocks = filtered_blocks(
                source, bench.programs, first_sample=first, stop_sample=stop, block_values=STEP_VALUES, tick=True
            )
            for block in blocks:
                token.check()
                if block is not None:
                    adder.add(block.first_sample, block.after)
                if time.monotonic() - said_at > PICTURE_S:
                    deliver_overview(bench, wish, overview)
                    said_at = time.monotonic()
                yield
            adder.finish()
        deliver_overview(bench, wish, overview)

    return work


def _source(wish: Wish, rate_hz: float, channels: tuple[int, ...], designs: tuple[ChainDesign | None, ...]) -> Source:
    """Return what the whole recording is filtered from, and with what."""
    recording, engine = wish.entry.recording, wish.state.engine
    return Source(
        recording=recording,
        rate_hz=rate_hz,
        channels=channels,
        designs=designs,
        device=engine.device,
        precision=engine.precision,
        method=engine.method,
        bad=excluded_samples(excluded_of(wish.state.document), recording.info, channels, designs),
    )


def after_spans(source: Source, base_samples: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a recording in which *After* is worked out, each once: far apart first, then filling up.

    A part in the middle has to read its context again, so parts are several times as long as that; where the filter
    remembers too much for more than a few of them, the recording is one part.
    """
    context = max((context_of(design) for design in set(source.designs) if design is not None), default=0)
    wanted = max(STEP_VALUES // len(source.channels), CONTEXTS_A_PART * context)
    length = -(-wanted // base_samples) * base_samples
    count = -(-source.n_samples // length)
    if count < FEWEST_PARTS:
        yield 0, source.n_samples
        return
    for number in spread_order(count):
        yield number * length, min((number + 1) * length, source.n_samples)


class _WholeBins:
    """Hands blocks of any length to a pyramid that takes whole bins only."""

    def __init__(self, pyramid: Pyramid, lock: threading.Lock) -> None:
        self._pyramid, self._lock = pyramid, lock
        self._first = 0
        self._rest: FloatArray | None = None

    def add(self, first_sample: int, x: FloatArray) -> None:
        """Add a block that follows the one before."""
        if self._rest is not None and self._rest.shape[1]:
            x = np.concatenate([self._rest, x], axis=1)
        else:
            self._first = first_sample
        whole = x.shape[1] // self._pyramid.base_samples * self._pyramid.base_samples
        if whole:
            with self._lock:
                self._pyramid.add(self._first, x[:, :whole])
        self._first += whole
        self._rest = np.array(x[:, whole:])

    def finish(self) -> None:
        """Add what is left at the end."""
        if self._rest is not None and self._rest.shape[1]:
            with self._lock:
                self._pyramid.add(self._first, self._rest)
            self._rest = None


def deliver_overview(bench: Workbench, wish: Wish, overview: Overview) -> None:
    """Deliver a picture of what is known of both pyramids."""
    with overview.lock:
        before = overview.before
        after = overview.after if overview.after_key == overview.key else None
        if before is None or not overview.channels:
            return
        if after is not None and after.n_samples != before.n_samples:
            after = None  # of the recording before it grew
        edges = overview_edges(before.n_samples, bench.overview_px)
        low, high = _as_one(*before.overview(edges))
        filtered = None if after is None else _as_one(*after.overview(edges))
        shares = before.share, 0.0 if after is None else after.share
        rate_hz = overview.rate_hz
    timeline = wish.entry.recording.info.timeline_of(overview.channels[0])
    bench.deliver(
        OverviewFrame(
            revision=wish.revision,
            recording_id=wish.entry.id,
            edges_s=_seconds_of(edges, rate_hz, timeline.second_of),
            before=Envelope(low=low, high=high),
            after=None if filtered is None else Envelope(low=filtered[0], high=filtered[1]),
            read_share=shares[0],
            filtered_share=shares[1],
        )
    )


def _seconds_of(edges: npt.NDArray[np.int64], rate_hz: float, second_of: Callable[[int, float], float]) -> FloatArray:
    """Return the times of sample numbers; the last is the end of the sample before it."""
    seconds = [second_of(int(edge), rate_hz) for edge in edges[:-1]]
    seconds.append(second_of(int(edges[-1]) - 1, rate_hz) + 1.0 / rate_hz)
    return np.array(seconds)


def _as_one(low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean envelope of the channels, each about its own centre, shape (1, n_bins)."""
    known = np.isfinite(low)
    middle = np.where(known, 0.5 * (low + high), np.nan)
    centre = np.array([np.median(row[mask]) if mask.any() else 0.0 for row, mask in zip(middle, known, strict=True)])
    count = np.maximum(known.sum(axis=0), 1)
    some = known.any(axis=0)
    mean_low = np.where(some, np.nansum(low - centre[:, None], axis=0) / count, np.nan)
    mean_high = np.where(some, np.nansum(high - centre[:, None], axis=0) / count, np.nan)
    return mean_low[None, :], mean_high[None, :]
