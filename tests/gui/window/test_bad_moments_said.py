"""Bad moments in the window: one plain sentence, and ways on that work."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QFileDialog

from jaxscope.compute.frames import Blocked, Busy, Failure, Opened, Stalled
from jaxscope.gui.components.buttons import Button
from jaxscope.session import actions as act
from jaxscope.session.state import EngineChoice


def buttons(desk) -> dict[str, Button]:
    """Return what the banner offers."""
    assert desk.window.banner.isVisible()
    return {button.text(): button for button in desk.window.banner.findChildren(Button) if not button.isHidden()}


def block(desk, field: str, reason: str = "GPU 0 has no room for this view") -> None:
    desk.window.receive(
        Blocked(revision=desk.store.revision + 1, reason=reason, hint="show less", kind="device", field=field)
    )
    desk.pump()


@pytest.fixture
def shown(desk):
    """Return the desk with a document that refers to its recording."""
    desk.window.activateWindow()
    return desk


def test_no_room_on_a_gpu_offers_the_cpu(shown):
    shown.store.dispatch(act.ChooseEngine(device="gpu:0"))
    block(shown, "memory")
    assert shown.window.notices.current.sentence == "GPU 0 has no room for this view"
    offered = buttons(shown)
    assert set(offered) == {"Use the CPU", "Try again"}
    offered["Use the CPU"].click()
    assert shown.store.state.engine == EngineChoice()
    shown.show_frame()
    assert shown.window.notices.current is None


def test_no_room_on_the_cpu_offers_a_shorter_window(shown):
    block(shown, "memory", "the CPU has no room for this view")
    assert shown.window.notices.current.sentence == "The CPU has no room for this view"
    buttons(shown)["Half the window"].click()
    assert shown.store.state.viewport.duration_s == pytest.approx(5.0)


def test_a_device_that_is_lost_can_be_tried_again(shown):
    shown.store.dispatch(act.ChooseEngine(device="gpu:0"))
    block(shown, "lost", "GPU 0 stopped answering")
    buttons(shown)["Try again"].click()
    assert shown.conductor.asked[-1] == ("take up",)


def test_a_file_that_is_gone_keeps_the_picture_and_offers_to_try_again_or_find_it(shown, monkeypatch):
    picture = shown.window.traces.picture
    shown.window.receive(
        Failure(revision=9, what="frame", sentence="six.edf is not there any more", path="/data/six.edf")
    )
    shown.pump()
    assert shown.window.traces.picture is picture
    view = shown.store.state
    buttons(shown)["Try again"].click()
    assert shown.conductor.asked[-1] == ("open", "/data/six.edf")
    shown.window.receive(Opened(recording_id="r2", path="/data/six.edf", info=shown.window.shell.info))
    assert shown.conductor.asked[-2:] != [("open", "/data/six.edf")]
    assert ("take up",) in shown.conductor.asked
    assert shown.store.state == view
    shown.window.receive(Failure(revision=9, what="frame", sentence="gone", path="/data/six.edf"))
    shown.pump()
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("/other/six.edf", ""))
    buttons(shown)["Find…"].click()
    assert shown.conductor.asked[-1] == ("open", "/other/six.edf")


def test_a_drive_that_stalls_is_said_and_taken_back_when_it_answers(shown):
    shown.window.receive(Stalled(path="/net/night.edf", seconds=3.0))
    shown.pump()
    assert shown.window.notices.current.sentence == "night.edf has not answered for 3 s"
    assert set(buttons(shown)) == {"Close it"}
    shown.window.receive(Stalled(path="/net/night.edf", over=True))
    assert shown.window.notices.current is None


def test_a_drive_that_stalls_can_be_given_up(shown):
    shown.window.receive(Stalled(path="/net/night.edf", seconds=3.0))
    shown.pump()
    chains = shown.store.state.document.chains
    buttons(shown)["Close it"].click()
    assert ("give up reading",) in shown.conductor.asked
    assert not shown.window.shell.has_recording
    assert shown.window.start.isVisible()
    assert shown.store.state.document.chains == chains


def test_a_file_that_stalls_while_it_opens_is_said_on_the_start_screen(shown):
    shown.window.actions_.close_recording()
    shown.window.receive(Stalled(path="/net/night.edf", seconds=3.0))
    assert shown.window.start.failure_words == "night.edf has not answered for 3 s"
    shown.window.receive(Stalled(path="/net/night.edf", over=True))
    assert shown.window.start.failure_words == ""


def test_a_compilation_that_takes_long_offers_scipy(shown):
    shown.window.receive(Busy(what="compiling", label="Preparing"))
    patience = shown.window.outcomes.patience.timer
    assert patience.isActive()
    patience.timeout.emit()
    shown.pump()
    assert "takes longer than 6 s" in shown.window.notices.current.sentence
    buttons(shown)["Use SciPy meanwhile"].click()
    assert shown.store.state.engine.method == "scipy"
    assert shown.conductor.asked[-1] == ("give up computing",)
    assert shown.window.notices.current is None


def test_a_compilation_that_ends_says_nothing(shown):
    shown.window.receive(Busy(what="compiling", label="Preparing"))
    shown.window.receive(Busy(what="compiling", label="Preparing", done=True))
    assert not shown.window.outcomes.patience.timer.isActive()
    assert shown.window.notices.current is None
