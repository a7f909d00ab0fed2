"""The job behind the spectrum drawer: of what is on the screen, or between two cursors, before and after.

It runs while the drawer is open and only then, at most ten times a second, after the traces of the same edit.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace

from jaxscope.compute import analysis_views as views
from jaxscope.compute.analysis_frames import AnalysisFrame
from jaxscope.compute.analysis_lengths import MOST_WAVELET_CHANNELS, MOST_WAVELET_SAMPLES
from jaxscope.compute.analysis_samples import MOST_CHANNELS, picked_channels, span_of, stretch_of, thinned
from jaxscope.compute.scheduler import CancelToken, Scheduler, Steps
from jaxscope.compute.workbench import Shown, Workbench
from jaxscope.session.state import SessionState
from jaxscope.session.store import Store

#: name → how it is made
MAKERS: dict[str, Callable[..., views.Made]] = {
    "spectrum": views.spectrum,
    "spectrogram": views.spectrogram,
    "time_frequency": views.time_frequency,
    "histogram": views.histogram,
    "coherence": views.coherence,
}
#: Channels of a matrix of coherence at most.
_MOST_COMPARED = 24
_TOO_SHORT = "Too short, or too full of gaps: look at more time"


def analysis_wish(state: SessionState) -> tuple[object, ...]:
    """Return what the content of the drawer follows from, besides the traces; the same while it is closed."""
    viewport = state.viewport
    if not viewport.analysis.shown:
        return ()
    return viewport.analysis, viewport.selected_channels, span_of(state) if len(viewport.cursors_s) == 2 else None


class AnalysisJobs:
    """Asks for the content of the drawer while it is open: after each frame, and when the drawer is told otherwise."""

    def __init__(self, store: Store, bench: Workbench, scheduler: Scheduler) -> None:
        self._store, self._bench, self._scheduler = store, bench, scheduler

    def change(self, state: SessionState, previous: SessionState) -> None:
        """Take another state."""
        if state.document.recording is None or not state.viewport.analysis.shown:
            self._scheduler.cancel("analysis")
        elif analysis_wish(state) != analysis_wish(previous):
            self.follow()

    def follow(self) -> None:
        """Work out what the drawer shows of the last frame."""
        shown, state = self._bench.shown, self._store.state
        if shown is not None and state.viewport.analysis.shown:
            self._scheduler.submit("analysis", analysis_work(self._bench, shown, state))


def analysis_work(bench: Workbench, shown: Shown, state: SessionState) -> Callable[[CancelToken], Steps]:
    """Return the work that delivers the content of the drawer."""

    def work(token: CancelToken) -> Steps:
        steps = made(bench, shown, state)
        while True:
            token.check()
            try:
                next(steps)
            except StopIteration as end:
                bench.deliver(end.value)
                return
            yield

    return work


def _blank(shown: Shown, state: SessionState) -> AnalysisFrame:
    """Return what is known of the drawer before anything is worked out."""
    start_s, stop_s, is_selection = span_of(state)
    info = shown.wish.entry.recording.info
    on_screen = [info.channels[number] for group in shown.request.groups for number in group.channels]
    return AnalysisFrame(
        revision=shown.wish.revision,
        recording_id=shown.wish.entry.id,
        view=state.viewport.analysis.view,
        start_s=start_s,
        stop_s=stop_s,
        is_selection=is_selection,
        title="",
        kinds=tuple(dict.fromkeys(channel.kind for channel in on_screen if channel.is_data)),
        names=(),
        unit="",
        content=None,
        note="",
        problem="",
    )


def made(bench: Workbench, shown: Shown, state: SessionState) -> Generator[None, None, AnalysisFrame]:
    """Yield between channels; return the content of the drawer."""
    wish, blank = state.viewport.analysis, _blank(shown, state)
    picked = picked_channels(shown, state, at_least=2 if wish.view == "coherence" else 1)
    if picked is None:
        return replace(blank, problem="No channel with a signal is on the screen")
    if wish.view == "coherence" and len(picked.rows) < 2:
        return replace(blank, title=picked.title, problem="Coherence needs two channels of one kind on the screen")
    is_wavelet = wish.view == "time_frequency"
    nominal = max(1, round((blank.stop_s - blank.start_s) * picked.group.rate_hz))
    most = {"coherence": _MOST_COMPARED, "time_frequency": MOST_WAVELET_CHANNELS}.get(wish.view, MOST_CHANNELS)
    picked, samples = thinned(
        picked, min(nominal, MOST_WAVELET_SAMPLES) if is_wavelet else nominal, most, (picked.lead, wish.partner)
    )
    stretch = yield from stretch_of(bench, shown, picked, (blank.start_s, blank.stop_s), samples)
    if stretch is None:
        return replace(blank, title=picked.title, unit=picked.unit, problem=_TOO_SHORT)
    has_after = any(picked.group.filtered[row] for row in picked.rows)
    content = yield from MAKERS[wish.view](stretch, picked, wish, has_after=has_after)
    cut = f"middle {stretch.stop_s - stretch.start_s:.3g} s" if stretch.is_cut else ""
    return replace(
        blank,
        title=picked.title,
        unit=picked.unit,
        note="; ".join(part for part in (picked.note, cut) if part),
        content=content,
        problem="" if content is not None else _TOO_SHORT,
        start_s=stretch.start_s,
        stop_s=stretch.stop_s,
        names=picked.names,
    )
