"""Small files read and written where a person waits for the result, on a disk that may never answer.

The work runs on a thread while the window goes on with its events. What a person types or clicks waits for the result
at first; after a while the window says what it waits for, and the waiting can be given up.

Invariant: who gives up gets an error, never half a result. What was begun on the disk may still end there by itself.
"""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QEventLoop, QObject, Qt, QThread, QTimer, Signal

if TYPE_CHECKING:
    from jaxscope.gui.main_window import MainWindow

#: How long the window may stand still, in which nearly every disk answers; and how long nothing is said.
STILL_S, SILENT_MS = 0.008, 1000

Made = TypeVar("Made")


class _Work(QObject, Generic[Made]):
    """What runs on the thread; ``ended`` is emitted there."""

    ended = Signal()

    def __init__(self, work: Callable[[], Made]) -> None:
        super().__init__()
        self._work = work
        self.is_over = threading.Event()
        self.made: list[Made] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        """Do the work."""
        try:
            self.made.append(self._work())
        except BaseException as error:  # noqa: BLE001  (raised again where the result is waited for)
            self.error = error
        self.is_over.set()
        self.ended.emit()


def patiently(window: MainWindow, words: str, work: Callable[[], Made]) -> Made:
    """Return what ``work`` returns, or raise what it raises, and let the window go on meanwhile.

    Parameters
    ----------
    window : MainWindow
    words : str
        What is waited for, as a sentence without its stop.
    work : callable
        Runs on another thread and touches no widget.

    Raises
    ------
    TimeoutError
        Where the person gave up.
    """
    if QThread.currentThread().loopLevel() == 0:
        return work()  # nobody is there who could click
    task = _Work(work)
    # a daemon: what a disk holds for ever must not keep the program from ending
    threading.Thread(target=task.run, name="jaxscope-patient", daemon=True).start()
    if not task.is_over.wait(STILL_S):
        _wait(window, words, task)
    if not task.is_over.is_set():
        raise TimeoutError(errno.ETIMEDOUT, "the disk does not answer")
    if task.error is not None:
        raise task.error
    return task.made[0]


def _wait(window: MainWindow, words: str, task: _Work[Made]) -> None:
    """Return when the work is over or was given up."""
    loop = QEventLoop()
    task.ended.connect(loop.quit, Qt.ConnectionType.QueuedConnection)
    QTimer.singleShot(SILENT_MS, loop.quit)
    if not task.is_over.is_set():
        loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    if task.is_over.is_set():
        return
    sheet = window.ask(
        title="The disk does not answer",
        sentence=f"{words}.",
        hint="The window goes on. What was begun there may still end by itself.",
        answers=(("Stop waiting", "plain", lambda: None),),
    )
    sheet.closed.connect(loop.quit)
    if not task.is_over.is_set():
        loop.exec()
    if not sheet.isHidden():
        sheet.close_floating()
