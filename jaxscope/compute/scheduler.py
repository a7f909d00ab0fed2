"""Lanes of work on three threads, so that the newest wish is served first and nothing waits for ever.

A lane has one pending slot and one running job; submitting replaces what is pending, so a drag of a hundred edits costs
as many results as the machine can make and no queue grows. Each lane lives on one of three plain threads: *compute*
(what a hand waits for), *file*, and *side* (what follows from it, so that no step of that stands before the next
frame). A job is a callable; one that returns a generator is a long job, and after each ``yield`` its thread serves the
lanes of higher rank. Lanes of rank ``LIVE_RANK`` and below are live: a person sees them move under the hand; work that
can wait names the calm it wants after them, so that it takes no processor from the next edit. A lane that has waited
its patience gets one turn all the same, so a continuous drag cannot starve an export. Nothing here knows what the jobs
do.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: How long a lane of lower rank waits at most while others keep its thread busy.
PATIENCE_S = 0.25
#: Lanes up to this rank are live: a person sees their results move under the hand.
LIVE_RANK = 1
#: How often an idle thread looks whether the program has ended without joining it.
LOOK_ROUND_S = 0.5
THREADS = ("compute", "file", "side")


class Cancelled(Exception):  # noqa: N818  (an outcome, not an error)
    """Raised inside a job whose token was cancelled."""


class CancelToken:
    """Tells a job that nobody waits for it any more."""

    __slots__ = ("_flag",)

    def __init__(self) -> None:
        self._flag = threading.Event()

    @property
    def cancelled(self) -> bool:
        """Whether the job has been cancelled."""
        return self._flag.is_set()

    def cancel(self) -> None:
        """Cancel the job."""
        self._flag.set()

    def check(self) -> None:
        """Raise Cancelled where the job has been cancelled."""
        if self._flag.is_set():
            raise Cancelled


Steps = Generator[Any, None, None]
Work = Callable[[CancelToken], "Steps | None"]


@dataclass(slots=True, kw_only=True)
class Lane:
    """A place for one kind of work.

    ``rank`` 0 is served first. ``least_interval_s`` is the least time between two starts (a spectrum that follows a
    drag ten times a second). ``calm_s`` is the time without live work after which the lane has its turns;
    where that does not come, it has one every ``patience_s``. With ``restarts`` a submission also cancels what is
    running in the lane. ``served_at`` is when the lane had its last turn, or since when it has waited for the first.
    """

    name: str
    thread: str = "compute"
    rank: int = 0
    least_interval_s: float = 0.0
    calm_s: float = 0.0
    patience_s: float = PATIENCE_S
    restarts: bool = False
    pending: Job | None = None
    running: Job | None = None
    served_at: float = field(default=-1e9)
    started_at: float = field(default=-1e9)

    def ready_at(self, stirred_at: float) -> float | None:
        """Return the earliest time at which the lane can be served, or None where it has nothing to do.

        ``stirred_at`` is when there was live work last.
        """
        if self.running is None and self.pending is None:
            return None
        at = min(stirred_at + self.calm_s, self.served_at + self.patience_s) if self.calm_s else -1e9
        return at if self.running is not None else max(at, self.started_at + self.least_interval_s)


@dataclass(slots=True, kw_only=True)
class Job:
    """One piece of work and its way to be told off. ``steps`` is set once a long job has begun."""

    work: Work
    token: CancelToken = field(default_factory=CancelToken)
    steps: Steps | None = None
    #: its thread was given up: nobody waits for it, not even for its errors
    abandoned: bool = False


class Scheduler:
    """Runs lanes.

    Parameters
    ----------
    lanes : sequence of Lane
    on_error : callable
        Called on the worker with (lane name, exception) when a job raises; the thread lives on.
    run_inline : bool
        Run each job at once where it is submitted, in the order of ranks, without threads and without waiting: tests
        are then deterministic.
    clock : callable
        Seconds that only grow.
    """

    def __init__(
        self,
        lanes: tuple[Lane, ...],
        *,
        on_error: Callable[[str, BaseException], None],
        run_inline: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lanes = {lane.name: lane for lane in lanes}
        self._on_error = on_error
        self._inline = run_inline
        self._clock = clock
        self._draining = False
        self._stopping = False
        self._stirred_at = -1e9
        self._wake = threading.Condition()
        self._threads: dict[str, threading.Thread] = {}
        self._lost: list[threading.Thread] = []
        if not run_inline:
            for name in THREADS:
                self._begin(name)

    def _begin(self, name: str) -> None:
        """Start a thread, in place of one that was given up."""
        thread = threading.Thread(target=self._work, args=(name,), name=f"jaxscope-{name}", daemon=False)
        self._threads[name] = thread
        thread.start()

    def abandon(self, thread_name: str) -> None:
        """Give up what a thread is doing, which may never end, and go on with another; pending work is kept.

        What was given up is cancelled; should it come back it ends without a word.
        """
        with self._wake:
            if self._inline or self._stopping:
                return
            for lane in self._lanes.values():
                if lane.thread == thread_name and lane.running is not None:
                    lane.running.token.cancel()
                    lane.running.abandoned = True
                    lane.running = None
            self._lost.append(self._threads[thread_name])
            self._begin(thread_name)
            self._wake.notify_all()

    @property
    def has_lost(self) -> bool:
        """Whether a thread that was given up still has not ended."""
        return any(thread.is_alive() for thread in self._lost)

    def add_lane(self, lane: Lane) -> None:
        """Add a lane; it goes with the scheduler."""
        with self._wake:
            self._lanes[lane.name] = lane

    def submit(self, lane_name: str, work: Work) -> CancelToken:
        """Put work into the pending slot of a lane, in place of what waits there; return its token."""
        job = Job(work=work)
        with self._wake:
            if self._stopping:
                job.token.cancel()
                return job.token
            lane = self._lanes[lane_name]
            if lane.pending is not None:
                lane.pending.token.cancel()
            if lane.restarts and lane.running is not None:
                lane.running.token.cancel()
            if lane.pending is None and lane.running is None:
                lane.served_at = self._clock()
            lane.pending = job
            self._stir(lane)
            self._wake.notify_all()
        if self._inline:
            self._drain()
        return job.token

    def stir(self) -> None:
        """Note that a hand is at work which needs no lane: what waits for calm waits on."""
        with self._wake:
            self._stirred_at = self._clock()

    def cancel(self, lane_name: str) -> bool:
        """Cancel what a lane has pending and running; return whether something pending never began."""
        with self._wake:
            lane = self._lanes.get(lane_name)
            if lane is None:
                return False
            dropped = lane.pending is not None
            _cancel(lane)
            self._wake.notify_all()
            return dropped

    def wait_idle(self, timeout_s: float) -> bool:
        """Wait until no lane has anything to do; return whether that came true in time."""
        deadline = time.monotonic() + timeout_s
        with self._wake:
            while any(lane.pending is not None or lane.running is not None for lane in self._lanes.values()):
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                self._wake.wait(min(left, 0.05))
        return True

    def shut_down(self, timeout_s: float = 5.0) -> bool:
        """Cancel everything and join the threads; return whether they ended in time."""
        with self._wake:
            self._stopping = True
            for lane in self._lanes.values():
                _cancel(lane)
            self._wake.notify_all()
        deadline = time.monotonic() + timeout_s
        for thread in self._threads.values():
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in (*self._threads.values(), *self._lost))

    # -- on the workers ------------------------------------------------------------------------------------------
    def _work(self, thread_name: str) -> None:
        # a sample at the ends of what a float holds becomes infinite and is drawn as missing: no line on stderr for it
        with np.errstate(over="ignore", invalid="ignore"):
            while True:
                with self._wake:
                    lane, job = self._next(thread_name)
                    if lane is None or job is None:
                        return
                self._turn(lane, job)
                if job.abandoned:
                    return

    def _next(self, thread_name: str) -> tuple[Lane | None, Job | None]:
        """Wait for the next turn of a thread (holding the lock); None when it is time to end."""
        while True:
            if self._threads.get(thread_name) is not threading.current_thread():
                return None, None
            if self._stopping and not self._unfinished(thread_name):
                return None, None
            lane, wait_s = self._choose(thread_name, self._clock())
            if lane is not None:
                return lane, self._claim(lane)
            self._wake.wait(LOOK_ROUND_S if wait_s is None else min(wait_s, LOOK_ROUND_S))
            if not threading.main_thread().is_alive():
                self._stopping = True
                for other in self._lanes.values():
                    _cancel(other)

    def _unfinished(self, thread_name: str) -> bool:
        """Whether a long job of a thread still has to be closed."""
        return any(lane.running is not None for lane in self._lanes.values() if lane.thread == thread_name)

    def _choose(self, thread_name: str, now: float) -> tuple[Lane | None, float | None]:
        """Return the lane to serve now, or the time until one can be served."""
        ready: list[Lane] = []
        wait_s: float | None = None
        for lane in self._lanes.values():
            at = lane.ready_at(self._stirred_at) if lane.thread == thread_name else None
            if at is None:
                continue
            if at <= now or self._inline or (self._stopping and lane.running):
                ready.append(lane)
            else:
                wait_s = at - now if wait_s is None else min(wait_s, at - now)
        if not ready:
            return None, wait_s
        patient = [lane for lane in ready if now - lane.served_at >= lane.patience_s]
        best = min(ready, key=lambda lane: (lane.rank, lane.served_at))
        if patient and not self._inline:
            longest = min(patient, key=lambda lane: lane.served_at)
            if longest.served_at < best.served_at:
                return longest, None
        return best, None

    def _claim(self, lane: Lane) -> Job:
        """Take the lane's next turn (holding the lock)."""
        now = self._clock()
        lane.served_at = now
        if lane.running is not None:
            return lane.running
        job = lane.pending
        if job is None:
            raise RuntimeError(f"lane {lane.name} has nothing to do")
        lane.pending, lane.running = None, job
        lane.started_at = now
        return job

    def _turn(self, lane: Lane, job: Job) -> None:
        """Run a job, or one step of a long one."""
        finished = True
        try:
            if job.token.cancelled:
                if job.steps is not None:
                    job.steps.close()
            elif job.steps is None:
                job.steps = job.work(job.token)
                finished = job.steps is None
            else:
                next(job.steps)
                finished = False
        except (StopIteration, Cancelled):
            finished = True
        except Exception as error:  # noqa: BLE001  (the thread must live on; the error is handed over)
            if not job.abandoned:
                self._on_error(lane.name, error)
        with self._wake:
            if not job.abandoned:  # looked at under the lock: the lane may have another job by the next moment
                lane.served_at = self._clock()
                self._stir(lane)
                if finished:
                    lane.running = None
                self._wake.notify_all()
                return
        if job.steps is not None:
            job.steps.close()

    def _stir(self, lane: Lane) -> None:
        """Note live work (holding the lock)."""
        if lane.rank <= LIVE_RANK and not lane.calm_s:
            self._stirred_at = self._clock()

    def _drain(self) -> None:
        """Serve every lane until nothing is left (inline); what a job submits is served by the outer call."""
        if self._draining:
            return
        self._draining = True
        try:
            while True:
                for name in THREADS:
                    lane, _ = self._choose(name, self._clock())
                    if lane is not None:
                        self._turn(lane, self._claim(lane))
                        break
                else:
                    return
        finally:
            self._draining = False


def _cancel(lane: Lane) -> None:
    """Cancel what a lane has pending and running (holding the lock); a running job ends at its next step."""
    if lane.pending is not None:
        lane.pending.token.cancel()
        lane.pending = None
    if lane.running is not None:
        lane.running.token.cancel()
