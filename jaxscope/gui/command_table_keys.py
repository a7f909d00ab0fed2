"""The commands that are only keys: moving, channels, heights, regions."""

from __future__ import annotations

from jaxscope.gui.commands import Command, Run, everywhere, here


def _move(name: str, text: str, words: str, run: Run, *, also_overview: bool = False) -> Command:
    rows = here(words) + ((("overview", words),) if also_overview else ())
    return Command(name=name, text=text, rows=rows, run=run)


KEYS_ONLY = (
    _move(
        "back",
        "Back a quarter window",
        "back a quarter window",
        lambda window: window.shell.navigator.pan_windows(-0.25),
        also_overview=True,
    ),
    _move(
        "on",
        "On a quarter window",
        "on a quarter window",
        lambda window: window.shell.navigator.pan_windows(0.25),
        also_overview=True,
    ),
    _move("back_window", "Back a window", "back a whole window", lambda window: window.shell.navigator.pan_windows(-1)),
    _move("on_window", "On a window", "on a whole window", lambda window: window.shell.navigator.pan_windows(1)),
    _move("back_pixel", "Back a pixel", "back one sample pixel", lambda window: window.pan_pixels(-1)),
    _move("on_pixel", "On a pixel", "on one sample pixel", lambda window: window.pan_pixels(1)),
    _move("first", "Start", "start", lambda window: window.shell.navigator.first(), also_overview=True),
    _move("last", "End", "end", lambda window: window.shell.navigator.last(), also_overview=True),
    _move("previous_channel", "Previous channel", "previous channel", lambda window: window.shell.select_next(-1)),
    _move("next_channel", "Next channel", "next channel", lambda window: window.shell.select_next(1)),
    _move(
        "extend_up",
        "Extend the selection up",
        "extend the selection up",
        lambda window: window.shell.select_next(-1, extend=True),
    ),
    _move(
        "extend_down",
        "Extend the selection down",
        "extend the selection down",
        lambda window: window.shell.select_next(1, extend=True),
    ),
    _move("page_up", "Channels up", "a screen of channels up", lambda window: window.shell.page_channels(-1)),
    _move("page_down", "Channels down", "a screen of channels down", lambda window: window.shell.page_channels(1)),
    _move("taller", "Taller", "taller, all of the same type (×5/4)", lambda window: window.shell.taller(1.25)),
    _move("flatter", "Flatter", "flatter (×4/5)", lambda window: window.shell.taller(0.8)),
    _move(
        "taller_selected",
        "Taller, selected only",
        "taller, selected channels only",
        lambda window: window.shell.taller_selected(1.25),
    ),
    _move(
        "flatter_selected",
        "Flatter, selected only",
        "flatter, selected channels only",
        lambda window: window.shell.taller_selected(0.8),
    ),
    _move("fewer_channels", "Fewer channels", "fewer channels", lambda window: window.shell.more_channels(-1)),
    _move("more_channels", "More channels", "more channels", lambda window: window.shell.more_channels(1)),
    _move("zoom_back", "Zoom back", "zoom back", lambda window: window.shell.navigator.back()),
    _move("zoom_forward", "Zoom forward", "zoom forward", lambda window: window.shell.navigator.forward()),
    _move("cursor", "Second cursor", "second cursor on or off", lambda window: window.toggle_cursor()),
    _move("channel_menu", "Menu of the channel", "menu of the channel", lambda window: window.channel_menu()),
    Command(
        name="next_region",
        text="Next region",
        rows=everywhere("next region"),
        run=lambda window: window.go_to_region(1),
    ),
    Command(
        name="previous_region",
        text="Previous region",
        rows=everywhere("previous region"),
        run=lambda window: window.go_to_region(-1),
    ),
    Command(
        name="escape",
        text="Cancel",
        rows=everywhere("cancel the drag; else close the topmost popover, drawer or dialog; else clear cursors"),
        run=lambda window: window.escape(),
    ),
)
