"""``jaxscope info``: what is in a recording."""

from __future__ import annotations

from typing import Any

import click

from jaxscope.cli.output import print_json, show, table
from jaxscope.cli.parameters import (
    montage_of,
    montage_option,
    option_option,
    options_of,
    rate_option,
    raw_layout_option,
    samples_first_option,
)
from jaxscope.errors import counted


@click.command(short_help="Tell what is in a recording.")
@click.argument("file", type=click.Path())
@rate_option
@samples_first_option
@option_option
@raw_layout_option
@montage_option
@click.option("--quick", is_flag=True, help="Leave out the statistics, which need a pass over the file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def info(
    *,
    file: str,
    rate_hz: float | None,
    samples_first: bool,
    options: tuple[tuple[tuple[str, str], ...], ...],
    raw_layout: tuple[tuple[str, str], ...],
    montage: str | None,
    quick: bool,
    as_json: bool,
) -> None:
    """Tell what is in FILE: channels, rates, units, range, annotations, gaps, warnings."""
    from jaxscope.compute.montaged import montaged
    from jaxscope.compute.summary import summarise
    from jaxscope.readers import open_recording

    told, shown = options_of(options, raw_layout), montage_of(montage)
    recording = open_recording(file, rate_hz=rate_hz, samples_first=samples_first, options=told)
    try:
        content = summarise(montaged(recording, shown), quick=quick)
    finally:
        recording.close()
    if as_json:
        print_json(content)
    else:
        _show(content)


def _show(content: dict[str, Any]) -> None:
    length = "of unknown length" if content["duration_s"] is None else f"{content['duration_s']:.6g} s"
    start = f", from {content['start']}" if content["start"] else ""
    show(f"{content['format']}, {counted(len(content['channels']), 'channel')}, {length}{start}")
    channels = table("channel", "kind", "unit", ">rate, Hz", ">samples", ">lowest", ">highest", ">mean", ">missing")
    for channel in content["channels"]:
        numbers = (_number(channel[key]) for key in ("rate_hz", "n_samples", "min", "max", "mean", "n_nan"))
        channels.add_row(channel["name"], channel["kind"], channel["unit"], *numbers)
    if content["channels"]:
        show(channels)
    for gap in content["gaps"]:
        show(f"gap from {gap['start_s']:.6g} to {gap['stop_s']:.6g} s")
    for annotation in content["annotations"][:20]:
        show(f"{annotation['onset_s']:>12.3f} s  {annotation['text']}")
    if len(content["annotations"]) > 20:
        show(f"and {counted(len(content['annotations']) - 20, 'more annotation')}")
    for warning in content["warnings"]:
        show(f"warning: {warning}")
    if any(channel["rate_hz"] is None and channel["n_samples"] for channel in content["channels"]):
        show("with --rate it is told, here and to jaxscope filter")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
