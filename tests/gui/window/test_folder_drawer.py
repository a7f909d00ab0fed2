"""Filtering a folder from the window: asked by a key, listed, begun with the filter of now, told row by row."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from jaxscope.compute.folder_frames import FolderListed, FolderProgress, FolderRow
from jaxscope.gui.command_table import command
from jaxscope.gui.theme import scaled
from jaxscope.gui.views.folder_rows import sentence_of
from jaxscope.session import actions as act

ROWS = tuple(FolderRow(path=f"/data/n{n}.edf", name=f"n{n}.edf", size_bytes=10) for n in range(3))


def _asked(desk) -> tuple:
    """Return the last thing that was asked of the side that filters folders."""
    return [item for item in desk.conductor.asked if item[0] in ("list", "filter folder", "stop folder")][-1]


@pytest.fixture
def drawer(desk, monkeypatch):
    """Return the drawer of a folder that was asked for by its key, with three recordings in it."""
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *given: "/data")
    item = command("filter_folder")
    assert item.keys("anywhere") == ("Ctrl+Shift+O",)
    assert desk.window.router.run(item)
    assert _asked(desk) == ("list", "/data", "/data-filtered")
    desk.window.receive(FolderListed(folder="/data", rows=ROWS))
    return desk.window.folder


def _tell(desk, number, row, share=0.5, *, over=False):
    desk.window.receive(FolderProgress(number=number, row=row, share=share, seconds_left=34.0, over=over))


def test_it_takes_the_place_of_the_overview_and_esc_gives_it_back(desk, drawer):
    assert drawer.isVisible()
    assert not desk.window.overview.isVisible()
    assert drawer.table.hasFocus()
    assert drawer.go.text() == "Filter 3 recordings"
    assert "/data-filtered" in drawer.words.text()
    desk.window.actions_.escape()
    assert not drawer.isVisible()
    assert desk.window.overview.isVisible()
    assert desk.window.traces.hasFocus()


def test_it_is_begun_with_the_filter_of_now_and_rows_follow_what_is_told(desk, drawer):
    chains = desk.store.state.document.chains
    drawer.go.click()
    what, request = _asked(desk)
    assert what == "filter folder"
    assert (request.rows, request.target, request.overwrite) == (ROWS, "/data-filtered", False)
    assert request.document.chains == chains
    assert drawer.stop.isVisible()
    assert not drawer.go.isVisible()
    _tell(desk, 0, replace(ROWS[0], state="saved", share=1.0, seconds=8.14, facts="24 channels · 8:01:50"))
    _tell(
        desk, 1, replace(ROWS[1], state="failed", share=1.0, sentence="n1.edf is not an EDF file", hint="copy it again")
    )
    _tell(desk, 2, replace(ROWS[2], state="running", share=0.64))
    model = drawer.table.rows
    texts = [model.data(model.index(row)) for row in range(3)]
    assert texts[0] == "n0.edf, 24 channels · 8:01:50, saved in 8.1 s"
    assert texts[1] == "n1.edf, failed, n1.edf is not an EDF file, copy it again"
    assert texts[2] == "n2.edf, 64 %"
    assert drawer.table.rowHeight(1) == scaled(74) > drawer.table.rowHeight(0)
    assert drawer.progress.words == "file 3 of 3, 34 s left, 1 failed"
    assert desk.window.status._progress() == (0.5, "Batch: 50 %, 34 s left")
    assert "keeps the filter it started with" in desk.window.status.hint()
    drawer.grab()


def test_a_failed_one_is_tried_again_alone_and_what_was_stopped_goes_on(desk, drawer):
    drawer.go.click()
    _tell(desk, 0, replace(ROWS[0], state="saved", share=1.0))
    _tell(desk, 1, replace(ROWS[1], state="running", share=0.3))
    drawer.stop.click()
    assert _asked(desk) == ("stop folder",)
    _tell(desk, None, None, 0.4, over=True)
    assert [row.state for row in drawer.table.rows.rows] == ["saved", "waiting", "waiting"]
    assert drawer.go.text() == "Go on"
    assert desk.window.status._progress()[1] != "Batch: 40 %, 34 s left"
    drawer.go.click()
    assert [row.name for row in _asked(desk)[1].rows] == ["n1.edf", "n2.edf"]
    _tell(desk, 0, replace(ROWS[1], state="failed", share=1.0, sentence="broken"))
    _tell(desk, 1, replace(ROWS[2], state="before", share=1.0))
    _tell(desk, None, None, 1.0, over=True)
    assert [row.state for row in drawer.table.rows.rows] == ["saved", "failed", "before"]
    assert desk.window.status.hint() == "3 recordings: 1 saved, 1 finished before, 1 failed"
    assert drawer.go.text() == "Try again"
    drawer.replace.click()
    drawer.go.click()
    request = _asked(desk)[1]
    assert [row.name for row in request.rows] == ["n1.edf"]
    assert request.overwrite


def test_without_a_filter_it_says_so_and_does_nothing(desk, drawer):
    desk.store.dispatch(act.ToggleFilter(on=False))
    assert not drawer.go.isEnabled()
    assert "There is no filter" in drawer.words.text()
    desk.store.dispatch(act.ToggleFilter(on=True))
    assert drawer.go.isEnabled()


def test_a_folder_without_recordings_says_so(desk, drawer):
    desk.window.actions_.filter_folder("/empty")
    desk.window.receive(FolderListed(folder="/empty", problem="/empty holds no recordings: name another folder"))
    assert drawer.words.text() == "/empty holds no recordings: name another folder"
    assert not drawer.go.isEnabled()


def test_closed_it_goes_on_and_the_key_shows_it_again(desk, drawer):
    drawer.go.click()
    drawer.close_button.click()
    assert not drawer.isVisible()
    _tell(desk, 0, replace(ROWS[0], state="saved", share=1.0))
    assert desk.window.router.run(command("filter_folder"))
    assert drawer.isVisible()
    assert drawer.table.rows.rows[0].state == "saved"
    assert _asked(desk)[0] == "filter folder"
    QTest.keyClick(drawer.table, Qt.Key.Key_Escape)


def test_another_folder_for_the_results_looks_again(desk, drawer, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *given: "/data/clean")
    drawer.target_button.click()
    assert _asked(desk) == ("list", "/data", "/data/clean")


def test_it_is_held_and_goes_on_in_the_format_that_was_chosen(desk, drawer):
    drawer.format.set_current(".bdf")
    drawer.go.click()
    request = _asked(desk)[1]
    assert request.suffix == ".bdf"
    assert request.target_of(ROWS[0]) == str(Path("/data-filtered") / "n0.bdf")
    assert not drawer.format.isVisible()
    drawer.pause.click()
    assert (desk.conductor.asked[-1], drawer.pause.text()) == (("hold folder", True), "Go on")
    drawer.pause.click()
    assert (desk.conductor.asked[-1], drawer.pause.text()) == (("hold folder", False), "Pause")


def test_a_row_is_left_out_or_tried_again_while_the_others_go_on(desk, drawer):
    drawer.go.click()
    _tell(desk, 0, replace(ROWS[0], state="failed", share=1.0, sentence="broken", hint="copy it again"))
    _tell(desk, 1, replace(ROWS[1], state="running", share=0.3))
    table = drawer.table
    table.selectRow(2)
    assert table.row_actions.skip.isVisible()
    assert not table.row_actions.again.isVisible()
    QTest.keyClick(table, Qt.Key.Key_Delete)
    assert desk.conductor.asked[-1] == ("skip", 2)
    assert table.rows.rows[2].state == "skipped"
    table.selectRow(0)
    assert (table.row_actions.skip.isVisible(), table.row_actions.again.text()) == (True, "Try again")
    table.grab()
    table.row_actions.again.click()
    assert desk.conductor.asked[-1] == ("again", 0)
    assert table.rows.rows[0] == ROWS[0]
    table.selectRow(1)
    assert not table.row_actions.isVisible()
    QTest.keyClick(table, Qt.Key.Key_Delete)
    assert table.rows.rows[1].state == "running"


def test_one_row_is_tried_again_by_itself_where_nothing_runs(desk, drawer):
    table = drawer.table
    table.selectRow(1)
    table.row_actions.skip.click()
    assert drawer.go.text() == "Filter 2 recordings"
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert [row.name for row in _asked(desk)[1].rows] == ["n1.edf"]
    _tell(desk, 0, replace(ROWS[1], state="saved", share=1.0))
    assert [row.state for row in table.rows.rows] == ["waiting", "saved", "waiting"]


def test_results_of_recordings_in_the_folder_are_left_out_until_they_are_wanted(desk, drawer):
    made = FolderRow(path="/data/a-filtered.edf", name="a-filtered.edf", state="skipped", facts="made of a.edf")
    desk.window.receive(FolderListed(folder="/data", rows=(*ROWS, made)))
    assert drawer.go.text() == "Filter 3 recordings"
    drawer.table.again_asked.emit(3)
    assert [row.path for row in _asked(desk)[1].rows] == [made.path]


@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_row_that_was_left_out_at_first_is_filtered_behind_those_that_run(desk, drawer, is_stopped):
    made = FolderRow(path="/data/a-filtered.edf", name="a-filtered.edf", state="skipped", facts="made of a.edf")
    desk.window.receive(FolderListed(folder="/data", rows=(*ROWS, made)))
    drawer.go.click()
    first = _asked(desk)[1]
    drawer.table.again_asked.emit(3)
    for number, row in enumerate(ROWS):
        _tell(desk, number, replace(row, state="saved", share=1.0))
    assert _asked(desk)[1] is first
    if is_stopped:
        drawer.stop.click()
    _tell(desk, None, None, 1.0, over=True)
    assert drawer.is_running is not is_stopped
    if is_stopped:
        assert drawer.table.rows.rows[3].state == "waiting"
        assert _asked(desk)[0] == "stop folder"
    else:
        assert [row.path for row in _asked(desk)[1].rows] == [made.path]


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("/data/n0.edf does not tell its rate", "n0.edf does not tell its rate"),
        ("stage 1 is above fs/2", "Stage 1 is above fs/2"),
        ("There is no signal in /data/n0.edf", "There is no signal in n0.edf"),
    ],
)
def test_what_is_wrong_is_said_without_the_folder_and_as_a_sentence(sentence, told):
    assert sentence_of(replace(ROWS[0], state="failed", sentence=sentence)) == told


def test_long_names_that_differ_in_their_middle_can_be_told_apart(desk, drawer):
    desk.window.resize(1600, 1000)
    pictures = []
    for middle in ("3ch-5S-45bit", "3ch-5S-53bit"):
        row = replace(ROWS[0], name=f"scipy_test-8000Hz-le-{middle}-of-a-long-night.wav")
        desk.window.receive(FolderListed(folder="/data", rows=(row,)))
        desk.pump()
        pictures.append(drawer.table.viewport().grab().toImage())
    assert pictures[0] != pictures[1]
