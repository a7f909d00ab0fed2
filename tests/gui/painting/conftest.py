"""Scenes and lanes for the tests of pictures: two channels of 40 Hz over ten seconds, 400 by 200 pixels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from jaxscope.compute.envelopes import Envelope
from jaxscope.compute.frames import Frame, TraceBlock
from jaxscope.gui.painting.lanes import Lane
from jaxscope.gui.painting.scene import Bundle, Pane, TraceScene

WIDTH, HEIGHT = 400, 200
BEFORE, MIXED, EEG, ECG, DIFF, HELD = 0xFF8F8473, 0xFF756C60, 0xFF6CB8FF, 0xFFFF8A75, 0xFFEE8FCB, 0xFF5996D0
COLOURS = {
    "before": BEFORE,
    "before_mixed": MIXED,
    "eeg": EEG,
    "ecg": ECG,
    "held_eeg": HELD,
    "held_ecg": HELD,
    "difference": DIFF,
}


def _lane(channel: int, kind: str = "eeg", tag: str = "A", gain: float = 1.0, **choices) -> Lane:
    row = choices.pop("row", channel)
    return Lane(
        channel=channel, name=f"c{channel}", unit="µV", kind=kind, colour=kind, tag=tag, gain=gain, row=row, **choices
    )


def _scene(*, bins: int = 1, n: int = 401, filtered=(True, True), values=None, **choices) -> TraceScene:
    times_s = np.arange(n) * bins / 40.0
    wave = np.stack([np.sin(times_s), np.cos(times_s)]) if values is None else values
    spread = 0.0 if bins == 1 else 0.2
    low = wave - spread
    before = Envelope(low=low, high=low if bins == 1 else wave + spread)
    after = Envelope(low=low * 0.5, high=low * 0.5 if bins == 1 else (wave + spread) * 0.5)
    block = TraceBlock(
        rate_hz=40.0,
        channels=(0, 1),
        bin_samples=bins,
        times_s=times_s,
        before=before,
        after=after,
        difference=Envelope(low=before.low - after.low, high=before.high - after.high),
        filtered=filtered,
        before_offset=np.zeros(2),
        after_offset=np.zeros(2),
        removed_rms=np.zeros(2),
    )
    frame = Frame(
        revision=1,
        recording_id="r",
        start_s=0.0,
        stop_s=10.0,
        blocks=(block,),
        settled=True,
        compute_ms=1.0,
        method="block",
        method_reason="",
        device="cpu:0",
        precision="float64",
        n_channels=2,
        n_samples=n,
        scales={"eeg": 4.0, "ecg": 4.0},
        settling_99_s=0.1,
        settling_9999_s=0.2,
    )
    scene = TraceScene(
        serial=1,
        frame=frame,
        lanes=(_lane(0), _lane(1, "ecg")),
        start_s=0.0,
        stop_s=10.0,
        width_px=WIDTH,
        height_px=HEIGHT,
        ratio=1.0,
        panes=(Pane(left_px=0, width_px=WIDTH, content="both"),),
        scales={"eeg": 4.0, "ecg": 4.0},
        colours=COLOURS,
        remove_offset=True,
        negative_up=False,
        show_after=True,
        is_held=False,
        quality="rest",
    )
    return replace(scene, **choices)


def _bundle(x, y, low=None) -> Bundle:
    top = np.asarray(y, float)[None]
    bottom = top if low is None else np.asarray(low, float)[None]
    return Bundle(x=np.asarray(x, float), top=top, bottom=bottom, is_exact=low is None)


def _coverage(image) -> np.ndarray:
    memory = np.frombuffer(image.bits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    return (memory[:, : image.width()] >> 24) > 0


@pytest.fixture
def make_lane() -> Callable[..., Lane]:
    """Return the maker of lanes: channel, kind, tag, gain, and other fields."""
    return _lane


@pytest.fixture
def make_scene() -> Callable[..., TraceScene]:
    """Return the maker of scenes: samples per bin, points, which are filtered, values, and fields of the scene."""
    return _scene


@pytest.fixture
def make_bundle() -> Callable[..., Bundle]:
    """Return the maker of bundles of one trace: positions, tops, and bottoms where a point is no sample."""
    return _bundle


@pytest.fixture
def coverage() -> Callable[..., np.ndarray]:
    """Return what tells which pixels of a picture are not transparent, shape (height, width)."""
    return _coverage


@pytest.fixture
def colours() -> dict[str, int]:
    """Return the colours of the scenes, by token."""
    return dict(COLOURS)
