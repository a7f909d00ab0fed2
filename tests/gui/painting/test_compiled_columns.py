"""Columns by a compiled program: it is made after the frame that lacked it, and paints what numpy paints."""

import numpy as np
import pytest

from jaxscope.compute import column_rows
from jaxscope.gui.painting.columns import paint_columns
from jaxscope.gui.painting.scene import Bundle, Pane, Stroke

LEFT, WIDTH, HEIGHT = 5, 90, 120


@pytest.fixture(autouse=True)
def nothing_compiled(monkeypatch):
    monkeypatch.setattr(column_rows, "_ready", set())
    monkeypatch.setattr(column_rows, "_wanted", {})


def make_traces(n_points, *, n_traces=20, is_exact=False, first=-3.0, last=WIDTH + 8.0):
    """Heights on a grid of quarters, so that no rounding moves one across the border of a pixel."""
    rng = np.random.default_rng(n_points)
    top = rng.integers(-80, 4 * HEIGHT + 80, (n_traces, n_points)).astype(np.float32) / 4 + np.float32(0.125)
    bottom = top if is_exact else top + rng.integers(0, 9, (n_traces, n_points)).astype(np.float32)
    top[3, n_points // 3 : n_points // 2] = bottom[3, n_points // 3 : n_points // 2] = np.nan
    top[4] = bottom[4] = np.nan
    top[5, 7], bottom[6, 9] = -np.inf, np.inf
    return Bundle(x=np.linspace(first, last, n_points), top=top, bottom=bottom, is_exact=is_exact)


def painted(bundle, thickness=1):
    pane = Pane(left_px=LEFT, width_px=WIDTH, content="both")
    image = np.zeros((HEIGHT, WIDTH + 20), np.uint8)
    stroke = Stroke(pane=pane, colour=0xFF6CB8FF, is_strong=False, is_before=False, bundles=(bundle,))
    with np.errstate(invalid="ignore", over="ignore"):
        paint_columns(image, stroke, thickness, 7)
    return image


@pytest.mark.parametrize("thickness", [1, 3])
@pytest.mark.parametrize(
    "traces",
    [
        {"n_points": 60},
        {"n_points": 150},
        {"n_points": 260},
        {"n_points": 60, "is_exact": True},
        {"n_points": 100, "first": 20.0, "last": 70.0},
    ],
    ids=["fewer points than columns", "more", "three a column", "samples", "a part of the columns"],
)
def test_a_compiled_program_paints_what_numpy_paints(monkeypatch, traces, thickness):
    bundle = make_traces(**traces)
    slow = painted(bundle, thickness)
    assert column_rows.compile_wanted()
    monkeypatch.setattr("jaxscope.gui.painting.columns.column_runs", None)
    quick = painted(bundle, thickness)
    assert (slow == 7).any()
    # where a line between two points crosses a column's border, the last bit may lie on the other side
    assert np.count_nonzero(slow != quick) <= 2


def test_nothing_is_compiled_in_front_of_a_hand(monkeypatch):
    calls = []
    monkeypatch.setattr("jaxscope.engines.column_rows.column_rows", lambda *given: calls.append(given))
    painted(make_traces(60))
    painted(make_traces(60))
    assert calls == []
    assert len(column_rows._wanted) == 1


def test_one_program_serves_windows_of_about_the_same_size():
    painted(make_traces(60))
    assert column_rows.compile_wanted()
    painted(make_traces(50))
    assert not column_rows.compile_wanted()


def test_columns_with_many_points_are_left_to_numpy():
    painted(make_traces(500))
    assert not column_rows.compile_wanted()
