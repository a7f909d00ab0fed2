"""The commands of the menus File, Edit, Filter, Compute and Help."""

from __future__ import annotations

from jaxscope.gui.commands import Command, everywhere, has_recording, here

FILE = (
    Command(
        name="open",
        text="Open…",
        rows=everywhere("open a recording"),
        menu="File",
        icon="folder-open",
        run=lambda window: window.open_dialog(),
    ),
    Command(name="open_demo", text="Open the demonstration", menu="File", run=lambda window: window.open_demo()),
    Command(
        name="save",
        text="Save project",
        rows=everywhere("save the project"),
        menu="File",
        section=1,
        icon="device-floppy",
        run=lambda window: window.save(),
        is_enabled=has_recording,
    ),
    Command(
        name="save_as",
        text="Save project as…",
        rows=everywhere("save the project as"),
        menu="File",
        section=1,
        run=lambda window: window.save_as(),
        is_enabled=has_recording,
    ),
    Command(
        name="export",
        text="Export…",
        rows=everywhere("export"),
        menu="File",
        section=2,
        icon="file-export",
        run=lambda window: window.export(),
        is_enabled=lambda window: window.can_export,
        needs="Nothing is open, or the filter is held",
    ),
    Command(
        name="close",
        text="Close recording",
        rows=everywhere("close the recording"),
        menu="File",
        section=3,
        run=lambda window: window.close_recording(),
        is_enabled=has_recording,
    ),
    Command(
        name="quit", text="Quit", rows=everywhere("quit"), menu="File", section=3, run=lambda window: window.quit()
    ),
)

EDIT = (
    Command(
        name="undo",
        text="Undo",
        rows=everywhere("undo"),
        menu="Edit",
        icon="arrow-back-up",
        run=lambda window: window.shell.store.undo(),
        is_enabled=lambda window: window.shell.store.can_undo,
        needs="Nothing to undo",
    ),
    Command(
        name="redo",
        text="Redo",
        rows=everywhere("redo"),
        menu="Edit",
        icon="arrow-forward-up",
        run=lambda window: window.shell.store.redo(),
        is_enabled=lambda window: window.shell.store.can_redo,
        needs="Nothing to redo",
    ),
    Command(
        name="find",
        text="Find a channel",
        rows=(("anywhere", "find a channel"), ("traces", "find a channel")),
        menu="Edit",
        section=1,
        icon="search",
        run=lambda window: window.find_channel(),
        is_enabled=has_recording,
    ),
    Command(
        name="hide",
        text="Hide the selected channels",
        rows=here("hide the selected channels"),
        menu="Edit",
        section=1,
        run=lambda window: window.shell.hide_selected(),
        is_enabled=lambda window: bool(window.shell.viewport.selected_channels),
        needs="No channel is selected",
    ),
    Command(
        name="show_all",
        text="Show all channels",
        rows=here("show all channels"),
        menu="Edit",
        section=1,
        run=lambda window: window.shell.show_all(),
        is_enabled=has_recording,
    ),
    Command(
        name="settings",
        text="Settings…",
        rows=everywhere("settings"),
        menu="Edit",
        section=2,
        icon="settings",
        run=lambda window: window.open_settings(),
    ),
)


FILTER = (
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
        rows=here("causal, zero-phase, minimum"),
        menu="Filter",
        run=lambda window: window.shell.next_phase(),
        is_enabled=lambda window: bool(window.shell.state.document.chains),
        needs="There is no filter yet",
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
        rows=everywhere("Design face"),
        menu="Filter",
        section=2,
        run=lambda window: window.choose_face("design"),
        is_on=lambda window: window.shell.viewport.face == "design",
    ),
    Command(
        name="face_coefficients",
        text="Coefficients",
        rows=everywhere("Coefficients face"),
        menu="Filter",
        section=2,
        run=lambda window: window.choose_face("coefficients"),
        is_on=lambda window: window.shell.viewport.face == "coefficients",
    ),
    Command(
        name="face_poles_zeros",
        text="Poles and zeros",
        rows=everywhere("Poles & zeros face"),
        menu="Filter",
        section=2,
        run=lambda window: window.choose_face("poles_zeros"),
        is_on=lambda window: window.shell.viewport.face == "poles_zeros",
    ),
)

COMPUTE = (
    Command(
        name="devices",
        text="Where to filter",
        rows=everywhere("device chooser"),
        menu="Compute",
        icon="cpu",
        run=lambda window: window.choose_device(),
        is_enabled=lambda window: window.can_choose_device,
    ),
)

HELP = (
    Command(
        name="palette",
        text="Commands…",
        rows=(("anywhere", "command palette"), ("traces", "command palette")),
        menu="Help",
        icon="search",
        run=lambda window: window.open_palette(),
    ),
    Command(
        name="keys",
        text="Keys",
        rows=(("anywhere", "keys and help"), ("traces", "keys")),
        menu="Help",
        icon="keyboard",
        run=lambda window: window.show_keys(),
    ),
)
