"""Events as ticks of the overview: one image for a list of events, a width and a theme.

Thousands of small rectangles would keep the window from answering while an event is dragged, so columns of pixels are
coloured instead and drawn out downwards. Invariant: a later event is painted over an earlier one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

from jaxscope.gui.event_looks import TOKENS, EventLooks
from jaxscope.gui.theme import colour

#: Where the ticks are in a strip of this height, in logical pixels.
_TOP, _HIGH, STRIP_PX = 2, 5, 8
_WIDE = 2.0
#: What the round ends of a tick leave of its first and last row.
_END_ALPHA = 0.55


def tick_image(looks: EventLooks, width: float, ratio: float, *, left: float, room: float, total_s: float) -> QImage:
    """Return the ticks on a transparent ground.

    Parameters
    ----------
    looks : EventLooks
        The events.
    width, ratio : float
        Logical pixels of the image, and device pixels in each.
    left, room : float
        Where the recording begins in it, and how many logical pixels it has.
    total_s : float
        How long it is.
    """
    columns = max(1, round(width * ratio))
    image = QImage(columns, max(1, round(STRIP_PX * ratio)), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    pixels = np.frombuffer(image.bits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)[:, :columns]
    codes = _columns_of(looks, columns, ratio, left=left, room=room, total_s=total_s)
    top, bottom = round(_TOP * ratio), round((_TOP + _HIGH) * ratio)
    for rows, alpha in ((slice(top, top + 1), _END_ALPHA), (slice(top + 1, bottom - 1), 1.0)):
        pixels[rows] = _inks(alpha)[codes]
    pixels[bottom - 1 : bottom] = pixels[top : top + 1]
    image.setDevicePixelRatio(ratio)
    return image


def _columns_of(
    looks: EventLooks, columns: int, ratio: float, *, left: float, room: float, total_s: float
) -> npt.NDArray[np.uint8]:
    """Return the colour of each column as its place in ``TOKENS``, one more where there is nothing."""
    codes = np.full(columns, len(TOKENS), dtype=np.uint8)
    numbers = np.array(looks.drawn(0.0, total_s, room), dtype=np.intp)
    onsets_s, lengths_s = looks.index.onsets_s[numbers], looks.index.lengths_s[numbers]
    starts = left + onsets_s / max(total_s, 1e-9) * room
    stops = left + np.minimum(onsets_s + lengths_s, total_s) / max(total_s, 1e-9) * room
    bad = looks.bad[numbers]
    # a tick stands around its onset; what is bad covers what it marks
    starts = np.where(bad, starts, np.round(starts) - 1)
    stops = np.where(bad, np.maximum(stops, starts + _WIDE), starts + _WIDE)
    firsts = np.clip(np.round(starts * ratio), 0, columns).astype(int).tolist()
    lasts = np.clip(np.round(stops * ratio), 0, columns).astype(int).tolist()
    for first, last, code in zip(firsts, lasts, looks.codes[numbers].tolist(), strict=True):
        codes[first:last] = code
    return codes


def _inks(alpha: float) -> npt.NDArray[np.uint32]:
    """Return the colours of ``TOKENS`` as premultiplied pixels, and nothing."""
    shades = [colour(token) for token in TOKENS]
    inks = [
        round(255 * alpha) << 24
        | round(shade.red() * alpha) << 16
        | round(shade.green() * alpha) << 8
        | round(shade.blue() * alpha)
        for shade in shades
    ]
    return np.array([*inks, 0], dtype=np.uint32)
