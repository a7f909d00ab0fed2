"""Pictures of traces: order, offsets, gaps, both ways of painting in the same place, and the painter's thread."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from jaxscope.compute.frames import Envelope, Frame, TraceBlock
from jaxscope.gui.painting import painter_thread
from jaxscope.gui.painting.columns import column_runs, paint_columns
from jaxscope.gui.painting.lanes import Lane
from jaxscope.gui.painting.painter_thread import Painter, PainterThread, PaintFailure, TraceImage, paint_scene
from jaxscope.gui.painting.scene import Line, Pane, Stroke, TraceScene, before_key, prepare, vertices
from jaxscope.gui.painting.strokes import polygon_of, polygons

WIDTH, HEIGHT = 400, 200
BEFORE, MIXED, EEG, ECG, DIFF, HELD = 0xFF8F8473, 0xFF756C60, 0xFF6CB8FF, 0xFFFF8A75, 0xFFEE8FCB, 0xFF5996D0
COLOURS = {
    "before": BEFORE,
    "before_mixed": MIXED,
    "eeg": EEG,
    "ecg": ECG,
    "held_eeg": HELD,
    "held_ecg": HELD,
    "difference": DIFF,
}


def lane(channel: int, kind: str = "eeg", tag: str = "A", gain: float = 1.0) -> Lane:
    return Lane(channel=channel, name=f"c{channel}", unit="µV", kind=kind, colour=kind, tag=tag, gain=gain)


def make_scene(*, bins: int = 1, n: int = 401, filtered=(True, True), values=None, **choices) -> TraceScene:
    times_s = np.arange(n) * bins / 40.0
    wave = np.stack([np.sin(times_s), np.cos(times_s)]) if values is None else values
    spread = 0.0 if bins == 1 else 0.2
    low = wave - spread
    before = Envelope(low=low, high=low if bins == 1 else wave + spread)
    after = Envelope(low=low * 0.5, high=low * 0.5 if bins == 1 else (wave + spread) * 0.5)
    block = TraceBlock(
        rate_hz=40.0,
        channels=(0, 1),
        bin_samples=bins,
        times_s=times_s,
        before=before,
        after=after,
        difference=Envelope(low=before.low - after.low, high=before.high - after.high),
        filtered=filtered,
        before_offset=np.zeros(2),
        after_offset=np.zeros(2),
        removed_rms=np.zeros(2),
    )
    frame = Frame(
        revision=1,
        recording_id="r",
        start_s=0.0,
        stop_s=10.0,
        blocks=(block,),
        settled=True,
        compute_ms=1.0,
        method="block",
        method_reason="",
        device="cpu:0",
        precision="float64",
        n_channels=2,
        n_samples=n,
        scales={"eeg": 4.0, "ecg": 4.0},
        settling_99_s=0.1,
        settling_9999_s=0.2,
    )
    scene = TraceScene(
        serial=1,
        frame=frame,
        lanes=(lane(0), lane(1, "ecg")),
        start_s=0.0,
        stop_s=10.0,
        width_px=WIDTH,
        height_px=HEIGHT,
        ratio=1.0,
        panes=(Pane(left_px=0, width_px=WIDTH, content="both"),),
        scales={"eeg": 4.0, "ecg": 4.0},
        colours=COLOURS,
        remove_offset=True,
        negative_up=False,
        show_after=True,
        is_held=False,
        quality="rest",
    )
    return replace(scene, **choices)


def line_of(x, y, low=None) -> Line:
    top = np.asarray(y, float)
    bottom = top if low is None else np.asarray(low, float)
    return Line(x=np.asarray(x, float), top=top, bottom=bottom, is_exact=low is None)


def with_before(scene: TraceScene, values: np.ndarray) -> TraceScene:
    block = replace(scene.frame.blocks[0], before=Envelope(low=values, high=values.copy()))
    return replace(scene, frame=replace(scene.frame, blocks=(block,)))


# --- what is drawn


@pytest.mark.parametrize("bins", [1, 4])
@pytest.mark.parametrize("n_lanes", [2, 65])
@pytest.mark.parametrize("size", [1e300, 1.7e308, np.inf, np.nan, 5e-324])
def test_any_value_may_be_painted(bins, n_lanes, size):
    scene = make_scene(bins=bins, scales={"eeg": 1e-9, "ecg": 1e-9})
    values = scene.frame.blocks[0].before.low.copy()
    values[:, ::3] = size
    values[:, 1::3] = -size
    scene = replace(scene, lanes=tuple(lane(number) for number in range(n_lanes)))
    assert paint_scene(with_before(scene, values)) is not None


def test_all_before_comes_before_any_after():
    strokes = prepare(make_scene())
    assert [stroke.is_before for stroke in strokes] == [True, False, False]
    assert {stroke.colour for stroke in strokes if not stroke.is_before} == {EEG, ECG}
    assert strokes[0].colour == MIXED
    assert len(strokes[0].lines) == 2


def test_channel_without_a_filter_is_drawn_as_recorded_only():
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
def test_what_each_pane_shows(choices, colours):
    assert {stroke.colour for stroke in prepare(make_scene(**choices))} == colours


def test_positions_follow_time_scale_gain_and_sign():
    scene = make_scene(lanes=(lane(0, gain=2.0), lane(1)))
    first = prepare(scene)[0].lines[0]
    np.testing.assert_allclose(first.x[:3], [0.0, 1.0, 2.0])
    expected = 50 - np.sin(scene.frame.blocks[0].times_s[: len(first.top)]) * 100 * 2.0 / 4.0
    np.testing.assert_allclose(first.top, expected)
    flipped = prepare(replace(scene, negative_up=True))[0].lines[0]
    np.testing.assert_allclose(flipped.top, 100 - expected)


def test_bin_stands_at_its_middle():
    line = prepare(make_scene(bins=4))[0].lines[0]
    pixels_per_s = WIDTH / 10.0
    np.testing.assert_allclose(line.x[0], 1.5 / 40.0 * pixels_per_s)
    assert (line.top < line.bottom).all()
    flipped = prepare(make_scene(bins=4, negative_up=True))[0].lines[0]
    assert (flipped.top < flipped.bottom).all()


def test_offsets_are_taken_only_where_wanted():
    scene = make_scene()
    block = replace(scene.frame.blocks[0], before_offset=np.array([3.0, np.nan]), after_offset=np.array([1.0, 0.0]))
    scene = replace(scene, frame=replace(scene.frame, blocks=(block,)))
    plain = prepare(replace(scene, remove_offset=False))[0].lines
    shifted = prepare(scene)[0].lines
    np.testing.assert_allclose(shifted[0].top - plain[0].top, 3.0 * 100 / 4.0)
    np.testing.assert_allclose(shifted[1].top, plain[1].top)
    pane = (Pane(left_px=0, width_px=400, content="difference"),)
    difference = prepare(replace(scene, panes=pane))[0].lines[0]
    raw = prepare(replace(scene, panes=pane, remove_offset=False))[0].lines[0]
    np.testing.assert_allclose(difference.top - raw.top, (3.0 - 1.0) * 100 / 4.0)


def test_codes_stay_in_their_lane_and_signals_may_leave_it():
    colours, scales = COLOURS | {"t2": EEG}, {"eeg": 4.0, "status": 4.0}
    code = replace(lane(1, "status"), colour="t2")
    scene = make_scene(lanes=(lane(0), code), values=np.full((2, 401), 1000.0), colours=colours, scales=scales)
    signal, status = prepare(scene)[0].lines
    assert (signal.top < 0).all()
    assert (status.top >= 100).all()
    assert (status.bottom <= 200).all()


def test_time_of_a_gap_may_be_missing():
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


# --- how a line is drawn


def test_rising_bins_are_drawn_as_a_slope_and_not_as_a_saw():
    low = np.arange(10) * 2.0
    line = line_of(np.arange(10), 100 - (low + 1), 100 - low)
    _, y = vertices(line)
    assert (np.diff(y[2:]) <= 0).all()
    falling = line_of(np.arange(10), low, low + 1)
    assert (np.diff(vertices(falling)[1][2:]) >= 0).all()


def test_polygon_holds_the_points():
    polygon = polygon_of(np.array([1.0, 2.0]), np.array([3.0, 4.5]))
    assert [(polygon.at(k).x(), polygon.at(k).y()) for k in range(polygon.size())] == [(1.0, 3.0), (2.0, 4.5)]
    assert polygon_of(np.zeros(0), np.zeros(0)).size() == 0


def test_line_breaks_at_missing_values():
    line = line_of(np.arange(6), [1, 2, np.nan, 3, 4, np.nan])
    assert [part.size() for part in polygons(line)] == [2, 2]
    assert polygons(line_of([0.0, 1.0], [np.nan, np.nan])) == []


def naive_runs(x, top, bottom, left, right):
    tops, bottoms = [], []
    middle = (top + bottom) / 2
    for column in range(left, right):
        inside = (x >= column) & (x < column + 1)
        values = list(top[inside]) + list(bottom[inside])
        for border in (column, column + 1):
            if x[0] < border <= x[-1]:
                values.append(np.interp(border, x, middle))
        tops.append(min(values) if values else np.nan)
        bottoms.append(max(values) if values else np.nan)
    return np.array(tops), np.array(bottoms)


@pytest.mark.parametrize("n", [7, 50, 333])
def test_runs_agree_with_a_plain_reference(n):
    rng = np.random.default_rng(n)
    x = np.sort(rng.uniform(2.0, 58.0, n))
    top = rng.uniform(0, 100, n)
    bottom = top + rng.uniform(0, 5, n)
    got_top, got_bottom = column_runs([Line(x=x, top=top, bottom=bottom, is_exact=False)], 0, 60)
    want_top, want_bottom = naive_runs(x, top, bottom, 0, 60)
    np.testing.assert_allclose(got_top[0], want_top)
    np.testing.assert_allclose(got_bottom[0], want_bottom)


def test_columns_cover_each_run_and_stay_inside():
    pane = Pane(left_px=5, width_px=20, content="both")
    line = line_of(np.arange(0, 30.0), np.linspace(-50, 80, 30), np.linspace(-45, 90, 30))
    image = np.zeros((40, 30), np.uint32)
    paint_columns(image, Stroke(pane=pane, colour=EEG, is_strong=False, is_before=False, lines=(line,)), 1)
    painted = image == EEG
    assert not painted[:, :5].any()
    assert not painted[:, 25:].any()
    tops, bottoms = column_runs([line], 5, 25)
    for column in range(20):
        rows = np.arange(40)
        expected = (rows >= np.floor(tops[0, column])) & (rows <= np.floor(bottoms[0, column]))
        np.testing.assert_array_equal(painted[:, 5 + column], expected)


def coverage(image) -> np.ndarray:
    memory = np.frombuffer(image.bits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    return (memory[:, : image.width()] >> 24) > 0


def test_many_lanes_are_painted_in_the_same_place(monkeypatch):
    """A column picture lies under the smooth one: nothing of it is further than a pixel away."""
    scene = make_scene(bins=2)
    smooth = coverage(paint_scene(scene).image)
    monkeypatch.setattr(painter_thread, "MANY_LANES", 0)
    coarse = coverage(paint_scene(scene).image)
    grown = smooth.copy()
    for shift in (-1, 1):
        grown |= np.roll(smooth, shift, axis=0) | np.roll(smooth, shift, axis=1)
    assert coarse.sum() > 500
    assert (coarse & ~grown).sum() == 0


def test_motion_and_rest_differ_in_smoothness_only():
    rest = coverage(paint_scene(make_scene()).image)
    motion = coverage(paint_scene(make_scene(quality="motion")).image)
    grown = rest | np.roll(rest, 1, axis=0) | np.roll(rest, -1, axis=0)
    assert (motion & ~grown).sum() == 0


def test_split_panes_do_not_leak_into_each_other():
    panes = (Pane(left_px=0, width_px=190, content="before"), Pane(left_px=210, width_px=190, content="after"))
    painted = coverage(paint_scene(make_scene(panes=panes)).image)
    assert painted[:, :190].any()
    assert painted[:, 210:].any()
    assert not painted[:, 191:209].any()


# --- the painter


def test_before_is_painted_once_while_a_filter_is_tuned(monkeypatch):
    painted = []
    original = painter_thread._painted

    def note(*arguments, only_before, **keywords):
        painted.append(only_before)
        return original(*arguments, only_before=only_before, **keywords)

    monkeypatch.setattr(painter_thread, "_painted", note)
    painter, scene = Painter(), make_scene()
    first = painter.paint(scene)
    block = scene.frame.blocks[0]
    tuned = replace(block, after=Envelope(low=block.after.low * 1.5, high=block.after.high * 1.5))
    second = painter.paint(replace(scene, serial=2, frame=replace(scene.frame, revision=2, blocks=(tuned,))))
    assert painted == [True, False, False]
    assert first.image != second.image
    fresh = paint_scene(second.scene)
    assert fresh.image == second.image


@pytest.mark.parametrize(
    "choices",
    [
        {"start_s": 1.0},
        {"height_px": 100},
        {"show_after": False},
        {"negative_up": True},
        {"scales": {"eeg": 5.0, "ecg": 4.0}},
        {"lanes": (lane(1, "ecg"), lane(0))},
        {"colours": COLOURS | {"before_mixed": BEFORE}},
        {"quality": "motion"},
    ],
)
def test_before_is_painted_anew_when_anything_of_it_changes(choices):
    assert before_key(make_scene()) != before_key(make_scene(**choices))


def test_kept_before_is_never_shown_in_another_window():
    painter = Painter()
    painter.paint(make_scene())
    for choices in ({"start_s": 1.0, "stop_s": 11.0}, {"negative_up": True}, {"height_px": 100}):
        scene = make_scene(**choices)
        assert painter.paint(scene).image == paint_scene(scene).image


def test_painter_thread_paints_the_newest_scene_and_drops_the_rest():
    begun, go_on = threading.Event(), threading.Event()
    delivered, done = [], threading.Event()

    def deliver(result):
        delivered.append(result)
        if len(delivered) == 1:
            begun.set()
            go_on.wait(10)
        else:
            done.set()

    painter = PainterThread(deliver)
    try:
        painter.submit(make_scene(serial=1))
        assert begun.wait(10)
        for serial in (2, 3, 4):
            painter.submit(make_scene(serial=serial))
        go_on.set()
        assert done.wait(10)
    finally:
        go_on.set()
        painter.shut_down()
    assert [result.scene.serial for result in delivered] == [1, 4]
    assert all(isinstance(result, TraceImage) for result in delivered)


def test_painter_lives_on_after_an_error(caplog):
    delivered, arrived = [], threading.Semaphore(0)

    def deliver(result):
        delivered.append(result)
        arrived.release()

    painter = PainterThread(deliver)
    try:
        painter.submit(make_scene(scales={}))
        assert arrived.acquire(timeout=10)
        painter.submit(make_scene())
        assert arrived.acquire(timeout=10)
    finally:
        painter.shut_down()
    assert isinstance(delivered[0], PaintFailure)
    assert isinstance(delivered[0].error, KeyError)
    assert isinstance(delivered[1], TraceImage)
    assert "painting failed" in caplog.text


def test_shut_down_joins_and_nothing_is_delivered_afterwards():
    delivered = []
    painter = PainterThread(delivered.append)
    painter.shut_down()
    painter.submit(make_scene())
    assert not any(thread.name == "jaxscope-painter" for thread in threading.enumerate())
    assert delivered == []
