"""Keys: from one table, only where they may act, and never while text is typed."""

from __future__ import annotations

import shlex
import string
from collections import Counter

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit

from jaxscope.cli.filter import filter_files as filter_command
from jaxscope.gui.assets import keymap
from jaxscope.gui.command_table import COMMANDS, command
from jaxscope.gui.commands import RAW_ROW, key_sequence, key_words
from jaxscope.gui.components.labels import KeyCap
from jaxscope.gui.key_router import bound_rows, table_of
from jaxscope.gui.main_menu import build_menu
from jaxscope.gui.theme import theme
from jaxscope.gui.views.keys_sheet import KeysSheet, listed_rows
from jaxscope.session import actions as act
from jaxscope.session.state import RecordingRef

CONTEXTS = ("anywhere", "traces", "overview", "fit")


def focus_traces(desk) -> None:
    desk.window.activateWindow()
    desk.window.traces.setFocus()
    desk.pump()


def test_every_command_names_rows_of_the_table():
    rows = {(row.context, row.does) for row in keymap()}
    for item in COMMANDS:
        assert set(item.rows) <= rows, item.name
    assert (RAW_ROW[0], RAW_ROW[2]) in rows
    assert len({item.name for item in COMMANDS}) == len(COMMANDS)


@pytest.mark.parametrize("context", CONTEXTS)
def test_no_key_is_bound_twice_in_a_context(context):
    keys = Counter(key for item in COMMANDS for key in item.keys(context))
    assert [key for key, count in keys.items() if count > 1] == []
    for key in keys:
        assert not key_sequence(key).isEmpty(), key


def test_no_context_reuses_a_key_of_the_window():
    everywhere = set(table_of("anywhere"))
    for context in ("traces", "overview"):
        assert not everywhere & set(table_of(context))


#: rows of the table whose part does not exist: they have neither key nor entry, and are shown nowhere
ABSENT = {
    ("traces", "event at the cursor or over the selection"),
    ("traces", "remove the selected event"),
}


def test_every_row_of_the_table_works_or_is_known_to_be_absent(desk):
    rows = {(row.context, row.does) for row in keymap()}
    promised = {row for row in rows if row[0] in CONTEXTS}
    missing = promised - bound_rows()
    assert missing <= ABSENT, "a key of the table without a command"
    of_parts = {"chain", "number", "table", "plane", "response", "sweep"}
    assert {row[0] for row in rows} == {*CONTEXTS, *of_parts}
    listed = {row.does for group in listed_rows().values() for row in group}
    assert not {does for _, does in missing} & listed
    for item in COMMANDS:
        assert item.why_not(desk.window.actions_) in ("", item.needs)


def test_the_command_line_is_copied_with_the_saved_project_or_the_chains_themselves(desk, tmp_path):
    item = command("copy_command")
    project = str(tmp_path / "my work.jaxscope")
    desk.window.actions_.project_path = project
    desk.store.dispatch(act.OpenedRecording(recording=RecordingRef(path="/data/six.edf", rate_hz=100.0), duration_s=60))
    desk.store.mark_saved()
    desk.store.dispatch(act.ChooseEngine(device="cpu:all", method="scan"))
    assert desk.window.router.run(item)
    words = shlex.split(QApplication.clipboard().text())
    assert words[:2] == ["jaxscope", "filter"]
    with filter_command.make_context("filter", words[2:]) as context:
        given = context.params
    assert (given["files"], given["project"]) == (("/data/six.edf",), project)
    assert given["output"] == "/data/six-filtered.edf"
    assert (given["backend"], given["device"], given["method"]) == ("cpu", "all", "scan")
    assert given["precision"] is None
    desk.store.dispatch(act.ToggleFilter(on=False))
    assert desk.window.router.run(item)
    with filter_command.make_context("filter", shlex.split(QApplication.clipboard().text())[2:]) as context:
        assert context.params["project"] is None
        assert context.params["chains"] == ('{"format":"jaxscope-chain","version":1,"stages":[]}',)


@pytest.mark.parametrize(
    ("key", "modifiers", "expected"),
    [
        (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier, ("start_s", 2.5)),
        (Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier, ("start_s", 10.0)),
        (Qt.Key.Key_End, Qt.KeyboardModifier.NoModifier, ("start_s", 50.0)),
        (Qt.Key.Key_BracketLeft, Qt.KeyboardModifier.NoModifier, ("duration_s", 5.0)),
        (Qt.Key.Key_BracketRight, Qt.KeyboardModifier.NoModifier, ("duration_s", 20.0)),
        (Qt.Key.Key_2, Qt.KeyboardModifier.NoModifier, ("mode", "split")),
        (Qt.Key.Key_3, Qt.KeyboardModifier.NoModifier, ("mode", "curtain")),
        (Qt.Key.Key_C, Qt.KeyboardModifier.NoModifier, ("mode", "curtain")),
        (Qt.Key.Key_4, Qt.KeyboardModifier.NoModifier, ("mode", "difference")),
        (Qt.Key.Key_D, Qt.KeyboardModifier.NoModifier, ("remove_offset", False)),
        (Qt.Key.Key_U, Qt.KeyboardModifier.NoModifier, ("negative_up", True)),
        (Qt.Key.Key_O, Qt.KeyboardModifier.NoModifier, ("show_overview", False)),
        (Qt.Key.Key_Down, Qt.KeyboardModifier.NoModifier, ("selected_channels", ("Fp1",))),
        (Qt.Key.Key_Comma, Qt.KeyboardModifier.NoModifier, ("lane_count", 4)),
        (Qt.Key.Key_N, Qt.KeyboardModifier.NoModifier, ("start_s", 25.0)),
        (Qt.Key.Key_Plus, Qt.KeyboardModifier.ShiftModifier, ("scales", (("ecg", 3.2), ("eeg", 80.0), ("eog", 320.0)))),
    ],
)
def test_key_on_the_traces(desk, key, modifiers, expected):
    focus_traces(desk)
    QTest.keyClick(desk.window.traces, key, modifiers)
    name, value = expected
    found = getattr(desk.store.state.viewport, name)
    assert found == (pytest.approx(value) if isinstance(value, float) else value)


def send_r(view, kind: QEvent.Type, at_ms: int) -> None:
    event = QKeyEvent(kind, Qt.Key.Key_R, Qt.KeyboardModifier.NoModifier, "r")
    event.setTimestamp(at_ms)
    QApplication.sendEvent(view, event)


def test_r_held_shows_raw_only_while_held_and_a_tap_toggles(desk):
    focus_traces(desk)
    view = desk.window.traces
    # both events are read at once, as by a window that was busy: what counts is when the key moved
    send_r(view, QEvent.Type.KeyPress, 1000)
    assert desk.store.state.viewport.raw
    assert desk.window.status.badge == "Filter on, hidden"
    send_r(view, QEvent.Type.KeyRelease, 2000)
    assert not desk.store.state.viewport.raw
    for at_ms, expected in ((3000, True), (4000, False)):
        send_r(view, QEvent.Type.KeyPress, at_ms)
        send_r(view, QEvent.Type.KeyRelease, at_ms + 100)
        assert desk.store.state.viewport.raw is expected


def test_shift_r_switches_the_filter_undoably(desk):
    focus_traces(desk)
    QTest.keyClick(desk.window.traces, Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
    assert not desk.store.state.document.filter_on
    assert desk.window.status.badge == "Filter off"
    desk.store.undo()
    assert desk.store.state.document.filter_on


def test_letters_typed_into_any_field_change_nothing(desk):
    fields = [field for field in desk.window.findChildren(QLineEdit) if field.isVisible() and field.isEnabled()]
    tried = []
    for field in fields:
        desk.window.activateWindow()
        field.setFocus()
        desk.pump()
        if QApplication.focusWidget() is not field:
            continue
        tried.append(field.accessibleName())
        before = desk.store.state
        for sign in string.ascii_letters + "[],.0=?/":
            QTest.keyClicks(field, sign)
        assert desk.store.state == before, field.accessibleName()
        QTest.keyClick(field, Qt.Key.Key_Escape)
    assert {"Window", "Scale"} <= set(tried)
    assert len(tried) >= 4


def test_escape_in_the_search_gives_the_focus_back(desk):
    focus_traces(desk)
    desk.window.actions_.find_channel()
    field = QApplication.focusWidget()
    assert isinstance(field, QLineEdit)
    QTest.keyClicks(field, "O2")
    assert desk.store.state.viewport.selected_channels == ("O2",)
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is desk.window.traces


def test_disabled_commands_do_not_run(desk):
    assert not desk.window.router.run(command("hide"))
    desk.store.dispatch(act.SelectChannels(names=("O1",)))
    assert desk.window.router.run(command("hide"))
    assert [lane.name for lane in desk.window.traces.model.lanes] == ["Fp1", "Fp2", "O2", "VEOG", "ECG"]
    assert desk.window.router.run(command("show_all"))
    assert len(desk.window.traces.model.lanes) == 6


def test_every_command_runs_with_a_recording(desk, monkeypatch):
    for dialog in ("getOpenFileName", "getOpenFileNames", "getSaveFileName"):  # they would wait for a person
        monkeypatch.setattr(QFileDialog, dialog, lambda *_, **__: ("", ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_, **__: "")
    without = ("open_dialog", "save", "save_as", "close_recording", "quit")
    for name in (*without, "channel_menu", "add_stage", "toggle_full_screen"):
        monkeypatch.setattr(desk.window.actions_, name, lambda: None)
    monkeypatch.setattr("jaxscope.gui.views.chain_list.ask_file", lambda _parent: "")
    for item in COMMANDS:
        if item.name not in ("keys", "export", "devices"):
            desk.window.router.run(item)
    desk.window.actions_.toggle_theme()


def test_menu_shows_the_keys_that_work(desk):
    menu = build_menu(desk.window, desk.window.actions_)
    entries = {entry.text().split("\t")[0]: entry for part in menu.actions() for entry in part.menu().actions()}
    assert entries["Split"].text() == "Split\tCtrl 2"
    assert entries["Overlay"].isChecked()
    assert not entries["Redo"].isEnabled()
    assert [part.text() for part in menu.actions()] == ["File", "Edit", "View", "Filter", "Compute", "Help"]
    entries["Split"].trigger()
    assert desk.store.state.viewport.mode == "split"


def test_key_list_holds_what_is_bound_and_nothing_else(desk):
    listed = {row.does for rows in listed_rows().values() for row in rows if row.context in CONTEXTS}
    assert listed == {words for _, words in bound_rows()}
    sheet = KeysSheet(desk.window)
    sheet.open_sheet()
    assert sheet.isVisible()
    sheet.close_floating()


def test_key_words():
    assert [key_words(key) for key in ("Ctrl+Shift+Z", "Left", "Ctrl++", "+", "Alt+-")] == [
        "Ctrl Shift Z",
        "←",
        "Ctrl +",
        "+",
        "Alt -",
    ]
    assert key_sequence("Esc") == QKeySequence(Qt.Key.Key_Escape)


def test_a_closed_list_of_keys_holds_no_rows_whatever_the_theme_and_opens_with_them(desk):
    sheet = KeysSheet(desk.window)

    def rows() -> int:
        return len(sheet.findChildren(KeyCap))

    assert rows() == 0
    sheet.open_sheet()
    assert rows() > 50
    sheet.close_floating()
    theme().set_mode("light")
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert rows() == 0
    sheet.open_sheet()
    assert rows() > 50
    theme().set_mode("dark")
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert rows() > 50
    sheet.close_floating()
