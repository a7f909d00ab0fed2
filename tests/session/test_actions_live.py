"""What runs: begun and ended by actions, never saved, never undone, ended by another recording."""

from __future__ import annotations

import pytest

from jaxscope.session import actions as act
from jaxscope.session.actions_live import SPEEDS, LiveChoice, next_speed
from jaxscope.session.reduce import reduce
from jaxscope.session.state import RecordingRef, SessionState
from jaxscope.session.store import Store

PLAYS = SessionState(live=LiveChoice(running="play", start_s=3.0))


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (act.Play(start_s=-2.0), LiveChoice(running="play", start_s=0.0)),
        (act.FollowFile(), LiveChoice(running="follow")),
        (act.StopRunning(), LiveChoice(start_s=3.0)),
        (act.SetSpeed(speed=1e6), LiveChoice(running="play", start_s=3.0, speed=SPEEDS[-1])),
        (act.SetSpeed(speed=0.0), LiveChoice(running="play", start_s=3.0, speed=SPEEDS[0])),
        (act.RunByPages(on=True), LiveChoice(running="play", start_s=3.0, by_pages=True)),
        (act.RunAsCausal(on=True), LiveChoice(running="play", start_s=3.0, as_causal=True)),
        (act.OpenedRecording(recording=RecordingRef(path="a"), duration_s=1.0), LiveChoice(start_s=3.0)),
        (act.LookAt(start_s=1.0, duration_s=2.0, total_s=None), PLAYS.live),
    ],
)
def test_what_an_action_makes_of_what_runs(action, expected):
    assert reduce(PLAYS, action).live == expected


def test_what_runs_is_no_step_of_undo_and_no_change_to_save():
    store = Store()
    store.dispatch(act.Play(start_s=1.0))
    store.dispatch(act.SetSpeed(speed=5.0))
    assert not store.can_undo
    assert not store.has_unsaved_changes


def test_speeds_go_through_all_steps_both_ways():
    up, speed = [SPEEDS[0]], SPEEDS[0]
    while next_speed(speed, 1) != speed:
        speed = next_speed(speed, 1)
        up.append(speed)
    assert tuple(up) == SPEEDS
    down = [speed]
    while next_speed(speed, -1) != speed:
        speed = next_speed(speed, -1)
        down.append(speed)
    assert tuple(reversed(down)) == SPEEDS
