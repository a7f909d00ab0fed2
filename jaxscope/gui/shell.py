"""What the window's commands work on: the store, the recording, the scales, and what follows from them.

It has no widgets, so each command that only changes the state can be tried with a store and a recording's info alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count

from jaxscope.compute.frames import Opened
from jaxscope.compute.montaged import chains_with
from jaxscope.compute.shown_channels import selected_chain, shown_channels
from jaxscope.data.recording import RecordingInfo
from jaxscope.errors import JaxscopeError
from jaxscope.filters.montage import Montage
from jaxscope.filters.shapes import name_of_chain
from jaxscope.filters.spec import Phase
from jaxscope.gui.navigator import Navigator
from jaxscope.gui.painting.lanes import Lane, lanes_of
from jaxscope.gui.painting.scales import ScaleBook
from jaxscope.gui.time_words import Times, time_of
from jaxscope.session import actions as act
from jaxscope.session.state import Arrangement, Mode, SessionState, Viewport
from jaxscope.session.store import Store

_assignments = count(1)
_PHASES: tuple[Phase, ...] = ("causal", "zero", "minimum")


class Shell:
    """State of one window, apart from its widgets.

    Parameters
    ----------
    store : Store
    refuse : callable
        Told of an action that the state refused.
    """

    def __init__(self, store: Store, refuse: Callable[[JaxscopeError], None]) -> None:
        self.store = store
        self._refuse = refuse
        self.scales = ScaleBook()
        self.navigator = Navigator(self.dispatch, lambda: store.state)
        self.stop_noting = store.subscribe(self.navigator.note)
        self.info: RecordingInfo | None = None
        #: what was recorded; ``info`` is what a montage shows of it
        self.recorded: RecordingInfo | None = None
        self.path = ""

    @property
    def state(self) -> SessionState:
        """The current state."""
        return self.store.state

    @property
    def viewport(self) -> Viewport:
        """What is looked at."""
        return self.store.state.viewport

    @property
    def has_recording(self) -> bool:
        """Whether anything is open."""
        return self.info is not None

    def dispatch(self, action: act.Action) -> None:
        """Change the state; what it refuses is told and changes nothing."""
        try:
            self.store.dispatch(action)
        except JaxscopeError as error:
            self._refuse(error)

    def take(self, opened: Opened) -> None:
        """Work on another recording."""
        self.info = self.recorded = opened.info
        self.path = opened.path
        self.navigator.reset(opened.info.duration_s)

    def grow(self, info: RecordingInfo) -> None:
        """Work on the same recording, which holds more samples."""
        self.info = info
        self.navigator.total_s = info.duration_s

    def take_channels(self, opened: Opened) -> None:
        """Work on other channels of the recording that is open."""
        self.info = opened.info

    @property
    def selected_chain(self) -> int | None:
        """The number of the chain that filters the channel selected last, None where there is none."""
        return None if self.info is None else selected_chain(self.state, self.info)

    def edit_selected_chain(self) -> None:
        """Show the chain of the channel selected last in the dock."""
        chain = self.selected_chain
        if chain is not None:
            self.dispatch(act.SelectStage(chain=chain, stage=0))

    def drop(self) -> None:
        """Work on nothing."""
        self.info = self.recorded = None
        self.path = ""
        self.navigator.reset(None)

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes on the screen."""
        return () if self.info is None else lanes_of(self.state, self.info)

    @property
    def data_channels(self) -> tuple[str, ...]:
        """Names of the channels that may be filtered."""
        return () if self.info is None else tuple(item.name for item in self.info.channels if item.is_data)

    def use_montage(self, montage: Montage | None) -> None:
        """Look at channels made of the recorded ones, or at these; chains filter what is made of their channels."""
        if self.recorded is None:
            return
        try:
            chains = chains_with(self.state.document.chains, self.recorded, montage)
        except JaxscopeError as error:
            self._refuse(error)
            return
        self.dispatch(act.SetMontage(montage=montage, chains=chains))

    # --- comparing

    def choose_mode(self, mode: Mode) -> None:
        """Compare in another way."""
        self.dispatch(act.ChooseMode(mode=mode))

    def show_raw(self, *, raw: bool) -> None:
        """Hide the filter, or show it again."""
        self.dispatch(act.ShowRaw(raw=raw))

    def toggle_filter(self) -> None:
        """Switch the filter on or off; undoable."""
        self.dispatch(act.ToggleFilter(on=not self.state.document.filter_on))

    def next_phase(self) -> None:
        """Go from causal to zero phase to minimum phase and back."""
        chain = self.viewport.active_chain
        if chain < len(self.state.document.chains):
            place = _PHASES.index(self.state.document.chains[chain].phase)
            self.dispatch(act.SetPhase(chain=chain, phase=_PHASES[(place + 1) % len(_PHASES)]))

    def pin_chain(self) -> None:
        """Keep the active chain as it is now, to compare with."""
        at, chains = self.viewport.active_chain, self.state.document.chains
        if at < len(chains):
            self.dispatch(act.PinChain(chain=at, name=name_of_chain(chains[at])))

    @property
    def can_compare(self) -> bool:
        """Whether anything is pinned."""
        return bool(self.state.document.pins)

    def compare(self) -> None:
        """Show the chosen pinned chain in place of its own, or the own one again."""
        if self.can_compare:
            self.dispatch(act.ShowPin(on=not self.viewport.shows_pin))

    def toggle_display(self, name: str) -> None:
        """Turn one of the yes-or-no choices of the viewport."""
        self.dispatch(act.SetDisplay(name=name, value=not getattr(self.viewport, name)))

    def toggle_arrangement(self, arrangement: Arrangement) -> None:
        """Lay channels over one another, or give each its own row again.

        Butterfly takes the selected channels where there are several, else all.
        """
        if self.viewport.arrangement == arrangement:
            arrangement = "stacked"
        selected = self.viewport.selected_channels
        is_few = arrangement == "butterfly" and len(selected) > 1
        self.navigator.remember()
        self.dispatch(act.Arrange(arrangement=arrangement, together=selected if is_few else ()))

    # --- heights

    def taller(self, factor: float) -> None:
        """Make the traces of the selected channels' kinds taller (all kinds where none is selected)."""
        selected = {lane.scale_kind for lane in self.lanes if lane.name in self.viewport.selected_channels}
        for kind in sorted(selected or {lane.scale_kind for lane in self.lanes}):
            units = self.scales.units_per_lane(self.viewport, kind)
            self.dispatch(act.SetScale(kind=kind, units_per_lane=units / factor))

    def taller_selected(self, factor: float) -> None:
        """Make the traces of the selected channels taller."""
        for name in self.viewport.selected_channels:
            look = self.state.document.look_of(name)
            self.dispatch(act.SetLook(channel=name, look=replace(look, gain=look.gain * factor), merge_key="heights"))

    def usual_heights(self) -> None:
        """Put all heights back to those of their kinds."""
        for kind, _ in (*self.viewport.scales, *self.viewport.sensitivities):
            self.dispatch(act.SetScale(kind=kind, units_per_lane=None))
        for name, look in self.state.document.looks:
            if (look.gain, look.offset) != (1.0, 0.0):
                usual = replace(look, gain=1.0, offset=0.0)
                self.dispatch(act.SetLook(channel=name, look=usual, merge_key="heights"))

    def toggle_lock(self) -> None:
        """Keep heights while the window moves, as they are now; or let them fit each window."""
        is_locked = self.viewport.lock_scales
        if not is_locked:
            free = sorted({lane.scale_kind for lane in self.lanes} - set(dict(self.viewport.sensitivities)))
            for kind, units in self.scales.in_use(self.viewport, free).items():
                self.dispatch(act.SetScale(kind=kind, units_per_lane=units))
        self.dispatch(act.SetDisplay(name="lock_scales", value=not is_locked))

    def look_by_paper(self, mm_per_s: float, width_px: float) -> None:
        """Show as much time as fits into a width at a paper speed."""
        duration_s = width_px / self.scales.pixels_per_mm / mm_per_s
        self.navigator.look(self.viewport.start_s, duration_s, paper_mm_s=mm_per_s)

    def fit_heights(self) -> None:
        """Take the heights that fit what is seen now."""
        for kind, units in sorted(self.scales.fitted().items()):
            self.dispatch(act.SetScale(kind=kind, units_per_lane=units))

    # --- channels

    def select_next(self, rows: int, *, extend: bool = False) -> None:
        """Select the channel ``rows`` below; ``extend`` keeps those that are selected."""
        names = self.shown_names
        if not names:
            return
        selected = [name for name in self.viewport.selected_channels if name in names]
        if not selected:
            on_screen = [lane.name for lane in self.lanes]
            self.dispatch(act.SelectChannels(names=(on_screen[0 if rows > 0 else -1],)))
            return
        place = min(len(names) - 1, max(0, names.index(selected[-1]) + rows))
        chosen = names[place]
        kept = tuple(name for name in selected if name != chosen) if extend else ()
        self.dispatch(act.SelectChannels(names=(*kept, chosen)))
        self.bring_on_screen(chosen)

    @property
    def shown_names(self) -> list[str]:
        """Names of the channels that are not hidden, in the order of the screen."""
        if self.info is None:
            return []
        return [self.info.channels[number].name for number in shown_channels(self.state, self.info)]

    def bring_on_screen(self, name: str) -> None:
        """Scroll the channels as little as needed to show one of them."""
        count, names = self.viewport.lane_count, self.shown_names
        if count is None or name not in names:
            return
        place, first = names.index(name), self.viewport.first_lane
        wanted = min(first, place) if place < first else max(first, place - count + 1)
        if wanted != first:
            self.dispatch(act.ShowLanes(first=wanted, count=count))

    def go_to_channel(self, name: str) -> None:
        """Select a channel and bring it onto the screen; one that is hidden is shown again."""
        look = self.state.document.look_of(name)
        if look.hidden:
            self.dispatch(act.SetLook(channel=name, look=replace(look, hidden=False)))
        self.dispatch(act.SelectChannels(names=(name,)))
        self.bring_on_screen(name)

    def page_channels(self, direction: int) -> None:
        """Show the next or the previous screen of channels."""
        count = self.viewport.lane_count
        if count is not None and self.info is not None:
            last = max(0, len(shown_channels(self.state, self.info)) - count)
            first = min(last, max(0, self.viewport.first_lane + direction * count))
            self.dispatch(act.ShowLanes(first=first, count=count))

    def more_channels(self, direction: int) -> None:
        """Show more (1) or fewer (-1) channels at once: 1, 2, 4, 8, 12, 16, 24, 32, 48, 64 and so on, or all."""
        if self.info is None:
            return
        total = len(shown_channels(self.state, self.info))
        steps = [step for step in (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512) if step < total] + [total]
        now = min(self.viewport.lane_count or total, total)
        wanted = [step for step in steps if (step > now if direction > 0 else step < now)]
        if not wanted:
            return
        count = wanted[0] if direction > 0 else wanted[-1]
        first = min(self.viewport.first_lane, total - count)
        self.dispatch(act.ShowLanes(first=first, count=None if count == total else count))

    def hide_selected(self) -> None:
        """Hide the selected channels, never all."""
        names = self.viewport.selected_channels
        if names and self.info is not None and len(names) < len(shown_channels(self.state, self.info)):
            self.dispatch(act.HideChannels(names=names))

    def show_all(self) -> None:
        """Show every channel."""
        self.dispatch(act.ShowAllChannels())
        self.dispatch(act.ShowLanes(first=0, count=None))

    def assign(self, channels: Sequence[str], chain: int | None) -> None:
        """Give channels to a chain, or to none, as one step."""
        key = f"assign-{next(_assignments)}"
        for name in channels:
            self.dispatch(act.AssignChannel(channel=name, chain=chain, data_channels=self.data_channels, merge_key=key))

    # --- times

    def second_of(self, text: str) -> float:
        """Return the second that a typed time means; JaxscopeError says what is wrong with it."""
        info, viewport = self.info, self.viewport
        wanted = [*viewport.selected_channels, *(lane.name for lane in self.lanes)]
        numbers = [] if info is None else [info.number_of(name) for name in wanted[:1]]
        rate_hz = info.channels[numbers[0]].rate_hz if info is not None and numbers else None
        start = None if info is None else info.start
        return time_of(
            text,
            Times(
                now_s=viewport.start_s,
                total_s=self.navigator.total_s,
                start=start,
                rate_hz=rate_hz,
                timeline=info.timeline_of(numbers[0]) if info is not None and numbers else None,
                is_clock=viewport.clock_time and start is not None,
            ),
        )

    def go_to(self, second: float) -> None:
        """Begin the window at a time; a step of its own for "zoom back"."""
        self.navigator.remember()
        self.navigator.look(second, self.viewport.duration_s)

    def add_cursor(self, second: float) -> None:
        """Set a cursor at a time: the first, the second, else in place of the second."""
        self.dispatch(act.SetCursors(cursors_s=(*self.viewport.cursors_s[:1], second)))

    def set_cursor(self, second: float | None) -> None:
        """Set a cursor, then a second one, then none; without a time two in thirds of the window."""
        cursors_s = self.viewport.cursors_s
        if len(cursors_s) == 2:
            self.dispatch(act.SetCursors(cursors_s=()))
        elif second is not None:
            self.dispatch(act.SetCursors(cursors_s=(*cursors_s, second)))
        else:
            third_s = self.viewport.duration_s / 3
            thirds_s = (self.viewport.start_s + third_s, self.viewport.start_s + 2 * third_s)
            self.dispatch(act.SetCursors(cursors_s=thirds_s))
