"""What a sweep finds: pictures and kept powers of each value, and nothing for a value that cannot be."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import signal

from jaxscope.compute.scheduler import CancelToken
from jaxscope.compute.sweep_job import POINTS, SweepRequest, sweep_work
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.sweep import sweep_values, swept_knobs

RATE_HZ = 200.0
BANDS = (("low", 2.0, 6.0), ("high", 20.0, 40.0), ("beyond", 300.0, 400.0))


@pytest.fixture
def found():
    """Return a function from a request to what is delivered, for two channels of 10 s, one of them of the chain."""
    rng = np.random.default_rng(0)
    before = rng.standard_normal((2, 2000))
    channels = tuple(
        Channel(name=name, unit="uV", kind="eeg", rate_hz=RATE_HZ, n_samples=2000) for name in ("raw", "O1")
    )
    info = RecordingInfo(format="x", start=None, duration_s=10.0, channels=channels, annotations=(), gaps=())
    part = SimpleNamespace(group=SimpleNamespace(channels=(0, 1), rate_hz=RATE_HZ), before=before)
    entry = SimpleNamespace(recording=SimpleNamespace(info=info))
    shown = SimpleNamespace(wish=SimpleNamespace(entry=entry), rendered=SimpleNamespace(samples=(part,)))

    def find(request):
        told = []
        for _ in sweep_work(SimpleNamespace(deliver=told.append), shown, request)(CancelToken()):
            pass
        (frame,) = told
        return frame, before[1]

    return find


def _request(steps: int = 20, *, stop_hz: float = 90.0) -> SweepRequest:
    spec = Butterworth(order=4, cutoff_hz=10.0)
    chain = FilterChain(name="A", channels=("O1",), phase="causal", stages=(Stage(spec=spec),))
    knob = swept_knobs(spec)[0]
    numbers = sweep_values(2.0, stop_hz, steps, knob)
    return SweepRequest(chains=(chain,), chain=0, stage=0, knob=knob, numbers=numbers, channel="", bands=BANDS)


def test_kept_power_and_pictures_are_those_of_each_filter_alone(found):
    request = _request()
    frame, x = found(request)
    assert (frame.channel, frame.problem) == ("O1", "")
    assert [band[0] for band in frame.bands] == ["low", "high"], "a band beyond half the rate has no power to keep"
    assert frame.kept.shape == (2, 20)
    assert frame.kept[0, 0] < 0.7 < 0.95 < frame.kept[0, -1] < 1.1
    assert (np.diff(frame.kept[1]) > 0).all()
    assert len(frame.pictured) == 16
    assert (frame.pictured[0], frame.pictured[-1]) == (0, 19)
    assert frame.picture_s == pytest.approx(1.6)
    place = 7
    sos = signal.butter(4, request.numbers[frame.pictured[place]], fs=RATE_HZ, output="sos")
    y = signal.sosfilt(sos, x, zi=signal.sosfilt_zi(sos) * x[0])[0][840:1160]
    assert frame.pictures.shape == (16, POINTS)
    assert np.nanmax(frame.pictures[place]) == pytest.approx(y.max(), rel=1e-6)
    assert np.nanmin(frame.pictures[place]) == pytest.approx(y.min(), rel=1e-6)


def test_a_value_that_cannot_be_is_a_gap(found):
    request = _request(stop_hz=90.0)
    frame, _ = found(replace(request, numbers=(10.0, 150.0, 20.0)))
    assert np.isfinite(frame.kept[:, [0, 2]]).all()
    assert np.isnan(frame.kept[:, 1]).all()
    assert np.isnan(frame.pictures[1]).all()


def test_a_chain_without_a_channel_on_the_screen_says_so(found):
    request = _request()
    chain = replace(request.chains[0], channels=("elsewhere",))
    frame, _ = found(replace(request, chains=(chain,)))
    assert frame.problem == "No channel of this chain is on the screen"
