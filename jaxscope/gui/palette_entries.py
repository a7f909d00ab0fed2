"""What the palette offers: every command of the table, the channels, the presets, the recordings opened before.

Made anew at each opening, so that it tells what can be done now, and why the rest cannot.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from jaxscope.filters.presets import PRESETS, fit_preset
from jaxscope.filters.shapes import short_hz
from jaxscope.gui.command_table import COMMANDS
from jaxscope.gui.commands import Command, key_words
from jaxscope.gui.palette_search import Entry
from jaxscope.gui.views.dock_menu import FALLBACK_RATE_HZ, StageChoice, new_stage, stage_choices

if TYPE_CHECKING:
    from jaxscope.gui.views.dock import Dock
    from jaxscope.gui.window_actions import WindowActions

_NOTHING_OPEN = "No recording is open"
#: commands that make no sense inside the palette
_LEFT_OUT = frozenset({"escape", "palette"})


def palette_entries(window: WindowActions) -> list[Entry]:
    """Return everything that the palette can find, in the order of the menus."""
    return [*_commands(window), *_channels(window), *_stages(window), *_presets(window), *_recent(window)]


def _commands(window: WindowActions) -> Iterator[Entry]:
    for command in COMMANDS:
        if command.name not in _LEFT_OUT:
            yield Entry(
                title=command.text.rstrip("…"),
                place=command.menu or "Keys",
                key=key_words(command.shown_key) if command.shown_key else "",
                icon=command.icon or "",
                why_not=command.why_not(window),
                also=" ".join(words for _, words in command.rows),
                run=partial(_run, command, window),
            )


def _run(command: Command, window: WindowActions) -> None:
    window.window.router.run(command)


def _channels(window: WindowActions) -> Iterator[Entry]:
    info = window.shell.info
    for channel in () if info is None else info.channels:
        if channel.is_drawable:
            yield Entry(
                title=f"Go to channel {channel.name}",
                place="Channels",
                icon="viewfinder",
                is_listed=False,
                run=partial(window.go_to_channel, channel.name),
            )


def _stages(window: WindowActions) -> Iterator[Entry]:
    dock = window.window.dock
    for choice in stage_choices():
        yield Entry(
            title=f"Add stage {choice.title}",
            place="Stages",
            icon="plus",
            also=choice.summary,
            is_listed=False,
            why_not="" if window.shell.has_recording else _NOTHING_OPEN,
            run=partial(_add_stage, dock, choice),
        )


def _add_stage(dock: Dock, choice: StageChoice) -> None:
    dock.add_stage(new_stage(choice, dock.rate_hz))


def _presets(window: WindowActions) -> Iterator[Entry]:
    rate_hz = window.window.dock.rate_hz or FALLBACK_RATE_HZ
    for preset in PRESETS:
        fitted = fit_preset(preset, rate_hz)
        why_not = "" if window.shell.has_recording else _NOTHING_OPEN
        if not fitted.stages:
            why_not = f"Nothing of it fits {short_hz(rate_hz)} Hz"
        yield Entry(
            title=f"Add preset {preset.title}",
            place="Presets",
            icon="chain",
            also=f"{preset.group} {preset.summary}",
            is_listed=False,
            why_not=why_not,
            run=partial(window.window.dock.use_preset, fitted),
        )


def _recent(window: WindowActions) -> Iterator[Entry]:
    for path in window.settings.recent:
        file = Path(path)
        yield Entry(
            title=f"Open {file.name}",
            place=f"Recent, {file.parent}",
            icon="history",
            is_listed=False,
            run=partial(window.open_path, path),
        )
