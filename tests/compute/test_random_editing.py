"""Thousands of edits without sense: nothing raises, everything is undone, and a project holds what came of them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import ModuleType

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jaxscope.compute.design_job import design_frame
from jaxscope.compute.frames import Blocked
from jaxscope.compute.plan import RenderRequest, plan
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.errors import JaxscopeError
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.project import Project, project_from_dict, project_to_dict
from jaxscope.session.state import Document, EngineChoice, SessionState, in_force
from jaxscope.session.store import Store

NAMES = ("Fp1", "Fp2", "O1", "ECG")
RATE_HZ = 256.0
INFO = RecordingInfo(
    format="edf",
    start=None,
    duration_s=140.0,
    channels=tuple(
        Channel(name=name, unit="uV", kind="eeg", rate_hz=64.0 if name == "ECG" else RATE_HZ, n_samples=8960)
        for name in NAMES
    ),
    annotations=(),
    gaps=(),
)
STEPS = 200
WALKS = 50 if os.environ.get("JAXSCOPE_SLOW_TESTS") else 3


def begin(random_edits: ModuleType) -> Store:
    chain = FilterChain(name="EEG", stages=(Stage(spec=Butterworth(band="lowpass", order=4, cutoff_hz=40.0)),))
    return Store(random_edits.with_events(SessionState(document=Document(chains=(chain,)))))


def look(store: Store) -> None:
    """Work out what the window would show of a state."""
    state = store.state
    frame = design_frame(state, store.revision, INFO, words=False)
    if frame is not None:
        assert np.isfinite(frame.magnitude_db).all()
        assert (np.diff(frame.frequencies_hz) > 0).all()
    assert isinstance(plan(in_force(state), INFO, 800), RenderRequest | Blocked)


def walk(random_edits: ModuleType, seed: int, steps: int) -> None:
    store, editor = begin(random_edits), random_edits.Editor(seed, NAMES, RATE_HZ)
    first = store.state.document
    for _ in range(steps):
        before, chance = store.state, editor.random.random()
        if chance < 0.06:
            store.undo()
        elif chance < 0.1:
            store.redo()
        elif chance < 0.12:
            store.go_to(editor.random.randrange(len(store.history) + 1))
        else:
            try:
                store.dispatch(editor.action(before))
            except JaxscopeError as refused:
                words = refused.message
            else:
                words = ""
            if words:
                assert store.state is before
                continue
        if store.state is not before:
            look(store)
    state = store.state
    content = json.loads(json.dumps(project_to_dict(_project(state), folder=Path("/data")), allow_nan=False))
    assert project_from_dict(content, folder=Path("/data")).document == state.document
    steps_done, last = store.position, state.document
    store.go_to(0)
    assert store.state.document == first
    store.go_to(steps_done)
    assert store.state.document == last


def _project(state: SessionState) -> Project:
    return Project(document=state.document, viewport=state.viewport, engine=EngineChoice())


@given(seed=st.integers(0, 2**32))
@settings(max_examples=WALKS, deadline=None, derandomize=WALKS < 10, suppress_health_check=list(HealthCheck))
def test_edits_without_sense_lose_nothing_and_are_all_undone(random_edits: ModuleType, seed: int) -> None:
    walk(random_edits, seed, STEPS)
