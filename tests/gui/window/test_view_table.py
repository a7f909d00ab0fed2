"""Every view of the table can be made for a window, and stands whatever it is told before a recording is open."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget

from jaxscope.compute.frames import Busy, Failure
from jaxscope.gui.navigator import Navigator
from jaxscope.gui.painting.scales import ScaleBook
from jaxscope.gui.views import VIEWS
from jaxscope.gui.views.base import AbstractView, ViewKit
from jaxscope.session.state import SessionState


@pytest.mark.parametrize("name", VIEWS)
def test_view_is_made_and_shows_nothing_yet(qapp, qtbot, name, state, make_frame):
    actions = []
    kit = ViewKit(
        dispatch=actions.append,
        navigator=Navigator(actions.append, lambda: state),
        scales=ScaleBook(),
        paint=lambda scene: None,
        state=state,
        revision=lambda: 0,
    )
    view = VIEWS[name].of(kit)
    qtbot.addWidget(view)
    assert isinstance(view, AbstractView)
    assert isinstance(view, QWidget)
    view.show_state(state, SessionState())
    for outcome in (Busy(what="x", label="x"), Failure(revision=1, what="part", sentence="x"), make_frame()):
        view.show_frame(outcome)
    view.grab()
    assert actions == [], "a view that is told something says nothing back"
