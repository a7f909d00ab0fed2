"""The rest of a file behind its first part: gone through beside everything else, then taken in as a whole.

A window shows the first part of a file that has no table of contents (records of miniSEED, chunks of XDF, lines of
text), and works on it as on any recording. Invariant: what is written comes from the whole file. An export that is
asked for before all of it is known waits, and one of a file that cannot be read to its end is refused.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from jaxscope.compute.frames import Busy, ExportProgress, Failure, Indexed
from jaxscope.compute.library import OpenRecording
from jaxscope.compute.montaged import opened_id
from jaxscope.compute.read_watch import ReadWatch
from jaxscope.compute.scheduler import CancelToken, Lane, Scheduler, Steps
from jaxscope.compute.workbench import Workbench
from jaxscope.data.recording import Recording, RecordingInfo
from jaxscope.errors import ReadError

if TYPE_CHECKING:
    from jaxscope.readers.scans import Indexing

LANE = "index"
#: Least time between two words of how far it is.
SAID_EVERY_S = 0.1


class IndexDesk:
    """Goes through the rest of the file that a window has open, where that is needed.

    Parameters
    ----------
    bench : Workbench
    watch : ReadWatch
    scheduler : Scheduler
        Gets a lane on the thread that reads files.
    then : callable
        Gets the recording once all of it is known, and what was known of it before; called on the worker.
    """

    def __init__(
        self,
        bench: Workbench,
        watch: ReadWatch,
        scheduler: Scheduler,
        then: Callable[[OpenRecording, RecordingInfo], None],
    ) -> None:
        self._bench, self._watch, self._scheduler, self._then = bench, watch, scheduler, then
        self._lock = threading.Lock()
        #: the recording whose file is gone through, and exports of it that wait
        self._id = ""
        self._waiting: dict[int, Callable[[], None]] = {}
        # below what is asked for on this thread, and beside the overview of the first part
        scheduler.add_lane(Lane(name=LANE, thread="file", rank=2, restarts=True))

    def begin(self, entry: OpenRecording, indexing: Indexing) -> None:
        """Go through the rest of a file, in place of another one."""
        self._end("")
        with self._lock:
            self._id = entry.id
        self._scheduler.submit(LANE, lambda token: self._steps(token, entry, indexing))

    def stop(self) -> None:
        """Give up what is gone through, and what waits for it."""
        self._scheduler.cancel(LANE)
        self._end("")

    def when_whole(self, entry: OpenRecording, job: int, go: Callable[[], None]) -> None:
        """Call ``go`` once all of a recording is known: now, where it is; never, where the export is given up."""
        with self._lock:
            known = self._bench.recordings.get(opened_id(entry.id))
            is_whole = known is None or known.recording.is_whole
            is_coming = not is_whole and opened_id(entry.id) == self._id
            if is_coming:
                self._waiting[job] = go
        if is_whole:
            go()
        elif is_coming:
            self._bench.deliver(ExportProgress(job=job, share=0.0))
        else:
            self._refuse(entry, job)

    def give_up(self, job: int) -> bool:
        """Let an export wait no longer; return whether it did."""
        with self._lock:
            return self._waiting.pop(job, None) is not None

    # -- on the worker ---------------------------------------------------------------------------------------------
    def _steps(self, token: CancelToken, entry: OpenRecording, indexing: Indexing) -> Steps:
        label = f"Indexing {Path(entry.path).name}"
        said_at = -SAID_EVERY_S
        try:
            while not entry.recording.is_whole and self._bench.recordings.has(entry.id):
                token.check()
                try:
                    with self._watch.reading(entry.path):
                        share = next(indexing)
                except StopIteration as end:
                    self._take(entry, end.value)
                    return
                if time.monotonic() - said_at >= SAID_EVERY_S:
                    said_at = time.monotonic()
                    self._bench.deliver(Busy(what="indexing", label=label, share=share))
                yield
            if entry.recording.is_whole:  # whoever follows the file has opened all of it
                self._let_go_on()
        except ReadError as error:
            raise ReadError(f"Only the first part is shown: {error.message}", hint=error.hint) from error
        finally:
            indexing.close()
            self._bench.deliver(Busy(what="indexing", label=label, done=True))
            self._end(entry.id)

    def _take(self, entry: OpenRecording, whole: Recording) -> None:
        """Show the whole recording from now on, and begin what has waited for it."""
        first = entry.recording.info
        made = self._bench.recordings.complete(entry, whole)
        if made is None:
            return
        self._bench.deliver(Indexed(recording_id=made.id, info=made.recording.info))
        self._then(made, first)
        self._let_go_on()

    def _let_go_on(self) -> None:
        """Begin the exports that have waited."""
        with self._lock:
            self._id = ""
            ready, self._waiting = list(self._waiting.values()), {}
        for go in ready:
            go()

    def _end(self, id_ended: str) -> None:
        """Tell exports that still wait that there is nothing to wait for; ``""`` ends whatever is gone through."""
        with self._lock:
            if id_ended not in ("", self._id):
                return
            self._id = ""
            given_up, self._waiting = list(self._waiting), {}
        for job in given_up:
            self._bench.deliver(ExportProgress(job=job, share=0.0, done=True, cancelled=True))

    def _refuse(self, entry: OpenRecording, job: int) -> None:
        sentence = f"Only the first part of {Path(entry.path).name} could be read, and a part is not exported as it all"
        hint = "open it again, or write it by the command line, which says where it breaks"
        self._bench.deliver(Failure(revision=0, what="export", sentence=sentence, hint=hint))
        self._bench.deliver(ExportProgress(job=job, share=0.0, done=True, cancelled=True))
