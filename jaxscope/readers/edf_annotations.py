"""Annotations and the times of records, as EDF+ and BDF+ store them in their annotation signals.

Each record begins with a time-keeping annotation that tells when the record begins; only in a discontinuous file may
it jump, and there the gaps follow from it. Times in the file count from the whole second of the header; here they
count from the first sample, as everywhere in jaxscope.

Source: section 2.2 of the EDF+ specification (edfplus.info), "time-stamped annotations lists".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from jaxscope.data.annotations import Annotation, Gap
from jaxscope.readers.byte_file import ByteArray
from jaxscope.readers.edf_records import Column, RecordFile

_TEXT_END = 0x14
#: Bytes of an onset that is written as a plain number, and how many there are at most.
_IN_ONSET = np.isin(np.arange(256), np.frombuffer(b"+-.0123456789", dtype=np.uint8))
_LONGEST_ONSET = 24
#: Records of which only the annotations are read, one by one, at a time.
_FEW_RECORDS = 2048


@dataclass(slots=True, kw_only=True)
class AnnotationScan:
    """What was found while scanning; seconds as in the file. Onsets are NaN for records that were not looked at."""

    onsets_s: npt.NDArray[np.float64]
    annotations: list[Annotation] = field(default_factory=list)
    n_unreadable: int = 0


class AnnotationScanner:
    """Goes through the annotation signals of a file, some records at a time.

    Parameters
    ----------
    file : RecordFile
    columns : sequence of Column
        Where the annotation signals lie; the first one keeps the time.
    every_onset : bool
        Find when each record begins, and not only the first and the last: needed where there may be gaps.
    """

    def __init__(self, file: RecordFile, columns: Sequence[Column], *, every_onset: bool) -> None:
        self._file, self._columns, self._every_onset = file, tuple(columns), every_onset
        #: records that have been gone through
        self.position = 0
        self._onsets_s = np.full(file.n_records, np.nan)
        self._scans = [AnnotationScan(onsets_s=self._onsets_s) for _ in columns]
        self._is_last_plain = False

    @property
    def n_at_once(self) -> int:
        """How many records are well gone through at a time."""
        usual = self._file.n_at_once(self._columns)
        return min(usual, _FEW_RECORDS) if self._file.is_sparse(self._columns) else usual

    def go_on(self, n_records: int) -> bool:
        """Go through the next records; return False once there are no more."""
        stop = min(self._file.n_records, self.position + n_records)
        self._file.expect(self.position, stop, self._columns)
        for first, parts in self._file.columns(self.position, stop, self._columns):
            for number, (rows, scan) in enumerate(zip(parts, self._scans, strict=True)):
                self._take(first, rows, scan, keeps_time=number == 0)
        self.position = stop
        return stop < self._file.n_records

    def found(self) -> AnnotationScan:
        """Return what was found so far, as something of its own."""
        result = AnnotationScan(
            onsets_s=self._onsets_s[: self.position].copy(),
            annotations=[note for scan in self._scans for note in scan.annotations],
            n_unreadable=sum(scan.n_unreadable for scan in self._scans),
        )
        if self._is_last_plain and self.position == self._file.n_records:
            self._scan_edge(self.position - 1, result)
        result.annotations.sort(key=lambda note: (note.onset_s, -1.0 if note.duration_s is None else note.duration_s))
        return result

    def edges_s(self) -> tuple[float, float]:
        """Return when the first and the last record begin, NaN where that is not told."""
        if not self._file.n_records:
            return math.nan, math.nan
        scan = AnnotationScan(onsets_s=np.full(self._file.n_records, np.nan))
        for record in (0, self._file.n_records - 1):
            self._scan_edge(record, scan)
        return float(scan.onsets_s[0]), float(scan.onsets_s[-1])

    def _scan_edge(self, record: int, scan: AnnotationScan) -> None:
        column = self._columns[0]
        _scan_row(self._file.bytes_at(record, column.offset, column.width).tobytes(), record, scan, keeps_time=True)

    def _take(self, first: int, rows: ByteArray, scan: AnnotationScan, *, keeps_time: bool) -> None:
        is_plain = _only_keeps_time(rows)
        needed = ~is_plain
        if keeps_time and self._every_onset:
            onsets_s, is_known = _plain_onsets(rows)
            known = is_plain & is_known
            self._onsets_s[first : first + len(rows)][known] = onsets_s[known]
            needed |= ~known
        elif keeps_time:
            needed[0] |= first == 0
            # the last record is looked at once it is known to be the last
            self._is_last_plain = not needed[-1]
        for row in np.flatnonzero(needed):
            _scan_row(rows[row].tobytes(), int(first + row), scan, keeps_time=keeps_time)


def _plain_onsets(rows: ByteArray) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the onsets of rows that hold a plain number, two separators and nothing else, and which rows these are.

    A row that is empty tells none, and is known too.
    """
    onsets_s: npt.NDArray[np.float64] = np.full(len(rows), np.nan)
    is_known: npt.NDArray[np.bool_] = np.logical_not(rows.any(axis=1))
    places = (rows == _TEXT_END).argmax(axis=1)
    for place in np.unique(places).tolist():
        if not 1 <= place <= min(_LONGEST_ONSET, rows.shape[1] - 2):
            continue
        chosen = np.flatnonzero(places == place)
        text = rows[chosen, :place]
        is_good = _IN_ONSET[text].all(axis=1) & (rows[chosen, place + 1] == _TEXT_END)
        is_good &= ~rows[chosen, place + 2 :].any(axis=1)
        try:
            values = np.ascontiguousarray(text[is_good]).view(f"S{place}").reshape(-1).astype(np.float64)
        except ValueError:
            continue  # such as two signs: these rows are looked at one by one
        onsets_s[chosen[is_good]] = values
        is_known[chosen[is_good]] = True
    return onsets_s, is_known


def _only_keeps_time(rows: ByteArray) -> npt.NDArray[np.bool_]:
    """Say of each row whether it is empty, or has but one annotation without text: most rows of most files."""
    ends = rows == _TEXT_END
    n_ends = np.count_nonzero(ends, axis=1)
    adjacent = (ends[:, 1:] & ends[:, :-1]).any(axis=1)
    empty = ~rows.any(axis=1)
    result: npt.NDArray[np.bool_] = empty | ((n_ends == 2) & adjacent)
    return result


def _scan_row(row: bytes, record: int, scan: AnnotationScan, *, keeps_time: bool) -> None:
    is_first = keeps_time
    for entry in row.split(b"\0"):
        if not entry:
            continue
        when, *texts = entry.split(b"\x14")
        onset_text, _, duration_text = when.partition(b"\x15")
        onset_s = _seconds(onset_text)
        duration_s = _seconds(duration_text)
        if onset_s is None or not texts or (duration_text and duration_s is None):
            scan.n_unreadable += 1
            continue
        # The list of texts ends with a separator, so what follows it is no text.
        told = texts[:-1] if not texts[-1] else texts
        if is_first:
            scan.onsets_s[record] = onset_s
            told = told[1:] if told and not told[0] else told
            is_first = False
        scan.annotations.extend(Annotation(onset_s=onset_s, duration_s=duration_s, text=_decode(text)) for text in told)


def _seconds(text: bytes) -> float | None:
    try:
        value = float(text.replace(b",", b".")) if text else None
    except ValueError:
        return None
    return value if value is not None and math.isfinite(value) else None


def _decode(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("latin-1")


def gaps_between(onsets_s: npt.NDArray[np.float64], record_s: float, tolerance_s: float) -> tuple[tuple[Gap, ...], int]:
    """Return the gaps that the times of the records leave, and how many records begin before the last one ended.

    Parameters
    ----------
    onsets_s : ndarray of float64, shape (n_records,)
        When each record begins. NaN: it follows the one before it.
    record_s : float
        Duration of a record.
    tolerance_s : float
        Jumps up to this are rounding.

    Returns
    -------
    tuple of Gap
        In seconds from the first sample. Each begins where a record ends, counted in whole records from the last gap,
        so that small drifts of the clock do not move the samples.
    int
        Records whose time runs backwards; they are taken to follow the record before them.
    """
    gaps: list[Gap] = []
    n_backwards = 0
    origin_s = onsets_s[0] if len(onsets_s) and np.isfinite(onsets_s[0]) else 0.0
    start_s, first = 0.0, 0
    known = np.flatnonzero(np.isfinite(onsets_s))
    steps_s = np.diff(onsets_s[known]) - np.diff(known) * record_s
    for position in np.flatnonzero(np.abs(steps_s) > tolerance_s):
        record = int(known[position + 1])
        onset_s = float(onsets_s[record] - origin_s)
        end_s = start_s + (record - first) * record_s
        if onset_s > end_s + tolerance_s:
            gaps.append(Gap(start_s=end_s, stop_s=onset_s))
            start_s, first = onset_s, record
        elif steps_s[position] < -tolerance_s:
            n_backwards += 1
    return tuple(gaps), n_backwards
