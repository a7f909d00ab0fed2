"""The control under the rail: run along or stop, and how fast. It stands at the left end of the time axis."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from jaxscope.gui.components.buttons import Button, IconButton
from jaxscope.gui.key_table import key_table, key_words
from jaxscope.gui.theme import scaled, theme
from jaxscope.session.actions_live import LiveChoice

RUN_ROW = ("traces", "run along the recording; with the mouse: pan")
_LEFT_PX, _TOP_PX = 8, 2


class Transport(QWidget):
    """A button that runs and stops, and one that shows the speed; the wheel on it steps through the speeds."""

    run_asked = Signal()
    #: 1 faster, -1 slower
    speed_stepped = Signal(int)
    #: the menu of speeds is wanted, at a global position
    menu_asked = Signal(QPoint)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._live = LiveChoice()
        self.run_button = IconButton("player-play", "Run along", size=24, icon_size=14)
        self.speed_button = Button("×1", "quiet", height=24, padding=6, px=11)
        self.run_button.clicked.connect(self.run_asked)
        self.speed_button.clicked.connect(self._ask_menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self.run_button)
        row.addWidget(self.speed_button)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.show_live(self._live)
        key_table().changed.connect(self._on_keys)
        theme().changed.connect(self._place)
        self._place()

    def show_live(self, live: LiveChoice) -> None:
        """Show whether it runs, and how fast."""
        self._live = live
        keys = key_table().keys_of(*RUN_ROW)
        key = f" [{key_words(keys[0])}]" if keys else ""
        what = {"": "Run along the recording", "play": "Stop", "follow": "Stop following the file"}[live.running]
        self.run_button.set_icon_name("player-stop" if live.running else "player-play")
        self.run_button.set_tip(f"{what}{key}")
        words = f"×{live.speed:g}"
        if words != self.speed_button.text():
            self.speed_button.setText(words)
            self.speed_button.updateGeometry()
        self.speed_button.setEnabled(live.running != "follow")
        self.speed_button.setAccessibleName(f"Speed, {live.speed:g} seconds per second")
        follows = "A file that grows comes at its own speed"
        self.speed_button.setToolTip(follows if live.running == "follow" else "Speed. Scroll, or click for the list")
        self._place()

    def _on_keys(self) -> None:
        self.show_live(self._live)

    def _ask_menu(self) -> None:
        self.menu_asked.emit(self.speed_button.mapToGlobal(QPoint(0, self.speed_button.height())))

    def _place(self) -> None:
        self.adjustSize()
        self.move(scaled(_LEFT_PX), scaled(_TOP_PX))

    def wheelEvent(self, event: QWheelEvent) -> None:
        delta = event.angleDelta().y() or event.angleDelta().x()
        if delta and self.speed_button.isEnabled():
            self.speed_stepped.emit(1 if delta > 0 else -1)
        event.accept()
