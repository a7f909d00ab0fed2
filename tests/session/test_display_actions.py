"""Actions that change how traces are shown: dividers, arrangement, sensitivity, paper speed, the view put back."""

from __future__ import annotations

import pytest

from jaxscope.session import actions as act
from jaxscope.session.reduce import reduce
from jaxscope.session.state import LEAST_SHARE, SessionState


def after(*actions: act.Action) -> SessionState:
    state = SessionState()
    for action in actions:
        state = reduce(state, action)
    return state


@pytest.mark.parametrize(
    ("actions", "name", "expected"),
    [
        ([act.ChooseMode(mode="curtain")], "mode", "curtain"),
        ([act.PlaceDivider(mode="curtain", share=0.7)], "curtain_share", 0.7),
        ([act.PlaceDivider(mode="curtain", share=0.7)], "split_share", 0.5),
        ([act.PlaceDivider(mode="split", share=-3.0)], "split_share", LEAST_SHARE),
        ([act.PlaceDivider(mode="split", share=9.0)], "split_share", 1 - LEAST_SHARE),
        ([act.Arrange(arrangement="butterfly", together=("O1",))], "together", ("O1",)),
        ([act.SetSensitivity(kind="eeg", units_per_mm=7.0)], "sensitivities", (("eeg", 7.0),)),
        (
            [act.SetSensitivity(kind="eeg", units_per_mm=7.0), act.SetSensitivity(kind="eeg", units_per_mm=None)],
            "sensitivities",
            (),
        ),
        (
            [act.SetSensitivity(kind="eeg", units_per_mm=7.0), act.SetScale(kind="eeg", units_per_lane=50.0)],
            "sensitivities",
            (),
        ),
        ([act.SetDisplay(name="lock_scales", value=False)], "lock_scales", False),
    ],
)
def test_one_field_follows_the_action(actions, name, expected) -> None:
    assert getattr(after(*actions).viewport, name) == expected


def test_a_paper_speed_lasts_while_the_window_is_only_moved() -> None:
    chosen = act.LookAt(start_s=0.0, duration_s=8.0, paper_mm_s=30.0)
    assert after(chosen, act.LookAt(start_s=5.0, duration_s=8.0)).viewport.paper_mm_s == 30.0
    assert after(chosen, act.LookAt(start_s=5.0, duration_s=9.0)).viewport.paper_mm_s is None
