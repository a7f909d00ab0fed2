"""Numbers of tables that are too many for memory: the same as held, gone with their readers, told where no room is."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxscope.errors import ReadError
from jaxscope.readers import text_table_pieces, text_table_store
from jaxscope.readers.base import OpenOptions
from jaxscope.readers.text_table import FORMAT, TextScan
from jaxscope.readers.text_table_store import ColumnStore, RowRuns


def row_list(rows: list[int]) -> str:
    """Write row numbers for a sentence, neighbours joined, at most five."""
    first = [row for row in rows if row - 1 not in rows]
    runs = [(row, next(k for k in range(row, row + 99) if k + 1 not in rows)) for row in first]
    text = [f"{begin}–{end}" if end > begin else f"{begin}" for begin, end in runs]
    return ", ".join(text[:5]) + (f" and {len(text) - 5:,} more" if len(text) > 5 else "")


@given(st.lists(st.booleans(), max_size=40), st.lists(st.integers(0, 40), max_size=4))
def test_counted_rows_are_named_as_a_list_of_them_would_be(is_bad: list[bool], cuts: list[int]) -> None:
    rows = {row for row, bad in enumerate(is_bad, start=1) if bad}
    runs, ordered = RowRuns(), np.array(sorted(rows), dtype=np.int64)
    for part in np.split(ordered, sorted(np.searchsorted(ordered, cuts))):
        runs.add(part)
    assert (runs.n_rows, bool(runs)) == (len(rows), bool(rows))
    assert str(runs) == row_list(sorted(rows))


def test_many_rows_take_no_room() -> None:
    runs = RowRuns()
    for begin in range(0, 10**6, 1000):
        runs.add(np.arange(begin, begin + 1000, 2))
    assert len(runs.first) == 5
    assert str(runs).endswith("and 499,995 more")


def make(path: Path, n_rows: int = 3000) -> np.ndarray:
    values = np.random.default_rng(1).normal(size=(3, n_rows)).round(6)
    lines = [f"{k / 100:.2f},{a!r},{b!r},,{c!r}" for k, (a, b, c) in enumerate(values.T.tolist())]
    lines[100] = "1.00,oops,,,"
    path.write_text("time,a,b,none,c\n" + "\n".join(lines) + "\n")
    values[:, 100] = np.nan
    return values


@pytest.fixture
def small_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Pieces of 1000 bytes, 5000 bytes in memory, and a folder for the rest."""
    monkeypatch.setattr(text_table_pieces, "PIECE_BYTES", 1000)
    monkeypatch.setattr(text_table_store, "HELD_BYTES", 5000)
    folder = tmp_path / "cache" / "tables"
    monkeypatch.setattr(text_table_store, "cache_folder", lambda: folder)
    return folder


def test_spilled_numbers_are_those_of_the_text(tmp_path: Path, small_store: Path) -> None:
    expected = make(tmp_path / "x.csv")
    with FORMAT.open(tmp_path / "x.csv", OpenOptions()) as recording:
        assert small_store.is_dir()
        assert [(c.name, c.rate_hz, c.n_samples) for c in recording.info.channels] == [(n, 100, 3000) for n in "abc"]
        np.testing.assert_array_equal(recording.read(0, 3000), expected)
        for start, stop in ((0, 1), (99, 102), (1234, 1777), (2999, 3000)):
            np.testing.assert_array_equal(recording.read(start, stop, [2, 0, 2]), expected[[2, 0, 2], start:stop])


def test_no_more_numbers_than_allowed_are_held(small_store: Path) -> None:
    store, largest = ColumnStore("x.csv"), 0
    for _ in range(50):
        store.add([np.arange(20.0), np.full(20, np.nan)])
        held = sum(array.nbytes for piece in store._pieces for array in piece.values)
        largest = max(largest, held)
    source, let_go = store.source([0, 1])
    assert largest <= 5000
    found = source.read(text_table_store.Span(15, 45), [0, 1])
    np.testing.assert_array_equal(found[0], [*range(15, 20), *range(20), *range(5)])
    assert np.isnan(found[1]).all()
    let_go()
    store.close()


@pytest.mark.skipif(sys.platform != "linux", reason="open files are listed under /proc")
def test_the_file_has_no_name_and_goes_with_its_last_reader(tmp_path: Path, small_store: Path) -> None:
    def n_open() -> int:
        links = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
        return sum(str(small_store) in os.readlink(link) for link in links if os.path.lexists(link))

    make(tmp_path / "x.csv")
    scan = TextScan(tmp_path / "x.csv", OpenOptions())
    for _ in range(40):
        scan.step()
    first = scan.recording()
    while scan.step():
        pass
    whole = scan.recording()
    assert (n_open(), list(small_store.iterdir())) == (1, [])
    early = first.read(0, 50)
    scan.close()
    first.close()
    assert n_open() == 1
    np.testing.assert_array_equal(whole.read(0, 50), early)
    whole.close()
    gc.collect()
    assert n_open() == 0


def test_a_cache_folder_without_room_is_told(
    tmp_path: Path, small_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "x.csv")
    monkeypatch.setattr(text_table_store, "cache_folder", lambda: Path("/dev/full/tables"))
    with pytest.raises(ReadError, match=r"The numbers of x\.csv find no room in") as caught:
        FORMAT.open(tmp_path / "x.csv", OpenOptions())
    assert "Parquet" in caught.value.hint
