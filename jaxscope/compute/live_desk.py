"""Begins and ends the running signal of a window, and makes its source from the recording that is open.

The window begins and ends it, and so does the thread that has gone through the rest of a file. Invariant: what was
exchanged for something else has been closed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from jaxscope.compute.growing_file import GrowingFileSource
from jaxscope.compute.live_session import LiveSession
from jaxscope.compute.montaged import montaged
from jaxscope.compute.scheduler import CancelToken, Steps, Work
from jaxscope.compute.workbench import Shown, Wish, Workbench
from jaxscope.data.live import LiveSource
from jaxscope.data.live_sources import FileSource
from jaxscope.data.recording import Recording
from jaxscope.session.actions_live import LiveChoice

#: Least time between two spectra of a signal that runs.
SPECTRUM_EVERY_S = 0.25


class LiveDesk:
    """Holds the running signal of one window, or none.

    Parameters
    ----------
    bench : Workbench
    tune : callable
        Takes work that prepares filters, for another thread.
    """

    def __init__(self, bench: Workbench, tune: Callable[[Work], object]) -> None:
        self._bench = bench
        self._tune = tune
        self._session: LiveSession | None = None
        self._lock = threading.Lock()
        self._spectrum_at = -SPECTRUM_EVERY_S

    @property
    def is_running(self) -> bool:
        """Whether a signal runs."""
        return self._session is not None

    def is_spectrum_due(self) -> bool:
        """Whether spectra may be worked out again; a signal that runs changes them slowly, and each is painted."""
        now = time.monotonic()
        if now - self._spectrum_at < SPECTRUM_EVERY_S:
            return False
        self._spectrum_at = now
        return True

    def start(self, wish: Wish) -> None:
        """Begin what the state of a wish says, in place of what runs; where other channels are shown it goes on."""
        session, live = self._session, wish.state.live
        reached_s = None if session is None else session.position_s
        make = self._follower(wish) if live.running == "follow" else self._player(wish, reached_s)
        self._exchange(LiveSession(self._bench, live.running, make, self._tune))

    def stop(self) -> None:
        """End what runs."""
        self._exchange(None)

    def _exchange(self, following: LiveSession | None) -> None:
        with self._lock:
            session, self._session = self._session, following
        if session is not None:
            session.close()

    def work(self, wish: Wish, then: Callable[[Shown], None]) -> Callable[[CancelToken], Steps] | None:
        """Return the work that goes on with what runs and draws it; None where nothing runs."""
        session = self._session
        return None if session is None else session.work(wish, then)

    @staticmethod
    def _player(wish: Wish, reached_s: float | None) -> Callable[[LiveChoice, float], LiveSource]:
        def make(live: LiveChoice, history_s: float) -> LiveSource:
            start_s = live.start_s if reached_s is None else reached_s
            return FileSource(
                wish.entry.recording, name=wish.entry.path, start_s=start_s, history_s=history_s, speed=live.speed
            )

        return make

    def _follower(self, wish: Wish) -> Callable[[LiveChoice, float], LiveSource]:
        """Return what follows the file; the open recording becomes each longer one."""
        document = wish.state.document
        reference, montage = document.recording, document.montage
        if reference is None:
            raise TypeError("no recording is open")
        path = reference.path
        files: list[Recording] = []

        def reopen() -> Recording:
            from jaxscope.readers import open_recording

            opened = open_recording(path, rate_hz=reference.rate_hz, options=dict(reference.options))
            files[:] = [opened]
            return montaged(opened, montage)

        def take(_grown: Recording) -> None:
            held = self._bench.recordings.by_path(path)
            if held is None:
                files[-1].close()
            else:
                held.recording.replace(files[-1])

        def make(live: LiveChoice, history_s: float) -> LiveSource:
            # what fills the window at first, and what the filters settle on before it
            seen_s = wish.state.viewport.duration_s
            return GrowingFileSource(path, wish.entry.recording, reopen, take=take, history_s=seen_s + history_s)

        return make
