"""Filtering every recording of a folder from the window, by the same ``run_batch`` and inputs as the command line.

It keeps the filter that it was begun with. Files that an earlier run has finished in the same way are left as they are,
so it may be stopped and taken up again; a file that fails says why, and the others go on. Between two blocks the thread
serves what a hand waits for, as during an export. It may be held between two blocks, and recordings may be left out or
taken again while it runs.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from jaxscope import unfinished
from jaxscope.compute.folder_frames import FolderListed, FolderProgress, FolderRow
from jaxscope.compute.scheduler import CancelToken, Lane, Scheduler, Steps
from jaxscope.compute.workbench import Workbench
from jaxscope.errors import JaxscopeError, WriteError, counted
from jaxscope.session.state import Document, EngineChoice, RecordingRef

if TYPE_CHECKING:
    from jaxscope.compute.batch_inputs import Input
    from jaxscope.compute.batch_plan import BatchOptions
    from jaxscope.filters.spec import FilterChain

#: Progress of a file is told at most this often.
_TELL_EVERY_S = 0.1
_RATE_HINT = "open one such recording and give its rate: the folder takes it for all of that format that tell none"
#: A held job looks this often whether it may go on; a hand that wants a frame waits no longer for it.
_HELD_S = 0.004
_LIST, _FILTER = "folder-list", "folder"
Yielded = TypeVar("Yielded")
Returned = TypeVar("Returned")


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderRequest:
    """Which recordings to filter, how, and into which folder."""

    rows: tuple[FolderRow, ...]
    target: str
    document: Document
    engine: EngineChoice
    #: whether outputs of other runs are replaced
    overwrite: bool = False
    #: format of the outputs by its suffix; empty keeps that of each recording
    suffix: str = ""

    def target_of(self, row: FolderRow) -> str:
        """Return where the output of a recording goes."""
        name = os.path.splitext(row.name)[0] + self.suffix if self.suffix else row.name
        return os.path.join(self.target, name)


class FolderControl:
    """What a person wants of a job that runs: held or not, and which of its rows are left out or taken again."""

    def __init__(self) -> None:
        self._may_run = threading.Event()
        self._may_run.set()
        #: numbers of rows that are not begun
        self.skipped: set[int] = set()
        #: numbers of rows whose turn has come
        self.passed: set[int] = set()
        #: numbers of rows that come once more, behind the others
        self.again: deque[int] = deque()

    @property
    def is_held(self) -> bool:
        """Whether it waits."""
        return not self._may_run.is_set()

    def hold(self, *, held: bool) -> None:
        """Have it wait after the block that is being written, or go on."""
        if held:
            self._may_run.clear()
        else:
            self._may_run.set()

    def held_for(self) -> float:
        """Wait a moment for leave to go on; return how long that was."""
        begun = time.monotonic()
        self._may_run.wait(_HELD_S)
        return time.monotonic() - begun


class FolderJobs:
    """Lists the recordings of a folder and filters them; outcomes are FolderListed and FolderProgress."""

    def __init__(self, bench: Workbench, scheduler: Scheduler) -> None:
        self._bench, self._scheduler = bench, scheduler
        self.control = FolderControl()
        scheduler.add_lane(Lane(name=_LIST, thread="file", rank=2))
        scheduler.add_lane(Lane(name=_FILTER, rank=5))

    def list(self, folder: str, target: str) -> None:
        """Look for recordings in a folder at any depth, but in that of the outputs."""
        self._scheduler.submit(_LIST, lambda _token: self._bench.deliver(listed(folder, target)))

    def begin(self, request: FolderRequest) -> None:
        """Filter recordings, one after the other."""
        control = self.control = FolderControl()

        def work(token: CancelToken) -> Steps:
            steps = folder_steps(self._bench, request, token, control)
            next(steps)  # closing a generator that has not begun says nothing, and the window would wait for ever
            return steps

        self._scheduler.submit(_FILTER, work)

    def hold(self, held: bool) -> None:  # noqa: FBT001  a signal
        """Have the job wait between two blocks, or go on."""
        self.control.hold(held=held)

    def skip(self, number: int) -> None:
        """Leave a row out that was not begun."""
        self.control.skipped.add(number)

    def take_again(self, number: int) -> None:
        """Filter a row after all, or once more, behind the others."""
        self.control.skipped.discard(number)
        if number in self.control.passed:
            self.control.again.append(number)

    def stop(self) -> None:
        """Stop after the block that is being written; what is half written goes."""
        if self._scheduler.cancel(_FILTER):
            self._bench.deliver(FolderProgress(number=None, row=None, share=0.0, over=True))


def listed(folder: str, target: str) -> FolderListed:
    """Return the recordings of a folder as rows that wait."""
    from jaxscope.compute.batch_inputs import find_inputs

    try:
        found = find_inputs([folder], besides=target)
        rows = tuple(_row_of(one) for one in found)
    except JaxscopeError as error:
        return FolderListed(folder=folder, problem=error.sentence())
    except OSError as error:
        return FolderListed(folder=folder, problem=f"{folder} cannot be read: {error.strerror or error}")
    return FolderListed(folder=folder, rows=rows)


def _row_of(one: Input) -> FolderRow:
    """Return the row of a recording; what an earlier run made of another one there is left out, unless it is wanted."""
    row = FolderRow(path=one.path, name=one.name, size_bytes=os.path.getsize(one.path))
    return replace(row, state="skipped", facts=f"made of {one.made_of}") if one.made_of else row


def results_folder(folder: str) -> str:
    """Return where the results of a folder go, where nothing else is said."""
    from jaxscope.compute.batch_inputs import RESULTS

    return f"{Path(folder)}{RESULTS}"


class _Teller:
    """Tells of rows, of the share of all that is done and of the time that is left."""

    def __init__(self, bench: Workbench, request: FolderRequest) -> None:
        self._bench = bench
        self._sizes = [max(1, row.size_bytes) for row in request.rows]
        self._done = [0.0] * len(self._sizes)
        self._skipped = 0.0
        self._begun = time.monotonic()
        self._told_at = 0.0

    def tell(self, number: int, row: FolderRow, *, is_news: bool = True) -> None:
        """Tell of a row; one that only went on is told of now and then."""
        now = time.monotonic()
        self._done[number] = row.share * self._sizes[number]
        if row.state == "before":
            self._skipped += self._sizes[number]
        if is_news or now - self._told_at >= _TELL_EVERY_S:
            self._told_at = now
            self._bench.deliver(
                FolderProgress(number=number, row=row, share=self.share, seconds_left=self._seconds_left(now))
            )

    @property
    def share(self) -> float:
        """How much of all is done."""
        return sum(self._done) / sum(self._sizes) if self._sizes else 1.0

    def waited(self, seconds: float) -> None:
        """Leave out the time that the job was held."""
        self._begun += seconds

    def _seconds_left(self, now: float) -> float | None:
        # what was finished before cost next to nothing and tells nothing of the rest
        worked = sum(self._done) - self._skipped
        left = sum(self._sizes) - sum(self._done)
        return (now - self._begun) * left / worked if worked > 0 else None


def folder_steps(
    bench: Workbench, request: FolderRequest, token: CancelToken, control: FolderControl | None = None
) -> Steps:
    """Yield between blocks; tell of every file, and that it is over, however it ends."""
    teller = _Teller(bench, request)
    wishes = control or FolderControl()
    waiting = deque(range(len(request.rows)))
    try:
        yield
        # one at a time: a folder that cannot be made is told in the row of its file
        while waiting or wishes.again:
            token.check()
            yield from _while_held(wishes, token, teller)
            number = waiting.popleft() if waiting else wishes.again.popleft()
            wishes.passed.add(number)
            row = request.rows[number]
            if number in wishes.skipped:
                teller.tell(number, replace(row, state="skipped", share=1.0))
                continue
            work = _Work(
                bench=bench,
                request=request,
                token=token,
                wishes=wishes,
                teller=teller,
                number=number,
                target=request.target_of(row),
            )
            yield from _row_steps(work, replace(row, state="running", share=0.0, sentence="", hint=""))
    finally:
        bench.deliver(FolderProgress(number=None, row=None, share=teller.share, over=True))


def _row_steps(work: _Work, row: FolderRow) -> Steps:
    """Yield between blocks of a file, and tell how it goes and how it ended."""
    from jaxscope.compute.batch_inputs import folders_made

    work.teller.tell(work.number, row)
    yield
    begun = time.monotonic()
    try:
        with folders_made([work.target]):
            unfinished.tidy(Path(work.target).parent)
            row = yield from _file_steps(work, row)
        row = replace(row, share=1.0, seconds=time.monotonic() - begun)
    except JaxscopeError as error:
        hint = _RATE_HINT if error.field == "rate_hz" else error.hint
        row = replace(row, state="failed", share=1.0, sentence=error.message, hint=hint)
    except OSError as error:
        words = f"{row.name} cannot be read or written: {error.strerror or error}"
        row = replace(row, state="failed", share=1.0, sentence=words, hint="check the disk and try again")
    work.teller.tell(work.number, row)
    yield


def _while_held(wishes: FolderControl, token: CancelToken, teller: _Teller) -> Steps:
    """Yield while the job is held."""
    while wishes.is_held:
        token.check()
        teller.waited(wishes.held_for())
        yield


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Work:
    """One file of a job: what is asked for, how, and who is told."""

    bench: Workbench
    request: FolderRequest
    token: CancelToken
    wishes: FolderControl
    teller: _Teller
    number: int
    target: str


def _file_steps(work: _Work, row: FolderRow) -> Generator[None, None, FolderRow]:
    """Yield between blocks; return the row of a file that is there now."""
    from jaxscope.compute.resume import finished_steps

    document = work.request.document
    chains = document.chains if document.filter_on else ()
    options = _options_of(work.request, row, work.target)
    known = _Returning(finished_steps(chains, options))
    for _ in known:
        work.token.check()
        yield
    if known.value is not None:
        return replace(row, state="before", facts=_facts(known.value["n_channels"], None))
    _refuse_taken(work, row)
    place = os.path.abspath(work.target)
    work.bench.writing.add(place)
    try:
        return (yield from _written_steps(work, row, chains, options))
    finally:
        work.bench.writing.discard(place)


def _options_of(request: FolderRequest, row: FolderRow, target: str) -> BatchOptions:
    from jaxscope.compute.batch_inputs import events_for
    from jaxscope.compute.batch_plan import BatchOptions

    document, engine = request.document, request.engine
    rate_hz, told = _told_of(row.path, document.recording)
    return BatchOptions(
        source=row.path,
        target=target,
        overwrite=request.overwrite,
        device=engine.device,
        precision=engine.precision,
        method=engine.method,
        rate_hz=rate_hz,
        reader_options=told,
        montage=document.montage,
        events=events_for(row.path, document),
        bad_spans=document.bad_spans,
    )


def _refuse_taken(work: _Work, row: FolderRow) -> None:
    """Raise WriteError where something else is, or will be, in the place of an output."""
    target = work.target
    twin = _twin(work.request, row, target)
    if twin:
        raise WriteError(f"{twin} would be written to {target} as well", hint="keep the format of the recordings")
    if os.path.lexists(target) and not work.request.overwrite:
        words = f"{target} exists, and is not what this filter makes of this recording"
        raise WriteError(words, hint="turn on Replace, or save to another folder")
    if os.path.abspath(target) in work.bench.writing:
        raise WriteError(f"{target} is being written by an export", hint="try again when it has ended")


def _written_steps(
    work: _Work, row: FolderRow, chains: tuple[FilterChain, ...], options: BatchOptions
) -> Generator[None, None, FolderRow]:
    """Write an output; yield and return as ``_file_steps`` does."""
    from jaxscope.compute.batch import run_batch
    from jaxscope.compute.montaged import montaged
    from jaxscope.readers import open_recording

    document = work.request.document
    with open_recording(row.path, rate_hz=options.rate_hz, options=dict(options.reader_options)) as recording:
        facts = _facts(len(recording.info.channels), recording.info.duration_s)
        row = replace(row, facts=facts + _read_like(row.path, document.recording))
        work.teller.tell(work.number, row)
        with closing(run_batch(montaged(recording, document.montage), chains, options)) as blocks:
            written = _Returning(blocks)
            for share in written:
                work.token.check()
                row = replace(row, share=share)
                work.teller.tell(work.number, row, is_news=False)
                yield
                yield from _while_held(work.wishes, work.token, work.teller)
    return replace(row, state="saved", n_notes=len(written.value["warnings"]))


def _told_of(path: str, reference: RecordingRef | None) -> tuple[float | None, tuple[tuple[str, str], ...]]:
    """Return rate and options of a file that does not tell them: what a person told of the open one of its format."""
    if reference is None or os.path.splitext(path)[1].lower() != os.path.splitext(reference.path)[1].lower():
        return None, ()
    return reference.rate_hz, reference.options


def _read_like(path: str, reference: RecordingRef | None) -> str:
    """Return words for a file that another one's rate or options were taken for; none where nothing was told."""
    if reference is None or _told_of(path, reference) == (None, ()):
        return ""
    is_open = os.path.realpath(reference.path) == os.path.realpath(path)
    return "" if is_open else f" · read like {os.path.basename(reference.path)}"


def _twin(request: FolderRequest, row: FolderRow, target: str) -> str:
    """Return the first recording of the folder with the same output, "" where it is this one."""
    first = next(one for one in request.rows if request.target_of(one) == target)
    return "" if first.path == row.path else first.name


class _Returning(Generic[Yielded, Returned]):
    """What a generator yields; ``value`` is what it has returned."""

    def __init__(self, steps: Generator[Yielded, None, Returned]) -> None:
        self._steps = steps
        self.value: Returned

    def __iter__(self) -> Generator[Yielded, None, None]:
        self.value = yield from self._steps


def _facts(n_channels: int, duration_s: float | None) -> str:
    words = counted(n_channels, "channel")
    if duration_s is None:
        return words
    if duration_s < 10:
        return f"{words} · {duration_s:.3g} s" if duration_s >= 0.1 else f"{words} · {duration_s * 1e3:.3g} ms"
    minutes, seconds = divmod(round(duration_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{words} · {hours}:{minutes:02d}:{seconds:02d}" if hours else f"{words} · {minutes}:{seconds:02d}"
