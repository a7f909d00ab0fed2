"""The store: one state, undo in steps, no loops."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session import actions as act
from jaxscope.session.state import Document, RecordingRef, SessionState
from jaxscope.session.store import Store


def _low(cutoff_hz: float = 40.0) -> Stage:
    return Stage(spec=FAMILIES["butterworth"](band="lowpass", order=4, cutoff_hz=cutoff_hz))


def _store(*stages: Stage) -> Store:
    chain = FilterChain(name="A", stages=stages or (_low(),))
    return Store(SessionState(document=Document(chains=(chain,))))


def _turn(cutoff_hz: float, merge_key: str | None = None) -> act.TurnKnob:
    return act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=cutoff_hz, merge_key=merge_key)


def _cutoff(store: Store) -> float:
    return store.state.document.chains[0].stages[0].spec.cutoff_hz  # type: ignore[attr-defined,no-any-return]


def test_subscribers_are_told_once_with_both_states() -> None:
    store = _store()
    told: list[tuple[SessionState, SessionState]] = []
    unsubscribe = store.subscribe(lambda state, previous: told.append((state, previous)))
    before = store.state
    store.dispatch(_turn(30.0))
    assert [(state is store.state, previous is before) for state, previous in told] == [(True, True)]
    unsubscribe()
    store.dispatch(_turn(20.0))
    assert len(told) == 1


def test_an_action_that_changes_nothing_tells_nobody() -> None:
    store = _store()
    told: list[object] = []
    store.subscribe(lambda state, previous: told.append(state))
    before, revision = store.state, store.revision
    for action in (_turn(40.0), act.RemoveStage(chain=0, stage=7), act.SetPhase(chain=3, phase="zero")):
        store.dispatch(action)
    assert store.state is before
    assert (told, store.revision, store.can_undo) == ([], revision, False)


def test_a_refused_value_leaves_everything_as_it_was() -> None:
    store = _store()
    before = store.state
    with pytest.raises(SpecError) as refused:
        store.dispatch(_turn(-5.0))
    assert refused.value.field == "cutoff_hz"
    assert store.state is before
    assert not store.can_undo


def test_dispatching_from_a_subscriber_is_an_error() -> None:
    store = _store()
    store.subscribe(lambda state, previous: store.dispatch(_turn(10.0)))
    with pytest.raises(RuntimeError):
        store.dispatch(_turn(30.0))
    assert _cutoff(store) == 30.0


def test_a_drag_is_one_step_and_a_second_drag_another() -> None:
    store = _store()
    for value in (39.0, 35.0, 30.0):
        store.dispatch(_turn(value, "drag 1"))
    for value in (29.0, 20.0):
        store.dispatch(_turn(value, "drag 2"))
    assert store.undo_text == "Low-pass cutoff 30 → 20 Hz"
    store.undo()
    assert _cutoff(store) == 30.0
    store.undo()
    assert _cutoff(store) == 40.0
    assert not store.can_undo
    store.redo()
    store.redo()
    assert _cutoff(store) == 20.0
    assert not store.can_redo


def test_another_action_between_ends_a_drag_and_one_of_the_same_drag_does_not() -> None:
    store = _store()
    store.dispatch(_turn(30.0, "cutoff"))
    store.dispatch(act.LookAt(start_s=1.0, duration_s=2.0, merge_key="cutoff"))
    store.dispatch(_turn(25.0, "cutoff"))
    store.dispatch(act.LookAt(start_s=2.0, duration_s=2.0))
    store.dispatch(_turn(20.0, "cutoff"))
    store.undo()
    assert _cutoff(store) == 25.0
    store.undo()
    assert _cutoff(store) == 40.0


def test_undo_leaves_a_chain_and_a_stage_selected_that_are_there() -> None:
    store = _store(_low(), _low(10.0))
    one = store.state.document.chains[0]
    store.dispatch(act.SetChains(chains=(one, one, one)))
    store.dispatch(act.SelectStage(chain=2, stage=1))
    store.undo()
    assert (store.state.viewport.active_chain, store.state.viewport.selected_stage) == (0, 1)
    store.redo()
    assert (store.state.viewport.active_chain, store.state.viewport.selected_stage) == (0, 1)


def test_an_edit_after_undo_forgets_redo() -> None:
    store = _store()
    store.dispatch(_turn(30.0))
    store.undo()
    store.dispatch(_turn(25.0))
    assert not store.can_redo


def test_the_view_is_not_undone() -> None:
    store = _store()
    store.dispatch(act.LookAt(start_s=5.0, duration_s=2.0, total_s=60.0))
    assert not store.can_undo
    store.dispatch(_turn(30.0))
    store.undo()
    assert store.state.viewport.start_s == 5.0


def test_opening_a_recording_keeps_the_chains_and_forgets_undo() -> None:
    store = _store()
    store.dispatch(_turn(30.0))
    store.dispatch(act.OpenedRecording(recording=RecordingRef(path="night.edf"), duration_s=4.0))
    assert _cutoff(store) == 30.0
    assert not store.can_undo
    assert store.state.viewport.duration_s == 4.0


def test_only_saving_or_loading_makes_edited_chains_saved() -> None:
    store = _store()
    opened = act.OpenedRecording(recording=RecordingRef(path="night.edf"), duration_s=4.0)
    store.mark_saved()
    for action in (opened, act.ClosedRecording()):
        store.dispatch(action)
        assert not store.has_unsaved_changes
    store.dispatch(_turn(30.0))
    for action in (opened, act.ClosedRecording(), opened):
        store.dispatch(action)
        assert store.has_unsaved_changes
    store.mark_saved()
    assert not store.has_unsaved_changes
    store.dispatch(_turn(20.0))
    store.dispatch(act.LoadedProject(document=store.state.document, viewport=store.state.viewport))
    assert not store.has_unsaved_changes


def test_a_fresh_start_has_nothing_to_save() -> None:
    store = Store()
    store.dispatch(act.OpenedRecording(recording=RecordingRef(path="night.edf"), duration_s=4.0))
    assert not store.has_unsaved_changes
    store.dispatch(act.SetChains(chains=(FilterChain(),)))
    store.dispatch(act.OpenedRecording(recording=RecordingRef(path="day.edf"), duration_s=4.0))
    assert store.has_unsaved_changes


def test_the_same_path_opened_again_is_told_as_another_recording() -> None:
    store = _store()
    again = act.OpenedRecording(recording=RecordingRef(path="night.edf"), duration_s=4.0)
    store.dispatch(again)
    told: list[tuple[object, object]] = []
    store.subscribe(lambda state, previous: told.append((state.document.recording, previous.document.recording)))
    revision = store.revision
    store.dispatch(again)
    assert told == [(again.recording, None)]
    assert store.revision > revision


@given(
    st.lists(st.tuples(st.sampled_from(["turn", "add", "remove", "move", "enable", "undo", "redo"]), st.integers(0, 5)))
)
def test_undoing_everything_restores_the_start(steps: list[tuple[str, int]]) -> None:
    store = _store(_low(), _low(10.0))
    start = store.state.document
    for name, number in steps:
        match name:
            case "turn":
                store.dispatch(_turn(1.0 + number))
            case "add":
                store.dispatch(act.AddStage(chain=0, at=number, stage=_low(5.0 + number)))
            case "remove":
                store.dispatch(act.RemoveStage(chain=0, stage=number))
            case "move":
                store.dispatch(act.MoveStage(chain=0, stage=0, to=number))
            case "enable":
                store.dispatch(act.EnableStage(chain=0, stage=number, enabled=number % 2 == 0))
            case "undo":
                store.undo()
            case "redo":
                store.redo()
        chain = store.state.document.chains[0]
        assert 0 <= store.state.viewport.selected_stage <= max(len(chain.stages) - 1, 0)
    while store.can_redo:
        store.redo()
    end = store.state.document
    while store.can_undo:
        store.undo()
    assert store.state.document == start
    while store.can_redo:
        store.redo()
    assert store.state.document == end


def test_replaced_states_stay_equal_by_value() -> None:
    state = _store().state
    assert replace(state) == state
    assert hash(replace(state)) == hash(state)


def test_a_filter_that_comes_or_goes_as_a_whole_is_named() -> None:
    store = Store()
    stages = tuple(Stage(spec=FAMILIES["butterworth"](band=band, cutoff_hz=20.0)) for band in ("highpass", "lowpass"))
    store.dispatch(act.SetChains(chains=(FilterChain(stages=stages),)))
    assert store.undo_text == "Filter High-pass 20.0 Hz, Low-pass 20.0 Hz"
    store.dispatch(act.SetChains(chains=(*store.state.document.chains, FilterChain(name="ECG"))))
    assert store.undo_text == "Filter ECG"
    store.dispatch(act.SetChains(chains=store.state.document.chains[:1]))
    assert store.undo_text == "Remove filter ECG"
    store.dispatch(act.SetChains(chains=()))
    assert store.undo_text == "Remove filter High-pass 20.0 Hz, Low-pass 20.0 Hz"
