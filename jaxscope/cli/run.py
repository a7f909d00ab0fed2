"""Run a command line and return its exit code.

Every error that a user may see is one line on stderr; a bug is one line too, and its traceback goes to a file in the
log folder. Without a command name the arguments belong to ``open``, so ``jaxscope night.edf`` opens the window.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten

import click

from jaxscope import __version__
from jaxscope.errors import JaxscopeError, RecordingError, UsageError, one_line
from jaxscope.interruption import EXIT_CODE as INTERRUPTED
from jaxscope.interruption import is_under_way
from jaxscope.registry import Registry

COMMANDS: Registry[click.Command] = Registry(
    "command",
    {
        "open": "jaxscope.cli.open:open_window",
        "demo": "jaxscope.cli.demo:demo",
        "info": "jaxscope.cli.info:info",
        "filter": "jaxscope.cli.filter:filter_files",
        "design": "jaxscope.cli.design:design",
        "devices": "jaxscope.cli.devices:devices",
        "bench": "jaxscope.cli.bench:bench",
        "selftest": "jaxscope.cli.selftest:selftest",
        "licences": "jaxscope.cli.licences:licences",
    },
)
_BUG = 1


_version = click.version_option(__version__, prog_name="jaxscope")


class _Commands(click.Group):
    """The table of commands, each imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = COMMANDS.get(cmd_name)
        if command is not None and all(option.name != "version" for option in command.params):
            _version(command)
        return command


@click.group(
    cls=_Commands,
    name="jaxscope",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Without a command, jaxscope opens its window: jaxscope [FILE] [--project P] [--chain C]…",
)
@_version
def _jaxscope() -> None:
    """See multichannel recordings before and after a filter, while you tune it."""


def _refuse_mistyped(words: list[str]) -> None:
    """Name the command that is meant, where several words begin with one that is neither a command nor a file."""
    first = words[0] if len(words) > 1 else ""
    if first[:1] in ("", "-") or "." in first or "/" in first or Path(first).exists():
        return
    near = COMMANDS.nearest(first)
    if near:
        raise UsageError(f"there is no command {first}", hint=f"did you mean {near}?")


def run(arguments: Sequence[str]) -> int:
    """Run the command that ``arguments`` name; return 0, or the exit code of what went wrong."""
    words = list(arguments)
    _open_streams()
    try:
        if not words or (words[0] not in COMMANDS and words[0] not in {"-h", "--help", "--version"}):
            _refuse_mistyped(words)
            words.insert(0, "open")
        with _jaxscope.make_context("jaxscope", words) as context:
            outcome = _jaxscope.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as error:  # --help and --version
        return error.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt) as error:
        return _say_interrupted(str(error))
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        about = error.ctx if isinstance(error, click.UsageError) else None
        return _say(_one_line(error.format_message(), "jaxscope" if about is None else about.command_path), 2)
    except JaxscopeError as error:
        return _say(error.sentence(), error.exit_code)
    except MemoryError:
        hint = "read a part with --start and --stop, or fewer channels with --channels"
        return _say(f"there is not enough memory for this; {hint}", RecordingError.exit_code)
    except BrokenPipeError:
        # the reader of a pipe has gone; nothing more can be written, not even while the interpreter ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if is_under_way():
            return _say_interrupted()
        where = f" ({error.filename})" if error.filename else ""
        return _say(f"{error.strerror or error}{where}; check the path and the room there", RecordingError.exit_code)
    except Exception as error:  # noqa: BLE001  (the last resort: one sentence instead of a traceback)
        if is_under_way():
            return _say_interrupted()
        return _report_bug(error)
    return outcome if isinstance(outcome, int) else 0


def _open_streams() -> None:
    """Stand in for standard streams that were closed before the start, as by ``>&-``: Python has None there."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  (open as long as the process)


def _say(sentence: str, code: int) -> int:
    click.echo(f"jaxscope: {one_line(sentence)}", err=True)
    return code


def _say_interrupted(what: str = "") -> int:
    return _say(f"interrupted; {what or 'nothing was written'}", INTERRUPTED)


def _one_line(text: str, command: str) -> str:
    """Return a message of click in our form: what is wrong; what to do, or whose help says more."""
    line = shorten(text, 200, placeholder=" …").rstrip(".")
    return line if ";" in line else f"{line}; see {command} --help"


def _report_bug(error: Exception) -> int:
    """Keep the traceback in the log folder and say where it is."""
    from platformdirs import user_log_path

    what = " ".join(f"{type(error).__name__}: {error}".split())
    try:
        folder: Path = user_log_path("jaxscope", appauthor=False, ensure_exists=True)
        report = folder / "last-error.txt"
        report.write_text(f"jaxscope {__version__}\n{''.join(traceback.format_exception(error))}", encoding="utf-8")
    except OSError:
        return _say(f"this is a bug ({what}); its report could not be written, so please tell how it came about", _BUG)
    return _say(f"this is a bug ({what}); please send {report}", _BUG)
