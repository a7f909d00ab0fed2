"""What no instrument records but a file may hold: numbers at the end of float64, rates that no clock has."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.compute.conductor import Conductor
from jaxscope.compute.frames import Blocked, Failure, Frame, Opened
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.actions import ChooseMode, OpenedRecording
from jaxscope.session.state import Document, RecordingRef, SessionState
from jaxscope.session.store import Store

HUGE = 1.79e308


@pytest.mark.parametrize("phase", ["zero", "causal"])
@pytest.mark.parametrize("kind", ["huge", "fast"])
def test_the_recording_is_drawn_and_what_cannot_be_filtered_is_said(tmp_path, kind, phase) -> None:
    turning = np.where(np.arange(2000) % 7 < 3, HUGE, -HUGE)
    samples = turning if kind == "huge" else np.random.default_rng(0).standard_normal(2000)
    path = str(tmp_path / "extreme.npz")
    np.savez(path, a=samples, rate_hz=100.0 if kind == "huge" else 1e300)
    chain = FilterChain(phase=phase, stages=(Stage(spec=Butterworth(band="lowpass", order=2, cutoff_hz=10.0)),))
    got: list[object] = []
    store = Store(SessionState(document=Document(chains=(chain,))))
    conductor = Conductor(store, got.append, run_inline=True)
    conductor.set_width_px(500, 300)
    conductor.open(path)
    opened = next(outcome for outcome in got if isinstance(outcome, Opened))
    store.dispatch(OpenedRecording(recording=RecordingRef(path=path), duration_s=opened.info.duration_s))
    store.dispatch(ChooseMode(mode="difference"))
    conductor.shut_down()
    frames = [outcome for outcome in got if isinstance(outcome, Frame)]
    assert frames
    assert frames[0].blocks[0].before.low.size > 0
    assert np.isfinite(list(frames[0].scales.values())).all()
    sentences = [outcome.sentence for outcome in got if isinstance(outcome, Failure)]
    assert not [sentence for sentence in sentences if "went wrong" in sentence]
    if kind == "huge":
        assert "beyond what float64 can hold" in sentences[0]
    else:
        assert any(isinstance(outcome, Blocked) for outcome in got)
