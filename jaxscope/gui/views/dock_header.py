"""Top of the dock: the filter switch with its state in words, the chain chooser, and the phase of the chain."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from jaxscope.compute.frames import Blocked, DesignFrame, Frame, Opened, Outcome
from jaxscope.data.recording import RecordingInfo
from jaxscope.errors import counted
from jaxscope.filters.channels import chain_for
from jaxscope.filters.spec import FilterChain
from jaxscope.gui.components.buttons import Button, IconButton
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.painting import CENTRE, begin, draw_text, focus_ring, rounded, text_width
from jaxscope.gui.components.rows import ScaledRow
from jaxscope.gui.components.segmented import Segment, SegmentedControl
from jaxscope.gui.components.switch import Switch
from jaxscope.gui.icons import draw_icon, icon
from jaxscope.gui.key_tips import KeyTip
from jaxscope.gui.theme import font, scaled
from jaxscope.gui.views.base import AbstractView, Dispatch
from jaxscope.gui.views.chain_sheet import ChainSheet
from jaxscope.gui.views.dock_edges import EdgesPopover
from jaxscope.gui.views.pasting import copy_chain
from jaxscope.session.actions import SelectStage, SetChains, SetDisplay, SetPhase, ToggleFilter
from jaxscope.session.state import CHAIN_TAGS, SessionState, pin_in_force

_PHASES = (
    Segment(key="causal", label="Causal", tip="One pass forward, like a live device. Delays the signal"),
    Segment(
        key="zero",
        label="Zero-phase",
        tip="Forward and backward: no delay, twice the attenuation, looks into the future",
    ),
    Segment(
        key="minimum",
        label="Minimum",
        tip="One pass with the least delay this magnitude allows. Changes FIR and hand-edited stages; "
        "IIR designs already are",
    ),
)


class ChainChooser(QToolButton):
    """Tag, name and number of channels of the active chain; opens the list of chains."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tag, self._name, self._count = "A", "", ""
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def show_chain(self, tag: str, name: str, count: str, tip: str) -> None:
        """Show which chain is active."""
        if (tag, name, count) == self.words() and tip == self.toolTip():
            return
        self._tag, self._name, self._count = tag, name, count
        self.setAccessibleName(f"Chain {tag}, {name}, {count}".replace(", ,", ","))
        self.setToolTip(tip)
        self.updateGeometry()
        self.update()

    def words(self) -> tuple[str, str, str]:
        """Return tag, name and count as they are shown."""
        return self._tag, self._name, self._count

    def sizeHint(self) -> QSize:
        width = (
            31
            + text_width(self._name, font(12, 500))
            + (7 if self._name else 0)
            + text_width(self._count, font(11))
            + 28
        )
        return QSize(round(width), scaled(28))

    def minimumSizeHint(self) -> QSize:
        return QSize(90, scaled(28))

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rect = QRectF(self.rect())
            rounded(painter, rect, 6, "hover" if self.underMouse() or self.isDown() else "raised", "line2")
            tag = QRectF(7, rect.height() / 2 - 8, 17, 16)
            rounded(painter, tag, 4, "after_bg")
            draw_text(painter, tag, self._tag, font(10, 600), "after", CENTRE)
            right = Qt.TextElideMode.ElideRight
            room = rect.width() - 31 - 26
            count_width = text_width(self._count, font(11))
            name_width = min(text_width(self._name, font(12, 500)), max(0.0, room - count_width - 7))
            if self._name:
                draw_text(painter, QRectF(31, 0, name_width + 1, rect.height()), self._name, font(12, 500), elide=right)
            left = 31 + (name_width + 7 if self._name else 0)
            count = QRectF(left, 0, room - left + 33, rect.height())
            draw_text(painter, count, self._count, font(11), "text3", elide=right)
            draw_icon(painter, "chevron-down", QRectF(rect.width() - 21, rect.height() / 2 - 7, 14, 14), "text3")
            if self.hasFocus():
                focus_ring(painter, rect)


class DockHeader(QWidget, AbstractView):
    """Switch, words and chooser (48), then phase and delay (36)."""

    escaped = Signal()

    def __init__(self, dispatch: Dispatch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dispatch = dispatch
        self._state = SessionState()
        self._info: RecordingInfo | None = None
        self._held = False
        self._counts: dict[int, int] = {}
        self._sheet: ChainSheet | None = None
        self.switch = Switch("Filter")
        switch_row = ("traces", "filter on or off (undoable)")
        KeyTip(self.switch, "Filter on. The file on disk is never changed", switch_row, write=self.switch.set_tip)
        self.words = Label("Filter on", 14, 600, shrink=True)
        self.chooser = ChainChooser()
        self.phase = SegmentedControl(_PHASES, name="Phase", padding=7)
        self.line_up = Button("Line up", "link", height=16, padding=0, px=11)
        self.line_up.setToolTip("Draws After earlier by the delay of its chain. Shifts the drawing only")
        tip = "Edges and gaps: where a signal begins, ends or breaks off"
        self.edges_button = IconButton("settings", tip, size=26, icon_size=15)
        self._edges: EdgesPopover | None = None
        self._delay_words = ""
        self.delay = Label(
            "", 11, 400, "text3", align=Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, shrink=True
        )
        self._late = QWidget()
        self._lay_out()
        self.switch.clicked.connect(lambda on: self._dispatch(ToggleFilter(on=on)))
        self.phase.chosen.connect(self._on_phase)
        self.line_up.clicked.connect(self._on_line_up)
        self.edges_button.clicked.connect(self.open_edges)
        self.chooser.clicked.connect(self._open_chains)

    def _lay_out(self) -> None:
        late = QVBoxLayout(self._late)
        late.setContentsMargins(0, 1, 0, 1)
        late.setSpacing(0)
        late.addStretch(1)
        late.addWidget(self.delay)
        late.addWidget(self.line_up, 0, Qt.AlignmentFlag.AlignRight)
        late.addStretch(1)
        top, second = QHBoxLayout(), QHBoxLayout()
        for row, parts in (
            (top, (self.switch, self.words, None, self.chooser)),
            (second, (self.phase, None, self._late, self.edges_button)),
        ):
            row.setContentsMargins(14 if row is top else 16, 0, 16, 0)
            row.setSpacing(8)
            for part in parts:
                if part is None:
                    row.addStretch(1)
                else:
                    row.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for row, height in ((top, 48), (second, 36)):
            column.addWidget(ScaledRow(row, height))

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        assigned = [chain.channels for chain in self._state.document.chains]
        self._state = state
        chains, active = state.document.chains, state.viewport.active_chain
        if assigned != [chain.channels for chain in chains]:
            self._counts.clear()
        self.switch.setChecked(state.document.filter_on)
        chain = chains[active] if active < len(chains) else None
        self.phase.setEnabled(chain is not None)
        self.phase.set_current(chain.phase if chain is not None else None)
        self.edges_button.setEnabled(chain is not None)
        if chain is None:
            self._show_delay("")
        self.line_up.setText("Show late" if state.viewport.line_up else "Line up")
        if self._edges is not None and self._edges.isVisible():
            self._edges.show_state(state, previous)
        self._show_words()
        self._show_chain()

    def show_frame(self, outcome: Outcome) -> None:
        match outcome:
            case Opened():
                self._info = outcome.info
                self._counts.clear()
                self._show_chain()
            case DesignFrame() if outcome.chain == self._state.viewport.active_chain:
                self._show_delay(outcome.delay_text)
            case Blocked():
                self._held = True
                self._show_words()
            case Frame():
                self._held = False
                self._show_words()
            case _:
                return

    def chain_menu(self) -> QMenu:
        """Return the list of chains, and what can be done with them."""
        menu = QMenu(self)
        chains = self._state.document.chains
        for number, chain in enumerate(chains):
            count = self._count_words(number)
            words = f"{CHAIN_TAGS[number]}   {chain.name or 'Chain'}   {count}".rstrip()
            entry = menu.addAction(words, partial(self._dispatch, SelectStage(chain=number, stage=0)))
            entry.setIcon(icon("check", "after" if number == self._state.viewport.active_chain else "raised"))
        if chains:
            menu.addSeparator()
            menu.addAction("Name and channels…", self.open_chain_sheet)
            menu.addAction("Copy as text", partial(copy_chain, chains[self._state.viewport.active_chain]))
            remove = menu.addAction("Remove this chain", self._on_remove_chain)
            remove.setEnabled(len(chains) > 1)
            menu.addSeparator()
        new = menu.addAction("New chain for the selected channels", self._on_new_chain)
        new.setEnabled(self._chains_with_new() is not None)
        return menu

    def open_edges(self) -> None:
        """Open what happens at the ends and at gaps under its button, or close it."""
        if self._edges is None:
            self._edges = EdgesPopover(self.window(), self._dispatch)
        if self._edges.isVisible():
            self._edges.close_floating()
            return
        self._edges.show_state(self._state, self._state)
        self._edges.open_under(self.edges_button)

    @property
    def edges(self) -> EdgesPopover | None:
        """The choices about edges, once they were needed."""
        return self._edges

    def _show_delay(self, words: str) -> None:
        """Show how late the chain is, and the way to line it up where it is."""
        self._delay_words = words
        self._fit_delay()
        self.delay.setToolTip(f"{words}. Line up shifts the drawing only" if words else "")
        self.line_up.setVisible(self._state.viewport.line_up or " at " in words)

    def _fit_delay(self) -> None:
        """Leave the frequency out where there is no room for it; the tooltip has it."""
        words = self._delay_words
        room = self.width() - self.phase.sizeHint().width() - self.edges_button.sizeHint().width() - 2 * 16 - 3 * 8
        short = words.partition(" at ")[0]
        self.delay.setText(words if text_width(words, font(11)) <= room else short)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_delay()

    def _on_line_up(self) -> None:
        self._dispatch(SetDisplay(name="line_up", value=not self._state.viewport.line_up))

    def open_chain_sheet(self) -> None:
        """Open the sheet with the name and the channels of the active chain."""
        if not self._state.document.chains:
            return
        if self._sheet is None:
            self._sheet = ChainSheet(self.window(), self._dispatch)
        self._sheet.open_for(self._state, self._info)

    def _on_remove_chain(self) -> None:
        at, chains = self._state.viewport.active_chain, self._state.document.chains
        self._dispatch(SetChains(chains=(*chains[:at], *chains[at + 1 :])))

    def _open_chains(self) -> None:
        self.chain_menu().popup(self.chooser.mapToGlobal(QPoint(0, self.chooser.height() + 2)))

    def _on_phase(self, phase: str) -> None:
        self._dispatch(SetPhase(chain=self._state.viewport.active_chain, phase=phase))  # type: ignore[arg-type]

    def _on_new_chain(self) -> None:
        chains = self._chains_with_new()
        if chains is not None:
            self._dispatch(SetChains(chains=chains))
            self._dispatch(SelectStage(chain=len(chains) - 1, stage=0))

    def _chains_with_new(self) -> tuple[FilterChain, ...] | None:
        """Return the chains with one more for the selected channels, or None where that cannot be.

        A chain without names is for all channels, so one that would lose its last channel stays as it is and the new
        chain is refused.
        """
        chains, info = self._state.document.chains, self._info
        selected = self._state.viewport.selected_channels
        if info is None or not selected or len(chains) >= len(CHAIN_TAGS):
            return None
        kept: list[list[str]] = [[] for _ in chains]
        for channel in info.channels:
            at = chain_for(chains, channel.name, is_data=channel.is_data)
            if at is not None and channel.name not in selected:
                kept[at].append(channel.name)
        if any(not names for names in kept):
            return None
        others = (replace(chain, channels=tuple(names)) for chain, names in zip(chains, kept, strict=True))
        phase = chains[self._state.viewport.active_chain].phase if chains else "zero"
        return (*others, FilterChain(channels=selected, phase=phase))

    def _count_words(self, number: int) -> str:
        if self._info is None:
            return ""
        if number not in self._counts:
            chains = self._state.document.chains
            of = [chain_for(chains, part.name, is_data=part.is_data) for part in self._info.channels]
            self._counts[number] = of.count(number)
        count = self._counts[number]
        return counted(count, "channel")

    def _show_chain(self) -> None:
        chains, active = self._state.document.chains, self._state.viewport.active_chain
        if active >= len(chains):
            self.chooser.show_chain("–", "No chain", "", "There is no chain yet; adding a stage makes one")
            return
        count = self._count_words(active)
        others = ", ".join(
            f"{CHAIN_TAGS[number]} {chain.name}".strip() for number, chain in enumerate(chains) if number != active
        )
        tip = f"These settings act on {count}." if count else "These settings act on the channels of this chain."
        tip += f" Other chains: {others}" if others else ""
        self.chooser.show_chain(CHAIN_TAGS[active], chains[active].name, count, tip)

    def _show_words(self) -> None:
        on = self._state.document.filter_on
        pin = pin_in_force(self._state)
        words = "Filter off" if not on else ("Filter held" if self._held else "Filter on")
        words = "Pinned chain" if on and pin is not None and not self._held else words
        self.words.setToolTip(f"On the traces: {pin.name}. V shows the own chain" if pin is not None else "")
        self.words.setText(words)
        self.switch.setAccessibleName(words)
