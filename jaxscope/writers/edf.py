"""EDF+ (16 bit) and BDF+ (24 bit), with gaps and annotations, written in place record by record.

Every sample has its place in the file as soon as the layout of the records is known, so channels of different rates
may arrive in any order and nothing but the present block is held. Values keep within half a digital step: limits are
rounded outward, and the lowest digital value is kept free for missing samples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jaxscope.data.annotations import Annotation
from jaxscope.data.labels import unique_names
from jaxscope.data.recording import Channel
from jaxscope.errors import counted
from jaxscope.writers.base import RecordingWriter, WriteRequest, WriterFormat
from jaxscope.writers.checks import check_any
from jaxscope.writers.edf_layout import RecordLayout, plan_records
from jaxscope.writers.edf_loss import Spread
from jaxscope.writers.edf_notes import FILLED_TEXT, channel_notes, plan_notes
from jaxscope.writers.edf_numbers import PhysicalRange, fit_range
from jaxscope.writers.edf_texts import (
    ascii_text,
    date_field,
    field_bytes,
    is_repeat,
    labels_of,
    recording_field,
    transducer_of,
)

_CHUNK_BYTES = 1 << 22
#: A range that had to be widened more than this is told.
_COARSE = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """How the samples of one variant are stored. ``low`` to ``high`` are the digital limits of data channels."""

    title: str
    n_bytes: int

    @property
    def high(self) -> int:
        """Greatest digital value."""
        return (1 << 8 * self.n_bytes - 1) - 1

    @property
    def low(self) -> int:
        """Least digital value of a sample; the one below it says that a sample is missing."""
        return -self.high

    @property
    def missing(self) -> int:
        """Digital value of a missing sample."""
        return self.low - 1


_EDF = Encoding(title="EDF", n_bytes=2)
_BDF = Encoding(title="BDF", n_bytes=3)


class EdfWriter(RecordingWriter):
    """An EDF+ or BDF+ file that is being written."""

    def __init__(self, path: Path, request: WriteRequest, encoding: Encoding) -> None:
        self._encoding = encoding
        self._layout = plan_records(request.channels, request.gaps, encoding.n_bytes)
        self._limits = _limits_of(request, encoding)
        start_s = (request.start.microsecond / 1e6) if request.start is not None else 0.0
        notes = [*_notes_of(request), *_filled_notes(self._layout, request.channels)]
        self._notes = plan_notes(notes, self._layout.onsets_s(), self._layout.n_records, encoding.n_bytes, start_s)
        widths = [count * encoding.n_bytes for count in self._layout.samples_per_record]
        self._offsets = np.cumsum([0, *widths]).tolist()
        self._record_bytes = self._offsets[-1] + self._notes.n_bytes
        self._n_laid = 0
        self._missing = [0] * len(request.channels)
        self._clipped = [0] * len(request.channels)
        self._spreads = [Spread() for _ in request.channels]
        self._cut_codes = [0] * len(request.channels)
        super().__init__(path, request)

    def _begin(self) -> None:
        self._file = self._temporary.open("w+b")
        self._header_bytes = self._file.write(self._header())
        self._warnings += self._planned_warnings()
        n_flagged = sum(note.plain_text != note.text for note in self.request.annotations)
        if n_flagged:
            words = f"{counted(n_flagged, 'event')} flagged as bad: their texts begin with BAD_ in the file"
            self._warnings.append(words)

    def _write(self, block: npt.NDArray[np.float64], channels: tuple[int, ...]) -> None:
        groups: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
        for row, index in enumerate(channels):
            channel = self.request.channels[index]
            key = (self._layout.samples_per_record[index], self._written[index], channel.n_samples)
            groups.setdefault(key, []).append((row, index))
        for (_, first, _), members in groups.items():
            coded = [(index, self._bytes_of(index, block[row])) for row, index in members]
            for record, within, start, stop in self._layout.pieces(members[0][1], first, first + block.shape[1]):
                self._store(record, within, [(index, data[start - first : stop - first]) for index, data in coded])

    def _store(self, record: int, within: int, parts: Sequence[tuple[int, npt.NDArray[np.uint8]]]) -> None:
        """Put the samples of channels of one rate into their records, from one sample of one record on."""
        n_samples = len(parts[0][1])
        per_record = self._layout.samples_per_record[parts[0][0]]
        n_records = -(-(within + n_samples) // per_record)
        self._lay_records(record + n_records)
        self._file.seek(self._header_bytes + record * self._record_bytes)
        rows = np.frombuffer(bytearray(self._file.read(n_records * self._record_bytes)), np.uint8)
        rows = rows.reshape(n_records, self._record_bytes)
        for index, data in parts:
            span = slice(self._offsets[index], self._offsets[index + 1])
            column = rows[:, span].reshape(-1, self._encoding.n_bytes)
            column[within : within + n_samples] = data
            rows[:, span] = column.reshape(n_records, -1)
        self._file.seek(self._header_bytes + record * self._record_bytes)
        self._file.write(rows.tobytes())

    def _lay_records(self, stop: int) -> None:
        """Write records with their time and annotations, and no samples yet, up to one."""
        at_once = max(1, _CHUNK_BYTES // self._record_bytes)
        while self._n_laid < stop:
            last = min(stop, self._n_laid + at_once)
            rows = np.zeros((last - self._n_laid, self._record_bytes), np.uint8)
            for row, record in enumerate(range(self._n_laid, last)):
                rows[row, self._offsets[-1] :] = np.frombuffer(self._notes.record(record), np.uint8)
            self._file.seek(self._header_bytes + self._n_laid * self._record_bytes)
            self._file.write(rows.tobytes())
            self._n_laid = last

    def _bytes_of(self, index: int, values: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
        """Return samples as little-endian bytes, shape (n_samples, bytes of a sample)."""
        limits = self._limits[index]
        digital = self._codes_of(index, values) if limits is None else self._digital_of(index, values, limits)
        wide: npt.NDArray[np.uint8] = digital.astype("<i4").view(np.uint8).reshape(-1, 4)
        return wide[:, : self._encoding.n_bytes]

    def _digital_of(
        self, index: int, values: npt.NDArray[np.float64], limits: PhysicalRange
    ) -> npt.NDArray[np.float64]:
        encoding = self._encoding
        step = (limits.high - limits.low) / (encoding.high - encoding.low)
        exact = (values - limits.low) / step + encoding.low
        digital = np.rint(exact)
        self._spreads[index].add(exact, digital)
        with np.errstate(invalid="ignore"):
            self._clipped[index] += int(np.count_nonzero((exact < encoding.low - 0.5) | (exact > encoding.high + 0.5)))
        digital = np.clip(digital, encoding.low, encoding.high)
        is_missing = np.isnan(values)
        self._missing[index] += int(np.count_nonzero(is_missing))
        digital[is_missing] = encoding.missing
        return digital

    def _codes_of(self, index: int, values: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Return raw unsigned codes as the signed integers that have the same bits."""
        modulus = 1 << 8 * self._encoding.n_bytes
        is_missing = np.isnan(values)
        self._missing[index] += int(np.count_nonzero(is_missing))
        codes = np.rint(np.where(is_missing, 0.0, values)).astype(np.int64)
        self._cut_codes[index] += int(np.count_nonzero((codes < 0) | (codes >= modulus)))
        codes = codes % modulus
        return np.where(codes >= modulus // 2, codes - modulus, codes)

    def _finish(self) -> None:
        self._lay_records(self._layout.n_records)
        self._fill_up()
        for index, channel in enumerate(self.request.channels):
            limits = self._limits[index]
            if self._missing[index]:
                value = (
                    "0" if limits is None else f"{_value_of_missing(limits, self._encoding):g} {channel.unit}".strip()
                )
                self._warnings.append(
                    f"{self._missing[index]:,} missing samples of {channel.name} are written as {value}: "
                    f"{self._encoding.title} cannot mark them"
                )
            if self._clipped[index]:
                self._warnings.append(
                    f"{self._clipped[index]:,} samples of {channel.name} lie outside the range that was found "
                    "before and are clipped"
                )
            if limits is not None:
                self._warnings += self._spreads[index].words(channel, limits, self._encoding.title, self._encoding.high)
            if self._cut_codes[index]:
                self._warnings.append(
                    f"{self._cut_codes[index]:,} codes of {channel.name} need more than "
                    f"{8 * self._encoding.n_bytes} bits: the lower ones are kept"
                )
        super()._finish()

    def _fill_up(self) -> None:
        """Repeat the last sample of a channel where its last record of a segment is not full."""
        width = self._encoding.n_bytes
        for part in self._layout.segments:
            n_records = part.stop_record - part.first_record
            for index, per_record in enumerate(self._layout.samples_per_record):
                n_there = part.n_samples[index]
                n_filled = n_records * per_record - n_there
                if not n_filled:
                    continue
                record, within = divmod(n_there, per_record)
                if n_there:
                    last_record, last = divmod(n_there - 1, per_record)
                    self._file.seek(self._place(part.first_record + last_record, index, last))
                    value = np.frombuffer(self._file.read(width), np.uint8)
                else:
                    value = np.zeros(width, np.uint8)
                self._store(part.first_record + record, within, [(index, np.tile(value, (n_filled, 1)))])

    def _place(self, record: int, index: int, sample: int) -> int:
        return int(
            self._header_bytes + record * self._record_bytes + self._offsets[index] + sample * self._encoding.n_bytes
        )

    def _planned_warnings(self) -> list[str]:
        warnings = []
        layout, encoding = self._layout, self._encoding
        if layout.n_filled:
            warnings.append(
                f"{encoding.title} holds whole data records of {layout.duration_text} s: up to {layout.n_filled:,} "
                f'samples that repeat the last one are added, and marked "{FILLED_TEXT}"'
            )
        if layout.rate_error > 1e-9:
            warnings.append(f"{encoding.title} rounds the rates, by {layout.rate_error:.1g} of their value at most")
        if self.request.start is not None and self.request.start.tzinfo is not None:
            warnings.append(f"{encoding.title} keeps no time zone: the start is written as it reads")
        changed = [
            f"{channel.name} as {label}"
            for channel, label in zip(self.request.channels, labels_of(self.request.channels), strict=True)
            if label != channel.name and not is_repeat(channel.name, label)
        ]
        if changed:
            warnings.append(f"{encoding.title} has 16 plain characters for a name: {', '.join(changed)}")
        for channel, limits in zip(self.request.channels, self._limits, strict=True):
            if limits is not None and limits.has_exponent:
                warnings.append(f"The range of {channel.name} needs an exponent, which some programs cannot read")
        warnings += self._coarse_warnings()
        return warnings

    def _coarse_warnings(self) -> list[str]:
        """Return a sentence for each channel whose limits could not be written closely enough."""
        encoding = self._encoding
        warnings = []
        for channel, limits, (low, high) in zip(
            self.request.channels, self._limits, self.request.ranges or (), strict=True
        ):
            if limits is not None and low < high and limits.high - limits.low > _COARSE * (high - low):
                step = (limits.high - limits.low) / (encoding.high - encoding.low)
                warnings.append(
                    f"{encoding.title} keeps {channel.name} in steps of {step:.2g} {channel.unit}".rstrip()
                    + ": the limits in its header have eight characters"
                )
        return warnings

    def _header(self) -> bytes:
        request, encoding, layout = self.request, self._encoding, self._layout
        n_signals = len(request.channels) + 1
        version = b"\xffBIOSEMI" if encoding.n_bytes == 3 else b"0       "
        variant = f"{encoding.title}+{'D' if request.gaps else 'C'}"
        fixed = [
            field_bytes("X X X X", 80),
            field_bytes(recording_field(request.start), 80),
            field_bytes(date_field(request.start), 8),
            field_bytes("00.00.00" if request.start is None else f"{request.start:%H.%M.%S}", 8),
            field_bytes(str(256 * (n_signals + 1)), 8),
            field_bytes(variant, 44),
            field_bytes(str(layout.n_records), 8),
            field_bytes(layout.duration_text, 8),
            field_bytes(str(n_signals), 4),
        ]
        return version + b"".join(fixed) + b"".join(self._signal_fields())

    def _signal_fields(self) -> list[bytes]:
        encoding, channels = self._encoding, self.request.channels
        whole = (-encoding.high - 1, encoding.high)
        texts = [
            (str(whole[0]), str(whole[1])) if limits is None else (limits.low_text, limits.high_text)
            for limits in self._limits
        ]
        digital = [whole if limits is None else (encoding.low, encoding.high) for limits in self._limits]
        units = [
            channel.unit if limits is not None else "" for channel, limits in zip(channels, self._limits, strict=True)
        ]
        columns: list[tuple[int, list[str]]] = [
            (16, [*labels_of(channels), f"{encoding.title} Annotations"]),
            (80, [*map(transducer_of, channels), ""]),
            (8, [*(ascii_text(unit)[:8] for unit in units), ""]),
            (8, [*(low for low, _ in texts), "-1"]),
            (8, [*(high for _, high in texts), "1"]),
            (8, [*(str(low) for low, _ in digital), str(whole[0])]),
            (8, [*(str(high) for _, high in digital), str(whole[1])]),
            (80, [*(ascii_text(text)[:80] for text in self.request.filters or ("",) * len(channels)), ""]),
            (8, [*map(str, self._layout.samples_per_record), str(self._notes.n_bytes // encoding.n_bytes)]),
            (32, [""] * (len(channels) + 1)),
        ]
        return [field_bytes(text, width) for width, values in columns for text in values]


def _limits_of(request: WriteRequest, encoding: Encoding) -> list[PhysicalRange | None]:
    """Return the limits of each channel; None for codes, which are stored as they are."""
    ranges = request.ranges
    if ranges is None or len(ranges) != len(request.channels):
        raise ValueError(f"{encoding.title} needs the range of each channel")
    return [
        None
        if not channel.is_data
        else fit_range(low, high)
        if math.isfinite(low) and low <= high < math.inf
        else fit_range(0, 0)
        for channel, (low, high) in zip(request.channels, ranges, strict=True)
    ]


def _value_of_missing(limits: PhysicalRange, encoding: Encoding) -> float:
    return limits.low - (limits.high - limits.low) / (encoding.high - encoding.low)


def _filled_notes(layout: RecordLayout, channels: Sequence[Channel]) -> list[Annotation]:
    """Return an annotation over each stretch of made-up samples."""
    duration_s = float(layout.duration_text)
    notes = []
    for part in layout.segments:
        stop_s = part.start_s + (part.stop_record - part.first_record) * duration_s
        end_s = min(
            part.start_s + count / (channel.rate_hz or 1)
            for count, channel in zip(part.n_samples, channels, strict=True)
        )
        if stop_s - end_s > 1e-9 * max(stop_s, 1) and any(
            (part.stop_record - part.first_record) * per_record > count
            for per_record, count in zip(layout.samples_per_record, part.n_samples, strict=True)
        ):
            notes.append(Annotation(onset_s=end_s, duration_s=stop_s - end_s, text=FILLED_TEXT))
    return notes


def _notes_of(request: WriteRequest) -> list[Annotation]:
    read_as = unique_names(labels_of(request.channels))
    names = {channel.name: name for channel, name in zip(request.channels, read_as, strict=True)}
    return channel_notes(request.annotations, names)


def _check(request: WriteRequest, encoding: Encoding) -> None:
    check_any(request, encoding.title)
    plan_records(request.channels, request.gaps, encoding.n_bytes)


def _n_bytes(request: WriteRequest, encoding: Encoding) -> int:
    layout = plan_records(request.channels, request.gaps, encoding.n_bytes)
    notes = plan_notes(_notes_of(request), layout.onsets_s(), layout.n_records, encoding.n_bytes, 0.5)
    record = sum(layout.samples_per_record) * encoding.n_bytes + notes.n_bytes
    return 256 * (len(request.channels) + 2) + layout.n_records * record


def _format(encoding: Encoding) -> WriterFormat:
    def check(request: WriteRequest) -> None:
        _check(request, encoding)

    def n_bytes(request: WriteRequest) -> int:
        return _n_bytes(request, encoding)

    def open_(path: Path, request: WriteRequest) -> RecordingWriter:
        return EdfWriter(path, request, encoding)

    name = encoding.title.lower()
    return WriterFormat(
        name=name,
        title=f"{encoding.title}+",
        suffixes=(f".{name}",),
        note=f"{8 * encoding.n_bytes} bit, fitted to the range of each channel. Keeps rates, gaps and events",
        needs_ranges=True,
        keeps_rates=True,
        check=check,
        n_bytes=n_bytes,
        open=open_,
    )


EDF_FORMAT = _format(_EDF)
BDF_FORMAT = _format(_BDF)
