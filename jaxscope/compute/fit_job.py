"""A fit: a filter descends to its goals, one complete filter a step, and every eighth is told.

It runs beside what the hand waits for and yields after each step, so it ends within a step of being told to. The fitted
stage stands behind the other stages of its chain, which stay as they are. Invariant: every filter that is told is
stable and rings no longer than was allowed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jaxscope.compute.design_job import rate_of_chain
from jaxscope.compute.designs import Refusal, design_or_refusal
from jaxscope.compute.fit_frames import FitFrame, GoalValue
from jaxscope.compute.fit_signals import MarkedRow, marked_rows
from jaxscope.compute.frames import Busy
from jaxscope.compute.library import OpenRecording
from jaxscope.compute.scheduler import Cancelled, CancelToken, Lane, Scheduler, Steps
from jaxscope.compute.trace_job import trouble_of
from jaxscope.compute.workbench import Workbench
from jaxscope.data.recording import Recording
from jaxscope.errors import JaxscopeError, SpecError
from jaxscope.filters.coefficients import Row
from jaxscope.filters.spec import FilterChain
from jaxscope.session.fit import FitGoal, FitPlan, check_goals
from jaxscope.session.state import SessionState

if TYPE_CHECKING:
    from jaxscope.learn.fit import Targets
    from jaxscope.learn.fit_targets import BandGoal

FloatArray = npt.NDArray[np.float64]
_LANE, _AHEAD = "fit", "fit-ahead"
_PREPARING = "Preparing the fit"
#: how long a fit waits for the first picture of a recording
PATIENCE_S = 30.0
#: every so many steps the filter as it stands is told
TOLD_EVERY = 8
#: samples around a marked span beside those in which a pole rings
_SPARE = 16
#: decibels below which a removal is all that can be wished
_ALL_REMOVED_DB = -60.0
#: what is said of a bug, and what to do; its details are told beside
_UNKNOWN = "something went wrong while fitting", "fit again, or to other goals"


@dataclass(frozen=True, slots=True, kw_only=True)
class FitRequest:
    """What is fitted: a stage of a chain to the goals of a document.

    ``stage`` is the place of an earlier fitted stage that this one will replace, None where it comes behind all others.
    """

    run: int
    state: SessionState
    chain: int
    stage: int | None = None

    @property
    def plan(self) -> FitPlan:
        """Goals and limits."""
        return self.state.document.fit

    @property
    def others(self) -> FilterChain:
        """The chain without the stage that is fitted; an empty one in zero phase where there is no chain yet."""
        chains = self.state.document.chains
        if self.chain >= len(chains):
            return FilterChain(phase="zero")
        chain = chains[self.chain]
        return replace(chain, stages=tuple(one for at, one in enumerate(chain.stages) if at != self.stage))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Problem:
    """Everything that a step needs, and what its numbers mean."""

    goals: tuple[FitGoal, ...]
    rows: tuple[MarkedRow, ...]
    targets: Targets
    numbers: Any
    zero_phase: bool
    rate_hz: float
    note: str


class FitJobs:
    """Fits filters; the outcomes are FitFrames.

    Parameters
    ----------
    bench : Workbench
    scheduler : Scheduler
    entry_of : callable
        From a state to its open recording as its montage shows it, None where there is none.
    """

    def __init__(
        self,
        bench: Workbench,
        scheduler: Scheduler,
        entry_of: Callable[[SessionState], OpenRecording | None],
    ) -> None:
        self._bench, self._scheduler, self._entry_of = bench, scheduler, entry_of
        # on one thread with what is prepared, so that nothing is compiled twice, and what follows an edit does not wait
        scheduler.add_lane(Lane(name=_LANE, thread="file", rank=1, restarts=True))
        scheduler.add_lane(Lane(name=_AHEAD, thread="file", rank=3, least_interval_s=0.5, restarts=True))

    def prepare(self, request: FitRequest) -> None:
        """Compile what a fit to these goals runs, so that it begins at once; goals that cannot be are no matter yet."""
        entry = self._entry_of(request.state)
        # before the first picture the engine is being imported on another thread, and is not imported here as well
        if entry is not None and self._bench.shown is not None:
            self._scheduler.submit(_AHEAD, ahead_work(entry.recording, request))

    def begin(self, request: FitRequest) -> None:
        """Fit anew, in place of what is being fitted."""
        entry = self._entry_of(request.state)
        if entry is None:
            words, hint = "there is no recording to fit to", "open one, or choose another montage"
            self._bench.deliver(FitFrame(run=request.run, steps=0, problem=words, hint=hint, done=True))
            return
        self._scheduler.submit(_LANE, fit_work(self._bench, entry.recording, request))

    def stop(self) -> None:
        """Fit no further; the filter stays as it was told last. What is being compiled ends by itself, unseen."""
        self._scheduler.cancel(_LANE)
        self._bench.deliver(Busy(what=_LANE, label=_PREPARING, done=True))

    def end(self) -> None:
        """Read no more of the recording: it is about to be closed."""
        for lane in (_LANE, _AHEAD):
            self._scheduler.cancel(lane)


def fit_work(bench: Workbench, recording: Recording, request: FitRequest) -> Callable[[CancelToken], Steps]:
    """Return the work that delivers a filter every eight steps; it yields after each.

    Whatever ends it is told as a frame that is done; what is no trouble of a person or a device is raised as well.
    """

    def work(token: CancelToken) -> Steps:
        try:
            yield from _filters(bench, recording, request, token)
        except Cancelled:
            raise
        except Exception as error:
            words, hint = _said_of(error, request.state.engine.device) or _UNKNOWN
            bench.deliver(FitFrame(run=request.run, steps=0, problem=words, hint=hint, done=True))
            if words == _UNKNOWN[0]:
                raise

    return work


def _filters(bench: Workbench, recording: Recording, request: FitRequest, token: CancelToken) -> Steps:
    """Deliver a filter every eight steps."""
    with bench.busy(_LANE, _PREPARING, lambda: not token.cancelled):
        yield from _picture_of(bench, token)
        problem = yield from _problem_of(recording, request)
        token.check()
        descent = _descend(problem, request.run)
        frame = next(descent)
    while True:
        token.check()
        if frame is not None:
            bench.deliver(frame)
        if frame is not None and frame.done:
            return
        yield
        frame = next(descent)


def _said_of(error: Exception, device: str) -> tuple[str, str] | None:
    """Return what is said of an error that ended a fit, and what to do; None where it is a bug."""
    if isinstance(error, JaxscopeError):
        return error.message, error.hint
    trouble = trouble_of(error, device)
    if trouble is None:
        return None
    if trouble.field == "memory":
        return "there is not enough memory for this fit", "mark fewer or shorter spans, or allow fewer poles"
    return trouble.message, f"{trouble.hint}; fit again"


def _picture_of(bench: Workbench, token: CancelToken) -> Steps:
    """Yield until there is a picture: before that the engine is being imported on another thread."""
    begun = time.monotonic()
    while bench.shown is None:
        token.check()
        if time.monotonic() - begun > PATIENCE_S:
            raise SpecError("fit", "there is no picture of the recording yet", hint="wait for it, and start again")
        time.sleep(0.01)
        yield


def ahead_work(recording: Recording, request: FitRequest) -> Callable[[CancelToken], Steps]:
    """Return the work that goes one step and tells nothing."""

    def work(token: CancelToken) -> Steps:
        try:
            problem = yield from _problem_of(recording, request)
            token.check()
            next(_descend(problem, request.run))
        except Exception as error:
            if _said_of(error, request.state.engine.device) is None:
                raise
            # whoever starts the fit is told

    return work


def _problem_of(recording: Recording, request: FitRequest) -> Generator[None, None, _Problem]:
    """Yield while samples are read; return what is descended. SpecError says what cannot be."""
    plan, info, others = request.plan, recording.info, request.others
    rate_hz = rate_of_chain(request.state, info)
    check_goals(plan, duration_s=info.duration_s, rate_hz=rate_hz)
    design = design_or_refusal(others, rate_hz)
    if isinstance(design, Refusal):
        words = f"the other stages cannot run: {design.in_chain(others).reason}"
        raise SpecError("fit", words, hint=design.hint)
    from jaxscope.filters.response import frequency_response
    from jaxscope.learn.fit_targets import SpanRow, make_start, make_targets
    from jaxscope.learn.pole_pairs import flat_numbers

    chains = request.state.document.chains
    ringing_s = _ringing_s(plan, rate_hz)
    context = math.ceil(2 * ringing_s * rate_hz) + _SPARE
    rows, note = yield from marked_rows(
        recording, chains, request.chain, plan.goals, others=design, rate_hz=rate_hz, context=context
    )
    goals = _bands_of(plan, rate_hz)
    spans = [
        SpanRow(goal=row.goal, before=row.arriving, wanted=row.arriving, first=row.first, stop=row.stop) for row in rows
    ]
    limits: dict[str, Any] = {"n_sections": plan.n_sections, "rate_hz": rate_hz, "ringing_s": ringing_s}

    def magnitude(frequencies_hz: FloatArray) -> FloatArray:
        return np.abs(frequency_response(design, frequencies_hz))

    return _Problem(
        goals=plan.goals,
        rows=tuple(rows),
        targets=make_targets(goals, spans, others=magnitude, **limits),
        numbers=flat_numbers(make_start(goals, spans, others=magnitude, **limits)),
        zero_phase=others.phase == "zero",
        rate_hz=rate_hz,
        note=_with_ringing(note, plan, ringing_s),
    )


def _ringing_s(plan: FitPlan, rate_hz: float) -> float:
    """Return how long poles may ring: half of what is seen around a span, else it does not tell what they do."""
    from jaxscope.learn.fit_targets import MOST_LENGTH

    seen_s = (MOST_LENGTH // 4 - _SPARE) / (2 * rate_hz)
    return min(plan.ringing_s, seen_s) if any(goal.spans for goal in plan.goals) else plan.ringing_s


def _with_ringing(note: str, plan: FitPlan, ringing_s: float) -> str:
    """Return what was left out of a fit, and that poles ring shorter than they may, if they do."""
    if ringing_s == plan.ringing_s:
        return note
    length = f"{ringing_s * 1e3:.3g} ms" if ringing_s < 1 else f"{ringing_s:.3g} s"
    words = f"no pole rings longer than {length}, as marked spans show no more"
    return f"{note}; {words}" if note else words.capitalize()


def _bands_of(plan: FitPlan, rate_hz: float) -> list[BandGoal]:
    """Return the bands of all goals at a rate. SpecError names a keep of which nothing is left."""
    from jaxscope.learn.fit_targets import BandGoal, is_left

    goals = [
        BandGoal(is_keep=goal.is_keep, bands_hz=tuple(band.limits_hz(rate_hz) for band in goal.bands))
        for goal in plan.goals
    ]
    for goal, bands in zip(plan.goals, goals, strict=True):
        if bands.is_keep and bands.bands_hz and not is_left(bands, goals):
            raise SpecError("fit", f"everything of {goal.sentence} is also to be removed", hint="remove one of them")
    return goals


def _descend(problem: _Problem, run: int) -> Generator[FitFrame | None, None, None]:
    """Yield after each step: a frame after every eighth and the last, else None."""
    import jax.numpy as jnp

    from jaxscope.learn.fit import STEPS, fit_step
    from jaxscope.learn.fit_measures import measure_fit

    targets = problem.targets
    numbers, moments = problem.numbers, jnp.zeros((2, problem.numbers.size))
    distances: list[float] = []
    for step in range(STEPS):
        numbers, moments, stand = fit_step(numbers, moments, jnp.float64(step), targets, zero_phase=problem.zero_phase)
        distances.append(float(stand.distance))
        is_last = step == STEPS - 1
        if step % TOLD_EVERY and not is_last:
            yield None
            continue
        measured = measure_fit(stand.sections, targets, zero_phase=problem.zero_phase)
        rows = _used_rows(np.asarray(stand.sections), problem.targets)
        yield FitFrame(
            run=run,
            steps=STEPS,
            step=step + 1,
            distances=tuple(distances),
            rows=rows,
            poles=poles_of(rows),
            goals=problem.goals,
            values=_values(problem, *map(np.asarray, measured)),
            rate_hz=problem.rate_hz,
            note=problem.note,
            done=is_last,
        )


def _used_rows(sections: FloatArray, targets: Targets) -> tuple[Row, ...]:
    used = np.asarray(targets.used) > 0
    return tuple((b0, b1, b2, a0, a1, a2) for b0, b1, b2, a0, a1, a2 in sections[used].tolist())


def poles_of(rows: Sequence[Row]) -> tuple[tuple[float, float], ...]:
    """Return both poles of each section as (re, im): the upper and the lower one, or the outer and the inner one."""
    found: list[tuple[float, float]] = []
    for row in rows:
        half, spread = -row[4] / 2, row[4] ** 2 / 4 - row[5]
        reach = math.sqrt(abs(spread))
        if spread < 0:
            found += [(half, reach), (half, -reach)]
        else:
            found += [(half + math.copysign(reach, half), 0.0), (half - math.copysign(reach, half), 0.0)]
    return tuple(found)


def _values(
    problem: _Problem, band_power: FloatArray, row_power: FloatArray, row_height: FloatArray
) -> tuple[GoalValue, ...]:
    """Return what the filter does for each goal."""
    found = []
    for at, goal in enumerate(problem.goals):
        own = [number for number, row in enumerate(problem.rows) if row.goal == at]
        if own and goal.is_keep and all(problem.rows[number].kind == "ecg" for number in own):
            height = float(np.mean([row_height[number] / problem.rows[number].height for number in own]))
            found.append(GoalValue(value=(height - 1) * 100, unit="%", share=max(0.0, 1 - abs(height - 1))))
            continue
        power = float(band_power[at])
        if own:
            power = float(np.mean([row_power[number] / problem.rows[number].power for number in own]))
        level_db = 10 * math.log10(max(power, 1e-30))
        share = 1 - abs(math.sqrt(power) - 1) if goal.is_keep else level_db / _ALL_REMOVED_DB
        found.append(GoalValue(value=level_db, unit="dB", share=min(max(share, 0.0), 1.0)))
    return tuple(found)
