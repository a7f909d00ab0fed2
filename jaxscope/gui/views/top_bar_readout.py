"""The read-out: how long an edit takes to its result, and how far it is from SciPy in float64.

It has a fixed width and is refreshed at most four times a second, so a number can be read while one drags. While a
program compiles it says so; while the filter is held it says that.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QPointF, QRectF, QSize, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from jaxscope.compute.frames import AgreementFrame, Blocked, Busy, Frame, Opened
from jaxscope.errors import counted
from jaxscope.gui.components.painting import begin, busy_ring, draw_text, pen, text_width
from jaxscope.gui.edit_times import EditTimes
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.theme import colour, font, scaled, theme
from jaxscope.gui.views.base import AbstractView
from jaxscope.gui.views.traces_numbers import superscript
from jaxscope.session.state import SessionState

WIDTH_PX = 240
NARROW_PX = 74
_REFRESH_MS = 250
_BUSY_AFTER_S = 0.15
_SPARK = 26
_POOR, _BAD = 1e-4, 1e-2


class Readout(AbstractView, QWidget):
    """Milliseconds and agreement, or what is being waited for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._times = EditTimes()
        self._frame: Frame | None = None
        self._agreement: AgreementFrame | None = None
        self._blocked: Blocked | None = None
        self._busy: dict[str, float] = {}
        self._has_recording = False
        self._is_narrow = False
        self._turn = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(_REFRESH_MS)
        self._timer.timeout.connect(self._refresh)
        self._timer.start()
        self._is_stale = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Speed and agreement")
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        if not self._has_recording:
            return QSize(scaled(76), scaled(32))
        return QSize(scaled(NARROW_PX if self._is_narrow else WIDTH_PX), scaled(32))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def set_narrow(self, *, narrow: bool) -> None:
        """Show the time and the check mark only."""
        if narrow != self._is_narrow:
            self._is_narrow = narrow
            self.updateGeometry()
            self.update()

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Forget the agreement of another engine, and that of a filter that is gone."""
        self._times.show_state(state, previous)
        if state.engine != previous.engine or (previous.document.chains and not state.document.chains):
            self._agreement = None
            self._is_stale = True

    def show_frame(self, outcome: object) -> None:
        """Take a frame's time, a measured agreement, or what is being waited for."""
        self._times.show_frame(outcome)
        match outcome:
            case Opened():
                self._has_recording = True
                self._agreement = self._frame = self._blocked = None
                self.updateGeometry()
            case Frame():
                self._frame, self._blocked = outcome, None
            case AgreementFrame():
                self._agreement = outcome
            case Blocked():
                self._blocked = outcome
                self.update()
            case Busy():
                self._take_busy(outcome)
            case _:
                return
        self._is_stale = True

    def close_recording(self) -> None:
        """Say that everything is ready."""
        self._has_recording = False
        self._frame = self._agreement = self._blocked = None
        self.updateGeometry()
        self.update()

    @property
    def has_agreement(self) -> bool:
        """Whether an error has been measured."""
        return self._agreement is not None

    def words(self) -> tuple[str, str]:
        """Return what is said, as (time, agreement)."""
        if self._frame is None:
            return "", ""
        typical_ms = self._times.typical_ms()
        return "" if typical_ms is None else time_text(typical_ms), error_text(self._agreement)

    def _take_busy(self, busy: Busy) -> None:
        if busy.done:
            self._busy.pop(busy.label, None)
        elif busy.what == "compiling":
            self._busy.setdefault(busy.label, time.monotonic())
        self.update()

    def _compiling_s(self) -> float | None:
        if not self._busy:
            return None
        spent = time.monotonic() - min(self._busy.values())
        return spent if spent >= _BUSY_AFTER_S else None

    def _refresh(self) -> None:
        if self._busy:
            self._turn = (self._turn + 0.25) % 1
        if self._is_stale or self._busy:
            self._is_stale = False
            self.setToolTip(self._tip())
            self.update()

    def _tip(self) -> str:
        if self._frame is None or not self._times.all_ms:
            return ""
        ordered = sorted(self._times.all_ms)
        slow = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
        lines = [
            f"Edit to result: {time_text(ordered[len(ordered) // 2])} typical, {time_text(slow)} slowest in 20. "
            f"{counted(self._frame.n_channels, 'channel')} × {counted(self._frame.n_samples, 'sample')}. "
            "Drawing not included",
            f"Method {self._frame.method} on {self._frame.device} in {self._frame.precision}: "
            f"{self._frame.method_reason}",
        ]
        if self._agreement is not None and self._agreement.relative_error is not None:
            lines.append(
                "Largest difference from SciPy in float64, relative to the signal. "
                f"{self._agreement.checked or 'Checked after each edit'}"
            )
        return "\n".join(lines)

    # --- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            compiling_s = self._compiling_s()
            if self._blocked is not None and self._has_recording:
                self._paint_held(painter)
            elif compiling_s is not None:
                self._paint_compiling(painter, compiling_s)
            elif not self._has_recording:
                draw_icon(
                    painter, "circle-check", QRectF(0, self.height() / 2 - scaled(8), scaled(16), scaled(16)), "ok"
                )
                draw_text(painter, QRectF(scaled(23), 0, scaled(60), self.height()), "Ready", font(12, 500), "text2")
            elif self._frame is not None:
                self._paint_numbers(painter)

    def _paint_held(self, painter: QPainter) -> None:
        height = self.height()
        token = "danger" if self._blocked is not None and self._blocked.kind == "unstable" else "warn"
        draw_icon(painter, "player-pause", QRectF(0, height / 2 - scaled(8), scaled(16), scaled(16)), token)
        draw_text(painter, QRectF(scaled(23), 0, scaled(60), height), "Held", font(12, 600), token)
        if not self._is_narrow:
            left = 23 + text_width("Held", font(12, 600)) + 8
            words = "last stable filter" if token == "danger" else "last good filter"
            draw_text(painter, QRectF(left, 0, scaled(140), height), words, font(11), "text2")

    def _paint_compiling(self, painter: QPainter, spent_s: float) -> None:
        height = self.height()
        busy_ring(painter, QRectF(0, height / 2 - scaled(8), scaled(16), scaled(16)), self._turn, "after")
        words = f"{spent_s:.1f} s" if self._is_narrow else f"Compiling {spent_s:.1f} s"
        draw_text(painter, QRectF(scaled(23), 0, scaled(120), height), words, font(12, 500))
        if not self._is_narrow:
            left = 23 + text_width(words, font(12, 500)) + 8
            draw_text(painter, QRectF(left, 0, scaled(100), height), "first time only", font(11), "text3")

    def _paint_numbers(self, painter: QPainter) -> None:
        taken, agreement = self.words()
        height, x = self.height(), 0.0
        if not self._is_narrow:
            self._paint_spark(painter, height)
            x = _SPARK * 1.5 + 6
        if taken:
            draw_text(painter, QRectF(x, 0, scaled(80), height), taken, font(12, 500))
            x += text_width(taken, font(12, 500)) + 8
        if self._agreement is None or self._agreement.relative_error is None:
            return
        if taken and not self._is_narrow:
            painter.fillRect(QRectF(round(x) + 1, height / 2 - 8, 1, 16), colour("line2"))
            x += 10
        error = self._agreement.relative_error
        icon = "circle-check" if error <= _POOR else "alert-triangle"
        token = "ok" if error <= _POOR else ("warn" if error <= _BAD else "danger")
        draw_icon(painter, icon, QRectF(x, height / 2 - scaled(15) / 2, scaled(15), scaled(15)), token)
        if self._is_narrow:
            return
        x += 19
        draw_text(painter, QRectF(x, 0, scaled(90), height), agreement, font(12, 500))
        x += text_width(agreement, font(12, 500)) + 5
        room = self.width() - x
        words = "vs float64" if text_width("vs float64", font(11)) <= room else "vs f64"
        draw_text(painter, QRectF(x, 0, max(0.0, room), height), words, font(11), "text3")

    def _paint_spark(self, painter: QPainter, height: float) -> None:
        times_ms = self._times.all_ms[-_SPARK:]
        if len(times_ms) < 2:
            return
        top = max(*times_ms, 1e-9)
        points = [
            QPointF((_SPARK - len(times_ms) + index) * 1.5, height / 2 + 7 - 14 * min(1.0, value / top))
            for index, value in enumerate(times_ms)
        ]
        painter.setPen(pen("after", 1.2))
        painter.drawPolyline(QPolygonF(points))


def time_text(milliseconds: float) -> str:
    """Return a time with two or three digits: ``"3.1 ms"``, ``"42 ms"``, ``"1.3 s"``."""
    if milliseconds >= 1000:
        return f"{milliseconds / 1e3:.1f} s"
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.1f} ms"


def error_text(agreement: AgreementFrame | None) -> str:
    """Return a relative error as one digit times a power of ten."""
    if agreement is None or agreement.relative_error is None:
        return ""
    error = agreement.relative_error
    if error == 0:
        return "0"
    digit, _, power = f"{error:.0e}".partition("e")
    return f"{digit} × 10{superscript(int(power))}"
