"""The job that works out what lies around a window, before anybody goes there.

While a hand rests, the window and some of its length on either side are made into ``Surroundings``. A window that moves
within them is drawn at once, by whoever holds them; its own frame, and what follows from it, come when the hand rests.
Where the edge comes near, more is made while the window still moves.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace

from jaxscope.compute.frames import Blocked
from jaxscope.compute.plan import GroupRequest, Piece, RenderRequest, plan
from jaxscope.compute.render import Rendered, render_steps
from jaxscope.compute.scheduler import CancelToken, Scheduler, Steps
from jaxscope.compute.surroundings import Surroundings, is_moved
from jaxscope.compute.trace_job import made_frame, needs_compiling, trouble_of
from jaxscope.compute.workbench import Shown, Wish, Workbench
from jaxscope.errors import JaxscopeError
from jaxscope.session.state import SessionState

#: Samples (channels times time) of the surroundings at most.
MOST_VALUES = 16_000_000
#: Windows on either side of the one in the middle.
NEIGHBOURS = 2
#: Windows that are left where a window moves to when more is made.
SPARE_WINDOWS = 1.5
#: Windows that are left on either side when it rests, else the surroundings are made again.
RESTING = {"spare_left": 1.9, "spare_right": 1.9}
#: By how many windows the surroundings of one that moves lie further on.
LEAN_WINDOWS = 1.5


class AheadDesk:
    """Decides when surroundings are made, and whether they serve."""

    def __init__(self, bench: Workbench, scheduler: Scheduler) -> None:
        self._bench, self._scheduler = bench, scheduler
        self._was: SessionState | None = None

    def lane_for(self, wish: Wish, *, is_live: bool) -> str:
        """Return the lane that the frame of a wish belongs to, and leave nothing of another window in the other one."""
        if is_live:
            self._bench.around = None  # what grows meanwhile has another end
        elif self.carry(wish):
            return "still"
        self._scheduler.cancel("still")  # it would come late, and be taken for the newest
        return "traces"

    def carry(self, wish: Wish) -> bool:
        """Whether the window of a wish lies within the surroundings, so its frame can wait; see to more of them."""
        around, shown = self._bench.around, self._bench.shown
        viewport, state, self._was = wish.state.viewport, self._was or wish.state, wish.state
        was = state.viewport
        is_zoomed = viewport.duration_s != was.duration_s
        lean = -LEAN_WINDOWS if viewport.start_s < was.start_s else LEAN_WINDOWS
        # a filter that is as it was before asks for its frame as any other does: a window that stands is not drawn anew
        serves = around is not None and is_moved(state, wish.state)
        if around is not None and not (serves and around.suits(wish.state, wish.entry.id, self._bench.width_px)):
            around = None
        if around is None and (shown is None or not is_moved(shown.wish.state, wish.state)):
            for lane in ("ahead", "around", "still"):
                self._scheduler.cancel(lane)
            return False
        # while it is zoomed, what is made ahead would soon be of other bins, and take the time of what is looked at
        if not is_zoomed and (around is None or not _is_far(around, wish.state, lean)):
            self._scheduler.submit("ahead", ahead_work(self._bench, wish, lean))
        if around is None or not around.has(wish.state):
            return False
        self._scheduler.cancel("traces")  # of a window that was left
        self._scheduler.stir()
        return True

    def follow(self, shown: Shown) -> None:
        """Make the surroundings of a frame when nothing moves, where they are not there."""
        around, wish = self._bench.around, shown.wish
        is_there = around is not None and around.suits(wish.state, wish.entry.id, self._bench.width_px)
        is_there = is_there and around is not None and around.is_as_long(wish.state)
        if shown.request.settled and not (is_there and around and around.has(wish.state, **RESTING)):
            self._scheduler.submit("around", ahead_work(self._bench, wish))


def _is_far(around: Surroundings, state: SessionState, lean: float) -> bool:
    """Whether surroundings reach so far that no more need be made while a window moves one way."""
    left, right = (SPARE_WINDOWS, 0.0) if lean < 0 else (0.0, SPARE_WINDOWS)
    return around.has(state, spare_left=left, spare_right=right)


def ahead_work(bench: Workbench, wish: Wish, lean: float = 0.0) -> Callable[[CancelToken], Steps]:
    """Return the work that delivers the surroundings of a wish, ``lean`` windows further on.

    There are none where they are large, or have to be compiled.
    """

    def work(token: CancelToken) -> Steps:
        width_px, known = bench.width_px, bench.around
        is_known = known is not None and known.suits(wish.state, wish.entry.id, width_px)
        if lean and is_known and known is not None and _is_far(known, wish.state, lean):
            return  # what ran when this was asked for has brought enough
        request = plan_around(wish, width_px, lean)
        if request is None or needs_compiling(request, bench.programs):
            return
        try:
            rendered = yield from _steps(bench, request, wish, token)
        except Exception as error:
            if not isinstance(error, JaxscopeError) and trouble_of(error, request.device) is None:
                raise
            return  # nobody has asked for this yet: whoever goes there is told
        duration_s = wish.state.viewport.duration_s
        around = Surroundings(
            frame=made_frame(bench, Shown(wish=wish, request=request, rendered=rendered)),
            start_s=request.start_s - NEIGHBOURS * duration_s,
            stop_s=request.stop_s + NEIGHBOURS * duration_s,
            state=wish.state,
            width_px=width_px,
        )
        token.check()  # a recording may have grown meanwhile, and they end where it did
        bench.around = around
        bench.deliver(around)

    return work


def _steps(bench: Workbench, request: RenderRequest, wish: Wish, token: CancelToken) -> Generator[None, None, Rendered]:
    steps = render_steps(request, wish.entry.cache, bench.programs)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            rendered: Rendered = end.value
            return rendered
        token.check()
        yield


def plan_around(wish: Wish, width_px: int, lean: float) -> RenderRequest | None:
    """Return what a window and its neighbours need, as pieces of one request; None where they are large.

    It is the window of the wish, ``lean`` windows further on.

    Each neighbour is planned as the window itself, so it reads and runs what a frame of it would.
    """
    viewport = wish.state.viewport
    if viewport.mode == "difference" or not viewport.lock_scales:
        return None
    parts: list[RenderRequest] = []
    for number in range(-NEIGHBOURS, NEIGHBOURS + 1):
        moved = replace(viewport, start_s=viewport.start_s + (lean + number) * viewport.duration_s)
        part = plan(replace(wish.state, viewport=moved), wish.entry.recording.info, width_px, revision=wish.revision)
        if isinstance(part, Blocked) or not part.settled:
            return None
        parts.append(part)
    groups = [_joined(own) for own in zip(*(part.groups for part in parts), strict=True)]
    known = [group for group in groups if group is not None]
    if len(known) < len(groups) or sum(map(_n_values, known)) > MOST_VALUES:
        return None
    return replace(parts[NEIGHBOURS], groups=tuple(known))


def _joined(groups: tuple[GroupRequest, ...]) -> GroupRequest | None:
    """Return groups of neighbouring windows as one; None where their bins differ, as a length is a float."""
    if len({(group.bin_samples, group.tile_samples, group.channels) for group in groups}) > 1:
        return None
    pieces: list[Piece] = []
    for piece in (piece for group in groups for piece in group.pieces):
        first = piece.show_first
        if pieces and pieces[-1].segment_first == piece.segment_first:
            first = max(first, pieces[-1].show_stop)
        if first < piece.show_stop:
            pieces.append(replace(piece, show_first=first))
    return replace(groups[NEIGHBOURS], pieces=tuple(pieces))


def _n_values(group: GroupRequest) -> int:
    return len(group.channels) * sum(piece.show_stop - piece.show_first for piece in group.pieces)
