"""The numbers of ``info``, against numpy on the whole arrays."""

from __future__ import annotations

import json
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from jaxscope.compute import summary
from jaxscope.compute.summary import Statistics, summarise
from jaxscope.data.annotations import Annotation, Gap
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.data.recording import Channel, FloatArray, RecordingInfo

VALUES = st.one_of(st.floats(-1e6, 1e6), st.just(float("nan")))


@given(hnp.arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(0, 40)), elements=VALUES), st.integers(1, 9))
def test_blocks_give_the_statistics_of_the_whole(samples: FloatArray, size: int) -> None:
    statistics = Statistics(len(samples))
    for start in range(0, samples.shape[1], size):
        statistics.add(samples[:, start : start + size])
    for row, channel in enumerate(samples):
        known = channel[~np.isnan(channel)]
        assert statistics.n_nan[row] == len(channel) - len(known)
        if len(known):
            assert statistics.low[row] == known.min()
            assert statistics.high[row] == known.max()
            assert statistics.mean[row] == pytest.approx(known.mean(), rel=1e-9, abs=1e-6)
        else:
            assert np.isnan(statistics.mean[row])


def test_a_large_offset_costs_the_mean_no_digits() -> None:
    swing = np.tile([1e-4, -1e-4, 3e-4, 1e-4], 50_000)
    statistics = Statistics(1)
    for part in np.split(1e8 + swing, 40):
        statistics.add(part[np.newaxis])
    assert statistics.mean[0] - 1e8 == pytest.approx(np.mean((1e8 + swing) - 1e8), abs=2e-8)


def test_summary_is_strict_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "BLOCK_VALUES", 3)
    samples = np.array([[np.nan, 1.0, 2.0, 3.0, 10.0], [np.inf, 0.0, -np.inf, 1.0, 2.0], [np.nan] * 5])
    recording = ArrayRecording.from_array(
        samples,
        rate_hz=2.0,
        names=["a", "b", "c"],
        units="uV",
        start=datetime(2021, 3, 2, 4, 5, 6),
        annotations=[Annotation(onset_s=1.0, text="x")],
        gaps=[Gap(start_s=1.0, stop_s=2.0)],
        warnings=["w"],
    )
    found = summarise(recording)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["start"] == "2021-03-02T04:05:06"
    assert found["duration_s"] == 3.5
    assert found["annotations"] == [{"onset_s": 1.0, "duration_s": None, "text": "x"}]
    assert found["gaps"] == [{"start_s": 1.0, "stop_s": 2.0}]
    assert found["warnings"] == ["w"]
    assert found["channels"] == [
        {
            "name": "a",
            "unit": "uV",
            "kind": "misc",
            "rate_hz": 2.0,
            "n_samples": 5,
            "first": [None, 1.0, 2.0, 3.0],
            "min": 1.0,
            "max": 10.0,
            "mean": 4.0,
            "n_nan": 1,
        },
        {
            "name": "b",
            "unit": "uV",
            "kind": "misc",
            "rate_hz": 2.0,
            "n_samples": 5,
            "first": [None, 0.0, None, 1.0],
            "min": None,
            "max": None,
            "mean": None,
            "n_nan": 0,
        },
        {
            "name": "c",
            "unit": "uV",
            "kind": "misc",
            "rate_hz": 2.0,
            "n_samples": 5,
            "first": [None] * 4,
            "min": None,
            "max": None,
            "mean": None,
            "n_nan": 5,
        },
    ]


class Watched(ArrayRecording):
    """Counts the most samples that one call reads."""

    most = 0

    def read(self, start: int, stop: int, channels: object = None) -> FloatArray:
        found = super().read(start, stop, channels)  # type: ignore[arg-type]
        self.most = max(self.most, found.size)
        return found


def test_memory_is_bounded_and_quick_reads_only_the_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "BLOCK_VALUES", 100)
    recording = Watched.from_array(np.arange(6000.0).reshape(2, 3000), rate_hz=10.0)
    assert isinstance(recording, Watched)
    found = summarise(recording)
    assert recording.most == 100
    assert [channel["mean"] for channel in found["channels"]] == [1499.5, 4499.5]
    recording.most = 0
    quick = summarise(recording, quick=True)
    assert recording.most == 8
    for channel in quick["channels"]:
        assert [channel[key] for key in ("min", "max", "mean", "n_nan")] == [None] * 4
        assert len(channel["first"]) == 4


def test_channels_of_unequal_length_keep_their_order() -> None:
    channels = tuple(Channel(name=str(n), rate_hz=None, n_samples=n) for n in (2, 5, 2))
    info = RecordingInfo(format="array", duration_s=None, channels=channels)
    found = summarise(ArrayRecording(info, [np.full(channel.n_samples, 1.0) for channel in channels]))
    assert [channel["name"] for channel in found["channels"]] == ["2", "5", "2"]
    assert [len(channel["first"]) for channel in found["channels"]] == [2, 4, 2]
    assert found["duration_s"] is None
