"""The benchmark's reading scene: whole files through our readers, against a plain read of the same bytes and a peer.

A plain read only moves bytes. A reader must also make float64 values of them, up to four times as many bytes: where the
file is in the cache of the system, no reader comes near a plain read of narrow samples, so a second reference stands
beside it, a plain read whose bytes are then cast to float64 in one go, neither turned nor multiplied. From a drive the
making hides behind the moving. Invariant: all read the same file in the same blocks, in turn, in one run, and what ours
gives is compared with what was written.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.data.recording import Channel, Recording
from jaxscope.data.span import Span
from jaxscope.engines.timing import medians
from jaxscope.readers import open_recording
from jaxscope.writers import WriteRequest, open_writer

Array = npt.NDArray[np.float64]
#: Reads a file block by block and gives each to a function.
Reading = Callable[[Path, Callable[[Array], object]], None]
Row = dict[str, Any]

RATE_HZ, N_CHANNELS = 1000, 32
#: Values of a block, and of the whole file by the least seconds there are for it.
BLOCK_VALUES = 1 << 21
N_VALUES_BY_S = ((4.0, 1 << 25), (1.0, 1 << 23), (0.0, 1 << 21))
_SHORT = ("<i2", 2)
#: What is cast to float64, and the bytes of a sample. NumPy knows no type of three: as many of four take its place.
STORED = {".bdf": ("<i4", 3), ".vhdr": ("<f4", 4), ".npy": ("<f8", 8), ".h5": ("<f8", 8), ".wav": ("<f4", 4)}
#: Names of the references that are no libraries.
PLAIN, CAST = "plain read", "plain read, cast"
#: The least and the greatest of the samples, whole numbers: every format keeps them within its steps.
_RANGE = (-30000, 30000)
_BLOCK = BLOCK_VALUES // N_CHANNELS


def run(seconds: float, *, n_values: int | None = None) -> list[Row]:
    """Return how fast the formats are read, beside plain reads and peers, in about ``seconds``."""
    each_s = seconds / len(PEERS)
    n_values = n_values or next(count for least_s, count in N_VALUES_BY_S if each_s >= least_s)
    rows = []
    with tempfile.TemporaryDirectory(prefix="jaxscope-bench-") as folder:
        for name in PEERS:
            path = Path(folder) / name
            stored = _write(path, n_values // N_CHANNELS)
            rows += _rows(path, stored, each_s)
            for left in Path(folder).iterdir():
                left.unlink()
    return rows


def samples_of(span: Span) -> Array:
    """Return what is written: the same block again and again."""
    return _block()[:, : len(span)]


@cache
def _block() -> Array:
    """Return noise in whole numbers."""
    block = np.random.default_rng(11).integers(*_RANGE, (N_CHANNELS, _BLOCK)).astype(np.float64)
    block[:, 0] = _RANGE[0]  # both ends of the range are there
    block[:, 1] = _RANGE[1]
    return block


def _write(path: Path, n_samples: int) -> Path:
    """Write a recording; return the file that holds its samples."""
    channels = tuple(
        Channel(name=f"EEG {number}", unit="uV", kind="eeg", rate_hz=float(RATE_HZ), n_samples=n_samples)
        for number in range(N_CHANNELS)
    )
    if path.suffix == ".raw":
        layout = {"channels": N_CHANNELS, "dtype": "int16", "rate": RATE_HZ}
        path.with_name(f"{path.name}.json").write_text(json.dumps(layout), encoding="utf-8")
        _write_multiplexed(path, n_samples)
        return path
    if path.suffix == ".hea":
        stored = path.with_suffix(".dat")
        lines = [f"{path.stem} {N_CHANNELS} {RATE_HZ} {n_samples}"]
        lines += [f"{stored.name} 16 1/uV 16 0 0 0 0 {channel.name}" for channel in channels]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        _write_multiplexed(stored, n_samples)
        return stored
    request = WriteRequest(channels=channels, ranges=((float(_RANGE[0]), float(_RANGE[1])),) * N_CHANNELS)
    with open_writer(path, request) as writer:
        for span in Span(0, n_samples).blocks(_BLOCK):
            writer.write(samples_of(span))
    return path.with_suffix(".eeg") if path.suffix == ".vhdr" else path


def _write_multiplexed(path: Path, n_samples: int) -> None:
    """Write samples of 16 bits, those of all channels side by side."""
    with path.open("wb") as file:
        for span in Span(0, n_samples).blocks(_BLOCK):
            file.write(np.ascontiguousarray(samples_of(span).T.astype("<i2")).tobytes())


def _rows(path: Path, stored: Path, seconds: float) -> list[Row]:
    """Compare reading with plain reads from the cache and the drive, and with the peer, where there are these."""
    library, peer = PEERS[path.name]
    has_peer = importlib.util.find_spec(library) is not None
    parts_s = seconds / (3 + has_peer)
    with closing(open_recording(path)) as recording:
        n_values = sum(channel.n_samples for channel in recording.info.channels)
        what = f"read: {recording.info.format}, {N_CHANNELS} × {n_values // N_CHANNELS}"
        error, n_bytes = _largest_error(recording), stored.stat().st_size
        ours = partial(_read_all, recording)

        def row(source: str, contender: str, other: Callable[[], object], prepare: Callable[[], object]) -> Row:
            mine, its = _Timed(ours, prepare), _Timed(other, prepare)
            medians({"ours": mine.run, "other": its.run}, budget_s=parts_s)  # in turn
            return {
                "name": f"{what}, {source}",
                "ours_ns_per_sample": mine.wall_s() / n_values * 1e9,
                "reference": contender,
                "reference_ns_per_sample": its.wall_s() / n_values * 1e9,
                "ratio": its.wall_s() / mine.wall_s(),
                "max_abs_error": error,
                "cpu_ratio": its.cpu_s() / mine.cpu_s(),
                "n_bytes": n_bytes,
                "source": source,
                "ours_bytes_per_s": n_bytes / mine.wall_s(),
                "reference_bytes_per_s": n_bytes / its.wall_s(),
            }

        block_bytes = -(-n_bytes * BLOCK_VALUES // n_values)
        plainly = PlainRead(stored, block_bytes).run
        cast = PlainRead(stored, block_bytes, STORED.get(path.suffix, _SHORT)).run
        rows = [row("from the cache", PLAIN, plainly, _nothing), row("from the cache", CAST, cast, _nothing)]
        if sys.platform == "linux":
            rows.append(row("from the drive", PLAIN, plainly, partial(_drop_from_cache, stored)))
        if has_peer:
            rows.append(row("from the cache", library, partial(peer, path, _nothing), _nothing))
        return rows


def _largest_error(recording: Recording) -> float:
    """Return how far what is read lies from what was written, at most."""
    return max(
        float(np.abs(recording.read(span.start, span.stop) - samples_of(span)).max())
        for span in Span(0, recording.info.channels[0].n_samples).blocks(_BLOCK)
    )


class _Timed:
    """Times a function, and what it takes of the processors, which others that are busy do not lengthen.

    What is prepared before each call is not counted, nor is the first call.
    """

    def __init__(self, function: Callable[[], object], prepare: Callable[[], object]) -> None:
        self._function, self._prepare = function, prepare
        self._taken_s: list[tuple[float, float]] = []

    def run(self) -> None:
        """Prepare, and call the function."""
        self._prepare()
        begun_s, cpu_s = time.perf_counter(), time.process_time()
        self._function()
        self._taken_s.append((time.perf_counter() - begun_s, time.process_time() - cpu_s))

    def wall_s(self) -> float:
        """Return the seconds of the middle call."""
        return median(wall_s for wall_s, _ in self._taken_s[1:])

    def cpu_s(self) -> float:
        """Return the seconds of all processors in the middle call."""
        return median(cpu_s for _, cpu_s in self._taken_s[1:])


def _nothing(_block: Array | None = None) -> None:
    """Do nothing, with a block or before."""


class PlainRead:
    """Reads a file from begin to end, block by block into the same memory; with ``cast`` each block becomes float64.

    Parameters
    ----------
    path : Path
    block_bytes : int
    cast : (dtype, int) or None
        The type that blocks are cast from, and how many bytes a sample has in the file.
    """

    def __init__(self, path: Path, block_bytes: int, cast: tuple[npt.DTypeLike, int] | None = None) -> None:
        self._path = path
        whole = np.zeros(-(-block_bytes // 8))
        self._memory = whole.view(np.uint8)[:block_bytes]
        self._stored, self._sample_bytes = whole, 0
        self.values = np.zeros(0)
        if cast is not None:
            dtype, self._sample_bytes = np.dtype(cast[0]), cast[1]
            is_plain = dtype.itemsize == self._sample_bytes
            n_values = block_bytes // self._sample_bytes
            self._stored = whole.view(dtype) if is_plain else np.zeros(n_values, dtype=dtype)
            self.values = np.zeros(n_values)

    def run(self) -> int:
        """Read the file; return how many bytes it has."""
        n_bytes = 0
        with self._path.open("rb", buffering=0) as file:
            while n_read := file.readinto(self._memory.data):
                n_bytes += n_read
                if self._sample_bytes:
                    n_values = n_read // self._sample_bytes
                    with np.errstate(invalid="ignore"):  # bytes of a header are any number
                        self.values[:n_values] = self._stored[:n_values]
        return n_bytes


def _drop_from_cache(path: Path) -> None:
    """Let the system forget a file, so that it comes from the drive again."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _read_all(recording: Recording) -> None:
    n_samples = recording.info.channels[0].n_samples
    for span in Span(0, n_samples).blocks(_BLOCK):
        recording.read(span.start, span.stop)


def _with_edfio(path: Path, take: Callable[[Array], object]) -> None:
    import edfio

    file = edfio.read_edf(path) if path.suffix == ".edf" else edfio.read_bdf(path)
    n_s = file.num_data_records * file.data_record_duration
    step_s = _BLOCK // RATE_HZ
    for start_s in np.arange(0, n_s, step_s):
        stop_s = min(start_s + step_s, n_s)
        take(np.stack([signal.get_data_slice(start_s, stop_s) for signal in file.signals]))


def _with_soundfile(path: Path, take: Callable[[Array], object]) -> None:
    import soundfile

    for block in soundfile.blocks(path, blocksize=_BLOCK, dtype="float64", always_2d=True):
        take(np.ascontiguousarray(block.T))


def _with_h5py(path: Path, take: Callable[[Array], object]) -> None:
    import h5py

    with h5py.File(path, "r", locking=False) as file:
        datasets: list[Any] = []
        file.visititems(lambda _name, item: datasets.append(item) if isinstance(item, h5py.Dataset) else None)
        largest = max(datasets, key=lambda dataset: dataset.size or 0)
        for span in _blocks_of(largest):
            take(largest[:, span.start : span.stop].astype(np.float64))


def _with_numpy(path: Path, take: Callable[[Array], object]) -> None:
    mapped = np.load(path, mmap_mode="r")
    for span in _blocks_of(mapped):
        take(np.array(mapped[:, span.start : span.stop], dtype=np.float64))


def _with_fromfile(path: Path, take: Callable[[Array], object]) -> None:
    file = path.with_suffix({".vhdr": ".eeg", ".hea": ".dat"}.get(path.suffix, path.suffix))
    mapped = np.memmap(file, "<f4" if path.suffix == ".vhdr" else "<i2", mode="r").reshape(-1, N_CHANNELS).T
    for span in _blocks_of(mapped):
        take(np.array(mapped[:, span.start : span.stop], dtype=np.float64, order="C"))


def _blocks_of(array: Any) -> Iterator[Span]:
    return Span(0, array.shape[1]).blocks(_BLOCK)


#: The files that are read, and who else reads them: the name of a library, and how.
PEERS: dict[str, tuple[str, Reading]] = {
    "x.edf": ("edfio", _with_edfio),
    "x.bdf": ("edfio", _with_edfio),
    "x.vhdr": ("numpy", _with_fromfile),
    "x.raw": ("numpy", _with_fromfile),
    "x.hea": ("numpy", _with_fromfile),
    "x.npy": ("numpy", _with_numpy),
    "x.h5": ("h5py", _with_h5py),
    "x.wav": ("soundfile", _with_soundfile),
}
