"""The chain written down in the export dialog: shown first, by kind, then saved; and the line for a terminal."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from jaxscope.compute.code_check import CodeCheck
from jaxscope.compute.code_export import SUFFIXES
from jaxscope.compute.code_frames import CodeChecked, CodeText
from jaxscope.compute.code_job import METHODS, CodeRequest
from jaxscope.errors import UnstableError
from jaxscope.filters import FAMILIES, FilterChain, Stage
from jaxscope.filters.spec import Padding
from jaxscope.gui.views.export_code_page import KINDS
from jaxscope.gui.views.export_code_parts import left_out_words
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
    cancelled = []
    made = ExportDialog(window, lambda request: (started.append(request), JOB)[1], cancelled.append)
    made.started, made.cancelled, made.host = started, cancelled, window
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


SAME = CodeChecked(
    job=JOB, target="python", is_same=True, difference=3e-13, peak=120.0, unit="uV", seconds=10.0, channels=("O1",)
)


def shown_code(dialog, target="python"):
    page = turn_to(dialog, "code")
    page.kinds.chosen.emit(target)
    dialog.show_frame(CodeText(job=JOB, target=target, text="x = 1", n_sections=1))
    return page


@pytest.mark.parametrize(
    ("changes", "token", "words"),
    [
        ({}, "ok", "Same numbers as the screen, run on 10 s of O1: largest difference 3 × 10⁻¹³ of 120 µV."),
        ({"precision": "float32"}, "ok", "(float32 on the screen)"),
        ({"is_same": False, "difference": 2.0}, "danger", "Not the numbers of the screen, run on 10 s of O1: largest"),
        ({"is_same": False, "difference": float("inf")}, "danger", "are no numbers"),
        ({"is_same": None, "unchecked": "no C compiler was found"}, "text3", "Not checked here: no C compiler"),
        ({"is_same": None, "problem": "it broke"}, "danger", "The check could not be done: it broke."),
    ],
)
def test_the_check_line_says_what_running_the_code_gave(dialog, changes, token, words):
    page = shown_code(dialog)
    assert dialog.started[-1] == CodeCheck(target="python", chain=CHAIN, rate_hz=512.0)
    assert "running it" in page.check.text()
    dialog.show_frame(replace(SAME, job=JOB + 1))
    assert "running it" in page.check.text(), "that was of another"
    dialog.show_frame(replace(SAME, **{"precision": "float64", **changes}))
    assert words in page.check.text()
    assert page.check.token == token


def test_a_check_that_is_overtaken_is_ended_and_its_outcome_dropped(dialog):
    page = shown_code(dialog)
    page.kinds.chosen.emit("matlab")
    assert dialog.cancelled == [JOB]
    dialog.show_frame(SAME)
    assert page.check.text() == ""
    dialog.show_frame(CodeText(job=JOB, target="matlab", text="y = 1;"))
    assert dialog.started[-1] == CodeCheck(target="matlab", chain=CHAIN, rate_hz=512.0)


def test_code_is_checked_again_where_another_view_is_looked_at(dialog, state):
    page = shown_code(dialog)
    dialog.show_frame(SAME)
    dialog.open_sheet()
    page.begin("night.edf")
    count = len(dialog.started)
    page.begin("night.edf")
    assert len(dialog.started) == count
    moved = replace(state, viewport=replace(state.viewport, start_s=30.0))
    dialog.show_state(moved, state)
    page.begin("night.edf")
    assert len(dialog.started) == count + 1
    assert isinstance(dialog.started[-1], CodeCheck)


def test_what_cannot_be_written_down_is_not_run(dialog):
    page = turn_to(dialog, "code")
    dialog.show_frame(CodeText(job=JOB, target="python", text="", problem="it has no such form"))
    assert not any(isinstance(one, CodeCheck) for one in dialog.started)
    assert page.check.text() == ""
    assert dialog.footnote.text() == ""


def test_the_line_for_a_terminal_stands_on_the_page(dialog):
    page = turn_to(dialog, "code")
    words = shlex.split(page.line.text())
    assert words[:2] == ["jaxscope", "filter"]
    assert words[4].endswith("night-filtered.edf")
    page.line.copy.click()
    assert QGuiApplication.clipboard().text() == page.line.text()


def test_the_footer_says_what_is_left_out(dialog, state, frame_of):
    off = Stage(spec=FAMILIES["butterworth"](), enabled=False, name="Slow waves")
    chain = replace(CHAIN, stages=(*CHAIN.stages, off), padding=Padding(kind="gustafsson"))
    changed = replace(state, document=replace(state.document, chains=(chain, FilterChain(name="ECG"))))
    dialog.show_state(changed, state)
    dialog.show_frame(frame_of(changed, 1))
    shown_code(dialog)
    words = dialog.footnote.text()
    assert words.startswith("EEG: 1 stage, 1 section. Slow waves is off and left out. The other chain is not in it.")
    assert "Gaps and bad spans are left out" in words
    assert "Gustafsson" not in words
    shown_code(dialog, "matlab")
    assert "Gustafsson's edges are left out" in dialog.footnote.text()
    shown_code(dialog, "jaxscope")
    assert "Gaps" not in dialog.footnote.text()
    turn_to(dialog, "seen")
    assert dialog.footnote.text() == ""


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ((), "EEG: 1 stage."),
        (("VEOG",), "EEG: 1 stage. VEOG has no filter."),
        (("a", "b"), "2 channels have no filter."),
    ],
)
def test_channels_without_a_filter_are_named(raw, words):
    assert left_out_words(CHAIN, CodeText(job=JOB, target="json", text="{}"), 0, 1, raw).endswith(words)


def test_many_stages_that_are_off_are_counted():
    off = tuple(Stage(spec=FAMILIES["notch"](), enabled=False, name=name) for name in "abcd")
    text = CodeText(job=JOB, target="json", text="{}")
    assert "a, b and c are off" in left_out_words(replace(CHAIN, stages=off[:3]), text, 0, 1)
    assert "4 stages are off" in left_out_words(replace(CHAIN, stages=off), text, 0, 1)
