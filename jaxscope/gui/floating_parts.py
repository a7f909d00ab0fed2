"""Dialogs and popovers of the window: made when they are first asked for, told outcomes while they exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from jaxscope.gui.views.keys_sheet import KeysSheet

if TYPE_CHECKING:
    from jaxscope.gui.main_window import MainWindow
    from jaxscope.gui.window_actions import WindowActions


class FloatingParts:
    """What floats over one window."""

    def __init__(self, window: MainWindow, actions: WindowActions) -> None:
        self._window = window
        self._actions = actions
        self._keys: KeysSheet | None = None

    def show_frame(self, outcome: object) -> None:
        """Tell an outcome to what floats."""

    def open_keys(self) -> None:
        """Open the list of keys."""
        if self._keys is None:
            self._keys = KeysSheet(self._window)
        self._keys.open_sheet()

    def open_export(self) -> None:
        """Open the export dialog."""

    def open_devices(self, anchor: QWidget) -> None:
        """Open the device chooser under its button."""
