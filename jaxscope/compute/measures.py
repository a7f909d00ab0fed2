"""What lies between two cursors, in numbers: of true samples, before, after and their difference, of every channel.

A picture holds extremes of bins only, so sizes are worked out here from the samples behind it. Where those were not
kept (a long window, cursors outside of it, a frame that has not settled) the span is read and filtered again, block by
block, so that memory stays bounded. Missing samples are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from jaxscope.compute.measure_frames import MeasureFrame, Measures
from jaxscope.compute.plan import GroupRequest
from jaxscope.compute.scheduler import CancelToken, Steps
from jaxscope.compute.stream import Source, filtered_blocks
from jaxscope.compute.trace_blocks import Samples
from jaxscope.compute.workbench import Shown, Workbench

FloatArray = npt.NDArray[np.float64]


class Tally:
    """Adds up samples of several channels, relative to the first of each, so that an offset costs no digits."""

    def __init__(self, n_channels: int) -> None:
        self._first = np.full(n_channels, np.nan)
        self._last = np.full(n_channels, np.nan)
        self._origin = np.full(n_channels, np.nan)
        self._count = np.zeros(n_channels)
        self._sum = np.zeros(n_channels)
        self._squares = np.zeros(n_channels)
        self._low = np.full(n_channels, np.nan)
        self._high = np.full(n_channels, np.nan)
        self._has_begun = False

    def add(self, x: Samples) -> None:
        """Take in the next samples, shape (n_channels, n_samples)."""
        if not x.shape[1]:
            return
        if not self._has_begun:
            self._first = x[:, 0].copy()
            self._has_begun = True
        self._last = x[:, -1].copy()
        is_known = np.isfinite(x)
        new = np.isnan(self._origin) & is_known.any(axis=1)
        self._origin[new] = x[new, np.argmax(is_known[new], axis=1)]
        moved = np.where(is_known, x - self._origin[:, np.newaxis], 0.0)
        self._count += is_known.sum(axis=1)
        self._sum += moved.sum(axis=1)
        self._squares += np.einsum("ij,ij->i", moved, moved)
        known = np.where(is_known, x, np.nan)
        self._low = np.fmin(self._low, np.fmin.reduce(known, axis=1))
        self._high = np.fmax(self._high, np.fmax.reduce(known, axis=1))

    def finish(self) -> Measures:
        """Return what was added up; NaN where a channel had no value."""
        with np.errstate(invalid="ignore", divide="ignore"):
            shift = self._sum / self._count
            variance = np.maximum(self._squares / self._count - shift**2, 0.0)
            mean = self._origin + shift
            return Measures(
                first=self._first,
                last=self._last,
                rms=np.sqrt(variance + mean**2),
                deviation=np.sqrt(variance),
                peak_to_peak=self._high - self._low,
            )


def measure_work(
    bench: Workbench, shown: Shown, cursors_s: tuple[float, ...], revision: int
) -> Callable[[CancelToken], Steps]:
    """Return the work that delivers what lies between two cursors."""

    def work(token: CancelToken) -> Steps:
        start_s, stop_s = min(cursors_s), max(cursors_s)
        steps = measured(bench, shown, start_s, stop_s)
        while True:
            token.check()
            try:
                next(steps)
            except StopIteration as end:
                found: Measured = end.value
                break
            yield
        bench.deliver(
            MeasureFrame(
                revision=revision,
                recording_id=shown.wish.entry.id,
                start_s=start_s,
                stop_s=stop_s,
                channels=found.channels,
                before=found.before,
                after=found.after,
                removed=found.removed,
                filtered=found.filtered,
            )
        )

    return work


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured:
    """Sizes of channels between two times, and whether each is filtered."""

    channels: tuple[int, ...]
    before: Measures
    after: Measures
    removed: Measures
    filtered: tuple[bool, ...]


def measured(bench: Workbench, shown: Shown, start_s: float, stop_s: float) -> Generator[None, None, Measured]:
    """Yield after each block; return what lies between two times."""
    channels: list[int] = []
    filtered: list[bool] = []
    parts: tuple[list[Measures], ...] = ([], [], [])
    for group in shown.request.groups:
        tallies = [Tally(len(group.channels)) for _ in parts]
        first, stop = samples_between(shown, group, start_s, stop_s)
        for block in blocks_between(bench, shown, group, first, stop):
            if block is not None:
                for tally, x in zip(tallies, (*block, block[0] - block[1]), strict=True):
                    tally.add(x)
            yield
        channels.extend(group.channels)
        filtered.extend(group.filtered)
        for part, tally in zip(parts, tallies, strict=True):
            part.append(tally.finish())
    before, after, removed = (_joined(part) for part in parts)
    return Measured(channels=tuple(channels), before=before, after=after, removed=removed, filtered=tuple(filtered))


def samples_between(shown: Shown, group: GroupRequest, start_s: float, stop_s: float) -> tuple[int, int]:
    """Return the stored samples from the one nearest to a time to the one nearest to another, half-open."""
    info, rate_hz = shown.wish.entry.recording.info, group.rate_hz
    timeline, n_samples = info.timeline_of(group.channels[0]), info.channels[group.channels[0]].n_samples
    first = timeline.sample_at(start_s - 0.5 / rate_hz, rate_hz)
    stop = timeline.sample_at(stop_s - 0.5 / rate_hz, rate_hz) + 1
    return min(max(first, 0), n_samples), min(max(stop, 0), n_samples)


def blocks_between(
    bench: Workbench, shown: Shown, group: GroupRequest, first: int, stop: int, *, needs_rest: bool = True
) -> Iterator[tuple[Samples, Samples] | None]:
    """Yield (before, after) of consecutive samples; None where there was only work to be done.

    Where the frame has not settled its own samples do only where ``needs_rest`` is False.
    """
    kept = _kept(shown, group, first, stop) if shown.request.settled or not needs_rest else None
    if kept is not None:
        yield from kept
        return
    source = Source.of(shown.wish.entry.recording, shown.request, group)
    for block in filtered_blocks(source, bench.programs, first_sample=first, stop_sample=stop, tick=True):
        yield None if block is None else (block.before, block.after)


def _kept(shown: Shown, group: GroupRequest, first: int, stop: int) -> list[tuple[Samples, Samples]] | None:
    """Return the samples behind the frame, None where they are not all there."""
    found: list[tuple[Samples, Samples]] = []
    at = first
    for part in sorted(shown.rendered.samples, key=lambda part: part.first_sample):
        if part.group.channels != group.channels or part.first_sample > at or at >= stop:
            continue
        cut = slice(at - part.first_sample, stop - part.first_sample)
        if part.before[:, cut].shape[1]:
            found.append((part.before[:, cut], part.after[:, cut]))
            at += part.before[:, cut].shape[1]
    return found if at >= stop else None


def _joined(parts: list[Measures]) -> Measures:
    names = ("first", "last", "rms", "deviation", "peak_to_peak")
    nothing = [np.zeros(0)]
    return Measures(**{name: np.concatenate([getattr(part, name) for part in parts] or nothing) for name in names})
