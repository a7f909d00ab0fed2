"""The dock: header, phase, chain, faces of the selected stage, response. It lays out and forwards; each part is a view.

Where height is short the face scrolls, the chain and the response stay. Where width is short (under 1440 px of window)
the dock is 360 wide and leaves notes and facts out.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Self

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from jaxscope.compute.frames import DesignFrame, Opened, Outcome
from jaxscope.data.recording import Channel
from jaxscope.filters.presets import FittedPreset
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.labels import Hairline, Label
from jaxscope.gui.components.painting import begin
from jaxscope.gui.components.scrolling import scrolling
from jaxscope.gui.components.tabs import FaceStack, FaceTabs
from jaxscope.gui.key_tips import KeyTip
from jaxscope.gui.theme import colour, scaled, theme
from jaxscope.gui.views.base import AbstractView, Dispatch, ViewKit, is_look
from jaxscope.gui.views.chain_list import ChainList
from jaxscope.gui.views.chain_list_model import StageDelegate
from jaxscope.gui.views.coefficients import CoefficientsFace
from jaxscope.gui.views.design_face import DesignFace, stops_of
from jaxscope.gui.views.dock_header import DockHeader
from jaxscope.gui.views.dock_menu import FALLBACK_RATE_HZ, highest_rate_hz, preset_menu, stage_menu
from jaxscope.gui.views.dock_presets import for_fast_enough, with_own, with_preset
from jaxscope.gui.views.poles_zeros import PolesZerosFace
from jaxscope.gui.views.preset_sheet import PresetSheet
from jaxscope.gui.views.response import ResponsePanel
from jaxscope.session.actions import AddStage, ChooseFace, SetChains
from jaxscope.session.own_presets import OwnPreset, own_presets
from jaxscope.session.state import SessionState

WIDTH, NARROW_WIDTH, SLIMMEST_WIDTH, WIDEST_WIDTH = 400, 360, 320, 560
_MARGIN = 16
#: header, phase, hairlines, the row to add a stage, tabs
_FIXED_HEIGHT = 48 + 36 + 9 + 4 + 30 + 4 + 36 + 1
_TABS = (
    ("design", "Design", "The filter as a design"),
    ("coefficients", "Coefficients", "The filter as numbers"),
    ("poles_zeros", "Poles & zeros", "The filter as poles and zeros"),
)
#: (height of the dock from which it holds, height of the response panel)
_RESPONSE_HEIGHTS = ((860, 290), (640, 214), (0, 168))
_RESPONSE_UNDER_PLANE, _SHORT_FOR_PLANE, _RESPONSE_OF_LARGE_TEXT = 230, 800, 146
_SHORT, _SHORTEST, _LEAST_HEIGHT = 640, 520, 420
#: the whole dock scrolls above this text scale, and with any large text below this height at text scale 1; its height
_SCROLLS_ABOVE, _SCROLLS_BELOW, _SCROLLED_HEIGHT = 1.6, 540, 860
#: text scale from which the dock is as slim as it may be, which is wide enough
_SLIM_FROM = 1.4
#: how long the status bar says what a preset left out
_SAID_FOR_MS = 12_000


class Dock(QWidget, AbstractView):
    """Everything about the filter, at the right of the window.

    Parameters
    ----------
    dispatch : callable
        Takes the actions of the user.
    """

    #: Esc in a part: the focus belongs to the traces again
    escaped = Signal()
    #: a drag that turns a number began (True) or ended (False): the status bar names the modifiers
    dragging = Signal(bool)
    #: what a drag does and which keys change it; empty when it is over
    hinted = Signal(str)

    def __init__(self, dispatch: Dispatch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dispatch = dispatch
        self._state = SessionState()
        self._rate_hz: float | None = None
        self._channels: tuple[Channel, ...] = ()
        self._width = WIDTH
        self._ordered_for: tuple[QWidget, ...] | None = None
        self.setAccessibleName("Filter")
        self.header = DockHeader(dispatch)
        self.chain = ChainList(dispatch)
        self.add_button = Button("Add stage", "link", icon="plus", height=30, padding=8)
        KeyTip(self.add_button, "Add a stage after the selected one", ("traces", "add a stage"))
        self.more_note = Label("", 11, 400, "text3")  # how many stages are scrolled out of the list
        self.presets_button = Button("Presets", "quiet", height=30, padding=8)
        self.presets_button.setToolTip("Filters for EEG, ECG, EMG, spikes, seismic, sound and mains")
        self.tabs = FaceTabs(_TABS, name="Faces")
        for number, (_, label, words) in enumerate(_TABS):
            KeyTip(self.tabs, words, ("anywhere", f"{label} face"), write=partial(self.tabs.setTabToolTip, number))
        self.design = DesignFace(dispatch)
        self.coefficients = CoefficientsFace(dispatch)
        self.poles_zeros = PolesZerosFace(dispatch)
        self.response = ResponsePanel(dispatch)
        self._asleep: set[QWidget] = set()  # faces that have not been told the newest state
        self._frame: DesignFrame | None = None
        self._silence = QTimer(self, singleShot=True, interval=_SAID_FOR_MS)
        self._silence.timeout.connect(lambda: self.hinted.emit(""))
        self._sheet: PresetSheet | None = None
        self._faces = FaceStack()
        self._scroll = QScrollArea()
        self._content = QWidget()  # scrolls as one where large text leaves too little height
        self._whole = scrolling(self._content)
        self._lay_out()
        self._connect()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self._limit_width()
        theme().changed.connect(self._on_theme)

    @classmethod
    def of(cls, kit: ViewKit) -> Self:
        """Make the view for a window."""
        return cls(kit.dispatch)

    @property
    def rate_hz(self) -> float | None:
        """Rate of the chain that is shown, of the recording where there is no chain yet; None while nothing is open."""
        return highest_rate_hz(self._channels) or self._rate_hz if self._chain is None else self._rate_hz

    def set_narrow(self, *, narrow: bool) -> None:
        """Leave notes and facts out and be 360 wide, or not."""
        self._width = NARROW_WIDTH if narrow else WIDTH
        self.design.set_narrow(narrow=narrow)
        self.updateGeometry()
        self._fit_chain()

    def bars(self) -> tuple[QWidget, ...]:
        """Return the scroll bars of the dock itself."""
        return (self._scroll.verticalScrollBar(), self._whole.verticalScrollBar())

    def open_add_menu(self) -> None:
        """Open the menu of stages under its button."""
        menu = stage_menu(self, self.rate_hz, self.add_stage)
        menu.popup(self.add_button.mapToGlobal(QPoint(0, self.add_button.height() + 2)))

    def reveal(self, part: QWidget) -> None:
        """Scroll a part into view, where large text makes the whole dock scroll."""
        self._whole.ensureWidgetVisible(part)

    def open_preset_menu(self) -> None:
        """Open the shelf of presets under its button."""
        own, _ = own_presets()
        menu = preset_menu(self, self.rate_hz, self.use_preset, own, self.use_own, self.open_presets)
        menu.popup(self.presets_button.mapToGlobal(QPoint(0, self.presets_button.height() + 2)))

    def open_presets(self) -> None:
        """Open the sheet of own presets: save, use, rename, import, export, remove."""
        if self._sheet is None:
            self._sheet = PresetSheet(self.window())
            self._sheet.chosen.connect(self.use_own)
        self._sheet.open_for(self._chain, self.rate_hz)

    def use_own(self, preset: OwnPreset) -> None:
        """Give the active chain what an own preset holds, as one step; its channels stay."""
        self._put_chain(with_own(self._chain, preset))
        self._say_for_a_while(f"Preset {preset.name}")

    def use_preset(self, fitted: FittedPreset) -> None:
        """Give the active chain the stages of a preset, as one step; say what its rate cannot hold."""
        self._put_chain(with_preset(self._chain, fitted))
        self._say_for_a_while(fitted.sentence(self.rate_hz or FALLBACK_RATE_HZ))

    @property
    def _chain(self) -> FilterChain | None:
        """The active chain, None where there is none yet."""
        at, chains = self._state.viewport.active_chain, self._state.document.chains
        return chains[at] if at < len(chains) else None

    def _put_chain(self, chain: FilterChain) -> None:
        """Put a chain in the place of the active one, as one step."""
        at, chains = self._state.viewport.active_chain, self._state.document.chains
        put = for_fast_enough(chain, self._channels) if at >= len(chains) else chain
        self._dispatch(SetChains(chains=(*chains[:at], put, *chains[at + 1 :])))

    def focus_stops(self) -> list[QWidget]:
        """Return what the Tab key reaches, in order."""
        header = self.header
        before = [header.switch, header.chooser, *stops_of(header.phase), header.line_up, header.edges_button]
        before += [self.chain, self.add_button, self.presets_button, self.tabs]
        before += [*self.design.focus_stops(), *stops_of(self.coefficients), *self.poles_zeros.focus_stops()]
        response = self.response
        tail = [response.view, response.pins_button, response.limits_button, response.plot, response.curves]
        return [*before, *tail]

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        self._state = state
        if is_look(state, previous):
            return
        self.tabs.set_current(state.viewport.face)
        self._faces.setCurrentWidget(self._face())
        for part in self._parts():
            part.show_state(state, previous)
        self._wake(state, previous)
        self._fit_chain()
        self._order_focus()

    def show_frame(self, outcome: Outcome) -> None:
        for part in (*self._parts(), self._face()):
            part.show_frame(outcome)
        if isinstance(outcome, Opened):
            self._rate_hz, self._channels = None, outcome.info.channels
        if isinstance(outcome, DesignFrame):
            self._frame = outcome
            self._fit_chain()
        if isinstance(outcome, DesignFrame) and outcome.chain == self._state.viewport.active_chain:
            self._rate_hz = outcome.rate_hz
            at = self._state.viewport.selected_stage
            curve = outcome.stages[at] if at < len(outcome.stages) else None
            self.tabs.set_wrong("design", wrong=curve is not None and bool(curve.problem))
            unstable = curve is not None and not curve.is_stable and not curve.problem
            self.tabs.set_wrong("coefficients", wrong=unstable)
            self.tabs.set_wrong("poles_zeros", wrong=unstable)

    def sizeHint(self) -> QSize:
        return QSize(scaled(SLIMMEST_WIDTH if theme().text_scale >= _SLIM_FROM else self._width), scaled(800))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(SLIMMEST_WIDTH), scaled(_LEAST_HEIGHT))  # the parts shrink when it becomes short

    def _on_theme(self) -> None:
        self._limit_width()
        self._fit_chain()
        self.updateGeometry()
        self.update()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit_chain()
        return done

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._fit_chain()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            painter.fillRect(self.rect(), colour("panel"))

    def _lay_out(self) -> None:
        self._faces.addWidget(self.design)
        self._faces.addWidget(self.coefficients)
        self._faces.addWidget(self.poles_zeros)
        self._lay_out_face()
        chain_row = QHBoxLayout()
        chain_row.setContentsMargins(10, 4, 10, 0)
        chain_row.addWidget(self.chain)
        tab_row = QHBoxLayout()
        tab_row.setContentsMargins(_MARGIN, 4, _MARGIN, 0)
        tab_row.addWidget(self.tabs)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._whole)
        # the parts shrink before the whole scrolls: only the least height that large text sets counts
        self._content.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self.column = column = QVBoxLayout(self._content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(Hairline(margin=_MARGIN, above=8))
        column.addLayout(chain_row)
        column.addLayout(self._add_row())
        column.addLayout(tab_row)
        column.addWidget(self._scroll, 3)
        column.addWidget(Hairline())
        column.addWidget(self.response, 2)

    def _lay_out_face(self) -> None:
        """Put the faces into what scrolls where they are higher than their room."""
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        holder = QWidget()
        self._inner = QHBoxLayout(holder)
        self._inner.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        self._inner.addWidget(self._faces)
        self._scroll.verticalScrollBar().rangeChanged.connect(self._keep_right_edge)
        self._scroll.setWidget(holder)
        self._scroll.viewport().setAutoFillBackground(False)
        holder.setAutoFillBackground(False)

    def _add_row(self) -> QHBoxLayout:
        """Return the row under the chain: add, what has no room above, presets."""
        add_row = QHBoxLayout()
        add_row.setContentsMargins(12, 0, _MARGIN - 8, 0)  # the words of the button end at the margin
        add_row.addWidget(self.add_button)
        add_row.addStretch(1)
        add_row.addWidget(self.more_note)
        add_row.addStretch(1)
        add_row.addWidget(self.presets_button)
        return add_row

    def _connect(self) -> None:
        self.add_button.clicked.connect(self.open_add_menu)
        self.presets_button.clicked.connect(self.open_preset_menu)
        self.tabs.chosen.connect(lambda face: self._dispatch(ChooseFace(face=face)))
        self.chain.add_wanted.connect(self.open_add_menu)
        self.chain.opened.connect(lambda: self._face().focus_first())
        self.chain.verticalScrollBar().valueChanged.connect(lambda _value: self._show_hidden())
        for part in (*self._parts(), self.design, self.coefficients, self.poles_zeros):
            part.escaped.connect(self.escaped)
        for turning in (self.design, self.coefficients, self.poles_zeros, self.response):
            turning.dragging.connect(self.dragging)
        self.poles_zeros.hinted.connect(self.hinted)
        self.response.hinted.connect(self.hinted)
        for saying in (self.chain.said, self.coefficients.said):
            saying.connect(self._say_for_a_while)
        self.poles_zeros.dragging.connect(self.response.plot.name_peak)

    def _wake(self, state: SessionState, previous: SessionState) -> None:
        """Show a state on the face that is looked at; the others are told when they are."""
        face = self._face()
        face.show_state(state, previous)
        if face in self._asleep and self._frame is not None:
            face.show_frame(self._frame)
        self._asleep = {self.design, self.coefficients, self.poles_zeros} - {face}

    def _parts(self) -> tuple[DockHeader | ChainList | ResponsePanel, ...]:
        return (self.header, self.chain, self.response)

    def _face(self) -> DesignFace | CoefficientsFace | PolesZerosFace:
        faces: dict[str, DesignFace | CoefficientsFace | PolesZerosFace] = {
            "design": self.design,
            "coefficients": self.coefficients,
            "poles_zeros": self.poles_zeros,
        }
        return faces[self._state.viewport.face]

    def _say_for_a_while(self, sentence: str) -> None:
        if sentence:
            self.hinted.emit(sentence)
            self._silence.start()

    def add_stage(self, stage: Stage) -> None:
        """Put a stage after the selected one, into a chain for all that are fast enough where there is none."""
        chains, chain = self._state.document.chains, self._state.viewport.active_chain
        if not chains:
            begun = FilterChain(phase="zero", stages=(stage,))
            self._dispatch(SetChains(chains=(for_fast_enough(begun, self._channels),)))
            return
        at = min(self._state.viewport.selected_stage + 1, len(chains[chain].stages))
        self._dispatch(AddStage(chain=chain, at=at, stage=stage))

    def _order_focus(self) -> None:
        """Set the order of the Tab key anew where the form has other rows."""
        if self.design.rows != self._ordered_for:
            self._ordered_for = self.design.rows
            for first, second in pairwise(self.focus_stops()):
                QWidget.setTabOrder(first, second)

    def _limit_width(self) -> None:
        self.setMinimumWidth(scaled(SLIMMEST_WIDTH))
        self.setMaximumWidth(scaled(WIDEST_WIDTH))

    def _keep_right_edge(self, low: int, high: int) -> None:
        """Let the scroll bar stand in the margin, so that the right edge of the face does not move."""
        taken = self._scroll.verticalScrollBar().sizeHint().width() if high > low else 0
        self._inner.setContentsMargins(_MARGIN, 0, max(4, _MARGIN - taken), 0)

    def _show_hidden(self) -> None:
        """Say beside the list how many stages have no room in it."""
        above, below = self.chain.hidden_rows()
        words = ", ".join(f"{count} more {where}" for count, where in ((above, "above"), (below, "below")) if count)
        if words != self.more_note.text():
            self.more_note.setText(words)
            self.more_note.updateGeometry()

    def _fit_chain(self) -> None:
        """Give the list all its rows as far as the face keeps its own height; a list with fewer scrolls."""
        scrolls = theme().text_scale > _SCROLLS_ABOVE or 1 < theme().text_scale > self.height() / _SCROLLS_BELOW
        self._content.setMinimumHeight(scaled(_SCROLLED_HEIGHT) if scrolls else 0)
        whole = max(self.height(), self._content.minimumHeight())
        height = whole / max(0.01, theme().text_scale)
        has_plane = self._face() is self.poles_zeros
        response = next(high for from_height, high in _RESPONSE_HEIGHTS if height >= from_height)
        if height < _SHORT and theme().text_scale > 1 and not has_plane:  # two stages and the form need it more
            response = _RESPONSE_OF_LARGE_TEXT
        if has_plane:  # the plane is square and needs the height more
            response = min(response, _RESPONSE_UNDER_PLANE) if height >= _SHORT_FOR_PLANE else _RESPONSE_HEIGHTS[-1][1]
        self.response.setFixedHeight(scaled(response))
        row, others = scaled(StageDelegate.ROW) + StageDelegate.GAP, self.response.height() + scaled(_FIXED_HEIGHT)
        fitting = (whole - others - self._face().least_height()) // row
        least_rows = 3 - (height < _SHORT) - has_plane if height >= _SHORTEST else 1
        # whole rows only: half a row says neither what the stage is nor that there is more
        self.chain.setFixedHeight(min(self.chain.sizeHint().height(), max(least_rows, fitting) * row))
        self.chain.keep_in_sight()
        self._show_hidden()
        self.poles_zeros.fit(whole - others - self.chain.height())
