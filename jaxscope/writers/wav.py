"""WAV in 32-bit float, and RF64 where the samples pass the 4 GB that WAV can count.

Values are kept as they are: float WAV may go beyond 1, and nothing is scaled or clipped.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.errors import WriteError
from jaxscope.writers.base import AlignedWriter, WriteRequest, WriterFormat, closed_gap_words
from jaxscope.writers.checks import check_one_rate
from jaxscope.writers.rounding import as_float32, rounding_of, rounding_words

_WAV_LIMIT_BYTES = 0xFFFF_FFFF - 4096
#: A disk with less room than this has refused a block because it is full.
_FULL_BYTES = 1 << 16
#: What libsndfile accepts.
_MOST_CHANNELS = 1024


class WavWriter(AlignedWriter):
    """A WAV file that is being written."""

    def _begin(self) -> None:
        request = self.request
        is_large = _n_bytes(request) > _WAV_LIMIT_BYTES
        self._file = _open_sound_file(self._temporary, request, is_large=is_large)
        self._largest_rounding = 0.0
        self._warnings.append("WAV keeps no names, units or events: they are in the .json file beside it")
        if is_large:
            self._warnings.append(f"{self.path.name} is larger than WAV can be and is written as RF64")
        self._warnings += closed_gap_words(request, "WAV")

    def _write_rows(self, block: npt.NDArray[np.float64], first_sample: int) -> None:
        single = as_float32(block)
        self._largest_rounding = max(self._largest_rounding, rounding_of(block, single))
        with told_by_system(self._temporary):
            self._file.write(np.ascontiguousarray(single.T))

    def _finish(self) -> None:
        self._warnings += rounding_words(self._largest_rounding)
        super()._finish()


def _open_sound_file(path: Path, request: WriteRequest, *, is_large: bool) -> Any:
    import soundfile

    rate_hz = request.channels[0].rate_hz
    with told_by_system(path):
        return soundfile.SoundFile(
            str(path),
            "w",
            samplerate=round(rate_hz or 0),
            channels=len(request.channels),
            format="RF64" if is_large else "WAV",
            subtype="FLOAT",
        )


@contextmanager
def told_by_system(path: Path) -> Iterator[None]:
    """Turn what libsndfile raises while ``path`` is written into an error of the system."""
    try:
        yield
    except RuntimeError as error:
        raise _disk_error(error, path) from error


def _disk_error(error: RuntimeError, path: Path) -> OSError:
    """Return what the system said, of which libsndfile keeps no more than "System error."."""
    if shutil.disk_usage(path.parent).free < _FULL_BYTES:
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return OSError(str(error).rstrip("."))


def _check(request: WriteRequest) -> None:
    check_one_rate(request, "WAV")
    rate = request.channels[0].rate_hz
    if rate is None or rate != round(rate) or not 1 <= rate <= 655_350_000:
        raise WriteError(f"WAV holds whole rates only, and this is {rate:g} Hz", hint="write EDF, NPY or CSV")
    if len(request.channels) > _MOST_CHANNELS:
        raise WriteError(
            f"WAV holds {_MOST_CHANNELS} channels, and these are {len(request.channels)}", hint="choose fewer"
        )


def _n_bytes(request: WriteRequest) -> int:
    return 128 + 4 * sum(channel.n_samples for channel in request.channels)


FORMAT = WriterFormat(
    name="wav",
    title="WAV",
    suffixes=(".wav",),
    note="32-bit float, not scaled or clipped. All channels at one rate",
    check=_check,
    n_bytes=_n_bytes,
    open=WavWriter,
)
