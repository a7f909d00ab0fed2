"""GDF, versions 1.x and 2.x: opened from the header and the table of events, read lazily record by record.

A relative of EDF whose signals may each have a type of number of their own. Records may hold a single sample of each
signal, so they are read in long runs and cut apart in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jaxscope.data.annotations import Annotation
from jaxscope.data.kinds import kind_of
from jaxscope.data.labels import plain_unit, unique_names
from jaxscope.data.recording import CODE_KINDS, Channel, FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.byte_file import ByteFile
from jaxscope.readers.edf_header import Calibration
from jaxscope.readers.edf_records import ByteArray, Column, RecordFile, integers
from jaxscope.readers.gdf_header import (
    INT24,
    TYPES,
    UINT24,
    Events,
    GdfHeader,
    SignalHeader,
    parse_header,
    read_events,
    sniff_gdf,
)

#: This bit of a code says that what began with the same code ends here.
_END_BIT = 0x8000


class GdfRecording(Recording):
    """An open GDF file.

    Parameters
    ----------
    info : RecordingInfo
    file : RecordFile
    signals : sequence of SignalHeader
        Of each channel.
    columns : sequence of Column
        Where each channel lies in a record.
    calibrations : sequence of Calibration or None
    """

    def __init__(
        self,
        info: RecordingInfo,
        file: RecordFile,
        *,
        signals: Sequence[SignalHeader],
        columns: Sequence[Column],
        calibrations: Sequence[Calibration | None],
    ) -> None:
        self._info = info
        self._file = file
        self._signals = tuple(signals)
        self._columns = tuple(columns)
        self._calibrations = tuple(calibrations)

    @property
    def info(self) -> RecordingInfo:
        return self._info

    def close(self) -> None:
        self._file.close()

    def read(self, start: int, stop: int, channels: Sequence[int] | None = None) -> FloatArray:
        chosen, span = self._info.reading_span(start, stop, channels)
        result = np.empty((len(chosen), len(span)), dtype=np.float64)
        if not result.size:
            return result
        per_record = self._signals[chosen[0]].samples_per_record
        if any(self._signals[index].samples_per_record != per_record for index in chosen):
            raise ReadError("Channels differ in rate", hint="read the channels of each rate by themselves")
        # Some NaNs raise a flag when they are cast to float64, and absurd limits make infinities.
        with np.errstate(invalid="ignore", over="ignore"):
            self._fill(span, per_record, chosen, result)
            for row, index in enumerate(chosen):
                calibration = self._calibrations[index]
                if calibration is not None:
                    result[row] = (result[row] - calibration.origin) * calibration.gain + calibration.offset
        return result

    def _fill(self, span: Span, per_record: int, chosen: Sequence[int], result: FloatArray) -> None:
        if self._file.has_large_records:
            self._read_exactly(span, per_record, chosen, result)
            return
        columns = [self._columns[index] for index in chosen]
        records = span.align(per_record)
        for record, parts in self._file.columns(records.start // per_record, records.stop // per_record, columns):
            run = Span(record * per_record, (record + len(parts[0])) * per_record)
            target = run.intersect(span)
            cut = slice(target.start - run.start, target.stop - run.start)
            for row, (index, raw) in enumerate(zip(chosen, parts, strict=True)):
                into = result[row, target.start - span.start : target.stop - span.start]
                into[:] = _decode(raw, self._signals[index], unsigned=self._is_code(index))[cut]

    def _is_code(self, index: int) -> bool:
        return not self._info.channels[index].is_data

    def _read_exactly(self, span: Span, per_record: int, chosen: Sequence[int], result: FloatArray) -> None:
        """Read record by record and channel by channel, and no byte that is not asked for."""
        for record in range(span.start // per_record, -(-span.stop // per_record)):
            run = Span(record * per_record, (record + 1) * per_record)
            target = run.intersect(span)
            for row, index in enumerate(chosen):
                size = self._signals[index].sample_bytes
                offset = self._columns[index].offset + (target.start - run.start) * size
                raw = self._file.bytes_at(record, offset, len(target) * size)
                into = result[row, target.start - span.start : target.stop - span.start]
                into[:] = _decode(raw, self._signals[index], unsigned=self._is_code(index))


def _decode(raw: ByteArray, signal: SignalHeader, *, unsigned: bool) -> npt.NDArray[np.generic]:
    """Decode stored numbers; codes are read as unsigned whatever type they are said to have."""
    if signal.type in (INT24, UINT24):
        return integers(raw, 3, unsigned=unsigned or signal.type == UINT24)
    dtype = TYPES[signal.type]
    flat = np.ascontiguousarray(raw).reshape(-1)
    return flat.view(dtype.replace("i", "u") if unsigned else dtype)


def open_gdf(path: Path, options: OpenOptions) -> Recording:
    """Open a GDF file.

    Raises
    ------
    ReadError
        If it is something else or makes no sense.
    """
    whole = ByteFile(path)
    try:
        header = parse_header(path, whole)
        warnings = list(header.problems)
        n_records = _count_records(path, header, whole, warnings)
        record_s = _record_seconds(header, options, warnings)
        annotations = _annotations(whole, header, n_records, record_s, warnings)
    finally:
        whole.close()
    file = RecordFile(path, first_byte=header.header_bytes, record_bytes=header.record_bytes, n_records=n_records)
    widths = [signal.samples_per_record * signal.sample_bytes for signal in header.signals]
    offsets = np.cumsum([0, *widths[:-1]]).tolist() if widths else []
    kept = [index for index, width in enumerate(widths) if width]
    signals = [header.signals[index] for index in kept]
    warnings += [
        f"{header.signals[index].label} has no samples in any record and is left out"
        for index, width in enumerate(widths)
        if not width
    ]
    channels, calibrations = _channels(signals, n_records, record_s, warnings)
    info = RecordingInfo(
        format=f"GDF {header.version:.2f}",
        start=header.start,
        duration_s=n_records * record_s if record_s else None,
        channels=channels,
        annotations=annotations,
        warnings=tuple(warnings),
    )
    return GdfRecording(
        info,
        file,
        signals=signals,
        columns=[Column(offset=offsets[index], width=widths[index]) for index in kept],
        calibrations=calibrations,
    )


def _count_records(path: Path, header: GdfHeader, file: ByteFile, warnings: list[str]) -> int:
    """Return how many whole records the file holds, and warn where the header says otherwise."""
    if not header.record_bytes:
        if header.signals:
            raise ReadError(
                f"{path.name} has no samples: each of its signals has 0 per record", hint="choose another file"
            )
        return 0
    held = (file.n_bytes - header.header_bytes) // header.record_bytes
    if held == 0:
        raise ReadError(
            f"{path.name} stops before the end of its first data record of {header.record_bytes} bytes",
            hint="the copy probably broke off: copy the file again",
        )
    told = header.n_records
    if 0 < told <= held:
        return told
    if told <= 0:
        warnings.append(f"The header does not tell the number of data records; the file has room for {held}")
    else:
        warnings.append(f"{path.name} stops too early: {told} data records are promised, {held} are there")
    return held


def _record_seconds(header: GdfHeader, options: OpenOptions, warnings: list[str]) -> float:
    """Return the duration of a record, 0 where it is not known."""
    if header.record_s > 0 or not header.signals:
        rates_hz = [signal.samples_per_record / header.record_s for signal in header.signals]
        warnings += own_rate_words((rate for rate in rates_hz if rate), options)
        return header.record_s
    if options.rate_hz is None:
        warnings.append("The sampling rate is not known: the header gives no duration of a data record")
        return 0.0
    warnings.append(
        f"The header gives no duration of a data record; {options.rate_hz:g} Hz, as given, is taken for the channels "
        "with most samples, and the others in proportion"
    )
    return max(signal.samples_per_record for signal in header.signals) / options.rate_hz


def _channels(
    signals: Sequence[SignalHeader], n_records: int, record_s: float, warnings: list[str]
) -> tuple[tuple[Channel, ...], list[Calibration | None]]:
    channels, calibrations = [], []
    for name, signal in zip(unique_names(signal.label for signal in signals), signals, strict=True):
        unit, calibration = plain_unit(signal.unit), signal.calibration
        kind = kind_of(signal.label, unit, signal.transducer)
        if kind in CODE_KINDS:
            unit, calibration = "", None
        elif calibration is None:
            warnings.append(f"{name} is shown in digital values: its limits in the header give no scale")
            unit = "digital"
        channels.append(
            Channel(
                name=name,
                unit=unit,
                kind=kind,
                rate_hz=signal.samples_per_record / record_s if record_s else None,
                n_samples=n_records * signal.samples_per_record,
            )
        )
        calibrations.append(calibration)
    return tuple(channels), calibrations


def _annotations(
    file: ByteFile, header: GdfHeader, n_records: int, record_s: float, warnings: list[str]
) -> tuple[Annotation, ...]:
    if n_records < header.n_records:
        return ()
    most = max((signal.samples_per_record for signal in header.signals), default=0)
    end = header.header_bytes + n_records * header.record_bytes
    try:
        events = read_events(file, end, header.version, most / record_s if record_s else 0.0)
    except ReadError as error:
        warnings.append(f"{error.message}: no events are shown")
        return ()
    if events is None or not events.rate_hz:
        if events is not None:
            warnings.append("The events tell no times, for no sampling rate is known: they are left out")
        elif file.n_bytes > end:
            warnings.append(f"{file.n_bytes - end:,} bytes after the last data record are left out")
        return ()
    return tuple(_notes(events))


def _notes(events: Events) -> list[Annotation]:
    """Return events in order of time; an end is joined with its beginning."""
    notes: list[Annotation] = []
    begun: dict[int, list[int]] = {}
    durations = events.durations.tolist() if events.durations is not None else [0] * len(events.codes)
    order = np.argsort(events.positions, kind="stable").tolist()
    for index in order:
        onset_s = int(events.positions[index]) / events.rate_hz
        code = int(events.codes[index])
        opened = begun.get(code & ~_END_BIT, [])
        if events.durations is None and code & _END_BIT and opened:
            first = opened.pop()
            notes[first] = Annotation(
                onset_s=notes[first].onset_s, duration_s=onset_s - notes[first].onset_s, text=notes[first].text
            )
            continue
        if not code & _END_BIT:
            begun.setdefault(code, []).append(len(notes))
        notes.append(Annotation(onset_s=onset_s, duration_s=durations[index] / events.rate_hz, text=str(code)))
    return notes


FORMAT = ReaderFormat(name="gdf", title="GDF", suffixes=(".gdf",), sniff=sniff_gdf, open=open_gdf)
