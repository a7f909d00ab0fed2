"""The panel of a fit, in the dock's place: goals, limits, start, how it goes, and whether the filter is kept.

While it runs the filter of every eighth step is a stage of the chain, as a hand would write it, all as one step of
undo; "Discard" takes that step back. Invariant: what is discarded or written over is what this panel has put there: a
stage that was taken back or changed elsewhere ends the fit and is left alone.
"""

from __future__ import annotations

from itertools import count
from typing import Literal, Self

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from jaxscope.compute.fit_frames import FitFrame
from jaxscope.compute.fit_job import FitRequest
from jaxscope.compute.frames import Opened, Outcome
from jaxscope.errors import capitalised
from jaxscope.filters.spec import FilterChain
from jaxscope.gui.components.painting import begin
from jaxscope.gui.theme import colour, scaled
from jaxscope.gui.views.base import AbstractView, Dispatch, ViewKit
from jaxscope.gui.views.fit_goal_hand import GoalHand
from jaxscope.gui.views.fit_parts import FitParts
from jaxscope.gui.views.fit_stage import FittedStage, fitted_before, note_of, put_stage
from jaxscope.session.actions_fit import LimitFit
from jaxscope.session.state import SessionState

_HINT = "Drag over the traces, then K keeps what is selected and J removes it. Enter starts, Esc closes"
_RUNS = "Every step is a complete filter; stop at any time and keep what you see"
_ENDED = "Enter keeps this filter; Esc closes and puts the chain back"
_OTHER_CHANNELS = "The channels have changed: fit again to follow them, or discard the filter"
_OTHER_RECORDING = "Another recording was opened: fit again to follow it, or discard the filter"
Phase = Literal["idle", "preparing", "running", "ended"]
_HINTS: dict[Phase, str] = {"idle": _HINT, "preparing": _RUNS, "running": _RUNS, "ended": _ENDED}
_runs = count(1)


class FitPanel(QWidget, AbstractView):
    """Fits a filter to goals.

    Parameters
    ----------
    dispatch : callable
        Takes the actions of the user.
    """

    #: the panel was opened or closed
    toggled = Signal()
    hinted = Signal(str)
    #: FitRequest
    asked = Signal(object)
    #: FitRequest that is likely to be asked for next
    foreseen = Signal(object)
    stop_asked = Signal()
    #: the goal that is selected, None for none
    picked = Signal(object)
    #: a fitted filter is on show (True), or it is kept or gone (False): the response shows from where it came
    fitting = Signal(bool)
    #: a filter is on its way (True), or it has come to rest (False)
    running = Signal(bool)
    escaped = Signal()

    def __init__(self, dispatch: Dispatch, state: SessionState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dispatch, self.state = dispatch, state
        self.is_open = False
        self.phase: Phase = "idle"
        self.frame: FitFrame | None = None
        self.problem = ""
        self._run = 0
        self._merge_key = ""
        #: where the stage of a fit that was begun comes, and that stage once there is one
        self._wanted_place: tuple[int, int | None] = (0, None)
        self._fitted: FittedStage | None = None
        #: the chain without that stage, as it was when the fit began
        self._others: FilterChain | None = None
        self.setAccessibleName("Fit a filter")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.parts = FitParts(self)
        self.goals = GoalHand(self, dispatch)
        self._connect()
        self.hide()

    @classmethod
    def of(cls, kit: ViewKit) -> Self:
        """Make the view for a window."""
        return cls(kit.dispatch, kit.state)

    def sizeHint(self) -> QSize:
        return QSize(scaled(360), scaled(500))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(240), scaled(160))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.parts.fit_width(self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            painter.fillRect(self.rect(), colour("panel"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            event.ignore()

    def _connect(self) -> None:
        parts, goals = self.parts, self.goals
        parts.close_button.clicked.connect(self.close_drawer)
        parts.goals.picked.connect(goals.select)
        parts.goals.removed.connect(goals.remove)
        parts.goals.edited.connect(goals.edit)
        parts.goals.escaped.connect(self.escaped)
        parts.add.clicked.connect(goals.add)
        parts.keep_span.clicked.connect(lambda: goals.mark("keep"))
        parts.remove_span.clicked.connect(lambda: goals.mark("remove"))
        parts.poles.edited.connect(lambda value, key: goals.limit(LimitFit(most_poles=round(value), merge_key=key)))
        parts.ringing.edited.connect(lambda value, key: goals.limit(LimitFit(ringing_s=value / 1e3, merge_key=key)))
        for field in (parts.poles, parts.ringing):
            field.escaped.connect(self.escaped)
            field.complained.connect(self.complain)
        for button in (parts.start, parts.again):
            button.clicked.connect(self.start)
        parts.stop.clicked.connect(self.stop)
        parts.discard.clicked.connect(self.discard)
        parts.keep.clicked.connect(self.keep)

    # --- opening

    def toggle(self) -> None:
        """Open the panel, or close it."""
        if self.is_open:
            self.close_drawer()
            return
        self._set_open(is_open=True)
        self.hinted.emit(_HINT)

    def close_drawer(self) -> bool:
        """Close; a filter that was not kept goes, as with a sweep. Return whether it was open."""
        if not self.is_open:
            return False
        self.discard()
        self._set_open(is_open=False)
        return True

    def escape(self) -> bool:
        """Stop what runs, else close; return whether there was anything to do."""
        if self.is_running:
            self.stop()
            return True
        return self.close_drawer()

    def close_recording(self) -> None:
        """Close; there is nothing to fit to."""
        self._end()
        self._set_open(is_open=False)

    def _set_open(self, *, is_open: bool) -> None:
        if is_open == self.is_open:
            return
        self.is_open = is_open
        self.problem = ""
        self.toggled.emit()
        if not is_open:
            self.hinted.emit("")
        self._foresee()
        self.show_parts()

    def _foresee(self) -> None:
        """Have what these goals need prepared while nothing runs."""
        if self.is_open and self.goals.plan.goals and not self.is_running:
            chain, stage = fitted_before(self.state)
            self.foreseen.emit(FitRequest(run=0, state=self.state, chain=chain, stage=stage))

    # --- running

    @property
    def is_running(self) -> bool:
        """Whether a filter is on its way."""
        return self.phase in ("preparing", "running")

    @property
    def has_filter(self) -> bool:
        """Whether a fitted filter waits to be kept or discarded."""
        return self._fitted is not None

    def start_or_keep(self) -> None:
        """Enter: begin to fit; again: keep the filter."""
        if self.has_filter:
            self.keep()
        elif not self.is_running:
            self.start()

    def start(self) -> None:
        """Fit anew, from the beginning."""
        self.discard()
        self._run = next(_runs)
        self._merge_key = f"fit-{self._run}"
        self.frame, self.problem = None, ""
        self._set_phase("preparing")
        self.parts.forget()
        self._wanted_place = chain, stage = fitted_before(self.state)
        self.show_parts()
        request = FitRequest(run=self._run, state=self.state, chain=chain, stage=stage)
        self._others = request.others
        self.asked.emit(request)

    def stop(self) -> None:
        """Fit no further; the filter stays on show."""
        if self.is_running:
            self.stop_asked.emit()
            self._set_phase("ended" if self.has_filter else "idle")
            self.show_parts()

    def keep(self) -> None:
        """Keep the filter that is on show, and go back to the dock."""
        if self.has_filter:
            self._end()
            self._set_open(is_open=False)

    def discard(self) -> None:
        """Put the chain back as it was."""
        fitted = self._fitted
        self._end()
        if fitted is not None:
            fitted.take_back(self._dispatch)

    def _end(self) -> None:
        """Let go of the filter as it is."""
        if self.is_running:
            self.stop_asked.emit()
        had_filter = self.has_filter
        self._fitted = None
        self._set_phase("idle")
        self.frame = None
        self.parts.forget()
        if had_filter:
            self.fitting.emit(False)
        self.show_parts()

    def _put(self, frame: FitFrame) -> None:
        """Show a filter on the traces: as the stage that was fitted before, else as one more."""
        if self._fitted is not None:
            self._fitted.write(frame.rows, self._dispatch)
            return
        self.fitting.emit(True)
        self._fitted, action = put_stage(self.state, self._wanted_place, frame.rows, self._merge_key)
        self._dispatch(action)

    # --- what is told

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Follow the goals, and let go of a filter that was taken back or changed elsewhere."""
        self.state = state
        if not self.is_open:
            return
        if (
            self._fitted is not None
            and state.document.chains is not previous.document.chains
            and not self._fitted.stands_in(state)
        ):
            self._end()
        if self.is_running and state.document.chains is not previous.document.chains and self._has_other_stages():
            self.stop()
            self.problem = "The other stages have changed: fit again to follow them"
        if self.goals.follow():
            return
        if state.document.fit is not previous.document.fit:
            self._foresee()
        now, before = (one.viewport for one in (state, previous))
        seen = (now.cursors_s, now.selected_channels, now.active_chain)
        is_same = seen == (before.cursors_s, before.selected_channels, before.active_chain)
        if not is_same or state.document is not previous.document or state is previous:
            self.show_parts()

    def _has_other_stages(self) -> bool:
        """Whether the rest of the chain is another than when the fit began."""
        chain, stage = self._wanted_place
        place = stage if self._fitted is None else self._fitted.stage
        now = FitRequest(run=0, state=self.state, chain=chain, stage=place)
        return now.others != self._others

    def show_frame(self, outcome: Outcome) -> None:
        """Show how a fit stands."""
        if isinstance(outcome, Opened) and (self.is_running or self.has_filter):
            self.stop()
            self.complain(_OTHER_CHANNELS if outcome.is_same else _OTHER_RECORDING)
        if not isinstance(outcome, FitFrame) or outcome.run != self._run or not self.is_running:
            return
        if outcome.problem:
            self._set_phase("ended" if self.has_filter else "idle")
            self.complain(": ".join(filter(None, (capitalised(outcome.problem), outcome.hint))))
            return
        self.frame = outcome
        self._set_phase("ended" if outcome.done else "running")
        self.parts.show_frame(outcome)
        self._put(outcome)
        self.show_parts()

    def note(self) -> str:
        """Return what is said under the plots where nothing is wrong."""
        return "Preparing the fit" if self.phase == "preparing" else note_of(self.state, self.frame)

    def _set_phase(self, phase: Phase) -> None:
        was_running, old, self.phase = self.is_running, self.phase, phase
        if self.is_open and _HINTS[old] != _HINTS[phase]:
            self.hinted.emit(_HINTS[phase])
        if self.is_running != was_running:
            self.running.emit(self.is_running)

    def complain(self, words: str) -> None:
        """Say what is wrong; nothing where the words are empty."""
        self.problem = words
        self.show_parts()

    def show_parts(self) -> None:
        """Show how everything stands."""
        if self.is_open:
            self.parts.show(self)
