"""One stream of an XDF file: what has been found of it, and its values, which are read where they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from jaxscope.data.recording import FloatArray
from jaxscope.data.span import Span
from jaxscope.readers.byte_file import ByteFile

_WINDOW_BYTES = 4 << 20


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
        chosen = list(rows)
        at = first
        with np.errstate(invalid="ignore"):
            while at < last:
                stop = self._window(at, last)
                begin = int(self._positions[at])
                raw = self._file.read(begin, self._end(stop - 1) - begin)
                for chunk in range(at, stop):
                    self._copy(chunk, raw[int(self._positions[chunk]) - begin :], span, chosen, result)
                at = stop
        return result

    def _end(self, chunk: int) -> int:
        """Return where the values of the last sample of a chunk end."""
        n_samples = int(self._counts[chunk])
        if not self._strides[chunk]:
            return int(self._positions[chunk] + self._offsets[chunk][-1]) + self._width
        last = int(self._firsts[chunk] + (n_samples - 1) * self._strides[chunk])
        return int(self._positions[chunk]) + last + self._width

    def _window(self, at: int, last: int) -> int:
        """Return up to which chunk one reading goes."""
        limit = int(np.searchsorted(self._positions[at:last], self._positions[at] + _WINDOW_BYTES)) + at
        steps = np.diff(self._positions[at:limit])
        size = int(self._counts[at]) * (self._width + 9) + 65536
        far = np.flatnonzero(steps > 4 * size)
        return max(at + 1, at + 1 + int(far[0]) if len(far) else limit)

    def _copy(self, chunk: int, raw: npt.NDArray[np.uint8], span: Span, rows: list[int], result: FloatArray) -> None:
        n_samples = int(self._counts[chunk])
        run = Span(int(self._stops[chunk]) - n_samples, int(self._stops[chunk]))
        part = run.intersect(span)
        stride = int(self._strides[chunk])
        n_channels = self._width // self._dtype.itemsize
        values: npt.NDArray[np.generic]
        if stride:
            shape, steps = (n_samples, n_channels), (stride, self._dtype.itemsize)
            values = np.ndarray(shape, self._dtype, raw.data, int(self._firsts[chunk]), steps)
        else:
            places = self._offsets[chunk][:, np.newaxis] + np.arange(self._width)
            values = raw[places].view(self._dtype)
        block = values[part.start - run.start : part.stop - run.start]
        result[:, part.start - span.start : part.stop - span.start] = block.T[rows]
