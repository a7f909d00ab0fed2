"""``jaxscope bench``: the engine against its peers, measured in the same run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from jaxscope.cli.output import print_json, progress, show, table
from jaxscope.cli.parameters import PositiveNumber
from jaxscope.errors import UsageError
from jaxscope.interruption import in_another_thread

#: Scenes that are followed by the figures of the window.
_WITH_WINDOW = ("view", "all")
#: What is said of reading, by where files are read from and the reference.
READ_WORDS = {
    "from the cache, plain read": "from the cache reaches {} of a plain read, which writes no 8 bytes for each 2 to 8",
    "from the cache, plain read, cast": "from the cache reaches {} of a plain read with a bare cast to float64",
    "from the drive, plain read": "from the drive reaches {} of a plain read",
}
#: How long a peer may take to be imported.
_PEER_PATIENCE_S = 120.0
_START_WORDS = (("window", "window"), ("before", "Before"), ("after", "After"))


@click.command(short_help="Measure against SciPy in the same run.")
@click.option(
    "--scene",
    default="all",
    show_default=True,
    help="seed, iir, fir, zero-phase, view, grid, growth, sparse, auto, read or all.",
)
@click.option("--seconds", type=PositiveNumber(), default=60.0, show_default=True, help="Time to spend.")
@click.option("--picture", type=click.Path(dir_okay=False), help="Draw the figures into this PNG file.")
@click.option("--calibrate", is_flag=True, help="Measure the methods on this machine, for auto to choose by.")
@click.option("--into", type=click.Path(dir_okay=False), help="Keep what --calibrate measured here, not for this user.")
@click.option("--device", default="cpu:0", show_default=True, help="The device that --calibrate measures.")
@click.option(
    "--peer-python",
    type=click.Path(exists=True, dir_okay=False),
    help="Interpreter of an environment with mne-qt-browser, to scroll beside ours (scene view).",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def bench(
    *,
    scene: str,
    seconds: float,
    picture: str | None,
    calibrate: bool,
    into: str | None,
    device: str,
    peer_python: str | None,
    as_json: bool,
) -> None:
    """Measure jaxscope against SciPy, and the window's own pace.

    With more time there are more points and larger ones: --seconds 600 measures the whole grid.
    """
    if calibrate:
        _calibrate(into, device, as_json=as_json)
        return
    if into:
        raise UsageError("--into goes with --calibrate", hint="add --calibrate")
    if picture and not Path(picture).absolute().parent.is_dir():
        raise UsageError(f"there is no folder for {picture}", hint="make it first")
    if peer_python is not None:
        _check_peer(peer_python)
    from jaxscope.compute.bench import run_scenes

    with progress() as report:
        window_s = min(seconds / 4, 15.0) if scene in _WITH_WINDOW else 0.0
        scenes_s = seconds - window_s
        content: dict[str, Any] = in_another_thread(lambda: run_scenes(scene, seconds=scenes_s, report=report))
        if scene in _WITH_WINDOW:
            content["window"] = _measure_window(window_s, peer_python, lambda what: report(0.9, f"window, {what}"))
    if picture:
        content["picture"] = _draw(content, picture)
    if as_json:
        print_json(content)
    else:
        _show(content)


def _calibrate(into: str | None, device: str, *, as_json: bool) -> None:
    from jaxscope.compute.bench import calibrate

    with progress() as report:
        told = in_another_thread(lambda: calibrate(into, device=device, report=report))
    if as_json:
        print_json(told)
    else:
        show(f"{told['platform']} ({told['device']}) measured in {told['seconds']:.0f} s, kept in {told['path']}")


def _check_peer(python: str) -> None:
    """Raise where an interpreter has no mne-qt-browser: better now than after minutes of measuring."""
    try:
        command = [python, "-c", "import mne_qt_browser"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PEER_PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"the peer cannot be run with {python}: {error}", hint="give another --peer-python") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise UsageError(f"the peer failed with {python}: {last}", hint="install mne and mne-qt-browser there")


def _measure_window(seconds: float, peer_python: str | None, report: Callable[[str], None]) -> dict[str, Any]:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from jaxscope.gui.bench_window import measure_windows

    return measure_windows(seconds, peer_python=peer_python, report=report)


def _draw(content: dict[str, Any], path: str) -> str:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from jaxscope.gui.bench_picture import draw_bench

    draw_bench(content["scenes"], path)
    return path


def _show(content: dict[str, Any]) -> None:
    columns = (">ours, ns/sample", "reference", ">its, ns/sample", ">ratio", ">to threads", ">largest error")
    rows = table("scene", *columns)
    for scene in content["scenes"]:
        rows.add_row(
            scene["name"],
            _number(scene["ours_ns_per_sample"], ".3f"),
            scene["reference"],
            _number(scene["reference_ns_per_sample"], ".3f"),
            _number(scene["ratio"], ".2f"),
            _number(scene.get("ratio_to_threads"), ".2f"),
            _number(scene["max_abs_error"], ".2g"),
        )
    show(rows, *sentences(content))
    if "window" in content:
        _show_window(content["window"])


def sentences(content: dict[str, Any]) -> list[str]:
    """Return what the rows of a scene say together, one sentence each."""
    said: list[str] = []
    if "auto_slower_than_best" in content:
        said.append(f"auto takes at most {content['auto_slower_than_best']:.2f} times what the best method takes")
    if "growth_exponent" in content:
        said.append(f"time grows with samples to the power of {content['growth_exponent']:.3f}")
    peaks = [scene for scene in content["scenes"] if scene.get("peak_bytes") is not None]
    if peaks:
        last = peaks[-1]
        mib = [last[key] / 2**20 for key in ("peak_bytes", "input_bytes", "output_bytes")]
        said.append(
            f"peak memory {mib[0]:.0f} MiB above an input of {mib[1]:.0f}, of which {mib[2]:.0f} are the result"
        )
    for kind, density in content.get("sparse_pays_below", {}).items():
        pays = "never pays here" if density is None else f"pays below a density of {density:.2g}"
        said.append(f"sparse {kind} {pays}")
    for what, (least, most) in content.get("reads", {}).items():
        if (words := READ_WORDS.get(what)) is not None:
            said.append(f"reading {words.format(f'{least:.2f} to {most:.2f}')}")
    return said


def _show_window(told: dict[str, Any]) -> None:
    columns = (">knob", ">pan", ">zoom to frame p50, p95", ">longest stall", ">GUI work an edit, most", ">compilations")
    rows = table("window", *columns)
    for size in told.get("sizes", [told]):
        pairs = (size[f"{what}_to_frame_ms"] for what in ("knob", "pan", "zoom"))
        rows.add_row(
            size["name"],
            *(f"{pair['p50']:.1f}, {pair['p95']:.1f} ms" for pair in pairs),
            f"{size['longest_gui_stall_ms']:.1f} ms",
            f"{size['gui_work_per_edit_ms']:.1f}, {size['longest_gui_work_ms']:.1f} ms",
            str(size["compilations_while_tuning"]),
        )
    show(rows, *_window_sentences(told))


def _window_sentences(told: dict[str, Any]) -> list[str]:
    """Return what is said of starting and scrolling, one sentence each."""
    said = []
    if (scroll := told.get("scroll")) is not None:
        beside = (
            "" if scroll["peer"] is None else f", {scroll['peer']} {scroll['peer_per_s']:.1f}: {scroll['ratio']:.1f} x"
        )
        said.append(f"{scroll['name']}: {scroll['ours_per_s']:.1f} pictures a second{beside}")
    for kind, start in told.get("start", {}).items():
        times = ", ".join(f"{name} {start[f'{key}_s']:.2f}" for key, name in _START_WORDS)
        said.append(f"started with a {kind} compile cache, in seconds: {times}")
    return said


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)
