"""The job of a fit: frames every eight steps, cancelled between two, and one sentence for what cannot be fitted."""

from __future__ import annotations

import threading
import time
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import jax
import numpy as np
import pytest
from scipy import signal

from jaxscope.compute import fit_job, workbench
from jaxscope.compute.designs import design_or_refusal
from jaxscope.compute.fit_frames import FitFrame
from jaxscope.compute.fit_job import TOLD_EVERY, FitJobs, FitRequest, ahead_work, fit_work, poles_of
from jaxscope.compute.fit_signals import marked_rows
from jaxscope.compute.scheduler import Cancelled, CancelToken, Lane, Scheduler
from jaxscope.compute.workbench import Workbench
from jaxscope.data.annotations import Gap
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.errors import ReadError
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.manual import SectionsSpec
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.learn import fit as fit_module
from jaxscope.learn.fit import fit_step
from jaxscope.learn.fit_targets import sizes_of
from jaxscope.session.fit import FitGoal, FitPlan, FitSpan, fit_bands
from jaxscope.session.state import Document, SessionState

RATE_HZ = 200.0
HUM = FitGoal(verb="remove", bands=fit_bands("50 Hz"))
ALPHA = FitGoal(verb="keep", bands=fit_bands("8-12 Hz"))
CHAIN = FilterChain(name="A", channels=("O*", "ECG"), stages=(Stage(spec=Butterworth(order=2, cutoff_hz=70.0)),))


def _bench(told: list[object]) -> Workbench:
    """Return a workbench with a picture on it."""
    bench = Workbench(deliver=told.append)
    bench.shown = SimpleNamespace()
    return bench


def _span(verb, start_s, stop_s, *channels, name=""):
    return FitGoal(verb=verb, name=name, spans=(FitSpan(start_s=start_s, stop_s=stop_s, channels=channels),))


@pytest.fixture(scope="module")
def recording():
    """Return 60 s of alpha with hum in O1 and O2 (which lacks samples from 30 s to 31 s), beats in ECG, and T8."""
    rng = np.random.default_rng(0)
    times_s = np.arange(12_000) / RATE_HZ
    alpha = 20 * np.sin(2 * np.pi * 10 * times_s) + rng.standard_normal(12_000)
    hum = 10 * np.sin(2 * np.pi * 50 * times_s)
    beats = 1000.0 * np.exp(-(((times_s % 0.8) - 0.4) ** 2) / 2e-4) + hum
    samples = np.stack([alpha + hum + 1e5, alpha + hum, beats, hum])
    samples[1, 6000:6200] = np.nan
    names, kinds = ["O1", "O2", "ECG", "T8"], ["eeg", "eeg", "ecg", "eeg"]
    return ArrayRecording.from_array(samples, rate_hz=RATE_HZ, names=names, units="uV", kinds=kinds)


@pytest.fixture
def fit(recording):
    """Return a function from goals to what is delivered; ``changes`` are of the request, ``plan`` of its limits."""

    def begin(*goals, chains=(CHAIN,), source=recording, stage=None, **plan):
        document = Document(chains=chains, fit=FitPlan(goals=goals, **plan))
        told: list[object] = []
        request = FitRequest(run=7, state=SessionState(document=document), chain=0, stage=stage)
        token = CancelToken()
        return fit_work(_bench(told), source, request)(token), told, token

    return begin


def _frames(begun) -> list[FitFrame]:
    steps, told, _ = begun
    for _ in steps:
        pass
    return [outcome for outcome in told if isinstance(outcome, FitFrame)]


def _gain_db(frame, frequency_hz):
    return float(20 * np.log10(abs(signal.sosfreqz(np.array(frame.rows), [frequency_hz], fs=RATE_HZ)[1][0])))


def test_every_eighth_step_is_a_whole_filter_that_can_be_a_stage(fit):
    frames = _frames(fit(HUM, ALPHA))
    assert [frame.step for frame in frames[:3]] == [1, 1 + TOLD_EVERY, 1 + 2 * TOLD_EVERY]
    assert [frame.done for frame in frames] == [False] * (len(frames) - 1) + [True]
    assert (frames[-1].step, frames[-1].run) == (frames[-1].steps, 7)
    for frame in frames:
        SectionsSpec(rows=frame.rows).check(RATE_HZ)
        assert len(frame.rows) == 3
        assert len(frame.distances) == frame.step
        assert max(np.hypot(*pole) for pole in frame.poles) < 0.01 ** (1 / (0.2 * RATE_HZ)) * (1 + 1e-9)
    last = frames[-1]
    assert _gain_db(last, 50.0) < -30
    assert abs(_gain_db(last, 10.0)) < 0.5
    removed, kept = last.values
    assert (removed.unit, removed.share) == ("dB", pytest.approx(min(1.0, removed.value / -60), abs=1e-9))
    assert removed.value < -30
    assert abs(kept.value) < 0.5
    assert kept.share > 0.9


def test_marked_spans_are_read_wherever_they_are_and_beats_are_told_by_their_height(fit):
    alpha = _span("keep", 50.0, 54.0, "O1", "O2", name="alpha")
    beats, hum = _span("keep", 10.0, 12.4, "ECG", name="QRS"), HUM
    last = _frames(fit(alpha, beats, hum, most_poles=4, ringing_s=0.1))[-1]
    assert [value.unit for value in last.values] == ["dB", "%", "dB"]
    assert abs(last.values[0].value) < 1.5, "hum is a fifth of the power there"
    assert abs(last.values[1].value) < 10
    assert last.values[2].value < -20
    assert last.note == ""


@pytest.mark.parametrize(
    ("spans", "n_rows", "note"),
    [
        ([(0.0, 59.0)], 1, "Looks at the middle of long spans"),
        ([(float(k), k + 0.5) for k in range(20)], 16, "Looks at 16 of 20 marked spans"),
        ([(1.0, 2.0), (3.0, 4.0)], 2, ""),
    ],
)
def test_what_is_too_much_is_looked_at_in_part_and_said(recording, spans, n_rows, note):
    marked = tuple(FitSpan(start_s=start_s, stop_s=stop_s, channels=("O1",)) for start_s, stop_s in spans)
    goals = [FitGoal(verb="keep", spans=marked)]
    nothing = design_or_refusal(FilterChain(), RATE_HZ)
    steps = marked_rows(recording, (CHAIN,), 0, goals, others=nothing, rate_hz=RATE_HZ, context=100)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            rows, words = end.value
            break
    assert (len(rows), words) == (n_rows, note)
    for row in rows:
        assert row.first == 100
        assert row.arriving.size == row.stop + 100 <= 4096
        assert row.power == pytest.approx(sizes_of(row.arriving[row.first : row.stop], is_keep=True)[0])


def test_the_stage_that_is_fitted_anew_is_no_other_stage(fit):
    wild = Stage(spec=SectionsSpec(rows=((1e-3, 0, 0, 1, 0, 0),)))
    chains = (FilterChain(channels=("O*",), stages=(*CHAIN.stages, wild)),)
    with_it, without = (next(iter(_frames(fit(ALPHA, chains=chains, stage=at)))) for at in (None, 1))
    assert with_it.values[0].value == pytest.approx(without.values[0].value - 60, abs=0.1)


def test_it_ends_between_two_steps(fit):
    steps, told, token = fit(HUM, ALPHA)
    next(steps), next(steps), next(steps)
    before = len(told)
    token.cancel()
    begun = time.perf_counter()
    with pytest.raises(Cancelled):
        next(steps)
    assert time.perf_counter() - begun < 30, "it did not go through its steps"
    assert len(told) == before


GAPPED = ArrayRecording.from_array(
    np.random.default_rng(1).standard_normal((1, 4000)),
    rate_hz=RATE_HZ,
    names=["O1"],
    kinds=["eeg"],
    gaps=(Gap(start_s=10.0, stop_s=12.0),),
)


@pytest.mark.parametrize(
    ("goals", "words"),
    [
        ((), "there is no goal yet"),
        ((_span("keep", 1.0, 2.0, "O1"), _span("remove", 1.5, 3.0, "O1")), "mark the same span of O1 at 1.50 s"),
        ((_span("keep", 58.0, 63.0, "O1"),), "outside the recording"),
        ((_span("keep", 29.0, 30.5, "O2"),), "missing samples of O2 at 30.00 s"),
        ((_span("keep", 1.0, 2.0, "Fz"),), "marks Fz, which the recording does not have"),
        ((_span("keep", 1.0, 2.0, "T8"),), "marks T8, which this chain does not filter"),
        ((_span("keep", 1.0, 1.01, "O1"),), "fewer than 8 samples of O1"),
        ((FitGoal(verb="keep", bands=fit_bands("49.9-50.1")), HUM), "is also to be removed"),
        ((FitGoal(verb="keep", bands=fit_bands("120-130")),), "above fs/2 = 100 Hz"),
    ],
)
def test_what_cannot_be_fitted_is_one_sentence_with_a_way_on(fit, goals, words):
    (frame,) = _frames(fit(*goals))
    assert words in frame.problem
    assert frame.hint
    assert (frame.done, frame.rows) == (True, ())


def test_a_span_across_a_gap_is_refused(fit):
    (frame,) = _frames(fit(_span("keep", 9.0, 13.0, "O1"), source=GAPPED))
    assert "across a gap after 10.00 s" in frame.problem or "across a gap after 9.99" in frame.problem
    assert not _frames(fit(_span("keep", 7.0, 9.9, "O1"), HUM, source=GAPPED))[0].problem


def test_what_is_likely_to_be_asked_for_is_prepared_and_tells_nothing(recording):
    told: list[object] = []
    scheduler = Scheduler((), on_error=lambda lane, error: told.append(error), run_inline=True)
    entry = SimpleNamespace(recording=recording)
    jobs = FitJobs(_bench(told), scheduler, lambda _state: entry)
    document = Document(chains=(CHAIN,), fit=FitPlan(goals=(HUM, ALPHA)))
    for goals in (document.fit, FitPlan()):
        jobs.prepare(FitRequest(run=0, state=SessionState(document=replace(document, fit=goals)), chain=0))
    assert told == []
    before = fit_step._cache_size()
    jobs.begin(FitRequest(run=3, state=SessionState(document=document), chain=0))
    assert fit_step._cache_size() == before
    frames = [outcome for outcome in told if isinstance(outcome, FitFrame)]
    assert frames[-1].done


def test_it_waits_for_the_first_picture_and_not_for_ever(recording, monkeypatch):
    told: list[object] = []
    bench, token = Workbench(deliver=told.append), CancelToken()
    document = Document(chains=(CHAIN,), fit=FitPlan(goals=(HUM,)))
    steps = fit_work(bench, recording, FitRequest(run=1, state=SessionState(document=document), chain=0))(token)
    next(steps), next(steps)
    assert told == []
    monkeypatch.setattr(fit_job, "PATIENCE_S", 0.0)
    assert list(steps) == []
    assert [frame.problem for frame in told] == ["there is no picture of the recording yet"]


def test_a_chain_that_cannot_run_says_why(fit):
    chains = (FilterChain(stages=(Stage(spec=Butterworth(order=2, cutoff_hz=500.0)),)),)
    (frame,) = _frames(fit(HUM, chains=chains))
    assert frame.problem.startswith("the other stages cannot run")


def test_poles_come_in_pairs_the_outer_one_first():
    sos = signal.butter(2, 0.2, output="sos")[0].tolist()
    up, down = poles_of([tuple(sos)])
    assert up == pytest.approx((down[0], -down[1]))
    assert up[1] > 0
    assert poles_of([(1, 0, 0, 1, -1.4, 0.45)]) == (pytest.approx((0.9, 0.0)), pytest.approx((0.5, 0.0)))


def test_without_a_recording_a_fit_says_so_and_stopping_nothing_is_no_error():
    told: list[object] = []
    scheduler = Scheduler((), on_error=lambda lane, error: told.append(error), run_inline=True)
    jobs = FitJobs(Workbench(deliver=told.append), scheduler, lambda _state: None)
    request = FitRequest(run=1, state=SessionState(), chain=0)
    jobs.prepare(request)
    jobs.begin(request)
    jobs.stop()
    assert [frame.problem for frame in told if isinstance(frame, FitFrame)] == ["there is no recording to fit to"]


def test_samples_that_cannot_be_read_end_a_fit_with_a_sentence(fit, recording, monkeypatch):
    def gone(*given):
        raise ReadError("the disk is gone", hint="plug it in")

    monkeypatch.setattr(type(recording), "read", gone)
    (frame,) = _frames(fit(_span("remove", 1.0, 2.0, "O1")))
    assert (frame.problem, frame.hint, frame.done) == ("the disk is gone", "plug it in", True)
    request = FitRequest(run=1, state=SessionState(document=Document(chains=(CHAIN,), fit=_plan("O1"))), chain=0)
    assert list(ahead_work(recording, request)(CancelToken())) == []


@pytest.mark.parametrize(("error", "is_raised"), [(MemoryError(), False), (ZeroDivisionError("a bug"), True)])
def test_trouble_of_a_device_while_a_fit_is_prepared_is_left_to_the_fit(recording, monkeypatch, error, is_raised):
    def failing(*given, **named):
        raise error

    monkeypatch.setattr(fit_module, "fit_step", failing)
    document = Document(chains=(CHAIN,), fit=FitPlan(goals=(HUM, ALPHA)))
    steps = ahead_work(recording, FitRequest(run=0, state=SessionState(document=document), chain=0))(CancelToken())
    with pytest.raises(ZeroDivisionError) if is_raised else nullcontext():
        list(steps)


@pytest.mark.parametrize(
    ("error", "words", "is_raised"),
    [
        (MemoryError(), "there is not enough memory for this fit", False),
        (jax.errors.JaxRuntimeError("INTERNAL: it fell over"), "JAX could not run this filter on the CPU", False),
        (ZeroDivisionError("a bug"), "something went wrong while fitting", True),
    ],
)
@pytest.mark.parametrize("steps_before", [0, 10])
def test_whatever_ends_a_fit_is_said_with_a_way_on_and_a_bug_is_raised_too(
    fit, monkeypatch, error, words, is_raised, steps_before
):
    real, done = fit_module.fit_step, []

    def failing(*given, **named):
        if len(done) == steps_before:
            raise error
        done.append(True)
        return real(*given, **named)

    monkeypatch.setattr(fit_module, "fit_step", failing)
    steps, told, _ = fit(HUM, ALPHA)
    with pytest.raises(ZeroDivisionError) if is_raised else nullcontext():
        list(steps)
    frames = [outcome for outcome in told if isinstance(outcome, FitFrame)]
    assert (frames[-1].problem, frames[-1].done) == (words, True)
    assert "fit" in frames[-1].hint or "fewer" in frames[-1].hint
    assert not any(frame.problem for frame in frames[:-1])


@pytest.fixture
def held(monkeypatch):
    """Hold the first step as compiling it would; return what is set when it begins, and what lets it go on."""
    begun, go_on, real = threading.Event(), threading.Event(), fit_module.fit_step

    def step(*given, **named):
        begun.set()
        go_on.wait(30)
        return real(*given, **named)

    monkeypatch.setattr(fit_module, "fit_step", step)
    yield begun, go_on
    go_on.set()


@pytest.mark.parametrize("is_said", [True, False])
def test_a_stop_while_the_first_step_is_compiled_ends_what_is_said_and_holds_nothing_else(
    recording, held, monkeypatch, is_said
):
    begun, go_on = held
    monkeypatch.setattr(workbench, "BUSY_AFTER_S", 0.01 if is_said else 0.3)
    told: list[object] = []
    scheduler = Scheduler((Lane(name="design", thread="side"),), on_error=lambda lane, error: told.append(error))
    jobs = FitJobs(_bench(told), scheduler, lambda _state: SimpleNamespace(recording=recording))
    document, followed = Document(chains=(CHAIN,), fit=FitPlan(goals=(HUM,))), threading.Event()
    try:
        jobs.begin(FitRequest(run=3, state=SessionState(document=document), chain=0))
        assert begun.wait(30)
        if is_said:
            deadline = time.monotonic() + 10
            while not told and time.monotonic() < deadline:
                time.sleep(0.01)
        scheduler.submit("design", lambda _token: followed.set())
        assert followed.wait(10)
        jobs.stop()
        assert told[-1].done
        time.sleep(0.0 if is_said else 0.4)
        go_on.set()
        assert scheduler.wait_idle(30)
    finally:
        go_on.set()
        scheduler.shut_down()
    assert [one.done for one in told] == ([False, True, True] if is_said else [True])


def test_a_fit_waits_for_what_is_prepared_for_it_and_compiles_nothing_beside(recording, held):
    begun, go_on = held
    told: list[object] = []
    scheduler = Scheduler((), on_error=lambda lane, error: told.append(error))
    jobs = FitJobs(_bench(told), scheduler, lambda _state: SimpleNamespace(recording=recording))
    request = FitRequest(run=3, state=SessionState(document=Document(chains=(CHAIN,), fit=_plan("O1"))), chain=0)
    try:
        jobs.prepare(request)
        assert begun.wait(30)
        begun.clear()
        jobs.begin(request)
        assert not begun.wait(0.3)
        go_on.set()
        assert begun.wait(30)
        jobs.stop()
    finally:
        go_on.set()
        scheduler.shut_down()


def _plan(channel):
    return FitPlan(goals=(_span("remove", 1.0, 2.0, channel),))


def test_what_is_told_of_a_span_is_what_the_filter_does_though_it_may_ring_beyond_what_is_seen():
    rate_hz, n_samples = 30_000.0, 60_000
    times_s = np.arange(n_samples) / rate_hz
    noise = np.random.default_rng(0).standard_normal(n_samples)
    x = 20 * np.sin(2 * np.pi * 10 * times_s) + 10 * np.sin(2 * np.pi * 50 * times_s) + noise
    source = ArrayRecording.from_array(x[np.newaxis], rate_hz=rate_hz, names=["O1"], units="uV", kinds=["eeg"])
    goals = (_span("remove", 1.0, 1.3, "O1"), ALPHA)
    document = Document(chains=(FilterChain(phase="causal"),), fit=FitPlan(goals=goals, ringing_s=0.2))
    told: list[object] = []
    request = FitRequest(run=1, state=SessionState(document=document), chain=0)
    for _ in fit_work(_bench(told), source, request)(CancelToken()):
        pass
    frame = [one for one in told if isinstance(one, FitFrame)][-1]
    assert frame.note == (
        "Looks at the middle of long spans; no pole rings longer than 16.8 ms, as marked spans show no more"
    )
    assert max(np.hypot(*pole) for pole in frame.poles) < 0.01 ** (1 / (0.01681 * rate_hz))
    seen = slice(34_500 - 1024, 34_500 + 1024)  # the middle of the span
    after = signal.sosfilt(np.array(frame.rows), x)[seen]
    true_db = 10 * np.log10(np.var(after) / np.var(x[seen]))
    assert frame.values[0].value == pytest.approx(true_db, abs=0.3)
