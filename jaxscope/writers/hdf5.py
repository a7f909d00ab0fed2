"""HDF5: a dataset of shape (n_channels, n_samples) for each rate, with its rate, names and units as attributes.

Datasets are contiguous, so that every sample has its place before it arrives and can be read in slices. ``jaxscope``
in the root holds what else is known, as text. Where a disk fills up, the library would bring the process down when it
closes what it could not write; so it writes through a file of ours, which keeps the error and takes the rest for lost.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.data.notes import KEY
from jaxscope.errors import WriteError
from jaxscope.writers.base import RecordingWriter, WriteRequest, WriterFormat
from jaxscope.writers.checks import check_any
from jaxscope.writers.rounding import as_float32


class KeptErrors:
    """A file for the library: an error of the system is kept, and what is written after it goes nowhere.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("w+b")
        self._error: OSError | None = None

    def check(self) -> None:
        """Raise the OSError that was kept."""
        if self._error is not None:
            raise self._error

    def write(self, data: Any) -> int:
        """Write bytes at the position."""
        n_bytes = memoryview(data).nbytes
        self._do(lambda: self._file.write(data))
        return n_bytes

    def truncate(self, size: int | None = None) -> int:
        """Make the file so long."""
        self._do(lambda: self._file.truncate(size))
        return size or 0

    def flush(self) -> None:
        """Hand to the system what waits."""
        self._do(self._file.flush)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a position."""
        self._do(lambda: self._file.seek(offset, whence))
        return offset

    def tell(self) -> int:
        """Return the position."""
        return self._file.tell()

    def read(self, n_bytes: int = -1) -> bytes:
        """Read back what was written; that there is such a way is how the library knows a file."""
        return self._file.read(n_bytes)

    def readinto(self, buffer: Any) -> int:
        """Read back what was written."""
        return self._file.readinto(buffer)

    def close(self) -> None:
        """Close the file, whatever was lost of it."""
        try:
            self._file.close()
        except OSError as error:
            self._error = self._error or error

    def _do(self, work: Callable[[], object]) -> None:
        if self._error is None:
            try:
                work()
            except OSError as error:
                self._error = error


class Hdf5Writer(RecordingWriter):
    """An HDF5 file that is being written."""

    _disk: KeptErrors | None = None

    def _begin(self) -> None:
        request = self.request
        self._disk = KeptErrors(self._temporary)
        self._file = import_h5py().File(self._disk, "w", libver=("earliest", "v110"))
        #: dataset and row of each channel
        self._places: list[tuple[Any, int]] = [(None, 0)] * len(request.channels)
        dtype = np.dtype("<f4" if request.precision == "float32" else "<f8")
        members = rate_members(request)
        for number, indices in enumerate(members):
            channels = [request.channels[index] for index in indices]
            name = "data" if len(members) == 1 else f"data_{number + 1}"
            dataset = self._file.create_dataset(
                name, shape=(len(channels), channels[0].n_samples), dtype=dtype, track_times=False
            )
            dataset.attrs["rate_hz"] = channels[0].rate_hz
            dataset.attrs["labels"] = [channel.name for channel in channels]
            dataset.attrs["units"] = [channel.unit for channel in channels]
            for row, index in enumerate(indices):
                self._places[index] = (dataset, row)
        if request.start is not None:
            self._file.attrs["start"] = request.start.isoformat()
        self._file.create_dataset(KEY, data=request.notes(), track_times=False)

    def _write(self, block: npt.NDArray[np.float64], channels: tuple[int, ...]) -> None:
        stored = as_float32(block) if self.request.precision == "float32" else block
        for row, index in enumerate(channels):
            dataset, place = self._places[index]
            dataset[place, self._written[index] : self._written[index] + block.shape[1]] = stored[row]
        if self._disk is not None:
            self._disk.check()

    def _finish(self) -> None:
        super()._finish()
        close_both(self._file, self._disk)

    def _release(self) -> None:
        with suppress(OSError):  # what is given up may be lost
            close_both(self._file, self._disk)


def close_both(file: Any, disk: KeptErrors | None) -> None:
    """Close the library's file and ours; raise the OSError that was kept."""
    if file is not None:
        file.close()
    if disk is not None:
        disk.close()
        disk.check()


def rate_members(request: WriteRequest) -> list[list[int]]:
    """Return the numbers of the channels of each rate and length, in their order."""
    groups: dict[tuple[float | None, int], list[int]] = {}
    for index, channel in enumerate(request.channels):
        groups.setdefault((channel.rate_hz, channel.n_samples), []).append(index)
    return list(groups.values())


def import_h5py() -> Any:
    """Return the package, or raise WriteError with its remedy."""
    try:
        import h5py
    except ImportError as error:
        raise WriteError(
            "HDF5 is written by the package h5py, which is not installed",
            hint='install it with pip install "jaxscope[formats]"',
        ) from error
    return h5py


def _check(request: WriteRequest) -> None:
    check_any(request, "HDF5")
    import_h5py()


def _n_bytes(request: WriteRequest) -> int:
    width = 4 if request.precision == "float32" else 8
    texts = 8192 + 200 * len(request.channels) + 2 * len(request.notes())
    return texts + width * sum(channel.n_samples for channel in request.channels)


def _open(path: Path, request: WriteRequest) -> RecordingWriter:
    return Hdf5Writer(path, request)


FORMAT = WriterFormat(
    name="hdf5",
    title="HDF5",
    suffixes=(".h5", ".hdf5"),
    note="Float, a dataset for each rate. Keeps names, units, gaps and events",
    keeps_rates=True,
    check=_check,
    n_bytes=_n_bytes,
    open=_open,
)
