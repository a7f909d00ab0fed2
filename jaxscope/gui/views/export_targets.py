"""What can be exported beside the recording itself: a figure of the traces, and what is seen as a table.

Each target is a page of the export dialog with a path of its own; the dialog asks before it replaces a file, starts the
work and shows how far it is. A target is a page, and a line in ``TargetStack``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from jaxscope.compute.code_frames import CodeChecked, CodeText
from jaxscope.compute.export_job import AnyExport
from jaxscope.compute.frames import DesignFrame
from jaxscope.compute.view_export import ViewRequest
from jaxscope.data.recording import RecordingInfo
from jaxscope.filters.spec import FilterChain
from jaxscope.gui.components.buttons import IconButton
from jaxscope.gui.components.labels import Label
from jaxscope.gui.components.painting import draw_text, focus_ring, rounded
from jaxscope.gui.components.rows import keep_width
from jaxscope.gui.components.scrolling import scrolling
from jaxscope.gui.components.segmented import SegmentedControl
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.figure import SUFFIXES, Figure, FigureRequest
from jaxscope.gui.icons import draw_icon
from jaxscope.gui.theme import font, scaled
from jaxscope.gui.views.export_dialog_parts import Rule, channel_count, labelled_row, raw_channels
from jaxscope.session.state import SessionState

FigureOf = Callable[[Literal["dark", "light"]], Figure]
_ROW = 46


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One thing that can be exported: its name, what it is for, and what its button says."""

    key: str
    title: str
    note: str
    icon: str
    button: str


RECORDING = Target(
    key="recording", title="Recording", note="filtered signal", icon="file-export", button="Export recording"
)
FIGURE = Target(key="figure", title="Figure", note="PNG, SVG, PDF", icon="photo", button="Save figure")
SEEN = Target(key="seen", title="What you see", note="samples as CSV", icon="table", button="Save table")


class TargetPage(QWidget):
    """A page of the export dialog: rows of choices, and where to save."""

    #: something was changed: a question whether to replace a file is not answered any more
    changed = Signal()
    #: what stands in the footer is another
    noted = Signal()

    def __init__(self, target: Target, suffixes: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.target = target
        self._suffixes = suffixes
        self.path = TextField("Save as", height=30)
        self.browse = IconButton("folder", "Choose where to save", size=30, icon_size=17)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(24, 20, 24, 0)
        self.column.setSpacing(10)
        self.path.textEdited.connect(lambda _: self.changed.emit())
        self.browse.clicked.connect(self._on_browse)

    def begin(self, source: str) -> None:
        """Suggest where to save: beside the recording."""
        if not self.path.text():
            place = Path(source) if source else Path("traces")
            self.path.setText(str(place.with_name(f"{place.stem}-{self.target.key}{self._suffixes[0]}")))

    def footnote(self) -> str:
        """Return what the footer says of what will be saved."""
        return ""

    def complaint(self) -> str | None:
        """Return why this cannot be saved, or None."""
        path = self.path.text().strip()
        if not path:
            return "Choose where to save."
        if Path(path).suffix.lower() not in self._suffixes:
            return f"{Path(path).name} must end in {' or '.join(self._suffixes)}."
        return None

    def request(self, *, overwrite: bool) -> AnyExport:
        """Return what to write now."""
        raise NotImplementedError(f"{self.target.key} writes nothing")

    def _row(self, words: str, *parts: QWidget, note: str = "") -> None:
        told = Label(note, 12, 400, "text3", shrink=True) if note else None
        filled = (*parts, told) if told is not None or self.path not in parts else parts
        self.column.addLayout(labelled_row(words, filled, wide=(self.path, *([told] if told is not None else []))))

    def _on_browse(self) -> None:
        kinds = " ".join(f"*{suffix}" for suffix in self._suffixes)
        path, _ = QFileDialog.getSaveFileName(self.window(), self.target.button, self.path.text(), kinds)
        if path:
            self.path.setText(path)
            self.changed.emit()


class FigurePage(TargetPage):
    """A figure of the traces as they are on the screen."""

    def __init__(self, figure_of: FigureOf, parent: QWidget | None = None) -> None:
        super().__init__(FIGURE, SUFFIXES, parent)
        self._figure_of = figure_of
        formats = [(suffix, suffix[1:].upper()) for suffix in SUFFIXES]
        self.format = SegmentedControl(formats, name="Format")
        self.look = SegmentedControl([("light", "Light, for print"), ("dark", "Dark")], name="Colours")
        self.note = Label("", 12, 400, "text3", shrink=True)
        self.column.addLayout(labelled_row("Format", (self.format, self.note), wide=(self.note,)))
        self._row("Colours", self.look)
        self._row("Save as", self.path, self.browse)
        words = "The traces as they are on the screen, with axes, names, scale bars and legend."
        self._row("", note=words)
        self.column.addStretch(1)
        self.format.chosen.connect(self._on_format)
        self.path.textEdited.connect(lambda _: self._show_format())
        self.look.set_current("light")
        self._show_format()

    def begin(self, source: str) -> None:
        super().begin(source)
        self._show_format()

    def request(self, *, overwrite: bool) -> FigureRequest:
        look: Literal["dark", "light"] = "dark" if self.look.current == "dark" else "light"
        return FigureRequest(path=self.path.text().strip(), figure=self._figure_of(look), overwrite=overwrite)

    def _on_format(self, suffix: str) -> None:
        path = Path(self.path.text().strip() or "traces")
        self.path.setText(str(path.with_suffix(suffix)))
        self._show_format()
        self.changed.emit()

    def _show_format(self) -> None:
        suffix = Path(self.path.text().strip()).suffix.lower() or SUFFIXES[0]
        self.format.set_current(suffix if suffix in SUFFIXES else None)
        notes = {".png": "Pixels, twice as many as on the screen", ".svg": "Lines and words, for the web and drawing"}
        self.note.setText(notes.get(suffix, "Lines and words, for papers"))


class SeenPage(TargetPage):
    """The samples of the visible channels in the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(SEEN, (".csv",), parent)
        self._row("Save as", self.path, self.browse)
        words = "time_s, then before and after of each visible channel: the samples themselves, no offset removed."
        self._row("", note=words)
        self.column.addStretch(1)

    def request(self, *, overwrite: bool) -> ViewRequest:
        return ViewRequest(path=self.path.text().strip(), overwrite=overwrite)


class TargetList(QListWidget):
    """The list at the left of the export dialog."""

    #: a target was chosen, by its key
    chosen = Signal(str)

    def __init__(self, targets: tuple[Target, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("What to export")
        keep_width(self, 200)
        self.setFrameShape(QListWidget.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setItemDelegate(_Delegate(targets, self))
        self.setStyleSheet("QListWidget { background: transparent; padding: 8px; outline: 0; }")
        for target in targets:
            item = QListWidgetItem(target.title)
            item.setData(Qt.ItemDataRole.UserRole, target.key)
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, target.note)
            self.addItem(item)
        self.setCurrentRow(0)
        self.currentItemChanged.connect(lambda item, _: self.chosen.emit(item.data(Qt.ItemDataRole.UserRole)))


class TargetStack(QWidget):
    """The list of targets, the page of the one that is chosen, and below it what is said about it.

    Parameters
    ----------
    figure_of : callable or None
        Returns a figure of the traces; without it there are no figures.
    notes : sequence of QWidget
        What is said, under any page.
    ask : callable
        Starts an export: what code is looked at is one that is only shown.
    cancel : callable
        Ends one.
    """

    #: another target was chosen
    turned = Signal()

    def __init__(
        self,
        figure_of: FigureOf | None,
        notes: Sequence[QWidget],
        ask: Callable[[AnyExport], int],
        cancel: Callable[[int], None],
        parent: QWidget | None = None,
    ) -> None:
        from jaxscope.gui.views.export_code_page import code_pages

        super().__init__(parent)
        self.codes = code_pages(ask, cancel)
        made: list[TargetPage] = [*self.codes, *([] if figure_of is None else [FigurePage(figure_of)]), SeenPage()]
        self.pages = {page.target.key: page for page in made}
        self.list = TargetList((RECORDING, *(page.target for page in made)))
        self.recording = QWidget()
        self.target = RECORDING
        self._stack = QStackedWidget()
        self._areas: dict[QWidget, QScrollArea] = {page: scrolling(page) for page in (self.recording, *made)}
        for area in self._areas.values():
            self._stack.addWidget(area)
        said = QVBoxLayout()
        said.setContentsMargins(24, 0, 24, 12)
        for note in notes:
            said.addWidget(note)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self._stack, 1)
        right.addLayout(said)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.list)
        row.addWidget(Rule())
        row.addLayout(right, 1)
        self.list.chosen.connect(self._turn)

    def show_chain(self, chains: tuple[FilterChain, ...], frame: DesignFrame, info: RecordingInfo | None) -> None:
        """Tell the pages of code which chain there is to write down, at which rate."""
        for page in self.codes if frame.chain < len(chains) else ():
            n_channels = channel_count(chains, frame.chain, info)
            raw = raw_channels(chains, info)
            page.show_chain(chains[frame.chain], frame.rate_hz, n_channels, at=frame.chain, raw=raw)

    def show_state(self, state: SessionState) -> None:
        """Tell the pages of code on which view it is checked."""
        for page in self.codes:
            page.show_state(state)

    def show_text(self, outcome: CodeText | CodeChecked) -> None:
        """Show a chain that was written down, or what running it gave."""
        for page in self.codes:
            if isinstance(outcome, CodeText):
                page.show_text(outcome)
            else:
                page.show_check(outcome)

    @property
    def page(self) -> TargetPage | None:
        """The page of the target that is chosen, None for the recording."""
        return self.pages.get(self.target.key)

    def _turn(self, key: str) -> None:
        self.target = self.pages[key].target if key in self.pages else RECORDING
        self._stack.setCurrentWidget(self._areas[self.page or self.recording])
        self.turned.emit()


class _Delegate(QStyledItemDelegate):
    """Paints a target: icon, name, what it is for."""

    def __init__(self, targets: tuple[Target, ...], parent: QListWidget) -> None:
        super().__init__(parent)
        self._targets = targets

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(scaled(180), scaled(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        target, rect = self._targets[index.row()], QRectF(option.rect).adjusted(0, 1, 0, -1)
        state = option.state
        is_selected = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if is_selected or state & QStyle.StateFlag.State_MouseOver:
            rounded(painter, rect, 6, "hover")
        if is_selected and state & QStyle.StateFlag.State_HasFocus:
            focus_ring(painter, rect, 6)
        middle = rect.center().y()
        side, high = scaled(18), scaled(18)
        spot = QRectF(rect.left() + 11, middle - side / 2, side, side)
        draw_icon(painter, target.icon, spot, "after" if is_selected else "text2")
        words = rect.adjusted(23 + side, 0, -6, 0)
        draw_text(painter, QRectF(words.left(), middle - high, words.width(), high), target.title, font(13, 500))
        draw_text(painter, QRectF(words.left(), middle, words.width(), scaled(16)), target.note, font(11), "text3")
        painter.restore()
