"""A window that moves within what was worked out and painted around it: nothing is asked for, it is there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jaxscope.compute.frames import Grown
from jaxscope.compute.surroundings import Surroundings
from jaxscope.gui.painting.painter_thread import AheadImage, Painter
from jaxscope.session import actions as act


@pytest.fixture
def around(desk):
    """Hand the window the surroundings of 20 to 25 s, 10 to 35 s, and their picture; return them."""
    view = desk.window.traces
    desk.store.dispatch(act.LookAt(start_s=20.0, duration_s=5.0))
    own = desk.make_frame(revision=desk.store.revision, start_s=19.0, stop_s=26.0)
    desk.window.receive(replace(own, made_of=("a",)))
    desk.paint()
    frame = desk.make_frame(revision=desk.store.revision, start_s=10.0, stop_s=35.0)
    width_px = round(view.width() * view.devicePixelRatioF())
    made = Surroundings(
        frame=replace(frame, made_of=("a",)), start_s=10.0, stop_s=35.0, state=desk.store.state, width_px=width_px
    )
    desk.window.receive(made)
    scene = desk.scenes[-1]
    assert scene.is_ahead
    image = Painter().paint(scene)
    assert isinstance(image, AheadImage)
    desk.window.receive(image)
    return made


def test_the_picture_around_is_as_wide_as_five_windows(desk, around):
    scene = [one for one in desk.scenes if one.is_ahead][-1]
    shown = next(one for one in desk.scenes if not one.is_ahead)
    assert (scene.start_s, scene.stop_s) == (10.0, 35.0)
    assert scene.width_px == 5 * shown.width_px
    assert [pane.width_px for pane in scene.panes] == [5 * pane.width_px for pane in shown.panes]


@pytest.mark.parametrize("start_s", [20.37, 12.0, 29.5])
def test_a_pan_within_is_drawn_without_asking_for_anything(desk, around, start_s):
    n_scenes, told = len(desk.scenes), []
    desk.window.traces.painted.connect(told.append)
    desk.store.dispatch(act.LookAt(start_s=start_s, duration_s=5.0))
    desk.pump()
    assert len(desk.scenes) == n_scenes
    assert told == [desk.store.revision]
    assert isinstance(desk.window.traces.picture, AheadImage)
    assert not desk.window.traces.is_behind


def test_values_under_the_pointer_are_those_of_the_new_window(desk, around):
    desk.store.dispatch(act.LookAt(start_s=12.0, duration_s=5.0))
    model = desk.window.traces.model
    values = model.values_at(model.lanes[0], 12.26)
    assert values.before.low == pytest.approx(100.0 + 20.0 * np.sin(2 * np.pi * 12.26))
    assert values.after.low == pytest.approx(10.0 * np.sin(2 * np.pi * 12.26))


def test_a_pan_out_of_it_waits_for_a_frame(desk, around):
    desk.store.dispatch(act.LookAt(start_s=33.0, duration_s=5.0))
    desk.pump()
    assert desk.window.traces.model.awaits_frame
    assert desk.window.traces.painted_revision < desk.store.revision


def test_a_picture_of_other_heights_is_not_used(desk, around):
    desk.store.dispatch(act.SetScale(kind="eeg", units_per_lane=77.0))
    desk.paint()
    n_scenes = len(desk.scenes)
    desk.store.dispatch(act.LookAt(start_s=21.0, duration_s=5.0))
    scene = desk.scenes[n_scenes]
    assert (scene.start_s, scene.is_ahead, scene.quality) == (21.0, False, "motion")
    assert scene.scales["eeg"] == 77.0
    assert scene.revision == desk.store.revision


def test_an_edit_of_the_filter_makes_it_worthless(desk, around):
    desk.store.dispatch(act.SetChains(chains=()))
    desk.store.dispatch(act.LookAt(start_s=21.0, duration_s=5.0))
    assert desk.window.traces.model.awaits_frame


def test_a_frame_of_a_window_that_was_left_does_not_come_back(desk, around):
    late = replace(desk.make_frame(revision=desk.store.revision, start_s=19.0, stop_s=26.0), made_of=("a",))
    desk.store.dispatch(act.LookAt(start_s=12.0, duration_s=5.0))
    desk.window.receive(late)
    times_s = desk.window.traces.model.frame.blocks[0].times_s
    assert times_s[0] <= 12.0
    assert times_s[-1] >= 17.0


def test_after_rest_the_surroundings_are_painted_again(desk, around):
    desk.store.dispatch(act.SetScale(kind="eeg", units_per_lane=77.0))
    desk.window.traces.rest_now()
    assert desk.scenes[-1].quality == "rest"
    desk.paint()
    assert desk.scenes[-1].is_ahead
    assert desk.scenes[-1].scales["eeg"] == 77.0


def test_what_runs_or_differs_has_none(desk, around):
    desk.store.dispatch(act.ChooseMode(mode="difference"))
    desk.paint()
    desk.store.dispatch(act.LookAt(start_s=21.0, duration_s=5.0))
    assert desk.window.traces.model.awaits_frame


def test_what_ended_where_the_file_did_is_forgotten_when_it_grows(desk, around):
    model = desk.window.traces.model
    desk.window.traces.show_frame(Grown(recording_id=model.recording_id, info=model.info))
    desk.store.dispatch(act.LookAt(start_s=21.0, duration_s=5.0))
    assert model.awaits_frame
    assert not isinstance(desk.window.traces.picture, AheadImage)


def test_what_was_on_its_way_when_the_recording_was_closed_is_not_kept(desk, around):
    view = desk.window.traces
    image = Painter().paint([one for one in desk.scenes if one.is_ahead][-1])
    desk.window.show_start()
    assert view.model._lent is None
    desk.window.receive(around)
    desk.window.receive(image)
    assert (view._ahead.around, view._ahead._picture) == (None, None)
