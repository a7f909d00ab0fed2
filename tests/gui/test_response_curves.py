"""The other views of the response: chosen from the heading and by G, on round axes, held while unstable."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from jaxscope.compute.frames import Blocked, ResponseCurve
from jaxscope.compute.response_views import response_curve
from jaxscope.gui.views.response import ResponsePanel
from jaxscope.gui.views.response_curves import VIEWS, axis_of
from jaxscope.session.actions import ChooseResponse, TurnKnob

RATE_HZ = 512.0


@pytest.fixture
def panel(qtbot, make_rig, lowpass, frame_of):
    rig = make_rig(ResponsePanel, lowpass)
    qtbot.addWidget(rig.view)
    rig.view.resize(368, 260)
    rig.view.show()
    rig.view.activateWindow()
    qtbot.waitUntil(rig.view.isActiveWindow)
    rig.frame_of = frame_of
    rig.log.clear()
    return rig


def give(rig, **changes):
    """Show the frame of the state with its view worked out, as the worker sends it."""
    frame = rig.frame_of(rig.state, rig.store.revision)
    chain = rig.state.document.chains[0]
    parts = tuple(part for stage in chain.stages for part in stage.spec.parts(RATE_HZ))
    curve = response_curve(rig.state.viewport.response_view, chain.phase, parts, frame.frequencies_hz, RATE_HZ)
    rig.view.show_frame(replace(frame, curve=curve, **changes))


def test_g_goes_through_the_views_and_the_focus_follows(qtbot, panel):
    seen = []
    panel.view.plot.setFocus()
    for _ in range(6):
        plot = panel.view.active_plot()
        assert plot.isVisible()
        qtbot.waitUntil(plot.hasFocus)
        qtbot.keyClick(plot, Qt.Key.Key_G)
        seen.append(panel.state.viewport.response_view)
    assert seen == ["gain", "phase", "group_delay", "impulse", "step", "magnitude"]
    assert all(isinstance(action, ChooseResponse) for action in panel.log)


def test_the_heading_chooses_and_says_which(panel):
    panel.view.view.chosen.emit("step")
    assert panel.state.viewport.response_view == "step"
    assert panel.view.view.currentText() == "Step"
    assert not panel.view.plot.isVisible()
    assert panel.view.curves.accessibleName() == "Step response"


@pytest.mark.parametrize("view", [view for view in VIEWS if view != "magnitude"])
def test_the_curve_of_the_view_is_shown_inside_its_axis(panel, view):
    panel.dispatch(ChooseResponse(view=view))
    give(panel)
    curves = panel.view.curves
    assert curves.curve.view == view
    scale = curves.scale()
    held = curves.curve.y[np.isfinite(curves.curve.y)] * VIEWS[view][2]
    assert scale.low <= min(0.0, np.percentile(held, 2))
    assert scale.high >= max(0.0, np.percentile(held, 98))
    assert float(scale.x(curves.curve.x[-1])) == pytest.approx(scale.area.right(), abs=0.5)
    assert 3 <= len(scale.ticks()) <= 9
    assert not curves.grab().toImage().isNull()


def test_a_curve_of_another_view_is_never_drawn_as_this_one(panel):
    panel.dispatch(ChooseResponse(view="phase"))
    give(panel)
    panel.dispatch(ChooseResponse(view="step"))
    assert panel.view.curves.curve is None
    late = ResponseCurve(view="phase", x=np.array([1.0, 2.0]), y=np.array([0.0, 1.0]))
    panel.view.show_frame(replace(panel.frame_of(panel.state, 99), curve=late))
    assert panel.view.curves.curve is None


def test_while_unstable_the_last_stable_curve_is_held(panel):
    panel.dispatch(ChooseResponse(view="impulse"))
    give(panel)
    before = panel.view.curves.curve
    panel.view.show_frame(replace(panel.frame_of(panel.state, 99), is_stable=False, curve=None))
    assert panel.view.curves.is_held
    assert panel.view.curves.curve is before
    panel.view.show_frame(Blocked(revision=100, reason="Unstable", kind="unstable", chain=0))
    assert panel.view.curves.is_held
    give(panel)
    assert not panel.view.curves.is_held


def test_linear_frequency_and_back(qtbot, panel):
    panel.dispatch(ChooseResponse(view="phase"))
    give(panel)
    curves = panel.view.curves
    middle = float(curves.scale().x(RATE_HZ / 4))
    qtbot.keyClick(curves, Qt.Key.Key_L)
    assert float(curves.scale().x(RATE_HZ / 4)) == pytest.approx(curves.scale().area.center().x(), abs=1)
    qtbot.keyClick(curves, Qt.Key.Key_0)
    assert float(curves.scale().x(RATE_HZ / 4)) == pytest.approx(middle)


def test_an_edit_leaves_the_old_curve_for_a_while(panel):
    panel.dispatch(ChooseResponse(view="step"))
    give(panel)
    old = panel.view.curves.curve
    panel.dispatch(TurnKnob(chain=0, stage=0, name="cutoff_hz", value=20.0))
    give(panel)
    assert panel.view.curves._ghost is old
    assert panel.view.curves.curve is not old


@pytest.mark.parametrize(
    ("view", "low", "high", "step"),
    [
        ("phase", -350.0, 10.0, 90.0),
        ("group_delay", 0.0, 18.0, 5.0),
        ("step", 0.0, 1.05, 0.5),
        ("impulse", -0.02, 0.3, 0.1),
    ],
)
def test_axes_have_round_steps(view, low, high, step):
    values = np.linspace(low, high, 200)
    bottom, top, found = axis_of(view, values)
    assert found == pytest.approx(step)
    assert bottom <= low <= high <= top
    assert top - bottom < 1.6 * (high - low)


def test_flat_curves_have_an_axis_too():
    for view in VIEWS:
        bottom, top, step = axis_of(view, np.zeros(10))
        assert bottom <= 0 < top
        assert step > 0
