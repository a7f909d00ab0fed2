"""The legend over the traces: a click hides or shows, two cursors say what lies between them, selection stands out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from jaxscope.compute.measure_frames import MeasureFrame, Measures
from jaxscope.gui.command_table import COMMANDS
from jaxscope.gui.painting.scene import prepare
from jaxscope.gui.views.header_legend import placed_entries
from jaxscope.session import actions as act
from jaxscope.session.project import Project, load_project, save_project


def click(desk, name: str) -> None:
    strip = desk.window.strip
    placed = placed_entries(strip.legend, strip._legend_room(), strip._panes())
    rect = next(one.rect for one in placed if one.entry.name == name)
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=rect.center().toPoint())


def colours_of(desk) -> set[int]:
    return {stroke.colour for stroke in prepare(desk.scenes[-1]) if stroke.bundles}


def test_a_click_on_before_hides_it_behind_what_is_filtered_alone(desk):
    behind = desk.scenes[-1].colours["before_mixed"]
    raw = desk.scenes[-1].colours["before"]
    assert behind in colours_of(desk)
    click(desk, "Before")
    assert not desk.store.state.viewport.show_before
    found = prepare(desk.scenes[-1])
    channels = sum(len(stroke.lines) for stroke in found if stroke.is_before)
    assert channels == 1  # VEOG, which nothing filters
    assert {stroke.colour for stroke in found if stroke.is_before} <= {raw, behind}
    click(desk, "Before, hidden")
    assert desk.store.state.viewport.show_before
    assert sum(len(stroke.lines) for stroke in prepare(desk.scenes[-1]) if stroke.is_before) == 6


def test_a_click_on_after_hides_the_filter_and_shows_it_again(desk):
    click(desk, "After")
    assert desk.store.state.viewport.raw
    click(desk, "Raw, filter hidden")
    assert not desk.store.state.viewport.raw


def test_a_click_beside_the_names_changes_nothing(desk):
    state = desk.store.state
    strip = desk.window.strip
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(int(strip._legend_room().right()) - 2, 10))
    assert desk.store.state is state


def test_the_command_does_the_same_and_a_project_keeps_it(desk, tmp_path):
    command = next(one for one in COMMANDS if one.name == "show_before")
    command.run(desk.window.actions_)
    state = desk.store.state
    assert not state.viewport.show_before
    kept = Project(document=state.document, viewport=state.viewport, engine=state.engine)
    save_project(tmp_path / "six.jaxscope", kept)
    assert not load_project(tmp_path / "six.jaxscope").viewport.show_before


def test_two_cursors_say_their_distance_and_what_the_filter_did_between_them(desk):
    desk.store.dispatch(act.SelectChannels(names=("O1",)))
    desk.store.dispatch(act.SetCursors(cursors_s=(2.0, 4.5)))
    assert desk.window.strip.legend.measures == (("Δt", "2.50 s"), ("1/Δt", "0.4 Hz"))
    rms = np.array([1.0, 2.0, 29.0, 4.0, 5.0, 6.0])
    sizes = Measures(first=rms, last=rms, rms=rms, deviation=rms, peak_to_peak=rms)
    frame = MeasureFrame(
        revision=desk.store.revision,
        recording_id="r",
        start_s=2.0,
        stop_s=4.5,
        channels=tuple(range(6)),
        before=sizes,
        after=replace(sizes, rms=rms / 2),
        removed=sizes,
        filtered=(True, True, True, True, False, True),
    )
    desk.window.receive(frame)
    assert desk.window.strip.legend.measures[2:] == (("RMS of O1 before", "29.0 µV"), ("after", "14.5 µV"))
    desk.store.dispatch(act.SelectChannels(names=("VEOG",)))
    assert desk.window.strip.legend.measures[2:] == (("RMS of VEOG before", "5.00 µV"),)
    desk.store.dispatch(act.SetCursors(cursors_s=(2.0, 5.0)))
    assert len(desk.window.strip.legend.measures) == 2  # those of the old cursors are not shown for the new ones


def test_the_selected_channels_stand_out_where_all_share_a_row(desk):
    desk.store.dispatch(act.Arrange(arrangement="butterfly", together=()))
    desk.store.dispatch(act.SelectChannels(names=("O1",)))
    scene = desk.scenes[-1]
    o1 = next(lane for lane in scene.lanes if lane.name == "O1")
    assert scene.raised == {o1.channel}
    strokes = prepare(scene)
    full = [stroke for stroke in strokes if stroke.colour == scene.colours[o1.colour] and not stroke.is_before]
    assert [len(stroke.lines) for stroke in full] == [1]
    assert strokes[-1] is full[0]
    assert scene.colours[f"faded_{o1.colour}"] in {stroke.colour for stroke in strokes}


def test_rows_of_their_own_need_no_fading(desk):
    n_scenes = len(desk.scenes)
    desk.store.dispatch(act.SelectChannels(names=("O1",)))
    assert len(desk.scenes) == n_scenes  # a selection alone needs no new picture
    assert desk.scenes[-1].raised == frozenset()
