"""Filtered tiles: what is made again, what is kept, and that a tile is the same either way."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.compute import tiles
from jaxscope.compute.library import WindowCache
from jaxscope.compute.tiles import TileMemory, TileRun
from jaxscope.data.array_recording import ArrayRecording

LENGTH = 10


@pytest.fixture
def samples():
    return np.random.default_rng(0).standard_normal((2, 200))


class Counting:
    """Running sums with a leak, and a record of which tiles were worked out."""

    def __init__(self, x):
        self.x, self.made = x, []

    def run(self, memory, first, context=20):
        def read(start):
            self.made.append(start)
            return self.x[:, start : start + LENGTH]

        return TileRun(
            memory, first=first, is_true_start=first == 0, context=context, length=LENGTH, read=read, step=self.step,
            begin=lambda: [np.zeros(2)],
        )  # fmt: skip

    @staticmethod
    def step(x, states):
        y, state = np.empty_like(x), states[0]
        for column in range(x.shape[1]):
            state = 0.01 * state + x[:, column]
            y[:, column] = state
        return y, [state]


def shown(run, *starts):
    found = []
    for start in starts:
        for before in run.starts_for(start)[:-1]:
            run.tile(before)
        found.append(run.tile(start))
    return np.concatenate(found, axis=1)


def test_panning_works_out_only_what_comes_into_sight(samples):
    work, memory = Counting(samples), TileMemory()
    first = shown(work.run(memory, 0), 100, 110)
    assert work.made == list(range(0, 120, 10))
    work.made.clear()
    later = shown(work.run(memory, 10), 110, 120)
    assert work.made == [120]
    np.testing.assert_array_equal(later[:, :10], first[:, 10:])
    assert np.array_equal(later, shown(Counting(samples).run(TileMemory(), 0), 110, 120))


def test_a_tile_within_the_context_of_its_run_is_not_kept(samples):
    work, memory = Counting(samples), TileMemory()
    shown(work.run(memory, 50), 60, 70, 80)
    assert list(memory.tiles) == [70, 80]
    work.made.clear()
    shown(work.run(memory, 30), 60)
    assert work.made == [30, 40, 50, 60]


def test_nothing_of_other_coefficients_is_kept(samples):
    cache = WindowCache(ArrayRecording.from_array(samples, rate_hz=100.0))
    given_up = Counting(samples).run(cache.filtered((0, 1), "a"), 0)
    shown(given_up, 30)
    assert list(cache.filtered((0, 1), "a").tiles) == [0, 10, 20, 30]
    memory = cache.filtered((0, 1), "b")
    shown(given_up, 40, 50)  # on a thread that nobody waits for any more
    assert not memory.tiles
    assert cache.filtered((0, 1), "b") is memory


def test_memory_is_bounded(samples, monkeypatch):
    monkeypatch.setattr(tiles, "MOST_VALUES", 3 * 2 * LENGTH)
    memory = TileMemory()
    shown(Counting(samples).run(memory, 0), *range(0, 200, 10))
    assert list(memory.tiles) == [170, 180, 190]
