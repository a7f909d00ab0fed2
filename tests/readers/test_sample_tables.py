"""Samples at fixed distances, read tile by tile: whatever their type, order and number, they are what a copy gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jaxscope.data.span import Span
from jaxscope.readers import byte_file
from jaxscope.readers.byte_file import INT24, ByteFile, SampleTable, int24
from jaxscope.readers.edf_records import integers

HEAD = 7
TYPES = ("<i2", ">i2", "<u2", "<i4", "<f4", "<f8", ">f8", "int24")
CHOICES = ((0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (1, 2, 4), (3,), (2, 2, 0))


def packed(values: np.ndarray) -> bytes:
    """Return integers as three bytes each, one by one."""
    return b"".join(int(value).to_bytes(3, "little", signed=True) for value in values.reshape(-1))


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_file, "TILE_BYTES", 64)
    monkeypatch.setattr(byte_file, "TILE_SAMPLES", 4)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("is_multiplexed", [True, False])
def test_a_table_gives_what_was_stored(tmp_path: Path, kind: str, is_multiplexed: bool) -> None:
    stored = np.random.default_rng(3).integers(-30000 if "u" not in kind else 0, 30000, (5, 41))
    if kind == "int24":
        stored = stored * 277
        dtype, content = INT24, packed(stored.T if is_multiplexed else stored)
    else:
        dtype = np.dtype(kind)
        content = np.ascontiguousarray(stored.T if is_multiplexed else stored).astype(dtype).tobytes()
    (tmp_path / "x").write_bytes(bytes(HEAD) + content)
    table = SampleTable.multiplexed(dtype, 5, HEAD) if is_multiplexed else SampleTable.vectorised(dtype, 41, HEAD)
    file = ByteFile(tmp_path / "x")
    for channels in CHOICES:
        for span in (Span(0, 41), Span(3, 38), Span(40, 41), Span(5, 5)):
            expected = stored[list(channels), span.start : span.stop].astype(np.float64)
            np.testing.assert_array_equal(table.read(file, span, channels), expected)
            gains = [0.1 * (channel + 1) for channel in channels]
            multiplied = expected * np.array(gains)[:, np.newaxis]
            np.testing.assert_array_equal(table.read(file, span, channels, gains), multiplied)
            np.testing.assert_array_equal(table.read(file, span, channels, [0.5] * len(channels)), expected * 0.5)
    file.close()


@pytest.mark.parametrize("n_samples", [0, 1, 2, 9])
def test_three_bytes_are_one_integer_at_both_ends_of_the_range(n_samples: int) -> None:
    values = np.resize([-(1 << 23), (1 << 23) - 1, -1, 0, 1, 0x123456, -0x123456], (4, n_samples))
    wide = np.frombuffer(packed(values), dtype=np.uint8).reshape(4, -1)
    held = np.full((4, wide.shape[1] + 5), 0xAB, dtype=np.uint8)
    held[:, 2 : 2 + wide.shape[1]] = wide
    cut = held[:, 2 : 2 + wide.shape[1]]
    np.testing.assert_array_equal(int24(cut), values)
    np.testing.assert_array_equal(integers(cut, 3, unsigned=True), values & 0xFFFFFF)
    np.testing.assert_array_equal(integers(cut, 3, unsigned=False), values)
