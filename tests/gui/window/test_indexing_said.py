"""A file whose first part is shown: what the window says while the rest is gone through, and takes when it is known."""

from __future__ import annotations

from dataclasses import replace

from jaxscope.compute.frames import Busy, Grown, Indexed, OverviewFrame
from jaxscope.data.annotations import Annotation


def test_how_far_it_is_comes_before_what_is_said_of_the_whole(desk):
    status = desk.window.status
    desk.window.receive(Busy(what="indexing", label="Indexing night.mseed", share=0.42))
    assert status._progress() == (0.42, "Indexing night.mseed: 42 %")
    assert desk.window.top.title.facts.endswith(" · ≥ 01:00")
    frames = desk.window.overview.frame
    if isinstance(frames, OverviewFrame):
        desk.window.receive(replace(frames, read_share=1.0))
    assert status._progress() == (0.42, "Indexing night.mseed: 42 %")
    desk.window.receive(Busy(what="indexing", label="Indexing night.mseed", done=True))
    assert "Indexing" not in status._progress()[1]


def test_what_is_known_then_is_taken_and_said(desk, info):
    history = desk.store.history
    late = Annotation(onset_s=70.0, text="late")
    whole = replace(
        info, duration_s=75.0, annotations=(*info.annotations, late), warnings=("3 records are left out", "another")
    )
    for share in (0.3, 0.6):
        desk.window.receive(Busy(what="indexing", label="Indexing night.mseed", share=share))
    desk.window.receive(Indexed(recording_id="r", info=whole))
    desk.window.receive(Grown(recording_id="r", info=whole))
    assert late in desk.store.state.document.annotations
    assert desk.store.history == history
    assert desk.window.shell.recorded is whole
    assert desk.window.shell.navigator.total_s == 75.0
    assert desk.window.notices.current.sentence == "3 records are left out"
    assert desk.window.top.title.facts.endswith(" · 01:15")


def test_what_comes_of_a_recording_that_was_closed_meanwhile_is_not_taken(desk, info, monkeypatch):
    monkeypatch.setattr(desk.conductor, "is_open", lambda _id: False)
    before = desk.window.shell.info
    longer = replace(info, duration_s=75.0, warnings=("3 records are left out",))
    desk.window.receive(Indexed(recording_id="r", info=longer))
    desk.window.receive(Grown(recording_id="r", info=longer))
    assert desk.window.shell.info is before
    assert desk.window.notices.current is None
