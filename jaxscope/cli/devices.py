"""``jaxscope devices``: what can be chosen, and why the rest cannot."""

from __future__ import annotations

import click

from jaxscope.cli.output import print_json, show, table


@click.command(short_help="List backends and devices.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def devices(*, as_json: bool) -> None:
    """List the backends and their devices."""
    from jaxscope.compute.devices import describe_devices

    content = describe_devices()
    if as_json:
        print_json(content)
        return
    rows = table("backend", "device", "kind", ">memory, GiB", "")
    for backend in content["backends"]:
        for device in backend["devices"]:
            memory = "" if device["memory"] is None else f"{device['memory'] / 2**30:.1f}"
            rows.add_row(backend["name"], device["id"], device["kind"], memory, "")
        if not backend["available"]:
            rows.add_row(backend["name"], "", "", "", backend["reason"])
    show(rows)
