"""What a picture may never lose: a spike, an edge, a gap, the place of a late sample, a sample on its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jaxscope.compute.envelopes import Envelope
from jaxscope.compute.frames import OverviewFrame
from jaxscope.compute.library import ProgramLibrary, WindowCache
from jaxscope.compute.plan import plan
from jaxscope.compute.render import frame_of, render
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.display.pyramid import Pyramid, overview_edges
from jaxscope.gui.painting import painter_thread
from jaxscope.gui.painting.painter_thread import paint_scene
from jaxscope.gui.painting.scene import prepare
from jaxscope.gui.views.overview import envelope_image
from jaxscope.session.state import Document, SessionState, Viewport

MANY = 10_000_000
WIDTH = 400
RATE = 1000.0


@pytest.fixture(params=["columns", "lines"])
def way(request, monkeypatch):
    """Paint in columns or in lines, whatever the number of lanes."""
    monkeypatch.setattr(painter_thread, "MANY_LANES", 0 if request.param == "columns" else 64)
    return request.param


@pytest.fixture
def scene_of(make_scene, make_lane):
    """Return the maker of scenes of recorded samples, (2, n): rate, start and length of the window."""

    def make(x, rate_hz, start_s, duration_s, **choices):
        recording = ArrayRecording.from_array(x, rate_hz=rate_hz, kinds=["eeg", "eeg"])
        state = SessionState(document=Document(), viewport=Viewport(start_s=start_s, duration_s=duration_s))
        request = plan(state, recording.info, WIDTH)
        rendered = render(request, WindowCache(recording), ProgramLibrary())
        frame = frame_of(
            rendered, request, revision=1, recording_id="r", compute_ms=0.0, scales={}, settling_s=(0.0, 0.0)
        )
        lanes = (make_lane(0), make_lane(1))
        return make_scene(
            frame=frame, lanes=lanes, start_s=start_s, stop_s=start_s + duration_s, remove_offset=False, **choices
        )

    return make


def rows_of(painted, column, lane):
    """Return the painted rows of a column in the half of a lane."""
    return np.flatnonzero(painted[100 * lane : 100 * lane + 100, column])


def test_one_sample_in_ten_million_is_seen_at_full_zoom(scene_of, coverage, way):
    x = np.zeros((2, MANY), np.float32)
    at = 7_654_321
    x[1, at] = 1.5
    painted = coverage(paint_scene(scene_of(x, RATE, 0.0, MANY / RATE)).image)
    column = int(at / MANY * WIDTH)
    near = [len(rows_of(painted, place, 1)) for place in range(column - 1, column + 2)]
    assert max(near) >= 36, "1.5 of 4 units a lane of 100 px"
    assert len(rows_of(painted, column - 5, 1)) <= 2


def test_one_sample_in_ten_million_is_seen_in_the_overview():
    pyramid = Pyramid(1, MANY)
    at, block = 7_654_321, 1 << 20
    for first in range(0, MANY, block):
        x = np.zeros((1, min(block, MANY - first)), np.float32)
        if first <= at < first + x.shape[1]:
            x[0, at - first] = 1.0
        pyramid.add(first, x)
    edges = overview_edges(MANY, WIDTH)
    low, high = pyramid.overview(edges)
    seen = np.flatnonzero(high[0])
    assert seen.size == 1
    assert edges[seen[0]] - pyramid.base_samples <= at < edges[seen[0] + 1]
    frame = OverviewFrame(
        revision=1, recording_id="r", edges_s=edges / RATE, before=Envelope(low=low, high=high), after=None,
        read_share=1.0, filtered_share=0.0,
    )  # fmt: skip
    image = envelope_image(frame, MANY / RATE, WIDTH, 1.0, shows_after=False)
    heights = [
        sum(image.pixelColor(column, row).alpha() > 0 for row in range(image.height())) for column in range(WIDTH)
    ]
    assert heights[int(seen[0])] == max(heights) >= image.height() / 3


@pytest.mark.parametrize("duration_s", [0.02, 0.3, 1.7, 9.0, 60.0])
def test_lines_reach_both_edges(scene_of, coverage, way, duration_s):
    x = np.random.default_rng(0).standard_normal((2, 100_000)) * 0.3
    painted = coverage(paint_scene(scene_of(x, RATE, 20.0003, duration_s)).image)
    assert all(painted[100 * lane : 100 * lane + 100].any(axis=0).all() for lane in (0, 1))


@pytest.mark.parametrize("duration_s", [0.4, 10.0, 90.0])
def test_a_gap_of_missing_samples_is_a_gap(scene_of, coverage, way, duration_s):
    x = np.zeros((2, 100_000))
    first, stop = int(RATE * duration_s * 0.4), int(RATE * duration_s * 0.6)
    x[0, first:stop] = np.nan
    painted = coverage(paint_scene(scene_of(x, RATE, 0.0, duration_s)).image)
    inside = slice(int(WIDTH * 0.4) + 3, int(WIDTH * 0.6) - 3)
    assert not painted[:100, inside].any()
    assert painted[100:, inside].any(axis=0).all()
    assert painted[:100, : int(WIDTH * 0.4) - 3].any(axis=0).all()
    assert painted[:100, int(WIDTH * 0.6) + 3 :].any(axis=0).all()


def test_late_samples_stand_where_they_belong(make_scene, coverage, way):
    """Ten days in at 30 kHz: single precision would put samples half a second from where they are."""
    rate_hz, start_s, n = 30_000.0, 864_000.0, 61
    scene = make_scene(n=n, values=np.stack([np.arange(n) % 2 - 0.5] * 2))
    times_s = start_s + np.arange(n) / rate_hz
    block = replace(scene.frame.blocks[0], times_s=times_s, rate_hz=rate_hz)
    late = replace(
        scene, frame=replace(scene.frame, blocks=(block,)), start_s=start_s, stop_s=start_s + (n - 1) / rate_hz
    )
    step = WIDTH / (n - 1)
    for stroke in prepare(late):
        for bundle in stroke.bundles:
            np.testing.assert_allclose(np.diff(bundle.x), step, atol=1e-3)
    soon = replace(
        late, frame=replace(scene.frame, blocks=(replace(block, times_s=times_s - start_s),)), start_s=0.0,
        stop_s=(n - 1) / rate_hz,
    )  # fmt: skip
    differing = coverage(paint_scene(late).image) != coverage(paint_scene(soon).image)
    assert differing.mean() < 0.002


def test_zoomed_in_each_sample_is_a_point(scene_of, coverage, way):
    x = np.zeros((2, 1000))
    painted = coverage(paint_scene(scene_of(x, RATE, 0.1, 0.02)).image)
    heights = painted[:100].sum(axis=0)
    on_samples = [int(heights[round(number * WIDTH / 20)]) for number in range(1, 20)]
    between = [int(heights[round((number + 0.5) * WIDTH / 20)]) for number in range(1, 19)]
    assert min(on_samples) >= 3
    assert max(between) <= 2


def test_no_points_where_samples_are_close(scene_of, coverage, way):
    painted = coverage(paint_scene(scene_of(np.zeros((2, 1000)), RATE, 0.1, 0.2)).image)
    assert painted[:100].sum(axis=0).max() <= 2
