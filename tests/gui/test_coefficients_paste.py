"""Numbers of a stage copied and pasted: spreadsheets, MATLAB, Python; what does not fit is said."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from jaxscope.gui.views.coefficients_model import Address, parse_table
from jaxscope.session.actions import EditCoefficient

RATE_HZ = 512.0


def at(form, row, column=0):
    return Address(form=form, row=row, column=column)


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
    sos.go_to(at("sos", 1, 0))
    sos.cells.paste_at_current("0.5\t0.6\n0.7\t0.8")
    assert sos.number(1, 0) == 0.5
    assert sos.number(2, 1) == 0.8
    sos.store.undo()
    assert sos.stage().spec.family == "butterworth"


def test_parse_table_keeps_lines():
    assert parse_table("b = [1, 2];\na = [3 4]") == [[1.0, 2.0], [3.0, 4.0]]


def test_a_line_of_code_makes_the_stage_a_design(qtbot, sos):
    QGuiApplication.clipboard().setText("sos = signal.butter(4, [1, 40], 'bandpass', fs=1000, output='sos')")
    with qtbot.waitSignal(sos.view.said) as said:
        qtbot.mouseClick(sos.view.paste, Qt.MouseButton.LeftButton)
    assert sos.stage().spec.cutoff_hz == (1.0, 40.0)
    assert said.args == ["written for 1000 Hz: its edges in Hz are kept at 512 Hz"]
    sos.store.undo()
    assert sos.stage().spec.order == 8


def test_code_is_known_in_the_cells_too_and_several_stages_are_refused(qtbot, sos, taps):
    taps.go_to(Address(form="taps", row=0, column=0))
    QGuiApplication.clipboard().setText("static const float h[3] = {0.25f, 0.5f, 0.25f};")
    qtbot.keyClick(taps.cells, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert taps.stage().spec.values == (0.25, 0.5, 0.25)
    QGuiApplication.clipboard().setText("a1 = butter(2, 0.1)\na2 = butter(2, 0.2)")
    qtbot.mouseClick(sos.view.paste, Qt.MouseButton.LeftButton)
    assert sos.view.message.text() == (
        "There are 2 stages in it. Paste or load it in the chain. The numbers from before are kept."
    )


def test_taps_are_loaded_from_a_file(qtbot, taps, tmp_path, monkeypatch):
    path = tmp_path / "taps.csv"
    path.write_text("taps\n0.5\n0.25\n")
    monkeypatch.setattr("jaxscope.gui.views.coefficients.ask_file", lambda _parent: str(path))
    qtbot.mouseClick(taps.view.load, Qt.MouseButton.LeftButton)
    assert taps.stage().spec.values == (0.5, 0.25)
    path.write_text("taps\n1 x\n")
    qtbot.mouseClick(taps.view.load, Qt.MouseButton.LeftButton)
    assert taps.view.message.text().startswith('taps.csv: line 2: "x" is not')
    assert taps.stage().spec.values == (0.5, 0.25)
