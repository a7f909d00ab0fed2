"""Two-dimensional blocks of samples, wherever they lie, and the recording that is made of them.

MATLAB and HDF5 files hold arrays in which either dimension may be time, in a file or unpacked in memory. A ``Grid``
hides where: it gives samples of some of its channels. ``GridRecording`` joins channels of several grids.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from jaxscope.data.recording import FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.byte_file import ByteFile, SampleTable


class Grid(Protocol):
    """Samples of several channels of one length."""

    def read(self, span: Span, channels: Sequence[int]) -> FloatArray:
        """Return samples, shape (n_channels, n_samples)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FileGrid:
    """A grid that lies in a file as a plain table."""

    file: ByteFile
    table: SampleTable

    def read(self, span: Span, channels: Sequence[int]) -> FloatArray:
        """Return samples, shape (n_channels, n_samples)."""
        return self.table.read(self.file, span, channels)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryGrid:
    """A grid in memory, shape (n_channels, n_samples), of any real type."""

    values: npt.NDArray[Any]

    def read(self, span: Span, channels: Sequence[int]) -> FloatArray:
        """Return samples, shape (n_channels, n_samples)."""
        with np.errstate(invalid="ignore"):  # some NaNs, cast to float64, raise a flag that means nothing here
            return self.values[list(channels), span.start : span.stop].astype(np.float64)


class GridRecording(Recording):
    """A recording whose channels lie in grids.

    Parameters
    ----------
    info : RecordingInfo
    places : sequence of (Grid, int)
        Of each channel: its grid and its number there.
    close : callable
        Lets go of the files; called once.
    """

    def __init__(self, info: RecordingInfo, places: Sequence[tuple[Grid, int]], close: Callable[[], None]) -> None:
        self._info = info
        self._places = tuple(places)
        self._close = close
        self._is_closed = False

    @property
    def info(self) -> RecordingInfo:
        return self._info

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._places = ()
            self._close()

    def read(self, start: int, stop: int, channels: Sequence[int] | None = None) -> FloatArray:
        places = self._places
        if self._is_closed:
            raise ReadError("The recording is closed", hint="open it again")
        chosen, span = self._info.reading_span(start, stop, channels)
        result = np.empty((len(chosen), len(span)), dtype=np.float64)
        if not result.size:
            return result
        rows_of: dict[int, list[int]] = {}
        for row, index in enumerate(chosen):
            rows_of.setdefault(id(places[index][0]), []).append(row)
        for rows in rows_of.values():
            grid = places[chosen[rows[0]]][0]
            result[rows] = grid.read(span, [places[chosen[row]][1] for row in rows])
        return result
