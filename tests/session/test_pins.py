"""Pinned chains and the history: what the traces show, and that every edit is a step that can be gone to."""

from __future__ import annotations

import pytest

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.limits import Limit
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session import actions as act
from jaxscope.session.state import MOST_PINS, Document, SessionState, in_force
from jaxscope.session.store import Store

LOW = Stage(spec=FAMILIES["butterworth"](band="lowpass", order=4, cutoff_hz=40.0))


@pytest.fixture
def store() -> Store:
    chain = FilterChain(name="EEG", channels=("Fp*",), stages=(LOW,))
    return Store(SessionState(document=Document(chains=(chain, FilterChain(name="ECG", channels=("ECG",))))))


def turn(store: Store, cutoff_hz: float) -> None:
    store.dispatch(act.TurnKnob(chain=0, stage=0, name="cutoff_hz", value=cutoff_hz))


def test_a_pin_takes_the_place_of_its_chain_on_the_traces_for_the_same_channels(store: Store) -> None:
    store.dispatch(act.PinChain(chain=0, name="40 Hz"))
    turn(store, 20.0)
    store.dispatch(act.SetChainChannels(chain=0, channels=("O*",)))
    own = store.state
    assert in_force(own) is own
    store.dispatch(act.ShowPin(on=True))
    shown = in_force(store.state).document.chains
    assert shown[0].stages == (LOW,)
    assert shown[0].channels == ("O*",)
    assert shown[1] is own.document.chains[1]
    assert store.state.document.chains == own.document.chains


def test_an_edit_or_undo_shows_the_own_chain_again(store: Store) -> None:
    store.dispatch(act.PinChain(chain=0, name="40 Hz"))
    turn(store, 20.0)
    for change in (lambda: turn(store, 10.0), store.undo, store.redo):
        store.dispatch(act.ShowPin(on=True))
        assert in_force(store.state) is not store.state
        change()
        assert not store.state.viewport.shows_pin


def test_using_a_pin_puts_its_stages_back_as_one_step(store: Store) -> None:
    store.dispatch(act.PinChain(chain=0, name="40 Hz"))
    turn(store, 20.0)
    store.dispatch(act.UsePin(pin=0))
    assert store.state.document.chains[0].stages == (LOW,)
    store.undo()
    assert store.state.document.chains[0].stages[0].spec.cutoff_hz == 20.0  # type: ignore[attr-defined]


def test_pins_are_undone_named_and_bounded(store: Store) -> None:
    for number in range(MOST_PINS):
        store.dispatch(act.PinChain(chain=0, name=f"number {number}"))
    assert store.undo_text == "Pin number 11"
    assert store.state.viewport.chosen_pin == MOST_PINS - 1
    with pytest.raises(SpecError, match="12 chains are pinned already"):
        store.dispatch(act.PinChain(chain=0, name="one more"))
    store.dispatch(act.RemovePin(pin=3))
    assert store.undo_text == "Remove pin number 3"
    assert store.state.viewport.chosen_pin == MOST_PINS - 2
    store.dispatch(act.RenamePin(pin=0, name="first"))
    assert [pin.name for pin in store.state.document.pins][:4] == ["first", "number 1", "number 2", "number 4"]
    store.go_to(0)
    assert store.state.document.pins == ()
    assert store.state.viewport.chosen_pin == 0


@pytest.mark.parametrize("action", [act.RemovePin(pin=5), act.UsePin(pin=0), act.PinChain(chain=9, name="x")])
def test_what_is_not_there_changes_nothing(store: Store, action: act.Action) -> None:
    before = store.state
    store.dispatch(action)
    assert store.state is before


def test_the_history_names_edits_and_goes_to_any_of_them_at_once(store: Store) -> None:
    start = store.state.document
    turn(store, 30.0)
    turn(store, 20.0)
    store.dispatch(act.SetLimits(limits=(Limit(kind="stop", low_hz=60.0, level_db=40.0),)))
    end = store.state.document
    assert store.history == ("Low-pass cutoff 40 → 30 Hz", "Low-pass cutoff 30 → 20 Hz", "Limits")
    told: list[object] = []
    store.subscribe(lambda state, previous: told.append(state))
    store.go_to(1)
    assert len(told) == 1
    assert store.state.document.chains[0].stages[0].spec.cutoff_hz == 30.0  # type: ignore[attr-defined]
    assert (store.position, len(store.history)) == (1, 3)
    store.go_to(3)
    assert store.state.document == end
    store.go_to(0)
    assert store.state.document == start
    for nowhere in (-1, 4):
        store.go_to(nowhere)
        assert store.position == 0
