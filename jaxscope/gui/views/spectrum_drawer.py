"""The spectrum drawer: spectra, pictures over time and frequency, histogram and coherence, Before and After.

It takes the place of the overview under the time axis and never covers the dock. Choices stand in a column as wide as
the rail, so that plots begin where the traces do.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Self, cast

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from jaxscope.compute.analysis_frames import AnalysisFrame, Coherences, Histogram, SpectrumCurves, TimeFrequency
from jaxscope.compute.frames import Opened
from jaxscope.display.ticks import time_label
from jaxscope.errors import counted
from jaxscope.gui.components.buttons import IconButton
from jaxscope.gui.components.drawer import Drawer
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.painting import RIGHT, text_width
from jaxscope.gui.components.segmented import Segment, SegmentedControl
from jaxscope.gui.components.select import Select
from jaxscope.gui.painting.geometry import rail_px
from jaxscope.gui.theme import font, scaled, theme
from jaxscope.gui.views.base import AbstractView, Dispatch, ViewKit
from jaxscope.gui.views.spectrum_choices import ChoiceColumn
from jaxscope.gui.views.spectrum_matrix import MatrixPlot
from jaxscope.gui.views.spectrum_picture import PicturePlot
from jaxscope.gui.views.spectrum_plot import CurvePlot, HistogramPlot, HoverPlot, coherence_curves, spectrum_curves
from jaxscope.gui.views.spectrum_side import SidePanel
from jaxscope.gui.views.spectrum_table import table_text
from jaxscope.session.actions import SelectChannels, SetAnalysis, SetCursors
from jaxscope.session.analysis import Analysis, AnalysisView
from jaxscope.session.state import SessionState

_HEAD = 44
#: width under which plot and numbers stand in each other's place
_NARROW = 700
_VIEWS = (
    Segment(key="spectrum", label="Spectrum", tip="Power by frequency, with the powers of bands"),
    Segment(key="spectrogram", label="Spectrogram", tip="Power over time, by segments of one length"),
    Segment(key="time_frequency", label="Time–frequency", tip="Power over time, by wavelets of five cycles"),
    Segment(key="histogram", label="Histogram", tip="How often each size occurs"),
    Segment(key="coherence", label="Coherence", tip="What channels have in common, by frequency"),
)


class SpectrumDrawer(AbstractView, Drawer):
    """What is in the window or between the cursors, by frequency."""

    hinted = Signal(str)
    escaped = Signal()
    #: the time under the pointer, or None
    pointer_moved = Signal(object)

    def __init__(self, dispatch: Dispatch, state: SessionState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dispatch = dispatch
        self._state = state
        self._frame: AnalysisFrame | None = None
        self._recording_id = ""
        self._pointer_s: float | None = None
        self.setAccessibleName("Spectrum")
        self.views = SegmentedControl(_VIEWS, name="What is shown")
        #: the same choice where there is no room for all of them side by side
        self.view_menu = Select("What is shown", [(view.key, view.label) for view in _VIEWS], width=150)
        self.numbers = IconButton("table", "Numbers in place of the plot", size=28)
        self._is_narrow = self._shows_numbers = False
        self.title = Label("", px=12, token="text2", align=RIGHT, shrink=True)
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.copy = IconButton("copy", "Copy values: what is shown, as a table of text", size=28)
        self.close_button = IconButton("x", "Close the spectrum", size=28)
        self.choices = ChoiceColumn()
        self.curves = CurvePlot("Spectrum")
        self.picture = PicturePlot()
        self.histogram = HistogramPlot()
        self.matrix = MatrixPlot()
        self.pair = CurvePlot("Coherence of a pair")
        self.side = SidePanel()
        self._pages = QStackedWidget()
        self._lay_out()
        self._connect()
        theme().changed.connect(self._on_theme)
        self._on_theme()
        self.hide()

    def _connect(self) -> None:
        self.views.chosen.connect(lambda key: self._change(view=cast(AnalysisView, key)))
        self.view_menu.chosen.connect(self.views.chosen.emit)
        self.numbers.clicked.connect(self._swap_numbers)
        self.copy.clicked.connect(self.copy_values)
        self.close_button.clicked.connect(self.close_drawer)
        self.choices.changed.connect(self._take_choice)
        self.side.bands_written.connect(lambda bands: self._change(bands=bands))
        for plot in self.findChildren(HoverPlot):
            plot.copy_asked.connect(self.copy_values)
            plot.escaped.connect(self.escaped)
        self.side.escaped.connect(self.escaped)
        self.picture.second_chosen.connect(self._set_cursor)
        self.picture.pointer_moved.connect(self.pointer_moved)
        self.matrix.pair_chosen.connect(self._choose_pair)

    @classmethod
    def of(cls, kit: ViewKit) -> Self:
        """Make the view for a window."""
        return cls(kit.dispatch, kit.state)

    def _lay_out(self) -> None:
        heading = Label("Spectrum", px=14, weight=600)
        self._heading = heading
        head = QHBoxLayout()
        head.setContentsMargins(14, 0, 10, 0)
        head.setSpacing(8)
        head.addWidget(heading)
        head.addWidget(self.views)
        head.addWidget(self.view_menu)
        head.addWidget(self.title, 1)
        head.addWidget(self.numbers)
        head.addWidget(self.copy)
        head.addWidget(self.close_button)
        pair = QWidget()
        row = QHBoxLayout(pair)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.matrix)
        row.addWidget(self.pair, 1)
        for page in (self.curves, self.picture, self.histogram, pair):
            self._pages.addWidget(page)
        body = QHBoxLayout()
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(0)
        body.addWidget(self.choices)
        body.addWidget(self._pages, 1)
        body.addWidget(self.side)
        self._head = QWidget()
        self._head.setLayout(head)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 1, 0, 6)
        whole.setSpacing(0)
        whole.addWidget(self._head)
        whole.addLayout(body, 1)

    def _on_theme(self) -> None:
        self._head.setFixedHeight(scaled(_HEAD))
        self._heading.setFixedWidth(rail_px() - 14 - 8)
        self.fit_window(self.TALL_PX)
        self.update()

    # --- state and frames

    @property
    def wish(self) -> Analysis:
        """What is wanted."""
        return self._state.viewport.analysis

    @property
    def frame(self) -> AnalysisFrame | None:
        """What is shown."""
        return self._frame

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Show other choices."""
        self._state = state
        viewport, before = state.viewport, previous.viewport
        if viewport.cursors_s != before.cursors_s or state is previous:
            self.picture.show_times(viewport.cursors_s, self._pointer_s)
        if viewport.analysis != before.analysis or state is previous:
            self.views.set_current(self.wish.view)
            self.view_menu.set_current(self.wish.view)
            self._show_content()

    def show_frame(self, outcome: object) -> None:
        """Show another content."""
        match outcome:
            case Opened():
                self._recording_id, self._frame = outcome.recording_id, None
                self._show_content()
            case AnalysisFrame() if outcome.recording_id == self._recording_id:
                self._frame = outcome
                self._show_content()

    def close_recording(self) -> None:
        """Show nothing."""
        self._recording_id, self._frame = "", None

    def show_pointer(self, second: float | None) -> None:
        """Show where the pointer is over the traces."""
        self._pointer_s = second
        self.picture.show_times(self._state.viewport.cursors_s, second)

    def _show_content(self) -> None:
        wish = self.wish
        if not wish.shown:
            return
        # what was made for another view is of no use to this one
        frame = self._frame if self._frame is not None and self._frame.view == wish.view else None
        content = None if frame is None else frame.content
        self.choices.show_choices(wish, frame, self._state.viewport.selected_channels)
        page = {"spectrum": 0, "spectrogram": 1, "time_frequency": 1, "histogram": 2, "coherence": 3}[wish.view]
        self._pages.setCurrentIndex(page)
        self._share_width()
        self._show_title(frame)
        problem = "" if frame is None else frame.problem
        if isinstance(content, SpectrumCurves) and frame is not None:
            self.curves.show_curves(spectrum_curves(frame, content, wish))
        elif wish.view == "spectrum":
            self.curves.show_curves(None, problem)
        if page == 1:
            self.picture.setAccessibleName("Spectrogram" if wish.view == "spectrogram" else "Time–frequency")
            self.picture.show_frame(frame, wish.pane)
        if page == 2:
            self.histogram.show_frame(frame)
        if page == 3:
            self._show_coherence(content if isinstance(content, Coherences) else None, problem)
        self.side.show_frame(frame, wish)

    def _share_width(self) -> None:
        """Show plot and numbers side by side, or one of them where both have no room."""
        has_numbers = self.wish.view in ("spectrum", "histogram")
        shows_both = not self._is_narrow
        self.views.setVisible(shows_both)
        self.view_menu.setVisible(not shows_both)
        self.numbers.setVisible(has_numbers and not shows_both)
        self.side.setVisible(has_numbers and (shows_both or self._shows_numbers))
        self._pages.setVisible(shows_both or not (has_numbers and self._shows_numbers))

    def _swap_numbers(self) -> None:
        self._shows_numbers = not self._shows_numbers
        words = "Plot in place of the numbers" if self._shows_numbers else "Numbers in place of the plot"
        self.numbers.set_tip(words)
        self._share_width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < scaled(_NARROW)
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self._share_width()

    def _show_coherence(self, content: Coherences | None, problem: str) -> None:
        wish = self.wish
        band = next((band for band in wish.bands if band[0] == wish.band), None)
        pair = None if content is None else content.places
        self.matrix.setFixedWidth(scaled(62) + max(scaled(160), self._pages.height() - scaled(44)))
        self.matrix.show_content(content, band, pair)
        if content is None:
            self.pair.show_curves(None, problem)
        elif pair is None:
            self.pair.show_curves(None, "Choose a pair in the square")
        else:
            self.pair.show_curves(coherence_curves(content, pair, wish))

    def _show_title(self, frame: AnalysisFrame | None) -> None:
        if frame is None:
            self.title.setText("")
            return
        step = 1.0 if frame.stop_s - frame.start_s >= 20 else 0.1 if frame.stop_s - frame.start_s >= 1 else 0.001
        span = f"{time_label(frame.start_s, step)} to {time_label(frame.stop_s, step)}"
        span = f"between the cursors, {span}" if frame.is_selection else span
        first = [frame.title, span, *([frame.note] if frame.note else [])]
        words = " · ".join([*first, *_details(frame)])
        # how fine it is goes first where there is no room; the tooltip keeps it
        fits = text_width(words, font(12)) <= self.title.width()
        self.title.setText(words if fits else " · ".join(first))
        self.title.setToolTip(words)

    # --- what a person does

    def _change(self, **changes: object) -> None:
        self._dispatch(SetAnalysis(analysis=replace(self.wish, **changes)))  # type: ignore[arg-type]

    def _take_choice(self, name: str, value: str) -> None:
        self._change(**{name: value})

    def _set_cursor(self, second: float) -> None:
        # a span between two cursors is what the picture is of; a click must not take it away
        if len(self._state.viewport.cursors_s) < 2:
            self._dispatch(SetCursors(cursors_s=(second,)))

    def _choose_pair(self, first: str, second: str) -> None:
        self._dispatch(SelectChannels(names=(first,)))
        self._change(partner=second, kind="")

    def toggle(self) -> None:
        """Open or close the drawer."""
        self._change(shown=not self.wish.shown)

    def show_view(self, view: AnalysisView) -> None:
        """Open the drawer at one of its views."""
        self._change(shown=True, view=view)

    def shows(self, view: AnalysisView) -> bool:
        """Return whether the drawer is open at a view."""
        return self.wish.shown and self.wish.view == view

    def close_drawer(self) -> bool:
        """Close the drawer; return whether it was open."""
        if not self.wish.shown or self.isHidden():
            return False
        self._change(shown=False)
        self.escaped.emit()
        return True

    def copy_values(self) -> None:
        """Copy what is shown as a table of text."""
        if self._frame is None or self._frame.content is None:
            self.hinted.emit("Nothing to copy yet")
            return
        text = table_text(self._frame)
        QApplication.clipboard().setText(text)
        self.hinted.emit(f"Copied {text.count(chr(10))} lines")


def _details(frame: AnalysisFrame) -> list[str]:
    """Return how fine the content is."""
    content = frame.content
    if isinstance(content, SpectrumCurves):
        return [f"{content.resolution_hz:.2g} Hz wide", counted(content.n_segments, "segment")]
    if isinstance(content, Histogram):
        return ["about the mean of each channel"]
    if isinstance(content, Coherences):
        return [counted(content.n_segments, "segment")]
    if isinstance(content, TimeFrequency) and frame.view == "spectrogram":
        return [f"segments of {content.width_s:.2g} s"]
    return []
