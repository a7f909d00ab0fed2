"""EDF, EDF+C, EDF+D, BDF and BDF+: opened from the header and the annotations, read lazily record by record.

One code path serves all of them: the header (``edf_header``), where the records lie (``edf_records``), what the
annotation signals tell (``edf_annotations``). Channels keep their own rate; nothing is resampled, clipped or filled.
The number of records is believed only as far as the size of the file bears it out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path

import numpy as np

from jaxscope.data.annotations import CHANNEL_MARK, Annotation, Gap, joined_channels
from jaxscope.data.kinds import kind_of
from jaxscope.data.labels import plain_unit, unique_names
from jaxscope.data.recording import CODE_KINDS, Channel, Recording, RecordingInfo
from jaxscope.errors import ReadError, counted
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.edf_annotations import AnnotationScan, AnnotationScanner, gaps_between
from jaxscope.readers.edf_header import Calibration, EdfHeader, SignalHeader, parse_header, sniff_bdf, sniff_edf
from jaxscope.readers.edf_records import Column, RecordFile, integers
from jaxscope.readers.record_recording import Decoder, RecordRecording, StoredSignal
from jaxscope.readers.scans import Scan, scanned_whole

#: Onsets are written as decimals, often with four digits after the point.
_ONSET_ROUNDING_S = 1e-4
#: What may follow the last data record without any doubt about the header.
_TAIL_BYTES = 4096
#: Electrodes of BioSemi by plug and pin.
_PLUG = re.compile(r"[A-H](?:[1-9]|[12]\d|3[0-2])")


class EdfScan(Scan):
    """Goes through the annotations of a file; its samples need no scan.

    Where the records follow each other, all samples are shown at once and only annotations come later. Where there may
    be gaps, a record has its place in time once the records before it are known.

    Parameters
    ----------
    path : Path
    options : OpenOptions
    title : str
        What sentences call the format.
    """

    def __init__(self, path: Path, options: OpenOptions, title: str) -> None:
        self._path, self._options = path, options
        self._header = parse_header(path, title)
        self._warnings = list(self._header.problems)
        n_records = _count_records(path, self._header, self._warnings)
        super().__init__(self._header.header_bytes + n_records * self._header.record_bytes)
        self._file = self._opened(n_records)
        self._n_records = n_records
        notes = _note_columns(self._header)
        every_onset = self._header.is_discontinuous
        self._scanner = AnnotationScanner(self._file, notes, every_onset=every_onset) if notes else None
        self._has_gaps = every_onset and bool(notes)
        #: marked as continuous, which its records contradict
        self._is_mismarked = False
        if self._scanner is not None and not every_onset and _jumps(self._scanner.edges_s(), n_records, self._record_s):
            self._is_mismarked = self._has_gaps = True
            self._scanner = AnnotationScanner(self._file, notes, every_onset=True)

    @property
    def has_notes(self) -> bool:
        """Whether there is anything to go through."""
        return self._scanner is not None

    @property
    def _record_s(self) -> float:
        return _record_seconds(self._header, _data_signals(self._header), self._options, [])

    def _opened(self, n_records: int) -> RecordFile:
        header = self._header
        return RecordFile(
            self._path, first_byte=header.header_bytes, record_bytes=header.record_bytes, n_records=n_records
        )

    def step(self) -> bool:
        if self._scanner is None:
            self.position = self.n_bytes
            return False
        has_more = self._scanner.go_on(self._scanner.n_at_once)
        self.position = self._header.header_bytes + self._scanner.position * self._header.record_bytes
        return has_more

    def recording(self) -> Recording:
        scan = None if self._scanner is None else self._scanner.found()
        n_records = self._scanner.position if self._scanner is not None and self._has_gaps else self._n_records
        file = self._opened(n_records)
        try:
            return _assemble(
                self._header, file, self._options, list(self._warnings), scan, is_mismarked=self._is_mismarked
            )
        except BaseException:
            file.close()
            raise

    def close(self) -> None:
        self._file.close()


def _open(path: Path, options: OpenOptions, title: str) -> Recording:
    return scanned_whole(EdfScan(path, options, title))


def _scan(path: Path, options: OpenOptions, title: str) -> Scan | None:
    """Return the scan of a file with annotations, None where there are none to go through."""
    scan = EdfScan(path, options, title)
    if scan.has_notes:
        return scan
    scan.close()
    return None


def _note_columns(header: EdfHeader) -> list[Column]:
    columns = zip(header.signals, _columns_of(header), strict=True)
    return [column for signal, column in columns if signal.is_annotations and column.width]


def _data_signals(header: EdfHeader) -> list[SignalHeader]:
    return [signal for signal in header.signals if not signal.is_annotations and signal.samples_per_record]


def _assemble(
    header: EdfHeader,
    file: RecordFile,
    options: OpenOptions,
    warnings: list[str],
    scan: AnnotationScan | None,
    *,
    is_mismarked: bool,
) -> Recording:
    columns = _columns_of(header)
    pairs = zip(header.signals, columns, strict=True)
    signals = [(signal, column) for signal, column in pairs if column.width and not signal.is_annotations]
    warnings += [
        f"{signal.label} has no samples in any record and is left out"
        for signal in header.signals
        if signal.samples_per_record == 0
    ]

    record_s = _record_seconds(header, [signal for signal, _ in signals], options, warnings)
    annotations, gaps, first_onset_s = _times(header, scan, record_s, warnings, is_mismarked=is_mismarked)
    names = unique_names(signal.label for signal, _ in signals)
    channels, calibrations = [], []
    for name, (signal, _) in zip(names, signals, strict=True):
        channel, calibration = _channel(name, signal, file.n_records, record_s, warnings)
        channels.append(_as_biosemi(channel) if header.format.startswith("BDF") else channel)
        calibrations.append(calibration)
    is_known = record_s > 0 or not channels
    info = RecordingInfo(
        format=header.format,
        start=_start(header, first_onset_s, warnings),
        duration_s=file.n_records * record_s + sum(gap.stop_s - gap.start_s for gap in gaps) if is_known else None,
        channels=tuple(channels),
        annotations=_of_channels(annotations, frozenset(names)),
        gaps=gaps,
        warnings=tuple(warnings),
    )
    stored = [
        _stored(header, column, channel, calibration)
        for (_, column), channel, calibration in zip(signals, channels, calibrations, strict=True)
    ]
    return RecordRecording(info, file, stored)


def _start(header: EdfHeader, first_onset_s: float, warnings: list[str]) -> datetime | None:
    """Return when the first sample was taken, None where that is not told or no date."""
    if header.start is None:
        return None
    try:
        return header.start + timedelta(seconds=first_onset_s)
    except OverflowError:
        warnings.append(
            f"The first data record tells that it begins {first_onset_s:g} s after the start of the file: the start is "
            "not known"
        )
        return None


def _stored(header: EdfHeader, column: Column, channel: Channel, calibration: Calibration | None) -> StoredSignal:
    return StoredSignal(
        column=column,
        sample_bytes=header.sample_bytes,
        decode=_decoder(header.sample_bytes, unsigned=not channel.is_data),
        calibration=calibration,
    )


@cache
def _decoder(sample_bytes: int, *, unsigned: bool) -> Decoder:
    """Return how samples become numbers; the same function for all that are stored alike."""
    return partial(integers, sample_bytes=sample_bytes, unsigned=unsigned)


def _columns_of(header: EdfHeader) -> list[Column]:
    widths = [signal.samples_per_record * header.sample_bytes for signal in header.signals]
    offsets = np.cumsum([0, *widths[:-1]]).tolist()
    return [Column(offset=offset, width=width) for offset, width in zip(offsets, widths, strict=True)]


def _count_records(path: Path, header: EdfHeader, warnings: list[str]) -> int:
    """Return how many whole records the file holds, and warn where the header says otherwise."""
    held_bytes = path.stat().st_size - header.header_bytes
    if header.record_bytes == 0:
        raise ReadError(f"{path.name} has no samples: each of its signals has 0 per record", hint="choose another file")
    held, left_bytes = divmod(held_bytes, header.record_bytes)
    told = header.n_records
    if held == 0:
        raise ReadError(
            f"{path.name} stops before the end of its first data record of {header.record_bytes} bytes",
            hint="the copy probably broke off: copy the file again",
        )
    if told < 0:
        warnings.append(f"The header does not tell the number of data records; the file holds {held}")
    elif told > held:
        warnings.append(
            f"{path.name} stops too early to be complete: the header promises "
            f"{_amount(told, header.record_s)}, the file holds {_amount(held, header.record_s)}"
        )
    elif told < held and left_bytes:
        surplus = held_bytes - told * header.record_bytes
        # A short tail is a note of some program. Much that fits no whole number of records means that a count in the
        # header is wrong, and then every sample would be read from the wrong place.
        if surplus > max(_TAIL_BYTES, held_bytes // 20):
            raise ReadError(
                f"The header of {path.name} does not fit its size: {told} data records of {header.record_bytes} bytes "
                f"are promised, {held_bytes} bytes are there",
                hint="the header is damaged: copy the file again",
            )
        warnings.append(f"{surplus} bytes after the last data record are left out")
        return told
    elif told < held:
        warnings.append(f"The header tells of {told} data records; the file holds {held}, and all are read")
    if left_bytes:
        warnings.append(f"{left_bytes} bytes after the last whole data record are left out")
    return held


def _amount(n_records: int, record_s: float) -> str:
    records = counted(n_records, "data record")
    return f"{records} ({n_records * record_s:g} s)" if record_s else records


def _record_seconds(
    header: EdfHeader, signals: Sequence[SignalHeader], options: OpenOptions, warnings: list[str]
) -> float:
    """Return the duration of a record, 0 where it is not known."""
    if not signals:
        return header.record_s
    if header.record_s > 0:
        warnings += own_rate_words((signal.samples_per_record / header.record_s for signal in signals), options)
        return header.record_s
    most = max(signal.samples_per_record for signal in signals)
    if options.rate_hz is None:
        warnings.append("The sampling rate is not known: the header gives no duration of a data record")
        return 0.0
    warnings.append(
        f"The header gives no duration of a data record; {options.rate_hz:g} Hz, as given, is taken for the channels "
        "with most samples, and the others in proportion"
    )
    return most / options.rate_hz


def _times(
    header: EdfHeader, scan: AnnotationScan | None, record_s: float, warnings: list[str], *, is_mismarked: bool
) -> tuple[tuple[Annotation, ...], tuple[Gap, ...], float]:
    """Return the annotations and gaps in seconds from the first sample, and when that is after the header's start."""
    if scan is None:
        if header.is_discontinuous:
            warnings.append("The file is marked as having gaps but has no annotation signal that tells where they are")
        return (), (), 0.0
    if is_mismarked:
        warnings.append("The file is marked as continuous, but its records tell of gaps; they are shown")
    gaps = _gaps(header, scan, record_s, warnings) if is_mismarked or header.is_discontinuous else ()
    if scan.n_unreadable:
        warnings.append(f"Annotations that cannot be read ({scan.n_unreadable}) are left out")
    first_s = float(scan.onsets_s[0]) if len(scan.onsets_s) and np.isfinite(scan.onsets_s[0]) else 0.0
    annotations = tuple(
        Annotation(onset_s=round(note.onset_s - first_s, 9), duration_s=note.duration_s, text=note.text)
        for note in scan.annotations
    )
    return annotations, gaps, first_s


def _of_channels(annotations: tuple[Annotation, ...], names: frozenset[str]) -> tuple[Annotation, ...]:
    """Return annotations with the channel that their text names, as MNE writes it: ``blink@@Fp1``."""
    told = [(note, *note.text.rpartition(CHANNEL_MARK)) for note in annotations]
    if not any(name in names for _, _, mark, name in told if mark):
        return annotations
    return joined_channels(
        replace(note, text=text, channels=(name,)) if mark and name in names else note
        for note, text, mark, name in told
    )


def _jumps(edges_s: tuple[float, float], n_records: int, record_s: float) -> bool:
    """Say whether the last record begins a record or more later than records in a row would."""
    lasted_s = edges_s[1] - edges_s[0]
    return record_s > 0 and lasted_s - (n_records - 1) * record_s >= record_s


def _gaps(header: EdfHeader, scan: AnnotationScan, record_s: float, warnings: list[str]) -> tuple[Gap, ...]:
    if record_s <= 0:
        return ()
    most = max((signal.samples_per_record for signal in header.signals if not signal.is_annotations), default=1)
    tolerance_s = max(_ONSET_ROUNDING_S, 0.5 * record_s / max(1, most))
    gaps, n_backwards = gaps_between(scan.onsets_s, record_s, tolerance_s)
    n_untold = int(np.count_nonzero(np.isnan(scan.onsets_s)))
    if n_untold:
        warnings.append(
            f"Data records that do not tell when they begin ({n_untold}) are taken to follow the one before"
        )
    if n_backwards:
        warnings.append(f"Data records that begin before the one before them ends ({n_backwards}) are shown after it")
    return gaps


def _channel(
    name: str, signal: SignalHeader, n_records: int, record_s: float, warnings: list[str]
) -> tuple[Channel, Calibration | None]:
    unit, calibration = plain_unit(signal.unit), signal.calibration
    kind = kind_of(signal.label, unit, signal.transducer)
    if kind in CODE_KINDS:
        # A code is the bits of the sample; the limits of its header are often copied from a signal beside it.
        unit, calibration = "", None
    elif calibration is None:
        warnings.append(f"{name} is shown in digital values: {signal.uncalibrated_because}")
        unit = "digital"
    channel = Channel(
        name=name,
        unit=unit,
        kind=kind,
        rate_hz=signal.samples_per_record / record_s if record_s > 0 else None,
        n_samples=n_records * signal.samples_per_record,
    )
    return channel, calibration


def _as_biosemi(channel: Channel) -> Channel:
    """Return a channel of BDF, the format of BioSemi, whose electrodes are named by their plug: A1 to H32."""
    is_electrode = channel.kind == "misc" and channel.unit.endswith("V") and _PLUG.fullmatch(channel.name) is not None
    return replace(channel, kind="eeg") if is_electrode else channel


def open_edf(path: Path, options: OpenOptions) -> Recording:
    """Open an EDF, EDF+C or EDF+D file."""
    return _open(path, options, "EDF")


def open_bdf(path: Path, options: OpenOptions) -> Recording:
    """Open a BDF or BDF+ file."""
    return _open(path, options, "BDF")


EDF_FORMAT = ReaderFormat(
    name="edf",
    title="EDF",
    suffixes=(".edf", ".edf+", ".rec"),
    sniff=sniff_edf,
    open=open_edf,
    scan=partial(_scan, title="EDF"),
)
BDF_FORMAT = ReaderFormat(
    name="bdf",
    title="BDF",
    suffixes=(".bdf", ".bdf+"),
    sniff=sniff_bdf,
    open=open_bdf,
    scan=partial(_scan, title="BDF"),
)
