"""Comparing with how it was: pins by key, the history, After lined up; said in strip, dock and status bar."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from jaxscope.compute.design_job import design_frame
from jaxscope.gui.painting.scene import prepare
from jaxscope.session import actions as act

TURN = act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=12.0)


def tell_design(desk) -> None:
    desk.window.receive(design_frame(desk.store.state, desk.store.revision, desk.window.shell.info, words=False))


def test_v_swaps_and_shift_v_pins_and_everything_says_so(desk):
    desk.window.traces.setFocus()
    QTest.keyClick(desk.window.traces, Qt.Key.Key_V)
    assert not desk.store.state.viewport.shows_pin  # nothing is pinned yet
    QTest.keyClick(desk.window.traces, Qt.Key.Key_V, Qt.KeyboardModifier.ShiftModifier)
    assert desk.store.state.document.pins[0].name == "Low-pass 20.0 Hz"
    desk.store.dispatch(TURN)
    QTest.keyClick(desk.window.traces, Qt.Key.Key_V)
    assert desk.store.state.viewport.shows_pin
    assert desk.window.status.badge == "Pinned chain"
    assert "Low-pass 20.0 Hz" in desk.window.status.hint()
    assert desk.window.dock.header.words.text() == "Pinned chain"
    desk.store.dispatch(replace(TURN, value=11.0))
    assert desk.window.status.badge == "Filter on"
    assert desk.window.dock.header.words.text() == "Filter on"


def test_the_history_lists_steps_and_goes_to_the_one_that_is_clicked(desk, qtbot):
    for value in (12.0, 11.0, 10.0):
        desk.store.dispatch(replace(TURN, value=value))
    QTest.keyClick(desk.window, Qt.Key.Key_H, Qt.KeyboardModifier.ControlModifier)
    history = desk.window.floating.history
    if history is None:  # the offscreen window has no focus for shortcuts
        desk.window.actions_.open_history()
        history = desk.window.floating.history
    steps, view = history._steps, history.list
    words = [steps.index(row).data() for row in range(steps.rowCount())]
    assert words == [
        "Low-pass cutoff 11 → 10 Hz",
        "Low-pass cutoff 12 → 11 Hz",
        "Low-pass cutoff 20 → 12 Hz",
        "As it was at first",
    ]
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(steps.index(2)).center())
    assert desk.store.state.document.chains[0].stages[0].spec.cutoff_hz == 12.0
    assert steps.position == 1
    view.setCurrentIndex(steps.index(0))
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert desk.store.state.document.chains[0].stages[0].spec.cutoff_hz == 10.0
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert not history.isVisible()


def test_line_up_draws_after_earlier_by_its_delay_and_leaves_before(desk):
    desk.store.dispatch(act.SetPhase(chain=0, phase="causal"))
    desk.store.dispatch(act.SelectStage(chain=0, stage=0))
    tell_design(desk)
    header = desk.window.dock.header
    assert header.line_up.isVisibleTo(header)
    assert "late" in header.delay.text()
    before, after = (prepare(desk.window.traces.model.scene(800, 600, 1.0, "rest")), None)
    header.line_up.click()
    assert desk.store.state.viewport.line_up
    tell_design(desk)
    scene = desk.window.traces.model.scene(800, 600, 1.0, "rest")
    after = prepare(scene)
    delay_s = desk.window.traces.model.shifts_s[0]
    assert 0.005 < delay_s < 0.2
    one = {stroke.is_before: stroke.bundles[0].x for stroke in reversed(before)}
    two = {stroke.is_before: stroke.bundles[0].x for stroke in reversed(after)}
    np.testing.assert_allclose(one[True], two[True])
    pixels_per_s = 800 / desk.store.state.viewport.duration_s
    moved = one[False][50] - two[False][50]
    assert moved == pytest.approx(delay_s * pixels_per_s, abs=1.01 * pixels_per_s / 100)
    assert desk.window.strip._shift_words
    lane = desk.window.traces.model.lanes[0]
    plain = desk.window.traces.model.values_at(lane, 2.0 + delay_s).after
    header.line_up.click()
    assert desk.window.traces.model.values_at(lane, 2.0 + delay_s).after is not None
    assert plain is not None


def test_edges_and_gaps_are_chosen_in_the_dock(desk):
    header = desk.window.dock.header
    header.edges_button.click()
    edges = header.edges
    assert edges.isVisible()
    assert not edges.start.isEnabled()  # both passes: no start of one
    edges.gaps.chosen.emit("propagate")
    assert desk.store.state.document.chains[0].gaps == "propagate"
    edges.padding.chosen.emit("even")
    edges.by_rule.click()
    assert desk.store.state.document.chains[0].padding.samples == 256
    edges.samples.selectAll()
    QTest.keyClicks(edges.samples, "64")
    assert (desk.store.state.document.chains[0].padding.kind, desk.store.state.document.chains[0].padding.samples) == (
        "even",
        64,
    )
    edges.by_rule.click()
    assert desk.store.state.document.chains[0].padding.samples is None
    desk.store.dispatch(act.SetPhase(chain=0, phase="causal"))
    edges.start.chosen.emit("rest")
    assert desk.store.state.document.chains[0].initial == "rest"
    assert desk.store.history[:2] == ("Run on over gaps", "Padding")
    header.edges_button.click()
    assert not edges.isVisible()
