"""Projects on a disk that does not answer: the window goes on, says what it waits for, and can give up."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import QEventLoop, QTimer

from jaxscope.gui import patient_files, window_files, window_projects
from jaxscope.gui.views.question_sheet import QuestionSheet
from jaxscope.session import actions as act

TURN = act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=12.0)


@pytest.fixture
def in_loop():
    """Return what calls something as an event would, and returns what it returned."""

    def call(work):
        loop, made = QEventLoop(), []

        def run():
            made.append(work())
            loop.quit()

        QTimer.singleShot(0, run)
        loop.exec()
        return made[0]

    return call


@pytest.fixture
def stalled(monkeypatch):
    """Return an event that a stalled disk waits for; little patience."""
    monkeypatch.setattr(patient_files, "SILENT_MS", 30)
    answers = threading.Event()
    yield answers
    answers.set()


def questions(window) -> list[QuestionSheet]:
    return [sheet for sheet in window.findChildren(QuestionSheet) if sheet.isVisible()]


def when_asked(window, act) -> None:
    """Look until a question is there, then act on it."""

    def look():
        found = questions(window)
        if found:
            act(found[0])
        else:
            QTimer.singleShot(5, look)

    look()


def test_a_quick_disk_is_never_spoken_of(desk, in_loop, tmp_path):
    desk.store.dispatch(TURN)
    desk.window.actions_.project_path = str(tmp_path / "a.jaxscope")
    assert in_loop(desk.window.actions_.save)
    assert not desk.store.has_unsaved_changes
    assert questions(desk.window) == []


def test_saving_to_a_stalled_disk_can_be_given_up(desk, in_loop, stalled, monkeypatch, tmp_path):
    monkeypatch.setattr(window_projects, "save_project", lambda *_: stalled.wait())
    desk.store.dispatch(TURN)
    desk.window.actions_.project_path = str(tmp_path / "a.jaxscope")
    said = []

    def stop(sheet):
        said.append(sheet.sentence)
        sheet.buttons["Stop waiting"].click()

    when_asked(desk.window, stop)
    assert not in_loop(desk.window.actions_.save)
    assert said == ["Saving a.jaxscope."]
    assert desk.store.has_unsaved_changes
    assert questions(desk.window) == []


def test_a_disk_that_answers_late_is_waited_for(desk, in_loop, stalled, monkeypatch, tmp_path):
    monkeypatch.setattr(window_projects, "save_project", lambda *_: stalled.wait())
    desk.store.dispatch(TURN)
    desk.window.actions_.project_path = str(tmp_path / "a.jaxscope")
    when_asked(desk.window, lambda _: stalled.set())
    assert in_loop(desk.window.actions_.save)
    assert not desk.store.has_unsaved_changes
    assert questions(desk.window) == []


def test_a_project_on_a_stalled_disk_leaves_what_there_was(desk, in_loop, stalled, monkeypatch):
    monkeypatch.setattr(window_files, "load_project", lambda *_, **__: stalled.wait())
    before = desk.store.state
    when_asked(desk.window, lambda sheet: sheet.buttons["Stop waiting"].click())
    in_loop(lambda: desk.window.actions_.open_path("/nowhere/a.jaxscope"))
    assert desk.store.state is before


def test_what_goes_wrong_on_the_thread_is_said(desk, in_loop, tmp_path):
    path = tmp_path / "a.jaxscope"
    path.write_text("no project", encoding="utf-8")
    before = desk.store.state
    in_loop(lambda: desk.window.actions_.open_path(str(path)))
    assert desk.store.state is before
    assert desk.window.notices.current is not None
