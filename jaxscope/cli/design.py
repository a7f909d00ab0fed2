"""``jaxscope design``: what a chain is at a rate, and its export."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from jaxscope.cli.chains import load_chains
from jaxscope.cli.output import print_json, show, table
from jaxscope.cli.parameters import PositiveNumber
from jaxscope.errors import UsageError

if TYPE_CHECKING:
    from jaxscope.filters.spec import FilterChain

#: edges of one level that are listed: a comb has hundreds
_MOST_EDGES = 12


@click.command(short_help="Show what a chain is at a rate, or export it.")
@click.argument("chain", type=click.Path())
@click.option("--rate", "rate_hz", type=PositiveNumber(), required=True, help="Sampling rate in Hz.")
@click.option(
    "--export", "target", help="Print it as python, jaxscope, matlab, c, c_header, csv, json, cmsis; stablehlo with -o."
)
@click.option("-o", "--output", type=click.Path(), help="Write the export into this file.")
@click.option("--overwrite", is_flag=True, help="Replace an output that exists.")
@click.option("--channels", "n_channels", type=click.IntRange(min=1), default=1, help="Channels of stablehlo.")
@click.option("--samples", "n_samples", type=click.IntRange(min=2), help="Samples of stablehlo; usually 10 s.")
@click.option("--limits", "limits_file", type=click.Path(), help="A file of limits to judge the response by.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def design(*, chain: str, rate_hz: float, limits_file: str | None, as_json: bool, **given: Any) -> None:
    """Show the coefficients, the response and the report sentence of CHAIN.

    CHAIN is a chain file, or a filter of another program: CSV, MATLAB (.mat, .m), NumPy, JSON, pyfda, C or Python.
    """
    from jaxscope.compute.designs import Refusal, design_or_refusal
    from jaxscope.filters.describe import describe
    from jaxscope.filters.design import design_chain
    from jaxscope.filters.quantisation import describe_quantised

    (loaded,) = load_chains((chain,), rate_hz=rate_hz)
    made = design_or_refusal(loaded, rate_hz)
    if isinstance(made, Refusal) and made.kind == "design":  # an unstable chain is shown as it is
        raise made.in_chain(loaded).to_error()
    content = describe(loaded, rate_hz)
    content["quantised"] = describe_quantised(design_chain(loaded, rate_hz))
    if limits_file is not None:
        content["limits"] = _judged(loaded, rate_hz, limits_file)
    text = _export(loaded, rate_hz, given)
    output = given["output"]
    if as_json:
        print_json({**content, "export": output or text} if given["target"] else content)
    elif text is not None:
        click.echo(text, nl=not text.endswith("\n"))
    elif output:
        show(f"wrote {output}")
    else:
        _show(content)


def _export(chain: FilterChain, rate_hz: float, given: dict[str, Any]) -> str | None:
    """Write the export into its file, or return it as text; None where there is none to print."""
    from jaxscope.compute.code_export import STABLEHLO, Shape, exported, write_export

    target, output = given["target"], given["output"]
    if output and not target:
        raise UsageError("-o names a file for an export, and there is none", hint="give --export")
    if not target:
        return None
    if target == STABLEHLO and not output:
        raise UsageError("stablehlo is not text", hint="name a file with -o")
    shape = Shape(n_channels=given["n_channels"], n_samples=given["n_samples"])
    content = exported(chain, rate_hz, target, shape)
    if output:
        write_export(output, content, overwrite=given["overwrite"])
        return None
    return content.decode("utf-8")


def _judged(chain: FilterChain, rate_hz: float, limits_file: str) -> list[dict[str, Any]]:
    """Return each limit with how the chain keeps to it; what the rate does not have is said so."""
    from jaxscope.filters.design import design_chain
    from jaxscope.filters.limits import judge, limit_to_dict, load_limits

    limits = load_limits(limits_file)
    verdicts = {verdict.limit: verdict for verdict in judge(design_chain(chain, rate_hz), limits)}
    found = []
    for limit in limits:
        verdict = verdicts.get(limit)
        told: dict[str, Any] = {"is_kept": None, "excess_db": None, "at_hz": None}
        words = f"{limit.title}: not below half the rate"
        if verdict is not None:
            told = {"is_kept": verdict.is_kept, "excess_db": verdict.excess_db, "at_hz": verdict.at_hz}
            words = verdict.sentence()
        found.append({**limit_to_dict(limit), **told, "verdict": words})
    return found


def _show(content: dict[str, Any]) -> None:
    show(content["report"])
    if content["sections"]:
        rows = table(">b0", ">b1", ">b2", ">a0", ">a1", ">a2")
        for row in content["sections"]:
            rows.add_row(*(f"{value:.12g}" for value in row))
        show(rows)
    if content["taps"]:
        show(f"{len(content['taps'])} taps, the first {', '.join(f'{tap:.6g}' for tap in content['taps'][:4])}")
    edges = {"−3 dB": content["minus_3db_hz"], "−6 dB": content["minus_6db_hz"]}
    for level, frequencies in edges.items():
        if frequencies:
            listed = ", ".join(f"{frequency:.6g}" for frequency in frequencies[:_MOST_EDGES])
            more = len(frequencies) - _MOST_EDGES
            show(f"{level} at {listed} Hz{f' and {more} more' if more > 0 else ''}")
    if content["settling_s"] is not None:
        show(f"settles within {content['settling_s']:.4g} s")
    for judged in content.get("limits", ()):
        show(judged["verdict"])
    if not content["is_stable"]:
        show("unstable: a pole is on or outside the unit circle")
