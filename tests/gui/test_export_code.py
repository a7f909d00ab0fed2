"""The chain written down in the export dialog: shown first, by kind, then saved; and the line for a terminal."""

from __future__ import annotations

import shlex

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from jaxscope.compute.code_export import SUFFIXES
from jaxscope.compute.code_job import METHODS, CodeRequest
from jaxscope.compute.frames import CodeText
from jaxscope.errors import UnstableError
from jaxscope.filters import FAMILIES, FilterChain, Stage
from jaxscope.gui.views.export_code_page import KINDS
from jaxscope.gui.views.export_dialog import ExportDialog
from jaxscope.session.state import Document, RecordingRef, SessionState

JOB = 7
CHAIN = FilterChain(name="EEG", phase="zero", stages=(Stage(spec=FAMILIES["notch"]()),))


@pytest.fixture
def state(tmp_path):
    return SessionState(document=Document(recording=RecordingRef(path=str(tmp_path / "night.edf")), chains=(CHAIN,)))


@pytest.fixture
def dialog(qtbot, state, frame_of):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1200, 700)
    window.show()
    started = []
    made = ExportDialog(window, lambda request: (started.append(request), JOB)[1], lambda _job: None)
    made.started, made.host = started, window
    made.show_state(state, state)
    made.show_frame(frame_of(state, 1))
    made.open_sheet()
    return made


def turn_to(dialog, key):
    keys = [dialog.targets.item(row).data(Qt.ItemDataRole.UserRole) for row in range(dialog.targets.count())]
    dialog.targets.setCurrentRow(keys.index(key))
    return dialog.pages[key]


def test_code_is_asked_for_once_and_shown(dialog):
    page = turn_to(dialog, "code")
    assert dialog.started == [CodeRequest(target="python", chain=CHAIN, rate_hz=512.0, shape=dialog.started[0].shape)]
    dialog.show_frame(CodeText(job=JOB, target="python", text="print"))
    assert page.text.toPlainText() == "print"
    dialog.show_frame(CodeText(job=JOB + 1, target="python", text="of another"))
    assert page.text.toPlainText() == "print"
    page.kinds.chosen.emit("matlab")
    assert dialog.started[-1].target == "matlab"
    assert page.path.text().endswith("night-code.m")
    page.copy.click()
    assert QGuiApplication.clipboard().text() == "print"


@pytest.mark.parametrize("key", ["code", "coefficients", "methods", "compiled"])
def test_what_is_shown_is_saved_where_it_is_said(dialog, key, tmp_path):
    page = turn_to(dialog, key)
    dialog.export_button.click()
    request = dialog.started[-1]
    assert request.path == page.path.text()
    assert request.target == page.kind
    assert dialog.export_button.text() == page.target.button


def test_every_export_is_in_the_dialog_and_nothing_else():
    offered = {name for _, kinds in KINDS for name, _ in kinds}
    assert offered == {*SUFFIXES, METHODS}


def test_a_problem_is_said_on_the_page(dialog):
    page = turn_to(dialog, "compiled")
    dialog.show_frame(CodeText(job=JOB, target="stablehlo", text="", problem="a running median has no StableHLO"))
    assert page.problem.text() == "A running median has no StableHLO"


@pytest.mark.parametrize("target", [*SUFFIXES, METHODS])
def test_the_request_makes_what_the_command_line_makes(target, tmp_path):
    request = CodeRequest(target=target, chain=CHAIN, rate_hz=512.0, path=str(tmp_path / "x"))
    content = request.content()
    assert content
    assert target == "stablehlo" or b"sampled at 512 Hz" in b" ".join(content.split())


def test_an_unstable_chain_is_told_and_not_raised():
    wild = FilterChain(stages=(Stage(spec=FAMILIES["sections"](rows=((1, 0, 0, 1, -2.5, 1),))),))
    request = CodeRequest(target="stablehlo", chain=wild, rate_hz=512.0)
    with pytest.raises(UnstableError):
        request.content()
    assert "outside the unit circle" in request._shown(JOB).problem


def test_the_line_for_a_terminal_is_copied(dialog):
    dialog.copy_line.click()
    words = shlex.split(QGuiApplication.clipboard().text())
    assert words[:2] == ["jaxscope", "filter"]
    assert words[3:4] == ["-o"]
    assert '"family":"notch"' in words[6]
