"""One recording filtered by several processes, joined by ``jax.distributed``.

Each process opens the recording itself and filters its share: some of the channels, or, where there are fewer channels
than processes, a stretch of time that begins and ends early enough for the filter to forget what it has not seen.
Shares lie in files beside the output; the process that was started by the user writes the output from them, so any
format, and formats that need a first pass for their range, are written as always.

Invariant: the numbers are those of one process within rounding; over time they also differ by what twice the context
leaves of a start, which is below rounding.
"""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope import unfinished
from jaxscope.compute.batch_plan import BatchGroup, BatchOptions, BatchPlan, plan_batch
from jaxscope.compute.library import ProgramLibrary
from jaxscope.compute.montaged import montaged
from jaxscope.compute.plan import context_of
from jaxscope.compute.stream import Block, Source, filtered_blocks
from jaxscope.compute.watched_processes import Died, WatchedProcesses
from jaxscope.errors import JaxscopeError, UsageError, WriteError
from jaxscope.filters.spec import FilterChain

FloatArray = npt.NDArray[np.float64]

#: processes that any machine is trusted with, and those per processor: each is a program of some 300 MB
_LEAST_MOST = 8
_PER_PROCESSOR = 2
#: seconds that processes wait for each other
PATIENCE_S = 120
#: samples (channels times time) that are read back at once
PIECE_VALUES = 2_000_000
#: seconds between two looks at whether shares are done
LOOK_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one process does of a group: rows of its channels, samples of its span, and the file they go to."""

    group: int
    rows: tuple[int, ...]
    first_sample: int
    stop_sample: int
    path: str

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and samples."""
        return len(self.rows), self.stop_sample - self.first_sample


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rank:
    """What a process is told; plain values."""

    address: str
    number: int
    count: int
    shares: tuple[Share, ...]
    chains: tuple[FilterChain, ...]
    options: BatchOptions


def shares_of(plan: BatchPlan, count: int, folder: Path) -> list[list[Share]]:
    """Deal every group out over ``count`` processes: by channels, or by time where there are too few of them."""
    dealt: list[list[Share]] = [[] for _ in range(count)]
    for number, group in enumerate(plan.groups):
        if not group.n_samples:
            continue
        n_rows = len(group.outputs)
        by_rows = n_rows >= count
        edges = np.linspace(0, n_rows if by_rows else group.n_samples, count + 1).astype(int).tolist()
        for own, first, stop in zip(dealt, edges, edges[1:], strict=False):
            if first == stop:
                continue
            own.append(
                Share(
                    group=number,
                    rows=tuple(range(first, stop)) if by_rows else tuple(range(n_rows)),
                    first_sample=group.first_sample + (0 if by_rows else first),
                    stop_sample=group.stop_sample if by_rows else group.first_sample + stop,
                    path=str(unfinished.name_beside(folder / "share", "spill")),
                )
            )
    return dealt


def _held(share: Share, mode: Any) -> np.memmap[Any, np.dtype[np.float64]]:
    return np.memmap(share.path, dtype=np.float64, mode=mode, shape=share.shape)


def filter_share(source: Source, group: BatchGroup, share: Share, folder: str) -> None:
    """Filter a share into its file."""
    own = replace(
        source,
        channels=tuple(source.channels[row] for row in share.rows),
        designs=tuple(source.designs[row] for row in share.rows),
        bad=source.bad.of_rows(share.rows),
    )
    is_whole = (share.first_sample, share.stop_sample) == (group.first_sample, group.stop_sample)
    contexts = [context_of(design) for design in own.designs if design is not None]
    # the context that the stream itself takes, once more
    early = 0 if is_whole else max(contexts, default=0)
    first = max(share.first_sample - early, 0)
    target = _held(share, "r+")
    library = ProgramLibrary()
    blocks = filtered_blocks(
        own, library, first_sample=first, stop_sample=share.stop_sample, spill_folder=folder, exact=is_whole
    )
    for block in blocks:
        if block is None:
            continue
        skip = max(share.first_sample - block.first_sample, 0)
        place = block.first_sample + skip - share.first_sample
        kept = block.after[:, skip:]
        target[:, place : place + kept.shape[1]] = kept
    target.flush()


def run_rank(rank: Rank) -> int | JaxscopeError:
    """Join the other processes, filter the shares, and return how many samples all of them have filtered together."""
    # the transport tells of its peers, and where one has gone of itself, on streams that belong to whoever started this
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    import jax

    from jaxscope.engines.setup import prepare_jax

    prepare_jax()
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(
        rank.address, num_processes=rank.count, process_id=rank.number, initialization_timeout=PATIENCE_S
    )
    from jax.experimental.multihost_utils import process_allgather

    from jaxscope.readers import open_recording

    failure: JaxscopeError | None = None
    done = 0
    try:
        options = rank.options
        with open_recording(
            options.source,
            rate_hz=options.rate_hz,
            samples_first=options.samples_first,
            options=dict(options.reader_options),
        ) as recording:
            plan = plan_batch(montaged(recording, options.montage), rank.chains, options)
            for share in rank.shares:
                group = plan.groups[share.group]
                filter_share(group.source, group, share, str(Path(share.path).parent))
                done += share.shape[0] * share.shape[1]
    except JaxscopeError as error:
        failure, done = error, -1
    # one that failed tells the others, so that none of them waits for it
    counts = np.asarray(process_allgather(np.array([done], dtype=np.int64)))
    jax.distributed.shutdown()
    return failure or int(counts.sum())


def _check_room(plan: BatchPlan, folder: Path) -> None:
    """Raise WriteError where the shares would not fit on the disk."""
    needed = sum(group.n_samples * len(group.outputs) for group in plan.groups) * 8
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise WriteError(
            f"Not enough room in {folder}: {needed / 1e9:.1f} GB needed while filtering, {free / 1e9:.1f} GB free",
            hint="choose another folder, or filter in one process",
        )


class SharedWork:
    """The shares of a recording, filtered by several processes; a context that removes their files.

    Parameters
    ----------
    plan : BatchPlan
    chains : sequence of FilterChain
    options : BatchOptions
        With the number of processes.

    Raises
    ------
    UsageError
        Where all devices are asked for as well, or more processes than the machine can hold.
    WriteError
        Where the disk has no room.
    """

    def __init__(self, plan: BatchPlan, chains: Sequence[FilterChain], options: BatchOptions) -> None:
        if options.device.partition(":")[2] == "all":
            raise UsageError("--processes and all devices exclude each other", hint="give one of them")
        most = max(_LEAST_MOST, _PER_PROCESSOR * (os.cpu_count() or 1))
        if options.processes > most:
            raise UsageError(
                f"{options.processes} processes are too many for this machine", hint=f"give {most} or fewer"
            )
        self._plan, self._chains, self._options = plan, tuple(chains), options
        folder = Path(options.target).absolute().parent
        self._dealt = shares_of(plan, options.processes, folder)
        _check_room(plan, folder)

    def __enter__(self) -> SharedWork:
        try:
            for share in self._shares():
                unfinished.make(Path(share.path))
                _held(share, "w+").flush()
        except BaseException:  # a disk may know no files as large as that
            self.__exit__()
            raise
        return self

    def __exit__(self, *failure: object) -> None:
        for share in self._shares():
            unfinished.remove(Path(share.path))

    def _shares(self) -> Iterator[Share]:
        for own in self._dealt:
            yield from own

    def run(self) -> Generator[float, None, None]:
        """Run the processes; yield the share of them that is done. Raises what one of them met."""
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{found.getsockname()[1]}"
        ranks = [
            Rank(
                address=address, number=number, count=len(self._dealt), shares=tuple(own), chains=self._chains,
                options=self._options,
            )
            for number, own in enumerate(self._dealt)
        ]  # fmt: skip
        waiting = len(ranks)
        failures: list[JaxscopeError] = []
        with WatchedProcesses(run_rank, ranks) as processes:
            for outcomes in processes.outcomes(LOOK_S):
                waiting -= len(outcomes)
                failures += [outcome for outcome in outcomes if isinstance(outcome, JaxscopeError)]
                if any(isinstance(outcome, Died) for outcome in outcomes):
                    raise WriteError(
                        "one of the processes has ended", hint="filter in one process, or with fewer of them"
                    )
                yield 1.0 - waiting / len(ranks)
        if failures:
            raise failures[0]

    def blocks(self) -> Iterator[tuple[BatchGroup, Block, float]]:
        """Yield the blocks of all groups, each in order, with the share done."""
        total = sum(group.n_samples * len(group.outputs) for group in self._plan.groups)
        done = 0
        for number, group in enumerate(self._plan.groups):
            shares = [share for share in self._shares() if share.group == number]
            length = max(PIECE_VALUES // max(len(group.outputs), 1), 1)
            for first in range(group.first_sample, group.stop_sample, length):
                stop = min(first + length, group.stop_sample)
                after = np.empty((len(group.outputs), stop - first))
                for share in shares:
                    begin, end = max(first, share.first_sample), min(stop, share.stop_sample)
                    if begin < end:
                        held = _held(share, "r")[:, begin - share.first_sample : end - share.first_sample]
                        after[list(share.rows), begin - first : end - first] = held
                before = group.source.recording.read(first, stop, group.source.channels)
                done += after.size
                yield group, Block(first, before, after), done / total
