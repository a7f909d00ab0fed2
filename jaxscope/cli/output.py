"""What commands print: strict JSON on stdout, tables for people, progress on a terminal only."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import click

from jaxscope.errors import one_line

if TYPE_CHECKING:
    from rich.table import Table


def print_json(content: Mapping[str, Any]) -> None:
    """Print one strict JSON object; what is not a finite number becomes null."""
    # ASCII, for a pipe may have any encoding and a name of a file may be in none
    click.echo(json.dumps(strict(content), allow_nan=False))


def strict(value: Any) -> Any:
    """Return plain values that strict JSON can hold."""
    if isinstance(value, Mapping):
        return {str(key): strict(item) for key, item in value.items()}
    if isinstance(value, str | bool | int) or value is None:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Sequence):
        return [strict(item) for item in value]
    return strict(value.item())  # a scalar of numpy


def table(*columns: str) -> Table:
    """Return an empty table in the one style of all commands."""
    from rich import box
    from rich.table import Table as RichTable

    made = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column.lstrip(">"), justify="right" if column.startswith(">") else "left", overflow="fold")
    return made


def show(*things: Any) -> None:
    """Print tables and lines for people; as wide as needed where stdout is not a terminal."""
    from rich.console import Console as RichConsole

    class Console(RichConsole):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # for whoever runs the command; rich would end the program with the code of a bug

    console = Console(width=None if sys.stdout.isatty() else 200, highlight=False, markup=False, soft_wrap=False)
    for thing in things:
        console.print("\n".join(map(one_line, thing.splitlines())) if isinstance(thing, str) else thing)


class Report(Protocol):
    """Tells how far a job is: share done (0 to 1) and a label."""

    def __call__(self, share: float, label: str) -> None:
        """Show the share."""


@contextmanager
def progress() -> Iterator[Report]:
    """Show a bar on stderr while inside, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda share, label: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda share, label: bar.update(task, completed=share, description=label)


def warn(sentences: Sequence[str]) -> None:
    """Print warnings on stderr, one a line."""
    for sentence in sentences:
        click.echo(f"jaxscope: warning: {one_line(sentence)}", err=True)
