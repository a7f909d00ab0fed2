"""The column of choices at the left of the drawer, as wide as the rail, and the scale of colours under it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from jaxscope.compute.analysis_frames import AnalysisFrame, Coherences, TimeFrequency
from jaxscope.data.kinds import kind_words
from jaxscope.display.ticks import MINUS
from jaxscope.gui.components.painting import CENTRE, LEFT, RIGHT, begin, draw_text
from jaxscope.gui.components.select import Select
from jaxscope.gui.painting.colour_maps import difference_colours, power_colours
from jaxscope.gui.painting.geometry import rail_px
from jaxscope.gui.theme import font, scaled, theme
from jaxscope.gui.views.spectrum_axes import density_unit
from jaxscope.session.analysis import Analysis

#: field of the analysis → (name, choices, views that have it); None where the choices follow from what is shown
_SELECTS: dict[str, tuple[str, tuple[tuple[str, str], ...] | None, tuple[str, ...]]] = {
    "kind": ("Channels", None, ("spectrum", "spectrogram", "time_frequency", "histogram")),
    "partner": ("Compare with", None, ("coherence",)),
    "band": ("Band", None, ("coherence",)),
    "estimator": ("Estimate", (("welch", "Welch"), ("multitaper", "Multitaper")), ("spectrum",)),
    "level_scale": ("Levels", (("db", "Decibels"), ("linear", "Linear power")), ("spectrum",)),
    "pane": (
        "Panes",
        (("both", "Before, after"), ("before", "Before"), ("after", "After"), ("difference", "Difference")),
        ("spectrogram", "time_frequency"),
    ),
    "frequency_scale": (
        "Frequency axis",
        (("log", "Log axis"), ("linear", "Linear axis")),
        ("spectrum", "spectrogram", "time_frequency", "coherence"),
    ),
}


class ChoiceColumn(QWidget):
    """Selects one under another, those that the view has."""

    #: field of the analysis, and its new value
    changed = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 2, 12, 0)
        column.setSpacing(6)
        self.selects: dict[str, Select] = {}
        for field, (name, choices, _) in _SELECTS.items():
            select = Select(name, choices or ())
            select.chosen.connect(lambda value, field=field: self.changed.emit(field, value))
            select.setToolTip(name)
            self.selects[field] = select
            column.addWidget(select)
        self.selects["kind"].setToolTip("Channels. The main kind is that of which there are most")
        self.scale = ColourScale()
        column.addSpacing(4)
        column.addWidget(self.scale)
        column.addStretch(1)
        theme().changed.connect(self._on_theme)
        self._on_theme()

    def _on_theme(self) -> None:
        self.setFixedWidth(rail_px())

    def show_choices(self, wish: Analysis, frame: AnalysisFrame | None, selected: tuple[str, ...]) -> None:
        """Show what is chosen and what may be."""
        for field, (_, _, views) in _SELECTS.items():
            self.selects[field].setVisible(wish.view in views)
        kinds = () if frame is None else frame.kinds
        if kinds:
            first = "Selected" if selected else "Main kind"
            named = [(kind, f"All {kind_words(kind)}") for kind in kinds]
            self.selects["kind"].set_choices([("", first), *named])
        if frame is not None and isinstance(frame.content, Coherences):
            names, lead = frame.content.names, frame.content.names[frame.content.lead]
            self.selects["partner"].set_choices(
                [("", "All pairs"), *((name, f"{lead}, {name}") for name in names if name != lead)]
            )
        bands = [(name, f"{name} {low:g}–{high:g} Hz") for name, low, high in wish.bands]
        self.selects["band"].set_choices([("", "All frequencies"), *bands])
        for field, select in self.selects.items():
            select.set_current(getattr(wish, field))
        content = None if frame is None else frame.content
        if isinstance(content, TimeFrequency) and frame is not None:
            if wish.pane == "difference" and content.difference is not None:
                self.scale.show_scale(-content.reach_db, content.reach_db, "After − before, dB", is_difference=True)
            else:
                words = density_unit(frame.unit, is_db=True)
                self.scale.show_scale(content.low_db, content.high_db, words, is_difference=False)
        elif isinstance(content, Coherences):
            self.scale.show_scale(0.0, 1.0, "Coherence", is_difference=False)
        self.scale.setVisible(wish.view in ("spectrogram", "time_frequency", "coherence"))


class ColourScale(QWidget):
    """What the colours mean: a bar with its ends and its unit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[float, float, str, bool] | None = None
        self.setAccessibleName("Scale of colours")
        theme().changed.connect(self._on_theme)
        self._on_theme()

    def _on_theme(self) -> None:
        self.setFixedHeight(scaled(48))
        self.update()

    def show_scale(self, low: float, high: float, words: str, *, is_difference: bool) -> None:
        """Show other ends."""
        if self._shown != (low, high, words, is_difference):
            self._shown = (low, high, words, is_difference)
            self.setAccessibleDescription(f"{words}, from {low:g} to {high:g}")
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            if self._shown is not None:
                self._paint(painter, *self._shown)

    def _paint(self, painter: QPainter, low: float, high: float, words: str, is_difference: bool) -> None:  # noqa: FBT001
        wide = float(self.width())
        draw_text(painter, QRectF(0, 0, wide, scaled(16)), words, font(11), "text3", LEFT)
        steps = np.arange(1, 256, dtype=np.uint8)
        image = QImage(steps.data, 255, 1, 255, QImage.Format.Format_Indexed8)
        image.setColorTable(list(difference_colours() if is_difference else power_colours()))
        bar = QRectF(0, scaled(18), wide, scaled(8))
        painter.drawImage(bar, image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied))
        room = QRectF(0, bar.bottom() + 2, wide, scaled(16))
        draw_text(painter, room, _signed(low), font(11), "text3", LEFT)
        draw_text(painter, room, _signed((low + high) / 2), font(11), "text3", CENTRE)
        draw_text(painter, room, _signed(high), font(11), "text3", RIGHT)


def _signed(value: float) -> str:
    return f"{MINUS if value < 0 else ''}{abs(value):g}"
