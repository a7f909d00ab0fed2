"""A recording whose channels come from several places: the streams of a file, its segments, its columns.

A ``BlockSource`` gives some rows of one table of samples, lazily; a ``SourcedRecording`` knows which row of which
source is which channel. Formats that keep several streams side by side share this one way to answer ``read``, so that
the rules about closed files, empty spans and channels of different length are kept once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from jaxscope import arena
from jaxscope.data.recording import FloatArray, Recording, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers.grids import EXACT, beyond_float_words

#: Channels and samples at either end of each that are looked at for numbers that lose digits.
_MOST_WIDE, _LOOKED_AT = 64, 4096


class BlockSource(Protocol):
    """Samples of one rate, some rows of them at a time."""

    def read(self, span: Span, rows: Sequence[int]) -> FloatArray:
        """Return the samples of ``span``, which is not empty, of these rows; shape (n_rows, n_samples)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a channel is found: the row of a source."""

    source: BlockSource
    row: int


@runtime_checkable
class MayBeWide(Protocol):
    """A source that may hold whole numbers of 64 bits."""

    def is_wide(self, row: int) -> bool:
        """Say whether a row is stored as whole numbers of which float64 tells not all apart."""
        ...


def with_rounding_told(info: RecordingInfo, places: Sequence[Place]) -> RecordingInfo:
    """Return what is known of a recording, with a warning where whole numbers lose their last digits as float64.

    Parameters
    ----------
    info : RecordingInfo
    places : sequence of Place
        One a channel. Of those that may lose some, a few are looked at, at their begin and their end.
    """
    wide = [
        (channel, place)
        for channel, place in zip(info.channels, places, strict=True)
        if isinstance(place.source, MayBeWide) and place.source.is_wide(place.row)
    ]
    names = [channel.name for channel, place in wide[:_MOST_WIDE] if _is_rounded(place, channel.n_samples)]
    if not names:
        return info
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return replace(info, warnings=(*info.warnings, beyond_float_words(", ".join(names[:3]) + more)))


def _is_rounded(place: Place, n_samples: int) -> bool:
    try:
        for start in {0, max(0, n_samples - _LOOKED_AT)}:
            span = Span(start, min(n_samples, start + _LOOKED_AT))
            if len(span) and (np.abs(place.source.read(span, [place.row])) >= EXACT).any():
                return True
    except ReadError:
        pass  # reading these samples will tell
    return False


class SourcedRecording(Recording):
    """An open recording over sources.

    Parameters
    ----------
    info : RecordingInfo
    places : sequence of Place
        One a channel, in the order of ``info.channels``.
    close : callable
        Lets go of the file. It is called once.
    """

    def __init__(self, info: RecordingInfo, places: Sequence[Place], close: Callable[[], None]) -> None:
        if len(places) != len(info.channels):
            raise ValueError(f"{len(places)} places for {len(info.channels)} channels")
        self._info = info
        self._places: tuple[Place, ...] | None = tuple(places)
        self._close = close

    @property
    def info(self) -> RecordingInfo:
        return self._info

    def close(self) -> None:
        if self._places is not None:
            self._places = None
            self._close()

    def read(self, start: int, stop: int, channels: Sequence[int | str] | None = None) -> FloatArray:
        places = self._places
        if places is None:
            raise ReadError("The recording is closed", hint="open it again")
        chosen, span = self._info.reading_span(start, stop, channels)
        rows_of: dict[int, list[int]] = {}
        for row, index in enumerate(chosen):
            rows_of.setdefault(id(places[index].source), []).append(row)
        if len(rows_of) == 1 and len(span):
            return _own(places[chosen[0]].source.read(span, [places[index].row for index in chosen]))
        result = arena.empty((len(chosen), len(span)), np.float64)
        if not result.size:
            return result
        for rows in rows_of.values():
            source = places[chosen[rows[0]]].source
            samples = source.read(span, [places[chosen[row]].row for row in rows])
            if len(rows) == 1:
                result[rows[0]] = samples[0]
            else:
                result[rows] = samples
        return result


def _own(samples: FloatArray) -> FloatArray:
    """Return samples as an array that nobody else holds."""
    flags = samples.flags
    is_own = arena.is_whole(samples) and flags.c_contiguous and flags.writeable and samples.dtype == np.float64
    return samples if is_own else np.array(samples, dtype=np.float64, order="C")
