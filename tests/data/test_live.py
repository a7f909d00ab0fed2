"""Running signals: the ring, a played recording by a clock that the test sets, a made source that loses and is late."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.data.annotations import Gap
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.data.live import Ring
from jaxscope.data.live_sources import FASTEST, FileSource


class Clock:
    """Seconds that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def played(rate_hz: float = 100.0, seconds: float = 10.0, gaps: tuple[Gap, ...] = (), **how: float):
    samples = np.arange(2 * int(rate_hz * seconds), dtype=np.float64).reshape(2, -1)
    recording = ArrayRecording.from_array(samples, rate_hz=rate_hz, gaps=gaps)
    clock = Clock()
    return recording, samples, clock, FileSource(recording, clock=clock, **how)


@pytest.mark.parametrize("size", [1, 3, 7, 64, 100])
def test_a_ring_holds_the_newest_samples_by_their_numbers(size):
    ring, values = Ring(2, 64), np.arange(1000.0)
    for at in range(0, 1000, size):
        ring.append(at, np.stack([values[at : at + size], -values[at : at + size]]))
        first, held = ring.read(0, 10**9)
        assert ring.stop_sample == min(1000, at + size)
        assert first == ring.first_sample == max(0, ring.stop_sample - 64)
        assert np.array_equal(held, [values[first : ring.stop_sample], -values[first : ring.stop_sample]])
    first, held = ring.read(950, 960)
    assert first == 950
    assert np.array_equal(held[0], values[950:960])


def test_a_ring_marks_what_was_skipped_and_begins_anew_where_too_much_was():
    ring = Ring(1, 16)
    ring.append(0, np.ones((1, 4)))
    ring.append(7, np.ones((1, 2)))
    _, held = ring.read(0, 100)
    assert np.array_equal(np.isnan(held[0]), [False] * 4 + [True] * 3 + [False] * 2)
    ring.append(1000, np.ones((1, 3)))
    assert (ring.first_sample, ring.stop_sample) == (1000, 1003)
    with pytest.raises(ValueError, match="is added after"):
        ring.append(5, np.ones((1, 1)))


def test_a_recording_plays_by_the_clock_and_at_its_speed():
    _, samples, clock, source = played(start_s=1.0)
    got = []
    for now, speed in ((0.5, 1.0), (1.0, 4.0), (1.5, 4.0)):
        clock.now = now
        got += [block.samples for block in source.poll()]
        source.set_speed(speed)
    assert source.position_s == pytest.approx(1.0 + 1.0 + 0.5 * 4.0)
    assert np.array_equal(np.concatenate(got, axis=1), samples[:, 100:400])
    source.set_speed(1e9)
    assert source.speed == FASTEST
    clock.now = 100.0
    tail = np.concatenate([block.samples for block in source.poll()], axis=1)
    assert source.has_ended
    assert np.array_equal(tail, samples[:, 400:])
    assert source.poll() == ()


def test_history_comes_at_once_and_a_gap_begins_a_segment():
    _, samples, clock, source = played(start_s=2.0, history_s=0.5, gaps=(Gap(start_s=3.0, stop_s=5.0),))
    first = source.poll()
    assert [block.first_sample for block in first] == [150]
    assert first[0].samples.shape[1] == 50
    clock.now = 3.5
    blocks = source.poll()
    assert [(block.first_sample, block.begins_segment) for block in blocks] == [(200, False), (300, True)]
    assert np.array_equal(blocks[1].samples, samples[:, 300:350])


def test_a_recording_that_is_due_too_much_waits_and_loses_nothing(monkeypatch):
    monkeypatch.setattr("jaxscope.data.live_sources.POLL_VALUES", 200)
    _, samples, clock, source = played()
    clock.now = 5.0
    parts, positions = [], []
    while not source.has_ended:
        parts += source.poll()
        positions.append(source.position_s)
        clock.now += 1.0
    assert positions[0] == pytest.approx(1.0)
    assert np.array_equal(np.concatenate([part.samples for part in parts], axis=1), samples)


def test_a_made_source_loses_and_is_late_as_told(synthetic_source):
    clock = Clock()
    source = synthetic_source.SyntheticSource(
        n_channels=2, rate_hz=100.0, clock=clock, lost={30: 5}, late_s=(0.0, 0.25), duration_s=2.0
    )
    clock.now = 0.5
    blocks = source.poll()
    assert [(block.first_sample, block.dropped) for block in blocks] == [(0, 0), (35, 5)]
    assert np.array_equal(blocks[1].samples, source.made(35, 50))
    clock.now = 1.0
    (late,) = source.poll()
    assert (late.first_sample, late.stop_sample, late.latency_s) == (50, 75, 0.25)
    clock.now = 9.0
    source.poll()
    assert source.has_ended
