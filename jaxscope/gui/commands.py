"""Everything that can be done by a key or from the menu: one table, its keys read from the table of keys.

Shortcuts, menus, tooltips and the list of keys all come from here, so none of them can say something else than another.
A command names rows of ``keymap.json`` by (context, words); a row that no command names is a part that does not exist
yet, and has neither key nor menu entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence

from jaxscope.gui.assets import keymap

if TYPE_CHECKING:
    from jaxscope.gui.window_actions import WindowActions

Run = Callable[["WindowActions"], None]
Test = Callable[["WindowActions"], bool]

#: Menus in their order.
MENUS = ("File", "Edit", "View", "Filter", "Compute", "Help")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One thing that can be done.

    ``rows`` are (context, words) in the table of keys. ``menu`` is empty for a command without an entry. ``is_on``
    makes it an entry with a mark. ``section`` parts a menu.
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

    def keys(self, context: str) -> tuple[str, ...]:
        """Return the keys of one context."""
        return tuple(
            key
            for row in keymap()
            if row.context == context and (row.context, row.does) in self.rows
            for key in row.keys
        )

    @property
    def shown_key(self) -> str:
        """The first key, as it is shown in menus."""
        for context in ("anywhere", "traces", "overview"):
            keys = self.keys(context)
            if keys:
                return keys[0]
        return ""


def _here(words: str) -> tuple[tuple[str, str], ...]:
    return (("traces", words),)


def _everywhere(words: str) -> tuple[tuple[str, str], ...]:
    return (("anywhere", words),)


def _open(window: WindowActions) -> bool:
    return window.shell.has_recording


def _on_screen(window: WindowActions) -> bool:
    return window.shell.has_recording


_FILE = (
    Command(
        name="open",
        text="Open…",
        rows=_everywhere("open a recording"),
        menu="File",
        icon="folder-open",
        run=lambda window: window.open_dialog(),
    ),
    Command(name="open_demo", text="Open the demonstration", menu="File", run=lambda window: window.open_demo()),
    Command(
        name="save",
        text="Save project",
        rows=_everywhere("save the project"),
        menu="File",
        section=1,
        icon="device-floppy",
        run=lambda window: window.save(),
        is_enabled=_open,
    ),
    Command(
        name="save_as",
        text="Save project as…",
        rows=_everywhere("save the project as"),
        menu="File",
        section=1,
        run=lambda window: window.save_as(),
        is_enabled=_open,
    ),
    Command(
        name="export",
        text="Export…",
        rows=_everywhere("export"),
        menu="File",
        section=2,
        icon="file-export",
        run=lambda window: window.export(),
        is_enabled=lambda window: window.can_export,
    ),
    Command(
        name="close",
        text="Close recording",
        rows=_everywhere("close the recording"),
        menu="File",
        section=3,
        run=lambda window: window.close_recording(),
        is_enabled=_open,
    ),
    Command(
        name="quit", text="Quit", rows=_everywhere("quit"), menu="File", section=3, run=lambda window: window.quit()
    ),
)

_EDIT = (
    Command(
        name="undo",
        text="Undo",
        rows=_everywhere("undo"),
        menu="Edit",
        icon="arrow-back-up",
        run=lambda window: window.shell.store.undo(),
        is_enabled=lambda window: window.shell.store.can_undo,
    ),
    Command(
        name="redo",
        text="Redo",
        rows=_everywhere("redo"),
        menu="Edit",
        icon="arrow-forward-up",
        run=lambda window: window.shell.store.redo(),
        is_enabled=lambda window: window.shell.store.can_redo,
    ),
    Command(
        name="find",
        text="Find a channel",
        rows=(("anywhere", "find a channel"), ("traces", "find a channel")),
        menu="Edit",
        section=1,
        icon="search",
        run=lambda window: window.find_channel(),
        is_enabled=_open,
    ),
    Command(
        name="hide",
        text="Hide the selected channels",
        rows=_here("hide the selected channels"),
        menu="Edit",
        section=1,
        run=lambda window: window.shell.hide_selected(),
        is_enabled=lambda window: bool(window.shell.viewport.selected_channels),
    ),
    Command(
        name="show_all",
        text="Show all channels",
        rows=_here("show all channels"),
        menu="Edit",
        section=1,
        run=lambda window: window.shell.show_all(),
        is_enabled=_open,
    ),
)


def _mode(name: str, text: str, section: int = 0) -> Command:
    return Command(
        name=f"mode_{name}",
        text=text,
        rows=(("anywhere", text), ("traces", text)),
        menu="View",
        section=section,
        run=lambda window: window.shell.choose_mode(name),  # type: ignore[arg-type]
        is_enabled=_on_screen,
        is_on=lambda window: window.shell.viewport.mode == name,
    )


def _display(name: str, text: str, words: str, section: int) -> Command:
    return Command(
        name=name,
        text=text,
        rows=_here(words),
        menu="View",
        section=section,
        run=lambda window: window.shell.toggle_display(name),
        is_enabled=_on_screen,
        is_on=lambda window: bool(getattr(window.shell.viewport, name)),
    )


_VIEW = (
    _mode("overlay", "Overlay"),
    _mode("split", "Split"),
    _mode("difference", "Difference"),
    Command(
        name="raw",
        text="Raw, filter hidden",
        rows=(("anywhere", "raw on or off (as in phy)"),),
        menu="View",
        run=lambda window: window.shell.show_raw(raw=not window.shell.viewport.raw),
        is_enabled=_on_screen,
        is_on=lambda window: window.shell.viewport.raw,
    ),
    Command(
        name="less_time",
        text="Less time",
        rows=(
            ("anywhere", "less time in the window"),
            ("traces", "less time"),
            ("overview", "less time"),
        ),
        menu="View",
        section=1,
        icon="zoom-in",
        run=lambda window: window.shell.navigator.step_window(-1),
        is_enabled=_on_screen,
    ),
    Command(
        name="more_time",
        text="More time",
        rows=(
            ("anywhere", "more time in the window"),
            ("traces", "more time"),
            ("overview", "more time"),
        ),
        menu="View",
        section=1,
        icon="zoom-out",
        run=lambda window: window.shell.navigator.step_window(1),
        is_enabled=_on_screen,
    ),
    Command(
        name="usual_window",
        text="Window back to 10 s",
        rows=_everywhere("window back to 10 s"),
        menu="View",
        section=1,
        run=lambda window: window.shell.navigator.usual(),
        is_enabled=_on_screen,
    ),
    Command(
        name="fit_heights",
        text="Fit heights to what is visible",
        rows=_here("fit heights to what is visible"),
        menu="View",
        section=2,
        run=lambda window: window.shell.fit_heights(),
        is_enabled=_on_screen,
    ),
    Command(
        name="usual_heights",
        text="Heights back to the default",
        rows=_here("heights back to the default of the type"),
        menu="View",
        section=2,
        run=lambda window: window.shell.usual_heights(),
        is_enabled=_on_screen,
    ),
    _display("show_events", "Events", "show or hide events", 3),
    _display("show_scale_bars", "Scale bars", "scale bars", 3),
    _display("show_overview", "Overview", "overview bar", 3),
    _display("remove_offset", "Remove the offset for display", "remove the offset for display", 4),
    _display("negative_up", "Negative up", "negative up", 4),
    _display("clock_time", "Clock time", "seconds or clock time", 4),
    _display("antialias", "Smooth lines", "antialias", 4),
    Command(
        name="zen",
        text="Traces only",
        rows=_here("zen: traces only"),
        menu="View",
        section=5,
        run=lambda window: window.toggle_zen(),
        is_enabled=_on_screen,
        is_on=lambda window: window.is_zen,
    ),
    Command(
        name="full_screen",
        text="Full screen",
        rows=_everywhere("full screen"),
        menu="View",
        section=5,
        run=lambda window: window.toggle_full_screen(),
        is_on=lambda window: window.is_full_screen,
    ),
    Command(
        name="theme",
        text="Dark or light",
        rows=_everywhere("dark or light"),
        menu="View",
        section=6,
        icon="moon",
        run=lambda window: window.toggle_theme(),
    ),
    Command(
        name="larger_text",
        text="Larger text",
        rows=_everywhere("larger text"),
        menu="View",
        section=6,
        run=lambda window: window.scale_text(1.1),
    ),
    Command(
        name="smaller_text",
        text="Smaller text",
        rows=_everywhere("smaller text"),
        menu="View",
        section=6,
        run=lambda window: window.scale_text(1 / 1.1),
    ),
)

_FILTER = (
    Command(
        name="filter",
        text="Filter on",
        rows=(("anywhere", "filter on or off (undoable)"), ("traces", "filter on or off (undoable)")),
        menu="Filter",
        icon="filter",
        run=lambda window: window.shell.toggle_filter(),
        is_on=lambda window: window.shell.state.document.filter_on,
    ),
    Command(
        name="phase",
        text="Causal, zero-phase, minimum",
        rows=_here("causal, zero-phase, minimum"),
        menu="Filter",
        run=lambda window: window.shell.next_phase(),
        is_enabled=lambda window: bool(window.shell.state.document.chains),
    ),
    Command(
        name="add_stage",
        text="Add a stage",
        rows=(("anywhere", "add a stage"), ("traces", "add a stage")),
        menu="Filter",
        section=1,
        icon="plus",
        run=lambda window: window.add_stage(),
        is_enabled=lambda window: window.can_add_stage,
    ),
    Command(
        name="face_design",
        text="Design",
        rows=_everywhere("Design face"),
        menu="Filter",
        section=2,
        run=lambda window: window.choose_face("design"),
        is_on=lambda window: window.shell.viewport.face == "design",
    ),
    Command(
        name="face_coefficients",
        text="Coefficients",
        rows=_everywhere("Coefficients face"),
        menu="Filter",
        section=2,
        run=lambda window: window.choose_face("coefficients"),
        is_on=lambda window: window.shell.viewport.face == "coefficients",
    ),
)

_COMPUTE = (
    Command(
        name="devices",
        text="Where to filter",
        rows=_everywhere("device chooser"),
        menu="Compute",
        icon="cpu",
        run=lambda window: window.choose_device(),
        is_enabled=lambda window: window.can_choose_device,
    ),
)

_HELP = (
    Command(
        name="keys",
        text="Keys",
        rows=(("anywhere", "keys and help"), ("traces", "keys")),
        menu="Help",
        icon="keyboard",
        run=lambda window: window.show_keys(),
    ),
)


def _move(name: str, text: str, words: str, run: Run, *, also_overview: bool = False) -> Command:
    rows = _here(words) + ((("overview", words),) if also_overview else ())
    return Command(name=name, text=text, rows=rows, run=run)


_KEYS_ONLY = (
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
    _move("next_event", "Next event", "next event", lambda window: window.shell.next_event(1)),
    _move("previous_event", "Previous event", "previous event", lambda window: window.shell.next_event(-1)),
    _move("channel_menu", "Menu of the channel", "menu of the channel", lambda window: window.channel_menu()),
    Command(
        name="next_region",
        text="Next region",
        rows=_everywhere("next region"),
        run=lambda window: window.go_to_region(1),
    ),
    Command(
        name="previous_region",
        text="Previous region",
        rows=_everywhere("previous region"),
        run=lambda window: window.go_to_region(-1),
    ),
    Command(
        name="escape",
        text="Cancel",
        rows=_everywhere("cancel the drag; else close the topmost popover, drawer or dialog; else clear cursors"),
        run=lambda window: window.escape(),
    ),
)

#: The row of the key that hides the filter while it is held; the key router knows it by itself.
RAW_ROW = ("traces", "R", "tap: raw on or off; hold: raw while held")

COMMANDS: tuple[Command, ...] = (*_FILE, *_EDIT, *_VIEW, *_FILTER, *_COMPUTE, *_HELP, *_KEYS_ONLY)


def command(name: str) -> Command:
    """Return the command called ``name``."""
    return next(item for item in COMMANDS if item.name == name)


def key_sequence(text: str) -> QKeySequence:
    """Return a key of the table as Qt knows it."""
    return QKeySequence(text.replace("Esc", "Escape").replace("PgDn", "PgDown"))


def key_words(text: str) -> str:
    """Return a key as it is shown on caps and in tooltips: ``"Ctrl Shift Z"``."""
    arrows = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓", "PgDown": "PgDn"}
    plus = text.replace("++", "+plus") if text.endswith("++") else text
    parts = ["+"] if text == "+" else plus.split("+")
    return " ".join("+" if part == "plus" else arrows.get(part, part) for part in parts)
