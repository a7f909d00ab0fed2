"""What counts as the time of an edit, told alike wherever it is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jaxscope.compute.envelopes import Envelope
from jaxscope.compute.frames import Busy, Frame, Opened, TraceBlock
from jaxscope.data.recording import RecordingInfo
from jaxscope.filters import FAMILIES, FilterChain, Stage
from jaxscope.gui.edit_times import EditTimes
from jaxscope.session.state import SessionState


def frame(compute_ms: float) -> Frame:
    """Return a frame with filtered traces that took so long."""
    empty = np.zeros((1, 0))
    line = Envelope(low=empty, high=empty)
    block = TraceBlock(
        rate_hz=250.0,
        channels=(0,),
        bin_samples=1,
        times_s=np.zeros(0),
        before=line,
        after=line,
        difference=None,
        filtered=(True,),
        before_offset=np.zeros(1),
        after_offset=np.zeros(1),
        removed_rms=np.zeros(1),
    )
    return Frame(
        revision=1,
        recording_id="r",
        start_s=0.0,
        stop_s=1.0,
        blocks=(block,),
        settled=True,
        compute_ms=compute_ms,
        method="block",
        method_reason="",
        device="cpu:0",
        precision="float64",
        n_channels=1,
        n_samples=250,
        scales={},
        settling_99_s=0.0,
        settling_9999_s=0.0,
    )


def with_cutoff(cutoff_hz: float) -> SessionState:
    """Return a state whose one chain has a low-pass at this edge."""
    spec = FAMILIES["butterworth"]().with_value("cutoff_hz", cutoff_hz)
    state = SessionState()
    return replace(state, document=replace(state.document, chains=(FilterChain(stages=(Stage(spec=spec),)),)))


@pytest.fixture
def times():
    made = EditTimes()
    made.show_frame(
        Opened(recording_id="r", path="a.edf", info=RecordingInfo(format="edf", duration_s=1.0, channels=()))
    )
    made.show_state(with_cutoff(40.0), SessionState())
    made.show_frame(frame(1500.0))
    made.show_frame(frame(1400.0))
    return made


def test_what_comes_before_the_first_edit_is_no_edit(times):
    assert times.typical_ms() is None


def test_what_waited_for_a_compilation_is_no_edit(times):
    times.show_state(with_cutoff(30.0), with_cutoff(40.0))
    times.show_frame(Busy(what="compiling", label="x"))
    times.show_frame(frame(900.0))
    assert times.typical_ms() is None
    times.show_frame(frame(9.0))
    assert times.typical_ms() == 9.0


def test_one_slow_edit_among_many_is_not_typical(times):
    times.show_state(with_cutoff(30.0), with_cutoff(40.0))
    for taken_ms in (9.0, 11.0, 10.0, 12.0, 340.0):
        times.show_frame(frame(taken_ms))
    assert times.typical_ms() == 11.0
    assert times.all_ms[-1] == 340.0


def test_times_of_a_filter_that_is_gone_are_forgotten(times):
    times.show_state(with_cutoff(30.0), with_cutoff(40.0))
    times.show_frame(frame(9.0))
    times.show_state(SessionState(), with_cutoff(30.0))
    assert times.typical_ms() is None
