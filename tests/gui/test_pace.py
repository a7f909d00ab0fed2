"""Outcomes beside the traces: one at a time, the newest of a kind, after the traces, and never lost."""

from __future__ import annotations

import pytest

from jaxscope.compute.frames import AgreementFrame, OverviewFrame
from jaxscope.gui import pace as pace_module
from jaxscope.gui.pace import Pace


def agreement(revision: int) -> AgreementFrame:
    return AgreementFrame(revision=revision, relative_error=0.0, max_abs=0.0, checked="")


class Traces:
    """Whether the traces wait for a picture, and a clock that a test moves."""

    def __init__(self) -> None:
        self.is_busy = False
        self.now = 50.0


@pytest.fixture
def rig(qapp):
    traces, shown = Traces(), []
    return Pace(shown.append, lambda: traces.is_busy, clock=lambda: traces.now), traces, shown


def test_nothing_is_shown_in_the_turn_that_brought_it(rig, qtbot):
    pace, _, shown = rig
    pace.put(agreement(1))
    assert shown == []
    qtbot.waitUntil(lambda: len(shown) == 1)


def test_only_the_newest_of_a_kind_is_shown_and_not_too_often(rig, qtbot):
    pace, traces, shown = rig
    pace.put(agreement(1))
    qtbot.waitUntil(lambda: len(shown) == 1)
    pace.put(agreement(2))
    pace.put(agreement(3))
    qtbot.wait(20)
    assert len(shown) == 1
    traces.now += 1 / pace_module.MOST_PER_S
    qtbot.waitUntil(lambda: len(shown) == 2)
    assert [outcome.revision for outcome in shown] == [1, 3]


def test_the_traces_come_first_but_not_for_ever(rig, qtbot):
    pace, traces, shown = rig
    traces.is_busy = True
    pace.put(agreement(1))
    qtbot.wait(10)
    assert shown == []
    traces.is_busy = False
    pace.release()
    qtbot.waitUntil(lambda: len(shown) == 1)
    traces.is_busy = True
    traces.now += 1.0
    pace.put(agreement(2))
    traces.now += pace_module.LONGEST_WAIT_S
    qtbot.waitUntil(lambda: len(shown) == 2)


def test_kinds_are_shown_in_the_order_in_which_they_came(rig, qtbot):
    pace, _, shown = rig
    pace.put(agreement(1))
    pace.put(
        OverviewFrame(
            revision=1, recording_id="r", edges_s=None, before=None, after=None, read_share=1, filtered_share=1
        )
    )
    qtbot.waitUntil(lambda: len(shown) == 2)
    assert [type(outcome) for outcome in shown] == [AgreementFrame, OverviewFrame]


def test_each_turn_shows_one(rig):
    pace, _, shown = rig
    pace.put(agreement(1))
    pace.put(
        OverviewFrame(
            revision=1, recording_id="r", edges_s=None, before=None, after=None, read_share=1, filtered_share=1
        )
    )
    pace._serve()
    assert len(shown) == 1


def test_what_waits_is_forgotten_with_its_recording(rig, qtbot):
    pace, _, shown = rig
    pace.put(agreement(1))
    pace.clear()
    qtbot.wait(10)
    assert shown == []
