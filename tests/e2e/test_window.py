"""The real window with its real threads: tune, compare, go wrong and recover, close at any moment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSlider
from shiboken6 import isValid

from jaxscope.cli.run import run
from jaxscope.compute.conductor import ExportRequest
from jaxscope.compute.demo import demo_chains
from jaxscope.gui.session import WindowSession, make_application
from jaxscope.session import actions as act
from jaxscope.session.settings import Settings


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
    driver.wait(lambda: window.status.badge == "Filter unstable")
    assert window.banner.isVisible()
    assert window.traces.model.frame is not None
    driver.wait(lambda: window.traces.picture.scene.is_held)
    assert not window.actions_.can_export
    QTest.mouseClick(window.top.undo_button, Qt.MouseButton.LeftButton)
    driver.wait_for_after()
    driver.wait(lambda: window.status.badge == "Filter on")
    assert not window.traces.picture.scene.is_held
    assert window.strip.isVisible()


def test_panning_keeps_drawing_and_ends_at_the_asked_window(driver, demo):
    driver.open(demo)
    view = driver.session.window.traces
    for _ in range(12):
        QTest.keyClick(view, Qt.Key.Key_Right)
        QApplication.processEvents()
    driver.wait_for_after()
    driver.wait(lambda: view.picture.scene.start_s == 30.0)
    frame = view.picture.scene.frame
    assert frame.start_s <= 30.0
    assert frame.stop_s >= 40.0


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
    driver.wait(lambda: is_settled(dock.design, sizes))
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
    other = driver.beside()
    second = other.session
    driver.wait(lambda: second.window.shell.has_recording)
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
