"""Which signal of the window's views leads where: the one place that knows two views at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from jaxscope.gui.main_menu import open_main_menu
from jaxscope.gui.theme import theme

if TYPE_CHECKING:
    from jaxscope.gui.main_window import MainWindow


def connect_views(window: MainWindow) -> None:
    """Connect the views of a window with one another and with its actions."""
    _connect_commands(window)
    _connect_traces(window)
    window.strip.search_ended.connect(window.traces.setFocus)
    window.strip.montage_asked.connect(window.actions_.open_montage)
    window.dock.escaped.connect(window.traces.setFocus)
    window.dock.hinted.connect(window.status.say)
    window.dock.response.plot.compare_wanted.connect(window.shell.compare)
    window.dock.response.plot.pin_wanted.connect(window.shell.pin_chain)
    window.dock.poles_zeros.dragging.connect(lambda on: window.strip.show_following("pole" if on else ""))
    theme().changed.connect(window.follow_theme)


def _connect_commands(window: MainWindow) -> None:
    actions, store = window.actions_, window.shell.store
    window.top.menu_asked.connect(lambda where: open_main_menu(window, actions, where))
    window.top.open_asked.connect(actions.open_dialog)
    window.top.undo_asked.connect(store.undo)
    window.top.redo_asked.connect(store.redo)
    for button in (window.top.undo_button, window.top.redo_button):
        button.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        button.customContextMenuRequested.connect(lambda _where: actions.open_history())
    window.top.devices_asked.connect(actions.choose_device)
    window.top.export_asked.connect(actions.export)
    window.start.open_asked.connect(actions.open_dialog)
    window.start.folder_asked.connect(lambda: actions.filter_folder())
    window.start.raw_asked.connect(actions.ask_about_raw)
    window.start.chosen.connect(actions.open_path)
    window.start.find_asked.connect(actions.find_recent)
    window.start.demo_asked.connect(actions.open_demo)
    window.start.clear_recent_asked.connect(actions.clear_recent)
    window.start.show_recent(actions.settings.recent)
    window.status.cancel_asked.connect(actions.conductor.cancel)
    _connect_folder(window)
    _connect_fit(window)


def _connect_fit(window: MainWindow) -> None:
    fit, actions, marks = window.fit, window.actions_, window.traces.model.goals
    marks.choose = fit.goals.select
    theme().dress_when_shown(fit)

    def show(selected: int | None = None) -> None:
        marks.shown, marks.selected = fit.is_open, selected if fit.is_open else None
        window.traces.update()

    def make_way() -> None:
        if window.sweep.is_open:  # both turn the same chain
            fit.close_drawer()

    window.sweep.toggled.connect(make_way)
    fit.toggled.connect(actions.show_fit)
    fit.toggled.connect(show)
    fit.picked.connect(show)
    fit.hinted.connect(window.status.say)
    fit.asked.connect(actions.conductor.fits.begin)
    fit.foreseen.connect(actions.conductor.fits.prepare)
    fit.stop_asked.connect(actions.conductor.fits.stop)
    fit.fitting.connect(window.dock.response.plot.hold_ghost)
    fit.running.connect(lambda on: window.strip.show_following("fit" if on else ""))
    fit.escaped.connect(actions.escape)


def _connect_folder(window: MainWindow) -> None:
    folder, actions = window.folder, window.actions_
    window.sweep.toggled.connect(actions.show_folder)
    window.sweep.hinted.connect(window.status.say)
    window.sweep.asked.connect(actions.conductor.sweeps.ask)
    folder.toggled.connect(actions.show_folder)
    folder.hinted.connect(window.status.say)
    folder.list_asked.connect(actions.conductor.folders.list)
    folder.listed.connect(actions.take_folder)
    folder.target_asked.connect(actions.choose_folder_target)
    folder.begin_asked.connect(actions.begin_folder)
    folder.stop_asked.connect(actions.conductor.folders.stop)
    folder.hold_asked.connect(actions.conductor.folders.hold)
    folder.skip_asked.connect(actions.conductor.folders.skip)
    folder.again_asked.connect(actions.conductor.folders.take_again)


def _connect_traces(window: MainWindow) -> None:
    menus = window.actions_.menus
    window.traces.pointer_moved.connect(window.axis.show_pointer)
    window.traces.pointer_moved.connect(window.drawer.show_pointer)
    window.drawer.pointer_moved.connect(window.axis.show_pointer)
    window.drawer.hinted.connect(window.status.say)
    window.drawer.escaped.connect(window.traces.setFocus)
    window.traces.width_px_changed.connect(lambda _: window.tell_width())
    window.overview.width_px_changed.connect(lambda _: window.tell_width())
    display = window.actions_.display
    display.take_screen()
    window.strip.window_stepper.menu_asked.connect(display.open_window_menu)
    window.strip.scale_stepper.menu_asked.connect(display.open_scale_menu)
    window.traces.axis_width_changed.connect(display.keep_paper_speed, Qt.ConnectionType.QueuedConnection)
    window.traces.hinted.connect(window.status.say)
    window.traces.menu_asked.connect(menus.open_channel_menu)
    window.traces.event_edit_asked.connect(window.actions_.events.edit)
    running = window.actions_.running
    window.axis.transport.run_asked.connect(running.toggle)
    window.axis.transport.speed_stepped.connect(running.step_speed)
    window.axis.transport.menu_asked.connect(running.open_speeds)
    window.rail.menu_asked.connect(menus.open_channel_menu)
    window.rail.rename_asked.connect(menus.open_sheet)
    window.rail.tag_menu_asked.connect(menus.open_tag_menu)
    window.rail.colour_menu_asked.connect(menus.open_colour_menu)
