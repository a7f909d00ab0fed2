"""The table of all commands, in the order of the menus."""

from __future__ import annotations

from jaxscope.gui.command_table_events import EVENTS
from jaxscope.gui.command_table_fit import FIT
from jaxscope.gui.command_table_keys import KEYS_ONLY
from jaxscope.gui.command_table_menus import COMPUTE, EDIT, FILE, FILTER, HELP
from jaxscope.gui.command_table_run import RUN
from jaxscope.gui.command_table_spectrum import SPECTRUM
from jaxscope.gui.command_table_view import VIEW
from jaxscope.gui.commands import Command

COMMANDS: tuple[Command, ...] = (
    *FILE,
    *EDIT,
    *EVENTS,
    *VIEW,
    *SPECTRUM,
    *RUN,
    *FILTER,
    *FIT,
    *COMPUTE,
    *HELP,
    *KEYS_ONLY,
)


def command(name: str) -> Command:
    """Return the command called ``name``."""
    return next(item for item in COMMANDS if item.name == name)
