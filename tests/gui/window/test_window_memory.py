"""What is kept from one start to the next, what a bad settings file does, and what the start opens."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRect, QTimer
from PySide6.QtWidgets import QApplication

from jaxscope.compute.cpu_devices import ask_for_cpu_devices
from jaxscope.gui import app, window_memory
from jaxscope.gui.preferences import preferences
from jaxscope.gui.theme import theme
from jaxscope.gui.window_memory import is_on_a_screen, layout_of, restore_layout, within_a_screen
from jaxscope.session import actions as act
from jaxscope.session.settings import Settings, load_settings, save_settings, settings_path


def on_screens(monkeypatch, *places):
    """Say which screens there are, as (left, top, width, height)."""
    monkeypatch.setattr(window_memory, "_rooms", lambda: [QRect(*place) for place in places])


def test_layout_comes_back(desk, monkeypatch):
    on_screens(monkeypatch, (0, 0, 1920, 1080))
    window = desk.window
    window.setGeometry(20, 30, 1500, 700)
    window.parts.set_dock_width(440)
    desk.store.dispatch(act.ChooseFace(face="poles_zeros"))
    desk.store.dispatch(act.ChooseResponse(view="phase"))
    kept = layout_of(window, Settings())
    assert kept == Settings(geometry=(20, 30, 1500, 700, 0), dock_width=440, face="poles_zeros", response_view="phase")
    window.setGeometry(0, 0, 1600, 760)
    window.parts.set_dock_width(0)
    assert window.dock.width() == 400
    desk.store.dispatch(act.ChooseFace(face="design"))
    restore_layout(window, kept)
    desk.pump()
    assert window.geometry() == QRect(20, 30, 1500, 700)
    assert window.dock.width() == 440
    assert desk.store.state.viewport.face == "poles_zeros"


def test_a_place_on_a_screen_that_is_gone_is_not_gone_back_to(desk):
    before = desk.window.geometry()
    assert not is_on_a_screen(QRect(9000, 9000, 800, 600))
    restore_layout(desk.window, Settings(geometry=(9000, 9000, 800, 600, 0)))
    assert desk.window.geometry() == before


@pytest.mark.parametrize(
    ("kept", "place"),
    [
        ((0, 0, 1600, 1000), (0, 0, 1280, 800)),
        ((100, 40, 1600, 700), (0, 40, 1280, 700)),
        ((200, 100, 1200, 760), (200, 100, 1200, 760)),
    ],
)
def test_a_window_that_is_larger_than_the_screen_is_made_to_fit(monkeypatch, kept, place):
    on_screens(monkeypatch, (0, 0, 1280, 800))
    assert within_a_screen(QRect(*kept)) == QRect(*place)


def test_a_window_may_lie_over_two_screens(monkeypatch):
    on_screens(monkeypatch, (0, 0, 1280, 1024), (1280, 0, 1280, 1024))
    assert within_a_screen(QRect(100, 0, 2300, 1000)) == QRect(100, 0, 2300, 1000)


@pytest.mark.parametrize(("is_kept", "size"), [(True, (1600, 1000, 0)), (False, ())])
def test_layout_is_kept_when_the_window_is_closed_and_only_where_it_is_to_be(desk, is_kept, size):
    desk.window.remembers_layout = is_kept
    desk.window.close()
    preferences().writer.wait()
    assert load_settings()[0].geometry[2:] == size


def test_a_disk_that_does_not_answer_keeps_nobody_waiting_and_the_newest_settings_are_written(desk, monkeypatch):
    answers, began, written = threading.Event(), threading.Event(), []

    def write(settings: Settings, path: object) -> None:
        began.set()
        assert answers.wait(30)
        written.append(settings.last_folder)

    monkeypatch.setattr("jaxscope.gui.settings_writer.save_settings", write)
    actions = desk.window.actions_
    actions.change_settings(replace(actions.settings, last_folder="/first"))
    assert began.wait(30)
    for folder in ("/second", "/third"):
        actions.change_settings(replace(actions.settings, last_folder=folder))
    assert written == []
    answers.set()
    preferences().writer.wait()
    assert written == ["/first", "/third"]


def test_settings_that_cannot_be_kept_are_said_in_the_window(desk, qtbot):
    preferences().writer.wait()
    settings_path().unlink(missing_ok=True)
    settings_path().mkdir(parents=True)
    desk.window.actions_.change_settings(replace(desk.window.actions_.settings, last_folder="/data"))
    preferences().writer.wait()
    qtbot.waitUntil(lambda: desk.window.notices.current is not None)
    assert "cannot be kept" in desk.window.notices.current.sentence


def drive(monkeypatch: pytest.MonkeyPatch, look) -> None:
    """Run the real start, look at the window once it is there, and close it."""

    def run(session) -> int:
        loop_over = []
        QTimer.singleShot(0, lambda: loop_over.append(True))
        while not loop_over:
            QApplication.processEvents()
        try:
            look(session.window)
        finally:
            session.dispose()
            preferences().writer.wait()
        return 0

    monkeypatch.setattr(app, "_run", run)
    assert app.run_window() == 0


@pytest.mark.parametrize("content", ["{", '{"theme": "pink", "text_scale": 99}'])
def test_a_bad_settings_file_never_stops_the_start_and_is_said_once(qapp, monkeypatch, content):
    settings_path().parent.mkdir(parents=True, exist_ok=True)
    settings_path().write_text(content)
    said = []

    def look(window) -> None:
        said.append(window.start.failure_words)
        said.append(window.notices.current.hint)

    drive(monkeypatch, look)
    assert said[0].startswith("The setting")
    assert str(settings_path()) in said[1]
    assert said[1].startswith("1 more") == ("pink" in content)


def test_the_start_opens_what_was_open_last_where_that_is_wanted(qapp, monkeypatch):
    opened = []
    monkeypatch.setattr("jaxscope.gui.window_actions.WindowActions.open_path", lambda _, path: opened.append(path))
    save_settings(Settings(recent=("/data/night.edf",)))
    drive(monkeypatch, lambda window: None)
    assert opened == []
    save_settings(Settings(recent=("/data/night.edf",), start_up="last"))
    drive(monkeypatch, lambda window: None)
    assert opened == ["/data/night.edf"]


def test_a_theme_for_one_start_is_not_kept(desk):
    preferences().put_in_force(Settings(theme="dark"), theme_now="light")
    assert theme().mode == "light"
    desk.window.actions_.change_settings(replace(desk.window.actions_.settings, last_folder="/data"))
    assert theme().mode == "light"
    preferences().writer.wait()
    assert load_settings()[0].theme == "dark"
    desk.window.actions_.change_settings(replace(desk.window.actions_.settings, theme="system"))
    assert theme().mode == "system"


def test_times_by_the_clock_where_the_settings_say_so_and_the_file_knows_it(desk):
    from jaxscope.compute.frames import Opened

    desk.window.actions_.settings = Settings(times="clock")
    info = desk.window.shell.info
    desk.window.receive(Opened(recording_id="r", path="/data/six.edf", info=info))
    assert desk.store.state.viewport.clock_time
    desk.window.receive(Opened(recording_id="r", path="/data/six.edf", info=replace(info, start=None)))
    assert not desk.store.state.viewport.clock_time


def test_cpu_devices_are_asked_for_before_jax_only(monkeypatch):
    monkeypatch.delitem(sys.modules, "jax", raising=False)
    surroundings = {"XLA_FLAGS": "--xla_a=1"}
    assert ask_for_cpu_devices(4, surroundings)
    assert surroundings["XLA_FLAGS"] == "--xla_a=1 --xla_force_host_platform_device_count=4"
    assert not ask_for_cpu_devices(8, surroundings)
    assert not ask_for_cpu_devices(1, {})
    monkeypatch.setitem(sys.modules, "jax", object())
    assert not ask_for_cpu_devices(4, {})


def test_traces_end_at_their_lane_where_the_settings_say_so(desk):
    from jaxscope.compute.frames import Opened
    from jaxscope.gui.painting.scene import prepare

    def heights() -> list[float]:
        desk.store.dispatch(act.SetScale(kind="eeg", units_per_lane=1.0))
        desk.show_frame()
        scene = desk.scenes[-1]
        row_px = scene.height_px / len(scene.lanes)
        strokes = [bundle for stroke in prepare(scene) for bundle in stroke.bundles]
        return [float(np.nanmax(bundle.top) - np.nanmin(bundle.top)) / row_px for bundle in strokes]

    assert max(heights()) > len(desk.window.shell.lanes)
    desk.window.actions_.settings = Settings(lanes="clip")
    desk.window.receive(Opened(recording_id="r", path="/data/six.edf", info=desk.window.shell.info))
    assert desk.store.state.viewport.clip_lanes
    assert max(heights()) <= len(desk.window.shell.lanes)
