"""``jaxscope licences``: what jaxscope is made of, and under which terms."""

from __future__ import annotations

import json

import click

from jaxscope.cli.output import show, table
from jaxscope.resource_files import resource_path


@click.command(short_help="List components and their licences.")
def licences() -> None:
    """List the bundled components and their licences."""
    rows = table("component", "licence", "text")
    for item in json.loads(resource_path("licences.json").read_text(encoding="utf-8")):
        rows.add_row(item["name"], item["licence"], item["text"])
    show(rows)
