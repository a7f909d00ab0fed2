"""The reading scene: every format is read, beside a plain read and its peer, and what is read is what was written."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from jaxscope.compute import bench_read
from jaxscope.compute.bench import summary
from jaxscope.compute.bench_read import CAST, PEERS, PLAIN, STORED, PlainRead, samples_of
from jaxscope.data.span import Span
from jaxscope.readers import open_recording

#: Half a step of 16 and of 24 bits over the range; the others keep whole numbers.
STEPS = {"EDF+C": 60000 / 65535, "BDF+C": 60000 / (1 << 24)}


def test_every_format_is_read_beside_a_plain_read_and_its_peer() -> None:
    rows = bench_read.run(0.01, n_values=1 << 16)
    plain = [("from the cache", PLAIN), ("from the cache", CAST)]
    plain += [("from the drive", PLAIN)] if sys.platform == "linux" else []
    expected = []
    for library, _ in PEERS.values():
        expected += plain + [("from the cache", library)] * (find_spec(library) is not None)
    assert [(row["source"], row["reference"]) for row in rows] == expected
    told = summary(rows)["reads"]
    assert set(told) == {f"{source}, {reference}" for source, reference in expected}
    for source, reference in set(expected):
        ratios = [row["ratio"] for row in rows if (row["source"], row["reference"]) == (source, reference)]
        assert told[f"{source}, {reference}"] == [min(ratios), max(ratios)]
    for row in rows:
        kind = row["name"].removeprefix("read: ").split(",")[0]
        assert row["max_abs_error"] <= 0.51 * STEPS.get(kind, 0.0)
        assert row["ours_bytes_per_s"] == pytest.approx(row["n_bytes"] / (row["ours_ns_per_sample"] * (1 << 16)) * 1e9)
        assert row["cpu_ratio"] > 0
        assert row["ratio"] == pytest.approx(row["reference_ns_per_sample"] / row["ours_ns_per_sample"])


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_reads_the_same_samples(name: str, tmp_path: Path) -> None:
    library, peer = PEERS[name]
    pytest.importorskip(library)
    bench_read._write(tmp_path / name, 3000)
    blocks: list[np.ndarray] = []
    peer(tmp_path / name, blocks.append)
    theirs = np.concatenate(blocks, axis=1)
    with open_recording(tmp_path / name) as recording:
        np.testing.assert_allclose(recording.read(0, 3000), theirs, atol=1e-9)
    np.testing.assert_allclose(theirs, samples_of(Span(0, 3000)), atol=0.51)


@pytest.mark.parametrize("name", PEERS)
def test_a_plain_read_takes_all_bytes_and_casts_them(name: str, tmp_path: Path) -> None:
    n_samples, block_bytes = 3000, 10007
    stored = bench_read._write(tmp_path / name, n_samples)
    content = stored.read_bytes()
    assert PlainRead(stored, block_bytes).run() == len(content)
    dtype, sample_bytes = STORED.get(Path(name).suffix, ("<i2", 2))
    plain = PlainRead(stored, block_bytes, (dtype, sample_bytes))
    assert plain.run() == len(content)
    assert len(plain.values) == block_bytes // sample_bytes
    if np.dtype(dtype).itemsize == sample_bytes:
        last = content[len(content) // block_bytes * block_bytes :]
        n_last = len(last) // sample_bytes
        with np.errstate(invalid="ignore"):
            expected = np.frombuffer(last[: n_last * sample_bytes], dtype).astype(np.float64)
        np.testing.assert_array_equal(plain.values[:n_last], expected)
