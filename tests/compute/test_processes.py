"""A recording that several processes share gives the file that one process writes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from jaxscope.compute.batch import filter_file
from jaxscope.compute.batch_plan import BatchOptions, plan_batch
from jaxscope.compute.processes import shares_of
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.errors import UsageError
from jaxscope.filters.chain_file import chain_to_dict
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage

RATE_HZ = 500.0
LOW = Stage(spec=Butterworth(band="lowpass", order=3, cutoff_hz=40.0))
RNG = np.random.default_rng(8)


def filtered(folder: Path, x: np.ndarray, chain: FilterChain, processes: int, suffix: str = "npy") -> np.ndarray:
    source, target = folder / "x.npy", folder / f"y{processes}.{suffix}"
    np.save(source, x)
    told = filter_file(str(source), str(target), [chain], rate_hz=RATE_HZ, processes=processes)
    assert told["n_channels"] == len(x)
    assert told["max_abs_vs_reference"] < 1e-10
    assert {path.name for path in folder.iterdir()} >= {target.name, f"{target.name}.json"}
    assert not list(folder.glob(".*"))
    return np.load(target)


@pytest.mark.parametrize(("n_channels", "phase"), [(3, "zero"), (1, "causal")])
def test_shares_of_channels_and_stretches_of_time_equal_the_whole(n_channels: int, phase: str, tmp_path: Path) -> None:
    x = RNG.standard_normal((n_channels, 20_000)).cumsum(axis=1)
    x[-1, 1000:1100] = np.nan
    one, two = (filtered(tmp_path, x, FilterChain(stages=(LOW,), phase=phase), count) for count in (1, 2))
    np.testing.assert_allclose(two, one, rtol=0, atol=1e-13 * np.nanmax(np.abs(x)))


@pytest.mark.parametrize(("n_channels", "count"), [(1, 2), (2, 2), (5, 3), (2, 3)])
def test_shares_cover_every_sample_once(n_channels: int, count: int, tmp_path: Path) -> None:
    recording = ArrayRecording.from_array(np.ones((n_channels, 1001)), rate_hz=RATE_HZ, kinds=["eeg"] * n_channels)
    options = BatchOptions(source="x", target=str(tmp_path / "y.npy"), start_s=0.1, processes=count)
    plan = plan_batch(recording, [FilterChain(stages=(LOW,))], options)
    seen = np.zeros((n_channels, 1001), dtype=int)
    dealt = shares_of(plan, count, tmp_path)
    assert [len(own) for own in dealt] == [1] * count
    for (share,) in dealt:
        assert share.shape[0] * share.shape[1] <= 951 * n_channels / count + max(951, n_channels)
        seen[list(share.rows), share.first_sample : share.stop_sample] += 1
    assert (seen[:, 50:] == 1).all()
    assert not seen[:, :50].any()


def test_all_devices_and_several_processes_exclude_each_other(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((2, 100)))
    with pytest.raises(UsageError, match="exclude"):
        filter_file(
            str(tmp_path / "x.npy"), str(tmp_path / "y.npy"), [FilterChain(stages=(LOW,))],
            rate_hz=RATE_HZ, device="cpu:all", processes=2,
        )  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]


def test_more_processes_than_a_machine_can_hold_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((2, 100)))
    with pytest.raises(UsageError, match="100000 processes are too many"):
        filter_file(
            str(tmp_path / "x.npy"), str(tmp_path / "y.npy"), [FilterChain(stages=(LOW,))],
            rate_hz=RATE_HZ, processes=100_000,
        )  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are listed under /proc")
@pytest.mark.parametrize("number", [0, 1])
def test_one_of_them_that_is_killed_ends_the_run_in_one_line(number: int, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((2, 3_000_000), dtype=np.float32))
    (tmp_path / "c.json").write_text(json.dumps(chain_to_dict(FilterChain(stages=(LOW,)))))
    words = ("filter", "x.npy", "-o", "y.npy", "--rate", "500", "--chain", "c.json", "--processes", "2")
    process = subprocess.Popen(
        [sys.executable, "-m", "jaxscope", *words],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        workers: list[int] = []
        while len(workers) < 2 and process.poll() is None:
            time.sleep(0.01)
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            told = {int(child): Path(f"/proc/{child}/cmdline").read_bytes() for child in children}
            workers = [child for child, line in told.items() if b"spawn_main" in line]
        os.kill(workers[number], signal.SIGKILL)
        out, error = process.communicate(timeout=100)
    assert (process.returncode, out) == (3, "")
    assert error == "jaxscope: one of the processes has ended; filter in one process, or with fewer of them\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.json", "x.npy"]
