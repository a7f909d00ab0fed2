"""Recordings whose channels come from several places give what their sources give, and copy it only where they must."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from jaxscope import arena
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.data.span import Span
from jaxscope.readers.sources import Place, SourcedRecording

N_SAMPLES = arena.LEAST_BYTES // 8


@dataclass
class Given:
    """A source that gives one array, whatever is asked for."""

    samples: npt.NDArray[np.float64]

    def read(self, span: Span, rows: Sequence[int]) -> npt.NDArray[np.float64]:
        return self.samples


def read_all(source: Given) -> npt.NDArray[np.float64]:
    channels = tuple(
        Channel(name=f"ch{row}", unit="uV", kind="eeg", rate_hz=100.0, n_samples=N_SAMPLES)
        for row in range(len(source.samples))
    )
    info = RecordingInfo(format="given", duration_s=N_SAMPLES / 100, channels=channels)
    recording = SourcedRecording(info, [Place(source=source, row=row) for row in range(len(channels))], lambda: None)
    return recording.read(0, N_SAMPLES)


@pytest.mark.parametrize("make", [arena.empty, np.empty])
def test_an_array_of_its_own_is_given_on_as_it_is(make: Callable[..., npt.NDArray[np.float64]]) -> None:
    samples = make((2, N_SAMPLES), np.float64)
    samples[...] = 7.0
    assert read_all(Given(samples)) is samples


@pytest.mark.parametrize("make", [arena.empty, np.empty])
def test_a_view_of_an_array_is_copied(make: Callable[..., npt.NDArray[np.float64]]) -> None:
    samples = make((3, N_SAMPLES), np.float64)
    samples[...] = 7.0
    given = read_all(Given(samples[1:]))
    given[...] = 8.0
    assert (samples == 7.0).all()
