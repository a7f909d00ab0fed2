"""The lines under the numbers, and what rounding makes of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from jaxscope.compute.frames import SensitivityFrame
from jaxscope.compute.quantised_curve import quantised_chain
from jaxscope.filters import FAMILIES, FilterChain, Stage
from jaxscope.filters.design import design_chain
from jaxscope.gui.views.coefficients import CoefficientsFace
from jaxscope.gui.views.coefficients_model import Address
from jaxscope.session.actions import ChooseWord

ROWS = ((1.0, 2.0, 1.0, 0.0, 40.0, 4.0), *[(0.1, 0.1, 0.1, 0.0, 0.1, 0.1)] * 3)


def told(**fields):
    usual = {"revision": 1, "chain": 0, "stage": 0, "unit": "uV", "values": ROWS}
    return SensitivityFrame(**(usual | fields))


def at(row, column):
    return Address(form="sos", row=row, column=column)


def test_lines_show_how_strongly_a_number_moves_after(sos):
    sos.view.show_frame(told())
    model = sos.view.model
    assert model.weight(at(0, 4)) == (1.0, True)
    length, strongest = model.weight(at(0, 5))
    assert (round(length, 3), strongest) == (0.5, False)
    assert model.weight(at(0, 3)) is None
    tip = model.data(model.index(0, 4), Qt.ItemDataRole.ToolTipRole)
    assert tip.endswith(". 1 % of it moves After by 40 µV")
    assert sos.view.weights_note.text().endswith("Strongest here: a₁ of section 1.")
    assert not sos.view.grab().isNull()


@pytest.mark.parametrize("fields", [{"stage": 1}, {"chain": 2}, {"values": ROWS[:2]}])
def test_lines_of_something_else_are_not_shown(sos, fields):
    sos.view.show_frame(told(**fields))
    assert sos.view.model.weight(at(0, 4)) is None
    assert not sos.view.weights_note.isVisibleTo(sos.view)


def with_word(rig, word):
    rig.dispatch(ChooseWord(word=word))
    chain = rig.state.document.chains[0]
    made = design_chain(FilterChain(stages=chain.stages, phase=chain.phase), 512.0)
    frame = rig.view._frame
    rounded = quantised_chain(word, [made], [True], frame.frequencies_hz)
    rig.view.show_frame(replace(frame, quantised=rounded))
    return rounded


def test_rounding_is_chosen_and_told(qtbot, sos):
    row = sos.view.rounding
    row.choice.activated.emit(row.choice.keys().index("q15"))
    assert sos.log[-1] == ChooseWord(word="q15")
    rounded = with_word(sos, "q15")
    assert row.words.text().startswith("As Q15: max pole 0.")
    assert rounded.magnitude_db.shape == sos.view._frame.frequencies_hz.shape
    row.choice.activated.emit(row.choice.keys().index("fixed"))
    assert sos.state.viewport.word == "16 bit"
    assert row.bits.isVisibleTo(sos.view)
    row.bits.edited.emit(6.0, "k")
    assert sos.state.viewport.word == "6 bit"
    row.choice.activated.emit(0)
    assert sos.state.viewport.word == ""


def test_what_becomes_unstable_is_said_in_the_form_that_is_looked_at(shown, make_rig):
    spec = FAMILIES["butterworth"](band="highpass", order=4, cutoff_hz=0.1)
    rig = shown(make_rig(CoefficientsFace, spec, face="coefficients", coefficient_form="ba"))
    with_word(rig, "float32")
    assert "unstable" in rig.view.rounding.words.text()


def test_nothing_and_nonsense_round_nothing():
    made = design_chain(FilterChain(stages=(Stage(spec=FAMILIES["notch"]()),)), 512.0)
    assert quantised_chain("", [made], [True], np.array([1.0])) is None
    assert quantised_chain("7 bytes", [made], [True], np.array([1.0])) is None
