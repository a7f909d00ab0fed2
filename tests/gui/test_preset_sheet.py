"""Own presets in their sheet: kept, used, renamed, exported, removed; and the chain's name and channels in theirs."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from jaxscope.compute.frames import Opened
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.filters import FAMILIES
from jaxscope.filters.chain_file import load_chain
from jaxscope.gui.views.chain_sheet import ChainSheet
from jaxscope.gui.views.dock import Dock
from jaxscope.session.actions import SelectChannels, SetChains
from jaxscope.session.own_presets import own_presets, save_preset

LEFT = Qt.MouseButton.LeftButton
KINDS = (("Fp1", "eeg"), ("O1", "eeg"), ("ECG", "ecg"))


@pytest.fixture
def dock(qtbot, make_rig, lowpass):
    rig = make_rig(Dock, FAMILIES["notch"](), lowpass)
    qtbot.addWidget(rig.view)
    rig.view.resize(760, 952)
    channels = tuple(Channel(name=name, unit="uV", kind=kind, rate_hz=512.0, n_samples=5120) for name, kind in KINDS)
    info = RecordingInfo(format="edf", duration_s=10.0, channels=channels)
    rig.view.show_frame(Opened(recording_id="r", path="a.edf", info=info))
    rig.view.show()
    rig.log.clear()
    return rig


@pytest.fixture
def sheet(dock):
    dock.view.open_presets()
    return dock.view._sheet


def names():
    return [preset.name for preset in own_presets()[0]]


def test_the_chain_is_kept_and_used_again_as_one_step(qtbot, dock, sheet):
    sheet.name.setText("Night")
    qtbot.mouseClick(sheet.save, LEFT)
    assert names() == ["Night"]
    dock.dispatch(SetChains(chains=()))
    dock.view.open_presets()
    assert not sheet.save.isEnabled()
    qtbot.mouseClick(sheet.rows[0].use, LEFT)
    assert not sheet.isVisible()
    assert [stage.spec.family for stage in dock.state.document.chains[0].stages] == ["notch", "butterworth"]
    assert dock.state.document.chains[0].name == "Night"
    dock.store.undo()
    assert dock.state.document.chains == ()


def test_a_name_that_is_taken_is_said_and_nothing_is_lost(qtbot, sheet):
    for _ in range(2):
        sheet.name.setText("Night")
        qtbot.mouseClick(sheet.save, LEFT)
    assert sheet.message.text().startswith('There is a preset "Night".')
    assert names() == ["Night"]


def test_a_preset_is_renamed_by_enter_exported_and_removed_by_a_second_click(qtbot, sheet, tmp_path, monkeypatch):
    sheet.name.setText("Night")
    qtbot.mouseClick(sheet.save, LEFT)
    sheet.rows[0].name.setText("Day")
    qtbot.keyClick(sheet.rows[0].name, Qt.Key.Key_Return)
    assert names() == ["Day"]
    target = tmp_path / "day.json"
    monkeypatch.setattr("jaxscope.gui.views.preset_sheet.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    qtbot.mouseClick(sheet.rows[0].take_out, LEFT)
    assert load_chain(target).name == "Day"
    monkeypatch.setattr("jaxscope.gui.views.preset_sheet.ask_file", lambda _parent: str(target))
    qtbot.mouseClick(sheet.bring, LEFT)
    assert sheet.message.text().startswith('There is a preset "Day".')
    qtbot.mouseClick(sheet.rows[0].remove, LEFT)
    assert names() == ["Day"]
    qtbot.mouseClick(sheet.rows[0].remove, LEFT)
    assert names() == []
    qtbot.mouseClick(sheet.bring, LEFT)
    assert names() == ["Day"]


def test_own_presets_stand_in_the_menu_after_the_shelf(dock):
    save_preset("Night", dock.state.document.chains[0])
    menu = []
    dock.view.open_preset_menu()
    menu = dock.view.findChildren(type(dock.view.header.chain_menu()))
    texts = [action.text() for one in menu for action in one.actions()]
    assert texts.index("60 Hz and harmonics") < texts.index("Night") < texts.index("Your presets…")
    for one in menu:
        one.close()


def test_the_channels_of_a_chain_are_names_and_patterns_with_a_preview(qtbot, dock):
    dock.dispatch(SelectChannels(names=("ECG",)))
    dock.view.header.open_chain_sheet()
    sheet = dock.view.header._sheet
    assert sheet.preview.text() == "3 of 3 channels: Fp1, O1, ECG."
    buttons = {
        sheet.groups.itemAt(at).widget().text(): sheet.groups.itemAt(at).widget() for at in range(sheet.groups.count())
    }
    assert list(buttons) == ["EEG 2", "ECG 1", "Selected 1"]
    qtbot.mouseClick(buttons["EEG 2"], LEFT)
    assert sheet.patterns.text() == "Fp1, O1"
    sheet.patterns.setText("F*")
    sheet._show_preview()
    assert sheet.preview.text() == "1 of 3 channels: Fp1."
    sheet.name.setText("Frontal")
    dock.log.clear()
    qtbot.keyClick(sheet.name, Qt.Key.Key_Return)
    assert len(dock.log) == 1
    chain = dock.state.document.chains[0]
    assert (chain.name, chain.channels) == ("Frontal", ("F*",))


def test_what_an_earlier_chain_has_is_said(qtbot, dock):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(700, 500)
    first = dock.state.document.chains[0]
    dock.dispatch(SetChains(chains=(first, first)))
    sheet = ChainSheet(window, dock.dispatch)
    from dataclasses import replace

    state = replace(dock.state, viewport=replace(dock.state.viewport, active_chain=1))
    sheet.open_for(state, dock.view.header._info)
    assert sheet.preview.text() == "No channel of this recording. 3 more fit, but an earlier chain has them."
