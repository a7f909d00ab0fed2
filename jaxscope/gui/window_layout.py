"""Where the views stand in the window, and which of them there is room for.

From 1440 px on there is everything; below, the dock is narrower and notes go; below 1200 px the dock folds to a strip
of icons that opens it over the traces. Zen leaves the traces alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QSplitterHandle, QStackedWidget, QVBoxLayout, QWidget

from jaxscope.gui.components.painting import begin
from jaxscope.gui.taking_turns import TakingTurns
from jaxscope.gui.theme import colour, scaled, theme
from jaxscope.gui.views.dock_panel import show_instead
from jaxscope.gui.views.fold_strip import WIDTH_PX, FoldStrip

if TYPE_CHECKING:
    from jaxscope.gui.main_window import MainWindow

WIDE_FROM_PX = 1440
FOLDED_BELOW_PX = 1200


class _Handle(QSplitterHandle):
    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            painter.fillRect(self.rect(), colour("line"))


class _Split(QSplitter):
    """A splitter whose handle is a hairline."""

    def createHandle(self) -> QSplitterHandle:
        return _Handle(self.orientation(), self)


class WindowLayout:
    """Lays the views of one window out."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._is_folded = False
        #: whether it was narrow, and the text scale, when the dock was given its width
        self._was_like: tuple[bool, float] | None = None
        self.turns = TakingTurns(window)
        #: width that a person gave the dock, at text scale 1; 0 is the usual one
        self.dock_width = 0
        self.strip_place = QStackedWidget()
        self.strip_place.addWidget(window.strip)
        self.strip_place.addWidget(window.banner)
        self.fold = FoldStrip()
        self.fold.hide()
        self.fold.asked.connect(self._on_asked)
        self._split = _Split(Qt.Orientation.Horizontal)
        self._split.setHandleWidth(1)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self._centre())
        self._split.addWidget(window.dock)
        self._split.setStretchFactor(0, 1)
        self._split.setStretchFactor(1, 0)
        self._split.splitterMoved.connect(self._on_moved)
        self._work = QWidget()
        row = QHBoxLayout(self._work)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._split, 1)
        row.addWidget(self.fold)
        self._pages = QStackedWidget()
        self._pages.addWidget(window.start)
        self._pages.addWidget(self._work)
        whole = QVBoxLayout(window)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(window.top)
        whole.addWidget(self._pages, 1)
        whole.addWidget(window.status)

    def dress(self) -> None:
        """Have the parts wear the theme; what floats over them does so when it opens."""
        window, dock = self._window, self._window.dock
        always: tuple[QWidget, ...] = (window.top, self.strip_place, window.rail, window.traces, window.axis)
        # one sheet for all of the dock would keep the window from its events for 20 ms
        for part in (*always, window.status, dock.header, dock.chain, dock.tabs, dock.response, *dock.bars()):
            theme().dress(part)
        at_times: tuple[QWidget, ...] = (window.drawer, window.folder, window.sweep, window.fit, window.start)
        for part in (*at_times, window.overview, self.fold, *self._faces()):
            theme().dress_when_shown(part)

    def _centre(self) -> QWidget:
        window = self._window
        body = QHBoxLayout()
        body.setSpacing(0)
        body.addWidget(window.rail)
        body.addWidget(window.traces, 1)
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.strip_place)
        column.addLayout(body, 1)
        column.addWidget(window.axis)
        column.addWidget(window.overview)
        column.addWidget(window.drawer)
        column.addWidget(window.folder)
        column.addWidget(window.sweep)
        return centre

    def show_start(self) -> None:
        """Show the start screen."""
        self._close_dock()
        self._pages.setCurrentWidget(self._window.start)

    def show_work(self) -> None:
        """Show the recording."""
        self.turns.take(self._painted_in_turn())
        self._pages.setCurrentWidget(self._work)

    def _painted_in_turn(self) -> tuple[QWidget, ...]:
        """Return what is painted for the first time when a recording is shown: all at once it would take 50 ms."""
        window = self._window
        middle = (self.strip_place, window.rail, window.axis, window.overview)
        return (window.traces, *middle, *self._dock_parts(), window.top, window.status)

    def _dock_parts(self) -> tuple[QWidget, ...]:
        dock = self._window.dock
        return (dock.header, dock.chain, dock.tabs, *self._faces(), dock.response)

    def _faces(self) -> tuple[QWidget, ...]:
        dock = self._window.dock
        return (dock.design, dock.coefficients, dock.poles_zeros)

    def show_banner(self, *, visible: bool) -> None:
        """Put the banner into the place of the header strip, or take it away."""
        self.strip_place.setCurrentWidget(self._window.banner if visible else self._window.strip)

    def update(self) -> None:
        """Show the parts that the size, the state and zen leave."""
        window = self._window
        is_zen = window.actions_.is_zen and window.shell.has_recording
        is_narrow = window.width() < WIDE_FROM_PX
        has_room = window.width() / theme().text_scale >= WIDE_FROM_PX
        self._set_folded(folded=window.width() < FOLDED_BELOW_PX)
        for part in (window.top, window.status):
            part.setVisible(not is_zen)
        viewport = window.shell.viewport
        has_room_below = window.shell.has_recording and not is_zen
        has_sweep = window.sweep.is_open and has_room_below
        has_folder = window.folder.is_open and has_room_below and not has_sweep
        has_drawer = viewport.analysis.shown and has_room_below and not has_folder and not has_sweep
        for drawer in (window.sweep, window.folder, window.drawer):
            drawer.fit_window(window.height())
        window.sweep.setVisible(has_sweep)
        window.folder.setVisible(has_folder)
        window.drawer.setVisible(has_drawer)
        is_taken = has_drawer or has_folder or has_sweep
        window.overview.setVisible(viewport.show_overview and not is_zen and not is_taken)
        show_instead(window.dock.column, window.fit, shown=window.fit.is_open)
        self.fold.setVisible(self._is_folded and not is_zen)
        if not self._is_folded:
            window.dock.setVisible(not is_zen)
        self.strip_place.setFixedHeight(window.strip.height())
        window.dock.set_narrow(narrow=is_narrow)
        window.strip.set_notes_visible(visible=has_room)
        if (is_narrow, theme().text_scale) != self._was_like:
            self._was_like = (is_narrow, theme().text_scale)
            self._give_dock_its_width()
        if self._is_folded and window.dock.isVisible():
            self._place_dock()

    def _give_dock_its_width(self) -> None:
        wanted = scaled(self.dock_width) if self.dock_width else self._window.dock.sizeHint().width()
        self._split.setSizes([max(1, self._window.width() - wanted - 1), wanted])

    def set_dock_width(self, width: int) -> None:
        """Give the dock a width at text scale 1; 0 gives it the usual one."""
        self.dock_width = width
        self._give_dock_its_width()

    def _on_moved(self) -> None:
        self.dock_width = round(self._window.dock.width() / theme().text_scale)

    def _set_folded(self, *, folded: bool) -> None:
        if folded == self._is_folded:
            return
        self._is_folded = folded
        dock = self._window.dock
        if folded:
            dock.setParent(self._window)
            dock.hide()
        else:
            self.fold.show_open(None)
            self._split.addWidget(dock)
            dock.show()
            self._give_dock_its_width()

    def _on_asked(self, part: str) -> None:
        dock = self._window.dock
        if dock.isVisible() and part == self._open_part():
            self._close_dock()
            return
        self.fold.show_open(part)
        self._place_dock()
        dock.show()
        dock.raise_()
        targets = {"chain": dock.chain, "face": dock.tabs, "response": dock.response.plot}
        targets[part].setFocus(Qt.FocusReason.OtherFocusReason)

    def _open_part(self) -> str | None:
        dock = self._window.dock
        parts = (("chain", dock.chain), ("face", dock.tabs), ("response", dock.response.plot))
        held = self._window.focusWidget()
        return next((name for name, part in parts if held is part), "chain")

    def open_dock(self, part: QWidget) -> None:
        """Show the dock, over the traces where it is folded, with one of its parts in view."""
        dock = self._window.dock
        if self._is_folded and not dock.isVisible():
            self.fold.show_open("chain")
            self._place_dock()
            dock.show()
            dock.raise_()
        dock.reveal(part)

    def close_dock(self) -> bool:
        """Close the dock where it stands over the traces, else the drawer; return whether it did."""
        if not self._is_folded or not self._window.dock.isVisible():
            window = self._window
            if window.fit.escape():
                return True
            drawers = (window.sweep, window.folder, window.drawer)
            return any(drawer.close_drawer() for drawer in drawers)
        self._close_dock()
        return True

    def _close_dock(self) -> None:
        if self._is_folded:
            self._window.dock.hide()
            self.fold.show_open(None)

    def _place_dock(self) -> None:
        width = self._window.dock.sizeHint().width()
        corner = self._work.mapTo(self._window, QPoint(0, 0))
        left = corner.x() + self._work.width() - scaled(WIDTH_PX) - width
        self._window.dock.setGeometry(QRect(left, corner.y(), width, self._work.height()))
