"""The keys that are in force: the table of the program with what this person has changed.

There is one table for the process, so every window, menu, list of keys and shortcut says the same. Only the keys of the
window, the traces and the overview can be changed: those of numbers, tables and plots belong to what has the focus.
Invariant: no key is bound twice in a context, and no context uses a key of the window; ``taken_by`` names who has it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QKeySequence

from jaxscope.gui.assets import KeyBinding, keymap
from jaxscope.session.settings import KeyChoices, key_row

#: Contexts whose keys may be changed.
CHANGEABLE = ("anywhere", "traces", "overview")
_PAGES = {"PgUp": "Shift+PgUp", "PgDown": "Shift+PgDown", "Shift+PgUp": "PgUp", "Shift+PgDown": "PgDown"}


def key_sequence(text: str) -> QKeySequence:
    """Return a key of the table as Qt knows it."""
    known = text.replace("Esc", "Escape").replace("PgDn", "PgDown").replace("Enter", "Return")
    return QKeySequence(known)


def portable(text: str) -> str:
    """Return a key of the table in one way of writing."""
    return key_sequence(text).toString(QKeySequence.SequenceFormat.PortableText)


def key_words(text: str) -> str:
    """Return a key as it is shown on caps and in tooltips: ``"Ctrl Shift Z"``."""
    arrows = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓", "PgDown": "PgDn", "Return": "Enter"}
    plus = text.replace("++", "+plus") if text.endswith("++") else text
    parts = ["+"] if text == "+" else plus.split("+")
    return " ".join("+" if part == "plus" else arrows.get(part, part) for part in parts)


class KeyTable(QObject):
    """The rows of the table as they are in force."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._choices: KeyChoices = ()
        self._page_keys = "channels"
        self._rows: tuple[KeyBinding, ...] = keymap()

    @property
    def rows(self) -> tuple[KeyBinding, ...]:
        """Every row with its keys of now, in the order of the table."""
        return self._rows

    def choose(self, choices: KeyChoices, page_keys: str = "channels") -> None:
        """Take what a person has changed; a row that the program does not know is kept but does nothing."""
        if (choices, page_keys) == (self._choices, self._page_keys):
            return
        self._choices, self._page_keys = choices, page_keys
        self._rows = tuple(_with(row, dict(choices), page_keys) for row in _joined(keymap(), dict(choices)))
        self.changed.emit()

    def keys_of(self, context: str, does: str) -> tuple[str, ...]:
        """Return the keys that do something now."""
        return tuple(key for row in self._rows if (row.context, row.does) == (context, does) for key in row.keys)

    def usual_keys(self, context: str, does: str) -> tuple[str, ...]:
        """Return the keys that the program gives it."""
        usual = (_with(row, {}, self._page_keys) for row in keymap())
        return tuple(key for row in usual if (row.context, row.does) == (context, does) for key in row.keys)

    def taken_by(self, context: str, does: str, key: str) -> tuple[KeyBinding, ...]:
        """Return the rows that a key already belongs to where it would be in the way of another."""
        wanted = portable(key)
        others = (row for row in self._rows if (row.context, row.does) != (context, does))
        return tuple(
            row for row in others if _meet(row.context, context) and wanted in {portable(own) for own in row.keys}
        )


def _meet(one: str, other: str) -> bool:
    """Whether keys of two contexts would be in each other's way."""
    return one == other or "anywhere" in (one, other)


def _joined(rows: Iterable[KeyBinding], choices: dict[str, tuple[str, ...]]) -> list[KeyBinding]:
    """Return the rows, those that do the same thing and were changed as one."""
    joined: dict[str, KeyBinding] = {}
    for number, row in enumerate(rows):
        name = key_row(row.context, row.does)
        joined.setdefault(name if name in choices else f"{name} {number}", row)
    return list(joined.values())


def _with(row: KeyBinding, choices: dict[str, tuple[str, ...]], page_keys: str) -> KeyBinding:
    chosen = choices.get(key_row(row.context, row.does)) if row.context in CHANGEABLE else None
    if chosen is not None:
        return replace(row, keys=tuple(key for key in chosen if not key_sequence(key).isEmpty()))
    if page_keys == "time" and row.context == "traces":
        return replace(row, keys=tuple(_PAGES.get(key, key) for key in row.keys))
    return row


def with_choice(choices: KeyChoices, row: str, keys: tuple[str, ...] | None) -> KeyChoices:
    """Return the choices with other keys for a row; None goes back to the usual ones."""
    kept = tuple(item for item in choices if item[0] != row)
    return kept if keys is None else (*kept, (row, keys))


_table: list[KeyTable] = []


def key_table() -> KeyTable:
    """Return the one table of this process."""
    if not _table:
        _table.append(KeyTable())
    return _table[0]
