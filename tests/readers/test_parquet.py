"""Parquet and Arrow tables, made with polars."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from jaxscope.errors import ReadError
from jaxscope.readers import open_recording

N = 3000
A = np.random.default_rng(2).standard_normal(N)
B = np.arange(N, dtype=np.int16)


def write(path: Path, **columns: Any) -> Path:
    frame = pl.DataFrame(columns)
    if path.suffix == ".parquet":
        frame.write_parquet(path, row_group_size=500)
    else:
        frame.write_ipc(path)
    return path


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.feather"])
def test_columns_are_channels_and_time_gives_the_rate(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, **{"time_s": np.arange(N) / 250, "Fz [µV]": A, "level": B, "label": ["x"] * N})
    with open_recording(path) as recording:
        info = recording.info
        rows = [(c.name, c.unit, c.kind, c.rate_hz, c.n_samples) for c in info.channels]
        assert rows == [("Fz", "uV", "eeg", 250, N), ("level", "", "misc", 250, N)]
        assert info.duration_s == 12
        assert info.warnings == ("Columns that hold no numbers are left out: label",)
        np.testing.assert_array_equal(recording.read(490, 1310), [A[490:1310], B[490:1310]])
        np.testing.assert_array_equal(recording.read(5, 9, [1, 0, 1]), [B[5:9], A[5:9], B[5:9]])


def test_stamps_give_start_rate_and_gaps(tmp_path: Path) -> None:
    start = datetime(2024, 5, 6, 7, 8, 9, 250000, tzinfo=UTC)
    times = [start + timedelta(milliseconds=4 * k + (2000 if k >= 1000 else 0)) for k in range(N)]
    with open_recording(write(tmp_path / "x.parquet", when=times, a=A)) as recording:
        assert recording.info.start == start
        assert recording.info.channels[0].rate_hz == 250
        (gap,) = recording.info.gaps
        assert (gap.start_s, gap.stop_s) == (pytest.approx(4.0), pytest.approx(6.0))


def test_nanoseconds_since_1970_are_not_rounded(tmp_path: Path) -> None:
    stamps = 1_700_000_000_123_456_789 + np.arange(N, dtype=np.int64) * 1_000_000
    with open_recording(write(tmp_path / "x.parquet", timestamp=stamps, a=A)) as recording:
        assert recording.info.channels[0].rate_hz == pytest.approx(1000, rel=1e-9)
        assert recording.info.gaps == ()
        assert recording.info.start == datetime(2023, 11, 14, 22, 13, 20, 123456, tzinfo=UTC)


def test_names_that_differ_by_their_unit_alone_stay_apart(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", **{"Fz [uV]": [1.0, 2.0], "Fz (mV)": [3.0, 4.0]})
    with open_recording(path) as recording:
        assert [(c.name, c.unit) for c in recording.info.channels] == [("Fz", "uV"), ("Fz #2", "mV")]


def test_missing_values_are_missing(tmp_path: Path) -> None:
    values = pl.Series([None if k % 3 == 0 else k for k in range(N)], dtype=pl.Int64)
    with open_recording(write(tmp_path / "x.parquet", a=values, b=[True, False] * (N // 2))) as recording:
        block = recording.read(0, 4)
        np.testing.assert_array_equal(block, [[np.nan, 1, 2, np.nan], [1, 0, 1, 0]])
        assert recording.info.channels[0].rate_hz is None
        assert "tells no sampling rate" in recording.info.warnings[-1]


def test_a_table_without_numbers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="no column of numbers"):
        open_recording(write(tmp_path / "x.parquet", a=["x"] * 9))


@pytest.mark.parametrize("keep", [-9, -1, 100, 20])
def test_a_cut_table_is_refused_in_one_sentence(keep: int, tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", a=A)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ReadError, match=r"x\.parquet stops before its end") as caught:
        open_recording(path)
    assert "\n" not in caught.value.sentence()


def test_columns_that_lie_outside_of_the_file_are_refused_without_noise(tmp_path: Path, capfd) -> None:
    path = write(tmp_path / "x.parquet", a=A, b=B)
    content = path.read_bytes()
    length = int.from_bytes(content[-8:-4], "little")
    # All but the footer is gone, so each place in it leads past the end of the data.
    path.write_bytes(b"PAR1" + content[-8 - length :])
    with pytest.raises(ReadError, match=r"footer of x\.parquet makes no sense"):
        open_recording(path)
    assert capfd.readouterr() == ("", "")


def test_a_stream_of_arrow_says_what_it_is(tmp_path: Path) -> None:
    pl.DataFrame({"a": A}).write_ipc_stream(tmp_path / "x.arrow")
    with pytest.raises(ReadError, match="stream of Arrow"):
        open_recording(tmp_path / "x.arrow")


@pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="only Linux tells the most memory since a moment"
)
def test_times_are_gone_through_in_little_memory(tmp_path: Path) -> None:
    pl.DataFrame({"time_s": np.arange(4 << 20) / 100, "a": np.zeros(4 << 20)}).write_parquet(tmp_path / "long.parquet")
    write(tmp_path / "short.parquet", time_s=np.arange(N) / 250, a=A)
    code = """
import sys
from pathlib import Path
from jaxscope.readers import open_recording

def told(key):
    return next(int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if key in line)

open_recording(sys.argv[1]).close()
Path("/proc/self/clear_refs").write_text("5")
before = told("VmRSS")
with open_recording(sys.argv[2]) as recording:
    assert recording.info.channels[0].rate_hz == 100
print((told("VmHWM") - before) // 1024)
"""
    files = [str(tmp_path / name) for name in ("short.parquet", "long.parquet")]
    environment = {**os.environ, "POLARS_MAX_THREADS": "2"}  # each takes some
    done = subprocess.run(
        [sys.executable, "-c", code, *files], capture_output=True, text=True, check=True, env=environment
    )
    assert int(done.stdout) < 64
