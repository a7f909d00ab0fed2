"""``jaxscope selftest``: one real pass through every part, also inside the frozen app."""

from __future__ import annotations

import click

from jaxscope.cli.output import print_json, progress, show, table


@click.command(short_help="Check that this installation works.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def selftest(*, as_json: bool) -> int:
    """Check that every part of this installation works; exit 1 where one does not."""
    from jaxscope.compute.selftest import run_checks

    with progress() as report:
        checks = run_checks(report)
    if as_json:
        print_json({"checks": checks})
    else:
        rows = table("check", "", "detail")
        for check in checks:
            rows.add_row(check["name"], "passed" if check["passed"] else "FAILED", check["detail"])
        show(rows)
    return 0 if all(check["passed"] for check in checks) else 1
