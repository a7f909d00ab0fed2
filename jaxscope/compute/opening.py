"""What the window is told of a recording that is open."""

from __future__ import annotations

from dataclasses import replace

from jaxscope.compute.frames import Opened
from jaxscope.compute.library import OpenRecording
from jaxscope.data.recording import RecordingInfo


def opened_of(entry: OpenRecording, *, changed: tuple[str, str] | None = None, is_same: bool = False) -> Opened:
    """Return what is told of an open recording; ``is_same`` where it was told of already, with other channels."""
    info = _as_long_as_its_events(entry.recording.info)
    return Opened(recording_id=entry.id, path=entry.path, info=info, changed=changed, is_same=is_same)


def _as_long_as_its_events(info: RecordingInfo) -> RecordingInfo:
    """Return what the window is told of a recording: one without signals lasts as long as its events do."""
    if any(channel.kind != "annotation" for channel in info.channels):
        return info
    ends_s = (event.onset_s + (event.duration_s or 0.0) for event in info.annotations)
    return replace(info, duration_s=max((*ends_s, info.duration_s or 0.0)))
