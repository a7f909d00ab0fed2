"""The drawer that filters a folder: its recordings, where to, and how far each is; the traces stay in use.

It takes the place of the overview under the time axis. The filter is that of the moment it is begun; editing changes
the view only. It may be held, and each row be left out or tried again, while the others go on. What is finished is left
as it is when it is taken up again.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Self

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from jaxscope.compute.folder_frames import FolderListed, FolderProgress, FolderRow
from jaxscope.compute.folder_job import results_folder
from jaxscope.compute.formats import writable_titles
from jaxscope.errors import counted
from jaxscope.gui.components.buttons import Button, IconButton
from jaxscope.gui.components.drawer import Drawer
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.painting import begin, hairline
from jaxscope.gui.components.select import Select
from jaxscope.gui.components.switch import Switch
from jaxscope.gui.theme import scaled, theme
from jaxscope.gui.views.base import AbstractView, ViewKit
from jaxscope.gui.views.export_dialog_parts import ProgressBar
from jaxscope.gui.views.folder_rows import FolderTable
from jaxscope.gui.views.traces_numbers import span_text
from jaxscope.session.state import SessionState

_HEAD = 46


class FolderDrawer(AbstractView, Drawer):
    """The recordings of a folder, and what becomes of them."""

    #: the drawer was opened or closed
    toggled = Signal()
    hinted = Signal(str)
    #: (folder, target): its recordings are wanted
    list_asked = Signal(str, str)
    #: the recordings that were found, or why there are none
    listed = Signal(object)
    #: another folder for the outputs is wanted
    target_asked = Signal()
    #: (rows, target, whether outputs are replaced, suffix of the outputs: empty keeps that of each)
    begin_asked = Signal(tuple, str, bool, str)
    stop_asked = Signal()
    #: whether what runs is to wait
    hold_asked = Signal(bool)
    #: number of a row, among those that were begun, that is left out, or filtered after all
    skip_asked = Signal(int)
    again_asked = Signal(int)

    def __init__(self, state: SessionState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.is_open = False
        self.is_running = self.is_held = False
        self._is_listing = False
        self._has_run = False
        self._numbers: list[int] = []
        #: rows that are to be filtered after all, or once more, since others run
        self._wanted: list[int] = []
        self.folder = self.target = ""
        self._problem = ""
        self._begun = ""
        self.setAccessibleName("Filter a folder")
        self._heading = Label("Filter a folder", px=14, weight=600)
        self.progress = ProgressBar()
        self.words = Label("", px=12, token="text2", shrink=True)
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.kept = Label("", px=12, token="text2", shrink=True)
        self.target_button = Button("Save to…", "plain", icon="folder", height=28)
        self.replace = Switch("Replace outputs that exist")
        self.replace_words = Label("Replace", px=12, token="text2")
        formats = (("", "Same format"), *writable_titles())
        self.format = Select("Format of the results", formats, width=136)
        self.format.set_current("")
        self.pause = Button("Pause", "plain", icon="player-pause", height=28)
        self.go = Button("Filter", "primary", height=28)
        self.stop = Button("Stop", "plain", icon="player-stop", height=28)
        self.close_button = IconButton("chevron-down", "Close; what runs goes on [Esc]", size=28)
        self.table = FolderTable(self)
        self._lay_out()
        self.target_button.clicked.connect(self.target_asked)
        self.go.clicked.connect(lambda: self._begin())
        self.stop.clicked.connect(self._stop)
        self.pause.clicked.connect(lambda: self._hold(held=not self.is_held))
        self.format.chosen.connect(lambda _: self._look_again())
        self.table.skip_asked.connect(self._skip)
        self.table.again_asked.connect(self._again)
        self.close_button.clicked.connect(self.close_drawer)
        theme().changed.connect(self._on_theme)
        self._on_theme()
        self._refresh()
        self.hide()

    @classmethod
    def of(cls, kit: ViewKit) -> Self:
        """Make the view for a window."""
        return cls(kit.state)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(14, 0, 10, 0)
        head.setSpacing(8)
        head.addWidget(self._heading)
        head.addSpacing(8)
        head.addWidget(self.progress)
        head.addWidget(self.words, 1)
        head.addWidget(self.kept)
        head.addWidget(self.replace_words)
        head.addWidget(self.replace)
        head.addSpacing(4)
        for part in (self.format, self.target_button, self.pause, self.stop, self.go, self.close_button):
            head.addWidget(part)
        self.replace_words.setBuddy(self.replace)
        self._head = QWidget()
        self._head.setLayout(head)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 1, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._head)
        whole.addWidget(self.table, 1)

    def _on_theme(self) -> None:
        self._head.setFixedHeight(scaled(_HEAD))
        self.table.fit()
        self.fit_window(self.TALL_PX)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with begin(self) as painter:
            hairline(painter, 0, self._head.geometry().bottom(), self.width())

    # --- opening

    def open_folder(self, folder: str) -> None:
        """Show the recordings of a folder, to be filtered into one beside it."""
        self.folder = folder
        self.target = results_folder(folder)
        self._has_run = False
        self._list()
        self._set_open(is_open=True)

    def show_again(self) -> None:
        """Show what goes on."""
        self._set_open(is_open=True)

    def set_target(self, target: str) -> None:
        """Write into another folder."""
        self.target = target
        self._has_run = False
        self._list()

    def close_drawer(self) -> bool:
        """Close the drawer; return whether it was open."""
        if not self.is_open:
            return False
        self._set_open(is_open=False)
        return True

    def close_recording(self) -> None:
        """Close; what runs goes on."""
        self.close_drawer()

    def _set_open(self, *, is_open: bool) -> None:
        if is_open != self.is_open:
            self.is_open = is_open
            self.toggled.emit()
        if is_open:
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _list(self) -> None:
        self._is_listing, self._problem = True, ""
        self.table.show_rows(())
        self.list_asked.emit(self.folder, self.target)
        self._refresh()

    # --- what is told

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Follow whether there is a filter."""
        self._state = state
        if state.document is not previous.document or state is previous:
            self._refresh()

    def show_frame(self, outcome: object) -> None:
        """Show the recordings that were found, or how far they are."""
        match outcome:
            case FolderListed() if outcome.folder == self.folder and not self.is_running:
                self._is_listing, self._problem = False, outcome.problem
                self.table.show_rows(outcome.rows)
                self._refresh()
                self.listed.emit(outcome)
            case FolderProgress():
                self._take(outcome)

    def _take(self, progress: FolderProgress) -> None:
        if progress.row is not None and progress.number is not None:
            self.table.change(self._numbers[progress.number], progress.row)
        left = "" if progress.seconds_left is None else f", {span_text(max(1, round(progress.seconds_left)))} left"
        rows = self.table.rows
        ended = rows.count("saved", "before", "failed", "skipped")
        failed = rows.count("failed")
        decisions = f", {failed} failed" if failed else ""
        words = f"file {min(ended + 1, len(rows.rows))} of {len(rows.rows)}{left}{decisions}"
        self.progress.show_share(progress.share, words)
        if progress.over and self.is_running:
            self.is_running = self.is_held = False
            rows.wait_again()
            self.hinted.emit(self._outcome_words())
            self._begin_wanted()
        if progress.over or (progress.row is not None and progress.row.state != "running"):
            self._refresh()

    def _outcome_words(self) -> str:
        rows = self.table.rows
        counts = (
            (rows.count("saved"), "saved"),
            (rows.count("before"), "finished before"),
            (rows.count("failed"), "failed"),
            (rows.count("skipped"), "left out"),
            (rows.count("waiting"), "not begun"),
        )
        return f"{counted(len(rows.rows), 'recording')}: " + ", ".join(f"{n} {words}" for n, words in counts if n)

    # --- what a person does

    @property
    def has_filter(self) -> bool:
        """Whether there is something to filter by."""
        document = self._state.document
        return document.montage is not None or (document.filter_on and any(chain.stages for chain in document.chains))

    def _hold(self, *, held: bool) -> None:
        self.is_held = held
        self.hold_asked.emit(held)
        self._refresh()

    def _look_again(self) -> None:
        """Have what was finished in another format wait again."""
        if not self.is_running and self._has_run:
            self._has_run = False
            self._list()

    def _skip(self, number: int) -> None:
        self.table.change(number, replace(self.table.rows.rows[number], state="skipped", sentence="", hint=""))
        if self.is_running and number in self._numbers:
            self.skip_asked.emit(self._numbers.index(number))
        self._refresh()

    def _again(self, number: int) -> None:
        """Filter a row after all: behind the others where they run, else by itself."""
        self.table.change(number, _waiting(self.table.rows.rows[number]))
        if not self.is_running:
            self._begin((number,))
        else:
            self._wanted.append(number)
            if number in self._numbers:
                self.again_asked.emit(self._numbers.index(number))
        self._refresh()

    def _begin_wanted(self) -> None:
        """Filter rows that were asked for while others ran, and have not had their turn."""
        wanted, self._wanted = dict.fromkeys(self._wanted), []
        left = tuple(number for number in wanted if self.table.rows.rows[number].state == "waiting")
        if left:
            self._begin(left)

    def _stop(self) -> None:
        self._wanted.clear()
        self.stop_asked.emit()

    def _begin(self, only: tuple[int, ...] = ()) -> None:
        rows = self.table.rows.rows
        self._numbers = list(only) or [n for n, row in enumerate(rows) if row.state in ("waiting", "failed")]
        chosen = tuple(rows[number] for number in self._numbers)
        if not chosen or self.is_running or not self.has_filter:
            return
        self.is_running, self.is_held, self._has_run = True, False, True
        self._begun = datetime.now().strftime("%H:%M")
        for number in self._numbers:
            self.table.change(number, _waiting(rows[number]))
        self.progress.show_share(0.0, f"file 1 of {len(rows)}")
        self._refresh()
        self.begin_asked.emit(chosen, self.target, self.replace.isChecked(), self.format.current or "")

    def _refresh(self) -> None:
        rows, is_running = self.table.rows, self.is_running
        running: tuple[QWidget, ...] = (self.progress, self.pause, self.stop, self.kept)
        idle: tuple[QWidget, ...] = (
            self.words,
            self.format,
            self.target_button,
            self.replace,
            self.replace_words,
            self.go,
        )
        for part in (*running, *idle):
            part.setVisible(is_running if part in running else not is_running)
        words = ("Go on", "player-play") if self.is_held else ("Pause", "player-pause")
        self.pause.set_words(*words)
        self.kept.setText(f"Filter as it was at {self._begun}, to {self.target}")
        left = rows.count("waiting") + rows.count("failed")
        self.go.setText(self._go_words(left))
        self.go.setEnabled(bool(left) and self.has_filter)
        self.go.setToolTip("" if self.has_filter else "There is no filter: add a stage, or turn it on")
        self.words.setText(self._idle_words())
        self.target_button.setToolTip(f"Results are saved to {self.target}")
        self.replace.setToolTip("Replace results of other filters that are there already")

    def _go_words(self, left: int) -> str:
        if not self._has_run:
            return f"Filter {counted(left, 'recording')}" if left else "Filter"
        return "Try again" if left == self.table.rows.count("failed") else "Go on"

    def _idle_words(self) -> str:
        if self._problem:
            return self._problem
        if self._is_listing:
            return f"Looking for recordings in {self.folder}"
        if not self.has_filter:
            return "There is no filter: add a stage, or turn it on"
        if self._has_run:
            return f"{self._outcome_words()}, in {self.target}"
        return f"{self.folder} → {self.target}"


def _waiting(row: FolderRow) -> FolderRow:
    return FolderRow(path=row.path, name=row.name, size_bytes=row.size_bytes, facts=row.facts)
