"""Frames, marks and words that the plots of the spectrum drawer share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from jaxscope.display.ticks import MINUS, log_ticks, value_ticks
from jaxscope.gui.components.painting import CENTRE, LEFT, RIGHT, draw_text, ink, rounded, text_width
from jaxscope.gui.painting.lanes import shown_unit
from jaxscope.gui.theme import colour, font, scaled

FloatArray = npt.NDArray[np.float64]
#: Before and After: their lines and their words.
SIDES = (("Before", "before", "before_text"), ("After", "after", "after"))


def number(value: float | None, digits: int = 3) -> str:
    """Return a number in a few digits with a real minus sign, powers of ten far from 1; a dash where there is none."""
    if value is None or not np.isfinite(value):
        return "–"
    rounded_off = float(f"{abs(value):.{digits}g}")
    text = f"{rounded_off:.{max(digits, _WHOLE_DIGITS)}g}"
    if "e" in text:
        mantissa, power = text.split("e")
        text = f"{mantissa} × 10{str(int(power)).translate(_RAISED)}"
    return (MINUS if value < 0 else "") + text


#: digits up to which a number stays whole
_WHOLE_DIGITS = 5
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def decibels(value: float | None) -> str:
    """Return a level with one decimal and a real minus sign."""
    if value is None or not np.isfinite(value):
        return "–"
    text = f"{abs(value):.1f}"
    return f"{MINUS if value < 0 and float(text) else ''}{text} dB"


def hertz(value_hz: float) -> str:
    """Return a frequency as it is read."""
    if value_hz >= 1000:
        return f"{value_hz / 1000:.4g} kHz"
    return f"{value_hz:.3g} Hz" if value_hz < 100 else f"{value_hz:.1f} Hz"


def density_unit(unit: str, *, is_db: bool) -> str:
    """Return the unit of a power spectral density."""
    if not unit:
        return "dB re 1/Hz" if is_db else "1/Hz"
    own = f"{shown_unit(unit)}²/Hz"
    return f"dB re 1 {own}" if is_db else own


def frequency_marks(
    low_hz: float, high_hz: float, width_px: float, *, is_log: bool, room_px: float = 30
) -> list[tuple[float, str]]:
    """Return (frequency, words) of the marks that there is room for, each of ``room_px`` at text scale 1."""
    room = scaled(room_px)
    if is_log:
        ticks = log_ticks(low_hz, high_hz)
        found: list[tuple[float, str]] = []
        per_octave = width_px / np.log(high_hz / low_hz)
        powers = [v for v in ticks.major if abs(np.log10(v) - round(np.log10(v))) < 1e-9]
        for value in (*powers, *(v for v in ticks.major if v not in powers)):
            if all(abs(np.log(value / other)) * per_octave >= room for other, _ in found):
                found.append((value, _short(value)))
        return sorted(found)
    ticks = value_ticks(low_hz, high_hz, max(1, int(width_px / (room * 1.8))))
    return [(value, _short(value)) for value in ticks.major]


def _short(value_hz: float) -> str:
    return f"{value_hz / 1000:g}k" if value_hz >= 1000 else f"{value_hz:g}"


def paint_ground(painter: QPainter, area: QRectF) -> None:
    """Paint the ground of a plot."""
    rounded(painter, area.adjusted(-0.5, -0.5, 0.5, 0.5), 4, "canvas", "line")


def paint_bottom_marks(painter: QPainter, area: QRectF, marks: Sequence[tuple[float, str]], unit: str = "") -> None:
    """Paint upright lines with words under them; ``unit`` stands at the right end."""
    edge = area.right() - (text_width(unit, font(11)) + 8 if unit else -scaled(16))
    for x, words in marks:
        painter.fillRect(QRectF(round(x), area.top(), 1, area.height()), colour("line"))
        wide = text_width(words, font(11))
        if x + wide / 2 <= edge:
            room = QRectF(max(x - 40, area.left() - 40), area.bottom() + 4, 80, scaled(16))
            draw_text(painter, room, words, font(11), "text3", CENTRE)
    if unit:
        room = QRectF(area.right() - 80, area.bottom() + 4, 80, scaled(16))
        draw_text(painter, room, unit, font(11), "text3", RIGHT)


def paint_left_marks(painter: QPainter, area: QRectF, marks: Sequence[tuple[float, str]], *, grid: bool = True) -> None:
    """Paint level lines with words left of the plot."""
    half = scaled(8)
    for y, words in marks:
        if grid:
            painter.fillRect(QRectF(area.left(), round(y), area.width(), 1), colour("line"))
        room = QRectF(area.left() - 66, y - half, 60, 2 * half)
        draw_text(painter, room, words, font(11), "text3", RIGHT)


def paint_heading(painter: QPainter, area: QRectF, words: str, right: float | None = None) -> None:
    """Write what the upright axis is, above the plot, where there is room up to ``right``."""
    if right is None or area.left() + text_width(words, font(11)) + 8 <= right:
        room = QRectF(area.left(), area.top() - scaled(20), area.width(), scaled(18))
        draw_text(painter, room, words, font(11), "text3")


def paint_legend(painter: QPainter, area: QRectF, *, has_after: bool) -> float:
    """Write Before and After with their colours, above the plot at its right end; return where that begins."""
    right = area.right()
    row = QRectF(0, area.top() - scaled(20), 0, scaled(18))
    for words, line, token in reversed(SIDES[: 1 + has_after]):
        wide = text_width(words, font(11, 500))
        spot = QRectF(right - wide, row.top(), wide + 2, row.height())
        draw_text(painter, spot, words, font(11, 500), token, LEFT)
        painter.fillRect(QRectF(right - wide - 20, row.center().y() - 1, 14, 2), ink(line))
        right -= wide + 32
    return right


def paint_readout(painter: QPainter, area: QRectF, parts: Sequence[tuple[str, str]]) -> float:
    """Write (words, token) in the place of the legend, from the right; return where that begins."""
    right = area.right()
    for words, token in reversed(parts):
        wide = text_width(words, font(11, 500))
        spot = QRectF(right - wide, area.top() - scaled(20), wide + 2, scaled(18))
        draw_text(painter, spot, words, font(11, 500), token, LEFT)
        right -= wide + 14
    return right


def paint_problem(painter: QPainter, area: QRectF, words: str) -> None:
    """Say in the middle of a plot why it is empty."""
    draw_text(painter, area, words, font(13), "text2", CENTRE)


def picture_line(painter: QPainter, line: QRectF) -> None:
    """Paint a line over a picture that is seen on every colour."""
    painter.save()
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Difference)
    painter.fillRect(line, QColor(190, 190, 190))
    painter.restore()


def crosshair(painter: QPainter, area: QRectF, x: float) -> None:
    """Paint the upright line under the pointer."""
    painter.fillRect(QRectF(round(x), area.top(), 1, area.height()), colour("text2"))


def inside(area: QRectF, place: QPointF | None) -> bool:
    """Whether the pointer is over the plot."""
    return place is not None and area.contains(place)
