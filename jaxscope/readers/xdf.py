"""XDF, the files of the lab streaming layer: several streams, each with its own rate, clock and channels.

Streams keep their own rate and number of samples. Their stamps are brought to one clock (``xdf_clock``); the rate that
is shown is the one that the stamps tell. A stream that begins late or pauses has gaps, alone. Streams of text, and
events that come now and then, are annotations at their own stamps. The reader is our own: lazy, whole in one pass, and
able to go on after damage.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from jaxscope.data.annotations import Annotation, Gap
from jaxscope.data.kinds import kind_of
from jaxscope.data.labels import plain_unit, unique_names
from jaxscope.data.recording import CODE_KINDS, Channel, FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.byte_file import ByteFile
from jaxscope.readers.options import ReaderOption, listed
from jaxscope.readers.scans import Scan, SharedFile, scanned_whole
from jaxscope.readers.sources import Place, SourcedRecording
from jaxscope.readers.timing import Run, gaps_of, place_channels, told_gaps
from jaxscope.readers.xdf_chunks import MAGIC, ChunkWalk, XdfContent
from jaxscope.readers.xdf_clock import EvenRun, effective_rate, even_runs, is_sparse, on_recorder_clock, stray_s
from jaxscope.readers.xdf_streams import Stream, StreamSource

#: Bytes of chunks that are visited at a time.
_STEP_BYTES = 4 << 20
_EVENT_WORDS = ("marker", "event", "stim", "trigger", "annotation", "keyboard", "mouseclick")
#: A rate that differs more than this from the one that the device claims is told.
_RATE_TOLERANCE = 1e-3
_STRAY_S = 0.1
#: No clock runs for longer than this; a stamp beyond is damage.
_LATEST_S = 1e12


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """A stream on the clock of the recording: its rate and its runs, or its events."""

    stream: Stream
    rate_hz: float | None
    runs: tuple[Run, ...]
    stamps: FloatArray
    is_events: bool
    #: When the last sample ends by its own stamps.
    stop_s: float = 0.0


class XdfScan(Scan):
    """Visits the chunks of a file.

    Parameters
    ----------
    path : Path
    options : OpenOptions

    Raises
    ------
    ReadError
        If it is no XDF file.
    """

    def __init__(self, path: Path, options: OpenOptions) -> None:
        self._path, self._options = path, options
        self._walk = ChunkWalk(path)
        super().__init__(self._walk.n_bytes)
        self._file = ByteFile(path)
        self._shared = SharedFile(self._file.close)
        self._let_go = self._shared.take()

    def step(self) -> bool:
        has_more = self._walk.go_on(_STEP_BYTES)
        self.position = self._walk.position
        return has_more

    def recording(self) -> Recording:
        options, content = self._options, self._walk.content()
        warnings = list(content.warnings)
        placed = [_place(stream, warnings) for stream in _chosen(self._path, content, options.value("stream"))]
        full = [item if item.rate_hz or item.is_events else _as_given(item, options, warnings) for item in placed]
        full = [item for item in full if len(item.stamps)]
        warnings += own_rate_words((item.rate_hz for item in placed if item.rate_hz and not item.is_events), options)
        _tell_clocks(full, warnings)
        signals = [item for item in full if not item.is_events]
        events = _annotations(self._file, [item for item in full if item.is_events], _origin(signals or full))
        info = _describe(content, signals, events, warnings)
        places = []
        for item in signals:
            source = StreamSource(self._file, item.stream)
            places += [Place(source=source, row=row) for row in range(item.stream.n_channels)]
        return SourcedRecording(info, places, self._shared.take())

    def close(self) -> None:
        self._walk.close()
        self._let_go()


def open_xdf(path: Path, options: OpenOptions) -> Recording:
    """Open an XDF file.

    Raises
    ------
    ReadError
        If it is none, or holds no stream.
    """
    return scanned_whole(XdfScan(path, options))


def _name(stream: Stream) -> str:
    return f"{stream.name} (stream {stream.number})"


def _chosen(path: Path, content: XdfContent, wanted: str) -> list[Stream]:
    """Return the streams that somebody chose by number or name; all where nobody did. Those of text come with them."""
    streams = list(content.streams.values())
    if not wanted:
        return streams
    names = [name.strip() for name in wanted.split(",")]
    known = {str(stream.number) for stream in streams} | {stream.name for stream in streams}
    missing = [name for name in names if name not in known]
    if missing:
        told = listed(f"{stream.number} ({stream.name})" for stream in streams)
        raise ReadError(f"{path.name} has no stream {missing[0]}", hint=f"there are {told}")
    return [one for one in streams if one.dtype is None or str(one.number) in names or one.name in names]


def _place(stream: Stream, warnings: list[str]) -> _Placed:
    """Bring a stream to the clock of the recording; what was its stamps is let go of."""
    raw = np.concatenate(stream.stamps) if stream.stamps else np.empty(0)
    stream.stamps.clear()
    if not len(raw):
        plural = "" if stream.n_channels == 1 else "s"
        what = "text" if stream.dtype is None else f"{stream.n_channels} channel{plural}"
        warnings.append(f"{_name(stream)} has no samples ({what})")
        return _Placed(stream=stream, rate_hz=None, runs=(), stamps=raw, is_events=True)
    _drop_last_offset(stream, len(raw), warnings)
    stamps, n_resets = on_recorder_clock(raw, stream.clock_times, stream.clock_offsets)
    if n_resets:
        times = "once" if n_resets == 1 else f"{n_resets} times"
        warnings.append(f"The clock of {_name(stream)} was reset {times}; its times are put together by its offsets")
    known = np.flatnonzero(np.abs(stamps) < _LATEST_S)
    if len(known) < len(stamps):
        warnings.append(f"{len(stamps) - len(known):,} stamps of {_name(stream)} make no sense")
        stamps = np.interp(np.arange(len(stamps)), known, stamps[known]) if len(known) else np.zeros(len(stamps))
    if _is_events(stream, stamps):
        return _Placed(stream=stream, rate_hz=None, runs=(), stamps=stamps, is_events=True)
    if stream.nominal_hz and not stream.drops_samples:
        return _even(stream, stamps, warnings)
    return _uneven(stream, stamps, warnings)


def _drop_last_offset(stream: Stream, n_samples: int, warnings: list[str]) -> None:
    """Leave out a last offset that was measured against a stream that was gone: one sample too many goes with it."""
    if stream.told_samples is None or n_samples <= stream.told_samples or len(stream.clock_times) < 3:
        return
    steps, offsets = np.diff(stream.clock_times), np.array(stream.clock_offsets)
    usual_step, usual = np.median(steps[:-1]), np.median(offsets[:-1])
    spread = 1.4826 * float(np.median(np.abs(offsets[:-1] - usual)))
    is_late = usual_step > 0 and abs(steps[-1]) > 10 * usual_step
    if is_late or (spread > 1e-15 and abs(offsets[-1] - usual) > 10 * spread):
        stream.clock_times.pop()
        stream.clock_offsets.pop()
        warnings.append(f"The last clock offset of {_name(stream)} makes no sense and is not used")


def _is_events(stream: Stream, stamps: FloatArray) -> bool:
    if stream.dtype is None:
        return True
    is_marker = any(word in stream.content.lower() for word in _EVENT_WORDS)
    if stream.nominal_hz:
        return is_sparse(stamps, stream.nominal_hz)
    return is_marker or (stream.n_channels == 1 and stream.dtype.kind == "i")


def _even(stream: Stream, stamps: FloatArray, warnings: list[str]) -> _Placed:
    runs = even_runs(stamps, stream.nominal_hz)
    rate_hz = effective_rate(runs)
    if rate_hz is None:
        rate_hz = stream.nominal_hz
        if len(stamps) > 1:
            warnings.append(f"The stamps of {_name(stream)} show no rate: {rate_hz:g} Hz is taken, as it claims")
    elif abs(rate_hz - stream.nominal_hz) > _RATE_TOLERANCE * stream.nominal_hz:
        warnings.append(
            f"{_name(stream)} claims {stream.nominal_hz:g} Hz; its stamps show {rate_hz:.6g} Hz, which is used"
        )
    stray = stray_s(stamps, runs)
    if stray > max(_STRAY_S, 2 / stream.nominal_hz):
        warnings.append(
            f"The stamps of {_name(stream)} stray up to {stray:.2g} s from even times: samples may have been lost"
        )
    drift = max(abs(run.period_s - 1 / rate_hz) * (run.stop - run.first) for run in runs)
    if len(runs) > 1 and drift > max(_STRAY_S, 2 / rate_hz):
        warnings.append(f"{_name(stream)} changes its rate at breaks: times inside may be {drift:.2g} s off")
    back = sum(after.start_s < _stop(before) - 0.5 / rate_hz for before, after in pairwise(runs))
    if back:
        warnings.append(
            f"{back} stretches of {_name(stream)} begin before the one before ends; they are shown after it"
        )
    placed = tuple(Run(start_s=run.start_s, n_samples=run.stop - run.first) for run in runs)
    stop_s = max(_stop(run) for run in runs)
    return _Placed(stream=stream, rate_hz=rate_hz, runs=placed, stamps=stamps[:1], is_events=False, stop_s=stop_s)


def _stop(run: EvenRun) -> float:
    return run.start_s + (run.stop - run.first) * run.period_s


def _uneven(stream: Stream, stamps: FloatArray, warnings: list[str]) -> _Placed:
    """Place a stream of signals without a rate: at its mean rate, which is told."""
    lasted_s = float(stamps[-1] - stamps[0])
    rate_hz = (len(stamps) - 1) / lasted_s if lasted_s > 0 else None
    if rate_hz is not None:
        even = stamps[0] + np.arange(len(stamps)) / rate_hz
        stray = float(np.abs(stamps - even).max())
        warnings.append(
            f"{_name(stream)} has no even rate: it is shown at its mean rate of {rate_hz:.6g} Hz, "
            f"up to {stray:.2g} s from its stamps"
        )
    runs = (Run(start_s=float(stamps[0]), n_samples=len(stamps)),)
    return _Placed(stream=stream, rate_hz=rate_hz, runs=runs, stamps=stamps[:1], is_events=False)


def _as_given(item: _Placed, options: OpenOptions, warnings: list[str]) -> _Placed:
    """Return a stream of signals whose stamps show no rate, with the rate that was given."""
    if options.rate_hz is None:
        warnings.append(f"The sampling rate of {_name(item.stream)} is not known: give one to filter it")
    return replace(item, rate_hz=options.rate_hz)


def _tell_clocks(placed: list[_Placed], warnings: list[str]) -> None:
    with_offsets = [item for item in placed if item.stream.clock_times]
    if len(placed) < 2 or not with_offsets:
        return
    warnings += [
        f"{_name(item.stream)} has no clock offsets: its times are those of its own clock"
        for item in placed
        if not item.stream.clock_times
    ]


def _origin(placed: list[_Placed]) -> float:
    """Return the earliest time of the streams."""
    return min((item.runs[0].start_s if item.runs else float(item.stamps.min()) for item in placed), default=0.0)


def _annotations(file: ByteFile, placed: list[_Placed], origin_s: float) -> tuple[Annotation, ...]:
    notes = []
    for item in placed:
        if item.stream.dtype is None:
            texts = item.stream.texts
        else:
            values = StreamSource(file, item.stream).read(Span(0, len(item.stamps)), range(item.stream.n_channels))
            texts = [", ".join(f"{value:g}" for value in column) for column in values.T]
        notes += [
            Annotation(onset_s=round(float(stamp) - origin_s, 9), text=text)
            for stamp, text in zip(item.stamps, texts, strict=True)
        ]
    return tuple(sorted(notes, key=lambda note: note.onset_s))


def _labels(signals: list[_Placed]) -> list[str]:
    """Return names of channels: their labels, with the name of the stream where a label is not enough."""
    streams = [item.stream for item in signals]
    titles = [stream.name for stream in streams]
    titles = [
        title if titles.count(title) == 1 else f"{title} ({stream.number})"
        for title, stream in zip(titles, streams, strict=True)
    ]
    pairs = [
        (title, stream.labels[row] if stream.labels else "", row, stream.n_channels)
        for title, stream in zip(titles, streams, strict=True)
        for row in range(stream.n_channels)
    ]
    labels = [label for _, label, _, _ in pairs]
    names = []
    for title, label, row, n_channels in pairs:
        if not label:
            names.append(title if n_channels == 1 else f"{title} {row + 1}")
        else:
            names.append(label if labels.count(label) == 1 or len(streams) == 1 else f"{title} {label}")
    return list(unique_names(names))


def _describe(
    content: XdfContent, signals: list[_Placed], events: tuple[Annotation, ...], warnings: list[str]
) -> RecordingInfo:
    origin_s = _origin(signals)
    names = _labels(signals)
    channels: list[Channel] = []
    gaps: list[tuple[Gap, ...]] = []
    of_streams: list[tuple[Gap, ...]] = []
    for item in signals:
        runs = [Run(start_s=run.start_s - origin_s, n_samples=run.n_samples) for run in item.runs]
        own = gaps_of(runs, item.rate_hz) if item.rate_hz else ()
        of_streams.append(own)
        for row in range(item.stream.n_channels):
            channels.append(_channel(item, row, names[len(channels)]))
            gaps.append(own)
    placed, shared, duration_s = place_channels(channels, gaps)
    if duration_s is not None:
        duration_s = max(duration_s, *(item.stop_s - origin_s for item in signals))
    warnings += told_gaps([_name(item.stream) for item in signals], of_streams, shared)
    return RecordingInfo(
        format="XDF",
        start=content.start,
        duration_s=duration_s if channels else 0.0,
        channels=placed,
        annotations=events,
        gaps=shared,
        warnings=tuple(warnings),
    )


def _channel(item: _Placed, row: int, name: str) -> Channel:
    stream = item.stream
    label = stream.labels[row] if stream.labels else ""
    unit = plain_unit(_short_unit(stream.units[row])) if stream.units else ""
    hint = stream.kinds[row] if stream.kinds and stream.kinds[row] else stream.content
    kind = kind_of(label or stream.name, unit, hint)
    if kind in CODE_KINDS:
        unit = ""
    return Channel(name=name, unit=unit, kind=kind, rate_hz=item.rate_hz, n_samples=sum(r.n_samples for r in item.runs))


def _short_unit(unit: str) -> str:
    """Return the sign of a unit that is written as a word, as many streams do."""
    words = {"microvolts": "uV", "microvolt": "uV", "millivolts": "mV", "millivolt": "mV", "volts": "V", "volt": "V"}
    return words.get(unit.lower(), unit)


def sniff_xdf(head: bytes) -> bool:
    """Say whether these bytes can only be an XDF file."""
    return head.startswith(MAGIC)


FORMAT = ReaderFormat(
    name="xdf",
    title="XDF",
    suffixes=(".xdf",),
    sniff=sniff_xdf,
    open=open_xdf,
    scan=XdfScan,
    options=(ReaderOption(name="stream", title="Stream", help="Its number or name, or several separated by commas"),),
)
