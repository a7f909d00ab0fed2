"""(state, action) to state."""

from __future__ import annotations

import pytest

from jaxscope.errors import SpecError
from jaxscope.filters import FAMILIES
from jaxscope.filters.channels import chain_for
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session import actions as act
from jaxscope.session.reduce import reduce, stage_spec
from jaxscope.session.state import ChannelLook, Document, SessionState

LOW = Stage(spec=FAMILIES["butterworth"](band="lowpass", order=2, cutoff_hz=40.0))
NAMES = ("Fp1", "Fp2", "ECG")


def _state(*chains: FilterChain) -> SessionState:
    return SessionState(document=Document(chains=chains or (FilterChain(stages=(LOW,)),)))


def _edit(form: str, row: int, column: int, value: float) -> act.EditCoefficient:
    return act.EditCoefficient(
        chain=0,
        stage=0,
        form=form,
        row=row,
        column=column,
        value=value,
        rate_hz=250.0,  # type: ignore[arg-type]
    )


def test_an_edited_coefficient_remembers_its_design_and_goes_back() -> None:
    state = reduce(_state(), _edit("sos", 0, 4, -1.25))
    stage = state.document.chains[0].stages[0]
    assert stage.spec.family == "sections"
    assert stage.spec.design(250.0).rows[0][4] == -1.25  # type: ignore[union-attr]
    assert stage.origin == LOW.spec
    again = reduce(state, _edit("sos", 0, 5, 0.5))
    assert again.document.chains[0].stages[0].origin == LOW.spec
    back = reduce(again, act.RevertToDesign(chain=0, stage=0))
    assert back.document.chains[0].stages[0] == LOW


def test_numbers_that_are_those_of_the_design_again_are_the_design() -> None:
    number = LOW.spec.design(250.0).rows[0][4]  # type: ignore[union-attr]
    assert reduce(_state(), _edit("sos", 0, 4, number)).document.chains[0].stages[0] == LOW
    edited = reduce(_state(), _edit("sos", 0, 4, -1.25))
    assert reduce(edited, _edit("sos", 0, 4, number)).document.chains[0].stages[0] == LOW
    assert reduce(edited, _edit("sos", 0, 5, 0.5)).document.chains[0].stages[0].origin == LOW.spec


def test_polynomials_are_kept_as_they_are_typed() -> None:
    state = reduce(_state(), _edit("ba", 1, 1, -1.25))
    spec = state.document.chains[0].stages[0].spec
    assert spec.family == "transfer_function"
    assert spec.a[1] == -1.25  # type: ignore[attr-defined]
    again = reduce(state, _edit("ba", 2, 0, 0.125))
    assert again.document.chains[0].stages[0].spec.b[2] == 0.125  # type: ignore[attr-defined]
    assert again.document.chains[0].stages[0].spec.a == spec.a  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("form", "row", "column", "value"),
    [
        ("sos", 9, 0, 1.0),
        ("sos", -1, 0, 1.0),
        ("sos", 0, 6, 1.0),
        ("sos", 0, 3, 2.0),
        ("taps", 0, 0, 1.0),
        ("ba", -1, 0, 1.0),
    ],
)
def test_a_coefficient_that_is_not_there_is_refused(form: str, row: int, column: int, value: float) -> None:
    with pytest.raises(SpecError):
        reduce(_state(), _edit(form, row, column, value))


def test_a_knob_that_the_family_does_not_have_is_refused() -> None:
    with pytest.raises(SpecError, match="has no freq_hz"):
        reduce(_state(), act.TurnKnob(chain=0, stage=0, name="freq_hz", value=50.0))


def test_a_channel_is_given_to_another_chain_and_to_none() -> None:
    chains = (FilterChain(name="A", channels=("Fp*",)), FilterChain(name="B", channels=None))
    state = _state(*chains)
    moved = reduce(state, act.AssignChannel(channel="Fp2", chain=1, data_channels=NAMES))
    assert [chain_for(moved.document.chains, name, is_data=True) for name in NAMES] == [0, 1, 1]
    none = reduce(moved, act.AssignChannel(channel="Fp1", chain=None, data_channels=NAMES))
    assert [chain_for(none.document.chains, name, is_data=True) for name in NAMES] == [None, 1, 1]


@pytest.mark.parametrize(
    ("start_s", "duration_s", "expected"),
    [(5.0, 10.0, (5.0, 10.0)), (-3.0, 10.0, (0.0, 10.0)), (58.0, 10.0, (50.0, 10.0)), (5.0, 900.0, (0.0, 60.0))],
)
def test_the_window_stays_in_the_recording(start_s: float, duration_s: float, expected: tuple[float, float]) -> None:
    viewport = reduce(_state(), act.LookAt(start_s=start_s, duration_s=duration_s, total_s=60.0)).viewport
    assert (viewport.start_s, viewport.duration_s) == expected


def test_hidden_channels_come_back_with_their_look() -> None:
    state = reduce(_state(), act.SetLook(channel="Fp1", look=ChannelLook(gain=2.0)))
    state = reduce(state, act.HideChannels(names=("Fp1", "Fp2")))
    assert state.document.look_of("Fp1") == ChannelLook(gain=2.0, hidden=True)
    state = reduce(state, act.ShowAllChannels())
    assert state.document.look_of("Fp1") == ChannelLook(gain=2.0)
    assert not state.document.look_of("Fp2").hidden


def test_more_chains_than_tags_and_unknown_colours_are_refused() -> None:
    with pytest.raises(SpecError, match="27 chains"):
        reduce(_state(), act.SetChains(chains=(FilterChain(),) * 27))
    with pytest.raises(SpecError, match="'bogus'"):
        ChannelLook(colour="bogus")


def test_a_scale_is_set_and_made_automatic_again() -> None:
    state = reduce(_state(), act.SetScale(kind="eeg", units_per_lane=50.0))
    assert state.viewport.scale_of("eeg") == 50.0
    assert reduce(state, act.SetScale(kind="eeg", units_per_lane=None)).viewport.scale_of("eeg") is None


def test_the_engine_keeps_what_is_not_chosen() -> None:
    engine = reduce(_state(), act.ChooseEngine(precision="float32")).engine
    assert (engine.device, engine.precision, engine.method) == ("cpu:0", "float32", "auto")
    assert reduce(_state(), act.ChooseEngine(device="gpu:1")).engine.backend == "gpu"


def test_an_unknown_display_choice_changes_nothing() -> None:
    state = _state()
    assert reduce(state, act.SetDisplay(name="start_s", value=True)) is state


def test_a_stage_is_found_only_where_there_is_one() -> None:
    state = _state()
    assert stage_spec(state, 0, 0) is LOW.spec
    assert [stage_spec(state, chain, stage) for chain, stage in ((0, 1), (0, -1), (1, 0), (-1, 0))] == [None] * 4


def test_the_selection_follows_a_moved_stage_of_its_own_chain_alone() -> None:
    chain = FilterChain(stages=(LOW, LOW, LOW))
    state = reduce(_state(chain, chain), act.SelectStage(chain=1, stage=0))
    assert reduce(state, act.MoveStage(chain=1, stage=0, to=2)).viewport.selected_stage == 2
    assert reduce(state, act.MoveStage(chain=0, stage=0, to=2)).viewport.selected_stage == 0
    assert reduce(state, act.MoveStage(chain=1, stage=1, to=2)).viewport.selected_stage == 0
