"""The crossing from worker threads: in order, the newest picture only, nothing after closing; and the watchdog."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

from PySide6.QtCore import QThread
from PySide6.QtWidgets import QApplication

from jaxscope.compute.frames import AgreementFrame, Busy
from jaxscope.gui.bridge import Bridge
from jaxscope.gui.navigator import Navigator, next_window
from jaxscope.gui.watchdog import Watchdog
from jaxscope.session.state import Viewport


def agreement(revision: int) -> AgreementFrame:
    return AgreementFrame(revision=revision, relative_error=0.0, max_abs=0.0, checked="")


def test_outcomes_arrive_on_the_gui_thread_and_in_order(qapp, qtbot):
    bridge, received = Bridge(), []
    bridge.received.connect(lambda outcome: received.append((outcome, QThread.currentThread() is qapp.thread())))
    worker = threading.Thread(target=lambda: [bridge.deliver(Busy(what="x", label=str(n))) for n in range(20)])
    worker.start()
    qtbot.waitUntil(lambda: len(received) == 20, timeout=5000)
    worker.join()
    assert [outcome.label for outcome, _ in received] == [str(n) for n in range(20)]
    assert all(is_gui for _, is_gui in received)


def test_only_the_newest_frame_of_a_kind_waits(qapp):
    bridge, received = Bridge(), []
    bridge.received.connect(received.append)
    bridge.deliver(agreement(1))
    bridge.deliver(Busy(what="x", label="kept"))
    bridge.deliver(agreement(2))
    bridge.deliver(agreement(3))
    QApplication.processEvents()
    assert [getattr(item, "revision", "busy") for item in received] == ["busy", 3]


def test_nothing_arrives_after_closing(qapp):
    bridge, received = Bridge(), []
    bridge.received.connect(received.append)
    bridge.deliver(agreement(1))
    bridge.close()
    bridge.deliver(agreement(2))
    QApplication.processEvents()
    assert received == []


def test_watchdog_sees_a_stall(qapp, qtbot):
    watchdog = Watchdog()
    watchdog.start()
    qtbot.wait(20)
    time.sleep(0.08)
    qtbot.wait(20)
    watchdog.stop()
    assert watchdog.longest_ms > 60
    assert watchdog.longest_work_ms < 60, "sleeping is a stall and no work"


def make_navigator() -> tuple[Navigator, SimpleNamespace]:
    state = SimpleNamespace(viewport=Viewport(start_s=10.0, duration_s=10.0), document=SimpleNamespace(recording=None))

    def dispatch(action):
        previous = SimpleNamespace(viewport=state.viewport, document=state.document)
        view = getattr(action, "view", action)
        state.viewport = Viewport(start_s=view.start_s, duration_s=view.duration_s)
        navigator.note(state, previous)

    navigator = Navigator(dispatch, lambda: state)
    navigator.reset(60.0)
    return navigator, state


def test_navigator_stays_inside_the_recording():
    navigator, state = make_navigator()
    navigator.pan_windows(-2)
    assert state.viewport.start_s == 0.0
    navigator.last()
    assert state.viewport.start_s == 50.0
    navigator.zoom(100.0)
    assert (state.viewport.start_s, state.viewport.duration_s) == (0.0, 60.0)


def test_navigator_keeps_the_point_that_is_zoomed_around():
    navigator, state = make_navigator()
    navigator.zoom(0.5, around_s=12.0)
    viewport = state.viewport
    assert viewport.duration_s == 5.0
    assert (12.0 - viewport.start_s) / viewport.duration_s == 0.2


def test_navigator_goes_back_and_forward():
    navigator, state = make_navigator()
    navigator.back()
    assert state.viewport.start_s == 10.0
    navigator.remember()
    navigator.look(30.0, 2.0)
    navigator.back()
    assert (state.viewport.start_s, state.viewport.duration_s) == (10.0, 10.0)
    navigator.forward()
    assert (state.viewport.start_s, state.viewport.duration_s) == (30.0, 2.0)


def test_windows_step_by_one_two_five():
    assert [next_window(10.0, 1), next_window(10.0, -1), next_window(7.5, 1), next_window(7.5, -1)] == [20, 5, 10, 5]
