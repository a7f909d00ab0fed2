"""A montage of channels that begin, pause and end at different times: only samples of one moment meet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.compute.batch import filter_file
from jaxscope.compute.montaged import MontagedRecording, montaged_info
from jaxscope.data.annotations import Gap
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.errors import SpecError
from jaxscope.filters.montage import Montage
from jaxscope.filters.montage_file import WORDS
from jaxscope.readers.timing import Run, gaps_of

RATE = 8.0
DIFFERENCES = Montage(kind="formulas", rows=(("a-b", "a - b"), ("a-b/2-c/2", "a - (b + c)/2")), others="all")


def runs_of(present: np.ndarray, rate_hz: float, late_s: float = 0.0) -> list[Run]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], present, [False]]).astype(int)))
    return [
        Run(start_s=begin / rate_hz + late_s, n_samples=stop - begin) for begin, stop in edges.reshape(-1, 2).tolist()
    ]


def recording(grids: Sequence[np.ndarray], *, late_s: Sequence[float] = (), rate_hz: float = RATE) -> ArrayRecording:
    """Return channels a, b, c of which NaN was not recorded, some of them late."""
    late = [*late_s, 0.0, 0.0, 0.0]
    channels, arrays = [], []
    for name, grid, wait_s in zip("abc", grids, late, strict=False):
        present = np.isfinite(grid)
        arrays.append(grid[present])
        channels.append(
            Channel(
                name=name,
                unit="uV",
                kind="eeg",
                rate_hz=rate_hz,
                n_samples=len(arrays[-1]),
                gaps=gaps_of(runs_of(present, rate_hz, wait_s), rate_hz),
            )
        )
    info = RecordingInfo(format="array", duration_s=len(grids[0]) / rate_hz, channels=tuple(channels))
    return ArrayRecording(info, arrays)


def on_grid(made: MontagedRecording, number: int, n_grid: int) -> np.ndarray:
    """Return a channel at all moments, NaN where it pauses."""
    channel = made.info.channels[number]
    result = np.full(n_grid, np.nan)
    samples = np.arange(channel.n_samples)
    moments = np.rint(made.info.timeline_of(number).seconds_of(samples, RATE) * RATE).astype(int)
    result[moments] = made.read(0, channel.n_samples, [number])[0]
    return result


presence = st.lists(st.sampled_from([True, True, True, False]), min_size=40, max_size=40)


@settings(deadline=None)  # the first mixing imports scipy
@given(st.tuples(presence, presence, presence), st.integers(0, 39), st.integers(0, 40))
def test_what_is_made_of_channels_is_there_where_each_of_them_is(
    present: tuple[list[bool], ...], start: int, stop: int
) -> None:
    grid = np.arange(120.0).reshape(3, 40) ** 1.5
    grid[~np.array(present)] = np.nan
    a, b, c = grid
    if not np.isfinite(a + b + c).any():
        return
    made = MontagedRecording(recording(grid), DIFFERENCES)
    for number, expected in enumerate([a - b, a - (b + c) / 2, a, b, c]):
        np.testing.assert_allclose(on_grid(made, number, 40), expected, rtol=1e-12, err_msg=str(number))
        part = made.read(start, stop, [number])
        np.testing.assert_array_equal(part, made.read(0, 99, [number])[:, start : max(start, stop)])


@given(st.tuples(presence, presence, presence))
def test_the_average_is_of_those_that_are_there(present: tuple[list[bool], ...]) -> None:
    grid = np.sin(np.arange(120.0)).reshape(3, 40)
    grid[~np.array(present)] = np.nan
    if not np.isfinite(grid).any(axis=1).all():
        return
    made = MontagedRecording(recording(grid), WORDS["average"])
    with np.errstate(invalid="ignore"):
        mean = np.nansum(grid, axis=0) / np.isfinite(grid).sum(axis=0)
    for number, own in enumerate(grid):
        np.testing.assert_allclose(on_grid(made, number, 40), own - mean, atol=1e-12)


def test_what_ends_early_ends_what_is_made_of_it_and_that_is_told() -> None:
    grid = np.arange(60.0).reshape(3, 20)
    grid[1, 12:] = np.nan
    info = montaged_info(recording(grid).info, DIFFERENCES)
    assert [(one.n_samples, one.gaps) for one in info.channels[:2]] == [(12, None), (12, None)]
    assert info.warnings == ("a-b, a-b/2-c/2: made of channels that do not all last, or pause, alike",)


def test_channels_of_several_times_are_read_together_where_they_have_one_length() -> None:
    grid = np.arange(60.0).reshape(3, 20)
    grid[1, :4] = grid[2, 16:] = np.nan
    montage = Montage(kind="formulas", rows=(("x", "a - b"), ("y", "a - c")), others="none")
    made = MontagedRecording(recording(grid), montage)
    assert made.info.channels[0].gaps == (Gap(start_s=0.0, stop_s=0.5),)
    np.testing.assert_array_equal(made.read(0, 16), [grid[0, 4:] - grid[1, 4:], grid[0, :16] - grid[2, :16]])


@pytest.mark.parametrize(
    ("late_s", "present", "rate_hz", "message"),
    [
        ((0.0, 0.05), None, RATE, "a and b were not sampled at the same moments, but 0.4 of a sample apart"),
        ((), [slice(0, 9), slice(9, 20)], RATE, "a and b were never recorded at the same time"),
    ],
)
def test_channels_without_a_common_moment_are_refused(late_s, present, rate_hz, message) -> None:
    grid = np.zeros((3, 20))
    for row, kept in enumerate(present or []):
        lost = np.ones(20, dtype=bool)
        lost[kept] = False
        grid[row, lost] = np.nan
    with pytest.raises(SpecError) as caught:
        MontagedRecording(recording(grid, late_s=late_s, rate_hz=rate_hz), DIFFERENCES)
    assert caught.value.message == message


def test_lengths_without_a_rate_are_refused() -> None:
    channels = tuple(Channel(name=name, rate_hz=None, n_samples=n) for name, n in (("a", 5), ("b", 6), ("c", 5)))
    info = RecordingInfo(format="array", duration_s=None, channels=channels)
    with pytest.raises(SpecError, match="a and b differ in length"):
        montaged_info(info, DIFFERENCES)


def test_a_file_of_it_has_the_gaps(tmp_path) -> None:
    text = "".join(f"{k / 10},{k},{k * k}\n" for k in range(100) if not 40 <= k < 60)
    (tmp_path / "x.csv").write_text("time,a,b\n" + text)
    target = tmp_path / "y.csv"
    filter_file(str(tmp_path / "x.csv"), str(target), (), montage=Montage(kind="formulas", rows=(("d", "a - b"),)))
    rows = np.loadtxt(target, delimiter=",", skiprows=1)
    k = np.rint(rows[:, 0] * 10)
    assert len(k) == 80
    np.testing.assert_array_equal(rows[:, -1], k - k * k)
