"""Time columns of tables of text: numbers in any unit, stamps, clock times, and what is no time."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from jaxscope.data.annotations import Gap
from jaxscope.data.recording import Recording
from jaxscope.readers.base import OpenOptions
from jaxscope.readers.text_table import FORMAT
from jaxscope.readers.text_table_time import find_stamps


def read(path: Path, rate_hz: float | None = None) -> Recording:
    return FORMAT.open(path, OpenOptions(rate_hz=rate_hz))


def make(tmp_path: Path, text: str, encoding: str = "utf-8") -> Recording:
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode(encoding))
    return read(path)


@pytest.mark.parametrize(
    ("name", "first", "step", "rate_hz", "start"),
    [
        ("time", 0.0, 0.004, 250.0, None),
        ("Time (s)", 12.0, 0.004, 250.0, None),
        ("t [ms]", 0, 4, 250.0, None),
        ("time_us", 0, 4000, 250.0, None),
        ("timestamp", 1486559106139796569, 4_000_000, 250.0, datetime(2017, 2, 8, 13, 5, 6, 139796, UTC)),
        ("timestamp", 1486559106139, 4, 250.0, datetime(2017, 2, 8, 13, 5, 6, 139000, UTC)),
        ("epoch", 1486559106.5, 0.5, 2.0, datetime(2017, 2, 8, 13, 5, 6, 500000, UTC)),
        ("Time", 0, 4, 250.0, None),
    ],
)
def test_numeric_times(
    name: str, first: float, step: float, rate_hz: float, start: datetime | None, tmp_path: Path
) -> None:
    rows = "".join(f"{first + step * index!r},{index % 7}\n" for index in range(100))
    info = make(tmp_path, f"{name},a\n{rows}").info
    assert [channel.name for channel in info.channels] == ["a"]
    assert info.channels[0].rate_hz == rate_hz
    assert info.start == start
    assert info.duration_s == pytest.approx(100 / rate_hz)


def test_a_rounded_time_column_gives_the_round_rate(tmp_path: Path) -> None:
    rows = "".join(f"{index / 128:.3f},1\n" for index in range(1000))
    info = make(tmp_path, "time,a\n" + rows).info
    assert info.channels[0].rate_hz == 128.0
    assert info.warnings == ()


@pytest.mark.parametrize(
    ("stamp", "start"),
    [
        ("2024-02-28 23:59:59{}", datetime(2024, 2, 28, 23, 59, 59)),
        ("2024-02-28T23:59:59{}Z", datetime(2024, 2, 28, 23, 59, 59, tzinfo=UTC)),
        ("2024-02-29T00:59:59{}+01:00", datetime(2024, 2, 28, 23, 59, 59, tzinfo=UTC)),
        ("2024/02/28 23:59:59{}", datetime(2024, 2, 28, 23, 59, 59)),
        ("28.02.2024 23:59:59{}", datetime(2024, 2, 28, 23, 59, 59)),
        ("2/28/2024 11:59:59{} PM", datetime(2024, 2, 28, 23, 59, 59)),
    ],
)
def test_stamps_whose_whole_seconds_lack_the_fraction(stamp: str, start: datetime, tmp_path: Path) -> None:
    fractions = ["", ".25", ".50", ".75"]
    rows = "".join(f"{stamp.format(fraction)},1\n" for fraction in fractions)
    info = make(tmp_path, "when,a\n" + rows).info
    assert info.start == start
    assert info.channels[0].rate_hz == 4.0


def test_clock_times_pass_midnight(tmp_path: Path) -> None:
    rows = "23:59:58,1\n23:59:59,2\n00:00:00,3\n00:00:01,4\n"
    info = make(tmp_path, "Time,a\n" + rows).info
    assert info.channels[0].rate_hz == 1.0
    assert info.start is None


def test_dates_that_may_be_read_two_ways_are_told(tmp_path: Path) -> None:
    rows = "".join(f"3/4/2024 10:00:0{second},1\n" for second in range(5))
    info = make(tmp_path, "date,a\n" + rows).info
    assert info.start == datetime(2024, 3, 4, 10)
    assert info.warnings == ("Dates are read month first",)


def test_c098_only_the_time_column_is_read_as_time(tmp_path: Path) -> None:
    rows = "".join(f"{index / 10},17:03:22,{index}\n" for index in range(50))
    info = make(tmp_path, "time,code,a\n" + rows).info
    assert [channel.name for channel in info.channels] == ["a"]
    assert info.warnings == ("Columns with text are left out: code",)


def test_holes_in_even_times_are_gaps(tmp_path: Path) -> None:
    times = [index / 100 for index in range(300) if not 100 <= index < 150]
    info = make(tmp_path, "time_s,a\n" + "".join(f"{time},1\n" for time in times)).info
    assert info.channels[0].rate_hz == 100.0
    (gap,) = info.gaps
    assert (gap.start_s, gap.stop_s) == (pytest.approx(1.0), pytest.approx(1.5))
    assert info.duration_s == pytest.approx(3.0)
    assert isinstance(gap, Gap)


def test_a_headerless_first_column_of_even_fractions_is_time(tmp_path: Path) -> None:
    info = make(tmp_path, "".join(f"{index / 50:.2f} {index * index}\n" for index in range(40))).info
    assert [channel.rate_hz for channel in info.channels] == [50.0]
    counted = make(tmp_path, "".join(f"{index},{index * index}\n" for index in range(40))).info
    assert [channel.rate_hz for channel in counted.channels] == [None, None]


@pytest.mark.parametrize(("bad", "there_ns"), [("oops", np.nan), (None, np.nan), ("1700000000000000300.5", 300.0)])
def test_nanoseconds_since_1970_are_exact_beside_a_cell_that_is_no_whole_number(bad: str | None, there_ns) -> None:
    cells = [str(1_700_000_000_000_000_001 + 100 * number) for number in range(40)]
    cells[3] = bad
    column = pl.Series(cells, dtype=pl.String)
    found = find_stamps([column], ["time"], ["ns"], ".")
    later = [str(1_700_000_000_000_004_001), bad, str(1_700_000_000_000_004_107)]
    seconds = np.concatenate([found.seconds, found.cells.seconds([pl.Series(later, dtype=pl.String)])])
    expected = [100.0 * number for number in range(41)] + [np.nan, 4106.0]
    expected[3] = expected[41] = there_ns
    exact = [number for number in range(43) if number not in (3, 41)]
    assert np.allclose(seconds[exact] * 1e9, np.array(expected)[exact], rtol=1e-12, atol=0)
    # a fraction of a nanosecond since 1970 does not fit a float
    assert np.allclose(seconds[[3, 41]] * 1e9, there_ns, rtol=0, atol=256.0, equal_nan=True)
