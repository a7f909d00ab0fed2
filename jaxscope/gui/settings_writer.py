"""Writes preferences down on a thread of its own: waiting for a disk must not keep the window from its events.

Of several settings that wait the newest is written. The thread ends when nothing waits, and is no daemon, so a program
that ends writes what it was told last. Invariant: files are replaced in the order in which settings came.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from jaxscope.session.settings import Settings, save_settings, settings_path


class SettingsWriter:
    """Keeps the newest settings in their file.

    Parameters
    ----------
    failed : callable
        Told on the writing thread why the settings cannot be kept.
    """

    def __init__(self, failed: Callable[[str], None]) -> None:
        self._failed = failed
        self._lock = threading.Lock()
        self._waiting: tuple[Settings, Path] | None = None
        self._thread: threading.Thread | None = None

    def write(self, settings: Settings) -> None:
        """Write settings soon, in place of those that still wait."""
        with self._lock:
            self._waiting = (settings, settings_path())
            if self._thread is None or not self._thread.is_alive():  # or it met a bug
                self._thread = threading.Thread(target=self._run, name="keep-settings")
                self._thread.start()

    def wait(self) -> None:
        """Return when everything is written."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while (wanted := self._next()) is not None:
            settings, path = wanted
            try:
                save_settings(settings, path)
            except OSError as error:
                self._failed(f"The preferences cannot be kept: {error.strerror or error}")

    def _next(self) -> tuple[Settings, Path] | None:
        """Take what waits; where nothing does, the thread is over for whoever writes next."""
        with self._lock:
            wanted, self._waiting = self._waiting, None
            if wanted is None:
                self._thread = None
            return wanted
