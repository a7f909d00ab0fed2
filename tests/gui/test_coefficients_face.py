"""The numbers of a stage: shown by form, typed, spun and scrubbed; wrong ones are kept out and named."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from jaxscope.filters import FAMILIES
from jaxscope.filters.coefficients import Sections
from jaxscope.gui.components.numbers import MINUS
from jaxscope.gui.components.painting import text_width
from jaxscope.gui.views.coefficients import CoefficientsFace
from jaxscope.gui.views.coefficients_model import Address, digits_lost_as_polynomial, last_digit, write_cell
from jaxscope.session.actions import EditCoefficient

RATE_HZ = 512.0


def at(form, row, column=0):
    return Address(form=form, row=row, column=column)


@pytest.mark.parametrize(
    ("value", "digits", "written"),
    [
        (1.0, 5, "1.0000"),
        (-1.26721, 5, f"{MINUS}1.2672"),
        (0.436831, 5, "0.43683"),
        (3.2912e-6, 5, f"3.29e{MINUS}6"),
        (0.0, 5, "0"),
        (-19.2170664, 7, f"{MINUS}19.21707"),
    ],
)
def test_cells_are_written_to_the_width_of_a_cell(value, digits, written):
    assert write_cell(value, digits) == written


@pytest.mark.parametrize(("value", "step"), [(-1.26721, 1e-4), (0.436831, 1e-5), (3.2912e-6, 1e-8), (1.0, 1e-4)])
def test_the_last_digit_is_the_last_one_shown(value, step):
    assert last_digit(value) == pytest.approx(step)


def test_sections_are_a_table_of_six_columns(sos):
    assert sos.view.form() == "sos"
    assert (sos.view.model.rowCount(), sos.view.model.columnCount()) == (4, 6)
    assert sos.view.forms.button("taps").isEnabled() is False
    assert sos.view.model.is_fixed(at("sos", 0, 3))


def test_typing_in_a_cell_is_live_and_remembers_the_design(qtbot, sos):
    sos.go_to(at("sos", 3, 4))
    qtbot.keyClick(sos.cells, Qt.Key.Key_Return)
    editor = sos.cells.editor
    editor.selectAll()
    qtbot.keyClicks(editor, "-1.5")
    assert sos.number(3, 4) == -1.5
    assert sos.stage().spec.family == "sections"
    assert sos.stage().origin.order == 8
    assert len({action.merge_key for action in sos.log}) == 1
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert not editor.isVisible()
    assert sos.cells.hasFocus()
    sos.store.undo()
    assert sos.stage().spec.family == "butterworth"


def test_a_digit_opens_the_editor_with_it(qtbot, sos):
    sos.go_to(at("sos", 1, 1))
    qtbot.keyClicks(sos.cells, "3")
    assert sos.cells.editor.text() == "3"
    assert sos.number(1, 1) == 3.0


def test_escape_in_a_cell_puts_the_number_back(qtbot, sos):
    sos.go_to(at("sos", 1, 4))
    before = sos.number(1, 4)
    sos.cells.edit_current()
    sos.cells.editor.selectAll()
    qtbot.keyClicks(sos.cells.editor, "9")
    assert sos.number(1, 4) == 9.0
    qtbot.keyClick(sos.cells.editor, Qt.Key.Key_Escape)
    assert sos.number(1, 4) == before
    assert len({action.merge_key for action in sos.log}) == 1


def test_an_expression_that_cannot_be_read_keeps_the_old_number(qtbot, sos):
    sos.go_to(at("sos", 1, 4))
    before = sos.number(1, 4)
    sos.cells.edit_current()
    sos.cells.editor.selectAll()
    qtbot.keyClicks(sos.cells.editor, "cos(")
    assert sos.cells.editor.is_wrong
    assert "Can't read" in sos.view.message.text()
    assert "Still using" in sos.view.message.text()
    assert sos.number(1, 4) == before


def test_the_formula_bar_names_the_cell_and_takes_expressions(qtbot, sos):
    sos.go_to(at("sos", 3, 4))
    bar = sos.view.formula
    assert bar.label() == "a₁ · 4"
    bar.field.setFocus()
    bar.field.selectAll()
    qtbot.keyClicks(bar.field, "-2*0.9*cos(2*pi*fs/16/fs)")
    assert sos.number(3, 4) == pytest.approx(-2 * 0.9 * 0.9238795325)


def test_a0_cannot_be_edited(qtbot, sos):
    sos.go_to(at("sos", 0, 3))
    qtbot.keyClick(sos.cells, Qt.Key.Key_Return)
    qtbot.keyClick(sos.cells, Qt.Key.Key_Delete)
    qtbot.keyClick(sos.cells, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert sos.log == []
    assert not sos.cells.editor.isVisible()
    assert not sos.view.formula.field.isEnabled()


def test_alt_arrows_spin_the_last_digit_as_one_step(qtbot, sos):
    sos.go_to(at("sos", 3, 4))
    before = sos.number(3, 4)
    alt, shift = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(sos.cells, Qt.Key.Key_Up, alt)
    qtbot.keyClick(sos.cells, Qt.Key.Key_Up, alt | shift)
    qtbot.keyClick(sos.cells, Qt.Key.Key_Down, alt)
    assert sos.number(3, 4) == pytest.approx(before + 10e-4)
    sos.store.undo()
    assert sos.stage().spec.family == "butterworth"


def test_alt_drag_scrubs_live_and_escape_restores(qtbot, sos):
    sos.go_to(at("sos", 3, 4))
    before = sos.number(3, 4)
    view = sos.cells.viewport()
    spot = sos.cells.visualRect(sos.view.model.index(3, 4)).center()
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.AltModifier, spot)
    for pixels in (5, 10):
        place = QPointF(spot.x() + pixels, spot.y())
        event = QMouseEvent(
            QEvent.Type.MouseMove, place, view.mapToGlobal(place), Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton, Qt.KeyboardModifier.AltModifier,
        )  # fmt: skip
        QApplication.sendEvent(view, event)
    assert sos.number(3, 4) == pytest.approx(before + 10e-4)
    qtbot.keyClick(sos.cells, Qt.Key.Key_Escape)
    assert sos.number(3, 4) == before


def test_edited_cells_are_marked_and_the_design_can_come_back(qtbot, sos):
    sos.dispatch(EditCoefficient(chain=0, stage=0, form="sos", row=2, column=1, value=1.9, rate_hz=RATE_HZ))
    assert sos.view.model.is_edited(at("sos", 2, 1))
    assert not sos.view.model.is_edited(at("sos", 2, 2))
    assert sos.view.revert.isVisibleTo(sos.view)
    qtbot.mouseClick(sos.view.revert, Qt.MouseButton.LeftButton)
    assert sos.stage().spec.family == "butterworth"
    assert not sos.view.revert.isVisibleTo(sos.view)


def test_b_and_a_are_two_columns_with_a_note_about_digits(shown, make_rig):
    rig = make_rig(
        CoefficientsFace, FAMILIES["butterworth"](order=8, cutoff_hz=40.0), face="coefficients", coefficient_form="ba"
    )
    shown(rig)
    assert (rig.view.model.rowCount(), rig.view.model.columnCount()) == (9, 2)
    assert rig.view.note.isVisibleTo(rig.view)
    assert "Order 8 loses about" in rig.view.note.text()
    rig.go_to(at("ba", 2, 1))
    rig.cells.spin(at("ba", 2, 1), 1, "k")
    assert rig.stage().spec.family == "transfer_function"


def test_a_low_order_has_no_note(shown, make_rig):
    rig = make_rig(CoefficientsFace, FAMILIES["butterworth"](order=2), face="coefficients", coefficient_form="ba")
    shown(rig)
    assert not rig.view.note.isVisibleTo(rig.view)


def test_digits_lost_is_what_really_happens_to_the_poles():
    import numpy as np

    sections = FAMILIES["butterworth"](order=8, cutoff_hz=4.0).design(RATE_HZ)
    assert isinstance(sections, Sections)
    poles = np.concatenate([np.roots(row[3:]) for row in sections.rows])
    polynomial = np.real(np.poly(poles))
    nudged = polynomial * (1 + 1e-13 * np.sign(np.random.default_rng(0).normal(size=polynomial.size)))
    moved = max(np.abs(poles - root).min() for root in np.roots(nudged))
    assert np.log10(moved / 1e-13) == pytest.approx(digits_lost_as_polynomial(sections), abs=1.5)


def test_a_stage_without_coefficients_says_so(shown, make_rig):
    rig = shown(make_rig(CoefficientsFace, FAMILIES["median"](), face="coefficients"))
    assert rig.view.nothing.isVisibleTo(rig.view)
    assert not rig.view.table.isVisibleTo(rig.view)


def test_letters_do_not_leak_from_the_table(qtbot, sos):
    from PySide6.QtGui import QAction, QKeySequence

    leaked = []
    for letter in "RCXDUSTOLZHPWN1234[]":
        action = QAction(sos.view, shortcut=QKeySequence(letter))
        action.triggered.connect(lambda _=False, name=letter: leaked.append(name))
        sos.view.addAction(action)
    sos.go_to(at("sos", 0, 3))
    for letter in "rcxdustolzhpwn[]":
        qtbot.keyClicks(sos.cells, letter)
    assert leaked == []


def test_spinning_faster_than_frames_arrive_loses_no_step(qtbot, sos):
    sos.go_to(at("sos", 3, 4))
    before = sos.number(3, 4)
    stale = sos.view._frame
    for _ in range(3):
        qtbot.keyClick(sos.cells, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
        sos.view.show_frame(stale)
    assert sos.number(3, 4) == pytest.approx(before + 3e-4)


def test_the_gain_at_0_hz_can_be_kept_as_one_step(qtbot, sos):
    def gain(row):
        b0, b1, b2, a0, a1, a2 = sos.stage().spec.design(RATE_HZ).rows[row]
        return (b0 + b1 + b2) / (a0 + a1 + a2)

    before = gain(3)
    sos.go_to(at("sos", 3, 4))
    sos.cells.spin(at("sos", 3, 4), 200, "k1")
    assert gain(3) != pytest.approx(before, rel=1e-3)
    sos.store.undo()
    qtbot.mouseClick(sos.view.keep_gain, Qt.MouseButton.LeftButton)
    sos.cells.spin(at("sos", 3, 4), 200, "k2")
    assert gain(3) == pytest.approx(before, rel=1e-12)
    sos.store.undo()
    assert sos.stage().spec.family == "butterworth"


def test_keeping_the_gain_leaves_a_high_pass_alone(shown, make_rig):
    rig = shown(make_rig(CoefficientsFace, FAMILIES["butterworth"](band="highpass", order=2), face="coefficients"))
    rig.view.keep_gain.setChecked(True)
    rig.cells.spin(at("sos", 0, 4), 1, "k")
    assert len(rig.log) == 1


def test_an_edit_that_is_given_up_leaves_the_design_and_no_step(qtbot, sos):
    before = sos.stage()
    sos.go_to(at("sos", 1, 4))
    qtbot.mouseClick(sos.view.keep_gain, Qt.MouseButton.LeftButton)
    sos.cells.edit_current()
    sos.cells.editor.selectAll()
    qtbot.keyClicks(sos.cells.editor, "0.5")
    assert sos.stage() != before
    qtbot.keyClick(sos.cells.editor, Qt.Key.Key_Escape)
    assert sos.stage() == before
    assert not sos.store.can_undo


def test_the_editor_has_room_for_every_digit_and_the_sign(qtbot, sos):
    sos.go_to(at("sos", 3, 4))
    sos.view._edit(at("sos", 3, 4), -0.605353637681, "k")
    qtbot.keyClick(sos.cells, Qt.Key.Key_Return)
    editor = sos.cells.editor
    assert editor.text() == f"{MINUS}0.605353637681"
    assert text_width(editor.text(), editor.font()) < editor.width() - 16


def test_a_number_that_was_typed_wrong_and_left_leaves_the_design(qtbot, sos):
    before = sos.stage()
    sos.go_to(at("sos", 3, 4))
    qtbot.keyClick(sos.cells, Qt.Key.Key_Return)
    qtbot.keyClick(sos.cells.editor, Qt.Key.Key_End)
    qtbot.keyClicks(sos.cells.editor, "1.2")
    qtbot.keyClick(sos.cells.editor, Qt.Key.Key_Return)
    sos.cells.setFocus()
    assert sos.stage() == before
