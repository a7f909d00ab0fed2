"""What is drawn of a frame: order, colours, positions, offsets, gaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jaxscope.compute.envelopes import Envelope
from jaxscope.gui.painting.painter_thread import paint_scene
from jaxscope.gui.painting.scene import Pane, TraceScene, prepare
from jaxscope.gui.painting.strokes import polygons

WIDTH = 400
MIXED, BEFORE, EEG, ECG, DIFF, HELD = 0xFF756C60, 0xFF8F8473, 0xFF6CB8FF, 0xFFFF8A75, 0xFFEE8FCB, 0xFF5996D0

#: how exactly heights are known, in pixels
PIXELS = 1e-3


def with_before(scene: TraceScene, values: np.ndarray) -> TraceScene:
    block = replace(scene.frame.blocks[0], before=Envelope(low=values, high=values.copy()))
    return replace(scene, frame=replace(scene.frame, blocks=(block,)))


@pytest.mark.parametrize("bins", [1, 4])
@pytest.mark.parametrize("n_lanes", [2, 65])
@pytest.mark.parametrize("size", [1e300, 1.7e308, np.inf, np.nan, 5e-324])
def test_any_value_may_be_painted(bins, n_lanes, size, make_scene, make_lane):
    scene = make_scene(bins=bins, scales={"eeg": 1e-9, "ecg": 1e-9})
    values = scene.frame.blocks[0].before.low.copy()
    values[:, ::3] = size
    values[:, 1::3] = -size
    scene = replace(scene, lanes=tuple(make_lane(number) for number in range(n_lanes)))
    assert paint_scene(with_before(scene, values)) is not None


def test_all_before_comes_before_any_after(make_scene):
    strokes = prepare(make_scene())
    assert [stroke.is_before for stroke in strokes] == [True, False, False]
    assert {stroke.colour for stroke in strokes if not stroke.is_before} == {EEG, ECG}
    assert strokes[0].colour == MIXED
    assert len(strokes[0].lines) == 2


def test_channel_without_a_filter_is_drawn_as_recorded_only(make_scene):
    strokes = prepare(make_scene(filtered=(True, False)))
    colours = {stroke.colour: len(stroke.lines) for stroke in strokes}
    assert colours == {MIXED: 1, BEFORE: 1, EEG: 1}


@pytest.mark.parametrize(
    ("choices", "colours"),
    [
        ({"show_after": False}, {BEFORE}),
        ({"is_held": True}, {MIXED, HELD}),
        ({"panes": (Pane(left_px=0, width_px=400, content="difference"),)}, {DIFF}),
        ({"panes": (Pane(left_px=0, width_px=400, content="before"),)}, {BEFORE}),
        ({"panes": (Pane(left_px=0, width_px=400, content="after"),)}, {EEG, ECG}),
    ],
)
def test_what_each_pane_shows(choices, colours, make_scene):
    assert {stroke.colour for stroke in prepare(make_scene(**choices))} == colours


def test_positions_follow_time_scale_gain_and_sign(make_scene, make_lane):
    scene = make_scene(lanes=(make_lane(0, gain=2.0), make_lane(1)))
    first = prepare(scene)[0].lines[0]
    np.testing.assert_allclose(first.x[:3], [0.0, 1.0, 2.0])
    expected = 50 - np.sin(scene.frame.blocks[0].times_s[: len(first.top)]) * 100 * 2.0 / 4.0
    np.testing.assert_allclose(first.top, expected, atol=PIXELS)
    flipped = prepare(replace(scene, negative_up=True))[0].lines[0]
    np.testing.assert_allclose(flipped.top, 100 - expected, atol=PIXELS)


def test_bin_stands_at_its_middle(make_scene):
    line = prepare(make_scene(bins=4))[0].lines[0]
    pixels_per_s = WIDTH / 10.0
    np.testing.assert_allclose(line.x[0], 1.5 / 40.0 * pixels_per_s)
    assert (line.top < line.bottom).all()
    flipped = prepare(make_scene(bins=4, negative_up=True))[0].lines[0]
    assert (flipped.top < flipped.bottom).all()


def test_offsets_are_taken_only_where_wanted(make_scene):
    scene = make_scene()
    block = replace(scene.frame.blocks[0], before_offset=np.array([3.0, np.nan]), after_offset=np.array([1.0, 0.0]))
    scene = replace(scene, frame=replace(scene.frame, blocks=(block,)))
    plain = prepare(replace(scene, remove_offset=False))[0].lines
    shifted = prepare(scene)[0].lines
    np.testing.assert_allclose(shifted[0].top - plain[0].top, 3.0 * 100 / 4.0, atol=PIXELS)
    np.testing.assert_allclose(shifted[1].top, plain[1].top, atol=PIXELS)
    pane = (Pane(left_px=0, width_px=400, content="difference"),)
    difference = prepare(replace(scene, panes=pane))[0].lines[0]
    raw = prepare(replace(scene, panes=pane, remove_offset=False))[0].lines[0]
    np.testing.assert_allclose(difference.top - raw.top, (3.0 - 1.0) * 100 / 4.0, atol=PIXELS)


def test_codes_stay_in_their_lane_and_signals_may_leave_it(colours, make_scene, make_lane):
    colours, scales = colours | {"t2": EEG}, {"eeg": 4.0, "status": 4.0}
    code = replace(make_lane(1, "status"), colour="t2")
    scene = make_scene(lanes=(make_lane(0), code), values=np.full((2, 401), 1000.0), colours=colours, scales=scales)
    signal, status = prepare(scene)[0].lines
    assert (signal.top < 0).all()
    assert (status.top >= 100).all()
    assert (status.bottom <= 200).all()


def test_time_of_a_gap_may_be_missing(make_scene):
    scene = make_scene()
    times_s = scene.frame.blocks[0].times_s.copy()
    values = scene.frame.blocks[0].before.low.copy()
    times_s[100], values[:, 100] = np.nan, np.nan
    times_s[101:] += 2.0
    block = replace(scene.frame.blocks[0], times_s=times_s, before=Envelope(low=values, high=values))
    line = prepare(replace(scene, frame=replace(scene.frame, blocks=(block,))))[0].lines[0]
    assert np.isfinite(line.x).all()
    assert line.x[101] == pytest.approx((101 / 40.0 + 2.0) * 40)
    assert len(polygons(line)) == 2


def test_overlaid_lanes_share_a_row_and_an_offset_moves_by_rows(make_scene, make_lane):
    def middles(*lanes) -> list[float]:
        values = np.zeros((2, 401))
        strokes = prepare(make_scene(lanes=lanes, values=values))
        return sorted({float(line.top[0]) for stroke in strokes for line in stroke.lines})

    assert middles(make_lane(0), make_lane(1)) == [50.0, 150.0]
    assert middles(make_lane(0), make_lane(1, row=0)) == [100.0]
    assert middles(make_lane(0, offset=0.25), make_lane(1)) == [25.0, 150.0]
