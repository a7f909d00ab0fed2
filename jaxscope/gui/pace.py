"""Lets the parts beside the traces have their outcomes one at a time, when the traces have been painted.

All widgets that are due are painted in one go, and a dock that is painted together with the traces keeps the GUI
thread from its events for as long as both take. So curves, spectra and the like wait until the traces have what they
asked for (never longer than ``LONGEST_WAIT_S``), then come one a turn of the event loop, each kind at most
``MOST_PER_S`` times a second. Of each kind only the newest is kept; nothing is ever lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer

from jaxscope.compute.frames import AgreementFrame, DesignFrame, OverviewFrame, SpectrumFrame

#: What can wait for the traces.
PACED = (DesignFrame, SpectrumFrame, OverviewFrame, AgreementFrame)
MOST_PER_S = 30.0
LONGEST_WAIT_S = 0.05
#: Between two outcomes, so that the first is painted before the second comes.
SPREAD_MS = 6


class Pace(QObject):
    """Hands outcomes on at a pace that the eye can follow.

    Parameters
    ----------
    show : callable
        Takes an outcome when it is due.
    is_busy : callable
        Whether the traces still wait for a picture.
    clock : callable
        Seconds that only grow.
    """

    def __init__(
        self,
        show: Callable[[Any], None],
        is_busy: Callable[[], bool],
        *,
        clock: Callable[[], float] = time.monotonic,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._show = show
        self._is_busy = is_busy
        self._clock = clock
        self._waiting: dict[type, tuple[float, Any]] = {}
        self._shown_at: dict[type, float] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._serve)

    def put(self, outcome: Any) -> None:
        """Take an outcome in place of the one of its kind that waits; it keeps the place of that."""
        kind = type(outcome)
        since, _ = self._waiting.get(kind, (self._clock(), None))
        self._waiting[kind] = (since, outcome)
        if not self._timer.isActive():
            self._timer.start(0)

    def release(self) -> None:
        """Look again at once: the traces have been painted."""
        if self._waiting:
            self._timer.start(0)

    def clear(self) -> None:
        """Forget what waits: another recording is opened."""
        self._waiting.clear()
        self._shown_at.clear()
        self._timer.stop()

    def _due_at(self, kind: type, since: float) -> float:
        return max(
            since + (LONGEST_WAIT_S if self._is_busy() else 0.0), self._shown_at.get(kind, -1e9) + 1 / MOST_PER_S
        )

    def _serve(self) -> None:
        if not self._waiting:
            return
        now = self._clock()
        due = {kind: self._due_at(kind, since) for kind, (since, _) in self._waiting.items()}
        kind = min(due, key=lambda each: due[each])
        if due[kind] > now:
            self._timer.start(max(1, round((due[kind] - now) * 1e3)))
            return
        _, outcome = self._waiting.pop(kind)
        self._shown_at[kind] = now
        if self._waiting:
            self._timer.start(SPREAD_MS)
        self._show(outcome)
