"""Painting of the response: grid, spectra, the old curve dashed, the curve, handles, tips.

Order from the back as listed. The ground and the spectra over it do not change while a knob is turned, so the plot
keeps them as pictures; only the rest is drawn again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from jaxscope.compute.frames import SpectrumFrame
from jaxscope.gui.components.numbers import MINUS, write_number
from jaxscope.gui.components.painting import (
    CENTRE,
    RIGHT,
    disc,
    draw_text,
    hairline,
    pen,
    rounded,
    text_width,
    tip_width,
    value_tip,
)
from jaxscope.gui.theme import colour, font, scaled, theme
from jaxscope.gui.views.response_scale import SPECTRUM_MARGIN_DB, ResponseScale, polygon, thinned

FloatArray = npt.NDArray[np.float64]


#: a peak lower than this does not stand out
PEAK_WORTH_A_TIP_DB = 0.3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Picture:
    """All that one picture of the response shows."""

    frequencies_hz: FloatArray
    magnitude_db: FloatArray
    #: the curve that it is compared with: the pinned chain, or the own one while the pinned one is on the traces
    other_db: FloatArray | None
    spectrum: SpectrumFrame | None
    shows_difference: bool
    shows_after: bool
    ghost: tuple[FloatArray, FloatArray] | None
    is_held: bool
    is_on: bool
    is_hidden: bool
    handles: tuple[QPointF, ...]
    hot: int | None
    over: int | None
    active: int | None
    tip: str


def paint_ground(painter: QPainter, scale: ResponseScale, bounds: QRectF) -> None:
    """Draw what stays whatever is filtered: the ground, the grid, the numbers of the axes."""
    rounded(painter, scale.area, 6, "canvas")
    with _inside(painter, scale):
        _paint_grid(painter, scale)
    _paint_labels(painter, scale, bounds)


def paint_spectra(painter: QPainter, scale: ResponseScale, picture: Picture) -> None:
    """Draw what stays while a knob is turned, until the next ones come: the spectra. ``paint_ground`` comes before."""
    if picture.spectrum is not None:
        with _inside(painter, scale):
            _paint_spectra(painter, scale, picture)


@contextmanager
def _inside(painter: QPainter, scale: ResponseScale) -> Iterator[None]:
    """Keep what is drawn inside the plot and its round corners."""
    inside = QPainterPath()
    inside.addRoundedRect(scale.area, 6, 6)
    painter.save()
    painter.setClipPath(inside)
    yield
    painter.restore()


def paint_note(painter: QPainter, area: QRectF, words: str) -> None:
    """Say something in the corner of a plot, on a ground of its own: a curve through words makes them unreadable."""
    chip = QRectF(area.left() + 6, area.top() + 4, text_width(words, font(11, 500)) + 10, scaled(18))
    rounded(painter, chip, 4, colour("canvas", 0.88))
    draw_text(painter, chip.adjusted(5, 0, 5, 0), words, font(11, 500), "text2")


def paint_response(painter: QPainter, scale: ResponseScale, picture: Picture) -> None:
    """Draw what moves: the curves, the handles, the tip. ``paint_spectra`` comes before it."""
    painter.save()
    painter.setClipRect(scale.area)
    _paint_curves(painter, scale, picture)
    painter.restore()
    if picture.is_held:
        paint_note(painter, scale.area, "last stable filter")
    for index, point in enumerate(picture.handles):
        _paint_handle(painter, scale, picture, index, point)
    if picture.tip and picture.hot is not None and picture.hot < len(picture.handles):
        _paint_tip(painter, scale, picture.handles[picture.hot], picture.tip)


def paint_peak(painter: QPainter, scale: ResponseScale, frequencies_hz: FloatArray, levels_db: FloatArray) -> None:
    """Name the highest point of a curve where it stands out: "+5.9 dB at 27.0 Hz"."""
    seen = (frequencies_hz >= scale.low_hz) & np.isfinite(levels_db)
    if not seen.any():
        return
    at = int(np.argmax(np.where(seen, levels_db, -np.inf)))
    if levels_db[at] < PEAK_WORTH_A_TIP_DB:
        return
    words = f"+{levels_db[at]:.1f} dB at {write_number(float(frequencies_hz[at]), 3)} Hz"
    width = tip_width(words)
    x, y = float(scale.x(frequencies_hz[at])), float(scale.y(levels_db[at]))
    left = x - width / 2
    if y < scale.area.top() + 34:  # beside the peak, not over it
        left = x - width - 18 if x - width - 18 > scale.area.left() + 4 else x + 18
    left = min(max(left, scale.area.left() + 4), scale.area.right() - width - 4)
    value_tip(painter, QRectF(left, scale.area.top() + 6, width, 22), words)


def _paint_grid(painter: QPainter, scale: ResponseScale) -> None:
    area = scale.area
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for level in scale.level_ticks():
        hairline(painter, area.left(), round(float(scale.y(level))), area.width())
    for frequency_hz in scale.frequency_ticks():
        hairline(
            painter, round(float(scale.x(frequency_hz))), area.top(), area.height(), colour("line", 0.8), upright=True
        )
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)


def _paint_labels(painter: QPainter, scale: ResponseScale, bounds: QRectF) -> None:
    area, small = scale.area, font(11)
    for level in scale.level_ticks():
        words = "0 dB" if level == 0 else f"{level:g}".replace("-", MINUS)
        y = float(scale.y(level))
        draw_text(painter, QRectF(0, y - 8, area.left() - 6, 16), words, small, "text3", RIGHT)
    unit_left = bounds.right() - text_width("Hz", small) - 4
    draw_text(painter, QRectF(bounds.right() - 40, area.bottom() + 4, 40, 16), "Hz", small, "text3", RIGHT)
    last = area.left() - 20.0
    for frequency_hz in scale.frequency_ticks():
        words = frequency_words(frequency_hz)
        half = text_width(words, small) / 2
        x = float(scale.x(frequency_hz))
        if x - half < last + 6 or x + half > unit_left - 4:
            continue
        last = x + half
        draw_text(painter, QRectF(x - 24, area.bottom() + 4, 48, 16), words, small, "text3", CENTRE)


def frequency_words(frequency_hz: float) -> str:
    """Return a frequency for an axis: 0.5, 20, 2k."""
    return f"{frequency_hz / 1000:g}k" if frequency_hz >= 1000 else f"{frequency_hz:g}"


def _paint_spectra(painter: QPainter, scale: ResponseScale, picture: Picture) -> None:
    spectrum = picture.spectrum
    assert spectrum is not None
    after_alpha = 0.30 if theme().is_dark else 0.20
    layers = [(spectrum.before_db, "before", 0.26, 0.95)]
    if picture.shows_difference and spectrum.difference_db is not None:
        layers.append((spectrum.difference_db, "diff", 0.26, 1.0))
    elif picture.shows_after and spectrum.after_db is not None:
        layers.append((spectrum.after_db, "after", after_alpha, 1.0))
    seen = spectrum.frequencies_hz > 0
    for levels, token, fill_alpha, line_alpha in layers:
        x, y = thinned(
            np.asarray(scale.x(spectrum.frequencies_hz[seen])), np.asarray(scale.y(levels[seen] - SPECTRUM_MARGIN_DB))
        )
        if x.size < 2:
            continue
        line = polygon(x, y)
        area = QPainterPath()
        area.addPolygon(line)
        area.lineTo(x[-1], scale.area.bottom() + 1)
        area.lineTo(x[0], scale.area.bottom() + 1)
        area.closeSubpath()
        painter.fillPath(area, colour(token, fill_alpha))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # one pixel exactly: Qt strokes anything wider many times slower
        painter.setPen(pen(token, 1.0, alpha=line_alpha))
        painter.drawPolyline(line)


def _paint_curves(painter: QPainter, scale: ResponseScale, picture: Picture) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if picture.ghost is not None:
        painter.setPen(pen("text3", 1.0, dashed=True))
        painter.drawPolyline(_curve(scale, *picture.ghost))
    if picture.other_db is not None:
        painter.setPen(pen("text3", 1.0))
        painter.drawPolyline(_curve(scale, picture.frequencies_hz, picture.other_db))
    token, width = ("text", 2.0) if picture.is_on else ("off", 2.0)
    dashed = picture.is_held or picture.is_hidden
    if picture.is_held:
        token, width = "text2", 1.2
    line = _curve(scale, picture.frequencies_hz, picture.magnitude_db)
    if dashed or width != 2.0:
        painter.setPen(pen(token, width, dashed=dashed))
        painter.drawPolyline(line)
        return
    # two pixels as four strokes of one, half a pixel off each way: Qt's own wide stroke takes four times as long
    painter.setPen(pen(token, 1.0))
    for across, down in ((-0.5, 0.0), (0.5, 0.0), (0.0, -0.5), (0.0, 0.5)):
        painter.drawPolyline(line.translated(across, down))


def _curve(scale: ResponseScale, frequencies_hz: FloatArray, levels_db: FloatArray):
    seen = frequencies_hz > 0
    levels = np.nan_to_num(levels_db[seen], nan=-400.0, neginf=-400.0, posinf=400.0)
    return polygon(*thinned(np.asarray(scale.x(frequencies_hz[seen])), np.asarray(scale.y(levels))))


def _paint_handle(painter: QPainter, scale: ResponseScale, picture: Picture, index: int, point: QPointF) -> None:
    area = scale.area
    if not area.left() - 1 <= point.x() <= area.right() + 1:
        return
    dash = colour("text2", 0.55)
    # one call for all of them: Qt's dashed pen takes ten times as long
    tops = range(round(area.top()) + 1, round(area.bottom()) - 4, 7)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(dash)
    painter.drawRects([QRectF(round(point.x()), top, 1, 4) for top in tops])
    hot = picture.hot == index
    if hot:
        disc(painter, point, 12, colour("after", 0.25))
    elif picture.over == index:
        disc(painter, point, 12, colour("after", 0.12))
    disc(painter, point, 5.5, "after" if hot else "canvas", "text", 2)
    if picture.active == index and not hot:
        disc(painter, point, 9, None, "focus", 2)


def _paint_tip(painter: QPainter, scale: ResponseScale, point: QPointF, words: str) -> None:
    width = tip_width(words)
    x = point.x() + 14
    if x + width > scale.area.right() - 2:
        x = point.x() - width - 14
    y = min(max(point.y() + 6, scale.area.top() + 6), scale.area.bottom() - 26)
    value_tip(painter, QRectF(x, y, width, 22), words)
