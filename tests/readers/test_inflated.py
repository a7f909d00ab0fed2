"""Compressed parts of files: what is held of them, and how much is unpacked to read on."""

from __future__ import annotations

import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest

from jaxscope.readers import inflated, open_recording
from jaxscope.readers.byte_file import ByteFile
from jaxscope.readers.inflated import InflatedBytes

SAMPLES = np.random.default_rng(1).integers(0, 50, (6, 1 << 20)).astype("<i2")


def test_channels_behind_one_another_are_read_on_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = zlib.compress(SAMPLES.tobytes(), 1)
    (tmp_path / "x").write_bytes(packed)
    source = InflatedBytes(ByteFile(tmp_path / "x"), 0, len(packed), SAMPLES.nbytes, window_bits=15)
    source.read(SAMPLES.nbytes - 8, 8)
    counts: list[int] = []
    go_on = InflatedBytes._next

    def counted(self: InflatedBytes, n_bytes: int) -> bytes:
        part = go_on(self, n_bytes)
        counts.append(len(part))
        return part

    monkeypatch.setattr(InflatedBytes, "_next", counted)
    n_bytes = 1 << 16
    for begin in range(0, SAMPLES[0].nbytes, n_bytes):
        for row, samples in enumerate(SAMPLES):
            found = source.read(row * samples.nbytes + begin, n_bytes)
            np.testing.assert_array_equal(found.view("<i2"), samples[begin // 2 : (begin + n_bytes) // 2])
    assert sum(counts) < 3 * SAMPLES.nbytes


def test_a_place_before_all_that_is_kept_is_unpacked_from_the_nearest_state(tmp_path: Path) -> None:
    packed = zlib.compress(SAMPLES.tobytes(), 1)
    (tmp_path / "x").write_bytes(packed)
    source = InflatedBytes(ByteFile(tmp_path / "x"), 0, len(packed), SAMPLES.nbytes, window_bits=15)
    stored = np.frombuffer(SAMPLES.tobytes(), dtype=np.uint8)
    for position in np.random.default_rng(2).integers(0, len(stored) - 900, 150).tolist():
        np.testing.assert_array_equal(source.read(position, 900), stored[position : position + 900])


def test_a_large_archive_is_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez_compressed(tmp_path / "x.npz", eeg=SAMPLES, rate_hz=1000.0)
    monkeypatch.setattr(inflated, "MOST_BYTES", 4 << 20)
    tracemalloc.start()
    with open_recording(tmp_path / "x.npz") as recording:
        found = recording.read(700_000, 701_000)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    np.testing.assert_array_equal(found, SAMPLES[:, 700_000:701_000])
    assert peak < SAMPLES.nbytes // 2


def test_reading_here_and_there_in_an_archive_of_many_arrays_leaves_little(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.savez_compressed(tmp_path / "x.npz", rate_hz=1000.0, **{f"c{row}": SAMPLES[row] for row in range(6)})
    monkeypatch.setattr(inflated, "MOST_BYTES", 1 << 20)
    with open_recording(tmp_path / "x.npz") as recording:
        tracemalloc.start()
        for begin in range(0, 1 << 20, 1 << 14):
            found = recording.read(begin, begin + 1000)
            np.testing.assert_array_equal(found, SAMPLES[:, begin : begin + 1000])
        left = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
    assert left < 6 * (256 << 10)


def test_what_is_held_is_unpacked_once_and_never_twice_in_memory(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "x.npz", eeg=SAMPLES, rate_hz=1000.0)
    tracemalloc.start()
    with open_recording(tmp_path / "x.npz") as recording:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        np.testing.assert_array_equal(recording.read(5, 9), SAMPLES[:, 5:9])
    assert peak < 1.5 * SAMPLES.nbytes
