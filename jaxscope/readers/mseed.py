"""miniSEED, the format of seismic networks: records of a few hundred samples, each with its own time.

The records of a channel are put in order of time. Where one begins later than the one before it ends there is a gap;
where records tell of the same time twice, the second telling becomes a channel of its own, so that no sample is lost
and none is moved. Log records become annotations. The reader is our own: it is lazy, and needs no library.

Source: SEED manual 2.4, chapter 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jaxscope.data.annotations import Annotation
from jaxscope.data.labels import unique_names
from jaxscope.data.recording import Channel, FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.base import OpenOptions, ReaderFormat, own_rate_words
from jaxscope.readers.byte_file import ByteArray, ByteFile
from jaxscope.readers.mseed_decode import ASCII, NAMES, READABLE, decode, decode_text, most_samples
from jaxscope.readers.mseed_records import Found, Layout, Records, records_of, scan_next, sniff_mseed
from jaxscope.readers.scans import Scan, SharedFile, scanned_whole
from jaxscope.readers.sources import Place, SourcedRecording
from jaxscope.readers.tiles import each_part
from jaxscope.readers.timing import Run, gaps_of, place_channels, told_gaps

IntArray = npt.NDArray[np.int64]
#: Rows of the table of records: a slice where they follow each other, which needs no memory.
Rows = slice | IntArray

#: Records are taken from the file together where they lie closer than this, up to so many bytes.
_NEAR_BYTES, _BATCH_BYTES = 1 << 16, 1 << 19
#: Records that begin within half a sample of the end of the one before continue it.
_CONTINUES = 0.5
#: The same time told more often than this is damage, and no channels are made of it.
_MOST_LAYERS = 64
#: What a header can promise.
_MOST_SAMPLES = (1 << 16) - 1
#: Records that are compared with each other at a time.
_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trace:
    """The records of one channel in order of time; ``rows`` are rows of the table of records."""

    name: str
    rate_hz: float
    rows: Rows


class MseedSource:
    """The samples of one trace.

    Parameters
    ----------
    file : ByteFile
    records : Records
    rows : slice or ndarray of int
        Rows of ``records``, in order of time.
    is_checked : bool
        Whether records that miss their own check are shown as missing.
    """

    def __init__(self, file: ByteFile, records: Records, rows: Rows, *, is_checked: bool) -> None:
        self._file = file
        self._layouts = records.layouts
        self._positions = records.positions[rows]
        self._layout = records.layout[rows]
        self._n_samples = records.n_samples[rows]
        self._stops = np.cumsum(self._n_samples, dtype=np.int64)
        self._is_checked = is_checked

    def read(self, span: Span, rows: Sequence[int]) -> FloatArray:
        first = int(np.searchsorted(self._stops, span.start, side="right"))
        last = int(np.searchsorted(self._stops, span.stop, side="left")) + 1
        result = np.empty(len(span), dtype=np.float64)

        def fetch(batch: slice) -> ByteArray:
            return self._bodies(batch, self._layouts[int(self._layout[batch.start])])

        def decode_batch(batch: slice, bodies: ByteArray) -> None:
            begin = int(self._stops[batch.start]) - int(self._n_samples[batch.start])
            held = Span(begin, int(self._stops[batch.stop - 1]))
            part = held.intersect(span)
            values = self._decode(batch, bodies)[part.start - begin : part.stop - begin]
            result[part.start - span.start : part.stop - span.start] = values

        each_part(self._batches(first, min(last, len(self._stops))), len(span), fetch, decode_batch)
        return np.broadcast_to(result, (len(rows), len(span)))

    def _batches(self, first: int, last: int) -> list[slice]:
        """Return records that are decoded together: laid out alike, close to each other, not too many."""
        position, layout = self._positions[first:last], self._layout[first:last]
        steps = np.diff(position)
        n_bytes = self._layouts[int(layout[0])].n_bytes
        cuts = (np.diff(layout) != 0) | (steps < n_bytes) | (steps > _NEAR_BYTES)
        edges = [first, *(np.flatnonzero(cuts) + first + 1).tolist(), last]
        batches = []
        for start, stop in pairwise(edges):
            at = start
            while at < stop:
                limit = int(np.searchsorted(self._positions[at:stop], self._positions[at] + _BATCH_BYTES)) + at
                limit = max(limit, at + 1)
                batches.append(slice(at, limit))
                at = limit
        return batches

    def _decode(self, batch: slice, bodies: ByteArray) -> FloatArray:
        layout = self._layouts[int(self._layout[batch.start])]
        counts = self._n_samples[batch].astype(np.int64)
        values, sound = decode(layout.encoding, layout.data_order, bodies, counts)
        if self._is_checked and not sound.all():
            values[np.repeat(~sound, counts)] = np.nan
        return values

    def _bodies(self, batch: slice, layout: Layout) -> ByteArray:
        positions = self._positions[batch]
        begin, n_bytes = int(positions[0]), layout.n_bytes
        raw = self._file.read(begin, int(positions[-1]) - begin + n_bytes)
        if len(raw) == len(positions) * n_bytes:
            table = raw.reshape(len(positions), n_bytes)
        else:
            table = np.stack([raw[at : at + n_bytes] for at in (positions - begin).tolist()])
        return table[:, layout.data_offset :]

    def is_sound(self) -> bool:
        """Say whether the first record agrees with the check that it carries."""
        batch = slice(0, 1)
        layout = self._layouts[int(self._layout[0])]
        return bool(
            decode(
                layout.encoding, layout.data_order, self._bodies(batch, layout), self._n_samples[batch].astype(np.int64)
            )[1]
        )


class MseedScan(Scan):
    """Goes through the headers of all records.

    Parameters
    ----------
    path : Path
    options : OpenOptions
    """

    def __init__(self, path: Path, options: OpenOptions) -> None:
        self._file = ByteFile(path)
        super().__init__(self._file.n_bytes)
        self._shared = SharedFile(self._file.close)
        self._let_go = self._shared.take()
        self._options = options
        self._found = Found()

    def step(self) -> bool:
        self.position = scan_next(self._file, self.position, self._found)
        return self.position < self.n_bytes

    def recording(self) -> Recording:
        warnings: list[str] = []
        file = self._file
        records = records_of(file.name, self._found, warnings)
        traces = _traces(records, _usable(records, warnings), warnings)
        sources = [MseedSource(file, records, trace.rows, is_checked=False) for trace in traces]
        sources = _checked(file, records, traces, sources, warnings)
        info = _describe(file, records, traces, self._options, warnings)
        return SourcedRecording(info, [Place(source=source, row=0) for source in sources], self._shared.take())

    def close(self) -> None:
        self._let_go()


def open_mseed(path: Path, options: OpenOptions) -> Recording:
    """Open a miniSEED file, or the data records of a full SEED volume.

    Raises
    ------
    ReadError
        If it holds no records, or none that can be decoded.
    """
    return scanned_whole(MseedScan(path, options))


def _usable(records: Records, warnings: list[str]) -> npt.NDArray[np.bool_]:
    """Say which records hold samples that can be decoded, and tell about the others."""
    encodings = np.array([layout.encoding for layout in records.layouts])
    space = np.array([layout.n_bytes - layout.data_offset for layout in records.layouts])
    room = np.array([most_samples(code, size) for code, size in zip(encodings.tolist(), space.tolist(), strict=True)])
    has_samples = (records.n_samples > 0) & (encodings != ASCII)[records.layout]
    known = np.isin(encodings, list(READABLE))[records.layout]
    for code in np.unique(encodings[records.layout[has_samples & ~known]]).tolist():
        count = np.count_nonzero(has_samples & (encodings == code)[records.layout])
        what = NAMES.get(code, "a way that is not known")
        warnings.append(f"{count:,} records are encoded in {what} (encoding {code}) and are left out")
    fits = records.n_samples <= np.minimum(room, _MOST_SAMPLES).astype(np.uint16)[records.layout]
    n_large = np.count_nonzero(has_samples & known & ~fits)
    if n_large:
        warnings.append(f"{n_large:,} records promise more samples than they have room for and are left out")
    if has_samples.any() and not (has_samples & known & fits).any():
        raise ReadError(f"None of the records can be decoded: {warnings[-1]}", hint="copy the file again")
    usable: npt.NDArray[np.bool_] = has_samples & known & fits
    return usable


def _traces(records: Records, usable: npt.NDArray[np.bool_], warnings: list[str]) -> list[_Trace]:
    traces = []
    for number, (name, rate_hz) in enumerate(records.identities):
        rows = np.flatnonzero(usable & (records.identity == number))
        if not len(rows):
            continue
        starts = records.starts_ns[rows]
        if (starts[1:] < starts[:-1]).any():
            rows = rows[np.argsort(starts, kind="stable")]
        layers = _layers(records, rows, rate_hz)
        if len(layers) > 1:
            n_samples = sum(int(records.n_samples[layer].sum()) for layer in layers[1:])
            warnings.append(
                f"Records of {name} overlap in time: {n_samples:,} samples that tell of the same time again are shown "
                f"as {len(layers) - 1} more channel{'s' if len(layers) > 2 else ''}"
            )
        n_left_out = len(rows) - sum(len(layer) for layer in layers)
        if n_left_out:
            warnings.append(f"{n_left_out:,} more records of {name} repeat the same time and are left out")
        traces += [_Trace(name=name, rate_hz=rate_hz, rows=_as_slice(layer)) for layer in layers]
    return traces


def _as_slice(rows: IntArray) -> Rows:
    """Return rows as a slice where they follow each other."""
    first, stop = int(rows[0]), int(rows[-1]) + 1
    return slice(first, stop) if stop - first == len(rows) and (rows[1:] > rows[:-1]).all() else rows


def _layers(records: Records, rows: IntArray, rate_hz: float) -> list[IntArray]:
    """Return the records as traces that do not overlap in time; one, where all is well."""
    if rate_hz <= 0 or len(rows) < 2:
        return [rows]
    period_ns = 1e9 / rate_hz
    slack = _CONTINUES * period_ns
    if all((pauses >= -slack).all() for _, pauses in _pauses(records, rows, period_ns)):
        return [rows]
    starts = records.starts_ns[rows]
    stops = starts + np.round(records.n_samples[rows] * period_ns).astype(np.int64)
    layers: list[list[int]] = []
    ends: list[int] = []
    for row, start, stop in zip(rows.tolist(), starts.tolist(), stops.tolist(), strict=True):
        continued = [number for number, end in enumerate(ends) if abs(start - end) <= slack]
        fitting = continued or [number for number, end in enumerate(ends) if start >= end - slack]
        if fitting:
            layers[fitting[0]].append(row)
            ends[fitting[0]] = stop
        elif len(layers) < _MOST_LAYERS:
            layers.append([row])
            ends.append(stop)
    return [np.array(layer, dtype=np.int64) for layer in layers]


def _pauses(records: Records, rows: Rows, period_ns: float) -> Iterator[tuple[int, IntArray]]:
    """Yield how long after the end of a record the next one begins, in ns, many records at a time.

    Yields
    ------
    int
        The number among ``rows`` of the first record that is told how long after the one before it begins.
    ndarray of int
    """
    starts, counts = records.starts_ns[rows], records.n_samples[rows]
    for first in range(1, len(starts), _AT_ONCE):
        before = slice(first - 1, min(first + _AT_ONCE, len(starts)) - 1)
        stops = starts[before] + np.round(counts[before] * period_ns).astype(np.int64)
        yield first, starts[first : first + _AT_ONCE] - stops


def _checked(
    file: ByteFile, records: Records, traces: list[_Trace], sources: list[MseedSource], warnings: list[str]
) -> list[MseedSource]:
    """Return sources that mind the checks of their records, but for traces whose very first record misses its own."""
    result = []
    for trace, source in zip(traces, sources, strict=True):
        sound = source.is_sound()
        if not sound:
            warnings.append(f"The first record of {trace.name} disagrees with its own check: its samples may be wrong")
        result.append(MseedSource(file, records, trace.rows, is_checked=sound))
    return result


def _describe(
    file: ByteFile, records: Records, traces: list[_Trace], options: OpenOptions, warnings: list[str]
) -> RecordingInfo:
    texts = np.flatnonzero(
        (np.array([layout.encoding for layout in records.layouts]) == ASCII)[records.layout] & (records.n_samples > 0)
    )
    if traces:
        origin_ns = min(int(records.starts_ns[trace.rows][0]) for trace in traces)
    else:
        origin_ns = int((records.starts_ns[texts] if len(texts) else records.starts_ns).min())
        warnings.append("The file holds no samples")
    names = unique_names(trace.name for trace in traces)
    channels, gaps = [], []
    for name, trace in zip(names, traces, strict=True):
        rate_hz = trace.rate_hz if trace.rate_hz > 0 else options.rate_hz
        if rate_hz is None:
            warnings.append(f"The sampling rate of {name} is not known: give one to filter it")
        n_samples = int(records.n_samples[trace.rows].sum())
        channels.append(Channel(name=name, kind="seismic", rate_hz=rate_hz, n_samples=n_samples))
        gaps.append(gaps_of(_runs(records, trace, origin_ns, rate_hz), rate_hz) if rate_hz else ())
    warnings += own_rate_words((trace.rate_hz for trace in traces if trace.rate_hz > 0), options)
    placed, shared, duration_s = place_channels(channels, gaps)
    warnings += told_gaps(names, gaps, shared)
    return RecordingInfo(
        format="miniSEED",
        start=datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=origin_ns // 1000),
        duration_s=duration_s if channels else 0.0,
        channels=placed,
        annotations=tuple(_note(file, records, row, origin_ns) for row in texts.tolist()),
        gaps=shared,
        warnings=tuple(warnings),
    )


def _runs(records: Records, trace: _Trace, origin_ns: int, rate_hz: float) -> list[Run]:
    """Return the continuous runs of a trace: a record that begins within half a sample continues the one before."""
    starts, counts = records.starts_ns[trace.rows], records.n_samples[trace.rows]
    period_ns = 1e9 / rate_hz
    cuts = [0]
    for first, pauses in _pauses(records, trace.rows, period_ns):
        cuts += (np.flatnonzero(pauses > _CONTINUES * period_ns) + first).tolist()
    totals = np.add.reduceat(counts, cuts, dtype=np.int64)
    return [
        Run(start_s=(int(start) - origin_ns) * 1e-9, n_samples=int(total))
        for start, total in zip(starts[cuts], totals, strict=True)
    ]


def _note(file: ByteFile, records: Records, row: int, origin_ns: int) -> Annotation:
    layout = records.layouts[int(records.layout[row])]
    position = int(records.positions[row]) + layout.data_offset
    n_samples = min(int(records.n_samples[row]), layout.n_bytes - layout.data_offset)
    text = decode_text(file.read(position, n_samples), n_samples)
    return Annotation(onset_s=round((int(records.starts_ns[row]) - origin_ns) * 1e-9, 9), text=text)


FORMAT = ReaderFormat(
    name="mseed",
    title="miniSEED",
    suffixes=(".mseed", ".miniseed", ".ms", ".msd", ".seed"),
    sniff=sniff_mseed,
    open=open_mseed,
    scan=MseedScan,
)
