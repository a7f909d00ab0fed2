"""What is seen, as numbers: the samples of the visible channels in the window, before and after, as a table of text.

The samples are those of the recording and of the filter, not the extremes that a picture shows, with no offset removed.
Channels of several rates share one column of times; a cell is empty where a channel has no sample. Numbers are written
with all their digits.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TextIO

import numpy as np
import numpy.typing as npt

from jaxscope.compute.export_job import begun_work
from jaxscope.compute.frames import Blocked, ExportProgress
from jaxscope.compute.plan import GroupRequest, RenderRequest, plan
from jaxscope.compute.scheduler import Cancelled, CancelToken, Steps
from jaxscope.compute.shown_channels import visible_channels
from jaxscope.compute.stream import Source, filtered_blocks
from jaxscope.compute.whole_file import whole_file
from jaxscope.compute.workbench import Wish, Workbench
from jaxscope.data.recording import RecordingInfo
from jaxscope.errors import WriteError

FloatArray = npt.NDArray[np.float64]
#: Samples (channels times time) that are written at a time: other work may come between.
BLOCK_VALUES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewRequest:
    """Write what is seen; the format is CSV."""

    path: str
    overwrite: bool = False

    #: the chains that the traces show, also where they are pinned ones
    as_shown = True
    #: more of the file may still change what is written: it waits until all of it is known
    needs_whole = True

    def work(self, bench: Workbench, wish: Wish, job: int) -> Callable[[CancelToken], Steps]:
        """Return the work that writes the table and tells how far it is."""

        def steps_of(token: CancelToken) -> Steps:
            try:
                bench.deliver(ExportProgress(job=job, share=0.0))
                yield
                place = whole_file(self.path, source=wish.entry.path, overwrite=self.overwrite)
                with place as beside, beside.open("w", encoding="utf-8", newline="") as file:
                    for share in table_steps(bench, wish, file):
                        token.check()
                        bench.deliver(ExportProgress(job=job, share=share))
                        yield
                bench.deliver(ExportProgress(job=job, share=1.0, done=True, path=self.path))
            except (Cancelled, GeneratorExit):
                bench.deliver(ExportProgress(job=job, share=0.0, done=True, cancelled=True))
                raise

        return begun_work(steps_of)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """A column of the table: of which group and row, and of Before (0) or After (1)."""

    title: str
    group: int
    row: int
    side: int


def table_steps(bench: Workbench, wish: Wish, file: TextIO) -> Generator[float, None, None]:
    """Write the table into a file; yield the share of the window that is done.

    Raises
    ------
    WriteError
        Where the filter cannot run.
    """
    state, info = wish.state, wish.entry.recording.info
    if state.viewport.raw:
        state = replace(state, document=replace(state.document, filter_on=False))
    request = plan(state, info, bench.width_px)
    if isinstance(request, Blocked):
        raise WriteError(f"the filter cannot run: {request.reason}", hint=request.hint)
    columns = _columns(request, info, visible_channels(state, info))
    file.write(",".join(["time_s", *(_quoted(column.title) for column in columns)]) + "\r\n")
    sources = [_blocks(bench, wish, request, group) for group in request.groups]
    span_s = max(request.stop_s - request.start_s, 1e-12)
    share = 0.0
    for times_s, cells in _rows(sources, [len(group.channels) for group in request.groups]):
        if not times_s.size:  # only context was filtered
            yield share
            continue
        wanted = [cells[column.group][column.side][column.row] for column in columns]
        for row, second in enumerate(times_s.tolist()):
            file.write(f"{second!r}," + ",".join(_text(values[row]) for values in wanted) + "\r\n")
        share = min(1.0, max(0.0, (float(times_s[-1]) - request.start_s) / span_s))
        yield share


def _columns(request: RenderRequest, info: RecordingInfo, shown: Sequence[int]) -> list[_Column]:
    """Return the columns in the order of the screen, Before and After of a channel side by side."""
    place = {channel: number for number, channel in enumerate(shown)}
    columns: list[_Column] = []
    for number, group in enumerate(request.groups):
        for row, channel in enumerate(group.channels):
            one = info.channels[channel]
            unit = f" ({one.unit})" if one.unit else ""
            sides = ("before", "after") if group.filtered[row] else ("before",)
            for side, words in enumerate(sides):
                columns.append(_Column(title=f"{one.name} {words}{unit}", group=number, row=row, side=side))
    return sorted(columns, key=lambda column: place[request.groups[column.group].channels[column.row]])


Part = tuple[FloatArray, FloatArray, FloatArray]


def _blocks(bench: Workbench, wish: Wish, request: RenderRequest, group: GroupRequest) -> Iterator[Part | None]:
    """Yield (times, before, after) of consecutive samples of a group that lie in the window; None where it works."""
    recording = wish.entry.recording
    timeline = recording.info.timeline_of(group.channels[0])
    span = timeline.span_between(request.start_s, request.stop_s, group.rate_hz)
    source = Source.of(recording, request, group)
    step = max(1, BLOCK_VALUES // len(group.channels))
    for block in filtered_blocks(
        source, bench.programs, first_sample=max(0, span.start), stop_sample=max(0, span.stop), tick=True
    ):
        if block is None:
            yield None
            continue
        for at in range(0, block.before.shape[1], step):
            before, after = block.before[:, at : at + step], block.after[:, at : at + step]
            numbers = np.arange(block.first_sample + at, block.first_sample + at + before.shape[1])
            yield timeline.seconds_of(numbers, group.rate_hz), np.asarray(before, dtype=np.float64), after


def _rows(
    sources: Sequence[Iterator[Part | None]], sizes: Sequence[int]
) -> Iterator[tuple[FloatArray, list[tuple[FloatArray, FloatArray]]]]:
    """Yield (times, for each group before and after at these times), in order of time; NaN where there is no sample."""
    waiting: list[Part | None] = [None] * len(sources)
    is_over = [False] * len(sources)
    nothing = np.zeros(0)
    while True:
        for number, source in enumerate(sources):
            while waiting[number] is None and not is_over[number]:
                try:
                    part = next(source)
                except StopIteration:
                    is_over[number] = True
                    break
                if part is None:
                    yield nothing, []
                elif part[0].size:
                    waiting[number] = part
        held = [part for part in waiting if part is not None]
        if not held:
            return
        until_s = min(float(part[0][-1]) for part in held)
        times_s = np.unique(np.concatenate([part[0][part[0] <= until_s] for part in held]))
        cells: list[tuple[FloatArray, FloatArray]] = []
        for number, part in enumerate(waiting):
            before = np.full((sizes[number], times_s.size), np.nan)
            after = before.copy()
            if part is not None:
                stop = int(np.searchsorted(part[0], until_s, side="right"))
                at = np.searchsorted(times_s, part[0][:stop])
                before[:, at], after[:, at] = part[1][:, :stop], part[2][:, :stop]
                rest = (part[0][stop:], part[1][:, stop:], part[2][:, stop:])
                waiting[number] = rest if rest[0].size else None
            cells.append((before, after))
        yield times_s, cells


def _text(value: np.float64) -> str:
    """Return a cell: all digits, empty where there is no number."""
    return "" if value != value else repr(float(value))


def _quoted(title: str) -> str:
    if any(sign in title for sign in ',"\r\n'):
        doubled = title.replace('"', '""')
        return f'"{doubled}"'
    return title
