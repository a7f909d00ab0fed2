"""What ends a program from outside: Ctrl-C, a closed terminal, a shutdown.

The first such signal raises KeyboardInterrupt, so that what is half written is removed; those that follow within
moments are the same wish told twice, and must not break the tidying off. A signal that was ignored when the program
began (``nohup``) stays ignored. Imports nothing heavy: it is in force before the rest is loaded.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from jaxscope import unfinished

T = TypeVar("T")
#: Exit code of a program that was interrupted.
EXIT_CODE = 130
#: Seconds after an interruption in which another one is the same.
GRACE_S = 2.0
#: What asks a program to end.
SIGNALS: tuple[signal.Signals, ...] = (
    (signal.SIGINT, signal.SIGTERM) if sys.platform == "win32" else (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
)


class Interrupter:
    """A handler of signals that raises KeyboardInterrupt once for several in a row."""

    def __init__(self) -> None:
        self._last_s = float("-inf")

    @property
    def is_taken(self) -> bool:
        """Whether an interruption is under way."""
        return time.monotonic() - self._last_s <= GRACE_S

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Take a signal."""
        if not self.is_taken:
            self._last_s = time.monotonic()
            raise KeyboardInterrupt


def is_under_way() -> bool:
    """Return whether an interruption was just taken, although an import or a library made another error of it."""
    handler = signal.getsignal(signal.SIGINT)
    return isinstance(handler, Interrupter) and handler.is_taken


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Take every request to end as one interruption while inside, and leave no unfinished file after it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    own = before[signal.SIGINT]
    interrupter = own if isinstance(own, Interrupter) else Interrupter()
    replaced = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, None)}
    try:
        for number in replaced:
            signal.signal(number, interrupter)
        yield
    except BaseException:
        unfinished.remove_all()
        raise
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)


def in_another_thread(work: Callable[[], T]) -> T:
    """Return what ``work`` returns, or raise what it raises; an interruption doesn't wait for it.

    For work that writes nothing and may stay in a compiler for long, where no signal is looked at.
    """
    ended: Future[T] = Future()

    def run() -> None:
        try:
            ended.set_result(work())
        except BaseException as error:  # noqa: BLE001  (raised again where it is waited for)
            ended.set_exception(error)

    threading.Thread(target=run, name="measurement", daemon=True).start()
    while True:
        try:
            # a wait without an end would not see signals on every system
            return ended.result(timeout=0.2)
        except TimeoutError:
            if ended.done():
                raise


@contextmanager
def put_off() -> Iterator[None]:
    """Take a request to end only after what is inside, which is short and must not be left half done.

    Elsewhere than in the main thread, where no signal is taken, there is nothing to do.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    met: list[int] = []
    before = {number: signal.getsignal(number) for number in SIGNALS}
    replaced = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, None)}
    try:
        for number in replaced:
            signal.signal(number, lambda number, _frame: met.append(number))
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)
        if met:
            signal.raise_signal(met[0])


@contextmanager
def signals_held() -> Iterator[None]:
    """Let what asks to end wait while inside, also in processes that are made here, until they ``take_signals``."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def keep_tracker() -> None:
    """Start the process in which Python keeps what workers share, deaf to a closed terminal as it is to Ctrl-C."""
    if sys.platform == "win32":
        return
    from multiprocessing.resource_tracker import ensure_running

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # what is ignored stays so in a new process
    try:
        ensure_running()
    finally:
        signal.signal(signal.SIGHUP, before)


def take_signals() -> None:
    """End this process when it is asked to, without a word, removing what it has not finished: for workers.

    It ends as well once the process that made it is gone, killed maybe: nobody would take what it finishes.
    """
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()


def _end_with_parent() -> None:
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        unfinished.remove_all()
        os._exit(EXIT_CODE)


def _end(number: int, frame: FrameType | None) -> None:
    unfinished.remove_all()
    os._exit(EXIT_CODE)
