"""The commands of the menu View: modes, window, heights, what is shown, looks."""

from __future__ import annotations

from jaxscope.gui.commands import Command, everywhere, has_recording, here


def _mode(name: str, text: str, section: int = 0) -> Command:
    return Command(
        name=f"mode_{name}",
        text=text,
        rows=(("anywhere", text), ("traces", text)),
        menu="View",
        section=section,
        run=lambda window: window.shell.choose_mode(name),  # type: ignore[arg-type]
        is_enabled=has_recording,
        is_on=lambda window: window.shell.viewport.mode == name,
    )


def _display(name: str, text: str, words: str, section: int) -> Command:
    return Command(
        name=name,
        text=text,
        rows=here(words),
        menu="View",
        section=section,
        run=lambda window: window.shell.toggle_display(name),
        is_enabled=has_recording,
        is_on=lambda window: bool(getattr(window.shell.viewport, name)),
    )


VIEW = (
    _mode("overlay", "Overlay"),
    _mode("split", "Split"),
    _mode("curtain", "Curtain"),
    Command(
        name="curtain_here",
        text="Curtain to the pointer",
        rows=here("Curtain, brought to the pointer"),
        menu="View",
        run=lambda window: window.curtain_here(),
        is_enabled=has_recording,
    ),
    _mode("difference", "Difference"),
    Command(
        name="raw",
        text="Raw, filter hidden",
        rows=(("anywhere", "raw on or off (as in phy)"),),
        menu="View",
        run=lambda window: window.shell.show_raw(raw=not window.shell.viewport.raw),
        is_enabled=has_recording,
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
        is_enabled=has_recording,
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
        is_enabled=has_recording,
    ),
    Command(
        name="usual_window",
        text="Window back to 10 s",
        rows=everywhere("window back to 10 s"),
        menu="View",
        section=1,
        run=lambda window: window.shell.navigator.usual(),
        is_enabled=has_recording,
    ),
    Command(
        name="fit_heights",
        text="Fit heights to what is visible",
        rows=here("fit heights to what is visible"),
        menu="View",
        section=2,
        run=lambda window: window.shell.fit_heights(),
        is_enabled=has_recording,
    ),
    Command(
        name="usual_heights",
        text="Heights back to the default",
        rows=here("heights back to the default of the type"),
        menu="View",
        section=2,
        run=lambda window: window.shell.usual_heights(),
        is_enabled=has_recording,
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
        rows=here("zen: traces only"),
        menu="View",
        section=5,
        run=lambda window: window.toggle_zen(),
        is_enabled=has_recording,
        is_on=lambda window: window.is_zen,
    ),
    Command(
        name="full_screen",
        text="Full screen",
        rows=everywhere("full screen"),
        menu="View",
        section=5,
        run=lambda window: window.toggle_full_screen(),
        is_on=lambda window: window.is_full_screen,
    ),
    Command(
        name="theme",
        text="Dark or light",
        rows=everywhere("dark or light"),
        menu="View",
        section=6,
        icon="moon",
        run=lambda window: window.toggle_theme(),
    ),
    Command(
        name="larger_text",
        text="Larger text",
        rows=everywhere("larger text"),
        menu="View",
        section=6,
        run=lambda window: window.scale_text(1.1),
    ),
    Command(
        name="smaller_text",
        text="Smaller text",
        rows=everywhere("smaller text"),
        menu="View",
        section=6,
        run=lambda window: window.scale_text(1 / 1.1),
    ),
)
