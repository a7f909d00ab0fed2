"""Fitting a filter in the window: marks by key, a filter that follows on the traces, kept or discarded as one step."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from jaxscope.compute.fit_frames import FitFrame, GoalValue
from jaxscope.compute.frames import Opened
from jaxscope.filters.manual import SectionsSpec
from jaxscope.gui.theme import scaled, theme
from jaxscope.gui.views.fit_plots import HIGH
from jaxscope.session import actions as act
from jaxscope.session.actions_fit import RemoveGoal, SetGoal
from jaxscope.session.fit import FitGoal, fit_bands
from jaxscope.session.fitted import FITTED

HUM = FitGoal(verb="remove", name="Hum", bands=fit_bands("50 Hz"))
ROWS = ((1.0, -1.6, 1.0, 1.0, -1.3, 0.7),)


def _asked(desk, what="fit"):
    return [item[1] for item in desk.conductor.asked if item[0] == what]


def _goals(desk):
    return desk.store.state.document.fit.goals


def _stages(desk):
    return desk.store.state.document.chains[0].stages


def _told(desk, step=1, **changes) -> FitFrame:
    """Tell the window how the fit that was asked for stands."""
    run = _asked(desk)[-1].run
    values = tuple(GoalValue(value=-52.0, unit="dB", share=0.9) for _ in _goals(desk))
    rows = tuple((row[0] + step / 1000, *row[1:]) for row in ROWS)
    frame = FitFrame(
        run=run, steps=400, step=step, distances=tuple(1 / (1 + k) for k in range(step)), rows=rows,
        poles=((0.65, 0.5), (0.65, -0.5)), goals=_goals(desk), values=values, rate_hz=100.0,
    )  # fmt: skip
    frame = replace(frame, **changes)
    desk.window.receive(frame)
    return frame


def _press(desk, key, modifier=Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(desk.window.traces, key, modifier)


@pytest.fixture
def panel(desk):
    """Return the panel of a fit that was opened by its key."""
    desk.window.traces.setFocus()
    _press(desk, Qt.Key.Key_W, Qt.KeyboardModifier.ShiftModifier)
    return desk.window.fit


@pytest.fixture
def running(desk, panel):
    """Return the panel with a goal and a fit that was begun."""
    desk.store.dispatch(SetGoal(goal=HUM))
    _press(desk, Qt.Key.Key_Return)
    return panel


def test_it_takes_the_place_of_the_dock_and_gives_it_back_and_the_response_stays(desk, panel):
    dock = desk.window.dock
    assert panel.isVisible()
    assert dock.isAncestorOf(panel)
    assert not any(part.isVisible() for part in (dock.header, dock.chain, dock.tabs, dock.add_button))
    assert dock.response.isVisible()
    assert desk.window.traces.hasFocus()
    _press(desk, Qt.Key.Key_Escape)
    assert not panel.isVisible()
    assert all(part.isVisible() for part in (dock.header, dock.chain, dock.tabs, dock.add_button))


def test_enter_starts_and_the_filter_follows_as_one_more_stage_then_enter_keeps_it_as_one_step(desk, running):
    before = len(desk.store.history)
    assert running.phase == "preparing"
    assert running.parts.stop.isVisible()
    assert not running.parts.keep.isVisible()
    request = _asked(desk)[-1]
    assert (request.chain, request.stage, request.plan.goals) == (0, None, (HUM,))
    for step in (1, 9, 17):
        _told(desk, step)
        assert _stages(desk)[-1].spec.rows[0][0] == pytest.approx(1 + step / 1000)
    assert _stages(desk)[-1].name == FITTED
    assert "step 17 of 400" in running.parts.distance.accessibleName()
    assert "2 poles" in running.parts.paths.accessibleName()
    assert "−52 dB" in running.parts.goals.item(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert desk.window.strip.legend.entries()[-1].note == "redrawn at every 8th step"
    assert len(desk.store.history) == before + 1
    _press(desk, Qt.Key.Key_Return)
    assert not running.is_open
    assert ("stop fit",) in desk.conductor.asked
    assert isinstance(_stages(desk)[-1].spec, SectionsSpec)
    assert desk.window.strip.legend.entries()[-1].note != "redrawn at every 8th step"
    desk.store.undo()
    assert len(_stages(desk)) == 1


def test_undo_says_that_a_filter_was_fitted_and_that_it_was_fitted_again(desk, running):
    store = desk.store
    _told(desk, 1)
    _press(desk, Qt.Key.Key_Return)
    assert store.undo_text == "Fit a filter"
    rows = ((1.0, -1.5, 1.0, 1.0, -1.2, 0.6),)
    store.dispatch(act.ReplaceSpec(chain=0, stage=1, spec=SectionsSpec(rows=((*rows[0][:5], 0.5),))))
    store.dispatch(act.ReplaceSpec(chain=0, stage=1, spec=SectionsSpec(rows=rows)))
    assert "again" not in store.undo_text, "a hand has edited a number"
    _press(desk, Qt.Key.Key_W, Qt.KeyboardModifier.ShiftModifier)
    _press(desk, Qt.Key.Key_Return)
    _told(desk, 9)
    _press(desk, Qt.Key.Key_Return)
    assert store.undo_text == "Fit the filter again"
    store.dispatch(act.AddStage(chain=0, at=2, stage=_stages(desk)[0]))
    assert store.undo_text == "Add stage"


def test_undo_says_that_a_filter_was_fitted_where_there_was_no_chain(desk, panel):
    desk.store.dispatch(act.SetChains(chains=()))
    desk.store.dispatch(SetGoal(goal=HUM))
    _press(desk, Qt.Key.Key_Return)
    _told(desk, 1)
    assert desk.store.undo_text == "Fit a filter"


def test_discard_leaves_no_trace_of_it(desk, running):
    document, before = desk.store.state.document, len(desk.store.history)
    _told(desk, 1)
    _told(desk, 9)
    running.parts.discard.click()
    assert desk.store.state.document == document
    assert len(desk.store.history) == before
    assert running.is_open
    assert running.parts.start.isVisible()


def test_escape_stops_first_and_closes_then_and_what_was_not_kept_goes(desk, running):
    document = desk.store.state.document
    _told(desk, 1)
    _press(desk, Qt.Key.Key_Escape)
    assert ("stop fit",) in desk.conductor.asked
    assert running.is_open
    assert len(_stages(desk)) == 2
    assert running.parts.again.isVisible()
    _told(desk, 9)
    assert _stages(desk)[-1].spec.rows[0][0] == pytest.approx(1.001), "what comes after the stop is not looked at"
    _press(desk, Qt.Key.Key_Escape)
    assert not running.is_open
    assert desk.store.state.document == document


def test_fitting_again_takes_the_place_of_the_stage_that_was_kept(desk, running):
    _told(desk, 1)
    _press(desk, Qt.Key.Key_Return)
    kept = _stages(desk)[-1]
    _press(desk, Qt.Key.Key_W, Qt.KeyboardModifier.ShiftModifier)
    _press(desk, Qt.Key.Key_Return)
    assert _asked(desk)[-1].stage == 1
    _told(desk, 9)
    assert len(_stages(desk)) == 2
    running.parts.discard.click()
    assert _stages(desk)[-1] == kept


def test_an_undo_or_an_edit_of_the_stage_ends_the_fit_and_is_left_alone(desk, running):
    _told(desk, 1)
    desk.store.undo()
    assert not running.has_filter
    assert running.phase == "idle"
    assert len(_stages(desk)) == 1
    _press(desk, Qt.Key.Key_Return)
    _told(desk, 1)
    edited = SectionsSpec(rows=((0.5, 0, 0, 1, 0, 0),))
    desk.store.dispatch(act.ReplaceSpec(chain=0, stage=1, spec=edited))
    assert not running.has_filter
    running.close_drawer()
    assert _stages(desk)[-1].spec == edited


def test_another_edit_of_the_chain_stops_it_and_says_so(desk, running):
    _told(desk, 1)
    desk.store.dispatch(act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=30.0))
    assert not running.is_running
    assert running.has_filter
    assert "other stages have changed" in running.parts.words.text()
    running.parts.again.click()
    assert running.is_running
    assert "other stages have changed" not in running.parts.words.text()


@pytest.mark.parametrize(
    ("opened", "words"),
    [({"is_same": True}, "The channels have changed"), ({"path": "/data/other.edf"}, "Another recording was opened")],
)
@pytest.mark.parametrize("is_told", [False, True])
def test_other_channels_or_another_recording_stop_it_and_leave_the_filter_to_be_kept_or_discarded(
    desk, running, info, opened, words, is_told
):
    document = desk.store.state.document
    if is_told:
        _told(desk, 1)
    desk.window.receive(Opened(**{"recording_id": "r", "path": "/data/six.edf", "info": info, **opened}))
    assert ("stop fit",) in desk.conductor.asked
    assert not running.is_running
    assert running.parts.words.text().startswith(words)
    assert running.has_filter is is_told
    if is_told:
        running.parts.discard.click()
    assert desk.store.state.document.chains == document.chains


def test_a_recording_that_is_opened_while_nothing_is_fitted_is_no_news(desk, panel, info):
    desk.window.receive(Opened(recording_id="r", path="/data/six.edf", info=info, is_same=True))
    assert panel.problem == ""


def test_without_a_chain_one_is_made_and_taken_back(desk, panel):
    desk.store.dispatch(act.SetChains(chains=()))
    desk.store.dispatch(SetGoal(goal=HUM))
    _press(desk, Qt.Key.Key_Return)
    _told(desk, 1)
    (chain,) = desk.store.state.document.chains
    assert chain.phase == "zero"
    panel.parts.discard.click()
    assert desk.store.state.document.chains == ()


def test_a_problem_is_said_in_the_panel_and_the_fit_can_be_started_again(desk, running):
    _told(desk, 0, problem="there is no goal yet", hint="mark a span on the traces", rows=(), done=True)
    assert running.parts.words.text() == "There is no goal yet: mark a span on the traces"
    assert running.parts.start.isVisible()
    assert len(_stages(desk)) == 1


def test_a_problem_on_the_way_leaves_the_filter_that_is_on_show_to_be_kept_or_discarded(desk, running):
    _told(desk, 1)
    _told(desk, 9, problem="something went wrong", hint="fit again", rows=(), done=True)
    assert running.phase == "ended"
    assert running.parts.words.text() == "Something went wrong: fit again"
    assert running.parts.again.isVisible()
    assert "Enter keeps this filter" in desk.window.status.hint()


def test_the_response_holds_the_curve_that_it_began_with(desk, running):
    plot = desk.window.dock.response.plot
    plot._ghost = plot._ghost or ((), ())
    _told(desk, 1)
    plot._on_rest()
    assert plot.ghost is not None
    running.parts.discard.click()
    plot._on_rest()
    assert plot.ghost is None


def test_it_and_a_sweep_do_not_turn_the_same_chain(desk, panel):
    _press(desk, Qt.Key.Key_W)
    assert desk.window.sweep.is_open
    assert not panel.is_open
    desk.window.traces.setFocus()
    _press(desk, Qt.Key.Key_W, Qt.KeyboardModifier.ShiftModifier)
    assert panel.is_open
    assert not desk.window.sweep.is_open


def test_closing_the_recording_closes_it(desk, running):
    _told(desk, 1)
    desk.window.show_start()
    assert not running.is_open
    assert ("stop fit",) in desk.conductor.asked


@pytest.mark.parametrize("size", [(1600, 1000), (1280, 800), (1024, 640)])
def test_it_paints_in_both_themes_with_many_goals_and_large_text(desk, running, size):
    for at in range(7):
        desk.store.dispatch(SetGoal(goal=FitGoal(verb="keep", name=f"Band {at}", bands=fit_bands(f"{at + 1} Hz"))))
    _told(desk, 1)
    desk.window.resize(*size)
    for mode, scale in (("light", 1.0), ("dark", 1.5)):
        theme().set_mode(mode)
        desk.scale_to(scale)
        desk.window.parts.open_dock(running)
        desk.pump()
        assert running.parts.keep.width() >= running.parts.keep.sizeHint().width()
        assert not running.grab().toImage().isNull()


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize(("height", "n_goals"), [(1000, 1), (1400, 1), (1400, 4)])
def test_the_buttons_come_right_below_the_plots_and_what_is_left_is_below_them(desk, running, height, n_goals, scale):
    for at in range(1, n_goals):
        desk.store.dispatch(SetGoal(goal=FitGoal(verb="keep", name=f"Band {at}", bands=fit_bands(f"{at} Hz"))))
    _told(desk, 1)
    desk.window.resize(1600, height)
    desk.scale_to(scale)
    desk.window.parts.open_dock(running)
    desk.pump()
    parts = running.parts

    def bottom(part):
        return part.mapTo(running, part.rect().bottomLeft()).y()

    assert parts.keep.isVisible()
    assert bottom(parts.keep) <= running.height()
    gap = bottom(parts.keep) - parts.keep.height() - bottom(parts.area)
    words = parts.words.height() if parts.words.isVisible() else 0
    assert gap - words <= scaled(24)
    if (height, n_goals, scale) == (1400, 1, 1.0):
        assert parts.paths.height() == scaled(HIGH)
        assert bottom(parts.area) - bottom(parts.paths) <= scaled(8)


def test_the_status_bar_tells_what_may_be_done_in_each_phase(desk, running):
    hint = desk.window.status.hint
    assert "stop at any time" in hint()
    _told(desk)
    assert "stop at any time" in hint()
    _told(desk, step=400, done=True)
    assert "Enter keeps this filter" in hint()
    running.discard()
    assert "Enter starts" in hint()
    running.start()
    _told(desk)
    running.keep()
    assert not any(words in hint() for words in ("stop at any time", "Enter keeps", "Enter starts"))


def test_a_goal_that_is_left_keeps_its_own_value_and_a_changed_one_has_none(desk, panel):
    other = FitGoal(verb="remove", name="Drift", bands=fit_bands("below 1 Hz"))
    for goal in (HUM, other):
        desk.store.dispatch(SetGoal(goal=goal))
    _press(desk, Qt.Key.Key_Return)
    values = (GoalValue(value=-52.0, unit="dB", share=0.9), GoalValue(value=-7.0, unit="dB", share=0.1))
    _told(desk, values=values, done=True)
    desk.store.dispatch(RemoveGoal(at=0))
    shown = panel.parts.goals
    assert shown.item(0).data(Qt.ItemDataRole.UserRole) == (other, values[1])
    changed = replace(other, bands=fit_bands("below 2 Hz"))
    desk.store.dispatch(SetGoal(goal=changed, at=0))
    assert shown.item(0).data(Qt.ItemDataRole.UserRole) == (changed, None)
