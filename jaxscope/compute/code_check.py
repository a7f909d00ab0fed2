"""Whether exported code gives the numbers of the screen: it is really run on samples of the view and compared.

The code gets a stretch with all the context that its filter hears, as the screen does; only what lies in the view is
compared, with the After that the traces are drawn from, at their precision. What cannot be run is told as not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from jaxscope.compute.code_export import exported
from jaxscope.compute.code_frames import CodeChecked
from jaxscope.compute.code_runners import RUNNERS, run_code
from jaxscope.compute.frames import Blocked
from jaxscope.compute.plan import GroupRequest, RenderRequest, context_of, plan
from jaxscope.compute.scheduler import CancelToken, Steps
from jaxscope.compute.stream import Source, filtered_blocks
from jaxscope.compute.workbench import Wish, Workbench
from jaxscope.errors import JaxscopeError
from jaxscope.filters.coefficients import ChainDesign, RunningMedian
from jaxscope.filters.design import design_chain
from jaxscope.filters.spec import FilterChain

FloatArray = npt.NDArray[np.float64]
#: seconds of the view and channels that are compared
MOST_S = 30.0
MOST_CHANNELS = 4
#: values (channels times samples, times the window of a running median) that a run gets
MOST_VALUES = 4_000_000
#: differences that are rounding, as shares of the largest value that went in or came out
ROUNDING = {"float64": 1e-8, "float32": 1e-4}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stretch:
    """Samples with their context, what the screen makes of the part that is seen, and where that part begins."""

    x: FloatArray
    after: FloatArray
    first: int
    names: tuple[str, ...]
    units: tuple[str, ...]
    rate_hz: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeCheck:
    """Run an export of a chain on the view; the outcome is ``CodeChecked``."""

    target: str
    chain: FilterChain
    rate_hz: float
    path: str = ""

    #: what is written down is the chain of the document
    as_shown = False
    #: nothing of the recording is written
    needs_whole = False

    def work(self, bench: Workbench, wish: Wish, job: int) -> Callable[[CancelToken], Steps]:
        """Return the work that runs the code and says what came of it."""

        def work(token: CancelToken) -> Steps:
            try:
                steps = self._checked(bench, wish, job)
                while True:
                    try:
                        next(steps)
                    except StopIteration as end:
                        bench.deliver(end.value)
                        return
                    token.check()
                    yield
            except JaxscopeError as error:
                bench.deliver(CodeChecked(job=job, target=self.target, problem=error.message))
            except (OSError, MemoryError) as error:
                bench.deliver(CodeChecked(job=job, target=self.target, problem=str(error) or "memory ran out"))

        return work

    def _checked(self, bench: Workbench, wish: Wish, job: int) -> Generator[None, None, CodeChecked]:
        yield
        found = yield from stretch_of(bench, wish, self.chain, self.rate_hz)
        if isinstance(found, str):
            return CodeChecked(job=job, target=self.target, unchecked=found)
        how = RUNNERS[self.target](*found.x.shape)
        if isinstance(how, str):
            return CodeChecked(job=job, target=self.target, unchecked=how)
        text = exported(self.chain, self.rate_hz, self.target).decode("utf-8")
        y = yield from run_code(how, text, found.x)
        return compared(found, y, job, self.target, wish.state.engine.precision)


def compared(found: Stretch, y: FloatArray, job: int, target: str, precision: str) -> CodeChecked:
    """Return what comparing the output of the code with the screen says, of the channel that differs most."""
    own = y[:, found.first : found.first + found.after.shape[1]]
    off = np.abs(own - found.after).max(axis=1)
    off[np.isnan(off)] = np.inf
    peaks = np.abs(found.after).max(axis=1)
    sizes = np.maximum(np.abs(found.x).max(axis=1), peaks)
    shares = off / np.where(sizes > 0, sizes, 1.0)
    worst = int(shares.argmax())
    return CodeChecked(
        job=job,
        target=target,
        is_same=bool(shares[worst] <= ROUNDING.get(precision, ROUNDING["float32"])),
        difference=float(off[worst]),
        peak=float(peaks[worst]),
        unit=found.units[worst],
        seconds=found.after.shape[1] / found.rate_hz,
        channels=found.names,
        precision=precision,
    )


def stretch_of(
    bench: Workbench, wish: Wish, chain: FilterChain, rate_hz: float
) -> Generator[None, None, Stretch | str]:
    """Return samples of channels in the view that a chain is for, or why there are none to compare."""
    state = replace(
        wish.state,
        document=replace(wish.state.document, filter_on=True),
        viewport=replace(wish.state.viewport, raw=False),
    )
    request = plan(state, wish.entry.recording.info, bench.width_px)
    if isinstance(request, Blocked):
        return f"the filter cannot run: {request.reason}"
    design = design_chain(chain, rate_hz)
    for group in request.groups:
        rows = [row for row, one in enumerate(group.designs) if one == design][:MOST_CHANNELS]
        if rows and group.rate_hz == rate_hz:
            return (yield from _read(bench, wish, request, _only(group, rows), design))
    return "no channel in the view has this filter"


def _only(group: GroupRequest, rows: list[int]) -> GroupRequest:
    return replace(
        group,
        channels=tuple(group.channels[row] for row in rows),
        designs=tuple(group.designs[row] for row in rows),
        bad=group.bad.of_rows(rows),
    )


def _read(
    bench: Workbench, wish: Wish, request: RenderRequest, group: GroupRequest, design: ChainDesign
) -> Generator[None, None, Stretch | str]:
    recording = wish.entry.recording
    timeline = recording.info.timeline_of(group.channels[0])
    span = timeline.span_between(request.start_s, min(request.stop_s, request.start_s + MOST_S), group.rate_hz)
    source = Source.of(recording, request, group)
    segment = next(
        (one for one in source.segments() if one.first_sample < span.stop and one.stop_sample > span.start), None
    )
    if segment is None:
        return "there are no samples in the view"
    first, stop = max(span.start, segment.first_sample), min(span.stop, segment.stop_sample)
    context = context_of(design)
    begin = max(segment.first_sample, first - context)
    end = min(segment.stop_sample, stop + context) if design.phase == "zero" else stop
    heavy = max((part.window for part in design.parts if isinstance(part, RunningMedian)), default=1)
    rows = min(len(group.channels), MOST_VALUES // (heavy * max(1, end - begin)))
    if not rows:
        return f"{(end - begin) / group.rate_hz:.0f} s around the view decide what it shows"
    group = _only(group, list(range(rows)))
    source = Source.of(recording, request, group)
    x = group.bad.masked(recording.read(begin, end, list(group.channels)), begin)
    if not np.isfinite(x).all():
        return "samples are missing here, which the code must not be given"
    yield
    after = []
    for block in filtered_blocks(source, bench.programs, first_sample=first, stop_sample=stop, tick=True):
        if block is not None:
            after.append(block.after)
        yield
    named = [recording.info.channels[number] for number in group.channels]
    return Stretch(
        x=x,
        after=np.concatenate(after, axis=1),
        first=first - begin,
        names=tuple(one.name for one in named),
        units=tuple(one.unit for one in named),
        rate_hz=group.rate_hz,
    )
