"""``jaxscope bench``: the engine against its peers, measured in the same run."""

from __future__ import annotations

import os
from typing import Any

import click

from jaxscope.cli.output import print_json, progress, show, table
from jaxscope.cli.parameters import PositiveNumber
from jaxscope.interruption import in_another_thread

#: Scenes that are followed by the figures of the window.
_WITH_WINDOW = ("view", "all")


@click.command(short_help="Measure against SciPy in the same run.")
@click.option("--scene", default="all", show_default=True, help="seed, iir, fir, zero-phase, view or all.")
@click.option("--seconds", type=PositiveNumber(), default=60.0, show_default=True, help="Time to spend.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def bench(*, scene: str, seconds: float, as_json: bool) -> None:
    """Measure jaxscope against SciPy, and the window's own pace."""
    from jaxscope.compute.bench import run_scenes

    with progress() as report:
        window_s = min(seconds / 4, 15.0) if scene in _WITH_WINDOW else 0.0
        scenes_s = seconds - window_s
        content: dict[str, Any] = in_another_thread(lambda: run_scenes(scene, seconds=scenes_s, report=report))
        if scene in _WITH_WINDOW:
            report(0.9, "window")
            content["window"] = _measure_window(window_s)
    if as_json:
        print_json(content)
    else:
        _show(content)


def _measure_window(seconds: float) -> dict[str, object]:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from jaxscope.gui.bench_window import measure_window

    return measure_window(seconds)


def _show(content: dict[str, Any]) -> None:
    rows = table("scene", ">ours, ns/sample", "reference", ">its, ns/sample", ">ratio", ">largest error")
    for scene in content["scenes"]:
        rows.add_row(
            scene["name"],
            _number(scene["ours_ns_per_sample"], ".3f"),
            scene["reference"],
            _number(scene["reference_ns_per_sample"], ".3f"),
            _number(scene["ratio"], ".2f"),
            _number(scene["max_abs_error"], ".2g"),
        )
    show(rows)
    if "window" in content:
        _show_window(content["window"])


def _show_window(told: dict[str, Any]) -> None:
    latency = told["knob_to_frame_ms"]
    rows = table("window", ">knob to frame p50, p95", ">longest stall", ">GUI work an edit, most", ">compilations")
    rows.add_row(
        told["name"],
        f"{latency['p50']:.1f}, {latency['p95']:.1f} ms",
        f"{told['longest_gui_stall_ms']:.1f} ms",
        f"{told['gui_work_per_edit_ms']:.1f}, {told['longest_gui_work_ms']:.1f} ms",
        str(told["compilations_while_tuning"]),
    )
    show(rows)


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)
