"""The export dialog: which format, channels and time, where to, what is applied; then progress, cancel, the outcome.

The export itself is the conductor's; this asks for it and shows how far it is. The recording that is open is never a
target, and a file that exists is replaced only after a second, explicit click.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from jaxscope.compute.code_frames import CodeChecked, CodeText
from jaxscope.compute.conductor import ExportRequest
from jaxscope.compute.export_job import AnyExport
from jaxscope.compute.formats import writable_titles
from jaxscope.compute.frames import DesignFrame, ExportProgress, Failure, Opened, Outcome
from jaxscope.data.recording import RecordingInfo
from jaxscope.errors import WriteError, capitalised
from jaxscope.gui.components.buttons import Button, IconButton
from jaxscope.gui.components.floating import Sheet
from jaxscope.gui.components.labels import Icon, Label, Note, Paragraph
from jaxscope.gui.components.number_field import NumberField
from jaxscope.gui.components.numbers import NumberRange
from jaxscope.gui.components.segmented import Segment, SegmentedControl
from jaxscope.gui.components.select import Select
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.views.base import AbstractView
from jaxscope.gui.views.export_code_parts import Footnote
from jaxscope.gui.views.export_dialog_parts import (
    AppliedCard,
    ProgressBar,
    applied_lines,
    clock,
    copy_line,
    format_for_source,
    format_of,
    free_path,
    labelled_row,
    suggested_path,
    time_left,
)
from jaxscope.gui.views.export_targets import FigureOf, TargetPage, TargetStack
from jaxscope.session.state import SessionState


class ExportDialog(Sheet, AbstractView):
    """Writes the filtered recording.

    Parameters
    ----------
    window : QWidget
        The main window.
    start : callable
        ``export`` of the conductor: takes an ExportRequest and returns the number of the job.
    cancel : callable
        ``cancel`` of the conductor: takes the number of the job.
    figure_of : callable or None
        Returns the figure of the traces in a theme; without it there are no figures.
    """

    def __init__(
        self,
        window: QWidget,
        start: Callable[[AnyExport], int],
        cancel: Callable[[int], None],
        figure_of: FigureOf | None = None,
    ) -> None:
        super().__init__(window, title="Export", width=1080, height=640)
        self._start = start
        self._cancel = cancel
        self._state = SessionState()
        self._info: RecordingInfo | None = None
        self._source = ""
        self._report = ""
        self._job: int | None = None
        self.format = Select("Format", writable_titles(), width=160, height=30)
        self.format_note = Paragraph("", 12, "text3")
        self.channels = SegmentedControl([("all", "All")], name="Channels")
        self.span = SegmentedControl([("whole", "Whole")], name="Time")
        self.first = NumberField("From", span=NumberRange(low=0.0, digits=4), unit="s", width=96, height=30)
        self.last = NumberField("To", span=NumberRange(low=0.0, digits=4), unit="s", width=96, height=30)
        self.path = TextField("Save as", height=30)
        self.browse = IconButton("folder", "Choose where to save", size=30, icon_size=17)
        self.applied = AppliedCard()
        self.copy = Button("Copy sentence", icon="copy", height=28)
        self.copy_line = Button("Copy as command line", "quiet", icon="terminal-2", height=28)
        self.outcome = Note("", "ok", icon="circle-check")
        self.trouble = Note("", "danger")
        self.progress = ProgressBar()
        self.cancel_button = Button("Cancel", "quiet")
        self.save_other = Button("Save as another", "plain")
        self.export_button = Button("Export recording", "primary", icon="file-export")
        self.footnote = Footnote()
        self._to = Label("to", 12, 400, "text3")
        self._asks_to_replace = False
        self.parts = TargetStack(figure_of, (self.outcome, self.trouble), start, cancel)
        self.pages, self.targets = self.parts.pages, self.parts.list
        self._lay_out()
        self._connect()

    def open_sheet(self) -> None:
        if self._job is None:
            self._begin()
        super().open_sheet()
        self._where.setFocus(Qt.FocusReason.OtherFocusReason)

    def request(self) -> ExportRequest:
        """Return what would be written now."""
        start_s, stop_s = self._span_s()
        return ExportRequest(
            path=self.path.text().strip(),
            channels=self._channel_names(),
            start_s=start_s,
            stop_s=stop_s,
            overwrite=self._asks_to_replace,
        )

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        self._state = state
        if state.document.recording is not None:
            self._source = state.document.recording.path
        self.parts.show_state(state)
        if self.isVisible():
            self._show_choices()

    def show_frame(self, outcome: Outcome) -> None:
        match outcome:
            case Opened():
                self._info = outcome.info
                self._source = outcome.path
            case DesignFrame() if outcome.chain == self._state.viewport.active_chain:
                self._report = outcome.report
                self.parts.show_chain(self._state.document.chains, outcome, self._info)
                self.copy.setVisible(bool(self._report))
            case CodeText() | CodeChecked():
                self.parts.show_text(outcome)
            case ExportProgress() if outcome.job == self._job:
                self._show_progress(outcome)
            case Failure() if outcome.what == "export" and self._job is not None:
                self._finish()
                hint = f" {capitalised(outcome.hint).rstrip('.')}." if outcome.hint else ""
                self._say(self.trouble, f"{outcome.sentence.rstrip('.')}.{hint}")
            case _:
                return

    def _lay_out(self) -> None:
        holder = QVBoxLayout()
        holder.setContentsMargins(24, 20, 24, 16)
        holder.setSpacing(10)
        rows = (
            ("Format", (self.format, None)),
            ("", (self.format_note,)),
            ("Channels", (self.channels, None)),
            ("Time", (self.span, self.first, self._to, self.last, None)),
            ("Save as", (self.path, self.browse)),
        )
        for words, parts in rows:
            holder.addLayout(labelled_row(words, parts, wide=(self.path, self.format_note)))
        safe = Label("The original is never written to.", 12, 400, "text3")
        holder.addLayout(labelled_row("", (Icon("info-circle", "text3", size=14), safe, None), wide=()))
        holder.addWidget(self.applied)
        foot = QHBoxLayout()
        foot.addWidget(self.copy)
        foot.addWidget(self.copy_line)
        foot.addStretch(1)
        holder.addLayout(foot)
        holder.addStretch(1)
        self.parts.recording.setLayout(holder)
        self.body.addWidget(self.parts)
        self.footer.addWidget(self.footnote, 1)
        self.footer.addWidget(self.progress, 1)
        for button in (self.cancel_button, self.save_other, self.export_button):
            self.footer.addWidget(button)
        for hidden in (self.outcome, self.trouble, self.progress, self.save_other, self.copy):
            hidden.hide()

    @property
    def _page(self) -> TargetPage | None:
        """The page of the target that is chosen, None for the recording."""
        return self.parts.page

    @property
    def _where(self) -> TextField:
        """The field that says where to save what is chosen."""
        return self.path if self._page is None else self._page.path

    def _on_target(self) -> None:
        if self._page is not None:
            self._page.begin(self._source)
        self.outcome.hide()
        self._forget_question()
        self._show_footnote()

    def _show_footnote(self) -> None:
        self.footnote.setText("" if self._page is None else self._page.footnote())
        self.footnote.setVisible(self._job is None)

    def _connect(self) -> None:
        self.copy_line.clicked.connect(lambda: copy_line(self._state, self._source, self.request()))
        self.parts.turned.connect(self._on_target)
        for page in self.pages.values():
            page.changed.connect(self._forget_question)
            page.noted.connect(self._show_footnote)
            page.path.returnPressed.connect(self._on_export)
            page.path.escaped.connect(self.close_floating)
        self.format.chosen.connect(self._on_format)
        self.channels.chosen.connect(lambda _: self._forget_question())
        self.span.chosen.connect(lambda _: self._show_span())
        self.path.textEdited.connect(self._on_path)
        self.path.returnPressed.connect(self._on_export)
        self.browse.clicked.connect(self._on_browse)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._report))
        self.cancel_button.clicked.connect(self._on_cancel)
        self.save_other.clicked.connect(self._on_save_other)
        self.export_button.clicked.connect(self._on_export)
        for field in (self.path, self.first, self.last):
            field.escaped.connect(self.close_floating)

    def _begin(self) -> None:
        """Start from the defaults of the recording that is open."""
        suffix = self.format.current or format_for_source(self._source)
        self.format.set_current(suffix)
        self.path.setText(suggested_path(self._source, suffix) if self._source else f"filtered{suffix}")
        for part in (self.outcome, self.trouble, self.progress):
            part.hide()
        self.cancel_button.setText("Cancel")
        self._forget_question()
        self._show_choices()

    def _show_choices(self) -> None:
        info, chosen = self._info, self._state.viewport.selected_channels
        total = len(info.channels) if info is not None else 0
        shown = len(self._shown_names())
        current = self.channels.current
        segments = [Segment(key="all", label=f"All {total}"), Segment(key="shown", label=f"Shown: {shown}")]
        if chosen:
            words = chosen[0] if len(chosen) == 1 else str(len(chosen))
            segments.append(Segment(key="chosen", label=f"Chosen: {words}"))
        self.channels.set_segments(segments)
        self.channels.set_current(current if any(part.key == current for part in segments) else "all")
        length = clock(info.duration_s) if info is not None and info.duration_s else ""
        span = self.span.current or "whole"
        whole = f"Whole, {length}" if length else "Whole"
        self.span.set_segments([("whole", whole), ("window", "This window"), ("range", "From, to")])
        self.span.set_current(span)
        self._show_span()
        self._show_format()
        self.applied.show_lines(applied_lines(self._state.document, info))

    def _show_span(self) -> None:
        is_range = self.span.current == "range"
        for part in (self.first, self._to, self.last):
            part.setVisible(is_range)
        if is_range and self.first.value is None:
            view = self._state.viewport
            self.first.show_value(view.start_s)
            self.last.show_value(view.start_s + view.duration_s)
        self._forget_question()

    def _show_format(self) -> None:
        found = format_of(self.path.text())
        self.format.set_current(found.suffix if found is not None else None)
        self.format_note.setText(found.note if found is not None else "Choose a format")

    def _shown_names(self) -> tuple[str, ...]:
        if self._info is None:
            return ()
        document = self._state.document
        return tuple(part.name for part in self._info.channels if not document.look_of(part.name).hidden)

    def _channel_names(self) -> tuple[str, ...]:
        return {
            "all": (),
            "shown": self._shown_names(),
            "chosen": self._state.viewport.selected_channels,
        }[self.channels.current or "all"]

    def _span_s(self) -> tuple[float | None, float | None]:
        view = self._state.viewport
        if self.span.current == "window":
            return view.start_s, view.start_s + view.duration_s
        return (self.first.value, self.last.value) if self.span.current == "range" else (None, None)

    def _complaint(self) -> str | None:
        """Return why the export cannot begin, or None."""
        if self._page is not None:
            return self._page.complaint()
        path = self.path.text().strip()
        start_s, stop_s = self._span_s()
        if not path:
            return "Choose where to save."
        if format_of(path) is None:
            known = ", ".join(suffix for suffix, _ in writable_titles())
            return f"{Path(path).name} has no suffix of a format that can be written. Use one of {known}."
        if self._source and Path(path).absolute() == Path(self._source).absolute():
            return "That is the recording itself, which is never written to. Choose another name."
        if start_s is not None and stop_s is not None and stop_s <= start_s:
            return "The end must be after the beginning."
        if self.first.is_wrong or self.last.is_wrong:
            return "Check the times."
        return None

    def _on_format(self, suffix: str) -> None:
        path = self.path.text().strip()
        found = format_of(path)
        stem = path.removesuffix(Path(path).suffix) if found is not None else path
        self.path.setText(f"{stem}{suffix}")
        self._forget_question()
        self._show_format()

    def _on_path(self, _text: str) -> None:
        self._forget_question()
        self._show_format()

    def _on_browse(self) -> None:
        kinds = ";;".join(f"{title} (*{suffix})" for suffix, title in writable_titles())
        path, _ = QFileDialog.getSaveFileName(self.window(), "Export recording", self.path.text(), kinds)
        if path:
            self.path.setText(path)
            self._forget_question()
            self._asks_to_replace = Path(path).exists()  # the system's dialog has asked already
            self._show_format()

    def _on_export(self) -> None:
        if self._job is not None or not self.export_button.isEnabled():
            return
        complaint = self._complaint()
        if complaint is not None:
            self._say(self.trouble, complaint)
            return
        path = Path(self._where.text().strip())
        if path.exists() and not self._asks_to_replace:
            self._asks_to_replace = True
            self.export_button.setText("Replace")
            self.export_button.updateGeometry()
            self.save_other.setText(f"Save as {Path(free_path(str(path))).name}")
            self.save_other.show()
            self._say(self.trouble, f"{path.name} exists.")
            return
        try:
            request = self.request() if self._page is None else self._page.request(overwrite=self._asks_to_replace)
        except WriteError as error:
            self._say(self.trouble, f"{capitalised(error.message)}: {error.hint}.")
            return
        self._forget_question()
        self.outcome.hide()
        self._job = self._start(request)
        self.cancel_button.setText("Cancel")
        self.export_button.set_busy(busy=True)
        self.progress.show_share(0.0, "0 %")
        self.footnote.hide()
        self.progress.show()

    def _on_save_other(self) -> None:
        self._where.setText(free_path(self._where.text().strip()))
        self._forget_question()
        self._on_export()

    def _on_cancel(self) -> None:
        if self._job is None:
            self.close_floating()
        else:
            self._cancel(self._job)

    def _show_progress(self, progress: ExportProgress) -> None:
        if not progress.done and not progress.cancelled:
            left = "" if progress.seconds_left is None else f", {time_left(progress.seconds_left)} left"
            self.progress.show_share(progress.share, f"{progress.share * 100:.0f} %{left}")
            return
        self._finish()
        if progress.cancelled:
            self._say(self.trouble, "Cancelled. Nothing was written.")
            return
        lines = [f"Saved {progress.path}.", *(f"{sentence.rstrip('.')}." for sentence in progress.warnings)]
        self._say(self.outcome, " ".join(lines))
        self.cancel_button.setText("Close")

    def _finish(self) -> None:
        self._job = None
        self.export_button.set_busy(busy=False)
        self.progress.hide()
        self._show_footnote()

    def _say(self, note: Note, words: str) -> None:
        for other in (self.outcome, self.trouble):
            other.setVisible(other is note)
        note.set_text(words)

    def _forget_question(self) -> None:
        """Take back the question whether to replace a file: something has changed since."""
        self._asks_to_replace = False
        self.export_button.setText(self.parts.target.button)
        self.export_button.updateGeometry()
        self.save_other.hide()
        self.trouble.hide()
