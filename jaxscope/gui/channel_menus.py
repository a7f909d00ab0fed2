"""The menus of a channel: its row, its chain, its colour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from jaxscope.compute.shown_channels import shown_channels
from jaxscope.gui.icons import icon
from jaxscope.gui.shell import Shell
from jaxscope.gui.views.channel_sheet import COLOURS, ChannelSheet
from jaxscope.session import actions as act
from jaxscope.session.state import CHAIN_TAGS


def look_title(label: str, name: str) -> str:
    """Return how a menu names a channel: as it is shown, and as the file has it where that differs."""
    return f"{label} ({name})" if label else name


def add_heading(menu: QMenu, words: str) -> None:
    """Add words that are no entry: what the menu, or the part of it below, is about."""
    menu.addAction(words).setEnabled(False)


class ChannelMenus:
    """Opens the menus of channels over one window."""

    def __init__(
        self, window: QWidget, shell: Shell, copy_values: Callable[[], object], add_event: Callable[[], object]
    ) -> None:
        self.window = window
        self.shell = shell
        self.copy_values = copy_values
        self.add_event = add_event
        self._sheet: ChannelSheet | None = None

    def open_sheet(self, name: str) -> None:
        """Open the sheet on which the look of a channel is typed."""
        if self._sheet is None:
            self._sheet = ChannelSheet(self.window, self.shell.dispatch, lambda: self.shell.state)
            self.shell.store.subscribe(self._sheet.show_state)
        self._sheet.ask(name)

    @property
    def sheet(self) -> ChannelSheet | None:
        """The sheet of a channel, once it was needed."""
        return self._sheet

    def open_channel_menu(self, name: str, where: QPoint) -> None:
        """Open the menu of a channel."""
        menu = QMenu(self.window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        add_heading(menu, look_title(self.shell.state.document.look_of(name).label, name))
        look = self.shell.state.document.look_of(name)
        menu.addAction(icon("eye-off"), "Hide", lambda: self.shell.dispatch(act.HideChannels(names=(name,))))
        alone = "All channels" if self.shell.viewport.lane_count == 1 else "This channel alone"
        menu.addAction(icon("viewfinder"), alone, lambda: self.toggle_alone(name))
        menu.addSeparator()
        menu.addAction("Taller", lambda: self._change(name, gain=look.gain * 1.25))
        menu.addAction("Flatter", lambda: self._change(name, gain=look.gain * 0.8))
        menu.addAction("Higher by a quarter row", lambda: self._change(name, offset=look.offset + 0.25))
        menu.addAction("Lower by a quarter row", lambda: self._change(name, offset=look.offset - 0.25))
        menu.addAction(icon("pencil"), "Name, height, offset…", lambda: self.open_sheet(name))
        menu.addSeparator()
        menu.addAction("Event here…", self.add_event)
        menu.addAction(icon("copy"), "Copy values", self.copy_values)
        menu.addSeparator()
        self._fill_colours(menu.addMenu("Colour"), name)
        self._fill_chains(menu.addMenu("Chain"), name)
        self._add_edit(menu, name)
        menu.popup(where)

    def toggle_alone(self, name: str) -> None:
        """Show one channel alone, or all again."""
        if self.shell.info is None:
            return
        if self.shell.viewport.lane_count == 1:
            self.shell.dispatch(act.ShowLanes(first=0, count=None))
            return
        names = [self.shell.info.channels[number].name for number in shown_channels(self.shell.state, self.shell.info)]
        if name in names:  # one that was hidden meanwhile cannot be alone
            self.shell.dispatch(act.ShowLanes(first=names.index(name), count=1))

    def open_tag_menu(self, name: str, where: QPoint) -> None:
        """Open the menu that gives a channel to a chain."""
        menu = QMenu(self.window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._fill_chains(menu, name)
        menu.addSeparator()
        self._add_edit(menu, name)
        menu.popup(where)

    def open_colour_menu(self, name: str, where: QPoint) -> None:
        """Open the menu of colours of a channel."""
        menu = QMenu(self.window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._fill_colours(menu, name)
        menu.popup(where)

    def _change(self, name: str, **values: float) -> None:
        look = replace(self.shell.state.document.look_of(name), **values)  # type: ignore[arg-type]
        self.shell.dispatch(act.SetLook(channel=name, look=look))

    def _fill_chains(self, menu: QMenu, name: str) -> None:
        lane = next((item for item in self.shell.lanes if item.name == name), None)
        tag = lane.tag if lane is not None else ""
        selected = self.shell.viewport.selected_channels
        names = selected if name in selected else (name,)
        if len(names) > 1:
            menu.addSection(f"For {len(names)} selected channels")
        for number, chain in enumerate(self.shell.state.document.chains):
            entry = menu.addAction(f"{CHAIN_TAGS[number]}  {chain.name or 'Chain'}")
            entry.setCheckable(True)
            entry.setChecked(tag == CHAIN_TAGS[number])
            entry.triggered.connect(lambda _=False, number=number: self.shell.assign(names, number))
        entry = menu.addAction("raw, no filter")
        entry.setCheckable(True)
        entry.setChecked(not tag)
        entry.triggered.connect(lambda: self.shell.assign(names, None))

    def _add_edit(self, menu: QMenu, name: str) -> None:
        """Offer to show the chain of a channel in the dock, where another one is shown."""
        tag = next((lane.tag for lane in self.shell.lanes if lane.name == name), "")
        if not tag:
            return
        number = CHAIN_TAGS.index(tag)
        entry = menu.addAction(f"Edit chain {tag}", lambda: self.shell.dispatch(act.SelectStage(chain=number, stage=0)))
        entry.setEnabled(number != self.shell.viewport.active_chain)

    def _fill_colours(self, menu: QMenu, name: str) -> None:

        look = self.shell.state.document.look_of(name)
        group = QActionGroup(menu)
        for token, words in COLOURS:
            entry = menu.addAction(icon("circle", token or "text3"), words)
            entry.setCheckable(True)
            entry.setChecked((look.colour or "") == token)
            group.addAction(entry)
            entry.triggered.connect(
                lambda _=False, token=token: self.shell.dispatch(
                    act.SetLook(channel=name, look=replace(look, colour=token or None))
                )
            )
