"""A recording that lies in memory (or in a memory map): made data, tables of text, tests.

Samples are converted to float64 when they are read, not before, so a memory-mapped array stays on disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.data.annotations import Annotation, Gap
from jaxscope.data.kinds import kind_of
from jaxscope.data.labels import plain_unit, unique_names
from jaxscope.data.recording import Channel, ChannelKind, FloatArray, Recording, RecordingInfo
from jaxscope.data.timeline import Timeline
from jaxscope.errors import ReadError


class ArrayRecording(Recording):
    """A recording over arrays, one a channel.

    Parameters
    ----------
    info : RecordingInfo
        Its channels describe ``arrays``, in the same order.
    arrays : sequence of array, each of shape (n_samples,)
        Any real type. They are not copied and must not change.

    Raises
    ------
    ValueError
        If the arrays do not fit the channels.
    """

    def __init__(self, info: RecordingInfo, arrays: Sequence[npt.NDArray[Any]]) -> None:
        lengths = [channel.n_samples for channel in info.channels]
        if [array.shape for array in arrays] != [(length,) for length in lengths]:
            raise ValueError(f"arrays of shapes {[array.shape for array in arrays]} for channels of {lengths} samples")
        self._info = info
        self._arrays: tuple[npt.NDArray[Any], ...] | None = tuple(arrays)

    @classmethod
    def from_array(
        cls,
        samples: npt.ArrayLike,
        *,
        rate_hz: float | None,
        names: Sequence[str] | None = None,
        units: Sequence[str] | str = "",
        kinds: Sequence[ChannelKind] | None = None,
        format: str = "array",
        start: datetime | None = None,
        annotations: Sequence[Annotation] = (),
        gaps: Sequence[Gap] = (),
        warnings: Sequence[str] = (),
    ) -> ArrayRecording:
        """Make a recording whose channels have one rate.

        Parameters
        ----------
        samples : array_like of shape (n_channels, n_samples) or (n_samples,)
        rate_hz : float or None
        names : sequence of str or None
            Made unique; None means ``"1"``, ``"2"``, ...
        units : sequence of str, or one str for all
        kinds : sequence of str or None
            None means guessed from name and unit.
        format : str
            What the samples came from, in one word.
        start : datetime or None
            When the first sample was taken.
        annotations : sequence of Annotation
        gaps : sequence of Gap
            Where samples that follow one another are apart in time.
        warnings : sequence of str
            Sentences without a full stop.

        Returns
        -------
        ArrayRecording
        """
        array = np.atleast_2d(np.asarray(samples))
        n_channels, n_samples = array.shape
        labels = unique_names(names if names is not None else [str(index + 1) for index in range(n_channels)])
        marks = [units] * n_channels if isinstance(units, str) else list(units)
        guessed = kinds if kinds is not None else [kind_of(*pair) for pair in zip(labels, marks, strict=True)]
        channels = tuple(
            Channel(name=name, unit=plain_unit(unit), kind=kind, rate_hz=rate_hz, n_samples=n_samples)
            for name, unit, kind in zip(labels, marks, guessed, strict=True)
        )
        duration_s = None if rate_hz is None else Timeline(gaps=tuple(gaps)).stop_s(rate_hz, n_samples)
        info = RecordingInfo(
            format=format,
            start=start,
            duration_s=duration_s,
            channels=channels,
            annotations=tuple(annotations),
            gaps=tuple(gaps),
            warnings=tuple(warnings),
        )
        return cls(info, list(array))

    @property
    def info(self) -> RecordingInfo:
        return self._info

    def read(self, start: int, stop: int, channels: Sequence[int | str] | None = None) -> FloatArray:
        arrays = self._arrays  # another thread may close the recording meanwhile
        if arrays is None:
            raise ReadError("The recording is closed", hint="open it again")
        chosen, span = self._info.reading_span(start, stop, channels)
        result = np.empty((len(chosen), len(span)), dtype=np.float64)
        # Some NaNs, cast to float64, raise a flag that means nothing here.
        with np.errstate(invalid="ignore"):
            for row, index in enumerate(chosen):
                result[row] = arrays[index][span.start : span.stop]
        return result

    def close(self) -> None:
        self._arrays = None
