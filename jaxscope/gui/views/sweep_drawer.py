"""The sweep drawer: one number of a stage goes through many values, seen on the traces before one is kept.

It takes the place of the overview under the time axis. Going through values turns the knob as a hand would, all as one
step of undo; "Keep original" takes that step back. Invariant: what is asked of the compute side follows from the chains
with the number that the sweep began with, so going through values asks for nothing.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Self

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from jaxscope.compute.frames import Frame, Opened
from jaxscope.compute.sweep_frames import SweepFrame
from jaxscope.compute.sweep_job import SweepRequest
from jaxscope.errors import counted
from jaxscope.filters.shapes import stage_title
from jaxscope.filters.spec import AbstractFilterSpec
from jaxscope.gui.components.buttons import Button, IconButton
from jaxscope.gui.components.drawer import Drawer
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.numbers import write_exact
from jaxscope.gui.components.painting import RIGHT, text_width
from jaxscope.gui.components.select import Select
from jaxscope.gui.theme import font, scaled, theme
from jaxscope.gui.views.base import AbstractView, Dispatch, ViewKit
from jaxscope.gui.views.sweep_measures_menu import MeasuresDesk
from jaxscope.gui.views.sweep_plot import SweepPlot
from jaxscope.gui.views.sweep_range import SweepRange
from jaxscope.session.actions import SelectStage, TurnKnob
from jaxscope.session.state import SessionState
from jaxscope.session.sweep import (
    USUAL_STEPS,
    SweptKnob,
    sweep_values,
    swept_knobs,
    takes,
    usual_range,
)

_HEAD = 46
#: width that everything in the head needs, but what was found
_WIDE_HEAD = 790
#: width under which it has two rows
_ONE_ROW = 680
_FALLBACK_RATE_HZ = 1000.0
_HINT = "Move over the strip to see each value on the traces. ← → step, Enter uses it, Esc keeps the original"
_HOW = "All channels of the chain in this window, through every filter: SciPy on a CPU, one program on other devices"
_sweeps = count(1)


class SweepDrawer(AbstractView, Drawer):
    """A knob through many values."""

    #: the drawer was opened or closed
    toggled = Signal()
    hinted = Signal(str)
    #: SweepRequest
    asked = Signal(object)

    def __init__(self, dispatch: Dispatch, state: SessionState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dispatch, self._state = dispatch, state
        self.is_open = False
        self._rates_hz: dict[int, float] = {}
        self._target: tuple[int, int] = (0, 0)
        self._knob: SweptKnob | None = None
        self._original = 0.0
        self._merge_key = ""
        self._asked: object = None
        self._window: tuple[float, float] | None = None
        self._begin, self._stop, self._steps = 0.0, 1.0, USUAL_STEPS
        self.setAccessibleName("Sweep")
        self._heading = Label("Sweep", px=14, weight=600)
        self.knobs = Select("What is swept", width=200)
        self.range = SweepRange()
        self.words = Label("", px=12, token="text2", align=RIGHT, shrink=True)
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.words.setToolTip(_HOW)
        self.play = IconButton("player-play", "Go to and fro through the values: Space on the strip", size=28)
        self.keep = Button("Keep original", "quiet", height=28)
        self.use = Button("Use", "primary", height=28)
        self.close_button = IconButton("x", "Close; the original is kept [Esc]", size=28)
        self.plot = SweepPlot()
        self.measures = MeasuresDesk(self.plot, lambda: self._state.viewport, dispatch)
        self._lay_out()
        self._connect()
        self._on_theme()
        self.hide()

    @classmethod
    def of(cls, kit: ViewKit) -> Self:
        """Make the view for a window."""
        return cls(kit.dispatch, kit.state)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(14, 0, 10, 0)
        head.setSpacing(8)
        head.addWidget(self._heading)
        head.addWidget(self.knobs)
        head.addWidget(self.range)
        head.addWidget(self.words, 1)
        for part in (self.play, self.keep, self.use, self.close_button):
            head.addWidget(part)
        self._head_row = head
        self._head = QWidget()
        self._head.setLayout(head)
        self._whole = QVBoxLayout(self)
        self._whole.setContentsMargins(0, 1, 0, 0)
        self._whole.setSpacing(0)
        self._whole.addWidget(self._head)
        self._whole.addWidget(self.plot, 1)

    def _connect(self) -> None:
        self.knobs.chosen.connect(self._choose_knob)
        self.range.edited.connect(self._set_range)
        self.play.clicked.connect(self.plot.toggle_play)
        self.keep.clicked.connect(self.keep_original)
        self.use.clicked.connect(self.take)
        self.close_button.clicked.connect(self.keep_original)
        self.plot.add.clicked.connect(self.measures.open_menu)
        self.plot.chosen.connect(self._go)
        self.plot.taken.connect(self.take)
        self.plot.escaped.connect(self.keep_original)
        theme().changed.connect(self._on_theme)

    def _on_theme(self) -> None:
        self._head.setFixedHeight(scaled(_HEAD))
        self._fit_head()
        self.fit_window(self.TALL_PX)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_head()
        self._show_words()

    def _fit_head(self) -> None:
        """Leave the title and the button of a key out where what is swept would have no room for its name."""
        has_room = self.width() >= scaled(_WIDE_HEAD)
        self._heading.setVisible(has_room)
        self.play.setVisible(has_room)
        rows_below = int(self.width() < scaled(_ONE_ROW))
        if rows_below == self.rows_below:
            return
        self.rows_below = rows_below
        self.range.set_below(below=bool(rows_below))
        if rows_below:
            self._whole.insertWidget(1, self.range)
        else:
            self._head_row.insertWidget(2, self.range)
        self.fit_window(self.window().height())

    # --- what is swept

    @property
    def spec(self) -> AbstractFilterSpec | None:
        """The spec of the stage that is swept, None where it is gone."""
        chains, (chain, stage) = self._state.document.chains, self._target
        if chain >= len(chains) or stage >= len(chains[chain].stages):
            return None
        return chains[chain].stages[stage].spec

    @property
    def rate_hz(self) -> float:
        """The rate that the chain runs at."""
        return self._rates_hz.get(self._target[0], next(iter(self._rates_hz.values()), _FALLBACK_RATE_HZ))

    def toggle(self) -> None:
        """Open the drawer at the selected stage, or close it and keep the original."""
        if self.is_open:
            self.keep_original()
            return
        viewport = self._state.viewport
        if self._begin_sweep((viewport.active_chain, viewport.selected_stage), None):
            self._set_open(is_open=True)
            self.plot.setFocus(Qt.FocusReason.OtherFocusReason)
            self.hinted.emit(_HINT)

    def _begin_sweep(self, target: tuple[int, int], key: str | None) -> bool:
        """Sweep a knob of a stage, its first where none is named; return whether it has any."""
        self._target = target
        spec = self.spec
        found = () if spec is None else swept_knobs(spec)
        if spec is None or not found:
            self._knob = None
            return False
        self._knob = next((knob for knob in found if knob.key == key), found[0])
        self._original = self._knob.value_of(spec)
        self._merge_key = f"sweep-{next(_sweeps)}"
        self._begin, self._stop = usual_range(spec, self._knob, self.rate_hz)
        self._steps = USUAL_STEPS
        self.range.set_limits(*spec.limits(self._knob.name, self.rate_hz), self._knob)
        self._show_choices()
        self._show_range()
        return True

    def _show_choices(self) -> None:
        chain, stage = self._target
        stages = self._state.document.chains[chain].stages
        choices = [
            (f"{number}/{knob.key}", f"{stage_title(one)}, {knob.label}")
            for number, one in enumerate(stages)
            for knob in swept_knobs(one.spec)
        ]
        self.knobs.set_choices(choices)
        if self._knob is not None:
            self.knobs.set_current(f"{stage}/{self._knob.key}")

    def _choose_knob(self, key: str) -> None:
        self._put_back()
        stage, _, knob = key.partition("/")
        target = (self._target[0], int(stage))
        self._begin_sweep(target, knob)
        self._dispatch(SelectStage(chain=target[0], stage=target[1]))
        self._ask()

    def _set_range(self, name: str, number: float) -> None:
        match name:
            case "begin":
                self._begin = number
            case "stop":
                self._stop = number
            case _:
                self._steps = round(number)
        self._show_range()
        self._ask()

    def _show_range(self) -> None:
        spec, knob = self.spec, self._knob
        if spec is None or knob is None:
            return
        self.range.show_range(self._begin, self._stop, self._steps, knob)
        begin, stop = sorted((self._begin, self._stop))
        values = sweep_values(begin, stop, self._steps, knob)
        self.plot.show_values(values, knob.unit, _nearest(values, knob.value_of(spec)))
        self._show_words()

    # --- going through

    def _go(self, number: int) -> None:
        spec, knob = self.spec, self._knob
        if spec is None or knob is None:
            return
        self.plot.show_current(number)
        value = self.plot.values[number]
        if takes(spec, knob, value, self.rate_hz):
            self._turn(knob.with_number(spec, value))
        else:
            self.hinted.emit(
                f"{stage_title(self._state.document.chains[self._target[0]].stages[self._target[1]])} "
                f"cannot have {self.plot.words_of(number)}"
            )

    def _turn(self, value: object) -> None:
        chain, stage = self._target
        if self._knob is not None:
            self._dispatch(
                TurnKnob(chain=chain, stage=stage, name=self._knob.name, value=value, merge_key=self._merge_key)
            )

    def _put_back(self) -> None:
        spec, knob = self.spec, self._knob
        if spec is not None and knob is not None and knob.value_of(spec) != self._original:
            self._turn(knob.with_number(spec, self._original))

    def take(self) -> None:
        """Keep the value that is looked at, and close."""
        self._set_open(is_open=False)

    def keep_original(self) -> None:
        """Put the value back that there was, and close."""
        self._put_back()
        self._set_open(is_open=False)

    def close_drawer(self) -> bool:
        """Close the drawer and keep the original; return whether it was open."""
        if not self.is_open:
            return False
        self.keep_original()
        return True

    def close_recording(self) -> None:
        """Close; there is nothing to see it on."""
        self._set_open(is_open=False)
        self._asked = None

    def _set_open(self, *, is_open: bool) -> None:
        if is_open == self.is_open:
            return
        self.is_open = is_open
        self.plot.stop()
        self.toggled.emit()
        if is_open:
            self._asked = None
            self._ask()
        else:
            self.hinted.emit("")

    # --- what is told

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Follow the stage that is swept."""
        self._state = state
        if not self.is_open or self._knob is None:
            return
        spec, viewport = self.spec, state.viewport
        if spec is None or self._knob.key not in {knob.key for knob in swept_knobs(spec)}:
            self._set_open(is_open=False)
            return
        selected = (viewport.active_chain, viewport.selected_stage)
        if selected != (previous.viewport.active_chain, previous.viewport.selected_stage) and selected != self._target:
            if not self._begin_sweep(selected, None):
                self._set_open(is_open=False)
                return
            self._ask()
        if state.document.chains is not previous.document.chains:
            number = self._knob.value_of(spec)
            if self.plot.values and number != self.plot.values[self.plot.current]:
                self.plot.show_current(_nearest(self.plot.values, number))
            self._show_choices()
        self._show_words()
        now, before = (
            (view.selected_channels, view.sweep_measures, whole.engine)
            for whole, view in ((state, viewport), (previous, previous.viewport))
        )
        if now != before:
            self._ask()

    def show_frame(self, outcome: object) -> None:
        """Ask for another window's sweep, show what was found."""
        match outcome:
            case Opened():
                self._rates_hz = {}
                self._asked = None
            case Frame():
                self._window = (outcome.start_s, outcome.stop_s)
                for block in outcome.blocks:
                    self._rates_hz.setdefault(self._target[0], block.rate_hz)
                self._ask()
            case SweepFrame() if self.is_open and outcome.request == self._request():
                self.plot.show_frame(outcome)
                self._show_words()

    def _request(self) -> SweepRequest | None:
        """Return what is asked for: of the chains with the number that the sweep began with."""
        spec, knob = self.spec, self._knob
        if spec is None or knob is None or not self.plot.values:
            return None
        chain, stage = self._target
        chains = self._state.document.chains
        own = chains[chain].stages[stage]
        before = replace(own, spec=spec.with_value(knob.name, knob.with_number(spec, self._original)))
        stages = (*chains[chain].stages[:stage], before, *chains[chain].stages[stage + 1 :])
        viewport = self._state.viewport
        return SweepRequest(
            chains=(*chains[:chain], replace(chains[chain], stages=stages), *chains[chain + 1 :]),
            chain=chain,
            stage=stage,
            knob=knob,
            numbers=self.plot.values,
            channel=next(iter(viewport.selected_channels), ""),
            measures=viewport.sweep_measures,
            engine=self._state.engine,
        )

    def _ask(self) -> None:
        """Ask where the request or the window is another one."""
        request = self._request() if self.is_open else None
        asked = (request, self._window)
        if request is not None and asked != self._asked:
            self._asked = asked
            self.asked.emit(request)

    def _show_words(self) -> None:
        spec, knob, frame = self.spec, self._knob, self.plot.frame
        if spec is None or knob is None:
            return
        unit = f" {knob.unit}" if knob.unit else ""
        self.use.setText(f"Use {write_exact(knob.value_of(spec))}{unit}")
        self.use.updateGeometry()
        words = ""
        if frame is not None and not frame.problem:
            words = f"{counted(len(frame.request.numbers), 'filter')} × {counted(frame.n_channels, 'channel')}"
            took = f"{frame.took_ms:.0f} ms" if frame.took_ms < 1000 else f"{frame.took_ms / 1e3:.1f} s"
            words += f"{' in one call' if frame.calls == 1 else ''}, {took}"
        # how long it took goes first where there is no room
        self.words.setText(words if text_width(words, font(12)) <= self.words.width() else "")


def _nearest(values: tuple[float, ...], number: float) -> int:
    return min(range(len(values)), key=lambda place: abs(values[place] - number), default=0)
