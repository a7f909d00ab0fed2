"""Words that are painted: at every size of text each has the height of its letters, and stays inside its part."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from jaxscope.compute.measure_frames import MeasureFrame, Measures
from jaxscope.gui.components import painting
from jaxscope.gui.painting.geometry import REMOVED_PX
from jaxscope.gui.views import (
    header_legend,
    header_strip,
    rail,
    rail_groups,
    time_axis,
    traces_cursors,
    traces_dividers,
    traces_events,
    traces_gaps,
    traces_layers,
    traces_settling,
)
from jaxscope.session import actions as act

MODULES = {
    "traces": (traces_cursors, traces_dividers, traces_events, traces_gaps, traces_layers, traces_settling),
    "rail": (rail, rail_groups),
    "axis": (time_axis,),
    "strip": (header_strip, header_legend),
}


@pytest.fixture
def words(monkeypatch):
    """Return a list that each word that is painted is added to: (part, text, place in the part, room, font)."""
    seen: list[tuple[str, str, QRectF, QRectF, object]] = []

    def watch(part):
        def draw(painter, rect, text, with_font=None, *rest, **more):
            place = painter.transform().mapRect(rect)
            seen.append((part, text, place, rect, with_font))
            painting.draw_text(painter, rect, text, with_font, *rest, **more)

        return draw

    for part, modules in MODULES.items():
        for module in modules:
            monkeypatch.setattr(module, "draw_text", watch(part))
    return seen


def measured(desk) -> None:
    desk.store.dispatch(act.SetCursors(cursors_s=(2.0, 4.0)))
    sizes = Measures(**{name: [123.456] * 6 for name in ("first", "last", "rms", "deviation", "peak_to_peak")})
    desk.window.receive(
        MeasureFrame(
            revision=desk.store.revision,
            recording_id="r",
            start_s=2.0,
            stop_s=4.0,
            channels=tuple(range(6)),
            before=sizes,
            after=sizes,
            removed=sizes,
            filtered=(True,) * 6,
        )
    )


@pytest.mark.parametrize("scale", [1.0, 2.0])
@pytest.mark.parametrize("mode", ["overlay", "split", "curtain", "difference"])
def test_no_painted_word_is_cut(desk, words, scale, mode):
    desk.window.resize(1280, 800)
    desk.scale_to(scale)
    desk.store.dispatch(act.ChooseMode(mode=mode))
    desk.show_frame(start_s=0.0, stop_s=30.0)
    measured(desk)
    desk.store.dispatch(act.LookAt(start_s=0.0, duration_s=30.0, total_s=60.0))
    window = desk.window
    parts = {"traces": window.traces, "rail": window.rail, "axis": window.axis, "strip": window.strip}
    words.clear()
    for part in parts.values():
        part.grab()
    assert {part for part, *_ in words} == set(parts)
    for part, text, place, room, with_font in words:
        letters = QFontMetricsF(painting.fitting(with_font, text))
        assert room.height() >= letters.capHeight() + letters.descent(), (part, text)
        assert place.top() >= -1, (part, text)
        assert place.bottom() <= parts[part].height() + 1, (part, text)


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_the_flags_of_the_curtain_cover_no_text_of_an_event(desk, words, scale):
    desk.window.resize(1280, 800)
    desk.scale_to(scale)
    desk.store.dispatch(act.ChooseMode(mode="curtain"))
    desk.show_frame(start_s=0.0, stop_s=10.0)
    for share in (0.4, 0.5, 0.6):
        desk.store.dispatch(act.PlaceDivider(mode="curtain", share=share))
        words.clear()
        desk.window.traces.grab()
        places = {text: place for _, text, place, *_ in words}
        assert {"Before", "After", "start"} <= set(places)
        assert places["Before"].top() == places["After"].top() >= places["start"].bottom()
    desk.store.dispatch(act.SetDisplay(name="show_events", value=False))
    words.clear()
    desk.window.traces.grab()
    assert next(place.top() for _, text, place, *_ in words if text == "Before") == 10


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_nothing_in_the_strip_stands_on_anything_else(desk, scale):
    desk.window.resize(1280, 800)
    desk.scale_to(scale)
    for mode in ("overlay", "split", "curtain", "difference"):
        desk.store.dispatch(act.ChooseMode(mode=mode))
        desk.pump()
        strip = desk.window.strip
        shown = [part for part in (strip.window_stepper, strip.scale_stepper) if part.isVisible()]
        assert [part.width() for part in shown] == [part.sizeHint().width() for part in shown]
        edges = [desk.window.rail.width(), *(edge for part in shown for edge in (part.x(), part.x() + part.width()))]
        assert edges == sorted(edges), (scale, mode)
        assert edges[-1] <= strip.width()
        names = [
            placed.rect for placed in header_legend.placed_entries(strip.legend, strip._legend_room(), strip._panes())
        ]
        assert all(rect.right() <= strip._legend_room().right() for rect in names)


def test_the_legend_names_both_or_none(desk):
    desk.window.resize(1280, 800)
    for scale in (1.0, 1.25, 1.5, 1.75, 2.0):
        desk.scale_to(scale)
        strip = desk.window.strip
        placed = header_legend.placed_entries(strip.legend, strip._legend_room(), strip._panes())
        assert len(placed) in (0, 2), scale


def test_the_column_of_what_was_removed_grows_with_the_text(desk):
    desk.store.dispatch(act.ChooseMode(mode="difference"))
    for scale in (1.0, 2.0):
        desk.scale_to(scale)
        traces = desk.window.traces
        assert traces.width() - traces.model.panes(traces.width())[0].width == REMOVED_PX * scale


def test_the_words_of_scale_bars_of_low_lanes_do_not_run_into_one_another(desk, words):
    desk.scale_to(2.0)
    desk.window.resize(1280, 640)
    desk.show_frame()
    desk.pump()
    words.clear()
    desk.window.traces.grab()
    bars = sorted((place.top(), place.bottom()) for _, text, place, *_ in words if text.endswith(("µV", "mV")))
    assert len(bars) == 3
    assert all(bottom <= top for (_, bottom), (top, _) in pairwise(bars))
