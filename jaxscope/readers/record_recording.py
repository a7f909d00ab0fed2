"""Recordings whose samples lie in data records, a piece of every signal in each: EDF, BDF and GDF.

The formats differ in what a stored sample is; how records are read, cut and calibrated is the same and is kept here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope import arena
from jaxscope.data.recording import FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.readers.byte_file import ByteArray
from jaxscope.readers.edf_header import Calibration
from jaxscope.readers.edf_records import Column, RecordFile
from jaxscope.readers.tiles import each_part

Decoder = Callable[[ByteArray], npt.NDArray[Any]]

#: The calibration that changes nothing.
_AS_STORED = Calibration(origin=0.0, gain=1.0, offset=0.0)
#: So few records of a sparse choice are read sample by sample.
_FEW_RECORDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSignal:
    """Where the samples of a channel lie in each record, and how they become values.

    ``decode`` turns bytes into numbers along the last axis; signals that lie side by side and have the same one are
    decoded together. ``calibration`` None leaves the numbers as they are.
    """

    column: Column
    sample_bytes: int
    decode: Decoder
    calibration: Calibration | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """Signals that follow each other in the records and in what is read: ``rows`` of the result."""

    rows: slice
    column: Column
    decode: Decoder
    calibrations: tuple[Calibration | None, ...]

    def put(self, raw: ByteArray, cut: slice, into: FloatArray) -> None:
        """Make samples ``cut`` of the bytes of some records, shape (n_records, n_bytes), into values."""
        n_records, n_rows = len(raw), len(into)
        stored = self.decode(raw).reshape(n_records, n_rows, -1).swapaxes(0, 1)
        for place, samples in _pieces(stored, cut):
            into[:, place].reshape(samples.shape)[...] = samples
        _calibrate(into, self.calibrations)


def _pieces(stored: npt.NDArray[Any], cut: slice) -> Iterator[tuple[slice, npt.NDArray[Any]]]:
    """Yield what lies within ``cut``, and where in it: of a record that it cuts a part, and whole records together.

    ``stored`` has the shape (n_rows, n_records, n_samples); cut across its records it would have to be copied.
    """
    n_samples = stored.shape[2]
    at = cut.start
    while at < cut.stop:
        record, within = divmod(at, n_samples)
        n_whole = (cut.stop - at) // n_samples if not within else 0
        end = at + n_whole * n_samples if n_whole else min(cut.stop, (record + 1) * n_samples)
        place = slice(at - cut.start, end - cut.start)
        if n_whole:
            yield place, stored[:, record : record + n_whole]
        else:
            yield place, stored[:, record, within : within + end - at]
        at = end


class RecordRecording(Recording):
    """An open recording of data records.

    Parameters
    ----------
    info : RecordingInfo
    file : RecordFile
    signals : sequence of StoredSignal
        One a channel, in the order of ``info.channels``.
    """

    def __init__(self, info: RecordingInfo, file: RecordFile, signals: Sequence[StoredSignal]) -> None:
        self._info = info
        self._file = file
        self._signals = tuple(signals)

    @property
    def info(self) -> RecordingInfo:
        return self._info

    def close(self) -> None:
        self._file.close()

    def read(self, start: int, stop: int, channels: Sequence[int | str] | None = None) -> FloatArray:
        chosen, span = self._info.reading_span(start, stop, channels)
        result = arena.empty((len(chosen), len(span)), np.float64)
        if not result.size:
            return result
        signals = [self._signals[index] for index in chosen]
        # Channels of one length have as many samples in each record.
        per_record = signals[0].column.width // signals[0].sample_bytes
        columns = [signal.column for signal in signals]
        records = span.align(per_record)
        n_records = len(records) // per_record
        exactly = self._file.has_large_records or (n_records <= _FEW_RECORDS and self._file.is_sparse(columns))
        read = self._read_exactly if exactly else self._read_runs
        read(span, per_record, signals, result)
        return result

    def _read_runs(self, span: Span, per_record: int, signals: Sequence[StoredSignal], result: FloatArray) -> None:
        """Read runs of whole records and cut them apart."""
        records = span.align(per_record)
        groups = list(_groups(signals))
        columns = [group.column for group in groups]

        def fetch(part: Span) -> list[tuple[int, list[ByteArray]]]:
            return list(self._file.columns(part.start, part.stop, columns))

        def make(_part: Span, runs: list[tuple[int, list[ByteArray]]]) -> None:
            for record, parts in runs:
                run = Span(record * per_record, (record + len(parts[0])) * per_record)
                target = run.intersect(span)
                into = slice(target.start - span.start, target.stop - span.start)
                cut = slice(target.start - run.start, target.stop - run.start)
                for group, raw in zip(groups, parts, strict=True):
                    group.put(raw, cut, result[group.rows, into])

        wanted = Span(records.start // per_record, records.stop // per_record)
        n_parts = -(-len(wanted) // self._file.n_at_once(columns))
        each_part(list(wanted.blocks(-(-len(wanted) // n_parts))), result.size, fetch, make)

    def _read_exactly(self, span: Span, per_record: int, signals: Sequence[StoredSignal], result: FloatArray) -> None:
        """Read record by record and channel by channel, and no byte that is not asked for."""
        singles = [group for signal in signals for group in _groups([signal])]

        def fetch(part: tuple[int, int]) -> ByteArray:
            record, row = part
            signal, run = signals[row], Span(record * per_record, (record + 1) * per_record)
            target = run.intersect(span)
            offset = signal.column.offset + (target.start - run.start) * signal.sample_bytes
            return self._file.bytes_at(record, offset, len(target) * signal.sample_bytes)

        def make(part: tuple[int, int], raw: ByteArray) -> None:
            record, row = part
            target = Span(record * per_record, (record + 1) * per_record).intersect(span)
            into = slice(target.start - span.start, target.stop - span.start)
            singles[row].put(raw[np.newaxis], slice(0, len(target)), result[row : row + 1, into])

        records = range(span.start // per_record, -(-span.stop // per_record))
        each_part([(record, row) for record in records for row in range(len(signals))], result.size, fetch, make)


def _groups(signals: Sequence[StoredSignal]) -> Iterator[_Group]:
    """Yield the signals in order, together where they lie side by side and are stored alike."""
    begin = 0
    for row in range(1, len(signals) + 1):
        last = signals[row - 1]
        if row < len(signals):
            follows = signals[row].column.offset == last.column.offset + last.column.width
            if follows and signals[row].decode is last.decode:
                continue
        members = signals[begin:row]
        yield _Group(
            rows=slice(begin, row),
            column=Column(offset=members[0].column.offset, width=sum(member.column.width for member in members)),
            decode=last.decode,
            calibrations=tuple(member.calibration for member in members),
        )
        begin = row


def _calibrate(values: FloatArray, calibrations: Sequence[Calibration | None]) -> None:
    """Turn stored numbers into values in place, each row by its own calibration.

    All rows in one call: threads that take turns for each row wait for each other longer than they work.
    """
    if all(calibration is None for calibration in calibrations):
        return
    every = [_AS_STORED if calibration is None else calibration for calibration in calibrations]
    origins, gains, offsets = (
        np.array([[getattr(calibration, name)] for calibration in every]) for name in ("origin", "gain", "offset")
    )
    if origins.any():
        values -= origins
    values *= gains
    if offsets.any():
        values += offsets
