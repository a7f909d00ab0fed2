"""Pieces of the export dialog: formats with their notes, names for files, the summary of what is applied, progress."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from jaxscope.compute.export_job import ExportRequest
from jaxscope.compute.formats import WritableFormat, writable_format, writable_titles
from jaxscope.data.recording import RecordingInfo
from jaxscope.filters.channels import chain_for
from jaxscope.filters.shapes import stage_line, stage_title
from jaxscope.filters.spec import FilterChain
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.painting import LEFT, begin, draw_text, hairline, rounded
from jaxscope.gui.theme import font, scaled, theme
from jaxscope.resource_files import resource_folder
from jaxscope.session.command_line import filter_command
from jaxscope.session.state import CHAIN_TAGS, Document, SessionState

#: Width of the labels of its rows.
LABEL_PX = 96
#: lines of the summary; what is more is in its tooltip
_MOST_LINES = 6
_PHASE_WORDS = {
    "causal": "one pass forward",
    "zero": "forward and backward, zero-phase",
    "minimum": "one pass, minimum phase",
}


def format_of(path: str) -> WritableFormat | None:
    """Return the format that a path names by its suffix, or None."""
    return writable_format(Path(path).suffix.lower())


def suggested_path(recording: str, suffix: str) -> str:
    """Return where to save by default: beside the recording, never the recording itself."""
    source = Path(recording)
    return str(folder_to_save_in(source) / f"{source.stem}-filtered{suffix}")


def folder_to_save_in(source: Path) -> Path:
    """Return the folder of a recording, or a person's own where that one is the program's or cannot be written to."""
    folder = source.parent
    is_ours = folder.resolve() == resource_folder().resolve()
    return Path.home() if is_ours or (folder.is_dir() and not os.access(folder, os.W_OK)) else folder


def free_path(path: str) -> str:
    """Return the path, with -2, -3 … before its suffix where that name is taken."""
    wanted = Path(path)
    number = 2
    free = wanted
    while free.exists():
        free = wanted.with_name(f"{wanted.stem}-{number}{wanted.suffix}")
        number += 1
    return str(free)


def clock(seconds: float) -> str:
    """Return a length of time: 12:04, or 1:02:03."""
    whole = round(seconds)
    hours, minutes = whole // 3600, whole % 3600 // 60
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"


def time_left(seconds: float) -> str:
    """Return how long it will still take: 4 s, 2:10."""
    return f"{max(1, round(seconds))} s" if seconds < 60 else clock(seconds)


def format_for_source(path: str) -> str:
    """Return the suffix to suggest for a recording: its own where that can be written, else EDF."""
    found = format_of(path)
    return found.suffix if found is not None else writable_titles()[0][0]


def channel_count(chains: tuple[FilterChain, ...], at: int, info: RecordingInfo | None) -> int:
    """Return how many channels a chain is for."""
    channels = () if info is None else info.channels
    return sum(chain_for(chains, part.name, is_data=part.is_data) == at for part in channels)


def raw_channels(chains: tuple[FilterChain, ...], info: RecordingInfo | None) -> tuple[str, ...]:
    """Return the names of the channels that no chain is for."""
    channels = () if info is None else info.channels
    return tuple(part.name for part in channels if chain_for(chains, part.name, is_data=part.is_data) is None)


def copy_line(state: SessionState, source: str, request: ExportRequest, project: str = "") -> str:
    """Put on the clipboard what a terminal would be told to write the same file; return it."""
    line = filter_command(
        state,
        source,
        request.path,
        channels=request.channels,
        start_s=request.start_s,
        stop_s=request.stop_s,
        project=project,
    )
    QGuiApplication.clipboard().setText(line)
    return line


def applied_lines(document: Document, info: RecordingInfo | None) -> list[tuple[str, str]]:
    """Return (chain, what is applied) in words; channels that no chain is for come last, as recorded."""
    if not document.filter_on:
        return [("All", "as recorded: the filter is off")]
    lines = [
        (_chain_words(document.chains, number, info), chain_words(chain))
        for number, chain in enumerate(document.chains)
    ]
    raw = raw_channels(document.chains, info)
    if raw:
        named = ", ".join(raw[:3]) + (f" and {len(raw) - 3} more" if len(raw) > 3 else "")
        lines.append((named, "as recorded"))
    return lines


def _chain_words(chains: tuple[FilterChain, ...], number: int, info: RecordingInfo | None) -> str:
    name = chains[number].name or f"Chain {CHAIN_TAGS[number]}"
    if info is None:
        return name
    count = sum(chain_for(chains, part.name, is_data=part.is_data) == number for part in info.channels)
    return f"{name}, {count}"


def chain_words(chain: FilterChain) -> str:
    """Return what a chain does, and how it runs, in one line."""
    stages = "; ".join(f"{stage_title(stage)} {stage_line(stage)}" for stage in chain.active_stages)
    return f"{stages}; {_PHASE_WORDS[chain.phase]}" if stages else "no stages: as recorded"


class AppliedCard(QWidget):
    """The summary of what is applied to which channels."""

    _ROW = 21

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: list[tuple[str, str]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_lines(self, lines: list[tuple[str, str]]) -> None:
        """Show (name, words) pairs."""
        self._lines = lines
        self.setAccessibleName("; ".join(f"{name}: {words}" for name, words in lines))
        self.setToolTip("\n".join(f"{name}: {words}" for name, words in lines))
        self.updateGeometry()
        self.update()

    def _seen(self) -> list[tuple[str, str]]:
        if len(self._lines) <= _MOST_LINES:
            return self._lines
        return [*self._lines[: _MOST_LINES - 1], (f"and {len(self._lines) - _MOST_LINES + 1} more", "")]

    def lines(self) -> list[tuple[str, str]]:
        """Return what is shown."""
        return self._lines

    def sizeHint(self) -> QSize:
        return QSize(scaled(300), scaled(32) + len(self._seen()) * scaled(self._ROW) + 11)

    def minimumSizeHint(self) -> QSize:
        return QSize(100, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            rounded(painter, QRectF(self.rect()), 8, "canvas" if theme().is_dark else "bar")
            heading = QRectF(16, scaled(10), self.width() - 32, scaled(18))
            draw_text(painter, heading, "What is applied", font(11), "text3")
            right = Qt.TextElideMode.ElideRight
            for number, (name, words) in enumerate(self._seen()):
                y = scaled(32) + number * scaled(self._ROW)
                label = QRectF(16, y, scaled(110), scaled(20))
                draw_text(painter, label, name, font(12, 500), "text2", LEFT, right)
                room = QRectF(16 + scaled(118), y, self.width() - 32 - scaled(118), scaled(20))
                draw_text(painter, room, words, font(12), "text", LEFT, right)


def labelled_row(words: str, parts: Sequence[QWidget | None], *, wide: Sequence[QWidget]) -> QHBoxLayout:
    """Return a row of the dialog: a label, then its parts; None is room, ``wide`` ones take what there is."""
    row = QHBoxLayout()
    row.setSpacing(8)
    row.addWidget(Label(words, 12, 400, "text2", width=LABEL_PX))
    for part in parts:
        if part is None:
            row.addStretch(1)
        else:
            row.addWidget(part, 1 if part in wide else 0)
    return row


class Rule(QWidget):
    """An upright hairline between the list of targets and their pages."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedWidth(1)

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            hairline(painter, 0, 0, self.height(), "line2", upright=True)


class ProgressBar(QWidget):
    """A bar of 3 px with words after it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._share = 0.0
        self._words = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def words(self) -> str:
        """What stands after the bar."""
        return self._words

    def show_share(self, share: float, words: str) -> None:
        """Show how much is done (0 to 1) and say it."""
        self._share, self._words = share, words
        self.setAccessibleName(words)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(260), scaled(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            middle = self.height() / 2
            rounded(painter, QRectF(0, middle - 1.5, 120, 3), 1.5, "line2")
            rounded(painter, QRectF(0, middle - 1.5, max(3.0, 120 * self._share), 3), 1.5, "after")
            draw_text(painter, QRectF(132, 0, self.width() - 132, self.height()), self._words, font(12), "text2")
