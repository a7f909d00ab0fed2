"""One window with everything behind it: store, conductor, bridge, painter; made together, ended together.

Invariants: the window is on the screen before any heavy import happens (those belong to the workers); an error in one
part becomes a banner and ends nothing; ``shut_down`` may come at any moment and leaves no thread behind.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
import threading
from collections.abc import Sequence
from types import TracebackType

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from jaxscope.compute.conductor import Conductor
from jaxscope.compute.frames import Busy, Opened
from jaxscope.errors import UsageError
from jaxscope.filters.spec import FilterChain
from jaxscope.gui.bridge import Bridge
from jaxscope.gui.main_window import MainWindow
from jaxscope.gui.pace import PACED, Pace
from jaxscope.gui.painting.painter_thread import PainterThread, PaintFailure
from jaxscope.gui.theme import theme
from jaxscope.session.settings import Settings
from jaxscope.session.state import Document, EngineChoice, SessionState
from jaxscope.session.store import Store

_LOG = logging.getLogger(__name__)
#: How long a thread that computes may keep the interpreter while another one waits for it, in seconds.
SWITCH_INTERVAL_S = 0.0005
_DRESSED = "jaxscopeDressed"


def make_application() -> QApplication:
    """Return the one QApplication, dressed; made here where there is none yet."""
    _check_display()
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        application = existing
    else:
        QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
        application = QApplication(sys.argv[:1])
        application.setApplicationName("jaxscope")
        application.setApplicationDisplayName("jaxscope")
        application.setDesktopFileName("jaxscope")
    if not application.property(_DRESSED):
        theme().install(application)
        application.setProperty(_DRESSED, True)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    return application


def _check_display() -> None:
    """Refuse where there is no screen to show a window on: Qt would end the process without a word to act on."""
    is_told = os.environ.get("QT_QPA_PLATFORM") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.platform.startswith("linux") and not is_told:
        raise UsageError("there is no display to open a window on", hint="run jaxscope demo or jaxscope filter instead")


def initial_state(settings: Settings, chains: Sequence[FilterChain] = ()) -> SessionState:
    """Return the state that a window begins with."""
    engine = EngineChoice(
        device=settings.device,
        precision=settings.precision,  # type: ignore[arg-type]
        method=settings.method,
    )
    return SessionState(document=Document(chains=tuple(chains)), engine=engine)


class WindowSession:
    """Everything of one window.

    Parameters
    ----------
    settings : Settings
        Preferences.
    chains : sequence of FilterChain
        Chains to begin with.
    """

    def __init__(self, settings: Settings, chains: Sequence[FilterChain] = ()) -> None:
        self.store = Store(initial_state(settings, chains))
        self.bridge = Bridge()
        self.conductor = Conductor(self.store, self.bridge.deliver)
        self.painter = PainterThread(self.bridge.deliver)
        self.window = MainWindow(self.store, self.conductor, self.painter.submit, settings)
        self.pace = Pace(self.window.receive, lambda: self.window.traces.is_behind)
        self.window.traces.painted.connect(lambda _: self.pace.release())
        self.bridge.received.connect(self._receive)
        self.window.closing.connect(self.shut_down)
        self._is_down = False
        self._hooks = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._on_error
        threading.excepthook = self._on_thread_error

    def shut_down(self) -> None:
        """Stop everything and join the threads; may be called again."""
        if self._is_down:
            return
        self._is_down = True
        self.bridge.close()
        self.pace.clear()
        self.painter.shut_down()
        self.conductor.shut_down()
        sys.excepthook, threading.excepthook = self._hooks

    def dispose(self) -> None:
        """Close the window and free it."""
        self.window.close()
        self.shut_down()
        self.window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def _receive(self, outcome: object) -> None:
        if self._is_down:
            return
        if isinstance(outcome, PACED):
            self.pace.put(outcome)
            return
        if isinstance(outcome, Opened):
            self.pace.clear()
        self.window.receive(outcome)
        if isinstance(outcome, Opened) or (isinstance(outcome, Busy) and outcome.done):
            # Libraries have just been imported or a program compiled. Those objects stay for good: a full collection
            # that walks all of them stops every thread for 200 ms, in the middle of a drag.
            gc.freeze()

    def _on_error(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QApplication.exit(130)
            return
        self._tell(error)

    def _on_thread_error(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            self.bridge.deliver(PaintFailure(error=arguments.exc_value))

    def _tell(self, error: BaseException) -> None:
        _LOG.error("unexpected error", exc_info=error)
        if not self._is_down:
            self.window.notices.show_crash("the window", error)
