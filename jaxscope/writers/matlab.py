"""MATLAB: ``data`` of shape (channels, samples) in double, ``fs``, ``labels``, ``units`` and what else is known.

Version 5 is written by hand and in order, because MATLAB keeps the samples of all channels of one time together. It
counts bytes in 31 bits; what is larger is written as version 7.3, which is HDF5 behind 512 bytes.

Source: MAT-File Format, The MathWorks (version 5).
"""

from __future__ import annotations

import io
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.data.notes import KEY
from jaxscope.errors import WriteError
from jaxscope.writers.base import AlignedWriter, RecordingWriter, WriteRequest, WriterFormat
from jaxscope.writers.checks import check_one_rate
from jaxscope.writers.hdf5 import KeptErrors, close_both, import_h5py
from jaxscope.writers.rounding import as_float32

_LIMIT_BYTES = (1 << 31) - (1 << 20)
_MATRIX, _INT8, _INT32, _UINT32, _SINGLE, _DOUBLE = 14, 1, 5, 6, 7, 9
_CLASS_DOUBLE, _CLASS_SINGLE = 6, 7


class Mat5Writer(AlignedWriter):
    """A MATLAB file of version 5 that is being written."""

    def _begin(self) -> None:
        request = self.request
        self._file = self._temporary.open("wb")
        self._file.write(_small_variables(request))
        is_single = request.precision == "float32"
        self._dtype = np.dtype("<f4" if is_single else "<f8")
        n_channels, n_samples = len(request.channels), request.channels[0].n_samples
        n_bytes = n_channels * n_samples * self._dtype.itemsize
        self._n_filled = -n_bytes % 8
        head = struct.pack("<IIII", _UINT32, 8, _CLASS_SINGLE if is_single else _CLASS_DOUBLE, 0)
        head += struct.pack("<IIii", _INT32, 8, n_channels, n_samples)
        head += struct.pack("<HH4s", _INT8, 4, b"data")
        head += struct.pack("<II", _SINGLE if is_single else _DOUBLE, n_bytes)
        self._file.write(struct.pack("<II", _MATRIX, len(head) + n_bytes + self._n_filled) + head)

    def _write_rows(self, block: npt.NDArray[np.float64], first_sample: int) -> None:
        stored = as_float32(block) if self.request.precision == "float32" else block
        self._file.write(np.ascontiguousarray(stored.T, dtype=self._dtype).tobytes())

    def _finish(self) -> None:
        self._file.write(bytes(self._n_filled))
        super()._finish()


def _small_variables(request: WriteRequest) -> bytes:
    """Return the head of the file and everything in it but the samples."""
    import scipy.io

    stream = io.BytesIO()
    scipy.io.savemat(
        stream,  # type: ignore[arg-type]  # a stream is taken too
        {
            "fs": float(request.channels[0].rate_hz or 0),
            "labels": _cell([channel.name for channel in request.channels]),
            "units": _cell([channel.unit for channel in request.channels]),
            KEY: request.notes(),
        },
    )
    raw = stream.getvalue()
    return b"MATLAB 5.0 MAT-file, written by jaxscope".ljust(116) + raw[116:]


def _cell(texts: list[str]) -> npt.NDArray[Any]:
    cell = np.empty((len(texts), 1), dtype=object)
    cell[:, 0] = texts
    return cell


class Mat73Writer(AlignedWriter):
    """A MATLAB file of version 7.3 that is being written."""

    _disk: KeptErrors | None = None

    def _begin(self) -> None:
        request = self.request
        self._disk = KeptErrors(self._temporary)
        self._file = import_h5py().File(self._disk, "w", userblock_size=512, libver=("earliest", "v110"))
        dtype = np.dtype("<f4" if request.precision == "float32" else "<f8")
        n_channels, n_samples = len(request.channels), request.channels[0].n_samples
        self._put("fs", np.array([[request.channels[0].rate_hz]], dtype="<f8"), "double")
        self._put(KEY, _letters(request.notes()), "char")
        for name, texts in (
            ("labels", [c.name for c in request.channels]),
            ("units", [c.unit for c in request.channels]),
        ):
            self._put_cell(name, texts)
        # dimensions are in reverse in the file
        self._data = self._file.create_dataset("data", (n_samples, n_channels), dtype, track_times=False)
        self._data.attrs["MATLAB_class"] = np.bytes_("single" if request.precision == "float32" else "double")

    def _put(self, name: str, values: npt.NDArray[Any], kind: str) -> Any:
        item = self._file.create_dataset(name, data=values, track_times=False)
        item.attrs["MATLAB_class"] = np.bytes_(kind)
        if kind == "char":
            item.attrs["MATLAB_int_decode"] = np.int32(2)
        return item

    def _put_cell(self, name: str, texts: list[str]) -> None:
        h5py = import_h5py()
        made = []
        for number, text in enumerate(texts):
            place = f"#refs#/{name}_{number}"
            item = self._put(place, _letters(text) if text else np.zeros(2, "<u8"), "char")
            if not text:  # what an empty text is: its dimensions, and a mark
                item.attrs["MATLAB_empty"] = np.uint8(1)
            made.append(item.ref)
        cell = self._file.create_dataset(name, data=np.array([made], dtype=h5py.ref_dtype), track_times=False)
        cell.attrs["MATLAB_class"] = np.bytes_("cell")

    def _write_rows(self, block: npt.NDArray[np.float64], first_sample: int) -> None:
        stored = as_float32(block) if self.request.precision == "float32" else block
        self._data[first_sample : first_sample + block.shape[1], :] = stored.T
        if self._disk is not None:
            self._disk.check()

    def _finish(self) -> None:
        super()._finish()
        close_both(self._file, self._disk)
        with self._temporary.open("r+b") as stream:
            head = b"MATLAB 7.3 MAT-file, written by jaxscope".ljust(116) + bytes(8)
            stream.write(head + b"\x00\x02IM")

    def _release(self) -> None:
        with suppress(OSError):  # what is given up may be lost
            close_both(self._file, self._disk)


def _letters(text: str) -> npt.NDArray[Any]:
    return np.frombuffer(text.encode("utf-16-le"), "<u2")[:, np.newaxis]


def _is_large(request: WriteRequest) -> bool:
    return _n_bytes(request) > _LIMIT_BYTES


def _check(request: WriteRequest) -> None:
    check_one_rate(request, "MATLAB")
    if not _is_large(request):
        return
    try:
        import_h5py()
    except WriteError as error:
        raise WriteError("MATLAB files beyond 2 GB are HDF5, for which h5py is missing", hint=error.hint) from error


def _n_bytes(request: WriteRequest) -> int:
    width = 4 if request.precision == "float32" else 8
    texts = 8192 + 400 * len(request.channels) + 4 * len(request.notes())
    return texts + width * sum(channel.n_samples for channel in request.channels)


def _open(path: Path, request: WriteRequest) -> RecordingWriter:
    return (Mat73Writer if _is_large(request) else Mat5Writer)(path, request)


FORMAT = WriterFormat(
    name="matlab",
    title="MATLAB",
    suffixes=(".mat",),
    note="data, fs, labels and units as variables. All channels at one rate",
    check=_check,
    n_bytes=_n_bytes,
    open=_open,
)
