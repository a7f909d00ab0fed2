"""The montage chooser: what is chosen is shown at once and undone in one step; what cannot be is said at its field."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from jaxscope.compute.frames import Opened
from jaxscope.compute.montaged import chains_with, montaged_info
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.filters.montage import Montage
from jaxscope.filters.montage_file import WORDS
from jaxscope.filters.spec import FilterChain
from jaxscope.gui.command_table import COMMANDS
from jaxscope.gui.views.header_legend import Legend
from jaxscope.gui.views.montage_popover import MontagePopover
from jaxscope.session.own_montages import own_montages
from jaxscope.session.state import Document, SessionState
from jaxscope.session.store import Store

LEFT = Qt.MouseButton.LeftButton
NAMES = ("Fp1", "F7", "T7", "P7", "O1", "ECG")
EEG = FilterChain(channels=NAMES[:5])


@pytest.fixture
def recorded():
    kinds = ("eeg",) * 5 + ("ecg",)
    return ArrayRecording.from_array(np.zeros((6, 9)), rate_hz=100.0, names=NAMES, units="uV", kinds=kinds).info


@pytest.fixture
def store():
    return Store(SessionState(document=Document(chains=(EEG, FilterChain(channels=("ECG",))))))


@pytest.fixture
def chooser(qtbot, store, recorded):
    window = QWidget()
    window.resize(1000, 700)
    qtbot.addWidget(window)
    anchor = QWidget(window)
    made = MontagePopover(window, store.dispatch, lambda: store.state, lambda: recorded)
    store.subscribe(made.show_state)
    window.show()
    made.open_under(anchor)
    yield made
    made.close_floating()


def type_cell(chooser, row, column, text):
    if chooser.table.edited_cell is None:
        chooser.table.edit_cell(row, column)
    chooser.table.editor.setText(text)
    chooser.table.editor.textEdited.emit(text)


def test_a_choice_is_shown_at_once_with_its_chains_and_is_one_step(chooser, store):
    chooser.kind.chosen.emit("double_banana")
    assert store.state.document.montage == WORDS["bipolar"]
    assert store.state.document.chains[0].channels == (*NAMES[:5], "Fp1-F7", "F7-T7", "T7-P7", "P7-O1")
    assert chooser.table.cells.rows[0] == ("Fp1-F7", "Fp1 - F7")
    assert chooser.summary.text() == "4 channels made of 6 recorded"
    assert store.undo_text == "Montage Double banana"
    store.undo()
    assert store.state.document == Document(chains=(EEG, FilterChain(channels=("ECG",))))
    assert chooser.kind.current == "recorded"
    assert not chooser.table.isVisible()


def test_what_is_made_of_two_chains_stays_unfiltered(recorded):
    mixed = Montage(kind="formulas", rows=(("x", "Fp1 - ECG"), ("y", "F7 - O1")))
    chains = chains_with((EEG, FilterChain(channels=("ECG",))), recorded, mixed)
    assert chains[0].channels == (*NAMES[:5], "y")
    assert chains[1].channels == ("ECG",)
    assert chains_with((FilterChain(),), recorded, mixed) == (FilterChain(),)


def test_a_name_that_is_not_there_is_said_at_its_field_and_changes_nothing(qtbot, chooser, store):
    chooser.kind.chosen.emit("reference")
    before = store.state
    assert before.document.montage.reference == ("Fp1",)
    chooser.fields["reference"].setText("Nope")
    chooser.fields["reference"].editingFinished.emit()
    assert store.state is before
    assert chooser.fields["reference"].is_wrong
    assert chooser.problem.text() == "No channel is called Nope: there are Fp1, F7, T7, P7, O1, ECG"
    assert not chooser.foot.keep.isVisible()
    chooser.fields["reference"].setText("F7, T7")
    chooser.fields["reference"].editingFinished.emit()
    assert store.state.document.montage.reference == ("F7", "T7")
    assert not chooser.fields["reference"].is_wrong
    assert not chooser.problem.isVisible()


def test_a_formula_is_shown_while_it_is_typed_and_one_visit_is_one_step(qtbot, chooser, store):
    chooser.kind.chosen.emit("double_banana")
    qtbot.mouseClick(chooser.edit_all, LEFT)
    begun = store.state.document.montage
    assert begun.rows[3] == ("P7-O1", "P7 - O1")
    steps = store.position
    type_cell(chooser, 3, 1, "P7 - (O1")
    assert store.state.document.montage == begun
    assert chooser.table.editor.is_wrong
    assert chooser.problem.text() == "Can't read P7 - (O1: the bracket at character 6 is not closed"
    type_cell(chooser, 3, 1, "P7 - (O1 + F7)")
    type_cell(chooser, 3, 1, "P7 - (O1 + F7)/2")
    assert store.state.document.montage.rows[3] == ("P7-O1", "P7 - (O1 + F7)/2")
    assert not chooser.table.editor.is_wrong
    qtbot.keyClick(chooser.table.editor, Qt.Key.Key_Return)
    assert store.position == steps + 1
    assert chooser.table.cells.rows[3][1] == "P7 - (O1 + F7)/2"


def test_escape_puts_a_cell_back(qtbot, chooser, store):
    chooser.kind.chosen.emit("formulas")
    begun = store.state.document.montage
    type_cell(chooser, 0, 1, "F7 - T7")
    assert store.state.document.montage != begun
    qtbot.keyClick(chooser.table.editor, Qt.Key.Key_Escape)
    assert store.state.document.montage == begun
    assert chooser.isVisible()


def test_channels_are_added_and_removed_by_key(qtbot, chooser, store):
    chooser.kind.chosen.emit("formulas")
    qtbot.mouseClick(chooser.add, LEFT)
    assert store.state.document.montage.rows[-1] == ("New 1", "Fp1")
    assert chooser.table.edited_cell == (1, 1)
    qtbot.keyClick(chooser.table.editor, Qt.Key.Key_Return)
    chooser.table.setCurrentIndex(chooser.table.cells.index(0, 0))
    qtbot.keyClick(chooser.table, Qt.Key.Key_Delete)
    assert [name for name, _ in store.state.document.montage.rows] == ["New 1"]
    qtbot.keyClick(chooser.table, Qt.Key.Key_Delete)
    assert store.state.document.montage is None


def test_what_follows_from_a_kind_is_not_typed_in(qtbot, chooser, store):
    chooser.kind.chosen.emit("average")
    before = store.state
    chooser.table.edit_cell(0, 1)
    assert chooser.table.edited_cell is None
    assert store.state is before
    assert "Edit them as formulas" in chooser.problem.text()


def test_a_matrix_is_brought_in_and_what_is_none_is_said(chooser, store, tmp_path):
    good, bad = tmp_path / "two.csv", tmp_path / "bad.csv"
    good.write_text(",Fp1,O1\nfront-back,1,-1\n", encoding="utf-8")
    bad.write_text(",Fp1,O1\nfront-back,1,x\n", encoding="utf-8")
    chooser.import_file(str(good))
    assert store.state.document.montage.rows == (("front-back", "Fp1 - O1"),)
    before = store.state
    chooser.import_file(str(bad))
    assert store.state is before
    assert chooser.problem.text().startswith('bad.csv: line 2 has "x" for O1, which is not a number')


def test_a_montage_is_kept_used_and_removed(qtbot, chooser, store):
    chooser.kind.chosen.emit("average")
    chooser.fields["excluded"].setText("T7")
    chooser.fields["excluded"].editingFinished.emit()
    chooser.foot.name.setText("Without T7")
    qtbot.mouseClick(chooser.foot.keep, LEFT)
    (own,) = own_montages()[0]
    assert own.montage == Montage(kind="average", name="Without T7", excluded=("T7",))
    chooser.kind.chosen.emit("recorded")
    chooser.kind.chosen.emit(chooser.kind.keys()[-1])
    assert store.state.document.montage == own.montage
    assert chooser.forget.isVisible()
    qtbot.mouseClick(chooser.forget, LEFT)
    assert own_montages()[0] == ()
    assert store.state.document.montage == own.montage


def test_the_legend_says_that_a_montage_is_on(store):
    state = store.state
    on = replace(state, document=replace(state.document, montage=WORDS["transverse"]))
    assert Legend(state=on).chips()[-1] == "Montage: Transverse"
    assert Legend(state=on, has_notes=False).chips()[-1] == "Transverse"
    assert not any("Montage" in words for words in Legend(state=state).chips())


def test_the_window_shows_other_channels_of_the_same_recording(desk, info):
    window = desk.window
    window.receive(Opened(recording_id="r", path="a.edf", info=info))
    window.shell.use_montage(WORDS["average"])
    montage = window.shell.state.document.montage
    window.receive(Opened(recording_id="r", path="a.edf", info=montaged_info(info, montage), is_same=True))
    assert [lane.name for lane in window.rail.lanes][:2] == ["Fp1-Av", "Fp2-Av"]
    assert window.shell.recorded is info
    window.router.run(next(one for one in COMMANDS if one.name == "montage_off"))
    assert window.shell.state.document.montage is None


def test_a_montage_that_does_not_fit_the_next_recording_goes_off_and_that_is_said(desk, info):
    window = desk.window
    window.receive(Opened(recording_id="r", path="a.edf", info=info))
    window.shell.use_montage(Montage(kind="reference", reference=("O1",)))
    other = replace(info, channels=tuple(one for one in info.channels if one.name != "O1"))
    window.receive(Opened(recording_id="r2", path="b.edf", info=other))
    assert window.shell.state.document.montage is None
    assert window.notices.current.sentence == "The montage Reference O1 does not fit b.edf"
