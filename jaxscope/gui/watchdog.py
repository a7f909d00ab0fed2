"""How long the GUI thread was not there: the longest stall while something was measured.

A timer beats as often as the event loop lets it. The gap between two beats is a *stall*: time in which no event was
served, whoever took it (an event handler, painting, another thread that held the interpreter, another program). The
processor time that this thread used in it is its own *work*, which a busy machine does not inflate.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Qt, QTimer

_BEAT_MS = 1


class Watchdog(QObject):
    """Measures stalls of the thread it lives on, from ``start`` to ``stop``."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._last = 0.0
        self._last_work = 0.0
        self._longest_ms = 0.0
        self._longest_work_ms = 0.0

    def start(self) -> None:
        """Begin to measure, forgetting what was measured before."""
        self._longest_ms = self._longest_work_ms = 0.0
        self._last, self._last_work = time.perf_counter(), time.thread_time()
        self._timer.start()

    def stop(self) -> None:
        """Stop measuring."""
        self._beat()
        self._timer.stop()

    @property
    def longest_ms(self) -> float:
        """The longest stall, in milliseconds; 0 where nothing was measured."""
        return self._longest_ms

    @property
    def longest_work_ms(self) -> float:
        """The most processor time that this thread used between two beats, in milliseconds."""
        return self._longest_work_ms

    def _beat(self) -> None:
        now, work = time.perf_counter(), time.thread_time()
        self._longest_ms = max(self._longest_ms, (now - self._last) * 1e3 - _BEAT_MS)
        self._longest_work_ms = max(self._longest_work_ms, (work - self._last_work) * 1e3)
        self._last, self._last_work = now, work
