"""The dock as a whole: it forwards, shows what the state says, and adds stages; no view echoes what it is told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from jaxscope.compute.frames import Blocked, Opened
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.filters import FAMILIES, FilterChain, Stage
from jaxscope.filters.presets import PRESETS, fit_preset
from jaxscope.gui.theme import theme
from jaxscope.gui.views.dock import Dock
from jaxscope.gui.views.dock_menu import preset_menu, stage_menu
from jaxscope.session.actions import (
    AddStage,
    ChooseFace,
    SelectChannels,
    SelectStage,
    SetChains,
    SetPhase,
    ToggleFilter,
    TurnKnob,
)
from jaxscope.session.state import SessionState

NAMES = ("Fp1", "O1", "ECG")


@pytest.fixture
def info():
    channels = tuple(Channel(name=name, unit="uV", kind="eeg", rate_hz=512.0, n_samples=5120) for name in NAMES)
    return RecordingInfo(format="edf", duration_s=10.0, channels=channels)


@pytest.fixture
def dock(qtbot, make_rig, lowpass, info):
    rig = make_rig(Dock, FAMILIES["notch"](), lowpass, selected_stage=1)
    qtbot.addWidget(rig.view)
    theme().dress(rig.view)
    rig.view.resize(400, 952)
    rig.view.show_frame(Opened(recording_id="r", path="a.edf", info=info))
    rig.view.show()
    rig.view.activateWindow()
    qtbot.waitUntil(rig.view.isActiveWindow)
    rig.log.clear()
    return rig


def click(qtbot, widget):
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def test_being_told_a_state_dispatches_nothing(dock):
    for _ in range(2):
        dock.show(dock.state, dock.state)
    dock.show(replace(dock.state, viewport=replace(dock.state.viewport, face="coefficients")), dock.state)
    assert dock.log == []


def test_the_header_says_on_off_and_held_in_words(qtbot, dock):
    header = dock.view.header
    assert header.words.text() == "Filter on"
    click(qtbot, header.switch)
    assert dock.log == [ToggleFilter(on=False)]
    assert header.words.text() == "Filter off"
    dock.dispatch(ToggleFilter(on=True))
    dock.view.show_frame(Blocked(revision=1, reason="Unstable", kind="unstable", chain=0))
    assert header.words.text() == "Filter held"


@pytest.mark.parametrize("height", [460, 560, 650, 700, 748, 760, 800, 952])
def test_the_list_shows_whole_rows_and_says_how_many_are_hidden(qtbot, make_rig, lowpass, height):
    rig = make_rig(Dock, *[lowpass] * 6, selected_stage=5)
    qtbot.addWidget(rig.view)
    theme().dress(rig.view)
    rig.view.resize(360, height)
    rig.view.show()
    chain, note = rig.view.chain, rig.view.more_note
    row = chain.sizeHint().height() // 6
    shown = chain.height() // row
    assert chain.height() == shown * row
    assert 1 <= shown <= 6
    assert note.text() == ("" if shown == 6 else f"{6 - shown} more above")
    chain.verticalScrollBar().setValue(0)
    assert note.text() == ("" if shown == 6 else f"{6 - shown} more below")


def test_the_chooser_names_the_chain_and_counts_its_channels(dock):
    assert dock.view.header.chooser.words() == ("A", "EEG", "3 channels")


def test_a_new_chain_takes_the_selected_channels(dock):
    menu = dock.view.header.chain_menu()
    assert not menu.actions()[-1].isEnabled()
    dock.dispatch(SelectChannels(names=("ECG",)))
    dock.log.clear()
    menu = dock.view.header.chain_menu()
    assert menu.actions()[-1].isEnabled()
    menu.actions()[-1].trigger()
    assert [chain.channels for chain in dock.state.document.chains] == [("Fp1", "O1"), ("ECG",)]
    assert dock.state.viewport.active_chain == 1
    assert dock.view.header.chooser.words() == ("B", "", "1 channel")


def test_another_chain_is_chosen_from_the_list(dock):
    second = FilterChain(name="ECG", channels=("ECG",), stages=(Stage(spec=FAMILIES["notch"]()),))
    dock.dispatch(SetChains(chains=(*dock.state.document.chains, second)))
    dock.view.header.chain_menu().actions()[1].trigger()
    assert dock.log[-1] == SelectStage(chain=1, stage=0)
    assert dock.view.chain.model().rowCount() == 1


def test_the_phase_is_sent(qtbot, dock):
    click(qtbot, dock.view.header.phase.button("causal"))
    assert dock.log == [SetPhase(chain=0, phase="causal")]
    assert dock.view.header.phase.current == "causal"


def test_tabs_choose_the_face(qtbot, dock):
    tabs = dock.view.tabs
    qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(1).center())
    assert dock.log == [ChooseFace(face="coefficients")]
    assert dock.view.coefficients.isVisible()
    assert not dock.view.design.isVisible()


def test_a_stage_is_added_after_the_selected_one(dock):
    menu = stage_menu(dock.view, 512.0, dock.view.add_stage)
    next(action for action in menu.actions() if action.text() == "High-pass").trigger()
    assert isinstance(dock.log[-1], AddStage)
    assert dock.log[-1].at == 2
    assert dock.stage(2).spec.band == "highpass"
    assert dock.state.viewport.selected_stage == 2


def test_adding_without_a_chain_makes_one(qtbot):
    log = []
    view = Dock(log.append)
    qtbot.addWidget(view)
    view.show_state(SessionState(), SessionState())
    view.add_stage(Stage(spec=FAMILIES["notch"]()))
    assert isinstance(log[0], SetChains)
    assert log[0].chains[0].stages[0].spec.family == "notch"


@pytest.mark.parametrize("rate_hz", [10.0, 250.0, 48000.0])
def test_everything_that_can_be_added_fits_the_rate(qtbot, dock, rate_hz):
    added = []
    menu = stage_menu(dock.view, rate_hz, added.append)
    for action in menu.actions():
        if action.text():
            action.trigger()
    assert len(added) >= 20
    for stage in added:
        if stage.spec.family not in ("weighting",):
            stage.spec.check(rate_hz)


def test_enter_on_a_stage_goes_to_its_first_number(qtbot, dock):
    dock.view.chain.setFocus()
    qtbot.keyClick(dock.view.chain, Qt.Key.Key_Return)
    assert dock.view.focusWidget().accessibleName() == "Order"


def test_escape_in_any_part_asks_for_the_traces(qtbot, dock):
    parts = [dock.view.chain, dock.view.response.plot, dock.view.design.rows[1].fields()[0]]
    for part in parts:
        part.setFocus()
        with qtbot.waitSignal(dock.view.escaped):
            qtbot.keyClick(part, Qt.Key.Key_Escape)


def test_right_edges_keep_their_16_px_where_the_face_scrolls(qtbot, dock):
    def right_edge():
        part = dock.view.design._shapes
        return dock.view.width() - part.mapTo(dock.view, part.rect().topRight()).x() - 1

    assert right_edge() == 16
    for height in (700, 600, 500, 440):
        dock.view.resize(400, height)
        qtbot.wait(1)
    qtbot.waitUntil(dock.view._scroll.verticalScrollBar().isVisible)
    assert right_edge() == 16


def test_the_narrow_dock_is_360_wide_without_facts(dock):
    dock.view.set_narrow(narrow=True)
    assert dock.view.sizeHint().width() == 360
    assert not dock.view.design._facts.isVisible()


@pytest.mark.parametrize(("scale", "width"), [(0.8, 320), (1.0, 400), (1.5, 480), (2.0, 640)])
@pytest.mark.parametrize("face", ["design", "coefficients"])
def test_it_paints_at_every_text_scale(qtbot, dock, scale, width, face):
    theme().set_text_scale(scale)
    dock.dispatch(ChooseFace(face=face))
    dock.view.resize(dock.view.sizeHint().width(), 900)
    assert not dock.view.grab().isNull()
    assert dock.view.sizeHint().width() == width


def test_an_error_in_a_face_puts_a_dot_on_its_tab(dock, frame_of):
    dock.view.show_frame(frame_of(dock.state, 3, 64.0))
    assert dock.view.tabs._wrong == {"design"}
    dock.view.show_frame(frame_of(dock.state, 4))
    assert dock.view.tabs._wrong == set()


def test_typing_in_the_form_moves_the_handle_of_the_response(qtbot, dock):
    before = dock.view.response.plot.handle_points()[0].x()
    dock.dispatch(TurnKnob(chain=0, stage=1, name="cutoff_hz", value=20.0))
    assert dock.view.response.plot.handle_points()[0].x() < before - 10


def test_drags_of_numbers_are_told_to_the_window(qtbot, dock):
    told = []
    dock.view.dragging.connect(told.append)
    row = dock.view.design.rows[1]
    row._beside.dragging.emit(True)
    row._beside.dragging.emit(False)
    dock.view.response.plot.dragging.emit(True)
    dock.view.coefficients.taps.dragging.emit(False)
    assert told == [True, False, True, False]


def test_tab_goes_through_the_dock_from_top_to_bottom(dock):
    dock.dispatch(SelectStage(chain=0, stage=0))
    dock.dispatch(SelectStage(chain=0, stage=1))
    part, names = dock.view.header.switch, []
    while part is not dock.view.response.plot:
        if part.isVisible() and part.focusPolicy() & Qt.FocusPolicy.TabFocus:
            names.append(part.accessibleName())
        part = part.nextInFocusChain()
    assert names == [
        "Filter on", "Chain A, EEG, 3 channels", "Zero-phase", "Edges and gaps", "Chain of stages", "Add stage",
        "Presets", "Faces",
        "Low", "Family", "Order", "Cutoff", "Cutoff", "Response view", "Pinned chains", "Limits",
    ]  # fmt: skip


def test_a_preset_takes_the_place_of_the_stages_in_one_step(qtbot, dock):
    before = dock.state.document.chains
    hints = []
    dock.view.hinted.connect(hints.append)
    menu = preset_menu(dock.view, 512.0, dock.view.use_preset)
    entries = {entry.text(): entry for entry in menu.actions() if entry.text()}
    assert len(entries) == len(PRESETS)
    assert not entries["Spike band 300–6000 Hz"].isEnabled()
    assert "low-pass 450 Hz" in entries["Surface EMG 20–450 Hz"].toolTip()
    entries["Surface EMG 20–450 Hz"].trigger()
    chain = dock.state.document.chains[0]
    assert [stage.spec.cutoff_hz for stage in chain.stages] == [20.0]
    assert (chain.name, chain.channels, chain.phase) == (before[0].name, before[0].channels, "zero")
    assert hints[-1].startswith("Left out")
    dock.store.undo()
    assert dock.state.document.chains == before


def test_mains_is_added_to_what_is_there_and_never_twice(dock):
    menu = preset_menu(dock.view, 512.0, dock.view.use_preset)
    count = len(dock.state.document.chains[0].stages)
    next(entry for entry in menu.actions() if entry.text() == "50 Hz and harmonics").trigger()
    stages = dock.state.document.chains[0].stages
    assert dock.stage(0).spec.frequency_hz == 50.0
    assert [stage.spec.frequency_hz for stage in stages[count:]] == [100.0, 150.0, 200.0, 250.0]


def test_a_preset_starts_a_chain_where_there_is_none(qtbot, make_rig):
    rig = make_rig(Dock)
    rig.store.dispatch(SetChains(chains=()))
    rig.view.use_preset(fit_preset(PRESETS[0], 500.0))
    assert len(rig.state.document.chains[0].stages) == 2


@pytest.mark.parametrize(
    ("rates_hz", "wanted"),
    [((512.0, 1.0, 512.0), ("Fp1", "ECG")), ((512.0, 256.0, 100.0), None), ((1.0, 1.0, 1.0), None)],
)
def test_a_chain_is_begun_for_the_channels_that_are_fast_enough(make_rig, lowpass, info, rates_hz, wanted):
    channels = tuple(replace(own, rate_hz=rate) for own, rate in zip(info.channels, rates_hz, strict=True))
    preset = next(own for own in PRESETS if own.name == "ecg_monitor")
    for begin in (
        lambda view: view.use_preset(fit_preset(preset, 512.0)),
        lambda view: view.add_stage(Stage(spec=lowpass)),
    ):
        rig = make_rig(Dock)
        rig.view.show_frame(Opened(recording_id="r", path="a.edf", info=replace(info, channels=channels)))
        rig.store.dispatch(SetChains(chains=()))
        begin(rig.view)
        assert rig.state.document.chains[0].channels == wanted
