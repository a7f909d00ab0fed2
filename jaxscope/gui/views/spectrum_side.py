"""The panel at the right of the drawer: powers of bands, which bands they are, or the sizes of a histogram."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from jaxscope.compute.analysis_frames import AnalysisFrame, Histogram, SpectrumCurves
from jaxscope.errors import SpecError
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.segmented import SegmentedControl
from jaxscope.gui.components.select import Select
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.painting.lanes import shown_unit
from jaxscope.gui.theme import scaled, theme
from jaxscope.gui.views.spectrum_table import NumberTable, band_rows, size_rows
from jaxscope.session.analysis import BAND_SETS, Analysis, bands_of, written

_WIDTH = 304
_OWN = "Own bands"


class SidePanel(QWidget):
    """A table of numbers with the choice of bands under it."""

    #: other bands
    bands_written = Signal(object)
    escaped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[AnalysisFrame | None, Analysis] | None = None
        self._is_relative = False
        self.table = NumberTable("Powers")
        self.sets = Select("Bands", [(name, name) for name in BAND_SETS], width=132)
        self.sets.chosen.connect(self._take_set)
        self.measure = SegmentedControl((("absolute", "Absolute"), ("relative", "Relative")), name="Powers", height=28)
        self.measure.chosen.connect(self._take_measure)
        self.measure.set_current("absolute")
        self.field = TextField("Bands: a name and two limits in Hz each, parted by commas", px=12)
        self.field.setToolTip("Bands: a name and two limits in Hz each, parted by commas")
        self.field.editingFinished.connect(self._take_text)
        self.field.escaped.connect(self.escaped)
        self.complaint = Label("", px=11, token="danger")
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.sets)
        row.addStretch(1)
        row.addWidget(self.measure)
        self._band_parts = QWidget()
        parts = QVBoxLayout(self._band_parts)
        parts.setContentsMargins(0, 0, 0, 0)
        parts.setSpacing(6)
        parts.addLayout(row)
        parts.addWidget(self.field)
        parts.addWidget(self.complaint)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 0, 16, 4)
        column.setSpacing(8)
        column.addWidget(self._band_parts)
        column.addWidget(self.table)
        column.addStretch(1)
        self.complaint.hide()
        theme().changed.connect(self._on_theme)
        self._on_theme()

    def _on_theme(self) -> None:
        self.setFixedWidth(scaled(_WIDTH) + 22)

    def show_frame(self, frame: AnalysisFrame | None, wish: Analysis) -> None:
        """Show the numbers of a frame."""
        self._shown = (frame, wish)
        content = None if frame is None else frame.content
        self._band_parts.setVisible(wish.view == "spectrum")
        names = [(name, name) for name in BAND_SETS]
        self.sets.set_choices(names if wish.band_set else [*names, ("", _OWN)])
        self.sets.set_current(wish.band_set)
        if not self.field.hasFocus():
            self.field.setText(written(wish.bands))
            self.field.setToolTip(f"{written(wish.bands)}: names and limits in Hz, parted by commas")
            self.field.setCursorPosition(0)
        if isinstance(content, SpectrumCurves) and frame is not None:
            power = f"Power, {shown_unit(frame.unit)}²" if frame.unit else "Power"
            head = "Share" if self._is_relative else power
            rows = band_rows(content.bands, is_relative=self._is_relative)
            self.table.show_rows((head, "Before", "After", "Change"), rows)
        elif isinstance(content, Histogram) and frame is not None:
            self.table.show_rows(("", "Before", "After", "Change"), size_rows(content, frame.unit))
        else:
            self.table.show_rows(("", "", "", ""), ())

    def _take_measure(self, key: str) -> None:
        self._is_relative = key == "relative"
        if self._shown is not None:
            self.show_frame(*self._shown)

    def _take_set(self, name: str) -> None:
        if name in BAND_SETS:
            self._complain("")
            self.bands_written.emit(BAND_SETS[name])

    def _take_text(self) -> None:
        if self._shown is None or self.field.text() == written(self._shown[1].bands):
            self._complain("")
            return
        try:
            bands = bands_of(self.field.text())
            Analysis(bands=bands)
        except SpecError as error:
            self._complain(f"{error.message}; {error.hint}")
            return
        self._complain("")
        self.field.take()
        self.bands_written.emit(bands)

    def _complain(self, words: str) -> None:
        self.field.complain(words, self.complaint)
        self.complaint.setToolTip(words)
