"""What the window does beyond changing the state: files, dialogs, focus, looks.

Commands run on this object. It holds no state of its own but the path of the project; everything else is asked of the
shell, the conductor or the window.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QMessageBox

from jaxscope.compute.conductor import Conductor, ExportRequest
from jaxscope.compute.formats import readable_suffixes
from jaxscope.compute.frames import Opened
from jaxscope.errors import JaxscopeError
from jaxscope.filters.chain_file import load_chain
from jaxscope.gui.icons import icon
from jaxscope.gui.shell import Shell
from jaxscope.gui.theme import theme
from jaxscope.gui.views.banner import Notice
from jaxscope.resource_files import resource_path
from jaxscope.session import actions as act
from jaxscope.session.project import Project, load_project, reference_to, save_project
from jaxscope.session.settings import Settings, save_settings
from jaxscope.session.state import CHAIN_TAGS, Face, RecordingRef

if TYPE_CHECKING:
    from jaxscope.gui.main_window import MainWindow

PROJECT_SUFFIX = ".jaxscope"
_COLOURS = (
    ("", "Colour of its type"),
    ("t1", "Blue"),
    ("t2", "Orange"),
    ("t3", "Green"),
    ("t4", "Pink"),
    ("t5", "Yellow"),
    ("t6", "Red"),
    ("t7", "Violet"),
    ("t8", "Cyan"),
)


class WindowActions:
    """The window as commands see it."""

    def __init__(self, window: MainWindow, shell: Shell, conductor: Conductor, settings: Settings) -> None:
        self.window = window
        self.shell = shell
        self.conductor = conductor
        self.settings = settings
        self.project_path = ""
        self._pending_project: Project | None = None
        self.is_zen = False

    # --- opening

    def open_dialog(self) -> None:
        """Ask for a recording, project or chain, and open it."""
        patterns = " ".join(f"*{suffix}" for suffix in (*readable_suffixes(), PROJECT_SUFFIX))
        path, _ = QFileDialog.getOpenFileName(
            self.window,
            "Open a recording",
            self.settings.last_folder,
            f"Recordings and projects ({patterns});;All files (*)",
        )
        if path:
            self.open_path(path)

    def open_path(self, path: str) -> None:
        """Open a recording, a project or a chain file."""
        suffix = Path(path).suffix.lower()
        try:
            if suffix == PROJECT_SUFFIX:
                self.open_project(load_project(path), path)
            elif suffix == ".json":
                chain = load_chain(path)
                self.shell.dispatch(act.SetChains(chains=(chain,)))
            else:
                self.open_recording(path)
        except JaxscopeError as error:
            self.window.refuse(error)

    def open_recording(self, path: str) -> None:
        """Open a recording; the chains stay."""
        self._pending_project = None
        self.conductor.open(path)

    def open_project(self, project: Project, path: str, recording: str | None = None) -> None:
        """Open a project, with another recording where one is given."""
        self.project_path = path
        self._pending_project = project
        found = recording or (project.document.recording.path if project.document.recording else None)
        for words in project.warnings:
            self.window.notify(Notice(cause="project", kind="warn", sentence=words, can_close=True))
        if found is None:
            self._pending_project = None
            self.shell.dispatch(act.LoadedProject(document=project.document, viewport=project.viewport))
            return
        self.conductor.open(found)

    def open_demo(self) -> None:
        """Open the demonstration recording."""
        self.open_recording(str(resource_path("demo.edf")))

    def take_opened(self, opened: Opened) -> None:
        """Make the state refer to a recording that was opened."""
        project, self._pending_project = self._pending_project, None
        rate_hz = None
        reference = RecordingRef(path=opened.path, rate_hz=rate_hz)
        if project is not None:
            document = replace(project.document, recording=reference)
            self.shell.dispatch(act.LoadedProject(document=document, viewport=project.viewport))
        else:
            self.shell.dispatch(
                act.OpenedRecording(
                    recording=reference,
                    duration_s=opened.info.duration_s,
                    annotations=opened.info.annotations,
                )
            )
        self._remember(opened.path)

    def _remember(self, path: str) -> None:

        if Path(path) == Path(resource_path("demo.edf")):
            return
        settings = self.settings.with_recent(str(Path(path).resolve()))
        self.change_settings(replace(settings, last_folder=str(Path(path).resolve().parent)))

    def change_settings(self, settings: Settings) -> None:
        """Take and keep other preferences."""
        self.settings = settings
        self.window.start.show_recent(settings.recent)
        try:
            save_settings(settings)
        except OSError as error:
            self.window.notify(
                Notice(
                    cause="settings",
                    kind="warn",
                    sentence=f"The preferences cannot be kept: {error.strerror or error}",
                    can_close=True,
                )
            )

    def clear_recent(self) -> None:
        """Forget the recordings that were opened before."""
        self.change_settings(replace(self.settings, recent=()))

    def close_recording(self) -> None:
        """Close the recording; the chains stay."""
        if not self.may_discard():
            return
        self.conductor.close_recording()
        self.shell.dispatch(act.ClosedRecording())
        self.shell.drop()
        self.window.show_start()

    # --- saving

    def save(self) -> bool:
        """Save the project where it came from; return whether it was saved."""
        return self._save_to(self.project_path) if self.project_path else self.save_as()

    def save_as(self) -> bool:
        """Ask where, and save the project."""
        proposal = self.project_path or str(Path(self.shell.path).with_suffix(PROJECT_SUFFIX))
        path, _ = QFileDialog.getSaveFileName(
            self.window, "Save project as", proposal, f"jaxscope projects (*{PROJECT_SUFFIX})"
        )
        if not path:
            return False
        return self._save_to(path if Path(path).suffix else path + PROJECT_SUFFIX)

    def _save_to(self, path: str) -> bool:

        state = self.shell.state
        document = state.document
        try:
            if document.recording is not None:
                reference = reference_to(document.recording.path, rate_hz=document.recording.rate_hz)
                document = replace(document, recording=reference)
            save_project(path, Project(document=document, viewport=state.viewport, engine=state.engine))
        except JaxscopeError as error:
            self.window.refuse(error)
            return False
        except OSError as error:
            self.window.notify(
                Notice(cause="save", kind="danger", sentence=f"{Path(path).name}: {error.strerror}", can_close=True)
            )
            return False
        self.project_path = path
        self.shell.store.mark_saved()
        self.say(f"Saved {Path(path).name}")
        return True

    def may_discard(self) -> bool:
        """Ask about unsaved changes of a project; return whether to go on."""
        if not self.project_path or not self.shell.store.has_unsaved_changes:
            return True
        box = QMessageBox(self.window)
        box.setText(f"Save the changes to {Path(self.project_path).name}?")
        box.setInformativeText("The filter and the events would be lost.")
        choice = QMessageBox.StandardButton
        box.setStandardButtons(choice.Save | choice.Discard | choice.Cancel)
        answer = box.exec()
        if answer == choice.Save:
            return self.save()
        return answer == choice.Discard

    # --- exporting

    @property
    def can_export(self) -> bool:
        """Whether there is something that may be written."""
        return self.shell.has_recording and not self.window.is_blocked

    def export(self) -> None:
        """Ask what to write, and where."""
        self.window.open_export()

    def start_export(self, request: ExportRequest) -> int:
        """Begin to write."""
        return self.conductor.export(request)

    # --- the picture

    def pan_pixels(self, pixels: int) -> None:
        """Scroll by device pixels."""
        self.shell.navigator.pan_s(pixels * self.shell.viewport.duration_s / max(1, self.window.traces.width()))

    def toggle_cursor(self) -> None:
        """Set a cursor under the pointer, or take it away."""
        pointer = self.window.traces.pointer
        self.shell.set_cursor(None if pointer is None else self.window.traces.second_at(pointer.x()))

    def hold_space(self, *, held: bool) -> None:
        """Make the left button pan while Space is down."""
        self.window.traces.set_panning(panning=held)

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
        mode = "light" if theme().is_dark else "dark"
        theme().set_mode(mode)
        self.change_settings(replace(self.settings, theme=mode))

    def scale_text(self, factor: float) -> None:
        """Make all text larger or smaller."""
        theme().set_text_scale(round(theme().text_scale * factor, 2))
        self.change_settings(replace(self.settings, text_scale=theme().text_scale))

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
        here = next((place for place, part in enumerate(regions) if held in (part, *part.findChildren(type(held)))), -1)
        self.window.focus_region(regions[(here + direction) % len(regions)])

    def escape(self) -> None:
        """Cancel the drag, else take the cursors away."""
        if not self.window.traces.cancel_drag() and self.shell.viewport.cursors_s:
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

    @property
    def can_choose_device(self) -> bool:
        """Whether the device chooser is there."""
        return True

    def choose_device(self) -> None:
        """Open the device chooser."""
        self.window.open_devices()

    def show_keys(self) -> None:
        """List the keys."""
        self.window.open_keys()

    def quit(self) -> None:
        """Close the window."""
        self.window.close()

    # --- menus of a channel

    def channel_menu(self) -> None:
        """Open the menu of the selected channel."""
        selected = self.shell.viewport.selected_channels
        if selected:
            rail = self.window.rail
            self.open_channel_menu(selected[-1], rail.mapToGlobal(QPoint(rail.width(), rail.height() // 3)))

    def open_channel_menu(self, name: str, where: QPoint) -> None:
        """Open the menu of a channel."""
        menu = QMenu(self.window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addSection(name)
        look = self.shell.state.document.look_of(name)
        menu.addAction(icon("eye-off"), "Hide", lambda: self.shell.dispatch(act.HideChannels(names=(name,))))
        alone = "All channels" if self.shell.viewport.lane_count == 1 else "This channel alone"
        menu.addAction(icon("viewfinder"), alone, lambda: self.toggle_alone(name))
        menu.addSeparator()
        menu.addAction("Taller", lambda: self._gain(name, look.gain * 1.25))
        menu.addAction("Flatter", lambda: self._gain(name, look.gain * 0.8))
        menu.addSeparator()
        self._fill_colours(menu.addMenu("Colour"), name)
        self._fill_chains(menu.addMenu("Chain"), name)
        menu.popup(where)

    def toggle_alone(self, name: str) -> None:
        """Show one channel alone, or all again."""
        from jaxscope.gui.painting.lanes import shown_channels

        if self.shell.info is None:
            return
        if self.shell.viewport.lane_count == 1:
            self.shell.dispatch(act.ShowLanes(first=0, count=None))
            return
        names = [self.shell.info.channels[number].name for number in shown_channels(self.shell.state, self.shell.info)]
        self.shell.dispatch(act.ShowLanes(first=names.index(name), count=1))

    def open_tag_menu(self, name: str, where: QPoint) -> None:
        """Open the menu that gives a channel to a chain."""
        menu = QMenu(self.window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._fill_chains(menu, name)
        menu.popup(where)

    def open_colour_menu(self, name: str, where: QPoint) -> None:
        """Open the menu of colours of a channel."""
        menu = QMenu(self.window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._fill_colours(menu, name)
        menu.popup(where)

    def _gain(self, name: str, gain: float) -> None:

        look = self.shell.state.document.look_of(name)
        self.shell.dispatch(act.SetLook(channel=name, look=replace(look, gain=gain)))

    def _fill_chains(self, menu: QMenu, name: str) -> None:
        lane = next((item for item in self.shell.lanes if item.name == name), None)
        tag = lane.tag if lane is not None else ""
        for number, chain in enumerate(self.shell.state.document.chains):
            entry = menu.addAction(f"{CHAIN_TAGS[number]}  {chain.name or 'Chain'}")
            entry.setCheckable(True)
            entry.setChecked(tag == CHAIN_TAGS[number])
            entry.triggered.connect(lambda _=False, number=number: self.shell.assign(name, number))
        entry = menu.addAction("raw, no filter")
        entry.setCheckable(True)
        entry.setChecked(not tag)
        entry.triggered.connect(lambda: self.shell.assign(name, None))

    def _fill_colours(self, menu: QMenu, name: str) -> None:

        look = self.shell.state.document.look_of(name)
        group = QActionGroup(menu)
        for token, words in _COLOURS:
            entry = menu.addAction(icon("circle", token or "text3"), words)
            entry.setCheckable(True)
            entry.setChecked((look.colour or "") == token)
            group.addAction(entry)
            entry.triggered.connect(
                lambda _=False, token=token: self.shell.dispatch(
                    act.SetLook(channel=name, look=replace(look, colour=token or None))
                )
            )
