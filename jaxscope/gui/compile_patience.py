"""Offers another way where preparing a filter takes long: the first run on a device may need many seconds."""

from __future__ import annotations

from PySide6.QtCore import QTimer

from jaxscope.gui.notices import Notices
from jaxscope.gui.views.top_bar import device_title
from jaxscope.gui.ways_on import slow_compile_notice
from jaxscope.gui.window_actions import WindowActions

#: A compilation that takes longer than this offers another way.
PATIENCE_MS = 6000


class CompilePatience:
    """Waits while a filter is prepared, and tells when it takes long."""

    def __init__(self, notices: Notices, actions: WindowActions) -> None:
        self._notices = notices
        self._actions = actions
        self.timer = QTimer(actions.window)  # it goes with the window
        self.timer.setSingleShot(True)
        self.timer.setInterval(PATIENCE_MS)
        self.timer.timeout.connect(self._offer)

    def note(self, *, done: bool) -> None:
        """Take that a compilation has begun, or ended."""
        if done:
            self.timer.stop()
            self._notices.take_back("compiling")
        elif not self.timer.isActive():
            self.timer.start()

    def _offer(self) -> None:
        device = device_title(self._actions.shell.state.engine.device)
        self._notices.show(slow_compile_notice(device, PATIENCE_MS / 1000, self._actions))
