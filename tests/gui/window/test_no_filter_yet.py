"""A recording without a filter: what can be added fits its rate, and nothing of a filter that is gone remains."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QMenu

from jaxscope.compute.design_job import design_frame
from jaxscope.compute.frames import AgreementFrame, Opened
from jaxscope.session import actions as act


@pytest.fixture
def bare(desk, info):
    """Return the desk with sound at 44.1 kHz and no chain."""
    desk.store.dispatch(act.SetChains(chains=()))
    channels = tuple(replace(channel, rate_hz=44100.0, kind="audio") for channel in info.channels)
    desk.window.receive(Opened(recording_id="r", path="/data/six.wav", info=replace(info, channels=channels)))
    return desk


def test_presets_and_stages_are_fitted_to_the_recording(bare):
    dock = bare.window.dock
    assert dock.rate_hz == 44100.0
    dock.open_preset_menu()
    menu = dock.findChildren(QMenu)[-1]
    enabled = {entry.text() for entry in menu.actions() if entry.isEnabled()}
    assert {"A-weighting", "C-weighting", "K-weighting"} <= enabled
    menu.close()


def test_a_new_recording_takes_the_rate_of_the_old_one_away(desk, info):
    desk.window.receive(design_frame(desk.store.state, desk.store.revision, desk.window.shell.info))
    assert desk.window.dock.rate_hz == info.channels[0].rate_hz
    channels = tuple(replace(channel, rate_hz=8000.0) for channel in info.channels)
    desk.window.receive(Opened(recording_id="r", path="/data/b.wav", info=replace(info, channels=channels)))
    desk.store.dispatch(act.SetChains(chains=()))
    assert desk.window.dock.rate_hz == 8000.0


def test_nothing_of_a_chain_that_was_taken_back_remains(desk):
    window = desk.window
    for face in ("coefficients", "poles_zeros"):
        desk.store.dispatch(act.ChooseFace(face=face))
        window.receive(design_frame(desk.store.state, desk.store.revision, window.shell.info))
    window.receive(AgreementFrame(revision=1, relative_error=2.1e-7, max_abs=1e-5, checked=""))
    plot = window.dock.response.plot
    assert plot.handle_points()
    assert window.dock.poles_zeros.plane.roots.poles
    desk.store.dispatch(act.SetChains(chains=()))
    desk.show_frame()
    assert plot.handle_points() == []
    assert plot.scale() is None
    assert not window.dock.poles_zeros.plane.roots.poles
    assert window.top.readout.words() == ("", "")
    desk.store.dispatch(act.ChooseFace(face="coefficients"))
    assert not window.dock.coefficients.table.isVisible()
    assert window.dock.coefficients.nothing.isVisible()


def test_the_hint_says_what_there_is_to_do(bare):
    bare.window.receive(replace(bare.make_frame(revision=bare.store.revision), n_channels=0))
    assert bare.window.status.hint() == "No filter yet. Add a stage, or begin with a preset"
    bare.store.dispatch(act.ToggleFilter(on=False))
    assert "shown as it is" in bare.window.status.hint()
