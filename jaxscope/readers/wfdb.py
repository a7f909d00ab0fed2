"""WFDB, the format of PhysioNet: a header (.hea), signal files and annotation files, opened from the header.

A record is one segment or several in a row. Segments may lack signals and there may be time without any: such samples
are NaN, and every channel has the gain that its segment tells. The reader is our own and not that of the ``wfdb``
package, which reads a whole record into memory and brings pandas, matplotlib and a web client along.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from jaxscope import arena
from jaxscope.data.kinds import kind_of
from jaxscope.data.labels import unique_names
from jaxscope.data.recording import CODE_KINDS, Channel, ChannelKind, FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, files_told, own_rate_words
from jaxscope.readers.wfdb_annotations import annotation_files, read_annotations
from jaxscope.readers.wfdb_header import NOTHING, RecordHeader, SignalHeader, parse_header, sniff_header
from jaxscope.readers.wfdb_segment import FilePool, Segment, make_segment

#: Leads of the electrocardiogram, whose names alone say little.
_LEADS = re.compile(r"i{1,3}|av[rlf]|v[1-9xyz]?|m?li{1,3}|mcl[1-6]|mv[1-6]|fecg", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """A record as it was found: one header for all channels, and the segments that hold samples."""

    signals: tuple[SignalHeader, ...]
    segments: tuple[Segment, ...]
    n_frames: int


class WfdbRecording(Recording):
    """An open WFDB record.

    Parameters
    ----------
    info : RecordingInfo
    segments : sequence of Segment
        In order of time, none overlapping.
    per_frame : sequence of int
        Samples per frame of each channel.
    pool : FilePool
    """

    def __init__(
        self, info: RecordingInfo, segments: Sequence[Segment], *, per_frame: Sequence[int], pool: FilePool
    ) -> None:
        self._info = info
        self._segments = tuple(segments)
        self._per_frame = tuple(per_frame)
        self._pool = pool

    @property
    def info(self) -> RecordingInfo:
        return self._info

    def close(self) -> None:
        self._pool.close()

    def read(self, start: int, stop: int, channels: Sequence[int | str] | None = None) -> FloatArray:
        chosen, span = self._info.reading_span(start, stop, channels)
        result = arena.empty((len(chosen), len(span)), np.float64)
        if not result.size:
            return result
        per_frame = self._per_frame[chosen[0]]
        placed = []
        for segment in self._segments:
            first = segment.first_frame * per_frame
            placed.append((segment, first, Span(first, first + segment.n_frames * per_frame).intersect(span)))
        if not any(len(part) == len(span) and segment.fills_all(chosen) for segment, _, part in placed):
            result.fill(np.nan)
        for segment, first, part in placed:
            into = result[:, part.start - span.start : part.stop - span.start]
            row_of = {segment.signal_of[index]: row for row, index in enumerate(chosen) if index in segment.signal_of}
            if len(part) and row_of:
                segment.read(self._pool, part.shift(-first), row_of, into)
                # The same channel may be asked for twice; it is read once.
                for row, index in enumerate(chosen):
                    read_into = row_of.get(segment.signal_of.get(index, -1), row)
                    if read_into != row:
                        into[row] = into[read_into]
        return result


def open_wfdb(path: Path, options: OpenOptions) -> Recording:
    """Open the record of a header file.

    Raises
    ------
    ReadError
        If a file is missing or makes no sense; the sentence names it.
    """
    header = parse_header(path)
    warnings: list[str] = []
    pool = FilePool()
    try:
        parts = _many(path, header, pool, warnings) if header.segments else _one(path, header, pool, warnings)
        rates_hz = [header.rate_hz * signal.samples_per_frame for signal in parts.signals]
        warnings += own_rate_words(rates_hz, options)
        info = _describe(path, header, parts, warnings)
    except BaseException:
        pool.close()
        raise
    return WfdbRecording(
        info, parts.segments, per_frame=[signal.samples_per_frame for signal in parts.signals], pool=pool
    )


def _one(path: Path, header: RecordHeader, pool: FilePool, warnings: list[str]) -> _Parts:
    if header.signals and all(signal.file_name == NOTHING for signal in header.signals):
        raise ReadError(
            f"{path.name} describes the channels of a longer record and holds no samples",
            hint="open the header that lists its segments",
        )
    segment = make_segment(path.parent, header, pool, warnings)
    signals = tuple(_as_code(signal) for signal in header.signals)
    segment = replace(segment, signals=signals, signal_of={number: number for number in range(len(signals))})
    return _Parts(signals=signals, segments=(segment,), n_frames=segment.n_frames)


def _as_code(signal: SignalHeader) -> SignalHeader:
    """Return a signal of codes marked as one, so that no calibration turns its numbers into something else."""
    if kind_of(signal.name, signal.unit) not in CODE_KINDS:
        return signal
    return replace(signal, is_code=True, is_gain_assumed=False, unit="")


def _many(path: Path, header: RecordHeader, pool: FilePool, warnings: list[str]) -> _Parts:
    signals: tuple[SignalHeader, ...] | None = None
    has_layout = header.segments[0].n_frames == 0
    segments: list[Segment] = []
    missing: list[str] = []
    first_frame = 0
    for entry in header.segments:
        if entry.name == NOTHING:
            first_frame += entry.n_frames
            continue
        try:
            found = parse_header(path.parent / f"{entry.name}.hea")
            if found.segments:
                raise ReadError(f"{entry.name}.hea has segments of its own", hint="open it by itself")
            if found.rate_hz != header.rate_hz:
                raise ReadError(
                    f"{entry.name}.hea has {found.rate_hz:g} Hz, its record {header.rate_hz:g} Hz",
                    hint="open it by itself",
                )
            if has_layout and signals is None:
                signals = tuple(_as_code(signal) for signal in found.signals)
                continue
            signals = signals if signals is not None else tuple(_as_code(signal) for signal in found.signals)
            place = (path, entry.n_frames, first_frame, found, signals, pool, warnings)
            segments.append(_placed(*place, by_name=has_layout))
        except ReadError as error:
            if signals is None:
                raise
            missing.append(error.message)
        first_frame += entry.n_frames
    if signals is None or not segments:
        raise ReadError(
            f"{path.name} has no segment that can be read: {missing[0] if missing else 'it lists none'}",
            hint="keep the files of a recording together",
        )
    _tell_missing(missing, header.n_frames, first_frame, warnings)
    return _Parts(signals=signals, segments=tuple(segments), n_frames=first_frame)


def _tell_missing(missing: Sequence[str], told_frames: int | None, n_frames: int, warnings: list[str]) -> None:
    if missing:
        more = f", and {len(missing) - 1} more segments" if len(missing) > 1 else ""
        warnings.append(f"{missing[0]}{more}: the time of what cannot be read is shown as missing")
    if told_frames is not None and told_frames != n_frames:
        warnings.append(f"The header promises {told_frames:,} frames, its segments have {n_frames:,}: these are shown")


def _placed(
    path: Path,
    n_frames: int,
    first_frame: int,
    found: RecordHeader,
    channels: Sequence[SignalHeader],
    pool: FilePool,
    warnings: list[str],
    *,
    by_name: bool,
) -> Segment:
    """Return a segment with its place in time and which of its signals is which channel."""
    segment = make_segment(path.parent, found, pool, warnings)
    signals = tuple(_as_code(signal) for signal in found.signals)
    names = [signal.name for signal in signals]
    signal_of: dict[int, int] = {}
    for number, channel in enumerate(channels):
        other = names.index(channel.name) if by_name and channel.name in names else number if not by_name else -1
        if not 0 <= other < len(signals):
            continue
        if signals[other].samples_per_frame == channel.samples_per_frame and signals[other].unit == channel.unit:
            signal_of[number] = other
        else:
            warnings.append(f"{channel.name} changes its rate or unit in {found.name} and is left out there")
    return replace(
        segment,
        signals=signals,
        first_frame=first_frame,
        n_frames=min(n_frames, segment.n_frames),
        signal_of=signal_of,
    )


def _describe(path: Path, header: RecordHeader, parts: _Parts, warnings: list[str]) -> RecordingInfo:
    channels = []
    names = unique_names(signal.name for signal in parts.signals)
    for name, signal in zip(names, parts.signals, strict=True):
        channels.append(
            Channel(
                name=name,
                unit=signal.unit,
                kind=_kind(signal),
                rate_hz=header.rate_hz * signal.samples_per_frame,
                n_samples=parts.n_frames * signal.samples_per_frame,
            )
        )
    assumed = [name for name, signal in zip(names, parts.signals, strict=True) if signal.is_gain_assumed]
    if assumed:
        warnings.append(f"The header gives no gain for {', '.join(assumed)}: 200 per mV is assumed, as the format says")
    heads = [path.parent / f"{entry.name}.hea" for entry in header.segments if entry.name != NOTHING]
    samples = [group.path for segment in parts.segments for group in segment.groups]
    return RecordingInfo(
        format="WFDB",
        start=header.start,
        duration_s=parts.n_frames / header.rate_hz,
        channels=tuple(channels),
        annotations=read_annotations(path, header.rate_hz, warnings),
        warnings=tuple(warnings),
        files=files_told(*heads, *samples, *annotation_files(path)),
    )


def _kind(signal: SignalHeader) -> ChannelKind:
    if _LEADS.fullmatch(signal.name) and signal.unit.lower().endswith("v"):
        return "ecg"
    return kind_of(signal.name, signal.unit)


FORMAT = ReaderFormat(name="wfdb", title="WFDB", suffixes=(".hea",), sniff=sniff_header, open=open_wfdb)
