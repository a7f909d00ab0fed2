"""What is in a recording, in numbers that fit strict JSON: the content of ``jaxscope info``.

The statistics come from one streaming pass, block by block, so that a night of sleep takes no more memory than a
minute. NaN is counted and otherwise ignored; what has no value (a mean of nothing, an infinity) is None.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.data.recording import Channel, Recording, RecordingInfo
from jaxscope.data.span import Span

#: How many samples, over all channels, are held at a time.
BLOCK_VALUES = 1 << 20
#: How many samples are shown from the beginning of each channel.
FIRST_SAMPLES = 4

FloatArray = npt.NDArray[np.float64]


class Statistics:
    """Running minimum, maximum, mean and count of NaN of several channels.

    The mean is taken relative to the first value of each channel: an offset of 176 000 uV under a swing of 25 uV
    then costs no digits.

    Parameters
    ----------
    n_channels : int
    """

    def __init__(self, n_channels: int) -> None:
        self.low = np.full(n_channels, np.inf)
        self.high = np.full(n_channels, -np.inf)
        self.n_nan = np.zeros(n_channels, dtype=np.int64)
        self._n_values = np.zeros(n_channels, dtype=np.int64)
        self._origin = np.full(n_channels, np.nan)
        self._sum = np.zeros(n_channels)

    def add(self, block: FloatArray) -> None:
        """Take in the next samples.

        Parameters
        ----------
        block : ndarray of float64, shape (n_channels, n_samples)
        """
        if not block.shape[1]:
            return
        new = np.isnan(self._origin)
        if new.any():
            self._origin[new] = _first_values(block)[new]
        n_missing = np.zeros(len(block), dtype=np.int64)
        # What is infinite, or too large to be added up, has no mean; it becomes None.
        with np.errstate(invalid="ignore", over="ignore"):
            moved = block - self._origin[:, np.newaxis]
            sums = moved.sum(axis=1)
            if np.isnan(sums).any():
                missing = np.isnan(block)
                n_missing = np.count_nonzero(missing, axis=1)
                sums = np.where(missing, 0.0, moved).sum(axis=1)
            self._sum += sums
        self.n_nan += n_missing
        self._n_values += block.shape[1] - n_missing
        self.low = np.fmin(self.low, np.fmin.reduce(block, axis=1))
        self.high = np.fmax(self.high, np.fmax.reduce(block, axis=1))

    @property
    def mean(self) -> FloatArray:
        """The means, NaN for a channel without any value."""
        with np.errstate(invalid="ignore", divide="ignore"):
            result: FloatArray = self._origin + self._sum / self._n_values
        return result


def _first_values(block: FloatArray) -> FloatArray:
    """Return the first value of each channel that is not NaN (0 for an infinity), NaN where there is none."""
    first = block[np.arange(len(block)), np.argmin(np.isnan(block), axis=1)]
    return np.where(np.isinf(first), 0.0, first)


def summarise(recording: Recording, *, quick: bool = False) -> dict[str, Any]:
    """Return what is in a recording as a dictionary for JSON.

    Parameters
    ----------
    recording : Recording
    quick : bool
        Leave out the pass over all samples; the statistics are None then.

    Returns
    -------
    dict
        ``format, start, duration_s, channels, annotations, gaps, warnings``. It holds no NaN and no infinity.

    Raises
    ------
    ReadError
        If samples cannot be read.
    """
    info = recording.info
    channels: list[dict[str, Any]] = [{} for _ in info.channels]
    for group in groups_of_equal_length(info):
        first = recording.read(0, FIRST_SAMPLES, group)
        statistics = None if quick else statistics_of(recording, group)
        for row, index in enumerate(group):
            numbers = _numbers(statistics, row)
            channels[index] = {**_describe(info.channels[index]), "first": [_json(x) for x in first[row]], **numbers}
    return {
        "format": info.format,
        "start": None if info.start is None else info.start.isoformat(),
        "duration_s": _json(info.duration_s),
        "channels": channels,
        "annotations": [
            {
                "onset_s": _json(note.onset_s),
                "duration_s": _json(note.duration_s),
                "text": note.text,
                **({"channels": list(note.channels)} if note.channels else {}),
                **({"is_bad": True} if note.is_bad else {}),
            }
            for note in info.annotations
        ],
        "gaps": [{"start_s": gap.start_s, "stop_s": gap.stop_s} for gap in info.gaps],
        "warnings": list(info.warnings),
    }


def groups_of_equal_length(info: RecordingInfo) -> list[tuple[int, ...]]:
    """Return the channels that can be read together (one rate, one length), in file order."""
    groups: dict[tuple[float | None, int], list[int]] = {}
    for index, channel in enumerate(info.channels):
        groups.setdefault((channel.rate_hz, channel.n_samples), []).append(index)
    return [tuple(members) for members in groups.values()]


def statistics_of(recording: Recording, channels: Sequence[int]) -> Statistics:
    """Read channels of one rate and length once, block by block, and return their statistics."""
    statistics = Statistics(len(channels))
    if channels:
        n_samples = recording.info.channels[channels[0]].n_samples
        for span in Span(0, n_samples).blocks(max(1, BLOCK_VALUES // len(channels))):
            statistics.add(recording.read(span.start, span.stop, channels))
    return statistics


def _describe(channel: Channel) -> dict[str, Any]:
    return {
        "name": channel.name,
        "unit": channel.unit,
        "kind": channel.kind,
        "rate_hz": channel.rate_hz,
        "n_samples": channel.n_samples,
    }


def _numbers(statistics: Statistics | None, row: int) -> dict[str, Any]:
    if statistics is None:
        return {"min": None, "max": None, "mean": None, "n_nan": None}
    return {
        "min": _json(statistics.low[row]),
        "max": _json(statistics.high[row]),
        "mean": _json(statistics.mean[row]),
        "n_nan": int(statistics.n_nan[row]),
    }


def _json(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
