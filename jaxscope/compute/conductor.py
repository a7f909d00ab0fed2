"""The one door between the window (or a test) and the compute side.

``Conductor`` listens to a ``Store``; on each change it plans, submits to the scheduler, and hands outcomes to
``deliver``, which is called on worker threads. It knows no Qt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from jaxscope.compute.frames import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest:
    """What to write: ``path`` decides the format by its suffix."""

    path: str
    channels: tuple[str, ...] = ()
    start_s: float | None = None
    stop_s: float | None = None
    overwrite: bool = False


class Conductor:
    """Drives reading, filtering and exporting for one window."""

    def __init__(self, store: object, deliver: Callable[[Outcome], None], *, run_inline: bool = False) -> None:
        raise NotImplementedError

    def open(self, path: str, *, rate_hz: float | None = None) -> None:
        """Open a recording on the file thread; outcomes are Opened and OverviewFrames, or Failure."""

    def close_recording(self) -> None:
        """Let go of the recording."""

    def set_width_px(self, traces_px: int, overview_px: int) -> None:
        """Tell how many device pixels the traces and the overview have."""

    def export(self, request: ExportRequest) -> int:
        """Begin an export; outcomes are ExportProgress or Failure. Returns the job's number."""

    def cancel(self, job: int) -> None:
        """Cancel an export."""

    def ask_devices(self, *, measure: bool) -> None:
        """Ask for Devices; with ``measure`` each available device runs the present view once."""

    def compilations(self) -> int:
        """Return how many programs have been compiled so far."""
        raise NotImplementedError

    def shut_down(self) -> None:
        """Cancel everything and join the threads; returns within a second or two."""
