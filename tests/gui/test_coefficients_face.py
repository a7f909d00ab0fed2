"""The numbers of a stage: shown by form, typed, spun, scrubbed and pasted; wrong ones are kept out and named."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QApplication

from jaxscope.filters import FAMILIES
from jaxscope.filters.coefficients import Sections
from jaxscope.gui.components.numbers import MINUS
from jaxscope.gui.views.coefficients import CoefficientsFace
from jaxscope.gui.views.coefficients_model import (
    Address,
    digits_lost_as_polynomial,
    last_digit,
    parse_table,
    write_cell,
)
from jaxscope.session.actions import EditCoefficient

RATE_HZ = 512.0


def shown(qtbot, rig):
    qtbot.addWidget(rig.view)
    rig.view.resize(368, 560)
    rig.view.show()
    rig.view.activateWindow()
    qtbot.waitUntil(rig.view.isActiveWindow)
    rig.log.clear()
    return rig


@pytest.fixture
def sos(qtbot, make_rig):
    return shown(
        qtbot, make_rig(CoefficientsFace, FAMILIES["butterworth"](order=8, cutoff_hz=40.0), face="coefficients")
    )


@pytest.fixture
def taps(qtbot, make_rig):
    return shown(qtbot, make_rig(CoefficientsFace, FAMILIES["fir_window"](taps=21), face="coefficients"))


def cells(rig):
    return rig.view.table.cells


def go_to(rig, address):
    cells(rig).setFocus()
    cells(rig).setCurrentIndex(rig.view.model.index_of(address))


def at(form, row, column=0):
    return Address(form=form, row=row, column=column)


def number(rig, row, column):
    return rig.stage().spec.design(RATE_HZ).rows[row][column]


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
    go_to(sos, at("sos", 3, 4))
    qtbot.keyClick(cells(sos), Qt.Key.Key_Return)
    editor = cells(sos).editor
    editor.selectAll()
    qtbot.keyClicks(editor, "-1.5")
    assert number(sos, 3, 4) == -1.5
    assert sos.stage().spec.family == "sections"
    assert sos.stage().origin.order == 8
    assert len({action.merge_key for action in sos.log}) == 1
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert not editor.isVisible()
    assert cells(sos).hasFocus()
    sos.store.undo()
    assert sos.stage().spec.family == "butterworth"


def test_a_digit_opens_the_editor_with_it(qtbot, sos):
    go_to(sos, at("sos", 1, 1))
    qtbot.keyClicks(cells(sos), "3")
    assert cells(sos).editor.text() == "3"
    assert number(sos, 1, 1) == 3.0


def test_escape_in_a_cell_puts_the_number_back(qtbot, sos):
    go_to(sos, at("sos", 1, 4))
    before = number(sos, 1, 4)
    cells(sos).edit_current()
    cells(sos).editor.selectAll()
    qtbot.keyClicks(cells(sos).editor, "9")
    assert number(sos, 1, 4) == 9.0
    qtbot.keyClick(cells(sos).editor, Qt.Key.Key_Escape)
    assert number(sos, 1, 4) == before
    assert len({action.merge_key for action in sos.log}) == 1


def test_an_expression_that_cannot_be_read_keeps_the_old_number(qtbot, sos):
    go_to(sos, at("sos", 1, 4))
    before = number(sos, 1, 4)
    cells(sos).edit_current()
    cells(sos).editor.selectAll()
    qtbot.keyClicks(cells(sos).editor, "cos(")
    assert cells(sos).editor.is_wrong
    assert "Can't read" in sos.view.message.text()
    assert "Still using" in sos.view.message.text()
    assert number(sos, 1, 4) == before


def test_the_formula_bar_names_the_cell_and_takes_expressions(qtbot, sos):
    go_to(sos, at("sos", 3, 4))
    bar = sos.view.formula
    assert bar.label() == "a₁ · 4"
    bar.field.setFocus()
    bar.field.selectAll()
    qtbot.keyClicks(bar.field, "-2*0.9*cos(2*pi*fs/16/fs)")
    assert number(sos, 3, 4) == pytest.approx(-2 * 0.9 * 0.9238795325)


def test_a0_cannot_be_edited(qtbot, sos):
    go_to(sos, at("sos", 0, 3))
    qtbot.keyClick(cells(sos), Qt.Key.Key_Return)
    qtbot.keyClick(cells(sos), Qt.Key.Key_Delete)
    qtbot.keyClick(cells(sos), Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert sos.log == []
    assert not cells(sos).editor.isVisible()
    assert not sos.view.formula.field.isEnabled()


def test_alt_arrows_spin_the_last_digit_as_one_step(qtbot, sos):
    go_to(sos, at("sos", 3, 4))
    before = number(sos, 3, 4)
    alt, shift = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(cells(sos), Qt.Key.Key_Up, alt)
    qtbot.keyClick(cells(sos), Qt.Key.Key_Up, alt | shift)
    qtbot.keyClick(cells(sos), Qt.Key.Key_Down, alt)
    assert number(sos, 3, 4) == pytest.approx(before + 10e-4)
    sos.store.undo()
    assert sos.stage().spec.family == "butterworth"


def test_alt_drag_scrubs_live_and_escape_restores(qtbot, sos):
    go_to(sos, at("sos", 3, 4))
    before = number(sos, 3, 4)
    view = cells(sos).viewport()
    spot = cells(sos).visualRect(sos.view.model.index(3, 4)).center()
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.AltModifier, spot)
    for pixels in (5, 10):
        place = QPointF(spot.x() + pixels, spot.y())
        event = QMouseEvent(
            QEvent.Type.MouseMove, place, view.mapToGlobal(place), Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton, Qt.KeyboardModifier.AltModifier,
        )  # fmt: skip
        QApplication.sendEvent(view, event)
    assert number(sos, 3, 4) == pytest.approx(before + 10e-4)
    qtbot.keyClick(cells(sos), Qt.Key.Key_Escape)
    assert number(sos, 3, 4) == before


def test_edited_cells_are_marked_and_the_design_can_come_back(qtbot, sos):
    sos.dispatch(EditCoefficient(chain=0, stage=0, form="sos", row=2, column=1, value=1.9, rate_hz=RATE_HZ))
    assert sos.view.model.is_edited(at("sos", 2, 1))
    assert not sos.view.model.is_edited(at("sos", 2, 2))
    assert sos.view.revert.isVisibleTo(sos.view)
    qtbot.mouseClick(sos.view.revert, Qt.MouseButton.LeftButton)
    assert sos.stage().spec.family == "butterworth"
    assert not sos.view.revert.isVisibleTo(sos.view)


def test_b_and_a_are_two_columns_with_a_note_about_digits(qtbot, make_rig):
    rig = make_rig(
        CoefficientsFace, FAMILIES["butterworth"](order=8, cutoff_hz=40.0), face="coefficients", coefficient_form="ba"
    )
    shown(qtbot, rig)
    assert (rig.view.model.rowCount(), rig.view.model.columnCount()) == (9, 2)
    assert rig.view.note.isVisibleTo(rig.view)
    assert "Order 8 loses about" in rig.view.note.text()
    go_to(rig, at("ba", 2, 1))
    cells(rig).spin(at("ba", 2, 1), 1, "k")
    assert rig.stage().spec.family == "transfer_function"


def test_a_low_order_has_no_note(qtbot, make_rig):
    rig = make_rig(CoefficientsFace, FAMILIES["butterworth"](order=2), face="coefficients", coefficient_form="ba")
    shown(qtbot, rig)
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


def test_taps_are_a_grid_with_stems(qtbot, taps):
    assert taps.view.form() == "taps"
    assert taps.view.taps.isVisibleTo(taps.view)
    assert taps.view.model.rowCount() == 6
    assert taps.view.model.address(taps.view.model.index(5, 1)) is None


def test_ten_thousand_taps_are_painted_by_columns_of_pixels(qtbot, taps, monkeypatch):
    plot, asked = taps.view.taps, []
    values = [0.0] * 10_001
    values[5000], values[2503] = 1.0, -0.5
    plot.show_taps(tuple(values), RATE_HZ, None)
    monkeypatch.setattr(plot, "tip_of", lambda tap, real=plot.tip_of: (asked.append(tap), real(tap))[1])
    plot.grab()
    assert len(asked) < 3 * plot.width()
    assert {5000, 2503} <= set(asked), "the highest and the lowest are always there"


def test_dragging_a_stem_moves_its_mirror_too_and_is_one_step(qtbot, taps):
    plot = taps.view.taps
    tip = plot.tip_of(4).toPoint()
    qtbot.mousePress(plot, Qt.MouseButton.LeftButton, pos=tip)
    place = QPointF(tip.x(), tip.y() - 20)
    event = QMouseEvent(
        QEvent.Type.MouseMove, place, plot.mapToGlobal(place), Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(plot, event)
    values = taps.stage().spec.values
    assert values[4] == values[16]
    assert values[4] > FAMILIES["fir_window"](taps=21).design(RATE_HZ).values[4]
    qtbot.mouseRelease(plot, Qt.MouseButton.LeftButton, pos=place.toPoint())
    taps.store.undo()
    assert taps.stage().spec.family == "fir_window"


def test_without_symmetry_one_tap_moves_alone(qtbot, taps):
    qtbot.mouseClick(taps.view.symmetric, Qt.MouseButton.LeftButton)
    taps.view.taps._ask(4, 0.5, "k")
    values = taps.stage().spec.values
    assert (values[4], values[16]) != (values[16], values[4])
    assert values[4] == 0.5


def test_copy_gives_tab_separated_numbers_that_paste_takes_back(qtbot, sos):
    before = sos.stage().spec.design(RATE_HZ).rows
    qtbot.mouseClick(sos.view.copy, Qt.MouseButton.LeftButton)
    text = QGuiApplication.clipboard().text()
    assert len(text.splitlines()) == 4
    assert text.splitlines()[0].count("\t") == 5
    sos.dispatch(EditCoefficient(chain=0, stage=0, form="sos", row=0, column=4, value=0.0, rate_hz=RATE_HZ))
    qtbot.mouseClick(sos.view.paste, Qt.MouseButton.LeftButton)
    assert sos.stage().spec.design(RATE_HZ).rows == before


@pytest.mark.parametrize(
    "text",
    [
        "1\t2\t1\t1\t-0.5\t0.2",
        "[1, 2, 1, 1, -0.5, 0.2]",
        "sos = [[1 2 1 1 -.5 2e-1]];",
        "np.array([[1.0, 2, 1, 1, −0.5, 0.2]])",
    ],
)
def test_pasting_reads_spreadsheets_matlab_and_python(qtbot, sos, text):
    QGuiApplication.clipboard().setText(text)
    qtbot.mouseClick(sos.view.paste, Qt.MouseButton.LeftButton)
    assert sos.stage().spec.rows == ((1.0, 2.0, 1.0, 1.0, -0.5, 0.2),)


def test_pasting_a_wrong_count_says_so_and_changes_nothing(qtbot, sos):
    QGuiApplication.clipboard().setText("1 2 3 4")
    qtbot.mouseClick(sos.view.paste, Qt.MouseButton.LeftButton)
    assert sos.stage().spec.family == "butterworth"
    assert "4 numbers are not rows of six" in sos.view.message.text()


def test_a_block_is_pasted_from_the_current_cell_as_one_step(qtbot, sos):
    go_to(sos, at("sos", 1, 0))
    cells(sos).paste_at_current("0.5\t0.6\n0.7\t0.8")
    assert number(sos, 1, 0) == 0.5
    assert number(sos, 2, 1) == 0.8
    sos.store.undo()
    assert sos.stage().spec.family == "butterworth"


def test_parse_table_keeps_lines():
    assert parse_table("b = [1, 2];\na = [3 4]") == [[1.0, 2.0], [3.0, 4.0]]


def test_a_stage_without_coefficients_says_so(qtbot, make_rig):
    rig = shown(qtbot, make_rig(CoefficientsFace, FAMILIES["median"](), face="coefficients"))
    assert rig.view.nothing.isVisibleTo(rig.view)
    assert not rig.view.table.isVisibleTo(rig.view)


def test_letters_do_not_leak_from_the_table(qtbot, sos):
    from PySide6.QtGui import QAction, QKeySequence

    leaked = []
    for letter in "RCXDUSTOLZHPWN1234[]":
        action = QAction(sos.view, shortcut=QKeySequence(letter))
        action.triggered.connect(lambda _=False, name=letter: leaked.append(name))
        sos.view.addAction(action)
    go_to(sos, at("sos", 0, 3))
    for letter in "rcxdustolzhpwn[]":
        qtbot.keyClicks(cells(sos), letter)
    assert leaked == []


def test_spinning_faster_than_frames_arrive_loses_no_step(qtbot, sos):
    go_to(sos, at("sos", 3, 4))
    before = number(sos, 3, 4)
    stale = sos.view._frame
    for _ in range(3):
        qtbot.keyClick(cells(sos), Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
        sos.view.show_frame(stale)
    assert number(sos, 3, 4) == pytest.approx(before + 3e-4)


def test_the_gain_at_0_hz_can_be_kept_as_one_step(qtbot, sos):
    def gain(row):
        b0, b1, b2, a0, a1, a2 = sos.stage().spec.design(RATE_HZ).rows[row]
        return (b0 + b1 + b2) / (a0 + a1 + a2)

    before = gain(3)
    go_to(sos, at("sos", 3, 4))
    cells(sos).spin(at("sos", 3, 4), 200, "k1")
    assert gain(3) != pytest.approx(before, rel=1e-3)
    sos.store.undo()
    qtbot.mouseClick(sos.view.keep_gain, Qt.MouseButton.LeftButton)
    cells(sos).spin(at("sos", 3, 4), 200, "k2")
    assert gain(3) == pytest.approx(before, rel=1e-12)
    sos.store.undo()
    assert sos.stage().spec.family == "butterworth"


def test_keeping_the_gain_leaves_a_high_pass_alone(qtbot, make_rig):
    rig = shown(
        qtbot, make_rig(CoefficientsFace, FAMILIES["butterworth"](band="highpass", order=2), face="coefficients")
    )
    rig.view.keep_gain.setChecked(True)
    cells(rig).spin(at("sos", 0, 4), 1, "k")
    assert len(rig.log) == 1


def test_an_edit_that_is_given_up_leaves_the_design_and_no_step(qtbot, sos):
    before = sos.stage()
    go_to(sos, at("sos", 1, 4))
    qtbot.mouseClick(sos.view.keep_gain, Qt.MouseButton.LeftButton)
    cells(sos).edit_current()
    cells(sos).editor.selectAll()
    qtbot.keyClicks(cells(sos).editor, "0.5")
    assert sos.stage() != before
    qtbot.keyClick(cells(sos).editor, Qt.Key.Key_Escape)
    assert sos.stage() == before
    assert not sos.store.can_undo


def test_a_stem_that_is_given_up_and_stems_painted_with_shift(qtbot, taps):
    before, plot = taps.stage(), taps.view.taps
    start = plot.tip_of(4)
    qtbot.mousePress(plot, Qt.MouseButton.LeftButton, pos=start.toPoint())
    qtbot.mouseMove(plot, (start - QPointF(0, 20)).toPoint())
    assert taps.stage() != before
    qtbot.keyClick(plot, Qt.Key.Key_Escape)
    assert taps.stage() == before
    assert not taps.store.can_undo
    qtbot.mousePress(plot, Qt.MouseButton.LeftButton, pos=start.toPoint())
    end = QPointF(plot.tip_of(8).x(), start.y() - 30)
    event = QMouseEvent(
        QEvent.Type.MouseMove, end, plot.mapToGlobal(end), Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.ShiftModifier,
    )  # fmt: skip
    QApplication.sendEvent(plot, event)
    qtbot.mouseRelease(plot, Qt.MouseButton.LeftButton, pos=end.toPoint())
    values = taps.stage().spec.values
    assert len(set(values[5:9])) == 1
    assert values[12:16] == values[5:9]
    assert values[4] == before.spec.design(RATE_HZ).values[4]
    taps.store.undo()
    assert taps.stage() == before
