"""Channels of one rate that begin or pause at times of their own: drawn, filtered and written at their times."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from jaxscope.compute.batch import BatchOptions, run_batch
from jaxscope.compute.plan import plan
from jaxscope.compute.shown_channels import alike_channels
from jaxscope.data.annotations import Gap
from jaxscope.data.array_recording import ArrayRecording
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.errors import ReadError
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.readers import open_recording
from jaxscope.session.state import SessionState, Viewport

RATE = 100.0
SAMPLES = np.random.default_rng(4).standard_normal((3, 1000))
LATE, PAUSED = (Gap(start_s=0.0, stop_s=2.0),), (Gap(start_s=3.0, stop_s=5.0),)


def made() -> ArrayRecording:
    channels = tuple(
        Channel(name=name, rate_hz=RATE, n_samples=1000, gaps=gaps)
        for name, gaps in (("early", None), ("late", LATE), ("paused", PAUSED))
    )
    return ArrayRecording(RecordingInfo(format="made", duration_s=12.0, channels=channels), list(SAMPLES))


def write(recording: ArrayRecording, folder: Path, suffix: str, channels: tuple[str, ...]) -> Path:
    chain = FilterChain(stages=(Stage(spec=Butterworth(band="lowpass", order=2, cutoff_hz=10.0)),))
    source, target = folder / "made.bin", folder / f"written{suffix}"
    source.write_bytes(b"made")  # its fingerprint goes into the provenance
    options = BatchOptions(source=str(source), target=str(target), channels=channels)
    for _ in run_batch(recording, [chain], options):
        pass
    return target


def test_channels_of_other_times_are_no_group() -> None:
    assert alike_channels(made().info, (0, 1, 2)) == ((RATE, (0,)), (RATE, (1,)), (RATE, (2,)))


def test_a_window_shows_each_channel_at_its_own_time() -> None:
    state = SessionState(viewport=Viewport(start_s=2.0, duration_s=4.0))
    request = plan(state, made().info, 4000)
    times = {
        group.channels[0]: [
            (piece.show_first / RATE + piece.shift_s, piece.show_stop / RATE + piece.shift_s) for piece in group.pieces
        ]
        for group in request.groups
    }
    shifts = {group.channels[0]: [piece.shift_s for piece in group.pieces] for group in request.groups}
    assert shifts == {0: [0.0], 1: [2.0], 2: [0.0, 2.0]}
    np.testing.assert_allclose(times[0], [(2.0, 6.0)], atol=0.05)
    np.testing.assert_allclose(times[1], [(2.0, 6.0)], atol=0.05)
    np.testing.assert_allclose(times[2], [(2.0, 3.0), (5.0, 6.0)], atol=0.05)


def test_a_late_channel_is_written_from_its_own_start(tmp_path: Path) -> None:
    recording = made()
    recording = ArrayRecording(replace(recording.info, start=datetime(2020, 1, 1)), list(SAMPLES))
    with open_recording(write(recording, tmp_path, ".edf", ("late",))) as written:
        assert written.info.channels[0].n_samples >= 1000
        assert written.info.start == datetime(2020, 1, 1, 0, 0, 2)


def test_channels_of_other_times_are_not_written_into_one_file(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="early and late begin or pause at different times") as caught:
        write(made(), tmp_path, ".edf", ("early", "late"))
    assert "--channels" in caught.value.hint
