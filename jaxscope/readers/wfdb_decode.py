"""Bytes of WFDB signal files to integers: every binary layout, from any sample on.

Samples lie frame after frame, in a frame signal after signal. They are decoded as one flat row of integers; which of
them belong to which signal is told by the header. Layouts that pack two or three samples together are read from the
first byte of a pack on. Format 8 stores differences, so its values depend on all samples before: running sums are kept
every ``_STRIDE`` frames, and the file is read through once when it is first needed.

Source: signal(5) of the WFDB Applications Guide, PhysioNet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.errors import ReadError
from jaxscope.readers.byte_file import ByteFile, int24

IntArray = npt.NDArray[np.integer[Any]]

_STRIDE = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleFormat:
    """One binary layout: ``pack`` samples take ``pack_bytes``; ``invalid`` marks a sample that was not measured."""

    pack: int
    pack_bytes: int
    invalid: int | None

    def bytes_of(self, n_samples: int) -> int:
        """Return how many bytes the first samples of a file take when packs are whole."""
        return -(-n_samples // self.pack) * self.pack_bytes


FORMATS: dict[int, SampleFormat] = {
    8: SampleFormat(pack=1, pack_bytes=1, invalid=None),
    16: SampleFormat(pack=1, pack_bytes=2, invalid=-(1 << 15)),
    24: SampleFormat(pack=1, pack_bytes=3, invalid=-(1 << 23)),
    32: SampleFormat(pack=1, pack_bytes=4, invalid=-(1 << 31)),
    61: SampleFormat(pack=1, pack_bytes=2, invalid=-(1 << 15)),
    80: SampleFormat(pack=1, pack_bytes=1, invalid=-(1 << 7)),
    160: SampleFormat(pack=1, pack_bytes=2, invalid=-(1 << 15)),
    212: SampleFormat(pack=2, pack_bytes=3, invalid=-(1 << 11)),
    310: SampleFormat(pack=3, pack_bytes=4, invalid=-(1 << 9)),
    311: SampleFormat(pack=3, pack_bytes=4, invalid=-(1 << 9)),
}
#: Formats that are FLAC streams, with the bits of a sample.
FLAC_FORMATS: dict[int, int] = {508: 8, 516: 16, 524: 24}
#: How many samples the bytes after the last whole pack hold: format to remaining bytes to samples.
_PART_PACKS = {212: (0, 0, 1), 310: (0, 0, 1, 1), 311: (0, 0, 1, 2)}


def invalid_value(form: int) -> int | None:
    """Return the integer that marks a sample that was not measured, None where every value is one."""
    return FORMATS[form].invalid if form in FORMATS else -(1 << (FLAC_FORMATS[form] - 1))


def samples_held(form: int, n_bytes: int) -> int:
    """Return how many samples of a binary format lie in a number of bytes."""
    layout = FORMATS[form]
    packs, rest = divmod(max(0, n_bytes), layout.pack_bytes)
    return packs * layout.pack + (_PART_PACKS[form][rest] if form in _PART_PACKS else 0)


def decode(form: int, raw: npt.NDArray[np.uint8]) -> IntArray:
    """Decode whole packs of a binary format; differences (format 8) stay differences.

    Parameters
    ----------
    form : int
        A key of ``FORMATS``.
    raw : ndarray of uint8, shape (n_packs * pack_bytes,)

    Returns
    -------
    ndarray of integers, shape (n_packs * pack,)
        Of a type that is wide enough, and no wider than it costs nothing to make.
    """
    plain = {8: "<i1", 16: "<i2", 32: "<i4", 61: ">i2"}
    if form in plain:
        return raw.view(plain[form])
    if form == 80:
        return raw.astype(np.int16) - np.int16(1 << 7)
    if form == 160:
        return raw.view("<u2").astype(np.int32) - np.int32(1 << 15)
    if form == 24:
        return int24(raw)
    if form == 212:
        return _pairs_of_12_bits(raw)
    if form == 310:
        halves = raw.view("<u2").reshape(-1, 2).astype(np.int32)
        low, high = halves[:, 0], halves[:, 1]
        third = (low >> 11 & 31) | (high >> 11 & 31) << 5
        return _signed(np.stack((low >> 1 & 1023, high >> 1 & 1023, third), axis=1).reshape(-1), 10)
    word = raw.view("<i4")
    return _signed(np.stack((word & 1023, word >> 10 & 1023, word >> 20 & 1023), axis=1).reshape(-1), 10)


def _pairs_of_12_bits(raw: npt.NDArray[np.uint8]) -> npt.NDArray[np.int16]:
    """Decode three bytes to two samples; the middle byte has the upper four bits of both, the first one's below.

    Both are moved to their place within one integer of 32 bits, which then is the two of 16: nothing has to be woven
    together, and the last shift spreads the sign of both.
    """
    n_packs = len(raw) // 3
    words = np.empty(n_packs, dtype="<u4")
    if n_packs:
        words[:-1] = np.ndarray((n_packs - 1,), "<u4", raw.data, 0, (3,))  # each with a byte of the next
        words[-1] = int.from_bytes(raw[-3:].tobytes(), "little")
    result = np.empty(n_packs, dtype="<u4")
    np.bitwise_and(words, 0xFFF, out=result)
    result <<= 4
    upper = words & 0xF000
    upper <<= 16
    result |= upper
    words &= 0xFF0000
    words <<= 4
    result |= words
    values = result.view("<i2")
    values >>= 4
    return values


def _signed(values: npt.NDArray[np.int32], bits: int) -> npt.NDArray[np.int32]:
    half = 1 << (bits - 1)
    return (values ^ half) - half


class BinarySignalFile:
    """A signal file in a binary format.

    Parameters
    ----------
    path : Path
    form : int
    first_byte : int
    samples_per_frame : sequence of int
        Of each signal in the file.
    initial : sequence of int
        The values before the first differences (format 8).
    """

    def __init__(
        self,
        path: Path,
        *,
        form: int,
        first_byte: int,
        samples_per_frame: Sequence[int],
        initial: Sequence[int],
    ) -> None:
        self._file = ByteFile(path)
        self._form = form
        self._first_byte = first_byte
        self._per_frame = tuple(samples_per_frame)
        self._width = sum(samples_per_frame)
        self._initial = tuple(initial)
        self._n_frames = samples_held(form, self._file.n_bytes - first_byte) // self._width
        self._lock = Lock()
        self._sums: list[list[int]] | None = None

    def read(self, first: int, stop: int) -> IntArray:
        """Return the frames ``first`` to ``stop``, shape (n_frames, samples per frame of all signals)."""
        flat = self._flat(first, stop)
        if self._form != 8:
            return flat
        with self._lock:
            if self._sums is None:
                self._sums = self._running_sums()
        block = first // _STRIDE
        return self._add_up(self._flat(block * _STRIDE, stop), self._sums[block])[first - block * _STRIDE :]

    def _flat(self, first: int, stop: int) -> IntArray:
        layout = FORMATS[self._form]
        low, high = first * self._width, stop * self._width
        pack = low // layout.pack
        begin = pack * layout.pack_bytes
        n_bytes = layout.bytes_of(high) - begin
        there = min(n_bytes, self._file.n_bytes - self._first_byte - begin)
        raw = self._file.read(self._first_byte + begin, there)
        if there < n_bytes:  # the last pack is not whole
            raw = np.concatenate((raw, np.zeros(n_bytes - there, dtype=np.uint8)))
        values = decode(self._form, raw)[low - pack * layout.pack : high - pack * layout.pack]
        return values.reshape(stop - first, self._width)

    def _add_up(self, steps: IntArray, before: Sequence[int]) -> IntArray:
        """Turn differences into values, each signal for itself, from the values before the first."""
        result = np.empty(steps.shape, dtype=np.int64)
        column = 0
        for width, value in zip(self._per_frame, before, strict=True):
            part = steps[:, column : column + width]
            result[:, column : column + width] = value + np.cumsum(part.reshape(-1), dtype=np.int64).reshape(part.shape)
            column += width
        return result

    def _running_sums(self) -> list[list[int]]:
        sums = [list(self._initial)]
        for first in range(0, self._n_frames, _STRIDE):
            values = self._add_up(self._flat(first, min(first + _STRIDE, self._n_frames)), sums[-1])
            last = np.cumsum(self._per_frame) - 1
            sums.append([int(value) for value in values[-1, last]])
        return sums


class FlacSignalFile:
    """A signal file that is a FLAC stream, one channel a signal; all its signals have one rate.

    Parameters
    ----------
    path : Path
    form : int
    first_sample : int
    samples_per_frame : sequence of int
    """

    def __init__(self, path: Path, *, form: int, first_sample: int, samples_per_frame: Sequence[int]) -> None:
        from jaxscope.readers.audio import AudioRecording
        from jaxscope.readers.flac_frames import read_stream_info

        with path.open("rb") as file:
            stream = read_stream_info(file)
        if stream is None or stream.bits > FLAC_FORMATS[form]:
            raise ReadError(f"{path.name} is not a FLAC stream of format {form}", hint="copy the file again")
        if stream.n_channels != len(samples_per_frame) or len(set(samples_per_frame)) != 1:
            raise ReadError(
                f"{path.name} has {stream.n_channels} channels, its header describes {len(samples_per_frame)} signals",
                hint="keep the files of a recording together",
            )
        self._audio: Any = AudioRecording(path)
        self._scale = float(1 << (stream.bits - 1))
        self._first = first_sample
        self._per_frame = samples_per_frame[0]
        self.n_frames = (self._audio.info.channels[0].n_samples - first_sample) // self._per_frame

    def read(self, first: int, stop: int) -> IntArray:
        """Return the frames ``first`` to ``stop``, shape (n_frames, samples per frame of all signals)."""
        start = self._first + first * self._per_frame
        samples = self._audio.read(start, start + (stop - first) * self._per_frame)
        values = np.rint(samples * self._scale).astype(np.int64)
        turned: IntArray = values.reshape(len(values), stop - first, self._per_frame).transpose(1, 0, 2)
        return turned.reshape(stop - first, -1)
