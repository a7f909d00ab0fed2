"""Opens windows: the entry points that the command line calls."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from jaxscope.compute.cpu_devices import ask_for_cpu_devices
from jaxscope.compute.frames import Failure
from jaxscope.errors import capitalised
from jaxscope.filters.spec import FilterChain
from jaxscope.gui.demo_run import measure_demo, open_demo
from jaxscope.gui.notices import SETTINGS_CAUSE
from jaxscope.gui.preferences import preferences
from jaxscope.gui.session import WindowSession, make_application
from jaxscope.gui.start_quietly import resume_collections
from jaxscope.gui.views.banner import Notice
from jaxscope.gui.window_memory import restore_layout
from jaxscope.session.project import Project
from jaxscope.session.settings import Settings, load_settings, settings_path

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
    ask_for_cpu_devices(settings.cpu_devices)
    session = _open_session(settings, chains, theme)
    restore_layout(session.window, settings)
    session.window.remembers_layout = True
    _say_bad_settings(session, warnings)

    def begin() -> None:
        if project is not None:
            session.window.actions_.open_project(project, project_path or "", path)
        elif path is not None:
            session.window.actions_.open_path(path)
        elif settings.start_up == "last" and settings.recent:
            session.window.actions_.open_path(settings.recent[0])
        session.keep_work()

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
    ask_for_cpu_devices(settings.cpu_devices)
    session = _open_session(settings, (), theme, size)

    def begin() -> None:
        open_demo(session, file, rate_hz)
        session.keep_work()

    QTimer.singleShot(0, begin)
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
        compilations_while_tuning, longest_gui_stall_ms, longest_gui_work_ms, gui_work_per_edit_ms, method,
        screenshot``. Work is the processor time of the GUI thread alone, a stall whatever kept it from its events.
    """
    session = _open_session(Settings(), (), theme, size)
    try:
        return measure_demo(session, file=file, screenshot=screenshot, rate_hz=rate_hz)
    finally:
        session.dispose()


def _say_bad_settings(session: WindowSession, warnings: Sequence[str]) -> None:
    """Say once what of the settings could not be used: on the start screen, and over a recording that is opened."""
    if not warnings:
        return
    sentence = capitalised(warnings[0])
    more = len(warnings) - 1
    hint = f"{more} more like it. " if more else ""
    hint += f"They are in {settings_path()}"
    session.window.notify(
        Notice(cause=SETTINGS_CAUSE, kind="warn", sentence=sentence, hint=hint, rank=0, can_close=True)
    )
    session.window.start.show_failure(Failure(revision=0, what="part", sentence=sentence, hint=hint))


def _open_session(
    settings: Settings,
    chains: Sequence[FilterChain],
    mode: str | None,
    size: tuple[int, int] = _USUAL_SIZE,
) -> WindowSession:
    application = make_application()
    preferences().put_in_force(settings, theme_now=mode)
    session = WindowSession(settings, chains)
    screen = application.primaryScreen().availableSize()
    is_real = QApplication.platformName() not in ("offscreen", "minimal")
    width, height = (min(size[0], screen.width()), min(size[1], screen.height())) if is_real else size
    session.window.resize(width, height)
    session.window.show()
    resume_collections()
    return session


def _run(session: WindowSession) -> int:
    interrupted: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        interrupted.append(number)
        session.leave_work_behind()
        session.close_all()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        code = QApplication.exec()
    finally:
        signal.signal(signal.SIGINT, before)
        session.dispose()
    sys.stdout.flush()
    if session.conductor.has_lost_threads:
        os._exit(130 if interrupted else code)  # a read that never returns must not keep the program
    return 130 if interrupted else code
