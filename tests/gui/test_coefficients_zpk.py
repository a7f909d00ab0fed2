"""Zeros, poles and gain as text: typing, giving up, adding, removing, copying and pasting."""

from __future__ import annotations

import cmath

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.roots import Roots
from jaxscope.gui.views.coefficients import CoefficientsFace
from jaxscope.gui.views.coefficients_roots import read_root, read_roots, write_root, write_roots
from jaxscope.session.actions import EditRoots

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def face(qtbot, make_rig, lowpass):
    rig = make_rig(CoefficientsFace, lowpass, face="coefficients", coefficient_form="zpk")
    qtbot.addWidget(rig.view)
    rig.view.resize(368, 420)
    rig.view.show()
    rig.view.activateWindow()
    qtbot.waitUntil(rig.view.isActiveWindow)
    rig.log.clear()
    return rig


def cell(rig, column, row):
    cells = rig.view.roots.card.cells
    cells.setFocus()
    cells.setCurrentIndex(rig.view.roots.card.model.index(row, column))
    return cells


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("0.5<45°", cmath.rect(0.5, cmath.pi / 4)),
        ("0.7 ± 0.2j", 0.7 + 0.2j),
        ("0.7-0.2j", 0.7 + 0.2j),
        ("exp(pi/4*1j)", cmath.rect(1, cmath.pi / 4)),
        ("-1", -1 + 0j),
        ("2*cos(pi/5)/2", 0.8090169943749475 + 0j),
    ],
)
def test_a_root_is_read_above_the_axis(text, root):
    assert read_root(text, 512.0) == pytest.approx(root)
    assert read_root(text, 512.0).imag >= 0


def test_roots_go_to_text_and_back_and_take_scipys_own():
    roots = Roots((-1 + 0j, -1 + 0j), (0.1 + 0.7j, 0.3 + 0j), 0.25)
    assert read_roots(write_roots(roots), 512.0) == roots
    pasted = "z = np.array([-1., -1.]); p = array([0.1+0.7j, 0.1-0.7j, 0.3])\nk = 1/4"
    assert read_roots(pasted, 512.0) == roots
    with pytest.raises(SpecError):
        read_roots("1 2 3", 512.0)
    assert write_root(0.5 + 0.25j) == "0.50000 ± 0.25000j"


def test_the_form_is_offered_and_shows_the_roots(face):
    assert face.view.form() == "zpk"
    assert face.view.roots.isVisible()
    assert not face.view.table.isVisible()
    model = face.view.roots.card.model
    assert len(model.roots.zeros) == 4
    assert len(model.roots.poles) == 2
    assert face.view.formula.label() == "k"


def test_typing_moves_the_pole_at_once_and_is_one_step(qtbot, face):
    design = face.stage().spec
    cells = cell(face, 1, 0)
    qtbot.keyClicks(cells, "0")
    qtbot.keyClicks(cells.editor, ".5<45°")
    assert any(abs(complex(*pole) - cmath.rect(0.5, cmath.pi / 4)) < 1e-12 for pole in face.stage().spec.poles)
    qtbot.keyClick(cells.editor, Qt.Key.Key_Return)
    assert len(face.view.roots.card.model.roots.poles) == 2
    assert len({action.merge_key for action in face.log}) == 1
    face.store.undo()
    assert face.stage().spec == design
    assert not face.store.can_undo


def test_escape_gives_the_design_back(qtbot, face):
    before = face.stage()
    cells = cell(face, 0, 1)
    qtbot.keyClicks(cells, "0")
    qtbot.keyClicks(cells.editor, ".5")
    assert face.stage() != before
    qtbot.keyClick(cells.editor, Qt.Key.Key_Escape)
    assert face.stage() == before
    assert not face.store.can_undo


def test_what_cannot_be_read_is_said_and_changes_nothing(qtbot, face):
    cells = cell(face, 1, 0)
    qtbot.keyClick(cells, Qt.Key.Key_F2)
    cells.editor.selectAll()
    qtbot.keyClicks(cells.editor, "x")
    assert cells.editor.is_wrong
    assert "The root from before is kept" in face.view.message.text()
    assert face.log == []


def test_a_root_is_added_in_the_last_row_and_removed(qtbot, face):
    cells = cell(face, 0, 4)
    qtbot.keyClicks(cells, "0")
    qtbot.keyClicks(cells.editor, ".3")
    qtbot.keyClick(cells.editor, Qt.Key.Key_Return)
    assert len(face.stage().spec.zeros) == 5
    zero = face.view.roots.card.model.roots.zeros.index(0.3)
    qtbot.keyClick(cell(face, 0, zero), Qt.Key.Key_Delete)
    assert len(face.stage().spec.zeros) == 4


def test_the_gain_is_the_formula_bar(qtbot, face):
    field = face.view.formula.field
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "1/8")
    assert isinstance(face.log[-1], EditRoots)
    assert face.stage().spec.gain == 0.125


def test_copy_and_paste_as_python(qtbot, face):
    qtbot.mouseClick(face.view.copy, LEFT)
    text = QGuiApplication.clipboard().text()
    assert text.startswith("z = [")
    QGuiApplication.clipboard().setText("z = []\np = [0.5]\nk = 2")
    qtbot.mouseClick(face.view.paste, LEFT)
    assert face.stage().spec == FAMILIES["zpk"](poles=((0.5, 0.0),), gain=2.0)
    QGuiApplication.clipboard().setText("nothing")
    qtbot.mouseClick(face.view.paste, LEFT)
    assert "There are no numbers" in face.view.message.text()
