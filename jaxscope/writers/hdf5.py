"""HDF5: a dataset of shape (n_channels, n_samples) for each rate, with its rate, names and units as attributes.

Datasets are contiguous, so that every sample has its place before it arrives and can be read in slices. ``jaxscope``
in the root holds what else is known, as text.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.data.notes import KEY
from jaxscope.errors import WriteError
from jaxscope.writers.base import RecordingWriter, WriteRequest, WriterFormat
from jaxscope.writers.checks import check_any
from jaxscope.writers.rounding import as_float32


class Hdf5Writer(RecordingWriter):
    """An HDF5 file that is being written."""

    def _begin(self) -> None:
        request = self.request
        self._file = import_h5py().File(self._temporary, "w", libver=("earliest", "v110"))
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
