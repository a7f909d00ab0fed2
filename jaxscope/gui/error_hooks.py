"""Errors that nobody has caught: told to a window that is open, and Ctrl+C ends the program in order.

Several windows share the hooks of the interpreter: they are taken with the first window and given back with the last.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from types import TracebackType

from PySide6.QtWidgets import QApplication

_LOG = logging.getLogger(__name__)

Tell = Callable[[BaseException], None]
_listeners: list[Tell] = []
_before: list[tuple[object, object]] = []


def listen_to_errors(tell: Tell) -> None:
    """Tell of every error that nobody has caught; may be called on any thread. The newest listener is told."""
    if not _listeners:
        _before.append((sys.excepthook, threading.excepthook))
        sys.excepthook = _on_error
        threading.excepthook = _on_thread_error
    _listeners.append(tell)


def stop_listening(tell: Tell) -> None:
    """End it; the hooks of before are back when nobody listens any more."""
    if tell in _listeners:
        _listeners.remove(tell)
        if not _listeners:
            sys.excepthook, threading.excepthook = _before.pop()  # type: ignore[assignment]


def _on_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        QApplication.exit(130)
        return
    _tell(error)


def _on_thread_error(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_value is not None:
        _tell(arguments.exc_value)


def _tell(error: BaseException) -> None:
    _LOG.error("unexpected error", exc_info=error)
    if _listeners:
        _listeners[-1](error)
