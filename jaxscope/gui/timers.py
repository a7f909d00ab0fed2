"""Timers that go off once."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def one_shot(parent: QObject, interval_ms: int, call: Callable[[], object]) -> QTimer:
    """Return a timer, not running, that calls once when it has been started."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(interval_ms)
    timer.timeout.connect(call)
    return timer
