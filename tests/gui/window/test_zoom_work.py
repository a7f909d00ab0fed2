"""A zoom paints what follows the window alone: no list of stages, no legend, no button of the strip."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from jaxscope.gui.views import traces_layers
from jaxscope.gui.views.base import is_look, is_pan
from jaxscope.session import actions as act


class Paints(QObject):
    """Counts what widgets are painted, by the names of their classes."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            self.counts[type(watched).__name__] += 1
            self.counts[f"in {type(watched.parent()).__name__}"] += 1
        return False


def paints_of(change) -> Counter[str]:
    QApplication.processEvents()
    paints = Paints()
    QApplication.instance().installEventFilter(paints)
    try:
        change()
        QApplication.processEvents()
    finally:
        QApplication.instance().removeEventFilter(paints)
    return paints.counts


@pytest.mark.parametrize("length_s", [7.5, 3.0])
def test_a_zoom_leaves_the_dock_and_the_buttons_alone(desk, length_s: float, monkeypatch) -> None:
    desk.store.dispatch(act.LookAt(start_s=1.0, duration_s=5.0))
    legends: list[object] = []
    monkeypatch.setattr("jaxscope.gui.views.header_strip.paint_legend", lambda *given: legends.append(given))
    counts = paints_of(lambda: desk.store.dispatch(act.LookAt(start_s=0.5, duration_s=length_s)))
    assert desk.window.strip.window_stepper.text() == f"{length_s:g} s"
    assert counts["TimeAxisView"] > 0
    assert counts["_Middle"] == 1  # the length of the window
    assert {name: counts[name] for name in ("ChainList", "ResponsePlot", "in Dock")} == dict.fromkeys(
        ("ChainList", "ResponsePlot", "in Dock"), 0
    )
    assert counts["in Stepper"] == 1
    assert counts["HeaderStripView"] == 1  # below the length
    assert not legends
    desk.window.strip.update()
    QApplication.processEvents()
    assert legends


def test_a_look_is_nothing_but_another_window(desk) -> None:
    state = desk.store.state
    zoomed = replace(state, viewport=replace(state.viewport, start_s=1.0, duration_s=5.0, paper_mm_s=None))
    panned = replace(state, viewport=replace(state.viewport, start_s=1.0))
    also = replace(zoomed, viewport=replace(zoomed.viewport, selected_channels=(1,)))
    edited = replace(zoomed, document=replace(state.document, filter_on=not state.document.filter_on))
    assert [is_look(other, state) for other in (state, zoomed, panned, also, edited)] == [0, 1, 1, 0, 0]
    assert [is_pan(other, state) for other in (state, zoomed, panned, also, edited)] == [0, 0, 1, 0, 0]


def test_what_was_removed_is_gone_through_once_a_frame_not_at_each_painting(desk, monkeypatch) -> None:
    gone_through: list[int] = []
    size_of = traces_layers.removed_in
    monkeypatch.setattr(
        traces_layers, "removed_in", lambda model, row: (gone_through.append(row), size_of(model, row))[1]
    )
    desk.store.dispatch(act.ChooseMode(mode="difference"))
    desk.show_frame()
    desk.window.traces.grab()
    desk.window.traces.grab()
    rows = list(range(desk.window.traces.model.rows))
    assert gone_through == rows
    desk.show_frame()
    desk.window.traces.grab()
    assert gone_through == rows * 2
