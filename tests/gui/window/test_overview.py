"""The overview: click, drag, how far it is; an axis of time, in which a gap takes its room and is hatched."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from jaxscope.compute.envelopes import Envelope
from jaxscope.compute.frames import Opened, OverviewFrame
from jaxscope.data.annotations import Gap
from jaxscope.gui.painting.geometry import RAIL_PX
from jaxscope.gui.views.overview import envelope_image


def frame_with_gap() -> OverviewFrame:
    """Return 100 bins of 40 s of samples: 0 to 20 s, then 40 to 60 s; two bins from 50 s on are high."""
    edges_s = np.concatenate([np.linspace(0, 20, 50, endpoint=False), np.linspace(40, 60, 51)])
    wave = np.full((1, 100), 1.0)
    wave[0, 75:77] = 3.0
    values = Envelope(low=-wave, high=wave)
    return OverviewFrame(
        revision=1, recording_id="r", edges_s=edges_s, before=values, after=None, read_share=1.0, filtered_share=0.0
    )


def painted(width_px: int) -> np.ndarray:
    image = envelope_image(frame_with_gap(), 60.0, width_px, 1.0, shows_after=False)
    memory = np.frombuffer(image.bits(), np.uint32).reshape(image.height(), -1)[:, :width_px]
    return (memory != 0).sum(axis=0)


def test_what_a_file_has_grown_by_is_left_empty():
    image = envelope_image(frame_with_gap(), 120.0, 600, 1.0, shows_after=False)
    memory = np.frombuffer(image.bits(), np.uint32).reshape(image.height(), -1)[:, :600]
    is_painted = (memory != 0).any(axis=0)
    assert is_painted[:99].all()
    assert not is_painted[301:].any()


def test_bins_stand_where_their_time_is():
    for width_px in (60, 100, 600):
        heights = painted(width_px)
        highest = (np.flatnonzero(heights == heights.max()) + 0.5) / width_px * 60
        assert (abs(highest - 50.4) < 0.4 + 60 / width_px).all()


def test_a_narrow_overview_loses_no_peak():
    assert painted(11).max() > 2 * np.median(painted(11))


def test_a_gap_is_hatched_in_the_overview(desk, info):
    desk.window.receive(
        Opened(recording_id="r", path="/data/gap.edf", info=replace(info, gaps=(Gap(start_s=20.0, stop_s=40.0),)))
    )
    view = desk.window.overview
    view.show_frame(frame_with_gap())
    image = view.grab().toImage()
    left, right = (RAIL_PX + second / 60 * view._width for second in (20.5, 39.5))

    def colours(first: float, stop: float) -> set[int]:
        return {image.pixel(x, y) for x in range(round(first), round(stop)) for y in (20, 36)}

    ground = image.pixel(round(RAIL_PX + view._width) + 8, 20)
    assert ground in colours(left, right)
    assert len(colours(left, right)) > 1, "nothing is hatched"


def overview_frame(desk, *, read: float = 1.0, filtered: float = 1.0) -> OverviewFrame:
    edges_s = np.linspace(0, 60, 121)
    wave = np.tile(np.sin(np.linspace(0, 20, 120)), (1, 1))
    after = np.where(np.arange(120) < 120 * filtered, wave * 0.5, np.nan)
    return OverviewFrame(
        revision=desk.store.revision,
        recording_id="r",
        edges_s=edges_s,
        before=Envelope(low=wave - 0.1, high=wave + 0.1),
        after=Envelope(low=after, high=after),
        read_share=read,
        filtered_share=filtered,
    )


def test_overview_click_drag_and_edges(desk):
    overview = desk.window.overview
    overview.show_frame(overview_frame(desk))

    def x(second: float) -> int:
        return round(overview._x(second))

    QTest.mouseClick(overview, Qt.MouseButton.LeftButton, pos=QPoint(x(40), 30))
    assert desk.store.state.viewport.start_s == pytest.approx(35.0, abs=0.1)
    QTest.mousePress(overview, Qt.MouseButton.LeftButton, pos=QPoint(x(40), 30))
    QTest.mouseMove(overview, QPoint(x(30), 30))
    QTest.mouseRelease(overview, Qt.MouseButton.LeftButton, pos=QPoint(x(30), 30))
    assert desk.store.state.viewport.start_s == pytest.approx(25.0, abs=0.2)
    QTest.mousePress(overview, Qt.MouseButton.LeftButton, pos=QPoint(x(35), 30))
    QTest.mouseMove(overview, QPoint(x(45), 30))
    QTest.mouseRelease(overview, Qt.MouseButton.LeftButton, pos=QPoint(x(45), 30))
    viewport = desk.store.state.viewport
    assert (viewport.start_s, viewport.duration_s) == (pytest.approx(25.0, abs=0.2), pytest.approx(20.0, abs=0.2))


def test_overview_says_how_far_it_is(desk):
    overview = desk.window.overview
    overview.show_frame(overview_frame(desk, read=0.62, filtered=0.38))
    assert overview._captions() == ["38 % filtered", "reading 62 %"]
    (span,) = overview._filtered_spans()
    assert span == (pytest.approx(0.0), pytest.approx(60 * 46 / 120))
    overview.show_frame(overview_frame(desk, filtered=0.999))
    assert overview._captions() == ["99 % filtered"]


def test_envelope_shows_after_only_where_it_is(desk):
    image = envelope_image(overview_frame(desk, filtered=0.5), 60.0, 240, 1.0, shows_after=True)
    memory = np.frombuffer(image.bits(), np.uint32).reshape(image.height(), -1)[:, :240]
    is_blue = (memory & 255).astype(int) - (memory >> 16 & 255).astype(int) > 60
    assert is_blue[:, :110].any(axis=0).all()
    assert not is_blue[:, 130:].any()
