"""Times that come piece by piece: the same rate and gaps as all of them at once, or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxscope.readers import open_first_part, open_recording, parquet, scans
from jaxscope.readers.steady_times import SteadyTimes, TimeJudge
from jaxscope.readers.text_table_time import steps_of
from jaxscope.readers.time_steps import Timing, find_timing, median_step

pl = pytest.importorskip("polars")


def steady(seconds: np.ndarray, n_piece: int, resolution_s: float = 1e-3) -> SteadyTimes:
    times = SteadyTimes(resolution_s)
    for begin in range(0, len(seconds), n_piece):
        times.add(seconds[begin : begin + n_piece])
    return times


def whole(seconds: np.ndarray, resolution_s: float = 1e-3) -> Timing:
    return find_timing(steps_of(seconds), lambda: [seconds], resolution_s)


@given(
    n_piece=st.integers(1, 400),
    n_steps=st.integers(1, 600),
    step=st.sampled_from([0.001, 0.004, 1 / 256, 0.0085479, 1.0]),
    jumps=st.lists(st.integers(1, 600), max_size=4),
)
def test_even_times_give_the_rate_and_gaps_of_all_of_them(
    n_piece: int, n_steps: int, step: float, jumps: list[int]
) -> None:
    steps = np.full(n_steps, step)
    steps[[k for k in jumps if k < n_steps]] = 7.5
    seconds = np.concatenate([[0.0], np.cumsum(steps)]).round(9)
    found, expected = steady(seconds, n_piece).timing(), whole(seconds)
    if found is not None:  # otherwise the whole column is looked at
        assert found.rate_hz == pytest.approx(expected.rate_hz, rel=1e-12)
        assert found.warnings == expected.warnings == ()
        np.testing.assert_allclose(
            [(gap.start_s, gap.stop_s) for gap in found.gaps], [(gap.start_s, gap.stop_s) for gap in expected.gaps]
        )
    if not jumps:
        assert found is not None


@pytest.mark.parametrize(
    "bad", [np.array([0.0, 1, 2, 2, 3]), np.array([0.0, 1, 3, 2, 4]), np.array([0, 1, np.nan, 3, 4.0]), np.zeros(5)]
)
@pytest.mark.parametrize("n_piece", [1, 2, 5])
def test_uneven_times_give_nothing(bad: np.ndarray, n_piece: int) -> None:
    assert steady(bad, n_piece).timing() is None


@given(
    n_piece=st.integers(1, 60),
    steps=st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.500001, 1e-9, 7.0, -0.25, np.nan]), min_size=1, max_size=200),
)
def test_uneven_times_in_pieces_give_what_all_of_them_give(n_piece: int, steps: list[float]) -> None:
    known = np.cumsum(np.nan_to_num(steps))
    seconds = np.where(np.isnan(steps), np.nan, known)
    judge = TimeJudge(1e-3)
    pieces = [seconds[begin : begin + n_piece] for begin in range(0, len(seconds), n_piece)]
    for piece in pieces:
        judge.add(piece)
    found, expected = judge.timing(lambda: pieces), whole(seconds)
    assert found.warnings == expected.warnings
    assert found.gaps == expected.gaps
    assert found.rate_hz == (None if expected.rate_hz is None else pytest.approx(expected.rate_hz, rel=1e-12))


@given(st.lists(st.floats(1e-300, 1e300), min_size=1, max_size=50), st.integers(1, 7))
def test_the_median_of_steps_is_exact_whatever_the_pieces(steps: list[float], n_piece: int) -> None:
    seconds = np.array([value for step in steps for value in (0.0, step)])
    pieces = [seconds[begin : begin + n_piece] for begin in range(0, len(seconds), n_piece)]
    forward = np.diff(seconds)[np.diff(seconds) > 0]
    assert median_step(lambda: pieces, len(forward)) == np.median(forward)


@pytest.mark.parametrize("seconds", [[5.0, 4, 3], [1.0, 1, 1], [np.nan] * 3, [2.0], [-1e308, 0, 1e308]])
def test_times_that_give_no_rate_say_so(seconds: list[float]) -> None:
    with np.errstate(over="ignore"):
        timing = whole(np.array(seconds))
    assert timing.rate_hz is None
    assert timing.warnings == ("The time column does not advance: no rate follows from it",)


def test_one_time_gives_nothing() -> None:
    assert steady(np.array([3.0]), 1).timing() is None


@pytest.mark.parametrize("times", ["even", "gap", "back", "stamps"])
@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_a_table_is_the_same_whether_its_first_part_was_shown(
    suffix: str, times: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_rows = 5000
    seconds = np.arange(n_rows) / 250
    values = np.random.default_rng(2).normal(size=n_rows)
    if times == "gap":
        seconds[3000:] += 12.5
    elif times == "back":
        seconds[4000] = 3.0
    table = pl.DataFrame({"time": seconds, "a [uV]": values})
    if times == "stamps":
        table = table.with_columns((pl.col("time") * 1e6).round().cast(pl.Int64).cast(pl.Datetime("us")))
    path = tmp_path / f"x{suffix}"
    if suffix == ".parquet":
        table.write_parquet(path, row_group_size=700)
    else:
        table.write_ipc(path, record_batch_size=700)
    with open_recording(path) as recording:
        at_once, samples = recording.info, recording.read(0, n_rows)
    monkeypatch.setattr(parquet, "PIECE_ROWS", 500)
    for name, value in (("FIRST_BYTES", 1), ("WHOLE_UP_TO_BYTES", 1), ("PATIENCE_S", 0.0)):
        monkeypatch.setattr(scans, name, value)
    first = open_first_part(path)
    assert first.indexing is not None
    assert first.recording.info.channels[0].n_samples == 500
    assert first.recording.info.channels[0].rate_hz == 250
    np.testing.assert_array_equal(first.recording.read(0, 9999), samples[:, :500])
    indexing, ended = first.indexing, []

    def steps() -> Iterator[float]:
        ended.append((yield from indexing))

    assert all(0 <= share <= 1 for share in steps())
    assert ended[0].info == at_once
    np.testing.assert_array_equal(ended[0].read(0, n_rows), samples)
    assert bool(at_once.gaps) is (times == "gap")
    assert bool(at_once.warnings) is (times == "back")
