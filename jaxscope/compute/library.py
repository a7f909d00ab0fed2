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

from jaxscope.compute.read_watch import ReadWatch
from jaxscope.compute.scheduler import Cancelled
from jaxscope.compute.tiles import TileMemory
from jaxscope.data.recording import Recording, RecordingInfo
from jaxscope.display.envelope import min_max
from jaxscope.filters.coefficients import ChainDesign

if TYPE_CHECKING:
    from jaxscope.engines.program import Program

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
TILE_VALUES = 30_000_000
#: Programs that are kept.
MOST_PROGRAMS = 24


class HeldRecording(Recording):
    """A recording that is not closed while somebody reads it or holds it.

    Once closed, ``read`` raises Cancelled: a job that outlives its recording ends without a word.
    """

    def __init__(self, inner: Recording, path: str = "", watch: ReadWatch | None = None) -> None:
        self._inner = inner
        self._path = path
        self._watch = watch
        self._users = 0
        self._replaced: list[Recording] = []
        self._closing = False
        self._closed = False
        self._lock = threading.Lock()

    @property
    def info(self) -> RecordingInfo:
        """What is known without reading samples."""
        return self._inner.info

    def read(self, start: int, stop: int, channels: Sequence[int | str] | None = None) -> FloatArray:
        """Return samples as the recording does; Cancelled once it is closed."""
        self.hold()
        try:
            if self._watch is None:
                return self._inner.read(start, stop, channels)
            with self._watch.reading(self._path):
                samples = self._inner.read(start, stop, channels)
            if self._closing:
                raise Cancelled
            return samples
        finally:
            self.release()

    def hold(self) -> None:
        """Keep the recording open until ``release``; Cancelled where it is closed."""
        with self._lock:
            if self._closed:
                raise Cancelled
            self._users += 1

    def release(self) -> None:
        """End a ``hold``."""
        with self._lock:
            self._users -= 1
            close_now = self._closing and self._users == 0 and not self._closed
            self._closed = self._closed or close_now
            gone, self._replaced = (self._replaced, []) if self._users == 0 else ([], self._replaced)
        for recording in gone:
            recording.close()
        if close_now:
            self._inner.close()

    def replace(self, inner: Recording) -> None:
        """Read from another recording from now on: the same file, which has grown."""
        with self._lock:
            gone = self._inner
            if self._closing:
                gone = inner
            else:
                self._inner = inner
            if self._users:
                self._replaced.append(gone)
                return
        gone.close()

    def close(self) -> None:
        """Close the recording as soon as nobody uses it."""
        with self._lock:
            self._closing = True
            close_now = self._users == 0 and not self._closed
            self._closed = self._closed or close_now
        if close_now:
            self._inner.close()


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

    def filtered_tiles(self, channels: tuple[int, ...]) -> tuple[int, ...]:
        """Return where the tiles begin that are kept of some channels, whatever they were filtered by."""
        with self._lock:
            memory = self._filtered.get(channels)
            return () if memory is None else tuple(memory.tiles)

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
            known = min_max(x, first_sample=first_sample, bin_samples=bin_samples)
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

    def open(
        self, path: str, *, rate_hz: float | None = None, options: tuple[tuple[str, str], ...] = ()
    ) -> OpenRecording:
        """Open a file; ``options`` are what was told about it.

        Raises
        ------
        ReadError
            If it cannot be read.
        """
        from jaxscope.readers import open_recording

        return self.add(open_recording(path, rate_hz=rate_hz, options=dict(options)), path)

    def add(self, recording: Recording, path: str) -> OpenRecording:
        """Take in a recording that is already open."""
        with self._lock:
            self._count += 1
            held = HeldRecording(recording, path, self._watch)
            entry = OpenRecording(id=f"recording-{self._count}", path=path, recording=held, cache=WindowCache(held))
            self._open[entry.id] = entry
        return entry

    def by_path(self, path: str) -> OpenRecording | None:
        """Return the recording that was opened last from ``path``, or None."""
        with self._lock:
            for entry in reversed(self._open.values()):
                if entry.path == path:
                    return entry
        return None

    def has(self, id_sought: str) -> bool:
        """Whether a recording is open."""
        with self._lock:
            return id_sought in self._open

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
