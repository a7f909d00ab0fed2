"""The list of stages: select, switch, reorder live as one step, rename, keys."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QApplication

from jaxscope.filters import FAMILIES, Stage
from jaxscope.gui.components.text_field import TextField
from jaxscope.gui.views.chain_list import ChainList
from jaxscope.gui.views.chain_list_model import ROW_ROLE, small_curve
from jaxscope.session.actions import EditCoefficient, EnableStage, MoveStage, SelectStage, TurnKnob

RATE_HZ = 512.0


@pytest.fixture
def chain(qtbot, make_rig, lowpass):
    rig = make_rig(ChainList, FAMILIES["notch"](), FAMILIES["butterworth"](band="highpass", cutoff_hz=0.5), lowpass)
    qtbot.addWidget(rig.view)
    rig.view.resize(380, 150)
    rig.view.show()
    rig.view.activateWindow()
    qtbot.waitUntil(rig.view.isActiveWindow)
    rig.log.clear()
    return rig


def middle(rig, row, x=150):
    rect = rig.view.visualRect(rig.view.model().index(row, 0))
    return QPoint(rect.left() + x, rect.center().y())


def row(rig, number):
    return rig.view.model().index(number, 0).data(ROW_ROLE)


def families(rig):
    return [stage.spec.family for stage in rig.state.document.chains[0].stages]


def drag_to(view, position):
    spot = QPointF(position)
    event = QMouseEvent(
        QEvent.Type.MouseMove, spot, view.viewport().mapToGlobal(spot), Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(view.viewport(), event)


def test_rows_say_what_each_stage_is(chain):
    assert [row(chain, n).title for n in range(3)] == ["Notch", "High-pass", "Low-pass"]
    assert row(chain, 2).subtitle == "Butterworth 4 · 40.0 Hz"
    assert row(chain, 2).curve is not None


def test_a_click_selects(qtbot, chain):
    qtbot.mouseClick(chain.view.viewport(), Qt.MouseButton.LeftButton, pos=middle(chain, 1))
    assert chain.log == [SelectStage(chain=0, stage=1)]
    assert chain.view.currentIndex().row() == 1


def test_a_click_on_the_switch_turns_the_stage_off_and_keeps_its_place(qtbot, chain):
    qtbot.mouseClick(chain.view.viewport(), Qt.MouseButton.LeftButton, pos=middle(chain, 1, x=44))
    assert chain.log == [EnableStage(chain=0, stage=1, enabled=False)]
    assert not row(chain, 1).enabled
    assert row(chain, 1).title == "High-pass"


def test_dragging_the_grip_reorders_live_and_is_one_undo_step(qtbot, chain):
    view = chain.view.viewport()
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=middle(chain, 0, x=12))
    drag_to(chain.view, middle(chain, 1, x=12))
    assert families(chain) == ["butterworth", "notch", "butterworth"]
    drag_to(chain.view, middle(chain, 2, x=12))
    assert families(chain)[2] == "notch"
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=middle(chain, 2, x=12))
    moves = [action for action in chain.log if isinstance(action, MoveStage)]
    assert len({action.merge_key for action in moves}) == 1
    chain.store.undo()
    assert families(chain)[0] == "notch"


def test_escape_during_a_drag_puts_the_stage_back(qtbot, chain):
    qtbot.mousePress(chain.view.viewport(), Qt.MouseButton.LeftButton, pos=middle(chain, 0, x=12))
    drag_to(chain.view, middle(chain, 2, x=12))
    qtbot.keyClick(chain.view, Qt.Key.Key_Escape)
    assert families(chain)[0] == "notch"


@pytest.mark.parametrize(
    ("key", "modifiers", "result"),
    [
        (Qt.Key.Key_Down, Qt.KeyboardModifier.NoModifier, ["notch", "butterworth", "butterworth"]),
        (Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier, ["butterworth", "notch", "butterworth"]),
        (Qt.Key.Key_Delete, Qt.KeyboardModifier.NoModifier, ["butterworth", "butterworth"]),
    ],
)
def test_keys_of_the_chain(qtbot, chain, key, modifiers, result):
    chain.dispatch(SelectStage(chain=0, stage=0))
    qtbot.keyClick(chain.view, key, modifiers)
    assert families(chain) == result


def test_space_switches_and_ctrl_shift_d_duplicates_and_copy_paste_copies(qtbot, chain):
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    chain.dispatch(SelectStage(chain=0, stage=0))
    qtbot.keyClick(chain.view, Qt.Key.Key_Space)
    assert not chain.stage(0).enabled
    qtbot.keyClick(chain.view, Qt.Key.Key_D, control | shift)
    assert families(chain) == ["notch", "notch", "butterworth", "butterworth"]
    qtbot.keyClick(chain.view, Qt.Key.Key_C, control)
    chain.dispatch(SelectStage(chain=0, stage=3))
    qtbot.keyClick(chain.view, Qt.Key.Key_V, control)
    assert families(chain)[-1] == "notch"


def test_enter_wants_the_first_number_and_insert_a_menu(qtbot, chain):
    with qtbot.waitSignal(chain.view.opened):
        qtbot.keyClick(chain.view, Qt.Key.Key_Return)
    with qtbot.waitSignal(chain.view.add_wanted):
        qtbot.keyClick(chain.view, Qt.Key.Key_Insert)
    with qtbot.waitSignal(chain.view.escaped):
        qtbot.keyClick(chain.view, Qt.Key.Key_Escape)


def test_f2_renames(qtbot, chain):
    qtbot.keyClick(chain.view, Qt.Key.Key_F2)
    editor = chain.view.findChild(TextField)
    editor.selectAll()
    qtbot.keyClicks(editor, "Anti-alias")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: chain.stage(0).name == "Anti-alias")
    assert row(chain, 0).title == "Anti-alias"


def test_the_menu_offers_what_is_possible(chain):
    menu = chain.view.menu_of(0)
    enabled = {action.text(): action.isEnabled() for action in menu.actions() if action.text()}
    assert not enabled["Move up"]
    assert enabled["Move down"]
    assert "Revert to design" not in enabled


def test_a_stage_edited_by_hand_keeps_its_words_and_can_be_reverted(chain):
    chain.dispatch(EditCoefficient(chain=0, stage=2, form="sos", row=0, column=4, value=-1.0, rate_hz=RATE_HZ))
    assert row(chain, 2).title == "Low-pass"
    assert row(chain, 2).subtitle == "1 number edited by hand"
    chain.dispatch(EditCoefficient(chain=0, stage=2, form="sos", row=1, column=0, value=1.1, rate_hz=RATE_HZ))
    assert row(chain, 2).subtitle == "2 numbers edited by hand"
    chain.dispatch(EditCoefficient(chain=0, stage=2, form="ba", row=1, column=0, value=0.1, rate_hz=RATE_HZ))
    assert row(chain, 2).subtitle.endswith("edited by hand") or "was Butterworth 4" in row(chain, 2).subtitle
    texts = [action.text() for action in chain.view.menu_of(2).actions()]
    assert "Revert to design" in texts


def test_an_unstable_stage_says_so_with_its_radius(chain):
    chain.dispatch(EditCoefficient(chain=0, stage=2, form="sos", row=0, column=5, value=1.1, rate_hz=RATE_HZ))
    assert row(chain, 2).problem == "Unstable · radius 1.049"


def test_a_stage_that_does_not_fit_the_rate_says_why(chain, frame_of):
    chain.view.show_frame(frame_of(chain.state, 9, 64.0))
    assert row(chain, 2).problem == "40 Hz is above fs/2 = 32 Hz"


def test_screen_readers_hear_the_whole_row(chain):
    words = chain.view.model().index(2, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert words == "Low-pass, Butterworth 4 · 40.0 Hz, on, 3 of 3"


def test_a_narrow_notch_keeps_its_depth_in_the_small_curve():
    import numpy as np

    level = np.zeros(3000)
    level[1500] = -60.0
    assert small_curve(np.geomspace(0.1, 500.0, 3000), level).min() == 0.0


def test_tuning_one_stage_paints_no_other_row_again(monkeypatch, chain):
    painted = []
    monkeypatch.setattr(chain.view._delegate, "paint", lambda painter, option, index: painted.append(index.row()))
    chain.view.show()
    QApplication.processEvents()
    chain.dispatch(SelectStage(chain=0, stage=2))
    QApplication.processEvents()
    painted.clear()
    chain.dispatch(TurnKnob(chain=0, stage=2, name="cutoff_hz", value=55.0, merge_key="drag"))
    QApplication.processEvents()
    assert painted == [2]


def test_an_empty_chain_says_what_to_do(qtbot, make_rig):
    rig = make_rig(ChainList)
    qtbot.addWidget(rig.view)
    rig.view.resize(380, 60)
    assert not rig.view.grab().isNull()


def test_a_stage_that_has_just_been_added_shows_without_its_curve(qtbot, chain):
    chain.view.show_state(chain.state, chain.state)  # the frame of before is for three stages
    chain.view._stages = (*chain.view._stages, Stage(spec=FAMILIES["peak"]()))
    chain.view._show_rows()
    assert row(chain, 3).title == "Peak"
    assert row(chain, 3).curve is None


def test_stages_are_copied_as_text_and_pasted_from_anywhere(qtbot, chain):
    control = Qt.KeyboardModifier.ControlModifier
    chain.dispatch(SelectStage(chain=0, stage=2))
    qtbot.keyClick(chain.view, Qt.Key.Key_C, control)
    assert json.loads(QGuiApplication.clipboard().text())["family"] == "butterworth"
    QGuiApplication.clipboard().setText("h = firwin(31, 20, fs=256)\nb, a = iirnotch(60, 30, fs=256)")
    with qtbot.waitSignal(chain.view.said) as said:
        qtbot.keyClick(chain.view, Qt.Key.Key_V, control)
    assert families(chain)[3:] == ["fir_window", "notch"]
    assert said.args[0].startswith("Added 2 stages; written for 256 Hz")
    chain.store.undo()
    assert len(families(chain)) == 3
    QGuiApplication.clipboard().setText("nothing")
    with qtbot.waitSignal(chain.view.said) as said:
        qtbot.keyClick(chain.view, Qt.Key.Key_V, control)
    assert said.args == ["There are no numbers. Give rows of numbers, or a line of code."]


def test_s_hears_one_stage_alone_and_back(qtbot, chain):
    chain.dispatch(SelectStage(chain=0, stage=1))
    qtbot.keyClick(chain.view, Qt.Key.Key_S)
    assert [chain.stage(n).enabled for n in range(3)] == [False, True, False]
    assert "All as before" in [action.text() for action in chain.view.menu_of(1).actions()]
    qtbot.keyClick(chain.view, Qt.Key.Key_S)
    assert all(chain.stage(n).enabled for n in range(3))


def test_coefficients_are_loaded_behind_the_selected_stage(chain, tmp_path, monkeypatch):
    path = tmp_path / "taps.csv"
    path.write_text("taps\n0.5\n0.25\n")
    monkeypatch.setattr("jaxscope.gui.views.chain_list.ask_file", lambda _parent: str(path))
    chain.dispatch(SelectStage(chain=0, stage=0))
    chain.view.load()
    assert families(chain) == ["notch", "taps", "butterworth", "butterworth"]
