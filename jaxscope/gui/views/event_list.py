"""The list of events: search while typing, one text alone, a click or an arrow goes there; tables of them in and out.

A table of one column on a model that holds numbers into the document's events, so ten thousand rows cost nothing but
those that are seen, and arrows, Home, End and a screen reader come with it. A list view would ask for every row before
it scrolls to one; the rows of a table have a height without being asked for.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractListModel, QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from jaxscope.data.annotations import Annotation, place_of
from jaxscope.errors import counted
from jaxscope.gui.components.buttons import Button
from jaxscope.gui.components.floating import Popover
from jaxscope.gui.components.labels import Label, Paragraph
from jaxscope.gui.components.painting import RIGHT, draw_text, rounded
from jaxscope.gui.components.plain_table import PlainTable
from jaxscope.gui.components.select import Select
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.event_looks import looks_of
from jaxscope.gui.theme import font, scaled
from jaxscope.gui.views.base import AbstractView
from jaxscope.gui.views.traces_events import label_of
from jaxscope.gui.views.traces_numbers import clock, span_text
from jaxscope.session.state import SessionState

if TYPE_CHECKING:
    from jaxscope.gui.event_desk import EventDesk

_WIDTH = 420
_ROW, _ROWS = 28, 12
_ALL = ""


class _Events(QAbstractListModel):
    """The events that are listed, by their numbers in the document."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.events: tuple[Annotation, ...] = ()
        self.numbers: Sequence[int] = ()

    def show_events(self, events: tuple[Annotation, ...], numbers: Sequence[int]) -> None:
        """Take other events; where there are as many, only what is seen is asked for again."""
        if len(numbers) == len(self.numbers) > 0:
            self.events, self.numbers = events, numbers
            self.dataChanged.emit(self.index(0), self.index(len(numbers) - 1))
            return
        self.beginResetModel()
        self.events, self.numbers = events, numbers
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.numbers)

    def event_of(self, row: int) -> Annotation | None:
        """Return the event of a row."""
        return self.events[self.numbers[row]] if 0 <= row < len(self.numbers) else None

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        event = self.event_of(index.row())
        if event is None or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        length = f", {span_text(event.duration_s)}" if event.duration_s else ""
        return f"{clock(event.onset_s, 3)} {label_of(event)}{length}"


class _EventDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(scaled(_WIDTH - 40), scaled(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        model, rect = index.model(), QRectF(option.rect)
        assert isinstance(model, _Events)
        event = model.event_of(index.row())
        if event is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = rect.adjusted(0, 1, 0, -1)
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_chosen:
            rounded(painter, card, 6, "after_bg")
        elif option.state & QStyle.StateFlag.State_MouseOver:
            rounded(painter, card, 6, "hover")
        if is_chosen and option.state & QStyle.StateFlag.State_HasFocus:
            rounded(painter, card, 6, None, "focus", 2)
        token = looks_of(model.events).colour_of(event)
        rounded(painter, QRectF(rect.left() + 8, rect.center().y() - 7, 3, 14), 1.5, token)
        time_px = scaled(92)
        when = QRectF(rect.left() + 18, rect.top(), time_px, rect.height())
        draw_text(painter, when, clock(event.onset_s, 3), font(12, 400), "text2")
        length = span_text(event.duration_s) if event.duration_s else ""
        room = rect.adjusted(22 + time_px, 0, -scaled(76) if length else -10, 0)
        draw_text(painter, room, label_of(event), font(12, 500), elide=Qt.TextElideMode.ElideRight)
        draw_text(painter, rect.adjusted(0, 0, -10, 0), length, font(12), "text3", RIGHT)
        painter.restore()


class _EventListView(PlainTable):
    """Enter goes to the event, Delete removes it, F2 edits it."""

    wanted = Signal(int)
    removed = Signal()
    edited = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Events, in order of time")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: self.model().rowCount() - 1}
        if key in ends:
            self.setCurrentIndex(self.model().index(ends[key], 0))
            self.wanted.emit(ends[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.wanted.emit(self.currentIndex().row())
        elif key == Qt.Key.Key_Delete:
            self.removed.emit()
        elif key == Qt.Key.Key_F2:
            self.edited.emit()
        elif key == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)
            self.wanted.emit(self.currentIndex().row())

    def show_rows(self, high_px: int, count: int) -> None:
        """Give every row a height, and the list that of so many rows."""
        self.verticalHeader().setDefaultSectionSize(high_px)
        self.verticalScrollBar().setSingleStep(high_px)
        self.setFixedHeight(high_px * count)


class _SearchField(TextField):
    """Down goes into the list."""

    left_down = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.left_down.emit()
        else:
            super().keyPressEvent(event)


class EventList(Popover, AbstractView):
    """All events, under the header strip."""

    def __init__(self, window: QWidget, desk: EventDesk) -> None:
        super().__init__(window, name="Events", width=_WIDTH)
        self._desk = desk
        self._shown: tuple[Annotation, ...] | None = None
        self._text = _ALL
        self.count = Label("", 12, 400, "text3")
        self.search = _SearchField("Find an event", height=30, icon="search")
        self.search.setPlaceholderText("Find an event")
        self.texts = Select("Only one text", width=150, height=30)
        self.model = _Events(self)
        self.list = _EventListView(self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(_EventDelegate(self.list))
        self.list.show_rows(scaled(_ROW), _ROWS)
        self.nothing = Paragraph("", 12, "text3")
        self.import_button = Button("Import…", "plain", height=28)
        self.export_button = Button("Export…", "plain", height=28)
        self.remove_button = Button("Remove listed", "danger", height=28)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        inner = QVBoxLayout()
        inner.setContentsMargins(16, 14, 16, 12)
        inner.setSpacing(8)
        head = QHBoxLayout()
        head.addWidget(Label("Events", 15, 600))
        head.addStretch(1)
        head.addWidget(self.count)
        find = QHBoxLayout()
        find.setSpacing(8)
        find.addWidget(self.search, 1)
        find.addWidget(self.texts)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.import_button)
        foot.addWidget(self.export_button)
        foot.addStretch(1)
        foot.addWidget(self.remove_button)
        for part in (head, find):
            inner.addLayout(part)
        inner.addWidget(self.list)
        inner.addWidget(self.nothing)
        inner.addLayout(foot)
        self.body.addLayout(inner)

    def _connect(self) -> None:
        desk = self._desk
        self.search.textChanged.connect(lambda _: self._refresh())
        self.search.escaped.connect(self.close_floating)
        self.search.returnPressed.connect(lambda: self._go(max(0, self.list.currentIndex().row())))
        self.search.left_down.connect(self._enter_list)
        self.texts.chosen.connect(self._choose_text)
        self.list.clicked.connect(lambda index: self._go(index.row()))
        self.list.wanted.connect(self._go)
        self.list.removed.connect(desk.remove)
        self.list.edited.connect(self.close_floating)
        self.list.edited.connect(desk.edit)
        self.import_button.clicked.connect(desk.import_table)
        self.export_button.clicked.connect(lambda: desk.export_table(self.listed))
        self.remove_button.clicked.connect(lambda: desk.remove_all(self.listed))

    @property
    def listed(self) -> tuple[Annotation, ...]:
        """The events that are in the list now."""
        return tuple(self.model.events[number] for number in self.model.numbers)

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        if self.isVisible() and state.document.annotations is not self._shown:
            self._refresh()
        elif self.isVisible() and state.viewport.selected_event != previous.viewport.selected_event:
            self._follow_selection()

    def open_under(self, anchor: QWidget, *, gap: int = 2, above: bool = False) -> None:
        self._refresh()
        super().open_under(anchor, gap=gap, above=above)
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def _choose_text(self, text: str) -> None:
        self._text = text
        self._refresh()

    def _refresh(self) -> None:
        events = self._shown = self._desk.events
        texts = looks_of(events).texts
        if self._text not in dict(texts):
            self._text = _ALL
        choices = [(text, f"{text or 'no text'} ({number})") for text, number in texts]
        self.texts.set_choices([(_ALL, "All texts"), *(choice for choice in choices if choice[0])])
        self.texts.set_current(self._text)
        wanted = self.search.text().strip().casefold()
        numbers = self._found(events, wanted)
        self.model.show_events(events, numbers)
        total = counted(len(events), "event").replace(str(len(events)), f"{len(events):,}")
        self.count.setText(total if len(numbers) == len(events) else f"{len(numbers):,} of {total}")
        self.nothing.setText(self._nothing_words(events, wanted) if not numbers else "")
        self.nothing.setVisible(not numbers)
        self.list.setVisible(bool(numbers))
        for button in (self.export_button, self.remove_button):
            button.setEnabled(bool(numbers))
        self._follow_selection()
        self.body.invalidate()
        self._place()

    def _found(self, events: tuple[Annotation, ...], wanted: str) -> Sequence[int]:
        """Return the numbers of the events that have the chosen text and say what is searched for."""
        if not wanted and not self._text:
            return range(len(events))
        own = [number for number, event in enumerate(events) if not self._text or event.text == self._text]
        if not wanted:
            return own
        # few texts stand for very many events: each is looked into once
        said: dict[tuple[str, tuple[str, ...]], bool] = {}
        found = []
        for number in own:
            event = events[number]
            key = (event.text, event.channels)
            if key not in said:
                said[key] = wanted in label_of(event).casefold()
            if said[key]:
                found.append(number)
        return found

    def _nothing_words(self, events: tuple[Annotation, ...], wanted: str) -> str:
        if not events:
            return "No events yet. A adds one at the pointer or over the cursors"
        return f'No event says "{wanted}"' if wanted else "No event has this text"

    def _follow_selection(self) -> None:
        selected = self._desk.selected
        row = -1
        if selected is not None:
            at = place_of(self._desk.events, selected) or 0
            numbers = self.model.numbers
            place = bisect_left(numbers, at)
            row = place if place < len(numbers) and numbers[place] == at else -1
        index = self.model.index(row) if row >= 0 else QModelIndex()
        self.list.setCurrentIndex(index)
        if row >= 0:
            self.list.scrollTo(index)

    def _enter_list(self) -> None:
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        if self.model.numbers:
            row = max(0, self.list.currentIndex().row())
            self.list.setCurrentIndex(self.model.index(row))
            self._go(row)

    def _go(self, row: int) -> None:
        event = self.model.event_of(row)
        if event is not None and event != self._desk.selected:
            self._desk.go_to(event)
