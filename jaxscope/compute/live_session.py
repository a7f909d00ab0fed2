"""A signal while it runs for one window: the source is polled, the streams are filtered, a frame is drawn.

One job does all of this each time the window asks (some thirty times a second), on the compute thread, and never waits:
what has not come yet is not there. A changed filter is prepared on another thread, while the one in use goes on. A
filter that cannot run (unstable, or not to be designed) is told as ``Blocked``, and the last one that could runs on.
Zero-phase chains need what comes after, so they wait, said by their names, until a person lets them run as causal ones.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from jaxscope.compute.bad_spans import excluded_of, excluded_samples
from jaxscope.compute.failures import failure_of
from jaxscope.compute.frames import Blocked, Grown, LivePosition
from jaxscope.compute.live_frame import live_request, live_steps
from jaxscope.compute.live_stream import StreamRun, Tuning, tunings_agree
from jaxscope.compute.plan import designs_of, plan
from jaxscope.compute.scheduler import Cancelled, CancelToken, Steps, Work
from jaxscope.compute.trace_job import deliver_frame
from jaxscope.compute.workbench import Shown, Wish, Workbench
from jaxscope.data.live import LiveSource, LiveStream
from jaxscope.data.live_sources import FileSource, live_streams
from jaxscope.errors import ReadError
from jaxscope.filters.coefficients import ChainDesign
from jaxscope.session.actions_live import LiveChoice, Running
from jaxscope.session.state import SessionState

#: Seconds and samples (channels times time) before the start that a filter settles on at most.
HISTORY_S, HISTORY_VALUES = 300.0, 20_000_000

#: makes the source when the filters are ready, from the seconds of history that they need
MakeSource = Callable[[LiveChoice, float], LiveSource]


class LiveSession:
    """A running signal; made where it begins, closed where it ends.

    Parameters
    ----------
    bench : Workbench
    running : {"play", "follow"}
    make : callable
        Makes the source.
    tune : callable
        Takes work that prepares filters, for another thread; a newer one replaces one that waits.
    """

    def __init__(self, bench: Workbench, running: Running, make: MakeSource, tune: Callable[[Work], object]) -> None:
        self._bench = bench
        self._running = running
        self._make, self._tune = make, tune
        self._source: LiveSource | None = None
        self._runs: tuple[StreamRun, ...] = ()
        self._wanted: tuple[Tuning, ...] = ()
        #: the last state whose filters could run
        self._good: SessionState | None = None
        #: what holds the filter, as it was told
        self._told: Blocked | None = None
        self._duration_s: float | None = None
        self._is_over = False
        self._closed = threading.Event()

    def close(self) -> None:
        """Let go of the source; what is still on its way does nothing."""
        self._closed.set()
        if self._source is not None:
            self._source.close()

    @property
    def position_s(self) -> float | None:
        """How far it is, None before it has begun."""
        return None if self._source is None else self._source.position_s

    def work(self, wish: Wish, then: Callable[[Shown], None]) -> Callable[[CancelToken], Steps]:
        """Return the work that takes what has come and draws it."""

        def work(token: CancelToken) -> Steps:
            try:
                yield from steps(token)
            except Cancelled:
                raise
            except Exception:
                # told once by whoever runs the work, not thirty times a second
                self._is_over = True
                self._tell_end(wish)
                raise

        def steps(token: CancelToken) -> Steps:
            if self._closed.is_set():
                return
            state, future = running_state(wish.state)
            tunings = self._tunings(wish, state)
            held = isinstance(tunings, Blocked)
            if isinstance(tunings, Blocked):
                self._tell_blocked(tunings)
                state = self._last_good(state)
                tunings = self._tunings(wish, state)
                if isinstance(tunings, Blocked):
                    raise TypeError("a filter that could run cannot any more")
            else:
                self._good, self._told = state, None
            if self._source is None:
                yield from self._begin(wish, tunings)
            elif not held:
                self._retune(tunings)
            yield from self._go_on(wish, future)
            token.check()
            yield from self._draw(wish, state, then, held=held)

        return work

    def _tell_blocked(self, blocked: Blocked) -> None:
        """Tell what holds the filter, once."""
        told = replace(blocked, revision=0)
        if told != self._told:
            self._told = told
            self._bench.deliver(blocked)

    # -- filters ---------------------------------------------------------------------------------------------------
    def _streams(self, wish: Wish) -> tuple[LiveStream, ...]:
        return tuple(run.stream for run in self._runs) or live_streams(wish.entry.recording.info)

    def _tunings(self, wish: Wish, state: SessionState) -> tuple[Tuning, ...] | Blocked:
        """Return what filters each stream, or why nothing can."""
        info, engine = wish.entry.recording.info, state.engine
        tunings = []
        for stream in self._streams(wish):
            designs = designs_of(state, info, stream.channels, stream.rate_hz, revision=wish.revision)
            if isinstance(designs, Blocked):
                return designs
            own = tuple(map(_forwards, designs))
            tunings.append(
                Tuning(
                    designs=own,
                    device=engine.device,
                    precision=engine.precision,
                    method=engine.method,
                    bad=excluded_samples(excluded_of(state.document), info, stream.channels, own),
                )
            )
        return tuple(tunings)

    def _last_good(self, state: SessionState) -> SessionState:
        """Return the state with the filters that ran last; without any where none has."""
        if self._good is None:
            return replace(state, document=replace(state.document, filter_on=False))
        good = self._good.document
        document = replace(state.document, chains=good.chains, filter_on=good.filter_on)
        return replace(state, document=document, engine=self._good.engine)

    def _begin(self, wish: Wish, tunings: tuple[Tuning, ...]) -> Steps:
        """Make the streams, compile all that will run, then make the source: its clock begins when all is ready."""
        streams = self._streams(wish)
        programs = self._bench.programs
        runs = tuple(StreamRun(stream, tuning, programs) for stream, tuning in zip(streams, tunings, strict=True))
        with self._bench.busy("compiling", f"Preparing the filter on {wish.state.engine.device}"):
            for run in runs:
                run.prepare(run.tuning)
                yield
        self._wanted, self._runs = tunings, runs
        self._duration_s = wish.entry.recording.info.duration_s
        if not self._closed.is_set():
            source = self._source = self._make(wish.state.live, history_s(runs))
            if self._closed.is_set():  # meanwhile, by another thread, which has seen no source
                source.close()

    def _retune(self, tunings: tuple[Tuning, ...]) -> None:
        """Let other filters be prepared, where others are wanted."""
        if tunings == self._wanted or tunings_agree(self._runs, tunings):
            self._wanted = tunings
            return
        self._wanted = tunings
        pairs = tuple(zip(self._runs, tunings, strict=True))

        def prepare(token: CancelToken) -> None:
            for run, tuning in pairs:
                token.check()
                if run.tuning != tuning:
                    run.adopt(run.prepare(tuning))

        self._tune(prepare)

    # -- the signal ------------------------------------------------------------------------------------------------
    def _go_on(self, wish: Wish, future: tuple[int, ...]) -> Steps:
        """Take what has come and filter it; tell how far it is."""
        source = self._source
        if source is None:
            return
        if isinstance(source, FileSource) and source.speed != wish.state.live.speed:
            source.set_speed(wish.state.live.speed)
        try:
            blocks = source.poll()
        except ReadError as error:
            self._bench.deliver(failure_of("live", error, wish.state, wish.revision))
            self._is_over, blocks = True, ()
        for block in blocks:
            run = self._runs[block.stream]
            run.take(block)
            run.advance()
            yield
        self._is_over = self._is_over or source.has_ended
        if self._is_over:
            for run in self._runs:
                run.advance(whole=True)
        self._tell_growth(wish)
        if not self._closed.is_set():
            self._bench.deliver(self._position(wish, source, future))

    def _tell_end(self, wish: Wish) -> None:
        """Tell that nothing more comes, where it could not even begin too."""
        self._bench.deliver(
            LivePosition(
                recording_id=wish.entry.id,
                running="follow" if self._running == "follow" else "play",
                position_s=wish.state.live.start_s if self._source is None else self._source.position_s,
                speed=wish.state.live.speed,
                dropped=0,
                latency_s=0.0,
                over=True,
            )
        )

    def _tell_growth(self, wish: Wish) -> None:
        info = wish.entry.recording.info
        if info.duration_s != self._duration_s:
            self._duration_s = info.duration_s
            wish.entry.cache.clear()  # what was kept of the end had another length
            self._bench.deliver(Grown(recording_id=wish.entry.id, info=info))

    def _position(self, wish: Wish, source: LiveSource, future: tuple[int, ...]) -> LivePosition:
        live = wish.state.live
        return LivePosition(
            recording_id=wish.entry.id,
            running="follow" if self._running == "follow" else "play",
            position_s=source.position_s,
            speed=source.speed if isinstance(source, FileSource) else 1.0,
            dropped=sum(run.dropped for run in self._runs),
            latency_s=max((run.latency_s for run in self._runs), default=0.0),
            note=source.note,
            future=future,
            as_causal=live.as_causal,
            over=self._is_over,
        )

    def _draw(self, wish: Wish, state: SessionState, then: Callable[[Shown], None], *, held: bool) -> Steps:
        request = plan(state, wish.entry.recording.info, self._bench.width_px, revision=wish.revision)
        if isinstance(request, Blocked) or self._closed.is_set():
            return
        request = live_request(request, self._runs)
        rendered = yield from live_steps(request, self._runs, wish.entry.cache)
        if self._closed.is_set():
            return
        shown = Shown(wish=wish, request=request, rendered=rendered)
        settled = all(run.after.stop_sample >= run.settled_from for run in self._runs)
        deliver_frame(self._bench, shown, settled=settled, held=held)
        if not held:
            then(shown)


def running_state(state: SessionState) -> tuple[SessionState, tuple[int, ...]]:
    """Return the state as it runs, and the numbers of the chains that need the future.

    These run as causal ones where a person has said so; else they stay as they are and ``_forwards`` leaves them out.
    """
    chains = state.document.chains
    future = tuple(number for number, chain in enumerate(chains) if chain.phase == "zero")
    if not future or not state.document.filter_on:
        return state, () if not state.document.filter_on else future
    if state.live.as_causal:
        chains = tuple(replace(chain, phase="causal") if chain.phase == "zero" else chain for chain in chains)
        state = replace(state, document=replace(state.document, chains=chains))
    return state, future


def _forwards(design: ChainDesign | None) -> ChainDesign | None:
    """Return a design that runs forwards only, None for one that does not."""
    return None if design is None or design.phase == "zero" else design


def history_s(runs: tuple[StreamRun, ...]) -> float:
    """Return how much signal before the start the filters need, within bounds."""
    longest = 0.0
    for run in runs:
        most = min(HISTORY_S * run.stream.rate_hz, HISTORY_VALUES / len(run.stream.channels))
        longest = max(longest, min(run.tuning.context_samples, most) / run.stream.rate_hz)
    return longest
