"""FLAC, 24 bit: whole numbers between -1 and 1, so samples are divided by a power of two that is told and kept.

A channel that lies within ±1 is stored as it is, unless it is so small that bits would be lost, as of volts of an EEG.
All channels of one unit share a divisor, so that they keep their balance where somebody listens to them; jaxscope
multiplies it back from the notes in the comment of the file.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.errors import WriteError
from jaxscope.writers.base import AlignedWriter, WriteRequest, WriterFormat
from jaxscope.writers.checks import check_one_rate
from jaxscope.writers.wav import told_by_system

_LEVELS = 1 << 23
#: What is rounded to the highest of the levels, by a hair: the greatest sample of 24-bit sound is stored as it is.
_HIGHEST = (_LEVELS - 0.5) / _LEVELS - 1e-9
_MOST_CHANNELS = 8
#: What libsndfile and the stream header of FLAC can tell.
_MOST_HZ = 655_350

#: What reaches no further has fewer than 16 of the 24 bits, unless it is multiplied.
_FAINT = 1 / 256
#: Smaller numbers are as good as nothing.
_LEAST_EXPONENT = -500


class FlacWriter(AlignedWriter):
    """A FLAC file that is being written."""

    def _begin(self) -> None:
        request = self.request
        self._full_scale = full_scales(request)
        self._missing = self._clipped = 0
        self._file = _open_sound_file(self._temporary, request)
        self._file.comment = request.notes(self._full_scale)
        told = sorted({scale for scale in self._full_scale if scale != 1.0})
        if told:
            divisors = " or ".join(f"{scale:g}" for scale in told)
            self._warnings.append(f"FLAC holds values between -1 and 1: other programs show them divided by {divisors}")

    def _write_rows(self, block: npt.NDArray[np.float64], first_sample: int) -> None:
        exact = block * (_LEVELS / np.array(self._full_scale)[:, np.newaxis])
        is_missing = np.isnan(exact)
        self._missing += int(np.count_nonzero(is_missing))
        whole = np.rint(np.where(is_missing, 0.0, exact))
        self._clipped += int(np.count_nonzero((whole < -_LEVELS) | (whole > _LEVELS - 1)))
        stored = np.clip(whole, -_LEVELS, _LEVELS - 1).astype(np.int32) << 8
        with told_by_system(self._temporary):
            self._file.write(np.ascontiguousarray(stored.T))

    def _finish(self) -> None:
        if self._missing:
            self._warnings.append(f"{self._missing:,} missing samples are written as 0: FLAC cannot mark them")
        if self._clipped:
            self._warnings.append(
                f"{self._clipped:,} samples lie outside the range that was found before and are clipped"
            )
        super()._finish()


def full_scales(request: WriteRequest) -> tuple[float, ...]:
    """Return what a stored 1 means in each channel: a power of two; 1 where the channels of its unit keep 16 bits."""
    largest: dict[str, float] = {}
    for channel, (low, high) in zip(request.channels, request.ranges or (), strict=True):
        reach = max(-low, high / _HIGHEST, 0.0) if channel.is_data else max(high + 1, 1.0)
        # sound is between -1 and 1 by itself, however soft it is
        least = _FAINT if channel.kind == "audio" else 0.0
        largest[channel.unit] = max(largest.get(channel.unit, 0.0), least, reach if math.isfinite(reach) else 0.0)
    return tuple(_full_scale(largest[channel.unit]) for channel in request.channels)


def _full_scale(reach: float) -> float:
    exponent = math.ceil(math.log2(reach)) if reach else 0
    return 2.0 ** max(exponent, _LEAST_EXPONENT) if exponent > 0 or reach < _FAINT else 1.0


def _open_sound_file(path: Path, request: WriteRequest) -> Any:
    import soundfile

    with told_by_system(path):
        return soundfile.SoundFile(
            str(path),
            "w",
            samplerate=round(request.channels[0].rate_hz or 0),
            channels=len(request.channels),
            format="FLAC",
            subtype="PCM_24",
        )


def _check(request: WriteRequest) -> None:
    check_one_rate(request, "FLAC")
    rate = request.channels[0].rate_hz
    if rate is None or rate != round(rate) or not 1 <= rate <= _MOST_HZ:
        raise WriteError(
            f"FLAC holds whole rates up to {_MOST_HZ:,} Hz, and this is {rate:g} Hz", hint="write EDF, HDF5 or CSV"
        )
    if len(request.channels) > _MOST_CHANNELS:
        raise WriteError(
            f"FLAC holds {_MOST_CHANNELS} channels, and these are {len(request.channels)}",
            hint="choose fewer with --channels, or write WAV",
        )


def _n_bytes(request: WriteRequest) -> int:
    return 8192 + len(request.notes()) + 3 * sum(channel.n_samples for channel in request.channels)


FORMAT = WriterFormat(
    name="flac",
    title="FLAC",
    suffixes=(".flac",),
    note="24 bit, whole rates, up to 8 channels. Smaller than WAV, scaled where it must be",
    needs_ranges=True,
    check=_check,
    n_bytes=_n_bytes,
    open=FlacWriter,
)
