"""A window with its real threads, and what drives it as a person would."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from jaxscope.compute.demo import demo_chains
from jaxscope.gui.session import WindowSession, make_application
from jaxscope.resource_files import resource_path
from jaxscope.session import actions as act
from jaxscope.session.settings import Settings

PATIENCE_S = 60.0


def wait(is_done: Callable[[], bool]) -> None:
    """Serve events until something is so."""
    deadline = time.monotonic() + PATIENCE_S
    loop, wake = QEventLoop(), QTimer()
    wake.start(10)
    while not is_done():
        assert time.monotonic() < deadline, "the window did not answer in time"
        loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)


@dataclass
class Driver:
    """A session, and what a person would wait for."""

    session: WindowSession

    def wait(self, is_done: Callable[[], bool]) -> None:
        """Serve events until something is so."""
        wait(is_done)

    def open(self, path: str | Path) -> None:
        self.session.window.actions_.open_path(str(path))
        wait(lambda: self.session.window.shell.path == str(path))
        self.wait_for_after()

    def beside(self) -> Driver:
        """Return the driver of another window on the same recording."""
        return Driver(self.session.open_beside())

    def wait_for_after(self) -> None:
        """Wait until filtered traces of the present state are on the screen."""
        revision = self.session.store.revision
        wait(lambda: self.shows(revision))

    def shows(self, revision: int) -> bool:
        picture = self.session.window.traces.picture
        if picture is None or picture.scene.frame.revision < revision:
            return False
        return any(block.after is not None for block in picture.scene.frame.blocks)

    def change(self, action: act.Action) -> None:
        self.session.store.dispatch(action)
        self.wait_for_after()


@pytest.fixture
def driver(qapp: QApplication) -> Iterator[Driver]:
    make_application()
    session = WindowSession(Settings(), demo_chains())
    session.window.resize(1200, 800)
    session.window.show()
    yield Driver(session)
    session.dispose()
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("jaxscope")]


@pytest.fixture
def demo() -> str:
    return str(resource_path("demo.edf"))
