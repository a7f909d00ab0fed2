"""Tooltips that name a key: the key is taken from the table, and follows when a person changes it.

Invariant: no tooltip has a key written out, so none can name one that does something else. A tip lives as long as the
widget it is for.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from jaxscope.gui.key_table import key_table, key_words

#: (context, what it does): a row of the table of keys
Row = tuple[str, str]


def with_key(words: str, *rows: Row) -> str:
    """Return words with the first key of each row behind them; without any where none has one."""
    keys = [keys[0] for keys in (key_table().keys_of(*row) for row in rows) if keys]
    return f"{words} [{', '.join(map(key_words, keys))}]" if keys else words


class KeyTip(QObject):
    """The tooltip of one widget.

    Parameters
    ----------
    widget : QWidget
        What the tip is for.
    words : str
        What it says before the key.
    rows : tuple of (context, what it does)
        Rows of the table of keys.
    write : callable or None
        Takes the whole tip; None sets the tooltip of the widget.
    """

    def __init__(self, widget: QWidget, words: str, *rows: Row, write: Callable[[str], object] | None = None) -> None:
        super().__init__(widget)
        self._words = words
        self._rows = rows
        self._write = widget.setToolTip if write is None else write
        key_table().changed.connect(self._show)
        self._show()

    def say(self, words: str, *rows: Row) -> None:
        """Say something else, with the keys of other rows or with none."""
        if (words, rows) != (self._words, self._rows):
            self._words, self._rows = words, rows
            self._show()

    def _show(self) -> None:
        self._write(with_key(self._words, *self._rows))
