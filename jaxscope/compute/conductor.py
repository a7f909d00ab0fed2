"""The one door between the window (or a test) and the compute side.

It listens to a ``Store``, submits jobs for what changed, and hands their outcomes to ``deliver`` on worker threads. Who
dispatches does nothing but submit. A recording is drawn once the state has its path: on ``Opened`` this is dispatched.
Workers call back here too (``_followers``, ``_take_whole``, ``_failed``): they read the state, which is one immutable
value, and change nothing but what is locked by itself and ``Workbench.shown``, which is exchanged as a whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from jaxscope.compute.ahead_job import AheadDesk
from jaxscope.compute.analysis_job import AnalysisJobs
from jaxscope.compute.bad_spans import excluded_of
from jaxscope.compute.design_job import DesignJobs, is_of_other_rate
from jaxscope.compute.export_job import AnyExport, ExportRequest
from jaxscope.compute.failures import failure_of
from jaxscope.compute.fit_job import FitJobs
from jaxscope.compute.folder_job import FolderJobs
from jaxscope.compute.frames import ExportProgress, Failure, Outcome
from jaxscope.compute.indexing import IndexDesk
from jaxscope.compute.lanes import ENDED_WITH_RECORDING, window_lanes
from jaxscope.compute.library import OpenRecording, RecordingLibrary
from jaxscope.compute.live_desk import LiveDesk
from jaxscope.compute.measures import measure_work
from jaxscope.compute.montaged import Montages, opened_id
from jaxscope.compute.opening import OpenRequest, grown_of, open_work
from jaxscope.compute.overview_jobs import Overview, after_work, before_work
from jaxscope.compute.prepare import prepare
from jaxscope.compute.read_watch import ReadWatch
from jaxscope.compute.scheduler import THREADS, CancelToken, Lane, Scheduler
from jaxscope.compute.seen import compared, window_of
from jaxscope.compute.sensitivity_job import is_wanted, numbers_seen, sensitivity_work
from jaxscope.compute.sweep_job import SweepJobs
from jaxscope.compute.trace_job import settle_work, trace_work
from jaxscope.compute.workbench import Shown, Wish, Workbench
from jaxscope.data.recording import RecordingInfo
from jaxscope.errors import ReadError, SpecError
from jaxscope.session.state import RecordingRef, SessionState, in_force
from jaxscope.session.store import Store

__all__ = ["Conductor", "ExportRequest"]


class Conductor:
    """Drives reading, filtering and exporting for one window.

    Parameters
    ----------
    store : Store
        Belongs to the thread that makes the conductor.
    deliver : callable
        Gets each outcome, on a worker thread (inline: on the caller's).
    run_inline : bool
        Do each job where it is submitted, before the call returns.
    """

    def __init__(self, store: Store, deliver: Callable[[Outcome], None], *, run_inline: bool = False) -> None:
        self._store = store
        self._watch = ReadWatch(deliver)
        self._bench = Workbench(deliver=deliver, recordings=RecordingLibrary(self._watch))
        self._overview = Overview()
        self._montages = Montages()
        self._designs = DesignJobs(self._bench)
        self._exports = 0
        self._closed = False
        self._scheduler = Scheduler(window_lanes(time.monotonic()), on_error=self._failed, run_inline=run_inline)
        self._index = IndexDesk(self._bench, self._watch, self._scheduler, self._take_whole)
        self._live = LiveDesk(self._bench, lambda work: self._scheduler.submit("live-tune", work))
        self._analysis = AnalysisJobs(store, self._bench, self._scheduler)
        self._ahead = AheadDesk(self._bench, self._scheduler)
        self.folders = FolderJobs(self._bench, self._scheduler)
        self.sweeps = SweepJobs(self._bench, self._scheduler)
        self.fits = FitJobs(self._bench, self._scheduler, self._entry)
        self._unsubscribe = store.subscribe(self._changed)
        if not run_inline:
            self._scheduler.submit("prepare", prepare)
        self._submit_design()

    # -- what the window asks for --------------------------------------------------------------------------------
    def open(
        self,
        path: str,
        *,
        rate_hz: float | None = None,
        known: RecordingRef | None = None,
        options: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """Open a recording on the file thread; the outcome is Opened, or Failure.

        What it is ``known`` by tells whether it has changed; ``options`` are what was told about it.
        """
        revision = self._store.revision

        def fail(error: ReadError) -> Failure:
            return failure_of("open", error, self._store.state, revision)

        request = OpenRequest(path=path, rate_hz=rate_hz, known=known, options=options)
        self._scheduler.submit("open", open_work(self._bench, self._watch, request, fail, self._index.begin))

    def preview(self, path: str, told: dict[str, str], rate_hz: float | None) -> None:
        """Read the begin of a file with what has been told about it; the outcome is ImportPreview, or Failure."""

        def work(token: CancelToken) -> None:
            from jaxscope.compute.import_form import preview_import

            found = preview_import(path, told, rate_hz)
            token.check()
            self._bench.deliver(found)

        self._scheduler.submit("preview", work)

    def take_up(self) -> None:
        """Draw the recording that was opened and that the state refers to already."""
        self._recording_changed(self._store.state)
        self._tell_montage()
        self._submit_design()
        self._submit_traces()
        self._submit_overview(anew=True)

    def run_on(self) -> None:
        """Go on with a signal that runs, and draw it; the outcomes are LivePosition and Frame."""
        if self._live.is_running:
            self._submit_traces()

    def close_recording(self) -> None:
        """Let go of the recording."""
        self._live.stop()
        self._index.stop()
        for name in ENDED_WITH_RECORDING:
            self._scheduler.cancel(name)
        self._bench.recordings.keep_only(None)

    def give_up_reading(self) -> None:
        """Let go of the recording and of reads that do not come back; everything else goes on."""
        stalled = self._watch.stalled_threads()
        self.close_recording()
        for name in THREADS:
            if f"jaxscope-{name}" in stalled:
                self._scheduler.abandon(name)

    def give_up_computing(self) -> None:
        """Stop waiting for what is computed now (a compilation that takes long); it may still end by itself."""
        self._scheduler.abandon("compute")
        self._submit_design()
        self._submit_traces()

    @property
    def has_lost_threads(self) -> bool:
        """Whether something that was given up still has not come back; it would keep the program from ending."""
        return self._scheduler.has_lost

    def is_open(self, recording_id: str) -> bool:
        """Whether a recording is still open: it may have been closed while its Opened was on the way."""
        return self._bench.recordings.has(opened_id(recording_id))

    def set_width_px(self, traces_px: int, overview_px: int) -> None:
        """Tell how many device pixels the traces and the overview have."""
        wanted = max(1, traces_px), max(1, overview_px)
        if wanted != (self._bench.width_px, self._bench.overview_px):
            self._bench.width_px, self._bench.overview_px = wanted
            self._submit_traces()
            self._submit_overview(anew=True)

    def export(self, request: AnyExport) -> int:
        """Begin an export; outcomes are ExportProgress or Failure. Returns the job's number."""
        self._exports += 1
        job, lane = self._exports, f"export-{self._exports}"
        wish = self._wish(as_shown=request.as_shown)
        if wish is None:
            words = "There is no recording to export"
            self._bench.deliver(Failure(revision=self._store.revision, what="export", sentence=words))
            return job
        self._scheduler.add_lane(Lane(name=lane, rank=5))

        def go() -> None:
            entry = self._entry(wish.state) or wish.entry
            self._scheduler.submit(lane, request.work(self._bench, replace(wish, entry=entry), job))

        if request.needs_whole:
            self._index.when_whole(wish.entry, job, go)
        else:
            go()
        return job

    def keep(self, write: Callable[[], None]) -> None:
        """Write down work that is not saved, beside the filtering; of several wishes the newest is done."""
        self._scheduler.submit("keep", lambda _token: write())

    def cancel(self, job: int) -> None:
        """Cancel an export."""
        if self._index.give_up(job) or self._scheduler.cancel(f"export-{job}"):
            self._bench.deliver(ExportProgress(job=job, share=0.0, done=True, cancelled=True))

    def ask_devices(self, *, measure: bool) -> None:
        """Ask for Devices; with ``measure`` each available device runs the present view once."""
        from jaxscope.compute.device_choices import devices_work

        self._scheduler.submit("devices", devices_work(self._bench, self._store.state, self._wish(), measure=measure))

    def stop_measuring(self) -> None:
        """Measure no further device."""
        self._scheduler.cancel("devices")

    def compilations(self) -> int:
        """Return how many programs have been compiled so far."""
        from jaxscope.compute.device_choices import count_compilations

        return count_compilations()

    def wait_idle(self, timeout_s: float = 30.0) -> bool:
        """Wait until nothing is being worked on; return whether that came true in time."""
        return self._scheduler.wait_idle(timeout_s)

    def shut_down(self) -> None:
        """Cancel everything and join the threads; returns within a second or two."""
        if self._closed:
            return
        self._closed = True
        self._unsubscribe()
        self._live.stop()
        self._scheduler.shut_down()
        self._watch.shut_down()
        self._bench.recordings.keep_only(None)

    # -- what follows from a change ------------------------------------------------------------------------------
    def _changed(self, state: SessionState, previous: SessionState) -> None:
        own, own_before = state, previous
        self._analysis.change(state, previous)
        state, previous = in_force(state), in_force(previous)
        new, old = state.document, previous.document
        recording_changed = new.recording != old.recording
        montage_changed = new.montage != old.montage
        # an event that was moved changes what is filtered only where it is left out
        filter_changed = (new.chains, new.filter_on, excluded_of(new)) != (old.chains, old.filter_on, excluded_of(old))
        engine_changed = state.engine != previous.engine
        chain_changed = state.viewport.active_chain != previous.viewport.active_chain
        view_changed = state.viewport.response_view != previous.viewport.response_view
        info = None if (wish := self._wish()) is None else wish.entry.recording.info
        rate_changed = is_of_other_rate(state, previous, info)
        dock_changed = chain_changed or view_changed or rate_changed or compared(own) != compared(own_before)
        if recording_changed:
            self._recording_changed(state)
        if recording_changed or montage_changed:
            self._bench.shown = None
            self._tell_montage()
            recording_changed = True  # for all that follows, other channels are another recording
        shown = self._bench.shown  # looked at once: a worker may exchange it at any moment
        if filter_changed or recording_changed or dock_changed:
            self._submit_design()
        seen_changed = (state.live, window_of(state)) != (previous.live, window_of(previous))
        if state.live.running != previous.live.running or (recording_changed and self._live.is_running):
            self._run_or_stop(state)
        if filter_changed or engine_changed or recording_changed or seen_changed:
            self._submit_traces()
        elif (chain_changed or rate_changed) and shown is not None:
            self._followers(replace(shown, wish=replace(shown.wish, state=state)))
        if numbers_seen(state) != numbers_seen(previous) and shown is not None:
            self._submit_sensitivity(shown)
        if state.viewport.cursors_s != previous.viewport.cursors_s:
            self._submit_measure()
        if filter_changed or engine_changed or recording_changed or chain_changed:
            self._submit_overview(anew=recording_changed)

    def _recording_changed(self, state: SessionState) -> None:
        self._bench.shown = self._bench.around = None
        self.fits.end()
        if state.document.recording is None:
            self.close_recording()
            return
        if (entry := self._bench.recordings.by_path(state.document.recording.path)) is not None:
            self._bench.recordings.keep_only(entry.id)

    def _wish(self, *, as_shown: bool = True) -> Wish | None:
        """Return what is wanted: the chains that the traces show, or those of the document (to write them)."""
        state = in_force(self._store.state) if as_shown else self._store.state
        entry = self._entry(state)
        if entry is None:
            return None
        return Wish(state=state, revision=self._store.revision, entry=entry, asked_at=time.perf_counter())

    def _entry(self, state: SessionState) -> OpenRecording | None:
        """Return the open recording of a state as its montage shows it; None where it has none, or it does not fit."""
        recording, montage = state.document.recording, state.document.montage
        entry = None if recording is None else self._bench.recordings.by_path(recording.path)
        return entry and self._montages.fitting(entry, montage)

    def _take_whole(self, entry: OpenRecording, first: RecordingInfo) -> None:
        """Tell what is shown of a recording of which all is known now, and draw it (on the worker)."""
        state = self._store.state
        self._montages.forget()
        self._bench.shown = self._bench.around = None
        is_shown = state.document.recording is not None and state.document.recording.path == entry.path
        if is_shown and state.document.montage is not None:
            self._tell_montage()
        else:
            self._bench.deliver(grown_of(entry, first))
        if is_shown:
            self._submit_design()
            self._run_or_stop(state)
            self._submit_traces()
            self._submit_overview(anew=True)

    def _tell_montage(self) -> None:
        """Tell which channels there are from now on, where they are not those that were told last."""
        document = self._store.state.document
        entry = None if document.recording is None else self._bench.recordings.by_path(document.recording.path)
        try:
            for news in () if entry is None else self._montages.news(entry, document.montage):
                self._bench.deliver(news)
        except SpecError as error:
            self._bench.deliver(failure_of("montage", error, self._store.state, self._store.revision))

    def _submit_traces(self) -> None:
        wish = self._wish()
        if wish is not None:
            self._bench.wanted_s = wish.state.viewport.duration_s
            self._scheduler.cancel("settle")
            live = self._live.work(wish, self._live_followers)
            lane = self._ahead.lane_for(wish, is_live=live is not None)
            self._scheduler.submit(lane, live or trace_work(self._bench, wish, self._followers))

    def _run_or_stop(self, state: SessionState) -> None:
        """Begin or end what runs, as the state says; what ran along another recording ends."""
        wish = self._wish()
        if state.live.running and wish is not None:
            self._live.start(wish)
        elif self._live.is_running:
            self._live.stop()
            self._submit_overview(anew=True)

    def _submit_design(self) -> None:
        wish = self._wish()
        info = None if wish is None else wish.entry.recording.info
        state, revision = self._store.state, self._store.revision
        self._scheduler.submit("design", self._designs.work(state, revision, info, words=False))
        self._scheduler.submit("words", self._designs.work(state, revision, info, words=True))

    def _submit_overview(self, *, anew: bool) -> None:
        wish = self._wish()
        if wish is None:
            return
        if anew or not self._overview.suits(wish):
            self._scheduler.submit("before", before_work(self._bench, wish, self._overview))
        self._scheduler.submit("after", after_work(self._bench, wish, self._overview))

    def _followers(self, shown: Shown) -> None:
        """Submit what follows from a frame: spectra, agreement, and the settled frame."""
        from jaxscope.compute.agreement import agreement_work
        from jaxscope.compute.spectrum import spectrum_work
        from jaxscope.compute.warm_up import warm_up_work

        if shown.wish.entry is not self._entry(in_force(self._store.state)):
            return  # another recording or montage is shown by now
        self._bench.shown = shown
        self._scheduler.submit("spectrum", spectrum_work(self._bench, shown))
        self._scheduler.submit("agreement", agreement_work(self._bench, shown))
        self._submit_sensitivity(shown)
        self._submit_measure()
        self._analysis.follow()
        self._ahead.follow(shown)
        self._scheduler.submit("warm-up", warm_up_work(self._bench, shown))
        if not shown.request.settled:
            self._scheduler.submit("settle", settle_work(self._bench, shown))

    def _live_followers(self, shown: Shown) -> None:
        """Submit what follows from a frame of a signal that runs."""
        from jaxscope.compute.spectrum import spectrum_work

        self._bench.shown = shown
        if self._live.is_spectrum_due():
            self._scheduler.submit("spectrum", spectrum_work(self._bench, shown))
            self._analysis.follow()
        self._submit_measure()

    def _submit_sensitivity(self, shown: Shown) -> None:
        """Work out how strongly the numbers move After, where they are looked at."""
        state = in_force(self._store.state)
        if is_wanted(state):
            self._scheduler.submit("sensitivity", sensitivity_work(self._bench, shown, state))

    def _submit_measure(self) -> None:
        """Measure between the cursors where there are two."""
        shown, cursors_s = self._bench.shown, self._store.state.viewport.cursors_s
        if shown is not None and len(cursors_s) == 2:
            self._scheduler.submit("measure", measure_work(self._bench, shown, cursors_s, self._store.revision))

    def _failed(self, lane: str, error: BaseException) -> None:
        """Turn an error of a job into an outcome (on the worker)."""
        self._bench.deliver(failure_of(lane, error, self._store.state, self._store.revision))
        if lane.startswith("export-"):
            self._bench.deliver(
                ExportProgress(job=int(lane.removeprefix("export-")), share=0.0, done=True, cancelled=True)
            )
