"""Recordings whose samples lie in data records, a piece of every signal in each: EDF, BDF and GDF.

The formats differ in what a stored sample is; how records are read, cut and calibrated is the same and is kept here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.data.recording import FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.readers.byte_file import ByteArray
from jaxscope.readers.edf_header import Calibration
from jaxscope.readers.edf_records import Column, RecordFile

#: So few records of a sparse choice are read sample by sample.
_FEW_RECORDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSignal:
    """Where the samples of a channel lie in each record, and how they become values.

    ``decode`` turns bytes into as many numbers; ``calibration`` None leaves these as they are.
    """

    column: Column
    sample_bytes: int
    decode: Callable[[ByteArray], npt.NDArray[Any]]
    calibration: Calibration | None


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
        result = np.empty((len(chosen), len(span)), dtype=np.float64)
        if not result.size:
            return result
        signals = [self._signals[index] for index in chosen]
        # Channels of one length have as many samples in each record.
        per_record = signals[0].column.width // signals[0].sample_bytes
        columns = [signal.column for signal in signals]
        records = span.align(per_record)
        n_records = len(records) // per_record
        # Some NaNs raise a flag when they are cast to float64, and absurd limits make infinities.
        with np.errstate(invalid="ignore", over="ignore"):
            if self._file.has_large_records or (n_records <= _FEW_RECORDS and self._file.is_sparse(columns)):
                self._read_exactly(span, per_record, signals, result)
            else:
                self._read_runs(span, per_record, signals, result)
            for signal, row in zip(signals, result, strict=True):
                if signal.calibration is not None:
                    row -= signal.calibration.origin
                    row *= signal.calibration.gain
                    row += signal.calibration.offset
        return result

    def _read_runs(self, span: Span, per_record: int, signals: Sequence[StoredSignal], result: FloatArray) -> None:
        """Read runs of whole records and cut them apart."""
        records = span.align(per_record)
        columns = [signal.column for signal in signals]
        for record, parts in self._file.columns(records.start // per_record, records.stop // per_record, columns):
            run = Span(record * per_record, (record + len(parts[0])) * per_record)
            target = run.intersect(span)
            into = slice(target.start - span.start, target.stop - span.start)
            cut = slice(target.start - run.start, target.stop - run.start)
            for row, (signal, raw) in enumerate(zip(signals, parts, strict=True)):
                result[row, into] = signal.decode(raw)[cut]

    def _read_exactly(self, span: Span, per_record: int, signals: Sequence[StoredSignal], result: FloatArray) -> None:
        """Read record by record and channel by channel, and no byte that is not asked for."""
        for record in range(span.start // per_record, -(-span.stop // per_record)):
            run = Span(record * per_record, (record + 1) * per_record)
            target = run.intersect(span)
            into = slice(target.start - span.start, target.stop - span.start)
            for row, signal in enumerate(signals):
                offset = signal.column.offset + (target.start - run.start) * signal.sample_bytes
                result[row, into] = signal.decode(
                    self._file.bytes_at(record, offset, len(target) * signal.sample_bytes)
                )
