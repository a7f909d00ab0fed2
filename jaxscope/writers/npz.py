"""NPZ: one array of shape (n_channels, n_samples), its rate, names and units, in an archive that is not compressed.

The array is in Fortran order, so that the samples of all channels follow each other as they arrive, and lies in the
archive as it is, so that it can be read in parts. Small arrays beside it tell a script what it needs: ``data``,
``rate_hz``, ``names``, ``units``; ``jaxscope`` holds everything else.
"""

from __future__ import annotations

import zipfile
from typing import IO

import numpy as np
import numpy.lib.format
import numpy.typing as npt

from jaxscope.data.notes import KEY
from jaxscope.writers.base import AlignedWriter, WriteRequest, WriterFormat
from jaxscope.writers.checks import check_one_rate
from jaxscope.writers.rounding import as_float32

_BEFORE_1980 = (1980, 1, 1, 0, 0, 0)


class NpzWriter(AlignedWriter):
    """An NPZ file that is being written."""

    _array: IO[bytes] | None = None

    def _begin(self) -> None:
        request = self.request
        self._dtype = np.dtype("<f4" if request.precision == "float32" else "<f8")
        self._file = zipfile.ZipFile(self._temporary, "w", zipfile.ZIP_STORED)
        small = {
            "rate_hz": np.array(request.channels[0].rate_hz, dtype="<f8"),
            "names": np.array([channel.name for channel in request.channels]),
            "units": np.array([channel.unit for channel in request.channels]),
            KEY: np.array(request.notes()),
        }
        for name, array in small.items():
            with self._member(name) as file:
                numpy.lib.format.write_array(file, array, allow_pickle=False)
        self._array = self._member("data")
        shape = (len(request.channels), request.channels[0].n_samples)
        header = {"descr": self._dtype.str, "fortran_order": True, "shape": shape}
        numpy.lib.format.write_array_header_1_0(self._array, header)

    def _member(self, name: str) -> IO[bytes]:
        # a fixed date: equal recordings are equal files
        member: IO[bytes] = self._file.open(zipfile.ZipInfo(f"{name}.npy", _BEFORE_1980), "w", force_zip64=True)
        return member

    def _write_rows(self, block: npt.NDArray[np.float64], first_sample: int) -> None:
        assert self._array is not None
        stored = as_float32(block) if self.request.precision == "float32" else block
        self._array.write(np.ascontiguousarray(stored.T, dtype=self._dtype).tobytes())

    def _finish(self) -> None:
        self._close_array()

    def _release(self) -> None:
        self._close_array()
        super()._release()

    def _close_array(self) -> None:
        if self._array is not None:
            self._array.close()
            self._array = None


def _check(request: WriteRequest) -> None:
    check_one_rate(request, "NPZ")


def _n_bytes(request: WriteRequest) -> int:
    width = 4 if request.precision == "float32" else 8
    longest = max(len(channel.name) + len(channel.unit) for channel in request.channels)
    texts = 4 * (longest * len(request.channels) + len(request.notes()))
    return 4096 + texts + width * sum(channel.n_samples for channel in request.channels)


FORMAT = WriterFormat(
    name="npz",
    title="NPZ",
    suffixes=(".npz",),
    note="data, rate_hz, names and units as arrays. All channels at one rate",
    check=_check,
    n_bytes=_n_bytes,
    open=NpzWriter,
)
