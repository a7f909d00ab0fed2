"""Pyramids on the disk: found again, never for another file, whole or not at all, and bounded."""

from __future__ import annotations

import os

import numpy as np
import pytest

from jaxscope.compute import overview_jobs, pyramid_cache
from jaxscope.compute.conductor import Conductor
from jaxscope.compute.frames import OverviewFrame
from jaxscope.compute.pyramid_cache import cache_folder, cache_path, keep_pyramid, load_pyramid
from jaxscope.display.pyramid import Pyramid, overview_edges
from jaxscope.session.actions import OpenedRecording
from jaxscope.session.state import RecordingRef
from jaxscope.session.store import Store

N_SAMPLES = 5000


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "noise.npz"
    np.savez(path, x=np.random.default_rng(1).standard_normal((2, N_SAMPLES)), rate_hz=100.0)
    return path


@pytest.fixture
def pyramid():
    made = Pyramid(2, N_SAMPLES)
    made.add(0, np.random.default_rng(2).standard_normal((2, N_SAMPLES)))
    return made


def test_what_is_kept_is_the_same(recording, pyramid):
    path = cache_path(str(recording), (0, 1), N_SAMPLES)
    assert load_pyramid(path, 2, N_SAMPLES) is None
    assert keep_pyramid(path, pyramid)
    found = load_pyramid(path, 2, N_SAMPLES)
    assert found.share == 1.0
    for width in (7, 50, 300):
        edges = overview_edges(N_SAMPLES, width)
        for one, other in zip(found.overview(edges), pyramid.overview(edges), strict=True):
            np.testing.assert_array_equal(one, other)
    assert [file.suffix for file in cache_folder().iterdir()] == [".npz"]


def test_another_file_or_other_channels_have_another_place(recording):
    path = cache_path(str(recording), (0, 1), N_SAMPLES)
    assert cache_path(str(recording), (1, 0), N_SAMPLES) != path
    assert cache_path(str(recording), (0, 1), N_SAMPLES - 1) != path
    assert cache_path(str(recording), (0, 1), N_SAMPLES) == path
    os.utime(recording, ns=(1, 1))
    assert cache_path(str(recording), (0, 1), N_SAMPLES) != path
    assert cache_path(str(recording.with_name("none.edf")), (0, 1), N_SAMPLES) is None


@pytest.mark.parametrize("damage", ["cut", "noise", "empty", "pickle", "shape"])
def test_a_damaged_file_is_said_and_forgotten(recording, pyramid, caplog, damage):
    path = cache_path(str(recording), (0, 1), N_SAMPLES)
    keep_pyramid(path, pyramid)
    if damage == "pickle":
        np.savez(path, base_samples=16, low=np.array([{}], dtype=object), high=np.zeros(1))
    elif damage == "shape":
        np.savez(path, base_samples=16, low=np.zeros((2, 3)), high=np.zeros((2, 3)))
    else:
        held = path.read_bytes()
        path.write_bytes({"cut": held[: len(held) // 2], "noise": b"x" * 1000, "empty": b""}[damage])
    assert load_pyramid(path, 2, N_SAMPLES) is None
    assert "built anew" in caplog.text
    assert not path.exists()


def test_what_was_used_longest_ago_goes_first(recording, pyramid, monkeypatch):
    paths = [cache_path(str(recording), (0, 1), N_SAMPLES, option) for option in range(4)]
    keep_pyramid(paths[0], pyramid)
    monkeypatch.setattr(pyramid_cache, "MOST_BYTES", 3 * paths[0].stat().st_size)
    for age, path in enumerate(paths[1:3], start=1):
        keep_pyramid(path, pyramid)
        os.utime(path, ns=(age * 10**9, age * 10**9))
    os.utime(paths[0], ns=(0, 0))
    assert load_pyramid(paths[0], 2, N_SAMPLES) is not None, "looked at, so it is the newest now"
    keep_pyramid(paths[3], pyramid)
    assert [path.exists() for path in paths] == [True, False, True, True]


def test_a_folder_that_cannot_be_written_is_said(recording, pyramid, monkeypatch, caplog):
    path = cache_path(str(recording), (0, 1), N_SAMPLES)
    path.parent.parent.mkdir(parents=True, exist_ok=True)
    path.parent.write_text("in the way")
    assert not keep_pyramid(path, pyramid)
    assert "cannot be kept" in caplog.text


@pytest.fixture
def overview_of(recording):
    """Return what opens the recording in a window of its own and returns its last overview."""

    def show():
        store, got = Store(), []
        conductor = Conductor(store, got.append, run_inline=True)
        try:
            conductor.open(str(recording))
            store.dispatch(OpenedRecording(recording=RecordingRef(path=str(recording)), duration_s=50.0))
        finally:
            conductor.shut_down()
        return [outcome for outcome in got if isinstance(outcome, OverviewFrame)][-1]

    return show


def test_the_second_opening_reads_nothing_for_the_overview(overview_of, monkeypatch):
    monkeypatch.setattr(overview_jobs, "KEPT_FROM_VALUES", 0)
    shown = overview_of()
    assert shown.read_share == 1.0
    monkeypatch.setattr(overview_jobs, "spread_order", lambda count: pytest.fail("the recording is read again"))
    again = overview_of()
    assert again.read_share == 1.0
    np.testing.assert_array_equal(again.before.low, shown.before.low)


def test_short_recordings_are_not_kept(overview_of):
    overview_of()
    assert not cache_folder().exists()
