"""Poles and zeros by hand: drags, keys, fields, buttons; each drag is one step of undo and can be given up."""

from __future__ import annotations

import cmath

import pytest
from PySide6.QtCore import QPointF, Qt

from jaxscope.filters import FAMILIES
from jaxscope.filters.stability import plane_of
from jaxscope.gui.theme import theme
from jaxscope.gui.views.poles_zeros import PolesZerosFace
from jaxscope.gui.views.poles_zeros_model import half_of
from jaxscope.session.actions import EditRoots, PutStageBack, RevertToDesign

RATE_HZ = 512.0
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def face(qtbot, make_rig, lowpass):
    rig = make_rig(PolesZerosFace, lowpass, FAMILIES["butterworth"](band="highpass", cutoff_hz=0.5), face="poles_zeros")
    show(qtbot, rig)
    return rig


def show(qtbot, rig):
    qtbot.addWidget(rig.view)
    theme().dress(rig.view)
    rig.view.resize(368, 360)
    rig.view.show()
    rig.view.activateWindow()
    qtbot.waitUntil(rig.view.isActiveWindow)
    rig.log.clear()


def outer_pole(rig):
    poles = rig.view.plane.roots.poles
    return max(range(len(poles)), key=lambda index: abs(poles[index]))


def drag(qtbot, rig, kind, index, target, *, release=True, modifier=Qt.KeyboardModifier.NoModifier):
    plane = rig.view.plane
    start, end = plane.shown_map().to_px(half_of(plane.roots, kind)[index]), plane.shown_map().to_px(target)
    qtbot.mousePress(plane, LEFT, pos=start.toPoint())
    for step in (0.3, 0.6, 1.0):
        qtbot.mouseMove(plane, (start + (end - start) * step).toPoint())
    if release:
        qtbot.mouseRelease(plane, LEFT, pos=end.toPoint())


def spec_plane(rig):
    return plane_of(rig.stage().spec.parts(RATE_HZ))


def test_a_drag_moves_the_pair_in_one_step_and_keeps_the_gain(qtbot, face):
    design = face.stage().spec
    target = cmath.rect(0.9, 0.7)
    drag(qtbot, face, "pole", outer_pole(face), target)
    assert all(isinstance(action, EditRoots) for action in face.log)
    assert len({action.merge_key for action in face.log}) == 1
    assert face.stage().origin == design
    plane = spec_plane(face)
    assert min(abs(pole - target) for pole in plane.poles) < 0.02
    assert all(any(abs(pole.conjugate() - other) < 1e-12 for other in plane.poles) for pole in plane.poles)
    rows = face.stage().spec.design(RATE_HZ).to_array()
    assert (rows[:, :3].sum(axis=1) / rows[:, 3:].sum(axis=1)).prod() == pytest.approx(1.0)
    face.store.undo()
    assert face.stage().spec == design
    assert not face.store.can_undo


def test_escape_puts_the_design_back_and_leaves_no_step(qtbot, face):
    before = face.stage()
    drag(qtbot, face, "pole", outer_pole(face), 0.2 + 0.9j, release=False)
    assert face.stage() != before
    qtbot.keyClick(face.view.plane, Qt.Key.Key_Escape)
    assert isinstance(face.log[-1], PutStageBack)
    assert face.stage() == before
    assert not face.store.can_undo
    assert not face.view.plane.cancel_drag()


def test_outside_the_circle_it_is_unstable_and_said(qtbot, face):
    drag(qtbot, face, "pole", outer_pole(face), cmath.rect(1.05, 0.8))
    assert max(abs(pole) for pole in spec_plane(face).poles) > 1
    assert "Doubles every" in face.view.words()
    assert "unstable" in face.view.plane.accessibleDescription()


def test_the_status_names_the_root_and_the_modifiers(qtbot, face):
    hints = []
    face.view.hinted.connect(hints.append)
    drag(qtbot, face, "pole", outer_pole(face), 0.5 + 0.5j)
    assert hints[0].startswith("Moving a pole pair of Low-pass.  Shift: radius only,  Alt: angle only")
    assert hints[-1] == ""


def test_keys_step_and_select_and_remove(qtbot, face):
    plane = face.view.plane
    plane.setFocus()
    plane.select("pole", plane.roots.poles[outer_pole(face)])
    start = plane.selected[1]
    for key, modifier in (
        (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier),
    ):
        qtbot.keyClick(plane, key, modifier)
    assert cmath.phase(plane.selected[1]) > cmath.phase(start)
    assert abs(plane.selected[1]) == pytest.approx(abs(start) + 0.05, abs=1e-9)
    assert len({action.merge_key for action in face.log}) == 1
    kinds = []
    for _ in range(6):
        qtbot.keyClick(plane, Qt.Key.Key_N)
        kinds.append(plane.selected[0])
    assert set(kinds) == {"pole", "zero"}
    plane.select("pole", start)
    qtbot.keyClick(plane, Qt.Key.Key_Delete)
    assert len(face.stage().spec.poles) == 2
    qtbot.keyClick(plane, Qt.Key.Key_Insert)
    assert len(face.stage().spec.poles) == 4
    qtbot.keyClick(plane, Qt.Key.Key_Insert, Qt.KeyboardModifier.ShiftModifier)
    assert len(face.stage().spec.zeros) == 6


def test_a_double_click_adds_where_it_is_and_never_outside(qtbot, face):
    plane = face.view.plane
    qtbot.mouseDClick(plane, LEFT, pos=plane.shown_map().to_px(-0.3 + 0.5j).toPoint())
    assert min(abs(complex(*pole) - (-0.3 + 0.5j)) for pole in face.stage().spec.poles) < 0.02
    qtbot.mouseDClick(plane, LEFT, pos=plane.shown_map().to_px(cmath.rect(1.1, 2.2)).toPoint())
    assert max(abs(complex(*pole)) for pole in face.stage().spec.poles) < 0.99


def test_fields_take_numbers_and_places(qtbot, face):
    plane, fields = face.view.plane, face.view.fields
    plane.select("pole", plane.roots.poles[outer_pole(face)])
    for field, text, expected in (
        (fields.radius, "0.8", lambda z: abs(z) == pytest.approx(0.8)),
        (fields.frequency, "fs/8", lambda z: cmath.phase(z) == pytest.approx(cmath.pi / 4)),
        (fields.angle, "0.5<45°", lambda z: z == pytest.approx(cmath.rect(0.5, cmath.pi / 4))),
    ):
        field.setFocus()
        field.selectAll()
        qtbot.keyClicks(field, text)
        assert expected(plane.selected[1]), text
    assert fields.radius.text() == "0.5000"


def test_a_real_pole_that_is_alone_says_that_it_stays(qtbot, make_rig):
    rig = make_rig(PolesZerosFace, FAMILIES["zpk"](poles=((0.5, 0.0),)), face="poles_zeros")
    show(qtbot, rig)
    rig.view.plane.select("pole", 0.5 + 0j)
    field = rig.view.fields.frequency
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "20")
    assert field.is_wrong
    assert "stays on the axis" in rig.view.message.text()
    assert rig.stage().spec.poles == ((0.5, 0.0),)


def test_the_lens_is_there_for_the_crowd_and_its_roots_can_be_dragged(qtbot, make_rig):
    rig = make_rig(PolesZerosFace, FAMILIES["butterworth"](band="highpass", order=4, cutoff_hz=0.5), face="poles_zeros")
    show(qtbot, rig)
    plane = rig.view.plane
    lens = plane.lens()
    index = outer_pole(rig)
    start = plane.roots.poles[index]
    point = lens.map.to_px(start)
    qtbot.mousePress(plane, LEFT, pos=point.toPoint())
    qtbot.mouseMove(plane, (point + QPointF(-4, 0)).toPoint())
    qtbot.mouseRelease(plane, LEFT, pos=(point + QPointF(-4, 0)).toPoint())
    assert plane.selected[1].real == pytest.approx(start.real - 4 / lens.map.scale, rel=1e-6)
    whole = plane.shown_map().scale
    qtbot.mouseDClick(plane, LEFT, pos=lens.centre.toPoint() + QPointF(-20, 0).toPoint())
    assert plane.shown_map().scale > 5 * whole


def test_wheel_keys_and_right_drag_look_closer(qtbot, face):
    plane = face.view.plane
    whole = plane.shown_map()
    qtbot.keyClick(plane, Qt.Key.Key_Plus)
    assert plane.shown_map().scale > whole.scale
    start = plane.shown_map().centre
    qtbot.mousePress(plane, Qt.MouseButton.RightButton, pos=QPointF(60, 60).toPoint())
    qtbot.mouseMove(plane, QPointF(70, 64).toPoint())
    qtbot.mouseRelease(plane, Qt.MouseButton.RightButton, pos=QPointF(70, 64).toPoint())
    assert plane.shown_map().centre == start + QPointF(10, 4)
    qtbot.keyClick(plane, Qt.Key.Key_0)
    assert plane.shown_map() == whole
    assert face.log == []


def test_the_other_picture_moves_roots_too(qtbot, face):
    face.view.pictures.chosen.emit("ringing")
    drag(qtbot, face, "pole", outer_pole(face), cmath.rect(0.9, 0.4))
    assert min(abs(pole - cmath.rect(0.9, 0.4)) for pole in spec_plane(face).poles) < 0.03


def test_roots_that_cannot_be_moved_only_show(qtbot, make_rig):
    rig = make_rig(PolesZerosFace, FAMILIES["savitzky_golay"](window=5, polynomial=2), face="poles_zeros")
    show(qtbot, rig)
    drag(qtbot, rig, "zero", 0, 0.1 + 0.1j)
    qtbot.keyClick(rig.view.plane, Qt.Key.Key_Delete)
    assert rig.log == []
    assert rig.view.note.text().startswith("A smoother")
    assert not rig.view.add_pole.isEnabled()


def test_revert_goes_back_to_the_design(qtbot, face):
    design = face.stage().spec
    drag(qtbot, face, "pole", outer_pole(face), 0.5 + 0.5j)
    qtbot.mouseClick(face.view.revert, LEFT)
    assert isinstance(face.log[-1], RevertToDesign)
    assert face.stage().spec == design


def test_it_is_painted_in_both_themes_and_pictures(qtbot, face):
    for mode in ("dark", "light"):
        theme().set_mode(mode)
        for key in ("plane", "ringing"):
            face.view.pictures.chosen.emit(key)
            image = face.view.plane.grab().toImage()
            colours = {
                image.pixelColor(x, y).name() for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)
            }
            assert len(colours) > 4


def test_numbers_follow_the_text_scale_while_it_is_open(qtbot, face):
    field, side = face.view.fields.radius, face.view._side.width()
    before = field.font().pixelSize()
    theme().set_text_scale(1.5)
    qtbot.waitUntil(lambda: face.view._side.width() > side)
    assert field.font().pixelSize() == pytest.approx(before * 1.5, abs=1)


def test_m_puts_one_more_at_its_place_and_delete_takes_it_away(qtbot, face):
    plane = face.view.plane
    plane.setFocus()
    place = plane.roots.poles[outer_pole(face)]
    plane.select("pole", place)
    qtbot.keyClick(plane, Qt.Key.Key_M)
    poles = [complex(*point) for point in face.stage().spec.poles]
    assert sum(abs(pole - place) < 1e-12 for pole in poles) == 2
    assert sum(abs(pole - place.conjugate()) < 1e-12 for pole in poles) == 2
    qtbot.keyClick(plane, Qt.Key.Key_Delete)
    assert len(face.stage().spec.poles) == 4
    face.store.undo()
    face.store.undo()
    assert face.stage().spec.family == "butterworth"


def test_a_pair_that_is_dragged_onto_the_axis_splits_and_joins_when_it_meets_again(qtbot, face):
    drag(qtbot, face, "pole", outer_pole(face), 0.6 + 0j)
    real = sorted(point[0] for point in face.stage().spec.poles if point[1] == 0)
    assert len(real) == 2
    assert len(face.stage().spec.poles) == 4
    plane = face.view.plane
    halves = [index for index, pole in enumerate(plane.roots.poles) if pole.imag == 0]
    drag(qtbot, face, "pole", halves[0], 0.2 + 0j)
    apart = [pole for pole in plane.roots.poles if pole.imag == 0]
    assert abs(apart[0] - apart[1]) > 0.1
    moved = min((index for index, pole in enumerate(plane.roots.poles) if pole.imag == 0),
                key=lambda index: plane.roots.poles[index].real)  # fmt: skip
    drag(qtbot, face, "pole", moved, max(pole.real for pole in apart) + 0.2j)
    assert all(point[1] != 0 for point in face.stage().spec.poles)


def test_a_zero_snaps_to_the_circle_and_says_what_it_takes_out(qtbot, face):
    plane = face.view.plane
    plane.add("zero", 0.5 + 0.5j)
    index = next(n for n, zero in enumerate(plane.roots.zeros) if abs(zero - (0.5 + 0.5j)) < 1e-9)
    drag(qtbot, face, "zero", index, cmath.rect(0.985, 0.8))
    snapped = max((complex(*point) for point in face.stage().spec.zeros), key=lambda zero: zero.imag)
    assert abs(snapped) == pytest.approx(1.0, abs=1e-12)
    assert "Takes out" in face.view.words()
