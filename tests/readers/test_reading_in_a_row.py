"""Reading in a row: parts are made side by side, what comes next is told, and samples are turned without a loss."""

from __future__ import annotations

import itertools
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.data.span import Span
from jaxscope.errors import ReadError
from jaxscope.readers import byte_file, read_ahead, tiles
from jaxscope.readers.byte_file import ByteFile, SampleTable
from jaxscope.readers.inflated import InflatedBytes
from jaxscope.readers.read_ahead import ReadAhead
from jaxscope.readers.tiles import each_part as fetch_and_make
from jaxscope.readers.tiles import near_columns, turn, turn24
from jaxscope.side_by_side import side_by_side

RNG = np.random.default_rng(8)
STEP = 100


def each_part(parts: list[Any], n_values: int, work: Callable[[Any], object]) -> None:
    """Work on parts of which nothing has to be fetched."""
    fetch_and_make(parts, n_values, lambda _part: None, lambda part, _nothing: work(part) and None)


@pytest.fixture(autouse=True)
def three_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "n_threads", lambda: 3)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Return the list of what a ``ReadAhead`` has told the system."""
    spans: list[tuple[int, int]] = []
    monkeypatch.setattr(ReadAhead, "_tell", lambda _self, begin, end: spans.append((begin, end)))
    monkeypatch.setattr(read_ahead, "_STEP_BYTES", STEP)
    monkeypatch.setattr(read_ahead, "MOST_BYTES", 4 * STEP)
    return spans


@pytest.fixture
def ahead(told: list[tuple[int, int]]) -> ReadAhead:
    watched = ReadAhead(-1, 100 * STEP)
    watched._takes_advice = True
    return watched


@pytest.mark.parametrize("n_values", [0, tiles.LEAST_VALUES])
def test_each_part_is_worked_on_once(n_values: int) -> None:
    seen: list[int] = []
    each_part(list(range(200)), n_values, seen.append)
    assert sorted(seen) == list(range(200))
    assert n_values or seen == list(range(200))


def test_parts_run_at_the_same_time_where_there_are_many_values() -> None:
    meeting = threading.Barrier(2, timeout=30)
    each_part([0, 1], tiles.LEAST_VALUES, lambda _part: meeting.wait() and None)
    assert not meeting.broken


def test_parts_are_fetched_in_order_one_at_a_time_while_others_are_made() -> None:
    fetched: list[int] = []
    made: list[tuple[int, int]] = []
    inside = threading.Semaphore(1)
    meeting = threading.Barrier(2, timeout=30)

    def fetch(part: int) -> int:
        assert inside.acquire(blocking=False)
        fetched.append(part)
        inside.release()
        return 10 * part

    def make(part: int, raw: int) -> None:
        if part < 2:
            meeting.wait()  # the second is fetched while the first is made
        made.append((part, raw))

    fetch_and_make(list(range(100)), tiles.LEAST_VALUES, fetch, make)
    assert fetched == list(range(100))
    assert sorted(made) == [(part, 10 * part) for part in range(100)]


def test_a_failure_is_raised_and_ends_the_rest() -> None:
    begun: list[int] = []

    def work(part: int) -> None:
        begun.append(part)
        if part == 3:
            raise ReadError("part 3 is broken")
        time.sleep(0.001)

    with pytest.raises(ReadError, match="part 3 is broken"):
        each_part(list(range(1000)), tiles.LEAST_VALUES, work)
    assert len(begun) < 100


def test_a_system_without_threads_reads_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(tiles, "_idle", [])
    monkeypatch.setattr(threading.Thread, "start", refuse)
    seen: list[int] = []
    each_part(list(range(20)), tiles.LEAST_VALUES, seen.append)
    assert seen == list(range(20))


def test_threads_that_help_help_again_also_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "n_threads", lambda: 3)
    monkeypatch.setattr(tiles, "_idle", [])

    def meet() -> None:
        meeting = threading.Barrier(3, timeout=30)
        each_part([0, 1, 2], tiles.LEAST_VALUES, lambda _part: meeting.wait() and None)

    def fail(_part: int) -> None:
        raise ReadError("broken")

    meet()
    helpers = len(tiles._idle)
    with pytest.raises(ReadError, match="broken"):
        each_part([0, 1, 2], tiles.LEAST_VALUES, fail)
    n_threads = threading.active_count()
    for _ in range(20):
        meet()
    assert helpers == len(tiles._idle) == 2
    assert threading.active_count() == n_threads


def test_a_part_that_never_ends_keeps_nobody_else_waiting() -> None:
    may_end = threading.Event()
    stalled = threading.Thread(
        target=each_part, args=(list(range(9)), tiles.LEAST_VALUES, lambda _part: may_end.wait(30)), daemon=True
    )
    stalled.start()
    seen: list[int] = []
    each_part(list(range(20)), tiles.LEAST_VALUES, seen.append)
    assert sorted(seen) == list(range(20))
    assert side_by_side(abs, [-1, -2, -3]) == [1, 2, 3]
    may_end.set()
    stalled.join(30)


def test_no_flag_of_a_processor_is_a_warning_in_any_thread() -> None:
    results: list[np.ndarray] = []
    each_part([1e300] * 9, tiles.LEAST_VALUES, lambda gain: results.append(np.array([np.nan, np.inf, 1e300]) * gain))
    assert len(results) == 9
    for values in results:
        np.testing.assert_array_equal(values, [np.nan, np.inf, np.inf])


@pytest.mark.parametrize("kind", ["i1", "<i2", ">i2", "<u2", "<i4", ">f4", "<f4", "<f8"])
@pytest.mark.parametrize("n_rows", [1, 3, 4, 9, 16])
def test_turned_samples_are_those_of_a_copy(kind: str, n_rows: int) -> None:
    dtype = np.dtype(kind)
    table = RNG.integers(0, 100, (33, n_rows + 3)).astype(dtype)
    raw = np.concatenate((np.zeros(5, np.uint8), np.frombuffer(table.tobytes(), np.uint8)))
    into = np.empty((n_rows, 33))
    turn(raw, dtype, 5 + 2 * dtype.itemsize, table.strides[0], into)
    np.testing.assert_array_equal(into, table[:, 2 : 2 + n_rows].T.astype(np.float64))
    columns = near_columns(table)
    assert len(columns) == n_rows + 3
    for number, column in enumerate(columns):
        np.testing.assert_array_equal(column, table[:, number])


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(("n_samples", "n_rows"), [(1, 1), (1, 3), (7, 1), (7, 5)])
def test_turned_samples_of_three_bytes_keep_their_sign(first: int, n_samples: int, n_rows: int) -> None:
    ends = [-(1 << 23), (1 << 23) - 1, -1, 0, 255, -256]
    stored = np.resize([*ends, *RNG.integers(-(1 << 23), 1 << 23, 40)], (n_samples, n_rows + first))
    raw = np.frombuffer(b"".join(int(v).to_bytes(3, "little", signed=True) for v in stored.reshape(-1)), np.uint8)
    into = np.empty((n_rows, n_samples))
    turn24(raw, 3 * first, 3 * (n_rows + first), into)
    np.testing.assert_array_equal(into, stored[:, first:].T)


def test_what_comes_next_is_told_of_readings_in_a_row(ahead: ReadAhead, told: list[tuple[int, int]]) -> None:
    ahead.note(0, STEP)
    assert not told
    for first in range(STEP, 9 * STEP, STEP):
        ahead.note(first, first + STEP)
    assert told[0] == (2 * STEP, 3 * STEP)
    assert all(end == begin for (_, end), (begin, _) in itertools.pairwise(told))
    reading, end = 9 * STEP, told[-1][1]
    assert reading + 2 * STEP <= end <= reading + 4 * STEP


def test_threads_that_overtake_each_other_read_in_a_row(ahead: ReadAhead, told: list[tuple[int, int]]) -> None:
    for first in (1, 0, 2, 4, 3, 6, 5, 7):
        ahead.note(first * STEP, (first + 1) * STEP)
    assert told[0][0] == 2 * STEP
    assert all(end == begin for (_, end), (begin, _) in itertools.pairwise(told))
    assert told[-1][1] >= 9 * STEP


def test_channel_after_channel_is_no_row(ahead: ReadAhead, told: list[tuple[int, int]]) -> None:
    for block in range(3):
        for channel in range(3):
            first = (30 * channel + 2 * block) * STEP
            ahead.note(first, first + 2 * STEP)
    assert not told


def test_nothing_is_told_of_readings_here_and_there_nor_past_the_end(
    ahead: ReadAhead, told: list[tuple[int, int]]
) -> None:
    for first in (700, 100, 4000, 900, 6000):
        ahead.note(first, first + STEP)
    assert not told
    for first in range(90 * STEP, 100 * STEP, STEP):
        ahead.note(first, first + STEP)
    assert max(end for _, end in told) == 100 * STEP


def test_a_file_that_is_read_in_a_row_tells_so(tmp_path: Path, told: list[tuple[int, int]]) -> None:
    (tmp_path / "x").write_bytes(bytes(50 * STEP))
    file = ByteFile(tmp_path / "x")
    file._ahead._takes_advice = True
    for first in range(0, 10 * STEP, STEP):
        file.read(first, STEP)
    assert told[0][0] == 2 * STEP
    file.close()


def test_advice_that_is_not_taken_ends_the_telling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "_STEP_BYTES", STEP)
    (tmp_path / "x").write_bytes(bytes(range(250)) * 20)
    file = ByteFile(tmp_path / "x")
    file._ahead = ReadAhead(-1, file.n_bytes)  # no file has this number
    file._ahead._takes_advice = True
    parts = [file.read(first, STEP) for first in range(0, 50 * STEP, STEP)]
    assert np.concatenate(parts).tobytes() == bytes(range(250)) * 20
    assert not file._ahead._takes_advice
    file.close()


@pytest.mark.parametrize(("kilobytes", "is_told"), [("128", True), ("8192", False), ("what?", True), (None, True)])
def test_a_system_that_reads_far_ahead_is_told_nothing(
    kilobytes: str | None,
    is_told: bool,
    tmp_path: Path,
    told: list[tuple[int, int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "x").write_bytes(bytes(50 * STEP))
    if kilobytes is not None:
        (tmp_path / "read_ahead_kb").write_text(kilobytes)
    monkeypatch.setattr(read_ahead, "_TOLD_IN", (f"{tmp_path}/none", f"{tmp_path}/read_ahead_kb"))
    file = ByteFile(tmp_path / "x")
    for first in range(0, 10 * STEP, STEP):
        file.read(first, STEP)
    assert bool(told) == is_told
    file.close()


def test_a_file_stays_open_until_the_last_reading_has_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").write_bytes(b"abcd")
    file = ByteFile(tmp_path / "x")
    is_reading, may_go_on = threading.Event(), threading.Event()
    plainly = ByteFile._read_into

    def slowly(self: ByteFile, memory: memoryview, position: int) -> int:
        is_reading.set()
        assert may_go_on.wait(30)
        return plainly(self, memory, position)

    monkeypatch.setattr(ByteFile, "_read_into", slowly)
    found: list[bytes] = []
    reading = threading.Thread(target=lambda: found.append(file.read(0, 4).tobytes()))
    reading.start()
    assert is_reading.wait(30)
    file.close()
    with pytest.raises(ReadError, match="is closed"):
        file.read(0, 1)
    may_go_on.set()
    reading.join(30)
    assert found == [b"abcd"]
    assert file._file.closed


def test_a_table_larger_than_a_part_is_made_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = RNG.integers(-30000, 30000, (5000, 6)).astype("<i2")
    (tmp_path / "x").write_bytes(stored.tobytes())
    monkeypatch.setattr(tiles, "LEAST_VALUES", 1000)
    monkeypatch.setattr(byte_file, "TILE_SAMPLES", 64)
    monkeypatch.setattr(byte_file, "TILE_BYTES", 64)
    monkeypatch.setattr(tiles, "n_threads", lambda: 2)
    threads: set[int] = set()
    meeting = threading.Barrier(2, timeout=30)
    convert = SampleTable._convert

    def watched(self: SampleTable, *what: Any) -> None:
        if threading.get_ident() not in threads:
            threads.add(threading.get_ident())
            meeting.wait()
        convert(self, *what)

    monkeypatch.setattr(SampleTable, "_convert", watched)
    file = ByteFile(tmp_path / "x")
    table = SampleTable.multiplexed("<i2", 6)
    values = table.read(file, Span(0, 5000), range(6), [0.5] * 6)
    np.testing.assert_array_equal(values, stored.T * 0.5)
    assert len(threads) == 2
    file.close()


def test_what_is_unpacked_on_the_way_is_taken_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = RNG.integers(-30000, 30000, (5000, 6)).astype("<i2")
    packed = zlib.compress(stored.tobytes())
    (tmp_path / "x").write_bytes(packed)
    monkeypatch.setattr(tiles, "LEAST_VALUES", 0)
    monkeypatch.setattr(byte_file, "TILE_SAMPLES", 64)
    monkeypatch.setattr(byte_file, "TILE_BYTES", 64)
    source = InflatedBytes(ByteFile(tmp_path / "x"), 0, len(packed), stored.nbytes, window_bits=15)
    positions: list[int] = []
    read = source.read
    monkeypatch.setattr(source, "read", lambda position, n_bytes: positions.append(position) or read(position, n_bytes))
    values = SampleTable.multiplexed("<i2", 6).read(source, Span(0, 5000), range(6))
    np.testing.assert_array_equal(values, stored.T)
    assert positions == sorted(positions)
    assert len(positions) > 50
