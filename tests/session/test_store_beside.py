"""Stores beside one another: one document and undo, a viewport each, linked in time where that is wanted."""

from __future__ import annotations

import pytest

from jaxscope.filters import FAMILIES
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session import actions as act
from jaxscope.session.state import Document, EngineChoice, RecordingRef, SessionState
from jaxscope.session.store import Store


def _pair() -> tuple[Store, Store]:
    stage = Stage(spec=FAMILIES["butterworth"](band="lowpass", order=4, cutoff_hz=40.0))
    document = Document(chains=(FilterChain(name="A", stages=(stage, stage)),), recording=RecordingRef(path="a.edf"))
    first = Store(SessionState(document=document))
    return first, Store(beside=first)


def _turn(cutoff_hz: float, merge_key: str | None = None) -> act.TurnKnob:
    return act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=cutoff_hz, merge_key=merge_key)


def test_an_edit_in_one_is_in_the_other_and_each_tells_its_own_once() -> None:
    first, second = _pair()
    told: list[str] = []
    first.subscribe(lambda *_: told.append("first"))
    second.subscribe(lambda *_: told.append("second"))
    second.dispatch(_turn(30.0))
    assert first.state.document is second.state.document
    assert told == ["second", "first"]


def test_undo_is_one_whoever_undoes() -> None:
    first, second = _pair()
    before = first.state.document
    first.dispatch(_turn(30.0))
    second.dispatch(_turn(20.0))
    first.undo()
    second.undo()
    assert first.state.document == second.state.document == before
    assert not first.can_undo
    assert second.can_redo
    second.redo()
    assert first.undo_text == second.undo_text != ""


def test_a_drag_in_one_is_one_step() -> None:
    first, second = _pair()
    for cutoff_hz in (39.0, 38.0, 37.0):
        second.dispatch(_turn(cutoff_hz, "drag"))
    assert len(first.history) == 1


def test_each_has_its_own_look_and_the_same_time_while_both_are_linked() -> None:
    first, second = _pair()
    first.dispatch(act.LookAt(start_s=5.0, duration_s=2.0))
    assert (second.state.viewport.start_s, second.state.viewport.duration_s) == (5.0, 2.0)
    first.dispatch(act.ChooseMode(mode="split"))
    first.dispatch(act.SelectChannels(names=("Fz",)))
    assert (second.state.viewport.mode, second.state.viewport.selected_channels) == ("overlay", ())
    second.set_linked(linked=False)
    first.dispatch(act.LookAt(start_s=50.0, duration_s=2.0))
    assert second.state.viewport.start_s == 5.0
    second.dispatch(_turn(30.0))
    assert first.state.viewport.start_s == 50.0
    second.set_linked(linked=True)
    assert second.state.viewport.start_s == 50.0


def test_a_stage_that_another_removed_is_selected_nowhere() -> None:
    first, second = _pair()
    second.dispatch(act.SelectStage(chain=0, stage=1))
    first.dispatch(act.RemoveStage(chain=0, stage=1))
    assert second.state.viewport.selected_stage == 0


@pytest.mark.parametrize(
    "action", [act.ClosedRecording(), act.OpenedRecording(recording=RecordingRef(path="b.edf"), duration_s=9.0)]
)
def test_who_opens_something_else_leaves_the_others(action: act.Action) -> None:
    first, second = _pair()
    first.dispatch(_turn(30.0))
    second.dispatch(action)
    assert first.state.document.recording == RecordingRef(path="a.edf")
    assert first.can_undo
    assert not first.has_others
    second.dispatch(_turn(20.0))
    assert first.state.document.chains != second.state.document.chains


def test_saved_in_one_is_saved_in_all() -> None:
    first, second = _pair()
    told: list[bool] = []
    second.subscribe(lambda *_: told.append(second.has_unsaved_changes))
    first.dispatch(_turn(30.0))
    first.mark_saved()
    assert told == [True, False]
    second.leave()
    assert not second.has_unsaved_changes


def test_the_engine_is_that_of_the_window() -> None:
    first, second = _pair()
    second.dispatch(act.ChooseEngine(precision="float32"))
    assert first.state.engine.precision == "float64"
    third = Store(SessionState(engine=EngineChoice(method="scan")), beside=first)
    assert (third.state.engine.method, third.state.document) == ("scan", first.state.document)


def test_nobody_dispatches_while_any_is_told() -> None:
    first, second = _pair()
    second.subscribe(lambda *_: first.dispatch(_turn(1.0)))
    with pytest.raises(RuntimeError, match="inside a subscriber"):
        first.dispatch(_turn(30.0))
