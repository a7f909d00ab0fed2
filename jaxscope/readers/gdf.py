"""GDF, versions 1.x and 2.x: opened from the header and the table of events, read lazily record by record.

A relative of EDF whose signals may each have a type of number of their own. Records may hold a single sample of each
signal, so they are read in long runs and cut apart in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jaxscope.data.annotations import Annotation
from jaxscope.data.kinds import kind_of
from jaxscope.data.labels import plain_unit, unique_names
from jaxscope.data.recording import CODE_KINDS, Channel, Recording, RecordingInfo
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.byte_file import ByteArray, ByteFile
from jaxscope.readers.edf_header import Calibration
from jaxscope.readers.edf_records import Column, RecordFile, integers
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
from jaxscope.readers.record_recording import Decoder, RecordRecording, StoredSignal

#: This bit of a code says that what began with the same code ends here.
_END_BIT = 0x8000


def _decode(raw: ByteArray, number_type: int, *, unsigned: bool) -> npt.NDArray[np.generic]:
    """Decode stored numbers; codes are read as unsigned whatever type they are said to have."""
    if number_type in (INT24, UINT24):
        return integers(raw, 3, unsigned=unsigned or number_type == UINT24)
    dtype = TYPES[number_type]
    return raw.view(dtype.replace("i", "u") if unsigned else dtype)


@cache
def _decoder(number_type: int, *, unsigned: bool) -> Decoder:
    """Return how samples become numbers; the same function for all that are stored alike."""
    return partial(_decode, number_type=number_type, unsigned=unsigned)


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
    kept = _signals_with_samples(header, warnings)
    channels, calibrations = _channels([signal for signal, _ in kept], n_records, record_s, warnings)
    info = RecordingInfo(
        format=f"GDF {header.version:.2f}",
        start=header.start,
        duration_s=n_records * record_s if record_s else None,
        channels=channels,
        annotations=annotations,
        warnings=tuple(warnings),
    )
    stored = [
        StoredSignal(
            column=column,
            sample_bytes=signal.sample_bytes,
            decode=_decoder(signal.type, unsigned=not channel.is_data),
            calibration=calibration,
        )
        for (signal, column), channel, calibration in zip(kept, channels, calibrations, strict=True)
    ]
    file = RecordFile(path, first_byte=header.header_bytes, record_bytes=header.record_bytes, n_records=n_records)
    return RecordRecording(info, file, stored)


def _signals_with_samples(header: GdfHeader, warnings: list[str]) -> list[tuple[SignalHeader, Column]]:
    """Return the signals that have samples, and where these lie in a record."""
    kept: list[tuple[SignalHeader, Column]] = []
    offset = 0
    for signal in header.signals:
        width = signal.samples_per_record * signal.sample_bytes
        if width:
            kept.append((signal, Column(offset=offset, width=width)))
        else:
            warnings.append(f"{signal.label} has no samples in any record and is left out")
        offset += width
    return kept


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
