"""Opens windows: the entry points that the command line calls."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from types import FrameType

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from jaxscope.filters.spec import FilterChain
from jaxscope.gui.demo_run import measure_demo, open_demo
from jaxscope.gui.preferences import preferences
from jaxscope.gui.session import WindowSession, make_application
from jaxscope.gui.views.banner import Notice
from jaxscope.session.project import Project
from jaxscope.session.settings import Settings, load_settings

_USUAL_SIZE = (1600, 1000)


def run_window(
    path: str | None = None,
    *,
    project: Project | None = None,
    project_path: str | None = None,
    chains: Sequence[FilterChain] = (),
    theme: str | None = None,
) -> int:
    """Open a window and return the exit code when it is closed.

    Parameters
    ----------
    path : str or None
        Recording to open; with ``project`` it takes the place of the project's.
    project, project_path
        A project that was loaded, and where from.
    chains : sequence of FilterChain
        Chains to begin with.
    theme : {"dark", "light", "system"} or None
        None takes the preference.
    """
    settings, warnings = load_settings()
    session = _open_session(settings, chains, theme)
    for words in warnings:
        session.window.notify(Notice(cause="settings", kind="warn", sentence=words, can_close=True))

    def begin() -> None:
        if project is not None:
            session.window.actions_.open_project(project, project_path or "", path)
        elif path is not None:
            session.window.actions_.open_path(path)

    QTimer.singleShot(0, begin)
    return _run(session)


def run_demo_window(
    *,
    size: tuple[int, int] = _USUAL_SIZE,
    theme: str | None = None,
    file: str | None = None,
    rate_hz: float | None = None,
) -> int:
    """Open a window on the demonstration recording, or on ``file``, with the demonstration's chains."""
    settings, _ = load_settings()
    session = _open_session(settings, (), theme, size)
    QTimer.singleShot(0, lambda: open_demo(session, file, rate_hz))
    return _run(session)


def run_demo(
    *,
    screenshot: str | None = None,
    size: tuple[int, int] = _USUAL_SIZE,
    theme: str = "dark",
    file: str | None = None,
    rate_hz: float | None = None,
) -> dict[str, object]:
    """Drive the real window through the demonstration without a person, and return what was measured.

    Parameters
    ----------
    screenshot : str or None
        Draw the window into this PNG.
    size : (width, height)
        Logical pixels of the window.
    theme : {"dark", "light"}
    file : str or None
        A recording in place of the demonstration's.
    rate_hz : float or None
        Its rate where it does not tell it.

    Returns
    -------
    dict
        ``recording, channels, rate_hz, chain, rms_before, rms_after, knob_to_frame_ms {p50, p95},
        compilations_while_tuning, longest_gui_stall_ms, longest_gui_work_ms, screenshot``. Work is the processor
        time of the GUI thread alone, a stall whatever kept it from its events.
    """
    session = _open_session(Settings(), (), theme, size)
    try:
        return measure_demo(session, file=file, screenshot=screenshot, rate_hz=rate_hz)
    finally:
        session.dispose()


def _open_session(
    settings: Settings,
    chains: Sequence[FilterChain],
    mode: str | None,
    size: tuple[int, int] = _USUAL_SIZE,
) -> WindowSession:
    application = make_application()
    settings = replace(settings, theme=mode or settings.theme)
    preferences().put_in_force(settings)
    session = WindowSession(settings, chains)
    screen = application.primaryScreen().availableSize()
    is_real = QApplication.platformName() not in ("offscreen", "minimal")
    width, height = (min(size[0], screen.width()), min(size[1], screen.height())) if is_real else size
    session.window.resize(width, height)
    session.window.show()
    return session


def _run(session: WindowSession) -> int:
    interrupted: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        interrupted.append(number)
        session.window.close()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        code = QApplication.exec()
    finally:
        signal.signal(signal.SIGINT, before)
        session.dispose()
    sys.stdout.flush()
    return 130 if interrupted else code
