"""How a writer looks, and the promise that each of them keeps: a whole file under the name that was asked for, or none.

Everything is written to a temporary file beside the target, which takes the target's place only when all samples have
arrived and lie on the disk. A writer gets samples block by block and never holds a whole recording.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from jaxscope import unfinished
from jaxscope.data.annotations import Annotation, Gap
from jaxscope.data.notes import notes_text
from jaxscope.data.recording import Channel
from jaxscope.data.timeline import Timeline
from jaxscope.errors import WriteError

Precision = Literal["float32", "float64"]
#: A first time within this part of a sample is that of the sample.
_SAME_SAMPLE = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRequest:
    """What is going to be written, known before the first sample.

    Parameters
    ----------
    channels : tuple of Channel
        Names, units, kinds, rates and lengths of the output.
    start : datetime or None
    annotations, gaps : tuple
        Seconds count from the first sample.
    ranges : tuple of (float, float), or None
        Least and greatest finite value of each channel, for formats with ``WriterFormat.needs_ranges``. Those of code
        channels are not looked at.
    precision : {"float32", "float64"}
        For formats that keep either.
    first_s : float
        When the first sample was, in seconds of the recording that a part is written of. Formats with a column of
        times count from the start of that recording.
    filters : tuple of str
        What happened to each channel, in a few plain characters such as ``"HP:1Hz LP:40Hz"``; empty means nothing.
    history : str
        How the samples were made, for formats that keep a text: the chains and the version.
    """

    channels: tuple[Channel, ...]
    start: datetime | None = None
    annotations: tuple[Annotation, ...] = ()
    gaps: tuple[Gap, ...] = ()
    ranges: tuple[tuple[float, float], ...] | None = None
    precision: Precision = "float64"
    first_s: float = 0.0
    filters: tuple[str, ...] = ()
    history: str = ""

    def notes(self, full_scale: Sequence[float] = ()) -> str:
        """Return everything beside the samples as a line of JSON, for formats with room for a text."""
        return notes_text(
            self.channels,
            start=self.start,
            annotations=self.annotations,
            gaps=self.gaps,
            full_scale=full_scale,
            history=self.history,
        )


class RecordingWriter(ABC):
    """An output file that is being written.

    As a context manager it commits when the block ends well and aborts when it raises.

    Parameters
    ----------
    path : Path
        The target. Nothing is there under this name until ``commit``.
    request : WriteRequest
    """

    #: What the samples are written with, once ``_begin`` has opened it on ``self._temporary``.
    _file: Any = None
    #: Files beside the target that belong to it, and the temporary ones that take their place before it does.
    _companions: dict[Path, Path]

    def __init__(self, path: Path, request: WriteRequest) -> None:
        self.path = path
        self.request = request
        self._written = [0] * len(request.channels)
        self._warnings: list[str] = []
        self._companions = {}
        self._temporary = _temporary_beside(path)
        try:
            with self._told_failure():
                self._begin()
        except BaseException:
            self.abort()
            raise

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about what the format could not keep; complete after ``commit``."""
        return tuple(self._warnings)

    def write(self, samples: npt.ArrayLike, channels: Sequence[int] | None = None) -> None:
        """Append samples to channels of one rate.

        Parameters
        ----------
        samples : array_like of shape (n_channels, n_samples)
            The next samples of these channels, in physical units. NaN is missing.
        channels : sequence of int or None
            Numbers in ``request.channels``; None means all. Channels of one rate should come in turn.

        Raises
        ------
        WriteError
            If the disk is full, or more samples arrive than were announced.
        """
        block = np.atleast_2d(np.asarray(samples, dtype=np.float64))
        chosen = tuple(range(len(self._written))) if channels is None else tuple(channels)
        if block.shape[0] != len(chosen):
            raise ValueError(f"{block.shape[0]} rows of samples for {len(chosen)} channels")
        for index in chosen:
            if self._written[index] + block.shape[1] > self.request.channels[index].n_samples:
                raise WriteError(
                    f"More samples came for {self.request.channels[index].name} than the "
                    f"{self.request.channels[index].n_samples:,} that were announced"
                )
        if block.shape[1]:
            with self._told_failure():
                self._write(block, chosen)
        for index in chosen:
            self._written[index] += block.shape[1]

    def commit(self) -> None:
        """Finish the file and put it in place.

        Raises
        ------
        WriteError
            If samples are missing or the disk refuses.
        """
        for channel, written in zip(self.request.channels, self._written, strict=True):
            if written != channel.n_samples:
                self.abort()
                raise WriteError(f"{written:,} of {channel.n_samples:,} samples of {channel.name} were written")
        try:
            with self._told_failure():
                self._finish()
                self._release()
                whole = {**self._companions, self.path: self._temporary}
                for temporary in whole.values():
                    with temporary.open("rb+") as file:
                        os.fsync(file.fileno())
                for place, temporary in whole.items():
                    os.replace(temporary, place)
                    unfinished.forget(temporary)
        except BaseException:
            self.abort()
            raise

    def abort(self) -> None:
        """Let go of the temporary file and remove it. The target is as it was."""
        with suppress(OSError):
            self._release()
        for temporary in (self._temporary, *self._companions.values()):
            unfinished.remove(temporary)

    def withdraw(self) -> None:
        """Remove what ``commit`` has put in place."""
        for place in (self.path, *self._companions):
            place.unlink(missing_ok=True)

    def _companion(self, suffix: str) -> Path:
        """Make a temporary file for a file beside the target; what is written to it is put in place with it."""
        place = self.path.with_suffix(suffix)
        self._companions[place] = _temporary_beside(place)
        return self._companions[place]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.commit()
        else:
            self.abort()

    @abstractmethod
    def _begin(self) -> None:
        """Open ``self._file`` and write what comes before the samples."""

    @abstractmethod
    def _write(self, block: npt.NDArray[np.float64], channels: tuple[int, ...]) -> None:
        """Store a block; ``self._written`` still tells where each channel stands."""

    def _finish(self) -> None:
        """Write what can only be written at the end."""
        self._file.flush()

    def _release(self) -> None:
        if self._file is not None:
            self._file.close()

    def _told_failure(self) -> _DiskErrors:
        return _DiskErrors(self.path)


class AlignedWriter(RecordingWriter):
    """A writer of a format whose rows hold one sample of every channel.

    Channels may arrive apart; what has not arrived for all of them waits, so they should arrive in turn.
    """

    def __init__(self, path: Path, request: WriteRequest) -> None:
        super().__init__(path, request)
        self._waiting = [np.empty(0)] * len(request.channels)

    def _write(self, block: npt.NDArray[np.float64], channels: tuple[int, ...]) -> None:
        if channels == tuple(range(len(self._waiting))) and not any(map(len, self._waiting)):
            self._write_rows(block, self._written[0])
            return
        first = min(written - len(waiting) for written, waiting in zip(self._written, self._waiting, strict=True))
        for row, index in enumerate(channels):
            self._waiting[index] = np.concatenate([self._waiting[index], block[row]])
        n_ready = min(map(len, self._waiting))
        if n_ready:
            self._write_rows(np.stack([waiting[:n_ready] for waiting in self._waiting]), first)
            self._waiting = [waiting[n_ready:] for waiting in self._waiting]

    @abstractmethod
    def _write_rows(self, block: npt.NDArray[np.float64], first_sample: int) -> None:
        """Store the next samples of all channels, shape (n_channels, n_samples)."""


class _DiskErrors:
    """Turns what the operating system says while writing into a sentence."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, OSError):
            raise disk_error(self._path, error) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterFormat:
    """One output format.

    Parameters
    ----------
    name : str
        Short and lower case, the key in the table.
    title : str
        What sentences call it.
    suffixes : tuple of str
        Lower case, with the dot.
    note : str
        What it does to the numbers and what it keeps, for whoever chooses.
    needs_ranges : bool
        Whether ``WriteRequest.ranges`` must be known: integer formats, in a first pass.
    keeps_rates : bool
        Whether channels of different rates can be written.
    companions : tuple of str
        Suffixes of the files that are written beside the target.
    check : callable
        Takes a request and raises ``WriteError`` where the format cannot hold it. Needs no ranges.
    n_bytes : callable
        Takes a request and returns the size of the output, for the check of free space.
    open : callable
        Takes the target and a checked request, and returns the writer.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    note: str
    needs_ranges: bool = False
    keeps_rates: bool = False
    companions: tuple[str, ...] = ()
    check: Callable[[WriteRequest], None]
    n_bytes: Callable[[WriteRequest], int]
    open: Callable[[Path, WriteRequest], RecordingWriter]


def disk_error(path: Path, error: OSError) -> WriteError:
    """Return the sentence for an error of the operating system while ``path`` is written."""
    if isinstance(error, PermissionError):
        return WriteError(f"No permission to write {path}", hint="choose another folder")
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return WriteError(f"The folder {path.parent} is not there", hint="make it first, or choose another")
    return WriteError(f"{path} cannot be written: {error.strerror or error}", hint="choose another folder")


def size_words(n_bytes: int) -> str:
    """Return a size as words.

    Examples
    --------
    >>> size_words(999), size_words(1_700_000_000)
    ('999 bytes', '1.7 GB')
    """
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.1f} {unit}"
    return f"{n_bytes} bytes"


def times_of(request: WriteRequest, samples: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the times of written samples, in seconds of the recording that they are a part of.

    Where no gap lies between, these are exactly the times that the whole recording has: numbers of samples over rate.
    """
    rate_hz = request.channels[0].rate_hz
    assert rate_hz is not None
    first = request.first_s * rate_hz
    if not request.gaps and abs(first - round(first)) < _SAME_SAMPLE:
        whole: npt.NDArray[np.float64] = (samples + round(first)) / rate_hz
        return whole
    times = Timeline(gaps=request.gaps).seconds_of(samples, rate_hz)
    return times + request.first_s if request.first_s else times


def closed_gap_words(request: WriteRequest, title: str) -> list[str]:
    """Return the sentence for a format that keeps no times, if there are gaps."""
    n_gaps = len(request.gaps)
    if not n_gaps:
        return []
    return [
        f"{title} keeps no times: {'a gap' if n_gaps == 1 else f'{n_gaps} gaps'} in the recording can't be told from it"
    ]


def _temporary_beside(path: Path) -> Path:
    """Make an empty file beside ``path``, with the rights of any new file."""
    try:
        return unfinished.make_beside(path)
    except OSError as error:
        raise disk_error(path, error) from error
