"""``jaxscope demo``: the demonstration recording, filtered, in the window."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import click

from jaxscope.cli.output import print_json
from jaxscope.cli.parameters import rate_option
from jaxscope.errors import UsageError, WriteError, counted

#: What is promised to scripts; the rest is for people, and for ``bench``.
_KEYS = (
    *("recording", "channels", "rate_hz", "chain", "rms_before", "rms_after"),
    *("knob_to_frame_ms", "compilations_while_tuning", "screenshot"),
)


#: more in a side than any screen, and as much memory as a picture should take
_LARGEST_PX = 10_000


class _Size(click.ParamType[tuple[int, int]]):
    """A size in pixels, written as 1600x1000."""

    name = "WxH"

    def convert(self, value: str | tuple[int, int], param: object, ctx: object) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"(\d{3,5})[x×](\d{3,5})", value)
        if match is None:
            raise UsageError(f"--size is {value!r}", hint="write it as 1600x1000")
        size = int(match[1]), int(match[2])
        if max(size) > _LARGEST_PX:
            raise UsageError(f"--size is {value!r}", hint=f"give {_LARGEST_PX} pixels or fewer to each side")
        return size


class _Picture(click.ParamType[str]):
    """The name of a PNG that can be written, looked at before anything is drawn."""

    name = "path"

    def convert(self, value: str, param: object, ctx: object) -> str:
        path = Path(value)
        if path.suffix.lower() != ".png":
            raise UsageError(f"--screenshot is {value!r}, which is no PNG", hint="give a name that ends in .png")
        if not path.parent.is_dir():
            raise WriteError(f"The folder {path.parent} is not there", hint="make it first, or choose another")
        return value


@click.command(short_help="Show the demonstration recording.")
@click.option("--screenshot", type=_Picture(), help="Draw the window into this PNG and end.")
@click.option("--size", type=_Size(), default="1600x1000", show_default=True, help="Size of the window.")
@click.option("--theme", type=click.Choice(["dark", "light"]), default="dark", show_default=True)
@click.option("--file", type=click.Path(), help="A recording of your own in place of the demonstration.")
@rate_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and end.")
def demo(
    *,
    screenshot: str | None,
    size: tuple[int, int],
    theme: str,
    file: str | None,
    rate_hz: float | None,
    as_json: bool,
) -> int:
    """Show the demonstration recording, filtered; without a display, draw it into jaxscope-demo.png."""
    from jaxscope.gui.start_quietly import pause_collections

    pause_collections()
    from jaxscope.gui.app import run_demo, run_demo_window

    if not as_json and screenshot is None and has_display():
        return run_demo_window(size=size, theme=theme, file=file, rate_hz=rate_hz)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    target = screenshot or (None if as_json else "jaxscope-demo.png")
    content = run_demo(screenshot=target, size=size, theme=theme, file=file, rate_hz=rate_hz)
    if as_json:
        print_json({key: content[key] for key in _KEYS})
    else:
        _say(content)
    return 0


def has_display() -> bool:
    """Return whether a window can be shown here."""
    if sys.platform in {"win32", "darwin"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _say(content: dict[str, object]) -> None:
    latency = content["knob_to_frame_ms"]
    if not isinstance(latency, dict):
        raise TypeError("knob_to_frame_ms must hold p50 and p95")
    if not isinstance(content["channels"], int):
        raise TypeError("channels must be a count")
    rate = "" if content["rate_hz"] is None else f" at {content['rate_hz']} Hz"
    click.echo(f"{content['recording']}: {counted(content['channels'], 'channel')}{rate}, {content['chain']}")
    if content["rms_before"] is not None:
        click.echo(f"root mean square before {content['rms_before']:.4g}, after {content['rms_after']:.4g}")
    if latency["p50"] is None:
        click.echo("no stage that is on has a frequency to turn, so the time from knob to frame was not measured")
    else:
        click.echo(
            f"knob to frame {latency['p50']:.1f} ms typical, {latency['p95']:.1f} ms slowest in 20; "
            f"{content['compilations_while_tuning']} compilations while tuning"
        )
        click.echo(
            f"longest stall of the window {content['longest_gui_stall_ms']:.1f} ms, "
            f"its longest piece of work {content['longest_gui_work_ms']:.1f} ms; filtered by {content['method']}"
        )
    if content["screenshot"]:
        click.echo(f"drew the window into {content['screenshot']}")
