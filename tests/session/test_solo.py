"""One stage alone: the switches come back as they were, and a step of undo takes it back."""

from __future__ import annotations

from jaxscope.filters import FAMILIES, FilterChain, Stage
from jaxscope.session.actions import EnableStage, SoloStage
from jaxscope.session.state import Document, SessionState
from jaxscope.session.store import Store


def _store(*enabled: bool) -> Store:
    stages = tuple(Stage(spec=FAMILIES["notch"](frequency_hz=50.0 + n), enabled=on) for n, on in enumerate(enabled))
    return Store(SessionState(document=Document(chains=(FilterChain(stages=stages),))))


def _switches(store: Store) -> list[bool]:
    return [stage.enabled for stage in store.state.document.chains[0].stages]


def test_solo_goes_from_stage_to_stage_and_ends_where_it_began() -> None:
    store = _store(True, False, True)
    store.dispatch(SoloStage(chain=0, stage=2))
    assert _switches(store) == [False, False, True]
    assert store.state.viewport.selected_stage == 2
    store.dispatch(SoloStage(chain=0, stage=1))
    assert _switches(store) == [False, True, False]
    store.dispatch(SoloStage(chain=0, stage=1))
    assert _switches(store) == [True, False, True]
    store.undo()
    store.undo()
    assert _switches(store) == [False, False, True]


def test_what_was_solo_by_hand_has_nothing_to_go_back_to_but_all() -> None:
    store = _store(True, True)
    store.dispatch(EnableStage(chain=0, stage=1, enabled=False))
    store.dispatch(SoloStage(chain=0, stage=0))
    assert _switches(store) == [True, True]


def test_a_single_stage_and_one_that_is_not_there_change_nothing() -> None:
    store = _store(True)
    before = store.state
    store.dispatch(SoloStage(chain=0, stage=0))
    store.dispatch(SoloStage(chain=0, stage=7))
    store.dispatch(SoloStage(chain=3, stage=0))
    assert store.state is before
