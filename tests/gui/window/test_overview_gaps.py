"""The overview is an axis of time: a gap takes its room and is hatched, and nothing beside it moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from jaxscope.compute.frames import Envelope, Opened, OverviewFrame
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
