"""Where the filter has not settled: shaded within each stretch of signal, once, and said where there is room."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from jaxscope.gui.theme import colour
from jaxscope.gui.views import traces_settling
from jaxscope.session import actions as act


def show(desk, settling_s: float, stop_s: float = 60.0) -> None:
    desk.store.dispatch(act.LookAt(start_s=0.0, duration_s=stop_s, total_s=60.0))
    frame = desk.make_frame(revision=desk.store.revision, start_s=0.0, stop_s=stop_s)
    desk.window.receive(replace(frame, settling_99_s=settling_s, settling_9999_s=settling_s))
    desk.paint()


def reds(desk) -> np.ndarray:
    """Return the usual red of each column of the first row."""
    view = desk.window.traces
    image = view.grab().toImage()
    row = range(30, view.height() // len(view.model.lanes) - 4)
    columns = [[image.pixelColor(x, y).red() for y in row] for x in range(view.width())]
    return np.array([np.bincount(column).argmax() for column in columns])


@pytest.mark.parametrize("settling_s", [30.0, math.inf])
def test_zones_of_several_stretches_do_not_add_up(desk, settling_s):
    desk.store.dispatch(act.SetDisplay(name="show_events", value=False))
    show(desk, settling_s)
    canvas, warn = colour("canvas").red(), colour("warn").red()
    once = canvas + 0.26 * (warn - canvas)
    found = reds(desk)
    second = desk.window.traces.width() / 60
    for begin, end in ((0, 20), (22, 60)):
        own = np.median(found[round(begin * second) + 8 : round(end * second) - 8])
        assert canvas < own <= once + 1
    assert found[8] == pytest.approx(once, abs=4)
    assert found[round(21 * second)] == canvas, "there is nothing in a gap that could settle"


def test_what_is_said_is_not_cut_by_the_curtain(desk, monkeypatch):
    said = []
    real = traces_settling.draw_text
    monkeypatch.setattr(traces_settling, "draw_text", lambda *all_: (said.append(all_[1]), real(*all_)))
    desk.store.dispatch(act.ChooseMode(mode="curtain"))
    for share in (0.02, 0.1, 0.19):
        desk.store.dispatch(act.PlaceDivider(mode="curtain", share=share))
        show(desk, 15.0)
        said.clear()
        desk.window.traces.grab()
        x = desk.window.traces.width() * share
        assert said
        assert all(place.left() > x for place in said)
