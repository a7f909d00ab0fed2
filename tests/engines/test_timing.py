"""Contenders take turns, within the time they are given; a scene with little time measures less and says so."""

from __future__ import annotations

import time

import pytest

from jaxscope.engines import bench_scenes, seed_scene
from jaxscope.engines.timing import medians


@pytest.mark.parametrize(
    ("budget_s", "warm_s", "rounds"), [(1000.0, 0.0, 15), (10.0, 0.0, 6), (6.0, 3.0, 3), (1.0, 9.0, 1)]
)
def test_the_first_call_is_part_of_the_budget(
    budget_s: float, warm_s: float, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    calls = [0, 0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def contender(which: int) -> None:
        calls[which] += 1
        now[0] += warm_s if calls[which] == 1 else 1.0

    times = medians({"a": lambda: contender(0), "b": lambda: contender(1)}, budget_s=budget_s)
    assert times == {"a": 1.0, "b": 1.0}
    assert calls == [rounds + 1, rounds + 1]


def test_a_short_time_loops_over_fewer_columns_and_says_so() -> None:
    rows = seed_scene.run(0.0, shape=(192, 40))
    assert rows[0]["name"] == "seed: loop, 20 taps, 32 of 40 columns"
    assert 1e-5 < rows[0]["max_abs_error"] < 2.3e-4
    assert rows[0]["ratio"] == pytest.approx(rows[0]["reference_ns_per_sample"] / rows[0]["ours_ns_per_sample"])


def test_a_long_time_measures_more() -> None:
    assert bench_scenes._length(None, 1.0) < bench_scenes._length(None, 60.0)
    assert bench_scenes._length(100, 60.0) == 100
