"""``jaxscope filter``: whole files through a chain, block by block."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jaxscope.cli.chains import chains_by_recording
from jaxscope.cli.output import print_json, progress, show, table, warn
from jaxscope.cli.parameters import (
    NameList,
    OutputSuffix,
    montage_of,
    montage_option,
    option_option,
    options_of,
    rate_option,
    raw_layout_option,
    samples_first_option,
)
from jaxscope.errors import ChainError, JaxscopeError, RecordingError, UsageError, WriteError, counted, one_line
from jaxscope.interruption import ended_in_order, keep_tracker, signals_held, take_signals

if TYPE_CHECKING:
    from jaxscope.compute.batch_inputs import Input
    from jaxscope.filters.spec import FilterChain
    from jaxscope.session.state import Document, RecordingRef


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Job:
    """One file to filter; plain values, so that another process can take it. An error in place of chains is told."""

    source: str
    target: str
    chains: tuple[FilterChain, ...] | JaxscopeError
    options: dict[str, Any]


@click.command("filter", short_help="Filter recordings and write the results.")
@click.argument("files", type=click.Path(), nargs=-1, required=False)
@click.option("-o", "--output", type=click.Path(), help="The file to write; its suffix decides the format.")
@click.option("--output-dir", type=click.Path(), help="Write into this folder, keeping each name.")
@click.option("--to", "suffix", type=OutputSuffix(), help="Format in --output-dir, such as edf, for all of them.")
@click.option(
    "--chain",
    "chains",
    type=click.Path(),
    multiple=True,
    help="A chain file, or a filter of another program; the first that fits a channel.",
)
@click.option("--project", type=click.Path(), help="A project whose chains are used.")
@montage_option
@click.option("--channels", type=NameList(), help="Names or globs, separated by commas, of what is written.")
@click.option("--start", "start_s", type=float, help="First second.")
@click.option("--stop", "stop_s", type=float, help="Last second, not included.")
@rate_option
@samples_first_option
@option_option
@raw_layout_option
@click.option("--backend", help="cpu, gpu, tpu or metal.")
@click.option("--device", help="Such as gpu:0, its number, or all of the backend.")
@click.option("--precision", type=click.Choice(["float32", "float64"]))
@click.option("--method", help="auto, block, scan, …")
@click.option("--gaps", type=click.Choice(["segment", "propagate"]), help="In place of what the chain says.")
@click.option(
    "--bad-spans",
    type=click.Choice(["keep", "exclude"]),
    help="Whether what events mark as bad is filtered, or left out and written as missing samples.",
)
@click.option("--overwrite", is_flag=True, help="Replace an output that exists.")
@click.option("--resume", is_flag=True, help="Leave what an earlier run has finished from the same input as it is.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Files at the same time.")
@click.option(
    "--processes", type=click.IntRange(min=1), default=1, show_default=True, help="Processes that share each recording."
)
@click.option("--scheduler", help="Address of a cluster of dask.distributed, or local: its workers filter the files.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def filter_files(*, files: tuple[str, ...], as_json: bool, jobs: int, **given: Any) -> int:
    """Filter FILES block by block and write the result, with its provenance beside it.

    FILES may be folders, whose recordings at any depth are taken, and patterns such as "*.edf" or "**/*.edf".
    """
    from jaxscope.compute.batch_inputs import folders_made

    work = _jobs_from(files, given)
    outcomes: dict[_Job, Any] = {}
    before = {job: _mark(job) for job in work}
    try:
        targets = [job.target for job in work] if given["output_dir"] else []
        with ended_in_order(), folders_made(targets), progress() as report:
            for done, (job, outcome) in enumerate(_run_all(work, jobs, report, given["scheduler"]), start=1):
                if isinstance(outcome, JaxscopeError) and len(work) == 1:
                    raise outcome
                outcomes[job] = outcome
                report(done / len(work), f"{done} of {len(work)}")
    except KeyboardInterrupt:
        # a file may have been finished while the interruption waited for it, and nobody was told
        written = sum(isinstance(outcomes.get(job), dict) or _mark(job) not in (None, before[job]) for job in work)
        raise KeyboardInterrupt(f"{written} of {len(work)} files were written" if written else "") from None
    # in the order of the inputs, whichever ended first
    outputs = [outcomes[job] for job in work if not isinstance(outcomes[job], JaxscopeError)]
    failed = [
        {"path": job.source, "error": outcomes[job].sentence()}
        for job in work
        if isinstance(outcomes[job], JaxscopeError)
    ]
    if as_json:
        print_json({"outputs": outputs, "failed": failed})
    else:
        _tell(outputs, len(failed))
    for failure in failed:
        # many sentences name their file themselves
        where = "" if failure["error"].startswith(f"{failure['path']} ") else f"{failure['path']}: "
        click.echo(one_line(f"jaxscope: {where}{failure['error']}"), err=True)
    return RecordingError.exit_code if failed else 0


def _check_together(given: dict[str, Any]) -> None:
    """Refuse options that exclude each other, or lack one another."""
    if given["chains"] and given["project"]:
        raise UsageError("--project and --chain exclude each other", hint="give one of them")
    if not given["chains"] and not given["project"] and not given["montage"]:
        raise UsageError("there is no filter", hint="give --chain, --project or --montage")
    if bool(given["output"]) == bool(given["output_dir"]):
        raise UsageError("there must be one of -o and --output-dir", hint="-o for one file, --output-dir for several")
    if given["suffix"] and not given["output_dir"]:
        raise UsageError("--to is for --output-dir", hint="give the output of -o the suffix of its format")


def _jobs_from(files: tuple[str, ...], given: dict[str, Any]) -> list[_Job]:
    """Return what is to be done."""
    from jaxscope.compute.batch_inputs import events_for, find_inputs
    from jaxscope.session.project import changed_words

    _check_together(given)
    engine, document = _engine_and_document(given["project"])
    recording = None if document is None else document.recording
    if not files and recording is not None:
        warn(changed_words(recording))
    told = list(files) or ([recording.path] if recording else [])
    if not told:
        raise UsageError("there is no file to filter", hint="name one or more")
    sources = _originals(find_inputs(told, besides=given["output_dir"]))
    if given["output"] and len(sources) > 1:
        raise UsageError(f"-o names one file and there are {len(sources)} inputs", hint="use --output-dir")
    chains = _chains_by_source([one.path for one in sources], given, document)
    options = {
        **{name: given[name] for name in ("start_s", "stop_s", "samples_first", "overwrite", "resume", "processes")},
        "channels": given["channels"] or (),
        **_engine_options(given, engine),
        "rate_hz": given["rate_hz"] or (recording.rate_hz if recording is not None and not files else None),
        "reader_options": tuple(_reader_options(given, files, recording).items()),
        "bad_spans": given["bad_spans"] or ("keep" if document is None else document.bad_spans),
        "montage": montage_of(given["montage"], None if document is None else document.montage),
    }
    work = [
        _Job(
            source=one.path,
            target=_target(one, given),
            chains=_unwritable(one, given) or chains[one.path],
            options={**options, "events": events_for(one.path, document)},
        )
        for one in sources
    ]
    _refuse_shared_targets(work)
    return work


def _originals(found: list[Input]) -> list[Input]:
    """Leave out of folders what an earlier run made of recordings there, and say so."""
    made = [one for one in found if one.made_of]
    if made:
        others = f" and {len(made) - 1} more" if len(made) > 1 else ""
        warn([f"{made[0].path}{others}: left out, made of {made[0].made_of} beside it; name such a file to filter it"])
    return [one for one in found if not one.made_of]


def _reader_options(given: dict[str, Any], files: tuple[str, ...], recording: RecordingRef | None) -> dict[str, str]:
    """Return what is told about the inputs: what a project knows of its own recording, and what is given now."""
    kept = dict(recording.options) if recording is not None and not files else {}
    return {**kept, **options_of(given["options"], given["raw_layout"])}


def _refuse_shared_targets(work: list[_Job]) -> None:
    """Refuse inputs whose outputs would take each other's place."""
    sources: dict[str, str] = {}
    for job in work:
        place = os.path.realpath(job.target)
        if place in sources:
            raise UsageError(
                f"{sources[place]} and {job.source} would both be written to {job.target}",
                hint="filter them into two folders",
            )
        sources[place] = job.source


def _engine_and_document(path: str | None) -> tuple[Any, Document | None]:
    """Return engine and document of a project, None without one."""
    from jaxscope.session.project import load_project

    if not path:
        return None, None
    project = load_project(path)
    warn(project.warnings)
    if project.document.filter_on:
        _refuse_unknown_stages(project.document.chains, path)
    return project.engine, project.document


def _chains_by_source(
    sources: list[str], given: dict[str, Any], document: Document | None
) -> dict[str, tuple[FilterChain, ...] | JaxscopeError]:
    """Return the chains of each source, with the gaps that were asked for; one source alone raises its error."""
    found: dict[str, tuple[FilterChain, ...] | JaxscopeError]
    if document is not None:
        found = dict.fromkeys(sources, document.chains if document.filter_on else ())
    else:
        told = options_of(given["options"], given["raw_layout"])
        found = chains_by_recording(given["chains"], sources, rate_hz=given["rate_hz"], options=told)
    for source, chains in found.items():
        if isinstance(chains, JaxscopeError):
            if len(sources) == 1:
                raise chains
        elif given["gaps"]:
            found[source] = tuple(replace(chain, gaps=given["gaps"]) for chain in chains)
    return found


def _refuse_unknown_stages(chains: tuple[FilterChain, ...], project: str) -> None:
    """Refuse what the window keeps, off: a file would be written without part of its filter."""
    from jaxscope.filters.chain_file import UnknownSpec

    for chain in chains:
        for number, stage in enumerate(chain.stages, start=1):
            if isinstance(stage.spec, UnknownSpec):
                raise ChainError(
                    f'{project}: stage {number} of chain "{chain.name}" is of the family "{stage.spec.family_name}", '
                    "which is not known here",
                    hint="remove the stage, or use a newer jaxscope",
                )


def _engine_options(given: dict[str, Any], engine: Any) -> dict[str, Any]:
    from jaxscope.session.state import EngineChoice

    choice = engine or EngineChoice()
    backend, _, number = choice.device.partition(":")
    if given["backend"]:
        backend, number = given["backend"], "0"
    if given["device"]:
        named, _, told = given["device"].rpartition(":")
        is_number = told.isdecimal() or told == "all"
        backend, number = (named or backend, told) if is_number or named else (told, "0")
    return {
        "device": f"{backend}:{number}",
        "precision": given["precision"] or choice.precision,
        "method": given["method"] or choice.method,
    }


def _unwritable(source: Input, given: dict[str, Any]) -> WriteError | None:
    """Return the error of an input whose own format is none that can be written, where no other was asked for."""
    from jaxscope.writers import SUFFIXES

    suffix = Path(source.name).suffix
    if given["output"] or given["suffix"] or suffix.lower() in SUFFIXES:
        return None
    return WriteError(
        f"jaxscope can't write {suffix} files" if suffix else f"{source.name} has no suffix",
        hint=f"choose a format with --to: {', '.join(one[1:] for one in SUFFIXES)}",
    )


def _target(source: Input, given: dict[str, Any]) -> str:
    """Return where the output goes: under the name of the input, in its format where it is not told another."""
    if given["output"]:
        return str(given["output"])
    target = Path(given["output_dir"]) / source.name
    return str(target.with_suffix(given["suffix"]) if given["suffix"] else target)


def _run_all(work: list[_Job], jobs: int, report: Any, scheduler: str | None = None) -> Any:
    """Yield (job, outcome) as they end; an outcome is a dict or the error."""
    if scheduler is not None:
        from jaxscope.cli.cluster import run_on_cluster

        yield from run_on_cluster(scheduler, _run, work, jobs)
        return
    if jobs == 1 or len(work) == 1:
        for number, job in enumerate(work):
            yield job, _run(job, lambda share, n=number: report((n + share) / len(work), Path(work[n].source).name))
        return
    keep_tracker()
    # a fresh interpreter a worker: jax must not be forked
    with ProcessPoolExecutor(
        max_workers=min(jobs, len(work)), mp_context=get_context("spawn"), initializer=take_signals
    ) as pool:
        try:
            with signals_held():
                futures = {pool.submit(_run, job): job for job in work}
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BaseException:
            # also where this process alone was told to end, as a service is
            for process in active_children():
                process.terminate()
            pool.shutdown(cancel_futures=True)
            raise


def _run(job: _Job, report: Any = None) -> dict[str, Any] | JaxscopeError:
    from jaxscope.compute.batch import filter_file

    if isinstance(job.chains, JaxscopeError):
        return job.chains
    try:
        return filter_file(job.source, job.target, job.chains, report=report, **job.options)
    except JaxscopeError as error:
        return error


def _mark(job: _Job) -> tuple[int, int] | None:
    """Return what changes when the provenance of an output, which is written last, is written; None without one."""
    from jaxscope.compute.provenance import provenance_path

    try:
        stat = provenance_path(Path(job.target)).stat()
    except (OSError, ValueError):
        return None
    return stat.st_ino, stat.st_mtime_ns


def _tell(outputs: list[dict[str, Any]], n_failed: int) -> None:
    if len(outputs) + n_failed > 1:
        _tell_many(outputs, n_failed)
        return
    for output in outputs:
        show(
            f"{output['path']}: {counted(output['n_channels'], 'channel')}, "
            f"{counted(output['n_samples'], 'sample')}, "
            f"{output['seconds']:.2f} s, {output['method']} on {output['device']} in {output['precision']}"
        )
        warn(output["warnings"])


def _tell_many(outputs: list[dict[str, Any]], n_failed: int) -> None:
    """Show one line an output, the warnings by what they say, and how many of what there are."""
    from jaxscope.compute.resume import FINISHED

    rows = table("output", ">channels", ">samples", ">seconds", "method", ">error")
    warnings: dict[str, list[str]] = {}
    for output in outputs:
        is_old = FINISHED in output["warnings"]
        error = output["max_abs_vs_reference"]
        numbers = (
            f"{output['n_channels']}",
            f"{output['n_samples']:,}",
            "before" if is_old else f"{output['seconds']:.2f}",
        )
        rows.add_row(one_line(output["path"]), *numbers, output["method"], "" if error is None else f"{error:.2g}")
        for sentence in output["warnings"]:
            warnings.setdefault(sentence, []).append(output["path"])
    n_old = len(warnings.pop(FINISHED, []))
    if outputs:
        show(rows)
    words = [f"{len(outputs) - n_old} written", *([f"{n_old} finished before"] if n_old else [])]
    show(", ".join([*words, f"{n_failed} failed"]))
    warn(
        [
            f"{paths[0]}{f' and {len(paths) - 1} more' if len(paths) > 1 else ''}: {said}"
            for said, paths in warnings.items()
        ]
    )
