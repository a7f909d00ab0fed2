"""A window that moves: what is kept of the last picture, and that the rest is the same as if painted anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jaxscope.compute.envelopes import Envelope
from jaxscope.gui.painting import painter_thread
from jaxscope.gui.painting.painter_thread import AheadImage, Painter, paint_scene
from jaxscope.gui.painting.strips import holds

N_LANES = painter_thread.MANY_MOVING_LANES + 2


@pytest.fixture
def window(make_lane, make_scene):
    """Return the maker of a scene in motion of many lanes whose window begins at a time."""
    rng = np.random.default_rng(3)
    lanes = tuple(make_lane(channel) for channel in range(N_LANES))

    def make(start_s: float, *, of=None, values=None, windows=1, **choices):
        scene = make_scene(bins=2, n=800, values=waves if values is None else values)
        block = scene.frame.blocks[0]
        wide = {"low": block.before.low, "high": block.before.high}
        envelopes = {name: Envelope(**wide) for name in ("before", "after")}
        # every sample twice as wide as a picture; a frame holds what its window shows, and two bins more
        first = max(0, int(start_s * 20) - 2)
        seen = slice(first, first + 200 * windows + 5)
        cut = {name: Envelope(low=one.low[:, seen], high=one.high[:, seen]) for name, one in envelopes.items()}
        cut["after"] = Envelope(low=cut["after"].low * 0.5, high=cut["after"].high * 0.5)
        block = replace(
            block,
            channels=tuple(range(N_LANES)),
            filtered=(True,) * N_LANES,
            times_s=block.times_s[seen],
            before_offset=np.zeros(N_LANES),
            after_offset=np.zeros(N_LANES),
            **cut,
            difference=None,
        )
        frame = replace(scene.frame, blocks=(block,), **{"made_of": ("one",), **(of or {})})
        panes = tuple(replace(pane, width_px=pane.width_px * windows) for pane in scene.panes)
        return replace(
            scene,
            frame=frame,
            lanes=lanes,
            start_s=start_s,
            stop_s=start_s + 10.0 * windows,
            width_px=scene.width_px * windows,
            panes=panes,
            quality="motion",
            is_ahead=windows > 1,
            **choices,
        )

    waves = rng.standard_normal((N_LANES, 800))
    return make


@pytest.fixture
def widths(monkeypatch):
    """Return the widths of what is painted, as it is painted."""
    painted = []
    original = painter_thread._painted

    def note(scene, ground, **keywords):
        if keywords["only_before"]:
            painted.append(scene.width_px)
        return original(scene, ground, **keywords)

    monkeypatch.setattr(painter_thread, "_painted", note)
    return painted


@pytest.mark.parametrize("step_s", [0.5, -0.5, 2.525, -3.014, 0.0])
def test_only_what_comes_into_sight_is_painted_and_the_whole_is_as_if_painted_anew(window, widths, step_s):
    painter = Painter()
    painter.paint(window(12.0))
    moved = painter.paint(window(12.0 + step_s))
    assert widths[0] == 400
    assert len(widths) == 1 + bool(step_s)
    assert all(width < 150 for width in widths[1:])
    # on the pixels of the first picture, less than one from where it was asked for
    assert abs(moved.scene.start_s - (12.0 + step_s)) <= 0.5 * 10.0 / 400 + 1e-9
    assert moved.image == paint_scene(moved.scene).image


def test_many_small_steps_do_not_drift(window):
    painter = Painter()
    painter.paint(window(12.0))
    for number in range(1, 30):
        moved = painter.paint(window(12.0 + 0.013 * number))
    assert abs(moved.scene.start_s - (12.0 + 0.013 * 29)) <= 0.5 * 10.0 / 400 + 1e-9
    assert moved.image == paint_scene(moved.scene).image


@pytest.mark.parametrize(
    "other",
    [
        {"of": {"made_of": ("another filter",)}},
        {"of": {"made_of": None}},
        {"of": {"n_recorded": (900,)}},
        {"of": {"has_run": ((300, b""),)}},
        {"height_px": 150},
        {"negative_up": True},
        {"scales": {"eeg": 5.0, "ecg": 4.0}},
        {"is_held": True},
    ],
)
def test_nothing_is_kept_of_a_picture_of_other_traces(window, widths, other):
    painter = Painter()
    painter.paint(window(12.0))
    changed = painter.paint(window(12.5, **other))
    assert widths == [400, 400]
    assert changed.scene.start_s == 12.5
    assert changed.image == paint_scene(changed.scene).image


def test_a_far_jump_is_painted_anew(window, widths):
    painter = Painter()
    painter.paint(window(2.0))
    painter.paint(window(11.0))
    assert widths == [400, 400]


@pytest.mark.parametrize(("start_s", "painted"), [(5.0, []), (11.3, []), (22.525, [23]), (0.5, [62])])
def test_a_window_is_taken_out_of_a_wide_picture_as_far_as_that_goes(window, widths, start_s, painted):
    painter = Painter()
    painter.paint(window(2.0, windows=3))
    widths.clear()
    own = painter.paint(window(start_s))
    assert widths == painted
    assert (own.image.width(), own.scene.is_ahead) == (400, False)
    assert own.image == paint_scene(own.scene).image


def test_a_wide_picture_that_moves_is_painted_at_its_edge(window, widths):
    painter = Painter()
    painter.paint(window(2.0, windows=3))
    widths.clear()
    moved = painter.paint(window(7.0, windows=3))
    assert widths == [202]
    assert isinstance(moved, AheadImage)
    assert moved.image == paint_scene(moved.scene).image


def test_a_wide_picture_holds_the_windows_within(window):
    whole = window(2.0, windows=3)
    assert holds(whole, window(2.1))
    assert holds(whole, window(21.9))
    assert not holds(whole, window(22.1))
    assert not holds(whole, window(1.9))
    assert not holds(whole, window(10.0, of={"made_of": ("another filter",)}))
    assert not holds(whole, window(10.0, of={"n_recorded": (900,)}))
    assert not holds(whole, replace(window(10.0), stop_s=25.0))
