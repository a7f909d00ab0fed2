"""Heights in units per millimetre, paper speed, heights that follow the window, and what the legend says of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jaxscope.compute.envelopes import Envelope
from jaxscope.gui.display_menus import pixels_per_mm
from jaxscope.gui.painting.scales import ScaleBook, next_sensitivity, sensitivities_near
from jaxscope.session import actions as act
from jaxscope.session.state import ChannelLook, Viewport


def entries_of(menu) -> dict:
    return {entry.text().split("\t")[0]: entry for entry in menu.actions()}


def test_a_screen_is_as_it_says_until_it_was_measured():
    assert pixels_per_mm(0.0, 96.0) == pytest.approx(96 / 25.4)
    assert pixels_per_mm(40.0, 96.0) == 4.0


def test_usual_sensitivities_go_up_and_down():
    assert {5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 70.0, 100.0} <= set(sensitivities_near(10.0))
    assert next_sensitivity(7.0, 1) == 10.0
    assert next_sensitivity(7.0, -1) == 5.0
    assert next_sensitivity(8.0, -1) == 7.0
    assert next_sensitivity(0.1, 1) == 0.15


def test_a_sensitivity_fills_a_row_by_its_millimetres():
    book = ScaleBook()
    book.row_px, book.pixels_per_mm = 80.0, 4.0
    viewport = Viewport(sensitivities=(("eeg", 7.0),), scales=(("eeg", 1.0), ("ecg", 3.0)))
    assert book.units_per_lane(viewport, "eeg") == 140.0
    assert book.units_per_lane(viewport, "ecg") == 3.0
    assert book.units_per_mm(viewport, "ecg") == pytest.approx(3.0 / 20)


def test_the_scale_menu_sets_a_sensitivity_that_the_picture_and_the_stepper_take(desk):
    desk.window.shell.scales.pixels_per_mm = 4.0
    menu = desk.window.actions_.display.scale_menu()
    near = [words for words in entries_of(menu) if words.endswith("µV/mm")]
    assert len(near) > 10
    words = next(word for word in near if word.startswith("7 "))
    entries_of(menu)[words].trigger()
    assert desk.store.state.viewport.sensitivity_of("eeg") == 7.0
    row_mm = desk.window.traces.height() / 6 / 4.0
    assert desk.scenes[-1].scales["eeg"] == pytest.approx(7.0 * row_mm)
    assert desk.window.strip.scale_stepper.text() == "7 µV/mm"
    desk.window.strip.scale_stepper.stepped.emit(1)
    assert desk.store.state.viewport.sensitivity_of("eeg") == 10.0
    entries_of(desk.window.actions_.display.scale_menu())["By the height of a row"].trigger()
    assert desk.store.state.viewport.sensitivities == ()


def test_a_sensitivity_keeps_its_millimetres_when_rows_change(desk):
    desk.window.shell.scales.pixels_per_mm = 4.0
    desk.store.dispatch(act.SetSensitivity(kind="eeg", units_per_mm=7.0))
    for count in (6, 3):
        desk.store.dispatch(act.ShowLanes(first=0, count=count))
        scene = desk.scenes[-1]
        assert scene.scales["eeg"] / (scene.height_px / scene.ratio / count / 4.0) == pytest.approx(7.0)


def test_paper_speed_sets_the_window_and_keeps_it_through_a_resize(desk, qtbot):
    desk.window.shell.scales.pixels_per_mm = 4.0
    entries_of(desk.window.actions_.display.window_menu())["30 mm/s"].trigger()
    viewport = desk.store.state.viewport
    assert viewport.duration_s == pytest.approx(desk.window.traces.width() / 4.0 / 30.0)
    assert "30 mm/s" in desk.window.strip.legend.chips()
    desk.window.resize(1500, 1000)
    wanted = desk.window.traces.width() / 4.0 / 30.0
    qtbot.waitUntil(lambda: abs(desk.store.state.viewport.duration_s - wanted) < 1e-9, timeout=3000)
    assert desk.store.state.viewport.paper_mm_s == 30.0
    entries_of(desk.window.actions_.display.window_menu())["10 s"].trigger()
    assert desk.store.state.viewport.paper_mm_s is None


def test_a_window_longer_than_the_recording_has_no_paper_speed(desk):
    desk.window.shell.scales.pixels_per_mm = 4.0
    desk.window.shell.look_by_paper(0.1, 1000.0)
    assert desk.store.state.viewport.duration_s == 60.0
    assert desk.store.state.viewport.paper_mm_s is None


def test_the_measured_screen_is_kept_and_used(desk, monkeypatch):
    kept = []
    monkeypatch.setattr(desk.window.actions_, "change_settings", lambda settings: kept.append(settings))
    display = desk.window.actions_.display
    display.measure_screen()
    display.sheet.length.show_value(100.0)
    display.sheet.keep.click()
    assert kept[-1].pixels_per_cm == pytest.approx(40.0)


def test_fit_takes_what_is_visible_and_not_one_spike(desk):
    frame = desk.make_frame(revision=desk.store.revision)
    block = frame.blocks[0]
    low = block.after.low.copy()
    low[:, 50] = 1e6
    spiky = replace(block, after=Envelope(low=low, high=low))
    desk.window.receive(replace(frame, blocks=(spiky,)))
    desk.window.shell.fit_heights()
    # a sine of 10 units, twice as much room
    assert desk.store.state.viewport.scale_of("eeg") == pytest.approx(40.0, rel=0.02)
    assert desk.store.state.viewport.scale_of("eog") == pytest.approx(80.0, rel=0.02)


def test_heights_follow_the_window_but_not_the_knob_until_they_are_locked(desk):
    shell = desk.window.shell
    shell.toggle_lock()
    desk.show_frame(start_s=0.0, stop_s=10.0)
    assert desk.scenes[-1].scales["eeg"] == pytest.approx(40.0, rel=0.02)
    assert "heights follow" in desk.window.strip.legend.chips()
    tuned = desk.make_frame(revision=desk.store.revision + 1)
    block = tuned.blocks[0]
    halved = Envelope(low=block.after.low / 2, high=block.after.high / 2)
    half = replace(block, after=halved)
    desk.window.receive(replace(tuned, blocks=(half,)))
    assert desk.scenes[-1].scales["eeg"] == pytest.approx(40.0, rel=0.02)
    desk.store.dispatch(act.LookAt(start_s=5.0, duration_s=10.0))
    moved = desk.make_frame(revision=desk.store.revision + 2, start_s=5.0, stop_s=15.0)
    desk.window.receive(replace(moved, blocks=(replace(half, times_s=moved.blocks[0].times_s),)))
    assert desk.scenes[-1].scales["eeg"] == pytest.approx(20.0, rel=0.02)
    shell.toggle_lock()
    assert desk.store.state.viewport.lock_scales
    assert desk.store.state.viewport.scale_of("eeg") == pytest.approx(20.0, rel=0.02)


def test_what_is_done_to_the_values_is_said(desk):
    legend = desk.window.strip
    assert legend.legend.chips() == ["offset removed"]
    desk.store.dispatch(act.SetDisplay(name="remove_offset", value=False))
    desk.store.dispatch(act.SetDisplay(name="negative_up", value=True))
    assert legend.legend.chips() == ["negative up"]


def test_the_sheet_of_a_channel_names_shifts_and_puts_back(desk):
    menus = desk.window.actions_.menus
    menus.open_sheet("O1")
    menus.sheet.name.setText("left occipital")
    menus.sheet.name.editingFinished.emit()
    menus.sheet.offset.edited.emit(0.5, "typing")
    assert desk.store.state.document.look_of("O1") == ChannelLook(label="left occipital", offset=0.5)
    assert [lane.title for lane in desk.window.rail.lanes][2] == "left occipital"
    assert [lane.name for lane in desk.window.rail.lanes][2] == "O1"
    desk.store.undo()
    assert desk.store.state.document.look_of("O1").offset == 0.0
    menus.sheet.usual.click()
    assert desk.store.state.document.look_of("O1") == ChannelLook()
    menus.sheet.close_floating()
