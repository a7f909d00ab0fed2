"""The response panel of the dock: which view, the legend, and the plot of the magnitude or of another view."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from jaxscope.compute.frames import DesignFrame, Outcome, SpectrumFrame
from jaxscope.gui.components.buttons import IconButton
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.painting import begin, draw_text, rounded, text_width
from jaxscope.gui.components.rows import ScaledRow
from jaxscope.gui.components.select import Select
from jaxscope.gui.key_tips import KeyTip
from jaxscope.gui.theme import colour, font, scaled
from jaxscope.gui.views.base import AbstractView, Dispatch
from jaxscope.gui.views.design_face_facts import rate_sentence, rate_words
from jaxscope.gui.views.response_curves import VIEWS, CurvePlot
from jaxscope.gui.views.response_limits import LimitsPopover
from jaxscope.gui.views.response_pins import PinsPopover
from jaxscope.gui.views.response_plot import ResponsePlot
from jaxscope.session.actions import ChooseResponse
from jaxscope.session.state import SessionState


class _Legend(QWidget):
    """Swatches with words, at the right."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: tuple[tuple[str, str], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def show_entries(self, entries: tuple[tuple[str, str], ...]) -> None:
        """Show (words, token) pairs."""
        if entries != self._entries:
            self._entries = entries
            self.setAccessibleName(", ".join(words for words, _ in entries))
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        width = sum(text_width(words, font(11)) + 16 for words, _ in self._entries)
        return QSize(round(width + 12 * max(0, len(self._entries) - 1)), scaled(26))

    def minimumSizeHint(self) -> QSize:
        return QSize(40, scaled(26))  # the dock must not be wider for its sake

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            x, height = 0.0, self.height()
            for words, token in self._entries:
                if x + 16 + text_width(words, font(11)) > self.width() + 1:
                    break
                if token:
                    rounded(painter, QRectF(x, height / 2 - 4, 11, 8), 2, colour(token, 0.45), token)
                draw_text(painter, QRectF(x + 16, 0, self.width(), height), words, font(11), "text2")
                x += text_width(words, font(11)) + 28


class ResponsePanel(QWidget, AbstractView):
    """Heading 30 and plot below, with the margins of the dock."""

    escaped = Signal()
    #: a drag of a handle began (True) or ended (False)
    dragging = Signal(bool)
    #: what a drag does and which keys change it; empty when it is over
    hinted = Signal(str)

    def __init__(self, dispatch: Dispatch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot = ResponsePlot(dispatch)
        self.curves = CurvePlot()
        self.view = Select("Response view", bare=True)
        self.view.set_choices([(key, words[0]) for key, words in VIEWS.items()], [""] * len(VIEWS))
        row = ("response", "next view: magnitude, phase, group delay, impulse, step")
        KeyTip(self.view, "Choose: magnitude, phase, group delay, impulse, step", row)
        self._dispatch = dispatch
        #: the rate that the curve is for, where the chain has several
        self.rate = Label("", 11, 400, "text3")
        self._legend = _Legend()
        pins = "Pinned chains: compare with how it was"
        self.pins_button = IconButton("pin", pins, size=26, icon_size=15)
        KeyTip(self.pins_button, pins, ("response", "pinned chain or own one"), write=self.pins_button.set_tip)
        self.limits_button = IconButton("target", "Limits: what the response must keep to", size=26, icon_size=15)
        self._pins: PinsPopover | None = None
        self._limits: LimitsPopover | None = None
        self._frame: DesignFrame | None = None
        self._has_after = False
        self._state = SessionState()
        self._lay_out()
        self.view.chosen.connect(lambda key: self._dispatch(ChooseResponse(view=key)))
        self.view.escaped.connect(self.escaped)
        for plot in (self.plot, self.curves):
            plot.escaped.connect(self.escaped)
            plot.next_wanted.connect(self._next_view)
        self.plot.dragging.connect(self.dragging)
        self.plot.hinted.connect(self.hinted)
        self.pins_button.clicked.connect(self.open_pins)
        self.limits_button.clicked.connect(self.open_limits)
        self._show_legend()

    def _lay_out(self) -> None:
        heading = QHBoxLayout()
        heading.setContentsMargins(0, 0, 0, 0)
        heading.setSpacing(4)
        heading.addWidget(self.view)
        heading.addWidget(self.rate)
        heading.addStretch(1)
        heading.addWidget(self._legend)
        heading.addWidget(self.pins_button)
        heading.addWidget(self.limits_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 6, 16, 10)
        column.setSpacing(0)
        column.addWidget(ScaledRow(heading, 30))
        column.addWidget(self.plot, 1)
        column.addWidget(self.curves, 1)
        self.curves.hide()

    def open_pins(self) -> None:
        """Open the list of pinned chains over its button, or close it."""
        if self._pins is None:
            self._pins = PinsPopover(self.window(), self._dispatch)
        self._open(self._pins, self.pins_button)

    def open_limits(self) -> None:
        """Open the form of the limits over its button, or close it."""
        if self._limits is None:
            self._limits = LimitsPopover(self.window(), self._dispatch)
        self._open(self._limits, self.limits_button)

    @property
    def pins(self) -> PinsPopover | None:
        """The list of pinned chains, once it was needed."""
        return self._pins

    @property
    def limits(self) -> LimitsPopover | None:
        """The form of the limits, once it was needed."""
        return self._limits

    def _open(self, popover: PinsPopover | LimitsPopover, button: IconButton) -> None:
        if popover.isVisible():
            popover.close_floating()
            return
        popover.show_state(self._state, self._state)
        if self._frame is not None:
            popover.show_frame(self._frame)
        popover.open_under(button, above=True)  # the plot is what it is about

    def _popovers(self) -> tuple[PinsPopover | LimitsPopover, ...]:
        return tuple(part for part in (self._pins, self._limits) if part is not None and part.isVisible())

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        self._state = state
        for popover in self._popovers():
            popover.show_state(state, previous)
        self.view.set_current(state.viewport.response_view)
        self.plot.show_state(state, previous)
        self.curves.show_state(state, previous)
        self._show_plot()
        self._show_legend()

    def show_frame(self, outcome: Outcome) -> None:
        self.plot.show_frame(outcome)
        self.curves.show_frame(outcome)
        for popover in self._popovers():
            popover.show_frame(outcome)
        if isinstance(outcome, DesignFrame):
            had_pin = self._frame is not None and self._frame.pin is not None
            self._frame = outcome
            if had_pin != (outcome.pin is not None):
                self._show_legend()
        if isinstance(outcome, DesignFrame) and outcome.chain == self._state.viewport.active_chain:
            others = outcome.other_rates_hz
            self.rate.setText(f"at {rate_words(outcome.rate_hz)}" if others else "")
            self.rate.setToolTip(rate_sentence(outcome.rate_hz, others))
            self.rate.updateGeometry()
        if isinstance(outcome, SpectrumFrame):
            self._has_after = outcome.after_db is not None
            self._show_legend()

    def active_plot(self) -> QWidget:
        """Return the plot of the view that is shown."""
        return self.plot if self._state.viewport.response_view == "magnitude" else self.curves

    def _show_plot(self) -> None:
        shown = self.active_plot()
        other = self.curves if shown is self.plot else self.plot
        had_focus = other.hasFocus()
        other.setVisible(False)
        shown.setVisible(True)
        if had_focus:
            shown.setFocus(Qt.FocusReason.OtherFocusReason)

    def _next_view(self) -> None:
        views = list(VIEWS)
        at = views.index(self._state.viewport.response_view)
        self._dispatch(ChooseResponse(view=views[(at + 1) % len(views)]))

    def _show_legend(self) -> None:
        if self._state.viewport.response_view != "magnitude":
            self._legend.show_entries(())
            return
        entries = [("before", "before")]
        if self._state.viewport.mode == "difference":
            entries.append(("difference", "diff"))
        elif self._state.document.filter_on and not self._state.viewport.raw:
            entries.append(("after", "after") if self._has_after else ("after: not yet", "off"))
        if self._frame is not None and self._frame.pin is not None:
            entries.append(("own" if self._state.viewport.shows_pin else "pinned", "text3"))
        self._legend.show_entries(tuple(entries))
