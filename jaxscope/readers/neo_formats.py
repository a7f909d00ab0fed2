"""Files of electrophysiology that Neo reads: Axon, Spike2, Plexon, Blackrock, Intan, Neuralynx, WinWCP and others.

Neo's raw layer knows where the samples lie and reads them in slices; it is brought in when such a file is opened.
Streams keep their own rate. The segments of a stream, which are sweeps or stretches between pauses, follow each other
at the times that the file tells; what lies between them is a gap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from jaxscope.data.annotations import Annotation, Gap
from jaxscope.data.kinds import signal_kind_of
from jaxscope.data.labels import plain_unit, unique_names
from jaxscope.data.recording import Channel, FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.axon_tags import axon_tags
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.foreign import foreign, need
from jaxscope.readers.sources import Place, SourcedRecording
from jaxscope.readers.timing import Run, gaps_of, place_channels, plain_rate, told_gaps

_AXON = "Axon"
#: Suffix to the name of the format, that of the class of ``neo.rawio``, and what it must be told.
_CLASSES: dict[str, tuple[str, str, dict[str, Any]]] = {
    ".abf": (_AXON, "AxonRawIO", {}),
    ".ncs": ("Neuralynx", "NeuralynxRawIO", {"gap_tolerance_ms": 0.0}),
    ".smr": ("Spike2", "Spike2RawIO", {}),
    ".plx": ("Plexon", "PlexonRawIO", {"progress_bar": False}),
    ".ns1": ("Blackrock", "BlackrockRawIO", {}),
    ".ns2": ("Blackrock", "BlackrockRawIO", {}),
    ".ns3": ("Blackrock", "BlackrockRawIO", {}),
    ".ns4": ("Blackrock", "BlackrockRawIO", {}),
    ".ns5": ("Blackrock", "BlackrockRawIO", {}),
    ".ns6": ("Blackrock", "BlackrockRawIO", {}),
    ".rhd": ("Intan", "IntanRawIO", {}),
    ".rhs": ("Intan", "IntanRawIO", {}),
    ".nex": ("NeuroExplorer", "NeuroExplorerRawIO", {}),
    ".axgd": ("AxoGraph", "AxographRawIO", {}),
    ".axgx": ("AxoGraph", "AxographRawIO", {}),
    ".wcp": ("WinWCP", "WinWcpRawIO", {}),
    ".edr": ("WinEDR", "WinEdrRawIO", {}),
    ".trc": ("Micromed", "MicromedRawIO", {}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stream:
    """One stream: its segments, and when each begins."""

    index: int
    rate_hz: float
    counts: tuple[int, ...]
    starts_s: tuple[float, ...]
    channels: tuple[tuple[str, str], ...]


class _StreamSource:
    """The samples of a stream, over all its segments. The library keeps state, so readings take turns."""

    def __init__(self, raw: Any, stream: _Stream, name: str, lock: Lock) -> None:
        self._raw, self._stream, self._name, self._lock = raw, stream, name, lock
        self._stops = np.cumsum(stream.counts)

    def read(self, span: Span, rows: Sequence[int]) -> FloatArray:
        wanted = sorted(set(rows))
        result = np.empty((len(rows), len(span)), dtype=np.float64)
        order = [wanted.index(row) for row in rows]
        with self._lock, foreign(self._name):
            for segment, count in enumerate(self._stream.counts):
                begin = int(self._stops[segment]) - count
                part = Span(begin, begin + count).intersect(span)
                if not len(part):
                    continue
                block = self._block(segment, part.shift(-begin), wanted)
                result[:, part.start - span.start : part.stop - span.start] = block.T[order]
        return result

    def _block(self, segment: int, part: Span, wanted: list[int]) -> FloatArray:
        index = self._stream.index
        stored = self._raw.get_analogsignal_chunk(
            block_index=0,
            seg_index=segment,
            i_start=part.start,
            i_stop=part.stop,
            stream_index=index,
            channel_indexes=wanted,
        )
        values: FloatArray = self._raw.rescale_signal_raw_to_float(
            stored, dtype="float64", stream_index=index, channel_indexes=wanted
        )
        if values.shape != (len(part), len(wanted)):
            raise ReadError(f"{self._name} ends too early", hint="copy the file again")
        return values


def open_with_neo(path: Path, options: OpenOptions) -> Recording:
    """Open a file of one of the electrophysiology formats of Neo.

    Raises
    ------
    ReadError
        If it is damaged, holds no signals, or Neo is not installed.
    """
    suffix = path.suffix.lower()
    if suffix not in _CLASSES:
        raise ReadError(f"{path.name} has a suffix that tells no format", hint="give it its own suffix, such as .abf")
    title, class_name, told = _CLASSES[suffix]
    need("neo", "ephys", f"{title} files", file=path.name)
    rawio = need("neo.rawio", "ephys", f"{title} files", file=path.name)
    warnings: list[str] = []
    with foreign(path.name, warnings):
        raw = getattr(rawio, class_name)(**_place(path, suffix), **told)
        raw.parse_header()
        streams = [_stream(raw, index, path) for index in range(raw.signal_streams_count())]
        streams = [stream for stream in streams if sum(stream.counts)]
        notes = _notes(raw, title, path, streams)
        if not streams and not notes:
            raise ReadError(f"{path.name} holds no signals", hint="choose another file, or copy it again")
        info = _describe(raw, title, streams, notes, options, warnings)
    lock = Lock()
    places = []
    for stream in streams:
        source = _StreamSource(raw, stream, path.name, lock)
        places += [Place(source=source, row=row) for row in range(len(stream.channels))]
    return SourcedRecording(info, places, _nothing)


def _place(path: Path, suffix: str) -> dict[str, Any]:
    """Return how the library is told which file; of a folder of files, one a channel, the one that was asked for."""
    if suffix == ".ncs":
        return {"dirname": str(path.parent), "include_filenames": [path.name]}
    return {"filename": str(path)}


def _nothing() -> None:
    """Let go of nothing: the library closes its files with itself."""


def _stream(raw: Any, index: int, path: Path) -> _Stream:
    identity = raw.header["signal_streams"][index]["id"]
    entries = [entry for entry in raw.header["signal_channels"] if entry["stream_id"] == identity]
    segments = range(raw.segment_count(0))
    counts = tuple(int(raw.get_signal_size(0, segment, index)) for segment in segments)
    starts_s = tuple(float(raw.get_signal_t_start(0, segment, index)) for segment in segments)
    rate_hz = plain_rate(float(raw.get_signal_sampling_rate(index)))
    if not (rate_hz > 0 and math.isfinite(rate_hz) and all(math.isfinite(start) for start in starts_s)):
        raise ReadError(f"{path.name} tells a sampling rate of {rate_hz:g} Hz", hint="copy the file again")
    if min(counts, default=0) < 0 or sum(counts) > path.stat().st_size:
        raise ReadError(f"{path.name} promises more samples than it has bytes", hint="copy the file again")
    return _Stream(
        index=index,
        rate_hz=rate_hz,
        counts=counts,
        starts_s=starts_s,
        channels=tuple((str(entry["name"]), str(entry["units"])) for entry in entries),
    )


def _notes(raw: Any, title: str, path: Path, streams: Sequence[_Stream]) -> tuple[Annotation, ...]:
    """Return what a file tells happened, at seconds of the file's own count."""
    if title == _AXON and streams:
        return axon_tags(path, raw._axon_info, streams[0].rate_hz, len(streams[0].channels))
    return _events(raw)


def _describe(
    raw: Any,
    title: str,
    streams: Sequence[_Stream],
    notes: Sequence[Annotation],
    options: OpenOptions,
    warnings: list[str],
) -> RecordingInfo:
    warnings += own_rate_words((stream.rate_hz for stream in streams), options)
    if raw.block_count() > 1:
        warnings.append(f"The file holds {raw.block_count()} blocks; the first is shown")
    if raw.spike_channels_count():
        warnings.append(f"The file holds {raw.spike_channels_count()} channels of spikes, which are not shown")
    origin_s = min((stream.starts_s[0] for stream in streams), default=0.0)
    names = list(unique_names(name for stream in streams for name, _ in stream.channels))
    channels, gaps = _channels_of(streams, names, origin_s, warnings)
    placed, shared, duration_s = place_channels(channels, gaps)
    warnings += told_gaps(names, gaps, shared)
    return RecordingInfo(
        format=title,
        start=_start(raw),
        duration_s=duration_s if channels else 0.0,
        channels=placed,
        annotations=tuple(
            replace(note, onset_s=round(note.onset_s - origin_s, 9))
            for note in sorted(notes, key=lambda note: note.onset_s)
        ),
        gaps=shared,
        warnings=tuple(warnings),
    )


def _channels_of(
    streams: Sequence[_Stream], names: Sequence[str], origin_s: float, warnings: list[str]
) -> tuple[list[Channel], list[tuple[Gap, ...]]]:
    """Return the channels of all streams, and the gaps of each."""
    channels: list[Channel] = []
    gaps: list[tuple[Gap, ...]] = []
    for stream in streams:
        own = _gaps(stream, origin_s, warnings)
        for _, unit in stream.channels:
            name = names[len(channels)]
            channels.append(
                Channel(
                    name=name,
                    unit=plain_unit(unit),
                    kind=signal_kind_of(name, plain_unit(unit)),  # these files tell codes as events
                    rate_hz=stream.rate_hz,
                    n_samples=sum(stream.counts),
                )
            )
            gaps.append(own)
    return channels, gaps


def _gaps(stream: _Stream, origin_s: float, warnings: list[str]) -> tuple[Gap, ...]:
    pairs = [(start, count) for start, count in zip(stream.starts_s, stream.counts, strict=True) if count]
    runs = [Run(start_s=start - origin_s, n_samples=count) for start, count in pairs]
    stop_s, n_back = 0.0, 0
    for run in runs:
        n_back += run.start_s < stop_s - 0.5 / stream.rate_hz
        stop_s = max(stop_s, run.start_s) + run.n_samples / stream.rate_hz
    n_near = len(runs) - 1 - n_back - sum(gap.start_s > 0 for gap in gaps_of(runs, stream.rate_hz))
    if n_near > 0:
        warnings.append(
            f"The file tells no pause before {n_near} of its {len(runs)} parts: they are shown, and filtered, as one "
            "stretch with the part before"
        )
    if n_back:
        warnings.append(f"{n_back} sweeps tell a time before the end of the one before; they are shown after it")
    return gaps_of(runs, stream.rate_hz)


def _start(raw: Any) -> datetime | None:
    blocks = raw.raw_annotations.get("blocks") or [{}]
    told = blocks[0].get("rec_datetime")
    return told if isinstance(told, datetime) else None


def _events(raw: Any) -> tuple[Annotation, ...]:
    notes = []
    for segment in range(raw.segment_count(0)):
        for channel in range(raw.event_channels_count()):
            stamps, durations, labels = raw.get_event_timestamps(0, segment, channel)
            seconds = raw.rescale_event_timestamp(stamps, dtype="float64", event_channel_index=channel)
            lasted = (
                [None] * len(seconds)
                if durations is None
                else raw.rescale_epoch_duration(durations, dtype="float64", event_channel_index=channel).tolist()
            )
            notes += [
                Annotation(onset_s=float(second), duration_s=duration, text=str(label))
                for second, duration, label in zip(seconds, lasted, labels, strict=True)
                if math.isfinite(second)
            ]
    return tuple(notes)


def sniff_neo(head: bytes) -> bool:
    """Say no: without its suffix, none of these formats is opened."""
    return False


FORMAT = ReaderFormat(name="neo", title="Neo", suffixes=tuple(_CLASSES), sniff=sniff_neo, open=open_with_neo)
