"""The menu behind the first button: made from the table of commands, so it never names a key that does not work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from jaxscope.gui.command_table import COMMANDS
from jaxscope.gui.commands import MENUS, Command, key_words
from jaxscope.gui.icons import icon

if TYPE_CHECKING:
    from jaxscope.gui.window_actions import WindowActions


def open_main_menu(window: QWidget, actions: WindowActions, where: QPoint) -> None:
    """Open the menu at a global position."""
    menu = build_menu(window, actions)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.popup(where)


def build_menu(window: QWidget, actions: WindowActions) -> QMenu:
    """Return the menu with the entries as they are now."""
    menu = QMenu(window)
    for title in MENUS:
        entries = [command for command in COMMANDS if command.menu == title]
        if not entries:
            continue
        part = menu.addMenu(title)
        section = entries[0].section
        for command in entries:
            if command.section != section:
                part.addSeparator()
                section = command.section
            _add_entry(part, command, actions)
    return menu


def _add_entry(menu: QMenu, command: Command, actions: WindowActions) -> None:
    key = command.shown_key
    text = f"{command.text}\t{key_words(key)}" if key else command.text
    entry = menu.addAction(text)
    if command.icon is not None and command.is_on is None:
        entry.setIcon(icon(command.icon))
    if command.is_on is not None:
        entry.setCheckable(True)
        entry.setChecked(command.is_on(actions))
    if command.is_enabled is not None:
        entry.setEnabled(command.is_enabled(actions))
    entry.triggered.connect(lambda: command.run(actions))
