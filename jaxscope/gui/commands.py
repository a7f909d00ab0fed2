"""What a command is: everything that can be done by a key or from the menu, its keys read from the table of keys.

Shortcuts, menus and the list of keys all come from ``command_table``, so none of them can say something else.
A command names rows of ``keymap.json`` by (context, words); a row that no command names is a part that does not exist
yet, and has neither key nor menu entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxscope.gui.key_table import key_sequence, key_table, key_words

if TYPE_CHECKING:
    from jaxscope.gui.window_actions import WindowActions

__all__ = ["MENUS", "RAW_ROW", "Command", "everywhere", "has_recording", "here", "key_sequence", "key_words"]

Run = Callable[["WindowActions"], object]
Test = Callable[["WindowActions"], bool]

#: Menus in their order.
MENUS = ("File", "Edit", "View", "Filter", "Compute", "Help")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One thing that can be done.

    ``rows`` are (context, words) in the table of keys. ``menu`` is empty for a command without an entry. ``is_on``
    makes it an entry with a mark. ``section`` parts a menu. ``needs`` says what is missing where it cannot be run.
    """

    name: str
    text: str
    run: Run
    rows: tuple[tuple[str, str], ...] = ()
    menu: str = ""
    section: int = 0
    icon: str | None = None
    is_enabled: Test | None = None
    is_on: Test | None = None
    needs: str = "No recording is open"

    def why_not(self, window: WindowActions) -> str:
        """Return why it cannot be run now; empty where it can."""
        if self.is_enabled is None or self.is_enabled(window):
            return ""
        return self.needs

    def keys(self, context: str) -> tuple[str, ...]:
        """Return the keys of one context."""
        return tuple(
            key
            for row in key_table().rows
            if row.context == context and (row.context, row.does) in self.rows
            for key in row.keys
        )

    @property
    def shown_key(self) -> str:
        """The first key, as it is shown in menus."""
        for context in ("anywhere", "traces", "overview", "fit"):
            keys = self.keys(context)
            if keys:
                return keys[0]
        return ""


def here(words: str) -> tuple[tuple[str, str], ...]:
    """Return the row of a key of the traces."""
    return (("traces", words),)


def everywhere(words: str) -> tuple[tuple[str, str], ...]:
    """Return the row of a shortcut of the window."""
    return (("anywhere", words),)


def has_recording(window: WindowActions) -> bool:
    """Whether anything is open."""
    return window.shell.has_recording


#: The row of the key that hides the filter while it is held; the key router knows it by itself.
RAW_ROW = ("traces", "R", "tap: raw on or off; hold: raw while held")
