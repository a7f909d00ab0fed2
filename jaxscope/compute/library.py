"""Open recordings and ready programs, by id, with eviction.

Making a program is cheap where its structure is known (coefficients are arguments), so what is kept is the last few
programs with exactly these coefficients, and the set of structures that have run once and need no compilation any more.
The window cache holds the samples that were read last: a drag reads the file once and filters it a hundred times.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jaxscope.compute.held_recording import HeldRecording
from jaxscope.compute.read_watch import ReadWatch
from jaxscope.compute.tile_extremes import tile_extremes
from jaxscope.compute.tiles import TileMemory
from jaxscope.data.recording import Recording, RecordingInfo
from jaxscope.display.envelope import min_max
from jaxscope.filters.coefficients import ChainDesign

if TYPE_CHECKING:
    from jaxscope.engines.program import Program
    from jaxscope.readers.scans import Indexing

FloatArray = npt.NDArray[np.float64]
#: Samples (channels times time) that a window cache holds at most.
CACHE_VALUES = 16_000_000
#: Samples (channels times time) from which on a program runs in chunks of one length.
CHUNK_VALUES = 262_144
#: Envelopes that are kept.
MOST_ENVELOPES = 128
#: Groups of channels whose filtered tiles are kept.
MOST_GROUPS = 4
#: Samples (channels times time) of tiles that are kept: the widest window that is tuned live, and one tile more.
TILE_VALUES = 32_000_000
#: Programs that are kept.
MOST_PROGRAMS = 24


class WindowCache:
    """Reads through a memory of the last windows of one recording.

    Each entry is one read of some channels of one rate. A request inside an entry is served from it without touching
    the file; the arrays are read-only. The last envelopes of *Before* are kept as well: turning a knob changes nothing
    in them.
    """

    def __init__(self, recording: Recording, *, max_values: int = CACHE_VALUES) -> None:
        self.recording = recording
        self._max_values = max_values
        self._entries: OrderedDict[tuple[int, ...], tuple[int, FloatArray]] = OrderedDict()
        self._tiles: OrderedDict[tuple[tuple[int, ...], int, int, int], FloatArray] = OrderedDict()
        self._filtered: dict[tuple[int, ...], TileMemory] = {}
        self._designs: dict[tuple[int, ...], ChainDesign] = {}
        self._envelopes: OrderedDict[object, tuple[FloatArray, FloatArray]] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, start: int, stop: int, channels: Sequence[int]) -> FloatArray:
        """Return samples ``start`` to ``stop`` of channels of one rate, as ``Recording.read`` does."""
        key = tuple(channels)
        with self._lock:
            held = self._entries.get(key)
            if held is not None and held[0] <= start and stop <= held[0] + held[1].shape[1]:
                self._entries.move_to_end(key)
                return held[1][:, start - held[0] : stop - held[0]]
        samples = self.recording.read(start, stop, key)
        samples.flags.writeable = False
        with self._lock:
            self._entries.pop(key, None)
            if samples.size <= self._max_values:
                self._entries[key] = (start, samples)
                self._shrink()
        return samples

    def tile(self, start: int, stop: int, length: int, channels: Sequence[int]) -> FloatArray:
        """Return samples ``start`` to ``stop`` and zeros up to ``length``; panning finds the tiles it has seen."""
        key = (tuple(channels), start, stop, length)
        with self._lock:
            held = self._tiles.get(key)
            if held is not None:
                self._tiles.move_to_end(key)
                return held
        samples = self.recording.read(start, stop, key[0])
        if stop - start < length:
            padded = np.zeros((samples.shape[0], length))
            padded[:, : stop - start] = samples
            samples = padded
        samples.flags.writeable = False
        with self._lock:
            self._tiles[key] = samples
            while sum(tile.size for tile in self._tiles.values()) > TILE_VALUES and len(self._tiles) > 1:
                self._tiles.popitem(last=False)
        return samples

    def filtered(self, channels: tuple[int, ...], key: object) -> TileMemory:
        """Return the memory of filtered tiles of some channels for a set of coefficients, a new one for another set."""
        with self._lock:
            memory = self._filtered.get(channels)
            if memory is None or memory.key != key:
                if memory is None and len(self._filtered) >= MOST_GROUPS:
                    self._filtered.clear()
                memory = self._filtered[channels] = TileMemory(key=key)
            return memory

    def forget_filtered(self) -> None:
        """Forget what was filtered, not what was read."""
        with self._lock:
            self._filtered.clear()

    def exchange_design(self, channels: tuple[int, ...], design: ChainDesign) -> ChainDesign | None:
        """Return the design that filtered some channels last, and remember this one in its place."""
        with self._lock:
            before = self._designs.get(channels)
            self._designs = {channels: design}
        return before

    def envelope(
        self, x: FloatArray, first_sample: int, channels: tuple[int, ...], bin_samples: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and the highest value per bin of samples that were read here; see ``min_max``."""
        if bin_samples <= 1:
            return min_max(x, first_sample=first_sample, bin_samples=bin_samples)
        key = (channels, first_sample, x.shape[1], bin_samples)
        with self._lock:
            known = self._envelopes.get(key)
        if known is None:
            known = tile_extremes(x, first_sample, bin_samples)
            with self._lock:
                self._envelopes[key] = known
                while len(self._envelopes) > MOST_ENVELOPES:
                    self._envelopes.popitem(last=False)
        return known

    def clear(self) -> None:
        """Forget everything that was read."""
        with self._lock:
            self._entries.clear()
            self._tiles.clear()
            self._filtered.clear()
            self._designs.clear()
            self._envelopes.clear()

    def _shrink(self) -> None:
        while sum(held.size for _, held in self._entries.values()) > self._max_values:
            self._entries.popitem(last=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRecording:
    """A recording that is open: its id, where it came from, and how to read it."""

    id: str
    path: str
    recording: HeldRecording
    cache: WindowCache


class RecordingLibrary:
    """Opens recordings and closes them again."""

    def __init__(self, watch: ReadWatch | None = None) -> None:
        self._watch = watch
        self._open: dict[str, OpenRecording] = {}
        self._count = 0
        self._lock = threading.Lock()

    def open_first_part(
        self, path: str, *, rate_hz: float | None = None, options: tuple[tuple[str, str], ...] = ()
    ) -> tuple[OpenRecording, Indexing | None]:
        """Open a file by its first part, where it has to be gone through; return the way to the whole of it too.

        Raises
        ------
        ReadError
            If it cannot be read.
        """
        from jaxscope.readers import open_first_part

        first = open_first_part(path, rate_hz=rate_hz, options=dict(options))
        return self.add(first.recording, path, is_whole=first.indexing is None), first.indexing

    def add(self, recording: Recording, path: str, *, is_whole: bool = True) -> OpenRecording:
        """Take in a recording that is already open."""
        with self._lock:
            self._count += 1
            held = HeldRecording(recording, path, self._watch, is_whole=is_whole)
            entry = OpenRecording(id=f"recording-{self._count}", path=path, recording=held, cache=WindowCache(held))
            self._open[entry.id] = entry
        return entry

    def complete(self, entry: OpenRecording, whole: Recording) -> OpenRecording | None:
        """Take the whole of a recording of which the first part is open; None where it is closed by now.

        What was kept of the windows goes. Where the channels of the first part are not the first of the whole, whoever
        still reads it gets Cancelled, as its numbers would mean other channels.
        """
        first = _shape_of(entry.recording.info)
        held = entry.recording
        if _shape_of(whole.info)[: len(first)] != first:
            held = HeldRecording(whole, entry.path, self._watch)
        with self._lock:
            is_open = self._open.get(entry.id) is entry
            made = OpenRecording(id=entry.id, path=entry.path, recording=held, cache=WindowCache(held))
            if is_open:
                self._open[entry.id] = made
        if not is_open:
            whole.close()
            return None
        if held is entry.recording:
            held.replace(whole)
        else:
            entry.recording.close()
        return made

    def by_path(self, path: str) -> OpenRecording | None:
        """Return the recording that was opened last from ``path``, or None."""
        with self._lock:
            for entry in reversed(self._open.values()):
                if entry.path == path:
                    return entry
        return None

    def get(self, id_sought: str) -> OpenRecording | None:
        """Return the recording of an id, None where it is closed."""
        with self._lock:
            return self._open.get(id_sought)

    def has(self, id_sought: str) -> bool:
        """Whether a recording is open."""
        return self.get(id_sought) is not None

    def drop(self, id_dropped: str) -> None:
        """Close one recording that nobody waits for any more."""
        with self._lock:
            entry = self._open.pop(id_dropped, None)
        if entry is not None:
            entry.recording.close()

    def keep_only(self, id_kept: str | None) -> None:
        """Close every recording that was opened before the one that is kept; all where it is None.

        One that was opened after it is about to be shown.
        """
        with self._lock:
            if id_kept is not None and id_kept not in self._open:
                return  # closed meanwhile, and what was older with it
            entries = list(self._open.values())
            kept_from = len(entries) if id_kept is None else list(self._open).index(id_kept)
            gone = entries[:kept_from]
            self._open = {entry.id: entry for entry in entries[kept_from:]}
        for entry in gone:
            entry.cache.clear()
            entry.recording.close()


def _shape_of(info: RecordingInfo) -> tuple[tuple[object, ...], ...]:
    return tuple((channel.name, channel.unit, channel.kind, channel.rate_hz) for channel in info.channels)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramKey:
    """What makes two programs the same."""

    designs: tuple[ChainDesign, ...]
    n_channels: int
    device: str
    precision: str
    method: str


class ProgramLibrary:
    """Makes programs and keeps the last few; knows which have run once."""

    def __init__(self) -> None:
        self._programs: OrderedDict[ProgramKey, Program] = OrderedDict()
        self._warm: set[object] = set()
        self._lock = threading.Lock()

    def get(self, key: ProgramKey) -> Program:
        """Return a program, made now where it is not there.

        Raises
        ------
        DeviceError, UsageError
            Where the device or the method cannot be used.
        """
        from jaxscope.engines.program import make_program

        with self._lock:
            program = self._programs.get(key)
            if program is not None:
                self._programs.move_to_end(key)
                return program
        designs = key.designs[0] if len(set(key.designs)) == 1 else key.designs
        program = make_program(
            designs, n_channels=key.n_channels, device=key.device, precision=key.precision, method=key.method
        )
        with self._lock:
            self._programs[key] = program
            while len(self._programs) > MOST_PROGRAMS:
                self._programs.popitem(last=False)
        return program

    def is_warm(self, program: Program, n_samples: int) -> bool:
        """Whether a program like this has run on this many samples and needs no compilation."""
        return self._warmth(program, n_samples) in self._warm

    def mark_warm(self, program: Program, n_samples: int) -> None:
        """Note that a program has run on this many samples."""
        self._warm.add(self._warmth(program, n_samples))

    @staticmethod
    def _warmth(program: Program, n_samples: int) -> object:
        return (
            program.structure,
            program.n_channels,
            program.device,
            program.precision,
            program.method,
            min(n_samples, CHUNK_VALUES // program.n_channels).bit_length(),
        )
