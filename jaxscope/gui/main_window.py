"""The window: it lays the views out, tells them states and outcomes, and keeps what is wrong on show.

No logic of the program is here: commands are in ``commands``, what they do in ``shell`` and ``window_actions``, what
they look like in the views.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QChildEvent, QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QDialog, QMenu, QWidget

from jaxscope.compute.conductor import Conductor
from jaxscope.compute.formats import short_titles
from jaxscope.compute.frames import Failure
from jaxscope.errors import JaxscopeError
from jaxscope.gui.floating_parts import FloatingParts
from jaxscope.gui.key_router import KeyRouter
from jaxscope.gui.notices import SETTINGS_CAUSE, Notices
from jaxscope.gui.outcomes import Outcomes
from jaxscope.gui.painting.scene import TraceScene
from jaxscope.gui.preferences import preferences
from jaxscope.gui.shell import Shell
from jaxscope.gui.theme import theme
from jaxscope.gui.views import VIEWS
from jaxscope.gui.views.banner import Banner, Notice
from jaxscope.gui.views.base import AbstractView, ViewKit
from jaxscope.gui.views.dock import Dock
from jaxscope.gui.views.fit_panel import FitPanel
from jaxscope.gui.views.folder_drawer import FolderDrawer
from jaxscope.gui.views.header_strip import HeaderStripView
from jaxscope.gui.views.overview import OverviewView
from jaxscope.gui.views.question_sheet import Answer, QuestionSheet
from jaxscope.gui.views.rail import RailView
from jaxscope.gui.views.spectrum_drawer import SpectrumDrawer
from jaxscope.gui.views.start_screen import StartScreen
from jaxscope.gui.views.status_bar import StatusBarView
from jaxscope.gui.views.sweep_drawer import SweepDrawer
from jaxscope.gui.views.time_axis import TimeAxisView
from jaxscope.gui.views.top_bar import TopBarView
from jaxscope.gui.views.traces import TracesView
from jaxscope.gui.window_actions import WindowActions
from jaxscope.gui.window_layout import WindowLayout
from jaxscope.gui.window_memory import layout_of
from jaxscope.gui.window_wires import connect_views
from jaxscope.session.settings import Settings
from jaxscope.session.state import SessionState
from jaxscope.session.store import Store

_SMALLEST = (1024, 640)


class MainWindow(QWidget):
    """One window on one store.

    Parameters
    ----------
    store, conductor
        What is shown, and who computes.
    paint : callable
        Takes scenes of traces.
    settings : Settings
        Preferences to begin with.
    """

    closing = Signal()
    #: another window on the same recording is wanted
    window_asked = Signal()
    #: no recording is shown any more
    emptied = Signal()

    def __init__(
        self,
        store: Store,
        conductor: Conductor,
        paint: Callable[[TraceScene], None],
        settings: Settings,
    ) -> None:
        super().__init__()
        self.setWindowTitle("jaxscope")
        self.setMinimumSize(*_SMALLEST)
        self.setAcceptDrops(True)
        self.shell = Shell(store, self.refuse)
        self.actions_ = WindowActions(self, self.shell, conductor, settings)
        self._conductor = conductor
        #: whether where the window is and what it shows is kept for the next start
        self.remembers_layout = False
        self._make_views(store.state, paint)
        self.notices = Notices(self.banner, lambda *, visible: self.parts.show_banner(visible=visible))
        self.notices.actions = self.actions_
        self.outcomes = Outcomes(self, conductor)
        self.floating = FloatingParts(self, self.actions_)
        self._views.append(self.floating)
        self.parts: WindowLayout = WindowLayout(self)
        self.parts.dress()
        connect_views(self)
        self.router = KeyRouter(self, self.actions_)
        for widget, context in ((self.traces, "traces"), (self.rail, "traces"), (self.overview, "overview")):
            self.router.listen(widget, context)
        preferences().changed.connect(self._take_settings)
        preferences().not_kept.connect(self._say_not_kept)
        self._unsubscribe = store.subscribe(self._on_state)
        for view in self._views:
            view.show_state(store.state, store.state)
        self.show_start()

    # --- making

    def _make_views(self, state: SessionState, paint: Callable[[TraceScene], None]) -> None:
        shell = self.shell
        kit = ViewKit(
            dispatch=shell.dispatch, navigator=shell.navigator, scales=shell.scales, paint=paint, state=state,
            revision=lambda: shell.store.revision,
        )  # fmt: skip
        made: dict[str, Any] = {name: view.of(kit) for name, view in VIEWS.items()}
        self._views: list[AbstractView] = list(made.values())
        self.top: TopBarView = made["top"]
        self.strip: HeaderStripView = made["strip"]
        self.rail: RailView = made["rail"]
        self.traces: TracesView = made["traces"]
        self.axis: TimeAxisView = made["axis"]
        self.overview: OverviewView = made["overview"]
        self.drawer: SpectrumDrawer = made["drawer"]
        self.folder: FolderDrawer = made["folder"]
        self.sweep: SweepDrawer = made["sweep"]
        self.fit: FitPanel = made["fit"]
        self.dock: Dock = made["dock"]
        self.status: StatusBarView = made["status"]
        self.start = StartScreen(short_titles())
        self.banner = Banner(lambda: self.notices.close())

    def _say_not_kept(self, sentence: str) -> None:
        self.notify(Notice(cause=SETTINGS_CAUSE, kind="warn", sentence=sentence, can_close=True))

    def _take_settings(self, settings: Settings) -> None:
        self.actions_.settings = settings
        if self.shell.has_recording:
            self.start.know_recent(settings.recent)
        else:
            self.start.show_recent(settings.recent)

    # --- telling the views

    def _on_state(self, state: SessionState, previous: SessionState) -> None:
        for view in self._views:
            view.show_state(state, previous)
        store = self.shell.store
        self.top.show_history(store.undo_text, store.redo_text, dirty=store.has_unsaved_changes)
        now, before = state.viewport, previous.viewport
        if (now.show_overview, now.analysis.shown) != (before.show_overview, before.analysis.shown):
            self.lay_out_parts()
        if not state.document.filter_on and previous.document.filter_on:
            self.notices.take_back("blocked")

    def receive(self, outcome: Any) -> None:
        """Show an outcome of the compute side or of the painter."""
        self.outcomes.receive(outcome)

    def tell(self, outcome: Any) -> None:
        """Tell an outcome to the views."""
        for view in self._views:
            view.show_frame(outcome)

    @property
    def is_blocked(self) -> bool:
        """Whether the filter is held."""
        return self.outcomes.is_blocked

    def show_work(self) -> None:
        """Show the recording that was opened."""
        self.start.show_failure(None)
        self.parts.show_work()
        self.lay_out_parts()
        self.tell_width()
        self.traces.setFocus()
        self.setWindowTitle(f"{self.top.title.name} – jaxscope")
        self.show_companions()

    def show_companions(self) -> None:
        """Show whether other windows share the recording, and whether they look at the same time."""
        store = self.shell.store
        self.status.show_companions(has_others=store.has_others, linked=store.is_linked)

    def show_start(self) -> None:
        """Show the start screen."""
        below = (self.overview, self.drawer, self.folder, self.sweep, self.fit)
        for part in (self.top, self.status, self.traces, self.rail, self.strip, *below):
            part.close_recording()
        self.emptied.emit()
        self.start.look_again()
        self.parts.show_start()
        self.start.setFocus()
        self.setWindowTitle("jaxscope")

    def refuse(self, error: JaxscopeError) -> None:
        """Say why something cannot be done."""
        failure = Failure(revision=self.shell.store.revision, what="part", sentence=error.message, hint=error.hint)
        if self.shell.has_recording:
            self.notices.show_failure(failure)
        else:
            self.start.show_failure(failure)

    def notify(self, notice: Notice) -> None:
        """Show a notice in the place of banners."""
        self.notices.show(notice)

    def ask(self, *, title: str, sentence: str, hint: str, answers: tuple[Answer, ...]) -> QuestionSheet:
        """Ask something over the window."""
        sheet = QuestionSheet(self, title=title, sentence=sentence, hint=hint, answers=answers)
        sheet.open_sheet()
        return sheet

    # --- regions and layout by size

    def add_stage(self) -> None:
        """Open the menu of stages."""
        self.parts.open_dock(self.dock.add_button)
        self.dock.open_add_menu()

    def lay_out_parts(self) -> None:
        """Show the parts that the size, the state and zen leave."""
        self.parts.update()

    def tell_width(self) -> None:
        """Tell the compute side how many pixels there are to fill."""
        ratio = self.devicePixelRatioF()
        self._conductor.set_width_px(
            max(1, round(self.traces.width() * ratio)), max(1, round(self.overview.envelope_width() * ratio))
        )

    def regions(self) -> tuple[QWidget, ...]:
        """Return the regions in the order of F6."""
        middle = (self.parts.strip_place, self.rail, self.traces, self.overview, self.drawer, self.folder, self.sweep)
        return (self.top, *middle, self.dock, self.status)

    def focus_region(self, region: QWidget) -> None:
        """Give the focus to a region."""
        if region.focusPolicy() & Qt.FocusPolicy.TabFocus:
            region.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        for part in region.findChildren(QWidget):
            if part.isVisible() and part.isEnabled() and part.focusPolicy() & Qt.FocusPolicy.TabFocus:
                part.setFocus(Qt.FocusReason.ShortcutFocusReason)
                return

    def follow_theme(self) -> None:
        """Show the colours and sizes of another theme."""
        self.lay_out_parts()
        self.update()

    # --- events

    def childEvent(self, event: QChildEvent) -> None:
        super().childEvent(event)
        # menus and the system's questions belong to the window itself, which wears no sheet
        # (asking for the child finds out its class, which takes time where hundreds are added)
        if event.polished() and isinstance(child := event.child(), QMenu | QDialog):
            theme().dress(child)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lay_out_parts()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self.tell_width()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()
            self.start.set_over(over=True)

    def dragLeaveEvent(self, event) -> None:
        self.start.set_over(over=False)

    def dropEvent(self, event: QDropEvent) -> None:
        self.start.set_over(over=False)
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.actions_.open_dropped(paths)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.actions_.may_discard():
            event.ignore()
            return
        if self.remembers_layout:
            self.actions_.change_settings(layout_of(self, self.actions_.settings))
        self._unsubscribe()
        self.shell.stop_noting()
        self.closing.emit()
        event.accept()
