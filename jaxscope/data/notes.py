"""What a recording is beside its samples, as one line of JSON that formats without room for it carry in a comment.

NPZ, HDF5, MATLAB, Parquet and FLAC files that jaxscope writes hold these notes, so that names, units, kinds, start,
events, gaps and the filter come back when they are opened again. Notes are read without trust: where they make no
sense, or do not fit the channels, they are not used, and that is told.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import isfinite
from typing import Any

from jaxscope.data.annotations import Annotation, Gap
from jaxscope.data.recording import CHANNEL_KINDS, Channel, RecordingInfo
from jaxscope.data.timeline import Timeline

#: What the comment, attribute, variable or key that holds the notes is called.
KEY = "jaxscope"
FORMAT = "jaxscope-notes"
VERSION = 1
#: Rates that differ by less than this part are one; what follows from a column of times is not exact.
_SAME_RATE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """Notes as they are read. ``full_scale`` is what a stored 1 means in each channel, for formats that keep ±1."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    kinds: tuple[str, ...]
    rates_hz: tuple[float, ...]
    start: datetime | None
    annotations: tuple[Annotation, ...]
    gaps: tuple[Gap, ...]
    full_scale: tuple[float, ...]


def notes_text(
    channels: Sequence[Channel],
    *,
    start: datetime | None = None,
    annotations: Sequence[Annotation] = (),
    gaps: Sequence[Gap] = (),
    full_scale: Sequence[float] = (),
    history: str = "",
) -> str:
    """Return the notes about a recording that is written; ``history`` says how it was made."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "names": [channel.name for channel in channels],
        "units": [channel.unit for channel in channels],
        "kinds": [channel.kind for channel in channels],
        "rates_hz": [channel.rate_hz for channel in channels],
        "start": None if start is None else start.isoformat(),
        "annotations": [_told(note) for note in annotations],
        "gaps": [[gap.start_s, gap.stop_s] for gap in gaps],
        "full_scale": list(full_scale),
        "history": history,
    }
    return json.dumps(content, ensure_ascii=True, allow_nan=False)


def parse_notes(text: str, n_channels: int) -> Notes | None:
    """Return the notes of a text, None where it holds none for so many channels."""
    try:
        content = json.loads(text)
        if content["format"] != FORMAT or content["version"] != VERSION:
            return None
        notes = Notes(
            names=_texts(content["names"]),
            units=_texts(content["units"]),
            kinds=_texts(content["kinds"]),
            rates_hz=tuple(_number(value) for value in content["rates_hz"]),
            start=None if content["start"] is None else datetime.fromisoformat(content["start"]),
            annotations=tuple(_annotation(*item) for item in content["annotations"]),
            gaps=tuple(Gap(start_s=_number(first), stop_s=_number(stop)) for first, stop in content["gaps"]),
            full_scale=tuple(_number(value) for value in content["full_scale"]),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    lengths = {len(notes.names), len(notes.units), len(notes.kinds), len(notes.rates_hz)}
    edges = [edge for gap in notes.gaps for edge in (gap.start_s, gap.stop_s)]
    is_sound = (
        lengths == {n_channels}
        and len(set(notes.names)) == n_channels
        and len(notes.full_scale) in (0, n_channels)
        and all(value > 0 for value in (*notes.full_scale, *notes.rates_hz))
        and set(notes.kinds) <= set(CHANNEL_KINDS)
        and edges == sorted(set(edges))
        and all(edge > 0 for edge in edges)
    )
    return notes if is_sound else None


def with_notes(info: RecordingInfo, text: str) -> RecordingInfo:
    """Return what is known of a recording, with what its notes tell in place of what the format cannot.

    Examples
    --------
    >>> plain = RecordingInfo(
    ...     format="npz", duration_s=2.0, channels=(Channel(name="data", rate_hz=5.0, n_samples=10),)
    ... )
    >>> told = notes_text([Channel(name="Fz", unit="uV", kind="eeg", rate_hz=5.0, n_samples=10)])
    >>> with_notes(plain, told).channels[0].unit, with_notes(plain, "?").warnings
    ('uV', ('The notes of jaxscope in the file do not fit it and are not used',))
    """
    notes = parse_notes(text, len(info.channels))
    if notes is None:
        return replace(
            info, warnings=(*info.warnings, "The notes of jaxscope in the file do not fit it and are not used")
        )
    channels = tuple(
        replace(channel, name=name, unit=unit, kind=kind, rate_hz=_rate(channel.rate_hz, rate_hz))  # type: ignore[arg-type]
        for channel, name, unit, kind, rate_hz in zip(
            info.channels, notes.names, notes.units, notes.kinds, notes.rates_hz, strict=True
        )
    )
    gaps = notes.gaps or info.gaps
    stops = [
        Timeline(gaps=gaps).stop_s(channel.rate_hz, channel.n_samples)
        for channel in channels
        if channel.rate_hz is not None
    ]
    return replace(
        info,
        channels=channels,
        start=notes.start,
        annotations=notes.annotations,
        gaps=gaps,
        duration_s=max(stops, default=info.duration_s),
    )


def _rate(found_hz: float | None, told_hz: float) -> float:
    """Return the rate that is told, unless a file says something else itself."""
    return told_hz if found_hz is None or abs(found_hz - told_hz) <= _SAME_RATE * told_hz else found_hz


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError("a list of texts is wanted")
    return tuple(values)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise TypeError("a finite number is wanted")
    return float(value)


def _told(note: Annotation) -> list[Any]:
    """Return an event as a list, which ends where there is nothing more to tell."""
    rest: list[Any] = [list(note.channels), True] if note.is_bad else [list(note.channels)] if note.channels else []
    return [note.onset_s, note.duration_s, note.text, *rest]


def _annotation(onset_s: Any, duration_s: Any, text: Any, *rest: Any) -> Annotation:
    channels, is_bad = rest if len(rest) == 2 else (*rest, False) if rest else ((), False)
    if not isinstance(text, str) or not isinstance(is_bad, bool):
        raise TypeError("a text is wanted")
    return Annotation(
        onset_s=_number(onset_s),
        duration_s=None if duration_s is None else _number(duration_s),
        text=text,
        channels=_texts(channels) if channels else (),
        is_bad=is_bad,
    )
