"""How a trace becomes a line or columns, and that both ways of painting lie in the same place."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.gui.painting import painter_thread
from jaxscope.gui.painting.columns import column_runs, paint_columns
from jaxscope.gui.painting.painter_thread import paint_scene
from jaxscope.gui.painting.scene import Pane, Stroke, vertices
from jaxscope.gui.painting.strokes import polygon_of, polygons


def test_rising_bins_are_drawn_as_a_slope_and_not_as_a_saw(make_bundle):
    low = np.arange(10) * 2.0
    (line,) = make_bundle(np.arange(10), 100 - (low + 1), 100 - low).lines()
    _, y = vertices(line)
    assert (np.diff(y[2:]) <= 0).all()
    (falling,) = make_bundle(np.arange(10), low, low + 1).lines()
    assert (np.diff(vertices(falling)[1][2:]) >= 0).all()


def test_polygon_holds_the_points():
    polygon = polygon_of(np.array([1.0, 2.0]), np.array([3.0, 4.5]))
    assert [(polygon.at(k).x(), polygon.at(k).y()) for k in range(polygon.size())] == [(1.0, 3.0), (2.0, 4.5)]
    assert polygon_of(np.zeros(0), np.zeros(0)).size() == 0


def test_line_breaks_at_missing_values(make_bundle):
    (line,) = make_bundle(np.arange(6), [1, 2, np.nan, 3, 4, np.nan]).lines()
    assert [part.size() for part in polygons(line)] == [2, 2]
    (nothing,) = make_bundle([0.0, 1.0], [np.nan, np.nan]).lines()
    assert polygons(nothing) == []


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
def test_runs_agree_with_a_plain_reference(n, make_bundle):
    rng = np.random.default_rng(n)
    x = np.sort(rng.uniform(2.0, 58.0, n))
    top = rng.uniform(0, 100, n)
    bottom = top + rng.uniform(0, 5, n)
    got_top, got_bottom = column_runs(make_bundle(x, top, bottom), 0, 60)
    want_top, want_bottom = naive_runs(x, top, bottom, 0, 60)
    np.testing.assert_allclose(got_top[:, 0], want_top, rtol=1e-4)
    np.testing.assert_allclose(got_bottom[:, 0], want_bottom, rtol=1e-4)


def test_columns_cover_each_run_and_stay_inside(make_bundle):
    pane = Pane(left_px=5, width_px=20, content="both")
    bundle = make_bundle(np.arange(0, 30.0), np.linspace(-50, 80, 30), np.linspace(-45, 90, 30))
    image = np.zeros((40, 30), np.uint8)
    paint_columns(
        image, Stroke(pane=pane, colour=0xFF6CB8FF, is_strong=False, is_before=False, bundles=(bundle,)), 1, 7
    )
    painted = image == 7
    assert not painted[:, :5].any()
    assert not painted[:, 25:].any()
    tops, bottoms = column_runs(bundle, 5, 25)
    for column in range(20):
        rows = np.arange(40)
        expected = (rows >= np.floor(tops[column, 0])) & (rows <= np.floor(bottoms[column, 0]))
        np.testing.assert_array_equal(painted[:, 5 + column], expected)


def test_many_lanes_are_painted_in_the_same_place(monkeypatch, make_scene, coverage):
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


def test_motion_and_rest_differ_in_smoothness_only(make_scene, coverage):
    rest = coverage(paint_scene(make_scene()).image)
    motion = coverage(paint_scene(make_scene(quality="motion")).image)
    grown = rest | np.roll(rest, 1, axis=0) | np.roll(rest, -1, axis=0)
    assert (motion & ~grown).sum() == 0


def test_split_panes_do_not_leak_into_each_other(make_scene, coverage):
    panes = (Pane(left_px=0, width_px=190, content="before"), Pane(left_px=210, width_px=190, content="after"))
    painted = coverage(paint_scene(make_scene(panes=panes)).image)
    assert painted[:, :190].any()
    assert painted[:, 210:].any()
    assert not painted[:, 191:209].any()
