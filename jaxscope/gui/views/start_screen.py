"""What is seen before anything is open: a place to drop a recording, recent ones, the demonstration.

It lists only what exists: formats come from the readers' table, recent recordings from the preferences, and one that is
not there any more says why and offers to find it. A file that could not be opened is explained over the drop zone.
Whether recordings are there is looked up beside the window: a disk that does not answer keeps nothing waiting.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLayout, QScrollArea, QVBoxLayout, QWidget

from jaxscope.compute.frames import Failure
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.painting import begin
from jaxscope.gui.components.rows import ScaledRow
from jaxscope.gui.recent_cards import PresenceLook, load_card, when_words
from jaxscope.gui.theme import colour, scaled, theme
from jaxscope.gui.views.start_screen_parts import DropZone, ErrorCard, FileRow, Head, RecentRow
from jaxscope.resource_files import resource_path

_WIDTH = 1120
_HEADING_HEIGHT = 26
_MOST_RECENT = 4
_MISSING = {"moved": "Moved or deleted", "away": "On a disk that is not connected"}


class StartScreen(QWidget):
    """The start screen.

    Parameters
    ----------
    formats : sequence of str
        Formats that can be opened, in words.
    """

    open_asked = Signal()
    folder_asked = Signal()
    #: a file of no known format
    raw_asked = Signal(str)
    #: a recording was chosen
    chosen = Signal(str)
    #: a recording that is not where it was is to be found
    find_asked = Signal(str)
    demo_asked = Signal()
    clear_recent_asked = Signal()

    def __init__(self, formats: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Start")
        self._error: ErrorCard | None = None
        self._recent_paths: tuple[str, ...] = ()
        #: rows of recent recordings, by path
        self.rows: dict[str, RecentRow] = {}
        self._look = PresenceLook(self)
        self._look.found.connect(self._on_found)
        self._zone = DropZone(formats)
        self._recent = QVBoxLayout()
        self._demos = QVBoxLayout()
        self._scroll = QScrollArea(self)
        self._lay_out()
        self._zone.open_asked.connect(self.open_asked)
        self._zone.folder_asked.connect(self.folder_asked)
        self._fill_demos()
        self.show_recent(())
        theme().changed.connect(self._on_theme)

    def _lay_out(self) -> None:
        inner = QWidget()
        inner.setAutoFillBackground(False)
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 12, 0, 12)
        column.setSpacing(0)
        self._column = QVBoxLayout()
        self._column.setSpacing(0)
        self._column.addWidget(Head())
        self._column.addSpacing(20)
        self._column.addWidget(self._zone)
        self._column.addSpacing(36)
        lists = QHBoxLayout()
        lists.setSpacing(40)
        for part in (self._recent, self._demos):
            part.setSpacing(0)
            lists.addLayout(part, 1)
        self._column.addLayout(lists)
        self._narrow = QWidget()
        self._narrow.setLayout(self._column)
        self._column.setContentsMargins(0, 0, 0, 0)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(self._narrow)
        middle.addStretch(1)
        column.addStretch(1)
        column.addLayout(middle)
        column.addStretch(1)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.viewport().setAutoFillBackground(False)
        self._scroll.setWidget(inner)
        inner.setAutoFillBackground(False)

    def know_recent(self, paths: Sequence[str]) -> None:
        """Take recordings that were opened before, to list them when the screen is shown again."""
        self._recent_paths = tuple(paths)

    def show_recent(self, paths: Sequence[str]) -> None:
        """List recordings that were opened before."""
        self._recent_paths = tuple(paths)
        self.rows = {}
        _clear(self._recent)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(Label("Recent", 12, 600))
        head.addStretch(1)
        if paths:
            clear = Button("Clear", "quiet", height=26, padding=6)
            clear.clicked.connect(self.clear_recent_asked)
            head.addWidget(clear)
        self._recent.addWidget(_heading_row(head))
        self._recent.addSpacing(4)
        if not paths:
            self._recent.addSpacing(4)
            self._recent.addWidget(Label("Recordings you open will be listed here", 12, 400, "text3", shrink=True))
        for path in paths[:_MOST_RECENT]:
            self.rows[path] = self._recent_row(path)
            self._recent.addWidget(self.rows[path])
        self._recent.addStretch(1)
        if self.isVisible():
            self._look.look(tuple(self.rows))

    def look_again(self) -> None:
        """List the recent recordings as they are now."""
        self.show_recent(self._recent_paths)
        _clear(self._demos)
        self._fill_demos()

    def show_failure(self, failure: Failure | None) -> None:
        """Explain over the drop zone why something could not be opened; None takes it away."""
        if self._error is not None:
            self._column.removeWidget(self._error)
            self._error.hide()
            self._error.deleteLater()
            self._error = None
        if failure is not None:
            self._error = ErrorCard(failure)
            self._error.raw_asked.connect(self.raw_asked)
            self._column.insertWidget(2, self._error)
            self._error.show()
            self._scroll.ensureVisible(0, 0)

    @property
    def failure_words(self) -> str:
        """What is explained over the drop zone; empty where nothing is."""
        return "" if self._error is None else self._error.accessibleName()

    def set_over(self, *, over: bool) -> None:
        """Show that a file hovers over the window."""
        self._zone.set_over(over=over)

    def _fill_demos(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(Label("Demonstration", 12, 600))
        head.addStretch(1)
        head.addWidget(Label("included, no download", 11, 400, "text3", shrink=True))
        self._demos.addWidget(_heading_row(head))
        self._demos.addSpacing(4)
        card = load_card(str(resource_path("demo.edf")))
        row = FileRow("EEG, eyes closed", "hum, blinks, drift; 24 channels", "", icon="wave-sine", card=card)
        row.clicked.connect(self.demo_asked)
        self._demos.addWidget(row)
        self._demos.addStretch(1)

    def _recent_row(self, path: str) -> RecentRow:
        file, card = Path(path), load_card(path)
        facts = card.facts if card is not None and card.facts else str(file.parent)
        when = "" if card is None or card.opened is None else when_words(card.opened, datetime.now())
        row = RecentRow(FileRow(file.name, facts, when, icon="file-text", card=card))
        row.row.setToolTip(path)
        row.row.clicked.connect(lambda: self.chosen.emit(path))
        row.find_asked.connect(lambda: self.find_asked.emit(path))
        return row

    def _on_found(self, path: str, presence: str) -> None:
        if presence in _MISSING and path in self.rows:
            self.rows[path].show_missing(_MISSING[presence])

    def _on_theme(self) -> None:
        self._place()
        self.update()

    def _place(self) -> None:
        self._scroll.setGeometry(self.rect())
        self._narrow.setFixedWidth(max(scaled(320), min(scaled(_WIDTH), self.width() - 64)))

    def showEvent(self, event) -> None:
        super().showEvent(event)
        self._look.look(tuple(self.rows))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            painter.fillRect(self.rect(), colour("canvas"))


def _heading_row(head: QHBoxLayout) -> QWidget:
    """Return the heading of a list: as high with a button in it as without, so that lists side by side begin alike."""
    return ScaledRow(head, _HEADING_HEIGHT)


def _clear(layout: QLayout) -> None:
    """Remove everything from a layout."""
    while layout.count():
        item = layout.takeAt(0)
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        elif inner is not None:
            _clear(inner)
