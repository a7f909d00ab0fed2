"""What a sweep finds: pictures and kept powers of each value, and nothing for a value that cannot be."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import signal

from jaxscope.compute.scheduler import CancelToken
from jaxscope.compute.sweep_job import POINTS, SweepRequest, sweep_work
from jaxscope.compute.trace_blocks import ShownSamples
from jaxscope.data.recording import Channel, RecordingInfo
from jaxscope.engines import program
from jaxscope.filters.iir import Butterworth
from jaxscope.filters.resonators import Notch
from jaxscope.filters.spec import FilterChain, Stage
from jaxscope.session.state import EngineChoice
from jaxscope.session.sweep import sweep_values, swept_knobs
from jaxscope.session.sweep_measures import HEIGHT, RMS, band_measure, usual_measures

RATE_HZ = 200.0
MEASURES = (band_measure("low", 2.0, 6.0), band_measure("high", 20.0, 40.0), band_measure("beyond", 300.0, 400.0))


@pytest.fixture
def found():
    """Return a function from a request to what is delivered, for three channels of 10 s, two of them of the chain."""
    rng = np.random.default_rng(0)
    before = rng.standard_normal((3, 2000)) * np.array([[1.0], [1.0], [50.0]])
    channels = tuple(
        Channel(name=name, unit="uV", kind="eeg", rate_hz=RATE_HZ, n_samples=2000) for name in ("raw", "O1", "O2")
    )
    info = RecordingInfo(format="x", start=None, duration_s=10.0, channels=channels, annotations=(), gaps=())
    group = SimpleNamespace(channels=(0, 1, 2), rate_hz=RATE_HZ)
    part = ShownSamples(group=group, piece=None, first_sample=0, before=[before], after=[before])
    entry = SimpleNamespace(recording=SimpleNamespace(info=info))
    shown = SimpleNamespace(wish=SimpleNamespace(entry=entry), rendered=SimpleNamespace(samples=(part,)))

    def find(request):
        told = []
        for _ in sweep_work(SimpleNamespace(deliver=told.append), shown, request)(CancelToken()):
            pass
        (frame,) = told
        return frame, before[1:]

    return find


def _request(steps: int = 20, *, stop_hz: float = 90.0) -> SweepRequest:
    spec = Butterworth(order=4, cutoff_hz=10.0)
    chain = FilterChain(name="A", channels=("O*",), phase="causal", stages=(Stage(spec=spec),))
    knob = swept_knobs(spec)[0]
    numbers = sweep_values(2.0, stop_hz, steps, knob)
    return SweepRequest(chains=(chain,), chain=0, stage=0, knob=knob, numbers=numbers, channel="", measures=MEASURES)


def _by_scipy(x: np.ndarray, cutoff_hz: float) -> np.ndarray:
    sos = signal.butter(4, cutoff_hz, fs=RATE_HZ, output="sos")
    zi = signal.sosfilt_zi(sos)[:, np.newaxis] * x[:, :1]
    return signal.sosfilt(sos, x, zi=zi)[0]


def _power(x: np.ndarray, low_hz: float, high_hz: float) -> np.ndarray:
    frequencies, power = signal.periodogram(x, RATE_HZ, "hann", detrend="constant")
    return power[:, (frequencies >= low_hz) & (frequencies < high_hz)].sum(axis=1)


def test_shares_and_pictures_are_those_of_each_filter_over_all_channels_of_the_chain(found):
    request = _request()
    frame, x = found(request)
    assert (frame.channel, frame.problem, frame.n_channels, frame.calls) == ("O1", "", 2, 20)
    assert [item.name for item in frame.measures] == ["low", "high"], "beyond half the rate there is no power to keep"
    assert frame.kept.shape == (2, 20)
    assert (np.diff(frame.kept[1]) > 0).all()
    assert len(frame.pictured) == 16
    assert (frame.pictured[0], frame.pictured[-1]) == (0, 19)
    assert frame.picture_s == pytest.approx(1.6)
    place = 7
    y = _by_scipy(x, request.numbers[frame.pictured[place]])
    assert frame.pictures.shape == (16, POINTS)
    assert np.nanmax(frame.pictures[place]) == pytest.approx(y[0, 840:1160].max(), rel=1e-6)
    assert np.nanmin(frame.pictures[place]) == pytest.approx(y[0, 840:1160].min(), rel=1e-6)
    share = np.mean(_power(y, 20.0, 40.0) / _power(x, 20.0, 40.0))
    assert frame.kept[1, frame.pictured[place]] == pytest.approx(share, rel=0.02)


def test_the_named_channel_is_pictured(found):
    frame, x = found(replace(_request(), channel="O2"))
    assert frame.channel == "O2"
    assert np.nanmax(frame.before) == pytest.approx(x[1, 840:1160].max())


def test_rms_and_height_are_shares_of_before_and_do_not_care_about_units(found):
    request = replace(_request(), measures=(RMS, HEIGHT), numbers=(20.0,))
    frame, x = found(request)
    y = _by_scipy(x, 20.0)
    assert frame.kept[0, 0] == pytest.approx(np.mean(y.std(axis=1) / x.std(axis=1)))
    assert frame.kept[1, 0] == pytest.approx(np.mean(np.ptp(y, axis=1) / np.ptp(x, axis=1)))


def test_the_usual_measures_follow_the_kind_of_channel_and_the_notch_of_the_chain(found):
    request = _request()
    notch = FilterChain(
        name="A", channels=("O*",), stages=(*request.chains[0].stages, Stage(spec=Notch(frequency_hz=60.0)))
    )
    frame, _ = found(replace(request, chains=(notch,), measures=None))
    assert [item.words for item in frame.measures] == [
        "Alpha kept, 8–12.5 Hz", "Beta kept, 16–25 Hz", "Hum left, 59–61 Hz"
    ]  # fmt: skip
    assert [item.name for item in usual_measures("ecg", 50.0)] == ["Height", "RMS", "Hum"]


def test_away_from_a_cpu_all_filters_run_in_one_call_and_orders_in_one_each(found, monkeypatch):
    made = []

    def on_the_cpu(designs, **choices):
        made.append((choices["device"], choices["precision"], choices["n_channels"]))
        return make_program(designs, **(choices | {"device": "cpu:0", "method": "scipy"}))

    make_program = program.make_program
    monkeypatch.setattr(program, "make_program", on_the_cpu)
    alone, _ = found(_request(8))
    made.clear()
    together, _ = found(replace(_request(8), engine=EngineChoice(device="gpu:1", precision="float32")))
    assert made == [("gpu:1", "float32", 16)]
    assert together.calls == 1
    np.testing.assert_allclose(together.kept, alone.kept, rtol=1e-4)
    np.testing.assert_allclose(together.pictures, alone.pictures, atol=1e-4)
    knob = next(one for one in swept_knobs(_request().spec) if one.name == "order")
    orders = replace(_request(), knob=knob, numbers=(2.0, 4.0, 6.0), engine=EngineChoice(device="gpu:0"))
    assert found(orders)[0].calls == 3, "other numbers of sections are another program"


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
