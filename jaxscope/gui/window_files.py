"""What the window does with files: open, save, remember; and asks before something would be lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QMessageBox

from jaxscope.compute.conductor import Conductor
from jaxscope.compute.demo import demo_chains
from jaxscope.compute.formats import readable_suffixes
from jaxscope.compute.frames import Opened, OverviewFrame
from jaxscope.errors import JaxscopeError, counted
from jaxscope.filters.chain_file import load_chain
from jaxscope.gui.navigator import USUAL_WINDOW_S
from jaxscope.gui.notices import SETTINGS_CAUSE
from jaxscope.gui.preferences import preferences
from jaxscope.gui.recent_cards import keep_card
from jaxscope.gui.shell import Shell
from jaxscope.gui.views.banner import Notice
from jaxscope.resource_files import resource_path
from jaxscope.session import actions as act
from jaxscope.session.project import Project, load_project, reference_to, save_project
from jaxscope.session.settings import Settings
from jaxscope.session.state import RecordingRef
from jaxscope.session.store import Store

if TYPE_CHECKING:
    from jaxscope.gui.main_window import MainWindow

PROJECT_SUFFIX = ".jaxscope"


class WindowFiles:
    """Files of one window."""

    def __init__(self, window: MainWindow, shell: Shell, conductor: Conductor, settings: Settings) -> None:
        self.window = window
        self.shell = shell
        self.conductor = conductor
        self.settings = settings
        self.project_path = ""
        self._pending_project: Project | None = None
        self._is_pending_saved = True
        self._project_notice: Notice | None = None
        self._rates_hz: dict[str, float] = {}
        self._joins = False
        self._card_of = ""
        #: close without a question: nobody is there to answer, or the work is kept elsewhere
        self.discards = False

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
                if self.may_discard():
                    self.open_project(load_project(path, tolerant=True), path)
            elif suffix == ".json":
                self.use_chain_file(path)
            else:
                self.open_recording(path)
        except JaxscopeError as error:
            self.window.refuse(error)

    def use_chain_file(self, path: str) -> None:
        """Filter by the chain of a file; undoable."""
        chain, was_saved = load_chain(path), not self.shell.store.has_unsaved_changes
        self.shell.dispatch(act.SetChains(chains=(chain,)))
        if was_saved:
            self.shell.store.mark_saved()  # it is in that file
        name = chain.name or Path(path).stem
        waits = "" if self.shell.has_recording else ". It filters the recording that you open"
        self.window.status.say(f"Filter {name} taken from {Path(path).name}{waits}")

    def open_dropped(self, paths: Sequence[str]) -> None:
        """Open what was dropped: a folder asks which recording in it; of several files the first is opened."""
        first = paths[0]
        if Path(first).is_dir():
            self._open_in_folder(first)
            return
        self.open_path(first)
        if len(paths) > 1:
            self.window.status.say(f"{Path(first).name} is opened, the other {len(paths) - 1} are not")

    def _open_in_folder(self, folder: str) -> None:
        known = {suffix.lower() for suffix in readable_suffixes()}
        files = sorted(file for file in Path(folder).iterdir() if file.suffix.lower() in known and file.is_file())
        if len(files) == 1:
            self.open_path(str(files[0]))
        elif files:
            self.change_settings(replace(self.settings, last_folder=folder))
            self.open_dialog()
        else:
            # some formats are folders; the readers know, and say so where it is none of theirs
            self.open_recording(folder)

    def open_recording(self, path: str) -> None:
        """Open a recording; the chains stay, the events are those of the recording."""
        if "annotations" in self.shell.store.unsaved_parts and not self.may_discard():
            return
        self._pending_project = None
        self._joins = False
        self.conductor.open(path)

    def open_project(self, project: Project, path: str, recording: str | None = None, *, is_saved: bool = True) -> None:
        """Open a project, with another recording where one is given; ``is_saved`` is False for recovered work."""
        self.project_path = path
        reference = project.document.recording
        found = recording or (reference.path if reference is not None else None)
        self._pending_project, self._is_pending_saved = project, is_saved
        self._project_notice = _notice_of(project)
        if found is None or not Path(found).exists():
            self._load_without_recording()
            if found is not None:
                self._ask_where(found)
            return
        self._open_for_project(found, known=None if recording else reference)

    def _open_for_project(self, path: str, known: RecordingRef | None) -> None:
        """Open the recording that a project waits for; what it is known by tells whether it has changed."""
        reference = self._pending_project.document.recording if self._pending_project is not None else None
        rate_hz = reference.rate_hz if reference is not None else None
        if rate_hz is not None:
            self._rates_hz[path] = rate_hz
        if known is None or known.fingerprint is None:
            self.conductor.open(path, rate_hz=rate_hz)
        else:
            self.conductor.open(path, rate_hz=rate_hz, known=known)

    def _load_without_recording(self) -> None:
        """Load the project that waits, though its recording is not there: the filter can be used on another."""
        project, self._pending_project = self._pending_project, None
        if project is None:
            return
        action = act.LoadedProject(
            document=project.document, viewport=project.viewport, is_saved=self._is_pending_saved
        )
        self.shell.dispatch(action)
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
            self._is_pending_saved = not self.shell.store.has_unsaved_changes
            self._pending_project = Project(document=state.document, viewport=state.viewport, engine=state.engine)
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

    def join(self, other: WindowFiles) -> None:
        """Show the recording that another window has open, whose document is shared."""
        self.project_path = other.project_path
        recording = self.shell.state.document.recording
        if recording is not None:
            self._joins = True
            self._rates_hz = dict(other._rates_hz)
            self.conductor.open(recording.path, rate_hz=recording.rate_hz)

    def reopen(self) -> None:
        """Open the recording again that could not be read any more; view, filter and undo stay."""
        recording = self.shell.state.document.recording
        if recording is not None:
            self._joins = True
            self.conductor.open(recording.path, rate_hz=recording.rate_hz)

    def find_open_recording(self) -> None:
        """Ask where the recording is now that cannot be read any more."""
        self.find_recent(str(Path(self.shell.path).resolve()))

    def give_up_reading(self) -> None:
        """Close a recording whose file does not answer; the filter stays."""
        self.conductor.give_up_reading()
        self.window.notices.take_back("stalled")
        if self.shell.state.document.recording is not None:
            self.shell.dispatch(act.ClosedRecording())
        self.shell.drop()
        self.window.show_start()

    def open_with_rate(self, path: str, rate_hz: float) -> None:
        """Open a recording whose file does not tell its rate; a project that waits for it goes on waiting."""
        self._rates_hz[path] = rate_hz
        self.conductor.open(path, rate_hz=rate_hz)

    def open_demo(self) -> None:
        """Open the demonstration recording, with its chains where there are none yet."""
        if not self.shell.state.document.chains:
            was_saved = not self.shell.store.has_unsaved_changes
            self.shell.dispatch(act.SetChains(chains=demo_chains()))
            if was_saved:
                self.shell.store.mark_saved()  # whoever only looks around has nothing to lose
        self.open_recording(str(resource_path("demo.edf")))

    def take_opened(self, opened: Opened) -> None:
        """Make the state refer to a recording that was opened."""
        if self._joins and self.shell.state.document.recording is not None:
            self._joins = False
            self.conductor.take_up()
            return
        project, self._pending_project = self._pending_project, None
        reference = RecordingRef(path=opened.path, rate_hz=self._rates_hz.get(opened.path))
        if project is not None:
            document = replace(project.document, recording=reference)
            action = act.LoadedProject(document=document, viewport=project.viewport, is_saved=self._is_pending_saved)
            self.shell.dispatch(action)
            self._say_about_project()
        else:
            self.shell.dispatch(
                act.OpenedRecording(
                    recording=reference,
                    duration_s=opened.info.duration_s,
                    annotations=opened.info.annotations,
                )
            )
            # not what was left of the window of a shorter recording
            self.shell.navigator.look(0.0, USUAL_WINDOW_S)
            self._show_times(opened)
        self._remember(opened.path)

    def _show_times(self, opened: Opened) -> None:
        """Write times as the settings want them, by the clock only where the recording tells when it began."""
        by_clock = self.settings.times == "clock" and opened.info.start is not None
        self.shell.dispatch(act.SetDisplay(name="clock_time", value=by_clock))

    def _remember(self, path: str) -> None:

        if Path(path) == Path(resource_path("demo.edf")):
            return
        settings = self.settings.with_recent(str(Path(path).resolve()))
        self.change_settings(replace(settings, last_folder=str(Path(path).resolve().parent)))

    def change_settings(self, settings: Settings) -> None:
        """Take and keep other preferences, in every window."""
        self.settings = settings
        trouble = preferences().keep(settings)
        if trouble:
            self.window.notify(Notice(cause=SETTINGS_CAUSE, kind="warn", sentence=trouble, can_close=True))

    def find_recent(self, path: str) -> None:
        """Ask where a recent recording is now, and open it there."""
        name, pattern = Path(path).name, f"*{Path(path).suffix}"
        found, _ = QFileDialog.getOpenFileName(
            self.window, f"Find {name}", self.settings.last_folder, f"Files like it ({pattern});;All files (*)"
        )
        if found:
            self.change_settings(self.settings.without_recent(path))
            self.open_path(found)

    def keep_card(self, frame: OverviewFrame) -> None:
        """Keep a small picture of the whole recording for the start screen, once it has been read."""
        info, path = self.shell.info, self.shell.path
        if info is None or frame.read_share < 1 or self._card_of == path or not self.shell.lanes:
            return
        self._card_of = path
        known = path if Path(path) == Path(resource_path("demo.edf")) else str(Path(path).resolve())
        token = self.shell.lanes[0].colour
        keep_card(known, info, frame, facts=self.window.top.title.facts, token=token, now=datetime.now())

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
        self.window.status.say(f"Saved {Path(path).name}")
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
    if {"chains", "filter_on"} & set(parts):
        words.append("the filter")
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
    return f"{sentence[:1].upper()}{sentence[1:]}"


def _notice_of(project: Project) -> Notice | None:
    """Return what is said of the parts of a project that are not known here."""
    if not project.warnings:
        return None
    kept = "Parts this version does not know are kept but off"
    hint = kept if project.document.kept else ". ".join(project.warnings[1:])
    return Notice(cause="project", kind="warn", sentence=project.warnings[0], hint=hint, can_close=True)
