"""NPY: one array of shape (n_channels, n_samples), in float32 or float64.

The shape is known before the first sample, so the header is written once and each channel goes to its own place.
"""

from __future__ import annotations

import numpy as np
import numpy.lib.format
import numpy.typing as npt

from jaxscope.writers.base import RecordingWriter, WriteRequest, WriterFormat, closed_gap_words
from jaxscope.writers.checks import check_one_rate
from jaxscope.writers.rounding import as_float32


class NpyWriter(RecordingWriter):
    """An NPY file that is being written."""

    def _begin(self) -> None:
        request = self.request
        self._dtype = np.dtype("<f4" if request.precision == "float32" else "<f8")
        self._n_samples = request.channels[0].n_samples
        self._file = self._temporary.open("wb")
        shape = (len(request.channels), self._n_samples)
        header = {"descr": self._dtype.str, "fortran_order": False, "shape": shape}
        numpy.lib.format.write_array_header_1_0(self._file, header)
        self._first_byte = self._file.tell()
        self._warnings.append("NPY keeps no rate, names, units or events: they are in the .json file beside it")
        self._warnings += closed_gap_words(request, "NPY")

    def _write(self, block: npt.NDArray[np.float64], channels: tuple[int, ...]) -> None:
        stored = as_float32(block) if self.request.precision == "float32" else block
        for row, index in enumerate(channels):
            place = index * self._n_samples + self._written[index]
            self._file.seek(self._first_byte + place * self._dtype.itemsize)
            self._file.write(stored[row].astype(self._dtype, copy=False).tobytes())


def _check(request: WriteRequest) -> None:
    check_one_rate(request, "NPY")


def _n_bytes(request: WriteRequest) -> int:
    width = 4 if request.precision == "float32" else 8
    return 128 + width * sum(channel.n_samples for channel in request.channels)


FORMAT = WriterFormat(
    name="npy",
    title="NPY",
    suffixes=(".npy",),
    note="One array, channels by samples. All channels at one rate",
    check=_check,
    n_bytes=_n_bytes,
    open=NpyWriter,
)
