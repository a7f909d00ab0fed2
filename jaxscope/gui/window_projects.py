"""Projects of one window: open with their recording or without it, save, and ask before something would be lost.

A project whose recording has to be opened first waits for it. Invariant: who gave the project is told once it is in the
state, and only then; until then whatever it was read from is the only place where it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QMessageBox

from jaxscope.compute.conductor import Conductor
from jaxscope.errors import JaxscopeError, capitalised, counted
from jaxscope.gui.patient_files import patiently
from jaxscope.gui.shell import Shell
from jaxscope.gui.views.banner import Notice
from jaxscope.gui.views.export_dialog_parts import folder_to_save_in
from jaxscope.session import actions as act
from jaxscope.session.project import Project, reference_to, save_project
from jaxscope.session.settings import Settings
from jaxscope.session.state import Document, RecordingRef
from jaxscope.session.store import Store

if TYPE_CHECKING:
    from jaxscope.gui.main_window import MainWindow

PROJECT_SUFFIX = ".jaxscope"


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingProject:
    """A project that waits for its recording. ``loaded`` is called once the state holds it."""

    project: Project
    is_saved: bool = True
    loaded: Callable[[], None] | None = None


class ProjectFiles:
    """Projects of one window."""

    def __init__(self, window: MainWindow, shell: Shell, conductor: Conductor, settings: Settings) -> None:
        self.window = window
        self.shell = shell
        self.conductor = conductor
        self.settings = settings
        self.project_path = ""
        #: close without a question: nobody is there to answer, or the work is kept elsewhere
        self.discards = False
        self._pending: PendingProject | None = None
        self._project_notice: Notice | None = None
        self._rates_hz: dict[str, float] = {}
        self._options: dict[str, tuple[tuple[str, str], ...]] = {}

    def open_project(self, project: Project, path: str, recording: str | None = None) -> None:
        """Open a project, with another recording where one is given."""
        self._open(PendingProject(project=project), path, recording)

    def recover(self, project: Project, path: str, loaded: Callable[[], None]) -> None:
        """Open work that was never saved; ``loaded`` is called once it is here, never where it is given up before."""
        self._open(PendingProject(project=project, is_saved=False, loaded=loaded), path, None)

    def _open(self, pending: PendingProject, path: str, recording: str | None) -> None:
        project = pending.project
        self.project_path = path
        reference = project.document.recording
        found = recording or (reference.path if reference is not None else None)
        self._pending = pending
        self._project_notice = _notice_of(project)
        if found is None or not self._is_there(found):
            self._load_without_recording()
            if found is not None:
                self._ask_where(found)
            return
        self._open_for_project(found, known=None if recording else reference)

    def _is_there(self, path: str) -> bool:
        """Whether a file can be found, as far as its disk tells."""
        try:
            return patiently(self.window, f"Looking for {Path(path).name}", Path(path).exists)
        except OSError:
            return False

    def _open_for_project(self, path: str, known: RecordingRef | None) -> None:
        """Open the recording that a project waits for; what it is known by tells whether it has changed."""
        reference = self._pending.project.document.recording if self._pending is not None else None
        rate_hz = reference.rate_hz if reference is not None else None
        if rate_hz is not None:
            self._rates_hz[path] = rate_hz
        options = reference.options if reference is not None else ()
        self._options[path] = options
        if known is None or known.fingerprint is None:
            self.conductor.open(path, rate_hz=rate_hz, options=options)
        else:
            self.conductor.open(path, rate_hz=rate_hz, known=known, options=options)

    def _load_without_recording(self) -> None:
        """Load the project that waits, though its recording is not there: the filter can be used on another."""
        pending, self._pending = self._pending, None
        if pending is not None:
            self._load(pending, pending.project.document)

    def _load(self, pending: PendingProject, document: Document) -> None:
        """Make the document of a project that has waited, or what becomes of it here, that of the state."""
        viewport = pending.project.viewport
        self.shell.dispatch(act.LoadedProject(document=document, viewport=viewport, is_saved=pending.is_saved))
        if pending.loaded is not None:
            pending.loaded()
        self._say_about_project()

    def _ask_where(self, path: str) -> None:
        file = Path(path)
        self.window.ask(
            title="Recording not found",
            sentence=f"{file.name} is not where it was.",
            hint=f"Last seen in {file.parent}. The filter is loaded.",
            answers=(
                ("Open without it", "plain", lambda: self.window.status.say("The filter waits for a recording")),
                ("Find…", "primary", lambda: self._find_for_project(path)),
            ),
        )

    def _find_for_project(self, path: str) -> None:
        """Ask where the recording of the project is now, and open it there with the project as it is."""
        name, state = Path(path).name, self.shell.state
        pattern = f"*{Path(path).suffix}"
        found, _ = QFileDialog.getOpenFileName(
            self.window, f"Find {name}", self.settings.last_folder, f"Files like it ({pattern});;All files (*)"
        )
        if found:
            project = Project(document=state.document, viewport=state.viewport, engine=state.engine)
            self._pending = PendingProject(project=project, is_saved=not self.shell.store.has_unsaved_changes)
            self._open_for_project(found, known=None)

    def take_failed_open(self) -> None:
        """Load a project whose recording cannot be read, so that no work waits for ever."""
        self._load_without_recording()

    def _say_about_project(self) -> None:
        """Say what a project held that is not known here."""
        notice, self._project_notice = self._project_notice, None
        if notice is not None:
            self.window.notify(notice)
            self.window.status.say(f"{notice.sentence}. {notice.hint}")

    def say_changed(self, sentence: str, hint: str, path: str) -> None:
        """Say that a recording is no longer what the project was made with."""
        ways = (
            ("Use it", "check", lambda: self.window.notices.take_back("changed")),
            ("Find…", "search", lambda: self._find_for_project(path)),
        )
        self.window.notify(Notice(cause="changed", kind="warn", sentence=sentence, hint=hint, rank=2, actions=ways))

    # --- saving

    def save(self) -> bool:
        """Save the project where it came from; return whether it was saved."""
        return self._save_to(self.project_path) if self.project_path else self.save_as()

    def save_as(self) -> bool:
        """Ask where, and save the project."""
        source = Path(self.shell.path)
        proposal = self.project_path or str(folder_to_save_in(source) / f"{source.stem}{PROJECT_SUFFIX}")
        path, _ = QFileDialog.getSaveFileName(
            self.window, "Save project as", proposal, f"jaxscope projects (*{PROJECT_SUFFIX})"
        )
        if not path:
            return False
        return self._save_to(path if Path(path).suffix else path + PROJECT_SUFFIX)

    def _save_to(self, path: str) -> bool:
        state, unknown = self.shell.state, ""
        document, kept = state.document, state.document.recording
        if kept is not None:
            look = partial(reference_to, kept.path, rate_hz=kept.rate_hz, options=kept.options)
            name = Path(kept.path).name
            try:
                document = replace(document, recording=patiently(self.window, f"Looking at {name}", look))
            except OSError:  # its disk is away, or it is a folder: the work is saved all the same
                unknown = f". {name} cannot be read now"
        project = Project(document=document, viewport=state.viewport, engine=state.engine)
        try:
            patiently(self.window, f"Saving {Path(path).name}", lambda: save_project(path, project))
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
        self.window.status.say(f"Saved {Path(path).name}{unknown}")
        return True

    def may_discard(self) -> bool:
        """Ask about changes that are not saved; return whether to go on."""
        store = self.shell.store
        if self.discards or not store.has_unsaved_changes or store.has_others:
            return True  # nothing is lost, or another window still has it
        box = QMessageBox(self.window)
        box.setText(self._question())
        box.setInformativeText(f"{lost_words(store)} would be lost.")
        choice = QMessageBox.StandardButton
        box.setStandardButtons(choice.Save | choice.Discard | choice.Cancel)
        box.setDefaultButton(choice.Save)
        box.button(choice.Discard).setText("Don't save")
        answer = box.exec()
        if answer == choice.Save:
            return self.save()
        return answer == choice.Discard

    def _question(self) -> str:
        if self.project_path:
            return f"Save the changes to {Path(self.project_path).name}?"
        name = Path(self.shell.path).name
        return f"Save the filter of {name} as a project?" if name else "Save the filter as a project?"


def lost_words(store: Store) -> str:
    """Return what a person would lose: ``"The filter and 3 events"``."""
    parts, document = store.unsaved_parts, store.state.document
    words = []
    if {"chains", "filter_on", "bad_spans"} & set(parts):
        words.append("the filter")
    if "montage" in parts:
        words.append("the montage")
    if "annotations" in parts:
        words.append(counted(len(document.annotations), "event") if document.annotations else "the removal of events")
    if "pins" in parts and document.pins:
        words.append(counted(len(document.pins), "pinned chain"))
    if "limits" in parts:
        words.append("the limits")
    if {"looks", "channel_order"} & set(parts):
        words.append("how channels are shown")
    told = words or ["the changes"]
    sentence = told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"
    return capitalised(sentence)


def _notice_of(project: Project) -> Notice | None:
    """Return what is said of the parts of a project that are not known here."""
    if not project.warnings:
        return None
    kept = "Parts this version does not know are kept but off"
    hint = kept if project.document.kept else ". ".join(project.warnings[1:])
    return Notice(cause="project", kind="warn", sentence=project.warnings[0], hint=hint, can_close=True)
