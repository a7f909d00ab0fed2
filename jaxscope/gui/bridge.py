"""The one crossing from worker threads to Qt.

Workers call ``deliver`` with an outcome; the GUI thread receives it through a queued signal. Outcomes of which only the
newest counts (a frame, a curve, a painted image) replace one another while they wait, so a busy GUI thread never works
through a heap of old pictures. After ``close`` nothing is received any more.
"""

from __future__ import annotations

import threading
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from jaxscope.compute.analysis_frames import AnalysisFrame
from jaxscope.compute.frames import AgreementFrame, DesignFrame, Frame, OverviewFrame, SpectrumFrame
from jaxscope.compute.surroundings import Surroundings
from jaxscope.gui.painting.painter_thread import AheadImage, TraceImage

_NEWEST_COUNTS = (
    Frame,
    DesignFrame,
    SpectrumFrame,
    OverviewFrame,
    AgreementFrame,
    AnalysisFrame,
    TraceImage,
    AheadImage,
    Surroundings,
)


class Bridge(QObject):
    """Hands outcomes of workers to the GUI thread, in order."""

    #: one outcome, on the GUI thread
    received = Signal(object)
    _woken = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._waiting: list[Any] = []
        self._is_closed = False
        self._woken.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def deliver(self, outcome: Any) -> None:
        """Hand over an outcome; may be called on any thread."""
        with self._lock:
            if self._is_closed:
                return
            is_first = not self._waiting
            if isinstance(outcome, _NEWEST_COUNTS):
                self._waiting = [other for other in self._waiting if type(other) is not type(outcome)]
            self._waiting.append(outcome)
        if is_first:
            self._woken.emit()

    def close(self) -> None:
        """Refuse everything from now on, what still waits included."""
        with self._lock:
            self._is_closed = True
            self._waiting.clear()

    def _take(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for outcome in waiting:
            if not self._is_closed:  # what was received before may have closed the window
                self.received.emit(outcome)
