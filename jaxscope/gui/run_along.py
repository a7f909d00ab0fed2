"""Running along a recording, and following a file that grows: when to go on, and where the window looks.

A timer asks the compute side to go on; nothing here waits, filters or reads. The window goes along as long as the place
that is reached is in it: whoever scrolls away stays there, and joins again by scrolling back. With reduced motion, or
where pages are chosen, the window turns pages and never glides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMenu, QStyle

from jaxscope.compute.frames import LivePosition
from jaxscope.gui.views.banner import Notice
from jaxscope.session import actions as act
from jaxscope.session.actions_live import SPEEDS, next_speed
from jaxscope.session.state import SessionState, Viewport

if TYPE_CHECKING:
    from jaxscope.gui.window_actions import WindowActions

#: How often the signal goes on.
TICK_MS = 33
#: Where in the window the place that is reached stays while the window glides: of a file that grows there is no more.
PLAY_SHARE, FOLLOW_SHARE = 0.75, 1.0
_CAUSE = "future"


def is_motion_reduced() -> bool:
    """Whether the system asks programs not to animate."""
    return QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0


def speed_words(speed: float) -> str:
    """Return a speed as it is shown.

    Examples
    --------
    >>> speed_words(0.5), speed_words(20.0)
    ('×0.5', '×20')
    """
    return f"×{speed:g}"


class RunAlong(QObject):
    """Plays and follows for one window."""

    def __init__(self, actions: WindowActions) -> None:
        super().__init__(actions.window)
        self._actions = actions
        self._reached_s: float | None = None
        #: whether the window goes along
        self._is_along = True
        self._is_scrolling = False
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(actions.conductor.run_on)
        self._unsubscribe = actions.shell.store.subscribe(self._on_state)
        actions.window.closing.connect(self._end)

    # --- what a person does

    @property
    def is_running(self) -> bool:
        """Whether a signal runs."""
        return bool(self._actions.shell.state.live.running)

    @property
    def is_following(self) -> bool:
        """Whether a file is followed."""
        return self._actions.shell.state.live.running == "follow"

    def toggle(self) -> None:
        """Run along from where it was stopped, where that is in the window, else from its start; or stop."""
        if self.stop():
            return
        viewport, reached_s = self._actions.shell.viewport, self._reached_s
        stop_s = viewport.start_s + viewport.duration_s
        total_s = self._actions.shell.navigator.total_s or stop_s
        is_in_window = reached_s is not None and viewport.start_s <= reached_s < min(stop_s, total_s)
        self._begin(act.Play(start_s=reached_s if is_in_window and reached_s is not None else viewport.start_s))

    def toggle_following(self) -> None:
        """Follow the end of the file while it is being written, or stop."""
        if self.is_following:
            self.stop()
        else:
            self._begin(act.FollowFile())

    def _begin(self, action: act.Play | act.FollowFile) -> None:
        self._is_along = True
        self._actions.window.notices.take_back("failure part")
        self._actions.shell.dispatch(action)

    def stop(self) -> bool:
        """Stop what runs; return whether anything did."""
        if not self.is_running:
            return False
        self._actions.shell.dispatch(act.StopRunning())
        return True

    def step_speed(self, direction: int) -> None:
        """Play at the next faster (1) or slower (-1) speed."""
        speed = next_speed(self._actions.shell.state.live.speed, direction)
        self.set_speed(speed)

    def set_speed(self, speed: float) -> None:
        """Play at a speed, now or when it is played next."""
        self._actions.shell.dispatch(act.SetSpeed(speed=speed))
        self._actions.say(f"Plays at {speed_words(speed)}")

    def toggle_pages(self) -> None:
        """Turn pages while it runs, or glide."""
        self._actions.shell.dispatch(act.RunByPages(on=not self._actions.shell.state.live.by_pages))

    def toggle_causal(self) -> None:
        """Run zero-phase chains as causal ones while it runs, or let them wait."""
        self._actions.shell.dispatch(act.RunAsCausal(on=not self._actions.shell.state.live.as_causal))

    def open_speeds(self, where: QPoint) -> None:
        """Open the menu of speeds."""
        self.speed_menu().popup(where)

    def _taking(self, speed: float) -> Callable[[], None]:
        return lambda: self.set_speed(speed)

    def speed_menu(self) -> QMenu:
        """Return the menu of speeds and of how the window goes along."""
        menu = QMenu(self._actions.window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        live = self._actions.shell.state.live
        for speed in SPEEDS:
            entry = menu.addAction(speed_words(speed))
            entry.triggered.connect(self._taking(speed))
            entry.setCheckable(True)
            entry.setChecked(math.isclose(speed, live.speed))
        menu.addSeparator()
        for words, is_on, run in (
            ("Turn pages", live.by_pages, self.toggle_pages),
            ("Causal while it runs", live.as_causal, self.toggle_causal),
        ):
            entry = menu.addAction(words, run)
            entry.setCheckable(True)
            entry.setChecked(is_on)
        return menu

    # --- what happens

    def take(self, position: LivePosition) -> None:
        """Go along with what has been reached."""
        if not self.is_running:
            return
        self._reached_s = position.position_s
        if self._is_along:
            self._go_along(position)
        self._say_future(position)
        if position.over:
            self.stop()

    def _on_state(self, state: SessionState, previous: SessionState) -> None:
        if state.document.recording != previous.document.recording:
            self._reached_s = None
        if state.live.running and not self._timer.isActive():
            self._timer.start()
        elif not state.live.running and self._timer.isActive():
            self._timer.stop()
            self._actions.window.notices.take_back(_CAUSE)
        was, now, reached_s = previous.viewport, state.viewport, self._reached_s
        is_moved = (was.start_s, was.duration_s) != (now.start_s, now.duration_s)
        if is_moved and not self._is_scrolling and reached_s is not None:
            self._is_along = now.start_s <= reached_s <= now.start_s + now.duration_s

    def _go_along(self, position: LivePosition) -> None:
        viewport = self._actions.shell.viewport
        by_pages = self._actions.shell.state.live.by_pages or is_motion_reduced()
        wanted = paged_start if by_pages else gliding_start
        start_s = wanted(viewport, position, self._actions.window.traces.width())
        if start_s == viewport.start_s:
            return
        self._is_scrolling = True
        try:
            self._actions.shell.navigator.run_to(start_s)
        finally:
            self._is_scrolling = False

    def _say_future(self, position: LivePosition) -> None:
        """Say that zero-phase chains wait, and offer the way on."""
        notices = self._actions.window.notices
        if not position.future or position.as_causal:
            notices.take_back(_CAUSE)
        elif not notices.has(_CAUSE):
            notices.show(
                Notice(
                    cause=_CAUSE,
                    kind="warn",
                    sentence="Zero-phase needs what comes after, so After waits",
                    hint="Before runs. A causal filter can run along; it delays the signal",
                    actions=(("Causal while it runs", None, self.toggle_causal),),
                )
            )

    def _end(self) -> None:
        self._timer.stop()
        self._unsubscribe()


def paged_start(viewport: Viewport, position: LivePosition, _width_px: int) -> float:
    """Return where the page begins that holds what is reached; pages follow one another without overlap."""
    pages = math.floor((position.position_s - viewport.start_s) / viewport.duration_s)
    return viewport.start_s + max(0, pages) * viewport.duration_s


def gliding_start(viewport: Viewport, position: LivePosition, width_px: int) -> float:
    """Return where the window begins when it goes along: by whole pixels, so that what is drawn only moves."""
    share = FOLLOW_SHARE if position.running == "follow" else PLAY_SHARE
    start_s = position.position_s - share * viewport.duration_s
    if start_s <= viewport.start_s:
        return viewport.start_s
    pixel_s = viewport.duration_s / max(1, width_px)
    return viewport.start_s + math.ceil((start_s - viewport.start_s) / pixel_s - 1e-6) * pixel_s
