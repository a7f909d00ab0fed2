"""The form made from knobs: every family gets one, shows its values, and sends what a person changes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from jaxscope.filters import FAMILIES, Stage
from jaxscope.filters.chain_file import stage_from_dict
from jaxscope.filters.shapes import SHAPES, new_spec, shape_of
from jaxscope.gui.components.number_field import NumberField
from jaxscope.gui.views.design_face import DesignFace
from jaxscope.gui.views.design_face_choices import ElsewhereRow, row_for
from jaxscope.gui.views.design_face_rows import EdgesRow, NumberRow, OrderRow
from jaxscope.session.actions import EditCoefficient, ReplaceSpec, TurnKnob

RATE_HZ = 512.0


def row_of(face, name):
    return next(row for row in face.rows if row.knob.name == name)


def type_into(qtbot, field, text):
    field.selectAll()
    qtbot.keyClicks(field, text)


@pytest.fixture
def face(qtbot, make_rig, lowpass):
    rig = make_rig(DesignFace, lowpass)
    qtbot.addWidget(rig.view)
    rig.view.resize(368, 500)
    rig.view.show()
    return rig


@pytest.mark.parametrize("family", list(FAMILIES))
def test_every_family_has_a_form_that_shows_it(qtbot, make_rig, family):
    rig = make_rig(DesignFace, new_spec(family, RATE_HZ))
    qtbot.addWidget(rig.view)
    expected = [knob.name for knob in FAMILIES[family].knobs() if knob.name != "band"]
    assert [row.knob.name for row in rig.view.rows] == expected
    assert rig.log == []
    rig.view.resize(368, 700)
    assert not rig.view.grab().isNull()


def number_rows():
    for family in FAMILIES:
        spec = new_spec(family, RATE_HZ)
        for knob in spec.knobs():
            if knob.kind in ("number", "count", "edges") and getattr(spec, knob.name) is not None:
                yield pytest.param(family, knob.name, id=f"{family}-{knob.name}")


@pytest.mark.parametrize(("family", "name"), list(number_rows()))
def test_every_number_of_every_family_can_be_typed(qtbot, make_rig, family, name):
    rig = make_rig(DesignFace, new_spec(family, RATE_HZ))
    qtbot.addWidget(rig.view)
    row = row_of(rig.view, name)
    field = row.fields()[0]
    before = field.value
    wanted = next(
        (value for value in (before + 2, before - 2, before * 0.8, before * 1.25) if row.complaint(value) is None), None
    )
    if isinstance(getattr(rig.stage().spec, name), tuple):
        wanted = before * 0.9
    if wanted is None:
        pytest.skip("no other value near fits")
    field.setText(f"{wanted:.10g}")
    field.textEdited.emit(field.text())
    assert isinstance(rig.log[-1], TurnKnob)
    stored = getattr(rig.stage().spec, name)
    assert (stored[0] if isinstance(stored, tuple) else stored) == pytest.approx(wanted)
    assert row_of(rig.view, name).fields()[0].value == pytest.approx(wanted)


@pytest.mark.parametrize("shape", [shape.name for shape in SHAPES])
def test_every_shape_can_be_chosen_and_comes_back(qtbot, make_rig, lowpass, shape):
    start = new_spec("notch", RATE_HZ) if shape == "low" else lowpass
    rig = make_rig(DesignFace, start)
    qtbot.addWidget(rig.view)
    rig.view._shapes.button(shape).click()
    assert isinstance(rig.log[-1], ReplaceSpec)
    assert shape_of(rig.stage().spec).name == shape
    assert rig.view._shapes.current == shape


def test_another_family_keeps_order_and_cutoff(face):
    face.view._family.activated.emit(face.view._family.keys().index("elliptic"))
    spec = face.stage().spec
    assert (spec.family, spec.order, spec.cutoff_hz) == ("elliptic", 4, 40.0)
    assert [row.knob.name for row in face.view.rows][:2] == ["order", "cutoff_hz"]


def test_typing_a_cutoff_is_live_and_one_undo_step(qtbot, face):
    field = row_of(face.view, "cutoff_hz").fields()[0]
    field.setFocus()
    type_into(qtbot, field, "25")
    assert face.stage().spec.cutoff_hz == 25.0
    assert [action.value for action in face.log] == [2.0, 25.0]
    face.store.undo()
    assert face.stage().spec.cutoff_hz == 40.0
    assert field.text() == "40.0"


def test_a_cutoff_above_half_the_rate_is_not_sent_and_says_which_is_used(qtbot, face):
    row = row_of(face.view, "cutoff_hz")
    type_into(qtbot, row.fields()[0], "fs/2+10")
    assert row.fields()[0].text() == "fs/2+10"
    assert row._warning.sentence == "266 Hz is above fs/2 = 256 Hz. Still using 40 Hz."
    assert row._warning.isVisibleTo(row)
    assert face.stage().spec.cutoff_hz == 40.0


def test_swapped_edges_are_refused_at_the_field(qtbot, make_rig):
    rig = make_rig(DesignFace, FAMILIES["butterworth"](band="bandpass", cutoff_hz=(8.0, 13.0)))
    qtbot.addWidget(rig.view)
    row = row_of(rig.view, "cutoff_hz")
    type_into(qtbot, row.fields()[1], "5")
    assert "The upper edge must be above 8 Hz" in row._warning.sentence
    assert rig.stage().spec.cutoff_hz == (8.0, 13.0)


def test_the_slider_sends_every_move_with_one_key(face):
    row = row_of(face.view, "cutoff_hz")
    assert isinstance(row, EdgesRow)
    for value in (41.0, 42.0, 43.0):
        row._beside.moved.emit((value,), "slide-1")
    assert face.stage().spec.cutoff_hz == 43.0
    assert len({action.merge_key for action in face.log}) == 1
    face.store.undo()
    assert face.stage().spec.cutoff_hz == 40.0


def test_the_range_slider_moves_both_edges(qtbot, make_rig):
    rig = make_rig(DesignFace, FAMILIES["butterworth"](band="bandpass", cutoff_hz=(8.0, 13.0)))
    qtbot.addWidget(rig.view)
    row_of(rig.view, "cutoff_hz")._below.moved.emit((9.0, 20.0), "slide-1")
    assert rig.stage().spec.cutoff_hz == (9.0, 20.0)


def test_scrubbing_the_label_is_one_step_and_escape_puts_it_back(face):
    label = row_of(face.view, "cutoff_hz")._label
    label.dragging.emit(True)
    label.scrubbed.emit(3.0, "scrub-1")
    label.scrubbed.emit(3.0, "scrub-1")
    assert face.stage().spec.cutoff_hz > 50
    label.cancelled.emit("scrub-1")
    assert face.stage().spec.cutoff_hz == 40.0
    assert len({action.merge_key for action in face.log}) == 1


def test_double_click_on_the_label_gives_the_default(face):
    row_of(face.view, "order")._label.reset.emit()
    assert face.log == []  # it is the default already
    row = row_of(face.view, "order")
    row.fields()[0].spin(2)
    assert face.stage().spec.order == 6
    row._label.reset.emit()
    assert face.stage().spec.order == 4


def test_the_note_of_the_order_says_the_slope_for_the_passes_in_use(face):
    order = row_of(face.view, "order")
    assert isinstance(order, OrderRow)
    assert order.note.text() == "24 dB/octave, 48 with both passes"
    face.view.set_narrow(narrow=True)
    assert order.note.text() == "24 dB/octave, 48 both ways"


def test_facts_come_from_the_frame_and_go_where_it_is_narrow(face, frame_of):
    frame = frame_of(face.state, 1)
    curve = replace(frame.stages[0], facts=(("−3 dB", "36.0 Hz"),))
    face.view.show_frame(replace(frame, stages=(curve,)))
    assert face.view.facts == (("−3 dB", "36.0 Hz"),)
    face.view.set_narrow(narrow=True)
    assert not face.view._facts.isVisibleTo(face.view)


def test_an_optional_number_is_switched_on_and_off(qtbot, make_rig):
    rig = make_rig(DesignFace, FAMILIES["peak"]())
    qtbot.addWidget(rig.view)
    row = row_of(rig.view, "gain_db")
    assert isinstance(row, NumberRow)
    assert not row._field_.isVisibleTo(row)
    row._switch.click()
    assert rig.stage().spec.gain_db == 0.0
    assert row._field_.isVisibleTo(row)
    row._switch.click()
    assert rig.stage().spec.gain_db is None


def test_a_window_with_a_number_asks_for_it(qtbot, make_rig):
    rig = make_rig(DesignFace, FAMILIES["fir_window"](taps=65))
    qtbot.addWidget(rig.view)
    row = row_of(rig.view, "window")
    row._select.activated.emit(row._select.keys().index("kaiser"))
    assert rig.stage().spec.window == ("kaiser", 8.6)
    type_into(qtbot, row.fields()[0], "5")
    assert rig.stage().spec.window == ("kaiser", 5.0)
    row._select.activated.emit(row._select.keys().index("hann"))
    assert rig.stage().spec.window == "hann"
    assert row.fields() == ()


def test_a_list_of_numbers_is_typed_with_commas(qtbot, make_rig):
    spec = FAMILIES["fir_least_squares"]()
    rig = make_rig(DesignFace, spec)
    qtbot.addWidget(rig.view)
    field = row_of(rig.view, "edges_hz").fields()[0]
    field.setText("0, 30, 50, 100")
    field.textEdited.emit(field.text())
    assert rig.stage().spec.edges_hz == (0.0, 30.0, 50.0, 100.0)
    field.setText("0, x")
    field.textEdited.emit(field.text())
    assert field.is_wrong
    assert rig.stage().spec.edges_hz == (0.0, 30.0, 50.0, 100.0)


def test_tables_of_numbers_are_sent_to_the_other_face():
    assert isinstance(row_for(FAMILIES["sections"].knobs()[0]), ElsewhereRow)


def test_a_recording_with_a_lower_rate_marks_the_field_that_does_not_fit(face, frame_of):
    face.view.show_frame(frame_of(face.state, 1, 64.0))
    assert "40 Hz is above fs/2 = 32 Hz" in row_of(face.view, "cutoff_hz")._warning.sentence


def test_escape_in_a_field_asks_for_the_traces(qtbot, face):
    field = row_of(face.view, "cutoff_hz").fields()[0]
    with qtbot.waitSignal(face.view.escaped):
        qtbot.keyClick(field, Qt.Key.Key_Escape)


def test_without_a_stage_there_is_no_form(qtbot, make_rig):
    rig = make_rig(DesignFace)
    qtbot.addWidget(rig.view)
    assert rig.view.rows == ()
    assert not rig.view.isEnabled()


def test_all_fields_of_all_forms_are_named(qtbot, make_rig):
    for family in FAMILIES:
        rig = make_rig(DesignFace, Stage(spec=replace(new_spec(family, RATE_HZ))))
        qtbot.addWidget(rig.view)
        assert all(field.accessibleName() for field in rig.view.findChildren(NumberField))


def test_facts_are_never_cut_and_name_their_rate_where_there_are_several(face, frame_of):
    facts = tuple((f"−6 dB, both passes {number}", "1.42 s at 0.075 Hz or so") for number in range(6))
    frame = frame_of(face.state, 1)
    curve = replace(frame.stages[0], facts=facts)
    frame = replace(frame, stages=(curve, *frame.stages[1:]), rate_hz=100.0, other_rates_hz=(1.0, 0.5))
    face.view.show_frame(frame)
    shown = face.view._facts
    heights = []
    for width in (700, 340, 150):
        shown.resize(width, 200)
        assert shown.widest_words() <= shown.column_width() or shown.column_width() > width / 2
        heights.append(shown.sizeHint().height())
    assert heights == sorted(set(heights))
    assert face.view.rate_note.text() == "At 100 Hz; other channels run at 1 or 0.5 Hz"
    face.view.show_frame(replace(frame, other_rates_hz=()))
    assert face.view.rate_note.isHidden()


def test_selecting_another_stage_shows_its_own_facts_without_a_new_frame(qtbot, make_rig, lowpass, frame_of):
    rig = make_rig(DesignFace, FAMILIES["notch"](), lowpass)
    qtbot.addWidget(rig.view)
    frame = frame_of(rig.state, 1)
    curves = [replace(curve, facts=(("Stage", str(number)),)) for number, curve in enumerate(frame.stages)]
    rig.view.show_frame(replace(frame, stages=tuple(curves)))
    assert rig.view.facts == (("Stage", "0"),)
    following = replace(rig.state, viewport=replace(rig.state.viewport, selected_stage=1))
    rig.view.show_state(following, rig.state)
    assert rig.view.facts == (("Stage", "1"),)


def test_a_stage_edited_by_hand_says_what_it_was_and_goes_back(qtbot, face):
    assert not face.view._by_hand.isVisibleTo(face.view)
    face.dispatch(EditCoefficient(chain=0, stage=0, form="sos", row=0, column=4, value=-1.1, rate_hz=RATE_HZ))
    assert face.view._was.text() == "Edited by hand; was Butterworth 4 · 40.0 Hz"
    qtbot.mouseClick(face.view.revert, Qt.MouseButton.LeftButton)
    assert face.stage().spec.family == "butterworth"
    assert not face.view._by_hand.isVisibleTo(face.view)


def test_a_stage_of_an_unknown_family_is_shown_and_kept(qtbot, make_rig):
    stage = stage_from_dict({"family": "wavelet", "levels": 3}, tolerant=True)
    rig = make_rig(DesignFace, stage)
    qtbot.addWidget(rig.view)
    assert rig.view._family.current == stage.spec.family
    assert rig.log == []
