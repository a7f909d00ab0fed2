"""The job that makes the traces: plan, render, deliver; and the one that settles a frame afterwards.

The first picture of a recording must not wait for the filter, nor for the import of what runs it: *Before* is delivered
first, alone. A frame whose context could not be read in time is delivered unsettled; the settling job works its way
from the true start of the segment to the window, then delivers the same window again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import lru_cache

from jaxscope.compute.designs import distinct
from jaxscope.compute.frames import Blocked, Frame
from jaxscope.compute.library import ProgramLibrary
from jaxscope.compute.plan import GroupRequest, Piece, RenderRequest, context_of, lengthened, plan
from jaxscope.compute.render import (
    Rendered,
    frame_of,
    is_long,
    render_steps,
    row_groups,
    run_length,
)
from jaxscope.compute.scales import automatic_scales
from jaxscope.compute.scheduler import Cancelled, CancelToken, Steps
from jaxscope.compute.stream import Source, filtered_blocks
from jaxscope.compute.trace_blocks import BlockBuilder, ShownSamples
from jaxscope.compute.workbench import Shown, Wish, Workbench, milliseconds_since
from jaxscope.errors import DeviceError
from jaxscope.filters.coefficients import ChainDesign

#: The module that brings jax with it: importing it takes its time.
ENGINE = "jaxscope.engines.jax_engine"
#: Samples (channels times time) that the settling job filters at most, to bring one frame to rest.
SETTLE_VALUES = 1_500_000_000


def trace_work(bench: Workbench, wish: Wish, then: Callable[[Shown], None]) -> Callable[[CancelToken], Steps]:
    """Return the work that delivers the frame of a wish and hands what it was made from to ``then``."""

    def work(token: CancelToken) -> Steps:
        if wish.entry.id not in bench.drawn:
            yield from _draw_before_alone(bench, wish)
            yield
        request = plan(wish.state, wish.entry.recording.info, bench.width_px, revision=wish.revision)
        if isinstance(request, Blocked):
            bench.deliver(request)
            return
        request = _of_known_lengths(bench, request)
        try:
            rendered = yield from _rendered(bench, request, wish)
        except Exception as error:
            trouble = error if isinstance(error, DeviceError) else trouble_of(error, request.device)
            if trouble is None:
                raise
            bench.deliver(
                Blocked(
                    revision=wish.revision,
                    reason=trouble.message,
                    hint=trouble.hint,
                    kind="device",
                    field=trouble.field,
                )
            )
            return
        _note_lengths(bench, request)
        token.check()
        shown = Shown(wish=wish, request=request, rendered=rendered)
        deliver_frame(bench, shown)
        then(shown)

    return work


def trouble_of(error: BaseException, device: str) -> DeviceError | None:
    """Return what went wrong on a device as a sentence, None where it is no trouble of a device; loads no engine."""
    from jaxscope.engines.trouble import device_trouble

    return device_trouble(error, device)


def _of_known_lengths(bench: Workbench, request: RenderRequest) -> RenderRequest:
    """Return a request that reads lengths which have run before, where it can."""
    groups = (
        group if group.is_causal else lengthened(group, bench.lengths.get((group.rate_hz, group.channels), ()))
        for group in request.groups
    )
    return replace(request, groups=tuple(groups))


def _note_lengths(bench: Workbench, request: RenderRequest) -> None:
    """Note what has run, so that the next edits may read as much."""
    for group in request.groups:
        if not group.is_causal:
            known = bench.lengths.setdefault((group.rate_hz, group.channels), set())
            known.update(piece.read_stop - piece.read_first for piece in group.pieces)


def needs_compiling(request: RenderRequest, programs: ProgramLibrary) -> bool:
    """Whether a program of this request has never run on as many samples, so that it may have to be compiled."""
    for group in request.groups:
        for member in row_groups(
            group.designs, device=request.device, precision=request.precision, method=request.method
        ):
            program = programs.get(member.key)
            lengths = {run_length(piece, group) for piece in group.pieces}
            if any(not programs.is_warm(program, length) for length in lengths):
                return True
    return False


def _rendered(bench: Workbench, request: RenderRequest, wish: Wish) -> Generator[None, None, Rendered]:
    """Render a request in steps; where that takes its time, say so."""
    is_filtered = any(any(group.filtered) for group in request.groups)
    if is_filtered and (ENGINE not in sys.modules or needs_compiling(request, bench.programs)):
        with bench.busy("compiling", f"Preparing the filter on {request.device}"):
            return (yield from _steps(bench, request, wish))
    if not any(is_long(piece, group) for group in request.groups for piece in group.pieces):
        return (yield from _steps(bench, request, wish))
    with bench.busy("filtering", f"Filtering {request.stop_s - request.start_s:.0f} s"):
        return (yield from _steps(bench, request, wish))


def _steps(bench: Workbench, request: RenderRequest, wish: Wish) -> Generator[None, None, Rendered]:
    """Render a request; give a long window up where a much shorter one has been asked for since.

    Otherwise a frame that has been begun is finished, so that a drag always sees some.
    """
    steps = render_steps(request, wish.entry.cache, bench.programs)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            rendered: Rendered = end.value
            return rendered
        if bench.wanted_s < (request.stop_s - request.start_s) / 2:
            raise Cancelled
        yield


def _draw_before_alone(bench: Workbench, wish: Wish) -> Steps:
    """Deliver the window without any filter."""
    document = replace(wish.state.document, filter_on=False)
    state = replace(wish.state, document=document)
    request = plan(state, wish.entry.recording.info, bench.width_px, revision=wish.revision)
    if isinstance(request, Blocked):
        raise TypeError("a plan without a filter cannot be blocked")
    rendered = yield from _rendered(bench, request, wish)
    deliver_frame(bench, Shown(wish=wish, request=request, rendered=rendered), settled=False)


def deliver_frame(bench: Workbench, shown: Shown, *, settled: bool | None = None, held: bool = False) -> None:
    """Deliver what was rendered as a frame."""
    bench.deliver(made_frame(bench, shown, settled=settled, held=held))
    bench.drawn.add(shown.wish.entry.id)


def made_frame(bench: Workbench, shown: Shown, *, settled: bool | None = None, held: bool = False) -> Frame:
    """Return what was rendered as a frame."""
    wish, request = shown.wish, shown.request
    if wish.entry.id not in bench.scales:
        bench.scales[wish.entry.id] = automatic_scales(wish.entry.recording)
    designs = distinct(design for group in request.groups for design in group.designs)
    times = [_settling_s(design) for design in designs]
    return frame_of(
        shown.rendered,
        request,
        revision=wish.revision,
        recording_id=wish.entry.id,
        compute_ms=milliseconds_since(wish.asked_at),
        scales=bench.scales[wish.entry.id],
        settling_s=(max((t[0] for t in times), default=0.0), max((t[1] for t in times), default=0.0)),
        warnings=tuple(dict.fromkeys(sentence for design in designs for sentence in design.warnings)),
        settled=settled,
        held=held,
    )


@lru_cache(maxsize=512)
def _settling_s(design: ChainDesign) -> tuple[float, float]:
    """Return when 99 % and 99.99 % of the energy of the impulse response have passed."""
    from jaxscope.filters.settling import FAINT_TAIL, STRONG_TAIL, settling_s

    return settling_s(design, STRONG_TAIL), settling_s(design, FAINT_TAIL)


def settle_work(bench: Workbench, shown: Shown) -> Callable[[CancelToken], Steps]:
    """Return the work that makes an unsettled frame again, from the true start of each segment."""

    def work(token: CancelToken) -> Steps:
        blocks = []
        samples: list[ShownSamples] = []
        for group in shown.request.groups:
            builder = BlockBuilder(group)
            for piece in group.pieces:
                part = yield from _settled_piece(bench, shown, group, piece, token)
                if part is None:
                    return
                builder.begin(piece)
                builder.add(part.first_sample, part.before, part.after)
                samples.append(part)
            blocks.append(builder.finish())
        rendered = replace(shown.rendered, blocks=tuple(blocks), samples=tuple(samples))
        token.check()
        deliver_frame(bench, replace(shown, rendered=rendered), settled=True)

    return work


def _settled_piece(
    bench: Workbench, shown: Shown, group: GroupRequest, piece: Piece, token: CancelToken
) -> Generator[None, None, ShownSamples | None]:
    """Return the samples of a piece with all the context there is; None where that would take too long."""
    recording, request = shown.wish.entry.recording, shown.request
    source = Source.of(recording, request, group)
    context = max((context_of(design) for design in distinct(group.designs)), default=0)
    reach = min(context, piece.show_first - piece.segment_first) + piece.show_stop - piece.show_first
    shown_values = (piece.show_stop - piece.show_first) * len(group.channels)
    if reach * len(group.channels) > SETTLE_VALUES or shown_values > SETTLE_VALUES // 64:
        return None
    before, after = [], []
    blocks = filtered_blocks(
        source, bench.programs, first_sample=piece.show_first, stop_sample=piece.show_stop, tick=True
    )
    for block in blocks:
        token.check()
        if block is not None:
            before.append(block.before)
            after.append(block.after)
        yield
    return ShownSamples(
        group=group,
        piece=piece,
        first_sample=piece.show_first,
        before=before,
        after=after,
    )
