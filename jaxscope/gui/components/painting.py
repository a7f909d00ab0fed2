"""Strokes that every painted component shares: rounded fills, elided text, hairlines, the focus ring.

Colours are tokens, so nothing drawn here outlives a change of theme. Invariant: an outline of whole width lies inside
its rectangle, so neighbours never touch.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPaintDevice, QPainter, QPen, QStaticText

from jaxscope.gui.fonts import proportional
from jaxscope.gui.theme import colour, font, theme

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter

Ink = str | QColor


def ink(which: Ink, alpha: float | None = None) -> QColor:
    """Return the colour of a token; a colour is passed through."""
    return colour(which, alpha) if isinstance(which, str) else which


def begin(device: QPaintDevice) -> QPainter:
    """Return a painter with smooth edges and text, to be taken in a ``with``.

    The traceback of an error keeps a painter alive, and Qt cannot end a paint event under one that is still open.
    """
    painter = QPainter(device)
    painter.setRenderHints(
        QPainter.RenderHint.Antialiasing
        | QPainter.RenderHint.TextAntialiasing
        | QPainter.RenderHint.SmoothPixmapTransform
    )
    return painter


def pen(which: Ink, width: float = 1.0, *, dashed: bool = False, alpha: float | None = None) -> QPen:
    """Return a flat-capped pen."""
    style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
    made = QPen(ink(which, alpha), width, style)
    made.setCapStyle(Qt.PenCapStyle.FlatCap)
    made.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return made


def rounded(
    painter: QPainter,
    rect: QRectF,
    radius: float,
    fill: Ink | None = None,
    stroke: Ink | None = None,
    width: float = 1.0,
) -> None:
    """Draw a rounded rectangle; the stroke lies inside ``rect``."""
    shape = QRectF(rect)
    if theme().is_high_contrast and isinstance(fill, str) and fill.endswith("_bg") and stroke is None:
        stroke = fill.removesuffix("_bg")  # a tinted ground becomes an outline
        fill = None
    if stroke is None:
        painter.setPen(Qt.PenStyle.NoPen)
    else:
        shape = shape.adjusted(width / 2, width / 2, -width / 2, -width / 2)
        painter.setPen(QPen(ink(stroke), width))
    painter.setBrush(ink(fill) if fill is not None else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(shape, radius, radius)


def disc(
    painter: QPainter, centre: QPointF, radius: float, fill: Ink | None, stroke: Ink | None = None, width: float = 1.0
) -> None:
    """Draw a circle around a point."""
    painter.setPen(Qt.PenStyle.NoPen if stroke is None else QPen(ink(stroke), width))
    painter.setBrush(ink(fill) if fill is not None else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(centre, radius, radius)


def fitting(with_font: QFont, text: str) -> QFont:
    """Return the font for a text: tabular figures only where there are figures, for they widen the hyphen too."""
    return with_font if _has_figures(text) else proportional(with_font)


@lru_cache(maxsize=4096)
def _has_figures(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


#: widths that were asked for, by font and text: layouts ask for the same ones at every edit
_widths: dict[tuple[str, str], float] = {}
_MOST_WIDTHS = 8192


def text_width(text: str, with_font: QFont) -> float:
    """Return the advance of one line of text in logical pixels."""
    key = (with_font.key(), text)
    known = _widths.get(key)
    if known is None:
        if len(_widths) >= _MOST_WIDTHS:
            _widths.clear()
        known = _widths[key] = QFontMetricsF(fitting(with_font, text)).horizontalAdvance(text)
    return known


@dataclass(frozen=True, slots=True, eq=False)
class _Laid:
    """A text whose letters are laid out, which takes longer than to paint them."""

    text: QStaticText
    width: float
    height: float
    font: QFont
    #: the font that was asked for, kept so that no other one has its identity
    asked: QFont

    @staticmethod
    def of(text: str, with_font: QFont) -> _Laid:
        """Lay a text out."""
        chosen, laid = fitting(with_font, text), QStaticText(text)
        laid.setTextFormat(Qt.TextFormat.PlainText)
        laid.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
        width, height = text_width(text, with_font), QFontMetricsF(chosen).height()
        return _Laid(laid, width, height, chosen, with_font)


_laid: dict[tuple[int, str], _Laid] = {}
_MOST_LAID = 4096
#: what is laid out is changed while it is painted, so one thread alone may use it: that of the window
_GUI_THREAD = threading.main_thread().ident


def draw_text(
    painter: QPainter,
    rect: QRectF,
    text: str,
    with_font: QFont | None = None,
    token: Ink = "text",
    align: Qt.AlignmentFlag = LEFT,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideNone,
) -> None:
    """Draw one line of text in a rectangle, which cuts what does not fit into it and is not elided.

    The same words in the same fonts are drawn at every repaint: they are laid out once.
    """
    chosen = with_font or font()
    if threading.get_ident() == _GUI_THREAD:
        known = _laid.get((id(chosen), text))
        if known is None:
            if len(_laid) >= _MOST_LAID:
                _laid.clear()
            known = _laid[id(chosen), text] = _Laid.of(text, chosen)
        x, y, width, height = rect.x(), rect.y(), rect.width(), rect.height()
        share = 0.0 if align is LEFT else 1.0 if align is RIGHT else 0.5 if align is CENTRE else None
        if share is not None and known.width <= width and known.height <= height:
            x += (width - known.width) * share
            painter.setFont(known.font)
            painter.setPen(ink(token))
            painter.drawStaticText(QPointF(x, y + (height - known.height) / 2), known.text)
            return
    chosen = fitting(chosen, text)
    painter.setFont(chosen)
    painter.setPen(ink(token))
    if elide != Qt.TextElideMode.ElideNone:
        text = QFontMetricsF(chosen).elidedText(text, elide, rect.width())
    painter.drawText(rect, int(align) | int(Qt.TextFlag.TextSingleLine), text)


def focus_ring(painter: QPainter, rect: QRectF, radius: float = 6) -> None:
    """Draw the ring of 2 px inside the edge of ``rect``."""
    rounded(painter, rect, radius, None, "focus", 2)


def hairline(
    painter: QPainter, x: float, y: float, length: float, token: Ink = "line", *, upright: bool = False
) -> None:
    """Fill a line of one pixel from a point, to the right or, where ``upright``, downwards."""
    painter.fillRect(QRectF(x, y, 1, length) if upright else QRectF(x, y, length, 1), ink(token))


def busy_ring(painter: QPainter, rect: QRectF, turn: float, token: Ink) -> None:
    """Draw three quarters of a circle, turned by ``turn`` (0 to 1)."""
    painter.setPen(pen(token, 1.8))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawArc(rect.adjusted(1, 1, -1, -1), round(-turn * 360 * 16), 270 * 16)


def value_tip(painter: QPainter, rect: QRectF, text: str) -> None:
    """Draw the tip that names a value beside what is dragged."""
    rounded(painter, rect, 4, "press")
    draw_text(painter, rect, text, font(11, 500), "text", CENTRE)


def tip_width(text: str) -> float:
    """Return the width of a value tip for a text."""
    return text_width(text, font(11, 500)) + 16
