"""Lanes, panes and scales: the same for the rail, the traces and the compute side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jaxscope.compute.shown_channels import visible_channels
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.filters.spec import FilterChain
from jaxscope.gui.painting.geometry import DIVIDER_PX, REMOVED_PX, pane_at, panes_of
from jaxscope.gui.painting.lanes import lane_at, lanes_of, name_stride, shown_unit, span_of_names
from jaxscope.gui.painting.scales import ScaleBook, scale_bar, scale_text
from jaxscope.session.state import ChannelLook, Document, SessionState, Viewport

INFO = RecordingInfo(
    format="edf",
    duration_s=10.0,
    channels=tuple(
        Channel(name=name, unit="uV", kind=kind, rate_hz=100.0, n_samples=1000)
        for name, kind in (
            ("Fp1", "eeg"),
            ("O1", "eeg"),
            ("ECG", "ecg"),
            ("Status", "status"),
            ("Notes", "annotation"),
        )
    ),
)
CHAINS = (FilterChain(channels=("F*", "O*")), FilterChain(channels=("E*", "S*")))


@pytest.mark.parametrize(
    ("document", "viewport"),
    [
        (Document(), Viewport()),
        (Document(channel_order=("ECG", "O1")), Viewport()),
        (Document(looks=(("O1", ChannelLook(hidden=True)),)), Viewport(first_lane=1, lane_count=2)),
        (Document(channel_order=("Status",)), Viewport(first_lane=9, lane_count=3)),
        (Document(), Viewport(arrangement="butterfly", together=("O1",), lane_count=1)),
        (Document(), Viewport(arrangement="butterfly")),
    ],
)
def test_lanes_are_the_channels_that_are_computed(document, viewport):
    state = SessionState(document=replace(document, chains=CHAINS), viewport=viewport)
    assert tuple(lane.channel for lane in lanes_of(state, INFO)) == visible_channels(state, INFO)


def test_lane_knows_its_chain_colour_and_gain():
    looks = (("O1", ChannelLook(colour="t4", gain=2.0)),)
    lanes = lanes_of(SessionState(document=Document(chains=CHAINS, looks=looks)), INFO)
    assert [lane.tag for lane in lanes] == ["A", "A", "B", ""]
    assert [lane.colour for lane in lanes] == ["eeg", "t4", "ecg", "t2"]
    assert (lanes[1].gain, lanes[1].unit) == (2.0, "µV")
    assert lanes[3].is_raw


def test_lane_at_covers_the_height_exactly():
    assert [lane_at(y, 100, 3) for y in (0, 33.3, 33.4, 99.9)] == [0, 0, 1, 2]
    assert lane_at(-1, 100, 3) is None
    assert lane_at(100, 100, 3) is None
    assert lane_at(5, 100, 0) is None


def test_names_are_thinned_where_lanes_are_low():
    assert name_stride(780, 24) == 1
    assert name_stride(780, 128) == 4


def test_range_of_names_goes_both_ways():
    lanes = lanes_of(SessionState(), INFO)
    assert span_of_names(lanes, "ECG", "Fp1") == ("Fp1", "O1", "ECG")
    assert span_of_names(lanes, "gone", "O1") == ("O1",)


def test_units_are_shown_with_a_real_micro_sign():
    assert [shown_unit(unit) for unit in ("uV", "mV", "u", "")] == ["µV", "mV", "u", ""]


def test_panes_fill_the_width():
    (overlay,) = panes_of(Viewport(), 1000)
    assert (overlay.left, overlay.width, overlay.content) == (0, 1000, "both")
    left, right = panes_of(Viewport(mode="split"), 1000)
    assert left.width == right.width == (1000 - DIVIDER_PX) / 2
    assert right.left + right.width == 1000
    (difference,) = panes_of(Viewport(mode="difference"), 1000)
    assert difference.width == 1000 - REMOVED_PX
    assert pane_at((left, right), 499) is left
    assert pane_at((left, right), 2000) is right


def test_pane_turns_times_into_positions_and_back():
    pane = panes_of(Viewport(mode="split"), 1000)[1]
    for second in (3.0, 4.2, 7.9):
        assert pane.second_at(pane.x_of(second, 3.0, 5.0), 3.0, 5.0) == pytest.approx(second)


@pytest.mark.parametrize(("units", "bar"), [(78.0, 50.0), (300.0, 200.0), (1.9, 1.0), (75.0, 50.0), (3.0, 2.0)])
def test_scale_bar_is_round_and_inside_its_lane(units, bar):
    assert scale_bar(units) == bar < units


@pytest.mark.parametrize("units", [0.0, 5e-324, 1e-300, 1.7e308, float("inf")])
def test_scale_bars_of_heights_at_the_ends_of_a_float_are_numbers(units):
    book = ScaleBook()
    book.row_px = 1e-3
    for viewport in (Viewport(scales=(("eeg", units),)), Viewport(sensitivities=(("eeg", units),))):
        height = book.units_per_lane(viewport, "eeg")
        assert 0 < scale_bar(height / 2) <= scale_bar(height) < height < float("inf")


def test_scale_text():
    assert scale_text(50.0, "µV") == "50 µV"
    assert scale_text(0.5, "") == "0.5"
