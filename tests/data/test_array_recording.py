"""Recordings in memory, and what every recording shares."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.data.annotations import Gap
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.errors import ReadError, UsageError

SAMPLES = np.arange(12, dtype=np.int16).reshape(2, 6)


def test_info_follows_from_the_array() -> None:
    gap = Gap(start_s=1.0, stop_s=4.0)
    recording = ArrayRecording.from_array(
        SAMPLES, rate_hz=2.0, names=["Cz", "Cz"], units="\u00b5V", gaps=[gap], warnings=["made"]
    )
    assert [channel.name for channel in recording.info.channels] == ["Cz", "Cz #2"]
    assert {channel.unit for channel in recording.info.channels} == {"uV"}
    assert recording.info.duration_s == 6.0
    assert recording.info.gaps == (gap,)
    assert recording.info.warnings == ("made",)
    assert recording.info.index_of("Cz #2") == 1


def test_without_a_rate_there_is_no_duration() -> None:
    info = ArrayRecording.from_array(SAMPLES, rate_hz=None).info
    assert info.duration_s is None
    assert [channel.rate_hz for channel in info.channels] == [None, None]


@pytest.mark.parametrize(("start", "stop"), [(0, 6), (2, 4), (-3, 2), (5, 99), (7, 9), (4, 2)])
def test_reading_clips_to_what_is_stored(start: int, stop: int) -> None:
    recording = ArrayRecording.from_array(SAMPLES, rate_hz=2.0)
    found = recording.read(start, stop)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, SAMPLES[:, max(start, 0) : max(stop, 0)])


def test_channels_are_read_in_the_order_that_is_asked_for() -> None:
    recording = ArrayRecording.from_array(SAMPLES, rate_hz=2.0)
    np.testing.assert_array_equal(recording.read(0, 2, [1, 0, 1]), SAMPLES[[1, 0, 1], :2])
    assert recording.read(0, 2, []).shape == (0, 0)


def test_channels_of_two_rates_are_not_read_together() -> None:
    channels = (
        Channel(name="fast", rate_hz=4.0, n_samples=4),
        Channel(name="slow", rate_hz=1.0, n_samples=1),
    )
    info = RecordingInfo(format="array", duration_s=1.0, channels=channels)
    recording = ArrayRecording(info, [np.zeros(4), np.zeros(1)])
    with pytest.raises(ReadError, match="fast and slow differ"):
        recording.read(0, 1)
    with pytest.raises(ValueError, match="shapes"):
        ArrayRecording(info, [np.zeros(4), np.zeros(2)])


def test_a_closed_recording_is_not_read() -> None:
    with ArrayRecording.from_array(SAMPLES, rate_hz=2.0) as recording:
        assert recording.read(0, 1).shape == (2, 1)
    with pytest.raises(ReadError, match="closed"):
        recording.read(0, 1)


def test_channels_are_read_by_number_or_name() -> None:
    recording = ArrayRecording.from_array(np.arange(12.0).reshape(3, 4), rate_hz=1.0, names=["Fp1", "Cz", "Pz"])
    np.testing.assert_array_equal(recording.read(1, 3, ["Pz", 0]), [[9.0, 10.0], [1.0, 2.0]])
    np.testing.assert_array_equal(recording.read(0, 2, "Cz"), [[4.0, 5.0]])
    with pytest.raises(UsageError, match="no channel is called 'cz'") as told:
        recording.read(0, 2, ["cz"])
    assert told.value.hint == "there are Fp1, Cz, Pz"
    with pytest.raises(IndexError, match="no channel 3"):
        recording.read(0, 2, [3])
