"""A pole dragged in the whole window: what strip, status bar, stage and banner say, and the ways back."""

from __future__ import annotations

import cmath

import pytest
from PySide6.QtCore import Qt

from jaxscope.compute.design_job import design_frame
from jaxscope.compute.designs import Refusal, design_or_refusal
from jaxscope.compute.frames import Blocked
from jaxscope.filters.stability import pole_radius
from jaxscope.session import actions as act

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def plane(desk, qtbot):
    desk.window.resize(1600, 1000)
    desk.store.dispatch(act.ChooseFace(face="poles_zeros"))
    tell(desk)
    desk.pump()
    return desk.window.dock.poles_zeros.plane


def tell(desk):
    """Hand the window what the compute side says of the state: the design, and that it is held where unstable."""
    state, revision = desk.store.state, desk.store.revision
    frame = design_frame(state, revision, desk.window.shell.info)
    desk.window.receive(frame)
    made = design_or_refusal(state.document.chains[0], frame.rate_hz)
    if isinstance(made, Refusal):
        desk.window.receive(
            Blocked(
                revision=revision,
                reason=made.reason,
                kind=made.kind,
                chain=0,
                stage=made.stage,
                pole_radius=made.pole_radius,
            )
        )


def press_and_move(qtbot, plane, target):
    index = max(range(len(plane.roots.poles)), key=lambda number: abs(plane.roots.poles[number]))
    start, end = plane.shown_map().to_px(plane.roots.poles[index]), plane.shown_map().to_px(target)
    qtbot.mousePress(plane, LEFT, pos=start.toPoint())
    qtbot.mouseMove(plane, ((start + end) / 2).toPoint())
    qtbot.mouseMove(plane, end.toPoint())
    return end.toPoint()


def test_the_window_says_what_a_drag_does_while_it_lasts(desk, plane, qtbot):
    end = press_and_move(qtbot, plane, cmath.rect(0.8, 0.9))
    tell(desk)
    assert desk.window.strip.legend.entries()[1].note == "follows the pole while you drag"
    assert desk.window.status.hint().startswith("Moving a pole pair of Low-pass")
    assert desk.window.dock.chain.model().index(0, 0).data().startswith("Low-pass")
    qtbot.mouseRelease(plane, LEFT, pos=end)
    assert desk.window.strip.legend.entries()[1].note == "in the colour of the channel"
    assert not desk.window.status.hint().startswith("Moving")
    assert desk.store.undo_text == "Poles and zeros of Low-pass"


def test_the_plane_stays_where_it_is_when_a_design_becomes_numbers(desk, plane, qtbot):
    before = plane.geometry()
    end = press_and_move(qtbot, plane, cmath.rect(0.8, 0.9))
    tell(desk)
    desk.pump()
    assert plane.geometry() == before
    qtbot.mouseRelease(plane, LEFT, pos=end)
    assert desk.window.dock.poles_zeros.revert.isVisible()


def test_escape_ends_the_drag_before_anything_else(desk, plane, qtbot):
    before = desk.store.state.document
    desk.store.dispatch(act.SetCursors(cursors_s=(1.0,)))
    press_and_move(qtbot, plane, cmath.rect(0.8, 0.9))
    qtbot.keyClick(plane, Qt.Key.Key_Escape)
    assert desk.store.state.document == before
    assert desk.store.state.viewport.cursors_s == (1.0,)
    assert not desk.store.can_undo


def test_an_unstable_pole_can_be_moved_inside_from_the_banner(desk, plane, qtbot):
    end = press_and_move(qtbot, plane, cmath.rect(1.05, 0.9))
    qtbot.mouseRelease(plane, LEFT, pos=end)
    tell(desk)
    notice = desk.window.notices.current
    radius = pole_radius(desk.store.state.document.chains[0].stages[0].spec.parts(1.0))
    labels = [label for label, _, _ in notice.actions]
    assert labels == ["Undo", f"Move inside, to {1 / radius:.4g}"]
    notice.actions[1][2]()
    spec = desk.store.state.document.chains[0].stages[0].spec
    assert pole_radius(spec.parts(1.0)) == pytest.approx(1 / radius)
    tell(desk)
    assert not desk.window.dock.response.plot.is_held


def test_a_design_that_cannot_be_moved_inside_offers_undo_only(desk, plane):
    desk.store.dispatch(act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=10.0))
    blocked = Blocked(
        revision=desk.store.revision, reason="Unstable", kind="unstable", chain=0, stage=0, pole_radius=1.1
    )
    desk.window.receive(blocked)
    assert [label for label, _, _ in desk.window.notices.current.actions] == ["Undo"]
