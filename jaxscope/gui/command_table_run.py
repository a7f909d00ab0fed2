"""The commands of what runs: play, follow a file that grows, how fast and how."""

from __future__ import annotations

from jaxscope.gui.commands import Command, has_recording, here

RUN = (
    Command(
        name="run_along",
        text="Run along the recording",
        rows=here("run along the recording; with the mouse: pan"),
        menu="Compute",
        section=3,
        icon="player-play",
        run=lambda window: window.running.toggle(),
        is_enabled=has_recording,
        is_on=lambda window: window.running.is_running and not window.running.is_following,
    ),
    Command(
        name="follow_file",
        text="Follow this file",
        rows=here("follow this file while it grows"),
        menu="Compute",
        section=3,
        run=lambda window: window.running.toggle_following(),
        is_enabled=has_recording,
        is_on=lambda window: window.running.is_following,
    ),
    Command(
        name="run_faster",
        text="Run faster",
        rows=here("run faster"),
        menu="Compute",
        section=3,
        run=lambda window: window.running.step_speed(1),
        is_enabled=has_recording,
    ),
    Command(
        name="run_slower",
        text="Run slower",
        rows=here("run slower"),
        menu="Compute",
        section=3,
        run=lambda window: window.running.step_speed(-1),
        is_enabled=has_recording,
    ),
    Command(
        name="run_by_pages",
        text="Turn pages while it runs",
        menu="Compute",
        section=3,
        run=lambda window: window.running.toggle_pages(),
        is_enabled=has_recording,
        is_on=lambda window: window.shell.state.live.by_pages,
    ),
    Command(
        name="run_as_causal",
        text="Causal while it runs",
        menu="Compute",
        section=3,
        run=lambda window: window.running.toggle_causal(),
        is_enabled=has_recording,
        is_on=lambda window: window.shell.state.live.as_causal,
    ),
)
