"""Dialogs and popovers of the window: made when they are first asked for, then told everything like any view.

What they missed before they were made is kept, the newest of each kind, and told to them first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from jaxscope.compute.device_frames import Devices
from jaxscope.compute.frames import AgreementFrame, DesignFrame, Frame, Opened
from jaxscope.gui.palette_entries import palette_entries
from jaxscope.gui.views.base import AbstractView
from jaxscope.gui.views.goto import GotoPopover
from jaxscope.gui.views.palette import Palette
from jaxscope.gui.views.traces_numbers import clock
from jaxscope.session.state import SessionState

if TYPE_CHECKING:
    from jaxscope.gui.main_window import MainWindow
    from jaxscope.gui.views.devices import DevicesPopover
    from jaxscope.gui.views.export_dialog import ExportDialog
    from jaxscope.gui.views.history import HistoryPopover
    from jaxscope.gui.views.import_sheet import ImportSheet
    from jaxscope.gui.views.keys_sheet import KeysSheet
    from jaxscope.gui.views.montage_popover import MontagePopover
    from jaxscope.gui.views.settings_sheet import SettingsSheet
    from jaxscope.gui.views.warnings_sheet import WarningsSheet
    from jaxscope.gui.window_actions import WindowActions

_KEPT = (Opened, Frame, DesignFrame, AgreementFrame, Devices)


class FloatingParts(AbstractView):
    """What floats over one window."""

    def __init__(self, window: MainWindow, actions: WindowActions) -> None:
        self._window = window
        self._actions = actions
        self._missed: dict[type, object] = {}
        self._keys: KeysSheet | None = None
        self._export: ExportDialog | None = None
        self._devices: DevicesPopover | None = None
        self._history: HistoryPopover | None = None
        self._montage: MontagePopover | None = None
        self._import: ImportSheet | None = None
        self._warnings: WarningsSheet | None = None
        self._palette: Palette | None = None
        self._goto: GotoPopover | None = None
        self._settings: SettingsSheet | None = None

    @property
    def _made(self) -> tuple[AbstractView, ...]:
        parts = (self._export, self._devices, self._history, self._import, self._montage)
        return tuple(part for part in parts if part is not None)

    @property
    def is_export_open(self) -> bool:
        """Whether the export dialog is on the screen."""
        return self._export is not None and self._export.isVisible()

    def show_state(self, state: SessionState, previous: SessionState) -> None:
        """Tell a state to what floats."""
        for part in self._made:
            part.show_state(state, previous)

    def show_frame(self, outcome: object) -> None:
        """Tell an outcome to what floats, and keep it for what is made later."""
        if isinstance(outcome, _KEPT):
            self._missed[type(outcome)] = outcome
        for part in self._made:
            part.show_frame(outcome)  # type: ignore[arg-type]

    def open_keys(self) -> None:
        """Open the list of keys."""
        if self._keys is None:
            from jaxscope.gui.views.keys_sheet import KeysSheet

            self._keys = KeysSheet(self._window)
        self._keys.open_sheet()

    def open_palette(self) -> None:
        """Open the palette of commands, or close it."""
        if self._palette is None:
            self._palette = Palette(self._window, lambda: palette_entries(self._actions))
        if self._palette.isVisible():
            self._palette.close_floating()
        else:
            self._palette.open_palette()

    @property
    def palette(self) -> Palette | None:
        """The palette, once it was needed."""
        return self._palette

    def open_settings(self) -> None:
        """Open the settings."""
        if self._settings is None:
            from jaxscope.gui.views.settings_sheet import SettingsSheet

            self._settings = SettingsSheet(self._window, lambda: self._actions.settings, self._actions.change_settings)
        self._settings.open_sheet()

    @property
    def settings(self) -> SettingsSheet | None:
        """The settings, once they were needed."""
        return self._settings

    def open_goto(self, anchor: QWidget) -> None:
        """Open the field that goes to a time, under a widget."""
        shell = self._actions.shell
        if self._goto is None:
            self._goto = GotoPopover(self._window, shell.second_of, shell.go_to, shell.add_cursor)
        self._goto.ask(anchor, clock(shell.viewport.start_s, 3))

    @property
    def goto(self) -> GotoPopover | None:
        """The field that goes to a time, once it was needed."""
        return self._goto

    def ask_import(self, path: str, told: dict[str, str] | None = None) -> None:
        """Ask what a file does not tell itself, and open it with that."""
        if self._import is None:
            from jaxscope.gui.views.import_sheet import ImportSheet

            self._import = ImportSheet(self._window, self._actions.conductor.preview)
            self._import.answered.connect(self._actions.open_as_told)
        self._import.ask(path, told)

    def open_warnings(self, sentences: Sequence[str]) -> None:
        """Show everything that was mended or assumed to open the recording."""
        if self._warnings is None:
            from jaxscope.gui.views.warnings_sheet import WarningsSheet

            self._warnings = WarningsSheet(self._window)
        self._warnings.show_sentences(sentences)

    @property
    def warnings_sheet(self) -> WarningsSheet | None:
        """The list of what was mended, once it was needed."""
        return self._warnings

    @property
    def import_sheet(self) -> ImportSheet | None:
        """The sheet that asks about a file, once it was needed."""
        return self._import

    def open_export(self) -> None:
        """Open the export dialog."""
        if self._export is None:
            from jaxscope.gui.views.export_dialog import ExportDialog

            conductor = self._actions.conductor
            self._export = ExportDialog(self._window, conductor.export, conductor.cancel, self._actions.figure)
            self._catch_up(self._export)
        self._export.open_sheet()

    def open_devices(self, anchor: QWidget) -> None:
        """Open the device chooser under its button, or close it."""
        if self._devices is None:
            from jaxscope.gui.views.devices import CpuDevices, DevicesPopover

            shell = self._actions.shell
            actions = self._actions
            cpu_devices = CpuDevices(
                read=lambda: actions.settings.cpu_devices,
                change=lambda count: actions.change_settings(replace(actions.settings, cpu_devices=count)),
            )
            conductor = actions.conductor
            self._devices = DevicesPopover(
                self._window, shell.dispatch, conductor.ask_devices, conductor.stop_measuring, cpu_devices
            )
            self._catch_up(self._devices)
        if self._devices.isVisible():
            self._devices.close_floating()
        else:
            self._devices.open_under(anchor)

    def open_history(self, anchor: QWidget) -> None:
        """Open what was done, or close it."""
        if self._history is None:
            from jaxscope.gui.views.history import HistoryPopover

            self._history = HistoryPopover(self._window, self._actions.shell.store)
        if self._history.isVisible():
            self._history.close_floating()
        else:
            self._history.open_under(anchor)

    def open_montage(self, anchor: QWidget) -> None:
        """Open the montage chooser under a widget, or close it."""
        if self._montage is None:
            from jaxscope.gui.views.montage_popover import MontagePopover

            shell = self._actions.shell
            self._montage = MontagePopover(self._window, shell.dispatch, lambda: shell.state, lambda: shell.recorded)
        if self._montage.isVisible():
            self._montage.close_floating()
        else:
            self._montage.open_under(anchor, gap=6)

    @property
    def montage(self) -> MontagePopover | None:
        """The montage chooser, once it was needed."""
        return self._montage

    @property
    def history(self) -> HistoryPopover | None:
        """What was done, once it was asked for."""
        return self._history

    def _catch_up(self, part: AbstractView) -> None:
        state = self._actions.shell.state
        part.show_state(state, state)
        for outcome in self._missed.values():
            part.show_frame(outcome)  # type: ignore[arg-type]
