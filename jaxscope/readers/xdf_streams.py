"""One stream of an XDF file: what has been found of it, and its values, which are read where they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from jaxscope.data.recording import FloatArray
from jaxscope.data.span import Span
from jaxscope.readers.byte_file import ByteArray, ByteFile
from jaxscope.readers.tiles import each_part, turn_table

#: So much of a file is read at a time.
_WINDOW_BYTES = 2 << 20


@dataclass(slots=True, kw_only=True)
class Stream:
    """One stream as it was found. ``stamps`` and ``texts`` grow while the file is visited."""

    number: int
    name: str
    content: str
    n_channels: int
    nominal_hz: float
    dtype: np.dtype[np.generic] | None
    labels: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    drops_samples: bool = False
    stamps: list[FloatArray] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    clock_times: list[float] = field(default_factory=list)
    clock_offsets: list[float] = field(default_factory=list)
    told_samples: int | None = None
    last_stamp: float = 0.0
    positions: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    #: Bytes from one sample to the next, and to the values of the first; 0 where ``offsets`` tells all of them.
    strides: list[int] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    offsets: dict[int, npt.NDArray[np.int64]] = field(default_factory=dict)

    @property
    def n_samples(self) -> int:
        """How many samples have been found."""
        return sum(self.counts) if self.dtype is not None else len(self.texts)


def as_found(stream: Stream) -> Stream:
    """Return a stream as it is now; what has been found of it is not found again."""
    if len(stream.stamps) > 1:
        stream.stamps = [np.concatenate(stream.stamps)]
    return replace(
        stream,
        stamps=list(stream.stamps),
        texts=list(stream.texts),
        clock_times=list(stream.clock_times),
        clock_offsets=list(stream.clock_offsets),
    )


class StreamSource:
    """The values of a stream.

    Chunks are often short, a few samples each: those that are laid out alike at even distances are taken together.

    Parameters
    ----------
    file : ByteFile
    stream : Stream
    """

    def __init__(self, file: ByteFile, stream: Stream) -> None:
        assert stream.dtype is not None
        self._file = file
        self._dtype = stream.dtype.newbyteorder("<")
        self._width = self._dtype.itemsize * stream.n_channels
        self._positions = np.array(stream.positions, dtype=np.int64)
        self._strides = np.array(stream.strides, dtype=np.int64)
        self._firsts = np.array(stream.firsts, dtype=np.int64)
        self._offsets = stream.offsets
        self._counts = np.array(stream.counts, dtype=np.int64)
        self._stops = np.cumsum(self._counts)

    def read(self, span: Span, rows: Sequence[int]) -> FloatArray:
        result = np.empty((len(rows), len(span)), dtype=np.float64)
        first = int(np.searchsorted(self._stops, span.start, side="right"))
        last = int(np.searchsorted(self._stops, span.stop, side="left")) + 1
        is_run = list(rows) == list(range(rows[0], rows[0] + len(rows)))
        columns = slice(rows[0], rows[0] + len(rows)) if is_run else list(rows)

        def fetch(window: Span) -> ByteArray:
            begin = int(self._positions[window.start])
            return self._file.read(begin, self._end(window.stop - 1) - begin)

        def make(window: Span, raw: ByteArray) -> None:
            begin = int(self._positions[window.start])
            for run in self._runs(window):
                samples = self._samples_of(run)
                part = samples.intersect(span)
                table = self._table(run, raw[int(self._positions[run.start]) - begin :])
                chosen = table[part.start - samples.start : part.stop - samples.start, columns]
                turn_table(chosen, result[:, part.start - span.start : part.stop - span.start])

        each_part(list(self._windows(first, last)), result.size, fetch, make)
        return result

    def _samples_of(self, chunks: Span) -> Span:
        return Span(int(self._stops[chunks.start] - self._counts[chunks.start]), int(self._stops[chunks.stop - 1]))

    def _end(self, chunk: int) -> int:
        """Return where the values of the last sample of a chunk end."""
        n_samples = int(self._counts[chunk])
        if not self._strides[chunk]:
            return int(self._positions[chunk] + self._offsets[chunk][-1]) + self._width
        last = int(self._firsts[chunk] + (n_samples - 1) * self._strides[chunk])
        return int(self._positions[chunk]) + last + self._width

    def _windows(self, first: int, last: int) -> Iterator[Span]:
        """Yield the chunks that one reading takes together."""
        at = first
        while at < last:
            limit = int(np.searchsorted(self._positions[at:last], self._positions[at] + _WINDOW_BYTES)) + at
            steps = np.diff(self._positions[at:limit])
            size = int(self._counts[at]) * (self._width + 9) + 65536
            far = np.flatnonzero(steps > 4 * size)
            stop = max(at + 1, at + 1 + int(far[0]) if len(far) else limit)
            yield Span(at, stop)
            at = stop

    def _runs(self, window: Span) -> Iterator[Span]:
        """Yield chunks that are laid out alike at even distances, or one chunk."""
        chunks = slice(window.start, window.stop)
        steps = np.diff(self._positions[chunks])
        is_next = self._strides[chunks][1:] > 0
        for told in (self._strides, self._firsts, self._counts):
            is_next &= np.diff(told[chunks]) == 0
        if is_next.any():
            # Now and then another chunk lies between; the distance that is most frequent is that of the others.
            found, numbers = np.unique(steps[is_next], return_counts=True)
            is_next &= steps == found[numbers.argmax()]
        edges = [window.start, *(np.flatnonzero(~is_next) + window.start + 1).tolist(), window.stop]
        for begin, end in pairwise(edges):
            yield Span(begin, end)

    def _table(self, chunks: Span, raw: ByteArray) -> npt.NDArray[np.generic]:
        """Return the samples of chunks that are laid out alike, shape (n_samples, n_channels)."""
        first, n_samples = chunks.start, int(self._counts[chunks.start])
        n_channels = self._width // self._dtype.itemsize
        if self._strides[first]:
            step = int(self._positions[first + 1] - self._positions[first]) if len(chunks) > 1 else 0
            shape, steps = (len(chunks), n_samples), (step, int(self._strides[first]))
            whole = np.ndarray(shape, f"V{self._width}", raw.data, int(self._firsts[first]), steps)
            table: npt.NDArray[np.generic] = np.ascontiguousarray(whole).view(self._dtype).reshape(-1, n_channels)
            return table
        places = self._offsets[first][:, np.newaxis] + np.arange(self._width)
        uneven: npt.NDArray[np.generic] = raw[places].view(self._dtype)
        return uneven
