"""Opening a recording for a window, and what the window is told of it.

A file that has to be gone through from end to end is told of as soon as its first part is known; whoever opens it is
handed the way to the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jaxscope.compute.frames import Failure, Grown, Opened
from jaxscope.compute.library import OpenRecording
from jaxscope.compute.read_watch import ReadWatch
from jaxscope.compute.scheduler import CancelToken, Work
from jaxscope.compute.workbench import Workbench
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.errors import ReadError
from jaxscope.session.project import change_of
from jaxscope.session.state import RecordingRef

if TYPE_CHECKING:
    from jaxscope.readers.scans import Indexing


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRequest:
    """What to open: ``options`` are what was told about it, what it is ``known`` by tells whether it has changed."""

    path: str
    rate_hz: float | None = None
    known: RecordingRef | None = None
    options: tuple[tuple[str, str], ...] = ()


def open_work(
    bench: Workbench,
    watch: ReadWatch,
    request: OpenRequest,
    fail: Callable[[ReadError], Failure],
    go_on: Callable[[OpenRecording, Indexing], None],
) -> Work:
    """Return the work that opens a recording; the outcome is Opened, or Failure.

    Parameters
    ----------
    bench : Workbench
    watch : ReadWatch
    request : OpenRequest
    fail : callable
        Makes the outcome of an error.
    go_on : callable
        Gets a recording of which the first part was told, and the way to the whole of it.
    """
    path = request.path

    def work(token: CancelToken) -> None:
        try:
            with bench.busy("opening", f"Opening {path}"), watch.reading(path):
                entry, indexing = bench.recordings.open_first_part(
                    path, rate_hz=request.rate_hz, options=request.options
                )
        except ReadError as error:
            if error.field != "format":
                raise
            bench.deliver(replace(fail(error), unknown=path))
            return
        if token.cancelled:
            bench.recordings.drop(entry.id)
            if indexing is not None:
                indexing.close()
            return
        channels = entry.recording.info.channels
        if channels and all(channel.rate_hz is None for channel in channels):
            bench.deliver(replace(fail(_no_rate(path)), path=path))
            return
        known = request.known
        changed = None if known is None else change_of(replace(known, path=path))
        bench.deliver(opened_of(entry, changed=changed))
        if indexing is not None:
            go_on(entry, indexing)

    return work


def _no_rate(path: str) -> ReadError:
    return ReadError(f"{path} does not tell its sampling rate", hint="open it with its rate in Hz")


def opened_of(entry: OpenRecording, *, changed: tuple[str, str] | None = None, is_same: bool = False) -> Opened:
    """Return what is told of an open recording; ``is_same`` where it was told of already, with other channels."""
    info = _as_long_as_its_events(entry.recording.info)
    return Opened(recording_id=entry.id, path=entry.path, info=info, changed=changed, is_same=is_same)


def grown_of(entry: OpenRecording, first: RecordingInfo) -> Grown | Opened:
    """Return what is told of a recording of which ``first`` was known before: the same channels, or other ones."""
    info = _as_long_as_its_events(entry.recording.info)
    if [_look_of(channel) for channel in info.channels] == [_look_of(channel) for channel in first.channels]:
        return Grown(recording_id=entry.id, info=info)
    return opened_of(entry, is_same=True)


def _look_of(channel: Channel) -> tuple[object, ...]:
    return channel.name, channel.unit, channel.kind, channel.rate_hz


def _as_long_as_its_events(info: RecordingInfo) -> RecordingInfo:
    """Return what the window is told of a recording: one without signals lasts as long as its events do."""
    if any(channel.is_drawable for channel in info.channels):
        return info
    ends_s = (event.onset_s + (event.duration_s or 0.0) for event in info.annotations)
    return replace(info, duration_s=max((*ends_s, info.duration_s or 0.0)))
