"""A whole file through its chains, block by block, into another file: for the command line and the window's export.

``run_batch`` is a generator that yields the share done and returns the result; closing it removes what was half
written. Memory is bounded by a few blocks, however long the file. Formats of whole numbers need to know the range of
each channel first, so for these everything runs twice. Beside the output a provenance file says where it came from.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from jaxscope import unfinished
from jaxscope.compute.batch_plan import BatchGroup, BatchOptions, BatchPlan, plan_batch
from jaxscope.compute.infinite_counts import InfiniteCounts
from jaxscope.compute.library import ProgramLibrary
from jaxscope.compute.montaged import montaged
from jaxscope.compute.provenance import input_steps, provenance_of, refuse_foreign, write_provenance
from jaxscope.compute.render import row_groups
from jaxscope.compute.resume import finished_result
from jaxscope.compute.spot_check import SpotCheck
from jaxscope.compute.stream import Block, filtered_blocks
from jaxscope.data.annotations import EventEdits
from jaxscope.data.recording import Recording
from jaxscope.errors import WriteError
from jaxscope.filters.montage import Montage
from jaxscope.filters.spec import FilterChain
from jaxscope.interruption import put_off
from jaxscope.session.state import BadSpanPolicy, Precision
from jaxscope.writers import SUFFIXES, WRITERS, RecordingWriter, WriteRequest, format_for, open_writer

#: The longest name of an output: file systems hold 255 bytes, and its temporary file and its provenance need some more.
LONGEST_NAME_BYTES = 240

__all__ = ["BatchOptions", "filter_file", "run_batch"]

Result = dict[str, Any]
#: every call yields the blocks of all groups from the start, with the share done
Blocks = Callable[[], Iterator[tuple[BatchGroup, Block | None, float]]]


def filter_file(
    source: str,
    target: str,
    chains: Sequence[FilterChain],
    *,
    report: Callable[[float], None] | None = None,
    channels: tuple[str, ...] = (),
    start_s: float | None = None,
    stop_s: float | None = None,
    rate_hz: float | None = None,
    samples_first: bool = False,
    reader_options: tuple[tuple[str, str], ...] = (),
    overwrite: bool = False,
    device: str = "cpu:0",
    precision: Precision = "float64",
    method: str = "auto",
    resume: bool = False,
    processes: int = 1,
    montage: Montage | None = None,
    events: EventEdits | None = None,
    bad_spans: BadSpanPolicy = "keep",
) -> Result:
    """Filter a file into another one.

    Parameters
    ----------
    source, target : str
    chains : sequence of FilterChain
        The first that is for a channel filters it.
    report : callable or None
        Gets the share done, 0 to 1.
    channels : tuple of str
        Names or globs of what is written; empty means all.
    reader_options : tuple of (str, str)
        What the source does not tell itself, as ``open_recording`` takes it.
    start_s, stop_s : float or None
        Which time is written; the numbers are those of the whole recording.
    resume : bool
        Leave an output as it is that an earlier run has finished from the same content in the same way.
    processes : int
        How many processes share the work; see ``processes``.
    montage : Montage or None
        How the channels that are filtered are made of the recorded ones; ``channels`` then names the new ones.
    events : EventEdits or None
        The events to write in place of those of the source, as a project has them.
    bad_spans : str
        ``"exclude"``: what an event marks as bad is not filtered, and is NaN (missing) in what is written.

    Returns
    -------
    dict
        ``path, seconds, n_channels, n_samples, method, device, precision, max_abs_vs_reference, warnings``.

    Raises
    ------
    UsageError, ReadError, WriteError, SpecError, UnstableError, DeviceError
    """
    from jaxscope.readers import open_recording

    options = BatchOptions(
        source=source,
        target=target,
        channels=channels,
        start_s=start_s,
        stop_s=stop_s,
        overwrite=overwrite,
        device=device,
        precision=precision,
        method=method,
        rate_hz=rate_hz,
        samples_first=samples_first,
        processes=processes,
        montage=montage,
        reader_options=reader_options,
        events=events,
        bad_spans=bad_spans,
    )
    unfinished.tidy(Path(target).parent)
    if resume and (before := finished_result(chains, options)) is not None:
        return before
    with (
        open_recording(source, rate_hz=rate_hz, samples_first=samples_first, options=dict(reader_options)) as recording,
        closing(run_batch(montaged(recording, montage), chains, options)) as steps,
    ):
        return _finish(steps, report)


def _finish(steps: Generator[float, None, Result], report: Callable[[float], None] | None) -> Result:
    """Run to the end, tell the shares and return the result."""
    try:
        while True:
            share = next(steps)
            if report is not None:
                report(share)
    except StopIteration as end:
        result: Result = end.value
        return result


def run_batch(
    recording: Recording,
    chains: Sequence[FilterChain],
    options: BatchOptions,
    *,
    programs: ProgramLibrary | None = None,
) -> Generator[float, None, Result]:
    """Yield the share done, 0 to 1; return the result as ``filter_file`` does.

    Raises
    ------
    UsageError, ReadError, WriteError, SpecError, UnstableError, DeviceError
    """
    begun = time.perf_counter()
    library = programs or ProgramLibrary()
    source, target = Path(options.source), Path(options.target)
    refuse_own_input(source, target, recording.info.files)
    refuse_foreign(target, overwrite=options.overwrite)
    plan = plan_batch(recording, chains, options)
    used = _programs_used(plan, library)
    _refuse_early(target, plan, overwrite=options.overwrite)
    if options.processes == 1:
        blocks: Blocks = partial(_all_blocks, plan, library, target.parent)
        return (yield from _written(plan, chains, options, used, blocks, begun))
    from jaxscope.compute.processes import SharedWork

    with SharedWork(plan, chains, options) as shared:
        yield from shared.run()
        return (yield from _written(plan, chains, options, used, shared.blocks, begun))


def _written(
    plan: BatchPlan,
    chains: Sequence[FilterChain],
    options: BatchOptions,
    used: _Used,
    blocks: Blocks,
    begun: float,
) -> Generator[float, None, Result]:
    """Write what ``blocks`` yields, and its provenance; yield and return as ``run_batch``."""
    target = Path(options.target)
    passes = 2 if format_for(target).needs_ranges else 1
    request = plan.request
    if passes == 2:
        ranges = yield from _ranges(plan, blocks, passes)
        request = replace(request, ranges=ranges)
    check, infinite = SpotCheck(plan.groups), InfiniteCounts([channel.name for channel in request.channels])
    with ExitStack() as begun_output:
        writer = begun_output.enter_context(open_writer(target, request, overwrite=options.overwrite))
        for group, block, share in blocks():
            if block is not None:
                check.catch(group, block)
                infinite.count(group, block)
                writer.write(block.after, group.outputs)
            yield (passes - 1 + share) / passes * 0.97
        with np.errstate(over="ignore", invalid="ignore"):  # what is infinite is told by its channel
            measured = None if used.method == "scipy" else check.largest_error()
        given = yield from _hashed(Path(options.source), plan.files)
        is_new = not target.exists()
        with put_off():  # an output and its provenance are there together or not at all
            begun_output.close()
            warnings = (*plan.warnings, *infinite.words(), *_misplaced(measured), *writer.warnings)
            result = _result(request, options, used, measured=measured, warnings=warnings, begun=begun)
            _explain(result, given, chains, options, request, writer if is_new else None)
    return result


def _result(
    request: WriteRequest,
    options: BatchOptions,
    used: _Used,
    *,
    measured: float | None,
    warnings: Sequence[str],
    begun: float,
) -> Result:
    """Return what is told of an output."""
    return {
        "path": str(Path(options.target)),
        "seconds": time.perf_counter() - begun,
        "n_channels": len(request.channels),
        "n_samples": max(channel.n_samples for channel in request.channels),
        "method": used.method,
        "device": used.device,
        "precision": options.precision,
        "max_abs_vs_reference": None if _misplaced(measured) else measured,
        "warnings": list(dict.fromkeys(warnings)),
    }


def _explain(
    result: Result,
    given: dict[str, Any],
    chains: Sequence[FilterChain],
    options: BatchOptions,
    request: WriteRequest,
    new: RecordingWriter | None,
) -> None:
    """Write the provenance of an output; one that is new is removed where that fails."""
    try:
        content = provenance_of(
            given=given,
            chains=chains,
            result=result,
            options=options,
            request=request,
        )
        write_provenance(Path(options.target), content)
    except BaseException:
        if new is not None:  # an output that nothing tells where it came from is half of one; what was replaced is gone
            new.withdraw()
        raise


def refuse_own_input(source: Path, target: Path, files: Sequence[str] = ()) -> None:
    """Raise WriteError where the output has a name that no file can have, or would take the place of the input.

    Parameters
    ----------
    source, target : Path
    files : sequence of str
        ``RecordingInfo.files``: a header may name samples of any name.
    """
    if "\0" in str(target) or not target.name:
        raise WriteError("the output has no name that a file can have", hint="choose another name")
    n_bytes = len(os.fsencode(target.name))
    if n_bytes > LONGEST_NAME_BYTES:
        raise WriteError(f"the name of the output has {n_bytes} bytes", hint=f"use {LONGEST_NAME_BYTES} or fewer")
    for place in _files_written(target):
        if not place.exists():
            continue
        if source.exists() and place.samefile(source):
            raise WriteError(f"{place} is the input itself", hint="choose another name")
        if any(os.path.exists(path) and place.samefile(path) for path in files):
            raise WriteError(f"{place} belongs to the input {source.name}", hint="choose another name")


def _files_written(target: Path) -> tuple[Path, ...]:
    """Return the target and what is written beside it under its name."""
    name = SUFFIXES.get(target.suffix.lower())
    companions = WRITERS[name].companions if name is not None else ()
    return (target, *(target.with_suffix(suffix) for suffix in companions))


def _refuse_early(target: Path, plan: BatchPlan, *, overwrite: bool) -> None:
    """Raise WriteError for whatever the writer would refuse, before hours of work: format, name, room on the disk."""
    chosen = format_for(target)
    request = plan.request
    if chosen.needs_ranges:
        request = replace(request, ranges=((-1.0, 1.0),) * len(request.channels))
    open_writer(target, request, overwrite=overwrite).abort()


def _misplaced(measured: float | None) -> list[str]:
    """Return the sentence for an error that no number tells: null is what was not measured."""
    if measured is None or np.isfinite(measured):
        return []
    return ["where samples are missing or infinite differs from SciPy in float64: look at the output before using it"]


class _Used:
    """Method and device that the groups run with, as one word each."""

    def __init__(self, names: Sequence[tuple[str, str]], options_device: str) -> None:
        self.method = "+".join(dict.fromkeys(method for method, _ in names)) or "none"
        self.device = "+".join(dict.fromkeys(device for _, device in names)) or options_device


def _programs_used(plan: BatchPlan, library: ProgramLibrary) -> _Used:
    """Make every program once, so that a device that is not there is told before anything else."""
    names: list[tuple[str, str]] = []
    device = "cpu:0"
    for group in plan.groups:
        source = group.source
        device = source.device
        for member in row_groups(
            source.designs, device=source.device, precision=source.precision, method=source.method
        ):
            program = library.get(member.key)
            names.append((program.method, program.device))
    return _Used(names, device)


def _all_blocks(
    plan: BatchPlan, library: ProgramLibrary, folder: Path
) -> Iterator[tuple[BatchGroup, Block | None, float]]:
    """Yield the blocks of all groups, the group that is furthest behind first, with the share done.

    A block is None while something is got ready.
    """
    streams = {
        number: filtered_blocks(
            group.source,
            library,
            first_sample=group.first_sample,
            stop_sample=group.stop_sample,
            tick=True,
            spill_folder=str(folder),
            exact=True,
        )
        for number, group in enumerate(plan.groups)
        if group.n_samples
    }
    done = dict.fromkeys(streams, 0.0)
    weights = {number: plan.groups[number].n_samples * len(plan.groups[number].outputs) for number in streams}
    total = sum(weights.values())
    try:
        while streams:
            number = min(streams, key=lambda key: done[key])
            group = plan.groups[number]
            try:
                block = next(streams[number])
            except StopIteration:
                del streams[number]
                continue
            if block is not None:
                done[number] = (block.first_sample + block.after.shape[1] - group.first_sample) / group.n_samples
            yield group, block, sum(done[key] * weight for key, weight in weights.items()) / total
    finally:
        for stream in streams.values():
            stream.close()


def _ranges(plan: BatchPlan, blocks: Blocks, passes: int) -> Generator[float, None, tuple[tuple[float, float], ...]]:
    """Yield the share done; return least and greatest finite value of each output channel."""
    low = np.full(len(plan.request.channels), np.inf)
    high = np.full(len(plan.request.channels), -np.inf)
    for group, block, share in blocks():
        if block is not None:
            outputs = np.array(group.outputs)
            finite = np.isfinite(block.after)
            low[outputs] = np.minimum(low[outputs], np.where(finite, block.after, np.inf).min(axis=1))
            high[outputs] = np.maximum(high[outputs], np.where(finite, block.after, -np.inf).max(axis=1))
        yield share / passes * 0.97
    return tuple((float(a), float(b)) if a <= b else (0.0, 0.0) for a, b in zip(low, high, strict=True))


def _hashed(source: Path, files: Sequence[str]) -> Generator[float, None, dict[str, Any]]:
    steps = input_steps(source, files)
    try:
        while True:
            next(steps)
            yield 0.98
    except StopIteration as end:
        given: dict[str, Any] = end.value
        return given
