"""Work that is not saved: asked about before it goes, kept every few seconds, offered again after a kill."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox

from jaxscope.gui.demo_run import open_demo
from jaxscope.gui.session import WindowSession, make_application
from jaxscope.gui.views.question_sheet import QuestionSheet
from jaxscope.resource_files import resource_path
from jaxscope.session import actions as act
from jaxscope.session.project import Project, load_project
from jaxscope.session.recovery import SUFFIX, Kept, read_kept, recovery_folder, write_kept
from jaxscope.session.settings import Settings
from jaxscope.session.state import Document, EngineChoice, RecordingRef, Viewport

TURN = act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=12.0)


@pytest.fixture
def answers(monkeypatch):
    """Note what is asked, and answer with what the test says."""
    asked: list[tuple[str, str]] = []
    given: list[QMessageBox.StandardButton] = []

    def answer(box: QMessageBox) -> QMessageBox.StandardButton:
        asked.append((box.text(), box.informativeText()))
        return given.pop(0)

    monkeypatch.setattr(QMessageBox, "exec", answer)
    return asked, given


def questions(window) -> list[QuestionSheet]:
    return [sheet for sheet in window.findChildren(QuestionSheet) if sheet.isVisible()]


def test_nothing_is_asked_while_nothing_would_be_lost(desk, answers):
    asked, _ = answers
    assert desk.window.actions_.may_discard()
    desk.store.dispatch(TURN)
    desk.store.undo()
    assert desk.window.actions_.may_discard()
    assert asked == []


def test_changes_without_a_project_are_asked_about_and_can_be_saved(desk, answers, monkeypatch, tmp_path):
    asked, given = answers
    desk.store.dispatch(TURN)
    desk.store.dispatch(act.PinChain(chain=0, name="then"))
    given += [QMessageBox.StandardButton.Cancel, QMessageBox.StandardButton.Discard]
    assert not desk.window.actions_.may_discard()
    assert desk.window.actions_.may_discard()
    assert asked[0] == (
        "Save the filter of six.edf as a project?",
        "The filter and 1 pinned chain would be lost.",
    )
    target = tmp_path / "six.jaxscope"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(target), ""))
    given.append(QMessageBox.StandardButton.Save)
    assert desk.window.actions_.may_discard()
    # the recording is not there, as on a drive that was taken out: the work is saved all the same
    assert load_project(target).document.chains == desk.store.state.document.chains
    assert Path(load_project(target).document.recording.path).name == "six.edf"
    assert desk.window.status.hint() == "Saved six.jaxscope. six.edf cannot be read now"
    assert desk.window.actions_.may_discard()  # and now there is nothing to ask
    assert len(asked) == 3
    desk.store.dispatch(replace(TURN, value=9.0))
    given.append(QMessageBox.StandardButton.Discard)
    desk.window.actions_.may_discard()
    assert asked[-1][0] == "Save the changes to six.jaxscope?"


def test_a_window_that_is_closed_asks_first(desk, answers):
    asked, given = answers
    desk.store.dispatch(TURN)
    given.append(QMessageBox.StandardButton.Cancel)
    assert not desk.window.close()
    assert desk.window.isVisible()
    assert len(asked) == 1


def test_a_project_without_its_recording_is_loaded_and_says_where_it_was(desk, tmp_path):
    path = tmp_path / "night.jaxscope"
    chain = {"format": "jaxscope-chain", "version": 1, "name": "Night", "stages": []}
    recording = {"path": "data/night.edf", "size_bytes": 3}
    path.write_text(json.dumps({"format": "jaxscope-project", "version": 1, "chains": [chain], "recording": recording}))
    desk.window.actions_.discards = True
    desk.window.actions_.open_path(str(path))
    (sheet,) = questions(desk.window)
    assert sheet.sentence == "night.edf is not where it was."
    assert sheet.hint == f"Last seen in {tmp_path / 'data'}. The filter is loaded."
    assert list(sheet.buttons) == ["Open without it", "Find…"]
    assert desk.store.state.document.chains[0].name == "Night"
    sheet.buttons["Open without it"].click()
    assert questions(desk.window) == []


def test_a_changed_recording_can_be_used_or_found(desk, tmp_path, monkeypatch):
    desk.window.actions_.say_changed("night.edf has changed since this project was saved", "3 kB longer", "night.edf")
    notice = desk.window.notices.current
    assert [label for label, _, _ in notice.actions] == ["Use it", "Find…"]
    notice.actions[0][2]()
    assert desk.window.notices.current is None
    found = tmp_path / "moved.edf"
    found.write_bytes(b"x")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_, **__: (str(found), ""))
    notice.actions[1][2]()
    assert desk.conductor.asked[-1] == ("open", str(found))


def test_a_newer_project_says_what_is_off(desk, tmp_path):
    path = tmp_path / "new.jaxscope"
    path.write_text(json.dumps({"format": "jaxscope-project", "version": 3, "program": "jaxscope 1.4", "moon": 1}))
    desk.window.actions_.discards = True
    desk.window.actions_.open_path(str(path))
    assert desk.window.notices.current.sentence == "This project was made by jaxscope 1.4"
    assert desk.window.notices.current.hint == "Parts this version does not know are kept but off"


KILLED = textwrap.dedent(
    """
    import os, signal, sys
    from PySide6.QtCore import QTimer
    from jaxscope.gui import app
    from jaxscope.gui.session import WindowSession
    from jaxscope.session import actions as act
    from jaxscope.session.recovery import SUFFIX, recovery_folder

    keep = WindowSession.keep_work

    def keep_work(session):
        keep(session)
        session.window.actions_.discards = True

        def edit():
            if session.store.state.document.recording is None:
                return QTimer.singleShot(50, edit)
            session.store.dispatch(act.TurnKnob(chain=0, stage=2, name="cutoff_hz", value=33.0))
            session.store.dispatch(act.PinChain(chain=0, name="before the kill"))
            wait()

        def wait():
            if list(recovery_folder().glob("*" + SUFFIX)):
                os.kill(os.getpid(), signal.SIGKILL)
            QTimer.singleShot(50, wait)

        QTimer.singleShot(0, edit)

    WindowSession.keep_work = keep_work
    app.run_demo_window(size=(1024, 640))
    """
)


@pytest.mark.skipif(sys.platform == "win32", reason="a kill there is another thing")
def test_work_is_offered_after_a_kill_and_comes_back_as_it_was(qtbot, isolated_home):
    done = subprocess.run([sys.executable, "-c", KILLED], env={**os.environ}, timeout=90, check=False)
    assert done.returncode == -9
    (left,) = recovery_folder().glob(f"*{SUFFIX}")
    kept = read_kept(left)
    assert kept.project.document.pins[0].name == "before the kill"
    make_application()
    session = WindowSession(Settings())
    session.window.resize(1024, 640)
    session.window.show()
    try:
        session.keep_work()
        (sheet,) = questions(session.window)
        assert "demo.edf: " in sheet.sentence
        sheet.buttons["Restore"].click()
        qtbot.waitUntil(lambda: session.store.state.document.recording is not None, timeout=20_000)
        document = session.store.state.document
        assert document.chains == kept.project.document.chains
        assert document.pins == kept.project.document.pins
        assert document.annotations == kept.project.document.annotations
        assert Path(document.recording.path) == Path(str(resource_path("demo.edf")))
        assert session.store.has_unsaved_changes
        qtbot.waitUntil(lambda: session.keeper.path.exists() and not left.exists(), timeout=20_000)
        assert read_kept(session.keeper.path).project.document.chains == document.chains
        # what runs is never taken for what is gone
        assert session.keeper.abandoned() == []
        session.store.mark_saved()
        qtbot.waitUntil(lambda: not session.keeper.path.exists(), timeout=20_000)
    finally:
        session.dispose()
    assert list(recovery_folder().glob(f"*{SUFFIX}")) == []


def test_an_interrupted_window_leaves_its_work_behind(qapp, isolated_home):
    session = WindowSession(Settings())
    session.keep_work()
    session.store.dispatch(act.SetChains(chains=load_chains()))
    session.leave_work_behind()
    session.dispose()
    (left,) = recovery_folder().glob(f"*{SUFFIX}")
    assert read_kept(left).project.document.chains == load_chains()


def load_chains():
    from jaxscope.compute.demo import demo_chains

    return demo_chains()


def test_work_whose_recording_never_opened_is_offered_again(qapp, isolated_home, tmp_path, monkeypatch):
    recording = tmp_path / "night.edf"
    recording.write_bytes(b"on a drive that does not answer")
    document = Document(chains=load_chains(), recording=RecordingRef(path=str(recording)))
    left = recovery_folder() / f"1-1{SUFFIX}"
    project = Project(document=document, viewport=Viewport(), engine=EngineChoice())
    write_kept(left, Kept(project=project, project_path="", kept_at=datetime(2026, 1, 1, 12, 0)))
    session = WindowSession(Settings())
    monkeypatch.setattr(session.conductor, "open", lambda *_, **__: None)
    session.keep_work()
    (sheet,) = session.window.findChildren(QuestionSheet)
    sheet.buttons["Restore"].click()
    session.dispose()
    assert read_kept(left).project.document.chains == document.chains


def test_whoever_only_looks_at_the_demonstration_has_nothing_to_lose(qapp, isolated_home, monkeypatch):
    session = WindowSession(Settings())
    monkeypatch.setattr(session.conductor, "open", lambda *_, **__: None)
    open_demo(session, None)
    assert session.store.state.document.chains == load_chains()
    assert not session.store.has_unsaved_changes
    session.store.dispatch(act.TurnKnob(chain=0, stage=2, name="cutoff_hz", value=30.0))
    assert session.store.has_unsaved_changes
    session.dispose()
