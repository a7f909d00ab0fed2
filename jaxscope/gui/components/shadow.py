"""The soft shadow under what floats, drawn from one small picture for every size of card.

Laying two dozen discs over one another costs milliseconds each time that something under a card is painted. A shadow is
the same along each edge, so the picture of a small card is cut into nine and its edges are drawn out. Invariant: what
is drawn is what the discs would give, to a rounding; nothing is drawn under the middle of the card, which covers it.
"""

from __future__ import annotations

from math import ceil, exp

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from jaxscope.gui.theme import colour, theme

#: How far a shadow may reach, and how far it lies below its card.
BLUR_PX, DROP_PX = 40, 12
_RINGS = 24
_SPREAD = 0.62
_GAUSS_SUM = sum(exp(-2.0 * (1 - 2 * ring / (_RINGS - 1)) ** 2) for ring in range(_RINGS))
#: Pictures of corners by what they were made for, of the theme and screen of now and a few before.
_pictures: dict[tuple[float, float, bool], QImage] = {}
_MOST_PICTURES = 8


def paint_rings(painter: QPainter, card: QRectF, radius: float) -> None:
    """Draw the shadow of a card disc by disc, from outside in: what they add up to at the edge is half its strength."""
    strength = 0.59 if theme().is_dark else 0.21
    painter.setPen(Qt.PenStyle.NoPen)
    for ring in range(_RINGS):
        place = 1 - 2 * ring / (_RINGS - 1)
        weight = strength * exp(-2.0 * place * place) / _GAUSS_SUM
        reach = place * BLUR_PX * _SPREAD
        painter.setBrush(colour("scrim", round(weight, 4)))
        shape = card.translated(0, DROP_PX).adjusted(-reach, -reach, reach, reach)
        corner = max(2.0, radius + reach)
        painter.drawRoundedRect(shape, corner, corner)


def paint_shadow(painter: QPainter, card: QRectF, radius: float = 12) -> None:
    """Draw the soft shadow of a card (blur 40, 12 down) around and below it.

    A card that is too small to have four corners apart is drawn disc by disc.
    """
    out = ceil(BLUR_PX * _SPREAD)
    whole = card.translated(0, DROP_PX).adjusted(-out, -out, out, out)
    ratio = painter.device().devicePixelRatioF()
    corner = _corner_px(radius, ratio)
    if min(whole.width(), whole.height()) < 2 * corner / ratio + 1:
        paint_rings(painter, card, radius)
        return
    picture = _picture(radius, ratio)
    side = corner / ratio
    down = _cuts(whole.top(), whole.height(), side, corner)
    across = _cuts(whole.left(), whole.width(), side, corner)
    painter.save()
    # edges between the parts would show where they are not on a pixel of the screen
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform, on=False)
    for row, (from_y, from_high, top, high) in enumerate(down):
        for column, (from_x, from_wide, left, wide) in enumerate(across):
            if (row, column) != (1, 1):  # the card lies over all of the middle
                source = QRectF(from_x, from_y, from_wide, from_high)
                painter.drawImage(QRectF(left, top, wide, high), picture, source)
    painter.restore()


def _cuts(begin: float, length: float, side: float, corner: int) -> tuple[tuple[float, float, float, float], ...]:
    """Return corner, edge and corner along one direction: where each is in the picture, and where it is drawn."""
    return (
        (0.0, corner, begin, side),
        (corner, 1.0, begin + side, length - 2 * side),
        (corner + 1.0, corner, begin + length - side, side),
    )


def _corner_px(radius: float, ratio: float) -> int:
    """Return the device pixels from the corner of a shadow to where its edges are the same all along."""
    out = BLUR_PX * _SPREAD
    return ceil((ceil(out) + ceil(radius + out)) * ratio)


def _picture(radius: float, ratio: float) -> QImage:
    key = (radius, ratio, theme().is_dark)
    if key not in _pictures:
        size = 2 * _corner_px(radius, ratio) + 1
        image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(0)
        out = ceil(BLUR_PX * _SPREAD)
        with QPainter(image) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.scale(ratio, ratio)
            card = QRectF(0, 0, size / ratio, size / ratio).adjusted(out, out, -out, -out)
            paint_rings(painter, card.translated(0, -DROP_PX), radius)
        while len(_pictures) >= _MOST_PICTURES:
            _pictures.pop(next(iter(_pictures)))
        _pictures[key] = image
    return _pictures[key]
