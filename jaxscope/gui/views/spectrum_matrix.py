"""Coherence of every pair of channels: Before under the diagonal, After over it; a click or arrows choose a pair."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from jaxscope.compute.analysis_frames import Coherences
from jaxscope.gui.components.painting import RIGHT, begin, draw_text
from jaxscope.gui.painting.colour_maps import power_colours
from jaxscope.gui.theme import colour, font, scaled
from jaxscope.gui.views import spectrum_axes as axes
from jaxscope.gui.views.spectrum_plot import HoverPlot
from jaxscope.session.analysis import Band

FloatArray = npt.NDArray[np.float64]
_NAMES_PX = 60


class MatrixPlot(HoverPlot):
    """A square of pairs, coloured by their mean coherence in a band."""

    #: the names of a pair
    pair_chosen = Signal(str, str)

    def __init__(self) -> None:
        super().__init__("Coherence of all pairs")
        self._content: Coherences | None = None
        self._values: FloatArray | None = None
        self._words = ""
        self._pair: tuple[int, int] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def show_content(self, content: Coherences | None, band: Band | None, pair: tuple[int, int] | None) -> None:
        """Show another matrix, the mean over a band (None: over all frequencies), with a pair marked."""
        self._content, self._pair = content, pair
        self._values = None if content is None else pair_values(content, band)
        self._words = "all frequencies" if band is None else f"{band[0]} {band[1]:g}–{band[2]:g} Hz"
        self.update()

    @property
    def area(self) -> QRectF:
        """The square."""
        left, top = scaled(_NAMES_PX), scaled(22)
        side = max(10.0, min(self.width() - left - 2, self.height() - top - scaled(24)))
        return QRectF(left, top, side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            area, content, values = self.area, self._content, self._values
            axes.paint_ground(painter, area)
            if content is not None and values is not None:
                self._paint_cells(painter, area, values)
                self._paint_names(painter, area, content.names)
                self._paint_words(painter, area, content, values)
            self.paint_focus(painter)

    def _paint_cells(self, painter: QPainter, area: QRectF, values: FloatArray) -> None:
        known = np.nan_to_num(np.clip(values, 0, 1), nan=0.0)
        levels = np.where(np.isfinite(values), np.round(1 + known * 254), 0).astype(np.uint8)
        np.fill_diagonal(levels, 0)
        levels = np.ascontiguousarray(levels)
        image = QImage(levels.data, levels.shape[1], levels.shape[0], levels.shape[1], QImage.Format.Format_Indexed8)
        image.setColorTable(list(power_colours()))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        painter.drawImage(area, image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied))
        painter.restore()
        if self._pair is not None:
            cell = self._cell(area, len(values), *self._pair)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(colour("text"))
            painter.drawRect(cell)

    @staticmethod
    def _cell(area: QRectF, count: int, row: int, column: int) -> QRectF:
        side = area.width() / count
        return QRectF(area.left() + column * side, area.top() + row * side, side, side)

    def _paint_names(self, painter: QPainter, area: QRectF, names: tuple[str, ...]) -> None:
        side = area.height() / len(names)
        every = max(1, int(np.ceil(scaled(13) / side)))
        for place in range(0, len(names), every):
            room = QRectF(2, area.top() + (place + 0.5) * side - scaled(8), scaled(_NAMES_PX) - 8, scaled(16))
            token = "text" if self._pair is not None and place == self._pair[0] else "text3"
            draw_text(painter, room, names[place], font(11), token, RIGHT, Qt.TextElideMode.ElideMiddle)

    def _paint_words(self, painter: QPainter, area: QRectF, content: Coherences, values: FloatArray) -> None:
        axes.paint_heading(painter, area, self._words)
        under = self._under(len(values))
        low = QRectF(area.left(), area.bottom() + 4, area.width(), scaled(16))
        if under is not None and under[0] != under[1]:
            row, column = under
            words = f"{content.names[row]} and {content.names[column]}: {values[row, column]:.2f}"
            draw_text(painter, low, words, font(11, 500), "after" if column > row else "before_text")
            return
        if content.after is not None:
            draw_text(painter, low, "Before below", font(11, 500), "before_text")
            draw_text(painter, low, "After above", font(11, 500), "after", RIGHT)

    def _under(self, count: int) -> tuple[int, int] | None:
        place = self.pointer
        if place is None or not axes.inside(self.area, place):
            return None
        side = self.area.width() / count
        row, column = int((place.y() - self.area.top()) / side), int((place.x() - self.area.left()) / side)
        return min(row, count - 1), min(column, count - 1)

    def _choose(self, row: int, column: int) -> None:
        if self._content is not None and row != column:
            self.pair_chosen.emit(self._content.names[row], self._content.names[column])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pointer = event.position()
        under = None if self._content is None else self._under(len(self._content.names))
        if under is not None:
            self._choose(*under)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        step = steps.get(Qt.Key(event.key()))
        if step is None or self._content is None:
            super().keyPressEvent(event)
            return
        count = len(self._content.names)
        row, column = self._pair or (0, 1)
        row, column = (row + step[0]) % count, (column + step[1]) % count
        if row == column:
            row, column = (row + step[0]) % count, (column + step[1]) % count
        self._choose(row, column)


def pair_values(content: Coherences, band: Band | None) -> FloatArray:
    """Return the mean coherence in a band of each pair: Before under the diagonal, After over it where there is one."""
    lines = content.frequencies_hz > 0
    if band is not None:
        inside = (content.frequencies_hz >= band[1]) & (content.frequencies_hz <= band[2])
        lines = inside if inside.any() else np.abs(content.frequencies_hz - (band[1] + band[2]) / 2) < 1e-12
    if not lines.any():
        return np.full(content.before.shape[:2], np.nan)
    before = content.before[..., lines].mean(axis=-1)
    after = before if content.after is None else content.after[..., lines].mean(axis=-1)
    return np.asarray(np.where(np.tri(len(before), dtype=bool), before, after))
