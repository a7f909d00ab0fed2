"""What the window does with files: open, save, remember; and asks before something would be lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from jaxscope.compute.conductor import Conductor
from jaxscope.compute.demo import demo_chains
from jaxscope.compute.formats import readable_suffixes
from jaxscope.compute.frames import Indexed, Opened, OverviewFrame
from jaxscope.compute.montaged import montaged_info
from jaxscope.data.kinds import main_kind
from jaxscope.errors import JaxscopeError, ReadError, SpecError, counted
from jaxscope.filters.chain_file import load_chain
from jaxscope.filters.montage import Montage
from jaxscope.gui.navigator import USUAL_WINDOW_S
from jaxscope.gui.patient_files import patiently
from jaxscope.gui.preferences import preferences
from jaxscope.gui.recent_cards import keep_card
from jaxscope.gui.shell import Shell
from jaxscope.gui.views.banner import Notice
from jaxscope.gui.window_projects import PROJECT_SUFFIX, ProjectFiles
from jaxscope.resource_files import resource_path
from jaxscope.session import actions as act
from jaxscope.session.actions_events import FoundEvents
from jaxscope.session.events import with_events_of_file
from jaxscope.session.project import load_project
from jaxscope.session.settings import Settings
from jaxscope.session.state import RecordingRef

if TYPE_CHECKING:
    from jaxscope.gui.main_window import MainWindow


class WindowFiles(ProjectFiles):
    """Files of one window."""

    def __init__(self, window: MainWindow, shell: Shell, conductor: Conductor, settings: Settings) -> None:
        super().__init__(window, shell, conductor, settings)
        self._joins = False
        self._card_of = ""
        #: what is said of a montage that cannot be made of the recording that is being opened
        self._misfit: Notice | None = None

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
                    words = f"Reading {Path(path).name}"
                    project = patiently(self.window, words, lambda: load_project(path, tolerant=True))
                    self.open_project(project, path)
            elif suffix == ".json":
                self.use_chain_file(path)
            else:
                self.open_recording(path)
        except JaxscopeError as error:
            self.window.refuse(error)
        except TimeoutError as error:
            self.window.refuse(
                ReadError(f"{Path(path).name}: {error.strerror}", hint="try again when its disk is back")
            )

    def use_chain_file(self, path: str) -> None:
        """Filter by the chain of a file; undoable."""
        chain = patiently(self.window, f"Reading {Path(path).name}", lambda: load_chain(path))
        was_saved = not self.shell.store.has_unsaved_changes
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
        self._pending = None
        self._joins = False
        for known in (self._rates_hz, self._options):
            known.pop(path, None)  # what was told of it before belongs to another opening
        self.conductor.open(path)

    def join(self, other: WindowFiles) -> None:
        """Show the recording that another window has open, whose document is shared."""
        self.project_path = other.project_path
        recording = self.shell.state.document.recording
        if recording is not None:
            self._joins = True
            self._rates_hz, self._options = dict(other._rates_hz), dict(other._options)
            self.conductor.open(recording.path, rate_hz=recording.rate_hz, options=recording.options)

    def reopen(self) -> None:
        """Open the recording again that could not be read any more; view, filter and undo stay."""
        recording = self.shell.state.document.recording
        if recording is not None:
            self._joins = True
            self.conductor.open(recording.path, rate_hz=recording.rate_hz, options=recording.options)

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
        self.open_as_told(path, rate_hz, ())

    def open_as_told(self, path: str, rate_hz: float | None, options: tuple[tuple[str, str], ...]) -> None:
        """Open a recording with what was told about it; a project that waits for it goes on waiting."""
        self._options[path] = options
        if rate_hz is None:
            self._rates_hz.pop(path, None)
        else:
            self._rates_hz[path] = rate_hz
        self.conductor.open(path, rate_hz=rate_hz, options=options)

    def open_with_options(self) -> None:
        """Ask for a file, and then what it does not tell itself."""
        self._ask_about("Open with options", {})

    def open_raw(self) -> None:
        """Ask for a file of numbers alone, and how they lie."""
        self._ask_about("Open as raw numbers", {"format": "raw"})

    def open_warnings(self) -> None:
        """Show what had to be mended or assumed to open the recording."""
        if self.shell.info is not None:
            self.window.floating.open_warnings(self.shell.info.warnings)

    def ask_about_raw(self, path: str) -> None:
        """Ask how the numbers of a file of no known format lie."""
        self.window.floating.ask_import(path, {"format": "raw"})

    def _ask_about(self, title: str, told: dict[str, str]) -> None:
        path, _ = QFileDialog.getOpenFileName(self.window, title, self.settings.last_folder, "All files (*)")
        if path:
            self._pending = None
            self._joins = False
            self.window.floating.ask_import(path, told)

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
        pending, self._pending = self._pending, None
        reference = RecordingRef(
            path=opened.path,
            rate_hz=self._rates_hz.get(opened.path),
            options=self._options.get(opened.path, ()),
        )
        if pending is not None:
            document = replace(pending.project.document, recording=reference)
            document = replace(document, montage=self._fitting(document.montage, opened))
            count = len(document.annotations)
            document = with_events_of_file(document, opened.info.annotations)
            self._say_new_events(len(document.annotations) - count)
            self._load(pending, document)
        else:
            fitting = self._fitting(self.shell.state.document.montage, opened)
            self.shell.dispatch(act.SetMontage(montage=fitting))
            self.shell.dispatch(
                act.OpenedRecording(
                    recording=reference,
                    duration_s=opened.info.duration_s,
                    annotations=opened.info.annotations,
                    main_kind=main_kind(opened.info.channels),
                )
            )
            # not what was left of the window of a shorter recording
            self.shell.navigator.look(0.0, USUAL_WINDOW_S)
            self._show_times(opened)
        misfit, self._misfit = self._misfit, None
        if misfit is not None:
            self.window.notify(misfit)
        self._remember(opened.path)

    def take_indexed(self, indexed: Indexed) -> None:
        """Take what is known of a recording now that all of its file has been gone through."""
        first = () if self.shell.recorded is None else self.shell.recorded.annotations
        self.shell.recorded = indexed.info
        self._card_of = ""  # the picture was of the first part
        self.shell.dispatch(FoundEvents(events=indexed.info.annotations, instead_of=first))

    def _fitting(self, montage: Montage | None, opened: Opened) -> Montage | None:
        """Return a montage where it can be made of a recording; else say why not, and show the channels as recorded."""
        try:
            montaged_info(opened.info, montage)
        except SpecError as error:
            title = "" if montage is None else montage.title
            sentence = f"The montage {title} does not fit {Path(opened.path).name}"
            self._misfit = Notice(
                cause="montage",
                kind="warn",
                sentence=sentence,
                hint=f"{error.message}. The channels are shown as recorded",
                can_close=True,
                rank=2,
            )
            return None
        return montage

    def _say_new_events(self, count: int) -> None:
        """Say that the file holds events that the project does not know; its own are kept."""
        if count > 0:
            come = f"The file holds {counted(count, 'event')} that the project did not know: taken in, yours are kept"
            self.window.status.say(come)

    def _show_times(self, opened: Opened) -> None:
        """Write times as the settings want them, by the clock only where the recording tells when it began."""
        by_clock = self.settings.times == "clock" and opened.info.start is not None
        self.shell.dispatch(act.SetDisplay(name="clock_time", value=by_clock))
        self.shell.dispatch(act.SetDisplay(name="clip_lanes", value=self.settings.lanes == "clip"))

    def _remember(self, path: str) -> None:

        if Path(path) == Path(resource_path("demo.edf")):
            return
        settings = self.settings.with_recent(str(Path(path).resolve()))
        self.change_settings(replace(settings, last_folder=str(Path(path).resolve().parent)))

    def change_settings(self, settings: Settings) -> None:
        """Take and keep other preferences, in every window."""
        self.settings = settings
        preferences().keep(settings)

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
