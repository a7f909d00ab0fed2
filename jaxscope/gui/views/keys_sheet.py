"""The list of keys, made from the table that the shortcuts are made from, with a search."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from jaxscope.gui.assets import KeyBinding
from jaxscope.gui.components.floating import Sheet
from jaxscope.gui.components.labels import KeyCap, Label, Paragraph
from jaxscope.gui.components.painting import begin, text_width
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.key_router import bound_rows
from jaxscope.gui.key_table import CHANGEABLE, key_table, key_words
from jaxscope.gui.taking_turns import TakingTurns
from jaxscope.gui.theme import colour, font, scaled, theme

#: Tasks in their order, with their titles; the parts of the dock stand as the table has them.
_GROUPS = (
    ("move", "Move"),
    ("look", "Look"),
    ("compare", "Compare"),
    ("filter", "Filter"),
    ("everything", "Everything"),
    ("number", "In a number"),
    ("chain", "In the list of stages"),
    ("table", "In the coefficient table"),
    ("plane", "On the pole-zero plane"),
    ("response", "In the response"),
    ("overview", "On the overview"),
    ("sweep", "In the sweep"),
    ("fit", "On the traces, while fitting"),
)
_COLUMNS = 3
#: room for what a key does
_WORDS_PX = 208
_KEYS_PX = 112


def listed_rows() -> dict[str, list[KeyBinding]]:
    """Return what is listed by task: everything that a key does now, keys that do the same together."""
    bound = bound_rows()
    listed: dict[str, dict[str, KeyBinding]] = {}
    for row in key_table().rows:
        if not row.keys or (row.context in CHANGEABLE and (row.context, row.does) not in bound):
            continue
        group = listed.setdefault(row.group, {})
        keys = group[row.does].keys if row.does in group else ()
        group[row.does] = replace(row, keys=(*keys, *row.keys))
    return {name: list(listed[name].values()) for name, _ in _GROUPS if name in listed}


class _Group(QWidget):
    """The keys of one task; empty until it is filled, as all of them are some 600 widgets."""

    def __init__(self, title: str, rows: list[KeyBinding]) -> None:
        super().__init__()
        self._title, self._rows = title, rows

    def fill(self) -> None:
        """Put the keys and what they do into it."""
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 16)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(5)
        grid.setColumnMinimumWidth(0, scaled(_KEYS_PX))
        grid.setColumnStretch(1, 1)
        grid.addWidget(Label(self._title, 14, 600), 0, 0, 1, 2)
        for place, row in enumerate(self._rows, start=1):
            caps = QHBoxLayout()
            caps.setSpacing(4)
            for key in row.keys[:2]:
                caps.addWidget(KeyCap(key_words(key)))
            caps.addStretch(1)
            grid.addLayout(caps, place, 0)
            grid.addWidget(_words(row.does.partition(";")[0]), place, 1)


def _words(words: str) -> QWidget:
    """Return what a key does: in one line, or in several where that is too long."""
    if text_width(words, font(12)) <= scaled(_WORDS_PX):
        return Label(words, 12, 400, "text2", shrink=True)
    paragraph = Paragraph(words, 12, "text2")
    paragraph.setFixedHeight(paragraph.heightForWidth(scaled(_WORDS_PX)))
    return paragraph


def _searched(row: KeyBinding) -> str:
    """Return what the search looks through: words and keys."""
    return " ".join((row.does, *map(key_words, row.keys))).casefold()


class KeysSheet(Sheet):
    """All keys, in three columns."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, title="Keys", width=1080, height=660)
        self._turns = TakingTurns(self)
        self._search = TextField("Search", width=260, icon="search")
        self._search.setPlaceholderText("Type to search")
        self._search.textEdited.connect(self._fill)
        self._search.escaped.connect(self.close_floating)
        self.footer.addWidget(self._search)
        self.footer.addStretch(1)
        words = "Letters act only while the traces have the focus, never while you type in a field."
        self.footer.addWidget(Label(words, 12, 400, "text2"))
        self._scroll = QScrollArea()
        self._scroll.setAccessibleName("List of keys")
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.body.addWidget(self._scroll)
        key_table().changed.connect(self._fill_if_shown)
        theme().changed.connect(self._fill_if_shown)

    def open_sheet(self) -> None:
        super().open_sheet()
        self._fill_again()

    def close_floating(self) -> None:
        super().close_floating()
        page = self._scroll.takeWidget()
        if page is not None:  # opening makes it anew, and until then no change of theme goes through its rows
            page.deleteLater()

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._fill_if_shown()

    def _fill_if_shown(self) -> None:
        # opening fills it anyway: one that is closed has no one to fill it for
        if self.isVisible():
            self._fill_again()

    def _fill_again(self) -> None:
        self._fill(self._search.text())

    def _fill(self, text: str) -> None:
        page = _Page()
        count = max(1, min(_COLUMNS, self._scroll.width() // scaled(_WORDS_PX + _KEYS_PX + 16)))
        columns = [QVBoxLayout() for _ in range(count)]
        row = QHBoxLayout(page)
        row.setContentsMargins(20, 16, 20, 4)
        row.setSpacing(16)
        for column in columns:
            row.addLayout(column, 1)
        heights, groups = [0] * count, list[_Group]()
        titles = dict(_GROUPS)
        wanted = text.casefold()
        for group, rows in listed_rows().items():
            found = [row for row in rows if wanted in _searched(row)]
            if found:
                shortest = heights.index(min(heights))
                groups.append(_Group(titles[group], found))
                columns[shortest].addWidget(groups[-1])
                heights[shortest] += len(found) + 2
        for column in columns:
            column.addStretch(1)
        self._scroll.setWidget(page)
        self._turns.take(groups, _Group.fill)
        # painted once, after them: with each group all that lies behind the sheet would be painted as well
        self._turns.take([page])


class _Page(QWidget):
    def paintEvent(self, event: QPaintEvent) -> None:
        with begin(self) as painter:
            painter.fillRect(QRectF(self.rect()), colour("raised"))
