"""``jaxscope selftest``: one real pass through every part, also inside the frozen app."""

from __future__ import annotations

import os
from typing import Any

import click

from jaxscope.cli.output import print_json, progress, show, table


@click.command(short_help="Check that this installation works.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def selftest(*, as_json: bool) -> int:
    """Check that every part of this installation works; exit 1 where one does not."""
    from jaxscope.compute.selftest import run_checks

    with progress() as report:
        checks = [*run_checks(report), check_window()]
    if as_json:
        print_json({"checks": checks})
    else:
        rows = table("check", "", "detail")
        for check in checks:
            rows.add_row(check["name"], "passed" if check["passed"] else "FAILED", check["detail"])
        show(rows)
    return 0 if all(check["passed"] for check in checks) else 1


def check_window() -> dict[str, Any]:
    """Tune the demonstration recording in the real window, drawn offscreen, and return the outcome as a check."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from jaxscope.errors import JaxscopeError, counted
    from jaxscope.gui.app import run_demo

    try:
        seen = run_demo(size=(1280, 800))
    except JaxscopeError as error:
        return {"name": "the window", "passed": False, "detail": error.sentence()}
    compiled, channels = seen["compilations_while_tuning"], seen["channels"]
    if not isinstance(compiled, int) or not isinstance(channels, int):
        raise TypeError("channels and compilations must be counts")
    passed = compiled == 0 and seen["rms_after"] != seen["rms_before"]
    detail = f"{seen['recording']}, {counted(channels, 'channel')}, tuned with {counted(compiled, 'compilation')}"
    return {"name": "the window", "passed": passed, "detail": detail}
