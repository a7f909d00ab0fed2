"""The times of the last redraws, and what can be said of them: typical, slowest in 20.

The numbers come from frames and are nowhere in the state: this is the one view that remembers, at most 120 of them.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from jaxscope.compute.frames import AgreementFrame, Frame
from jaxscope.gui.components.numbers import MINUS
from jaxscope.gui.components.painting import begin, draw_text, hairline, pen, rounded
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.theme import colour, font, scaled, theme

REMEMBERED = 120
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
#: relative error above which the sign is amber, and red
WARN_ABOVE, DANGER_ABOVE = 1e-4, 1e-2


def write_ms(value_ms: float) -> str:
    """Return a time in milliseconds with a decimal where it is short."""
    return f"{value_ms:.1f} ms" if value_ms < 100 else f"{value_ms:.0f} ms"


def write_error(relative: float) -> str:
    """Return a relative error as 2 × 10⁻⁷."""
    if relative == 0:
        return "0"
    mantissa, _, power = f"{relative:.0e}".partition("e")
    return f"{mantissa} × 10{str(int(power)).translate(_SUPERSCRIPTS)}"


class RedrawHistory(QWidget):
    """The strip at the foot of the chooser: bars, typical, slowest in 20, screen, error."""

    _HEIGHT = 118

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._times_ms: deque[float] = deque(maxlen=REMEMBERED)
        self._agreement: AgreementFrame | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def note(self, frame: Frame) -> None:
        """Remember the time of a frame."""
        self._times_ms.append(frame.compute_ms)
        self.setAccessibleName(f"Typical {self.typical()}, slowest in 20 {self.slowest()}")
        self.update()

    def show_agreement(self, agreement: AgreementFrame) -> None:
        """Show the measured error."""
        self._agreement = agreement
        self.update()

    def typical(self) -> str:
        """Return the median of the remembered times in words."""
        return write_ms(float(np.median(self._times_ms))) if self._times_ms else "–"

    def slowest(self) -> str:
        """Return the time that one redraw in twenty exceeds, in words."""
        return write_ms(float(np.percentile(self._times_ms, 95))) if self._times_ms else "–"

    def sizeHint(self) -> QSize:
        return QSize(scaled(600), scaled(self._HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rounded(painter, QRectF(self.rect()), 8, "canvas" if theme().is_dark else "bar")
            self._paint_bars(painter)
            left = round(self.width() * 0.52)
            rate_hz = self.screen().refreshRate()
            columns = (("Typical", self.typical()), ("Slowest in 20", self.slowest()), ("Screen", f"{rate_hz:.0f} Hz"))
            step = (self.width() - left - 8) / 3
            for number, (caption, value) in enumerate(columns):
                x = left + number * step
                draw_text(painter, QRectF(x, scaled(12), step, scaled(16)), caption, font(11), "text3")
                draw_text(painter, QRectF(x, scaled(29), step, scaled(18)), value, font(13, 500))
            self._paint_error(painter, left)

    def _paint_bars(self, painter) -> None:
        left, right = 16.0, self.width() * 0.47
        floor, top = self.height() - scaled(24), scaled(30)
        draw_text(painter, QRectF(left, scaled(8), right - left, scaled(16)), "Last 120 redraws", font(11), "text3")
        below = QRectF(left, floor + 3, right - left, scaled(16))
        draw_text(painter, below, "edit to result, without drawing", font(11), "text3")
        if self._times_ms:
            highest = max(np.percentile(self._times_ms, 98) * 1.25, 0.1)
            scale = (floor - top) / highest
            step = (right - left) / REMEMBERED
            middle = floor - float(np.median(self._times_ms)) * scale
            painter.setPen(pen("line2", 1, dashed=True))
            painter.drawLine(QPointF(left, middle), QPointF(right, middle))
            first = REMEMBERED - len(self._times_ms)
            for number, value in enumerate(self._times_ms, start=first):
                height = min(value, highest) * scale
                painter.fillRect(QRectF(left + number * step, floor - height, 1.4, height), colour("after", 0.9))
        hairline(painter, left, floor, right - left, "line2")

    def _paint_error(self, painter, left: float) -> None:
        agreement = self._agreement
        if agreement is None:
            return
        relative = agreement.relative_error
        if relative is None:
            icon, token, words = "info-circle", "text3", "No error to measure"
        else:
            icon, token = ("circle-check", "ok") if relative <= WARN_ABOVE else ("alert-triangle", "warn")
            token = "danger" if relative > DANGER_ABOVE else token
            words = f"{write_error(relative)} largest error vs SciPy float64".replace("-", MINUS)
        draw_icon(painter, icon, QRectF(left, scaled(66), scaled(16), scaled(16)), token)
        draw_text(painter, QRectF(left + scaled(23), scaled(64), self.width(), scaled(20)), words, font(12, 500))
        room = QRectF(left + scaled(23), scaled(83), self.width() - left - scaled(23) - 8, scaled(16))
        draw_text(painter, room, agreement.checked, font(11), "text3")
