"""The real window with its real threads: open, tune, compare, go wrong and recover, export, close at any moment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QEventLoop, QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSlider
from shiboken6 import isValid

from jaxscope.cli.run import run
from jaxscope.compute.conductor import ExportRequest
from jaxscope.compute.demo import demo_chains
from jaxscope.gui.session import WindowSession, make_application
from jaxscope.resource_files import resource_path
from jaxscope.session import actions as act
from jaxscope.session.project import load_project
from jaxscope.session.settings import Settings

PATIENCE_S = 60.0


def wait(is_done: Callable[[], bool]) -> None:
    """Serve events until something is so."""
    deadline = time.monotonic() + PATIENCE_S
    loop, wake = QEventLoop(), QTimer()
    wake.start(10)
    while not is_done():
        assert time.monotonic() < deadline, "the window did not answer in time"
        loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)


@dataclass
class Driver:
    """A session, and what a person would wait for."""

    session: WindowSession

    def open(self, path: str | Path) -> None:
        self.session.window.actions_.open_path(str(path))
        wait(lambda: self.session.window.shell.path == str(path))
        self.wait_for_after()

    def wait_for_after(self) -> None:
        """Wait until filtered traces of the present state are on the screen."""
        revision = self.session.store.revision
        wait(lambda: self.shows(revision))

    def shows(self, revision: int) -> bool:
        picture = self.session.window.traces.picture
        if picture is None or picture.scene.frame.revision < revision:
            return False
        return any(block.after is not None for block in picture.scene.frame.blocks)

    def change(self, action: act.Action) -> None:
        self.session.store.dispatch(action)
        self.wait_for_after()


@pytest.fixture
def driver(qapp: QApplication) -> Iterator[Driver]:
    make_application()
    session = WindowSession(Settings(), demo_chains())
    session.window.resize(1200, 800)
    session.window.show()
    yield Driver(session)
    session.dispose()
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("jaxscope")]


@pytest.fixture
def demo() -> str:
    return str(resource_path("demo.edf"))


def test_dragging_a_cutoff_redraws_after_while_the_mouse_is_down(driver, demo):
    driver.open(demo)
    window = driver.session.window
    driver.change(act.TurnKnob(chain=0, stage=2, name="cutoff_hz", value=39.0, merge_key="drag"))
    assert driver.session.conductor.wait_idle(60)
    compiled = driver.session.conductor.compilations()
    pictures = []
    for cutoff_hz in (35.0, 25.0, 15.0, 8.0):
        driver.change(act.TurnKnob(chain=0, stage=2, name="cutoff_hz", value=cutoff_hz, merge_key="drag"))
        frame = window.traces.picture.scene.frame
        pictures.append(np.nansum(np.abs(np.diff(frame.blocks[0].after.high[0]))))
    assert pictures == sorted(pictures, reverse=True), "a lower cutoff leaves a smoother trace"
    assert driver.session.conductor.compilations() == compiled
    driver.session.store.undo()
    assert not driver.session.store.can_undo, "a drag is one step"


def test_unstable_coefficient_holds_the_picture_and_undo_brings_it_back(driver, demo):
    driver.open(demo)
    window = driver.session.window
    good = window.traces.picture.scene.frame
    rate_hz = good.blocks[0].rate_hz
    driver.session.store.dispatch(
        act.EditCoefficient(chain=0, stage=2, form="sos", row=0, column=5, value=1.05, rate_hz=rate_hz)
    )
    wait(lambda: window.status.badge == "Filter unstable")
    assert window.banner.isVisible()
    assert window.traces.model.frame is not None
    wait(lambda: window.traces.picture.scene.is_held)
    assert not window.actions_.can_export
    QTest.mouseClick(window.top.undo_button, Qt.MouseButton.LeftButton)
    driver.wait_for_after()
    wait(lambda: window.status.badge == "Filter on")
    assert not window.traces.picture.scene.is_held
    assert window.strip.isVisible()


def test_panning_keeps_drawing_and_ends_at_the_asked_window(driver, demo):
    driver.open(demo)
    view = driver.session.window.traces
    for _ in range(12):
        QTest.keyClick(view, Qt.Key.Key_Right)
        QApplication.processEvents()
    driver.wait_for_after()
    wait(lambda: view.picture.scene.start_s == 30.0)
    frame = view.picture.scene.frame
    assert frame.start_s <= 30.0
    assert frame.stop_s >= 40.0


@pytest.mark.parametrize(
    ("name", "content"),
    [("empty.edf", b""), ("wrong.edf", b"%PDF-1.4 nothing of an EDF in here" * 20), ("odd.xyz", b"\x00\x01" * 50)],
)
def test_bad_file_is_explained_on_the_start_screen(driver, tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    window = driver.session.window
    window.actions_.open_path(str(path))
    wait(lambda: bool(window.start.failure_words))
    assert window.start.isVisible()
    assert not window.shell.has_recording


def test_bad_file_leaves_the_open_recording_on_the_screen(driver, demo, tmp_path):
    driver.open(demo)
    path = tmp_path / "broken.edf"
    path.write_bytes(b"0       broken")
    window = driver.session.window
    window.actions_.open_path(str(path))
    wait(lambda: window.notices.current is not None)
    assert "broken.edf" in window.notices.current.sentence
    assert window.shell.path == demo
    assert window.traces.picture is not None


def test_project_is_saved_and_brings_everything_back(driver, demo, tmp_path):
    driver.open(demo)
    window, store = driver.session.window, driver.session.store
    store.dispatch(act.LookAt(start_s=40.0, duration_s=5.0))
    store.dispatch(act.HideChannels(names=("Fp1",)))
    assert store.has_unsaved_changes
    path = str(tmp_path / "work.jaxscope")
    window.actions_.project_path = path
    assert window.actions_.save()
    assert not store.has_unsaved_changes
    assert load_project(path).document.chains == store.state.document.chains
    window.actions_.close_recording()
    store.dispatch(act.SetChains(chains=()))
    window.actions_.project_path = ""
    window.actions_.discards = True  # or it would ask about the chains that are gone
    window.actions_.open_path(path)
    wait(lambda: window.shell.has_recording)
    driver.wait_for_after()
    assert (store.state.viewport.start_s, store.state.viewport.duration_s) == (40.0, 5.0)
    assert window.rail.lanes[0].name == "Fpz"
    assert len(store.state.document.chains) == 3


def test_export_writes_what_the_window_shows(driver, demo, tmp_path):
    driver.open(demo)
    window = driver.session.window
    target = tmp_path / "out.npy"
    driver.session.conductor.export(ExportRequest(path=str(target), channels=("O1",), start_s=34.0, stop_s=36.0))
    wait(lambda: window.notices.current is not None)
    assert window.notices.current.sentence == "Saved out.npy"
    driver.change(act.LookAt(start_s=34.0, duration_s=2.0))
    block = window.traces.picture.scene.frame.blocks[0]
    assert block.bin_samples == 1
    seen = (block.times_s >= 34.0) & (block.times_s < 36.0)
    written = np.load(target).ravel()
    shown = block.after.low[block.channels.index(18)][seen]
    np.testing.assert_allclose(shown, written[: len(shown)], atol=1e-3)


def test_window_is_closed_at_any_moment_fifty_times(qapp, demo, tmp_path):
    make_application()
    for cycle in range(50):
        session = WindowSession(Settings(), demo_chains())
        session.window.resize(900 + cycle, 700)
        session.window.show()
        session.window.actions_.open_path(demo)
        until = time.monotonic() + 0.012 * (cycle % 12)
        while time.monotonic() < until:
            QApplication.processEvents()
        if session.window.shell.has_recording and cycle % 3 == 0:
            session.conductor.export(ExportRequest(path=str(tmp_path / f"{cycle}.wav")))
            session.store.dispatch(act.LookAt(start_s=cycle, duration_s=5.0))
        session.dispose()
        assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("jaxscope")]
    assert not list(tmp_path.glob("*.part*"))


SCRIPT = """
import sys, threading
from PySide6.QtCore import QTimer

class Spy:
    def find_spec(self, name, path=None, target=None):
        is_here = threading.current_thread() is threading.main_thread()
        if name in ("jax", "scipy", "pyqtgraph") and is_here:
            print("on the GUI thread:", name, flush=True)
        return None

sys.meta_path.insert(0, Spy())
from jaxscope.gui import app

original = app._run

def run(session):
    print("shown", session.window.isVisible(), flush=True)
    QTimer.singleShot(int(sys.argv[2]), session.window.close)
    return original(session)

app._run = run
sys.exit(app.run_window(sys.argv[1]))
"""


@pytest.mark.parametrize("delay_ms", [0, 1500])
def test_process_ends_with_code_0_and_the_gui_thread_imports_nothing_heavy(demo, tmp_path, delay_ms):
    script = tmp_path / "drive.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-X", "faulthandler", str(script), demo, str(delay_ms)]
    surroundings = os.environ | {"HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=surroundings)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "shown True\n"
    assert "Traceback" not in done.stderr


def test_demo_command_measures_and_draws(qapp, tmp_path, capsys):
    target = tmp_path / "demo.png"
    assert run(["demo", "--json", "--screenshot", str(target), "--size", "1280x800"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["channels"], told["rate_hz"], told["recording"]) == (24, 256.0, "demo.edf")
    assert told["rms_after"] < told["rms_before"]
    assert told["compilations_while_tuning"] == 0
    assert 0 < told["knob_to_frame_ms"]["p50"] <= told["knob_to_frame_ms"]["p95"]
    assert target.read_bytes().startswith(b"\x89PNG")


def test_crash_of_a_part_becomes_a_banner(driver, demo, monkeypatch, caplog):
    driver.open(demo)
    window = driver.session.window

    def broken() -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(window.actions_, "toggle_theme", broken)
    sys.excepthook(ZeroDivisionError, ZeroDivisionError("a bug"), None)
    assert window.notices.current.sentence == "Something went wrong in the window"
    assert window.isVisible()
    assert "a bug" in caplog.text
    QTest.mouseClick(window.traces, Qt.MouseButton.LeftButton, pos=QPoint(100, 20))
    assert driver.session.store.state.viewport.selected_channels == ("Fp1",)


def test_recording_that_is_closed_while_it_opens_stays_closed(driver, demo):
    window = driver.session.window
    window.actions_.open_path(demo)
    assert driver.session.conductor.wait_idle(60)
    window.actions_.close_recording()
    for _ in range(20):
        QApplication.processEvents()
    assert not window.shell.has_recording
    driver.open(demo)


def test_rate_is_asked_for_where_the_file_does_not_tell_it(driver, tmp_path):
    path = tmp_path / "plain.npy"
    np.save(path, np.sin(np.arange(4000) / 9.0)[None])
    window = driver.session.window
    window.actions_.open_path(str(path))
    wait(lambda: window.floating.import_sheet is not None and window.floating.import_sheet.isVisible())
    sheet = window.floating.import_sheet
    sheet.field.setText("fast")
    sheet.open_button.click()
    assert sheet.isVisible()
    assert sheet.field.is_wrong
    sheet.field.setText("200 Hz")
    sheet.open_button.click()
    wait(lambda: window.shell.has_recording)
    assert window.shell.info.channels[0].rate_hz == 200.0
    assert driver.session.store.state.document.recording.rate_hz == 200.0
    wait(lambda: window.traces.picture is not None)


def is_settled(form, sizes):
    """Whether the sliders of a form have had the same place at ten looks in a row."""
    sizes.append([(item.width(), item.pos()) for item in form.findChildren(QSlider) if item.isVisible()])
    return len(sizes) >= 10 and all(one == sizes[-1] for one in sizes[-10:])


def test_slider_redraws_after_before_it_is_released(driver, demo):
    driver.open(demo)
    dock, store = driver.session.window.dock, driver.session.store
    driver.change(act.TurnKnob(chain=0, stage=2, name="cutoff_hz", value=41.0))
    store.dispatch(act.SelectStage(chain=0, stage=2))
    assert driver.session.conductor.wait_idle(60)
    sizes = []
    wait(lambda: is_settled(dock.design, sizes))
    slider = next(item for item in dock.design.findChildren(QSlider) if item.isVisible() and item.isEnabled())
    width, middle = slider.width(), slider.height() // 2
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, pos=QPoint(width // 2, middle))
    seen = []
    for x in (0.5, 0.6, 0.7):
        QTest.mouseMove(slider, QPoint(round(width * x), middle))
        driver.wait_for_after()
        seen.append(store.state.document.chains[0].stages[2].spec.cutoff_hz)
    assert seen == sorted(set(seen)), "each move is on the screen while the button is down"
    assert slider.width() == width, "nothing moves under the hand"
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=QPoint(round(slider.width() * 0.7), middle))
    store.undo()
    assert store.state.document.chains[0].stages[2].spec.cutoff_hz == 41.0, "a drag is one step"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a display")
def test_without_a_display_the_window_is_refused_in_one_line(demo, tmp_path):
    names = ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY")
    surroundings = {name: value for name, value in os.environ.items() if name not in names} | {"HOME": str(tmp_path)}
    command = [sys.executable, "-m", "jaxscope", demo]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=surroundings)
    assert done.returncode == 2
    assert done.stderr.startswith("jaxscope: there is no display")
    assert len(done.stderr.splitlines()) == 1


def test_a_second_window_shares_the_filter_and_the_time_and_has_its_own_look(driver, demo):
    driver.open(demo)
    first = driver.session
    second = first.open_beside()
    other = Driver(second)
    wait(lambda: second.window.shell.has_recording)
    other.wait_for_after()
    first.store.dispatch(act.LookAt(start_s=20.0, duration_s=5.0))
    other.change(act.ChooseMode(mode="difference"))
    assert second.store.state.viewport.start_s == 20.0
    assert first.store.state.viewport.mode == "overlay"
    driver.change(act.TurnKnob(chain=0, stage=2, name="cutoff_hz", value=20.0))
    other.wait_for_after()
    assert second.store.state.document.chains[0].stages[2].spec.cutoff_hz == 20.0
    second.window.actions_.toggle_link()
    first.store.dispatch(act.LookAt(start_s=40.0, duration_s=5.0))
    assert second.store.state.viewport.start_s == 20.0
    second.store.undo()
    assert first.store.state.document.chains[0].stages[2].spec.cutoff_hz != 20.0
    second.window.close()
    assert not first.store.has_others
    assert first.family == [first]
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not isValid(second.window), "a window that others outlive is freed"
    driver.change(act.TurnKnob(chain=0, stage=2, name="cutoff_hz", value=25.0))


def test_all_windows_close_together_when_the_program_is_asked_to_end(driver, demo):
    driver.open(demo)
    first = driver.session
    second = first.open_beside()
    first.leave_work_behind()
    first.close_all()
    assert not any(window.isVisible() for window in QApplication.topLevelWidgets())
    assert first.family == [second], "the first is freed, the last is left to whoever ends the program"


def test_a_folder_is_filtered_from_the_start_screen(driver, tmp_path):
    folder = tmp_path / "night"
    folder.mkdir()
    (folder / "a.npz").write_bytes(b"PK?")
    for name in ("b.npz", "c.npz"):
        np.savez(folder / name, data=np.random.default_rng(1).normal(size=(2, 2000)), rate_hz=250.0)
    window = driver.session.window
    window.actions_.filter_folder(str(folder))
    wait(lambda: window.folder.isVisible())
    assert window.shell.path == str(folder / "b.npz")  # the first one that can be read
    assert [row.name for row in window.folder.table.rows.rows] == ["a.npz", "b.npz", "c.npz"]
    window.folder.go.click()
    wait(lambda: not window.folder.is_running and window.folder.table.rows.count("saved") == 2)
    assert sorted(path.name for path in (tmp_path / "night-filtered").glob("*.npz")) == ["b.npz", "c.npz"]


def test_a_folder_without_recordings_is_told_on_the_start_screen(driver, tmp_path):
    window = driver.session.window
    window.actions_.filter_folder(str(tmp_path))
    wait(lambda: bool(window.start.failure_words))
    assert "holds no recordings" in window.start.failure_words
    assert not window.folder.is_open
