"""Lanes, tokens, fairness and endings, with jobs that a lock holds half-way."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from jaxscope.compute.scheduler import Lane, Scheduler


class Held:
    """A job that says when it has begun and waits until it is let go."""

    def __init__(self, name, log):
        self.name, self.log = name, log
        self.begun, self.go = threading.Event(), threading.Event()

    def __call__(self, token):
        self.begun.set()
        assert self.go.wait(10)
        self.log.append(self.name)


@pytest.fixture
def made():
    schedulers = []

    def make(*lanes, **options):
        errors = []
        scheduler = Scheduler(tuple(lanes), on_error=lambda lane, error: errors.append((lane, error)), **options)
        scheduler.errors = errors
        schedulers.append(scheduler)
        return scheduler

    yield make
    for scheduler in schedulers:
        assert scheduler.shut_down(10)


def test_a_submission_replaces_what_is_pending_but_not_what_runs(made):
    scheduler, log = made(Lane(name="traces")), []
    first = Held("first", log)
    scheduler.submit("traces", first)
    assert first.begun.wait(10)
    second = scheduler.submit("traces", lambda token: log.append("second"))
    scheduler.submit("traces", lambda token: log.append("third"))
    assert second.cancelled
    first.go.set()
    assert scheduler.wait_idle(10)
    assert log == ["first", "third"]


def test_of_a_hundred_edits_only_the_newest_waits(made):
    scheduler, log = made(Lane(name="traces")), []
    first = Held(-1, log)
    scheduler.submit("traces", first)
    assert first.begun.wait(10)
    for number in range(100):
        scheduler.submit("traces", lambda token, number=number: log.append(number))
    first.go.set()
    assert scheduler.wait_idle(10)
    assert log == [-1, 99]


def test_lower_rank_is_served_first(made):
    scheduler, log = made(Lane(name="traces", rank=0), Lane(name="spectrum", rank=1)), []
    held = Held("held", log)
    scheduler.submit("spectrum", held)
    assert held.begun.wait(10)
    scheduler.submit("spectrum", lambda token: log.append("spectrum"))
    scheduler.submit("traces", lambda token: log.append("traces"))
    held.go.set()
    assert scheduler.wait_idle(10)
    assert log == ["held", "traces", "spectrum"]


def test_a_long_job_yields_to_an_edit(made):
    scheduler, log = made(Lane(name="traces", rank=0), Lane(name="export", rank=5)), []
    begun, go = threading.Event(), threading.Event()

    def export(token):
        log.append("export 1")
        begun.set()
        assert go.wait(10)
        yield
        log.append("export 2")

    scheduler.submit("export", export)
    assert begun.wait(10)
    scheduler.submit("traces", lambda token: log.append("traces"))
    go.set()
    assert scheduler.wait_idle(10)
    assert log == ["export 1", "traces", "export 2"]


def test_a_continuous_drag_does_not_starve_an_export(made):
    """Each edit submits the next; with a clock that jumps a second a look, the export is overdue each time."""
    now = iter(range(10**9))
    scheduler = made(Lane(name="traces", rank=0), Lane(name="export", rank=5), clock=lambda: float(next(now)))
    steps, edits, done = [], [], threading.Event()

    def export(token):
        for number in range(20):
            steps.append(number)
            yield
        done.set()

    def edit(token):
        edits.append(1)
        if not done.is_set():
            scheduler.submit("traces", edit)

    scheduler.submit("traces", edit)
    scheduler.submit("export", export)
    assert done.wait(10)
    assert scheduler.wait_idle(10)
    assert steps == list(range(20))
    assert len(edits) > 5


def test_a_lane_with_an_interval_waits_between_starts(made):
    clock = [0.0]
    scheduler = made(Lane(name="spectrum", least_interval_s=0.1), clock=lambda: clock[0])
    log = []
    scheduler.submit("spectrum", lambda token: log.append("first"))
    assert scheduler.wait_idle(10)
    scheduler.submit("spectrum", lambda token: log.append("second"))
    assert not scheduler.wait_idle(0.2)
    assert log == ["first"]
    clock[0] = 1.0
    assert scheduler.wait_idle(10)
    assert log == ["first", "second"]


def test_threads_do_not_wait_for_one_another(made):
    scheduler, log = made(Lane(name="traces"), Lane(name="open", thread="file")), []
    held = Held("open", log)
    scheduler.submit("open", held)
    assert held.begun.wait(10)
    ran = threading.Event()
    scheduler.submit("traces", lambda token: ran.set())
    assert ran.wait(10)
    held.go.set()
    assert scheduler.wait_idle(10)


def test_restarting_cancels_what_runs_and_closes_it(made):
    scheduler = made(Lane(name="overview", restarts=True))
    closed, begun, log = threading.Event(), threading.Event(), []

    def first(token):
        try:
            begun.set()
            while True:
                yield
        finally:
            closed.set()

    scheduler.submit("overview", first)
    assert begun.wait(10)
    scheduler.submit("overview", lambda token: log.append("second"))
    assert scheduler.wait_idle(10)
    assert closed.is_set()
    assert log == ["second"]


def test_cancel_tells_whether_the_job_never_began(made):
    scheduler, log = made(Lane(name="a"), Lane(name="b", rank=1)), []
    held = Held("a", log)
    scheduler.submit("a", held)
    assert held.begun.wait(10)
    scheduler.submit("b", lambda token: log.append("b"))
    assert scheduler.cancel("b")
    assert not scheduler.cancel("a")
    held.go.set()
    assert scheduler.wait_idle(10)
    assert log == ["a"]


def test_an_error_is_handed_over_and_the_thread_lives_on(made):
    scheduler, log = made(Lane(name="traces")), []

    def broken(token):
        raise ZeroDivisionError("boom")

    def breaks_later(token):
        yield
        raise KeyError("later")

    scheduler.submit("traces", broken)
    assert scheduler.wait_idle(10)
    scheduler.submit("traces", breaks_later)
    assert scheduler.wait_idle(10)
    scheduler.submit("traces", lambda token: log.append("alive"))
    assert scheduler.wait_idle(10)
    assert [type(error) for _, error in scheduler.errors] == [ZeroDivisionError, KeyError]
    assert log == ["alive"]


def test_samples_at_the_ends_of_float64_are_no_warning(made):
    scheduler, sums = made(Lane(name="traces")), []
    scheduler.submit("traces", lambda token: sums.append(np.full(2, 1.7e308).mean()))
    assert scheduler.wait_idle(10)
    assert (scheduler.errors, sums) == ([], [np.inf])


def test_shut_down_closes_long_jobs_and_refuses_new_ones(made):
    scheduler = made(Lane(name="export"))
    closed, begun = threading.Event(), threading.Event()

    def forever(token):
        try:
            begun.set()
            while True:
                yield
        finally:
            closed.set()

    scheduler.submit("export", forever)
    assert begun.wait(10)
    assert scheduler.shut_down(10)
    assert closed.is_set()
    assert scheduler.submit("export", forever).cancelled


def test_inline_everything_is_done_before_submit_returns(made):
    scheduler, log = made(Lane(name="a"), Lane(name="b", rank=1, least_interval_s=100.0), run_inline=True), []

    def long(token):
        log.append("long 1")
        scheduler.submit("a", lambda token: log.append("a"))
        yield
        log.append("long 2")

    scheduler.submit("b", long)
    assert log == ["long 1", "a", "long 2"]
    scheduler.submit("b", lambda token: log.append("b"))
    assert log[-1] == "b"


class Clock:
    """Seconds that a test moves by hand."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_what_wants_calm_waits_for_it_but_not_longer_than_its_patience():
    lane = Lane(name="words", rank=3, calm_s=0.15, patience_s=1.0, served_at=100.0)
    assert lane.ready_at(100.0) is None
    lane.pending = object()
    assert lane.ready_at(100.0) == pytest.approx(100.15)
    assert lane.ready_at(100.6) == pytest.approx(100.75), "each edit puts it off"
    assert lane.ready_at(100.95) == pytest.approx(101.0), "but for a second at most"
    lane.pending, lane.running = None, object()
    assert lane.ready_at(100.6) == pytest.approx(100.75), "the next step of a long job waits, too"


def test_live_work_has_the_thread_for_itself_until_it_is_calm(made):
    clock = Clock()
    scheduler, log = made(Lane(name="traces", rank=0), Lane(name="words", rank=3, calm_s=0.5), clock=clock), []
    traced = threading.Event()
    scheduler.submit("words", lambda token: log.append("words"))
    scheduler.submit("traces", lambda token: log.append("traces") or traced.set())
    assert traced.wait(10)
    assert not scheduler.wait_idle(0.2)
    assert log == ["traces"]
    clock.now += 1.0
    assert scheduler.wait_idle(10)
    assert log == ["traces", "words"]
