"""Lets the parts of a window be painted one an event, where all at once would keep the window from its events.

A part that waits keeps what was there before on the screen. Where no event loop runs (a picture is taken, a test looks)
everything is done at once. Invariant: whatever waits is done in its turn, in the order in which it was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QObject, QThread, QTimer
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

#: takes a part of the kind that it is given with
Prepare = Callable[[Any], None]


class TakingTurns(QObject):
    """Paints parts in turn."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[tuple[QWidget, Prepare | None]] = []
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._serve)

    def take(self, parts: Iterable[QWidget], prepare: Prepare | None = None) -> None:
        """Prepare and paint each part in an event of its own."""
        wanted = list(parts)
        if QThread.currentThread().loopLevel() == 0:
            for part in wanted:
                if prepare is not None:
                    prepare(part)
            return
        owed = dict(self._waiting)
        known = [(part, done) for part, done in self._waiting if part not in wanted]
        for part in wanted:
            part.setUpdatesEnabled(False)
        # a part that is only to be painted is still prepared where it waits for that
        self._waiting = [*known, *((part, prepare or owed.get(part)) for part in wanted)]
        self._timer.start()

    @property
    def is_over(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting

    def _serve(self) -> None:
        if not self._waiting:
            self._timer.stop()
            return
        part, prepare = self._waiting.pop(0)
        if not isValid(part):
            return
        if prepare is not None:
            prepare(part)
        part.setUpdatesEnabled(True)
        part.repaint()
