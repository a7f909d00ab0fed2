"""``jaxscope [FILE]``: the window."""

from __future__ import annotations

from pathlib import Path

import click

from jaxscope.cli.chains import load_chains
from jaxscope.errors import ReadError, UsageError


@click.command(short_help="Open the window, on FILE where one is given.")
@click.argument("file", type=click.Path(), required=False)
@click.option("--project", type=click.Path(), help="A project; FILE takes the place of its recording.")
@click.option("--chain", "chains", type=click.Path(), multiple=True, help="A chain file; may be given several times.")
@click.option("--theme", type=click.Choice(["dark", "light", "system"]), help="Colours of the window.")
def open_window(*, file: str | None, project: str | None, chains: tuple[str, ...], theme: str | None) -> int:
    """Open the window, on FILE where one is given."""
    from jaxscope.session.project import load_project

    if project and chains:
        raise UsageError("--project and --chain exclude each other", hint="give one of them")
    if file is not None and not Path(file).exists():
        raise _missing(file)
    loaded_chains = load_chains(chains, recording=file)
    loaded_project = load_project(project) if project else None

    from jaxscope.gui.start_quietly import pause_collections

    pause_collections()
    from jaxscope.gui.app import run_window

    return run_window(file, project=loaded_project, project_path=project, chains=loaded_chains, theme=theme)


def _missing(file: str) -> ReadError:
    from jaxscope.cli.run import COMMANDS

    near = None if "." in file or "/" in file else COMMANDS.nearest(file)
    hint = f"did you mean the command {near}?" if near else "check the path"
    return ReadError(f"there is no file {file}", hint=hint)
