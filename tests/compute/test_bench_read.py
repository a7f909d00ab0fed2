"""The reading scene: every format is read, beside a plain read and its peer, and what is read is what was written."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from jaxscope.compute import bench_read
from jaxscope.compute.bench_read import PEERS, samples_of
from jaxscope.data.span import Span
from jaxscope.readers import open_recording

#: Half a step of 16 and of 24 bits over the range; the others keep whole numbers.
STEPS = {"EDF+C": 60000 / 65535, "BDF+C": 60000 / (1 << 24)}


def test_every_format_is_read_beside_a_plain_read_and_its_peer() -> None:
    rows = bench_read.run(0.01, n_values=1 << 16)
    from_where = 2 if sys.platform == "linux" else 1
    assert len(rows) == sum(from_where + (find_spec(library) is not None) for library, _ in PEERS.values())
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
