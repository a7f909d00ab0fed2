"""One window with everything behind it: store, conductor, bridge, painter; made together, ended together.

Invariants: the window is on the screen before any heavy import happens (those belong to the workers); an error in one
part becomes a banner and ends nothing; ``shut_down`` may come at any moment and leaves no thread behind.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from jaxscope.compute.conductor import Conductor
from jaxscope.compute.frames import Busy, Opened
from jaxscope.errors import UsageError
from jaxscope.filters.spec import FilterChain
from jaxscope.gui.bridge import Bridge
from jaxscope.gui.error_hooks import listen_to_errors, stop_listening
from jaxscope.gui.keeper import Keeper, words_of
from jaxscope.gui.main_window import MainWindow
from jaxscope.gui.pace import PACED, Pace
from jaxscope.gui.painting.painter_thread import PainterThread, PaintFailure
from jaxscope.gui.theme import theme
from jaxscope.session.recovery import Kept
from jaxscope.session.settings import Settings
from jaxscope.session.state import Document, EngineChoice, SessionState
from jaxscope.session.store import Store

#: How long a thread that computes may keep the interpreter while another one waits for it, in seconds.
SWITCH_INTERVAL_S = 0.0005
_DRESSED = "jaxscopeDressed"
#: how far a window opens from the one it is opened from
_BESIDE_PX = 40


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
    beside : WindowSession or None
        A window to share the recording, the filter and undo with.
    """

    def __init__(
        self, settings: Settings, chains: Sequence[FilterChain] = (), *, beside: WindowSession | None = None
    ) -> None:
        self.store: Store = Store(initial_state(settings, chains)) if beside is None else Store(beside=beside.store)
        self.bridge = Bridge()
        self.conductor = Conductor(self.store, self.bridge.deliver)
        self.painter = PainterThread(self.bridge.deliver)
        self.window = MainWindow(self.store, self.conductor, self.painter.submit, settings)
        self.pace = Pace(self.window.receive, lambda: self.window.traces.is_behind)
        self.window.traces.painted.connect(lambda _: self.pace.release())
        self.window.emptied.connect(self.painter.forget)
        self.bridge.received.connect(self._receive)
        self.window.closing.connect(self._on_closing)
        self.window.window_asked.connect(self.open_beside)
        self._is_down = False
        self._n_modules = 0
        #: windows that were opened from this one, and from those
        self.family: list[WindowSession] = [] if beside is None else beside.family
        self.family.append(self)
        self.keeper: Keeper | None = None
        listen_to_errors(self._tell)
        if beside is not None:
            self.window.actions_.join(beside.window.actions_)

    def open_beside(self) -> WindowSession:
        """Open another window on the same recording, filter and undo, with a view of its own."""
        made = WindowSession(self.window.actions_.settings, beside=self)
        place = self.window.geometry().translated(_BESIDE_PX, _BESIDE_PX)
        made.window.setGeometry(place)
        made.window.remembers_layout = self.window.remembers_layout
        made.window.show()
        if self.keeper is not None:
            made.keeper = Keeper(made.store, made.conductor, lambda: made.window.actions_.project_path)
        return made

    def keep_work(self) -> None:
        """Keep work that is not saved, and offer what an earlier window left."""
        files = self.window.actions_
        self.keeper = Keeper(self.store, self.conductor, lambda: files.project_path)
        found = self.keeper.abandoned()
        if found:
            self._offer(*found[0])

    def leave_work_behind(self) -> None:
        """Close without a question; what is not saved is offered at the next start."""
        for session in self.family:
            session.window.actions_.discards = True
            if session.keeper is not None:
                session.keeper.leave_behind()
                session.keeper = None

    def _offer(self, paths: tuple[Path, ...], kept: Kept) -> None:
        keeper, files = self.keeper, self.window.actions_
        if keeper is None:
            return

        def restore() -> None:
            files.recover(kept.project, kept.project_path, lambda: keeper.take_over(paths))

        title, sentence = words_of(kept)
        self.window.ask(
            title=title,
            sentence=sentence,
            hint="jaxscope ended before it was saved. The recording itself was never changed.",
            answers=(
                ("Discard", "danger", lambda: keeper.discard(paths)),
                ("Later", "plain", lambda: None),
                ("Restore", "primary", restore),
            ),
        )

    def shut_down(self) -> None:
        """Stop everything and join the threads; may be called again."""
        if self._is_down:
            return
        self._is_down = True
        self.bridge.close()
        self.pace.clear()
        self.painter.shut_down()
        self.conductor.shut_down()
        if self.keeper is not None:
            self.keeper.give_up()
        stop_listening(self._tell)
        self.store.leave()
        for other in self.family:
            if other is not self:
                other.window.show_companions()

    def close_all(self) -> None:
        """Close the window and those that share its recording."""
        for session in tuple(self.family):
            session.window.close()

    def _on_closing(self) -> None:
        """End; a window that others outlive is freed, for each widget that is left makes a change of theme slower."""
        self.shut_down()
        if len(self.family) > 1:
            self.family.remove(self)
            self.window.deleteLater()

    def dispose(self) -> None:
        """Close the window and those opened from it, and free them."""
        for session in tuple(self.family):
            session.window.actions_.discards = True  # nobody is asked when everything ends
            session.window.close()
            session.shut_down()
            session.window.deleteLater()
        self.family.clear()
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
        is_over = isinstance(outcome, Opened) or (isinstance(outcome, Busy) and outcome.done)
        if is_over and len(sys.modules) != self._n_modules:
            # Libraries have just been imported. Those objects stay for good: a full collection that walks all of them
            # stops every thread for 200 ms, in the middle of a drag. Without new ones there is nothing to freeze but
            # what an earlier recording has left, and that has to be collected.
            self._n_modules = len(sys.modules)
            gc.freeze()

    def _tell(self, error: BaseException) -> None:
        if self._is_down:
            return
        if threading.current_thread() is threading.main_thread():
            self.window.notices.show_crash("the window", error)
        else:
            self.bridge.deliver(PaintFailure(error=error))
