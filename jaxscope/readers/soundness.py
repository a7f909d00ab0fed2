"""The last look at a recording before anybody gets it: numbers that no recording can have.

Headers may say anything: rates that are infinite, events that last less than nothing. Readers judge what they know of;
here is the one place where what would break a time axis is found, whatever the format. What can do without is left out
and told; what the time axis rests on makes the file unreadable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from jaxscope.data.annotations import Annotation
from jaxscope.data.recording import FloatArray, Recording, RecordingInfo
from jaxscope.errors import ReadError, counted


class MendedRecording(Recording):
    """A recording of which something was left out."""

    def __init__(self, inner: Recording, info: RecordingInfo) -> None:
        self._inner = inner
        self._info = info

    @property
    def info(self) -> RecordingInfo:
        return self._info

    def read(self, start: int, stop: int, channels: Sequence[int | str] | None = None) -> FloatArray:
        return self._inner.read(start, stop, channels)

    def close(self) -> None:
        self._inner.close()


def sound(recording: Recording, name: str) -> Recording:
    """Return a recording whose times are numbers, and close one that cannot be mended.

    Raises
    ------
    ReadError
        If a rate, a gap or the duration is no time.
    """
    info = recording.info
    reason = _why_not(info)
    if reason:
        recording.close()
        raise ReadError(f"{name} cannot be right: {reason}", hint="copy the file again, or record it again")
    kept = tuple(note for note in info.annotations if isfinite(note.onset_s))
    mended = tuple(_mended(note) for note in kept)
    if mended == info.annotations:
        return recording
    warnings = list(info.warnings)
    if len(kept) < len(info.annotations):
        warnings.append(f"{counted(len(info.annotations) - len(kept), 'event')} without a time are left out")
    n_open = sum(before is not after for before, after in zip(kept, mended, strict=True))
    if n_open:
        warnings.append(f"{counted(n_open, 'event')} with an impossible duration: shown without one")
    return MendedRecording(recording, replace(info, annotations=mended, warnings=tuple(warnings)))


def _mended(note: Annotation) -> Annotation:
    if note.duration_s is None or (isfinite(note.duration_s) and note.duration_s >= 0):
        return note
    return replace(note, duration_s=None)


def _why_not(info: RecordingInfo) -> str:
    """Return what is impossible about the times of a recording, ``""`` where nothing is."""
    for channel in info.channels:
        if channel.rate_hz is not None and not (isfinite(channel.rate_hz) and channel.rate_hz > 0):
            return f"{channel.name} has a sampling rate of {channel.rate_hz:g} Hz"
        if channel.n_samples < 0:
            return f"{channel.name} has {channel.n_samples:,} samples"
    if info.duration_s is not None and not (isfinite(info.duration_s) and info.duration_s >= 0):
        return f"it lasts {info.duration_s:g} s"
    for gaps in (info.gaps, *(channel.gaps or () for channel in info.channels)):
        stop_s = 0.0
        for gap in gaps:
            if not (isfinite(gap.stop_s) and stop_s <= gap.start_s < gap.stop_s):
                return f"it has a gap from {gap.start_s:g} s to {gap.stop_s:g} s"
            stop_s = gap.stop_s
    return ""
