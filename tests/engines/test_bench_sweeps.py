"""The sweeps of the benchmark: exact where they are timed, and honest about what they fit."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
import pytest
from scipy import signal

from jaxscope.compute.bench import SCENES, run_scenes, summary
from jaxscope.engines import bench_auto, bench_grid, bench_growth, bench_sparse

KEYS = {"name", "ours_ns_per_sample", "reference", "reference_ns_per_sample", "ratio", "max_abs_error"}


def assert_rows(rows: list[dict]) -> None:
    for row in rows:
        assert set(row) >= KEYS
        assert row["ratio"] == pytest.approx(row["reference_ns_per_sample"] / row["ours_ns_per_sample"])
        assert row["max_abs_error"] < (1e-4 if "float32" in row["name"] else 1e-9)
    assert len({row["name"] for row in rows}) == len(rows)


@pytest.mark.parametrize("seconds", [5.0, 45.0, 600.0])
def test_more_time_means_more_points(seconds: float) -> None:
    found = list(bench_grid.points(seconds))
    for sweep in bench_grid.SWEEPS:
        values = sorted({point.value for point in found if point.sweep == sweep})
        assert len(values) in {5.0: (3,), 45.0: (5, 6), 600.0: (8, 10, 11)}[seconds]
    assert max(point.n_channels for point in found) == 1024
    assert max(point.size for point in found if point.sweep == "sections") == 16
    if seconds == 600.0:
        samples = [point.n_samples for point in found if point.sweep == "samples"]
        assert (min(samples), max(samples)) == (1000, round(10**7.5))
    assert all(point.n_channels * point.n_samples <= 2 * bench_grid.MOST_SAMPLES for point in found)


def test_points_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_grid, "SWEEPS", {"sections": ((1, 2),) * 3, "taps": ((40,),) * 3})
    monkeypatch.setattr(bench_grid, "STEPS", ((0.0, 1 << 14),))
    rows = bench_grid.run(0.0)
    assert_rows(rows)
    assert [(row["sweep"], row["value"]) for row in rows[::2]] == [("sections", 1), ("sections", 2), ("taps", 40)]
    assert all(row["threads_ns_per_sample"] > 0 for row in rows)


def test_growth_tells_the_exponents_of_the_times_and_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def timed(function: partial[np.ndarray]) -> tuple[np.ndarray, float]:
        y = function()
        is_reference = function.func is signal.sosfilt
        return y, 1e-9 * y.size ** (1.25 if is_reference else 0.75)

    monkeypatch.setattr(bench_growth, "_quickest", timed)
    rows = bench_growth.run(0.0, powers=range(15, 18))
    assert_rows(rows)
    assert [row["n_total"] for row in rows] == [1 << 15, 1 << 16, 1 << 17]
    assert rows[0]["ours_ns_per_sample"] == pytest.approx((1 << 15) ** -0.25)
    assert rows[0]["ratio"] == pytest.approx((1 << 15) ** 0.5)
    assert rows[-1]["exponent"] == pytest.approx(0.75)
    assert rows[-1]["reference_exponent"] == pytest.approx(1.25)
    assert not any("exponent" in row for row in rows[:-1])
    assert rows[-1]["input_bytes"] == rows[-1]["output_bytes"] == 4 << 17
    assert bench_growth.fitted_exponent([10, 100, 1000], [2.0, 200.0, 20000.0]) == pytest.approx(2.0)


def test_the_quickest_of_several_runs_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    now, lengths_s = [0.0], iter([3.0, 0.5, 2.0])

    def work() -> str:
        now[0] += next(lengths_s)
        return "done"

    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    assert bench_growth._quickest(work, runs=3) == ("done", 0.5)


def test_sparse_tells_from_which_density_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_sparse, "MONTAGE", (32, 64))
    monkeypatch.setattr(bench_sparse, "ENTRIES", (1, 32))
    monkeypatch.setattr(bench_sparse, "FILTER", (2, 128, 32))
    monkeypatch.setattr(bench_sparse, "TAPS", (1, 4))
    rows = bench_sparse.run(0.0)
    assert_rows(rows)
    assert [row["density"] for row in rows] == [1 / 32, 1.0, 1 / 32, 4 / 32]
    assert set(summary(rows)["sparse_pays_below"]) == {"montage", "FIR"}


def test_where_both_take_as_long_lies_between_the_points() -> None:
    assert bench_sparse.break_even([0.01, 1.0], [10.0, 0.1]) == pytest.approx(0.1)
    assert bench_sparse.break_even([0.01, 1.0], [0.5, 0.1]) is None
    assert bench_sparse.break_even([0.01, 1.0], [5.0, 2.0]) == 1.0


def test_auto_is_compared_with_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_auto, "JOBS", (("sections", 1, 2, 100), ("taps by channel", 9, 2, 100)))
    rows = bench_auto.run(0.0)
    assert_rows(rows)
    assert all(row["slower_than_best"] >= 1.0 for row in rows)
    assert summary(rows)["auto_slower_than_best"] == max(row["slower_than_best"] for row in rows)


def test_time_is_dealt_out_over_the_scenes(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, float] = {}
    for name in SCENES:
        monkeypatch.setitem(SCENES._loaded, name, lambda seconds, name=name: given.setdefault(name, seconds) and [])
    shares: list[float] = []
    assert run_scenes("all", seconds=60.0, report=lambda share, name: shares.append(share)) == {"scenes": []}
    assert sum(given.values()) == pytest.approx(60.0)
    assert shares == sorted(shares)
    assert run_scenes("grid", seconds=7.0) == {"scenes": []}
