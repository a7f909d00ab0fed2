"""What is compiled ahead: once for each structure and length, on zeros, and nothing where nothing is filtered."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from jaxscope.compute import column_rows
from jaxscope.compute.library import WindowCache
from jaxscope.compute.plan import plan
from jaxscope.compute.scheduler import CancelToken
from jaxscope.compute.warm_up import NEXT_LENGTH, warm_up_work
from jaxscope.compute.workbench import Workbench
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.state import Document, SessionState, Viewport


@pytest.fixture(autouse=True)
def nothing_is_wanted(monkeypatch):
    """Pictures that were painted before ask for no program here."""
    monkeypatch.setattr(column_rows, "_wanted", {})


def request_for(*chains):
    recording = ArrayRecording.from_array(np.zeros((2, 6000)), rate_hz=200.0, kinds=["eeg"] * 2)
    state = SessionState(document=Document(chains=chains), viewport=Viewport(start_s=5.0, duration_s=5.0))
    return plan(state, WindowCache(recording).recording.info, 300)


def test_the_next_length_runs_once(monkeypatch):
    bench, ran = Workbench(deliver=lambda outcome: None), []
    request = request_for(FilterChain(phase="zero", stages=(Stage(spec=Butterworth(cutoff_hz=20.0)),)))
    real = bench.programs.get
    monkeypatch.setattr(
        bench.programs,
        "get",
        lambda key: SimpleNamespace(
            **{name: getattr(real(key), name) for name in ("structure", "n_channels", "device", "precision")},
            run=lambda x: ran.append(x.shape),
        ),
    )
    for _ in range(3):
        list(warm_up_work(bench, SimpleNamespace(request=request))(CancelToken()))
    (piece,) = request.groups[0].pieces
    assert ran == [(2, int((piece.read_stop - piece.read_first) * NEXT_LENGTH))]


def test_no_filter_is_compiled_where_nothing_is_filtered(monkeypatch):
    bench = Workbench(deliver=lambda outcome: None)
    monkeypatch.setattr(bench.programs, "get", None)
    list(warm_up_work(bench, SimpleNamespace(request=request_for()))(CancelToken()))
    assert not bench.warmed


def test_what_a_picture_lacked_is_compiled(monkeypatch):
    monkeypatch.setattr(column_rows, "_ready", set())
    monkeypatch.setattr(column_rows, "_wanted", {(4, 64, 2): None})
    bench = Workbench(deliver=lambda outcome: None)
    list(warm_up_work(bench, SimpleNamespace(request=request_for()))(CancelToken()))
    assert column_rows._ready == {(4, 64, 2)}
