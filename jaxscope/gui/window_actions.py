"""What the window does beyond changing the state: dialogs, focus, looks, and files (from ``WindowFiles``).

Commands run on this object. It holds no state of its own but the path of the project and zen; everything else is asked
of the shell, the conductor or the window.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QFileDialog

from jaxscope.compute.conductor import Conductor, ExportRequest
from jaxscope.compute.folder_frames import FolderListed, FolderRow
from jaxscope.compute.folder_job import FolderRequest
from jaxscope.compute.frames import Failure, Opened
from jaxscope.gui.channel_menus import ChannelMenus
from jaxscope.gui.display_menus import DisplayMenus
from jaxscope.gui.event_desk import EventDesk
from jaxscope.gui.painting.geometry import share_at
from jaxscope.gui.run_along import RunAlong
from jaxscope.gui.shell import Shell
from jaxscope.gui.theme import theme
from jaxscope.gui.views.export_dialog_parts import copy_line, format_for_source, suggested_path
from jaxscope.gui.views.traces_copy import copied_text
from jaxscope.gui.window_files import WindowFiles
from jaxscope.session import actions as act
from jaxscope.session.settings import LARGEST_TEXT, SMALLEST_TEXT, Settings
from jaxscope.session.state import Face

if TYPE_CHECKING:
    from jaxscope.gui.figure import Figure, Look
    from jaxscope.gui.main_window import MainWindow

#: Recordings of a folder that are tried, where nothing is open, until one can be opened.
_TRIED = 5


class WindowActions(WindowFiles):
    """The window as commands see it."""

    def __init__(self, window: MainWindow, shell: Shell, conductor: Conductor, settings: Settings) -> None:
        super().__init__(window, shell, conductor, settings)
        self.events = EventDesk(self)
        self.menus = ChannelMenus(window, shell, self.copy_values, self.events.add)
        self.display: DisplayMenus = DisplayMenus(window, self)
        self.running: RunAlong = RunAlong(self)
        self.is_zen: bool = False
        #: recordings of a folder that may be opened, where those before them could not be
        self._in_folder: deque[str] = deque()

    # --- exporting

    @property
    def can_export(self) -> bool:
        """Whether there is something that may be written."""
        return self.shell.has_recording and not self.window.is_blocked

    def export(self) -> None:
        """Ask what to write, and where."""
        self.window.floating.open_export()

    # --- a folder

    def filter_folder(self, folder: str = "") -> None:
        """Ask for a folder and show its recordings; where one is being filtered, show that.

        Where nothing is open, its first recording is: whoever makes a filter wants to see what it does.
        """
        drawer = self.window.folder
        if drawer.is_running:
            drawer.show_again()
            if not self.shell.has_recording:
                self.window.status.say("A folder is being filtered; it is seen beside any recording that is open")
            return
        folder = folder or QFileDialog.getExistingDirectory(self.window, "Filter a folder", self.settings.last_folder)
        if folder:
            drawer.open_folder(folder)

    def take_folder(self, listed: FolderListed) -> None:
        """Open the first recording of a folder that was found, where none is open; say why there is none."""
        paths = [row.path for row in listed.rows if row.state == "waiting"]
        self._in_folder = deque(() if self.shell.has_recording else paths[:_TRIED])
        if self._in_folder:
            self._open_next_in_folder()
        elif listed.problem and not self.shell.has_recording:
            self.window.folder.close_drawer()
            self.window.start.show_failure(Failure(revision=0, what="folder", sentence=listed.problem))

    def take_failed_open(self) -> None:
        """Try the next recording of a folder in place of one that could not be opened."""
        super().take_failed_open()
        if self._in_folder and not self.shell.has_recording:
            self._open_next_in_folder()

    def _open_next_in_folder(self) -> None:
        super().open_recording(self._in_folder.popleft())

    def open_recording(self, path: str) -> None:
        """Open a recording that was asked for; those of a folder are tried no further."""
        self._in_folder.clear()
        super().open_recording(path)

    def take_opened(self, opened: Opened) -> None:
        """Make the state refer to a recording that was opened; those of a folder are tried no further."""
        self._in_folder.clear()
        super().take_opened(opened)

    def choose_folder_target(self) -> None:
        """Ask for the folder that results are written into."""
        drawer = self.window.folder
        found = QFileDialog.getExistingDirectory(self.window, "Save results to", str(Path(drawer.target).parent))
        if found:
            drawer.set_target(found)

    def begin_folder(
        self,
        rows: tuple[FolderRow, ...],
        target: str,
        overwrite: bool,  # noqa: FBT001  a signal
        suffix: str = "",
    ) -> None:
        """Filter recordings by the filter of now."""
        state = self.shell.state
        request = FolderRequest(
            rows=rows,
            target=target,
            document=state.document,
            engine=state.engine,
            overwrite=overwrite,
            suffix=suffix,
        )
        self.conductor.folders.begin(request)

    def show_folder(self) -> None:
        """Give the drawer of a folder or of a sweep its place, or the place back; the focus goes to the traces then."""
        self.window.lay_out_parts()
        if not self.window.folder.is_open and not self.window.sweep.is_open:
            self.window.traces.setFocus()

    def show_fit(self) -> None:
        """Give the panel of a fit the dock's place, or the place back; a sweep of the same chain ends."""
        fit = self.window.fit
        if fit.is_open:
            self.window.sweep.close_drawer()
            self.window.parts.open_dock(fit)
        self.window.lay_out_parts()
        self.window.traces.setFocus()

    # --- the picture

    def pan_pixels(self, pixels: int) -> None:
        """Scroll by device pixels."""
        self.shell.navigator.pan_s(pixels * self.shell.viewport.duration_s / max(1, self.window.traces.width()))

    def curtain_here(self) -> None:
        """Show the curtain, at the pointer where there is one."""
        traces, pointer = self.window.traces, self.window.traces.pointer
        self.shell.choose_mode("curtain")
        if pointer is not None:
            share = share_at(self.shell.viewport, pointer.x(), traces.width())
            self.shell.dispatch(act.PlaceDivider(mode="curtain", share=share))

    def toggle_cursor(self) -> None:
        """Set a cursor under the pointer, then a second one, then none."""
        pointer = self.window.traces.pointer
        self.shell.set_cursor(None if pointer is None else self.window.traces.second_at(pointer.x()))

    def figure(self, look: Look) -> Figure:
        """Return the figure of what the traces show; WriteError where they show nothing yet."""
        from jaxscope.gui.figure import Figure
        from jaxscope.gui.views.export_dialog_parts import chain_words

        traces, document = self.window.traces, self.shell.state.document
        chains = document.chains if document.filter_on and not self.shell.viewport.raw else ()
        words = [f"{chain.name or 'Chain'}: {chain_words(chain)}" for chain in chains]
        return Figure.of(
            traces.model,
            width=traces.width(),
            height=traces.height(),
            title=Path(self.shell.path).name,
            note="; ".join(words),
            look=look,
        )

    def go_to_time(self) -> None:
        """Ask for a time and go there."""
        self.window.floating.open_goto(self.window.strip.window_stepper)

    def copy_values(self) -> None:
        """Copy what the traces hold at the pointer or the cursor, or between two cursors, as a table."""
        traces, cursors_s = self.window.traces, self.shell.viewport.cursors_s
        second = cursors_s[0] if cursors_s else None
        if second is None and traces.pointer is not None:
            second = traces.second_at(traces.pointer.x())
        text = copied_text(traces.model, second)
        QApplication.clipboard().setText(text)
        self.say(f"Copied {text.count(chr(10))} lines" if text else "Nothing to copy: point at the traces")

    def hold_space(self, *, held: bool) -> bool:
        """Make the left button pan while Space is down; return whether it did, when Space is let go."""
        return self.window.traces.set_panning(panning=held)

    def say(self, words: str) -> None:
        """Say something in the status bar; empty goes back to the usual hint."""
        self.window.status.say(words)

    def toggle_zen(self) -> None:
        """Show the traces only, or everything."""
        self.is_zen = not self.is_zen
        self.window.lay_out_parts()

    @property
    def is_full_screen(self) -> bool:
        """Whether the window fills the screen."""
        return self.window.isFullScreen()

    def toggle_full_screen(self) -> None:
        """Fill the screen, or not."""
        self.window.setWindowState(self.window.windowState() ^ Qt.WindowState.WindowFullScreen)

    def toggle_theme(self) -> None:
        """Go from dark to light or back."""
        self.change_settings(replace(self.settings, theme="light" if theme().is_dark else "dark"))

    def scale_text(self, factor: float) -> None:
        """Make all text larger or smaller."""
        scale = min(LARGEST_TEXT, max(SMALLEST_TEXT, round(theme().text_scale * factor, 2)))
        self.change_settings(replace(self.settings, text_scale=scale))

    # --- focus and floating things

    def find_channel(self) -> None:
        """Go to the field that finds a channel."""
        self.window.strip.begin_search()

    def go_to_region(self, direction: int) -> None:
        """Give the focus to the next or previous region of the window."""
        regions = [part for part in self.window.regions() if part.isVisible()]
        if not regions:
            return
        held = QApplication.focusWidget()
        owners = [part for part in regions if held is not None and (part is held or part.isAncestorOf(held))]
        here = regions.index(owners[0]) if owners else -1
        self.window.focus_region(regions[(here + direction) % len(regions)])

    def escape(self) -> None:
        """Cancel the drag, else stop what runs, else close what stands over the traces, else take the cursors away."""
        if self.window.traces.cancel_drag() or self.running.stop() or self.window.parts.close_dock():
            return
        if self.shell.viewport.cursors_s:
            self.shell.dispatch(act.SetCursors(cursors_s=()))
        self.window.traces.setFocus()

    def choose_face(self, face: Face) -> None:
        """Show another face of the selected stage."""
        self.shell.dispatch(act.ChooseFace(face=face))

    @property
    def can_add_stage(self) -> bool:
        """Whether the dock is there."""
        return self.shell.has_recording

    def add_stage(self) -> None:
        """Open the menu of stages."""
        self.window.add_stage()

    def open_pins(self) -> None:
        """Open the list of pinned chains."""
        self.window.parts.open_dock(self.window.dock.response.pins_button)
        self.window.dock.response.open_pins()

    def open_limits(self) -> None:
        """Open the form of the limits."""
        self.window.parts.open_dock(self.window.dock.response.limits_button)
        self.window.dock.response.open_limits()

    def open_edges(self) -> None:
        """Open what happens at the ends and at gaps."""
        self.window.parts.open_dock(self.window.dock.header.edges_button)
        self.window.dock.header.open_edges()

    def open_montage(self) -> None:
        """Open the montage chooser."""
        self.window.floating.open_montage(self.window.strip.montage_button)

    def open_history(self) -> None:
        """Open the list of what was done."""
        self.window.floating.open_history(self.window.top.undo_button)

    @property
    def can_choose_device(self) -> bool:
        """Whether the device chooser is there."""
        return True

    def choose_device(self) -> None:
        """Open the device chooser."""
        self.window.floating.open_devices(self.window.top.chip)

    def open_palette(self) -> None:
        """Open the palette of commands."""
        self.window.floating.open_palette()

    def open_settings(self) -> None:
        """Open the settings."""
        self.window.floating.open_settings()

    def go_to_channel(self, name: str) -> None:
        """Select a channel and bring it onto the screen."""
        self.shell.go_to_channel(name)
        self.window.traces.setFocus()

    def use_scipy_meanwhile(self) -> None:
        """Filter with SciPy, and wait no longer for what is being compiled."""
        self.window.notices.take_back("compiling")
        self.shell.dispatch(act.ChooseEngine(device="cpu:0", method="scipy"))
        self.conductor.give_up_computing()

    def show_keys(self) -> None:
        """List the keys."""
        self.window.floating.open_keys()

    def copy_command(self) -> None:
        """Copy the command that does in a terminal what the window does; a saved project is named for its chains."""
        recording = self.shell.state.document.recording
        if recording is None:
            return
        source = recording.path
        project = "" if self.shell.store.has_unsaved_changes else self.project_path
        request = ExportRequest(path=suggested_path(source, format_for_source(source)))
        copy_line(self.shell.state, source, request, project)
        self.say("The command line is on the clipboard")

    def new_window(self) -> None:
        """Ask for another window on the same recording."""
        self.window.window_asked.emit()

    def toggle_link(self) -> None:
        """Look at the same time as the other windows on the recording, or not."""
        store = self.shell.store
        store.set_linked(linked=not store.is_linked)
        self.window.show_companions()

    def quit(self) -> None:
        """Close every window; one that keeps its changes keeps the program open."""
        for window in QApplication.topLevelWidgets():
            if isinstance(window, type(self.window)) and window.isVisible():
                window.close()

    # --- menus of a channel

    def channel_menu(self) -> None:
        """Open the menu of the selected channel."""
        selected = self.shell.viewport.selected_channels
        if selected:
            rail = self.window.rail
            self.menus.open_channel_menu(selected[-1], rail.mapToGlobal(QPoint(rail.width(), rail.height() // 3)))
