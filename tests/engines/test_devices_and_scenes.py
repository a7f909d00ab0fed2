"""Devices are listed with reasons; the seed scene shows what was beaten; the compile cache is private."""

from __future__ import annotations

import os
import stat
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import scipy.signal

from jaxscope.engines import bench_scenes, seed_scene
from jaxscope.engines.devices import list_devices
from jaxscope.engines.filter_array import filter_array
from jaxscope.engines.setup import private_folder
from jaxscope.errors import UsageError


def test_every_backend_is_listed_and_an_absent_one_says_why() -> None:
    backends = {backend.name: backend for backend in list_devices()}
    assert backends["cpu"].available
    assert [device.id for device in backends["cpu"].devices] == ["cpu:0", "cpu:1"]
    for backend in backends.values():
        assert backend.available == bool(backend.devices)
        assert bool(backend.reason) != backend.available
        assert "\n" not in backend.reason


@pytest.mark.skipif(find_spec("libtpu") is not None, reason="a TPU runtime is installed")
def test_a_missing_tpu_runtime_is_said_in_own_words(monkeypatch) -> None:
    monkeypatch.delenv("TPU_LIBRARY_PATH", raising=False)
    backends = {backend.name: backend for backend in list_devices()}
    assert backends["tpu"].reason == "no TPU runtime (libtpu) is installed"


@pytest.mark.skipif(os.name != "posix", reason="modes are a POSIX matter")
def test_the_compile_cache_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o777)
    assert private_folder(folder) == folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_seed_scene_shows_the_original_programs_and_their_error() -> None:
    rows = {row["name"]: row for row in seed_scene.run(0.0, shape=(192, 8))}
    for name in ("loop", "scan", "vmap", "truncated"):
        assert 1e-5 < rows[f"seed: {name}, 20 taps"]["max_abs_error"] < 2.3e-4
    assert rows["seed: block, exact"]["max_abs_error"] < 2e-6
    assert rows["seed: block, exact, float64"]["max_abs_error"] < 1e-14
    for row in rows.values():
        assert row["ratio"] == pytest.approx(row["reference_ns_per_sample"] / row["ours_ns_per_sample"])


@pytest.mark.parametrize("name", ["run_iir", "run_zero_phase", "run_fir"])
def test_scenes_are_exact_where_they_are_timed(name: str) -> None:
    rows = getattr(bench_scenes, name)(0.0, n_samples=64 * 512)
    assert len({row["name"] for row in rows}) == len(rows)
    for row in rows:
        assert row["max_abs_error"] < (1e-4 if "float32" in row["name"] else 1e-9)
        assert row["ratio"] == pytest.approx(row["reference_ns_per_sample"] / row["ours_ns_per_sample"])


def test_filter_array_takes_one_channel_and_asks_for_what_is_missing(chain, sections) -> None:
    design = chain(sections(scipy.signal.butter(2, 0.2, output="sos")))
    x = np.random.default_rng(0).standard_normal(100)
    assert filter_array(x, design).shape == (100,)
    with pytest.raises(UsageError, match="rate_hz"):
        filter_array(x, design, rate_hz=5.0)
    with pytest.raises(UsageError, match="block by block"):
        filter_array(x, chain(*design.parts, phase="zero"), return_state=True)
